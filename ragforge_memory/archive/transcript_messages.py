"""From a transcript's messages to the graph's: redacted, weighed, with free uuids, tied to what they name."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.agent.ties.named import Question, answer_ties
from ragforge_memory.agent.ties.references import last_ingest
from ragforge_memory.archive.identity import Name, Names, fingerprint
from ragforge_memory.collection import paused_collection
from ragforge_memory.errors import InvalidInput, RagforgeError
from ragforge_memory.graph.decisions import Statement, take_statement
from ragforge_memory.graph.imports import call_row, import_row
from ragforge_memory.graph.messages import CodeTies, NewMessage
from ragforge_memory.graph.ties import Named, TieStore
from ragforge_memory.importers.source import TOO_DEEP, refusal
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.models.transcript import Transcript, TranscriptCall, TranscriptMessage

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores

# A transaction that a server with a heap of 512 MB holds with all its indexes: whichever is reached first.
BATCH_MESSAGES = 1_000
BATCH_CHARACTERS = 4_000_000
# So much is looked at until the user says something; what comes before that is instructions and a greeting.
_OPENING = 100


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages of one conversation that are written at once.

    ``rows`` are ready for the graph. ``names`` says of each by its uuid what it is known by; ``question`` is the user's
    newest message by then, ``ties`` what they mention, by their uuids. ``fault`` says that the conversation was refused
    here; its batch is its last then and has no messages.
    """

    transcript: Transcript
    last: bool
    rows: Sequence[dict[str, Any]] = ()
    after: int = 0
    characters: int = 0
    names: Mapping[str, Name] = field(default_factory=dict)
    question: str | None = None
    ties: Mapping[str, CodeTies] = field(default_factory=dict)
    fault: InvalidInput | None = None

    @property
    def whole(self) -> bool:
        """Whether this is all of a conversation."""
        return self.last and self.after == 0 and self.fault is None

    @property
    def begins_under_others(self) -> bool:
        """Whether the conversation's first message may have been stored under another uuid."""
        return self.after == 0 and any(name.others for name in list(self.names.values())[:1])

    def uuids(self, *, others: bool) -> list[str]:
        """What its messages may be called in the graph; with ``others`` also what they were called before."""
        known = self.names.values()
        return [uuid for name in known for uuid in ((name.uuid, *name.others) if others else (name.uuid,))]


def batches(
    transcripts: Iterator[Transcript], redacted: Callable[[Any], Any], *, ties: bool = False
) -> Iterator[Batch]:
    """All messages of all transcripts, in batches of at most 1,000 messages and about 4 million characters.

    With ``ties`` what they name is noted for the graph to tie them to.

    A batch is only known to be a conversation's last one when the next message has been looked for, so that one of up
    to that size comes whole.
    """
    for transcript in _with_branches(_all_there_are(transcripts)):
        filling = _Filling(transcript, redacted, ties)
        try:
            for message in filling.begin(transcript.messages):
                weight = _characters(message)
                if filling.rows and not filling.fits(weight):
                    yield filling.batch(last=False)
                try:
                    filling.add(message, weight)
                except RecursionError as error:
                    raise refusal(message.place, TOO_DEEP) from error
            if not filling.rows and not filling.after:
                raise InvalidInput(f"{transcript.place or 'this'}: there are no messages")
        except InvalidInput as error:
            yield Batch(transcript, last=True, fault=error)
        else:
            yield filling.batch(last=True)


def groups(found: Iterator[Batch]) -> Iterator[list[Batch]]:
    """What is written in one transaction: whole conversations, as many as it holds, or a part of a large one."""
    group: list[Batch] = []
    messages = characters = 0
    for batch in found:
        messages += len(batch.rows)
        characters += batch.characters
        if group and (not batch.whole or messages > BATCH_MESSAGES or characters > BATCH_CHARACTERS):
            yield group
            group, messages, characters = [], len(batch.rows), batch.characters
        if batch.whole:
            group.append(batch)
        else:
            yield [batch]
            messages = characters = 0
    if group:
        yield group


