"""One turn, from the question to the stored answer: read `Turn.run` from top to bottom."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from ragforge_memory import events
from ragforge_memory.agent.context import first_request
from ragforge_memory.agent.prompt import fold_results
from ragforge_memory.agent.services import Services
from ragforge_memory.code.mentions import find_mentions
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, InvalidInput, RagforgeError, TurnCancelled
from ragforge_memory.graph.journal import JournalTurn
from ragforge_memory.graph.messages import CodeTies, Mention, NewMessage
from ragforge_memory.llm.port import (
    ChatMessage,
    Finished,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolOutcome,
    ToolRequest,
    ToolRequestChunk,
)
from ragforge_memory.models.conversation import (
    AgentState,
    AssistantResponse,
    ConversationContext,
    MessageState,
    ToolCall,
    Usage,
)
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.redaction import redact, redact_value
from ragforge_memory.tools.registry import ToolContext, ToolRun

log = logging.getLogger(__name__)

Emit = Callable[[events.Event], Awaitable[None]]

# A message is typed or pasted; a file of more is better read by a tool.
MAX_MESSAGE_CHARACTERS = 400_000
_TITLE_CHARACTERS = 80
_CUT_OFF = "the process ended while this was running; whether it took effect is not known"


def checked_text(text: object) -> str:
    """The text of a message, if it can be one.

    Raises:
        InvalidInput: it is no text, has nothing but white space, is longer than 400,000 characters, or has half
            a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"a message is text, not {type(text).__name__}")
    if not text.strip():
        raise InvalidInput("the message is empty", hint="say something")
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput(
            f"the message has {len(text):,} characters; {MAX_MESSAGE_CHARACTERS:,} are the most",
            hint="put it into a file of the project and ask about that",
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the message is not valid text: {error.reason} at {error.start}") from error
    return text.replace("\0", "")


class Turn:
    """A question on its way to an answer. Every graph call in it runs under a time-out.

    Args:
        services: what is open.
        conversation_id: whose turn it is.
        text: the question.
        emit: takes the turn's events, in order; may block (a slow reader slows the turn).
        metadata: kept on the question.
        message_id: the question's uuid; None: a new one.
    """

    def __init__(
        self,
        services: Services,
        conversation_id: str,
        text: str,
        emit: Emit,
        *,
        metadata: Mapping[str, Any] | None = None,
        message_id: str | None = None,
    ) -> None:
        self._services = services
        self._conversation_id = conversation_id
        self._text = checked_text(text)
        self._emit = emit
        self._metadata = metadata
        self.user_message_id = message_id or uuid4().hex
        self.message_id = uuid4().hex
        self.seq = 0
        self.title: str | None = None
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[ToolCall] = []
        self._exchanged: list[tuple[ToolRequest, ToolOutcome]] = []
        self._scopes: dict[str, None] = {}
        self._steps: list[dict[str, Any]] = []
        self._final_parts: Any = None
        self._usage = Usage()
        self._context = ConversationContext()
        self._degraded: list[str] = list(services.degraded)

    async def run(self) -> AssistantResponse:
        """Runs the turn to its end.

        Raises:
            GraphUnavailable: the question could not be written; no model was asked.
            ConversationNotFound: the conversation was deleted.
            ModelError: the model failed; what had come of the answer is stored as partial.
            TurnCancelled: it was cancelled; what had come is stored as partial.
        """
        services = self._services
        await self._journal(services.journal.begin, self._journal_turn())
        try:
            question_seq = await self._write_question()
            await self._emit(
                events.MessageStarted(
                    conversation_id=self._conversation_id,
                    user_message_id=self.user_message_id,
                    message_id=self.message_id,
                )
            )
            for what in self._degraded:
                await self._emit(events.Degraded(what=what))
            before = await services.messages.turn_context(
                self._conversation_id,
                before_seq=question_seq,
                limit=services.config.memory.max_context_messages,
            )
            request, self._context = first_request(
                services.config,
                before,
                self._text,
                window=services.provider.context_window,
                tools=services.registry.specs,
                today=services.today(),
            )
            await self._ask(request)
        except asyncio.CancelledError:
            await _shielded(self._keep_partial())
            raise TurnCancelled(
                "the turn was cancelled",
                hint="what had been said until then is kept as a partial answer",
                message_id=self.message_id,
            ) from None
        except BaseException:
            await _shielded(self._keep_partial())
            raise
        # Whoever cancels now comes too late: the answer is whole and is stored as such.
        with contextlib.suppress(asyncio.CancelledError):
            await _shielded(self._write_answer("complete"))
        response = self._response("complete")
        await self._emit(events.MessageCompleted(response=response))
        return response

    def state(self, *, error: str = "") -> AgentState:
        """The turn as the nine fields of the conversation flow."""
        return AgentState(
            session_id=self._conversation_id,
            user_id=self._services.owner.user_id,
            user_message=self._text,
            context_messages=self._context.recent_messages,
            response="".join(self._content),
            error=error,
        )

    async def _write_question(self) -> int:
        """Write 1: the question is in the graph before any model is asked."""
        stored = self._redacted(self._text)
        self.title = _title(stored)
        return await self._services.messages.append(
            self._conversation_id,
            NewMessage(
                uuid=self.user_message_id,
                role="user",
                content=stored,
                token_count=estimate_tokens(stored),
                trust="user",
                metadata=self._metadata,
            ),
            embed=self._services.embeds_messages,
            title=self.title,
        )

    async def _ask(self, request: ModelRequest) -> None:
        """Asks the model and runs the tools it asks for, until it answers or its rounds are used up."""
        services = self._services
        for iteration in range(1, services.config.max_iterations + 1):
            text_from = len(self._content)
            requests, finished = await self._one_answer(request)
            if not requests:
                self._final_parts = finished.provider_parts
                return
            said = "".join(self._content[text_from:])
            self._steps.append({"parts": finished.provider_parts, "ids": [asked.id for asked in requests]})
            outcomes = await self._run_tools(requests, iteration)
            request = replace(
                request,
                messages=(
                    *request.messages,
                    ChatMessage(
                        "assistant",
                        said,
                        tool_requests=requests,
                        provider_parts=finished.provider_parts,
                        parts_model=services.model_name,
                    ),
                    ChatMessage("tool", tool_outcomes=outcomes),
                ),
            )
            if said and not said.endswith("\n"):
                await self._say("\n\n")
        await self._force_answer(request)

    async def _force_answer(self, request: ModelRequest) -> None:
        """The rounds are used up: one answer without tools, their results folded into the system prompt."""
        question = max(place for place, message in enumerate(request.messages) if message.role == "user")
        requests, finished = await self._one_answer(
            ModelRequest(fold_results(request.system, self._exchanged), request.messages[: question + 1])
        )
        if requests:
            log.warning("%s asked for tools where none were offered", self._services.model_name)
        self._final_parts = finished.provider_parts

    async def _one_answer(self, request: ModelRequest) -> tuple[tuple[ToolRequest, ...], Finished]:
        """One stream of the model, its pieces passed on as they come."""
        requests: list[ToolRequest] = []
        finished = Finished("stop")
        # Closed at once where the turn ends early: a stream left to the garbage collector keeps its connection.
        async with contextlib.aclosing(self._services.provider.stream(request)) as stream:
            async for chunk in stream:
                match chunk:
                    case TextChunk(text):
                        await self._say(text)
                    case ReasoningChunk(text):
                        self._reasoning.append(text)
                        await self._emit(events.ReasoningDelta(text=text))
                    case ToolRequestChunk(request=asked):
                        requests.append(asked)
                    case Finished():
                        finished = chunk
        self._usage = self._usage.plus(finished.usage)
        return tuple(requests), finished

    async def _say(self, text: str) -> None:
        if text:
            self._content.append(text)
            await self._emit(events.TextDelta(text=text))

    async def _run_tools(self, requests: Sequence[ToolRequest], iteration: int) -> tuple[ToolOutcome, ...]:
        """Runs one round of tools: those that allow it together, the others one after another, in order."""
        registry = self._services.registry
        ids = [uuid4().hex for _ in requests]
        for call_id, asked in zip(ids, requests, strict=True):
            await self._emit(
                events.ToolUse(
                    tool_call_id=call_id, tool_name=asked.name, arguments=asked.arguments, iteration=iteration
                )
            )
        together = [place for place, asked in enumerate(requests) if registry.concurrent(asked.name)]
        runs: dict[int, ToolOutcome] = {}
        index_from = len(self._calls)

        async def one(place: int) -> None:
            runs[place] = await self._run_tool(ids[place], requests[place], iteration, index_from + place)

        async with asyncio.TaskGroup() as group:
            for place in together:
                group.create_task(one(place))
        for place in range(len(requests)):
            if place not in runs:
                await one(place)
        self._calls.sort(key=lambda call: call.index)
        outcomes = tuple(runs[place] for place in range(len(requests)))
        self._exchanged.extend(zip(requests, outcomes, strict=True))
        return outcomes

    async def _run_tool(self, call_id: str, asked: ToolRequest, iteration: int, index: int) -> ToolOutcome:
        services = self._services
        started = datetime.now(UTC)
        if services.registry.side_effects(asked.name):
            unfinished = ToolRun("", None, success=False, error=_CUT_OFF)
            call = self._tool_call(call_id, asked, unfinished, started, iteration, index)
            await self._journal(services.journal.tool, self.message_id, call)
        run = await services.registry.run(asked, self._tool_context())
        call = self._tool_call(call_id, asked, run, started, iteration, index)
        self._calls.append(call)
        self._scopes.update(dict.fromkeys(run.scopes))
        await self._journal(services.journal.tool, self.message_id, call, run.scopes)
        await self._emit(
            events.ToolResult(
                tool_call_id=call_id,
                tool_name=asked.name,
                success=run.success,
                result=call.result,
                error=call.error,
                duration_ms=run.duration_ms,
                iteration=iteration,
            )
        )
        return ToolOutcome(asked.id, asked.name, run.content, is_error=not run.success)

    def _tool_context(self) -> ToolContext:
        services = self._services
        return ToolContext(
            owner=services.owner,
            root=services.root,
            scopes=services.scopes,
            messages=services.messages,
            embedder=services.embedder,
            conversation_id=self._conversation_id,
            message_id=self.user_message_id,
            commit=services.commit,
        )

    def _tool_call(
        self, call_id: str, asked: ToolRequest, run: ToolRun, started: datetime, iteration: int, index: int
    ) -> ToolCall:
        clean = self._services.config.memory.redact_secrets
        arguments = asked.arguments if asked.error is None else {"unreadable": asked.error}
        return ToolCall(
            uuid=call_id,
            message_id=self.message_id,
            index=index,
            timestamp=started,
            tool_name=asked.name,
            arguments=redact_value(arguments) if clean else arguments,
            success=run.success,
            result=redact_value(run.value) if clean else run.value,
            error=redact(run.error) if clean and run.error else run.error,
            result_size_bytes=run.size_bytes,
            truncated=run.truncated,
            duration_ms=run.duration_ms,
            iteration=iteration,
        )

    async def _keep_partial(self) -> None:
        """Stores what there is of an answer that was cut off; of nothing, says that the question is unanswered."""
        try:
            if "".join(self._content).strip() or self._calls:
                await self._write_answer("partial")
            else:
                await self._services.messages.mark_unanswered(self.user_message_id)
                await self._journal(self._services.journal.end, self.message_id)
        except RagforgeError as error:
            log.warning("the end of a turn could not be stored: %s", error)

    async def _write_answer(self, state: MessageState) -> None:
        """Write 2. What the graph cannot take now waits in the journal, by uuid, so that it is stored once."""
        answer, ties = self._answer(state)
        services = self._services
        try:
            self.seq = await services.messages.complete_turn(
                self._conversation_id, answer, self._calls, ties, embed=services.embeds_messages
            )
        except ConversationNotFound:
            await self._journal(services.journal.end, self.message_id)
            raise
        except GraphUnavailable as error:
            log.warning("the answer waits in the journal: %s", error)
            await self._journal(services.journal.answered, self.message_id, _as_journalled(answer, ties))
            self._degraded.append("graph")
            await self._emit(events.Degraded(what="graph", detail="the answer is kept on disk until Neo4j is back"))
            return
        await self._journal(services.journal.end, self.message_id)
        services.background.wake()

    def _answer(self, state: MessageState) -> tuple[NewMessage, CodeTies]:
        content = self._redacted("".join(self._content))
        mentions = find_mentions(content)
        parts = None
        if self._final_parts is not None or self._steps:
            parts = {"steps": self._steps, "final": self._final_parts}
            if self._services.config.memory.redact_secrets and redact_value(parts) != parts:
                # Verbatim or not at all: a vendor refuses parts that were changed.
                parts = None
        answer = NewMessage(
            uuid=self.message_id,
            role="assistant",
            content=content,
            reasoning=self._redacted("".join(self._reasoning)),
            token_count=self._usage.output_tokens or estimate_tokens(content),
            state=state,
            in_reply_to=self.user_message_id,
            model=self._services.model_name,
            usage=self._usage,
            provider_parts=parts,
            trust="agent",
        )
        ties = CodeTies(
            read=tuple(self._scopes),
            mentions=tuple(_mention(name) for name in mentions.names),
            files=mentions.files,
            commit=self._services.commit,
        )
        return answer, ties

    def _response(self, state: MessageState) -> AssistantResponse:
        return AssistantResponse(
            content="".join(self._content),
            reasoning="".join(self._reasoning) or None,
            tool_calls=tuple(self._calls),
            context_used=self._context,
            usage=self._usage,
            conversation_id=self._conversation_id,
            message_id=self.message_id,
            user_message_id=self.user_message_id,
            model=self._services.model_name,
            state=state,
            degraded=tuple(dict.fromkeys(self._degraded)),
        )

    def _journal_turn(self) -> JournalTurn:
        services = self._services
        return JournalTurn(
            graph=services.graph_name,
            user_id=services.owner.user_id,
            project=services.owner.project,
            conversation_id=self._conversation_id,
            user_message_id=self.user_message_id,
            message_id=self.message_id,
            model=services.model_name,
        )

    async def _journal(self, write: Callable[..., None], *arguments: Any) -> None:
        """A journal that cannot be written (a full disk) is said and never fails the turn."""
        try:
            if write in (self._services.journal.begin, self._services.journal.end):
                write(*arguments)
            else:
                # A line that is synced to the disk may take milliseconds.
                await asyncio.to_thread(write, *arguments)
        except OSError as error:
            log.warning("the journal cannot be written: %s", error)
            self._degraded.append("journal")

    def _redacted(self, text: str) -> str:
        return redact(text) if self._services.config.memory.redact_secrets else text


async def _shielded(work: Awaitable[None]) -> None:
    """Waits for ``work`` to end even where this task is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _mention(name: str) -> Mention:
    return Mention(name.rpartition(".")[2], name if "." in name else None)


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1].rstrip() + "…"


def _as_journalled(answer: NewMessage, ties: CodeTies) -> dict[str, Any]:
    """An answer as the journal keeps it; `ragforge_memory.agent.recovery` reads it back."""
    return {
        "content": answer.content,
        "reasoning": answer.reasoning,
        "token_count": answer.token_count,
        "state": answer.state,
        "model": answer.model,
        "usage": answer.usage.model_dump(mode="json") if answer.usage else None,
        "provider_parts": answer.provider_parts,
        "mentions": [item.qualified_name or item.name for item in ties.mentions],
        "files": list(ties.files),
        "commit": ties.commit,
    }
