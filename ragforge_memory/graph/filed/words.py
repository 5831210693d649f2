"""The words in conversations' files, and which messages share the most telling ones with a question (BM25)."""

from __future__ import annotations

import math
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ragforge_memory.graph.filed.conversation_file import ConversationFile
from ragforge_memory.graph.text import text_words
from ragforge_memory.language.words import rough_stem

# Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), and Lucene's defaults.
_K1, _B = 1.2, 0.75


class Ranked(NamedTuple):
    """A message that was found."""

    conversation_id: str
    uuid: str
    score: float


class Words:
    """An index of one file's words, in memory; it follows the file as it grows."""

    def __init__(self, file: ConversationFile) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._position = 0
        self._generation = 0
        self._forget()

    def refresh(self) -> None:
        """Takes in what was appended since."""
        with self._guard:
            lines, position, generation = self._file.since(self._position, self._generation)
            if generation != self._generation:
                self._forget()
            for line in lines:
                content = line.get("content")
                self._add(line["uuid"], content if isinstance(content, str) else "")
            self._position, self._generation = position, generation

    @property
    def texts(self) -> int:
        """How many messages there are."""
        return len(self._lengths)

    @property
    def length(self) -> int:
        """How many words they have together."""
        return self._length

    def having(self, word: str) -> dict[str, int]:
        """The messages that have a word, with how often."""
        return self._having.get(word, {})

    def length_of(self, uuid: str) -> int:
        """How many words a message has."""
        return self._lengths.get(uuid, 0)

    def _add(self, uuid: str, content: str) -> None:
        for word in self._words.pop(uuid, ()):  # written again: the last counts
            having = self._having[word]
            del having[uuid]
            if not having:
                del self._having[word]
        counted = Counter(map(rough_stem, text_words(content)))
        self._length += counted.total() - self._lengths.get(uuid, 0)
        self._lengths[uuid] = counted.total()
        # Of a word that many messages have there is one string.
        self._words[uuid] = words = tuple(map(sys.intern, counted))
        for word in words:
            self._having.setdefault(word, {})[uuid] = counted[word]

    def _forget(self) -> None:
        self._length = 0
        self._lengths: dict[str, int] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._having: dict[str, dict[str, int]] = {}


def rank(indexes: Sequence[tuple[str, Words]], asked: Sequence[str]) -> list[Ranked]:
    """The messages that have any of the words, most telling first; how rare a word is is counted in these alone."""
    for _, words in indexes:
        words.refresh()
    texts = sum(words.texts for _, words in indexes)
    mean = sum(words.length for _, words in indexes) / texts if texts else 0.0
    scores: dict[tuple[str, str], float] = {}
    for word in dict.fromkeys(map(rough_stem, asked)):
        found = [(uuid, words, words.having(word)) for uuid, words in indexes]
        number = sum(len(having) for _, _, having in found)
        rarity = math.log(1 + (texts - number + 0.5) / (number + 0.5))
        for conversation_id, words, having in found:
            for uuid, times in having.items():
                length = 1 - _B + _B * words.length_of(uuid) / mean
                key = (conversation_id, uuid)
                scores[key] = scores.get(key, 0.0) + rarity * times * (_K1 + 1) / (times + _K1 * length)
    return sorted((Ranked(*key, score) for key, score in scores.items()), key=lambda each: -each.score)
