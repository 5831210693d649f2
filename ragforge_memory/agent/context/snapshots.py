"""A conversation as it was: its history, and the prompt of an answer rebuilt from its receipt, byte for byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.context.budget import Fit
from ragforge_memory.agent.context.prompt import Cut, MemoryLine, Quote
from ragforge_memory.agent.context.receipts import RULES, request_hash, text_hash
from ragforge_memory.agent.context.selection import Parts, assembled, context_of, first_lines, rendered, summary_of
from ragforge_memory.agent.search.messages import Searcher
from ragforge_memory.errors import memory_is_off
from ragforge_memory.graph.receipts import Answered, ReceiptStore
from ragforge_memory.graph.records import content_text
from ragforge_memory.llm.port import ModelRequest, ToolSpec
from ragforge_memory.models.code import CodeReference, each_name
from ragforge_memory.models.context import ContextItem, ContextReceipt, Prompt, Snapshot
from ragforge_memory.models.conversation import ContextStrategy, ConversationContext, Message, ScoredMessage

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Background, Services, Stores

# The most of a history that a snapshot brings.
_HISTORY = 1_000
# Summaries that end where the one ended that a turn read and that it has not seen yet: at most one of each level.
_UNSEEN = 20
# A read begins, and takes its time, before it comes to the summary: by then there may be a later one.
_SEEN_LATER = tuple(timedelta(milliseconds=each) for each in (50, 250, 1_000, 5_000))


@dataclass(frozen=True, slots=True)
class _Rebuilt:
    parts: Parts | None = None
    request: ModelRequest | None = None
    exact: bool = False
    erased: int = 0
    notes: tuple[str, ...] = ()


async def snapshot(stores: Stores, background: Background, conversation_id: str, message_id: str) -> Snapshot:
    """The conversation as it was at a message; see `Snapshot`.

    Raises:
        MessageNotFound: it is not a message of this conversation's lineage.
        InvalidInput: memory is off, so nothing is kept.
    """
    store = _store(stores)
    found = await store.answered(conversation_id, message_id)
    said = found.message
    history = await store.between(conversation_id, said.seq - _HISTORY - 1, said.seq)
    kept = found.receipt or {}
    summary = await _summary_then(
        stores,
        background,
        conversation_id,
        # A branch may go on with a short summary while what it shares is summarised further.
        min(said.seq, kept.get("summary_seq") or said.seq),
        kept.get("read_at") or said.timestamp.isoformat(),
        kept.get("summary_hash"),
    )
    rebuilt = await _rebuilt(store, conversation_id, found, summary)
    request = rebuilt.request
    return Snapshot(
        conversation_id=conversation_id,
        message_id=said.uuid,
        seq=said.seq,
        timestamp=said.timestamp,
        history=tuple(history),
        message_count=said.seq,
        summary=summary or None,
        context=context_of(rebuilt.parts, request) if rebuilt.parts and request else None,
        prompt=prompt_of(request) if request else None,
        exact=rebuilt.exact,
        erased=rebuilt.erased,
        notes=rebuilt.notes,
        tiers_missed=tuple(kept.get("missed", ())),
    )


async def receipt(stores: Stores, conversation_id: str, message_id: str | None) -> ContextReceipt:
    """What an answer was given; see `ContextReceipt`.

    Raises:
        MessageNotFound: there is no such message, or no answer yet.
        InvalidInput: memory is off, so nothing is kept.
    """
    store = _store(stores)
    found = await store.answered(conversation_id, message_id)
    answer, kept = found.answer, found.receipt or {}
    items = [_item(row, answer) for row in found.used]
    tied = {item.seq for item in items}
    untied = {row[0]: row[3] for row in kept.get("recent", ()) if row[0] not in tied}
    further = await store.at(conversation_id, sorted(untied)) if untied else []
    items += [_item(_recent_row(message, untied[message.seq]), answer) for message in further]
    items = [item.model_copy(update={"rank": rank}) for rank, item in enumerate(sorted(items, key=_worth), start=1)]
    given = len(kept.get("recent", ())) + len(kept.get("quotes", ())) + bool(kept.get("compression"))
    given += len(kept.get("memories", ()))
    return ContextReceipt(
        message_id=answer.uuid if answer else found.message.uuid,
        question_id=answer.in_reply_to if answer else found.message.uuid,
        model=answer.model if answer else None,
        strategy=kept.get("strategy"),
        today=date.fromisoformat(kept["date"]) if "date" in kept else None,
        items=tuple(items),
        tokens=kept.get("tokens", {}),
        window=kept.get("window"),
        limit=kept.get("limit"),
        erased=max(0, given - len(items)),
        tiers_missed=tuple(kept.get("missed", ())),
    )


async def build_context(
    services: Services,
    conversation_id: str,
    *,
    strategy: ContextStrategy,
    recent_messages: int,
    relevant_messages: int,
    include_summary: bool,
    query: str | None,
    max_tokens: int | None,
) -> ConversationContext:
    """The context that a caller's own prompt may use; see `AsyncConversation.build_context`."""
    recent: list[Message] = []
    if recent_messages and strategy != "relevant":
        recent = await services.stores.messages.history(conversation_id, limit=recent_messages)
    info = await services.stores.conversations.get(conversation_id)
    found: list[ScoredMessage] = []
    if relevant_messages and strategy != "recent":
        asked = query if query is not None else await _last_question(services.stores, conversation_id, recent)
        found = await _relevant(services, conversation_id, asked, relevant_messages, recent, own=query is None)
    summary = info.summary if include_summary else None
    context = assembled(recent, found, summary, strategy=strategy, max_tokens=max_tokens)
    return await _with_code(services, context)


