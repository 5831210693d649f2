"""What a text is known by: a hash of its characters, however deep it is indented, and one of its tokens.

The tokens of a scope are the leaves of its syntax tree without comments, strings in one piece. Where indentation is
structure (Python), each deeper block and each end of a statement is a token of its own, and the width of the
indentation is not. Where a line break or a space says what no other token does, that is a token too. The scope's own
name is left out, so that a scope that was only renamed or moved keeps its ``body_hash``; where the qualified name is
the same too, equal hashes mean equal token sequences.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from textwrap import dedent
from typing import TYPE_CHECKING

from ragforge_memory.code.sketch import encode, pair_hashes, token_hashes

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.token_rules import TokenRules

INDENT, DEDENT, END, SPACE = b"\x00>", b"\x00<", b"\x00;", b"\x00 "
_STRUCTURE = frozenset({INDENT, DEDENT, END})
# With these a statement ends whatever the lines are.
_CLOSES = frozenset({";", "}", ")"})
# Behind these none has begun, or it has ended.
_CLOSED = frozenset({";", "{", "}", ",", ":", "(", "#{"})
_PARENTHESES = frozenset({"(", "parenthesized_statements"})
# What is hidden between two leaves; a backslash that joins two lines is none of it.
_WORD = re.compile(rb"(?!\\\n)\S+")
_DIGEST_BYTES = 16
_MARK = "broken:"


def content_hash(data: bytes) -> str:
    """128 bits of BLAKE2b, as 32 hex digits."""
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


def text_hash(text: str) -> str:
    """The same of a text as UTF-8."""
    return content_hash(text.encode("utf-8", "surrogatepass"))


def flush_left(text: str) -> str:
    """A scope's text without the white space that only says how deep it stands: what is around it, and what all lines
    but the first have in common. Some tools begin a text in its first line's indentation, some behind it."""
    first, line_break, others = text.strip().partition("\n")
    return first + line_break + dedent(others)


def marked(body_hash: str) -> str:
    """The hash of what was so and stands where a syntax error hides what it is now: no tokens have it."""
    return f"{_MARK}{whole(body_hash)}"


def is_marked(body_hash: str) -> bool:
    """Whether a hash is of what nobody can see at the moment."""
    return body_hash.startswith(_MARK)


def whole(body_hash: str) -> str:
    """The hash that it was, marked or not."""
    return body_hash.removeprefix(_MARK)


def tokens_hash(tokens: Sequence[bytes]) -> str:
    """The same of a token sequence."""
    return content_hash(b"\x00\x00".join(tokens))


