"""From the stored question to the first request: read 1, the compression where it is due, the context, the receipt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragforge_memory import events
from ragforge_memory.agent.context.budget import Window, earlier_within, folded_within, tool_tokens, window_of, within
from ragforge_memory.agent.context.compression import Stretch, condensed, due
from ragforge_memory.agent.context.importance import IMPORTANT
from ragforge_memory.agent.context.nearness import Near, with_near
from ragforge_memory.agent.context.prompt import READ_RESULT, system_prompt, tokens_of
from ragforge_memory.agent.context.receipts import receipt_of, shared_texts
from ragforge_memory.agent.context.selection import IMPORTANT_MESSAGES, RELEVANT, Built, build
from ragforge_memory.agent.services import Condensing
from ragforge_memory.agent.turns.patience import left_alone
from ragforge_memory.errors import GraphBusy, GraphUnavailable, RagforgeError
from ragforge_memory.graph.breaker import hurried
from ragforge_memory.graph.receipts import ContextQuery, Receipt, ReceiptStore, TurnContext, prompt_uuid
from ragforge_memory.graph.records import to_json
from ragforge_memory.llm.port import EXTRACTIVE, ChatMessage, ModelRequest, ToolOutcome, ToolRequest, ToolSpec
from ragforge_memory.models.conversation import ConversationContext, ToolCall
from ragforge_memory.models.memory import RecallResult
from ragforge_memory.models.summary import Summary
from ragforge_memory.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Models, Place, Services
    from ragforge_memory.agent.turns.keeping import Keeping
    from ragforge_memory.agent.turns.tool_rounds import Emit
    from ragforge_memory.memory.recall import Recall
    from ragforge_memory.redaction import Redactor
    from ragforge_memory.tools.registry import ToolRegistry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn that can be asked: its first request, what is in it, its receipt, and what later rounds must keep to."""

    built: Built
    kept: dict[str, Any]
    edges: Receipt
    reading: ToolSpec

    @property
    def request(self) -> ModelRequest:
        """The first request."""
        return self.built.request

    @property
    def context(self) -> ConversationContext:
        """What it holds."""
        return self.built.context

    @property
    def receipt(self) -> str:
        """What the answer keeps of it, without a word of text."""
        return to_json(self.kept)

    def next_round(self, request: ModelRequest, calls: Sequence[ToolCall]) -> ModelRequest:
        """The request of a later round, within the window; a result that was shortened can be read again."""
        # The tool that reads a result again needs room where it is not offered yet.
        spare = 0 if self.reading in request.tools else tool_tokens((self.reading,))
        place = len(self.request.messages) - 1
        short = within(request, self.built.window.limit - spare, place, calls, self._important)
        if short is request or self.reading in short.tools:
            return short
        return replace(short, tools=(*short.tools, self.reading))

    def last_round(
        self, exchanged: Sequence[tuple[ToolRequest, ToolOutcome]], calls: Sequence[ToolCall]
    ) -> ModelRequest:
        """The request for the answer that is forced: without tools, with their results in the system prompt.

        The earlier exchanges stay as long as there is room for them beside the results; what is important, longer.
        """
        limit, system = self.built.window.limit, self.request.system
        question = self.request.messages[-1]
        ids = [call.uuid for call in calls]
        earlier = list(self.request.messages[:-1])
        folded = estimate_tokens(folded_within(system, question, exchanged, 2**31, ids)) + tokens_of(question)
        excess = sum(map(tokens_of, earlier)) + folded - limit
        if excess > 0:
            results = [outcome.content for _, outcome in exchanged]
            asked = folded - estimate_tokens(system)
            earlier = earlier_within(earlier, excess, asked, results, self._important)
        system = folded_within(system, question, exchanged, limit - sum(map(tokens_of, earlier)), ids)
        return ModelRequest(system, (*earlier, question))

    @property
    def _important(self) -> list[frozenset[str]]:
        """Whose messages are, in each exchange before the question, oldest first."""
        taken = self.built.parts.recent.taken
        return [
            frozenset(message.role for message in exchange if (message.importance or 0) >= IMPORTANT)
            for exchange in taken
        ]


