"""What this process remembers of its conversations, for turns while the graph is away."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ragforge_memory.graph.receipts import RecentMessages, TurnContext
from ragforge_memory.models.conversation import ConversationInfo, Message

CONVERSATIONS = 1_000
"""Conversations of which a process knows name and length, those used last: some 2 MB."""

BYTES = 16 * 1024 * 1024
"""Of all remembered messages together; the conversations that were used longest ago lose theirs first."""


@dataclass(slots=True)
class _Known:
    info: ConversationInfo
    context: TurnContext | None = None
    messages: list[Message] = field(default_factory=list)
    # Those of the messages that read 1 has brought, by uuid.
    read: frozenset[str] = frozenset()
    # The last place that is known to be taken in the graph, and the one that the next message is taken to follow.
    stored: int = 0
    head: int = 0
    size: int = 0
    named: bool = False


class Remembered:
    """The newest messages of the conversations that this process has used."""

    def __init__(self, messages: int) -> None:
        self._limit = messages
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._size = 0

    def opened(self, info: ConversationInfo) -> None:
        """A conversation was made or loaded."""
        known = self._known.get(info.uuid)
        if known is None:
            known = self._known[info.uuid] = _Known(info)
        known.info = info
        known.stored = max(known.stored, info.head_seq)
        known.head = max(known.head, info.head_seq)
        self._used(info.uuid)

    def is_named(self, conversation_id: str) -> bool:
        """Whether a conversation is known to have a title that no question changes: the first one of a branch may."""
        known = self._known.get(conversation_id)
        if known is None or known.named:
            return known is not None
        return known.info.title is not None and known.info.message_count > 0 and known.info.branch_of is None

    def named(self, conversation_id: str) -> None:
        """A question was stored that gave its conversation a title, if it had none of its own."""
        known = self._known.get(conversation_id)
        if known is not None:
            known.named = True

    def info(self, reference: str) -> ConversationInfo | None:
        """A conversation by its uuid or session; None where it is not known here."""
        if reference in self._known:
            return self._known[reference].info
        return next((known.info for known in self._known.values() if known.info.session_id == reference), None)

    def read(self, conversation_id: str, context: TurnContext, *, up_to: int) -> None:
        """Read 1 has brought this: it replaces what was known of what stands before ``up_to``."""
        known = self._known.get(conversation_id)
        if known is not None:
            known.context = replace(context, messages=())
            known.read = frozenset(message.uuid for message in context.messages)
            later = [each for each in known.messages if each.seq >= up_to]
            self._replace(known, [*context.messages, *later])
            self._used(conversation_id)

    def recent(self, conversation_id: str) -> RecentMessages:
        """The messages that read 1 has brought.

        Only their state, importance and place change, but where their conversation is restored.
        """
        known = self._known.get(conversation_id)
        if known is None or known.context is None:
            return RecentMessages()
        read = {message.uuid: message for message in known.messages if message.uuid in known.read}
        return RecentMessages(read, known.context.restored)

    def history(self, conversation_id: str, messages: Sequence[Message]) -> None:
        """The newest messages were read, oldest first."""
        known = self._known.get(conversation_id)
        if known is not None and messages:
            if len(messages) >= min(len(known.messages), self._limit):
                self._replace(known, list(messages))
                known.read = frozenset()  # a history has more of each message
            known.stored = max(known.stored, messages[-1].seq)
            known.head = max(known.head, messages[-1].seq)
            self._used(conversation_id)

    def said(self, message: Message, *, stored: bool) -> None:
        """A message was said here; ``stored``: it is in the graph, at that place."""
        known = self._known.get(message.conversation_id)
        if known is None:
            return
        kept = [each for each in known.messages if each.uuid != message.uuid]
        known.read -= {message.uuid}
        self._replace(known, [*kept, message])
        known.head = max(known.head, message.seq)
        if stored:
            known.stored = max(known.stored, message.seq)
        self._used(message.conversation_id)

    def placed(self, conversation_id: str, uuid: str, seq: int) -> None:
        """A message that waited is in the graph, at that place."""
        known = self._known.get(conversation_id)
        if known is not None:
            known.messages = [
                each.model_copy(update={"seq": seq}) if each.uuid == uuid else each for each in known.messages
            ]
            known.stored = max(known.stored, seq)
            known.head = max(known.head, seq)

    def places(self, conversation_id: str) -> tuple[int, int]:
        """The last place that is known to be taken in the graph, and the place of the next message as far as known."""
        known = self._known.get(conversation_id)
        return (known.stored, known.head + 1) if known is not None else (0, 1)

    def is_blank(self, conversation_id: str, *, besides: str) -> bool:
        """Whether there is something in a conversation and none of it is known here, ``besides`` this message."""
        known = self._known.get(conversation_id)
        return known is None or (known.stored > 0 and all(each.uuid == besides for each in known.messages))

    def context(self, conversation_id: str, *, before_seq: int, prompts: Sequence[str]) -> TurnContext:
        """What a turn is given while the graph is away: what is known of what stands before its question.

        ``prompts`` count as not kept yet, for nobody can look.
        """
        known = self._known.get(conversation_id)
        messages = tuple(each for each in known.messages if each.seq < before_seq) if known is not None else ()
        missing = frozenset(prompts)
        if known is None or known.context is None:
            return TurnContext(known.info.summary if known is not None else None, messages, missing=missing)
        covered = known.context.compression.to_seq if known.context.compression else 0
        return replace(
            known.context,
            messages=tuple(each for each in messages if each.seq > covered or each.role == "system"),
            found=(),
            missing=missing,
        )

    def forget(self, conversation_id: str) -> None:
        """It was deleted."""
        known = self._known.pop(conversation_id, None)
        if known is not None:
            self._size -= known.size

    def _replace(self, known: _Known, messages: list[Message]) -> None:
        known.messages = messages[-self._limit :] if self._limit else []
        size = sum(map(_size, known.messages))
        self._size += size - known.size
        known.size = size

    def _used(self, conversation_id: str) -> None:
        """It was used just now: others lose their messages first, this one last."""
        self._known.move_to_end(conversation_id)
        while len(self._known) > CONVERSATIONS:
            _, oldest = self._known.popitem(last=False)
            self._size -= oldest.size
        for known in list(self._known.values())[:-1] if self._size > BYTES else ():
            self._replace(known, [])
            known.context = None
            if self._size <= BYTES:
                break


def _size(message: Message) -> int:
    return len(message.content) + len(message.reasoning or "") + sum(c.result_size_bytes for c in message.tool_calls)
