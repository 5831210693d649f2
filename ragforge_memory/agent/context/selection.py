"""What a turn is given of what was said before, within the model's window, and the receipt of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from ragforge_memory.agent.context.budget import (
    NEWEST_SHARE,
    QUOTES_SHARE,
    SUMMARY_SHARE,
    Fit,
    Window,
    exchanges,
    newest,
    older,
    quote_tokens,
    request_tokens,
    tool_tokens,
)
from ragforge_memory.agent.context.importance import sentences_and_lines
from ragforge_memory.agent.context.memories import lines_within, memory_tokens
from ragforge_memory.agent.context.newest import least_tokens, message_tokens, newest_within
from ragforge_memory.agent.context.prompt import (
    MemoryLine,
    Quote,
    addition,
    history,
    is_shortened,
    system_prompt,
    tokens_of,
)
from ragforge_memory.agent.context.quotes import Quotes, flat
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolSpec
from ragforge_memory.models.conversation import ContextStrategy, ConversationContext, Message, ScoredMessage
from ragforge_memory.models.memory import RecalledMemory
from ragforge_memory.models.summary import Summary
from ragforge_memory.models.tokens import estimate_tokens

RELEVANT = 10
"""Messages that bear on the question, at most, in a turn."""

IMPORTANT_MESSAGES = 60
"""Important messages older than the recent ones, at most, that a turn reads, and of which it quotes what has room."""

# A heading and its fence, in tokens.
_HEADING = 25
_ADDITIONS_SHARE = 25
_MEMORIES_SHARE = 15


@dataclass(frozen=True, slots=True)
class Parts:
    """What goes into a prompt beside the question: chosen, and nothing else is needed to render it.

    ``summary_sentences`` are the places of those sentences of the summary that were taken.
    """

    instructions: str | None
    today: date
    additions: tuple[Message, ...] = ()
    summary: str | None = None
    summary_sentences: tuple[int, ...] = ()
    compression: Summary | None = None
    quotes: tuple[Quote, ...] = ()
    recent: Fit = field(default_factory=Fit)
    memories: tuple[MemoryLine, ...] = ()
    recalled: tuple[RecalledMemory, ...] = ()

    @property
    def shortens(self) -> bool:
        """Whether a tool's result of an earlier turn is not shown in full."""
        return any(is_shortened(message, self.recent.cut_of(message)) for message in self.recent.messages)


@dataclass(frozen=True, slots=True)
class Built:
    """A turn's first request, what is in it, and how that is kept. ``question`` is its place among the messages."""

    request: ModelRequest
    context: ConversationContext
    parts: Parts
    tokens: dict[str, int]
    window: Window

    @property
    def question(self) -> int:
        """The place of the question among the request's messages."""
        return len(self.request.messages) - 1


def rendered(parts: Parts, question: str, tools: tuple[ToolSpec, ...]) -> ModelRequest:
    """The request for these parts: the same parts give the same request, byte for byte."""
    cuts = dict(parts.recent.cuts)
    system = system_prompt(
        parts.instructions,
        today=parts.today,
        summary=parts.summary,
        compressed=parts.compression.content if parts.compression else None,
        quotes=parts.quotes,
        additions=parts.additions,
        memories=parts.memories,
    )
    chat = history(parts.recent.messages, lambda message: cuts[message.uuid])
    return ModelRequest(system, (*chat, ChatMessage("user", question)), tools, recalled=parts.recalled)


