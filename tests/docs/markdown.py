"""Reading Markdown pages: their code blocks and their links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


def blocks(page: Path, language: str) -> list[str]:
    """The page's code blocks of a language, in order."""
    return [
        match["text"] for match in _BLOCK.finditer(page.read_text(encoding="utf-8")) if match["language"] == language
    ]


def links(page: Path) -> list[str]:
    """Targets of the page's links, outside of code blocks."""
    return [match["target"] for match in _LINK.finditer(_BLOCK.sub("", page.read_text(encoding="utf-8")))]


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of every ``ragforge`` in a shell block or in a session's ``$`` lines."""
    for line in text.splitlines():
        for part in re.split(r"&&|\|", line.removeprefix("$ ").removeprefix("resume with: ")):
            words = shlex.split(part, comments=True) if "ragforge" in part else []
            if words and words[0].rpartition("/")[2] == "ragforge":
                yield words[1:]
