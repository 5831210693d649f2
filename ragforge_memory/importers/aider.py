"""aider's chat history, ``.aider.chat.history.md``: Markdown to which every session is appended.

A session begins with ``# aider chat started at TIME``; lines that begin with ``####`` are the user's, those that begin
with ``>`` are aider's own output (what it edited, what it cost), all others the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Literal

from ragforge_memory.importers.fields import MAX_CHARACTERS, text
from ragforge_memory.importers.source import refusal
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

NAME = "aider chat history"

_BEGINS = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_HEADING = re.compile(r"^# aider chat started at \d{4}-\d\d-\d\d", re.M)

Speaker = Literal["user", "assistant", "aider"]


def recognises(head: str) -> bool:
    """Whether a text that begins like this is such a history."""
    return _HEADING.search(head) is not None


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Transcript]:
    """The sessions in which something was said. Each must be read to its end before the next.

    Times are the session's, since messages have none; aider writes local time, without a zone. Its own output
    after a message is kept in the message's metadata as ``output``.
    """
    reader = _Reader(lines)
    while reader.find_message():
        transcript = Transcript(reader.messages(), NAME, place=reader.place, created_at=reader.began)
        yield transcript
        reader.pass_over()


class _Reader:
    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines = iter(lines)
        self._next: tuple[int, str] | None = None
        self.began: datetime | None = None

    @property
    def place(self) -> str:
        """Where the next line stands."""
        return f"line {self._next[0]}" if self._next else "the end"

    def find_message(self) -> bool:
        """Goes to the next line of a message, over the beginnings of sessions in which nothing was said."""
        while (line := self._peek()) is not None:
            if not self._begins():
                speaker, said = _speaker(line[1])
                if speaker != "aider" and said.strip():
                    return True
            self._next = None
        return False

    def messages(self) -> Iterator[TranscriptMessage]:
        """The messages up to the end of the session."""
        last: TranscriptMessage | None = None
        while self._peek() is not None and not self._at_beginning():
            speaker, said, place = self._block()
            if not said:
                continue
            if speaker != "aider":
                if last is not None:
                    yield last
                last = TranscriptMessage(speaker, said, timestamp=self.began, place=place)
            elif last is not None:
                before = last.metadata.get("output")
                output = _checked(f"{before}\n{said}" if before else said, "the output after it", last.place)
                last = replace(last, metadata={"output": output})
        if last is not None:
            yield last

    def pass_over(self) -> None:
        """Goes to where the next session begins."""
        while self._peek() is not None and not self._at_beginning():
            self._next = None

    def _block(self) -> tuple[Speaker, str, str]:
        """Whose the next lines are, what they say, and where they stand."""
        place = self.place
        block: list[str] = []
        size = 0
        speaker: Speaker | None = None
        while (line := self._peek()) is not None and not self._at_beginning():
            who, said = _speaker(line[1])
            if speaker is not None and who != speaker:
                break
            speaker = who
            size += len(said) + 1
            if size > 2 * MAX_CHARACTERS:  # the check below names the limit; here memory has one
                break
            block.append(said)
            self._next = None
        return speaker or "aider", _checked("\n".join(block).strip(), "its content", place), place

    def _begins(self) -> bool:
        """Whether the next line begins a session, whose time is taken up then."""
        if self._next is None or (found := _BEGINS.match(self._next[1])) is None:
            return False
        self.began = datetime.fromisoformat(found[1]).astimezone()
        return True

    def _at_beginning(self) -> bool:
        return self._next is not None and _BEGINS.match(self._next[1]) is not None

    def _peek(self) -> tuple[int, str] | None:
        if self._next is None:
            self._next = next(self._lines, None)
        return self._next


def _speaker(line: str) -> tuple[Speaker, str]:
    """Whose line it is, and the line without its mark and without the two spaces that break a line in Markdown."""
    if line.startswith("#### ") or line.rstrip() == "####":
        return "user", line[5:].rstrip()
    if line.startswith("> ") or line.rstrip() == ">":
        return "aider", line[2:].rstrip()
    return "assistant", line


def _checked(said: str, what: str, place: str) -> str:
    try:
        return text(said, what)
    except ValueError as error:
        raise refusal(place, str(error)) from error
