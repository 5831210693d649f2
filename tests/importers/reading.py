"""What the importers make of a source, whole."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.recognition import transcripts
from ragforge_memory.importers.source import Source
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

Read = tuple[Transcript, list[TranscriptMessage]]


class OneByOne(io.BytesIO):
    """A stream that cannot be sought and gives as little as a pipe may."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 1, 7) if size and size > 0 else size)

    def seekable(self) -> bool:
        return False


def lines(records: Iterable[Any]) -> str:
    """JSON lines."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def read(data: Any) -> list[Read]:
    """All conversations of a source."""
    return [(transcript, list(transcript.messages)) for transcript in transcripts(data)]


def read_all_ways(text: str) -> list[Read]:
    """The same from text, from bytes and from a pipe that gives seven bytes at a time; they must agree."""
    found = [
        read(text),
        read(text.encode()),
        read(Source(OneByOne(text.encode()))),
        read(b"\xef\xbb\xbf" + text.encode()),
    ]
    seen = [[(each.title, each.session_id, each.place, messages) for each, messages in one] for one in found]
    assert all(one == seen[0] for one in seen)
    return found[0]


def read_one(data: Any) -> Read:
    """The one conversation of a source."""
    [found] = read_all_ways(data) if isinstance(data, str) else read(data)
    return found


def flawed(data: Any) -> list[tuple[int, list[str]]]:
    """For each conversation how many messages it has, and which records were passed over."""
    found = []
    for transcript in transcripts(data):
        count = len(list(transcript.messages))
        found.append((count, [f"{each.place}: {each.message}" for each in transcript.flaws]))
    return found


def outcomes(data: Any) -> list[int | str]:
    """For each conversation how many messages it has, or why it is refused."""
    found: list[int | str] = []
    for transcript in transcripts(data):
        try:
            found.append(len(list(transcript.messages)))
        except InvalidInput as error:
            found.append(error.message)
    return found
