"""What an import holds does not grow with what is read: neither with long conversations nor with many of them."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from uuid import uuid4

import pytest

from ragforge_memory.archive import transcript_messages
from ragforge_memory.archive.lines import parsed
from ragforge_memory.archive.transcript_messages import batches, groups
from ragforge_memory.importers.recognition import transcripts
from ragforge_memory.importers.source import Source
from ragforge_memory.models.archive import FORMAT, VERSION
from ragforge_memory.redaction import redact_value

pytestmark = pytest.mark.long

MB = 1_000_000
# Far less than the larger file; the smaller one fills some batches of the size below.
SPARE = 3 * MB
SIZES = (2 * MB, 12 * MB)


class Made(io.RawIOBase):
    """A file of about that size that is nowhere: it is made while it is read."""

    def __init__(self, pieces: Iterator[str], size: int, end: str = "") -> None:
        self._pieces, self._left, self._end = pieces, size, end
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and self._left > 0:
            piece = next(self._pieces).encode()
            self._left -= len(piece)
            self._rest += piece
            if self._left <= 0:
                self._rest += self._end.encode()
        found, self._rest = self._rest[:size], self._rest[size:]
        return found


def _said(number: int) -> str:
    return f"{number} of " + "x" * 1_900  # a single word, since what follows allocations is slow


def openai() -> Iterator[str]:
    while True:
        call = {"id": "c1", "function": {"name": "read", "arguments": "{}"}}
        yield json.dumps({"role": "user", "content": _said(1)}) + "\n"
        yield json.dumps({"role": "assistant", "content": "So.", "tool_calls": [call]}) + "\n"
        yield json.dumps({"role": "tool", "tool_call_id": "c1", "content": _said(2) * 4}) + "\n"


def claude_code() -> Iterator[str]:
    before, session = None, str(uuid4())
    while True:
        for role in ("user", "assistant"):
            uuid = str(uuid4())
            message = {"role": role, "content": [{"type": "text", "text": _said(3)}]}
            if role == "assistant":
                message |= {"id": f"msg_{uuid4().hex}", "type": "message", "model": "m"}
            record = {"type": role, "uuid": uuid, "parentUuid": before, "sessionId": session, "message": message}
            yield json.dumps({**record, "timestamp": "2025-06-14T10:00:00.000Z", "isSidechain": False}) + "\n"
            before = uuid


def chatgpt() -> Iterator[str]:
    start = "["
    while True:
        nodes = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
        before = "root"
        for number in range(100):
            uuid = str(uuid4())
            message = {"id": uuid, "author": {"role": "assistant" if number % 2 else "user"}, "create_time": 1.7e9}
            message |= {"content": {"content_type": "text", "parts": [_said(number)]}}
            nodes[uuid] = {"id": uuid, "message": message, "parent": before, "children": []}
            before = uuid
        yield start + json.dumps(
            {"title": "t", "conversation_id": str(uuid4()), "mapping": nodes, "current_node": before}
        )
        start = ",\n"


def archived() -> Iterator[str]:
    yield json.dumps({"record": "archive", "format": FORMAT, "version": VERSION}) + "\n"
    seq = 0
    while True:
        seq += 1
        row = {"record": "message", "uuid": uuid4().hex, "seq": seq, "role": "user", "content": _said(seq)}
        yield json.dumps(row) + "\n"


def most(take: Callable[[], int]) -> tuple[int, int]:
    """The most that was held while it was taken, and how many messages there were."""
    gc.collect()
    tracemalloc.start()
    try:
        count = take()
        return tracemalloc.get_traced_memory()[1], count
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("make", "end"), [(openai, ""), (claude_code, ""), (chatgpt, "]")])
def test_of_other_programs(make: Callable[[], Iterator[str]], end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_messages, "BATCH_CHARACTERS", MB // 2)

    def take(size: int) -> int:
        source = Source(Made(make(), size, end))  # type: ignore[arg-type]  # it reads
        return sum(len(batch.rows) for group in groups(batches(transcripts(source), redact_value)) for batch in group)

    (small, few), (large, many) = (most(lambda size=size: take(size)) for size in SIZES)  # type: ignore[misc]
    assert many > 4 * few > 0
    assert large < small + SPARE


def test_of_our_archives() -> None:
    async def portions(size: int) -> AsyncIterator[list[bytes]]:
        source = Source(Made(archived(), size))  # type: ignore[arg-type]  # it reads
        rest = b""
        for chunk in source.chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            yield whole

    async def count(size: int) -> int:
        return sum([len(some) async for some in parsed(portions(size))])

    def take(size: int) -> int:
        return asyncio.run(count(size))

    take(MB)
    (small, few), (large, many) = (most(lambda size=size: take(size)) for size in SIZES)  # type: ignore[misc]
    assert many > 4 * few > 0
    assert large < small + SPARE
