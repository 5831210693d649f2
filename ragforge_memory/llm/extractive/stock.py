"""What an extractive answer says whatever was asked: it stands for nothing that was found."""

from __future__ import annotations

from ragforge_memory.llm.extractive.answer import GREETING, HELP, NO_TOOLS, NOTED, THANKS, UNCLEAR
from ragforge_memory.llm.extractive.quoting import NOTHING_FOUND
from ragforge_memory.retrieval.sentences import sentences

_STOCK = frozenset(
    sentence for text in (GREETING, HELP, NO_TOOLS, NOTED, THANKS, UNCLEAR) for sentence in sentences(text)
)


def is_stock(sentence: str) -> bool:
    """Whether a sentence of an answer is one of those, or says that nothing was found."""
    return sentence in _STOCK or sentence.startswith(NOTHING_FOUND)