class Reading:
    """Read 1 and the search by meaning beside it, begun before the question is stored: neither waits for the other."""

    def __init__(
        self,
        services: Services,
        conversation_id: str,
        *,
        asked: str,
        question: str,
        keeping: Keeping,
        registry: ToolRegistry,
        question_seq: int | None = None,
    ) -> None:
        memory = services.place.config.memory
        self.registry = registry
        self._services = services
        self._conversation_id = conversation_id
        self._question = question
        self._keeping = keeping
        tools, prompt = registry.specs, services.place.config.system_prompt
        both = (tools, (*tools, registry.spec(READ_RESULT)))
        shared = [text for offered in both for text in shared_texts(prompt, offered)]
        self._query = ContextQuery(
            before_seq=question_seq,
            limit=memory.max_context_messages,
            question=question,
            relevant=RELEVANT,
            important=IMPORTANT_MESSAGES,
            prompts=sorted({prompt_uuid(services.place.owner, text) for text in shared}),
            asked=asked,
            known=services.background.remembered.recent(conversation_id),
        )
        self._vector = services.models.question_vector(question, failed=keeping.not_embedded)
        self._recall: Recall | None = None
        if not keeping.away and memory.recall.limit:
            self._recall = services.begin_recall(
                question,
                self._vector,
                limit=memory.recall.limit,
                deadline_ms=memory.recall.deadline_ms,
                conversation_id=conversation_id,
                tools=registry.foreign,
            )
        self._near: Near | None = None
        if question_seq is not None:
            self._search(question_seq)
        elif services.background.remembered.info(conversation_id) is not None:
            # What others have said meanwhile is recent: then a little less is searched than could be.
            self._search(services.background.remembered.places(conversation_id)[1])
        # In memory and in files what is said now is not there before it is there as a whole.
        self._first: asyncio.Task[TurnContext] | None = None
        if (
            question_seq is None
            and not keeping.away
            and not services.stores.in_memory
            and services.stores.unread is not None
        ):
            self._first = asyncio.create_task(self._read(self._query), name="ragforge-read-1")

    async def context(self, question_seq: int) -> TurnContext:
        """What was read; while the graph is away, what is remembered here.

        Raises:
            ConversationNotFound: it was deleted.
        """
        remembered, keeping = self._services.background.remembered, self._keeping
        near = self._near or self._search(question_seq)
        try:
            before = await keeping.read(lambda: self._once(question_seq))
            if before is not None:
                remembered.read(self._conversation_id, before, up_to=before.top or question_seq)
                found = await near.found()
                await keeping.say_not_embedded()
                return with_near(before, found, RELEVANT)
        finally:
            self.leave()
        return remembered.context(self._conversation_id, before_seq=question_seq, prompts=self._query.prompts)

    async def recalled(self) -> RecallResult:
        """What is remembered that bears on the question; nothing while the graph is away."""
        recall, self._recall = self._recall, None
        result = RecallResult() if recall is None else await recall.result()
        # What the question itself states may be a memory by now.
        items = tuple(each for each in result.items if each.memory.message_id != self._query.asked)
        return result.model_copy(update={"items": items})

    def leave(self) -> None:
        """Nobody waits for it any more."""
        if self._near is not None:
            self._near.leave()
        if self._first is not None:
            left_alone(self._first)

    def _search(self, place: int) -> Near:
        """Begins the search by meaning, of what is older than the recent messages before a place."""
        recent = self._services.place.config.memory.max_context_messages
        self._near = Near(
            self._services.stores,
            self._services.models,
            self._vector,
            self._conversation_id,
            self._question,
            floor=0 if self._keeping.away else place - recent - 1,
            limit=RELEVANT,
            deadline_ms=self._services.place.config.memory.recall.deadline_ms,
            failed=self._keeping.not_embedded,
        )
        return self._near

    async def _once(self, question_seq: int) -> TurnContext:
        """What was read meanwhile; what failed is read once more, for the graph may be back."""
        first, self._first = self._first, None
        if first is not None:
            try:
                return await first
            except GraphBusy:
                raise
            except GraphUnavailable as error:
                log.info("read 1 is tried again: %s", error)
        return await self._read(replace(self._query, before_seq=question_seq))

    async def _read(self, query: ContextQuery) -> TurnContext:
        return await self._services.stores.messages.turn_context(self._conversation_id, query, recover=False)


