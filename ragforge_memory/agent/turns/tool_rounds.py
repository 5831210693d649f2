"""The tools of one turn: rounds of calls, each written down in the journal as it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from ragforge_memory import events
from ragforge_memory.agent.search.messages import Searcher
from ragforge_memory.agent.services import Services
from ragforge_memory.agent.turns.handover import Round
from ragforge_memory.graph.breaker import hurried
from ragforge_memory.graph.journal import Journal
from ragforge_memory.graph.own_queries import OwnQueries
from ragforge_memory.llm.port import ToolOutcome, ToolRequest
from ragforge_memory.memory.tool_memory import ToolMemory
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.conversation import CUT_OFF, ToolCall
from ragforge_memory.models.text import well_formed, well_formed_json
from ragforge_memory.redaction import Redactor
from ragforge_memory.tools.ports import ResultReader
from ragforge_memory.tools.registry import ToolContext, ToolRegistry, ToolRun
from ragforge_memory.tracing import span

Emit = Callable[[events.Event], Awaitable[None]]
WriteJournal = Callable[..., Awaitable[bool]]


@dataclass(eq=False)
class ToolRounds:
    """Runs the tools that the model asks for, and keeps what they gave.

    Args:
        registry: the tools.
        journal: takes each call as it ends.
        context: what the tools may use.
        message_id: the answer that the calls belong to.
        emit: takes the turn's events.
        write_journal: calls a method of the journal; says so where the disk refuses.
        redactor: takes secrets out of what is kept and told of the calls; the tools and the model have them.
        failures: knows what failed before; None: nothing is remembered.
    """

    registry: ToolRegistry
    journal: Journal
    context: ToolContext
    message_id: str
    emit: Emit
    write_journal: WriteJournal
    redactor: Redactor
    failures: ToolMemory | None = None
    _calls: dict[str, ToolCall] = field(default_factory=dict, init=False)
    _scopes: dict[ScopeTie, None] = field(default_factory=dict, init=False)
    _elsewhere: set[str] = field(default_factory=set, init=False)
    exchanged: list[tuple[ToolRequest, ToolOutcome]] = field(default_factory=list, init=False)

    @property
    def calls(self) -> list[ToolCall]:
        """Every call in its order; one that was cut off says so as its error."""
        return sorted(self._calls.values(), key=lambda call: call.index)

    @property
    def own_calls(self) -> list[ToolCall]:
        """Those that ran here, without those that the caller ran."""
        return [call for call in self.calls if call.uuid not in self._elsewhere]

    @property
    def scopes(self) -> tuple[ScopeTie, ...]:
        """All scopes that the results show, each once for each thing that was done with it."""
        return tuple(self._scopes)

    def resume(self, rounds: Sequence[Round]) -> None:
        """Takes what the caller's own tools have given as calls of this turn."""
        for iteration, given in enumerate(rounds, 1):
            for asked, outcome in given:
                call_id, content = uuid4().hex, outcome.content
                self._elsewhere.add(call_id)
                size = len(content.encode("utf-8", "replace"))
                run = ToolRun(content, content, success=not outcome.is_error, size_bytes=size)
                self._calls[call_id] = self._record(call_id, asked, run, datetime.now(UTC), iteration, len(self._calls))
            self.exchanged.extend(given)

    async def run(self, requests: Sequence[ToolRequest], iteration: int) -> tuple[ToolOutcome, ...]:
        """Runs one round: tools that allow it together, then the others one after another, in order."""
        registry = self.registry
        first_index = len(self._calls)
        ids = [uuid4().hex for _ in requests]
        for call_id, asked in zip(ids, requests, strict=True):
            await self.emit(
                events.ToolUse(
                    tool_call_id=call_id,
                    tool_name=self.redactor.text(asked.name),
                    arguments=self.redactor.value(asked.arguments),
                    iteration=iteration,
                )
            )
        outcomes: dict[int, ToolOutcome] = {}

        async def one(place: int) -> None:
            outcomes[place] = await self._call(ids[place], requests[place], iteration, first_index + place)

        async with asyncio.TaskGroup() as group:
            for place, asked in enumerate(requests):
                if registry.concurrent(asked.name):
                    group.create_task(one(place))
        for place in range(len(requests)):
            if place not in outcomes:
                await one(place)
        in_order = tuple(outcomes[place] for place in range(len(requests)))
        self.exchanged.extend(zip(requests, in_order, strict=True))
        return in_order

    async def _call(self, call_id: str, asked: ToolRequest, iteration: int, index: int) -> ToolOutcome:
        started = datetime.now(UTC)

        def record(run: ToolRun) -> ToolCall:
            call = self._record(call_id, asked, run, started, iteration, index)
            self._calls[call_id] = call
            return call

        unfinished = record(ToolRun("", None, success=False, error=CUT_OFF))
        if self.registry.side_effects(asked.name):
            await self.write_journal(self.journal.tool, self.message_id, unfinished)
        # A tool that needs the graph gets an error from it while it is away, and the model sees that: nobody waits.
        about = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": asked.name}
        with hurried(), span(f"execute_tool {asked.name}", **about):
            run = await self.registry.run(asked, self.context)
            call = record(run)
            before = None if run.success or self.failures is None else await self.failures.before(call)
        self._scopes.update(dict.fromkeys(run.scopes))
        await self.write_journal(self.journal.tool, self.message_id, call, run.scopes)
        await self.emit(
            events.ToolResult(
                tool_call_id=call_id,
                tool_name=call.tool_name,
                success=run.success,
                result=call.result,
                error=call.error,
                duration_ms=run.duration_ms,
                iteration=iteration,
            )
        )
        content = run.content if before is None else f"{before}\n{run.content}"
        return ToolOutcome(asked.id, asked.name, content, not run.success, run.error_kind)

    def _record(
        self, call_id: str, asked: ToolRequest, run: ToolRun, started: datetime, iteration: int, index: int
    ) -> ToolCall:
        clean = self.redactor.value
        arguments: dict[str, Any] = asked.arguments if asked.error is None else {"unreadable": asked.error}
        return ToolCall(
            uuid=call_id,
            message_id=self.message_id,
            index=index,
            timestamp=started,
            tool_name=clean(asked.name),
            arguments=clean(arguments),
            success=run.success,
            result=clean(run.value),
            error=clean(run.error),
            result_size_bytes=run.size_bytes,
            truncated=run.truncated,
            duration_ms=run.duration_ms,
            iteration=iteration,
        )


