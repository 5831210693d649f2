"""What somebody said, as a message that is stored."""

from __future__ import annotations

from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.models.conversation import Role
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.redaction import Redactor
from ragforge_memory.text.forms import read_form
from ragforge_memory.text.titles import title_of


def stored_as(redactor: Redactor, uuid: str, role: Role, text: str) -> NewMessage:
    """Gives what somebody said as it is stored: redacted, counted and weighed."""
    content = redactor.text(text)
    form = read_form(content) if role == "user" else None
    return NewMessage(
        uuid=uuid,
        role=role,
        content=content,
        token_count=estimate_tokens(content),
        importance=importance_of(content, role=role),
        trust="user" if role == "user" else "agent",
        kind=form.kind if form else None,
        how=form.how if form else None,
    )


def title_from(message: NewMessage) -> str | None:
    """Gives the title that a user's message gives a conversation without one."""
    return title_of(message.content) if message.role == "user" else None
