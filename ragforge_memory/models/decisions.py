"""What was decided, what corrected it since, and what became of the code that it is about."""

from __future__ import annotations

from datetime import datetime

from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.conversation import Correction, Page
from ragforge_memory.models.shape import Shape
from ragforge_memory.text.forms import Kind


class Decision(Shape):
    """A decision, a rule, a note or something to do: what states it, where it was said, and what became of it.

    ``title`` and ``archived`` are the conversation's. ``code`` is what the message was about and what it is now;
    ``corrected`` the last statement of the user's that corrects it, closes it or takes it back, None where none does.
    """

    kind: Kind
    text: str
    role: str
    timestamp: datetime
    message_id: str
    conversation_id: str
    title: str | None = None
    archived: bool = False
    code: tuple[CodeReference, ...] = ()
    corrected: Correction | None = None

    @property
    def changed_code(self) -> tuple[CodeReference, ...]:
        """The code that is not what it was: drifted, gone, or moved and changed on the way."""
        return tuple(
            each
            for each in self.code
            if each.status in ("drifted", "orphaned") or (each.status == "moved" and each.changed)
        )

    @property
    def doubtful(self) -> bool:
        """Whether it may no longer hold: it was corrected, or code that it is about has changed or is gone."""
        return self.corrected is not None or bool(self.changed_code)


DecisionPage = Page[Decision]
"""A page of decisions, as `ConversationPage` is one of conversations."""
