"""Analysing many conversations: an insight each, some at a time, each once whoever runs and whatever dies.

A conversation is claimed, read, asked about with no transaction open, and its insight stored by one fenced write. A
crash loses at most what was being asked for: the next run finds what is done by its key and goes on with the rest.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.context.budget import window_of
from ragforge_memory.agent.inputs import MAX_LIMIT
from ragforge_memory.agent.outages.recovery import fold_orphans
from ragforge_memory.agent.upkeep.leases import LeaseLost, meanwhile
from ragforge_memory.errors import (
    ConfigError,
    ConversationFileError,
    ConversationNotFound,
    InvalidInput,
    ModelBlocked,
    ModelError,
    RagforgeError,
    memory_is_off,
)
from ragforge_memory.graph.insights import Claimed, InsightLease, InsightStore
from ragforge_memory.insights.inputs import Limits, chosen
from ragforge_memory.insights.request import PURPOSE, Asker, Question
from ragforge_memory.insights.schema import OutputSchema, UnfitAnswer
from ragforge_memory.insights.spending import Spending, Spent
from ragforge_memory.insights.text import NothingSaid, Reader
from ragforge_memory.llm.port import answers, model_key, price_of
from ragforge_memory.models.conversation import Page, Usage
from ragforge_memory.models.insight import FailureReason, Insight, InsightFailure, InsightPage, Insights, StopReason

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Models, Place, Services, Stores

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]

# What another process has is looked at again after this long.
_POLL_SECONDS = 0.2
# And given up after this long: far longer than a model takes, however often it is asked.
_PATIENCE_SECONDS = 600.0
# A claim that is cancelled before it is answered is waited for so long; on a server that is slower it ends by itself.
_CANCELLED_CLAIM_SECONDS = 2.0
# So many conversations in a row that the model fails on, and it will on the next.
_FAILURES_IN_A_ROW = 3


async def analyse(
    services: Services,
    choice: list[str] | Mapping[str, Any] | None,
    task: str,
    form: OutputSchema,
    limits: Limits,
    *,
    refresh: bool = False,
    progress: Progress | None = None,
) -> Insights:
    """See `AgentInsights.batch_analyze`; what it is given is checked already."""
    await _check_model(services.models, limits)
    store, summaries = services.stores.insights, services.background.summaries
    if store is None or summaries is None:
        raise memory_is_off("no conversation is kept that could be analysed")
    window = window_of(services.models.provider.context_window, services.place.config.memory.compression.max_tokens)
    question = Question.of(task, form, window=window, today=services.place.today())
    await fold_orphans(services)
    conversations = await chosen(services.stores, choice)
    unreadable = await _unreadable(services.stores, services.place, conversations)
    spending = Spending(services.models.provider, max_cost_usd=limits.max_cost_usd, max_tokens=limits.max_tokens)
    timeout = services.place.config.model_timeout_seconds
    asker = Asker(services.models.provider, question, spending, attempts=limits.attempts, timeout=timeout)
    reader = Reader(summaries.store, store, services.models.summarizer, question.room)
    one = _One(store, reader, asker, question, model_key(services.models.provider), services.place.redacted)
    run = _Run(store, one, question.key, conversations, unreadable, refresh=refresh, progress=progress)
    await run.until_done(limits.concurrency)
    if not run.found and run.error is not None:
        raise run.error
    return run.result(spending.usage)


async def listed(
    stores: Stores, place: Place, only: list[str] | None, *, task: str | None, limit: int, cursor: str | None
) -> Page[Insight]:
    """See `AgentInsights.list_insights`."""
    if stores.insights is None:
        return InsightPage()
    conversation_id = (await chosen(stores, only))[0] if only else None
    kept = place.redacted(task) if task is not None else None
    return await stores.insights.page(conversation_id=conversation_id, task=kept, limit=limit, cursor=cursor)


async def _unreadable(stores: Stores, place: Place, conversations: list[str]) -> dict[str, str]:
    """Which of them have their texts where this agent does not read them, and why."""
    found: dict[str, str] = {}
    if place.config.memory.persistence.type == "files":
        return found
    for start in range(0, len(conversations), MAX_LIMIT):
        for info in await stores.conversations.several(conversations[start : start + MAX_LIMIT]):
            try:
                place.check_readable(info)
            except InvalidInput as error:
                found[info.uuid] = error.message
    return found


async def _check_model(models: Models, limits: Limits) -> None:
    """Refuses to run without a model that can be asked, or with a limit that cannot be held."""
    name = model_key(models.provider)
    if not answers(models.provider, PURPOSE):
        raise ConfigError(
            f"insights need a language model, and {name} is none that can be asked ({models.model_why})",
            hint="set GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL (any OpenAI-compatible server), the llm block "
            'of ragforge.config.yaml, or llm_provider="gemini:MODEL" (--model at the command line)',
            key="llm",
        )
    a_page = Usage(input_tokens=1_000, output_tokens=1_000)
    if limits.max_cost_usd is not None and await price_of(models.provider, a_page) is None:
        raise InvalidInput(
            f"max_cost_usd cannot be held: the price of {name} is not known", hint="limit it with max_tokens"
        )


@dataclass(eq=False)
class _One:
    """The work on one conversation while it is ours."""

    store: InsightStore
    reader: Reader
    asker: Asker
    question: Question
    model: str
    redacted: Callable[[Any], Any]

    async def insight(self, lease: InsightLease) -> Insight:
        """Reads, asks and stores; the claim has ended then, however it ended."""
        try:
            data = await meanwhile(self._data(lease), seconds=lease.seconds, renew=lambda: self.store.renew(lease))
            written = await self.store.write(
                lease,
                self.question.key,
                task=self.redacted(self.question.task),
                schema=self.question.form.schema,
                data=data,
                to_seq=lease.head_seq,
                model=self.model,
            )
        except LeaseLost:
            raise
        except BaseException:
            await self.give_back(lease)
            raise
        if written is None:
            raise LeaseLost
        return written

    async def _data(self, lease: InsightLease) -> Any:
        return await self.asker.insight(await self.reader.conversation(lease), self.redacted)

    async def give_back(self, lease: InsightLease) -> None:
        """Ends the claim early, so that the next does not wait for its time; if that fails, it ends by itself."""
        try:
            await self.store.release(lease, brief=True)
        except RagforgeError as error:
            log.info("a lease is left to end by itself: %s", error)


@dataclass(eq=False)
class _Run:
    """Many conversations, some at a time. ``error`` is the model's last failure."""

    store: InsightStore
    one: _One
    key: str
    conversations: list[str]
    unreadable: Mapping[str, str]
    _: KW_ONLY
    refresh: bool
    progress: Progress | None
    _todo: deque[str] = field(default_factory=deque[str], init=False)
    _elsewhere: deque[str] = field(default_factory=deque[str], init=False)
    _waited_since: dict[str, float] = field(default_factory=dict, init=False)
    _failed: dict[str, InsightFailure] = field(default_factory=dict, init=False)
    _failures_in_a_row: int = field(default=0, init=False)
    _made: int = field(default=0, init=False)
    _stopped: StopReason | None = field(default=None, init=False)
    found: dict[str, Insight] = field(default_factory=dict, init=False)
    error: ModelError | None = field(default=None, init=False)

    async def until_done(self, concurrency: int) -> None:
        """Settles all conversations, or as many as may be.

        Raises:
            RagforgeError: the graph failed; what was stored by then stays.
        """
        self.found = await self.store.known(self.conversations, self.key, refresh=self.refresh)
        self._todo.extend(uuid for uuid in self.conversations if uuid not in self.found)
        self._tell()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(concurrency, len(self._todo))):
                    group.create_task(self._work())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed.exceptions[0].__cause__

    def result(self, usage: Usage) -> Insights:
        """What there is now."""
        settled = self.found.keys() | self._failed.keys()
        return Insights(
            [self.found[uuid] for uuid in self.conversations if uuid in self.found],
            made=self._made,
            failed=tuple(self._failed[uuid] for uuid in self.conversations if uuid in self._failed),
            left=tuple(uuid for uuid in self.conversations if uuid not in settled),
            stopped=self._stopped,
            usage=usage,
        )

    async def _work(self) -> None:
        while self._stopped is None:
            if self._todo:
                await self._settle(self._todo.popleft())
            elif self._elsewhere:
                # Another process is at it: its insight is ours too, and its death makes it ours to make.
                uuid = self._elsewhere.popleft()
                self._waited_since.setdefault(uuid, time.monotonic())
                await asyncio.sleep(_POLL_SECONDS)
                await self._settle(uuid)
            else:
                return

    async def _settle(self, uuid: str) -> None:
        if uuid in self.unreadable:
            self._fail(uuid, "unreadable", self.unreadable[uuid])
            self._tell()
            return
        try:
            claimed = await self._claimed(uuid)
            if claimed.insight is not None:
                self.found[uuid] = claimed.insight
            elif claimed.lease is None:
                self._wait_for(uuid)
                return
            else:
                self.found[uuid] = await self.one.insight(claimed.lease)
                self._made += 1
                self._failures_in_a_row = 0
        except LeaseLost:
            self._wait_for(uuid)
            return
        except NothingSaid:
            self._fail(uuid, "empty", "nothing was said in it")
        except Spent as spent:
            self._stopped = self._stopped or spent.reason
            return
        except ConversationNotFound as error:
            self._fail(uuid, "deleted", error.message)
        except ConversationFileError as error:
            log.warning("no insight of %s: %s", uuid, error)
            self._fail(uuid, "unreadable", error.message)
        except UnfitAnswer as error:
            self._failures_in_a_row = 0
            self._fail(uuid, "invalid", f"the last answer did not fit the schema: {error.message}")
        except ModelBlocked as error:
            self._fail(uuid, "blocked", error.message)
        except ModelError as error:
            self._model_failed(uuid, error)
        self._tell()

    def _wait_for(self, uuid: str) -> None:
        """Another process has a conversation: it is looked at again later, unless that has been going on for long."""
        since = self._waited_since.get(uuid)
        if since is None or time.monotonic() - since < _PATIENCE_SECONDS:
            self._elsewhere.append(uuid)
            return
        self._fail(uuid, "busy", "another process has been analysing it for more than ten minutes")
        self._tell()

    async def _claimed(self, uuid: str) -> Claimed:
        """Claims a conversation; a claim that a cancel came upon half-way is given back."""
        claim = asyncio.ensure_future(self.store.claim(uuid, self.key, refresh=self.refresh))
        try:
            return await asyncio.shield(claim)
        except asyncio.CancelledError:
            await asyncio.wait((claim,), timeout=_CANCELLED_CLAIM_SECONDS)
            if not claim.done():
                claim.cancel()
            elif claim.exception() is None and (lease := claim.result().lease) is not None:
                await self.one.give_back(lease)
            raise

    def _model_failed(self, uuid: str, error: ModelError) -> None:
        log.warning("no insight of %s: %s", uuid, error)
        self.error = error
        self._fail(uuid, "model", error.message)
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= _FAILURES_IN_A_ROW:
            self._stopped = self._stopped or "model"

    def _fail(self, uuid: str, reason: FailureReason, message: str) -> None:
        self._failed[uuid] = InsightFailure(conversation_id=uuid, reason=reason, message=message)

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(len(self.found) + len(self._failed), len(self.conversations))
