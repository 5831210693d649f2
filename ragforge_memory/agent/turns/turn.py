"""One turn, from the question to the stored answer: read `Turn.run` from top to bottom."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from ragforge_memory import events
from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.agent.context.prompt import rendered_once
from ragforge_memory.agent.context.receipts import without_secrets
from ragforge_memory.agent.context.room import check_room
from ragforge_memory.agent.inputs import checked_text
from ragforge_memory.agent.services import Services
from ragforge_memory.agent.ties.named import Question, answer_ties
from ragforge_memory.agent.turns.handover import NO_HANDOVER, Handover
from ragforge_memory.agent.turns.keeping import Keeping
from ragforge_memory.agent.turns.preparation import Prepared, Reading, prepare
from ragforge_memory.agent.turns.spoken import Spoken
from ragforge_memory.agent.turns.tool_rounds import Emit, ToolRounds, context_of, sendable
from ragforge_memory.errors import RagforgeError, TurnCancelled
from ragforge_memory.graph.messages import Answer, NewMessage
from ragforge_memory.graph.receipts import Receipt
from ragforge_memory.graph.shielded import shielded
from ragforge_memory.llm.asking import chunks_of
from ragforge_memory.llm.port import (
    ChatMessage,
    Finished,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
)
from ragforge_memory.memory.added import carry_out
from ragforge_memory.memory.confirmation import confirmation, saved_by
from ragforge_memory.memory.rollout import has_tools
from ragforge_memory.models.conversation import (
    AgentState,
    AssistantResponse,
    ConversationContext,
    MessageState,
    RequestedTool,
    ToolCall,
    Usage,
)
from ragforge_memory.models.text import well_formed, well_formed_json
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.text.forms import Form, read_form

log = logging.getLogger(__name__)


class Turn:
    """A question on its way to an answer. Every graph call in it runs under a time-out; it needs none to succeed.

    Args:
        conversation_id: whose turn it is.
        text: the question.
        emit: takes the turn's events, in order; may block (a slow reader slows the turn).
        metadata: kept on the question.
        message_id: the question's uuid; None: a new one.
        asked_seq: the question's seq where it is in the conversation already and is asked again.
        created_at: when the conversation was made.
        handover: tools that the caller runs.
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
        asked_seq: int | None = None,
        created_at: datetime | None = None,
        handover: Handover = NO_HANDOVER,
    ) -> None:
        self._services = services
        self._conversation_id = conversation_id
        self._text = checked_text(text)
        self._emit = emit
        self._metadata = metadata
        # What the question says that is secret is so in all that is made of it; only the model and its tools have it.
        self._redactor = services.place.redactor(self._text, dict(metadata or {}))
        self._spoken = Spoken(self._redactor, emit)
        self._asked_seq = asked_seq
        self.user_message_id = message_id or uuid4().hex
        self.message_id = uuid4().hex
        self._keeping = Keeping(
            services,
            conversation_id,
            user_message_id=self.user_message_id,
            message_id=self.message_id,
            emit=emit,
            redactor=self._redactor,
            asked_seq=asked_seq,
            once=message_id is not None,
        )
        rollout = services.place.config.memory.tools.rollout
        with_memory = has_tools(rollout, conversation_id, created_at)
        registry = services.models.registry if with_memory else services.models.bare
        self._registry = registry.offering(handover.tools)
        self._handover = handover
        self._requested: tuple[ToolRequest, ...] = ()
        self._tools = ToolRounds(
            self._registry,
            services.background.journal,
            context_of(
                services,
                self,
                self._redactor,
                conversation_id=conversation_id,
                message_id=self.user_message_id,
                heard=lambda: [*(m.content for m in self._context.recent_messages if m.trust == "user"), self._text],
            ),
            self.message_id,
            emit,
            self._keeping.journal,
            self._redactor,
            services.tool_memory,
        )
        self._steps: list[dict[str, Any]] = []
        self._final_parts: Any = None
        self._usage = Usage()
        self._context = ConversationContext()
        self._prepared: Prepared | None = None
        self._state: MessageState = "complete"
        self._answered_by = services.models.model_name
        self._echo = False

    async def run(self) -> AssistantResponse:
        """Runs the turn to its end.

        Raises:
            InvalidInput: the question is too long for the model's window; nothing was written.
            ConversationNotFound: the conversation was deleted.
            ModelError: the model failed; what had come of the answer is stored as partial.
            TurnCancelled: it was cancelled; what had come is stored as partial.
        """
        services = self._services
        check_room(services.models, services.place, self._registry, self._text)
        keeping = self._keeping
        await keeping.begin()
        reading = Reading(
            services,
            self._conversation_id,
            asked=self.user_message_id,
            question=self._text,
            keeping=keeping,
            registry=self._registry,
            question_seq=self._asked_seq,
        )
        try:
            question_seq = await keeping.question(self._text, self._metadata)
            await self._emit(
                events.MessageStarted(
                    conversation_id=self._conversation_id,
                    user_message_id=self.user_message_id,
                    message_id=self.message_id,
                    kept=not keeping.lost,
                )
            )
            for what in services.models.degraded:
                await self._emit(
                    events.Degraded(what=what, detail=services.models.model_why if what == "model" else "")
                )
            form = read_form(self._text)
            if saved := saved_by(form, keeping.remembered, self._redactor.text):
                await self._emit(saved)
            if form is not None and form.command and services.stores.memories is not None:
                reading.leave()
                await self._confirm(form)
            else:
                await self._think_and_ask(reading, question_seq)
        except asyncio.CancelledError:
            reading.leave()
            with contextlib.suppress(asyncio.CancelledError):
                await shielded(self._keep_partial())
            kept = keeping.asked and not keeping.lost
            raise TurnCancelled(
                "the turn was cancelled",
                hint="what had been said until then is kept as a partial answer" if kept else "nothing of it is kept",
                message_id=self.message_id,
                kept=kept,
            ) from None
        except BaseException as error:
            reading.leave()
            if isinstance(error, RagforgeError):  # a vendor's may quote what it was asked
                error.reword(self._redactor.text)
            with contextlib.suppress(asyncio.CancelledError):
                await shielded(self._keep_partial())
            raise
        # Whoever cancels now comes too late: the answer is there and is stored as what it is.
        with contextlib.suppress(asyncio.CancelledError):
            await shielded(self._keep_partial() if self._requested else self._keeping.answer(self._answer(self._state)))
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeping.say_not_embedded()
        response = self._response()
        with contextlib.suppress(asyncio.CancelledError):
            await self._emit(events.MessageCompleted(response=response))
        return response

    @property
    def gone(self) -> bool:
        """Whether its conversation was found to be deleted."""
        return self._keeping.gone

    @property
    def title(self) -> str | None:
        """The title that a conversation without one has from this question."""
        return self._keeping.title

    def counted(self, head_seq: int) -> int:
        """The conversation's last place by now, where it was ``head_seq`` before: what was kept of this turn counts."""
        return max(head_seq, self._keeping.seq) + self._keeping.waiting

    def state(self, session_id: str, *, error: str = "") -> AgentState:
        """The turn as the nine fields of the conversation flow."""
        return AgentState(
            session_id=session_id,
            user_id=self._services.place.owner.user_id,
            user_message=self._redactor.text(self._text),
            context_messages=self._context.recent_messages,
            response=self._spoken.content,
            error=error,
        )

    async def _think_and_ask(self, reading: Reading, question_seq: int) -> None:
        with rendered_once():
            self._prepared = await prepare(
                self._services,
                self._conversation_id,
                reading,
                question_seq=question_seq,
                question=self._text,
                emit=self._emit,
                keeping=self._keeping,
                redactor=self._redactor,
            )
            self._context = self._prepared.context
            await self._ask(self._prepared)

    async def _confirm(self, form: Form) -> None:
        """Answers an order to remember or to forget; no model is asked."""
        self._echo, self._answered_by = True, "memory"
        memories, store = self._services.memories, self._services.stores.memories
        done, several = await carry_out(memories, store, form, self._keeping.remembered)
        await self._spoken.show(confirmation(form, done, self._redactor.text, several=several))

    async def _ask(self, prepared: Prepared) -> None:
        """Asks the model and runs the tools it asks for, until it answers or its rounds are used up."""
        services, request = self._services, self._handover.resumed(prepared.request)
        self._tools.resume(self._handover.rounds)
        for iteration in range(1, services.place.config.max_iterations + 1):
            said, requests, finished = await self._one_answer(prepared.next_round(request, self._tools.calls))
            if not requests:
                self._ended(finished)
                return
            self._requested = self._handover.taken(requests)
            if self._requested:
                self._state = "partial"
                return
            self._steps.append({"parts": finished.provider_parts, "ids": [asked.id for asked in requests]})
            outcomes = await self._tools.run(requests, iteration)
            request = replace(
                request,
                messages=(
                    *request.messages,
                    ChatMessage(
                        "assistant",
                        said,
                        tool_requests=requests,
                        provider_parts=finished.provider_parts,
                        parts_model=services.models.model_name,
                    ),
                    ChatMessage("tool", tool_outcomes=outcomes),
                ),
            )
            if said and not said.endswith("\n"):
                await self._spoken.say("\n\n")
        # The rounds are used up: one answer without tools, their results folded into the system prompt.
        last = prepared.last_round(self._tools.exchanged, self._tools.calls)
        _, requests, finished = await self._one_answer(last)
        if requests:
            log.warning("%s asked for tools where none were offered", services.models.model_name)
        self._ended(finished)

    def _ended(self, finished: Finished) -> None:
        """The last answer has come; one that the model's limit cut, or that never came, is not a whole one."""
        self._final_parts = finished.provider_parts
        self._echo = finished.echo
        if finished.reason == "length" or not self._spoken.content.strip():
            log.warning("%s ended its answer early (%s)", self._services.models.model_name, finished.reason)
            self._state = "partial"

    async def _one_answer(self, request: ModelRequest) -> tuple[str, tuple[ToolRequest, ...], Finished]:
        """One stream of the model, its pieces passed on as they come; what it said is as it said it."""
        said: list[str] = []
        requests: list[ToolRequest] = []
        finished: Finished | None = None
        # Closed at once where the turn ends early: a stream left to the garbage collector keeps its connection.
        async with contextlib.aclosing(chunks_of(self._services.models.provider, request)) as stream:
            async for chunk in stream:
                match chunk:
                    case TextChunk(text):
                        said.append(well_formed(text))
                        await self._spoken.say(text)
                    case ReasoningChunk(text):
                        await self._spoken.think(text)
                    case ToolRequestChunk(request=asked):
                        requests.append(sendable(asked))
                    case Finished():
                        finished = replace(chunk, provider_parts=well_formed_json(chunk.provider_parts))
        if finished is None:
            finished = Finished("cut")
            # What came of it counts: a tool request is a whole one.
            log.warning(
                "%s ended a stream without Finished: the answer counts as cut", self._services.models.model_name
            )
            self._state = "partial"
        await self._spoken.end()
        self._usage = self._usage.plus(finished.usage)
        return "".join(said), tuple(requests), finished

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call with its whole result: of this turn, which the graph does not have yet, or of an earlier one."""
        own = (call for call in self._tools.calls if call.uuid == tool_call_id)
        return next(own, None) or await self._services.stores.messages.tool_result(tool_call_id)

    async def _keep_partial(self) -> None:
        """Stores what there is of an answer that was cut off; of nothing, says that the question is unanswered."""
        self._spoken.cut()
        try:
            if self._keeping.asked and (self._spoken.content.strip() or self._tools.own_calls):
                await self._keeping.answer(self._answer("partial"))
            else:
                await self._keeping.unanswered()
        except RagforgeError as error:
            log.warning("the end of a turn could not be stored: %s", self._redactor.text(str(error)))

    def _answer(self, state: MessageState) -> Answer:
        """Write 2. What the graph cannot take now waits in the journal, by uuid, so that it is stored once."""
        content = self._redactor.text(self._spoken.content)
        parts = None
        if self._final_parts is not None or self._steps:
            parts = {"steps": self._steps, "final": self._final_parts}
            if self._redactor.value(parts) != parts:
                # Verbatim or not at all: a vendor refuses parts that were changed.
                parts = None
        message = NewMessage(
            uuid=self.message_id,
            role="assistant",
            content=content,
            reasoning=self._redactor.text(self._spoken.reasoning),
            token_count=self._usage.output_tokens or estimate_tokens(content),
            state=state,
            in_reply_to=self.user_message_id,
            model=self._answered_by,
            usage=self._usage,
            provider_parts=parts,
            importance=importance_of("" if self._echo else content, self._tools.calls),
            trust="agent",
            echo=self._echo,
            receipt=self._prepared.receipt if self._prepared else None,
        )
        touched = tuple(self._tools.scopes)
        ties = answer_ties(Question(self._redactor.text(self._text)), content, touched, echo=self._echo)
        receipt = Receipt() if self._prepared is None else self._prepared.edges
        answer = Answer(message, tuple(self._tools.calls), ties, receipt)
        return self._services.background.due_answer(answer)

    def _response(self) -> AssistantResponse:
        return AssistantResponse(
            content=self._spoken.content,
            reasoning=self._spoken.reasoning or None,
            tool_calls=tuple(self._tools.calls),
            context_used=without_secrets(self._context, self._redactor),
            usage=self._usage,
            conversation_id=self._conversation_id,
            message_id=self.message_id,
            user_message_id=self.user_message_id,
            model=self._answered_by,
            state=self._state,
            degraded=tuple(dict.fromkeys(self._keeping.degraded)),
            requested=tuple(
                RequestedTool(id=each.id, name=each.name, arguments=each.arguments) for each in self._requested
            ),
        )
