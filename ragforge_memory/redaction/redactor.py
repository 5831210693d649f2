"""The redactor: texts and JSON values without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from itertools import accumulate
from typing import Any

from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction.judges import NAMED, kind_of, names_a_secret
from ragforge_memory.redaction.private_keys import has_frame, private_keys
from ragforge_memory.redaction.table import ASSIGNED, LOGINS, VENDORS, Rule

PRIVATE_KEY = "private key"


class Redactor:
    """Takes secrets out of texts and values; ``found`` gets what was taken out, and of what kind it is."""

    def __init__(self, found: dict[str, str] | None = None) -> None:
        self._found = found

    def text(self, text: str) -> str:
        """``text`` with every secret replaced by ``[redacted KIND]``; linear in its length."""
        if has_frame(text):
            for begin, end in reversed(private_keys(text)):
                text = f"{text[:begin]}{self._secret(text[begin:end], PRIVATE_KEY)}{text[end:]}"
        # Most words are too short for a key: to look for hints in the rest is faster than in the text.
        words = " ".join({word for word in text.split() if len(word) >= 14})
        text = self._applied((rule for rule in VENDORS if any(hint in words for hint in rule.hints)), text)
        small = text.lower()
        text = self._applied((rule for rule in LOGINS if any(hint in small for hint in rule.hints)), text)
        if not NAMED.search(small):
            return text
        lines = zip(text.split("\n"), small.split("\n"), strict=True)
        return "\n".join([self._applied(ASSIGNED, line) if NAMED.search(low) else line for line, low in lines])

    def value(self, value: Any, *, levels: int = DEEPEST) -> Any:
        """A JSON value with every string in it redacted, names too, and whatever stands under a name like ``api_key``;
        what is below so many ``levels``, as nothing that comes from a model or a tool is, is left out."""
        if isinstance(value, str):
            return self.text(value)
        if levels == 0 and isinstance(value, (dict, list, tuple)):
            return "(nested too deeply)"
        if isinstance(value, dict):
            return self._dict(value, levels - 1)
        if isinstance(value, (list, tuple)):
            return [self.value(item, levels=levels - 1) for item in _whole_keys(value)]
        return value

    def _dict(self, value: dict[Any, Any], levels: int) -> dict[Any, Any]:
        clean: dict[Any, Any] = {}
        for key, item in value.items():
            name = self.text(key) if isinstance(key, str) else key
            while name in clean:  # two secrets of one kind are still two names
                name = f"{name} 2"
            clean[name] = self._under(key, item, levels) if isinstance(key, str) else self.value(item, levels=levels)
        return clean

    def _under(self, name: str, value: Any, levels: int) -> Any:
        """A value under its name: what makes it a secret may be the name alone."""
        kind = kind_of(name)
        if isinstance(value, str):
            clean = (
                self._behind(name, value) if name.lower().endswith(("authorization", "cookie")) else self.text(value)
            )
            return self._secret(value) if kind and clean == value and names_a_secret(kind, value) else clean
        if kind == "password" and type(value) is int and value >= 1_000:
            return self._secret(str(value))
        one = name if kind else name.removesuffix("s")
        if isinstance(value, (list, tuple)) and (kind or kind_of(one) not in ("token", None)):
            # Errors about a password are a list too, but of sentences.
            return [
                self._behind(one, item) if isinstance(item, str) and " " not in item else self.value(item)
                for item in _whole_keys(value)
            ]
        return self.value(value, levels=levels)

    def _behind(self, name: str, value: str) -> str:
        """A value as it is cleaned behind its name."""
        return self.text(f"{name}: {value}").removeprefix(f"{name}: ")

    def _applied(self, rules: Iterable[Rule], text: str) -> str:
        for rule in rules:
            text = rule.pattern.sub(partial(self._replaced, rule), text)
        return text

    def _replaced(self, rule: Rule, match: re.Match[str]) -> str:
        if rule.judge is not None and not rule.judge(match):
            return match[0]
        begin, end = (place - match.start() for place in match.span("secret"))
        return f"{match[0][:begin]}{self._secret(match['secret'], rule.kind)}{match[0][end:]}"

    def _secret(self, value: str, kind: str = "secret") -> str:
        if self._found is not None:
            self._found[value] = kind
        return mark(kind)


def mark(kind: str) -> str:
    """What stands in the place of a secret."""
    return f"[redacted {kind}]"


def _whole_keys(values: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
    """A list whose texts may be the lines of a private key, with a mark for each that has some of it and not all."""
    lines = [each if isinstance(each, str) else "" for each in values]
    if not any(map(has_frame, lines)):
        return values
    spans, ends = private_keys("\n".join(lines)), [end - 1 for end in accumulate(len(line) + 1 for line in lines)]

    def is_part(begin: int, end: int) -> bool:
        return any(first < end and last > begin and (first < begin or last > end) for first, last in spans)

    parted = zip(values, lines, ends, strict=True)
    return [mark(PRIVATE_KEY) if line and is_part(end - len(line), end) else each for each, line, end in parted]
