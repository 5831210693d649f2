"""How a prompt's tokens are shared out: what is fixed, what each part may take, what goes first.

By worth: the instructions, the tools and the question always; then the newest exchange; what was condensed and the
summary; what was important or bears on the question; and from the newest back as many of the recent exchanges as fit.
What a part does not need goes to the recent ones. A question is never parted from its answer, nor a tool call from
its result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragforge_memory.agent.context.prompt import (
    BRIEF,
    EARLIER,
    WHOLE,
    Cut,
    Quote,
    fold_results,
    history,
    short_values,
    shortened,
    shortened_result,
    tokens_of,
)
from ragforge_memory.graph.records import to_json
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolRequest, ToolSpec
from ragforge_memory.models.conversation import Message, ToolCall
from ragforge_memory.models.tokens import estimate_tokens

# Kept free for the answer: an eighth of the window, at most 16,000 tokens.
_RESERVED_SHARE = 8
_RESERVED_MOST = 16_000

# Of what the fixed parts leave, the most that each may take (%).
SUMMARY_SHARE = 30
QUOTES_SHARE = 25
NEWEST_SHARE = 50

# Tool results of the two newest exchanges are whole where they fit.
_WHOLE_EXCHANGES = 2
# A quote is an excerpt: a paragraph or two.
QUOTE_CHARACTERS = 1_000
SHORTEST_QUOTE = 80
# What is left of the newest exchange's texts where nothing longer fits, tried in this order.
_TIGHT = (16_000, 8_000, 4_000, 2_000, 1_000, 500, 200)
# A result of this turn keeps so many tokens at least as long as cutting results alone suffices, and else so few.
_READABLE_RESULT = 100
_SHORTEST_RESULT = 4

Exchange = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens of a request: all of them, and those that the prompt may take."""

    tokens: int
    limit: int


