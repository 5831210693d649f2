"""Bringing a conversation's summaries and its title up to date, under a lease, from its watermark.

A stretch is read once, asked about with no transaction open, and stored by one fenced write together with the new
watermark. A crash therefore loses at most what was being asked for, and whoever claims next goes on from the graph. For
one stretch a model is asked once: where the answer was not seen, the next one extracts it. A stretch that a
branch cuts is two, one for each side, which begin with the same messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import TypeVar
from uuid import uuid4

from ragforge_memory.agent.upkeep.leases import LeaseLost, meanwhile
from ragforge_memory.agent.upkeep.summary_text import MESSAGE_CHARACTERS, Summarizer, Written
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, ModelError, RagforgeError
from ragforge_memory.graph.summaries import Lease, SummaryStore
from ragforge_memory.models.conversation import Message
from ragforge_memory.models.summary import ON_DEMAND, Cover, Step, Summary, next_step
from ragforge_memory.models.tokens import estimate_tokens

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
"""So often in a row a model may fail in one conversation; then the summary is extracted."""

PAUSE_AFTER_FAILURE = 5.0
"""Seconds before a model is asked again, by any process."""

_POLL_SECONDS = 0.2
# What another process has is looked at so often: for some ten minutes, far longer than a model takes for an answer.
_MOST_LOOKS = 3_000
# The title comes from the first question and the first answer to it; after a failed turn they stand a little apart.
_FIRST_MESSAGES = 8

T = TypeVar("T")


class Summaries:
    """Keeps the summaries of one owner's conversations."""

    def __init__(self, store: SummaryStore, summarizer: Summarizer, *, pause: float = PAUSE_AFTER_FAILURE) -> None:
        self.store = store
        self.summarizer = summarizer
        self._pause = pause
        # What a model has said and the graph could not take.
        self._unwritten: dict[tuple[str, ...], Written] = {}

    async def bring_up_to_date(self, conversation_id: str, *, hurried: bool = False) -> bool:
        """Makes what is due of a conversation's title and summaries.

        A model's failure is kept in the graph and pauses this conversation, for every process.

        Args:
            conversation_id: which.
            hurried: this process ends in a moment: a model is asked for the title alone.

        Returns:
            Whether something was tried; False: it is somebody else's just now, or gone.
        """
        try:
            lease = await self.store.claim(conversation_id)
            if lease is None:
                return False
            claim = _Claim(self.store, self.summarizer, lease, self._pause, self._unwritten)
            await claim.all_that_is_due(hurried=hurried and self.summarizer.asks)
        except (LeaseLost, ConversationNotFound):
            log.info("the summaries of %s are somebody else's by now, or it is gone", conversation_id)
            return False
        return True

    async def on_demand(self, conversation_id: str) -> str:
        """All that is not summarised yet, down to the last message, and the conversation's summary from then on.

        Waits while another process is at it.

        Raises:
            ConversationNotFound: it is gone.
            GraphUnavailable: another process has been at it for more than ten minutes.
            ModelError: the model failed; nothing was stored of what it should have summarised.
        """
        for _ in range(_MOST_LOOKS):
            lease = await self.store.claim(conversation_id, eager=True)
            if lease is not None:
                with suppress(LeaseLost):
                    claim = _Claim(self.store, self.summarizer, lease, self._pause, self._unwritten, eager=True)
                    return await claim.everything()
            await asyncio.sleep(_POLL_SECONDS)
        raise GraphUnavailable(
            f"another process has been summarising conversation {conversation_id} for more than ten minutes",
            hint="try again; if it hangs, end it",
        )


class _Elsewhere(LeaseLost):
    """What a conversation shares is somebody else's just now."""


