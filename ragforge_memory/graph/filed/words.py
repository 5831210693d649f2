"""The words in conversations' files, and which messages share the most telling ones with a question (BM25)."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ragforge_memory.graph.filed.conversation_file import ConversationFile
from ragforge_memory.graph.text import text_words
from ragforge_memory.retrieval.bm25 import rarity, word_score
from ragforge_memory.text.words import stem

_B = 0.75
"""Lucene's default, see `retrieval/bm25.py`."""


class Ranked(NamedTuple):
    """A message that was found."""

    conversation_id: str
    uuid: str
    score: float


class Counted(NamedTuple):
    """What one file has of some words at a moment: its messages, and how many words they have together.

    ``having`` says for each word that is there which messages have it, how often, and how many words each has.
    """

    texts: int
    length: int
    having: dict[str, list[tuple[str, int, int]]]


class Words:
    """An index of one file's words, in memory; it follows the file as it grows. Safe to ask from any thread."""

    def __init__(self, file: ConversationFile) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._position = 0
        self._generation = 0
        self._forget()

    def count(self, words: Iterable[str]) -> Counted:
        """Takes in what was appended since, and counts these words."""
        with self._guard:
            self._refresh()
            having = {
                word: [(uuid, times, self._lengths[uuid]) for uuid, times in self._having[word].items()]
                for word in words
                if word in self._having
            }
            return Counted(len(self._lengths), self._length, having)

    def _refresh(self) -> None:
        lines, position, generation = self._file.since(self._position, self._generation)
        if generation != self._generation:
            self._forget()
        for line in lines:
            content = line.get("content")
            self._add(line["uuid"], content if isinstance(content, str) else "")
        self._position, self._generation = position, generation

    def _add(self, uuid: str, content: str) -> None:
        for word in self._words.pop(uuid, ()):  # written again: the last counts
            having = self._having[word]
            del having[uuid]
            if not having:
                del self._having[word]
        counted = Counter(map(stem, text_words(content)))
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
    stems = list(dict.fromkeys(map(stem, asked)))
    counted = [(conversation_id, words.count(stems)) for conversation_id, words in indexes]
    texts = sum(each.texts for _, each in counted)
    mean = sum(each.length for _, each in counted) / texts if texts else 0.0
    scores: dict[tuple[str, str], float] = {}
    for wanted in stems:
        found = [(conversation_id, each.having.get(wanted, [])) for conversation_id, each in counted]
        number = sum(len(having) for _, having in found)
        weight = rarity(number, texts)
        for conversation_id, having in found:
            for uuid, times, words in having:
                key = (conversation_id, uuid)
                scores[key] = scores.get(key, 0.0) + word_score(weight, times, words / mean, _B)
    return sorted((Ranked(*key, score) for key, score in scores.items()), key=lambda each: -each.score)
