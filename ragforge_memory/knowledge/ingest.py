"""What is on disk against what is in the graph: only what has changed is read, and what is gone goes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ragforge_memory.code.roots import refused_root
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.knowledge import KnowledgeStore, KnownDocument, NewChunk, NewDocument
from ragforge_memory.knowledge.chunks import chunks_of
from ragforge_memory.knowledge.folders import documents_below
from ragforge_memory.knowledge.parts import Unreadable
from ragforge_memory.knowledge.readers import check_installed, format_by_name, format_of, read_document
from ragforge_memory.models.knowledge import KnowledgeReport, SkippedDocument

MAX_BYTES = 50_000_000  # larger files are data, or books of pictures

_FILE, _ADDED = "file", "added"
_HOW = b"1\0"  # how documents are read and cut: what was hashed with another one is read again

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class Documents:
    """The documents of one owner, where they are written.

    Args:
        store: where they go.
        root: the project's directory: what is below it is known by its path there.
        redacted: takes secrets out of a text.
    """

    store: KnowledgeStore
    root: Path | None
    redacted: Callable[[str], str]
    _skipped: list[SkippedDocument] = field(default_factory=list, init=False)
    _counts: Counter[str] = field(default_factory=Counter, init=False)

    async def ingest(self, path: Path, *, full: bool = False, progress: Progress | None = None) -> KnowledgeReport:
        """Reads a file, or all documents below a folder.

        Args:
            path: where they are.
            full: read what has not changed, too.
            progress: is told how many of how many are done.

        Raises:
            InvalidInput: there is no such file or folder, it is everything on this machine, or a library is missing.
        """
        start = time.monotonic()
        path = await asyncio.to_thread(path.resolve)
        files = await asyncio.to_thread(_files, path)
        check_installed(each for file in files if (each := format_by_name(file.name)) is not None)
        below = self._source(path)
        there = await self.store.known(below)
        known = {each.source: each for each in there if below or not PurePath(each.source).is_absolute()}
        found = set()
        for done, file in enumerate(files):
            if progress is not None:
                progress(done, len(files))
            source = self._source(file)
            found.add(source)
            try:
                data = await asyncio.to_thread(_bytes, file, source)
                await self._take(source, data, known.get(source), _FILE, full=full)
            except Unreadable as error:
                self._skipped.append(SkippedDocument(source=source, reason=str(error)))
        if progress is not None:
            progress(len(files), len(files))
        for gone in known.values() if path.is_dir() else ():
            # What is in a folder that could not be looked into may still be there.
            above = {gone.source, *(each.as_posix() for each in PurePath(gone.source).parents)}
            if gone.origin == _FILE and above.isdisjoint(found):
                self._counts["removed"] += await self.store.remove(gone.uuid)
        return self._report(start)

    async def add(self, name: str, content: bytes) -> KnowledgeReport:
        """Takes in a document that is no file here.

        Raises:
            InvalidInput: it cannot be read, or a library is missing.
        """
        start = time.monotonic()
        try:
            if len(content) > MAX_BYTES:
                raise Unreadable(_too_large(len(content)))
            check_installed([format_of(name, content)])
            known = next((each for each in await self.store.known(name) if each.source == name), None)
            await self._take(name, content, known, _ADDED, full=False)
        except Unreadable as error:
            raise InvalidInput(f"{name} cannot be read: {error}", hint="the name's end says the format") from None
        return self._report(start)

    async def _take(self, source: str, data: bytes, known: KnownDocument | None, origin: str, *, full: bool) -> None:
        digest = hashlib.sha256(_HOW + data).hexdigest()
        if known is not None and known.hash == digest and not full:
            self._counts["unchanged"] += 1
            self._counts["chunks"] += known.chunks
            return
        document, skipped = await asyncio.to_thread(self._read, source, data, digest, origin)
        await self.store.write(document)
        self._skipped += skipped
        self._counts["added" if known is None else "updated"] += 1
        self._counts["chunks"] += len(document.chunks)

    def _read(self, source: str, data: bytes, digest: str, origin: str) -> tuple[NewDocument, list[SkippedDocument]]:
        format = format_of(source, data)
        read = read_document(format, data)
        title = self.redacted(read.title or PurePath(source).stem)
        clean = self.redacted
        chunks = [NewChunk(clean(each.content), clean(each.heading), each.position) for each in chunks_of(read, title)]
        skipped = [SkippedDocument(source=f"{source}, {each.source}", reason=each.reason) for each in read.skipped]
        return NewDocument(source, title, format, digest, origin, tuple(chunks)), skipped

    def _source(self, path: Path) -> str:
        """What a file is known by: its path below the project, else its whole path; '' for the project itself."""
        if self.root is not None and path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix().removeprefix(".")
        return path.as_posix()

    def _report(self, start: float) -> KnowledgeReport:
        return KnowledgeReport(
            documents=sum(self._counts[name] for name in ("added", "updated", "unchanged")),
            skipped=tuple(self._skipped),
            seconds=round(time.monotonic() - start, 3),
            **self._counts,
        )


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        if (why := refused_root(path)) is not None:
            raise InvalidInput(f"no documents are read: {why}", hint="name the folder of the documents")
        return documents_below(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file or folder {path}", hint="`ragforge knowledge list` shows what was read")
    return [path]


def _bytes(file: Path, source: str) -> bytes:
    try:
        source.encode()
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise Unreadable(_too_large(size))
        return file.read_bytes()
    except UnicodeEncodeError:
        raise Unreadable("its name is not portable") from None
    except OSError as error:
        raise Unreadable(f"it cannot be opened: {error.strerror}") from None


def _too_large(size: int) -> str:
    return f"it is larger than {MAX_BYTES:,} bytes ({size:,})"
