"""What stands for nothing in an extractive answer: what it says whatever was asked, and the items of its lists."""

from __future__ import annotations

import re

from ragforge_memory.llm.extractive.answer import CHANGES, GREETING, HELP, KEPT, NO_TOOLS, NOTED, THANKS, UNCLEAR
from ragforge_memory.llm.extractive.quoting import NOTHING_FOUND
from ragforge_memory.retrieval.sentences import sentences

_STOCK = frozenset(
    sentence for text in (CHANGES, GREETING, HELP, KEPT, NO_TOOLS, THANKS, UNCLEAR) for sentence in sentences(text)
)

# "`Command.invoke` - core.py:12 (method)", "core.py:12 (`Command`)", "src/click: 17 files": which list they are of is
# said before them.
_ITEM = re.compile(r"^(?:`[^`]+` - )?[^\s`]+:\d+\b|^\S+: \d+ files?$|^\S+\.\w+: `")


def is_stock(sentence: str) -> bool:
    """Whether a sentence of an answer is one of those, says that nothing was found, or is an item of a list of code."""
    return sentence in _STOCK or sentence.startswith((NOTHING_FOUND, NOTED)) or bool(_ITEM.match(sentence))
