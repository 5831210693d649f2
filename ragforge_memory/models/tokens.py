"""Counting tokens without asking anybody."""

from __future__ import annotations

import re

# Han, Hiragana, Katakana, Hangul: such a character is about one token, where four of others make one.
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` is: four characters each, one for each character of CJK scripts."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _CHARACTERS_PER_TOKEN)