class Tokens:
    """The tokens of a whole file with their places, from which those of each scope are cut."""

    def __init__(self, root: Node, data: bytes, rules: TokenRules) -> None:
        self._starts: list[int] = []
        self._texts: list[bytes] = []
        # Before which tokens a line break ends a statement, or a space begins the arguments: it tells what a statement
        # is, and nothing of what it says, so that it counts for the hash alone.
        self._cuts: list[int] = []
        self._marks: list[bytes] = []
        self._hashes: list[int] | None = None
        self._pairs: list[int] | None = None
        self._read(root, data, rules)

    def between(self, start: int, end: int, without: int | None = None) -> list[bytes]:
        """The tokens from byte ``start`` up to byte ``end``, without the one that starts at byte ``without``."""
        first, last, name = self._places(start, end, without)
        low, high = bisect_right(self._cuts, first), bisect_left(self._cuts, last)
        found: list[bytes] = []
        at = first
        for cut, mark in zip(self._cuts[low:high], self._marks[low:high], strict=True):
            found += self._texts[at:cut]
            found.append(mark)
            at = cut
        found += self._texts[at:last]
        if name is not None:
            del found[name - first + bisect_right(self._cuts, name, low, high) - low]
        return found

    def sketch(self, start: int, end: int, without: int | None = None) -> str:
        """What the same tokens look like, see sketch.py."""
        first, last, name = self._places(start, end, without)
        if self._hashes is None or self._pairs is None:
            self._hashes = token_hashes(self._texts)
            self._pairs = pair_hashes(self._hashes)
        if name is None:
            return encode({*self._hashes[first:last], *self._pairs[first : max(first, last - 1)]})
        return encode(
            {
                *self._hashes[first:name],
                *self._hashes[name + 1 : last],
                *self._pairs[first : max(first, name - 1)],
                *self._pairs[name + 1 : max(name + 1, last - 1)],
            }
        )

    def _places(self, start: int, end: int, without: int | None) -> tuple[int, int, int | None]:
        """Where these tokens begin and end in the lists, and where the one to leave out is."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        while first < last and self._texts[first] in _STRUCTURE:
            first += 1
        while first < last and self._texts[last - 1] in _STRUCTURE:
            last -= 1
        if without is not None:
            place = bisect_left(self._starts, without, first, last)
            while place < last and self._texts[place] in _STRUCTURE and self._starts[place] == without:
                place += 1
            if place < last and self._starts[place] == without:
                return first, last, place
        return first, last, None

    def _cut(self, mark: bytes) -> None:
        """A mark before the next token; one is enough."""
        if not self._cuts or self._cuts[-1] != len(self._texts):
            self._cuts.append(len(self._texts))
            self._marks.append(mark)

    def _read(self, root: Node, data: bytes, rules: TokenRules) -> None:
        """One pass over the leaves with a cursor; a plain list of children costs twice as much."""
        starts, texts = self._starts, self._texts
        roles: dict[str, int] = {}
        cursor = root.walk()
        down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        previous = root.start_byte if rules.leading is None else 0
        inside: list[int] = []  # the role of each open node
        state = _PLAIN
        last, ended = "", previous  # the kind of the token before, and its end
        while True:
            node = cursor.node
            assert node is not None
            kind = node.type
            role = roles.get(kind)
            if role is None:
                role = roles[kind] = _role(kind, rules)
            if role != _COMMENT:
                start = node.start_byte
                if state and node.is_named and texts:
                    if state == _MEMBERS:
                        if last not in _CLOSED:
                            self._cut(END)
                    elif texts[-1] is not INDENT:
                        starts.append(previous)
                        texts.append(END)
                if role != _ATOM and down():
                    if kind in rules.bare and node.children[0].type not in _PARENTHESES:
                        self._cut(SPACE)
                    inside.append(state)
                    state = role
                    if role == _BLOCK:
                        starts.append(previous)
                        texts.append(INDENT)
                    continue
                if start > previous:  # text that the grammar gives no node to
                    if last in rules.shown:
                        if shown := data[previous:start].removeprefix(b"\n"):
                            starts.append(previous)
                            texts.append(shown)
                    else:
                        # Each where it begins itself: the space before it may be the last of the scope before.
                        for hidden in _WORD.finditer(data, previous, start):
                            starts.append(hidden.start())
                            texts.append(hidden[0])
                end = node.end_byte
                if end > start:
                    if last in rules.cut_behind and kind not in _CLOSES and data.find(b"\n", ended, start) >= 0:
                        self._cut(END)
                    last, ended = kind, end
                    text = data[start:end]
                    if kind in rules.forms:
                        text = rules.forms[kind](data, start, end)
                    # A semicolon that only the parser was given (Reader.simplify) is a space here.
                    if text and not (kind == ";" and text.isspace()):
                        starts.append(start)
                        texts.append(text)
                if end > previous:
                    previous = end
            elif node.end_byte > previous:
                previous = node.end_byte
            while not right():
                if not up():
                    return
                if state == _BLOCK:
                    starts.append(previous)
                    texts.append(DEDENT)
                state = inside.pop()


_PLAIN, _FLAT, _MEMBERS, _BLOCK, _ATOM, _COMMENT = range(6)
"""What a type of node is to the tokens."""


def _role(kind: str, rules: TokenRules) -> int:
    if kind.endswith("comment") or kind == "line_continuation":
        return _COMMENT
    if kind in rules.atoms:
        return _ATOM
    if kind in rules.blocks:
        return _BLOCK
    if kind in rules.statements:
        return _MEMBERS
    return _FLAT if kind in rules.transparent else _PLAIN