async def _with_code(services: Services, context: ConversationContext) -> ConversationContext:
    """A context with what its messages are tied to: in each of them, and all together, each definition once."""
    uuids = [message.uuid for message in context.recent_messages]
    uuids += [each.message.uuid for each in context.relevant_messages]
    ties = await Searcher(services).code_of(uuids) if uuids else {}
    relevant = [
        each.model_copy(update={"message": _tied(each.message, ties.get(each.message.uuid, ()))})
        for each in context.relevant_messages
    ]
    code = each_name(tie for uuid in uuids for tie in ties.get(uuid, ()))
    return context.model_copy(update={"relevant_messages": tuple(relevant), "code": tuple(code)})


def _tied(message: Message, ties: Sequence[CodeReference]) -> Message:
    return message.model_copy(update={"references": tuple(ties)})


def prompt_of(request: ModelRequest) -> Prompt:
    """A request as a plain value."""
    plain = json.loads(json.dumps(asdict(request), ensure_ascii=False, default=str))
    return Prompt(system=plain["system"], messages=tuple(plain["messages"]), tools=tuple(plain["tools"]))


async def _rebuilt(store: ReceiptStore, conversation_id: str, found: Answered, summary: str) -> _Rebuilt:
    kept = found.receipt
    if kept is None:
        return _Rebuilt(notes=("no receipt was kept of this turn",) if found.answer else ("it was not answered",))
    if kept.get("rules") != RULES:
        return _Rebuilt(notes=(f"its receipt follows other rules ({kept.get('rules')}) than this version knows",))
    named = [row[0] for row in (*kept["recent"], *kept["quotes"])] + kept["additions"] + [kept["question"]]
    there = {message.seq: message for message in await store.at(conversation_id, sorted(set(named)))}
    texts = await store.prompts([kept["instructions"], kept["tools"]])
    question = there.get(kept["question"])
    if question is None or len(texts) < len({kept["instructions"], kept["tools"]}):
        return _Rebuilt(erased=1, notes=("the question, or what all prompts share, was erased since",))
    compression = await store.compression(kept["compression"]) if kept["compression"] else None
    remembered = await store.memories([row[0] for row in kept["memories"]])
    recent = [there[row[0]] for row in kept["recent"] if row[0] in there]
    cuts = {row[0]: Cut(row[1], row[2]) for row in kept["recent"]}
    parts = Parts(
        instructions=texts[kept["instructions"]],
        today=date.fromisoformat(kept["date"]),
        additions=tuple(there[seq] for seq in kept["additions"] if seq in there),
        summary=summary_of(summary, kept["summary"]),
        summary_sentences=tuple(kept["summary"]),
        compression=first_lines(compression, kept["lines"]) if compression else None,
        quotes=tuple(quote_of(there[row[0]], row) for row in kept["quotes"] if row[0] in there),
        recent=Fit((tuple(recent),), tuple((message.uuid, cuts[message.seq]) for message in recent)),
        memories=tuple(
            MemoryLine(uuid, remembered[uuid], head, about, characters)
            for uuid, head, about, characters in kept["memories"]
            if uuid in remembered
        ),
    )
    tools = tuple(ToolSpec(**tool) for tool in json.loads(texts[kept["tools"]]))
    request = rendered(parts, question.content, tools)
    erased = len(set(named) - there.keys()) + (1 if kept["compression"] and compression is None else 0)
    erased += len(kept["memories"]) - len(remembered)
    exact = request_hash(request) == kept["prompt"]
    notes = [f"{erased} item{'' if erased == 1 else 's'} erased"] if erased else []
    if not exact and not erased:
        renamed = await store.before_copy([call.uuid for message in recent for call in message.tool_calls])
        earlier = rendered(_with_calls(parts, renamed), question.content, tools)
        if request_hash(earlier) == kept["prompt"]:
            request, exact = earlier, True
        else:
            copied = "the conversation was copied, and its tool calls had other uuids when it was sent, or "
            why = "what was secret was taken out before it was stored, or the summary is gone"
            notes.append(f"not as it was sent: {copied if renamed else ''}{why}")
    return _Rebuilt(parts, request, exact, erased, tuple(notes))


