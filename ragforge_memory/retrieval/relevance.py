"""Which results of a search by words answer a question, and which of its words nothing was found for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragforge_memory.language.reading.wording import beginning, covered, stem, stems
from ragforge_memory.text.names import is_aside

MAX_SEARCHED = 40
"""Results of a search that are judged."""

ENOUGH_WORDS = 0.6
"""Part of the question's words that a result must have to answer it by words: two of two, two of three."""

SURE_SIMILARITY = 0.45
"""Calibrated similarity (0 unrelated, 1 the same) from which a result answers whatever its words."""

NEAREST = 3
"""What is near that is told, where nothing answers."""

_SHORTEST_STEM = 3
# From how many results on, and of what part of them, a word in the paths tells nothing.
_MANY, _NEARLY_ALL = 10, 0.9
_ASIDE = frozenset(map(stem, ("test", "spec", "example", "benchmark")))


_Near = tuple[Mapping[str, Any], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Judged:
    """Results of a search.

    Args:
        good: what answers, the best first.
        near: where nothing does: what has half of the words at least, or one in its name, with those that it has, the
            best for each word first. Where only tests and the like do: what else has any of the words, as the search
            had them.
        missing: the words that nothing was found for together; none where something answers.
    """

    good: tuple[Mapping[str, Any], ...]
    near: tuple[_Near, ...] = ()
    missing: tuple[str, ...] = ()


def judged(asked: tuple[str, ...], results: Sequence[Mapping[str, Any]]) -> Judged:
    """Sorts results by how much of the question they have; tests last, unless it asks for them."""
    wanted = asks_for_aside(" ".join(asked))
    ranked = sorted(results, key=lambda each: _rank(each, covered(asked, _text(each)), asked, wanted))
    asked = _telling(asked, results)
    scored = [(each, covered(asked, _text(each))) for each in ranked]
    good = tuple(each for each, have in scored if _answers(each, have, asked))
    if stand_aside(" ".join(asked), good):
        own = ((each, covered(asked, _text(each))) for each in results if not is_aside(each))
        return Judged(good, tuple((each, have) for each, have in own if have))
    if good:
        return Judged(good)
    near = [(each, have) for each, have in scored if _is_near(each, have, asked)]
    if not near:
        return Judged((), (), asked)
    missing = tuple(word for word in asked if any(word not in have for _, have in near[:NEAREST]))
    varied = _varied(near)
    if len(missing) == 1 and any(missing[0] in have for _, have in varied[:NEAREST]):
        missing = asked  # a lone word has lines everywhere, and what is called so is told
    return Judged((), varied, missing)


def named_so(asked: tuple[str, ...], found: Judged) -> Mapping[str, Any] | None:
    """The best result if its name says all that was asked for: "how does Context parse args", `Context.parse_args`.

    A constant does nothing, whatever it is called.
    """
    best = found.good[0] if found.good else None
    if best is None or len(asked) < 2 or is_aside(best) or best["type"] == "constant":
        return None
    return best if covered(asked, str(best["qualified_name"])) == asked else None


def asks_for_aside(said: str) -> bool:
    """Whether a question names what stands aside: tests, examples, benchmarks."""
    return not stems(said).isdisjoint(_ASIDE)


def stand_aside(said: str, scopes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether definitions are all tests and the like, and the question names no such thing: they only use what it is
    about."""
    return bool(scopes) and all(map(is_aside, scopes)) and not asks_for_aside(said)


def line_pattern(words: Sequence[str]) -> str:
    """A regular expression for lines that have all of these words, in any form, of three and more all but one; to be
    matched case aside."""
    starts = []
    for word in words:
        kept = beginning(word.lower())
        starts.append(re.escape(kept if len(kept) >= _SHORTEST_STEM else word))
    looks = [rf"(?=.*(?<![A-Za-z]){start})" for start in starts]
    if len(looks) < 3:
        return "^" + "".join(looks)
    return f"^(?:{'|'.join(''.join(looks[:at] + looks[at + 1 :]) for at in range(len(looks)))})"


def _telling(asked: tuple[str, ...], results: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The words but for those that the paths of nearly all results have, as the project's own name: they tell nothing
    of any of them. All, where no other is left, or the results are few."""
    if len(results) < _MANY:
        return asked
    paths = [covered(asked, str(each["file"]).replace("/", " ")) for each in results if not is_aside(each)]
    everywhere = {word for word in asked if sum(word in each for each in paths) >= _NEARLY_ALL * len(paths) > 0}
    return tuple(word for word in asked if word not in everywhere) or asked


def _answers(result: Mapping[str, Any], have: Sequence[str], asked: Sequence[str]) -> bool:
    similarity = result.get("similarity")
    if isinstance(similarity, float) and similarity >= SURE_SIMILARITY:
        return True
    return bool(have) and len(have) >= ENOUGH_WORDS * len(asked)


def _is_near(result: Mapping[str, Any], have: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    return bool(have) and (len(have) * 2 >= len(asked) or bool(covered(have, str(result["qualified_name"]))))


def _varied(near: Sequence[_Near]) -> tuple[_Near, ...]:
    """What brings words that nothing before it has, then the others: three that render say nothing of HTML."""
    known, first, others = set[str](), list[_Near](), list[_Near]()
    for each in near:
        (others if known.issuperset(each[1]) else first).append(each)
        known.update(each[1])
    return (*first, *others)


def _rank(
    result: Mapping[str, Any], have: Sequence[str], asked: tuple[str, ...], aside: bool
) -> tuple[bool, int, int, bool]:
    """Tests last, where ``aside`` does not say that they are wanted; more of the question's words first, then more of
    them in the name; then as the search had them."""
    in_name = covered(asked, str(result["qualified_name"]))
    return not aside and is_aside(result), -len(have), -len(in_name), is_aside(result)


def _text(result: Mapping[str, Any]) -> str:
    return " ".join(str(result.get(key) or "") for key in ("qualified_name", "signature", "docstring", "file")).replace(
        "/", " "
    )