class _Filling:
    """The batch that is being filled. An answer knows the question before it."""

    def __init__(self, transcript: Transcript, redacted: Callable[[Any], Any], ties: bool) -> None:
        self._transcript = transcript
        self._redacted = redacted
        self._ties = ties
        self._asked = Question("")
        self._question: str | None = None
        self._time: datetime | None = None
        self._statements: list[Statement] = []
        self._name = Names(None, ())
        self.after = 0
        self._empty()

    def _empty(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._characters = 0
        self._names: dict[str, Name] = {}
        self._mentioned: dict[str, CodeTies] = {}

    def begin(self, messages: Iterator[TranscriptMessage]) -> Iterator[TranscriptMessage]:
        """The messages, once enough of them came to tell which conversation they are of."""
        opening: list[TranscriptMessage] = []
        for message in messages:
            opening.append(message)
            if message.role == "user" or len(opening) == _OPENING:
                break
        said = [(each.role, self._redacted(each.content)) for each in opening]
        self._name = Names(self._transcript.session_id, said)
        return chain(opening, messages)

    def fits(self, characters: int) -> bool:
        """Whether another message may be added."""
        return len(self.rows) < BATCH_MESSAGES and self._characters + characters <= BATCH_CHARACTERS

    def batch(self, *, last: bool) -> Batch:
        """What was added; the next batch begins."""
        batch = Batch(
            self._transcript,
            last,
            self.rows,
            self.after,
            self._characters,
            self._names,
            self._question,
            ties=self._mentioned,
        )
        self.after += len(self.rows)
        self._empty()
        return batch

    def add(self, message: TranscriptMessage, characters: int) -> None:
        """Another message."""
        if not self.after and not self.rows:
            self._transcript.created_at = self._transcript.created_at or message.timestamp
        redacted = self._redacted
        content = redacted(message.content)
        called = [self._call(call, index) for index, call in enumerate(message.tool_calls)]
        calls = [row for row, _ in called]
        name = self._name.next(message.role, content, calls, given=message.uuid, place=message.place)
        uuid = name.uuid
        self._names[uuid] = name
        stated = take_statement(uuid, message.role, content, self._statements)
        new = NewMessage(
            uuid=uuid,
            role=message.role,
            content=content,
            reasoning=redacted(message.reasoning) if message.reasoning else None,
            in_reply_to=self._question if message.role == "assistant" else None,
            model=message.model,
            usage=message.usage,
            metadata=redacted(dict(message.metadata)) if message.metadata else None,
            importance=importance_of(content, message.tool_calls, role=message.role),
            kind=stated.kind,
        )
        if message.role == "user":
            self._question = uuid
        for call in calls:
            call["call"]["message_id"] = uuid
        # One without a time was said after the one before it, and not when it is imported.
        self._time = message.timestamp or self._time
        tokens = estimate_tokens(content) + sum(each for _, each in called)
        row = import_row(new, self._time, calls, tokens=tokens)
        row["source_hash"] = fingerprint(row)
        if stated.corrects is not None:
            row["corrects"] = {"uuid": stated.corrects, "how": stated.how}
        self.rows.append(row)
        if (ties := self._tied(new)).mentions:
            self._mentioned[uuid] = ties
        self._characters += characters

    def _tied(self, new: NewMessage) -> CodeTies:
        """What a message is about; what a question names only the first answer is, and not each that follows it."""
        if not self._ties or new.role == "system":
            return CodeTies()
        if new.role == "user":
            self._asked = Question(new.content)
            return CodeTies(mentions=self._asked.told, files=self._asked.files)
        ties = answer_ties(self._asked, new.content)
        if new.content.strip():
            self._asked = Question("")
        return ties

    def _call(self, call: TranscriptCall, index: int) -> tuple[dict[str, Any], int]:
        clean = TranscriptCall(
            tool_name=self._redacted(call.tool_name),
            arguments=self._redacted(dict(call.arguments)),
            result=self._redacted(call.result),
            error=self._redacted(call.error),
            success=call.success,
            timestamp=call.timestamp,
            duration_ms=call.duration_ms,
        )
        return call_row(clean, index=index, message_id="")


def _with_branches(transcripts: Iterator[Transcript]) -> Iterator[Transcript]:
    """The transcripts, each with what was abandoned of it behind it."""
    for transcript in transcripts:
        yield transcript
        if transcript.branches is not None:
            yield from transcript.branches()


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


@asynccontextmanager
async def ahead(
    found: Iterator[list[Batch]], *, waits: bool = False
) -> AsyncIterator[Callable[[], Awaitable[list[Batch] | None]]]:
    """Gives the groups one by one; the next is read in a thread meanwhile.

    Args:
        found: the groups.
        waits: whether reading may wait for somebody, who writes into a pipe.
    """
    from anyio import to_thread

    def one() -> list[Batch] | None:
        # A batch has thousands of small values, none of them in a cycle.
        with nullcontext() if waits else paused_collection():
            return next(found, None)

    def begin() -> asyncio.Task[list[Batch] | None]:
        # Whoever gives up waits for no stream that gives nothing.
        return asyncio.create_task(to_thread.run_sync(one, abandon_on_cancel=True))

    task = begin()

    async def coming() -> list[Batch] | None:
        nonlocal task
        group = await task
        if group is not None:
            task = begin()
        return group

    try:
        yield coming
    finally:
        task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()


log = logging.getLogger(__name__)

# Transcripts name the same again and again.
_REMEMBERED = 16_384


class ImportedTies:
    """Ties the messages of an import, batch by batch, after they are written. That failing fails no import."""

    def __init__(self, stores: Stores, place: Place) -> None:
        self._stores, self._place = stores, place
        self._store = TieStore(stores.graph, place.owner)
        self._known: dict[Named, tuple[str, ...]] = {}
        self.wanted = False

    async def begin(self) -> None:
        """Looks whether there is code: where nothing was ingested, there is nothing that messages could be about."""
        self.wanted = await last_ingest(self._stores, self._place) is not None

    async def write(self, ties: Mapping[str, CodeTies]) -> None:
        """Ties messages, by their uuids, to what they mention."""
        if not self.wanted or not ties:
            return
        try:
            await self._write(ties)
        except RagforgeError as error:
            self.wanted = False
            log.warning("what is imported is not tied to code any further: %s", error)

    async def _write(self, ties: Mapping[str, CodeTies]) -> None:
        if len(self._known) > _REMEMBERED:
            self._known = {}
        await self._store.tie_mentioned(ties, self._known)
