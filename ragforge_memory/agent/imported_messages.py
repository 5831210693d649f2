"""From a transcript's messages to the graph's: redacted, weighed, with uuids that nobody has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from ragforge_memory.agent.importance import importance_of
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.imports import PlacedMessage
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.records import as_text, to_json
from ragforge_memory.models.conversation import ToolCall
from ragforge_memory.models.transcript import Transcript, TranscriptCall, TranscriptMessage

# A transaction that a server with a heap of 512 MB holds with all its indexes: whichever is reached first.
_BATCH_MESSAGES = 1_000
_BATCH_CHARACTERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages of one conversation that are written at once.

    ``fault`` says that the conversation was refused here; its batch is its last then and has no messages.
    """

    transcript: Transcript
    messages: Sequence[TranscriptMessage]
    last: bool
    fault: InvalidInput | None = None


def batches(transcripts: Iterator[Transcript], redacted: Callable[[Any], Any]) -> Iterator[Batch]:
    """All messages of all transcripts, in batches of at most 1,000 messages and about 4 million characters.

    A batch is only known to be a conversation's last one when the next message has been looked for, so that one of up
    to that size comes whole.
    """
    for transcript in _all_there_are(transcripts):
        messages: list[TranscriptMessage] = []
        characters = written = 0
        try:
            for message in transcript.messages:
                weight = _characters(message)
                if messages and (len(messages) >= _BATCH_MESSAGES or characters + weight > _BATCH_CHARACTERS):
                    yield Batch(transcript, messages, last=False)
                    written += len(messages)
                    messages, characters = [], 0
                messages.append(_clean(message, redacted))
                characters += weight
            if not messages and not written:
                raise InvalidInput(f"{transcript.place or 'this'}: there are no messages")
        except InvalidInput as error:
            yield Batch(transcript, (), last=True, fault=error)
        else:
            yield Batch(transcript, messages, last=True)


def _all_there_are(transcripts: Iterator[Transcript]) -> Iterator[Transcript]:
    """The transcripts; where the source cannot be read on, the last one is refused with the reason."""
    try:
        yield from transcripts
    except InvalidInput as error:
        refused = error

        def messages() -> Iterator[TranscriptMessage]:
            raise refused
            yield  # a generator: the error comes where messages are read

        yield Transcript(messages(), "", place="the rest")


def _characters(message: TranscriptMessage) -> int:
    # Identifiers are stored once more in `terms`, and arguments are a part of what a call weighs.
    calls = sum(len(call.result or call.error or "") + len(str(call.arguments)) for call in message.tool_calls)
    return len(message.content) + len(message.reasoning or "") + calls


def _clean(message: TranscriptMessage, redacted: Callable[[Any], Any]) -> TranscriptMessage:
    return replace(
        message,
        content=redacted(message.content),
        reasoning=redacted(message.reasoning),
        metadata=redacted(dict(message.metadata)),
        tool_calls=tuple(
            replace(
                call,
                arguments=redacted(dict(call.arguments)),
                result=redacted(call.result),
                error=redacted(call.error),
            )
            for call in message.tool_calls
        ),
    )


class Placing:
    """Gives the messages of one conversation their uuids; an answer knows the question before it.

    Args:
        now: when what has no time is said to have been.
    """

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime.now(UTC)
        self._question: str | None = None
        self.tool_calls = 0

    def placed(self, messages: Sequence[TranscriptMessage], taken: Mapping[str, object]) -> list[PlacedMessage]:
        """The messages as the graph takes them; a uuid that is ``taken`` gives way to a new one."""
        return [self._placed(message, taken) for message in messages]

    def _placed(self, message: TranscriptMessage, taken: Mapping[str, object]) -> PlacedMessage:
        moved = message.uuid is not None and message.uuid in taken
        uuid = uuid4().hex if message.uuid is None or moved else message.uuid
        calls = [self._call(call, index, uuid, message) for index, call in enumerate(message.tool_calls)]
        self.tool_calls += len(calls)
        new = NewMessage(
            uuid=uuid,
            role=message.role,
            content=message.content,
            reasoning=message.reasoning,
            in_reply_to=self._question if message.role == "assistant" else None,
            model=message.model,
            usage=message.usage,
            metadata=message.metadata or None,
            importance=importance_of(message.content, calls),
        )
        if message.role == "user":
            self._question = uuid
        return PlacedMessage(
            new, message.timestamp, message.uuid if moved else None, tuple((call, uuid4().hex) for call in calls)
        )

    def _call(self, call: TranscriptCall, index: int, message_id: str, message: TranscriptMessage) -> ToolCall:
        result = None if call.result is None else as_text(call.result)
        return ToolCall(
            uuid=uuid4().hex,
            message_id=message_id,
            index=index,
            timestamp=call.timestamp or message.timestamp or self._now,
            tool_name=call.tool_name,
            arguments=dict(call.arguments),
            success=call.success,
            result=result,
            error=call.error,
            result_size_bytes=0 if result is None else len(to_json(result).encode()),
            duration_ms=call.duration_ms,
        )
