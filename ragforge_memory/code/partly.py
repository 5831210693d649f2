"""What is read of a file with syntax errors: the definitions that no error touches; the others stay as they were.

A file is broken most often because somebody is typing in it. What is whole counts as it is. What an error touches, and
what stood before where the rest of the text still begins it, is kept, at the line where that is, but not as the same:
its ``body_hash`` is marked (fingerprint.py), so that nothing is said of it that only whole code can show. What the text
begins nowhere any more is gone.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.fingerprint import is_marked, marked
from ragforge_memory.code.parsed import HIDDEN, TYPE_TYPES, ParsedFile, ParsedScope
from ragforge_memory.code.syntax import error_places

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.draft import Draft
    from ragforge_memory.code.open_scope import OpenScope

PARTLY = "; what is whole was read"
"""The end of the reason that a file is skipped for, where some of it was read."""

_LINE = re.compile(r"\bin line (\d+)")
_WORDS = re.compile(r"[\w$]+")
_HOLDING = TYPE_TYPES | {"namespace"}


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a broken file when what is whole is taken out: the text, line for line, and the words in it."""

    text: str
    words: frozenset[str]

    def may_hold(self, name: str) -> bool:
        """Whether a definition of this name may still be there."""
        return self.words.issuperset(_WORDS.findall(name))

    def line_of(self, old: Mapping[str, Any]) -> int | None:
        """The line in which a scope of the graph is defined now; None where its name stands nowhere as it did there."""
        if not self.may_hold(old["name"]):
            return None
        line = old.get("definition_line") or old["startLine"]
        beginning = _beginning(old, line)
        if beginning is None:
            return int(line)
        lines = [self.text.count("\n", 0, found.start()) + 1 for found in beginning.finditer(self.text)]
        return min(lines, key=lambda each: abs(each - line), default=None)


def rest_of(text: bytes) -> Rest:
    """What is left of a text of which nothing could be read."""
    rest = text.decode("utf-8", "replace")
    return Rest(rest, frozenset(_WORDS.findall(rest)))


def _beginning(old: Mapping[str, Any], line: int) -> re.Pattern[str] | None:
    """A scope's name with what stands next to it: the word before, as in ``def name``, else what follows it.

    None where the name is not in the definition's first line: it is said elsewhere, or by no word.
    """
    lines = (old.get("source") or "").split("\n")[line - old["startLine"] :]
    name = rf"(?<![\w$]){re.escape(old['name'])}(?![\w$])"
    found = re.search(rf"([\w$]+|[^\w\s])?(\s*){name}\s*(\S?)", lines[0]) if lines else None
    if found is None:
        return None
    if found[1]:
        return re.compile(re.escape(found[1]) + (r"[^\S\n]+" if found[2] else "") + name)
    return re.compile(rf"{name}\s*{re.escape(found[3])}")


def sound_part(parsed: ParsedFile, draft: Draft, root: Node, error: str, *, indented: bool) -> tuple[ParsedFile, Rest]:
    """The definitions of a broken file that no error touches, and what is left.

    A type that an error touches is kept for what is in it. Of a function what is inside goes with it: an open bracket
    makes all that follows look as if it were in there.

    Args:
        parsed: the file, with all that was met.
        draft: what made it.
        root: the tree.
        error: what is wrong with it; Python's own word may tell of a line where the tree shows nothing.
        indented: whether indentation is structure: then what stands indented and in nothing has lost what it is in.
    """
    places = error_places(root)
    starts = [start for start, _ in places]
    told = _LINE.search(error)
    line = int(told[1]) if told else -1
    kept: dict[str, ParsedScope] = {}
    whole: list[OpenScope] = []
    for met, scope in zip(draft.scopes, parsed.scopes, strict=True):
        if met.is_astray or (scope.parent is not None and scope.parent not in kept):
            continue
        if indented and met.parent is None and draft.data[max(0, met.start_byte - 1) : met.start_byte] in (b" ", b"\t"):
            continue
        # Errors do not overlap: the last that begins before a place is the only one that can go on beyond it.
        around = bisect_right(starts, met.start_byte) - 1
        if around >= 0 and met.end_byte <= places[around][1]:
            continue
        last = bisect_right(starts, met.end_byte) - 1
        flawed = last >= 0 and places[last][1] >= met.start_byte
        # Where the tree shows nothing, Python tells of the line behind a definition that has no body.
        if not flawed and not scope.start_line <= line <= scope.end_line + (not places):
            kept[scope.key] = scope
            whole.append(met)
        elif scope.type in _HOLDING:
            kept[scope.key] = replace(scope, body_hash=marked(scope.body_hash))
    sound = replace(
        parsed,
        scopes=tuple(kept.values()),
        imports=tuple(each for each in parsed.imports if each.scope is None or each.scope in kept),
    )
    return sound, rest_of(_without(draft.data, whole))


