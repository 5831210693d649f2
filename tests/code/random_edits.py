"""A sample project under random edits: definitions that come, go and are copied, words and files renamed."""

from __future__ import annotations

import random
import re

from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from tests.code.graphs import SAMPLES

_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_NEW_NAMES = ("__init__.py", "index.ts", "index.js", "mod.rs", "lib.rs", "conftest.py")


class Edited:
    """The files of a sample by path, as texts.

    Args:
        sample: its folder.
        seed: the same edits for the same one.
    """

    def __init__(self, sample: str, seed: int) -> None:
        self._random = random.Random(f"{sample} {seed}")
        root = SAMPLES / sample
        paths = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        self.texts: dict[str, str] = {}
        for path in paths:
            self._put(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace"))
        self._directories = sorted({path.rpartition("/")[0] for path in self.texts} | {"new"})

    def edit(self) -> set[str]:
        """One to three edits; returns the paths that they touched. What cannot be parsed is left as it was."""
        touched: set[str] = set()
        for _ in range(self._random.choice((1, 1, 2, 3))):
            path = self._random.choice(sorted(self.texts))
            kinds = (
                self._remove,
                self._copy,
                self._copy,
                self._rename,
                self._rename,
                self._swap,
                self._move,
                self._new,
            )
            touched |= self._random.choice(kinds)(path)
        return touched

    def _remove(self, path: str) -> set[str]:
        """A definition goes; now and then the whole file."""
        scopes = parsed(path, self.texts[path]).scopes
        if not scopes or (self._random.random() < 0.2 and len(self.texts) > 3):
            del self.texts[path]
            return {path}
        lines = self.texts[path].split("\n")
        scope = self._random.choice(scopes)
        return self._put(path, "\n".join(lines[: scope.start_line - 1] + lines[scope.end_line :]))

    def _copy(self, path: str) -> set[str]:
        """A definition of this or another file comes in, now and then under a name that is there."""
        here = parsed(path, self.texts[path]).scopes
        source = self._random.choice([p for p in sorted(self.texts) if p.rpartition(".")[2] == path.rpartition(".")[2]])
        there = parsed(source, self.texts[source]).scopes
        if not there:
            return set()
        scope = self._random.choice(there)
        block = "\n".join(self.texts[source].split("\n")[scope.start_line - 1 : scope.end_line])
        if here and self._random.random() < 0.5:
            block = block.replace(scope.name, self._random.choice(here).name)
        lines = self.texts[path].split("\n")
        at = self._random.choice([0, len(lines), *(other.end_line for other in here)])
        return self._put(path, "\n".join([*lines[:at], block, *lines[at:]]))

    def _rename(self, path: str) -> set[str]:
        """A word becomes another word of the project, once or everywhere in the file."""
        text = self.texts[path]
        words = _WORD.findall(text)
        others = _WORD.findall(self.texts[self._random.choice(sorted(self.texts))])
        if not words or not others:
            return set()
        word, other = self._random.choice(words), self._random.choice(others)
        if self._random.random() < 0.5:
            return self._put(path, re.sub(rf"\b{word}\b", other, text))
        places = [match.start() for match in re.finditer(word, text)]
        at = self._random.choice(places)
        return self._put(path, text[:at] + other + text[at + len(word) :])

    def _swap(self, path: str) -> set[str]:
        """Two lines change places."""
        lines = self.texts[path].split("\n")
        one, other = self._random.randrange(len(lines)), self._random.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
        return self._put(path, "\n".join(lines))

    def _move(self, path: str) -> set[str]:
        """A file moves to another directory."""
        directory = self._random.choice(self._directories)
        target = f"{directory}/{path.rpartition('/')[2]}".lstrip("/")
        if target in self.texts:
            return set()
        self.texts[target] = self.texts.pop(path)
        return {path, target}

    def _new(self, path: str) -> set[str]:
        """A file with a name that means something comes or goes."""
        directory = self._random.choice(self._directories)
        new = f"{directory}/{self._random.choice(_NEW_NAMES)}".lstrip("/")
        if new in self.texts:
            del self.texts[new]
            return {new}
        return self._put(new, self._random.choice(("", self.texts[path])))

    def _put(self, path: str, text: str) -> set[str]:
        file = parsed(path, text)
        if file.error is not None or not file.language:
            return set()
        self.texts[path] = text
        return {path}


def parsed(path: str, text: str) -> ParsedFile:
    """The file of a text."""
    return parse(path, text.encode())
