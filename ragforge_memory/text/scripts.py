"""Scripts that are written without spaces: what stands for a word there."""

from __future__ import annotations

import re
from itertools import pairwise

# Han and Hiragana, of which Lucene's standard tokenizer makes a token of each sign; Katakana, a token for each run.
_SIGNS = r"\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々〇"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
WIDE = _SIGNS + _KATAKANA
"""The signs of these scripts, as the inside of a set in a pattern."""

_WIDE = re.compile(f"[{WIDE}]")
_RUNS = re.compile(f"(?P<signs>[{_SIGNS}]+)|[{_KATAKANA}]+|[^{_SIGNS}{_KATAKANA}]+")


def is_wide(word: str) -> bool:
    """Whether a word has signs of a script that is written without spaces, so that its ends are not ends of a word."""
    return not word.isascii() and _WIDE.search(word) is not None


def asked_pieces(run: str) -> list[str]:
    """What a run of letters and digits asks for: itself, or, of scripts without spaces, each two signs side by side.

    An index that has each sign as a token finds them as a phrase. A Katakana word stays whole, as it is there.
    """
    if not is_wide(run):
        return [run]
    found: list[str] = []
    for part in _RUNS.finditer(run):
        text = part.group()
        found += [a + b for a, b in pairwise(text)] if part["signs"] and len(text) > 1 else [text]
    return found


def known_pieces(run: str) -> list[str]:
    """What a run in a text can be found by: `asked_pieces`, and each sign."""
    if not is_wide(run):
        return [run]
    return asked_pieces(run) + [sign for part in _RUNS.finditer(run) if part["signs"] for sign in part["signs"]]
