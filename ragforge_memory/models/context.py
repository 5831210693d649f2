"""What a prompt held, and a conversation as it was at one of its messages."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from pydantic import Field

from ragforge_memory.models.conversation import ConversationContext, Message
from ragforge_memory.models.memory import Tier
from ragforge_memory.models.shape import Shape


class ContextItem(Shape):
    """One thing that a prompt held. ``rank`` 1 is what was worth most; ``excerpt`` is as it reads today.

    ``tier`` is ``summary``, ``recent``, ``important`` or ``relevant``; ``score`` is what it was chosen by, where it
    was chosen by one; ``cost_usd`` its share of what the turn cost, by tokens.
    """

    tier: str
    kind: str = "message"
    uuid: str | None = None
    conversation_id: str | None = None
    seq: int | None = None
    to_seq: int | None = None
    role: str | None = None
    timestamp: datetime | None = None
    score: float | None = None
    tokens: int = 0
    cost_usd: float | None = None
    rank: int = 0
    excerpt: str = ""


class ContextReceipt(Shape):
    """What an answer was given: each item, and the tokens of each part of the prompt.

    ``window`` are the tokens of the model's window, ``limit`` those that the prompt might take. ``erased`` items were
    given then and are not there any more. ``today`` is the date that the prompt named. ``tiers_missed`` are the tiers
    of recall that were late or failed. None of this is known of answers that other tools wrote.
    """

    message_id: str
    question_id: str | None = None
    model: str | None = None
    strategy: str | None = None
    today: date | None = None
    items: tuple[ContextItem, ...] = ()
    tokens: dict[str, int] = Field(default_factory=dict)
    window: int | None = None
    limit: int | None = None
    erased: int = 0
    tiers_missed: tuple[Tier, ...] = ()


class Prompt(Shape):
    """All that the model was first asked with in a turn: system prompt, messages, and the tools that were offered."""

    system: str
    messages: tuple[dict[str, Any], ...] = ()
    tools: tuple[dict[str, Any], ...] = ()


class Snapshot(Shape):
    """A conversation as it was at one of its messages, rebuilt from the graph.

    ``history`` ends with that message (the newest 1,000 of it), without ``references``. ``context`` and ``prompt`` are
    those of the answer that the message is, or that it got; both are None where there is none, or where another tool
    wrote it. ``exact`` says that the rebuilt prompt is the one that was sent, byte for byte, which its hash tells;
    where it is not, ``notes`` say why: what was erased since, or redacted before it was stored. In that of a
    conversation that was copied tool calls have the uuids that they had when it was sent. ``tiers_missed`` as the
    receipt has it.
    """

    conversation_id: str
    message_id: str
    seq: int
    timestamp: datetime
    history: tuple[Message, ...] = ()
    message_count: int = 0
    summary: str | None = None
    memories: tuple[Any, ...] = ()
    context: ConversationContext | None = None
    prompt: Prompt | None = None
    exact: bool = False
    erased: int = 0
    notes: tuple[str, ...] = ()
    tiers_missed: tuple[Tier, ...] = ()
