"""Patterns in gitignore's format as regular expressions that come to an end on every path.

pathspec writes each wildcard as one that may be tried again at every length, so that some patterns with a dozen of them
take years on a name of 200 letters. Of the wildcards of one segment only the last needs to: what stands behind an
earlier one may be taken where it is met first, as it is always of the same length, and what follows has the most room
then. The same holds for ``/**/`` and the segments behind it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

# As pathspec writes them. No character of a pattern can look like one: a slash stands for itself alone.
_ANY, _ONE, _SOME = "[^/]*", "[^/]", "[^/]+"
_FOLDERS, _LEADING_FOLDERS = "(?:/.+)?", "^(?:.+/)?"

_TOKEN = re.compile(r"\\.|\[\^/\][*+]?|\[\^?\]?[^\]]*\]|.", re.DOTALL)


def spec_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """The patterns ready to match; as for git, what is not a pattern matches nothing."""
    # Other backends, which are taken where they are installed, know no group that is not tried again.
    return GitIgnoreSpec.from_lines(lines, _Pattern, backend="simple")


class _Pattern(GitIgnoreSpecPattern):
    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        try:
            regex, include = super().pattern_to_regex(pattern)
            if regex is None:
                return None, None
            regex = _ending(regex)
            with warnings.catch_warnings(action="ignore"):  # ``[[a]`` may mean something else in later Pythons
                re.compile(regex)
        except (GitIgnorePatternError, re.error):
            return None, None
        return regex, include


def _ending(regex: str) -> str:
    """The same as pathspec's expression for a pattern, with as few retries as it needs."""
    first, *others = map(_segments, regex.split(_FOLDERS))
    if not others:
        return first
    if first.startswith(_LEADING_FOLDERS):
        first = f"^(?>(?:.+?/)??{first.removeprefix(_LEADING_FOLDERS)}(?=/))"
    *middle, last = others
    return first + "".join(f"(?>(?:/.+?)??{part}(?=/))" for part in middle) + _FOLDERS + last


def _segments(regex: str) -> str:
    out: list[str] = []
    wildcard = None
    for token in _TOKEN.findall(regex):
        if token == _ANY:
            if wildcard is not None:
                out[wildcard] = f"(?>{_ANY}?"
                out.append(")")
            wildcard = len(out)
        elif token == "/":
            wildcard = None
        elif token[0] == "[" and token not in (_ONE, _SOME):
            token = f"(?!/){token}"  # for git, none of the characters is a slash
        out.append(token)
    return "".join(out)