@dataclass(eq=False)
class _Claim:
    """The work on one conversation while it is ours.

    What a branch shares belongs to the conversation that it was said in, and is summarised there, once for all that
    share it; a stretch that goes on behind what is shared is the branch's own. Claims are made from branches towards
    the root alone, so that none waits for itself.
    """

    store: SummaryStore
    summarizer: Summarizer
    lease: Lease
    pause: float
    unwritten: dict[tuple[str, ...], Written]
    _: KW_ONLY
    eager: bool = False

    async def all_that_is_due(self, *, hurried: bool) -> None:
        """The title and, unless ``hurried``, every full stretch; a model's failure ends the claim with a pause."""
        try:
            async with self._unless_broken_off(counted=True):
                await self._title()
                cover = None if hurried else await self._grid(extract=self.lease.attempts >= MAX_ATTEMPTS)
        except ModelError as error:
            log.warning("a summary failed, trying again in %g s: %s", self.pause, error)
        else:
            await self.store.release(self.lease, done=True, cover=cover)

    async def for_a_branch(self, to_seq: int, *, extract: bool) -> None:
        """Every full stretch up to ``to_seq``, which a branch of this conversation shares and waits for.

        Raises:
            ModelError: the model failed; this conversation rests as after a failure of its own.
        """
        async with self._unless_broken_off(counted=True):
            cover = await self._grid(extract=extract or self.lease.attempts >= MAX_ATTEMPTS, to_seq=to_seq)
        await self.store.release(self.lease, done=True, cover=cover)

    async def everything(self) -> str:
        """Every full stretch and what is behind it; the conversation's summary."""
        async with self._unless_broken_off():
            cover = await self._grid(extract=False)
            if self.lease.head_seq > cover.seen:
                step = Step(ON_DEMAND, cover.seen + 1, self.lease.head_seq)
                cover = await self._write(cover, step, extract=False)
        await self.store.release(self.lease, done=True, cover=cover)
        return cover.text or self.lease.summary or ""

    @asynccontextmanager
    async def _unless_broken_off(self, *, counted: bool = False) -> AsyncIterator[None]:
        """Ends the claim where its work does not come to its end; ``counted``: as a failure, where the model failed."""
        try:
            yield
        except _Elsewhere:
            await self._later()
            raise
        except BaseException as error:
            failed = isinstance(error, ModelError)
            if counted and failed:
                await self._failed()
            else:
                await self._give_back(failed=failed)
            raise

    async def _failed(self) -> None:
        """Ends the claim after a model's failure, which is counted; nobody tries again before the pause is over."""
        await self.store.release(self.lease, done=False, attempts=self.lease.attempts + 1, pause=self.pause)

    async def _later(self) -> None:
        """Ends the claim for a moment: what this conversation shares is being summarised by somebody else."""
        await self.store.release(self.lease, done=False, attempts=self.lease.attempts or None, pause=_POLL_SECONDS)

    async def _give_back(self, *, failed: bool) -> None:
        """Ends the claim early, so that the next does not wait for its time; if that fails, it ends by itself."""
        try:
            await self.store.release(
                self.lease, done=False, attempts=self.lease.attempts or None, broken_off=not failed
            )
        except RagforgeError as error:
            log.info("a lease is left to end by itself: %s", error)

    async def _grid(self, *, extract: bool, to_seq: int | None = None) -> Cover:
        """Every full stretch (up to ``to_seq``), one after another, and every full group of summaries."""
        head_seq = self.lease.head_seq
        end = head_seq if to_seq is None else min(to_seq, head_seq)
        cover = await self.store.cover(self.lease.conversation_id, to_seq=head_seq)
        asked = None
        while (step := next_step(cover, end, self.store.every)) is not None:
            owner = self.lease.owner_of(step.to_seq)
            if owner is not None and step != asked and await self._made_by(owner, step.to_seq, extract=extract):
                asked, cover = step, await self.store.cover(self.lease.conversation_id, to_seq=head_seq)
            else:
                cover = await self._write(cover, step, extract=extract)
            extract = False
        return cover

    async def _made_by(self, owner: str, to_seq: int, *, extract: bool) -> bool:
        """Has what is shared summarised where it was said; False where that was deleted, so that we do it ourselves.

        Raises:
            _Elsewhere: somebody is at it just now; whoever looks again finds it done.
        """
        try:
            lease = await self.store.claim(owner, eager=self.eager)
        except ConversationNotFound:
            return False
        if lease is None:
            raise _Elsewhere
        theirs = _Claim(self.store, self.summarizer, lease, self.pause, self.unwritten, eager=self.eager)
        await self._meanwhile(theirs.for_a_branch(to_seq, extract=extract))
        return True

    async def _write(self, cover: Cover, step: Step, *, extract: bool) -> Cover:
        """Reads what a step covers, has it put into words, and stores them."""
        lease, messages = self.lease, list[Message]()
        if step.below:
            written = await self._meanwhile(self.summarizer.of_summaries(step.below, extract=extract))
        else:
            messages = await self.store.messages(
                lease.conversation_id, step.from_seq, step.to_seq, characters=MESSAGE_CHARACTERS
            )
            if len(messages) != step.to_seq - step.from_seq + 1:
                # seq has no gaps: the conversation was deleted while we read, or the graph was damaged.
                if not await self.store.renew(lease):
                    raise LeaseLost
                log.warning(
                    "of the messages %d to %d of conversation %s only %d are in the graph: the rest is passed over",
                    *(step.from_seq, step.to_seq, lease.conversation_id, len(messages)),
                )
            written = await self._in_words(step, messages, extract=extract)
        new = _summary(lease, step, written, messages)
        cover = cover.with_summary(new)
        uuids = tuple(message.uuid for message in messages)
        below = [summary.uuid for summary in step.below]
        kept = await self.store.write(lease, new, cover, messages=uuids, below=below)
        self.unwritten.pop(uuids, None)
        if kept is None:
            raise LeaseLost
        self.lease = kept
        return cover

    async def _in_words(self, step: Step, messages: Sequence[Message], *, extract: bool) -> Written:
        """What messages say in short. Of a stretch of the grid a model is asked once: that it will be is in the graph
        before, and where nobody has seen what it said, the messages are not sent again."""
        uuids = tuple(message.uuid for message in messages)
        if uuids in self.unwritten:
            return self.unwritten[uuids]
        # A model is not asked about nothing.
        extract = extract or not messages
        counted = step.level != ON_DEMAND and self.summarizer.asks and not extract
        if counted and (self.lease.asked or 0) >= step.from_seq:
            log.info("messages %d to %d were sent to a model by a process that ended", step.from_seq, step.to_seq)
            extract = True
        elif counted and not await self.store.renew(self.lease, asked=step.to_seq):
            raise LeaseLost
        written = await self._meanwhile(self.summarizer.of_messages(messages, extract=extract))
        if counted and not extract:
            self.unwritten[uuids] = written
        return written

    async def _title(self) -> None:
        """A title in the place of the provisional one, once there was an exchange."""
        lease = self.lease
        if lease.title_source != "provisional":
            return
        first = await self.store.messages(lease.conversation_id, 1, _FIRST_MESSAGES, characters=MESSAGE_CHARACTERS)
        exchange = _first_exchange(first)
        title = None
        if exchange is not None and lease.attempts < MAX_ATTEMPTS:
            title = await self._meanwhile(self.summarizer.title(*exchange))
        elif exchange is None and not _answers(first) and lease.head_seq <= _FIRST_MESSAGES:
            return
        self.lease = await self.store.settle_title(lease, title)

    async def _meanwhile(self, work: Awaitable[T]) -> T:
        return await meanwhile(work, seconds=self.lease.seconds, renew=lambda: self.store.renew(self.lease))


def _summary(lease: Lease, step: Step, written: Written, messages: Sequence[Message]) -> Summary:
    read = sum(message.token_count or 0 for message in messages)
    read = read or sum(summary.token_count or 0 for summary in step.below)
    tokens = estimate_tokens(written.text)
    return Summary(
        uuid=uuid4().hex,
        conversation_id=lease.conversation_id,
        level=step.level,
        from_seq=step.from_seq,
        to_seq=step.to_seq,
        content=written.text,
        token_count=tokens,
        tokens_saved=max(0, read - tokens),
        created_at=datetime.now(UTC),
        model=written.model,
    )


def _answers(messages: Sequence[Message]) -> list[Message]:
    return [each for each in messages if each.role == "assistant" and each.state == "complete" and each.content.strip()]


def _first_exchange(messages: Sequence[Message]) -> tuple[str, str] | None:
    """The first question that was answered, and its answer."""
    questions = {message.uuid: message.content for message in messages if message.role == "user"}
    first = next(iter(questions.values()), None)
    for answer in _answers(messages):
        asked = questions.get(answer.in_reply_to or "") or first
        if asked:
            return asked, answer.content
    return None
