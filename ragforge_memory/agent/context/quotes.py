"""Which earlier messages a prompt quotes outside of the run of recent ones, and which part of each.

What stands in the prompt already is not quoted again: a sentence that the summary or the compression has is left out.
Of an important message that is cut, the part is kept that decides something or tells what failed; that is so of a
recent one too, of which the prompt has the beginning alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby, takewhile, zip_longest
from operator import itemgetter

from ragforge_memory.agent.context.budget import QUOTE_CHARACTERS, SHORTEST_QUOTE, quote_tokens
from ragforge_memory.agent.context.compression import SOURCE
from ragforge_memory.agent.context.importance import IMPORTANT, Sentence, is_key, placed_sentences, sentences_and_lines
from ragforge_memory.agent.context.prompt import Quote
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.models.conversation import ScoredMessage

# Shorter sentences ("Yes.") stand in many texts.
_TELLING = 20
# A summary cuts what is long: what begins alike for so many characters is the same sentence.
_BEGINNING = 200


class Quotes:
    """What may be quoted in a turn."""

    def __init__(self, before: TurnContext, said: str) -> None:
        left = [message for message in before.messages if (message.importance or 0) >= IMPORTANT]
        important = (*reversed(left), *before.important)
        found = {one.message.uuid: one for one in before.found}
        self._quotes = [
            _found(quote, found.get(quote.message.uuid))
            for quote in chain.from_iterable(
                zip_longest(
                    (Quote(message, "important", message.importance, 0) for message in important),
                    (Quote(one.message, "relevant", round(one.score, 4), 0) for one in before.found),
                )
            )
            if quote is not None and quote.message.role != "system" and quote.message.content.strip()
        ]
        self._said = flat(said)
        lines = (SOURCE.sub("", line).rstrip(".…") for line in sentences_and_lines(said))
        self._lines = tuple(line for line in lines if len(line) >= _TELLING)
        self._known: dict[tuple[str, str, int], _Candidate | None] = {}

    def within(self, recent: Mapping[str, int], room: int) -> tuple[list[Quote], int]:
        """The important and the relevant that fit into ``room`` tokens, by their seq, and their tokens.

        The worthiest first, each shortened so that the others have room as well.

        Args:
            recent: the uuids of what is recent: not quoted, but for what it decides behind so many characters, which
                are all that the prompt has of it (0: it has the whole).
            room: tokens.
        """
        candidates = self._candidates(recent)
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

    def _candidates(self, recent: Mapping[str, int]) -> list[_Candidate]:
        found = []
        known = {uuid for uuid, shown in recent.items() if not shown}
        for quote in self._quotes:
            shown = recent.get(quote.message.uuid, 0)
            key = (quote.message.uuid, quote.tier, shown)
            if quote.message.uuid in known:
                continue
            if key not in self._known:
                self._known[key] = self._behind(quote, shown) if shown else self._candidate(quote)
            candidate = self._known[key]
            if candidate is not None:
                known.add(quote.message.uuid)
                found.append(candidate)
        return found

    def _candidate(self, quote: Quote) -> _Candidate | None:
        """What may be quoted of a message; None where all of it is said, or all for which it is important."""
        content = quote.message.content
        plain = flat(content)
        if plain in self._said:
            return None
        # Mostly all of a message is new.
        if plain[:_BEGINNING] not in self._said and not any(line in plain for line in self._lines):
            return _Candidate(quote, (0, len(content.rstrip())))
        pairs = [(each, not self._has(each)) for each in placed_sentences(content)]
        runs = [[each for each, _ in group] for new, group in groupby(pairs, key=itemgetter(1)) if new]
        if not runs:
            return None
        run = max(runs, key=lambda run: run[-1].end - run[0].start)
        if quote.tier == "important":
            deciding = next((each for each in runs if any(sentence.is_key for sentence in each)), None)
            if deciding is None and any(each.is_key for each, _ in pairs):
                return None
            run = deciding or run
        whole = len(runs) == 1 and len(runs[0]) == len(pairs)
        return _Candidate(quote, (0, len(content.rstrip())) if whole else (run[0].start, run[-1].end))

    def _behind(self, quote: Quote, shown: int) -> _Candidate | None:
        """What an important message decides behind its first characters; None where nothing."""
        if quote.tier != "important" or len(quote.message.content) <= shown:
            return None
        placed = placed_sentences(quote.message.content)
        deciding = [each for each in placed if each.end > shown and each.is_key and not self._has(each)]
        return _Candidate(quote, (deciding[0].start, deciding[-1].end)) if deciding else None

    def _has(self, sentence: Sentence) -> bool:
        """Whether a sentence stands in what is said; a summary ends its sentences in its own way, and cuts long ones:
        of those what is left out may decide something still."""
        text = sentence.text.rstrip(".…")
        if len(text) < _TELLING or text in self._said:
            return len(text) >= _TELLING
        at = self._said.find(text[:_BEGINNING]) if len(text) > _BEGINNING else -1
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, self._said[at:], strict=False)))
        return at >= 0 and not is_key(text[alike:])


def _found(quote: Quote, one: ScoredMessage | None) -> Quote:
    """A quote with why it was found; what is important may have been found as well."""
    return quote if one is None else replace(quote, matched_by=one.matched_by, similarity=one.similarity)


def flat(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


class _Candidate:
    """A message that may be quoted, and from where to where."""

    def __init__(self, quote: Quote, run: tuple[int, int]) -> None:
        self._quote = quote
        self._run = run

    def within(self, characters: int) -> Quote:
        """The quote with about so many characters: from the beginning, unless what must be seen is further on."""
        start, end = self._run
        if end - start > characters and self._key is not None:
            characters = max(characters, self._key.end - self._key.start)
            if self._key.end > start + characters:
                start = self._key.start
        return replace(self._quote, start=start, characters=min(characters, end - start))

    @cached_property
    def _key(self) -> Sentence | None:
        """What makes an important message so."""
        start, end = self._run
        placed = placed_sentences(self._quote.message.content) if self._quote.tier == "important" else ()
        return next((each for each in placed if start <= each.start and each.end <= end and each.is_key), None)
