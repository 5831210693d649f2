"""A stream of bytes that can be looked into before it is read, as lines or as the values of one JSON document.

Nothing is ever whole in memory but one record. JSON documents are cut into their items by the standard library's own
decoder on a buffer that grows until an item fits: a streaming parser (ijson and its like) builds the same items from
single events, slower, and cannot say on which line one is bad.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, TypeVar

from ragforge_memory.errors import InvalidInput
from ragforge_memory.json_line import json_of

T = TypeVar("T")

TOO_DEEP = "it is nested too deeply"
"""Why a record is refused that no recursion comes to the end of."""


@dataclass(frozen=True, slots=True)
class Record:
    """A value with the place where it stands; ``fault`` says why it could not be read."""

    place: str
    value: Any
    fault: str | None = None

    def messages(self, reader: Callable[[Any, str], Iterator[T]]) -> Iterator[T]:
        """What ``reader`` makes of the value and its place, one by one.

        Raises:
            InvalidInput: as `read`.
        """
        return iter(self.read(lambda value: list(reader(value, self.place))))

    def message(self, reader: Callable[[Any, str], T]) -> T:
        """What ``reader`` makes of the value and its place.

        Raises:
            InvalidInput: as `read`.
        """
        return self.read(lambda value: reader(value, self.place))

    def read(self, reader: Callable[[Any], T]) -> T:
        """What ``reader`` makes of the value.

        Raises:
            InvalidInput: the record could not be read, or ``reader`` stumbled over it; the message names the place.
        """
        if self.fault is not None:
            raise refusal(self.place, self.fault)
        try:
            return reader(self.value)
        except InvalidInput:
            raise
        except ValueError as error:
            raise refusal(self.place, str(error)) from error
        except RecursionError as error:
            raise refusal(self.place, TOO_DEEP) from error
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            # Where a list or a number stands in the place of a text, of a mapping: no reader looks for all of it.
            raise refusal(self.place, f"it is not of the form of its format ({error})") from error


def refusal(place: str, why: str) -> InvalidInput:
    """The error that names a place."""
    return InvalidInput(f"{place}: {why}", hint="nothing of this conversation was written; mend it and try again")


MAX_RECORD_BYTES = 32_000_000
"""The most that one line, one item of a list or one conversation of ChatGPT's export may have."""

_BLANK = b" \t\r\n\0"
_CHUNK = 1 << 18
_NUMBER = re.compile(r"[0-9.eE+-]*")
_SPACE = re.compile(r"[ \t\r\n]*")
# An error so near to the end of what was read may be one of what is not read yet ("\\ud83d\\ude00" has 12 characters).
_NEAR = 16


class Source:
    """A stream of bytes or of text.

    Args:
        stream: read from where it stands; not closed.
        size: its bytes in all, where they are known.

    Attributes:
        may_wait: whether somebody may take his time to write what is read: into a pipe, from a network.
    """

    def __init__(self, stream: IO[bytes] | IO[str], *, size: int | None = None) -> None:
        # What a pipe has by now, where it can say so: nobody waits until a whole piece has come.
        self._give = getattr(stream, "read1", stream.read)
        self.may_wait = _may_wait(stream)
        self._head = b""
        self.size = size
        self.taken = 0

    def head(self, size: int) -> bytes:
        """The first bytes, which are read all the same later; fewer where there are no more."""
        while len(self._head) < size and (more := self._read(size - len(self._head))):
            self._head += more
        return self._head

    def give_back(self, read: bytes) -> None:
        """Has what was read so far be read again, from the beginning."""
        self._head = read
        self.taken = 0

    def chunks(self) -> Iterator[bytes]:
        """All bytes in pieces; a byte order mark, or NULs of a lost block, are left out at the beginning."""
        if self.head(3).startswith(codecs.BOM_UTF8):
            self._head = self._head[3:]
        self._head = self._head.lstrip(b"\0")
        if self._head:
            head, self._head = self._head, b""
            self.taken += len(head)
            yield head
        while chunk := self._read(_CHUNK):
            self.taken += len(chunk)
            yield chunk

    def _read(self, size: int) -> bytes:
        found = self._give(size)
        return found.encode("utf-8", "surrogatepass") if isinstance(found, str) else found


def _may_wait(stream: IO[bytes] | IO[str]) -> bool:
    if isinstance(stream, (io.BytesIO, io.StringIO)):
        return False
    try:
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return True


def lines(source: Source) -> Iterator[tuple[int, bytes | None]]:
    """The lines with their numbers, from 1, without their ends; None for one that is too long."""
    number = 1
    kept: list[bytes] = []
    size = 0
    for chunk in source.chunks():
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            size += len(piece)
            yield number, b"".join([*kept, piece]) if size <= MAX_RECORD_BYTES else None
            number += 1
            kept, size = [], 0
        size += len(rest)
        if size <= MAX_RECORD_BYTES:
            kept.append(rest)
        else:
            kept = []
    if size:
        yield number, b"".join(kept) if size <= MAX_RECORD_BYTES else None