async def prepare(
    services: Services,
    conversation_id: str,
    reading: Reading,
    *,
    question_seq: int,
    question: str,
    emit: Emit,
    keeping: Keeping,
    redactor: Redactor,
) -> Prepared:
    """Takes what was read for the turn and builds its first request.

    Raises:
        ConversationNotFound: it was deleted.
    """
    if services.models.provider.name == EXTRACTIVE:
        # It looks for single words of a question, which a part of a secret shall not be.
        question = redactor.text(question)
    memory = services.place.config.memory
    instructions = services.place.config.system_prompt
    tools, read_result = reading.registry.specs, reading.registry.spec(READ_RESULT)
    condensing = services.background.condensing.setdefault(conversation_id, Condensing())
    before = await reading.context(question_seq)
    recalled = await _recalled(reading, emit, keeping)
    today = services.place.today()
    window = window_of(services.models.provider.context_window, memory.compression.max_tokens)
    asked = tokens_of(ChatMessage("user", question))
    if not before.counted:
        before = replace(before, uncompressed=before.uncompressed + asked)
    fixed = estimate_tokens(system_prompt(instructions, today=today)) + tool_tokens((*tools, read_result)) + asked
    if not keeping.away:
        before = await _within_threshold(
            services, conversation_id, before, fixed, asked, window, emit, condensing, question_seq, redactor
        )
    built = build(
        before,
        question,
        instructions=instructions,
        today=today,
        window=window,
        tools=tools,
        reading=read_result,
        recalled=recalled.items,
    )
    kept, edges = receipt_of(
        built, services.place.owner, before, question_seq=question_seq, missed=recalled.tiers_missed
    )
    return Prepared(built, kept, edges, read_result)


async def _recalled(reading: Reading, emit: Emit, keeping: Keeping) -> RecallResult:
    """What memory gives to the turn, told as events; memory that fails fails no turn."""
    result = await reading.recalled()
    if result.tiers_missed and not keeping.away:
        keeping.degraded.append("recall")
        await emit(events.Degraded(what="recall", detail=f"late or failed: {', '.join(result.tiers_missed)}"))
    if result.items:
        told = {name: getattr(result, name) for name in ("items", "tiers_answered", "tiers_missed", "elapsed_ms")}
        await emit(events.Recalled(**told))
    return result


async def _within_threshold(
    services: Services,
    conversation_id: str,
    before: TurnContext,
    fixed: int,
    question: int,
    window: Window,
    emit: Emit,
    condensing: Condensing,
    question_seq: int,
    redactor: Redactor,
) -> TurnContext:
    """What was read, with the older part of it condensed where that is due.

    A stretch is condensed once: of turns that come to it at once, here or in several processes, all go on with the
    compression that was kept, so that each prompt can be rebuilt. Where the graph is away the turn goes on without: the
    budget shortens what does not fit.
    """
    settings, receipts = services.place.config.memory.compression, services.stores.receipts
    if not settings.enabled or receipts is None:
        return before
    stretch = due(before, fixed, question, window, threshold=settings.threshold, keep_recent=settings.keep_recent)
    if stretch is None:
        return before
    compressed = None
    async with condensing.lock:
        kept = condensing.kept
        if kept is None or kept.to_seq < stretch.from_seq:
            try:
                new, messages = await _condensed(
                    services.models, services.place, receipts, conversation_id, before, stretch, fixed, window
                )
                new = new.model_copy(update={"content": redactor.text(new.content)})
            except RagforgeError as error:
                log.warning("the context could not be condensed: %s", redactor.text(str(error)))
                return before
            kept = new
            try:
                with hurried():
                    kept = condensing.kept = await receipts.keep_compression(
                        conversation_id, new, kept_tokens=stretch.kept_tokens + question
                    )
            except RagforgeError as error:
                log.warning("a compression could not be stored: %s", error)
            if kept.uuid == new.uuid:
                compressed = events.Compressed(
                    tokens_before=stretch.usage,
                    tokens_after=fixed + (new.token_count or 0) + stretch.kept_tokens,
                    tokens_saved=new.tokens_saved or 0,
                    summary_id=new.uuid,
                    messages=messages,
                )
    if compressed is not None:
        await emit(compressed)
    if kept.to_seq >= question_seq:  # of a later question: it may tell of this one
        return before
    rest = tuple(message for message in before.messages if message.seq > kept.to_seq or message.role == "system")
    important = tuple(message for message in before.important if message.seq > kept.to_seq)
    return replace(before, compression=kept, messages=rest, important=important)


async def _condensed(
    models: Models,
    place: Place,
    receipts: ReceiptStore,
    conversation_id: str,
    before: TurnContext,
    stretch: Stretch,
    fixed: int,
    window: Window,
) -> tuple[Summary, int]:
    """The compression of a stretch, and of how many messages it is."""
    messages = [message for message in before.messages if message.seq <= stretch.to_seq]
    if not messages or messages[0].seq > stretch.from_seq:
        with hurried():
            messages = await receipts.between(conversation_id, stretch.from_seq - 1, stretch.to_seq)
    new = await condensed(
        models.provider,
        messages,
        stretch,
        before.compression,
        window,
        conversation_id=conversation_id,
        fixed=fixed,
        timeout=place.config.model_timeout_seconds,
    )
    return new, len(messages)