def completed(
    parsed: ParsedFile, rest: Rest, stored: Sequence[Mapping[str, Any]], before: ParsedFile | None
) -> ParsedFile:
    """The sound part of a file together with what the graph has of it and the rest may still hold.

    Args:
        parsed: see `sound_part`.
        rest: likewise.
        stored: the properties of the file's scopes in the graph.
        before: the file as it was read then, as far as this machine remembers.
    """
    missing = _missing(parsed, stored)
    names = {each["qualified_name"] for each in stored if each.get("qualified_name")}
    # What bears another place's name while its own is missing has been swallowed by something that is not closed, or
    # has lost what it was in. In what no error touches nothing is swallowed: there it is new.
    swallowed = {each["name"] for each in missing}
    sound = {scope.key for scope in parsed.scopes if not is_marked(scope.body_hash)}
    displaced: dict[str, ParsedScope] = {}
    scopes: list[ParsedScope] = []
    for scope in parsed.scopes:
        is_new = scope.qualified_name not in names
        if scope.parent in displaced or (is_new and scope.name in swallowed and scope.parent not in sound):
            displaced[scope.key] = scope
        else:
            scopes.append(scope)
    taken = {scope.key for scope in scopes}
    keys: dict[str, str] = {each["uuid"]: each["key"] for each in stored if each.get("key")}
    renamed: dict[str, str] = {}
    known = {scope.key: scope for scope in before.scopes} if before is not None else {}
    gone = {each["uuid"] for each in missing}
    last = rest.text.count("\n") + 1
    displaced_lines = {scope.name: scope.definition_line for scope in displaced.values()}
    present = {keys[each["uuid"]] for each in stored if each.get("key") and each["uuid"] not in gone}
    for old in missing:
        parent = keys.get(old.get("parentUUID") or "")
        line = displaced_lines.get(old["name"]) or rest.line_of(old)
        if line is None:
            continue
        if parent is not None and parent not in present and parent not in renamed:
            continue
        key = renamed[old["key"]] = _free(old, taken)
        taken.add(key)
        scopes.append(
            replace(
                _moved_to(line, _as_it_was(old, known.get(old["key"])), last),
                key=key,
                parent=None if parent is None else renamed.get(parent, parent),
                body_hash=marked(old.get("body_hash") or ""),
                modifiers=tuple(dict.fromkeys((*_modifiers(old), HIDDEN))),
            )
        )
    have = {scope.key for scope in scopes}
    scopes = [scope for scope in scopes if scope.parent is None or scope.parent in have]
    have = {scope.key for scope in scopes}
    imports = tuple(each for each in parsed.imports if each.scope is None or each.scope in have)
    return replace(parsed, scopes=tuple(scopes), imports=imports)


def _missing(parsed: ParsedFile, stored: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What the graph has and the sound part has not; of several with one name those with other tokens."""
    waiting: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for old in stored:
        if old.get("key") and old.get("qualified_name"):
            waiting[old["qualified_name"]].append(old)
    for scope in parsed.scopes:
        olds = waiting.get(scope.qualified_name)
        if olds:
            olds.remove(next((old for old in olds if old.get("body_hash") == scope.body_hash), olds[0]))
    left = {old["uuid"] for olds in waiting.values() for old in olds}
    return [old for old in stored if old["uuid"] in left]


def _as_it_was(old: Mapping[str, Any], known: ParsedScope | None) -> ParsedScope:
    """A scope of the graph, with what it uses where that is remembered."""
    texts: dict[str, Any] = {
        "signature": old.get("signature") or "",
        "docstring": old.get("docstring"),
        "doc_line": old.get("doc_line"),
        "source": old.get("source") or "",
        "hash": old.get("hash") or "",
        "sketch": old.get("sketch") or "",
        "return_type": old.get("returnType"),
        "parameters": tuple(json.loads(old["parameters"])) if old.get("parameters") else (),
        "complexity": old.get("complexity") or 1,
    }
    if known is not None:
        return replace(known, **texts)
    return ParsedScope(
        key=old["key"],
        name=old["name"],
        qualified_name=old["qualified_name"],
        type=old["type"],
        start_line=old["startLine"],
        definition_line=old.get("definition_line") or old["startLine"],
        end_line=old["endLine"],
        body_hash="",
        depth=old.get("depth") or 0,
        modifiers=_modifiers(old),
        **texts,
    )


def _modifiers(old: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(old["modifiers"].split(",")) if old.get("modifiers") else ()


def _moved_to(line: int, scope: ParsedScope, last: int) -> ParsedScope:
    """The same scope with its definition in this line of a text that ends with the line ``last``."""
    by = line - scope.definition_line
    if not by:
        return scope
    return replace(
        scope,
        start_line=max(1, scope.start_line + by),
        doc_line=None if scope.doc_line is None else max(1, scope.doc_line + by),
        definition_line=line,
        end_line=max(line, min(scope.end_line + by, last)),
        uses=tuple(replace(each, line=each.line + by) for each in scope.uses),
        bindings=tuple(replace(each, line=each.line + by) for each in scope.bindings),
    )


def _free(old: Mapping[str, Any], taken: set[str]) -> str:
    """The scope's key, or where another has it now, the next of that name."""
    key, number = str(old["key"]), 1
    while key in taken:
        number += 1
        key = f"{old['qualified_name']}#{number}"
    return key


def _without(data: bytes, scopes: Iterable[OpenScope]) -> bytes:
    """The text without these scopes; their lines are left empty."""
    left, at = [], 0
    for scope in sorted(scopes, key=lambda each: each.start_byte):
        if scope.start_byte >= at:
            left.append(data[at : scope.start_byte])
            at = scope.end_byte
            left.append(b" " + b"\n" * data.count(b"\n", scope.start_byte, at))
        elif scope.end_byte > at:
            left.append(b"\n" * data.count(b"\n", at, scope.end_byte))
            at = scope.end_byte
    return b"".join([*left, data[at:]])