def window_of(model_window: int, most: int) -> Window:
    """The window that a turn has: the model's, or the configured one where that is smaller."""
    tokens = min(model_window, most)
    return Window(tokens, tokens - min(tokens // _RESERVED_SHARE, _RESERVED_MOST))


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The messages as whole exchanges, each a question with its answers, in the questions' order.

    An answer whose question is not among them stays out. One that answers nothing (an import, a merge) stands behind
    the question before it, and by itself where the conversation begins with it.
    """
    found: dict[str, list[Message]] = {}
    last: list[Message] | None = None
    for message in messages:
        if message.role == "user":
            last = found[message.uuid] = [message]
        elif message.role == "assistant":
            if message.in_reply_to in found:
                found[str(message.in_reply_to)].append(message)
            elif message.in_reply_to is None and last is not None:
                last.append(message)
            elif message.in_reply_to is None and messages[0].seq == 1:
                last = found[message.uuid] = [message]
    return [tuple(exchange) for exchange in found.values()]


@dataclass(frozen=True, slots=True)
class Fit:
    """Exchanges that were taken, oldest first, how each message is cut, and their tokens."""

    taken: tuple[Exchange, ...] = ()
    cuts: tuple[tuple[str, Cut], ...] = ()
    tokens: int = 0

    @property
    def messages(self) -> list[Message]:
        """The messages in the order of their seq."""
        return sorted((message for exchange in self.taken for message in exchange), key=lambda each: each.seq)

    def cut_of(self, message: Message) -> Cut:
        """How a message is cut."""
        return dict(self.cuts).get(message.uuid, EARLIER)

    def joined(self, older: Fit) -> Fit:
        """With the older ones in front."""
        return Fit((*older.taken, *self.taken), (*older.cuts, *self.cuts), older.tokens + self.tokens)


def newest(candidates: Sequence[Exchange], room: int) -> Fit:
    """The newest exchange, as whole as ``room`` allows: results whole, then in short, then its texts too."""
    if not candidates:
        return Fit()
    exchange = candidates[-1]
    tight = tuple(Cut(BRIEF.results if texts > BRIEF.results else texts, texts) for texts in _TIGHT)
    return _first_that_fits(exchange, (WHOLE, EARLIER, BRIEF, *tight), room)


def older(candidates: Sequence[Exchange], room: int) -> Fit:
    """Of the exchanges before the newest as many as fit, from the newest back, without a gap."""
    fit = Fit()
    for place, exchange in enumerate(reversed(candidates[:-1]), start=1):
        cuts = (WHOLE, EARLIER, BRIEF) if place < _WHOLE_EXCHANGES else (EARLIER, BRIEF)
        one = _first_that_fits(exchange, cuts, room - fit.tokens)
        if not one.taken:
            break
        fit = fit.joined(one)
    return fit


def quote_tokens(quote: Quote) -> int:
    """About how many tokens a quote is in the prompt."""
    return estimate_tokens(quote.text) + 1


def tool_tokens(tools: Sequence[ToolSpec]) -> int:
    """About how many tokens the descriptions of tools are."""
    return sum(estimate_tokens(f"{tool.name} {tool.description} {tool.parameters}") for tool in tools)


def request_tokens(request: ModelRequest) -> int:
    """About how many tokens a whole request is."""
    return estimate_tokens(request.system) + tool_tokens(request.tools) + sum(map(tokens_of, request.messages))


def within(
    request: ModelRequest,
    limit: int,
    question: int,
    calls: Sequence[ToolCall],
    important: Sequence[Collection[str]] = (),
) -> ModelRequest:
    """A request of a later round of tools, shortened to ``limit`` tokens.

    What the tools of this turn gave comes before most of the exchanges before the question, see `earlier_within`; only
    then are this turn's results shortened, the longest first, each with the way to read it again; and where that would
    leave next to nothing of them, the arguments of its calls too.

    Args:
        request: with this turn's rounds behind the question.
        limit: tokens.
        question: the place of the question among the messages.
        calls: this turn's calls, in the order of the results.
        important: whose messages are, in each of the exchanges before the question, oldest first: their roles.
    """
    excess = request_tokens(request) - limit
    if excess <= 0:
        return request
    earlier, asked = request.messages[:question], list(request.messages[question:])
    results = [outcome.content for message in asked for outcome in message.tool_outcomes]
    before = earlier_within(earlier, excess, sum(map(tokens_of, asked)), results, important)
    excess -= sum(map(tokens_of, earlier)) - sum(map(tokens_of, before))
    kept, more = replace(request, messages=(*before, *asked)), 0
    # Estimates of the parts of a message are a token or so from that of the whole, so that some more may have to go.
    while excess > 0 and request_tokens(kept) > limit and more <= excess:
        kept = replace(request, messages=(*before, *_with_short_rounds(asked, excess + more, calls)))
        more = 2 * more or len(asked)
    return kept


def earlier_within(
    earlier: Sequence[ChatMessage],
    excess: int,
    asked: int,
    results: Sequence[str],
    important: Sequence[Collection[str]],
) -> list[ChatMessage]:
    """What stays of the exchanges before a question whose tools gave ``excess`` tokens too many: the oldest go first.

    What is important stays, the newest first, within the share that quotes have, as long as something to read is left
    of each result; of an exchange that is longer than that what was said, without its tools.

    Args:
        earlier: the exchanges.
        excess: tokens.
        asked: the tokens of the question with its calls and results.
        results: the results among them.
        important: whose messages are, in each exchange, oldest first: their roles.
    """
    starts = [place for place, message in enumerate(earlier) if place == 0 or message.role == "user"]
    groups = [earlier[start:end] for start, end in zip(starts, [*starts[1:], len(earlier)], strict=False)]
    sizes = [sum(map(tokens_of, group)) for group in groups]
    # Twice, since a result that is shortened says how it can be read.
    shortest = asked - sum(max(0, estimate_tokens(content) - 2 * _READABLE_RESULT) for content in results)
    room = sum(sizes) + asked - excess
    most = min(room * QUOTES_SHARE // 100, room - shortest)
    kept: list[Sequence[ChatMessage]] = [() for _ in groups]
    for place in reversed(range(min(len(groups), len(important)))):
        forms = _shorter_and_shorter(groups[place], important[place]) if important[place] else iter(())
        kept[place] = next((form for form in forms if sum(map(tokens_of, form)) <= most), ())
        most -= sum(map(tokens_of, kept[place]))
    for place, group in enumerate(groups):
        if excess <= 0:
            kept[place] = group
        excess -= sizes[place] - sum(map(tokens_of, kept[place]))
    return [message for group in kept for message in group]


def _shorter_and_shorter(group: Sequence[ChatMessage], important: Collection[str]) -> Iterator[Sequence[ChatMessage]]:
    """An exchange; what was said in it, without the calls and their results; of that only the ``important`` whole."""
    yield group
    said = [message for message in group if not message.tool_requests and not message.tool_outcomes]
    if said and said[-1] is group[-1]:
        yield said
        yield [
            message
            if message.role in important or len(message.content) <= SHORTEST_QUOTE
            # A vendor's own parts hold the text in full: what is to be short is sent as ours.
            else replace(message, content=shortened(message.content, SHORTEST_QUOTE), provider_parts=None)
            for message in said
        ]


def folded_within(
    system: str, question: ChatMessage, given: Sequence[tuple[ToolRequest, ToolOutcome]], limit: int, ids: Sequence[str]
) -> str:
    """`fold_results` for a prompt of ``limit`` tokens: where it is longer, the longest results are shortened, and where
    that does not suffice, the arguments too.
    """
    room = limit - tokens_of(question)
    folded, more = fold_results(system, given), 0
    excess = estimate_tokens(folded) - room
    while estimate_tokens(folded) > room and more <= excess:  # As in `within`.
        folded = fold_results(system, _shortened_rounds(given, excess + more, ids))
        more = 2 * more or len(given)
    return folded


_Round = tuple[ToolRequest, ToolOutcome]


def _with_short_rounds(asked: list[ChatMessage], excess: int, calls: Sequence[ToolCall]) -> list[ChatMessage]:
    requests = [request for message in asked for request in message.tool_requests]
    outcomes = [outcome for message in asked for outcome in message.tool_outcomes]
    short = _shortened_rounds(list(zip(requests, outcomes, strict=True)), excess, [call.uuid for call in calls])
    short_requests, short_outcomes = iter([one for one, _ in short]), iter([one for _, one in short])
    messages = []
    for message in asked:
        kept = tuple(next(short_requests) for _ in message.tool_requests)
        if kept != message.tool_requests:
            # A vendor's own parts hold the arguments in full: what is to be short is sent as ours.
            message = replace(message, tool_requests=kept, provider_parts=None)
        if message.tool_outcomes:
            message = replace(message, tool_outcomes=tuple(next(short_outcomes) for _ in message.tool_outcomes))
        messages.append(message)
    return messages


def _shortened_rounds(given: Sequence[_Round], excess: int, ids: Sequence[str]) -> list[_Round]:
    """The calls with ``excess`` tokens less, the longest texts shortened first: of the results as long as something to
    read is left of each, then of results and arguments alike."""
    named = [*ids, *(outcome.id for _, outcome in given[len(ids) :])]
    results = [estimate_tokens(outcome.content) for _, outcome in given]
    arguments = [estimate_tokens(str(request.arguments)) for request, _ in given]
    for sizes, least in ((results, _READABLE_RESULT), ([*results, *arguments], _SHORTEST_RESULT)):
        level = max(sizes, default=0)
        while level > least:
            level = max(level * 4 // 5, least)
            contents = [
                _within_tokens(outcome.content, size, level, name)
                for (_, outcome), size, name in zip(given, results, named, strict=False)
            ]
            spared = sum(results) - sum(map(estimate_tokens, contents))
            short = [request.arguments for request, _ in given]
            if sizes is not results:
                short = [_arguments_within(each, size, level) for each, size in zip(short, arguments, strict=True)]
                spared += sum(arguments) - sum(estimate_tokens(str(each)) for each in short)
            if spared >= excess or (least, level) == (_SHORTEST_RESULT, _SHORTEST_RESULT):
                return [
                    (replace(request, arguments=kept), replace(outcome, content=content))
                    for (request, outcome), kept, content in zip(given, short, contents, strict=True)
                ]
    return list(given)


def _arguments_within(arguments: dict[str, Any], size: int, level: int) -> dict[str, Any]:
    """Arguments of ``size`` tokens cut to about ``level``; as they are where saying so would be longer."""
    if size <= level:
        return arguments
    characters = max(1, len(str(arguments)) * level // size)
    for short in (short_values(arguments, characters), {"arguments": shortened(to_json(arguments), characters)}):
        if estimate_tokens(str(short)) <= max(level, size // 2):
            return short
    return short if estimate_tokens(str(short)) < size else arguments


def _within_tokens(content: str, size: int, level: int, call_id: str) -> str:
    """A result of ``size`` tokens cut to about ``level``; as it is where saying so would be longer."""
    if size <= level:
        return content
    # Characters for each token as this text has them on the whole: four, one in CJK scripts.
    short = shortened_result(content, max(1, len(content) * level // size), call_id)
    return short if estimate_tokens(short) < size else content


def _first_that_fits(exchange: Exchange, cuts: Sequence[Cut], room: int) -> Fit:
    for each in cuts:
        cut = {message.uuid: _of_repeated(message, each) for message in exchange}
        tokens = exchange_tokens(exchange, lambda message, cut=cut: cut[message.uuid])  # type: ignore[misc]
        if tokens <= room:
            return Fit((exchange,), tuple(cut.items()), tokens)
    return Fit()


def _of_repeated(message: Message, cut: Cut) -> Cut:
    """How a message is cut where results are cut so: an answer that only quotes what was said is as long as the result
    that it quotes, which says how it is read again."""
    if not cut.results or cut.texts or message.role != "assistant" or len(message.content) <= cut.results:
        return cut
    return replace(cut, texts=cut.results) if message.echo else cut


def exchange_tokens(exchange: Exchange, cut: Callable[[Message], Cut]) -> int:
    """About how many tokens an exchange is in the prompt."""
    return sum(map(tokens_of, history(exchange, cut)))