def _with_calls(parts: Parts, names: Mapping[str, str]) -> Parts:
    """Parts in which tool calls have other uuids."""

    def renamed(message: Message) -> Message:
        calls = [call.model_copy(update={"uuid": names.get(call.uuid, call.uuid)}) for call in message.tool_calls]
        return message.model_copy(update={"tool_calls": tuple(calls)})

    taken = tuple(tuple(map(renamed, exchange)) for exchange in parts.recent.taken)
    return replace(parts, recent=replace(parts.recent, taken=taken))


def quote_of(message: Message, row: Sequence[Any]) -> Quote:
    """A quote as a receipt has it."""
    _, tier, score, characters, _, start, matched_by, similarity = row
    return Quote(message, str(tier), score, int(characters), int(start), tuple(matched_by), similarity)


def _item(row: dict[str, Any], answer: Message | None) -> ContextItem:
    usage = answer.usage if answer else None
    cost = None
    if usage is not None and usage.cost_usd is not None and usage.input_tokens + usage.output_tokens:
        cost = usage.cost_usd * (row["tokens"] or 0) / (usage.input_tokens + usage.output_tokens)
    summary = "Summary" in row["labels"]
    # What was recalled of another conversation is a summary in the graph.
    kind = "memory" if row["tier"] == "memory" else "summary" if summary else "message"
    return ContextItem(
        tier=row["tier"],
        kind=kind,
        uuid=row["uuid"],
        conversation_id=row["conversation_id"],
        seq=row["from_seq"] if summary else row["seq"],
        to_seq=row["to_seq"],
        role=row["role"],
        timestamp=row["timestamp"],
        score=row["score"],
        tokens=row["tokens"] or 0,
        cost_usd=row["cost"] if row["cost"] is not None else cost,
        rank=row["rank"] or 0,
        excerpt=content_text(row["excerpt"]),
    )


def _recent_row(message: Message, tokens: int) -> dict[str, Any]:
    """A message of the recent run that has no edge, as if it had one."""
    nothing = dict.fromkeys(("score", "cost", "rank", "from_seq", "to_seq"))
    told = message.model_dump(include={"uuid", "seq", "role", "conversation_id", "timestamp"})
    return {**nothing, **told, "tier": "recent", "tokens": tokens, "labels": [], "excerpt": message.content[:200]}


