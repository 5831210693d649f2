"""What may be remembered: texts of a length, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ragforge_memory.errors import InvalidInput

LONGEST_NAME, LONGEST_VALUE = 100, 2_000
"""Characters of a fact's type and key, of an episode's topic and tags; of a fact's value and an episode's summary."""

MOST = 100
"""Messages that are marked, facts that are merged and tags that are given at once."""


class Checks:
    """Checks what is given; each method raises InvalidInput for what is missing, too long or a secret.

    Args:
        redacted: takes secrets out of a text.
    """

    def __init__(self, redacted: Callable[[str], str]) -> None:
        self._redacted = redacted

    def without_secrets(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a tool as they may be kept; the reason for which something is forgotten is redacted.

        Raises:
            InvalidInput: another of them has a secret in it.
        """
        kept = dict(arguments)
        if isinstance(reason := kept.get("reason"), str):
            kept["reason"] = self._redacted(reason)
        for text in _texts_in(kept):
            self._refuse_secret(text)
        return kept

    def _refuse_secret(self, *texts: str) -> None:
        if any(self._redacted(each) != each for each in texts):
            raise InvalidInput("that has a secret in it, which is not remembered")

    def name(self, what: str, text: str) -> str:
        """A short text, which ``what`` names in errors."""
        text = self._checked(what, text, LONGEST_NAME)
        self._refuse_secret(text)
        return text

    def text(self, what: str, text: str, *, beside: str = "") -> str:
        """A text on one line; ``beside`` is the name that it is kept under, which may make a secret of it."""
        text = self._checked(what, text, LONGEST_VALUE)
        self._refuse_secret(text, f"{beside}: {text}")
        return " ".join(text.split())

    def mood(self, word: str | None) -> str | None:
        """A word for a mood, if there is one."""
        return self.name("emotional valence", word) if word else None

    def tags(self, tags: Sequence[str]) -> tuple[str, ...]:
        """Tags, each once."""
        if isinstance(tags, str) or len(tags) > MOST:
            raise InvalidInput(f"tags are a list of up to {MOST} words")
        return tuple(dict.fromkeys(self.name("tag", each) for each in tags))

    @staticmethod
    def _checked(what: str, text: str, most: int) -> str:
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput(f"the {what} is missing")
        if len(text) > most:
            raise InvalidInput(f"the {what} is longer than {most:,} characters")
        return text.strip()


def share(what: str, number: float) -> float:
    """A number from 0 to 1.

    Raises:
        InvalidInput: it is none.
    """
    if not isinstance(number, (int, float)) or isinstance(number, bool) or not 0 <= number <= 1:
        raise InvalidInput(f"{what} is a number from 0 to 1, not {number!r}")
    return float(number)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts_in(each)