def build(
    before: TurnContext,
    question: str,
    *,
    instructions: str | None,
    today: date,
    window: Window,
    tools: tuple[ToolSpec, ...],
    reading: ToolSpec,
    recalled: Sequence[RecalledMemory] = (),
) -> Built:
    """Chooses what a turn is given, by worth, and renders it; see `budget`.

    Args:
        before: what was read of the conversation.
        question: what is asked.
        instructions: the configured ones; None: the built-in ones.
        today: the date that is told to the model.
        window: the tokens there are.
        tools: that are offered always.
        reading: the tool that is offered where an earlier result is shortened.
        recalled: what is remembered that bears on the question.
    """
    bare = estimate_tokens(system_prompt(instructions, today=today))
    asked = tokens_of(ChatMessage("user", question))
    offered = tool_tokens((*tools, reading))
    fixed = {"system": bare, "tools": offered, "question": asked}
    additions = _additions(before.messages, (window.limit - sum(fixed.values())) * _ADDITIONS_SHARE // 100)
    fixed["system"] += sum(estimate_tokens(addition(message)) + 1 for message in additions)
    room = max(0, window.limit - sum(fixed.values()))

    candidates = exchanges(before.messages)
    share = room * SUMMARY_SHARE // 100
    compression = _condensed(before.compression, share)
    # What was said here is quoted or condensed as such.
    here = {each.uuid for each in (*before.messages, *before.important, *(one.message for one in before.found))}
    known = flat("\n".join(text for text in (before.summary, compression and compression.content) if text))
    memories = lines_within(recalled, room * _MEMORIES_SHARE // 100, here, known)
    room -= memory_tokens(memories)
    recent = newest(candidates, room * NEWEST_SHARE // 100)
    room -= condensed_tokens(compression) + recent.tokens
    kept: tuple[int, ...] = ()
    if _adds(before, candidates):
        said = [message.content for exchange in candidates for message in exchange]
        kept = sentences_to_keep(before.summary or "", said, compression, share - condensed_tokens(compression))
    summary = summary_of(before.summary or "", kept)
    room -= _text_tokens(summary)

    # Twice: what the quotes do not need of their share is the recent ones', and what is recent is not quoted, but for
    # what the newest exchange decides where it is cut.
    told = "\n".join(text for text in (compression and compression.content, summary) if text)
    quotable = Quotes(before, told)
    quotes: list[Quote] = []
    run = recent
    spent = room * QUOTES_SHARE // 100
    for _ in range(2):
        run = recent.joined(older(candidates, room - spent)) if recent.taken else recent
        share = min(room * QUOTES_SHARE // 100, room + recent.tokens - run.tokens)
        shown = {uuid: cut.texts for uuid, cut in run.cuts}
        quotes, spent = quotable.within(shown, share - _HEADING)
        spent += _HEADING if quotes else 0
    told_of = {line.uuid for line in memories}
    kept_memories = tuple(each for each in recalled if each.memory.uuid in told_of)
    parts = Parts(
        instructions, today, additions, summary, kept, compression, tuple(quotes), run, memories, kept_memories
    )
    request = rendered(parts, question, (*tools, reading) if parts.shortens else tools)
    tokens = {
        "system": fixed["system"],
        "tools": tool_tokens(request.tools),
        "question": asked,
        "summary": condensed_tokens(compression) + _text_tokens(summary),
        "recent": run.tokens,
        "relevant": sum(map(quote_tokens, quotes)),
        "memories": memory_tokens(memories),
        "reserve": window.tokens - window.limit,
    }
    return Built(request, context_of(parts, request), parts, tokens, window)


def context_of(parts: Parts, request: ModelRequest) -> ConversationContext:
    """What a request holds, as answers tell it; ``token_count`` is that of the whole request."""
    condensed = parts.compression.content if parts.compression else None
    return ConversationContext(
        summary="\n\n".join(text for text in (condensed, parts.summary) if text) or None,
        recent_messages=tuple(parts.recent.messages),
        relevant_messages=tuple(map(_scored, parts.quotes)),
        message_count=len({message.uuid for message in (*parts.recent.messages, *(q.message for q in parts.quotes))}),
        memories=parts.recalled,
        token_count=request_tokens(request),
        strategy="hybrid",
    )


def assembled(
    recent: Sequence[Message],
    found: Sequence[ScoredMessage],
    summary: str | None,
    *,
    strategy: ContextStrategy,
    max_tokens: int | None,
) -> ConversationContext:
    """A context of whole messages within ``max_tokens``: the summary, then what is recent, then what is relevant.

    Recent exchanges are taken from the newest back, relevant messages from the best on; none comes twice. A newest
    exchange that is longer than the budget is shortened to it, and has it alone where it must.

    Raises:
        InvalidInput: the newest exchange does not fit in its shortest form.
    """
    room = max_tokens if max_tokens is not None else 2**31
    if summary is not None and _text_tokens(summary) > room // 3:
        summary = None
    spent = _text_tokens(summary) if summary else 0
    # Relevant messages have a third of what is left where they are asked for as well.
    for_recent = room if strategy == "recent" else spent + (room - spent) * 2 // 3
    groups = whole_exchanges(recent)
    taken: list[Message] = []
    if groups and spent + sum(map(message_tokens, groups[-1])) > for_recent:
        last = groups.pop()
        whole = sum(map(message_tokens, last)) <= room - spent
        taken = last if whole else newest_within(last, room - spent)
        if not taken:
            summary, spent = None, 0
            taken = newest_within(last, room)
        if not taken:
            raise InvalidInput(
                f"{max_tokens:,} tokens have no room for the newest exchange, of which the shortest form is about "
                f"{least_tokens(last):,}",
                hint="give max_tokens more, or ask for the relevant messages alone (strategy='relevant')",
            )
        groups, spent = [], spent + sum(map(message_tokens, taken))
    for exchange in reversed(groups):
        tokens = sum(map(message_tokens, exchange))
        if spent + tokens > for_recent:
            break
        taken = [*exchange, *taken]
        spent += tokens
    known = {message.uuid for message in taken}
    relevant: list[ScoredMessage] = []
    for one in found:
        tokens = message_tokens(one.message)
        if one.message.uuid not in known and spent + tokens <= room:
            known.add(one.message.uuid)
            relevant.append(one)
            spent += tokens
    taken.sort(key=lambda message: message.seq)
    return ConversationContext(
        summary=summary,
        recent_messages=tuple(taken),
        relevant_messages=tuple(relevant),
        message_count=len(taken) + len(relevant),
        token_count=spent,
        strategy=strategy,
    )


def whole_exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages, each question with its answers; what belongs to none stands alone."""
    groups: dict[str, list[Message]] = {}
    for message in messages:
        head = message.in_reply_to if message.in_reply_to in groups else message.uuid
        groups.setdefault(str(head), []).append(message)
    return list(groups.values())


def sentences_to_keep(summary: str, said: Sequence[str], compression: Summary | None, room: int) -> tuple[int, ...]:
    """The places of the summary's sentences that do not stand in the prompt anyway and fit into ``room`` tokens.

    An extracted summary is made of sentences of messages; those of recent ones would be said twice. It ends them with a
    full stop where a message has none, and what is too long with three dots.
    """
    known = "\n".join([*map(flat, said), flat(compression.content if compression else "")])
    kept: list[int] = []
    spent = _HEADING
    for place, sentence in enumerate(sentences_and_lines(summary)):
        if flat(sentence).rstrip(".…") in known:
            continue
        spent += estimate_tokens(sentence) + 1
        if spent > room:
            break
        kept.append(place)
    return tuple(kept)


def summary_of(summary: str, places: Sequence[int]) -> str | None:
    """These sentences of a summary; None where there is none."""
    found = sentences_and_lines(summary)
    return "\n".join(found[place] for place in places if place < len(found)) or None


def first_lines(compression: Summary, count: int) -> Summary:
    """A compression of which only the first lines are shown."""
    lines = compression.content.splitlines()[:count]
    return compression.model_copy(update={"content": "\n".join(lines)})


def _adds(before: TurnContext, candidates: Sequence[Sequence[Message]]) -> bool:
    """Whether the summary speaks of anything that is not in the prompt anyway."""
    if not before.summary:
        return False
    if before.compression is not None and before.summary_seq is not None:
        return before.summary_seq > before.compression.to_seq
    return not candidates or candidates[0][0].seq > 1


def _additions(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    """The conversation's own system messages, the newest of them where there are too many."""
    taken: list[Message] = []
    for message in reversed([each for each in messages if each.role == "system" and each.content.strip()]):
        room -= estimate_tokens(addition(message)) + 1
        if room < 0:
            break
        taken.insert(0, message)
    return tuple(taken)


def _condensed(compression: Summary | None, room: int) -> Summary | None:
    """The compression within ``room`` tokens: one that was made for a larger window loses its last lines."""
    if compression is None or condensed_tokens(compression) <= room:
        return compression
    count, spent = 0, _HEADING
    for line in compression.content.splitlines():
        spent += estimate_tokens(line) + 1
        if spent > room:
            break
        count += 1
    return first_lines(compression, count) if count else None


def _scored(quote: Quote) -> ScoredMessage:
    return ScoredMessage(
        message=quote.message,
        score=quote.score or 0.0,
        conversation_id=quote.message.conversation_id,
        matched_by=quote.matched_by,
        similarity=quote.similarity,
    )


def condensed_tokens(compression: Summary | None) -> int:
    """About how many tokens a compression is in the prompt, with its heading; 0 without one."""
    return _text_tokens(compression.content) if compression else 0


def _text_tokens(text: str | None) -> int:
    return estimate_tokens(text) + _HEADING if text else 0
