"""The comment block before a definition as its documentation, for languages that document so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft

_LINE_MARK = re.compile(r"^\s*(?://[/!]?<?|#)")
_STAR = re.compile(r"^\s*\*(?!/)")
_DIRECTIVE = re.compile(
    r"^\s*(?://\s?(?:go:|\+build|nolint|export |clang-format|NOLINT|#nosec)|#\s*(?:rubocop:|frozen_string_literal))"
)
"""Comments that speak to a tool and not to a reader."""

_XML_REFERENCE = re.compile(r'<(?:see|paramref|typeparamref)\s+\w+="(?:[A-Z]:)?([^"]*)"\s*/>')
_XML_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")

_MOST_BEFORE = 1_000
"""So many nodes before another are looked at: each costs a way through all that its parent holds."""


def before(node: Node) -> Iterator[Node]:
    """The nodes before one in its parent, the nearest first."""
    for _ in range(_MOST_BEFORE):
        sibling = node.prev_sibling
        if sibling is None:
            return
        yield sibling
        node = sibling


def doc_before(draft: Draft, node: Node, *, skipping: frozenset[str] = frozenset()) -> str | None:
    """What the comments directly before a node say; None where there are none.

    A block is the comments that end on the line before the node (or before one another): a blank line between
    cuts it off, and so does a comment that stands behind code on its line. ``/** … */``, which is made to document what
    follows, may have a blank line behind it, unless it begins the file.

    Args:
        node: the whole definition, with its decorators.
        skipping: types of nodes that may stand between (attributes that are siblings, not children).
    """
    top = node.start_point[0]
    texts: list[str] = []
    for sibling in before(node):
        row, column = sibling.end_point
        last = row if column else row - 1
        if sibling.type in skipping and last >= top - 1:
            top = sibling.start_point[0]
        elif sibling.type.endswith("comment") and (
            (last in (top - 1, top) and not _behind_code(draft, sibling))
            or (not texts and last == top - 2 and _documents(draft, sibling))
        ):
            top = sibling.start_point[0]
            texts.append(draft.text(sibling))
        else:
            break
    return clean(texts[::-1]) if texts else None


def _documents(draft: Draft, comment: Node) -> bool:
    return comment.start_point[0] > 0 and draft.text(comment).startswith("/**")


def _behind_code(draft: Draft, comment: Node) -> bool:
    start = draft.data.rfind(b"\n", 0, comment.start_byte) + 1
    return bool(draft.data[start : comment.start_byte].strip())


def clean(comments: list[str]) -> str | None:
    """Comments without their marks, decoration and common indentation; None if nothing is left."""
    lines: list[str] = []
    for comment in comments:
        text = comment.strip()
        if text.startswith("/*"):
            lines += _block(text)
        elif text.startswith("=begin"):
            lines += text.split("\n")[1:-1]
        else:
            lines += [_LINE_MARK.sub("", line) for line in text.split("\n") if not _DIRECTIVE.match(line)]
    cleaned = dedent("\n".join("" if _is_rule(line) else line.rstrip() for line in lines)).strip("\n")
    return cleaned.strip() or None


def _block(text: str) -> list[str]:
    """The lines of one ``/* … */``; its first line is taken to be indented as the second."""
    inner = text[2:].removesuffix("*/").lstrip("*!")
    first, *rest = inner.split("\n")
    rest = [_STAR.sub("", line) for line in rest]
    rest = dedent("\n".join(rest)).split("\n") if rest else []
    return [first.strip(), *rest]


def _is_rule(line: str) -> bool:
    """A line of dashes, stars or slashes that only decorates."""
    stripped = line.strip()
    return len(stripped) > 2 and not stripped.strip("-=*/#~_")


def without_xml(text: str | None) -> str | None:
    """C#'s documentation as text: references by their names, tags dropped."""
    if text is None:
        return None
    plain = _XML_TAG.sub("", _XML_REFERENCE.sub(r"\1", text))
    lines = [line.strip() for line in plain.replace("&lt;", "<").replace("&gt;", ">").split("\n")]
    return "\n".join(lines).strip() or None
