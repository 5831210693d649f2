"""The sentences of a conversation that say most of what it is about: extraction without a model.

Sentences are vectors (an embedder's, else their words weighed by rarity), and those nearest their centroid are taken,
none that says again what another has said. Centroid-based extraction: Radev, Jing, Styś and Tam, "Centroid-based
summarization of multiple documents", 2004; the check for repetition: Carbonell and Goldstein, "The use of MMR", 1998.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, sqrt

from ragforge_memory.text.names import words

MIN_WORDS = 4
MAX_CHARACTERS = 300
"""A sentence of fewer words says little, a longer one is a list or a text without full stops."""

SAME_COSINE = 0.9
SAME_WORDS = 0.6
"""From this cosine, or this share of common words, on two sentences say the same."""

# "`Store.get` - app/store.py:2 (method)": where something is, and nothing of it.
_PLACE = re.compile(r"`?[^`\n]+`? - \S+:\d+(?:, \d+)*(?: \([^()]*\))?[.:]?$")
_WORD = re.compile(r"[^\W_]+(?:[_.'’-][^\W_]+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Vector = Sequence[float]
Sparse = Mapping[str, float]


def tells(sentence: str) -> bool:
    """Whether a sentence is one that can stand for others: long enough to say something, short enough to be one, and
    neither what leads to a list nor a place in one."""
    if sentence.endswith(":") or _PLACE.match(sentence):
        return False
    count = len(_WORD.findall(sentence)) + len(_WIDE.findall(sentence)) // 2
    letters = sum(character.isalpha() or character.isspace() for character in sentence)
    return count >= MIN_WORDS and len(sentence) <= MAX_CHARACTERS and letters >= 0.6 * len(sentence)


def central(texts: Sequence[str], count: int, vectors: Sequence[Vector] | None = None) -> list[int]:
    """The places of the ``count`` texts nearest to the centroid of all, none like another, in their order.

    Args:
        texts: sentences.
        count: how many, at most.
        vectors: one unit vector a text; None: the words themselves, weighed by how rare they are.
    """
    weighed = word_vectors(texts)
    near = _nearness(vectors) if vectors is not None else _sparse_nearness(weighed)
    chosen: list[int] = []
    for place in sorted(range(len(texts)), key=lambda place: (-near[place], place)):
        alike = any(
            _common(weighed[place], weighed[other]) >= SAME_WORDS
            or (vectors is not None and _dot(vectors[place], vectors[other]) >= SAME_COSINE)
            for other in chosen
        )
        if not alike:
            chosen.append(place)
        if len(chosen) == count:
            break
    return sorted(chosen)


def word_vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Each text as its words with weights, of length 1: how often a word is in it, times the logarithm of how rare."""
    counted = [Counter(_terms(text)) for text in texts]
    spread = Counter(term for counts in counted for term in counts)
    vectors = []
    for counts in counted:
        weights = {term: (1 + log(many)) * log(1 + len(texts) / spread[term]) for term, many in counts.items()}
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    return vectors


def _terms(text: str) -> list[str]:
    """The words of a text in lower case, those of identifiers apart; of scripts without spaces the pairs of signs."""
    found: list[str] = []
    for token in _WORD.findall(text):
        wide = _WIDE.findall(token)
        if wide:
            found.extend(a + b for a, b in pairwise(wide))
        else:
            found.extend(word.lower() for word in words(token) if len(word) > 1)
    return found


def _nearness(vectors: Sequence[Vector]) -> list[float]:
    if not vectors:
        return []
    centre = [sum(column) for column in zip(*vectors, strict=True)]
    return [_dot(vector, centre) for vector in vectors]


def _sparse_nearness(vectors: Sequence[Sparse]) -> list[float]:
    centre: Counter[str] = Counter()
    for vector in vectors:
        centre.update(vector)
    return [sum(weight * centre[term] for term, weight in vector.items()) for vector in vectors]


def _common(one: Sparse, other: Sparse) -> float:
    smaller = min(len(one), len(other))
    return len(one.keys() & other.keys()) / smaller if smaller else 0.0


def _dot(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
