"""What a change of the code touches of what was said about it."""

from __future__ import annotations

from typing import Literal

from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.conversation import Correction, Message
from ragforge_memory.models.shape import Shape

ScopeChange = Literal["changed", "moved", "added", "removed"]


class ImpactedMessage(Shape):
    """A message that stands on changed code: its tie, its conversation's title, the summaries over it.

    ``decision`` is what it decides, rules or notes; None where it is none. ``corrected`` is what the user said
    against that later; None where nothing was.
    """

    message: Message
    reference: CodeReference
    title: str | None = None
    decision: str | None = None
    corrected: Correction | None = None
    summaries: tuple[str, ...] = ()


class ImpactedScope(Shape):
    """A scope whose tokens a diff changes, or that it moves, adds or removes, with the messages that stand on it.

    ``moved_to_file`` and ``moved_to_name`` are set where it was moved or renamed.
    """

    file: str
    qualified_name: str
    type: str
    change: ScopeChange
    moved_to_file: str | None = None
    moved_to_name: str | None = None
    messages: tuple[ImpactedMessage, ...] = ()


class Impact(Shape):
    """The scopes of a diff, by file and place, each with what stands on it.

    ``before`` and ``after`` are commit ids; ``after`` is None for the files as they are. ``outside`` are changed files
    in which no definition changes, and submodules that are at another commit, sorted.
    """

    before: str
    after: str | None
    scopes: tuple[ImpactedScope, ...] = ()
    outside: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[str, ...]:
        """The uuids of all messages, each once."""
        return tuple(dict.fromkeys(each.message.uuid for scope in self.scopes for each in scope.messages))

    @property
    def decisions(self) -> tuple[str, ...]:
        """The uuids of those messages that are decisions, each once."""
        told = (each for scope in self.scopes for each in scope.messages)
        return tuple(dict.fromkeys(each.message.uuid for each in told if each.decision is not None))

    @property
    def summaries(self) -> tuple[str, ...]:
        """The summaries over them, each once."""
        return tuple(dict.fromkeys(text for scope in self.scopes for each in scope.messages for text in each.summaries))
