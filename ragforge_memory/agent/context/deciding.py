"""Which messages decide something, and the sentences that do."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.importance import IMPORTANT, deciding_sentences, own_words, sentences_and_lines
from ragforge_memory.language.reading.small_talk import MARKED, PRINTED
from ragforge_memory.language.reading.statements import noted_in
from ragforge_memory.language.said.echoes import only_asks
from ragforge_memory.llm.port import EXTRACTIVE

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import Message

# From here on somebody has marked a message, whatever its words are.
_MARKED = 0.9
# Sentences that are told of what a user has said.
_STATED = 3


def decision_of(message: Message) -> str | None:
    """What makes a message a decision: the sentence of an important one that decides or rules something, of a user's
    the first three that do so or are noted, of a marked one else its first; None where it is none. What only asks
    decides nothing."""
    importance = message.importance or 0
    # What only quotes decides nothing.
    if importance < IMPORTANT or (message.model or "").startswith(f"{EXTRACTIVE}:"):
        return None
    decided = " ".join(islice(ruled_in(message), _STATED if message.role == "user" else 1))
    return decided or (next(iter(sentences_and_lines(message.content)), None) if importance >= _MARKED else None)


def ruled_in(message: Message) -> Iterable[str]:
    """The sentences of a message that decide or rule something, of a user's those too that are noted."""
    said = own_words(message.content, message.role)  # a comment of quoted source decides nothing
    if message.role != "user":
        return deciding_sentences(said)
    if not MARKED.match(said.strip()):
        said = PRINTED.sub("", said)  # what a program must have is no rule of the project
    return _ruled(said, {*deciding_sentences(said)})


def _ruled(said: str, decides: Collection[str]) -> list[str]:
    """The sentences of what a user said that are noted, or decide something and do not ask."""
    if MARKED.match(said.strip()):
        return sentences_and_lines(said)
    notes = noted_in(said) is not None
    return [
        each
        for each in sentences_and_lines(said)
        if (each in decides and not only_asks(each)) or (notes and noted_in(each))
    ]