def sendable(asked: ToolRequest) -> ToolRequest:
    """A request as it can be stored and sent back: JSON can spell half surrogate pairs, which UTF-8 cannot hold."""
    return ToolRequest(
        well_formed(asked.id),
        well_formed(asked.name),
        well_formed_json(asked.arguments),
        None if asked.error is None else well_formed(asked.error),
    )


def context_of(
    services: Services,
    results: ResultReader,
    redactor: Redactor,
    *,
    conversation_id: str,
    message_id: str,
    heard: Callable[[], Sequence[str]],
) -> ToolContext:
    """What the tools of a turn may use.

    Args:
        services: of the agent.
        results: what earlier calls gave.
        redactor: takes out secrets.
        conversation_id: whose turn it is.
        message_id: its question.
        heard: what the user has said here, the question too.
    """
    return ToolContext(
        owner=services.place.owner,
        root=services.place.files,
        scopes=services.stores.scopes,
        messages=Searcher(services),
        results=results,
        redacted=redactor.text,
        embedder=services.models.embedder,
        conversation_id=conversation_id,
        message_id=message_id,
        memories=services.background.operations,
        heard=heard,
        graph=OwnQueries(services.stores.graph),
        knowledge=services.knowledge_search() if services.stores.knowledge is not None else None,
    )
