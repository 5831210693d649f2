"""Which earlier messages a prompt quotes outside of the run of recent ones, and which part of each.

What stands in the prompt already is not quoted again: a sentence that the summary or the compression has is left out.
Of an important message that is cut, the part is kept that decides something or tells what failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, zip_longest
from operator import itemgetter

from ragforge_memory.agent.context.budget import QUOTE_CHARACTERS, SHORTEST_QUOTE, quote_tokens
from ragforge_memory.agent.context.importance import IMPORTANT, Sentence, placed_sentences
from ragforge_memory.agent.context.prompt import Quote
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.models.conversation import Message

# Shorter sentences ("Yes.") stand in many texts.
_TELLING = 20


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A message that may be quoted: of its ``run``, the characters from the one to the other, as many as there is room
    for; ``key`` are those of them that must be seen, if any."""

    quote: Quote
    run: tuple[int, int]
    key: tuple[int, int] | None = None

    def within(self, characters: int) -> Quote:
        """The quote with about so many characters: from the beginning, unless what must be seen is further on."""
        start, end = self.run
        if self.key is not None:
            characters = max(characters, self.key[1] - self.key[0])
            if self.key[1] > start + characters:
                start = self.key[0]
        return replace(self.quote, start=start, characters=min(characters, end - start))


def quotes_of(before: TurnContext, recent: Sequence[Message], said: str, room: int) -> tuple[list[Quote], int]:
    """The important and the relevant among what is older than ``recent``, by their seq, and their tokens.

    Args:
        before: what was read of the conversation.
        recent: what the prompt has of it.
        said: what is condensed and summarised in the prompt.
        room: tokens.
    """
    known = {message.uuid for message in recent}
    left = [message for message in before.messages if (message.importance or 0) >= IMPORTANT]
    important = [Quote(message, "important", message.importance, 0) for message in (*reversed(left), *before.important)]
    found = [Quote(one.message, "relevant", round(one.score, 4), 0) for one in before.found]
    said = flat(said)
    candidates: list[_Candidate] = []
    for quote in chain.from_iterable(zip_longest(important, found)):
        if quote is None or quote.message.uuid in known or quote.message.role == "system":
            continue
        candidate = _candidate(quote, said)
        if candidate is not None:
            known.add(quote.message.uuid)
            candidates.append(candidate)
    return _within(candidates, room)


def flat(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def _candidate(quote: Quote, said: str) -> _Candidate | None:
    """What may be quoted of a message; None where all of it is said, or all for which it is important."""
    content = quote.message.content
    if not content.strip() or (said and flat(content)[:200] in said):
        return None
    whole = (0, len(content.rstrip()))
    important = quote.tier == "important"
    # Mostly all of a message is new, and so short that it is seen whole.
    if not said and (not important or whole[1] <= SHORTEST_QUOTE):
        return _Candidate(quote, whole)
    placed = list(placed_sentences(content))
    new = [not _is_said(each, said) for each in placed]
    if not any(new):
        return None
    keys = [(at, each) for at, each in enumerate(placed) if each.is_key] if important else []
    unsaid = [(at, each) for at, each in keys if new[at]]
    if keys and not unsaid:
        return None
    key = unsaid[0][1] if unsaid else None
    seen = (key.start, key.end) if key else None
    if all(new):
        return _Candidate(quote, whole, seen)
    runs = _runs(placed, new)
    run = next((each for each in runs if key in each), None) or max(runs, key=lambda run: run[-1].end - run[0].start)
    return _Candidate(quote, (run[0].start, run[-1].end), seen)


def _runs(placed: Sequence[Sentence], new: Sequence[bool]) -> list[list[Sentence]]:
    """The new sentences, those together that stand side by side."""
    pairs = groupby(zip(placed, new, strict=True), key=itemgetter(1))
    return [[each for each, _ in group] for is_new, group in pairs if is_new]


def _is_said(sentence: Sentence, said: str) -> bool:
    """Whether a sentence stands in a text; a summary ends its sentences in its own way."""
    text = flat(sentence.text).rstrip(".…")
    return len(text) >= _TELLING and text in said


def _within(candidates: Sequence[_Candidate], room: int) -> tuple[list[Quote], int]:
    """The first of the candidates (the worthiest first) that fit, by their seq, and their tokens; each shortened so
    that the others have room as well."""
    taken: list[Quote] = []
    spent = 0
    for place, candidate in enumerate(candidates):
        left = room - spent
        fair = max(left // min(len(candidates) - place, 4), SHORTEST_QUOTE // 4 + 12)
        most = min(QUOTE_CHARACTERS, max(SHORTEST_QUOTE, (fair - 12) * 4))
        for characters in (most, most // 2, most // 4):
            one = candidate.within(characters)
            tokens = quote_tokens(one)
            if tokens <= left and (tokens <= fair or characters <= SHORTEST_QUOTE):
                taken.append(one)
                spent += tokens
                break
    return sorted(taken, key=lambda quote: quote.message.seq), spent