def _worth(item: ContextItem) -> tuple[int, int]:
    """The order in which things would have gone last: what is condensed, the newest, then what was chosen."""
    if item.kind == "summary":
        return 0, 0
    if item.kind == "memory":
        return 0, item.rank
    return (1, -(item.seq or 0)) if item.tier == "recent" else (2, item.rank)


async def _summary_then(
    stores: Stores, background: Background, conversation_id: str, seq: int, read_at: str, expected: str | None
) -> str:
    """The conversation's summary as it read at a time, from the summaries that were there.

    One that was being written just then has an earlier time and was not seen yet, or a later one and was seen: where
    the receipt's hash says so, the newest are left out, or a little later ones are taken. A conversation without any
    (another tool wrote its summary) is taken as it is now.
    """
    info = await stores.conversations.get(conversation_id)
    known = info.summary or ""
    if background.summaries is None:
        return known
    read, newest = datetime.fromisoformat(read_at), ""
    async for text in _texts_back(background, conversation_id, seq, read):
        newest = newest or text
        if expected is None or text_hash(text) == expected:
            return text or await _foreign(background, conversation_id, info.head_seq, known)
    earliest = read
    for later in _SEEN_LATER:
        # Several may have come by then, and only the first were seen: one over those below it follows them at once.
        async for text in _texts_back(background, conversation_id, seq, read + later, earliest):
            if text_hash(text) == expected:
                return text
        earliest = read + later
    return known if text_hash(known) == expected else newest


async def _texts_back(
    background: Background, conversation_id: str, seq: int, latest: datetime, earliest: datetime | None = None
) -> AsyncIterator[str]:
    """The summary as it read at a time, then without the newest of those that were there, and so on."""
    assert background.summaries is not None
    for _ in range(_UNSEEN):
        cover = await background.summaries.store.cover(conversation_id, to_seq=seq, before=latest.isoformat())
        yield cover.text
        made = [part.created_at for part in (*cover.parts, *cover.on_demand)]
        times = [each for each in made if earliest is None or each > earliest]
        if not times:
            return
        latest = max(times) - timedelta(milliseconds=1)


async def _foreign(background: Background, conversation_id: str, head_seq: int, known: str) -> str:
    """The summary of a conversation that has no summaries of ours; nothing where they came later, or cover more."""
    assert background.summaries is not None
    return "" if (await background.summaries.store.cover(conversation_id, to_seq=head_seq)).text else known


async def _last_question(stores: Stores, conversation_id: str, recent: Sequence[Message]) -> str:
    known = recent or await stores.messages.history(conversation_id)
    while known:
        for message in reversed(known):
            if message.role == "user":
                return message.content
        known = await stores.messages.history(conversation_id, before=known[0].uuid)
    return ""


async def _relevant(
    services: Services, conversation_id: str, query: str, limit: int, recent: Sequence[Message], *, own: bool
) -> list[ScoredMessage]:
    """What bears on a question, whole, without what is recent; of a question that was said here, without itself."""
    from ragforge_memory.agent.search.messages import search

    if not query.strip():
        return []
    known = {message.uuid for message in recent}
    found = await search(services, query, limit=limit + len(known) + 1, conversation_id=conversation_id)
    chosen = [one for one in found if one.message.uuid not in known and not (own and one.message.content == query)]
    if services.stores.receipts is None:
        return chosen[:limit]
    # A search reads no tool calls.
    seqs = sorted(one.message.seq for one in chosen[:limit])
    calls = {each.uuid: each.tool_calls for each in await services.stores.receipts.at(conversation_id, seqs)}
    return [
        one.model_copy(update={"message": one.message.model_copy(update={"tool_calls": calls[one.message.uuid]})})
        for one in chosen[:limit]
        if one.message.uuid in calls
    ]


def _store(stores: Stores) -> ReceiptStore:
    if stores.receipts is None:
        raise memory_is_off("no receipts are kept")
    return stores.receipts