def text_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines as text, without their ends.

    Raises:
        InvalidInput: one is too long or no UTF-8; its number is named.
    """
    for number, line in lines(source):
        if line is None:
            raise refusal(f"line {number}", too_long())
        try:
            yield number, line.decode().removesuffix("\r")
        except UnicodeDecodeError as error:
            raise refusal(f"line {number}", not_utf8(error)) from error


def json_lines(source: Source) -> Iterator[Record]:
    """One value a line; empty lines are passed over, one that is bad has a fault."""
    beginnings: set[str] = set()
    for number, line in lines(source):
        if line is None:
            yield Record(f"line {number}", None, too_long())
            continue
        # A machine that lost its power leaves blocks of NUL.
        for piece in line.split(b"\0"):
            if piece := piece.strip(_BLANK):
                yield from _line(f"line {number}", piece, beginnings)


def _line(place: str, line: bytes, beginnings: set[str]) -> Iterator[Record]:
    """The value of a line; several where lines were written into each other without an end between them."""
    try:
        value = json_of(line)
        if isinstance(value, dict):
            beginnings.update(list(value)[:1])
        yield Record(place, value)
    except UnicodeDecodeError as error:
        yield Record(place, None, not_utf8(error))
    except RecursionError:
        yield Record(place, None, TOO_DEEP)
    except ValueError as error:
        found, is_whole = _fused(line.decode(), beginnings)
        yield from (Record(place, value) for value in found)
        if not is_whole:
            yield Record(place, None, f"this is not JSON: {error}")


def _fused(text: str, beginnings: set[str]) -> tuple[list[Any], bool]:
    """The objects that stand behind each other on a line, and whether it has nothing else.

    Behind what was torn off an object is taken only if it begins as others of the file do (with one of their first
    keys), for what is left of a torn one may have objects in it.
    """
    found: list[Any] = []
    decoder = json.JSONDecoder()
    at, is_whole = 0, True
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, at
        if isinstance(value, dict) and (is_whole or beginnings.issuperset(list(value)[:1])):
            found.append(value)
        else:
            is_whole = False
            end = at + 1
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # it matches everywhere
        if not is_whole:
            at = text.find('{"', at)
            if at < 0:
                break
    return found, is_whole


def too_long() -> str:
    """Why a record is refused that has too many bytes."""
    return f"it has more than {MAX_RECORD_BYTES:,} bytes"


def not_utf8(error: UnicodeDecodeError) -> str:
    """Why text is refused that is none."""
    return f"this is not UTF-8: {error.reason} at byte {error.start}"


class JsonDocument:
    """One JSON document, read from front to back."""

    def __init__(self, source: Source) -> None:
        self._chunks = source.chunks()
        # A byte that is not UTF-8 costs its character.
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._line = 1
        self._ended = False

    @property
    def place(self) -> str:
        """Where reading stands."""
        return f"line {self._line}"

    def next(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            end = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches everywhere
            self._pass_to(end)
            if end < len(self._text):
                return self._text[end]
            if not self._more():
                return ""

    def take(self, *expected: str) -> str:
        """The next character, which must be one of these.

        Raises:
            InvalidInput: it is none of them; the line is named.
        """
        found = self.next()
        if found not in expected or not found:
            wanted = " or ".join(repr(each) for each in expected)
            raise refusal(self.place, f"this is not JSON: {wanted} is expected, not {found or 'the end'!r}")
        self._pass_to(self._at + 1)
        return found

    def value(self) -> Any:
        """The next value.

        Raises:
            InvalidInput: it is malformed or too large; the line is named.
        """
        self.next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos > len(self._text) - _NEAR or error.msg.startswith("Unterminated")
                if self._ended or not cut:
                    line = self._line + self._text.count("\n", self._at, error.pos)
                    raise refusal(f"line {line}", f"this is not JSON: {error.msg}") from error
            except (RecursionError, ValueError) as error:
                raise refusal(self.place, f"this is not JSON that can be read: {error}") from error
            else:
                # What was read of a number may be its beginning.
                if self._ended or _NUMBER.match(self._text, end).end() < len(self._text):  # type: ignore[union-attr]
                    self._pass_to(end)
                    return value
            if len(self._text) - self._at > MAX_RECORD_BYTES:
                raise refusal(self.place, too_long())
            # Twice as much each time, so that an item is decoded again a few times and not a thousand.
            self._more(len(self._text) - self._at)

    def items(self) -> Iterator[Record]:
        """The items of the list that comes next.

        Raises:
            InvalidInput: the list cannot be read on; the line is named.
        """
        for index, _ in enumerate(self._entries("[", "]")):
            yield Record(f"record {index} ({self.place})", self.value())

    def names(self) -> Iterator[str]:
        """The keys of the object that comes next; the value of each must be read before the next key.

        Raises:
            InvalidInput: the object cannot be read on; the line is named.
        """
        for _ in self._entries("{", "}"):
            place, key = self.place, self.value()
            if not isinstance(key, str):
                raise refusal(place, "this is not JSON: a key is text")
            self.take(":")
            yield key

    def _entries(self, opening: str, closing: str) -> Iterator[None]:
        """Stands at each entry of what comes next; the entry must be read before the one behind it."""
        self.take(opening)
        if self.next() == closing:
            self.take(closing)
            return
        while True:
            self.next()
            yield
            if self.take(",", closing) == closing:
                return

    def end(self) -> None:
        """Checks that nothing comes any more.

        Raises:
            InvalidInput: something does; the line is named.
        """
        if self.next():
            raise refusal(self.place, "this is not JSON: the document has ended before")

    def _pass_to(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self, least: int = 1) -> bool:
        """Reads on; what was passed is forgotten."""
        pieces = [self._text[self._at :]]
        self._at = 0
        added = 0
        while added < least and not self._ended:
            chunk = next(self._chunks, None)
            self._ended = chunk is None
            piece = self._decode.decode(chunk or b"", final=self._ended)
            pieces.append(piece)
            added += len(piece)
        self._text = "".join(pieces)
        return added > 0
