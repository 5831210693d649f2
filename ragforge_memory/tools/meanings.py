"""What written uses of a name mean: a certain definition, something else, or what nobody can tell.

The same rules as for the graph's edges (code/resolve.py), on the files as they are now. Of the other files only those
are read that the lookup asks for, such as the modules that a file imports.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.tools.project_files import inside

if TYPE_CHECKING:
    from ragforge_memory.code.cache import FactsCache
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.layout import Outline
    from ragforge_memory.code.names import Names
    from ragforge_memory.code.parsed import ParsedFile, ParsedScope, Use
    from ragforge_memory.code.resolve import Resolver
    from ragforge_memory.models.code import Scope

Meant = tuple[str, str] | None
"""The file and qualified name of what a use means; `ELSEWHERE` is another package's, a parameter, a local variable.
None: nobody can tell."""

ELSEWHERE = ("", "")


class Sources:
    """A project's files as they are now, each parsed once, and not at all where the last ingest on this machine did.

    Args:
        root: the project's directory.
        project: its name.
        seconds: of reading and parsing; no file is parsed after that. None for no limit.
    """

    def __init__(self, root: Path, project: str, seconds: float | None = None) -> None:
        self._root = root
        self._project = project
        self._left = float("inf") if seconds is None else seconds
        self._parsed: dict[str, ParsedFile | None] = {}
        self._lacking: dict[bytes, set[str]] = {}

    @property
    def is_late(self) -> bool:
        """Whether time is up."""
        return self._left <= 0

    def holding(self, file: str, text: bytes) -> ParsedFile | None:
        """What a file holds that has these bytes; None where it has not, or as `parsed` says.

        What was parsed before is given in any case.
        """
        lacking = self._lacking.setdefault(text, set())
        if file not in self._parsed and file not in lacking and not self.is_late:
            with self._timed():
                data = self._read(file)
                if data is not None and text in data:
                    self._parsed[file] = self._parse(file, data)
                else:
                    lacking.add(file)
        return self._parsed.get(file)

    def parsed(self, file: str) -> ParsedFile | None:
        """What a file holds; None where it is gone or broken, or time was up when it was first asked for."""
        if file not in self._parsed:
            with self._timed():
                self._parsed[file] = None if self.is_late else self._parse(file, self._read(file))
        return self._parsed[file]

    def outlines(self, files: Sequence[str]) -> dict[str, Outline]:
        """The outlines of those files that are as the last ingest on this machine read them."""
        from ragforge_memory.code.fingerprint import content_hash

        if self._known is None:
            return {}
        with self._timed():
            read = {file: data for file in files if (data := self._read(file)) is not None}
            return self._known.outlines({file: content_hash(data) for file, data in read.items()})

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._left -= time.monotonic() - began

    def close(self) -> None:
        """Closes what the last ingest left, where it was opened."""
        if (known := self.__dict__.get("_known")) is not None:
            known.close()

    @cached_property
    def _known(self) -> FactsCache | None:
        """What the last ingest left; opened by the thread that reads, since that may have to wait for an ingest."""
        from ragforge_memory.code.cache import FactsCache

        return FactsCache.existing(self._project, self._root.resolve())

    def _parse(self, file: str, data: bytes | None) -> ParsedFile | None:
        from ragforge_memory.code.fingerprint import content_hash
        from ragforge_memory.code.parse import parse

        if data is None:
            return None
        known = self._known.parsed({file: content_hash(data)}, bodies=True) if self._known is not None else {}
        parsed = known.get(file) or parse(file, data)
        return None if parsed.error else parsed

    def _read(self, file: str) -> bytes | None:
        path = inside(self._root, file)
        if path is None:
            return None
        try:
            return path.read_bytes()
        except OSError:
            return None


class _Unread(Exception):
    """A file that a lookup needs is gone, or there was no time to read it."""


class Meanings:
    """Tells of uses of a name which definition they mean.

    Args:
        sources: of the project.
        files: those of one family of languages.
        named: all definitions of the name.
    """

    def __init__(self, sources: Sources, files: Sequence[str], named: Sequence[Scope]) -> None:
        from ragforge_memory.code.index import ProjectIndex
        from ragforge_memory.code.names import Names
        from ragforge_memory.code.resolve import Resolver

        def load(path: str) -> ParsedFile:
            parsed = sources.parsed(path)
            if parsed is None:
                raise _Unread(path)
            return parsed

        self._looked_up: tuple[ProjectIndex, Names, Resolver] | None = None
        if (outlines := _outlines(sources, files, named)) is not None:
            index = ProjectIndex(outlines=outlines, load=load)
            self._looked_up = index, Names(index), Resolver(index)

    def of(self, file: ParsedFile, scope: ParsedScope | None, use: Use) -> Meant:
        """What a use in a file means; ``scope`` is the one that it stands in, None at the top level."""
        from ragforge_memory.code.lookup import FOREIGN, UNKNOWN

        if self._looked_up is None:
            return None
        index, names, resolver = self._looked_up
        if file.path not in index.files:
            return None
        try:
            with index.reads.of(file.path):
                found = resolver.meaning(file.path, scope, use)
        except _Unread:
            return None
        if found is UNKNOWN:
            return None
        definition = None if found is FOREIGN or found.instance else names.scope(found)
        return ELSEWHERE if definition is None else (found.path, definition.qualified_name)


def family_of(language: str) -> str:
    """Languages of one family use one another's names."""
    from ragforge_memory.code.languages import LANGUAGES

    return LANGUAGES[language].family if language in LANGUAGES else language


def _is_by_path(file: str) -> bool:
    from ragforge_memory.code.languages import language_of, reader_of

    spoken = language_of(file)
    return spoken is not None and reader_of(spoken.name).links.by_path


def _outlines(sources: Sources, files: Sequence[str], named: Sequence[Scope]) -> Mapping[str, Outline] | None:
    """What lookups go by; None where the files themselves had to be read, and time was up."""
    from ragforge_memory.code.languages import language_of
    from ragforge_memory.code.layout import Outline, outline

    found: dict[str, Outline] = {}
    known: dict[str, Outline] | None = None
    for file in files:
        spoken = language_of(file)
        if spoken is None:
            continue
        if _is_by_path(file):
            names = tuple(sorted({each.name for each in named if each.file == file}))
            found[file] = Outline(spoken.name, "", names, (), ())
            continue
        if known is None:
            known = sources.outlines([each for each in files if not _is_by_path(each)])
        if file in known:
            found[file] = known[file]
            continue
        parsed = sources.parsed(file)
        if parsed is not None:
            found[file] = outline(parsed)
        elif sources.is_late:
            return None
    return found
