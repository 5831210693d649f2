"""Tool calls and their results, which sources write as messages of their own, brought together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.fields import MAX_CHARACTERS, MAX_RESULT_CHARACTERS, text
from ragforge_memory.importers.source import Record, refusal
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.transcript import TranscriptCall, TranscriptMessage

NO_RESULT = "its source has no result of this call"
"""The error of a call that nothing came of."""

# A call may never be answered: so many messages wait for a result, then it is taken to have none.
_WAITING = 64


@dataclass(slots=True)
class Answer:
    """An assistant's message that results may still come for."""

    place: str
    uuid: str | None = None
    timestamp: datetime | None = None
    model: str | None = None
    usage: Usage | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[TranscriptCall] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)

    @property
    def open(self) -> bool:
        """Whether a result may still come."""
        return len(self.answered | self.given_up) < len(self.calls)

    def give_up(self) -> None:
        """Waits no longer for results of calls without ids, which are known by their order alone."""
        self.given_up |= {index for index, call in enumerate(self.calls) if call.call_id is None}

    def add_to_result(self, more: str) -> None:
        """Another piece of what the newest call gave."""
        call = self.calls[-1]
        if not call.success:
            self.calls[-1] = replace(call, error=f"{call.error}\n{more}")
        elif more:
            self.calls[-1] = replace(call, result=f"{call.result}\n{more}" if call.result else more)

    def finished(self) -> TranscriptMessage:
        """The message; a call without a result has failed."""
        calls = tuple(
            call if index in self.answered else replace(call, success=False, error=NO_RESULT)
            for index, call in enumerate(self.calls)
        )
        try:
            content = text("\n\n".join(self.texts), "its content", most=MAX_CHARACTERS)
            reasoning = text("\n\n".join(self.reasoning), "its reasoning", most=MAX_RESULT_CHARACTERS)
        except ValueError as error:
            raise refusal(self.place, str(error)) from error
        return TranscriptMessage(
            role="assistant",
            content=content,
            timestamp=self.timestamp,
            uuid=self.uuid,
            metadata=self.metadata,
            reasoning=reasoning or None,
            model=self.model,
            usage=self.usage,
            tool_calls=calls,
            place=self.place,
        )


class Exchange:
    """Holds answers back until the results of their calls have come, and with them what was said meanwhile.

    Every method that takes something gives the messages that are complete now, in their order.
    """

    def __init__(self) -> None:
        self._answers: deque[Answer | TranscriptMessage] = deque()

    @property
    def last(self) -> Answer | None:
        """The newest answer, if it is still open to more."""
        newest = self._answers[-1] if self._answers else None
        return newest if isinstance(newest, Answer) else None

    def answer(self, answer: Answer) -> Iterator[TranscriptMessage]:
        """A new answer; what was complete before it is given."""
        yield from self._complete()
        self._answers.append(answer)

    def say(self, message: TranscriptMessage) -> Iterator[TranscriptMessage]:
        """Somebody else's message: of the calls before it only those with ids are waited for."""
        for before in self._answers:
            if isinstance(before, Answer):
                before.give_up()
        self._answers.append(message)
        yield from self._complete()

    def finish(self) -> Iterator[TranscriptMessage]:
        """All that is left."""
        while self._answers:
            yield _finished(self._answers.popleft())

    def _complete(self) -> Iterator[TranscriptMessage]:
        while self._answers and (not _is_open(self._answers[0]) or len(self._answers) >= _WAITING):
            yield _finished(self._answers.popleft())

    def result(
        self,
        place: str,
        call_id: str | None,
        *,
        result: str,
        failed: bool = False,
        tool_name: str | None = None,
        timestamp: datetime | None = None,
        duration_ms: int = 0,
    ) -> Iterator[TranscriptMessage]:
        """The result of a call: of an open one of that id in the newest answer that has one, else of the first open one
        without an id; where the result has none, of the first open one of that tool (None: of any).

        A result whose call is not there (a history that was cut) makes an answer of its own, so that it is kept.
        """
        found = self._open_call(call_id, tool_name)
        if found is None:
            call = TranscriptCall(tool_name or "unknown", call_id=call_id, timestamp=timestamp)
            alone = Answer(place, timestamp=timestamp, calls=[call])
            yield from self.answer(alone)
            found = (alone, 0)
        answer, index = found
        answer.calls[index] = replace(
            answer.calls[index],
            result=None if failed else result,
            error=(result or "it failed") if failed else None,
            success=not failed,
            duration_ms=duration_ms,
        )
        answer.answered.add(index)

    def _open_call(self, call_id: str | None, tool_name: str | None) -> tuple[Answer, int] | None:
        waiting = [
            (answer, index, call)
            for answer in self._answers
            if isinstance(answer, Answer)
            for index, call in enumerate(answer.calls)
            if index not in answer.answered and index not in answer.given_up
        ]
        named = [(answer, index) for answer, index, call in waiting if call_id is not None and call.call_id == call_id]
        if named:
            return next(each for each in named if each[0] is named[-1][0])
        for answer, index, call in waiting:
            fits = tool_name is None or call.tool_name == tool_name
            if fits and (call_id is None or call.call_id is None):
                return answer, index
        return None


def _is_open(held: Answer | TranscriptMessage) -> bool:
    return isinstance(held, Answer) and held.open


def _finished(held: Answer | TranscriptMessage) -> TranscriptMessage:
    return held.finished() if isinstance(held, Answer) else held


PassOver = Callable[[str, str], None]
"""Takes the place of a record that is passed over, and why."""


def exchanged(
    records: Iterable[Record],
    pass_over: PassOver,
    taken: Callable[[Exchange, Any, str], Iterator[TranscriptMessage]],
) -> Iterator[TranscriptMessage]:
    """The messages of records of which each is one; a result stands with its call, and what is bad is passed over."""
    exchange = Exchange()
    for record in records:
        yield from sound(record, pass_over, partial(taken, exchange))
    yield from exchange.finish()


def sound(
    record: Record, pass_over: PassOver, taken: Callable[[Any, str], Iterator[TranscriptMessage]]
) -> list[TranscriptMessage]:
    """The messages that are complete with a record; none where it is bad, which is told."""
    try:
        return list(record.messages(taken))
    except InvalidInput as error:
        pass_over(record.place, error.message.removeprefix(f"{record.place}: "))
        return []
