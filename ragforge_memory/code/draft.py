"""The file being parsed: language modules tell it what they meet, and it makes the ParsedFile."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, Unpack

from ragforge_memory.code.fingerprint import Tokens, flush_left, text_hash, tokens_hash
from ragforge_memory.code.open_scope import OpenScope, Said
from ragforge_memory.code.own_text import doc_line, outside
from ragforge_memory.code.parsed import (
    Binding,
    BindingKind,
    Export,
    Import,
    ParsedFile,
    ParsedScope,
    ScopeType,
    Use,
    UseKind,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ragforge_memory.code.token_rules import TokenRules

_NAMES = frozenset({"identifier", "dotted_name", "attribute"})
_LONGEST_LINE = 400

MAX_DEPTH = 100
"""Scopes in one another. Each has its own text with all that is in it, and its name with those around it."""

# Bytes of all scopes together, and as many times those of the file: of 2,511 files of 17 projects none has four
# times its own.
_MOST_TEXT, _TEXT_A_BYTE = 20_000_000, 20

MAX_SPACES = 100
"""Namespaces in one another that are told apart: their names together grow with the square of how deep they are."""

_SPACE = re.compile(r"\s+")
_OPENING = re.compile(r"([(\[]) ")
_CLOSING = re.compile(r",? ([)\]])")


_MADE = {"doc_line", "source", "hash", "body_hash", "sketch", "parent", "uses", "bindings"}
_AS_OPEN = [each.name for each in fields(ParsedScope) if each.name not in _MADE]
"""What a parsed scope has from the open one as it is."""


class TooDeep(Exception):
    """The file's scopes are nested so deeply that their texts would grow with the square of its size."""


class _Close:
    """The type of CLOSE."""


CLOSE: Final = _Close()
"""In what a handler returns: here the scope opened last ends."""

Visit: TypeAlias = "Iterable[Node | _Close]"
"""What a handler returns: the nodes to visit next, in source order, with CLOSE where a scope ends."""

Handler = Callable[["Draft", "Node"], "Iterable[Node | _Close]"]


class Draft:
    """What is known so far of one file. ``data`` is its text as UTF-8 with line feeds."""

    def __init__(
        self, path: str, language: str, data: bytes, normal_form: Literal["NFC", "NFKC"] | None = None
    ) -> None:
        self.path = path
        self.language = language
        self.data = data
        self.packages: dict[str, None] = {}
        """The packages or namespaces that the file belongs to, in their order: see `ParsedFile.package`."""
        self.package_names: set[str] = set()
        """Their last parts."""
        self.doubtful = False
        """Whether something was met that the grammar let pass and the language may not: Reader.refusal is asked."""
        self.scopes: list[OpenScope] = []
        self.implemented: list[tuple[str, str, int]] = []
        """Types by name, each with what it implements and the line that says so, where that is not in the type."""
        self.imports: list[Import] = []
        self.exports: list[Export] = []
        self._uses: list[Use] = []
        self._bindings: list[Binding] = []
        self._open: list[OpenScope] = []
        self._counts: dict[str, int] = {}
        self._text_left = max(_MOST_TEXT, _TEXT_A_BYTE * len(data))
        self._spaces: list[tuple[int, tuple[str, ...]]] = []
        self._handlers: Mapping[str, Handler] = {}
        self._normal_form = None if data.isascii() else normal_form

    # what handlers read

    @property
    def current(self) -> OpenScope | None:
        """The innermost open scope, None at the top level."""
        return self._open[-1] if self._open else None

    @property
    def enclosing_type(self) -> OpenScope | None:
        """The innermost open class or the like, whatever functions stand between."""
        return next((scope for scope in reversed(self._open) if scope.is_type), None)

    @property
    def enclosing_function(self) -> OpenScope | None:
        """The innermost open function or method."""
        return next((scope for scope in reversed(self._open) if scope.type in ("function", "method")), None)

    def spaces(self, node: Node) -> tuple[str, ...]:
        """The names of the namespaces around the node that is visited, from outside in, as `open_space` was told."""
        # The walk goes in source order: what ends before this node holds nothing more. A node's own parents would cost
        # a way down from the root each.
        while self._spaces and self._spaces[-1][0] <= node.start_byte:
            self._spaces.pop()
        return self._spaces[-1][1] if self._spaces else ()

    def text(self, node: Node) -> str:
        """The node's text; of a name in the form in which the language compares names."""
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if self._normal_form is not None and not text.isascii() and node.type in _NAMES:
            return unicodedata.normalize(self._normal_form, text)
        return text

    def line(self, node: Node) -> int:
        """The node's first line, from 1."""
        return node.start_point[0] + 1

    def compact(self, start: int, end: int, comments: Iterable[Node] = ()) -> str:
        """The text between two bytes on one line, white space collapsed, the comments given cut out."""
        text = b""
        for comment in comments:
            if start <= comment.start_byte < end:
                text += self.data[start : comment.start_byte] + b" "
                start = comment.end_byte
        text += self.data[start:end]
        line = _SPACE.sub(" ", text.decode("utf-8", "replace")).strip()
        return _OPENING.sub(r"\1", _CLOSING.sub(r"\1", line))

    # what handlers say

    def walk(self, root: Node, handlers: Mapping[str, Handler]) -> None:
        """Visit the tree in source order; see languages.py."""
        self._handlers = handlers
        self.walk_inside([root])

    def walk_inside(self, steps: Visit) -> None:
        """Visit what a handler would return, at once and not later: for where the handler must go on after it."""
        stack: list[Node | _Close] = list(steps)[::-1]
        while stack:
            step = stack.pop()
            if isinstance(step, _Close):
                self.close()
                continue
            handler = self._handlers.get(step.type)
            following: Iterable[Node | _Close]
            following = step.named_children if handler is None else handler(self, step)
            stack.extend(reversed(following if isinstance(following, list | tuple) else list(following)))

    def open(
        self,
        node: Node,
        name: Node | str,
        type: ScopeType,
        *,
        name_node: Node | None = None,
        whole: Node | None = None,
        end: Node | None = None,
        tokens_of: Node | None = None,
        qualified_name: str | None = None,
        **said: Unpack[Said],
    ) -> OpenScope:
        """A definition begins; until CLOSE what is said belongs to it.

        Args:
            node: the definition.
            name: the bare name, or the node that is it.
            type: see ScopeType.
            name_node: where the name is, if ``name`` does not say; its line is the definition line where that is not
                ``node``'s first.
            whole: the node with decorators, annotations and ``export``, where that is a larger one.
            end: the node whose end is the scope's, where it is not the whole's.
            tokens_of: the node whose tokens are the scope's, where they are not the whole's.
            qualified_name: where it is not the parent's and the name joined by a dot.

        Raises:
            TooDeep: no file that people write has as many scopes in one another.
        """
        parent = self.current
        if not isinstance(name, str):
            name_node = name
            name = self.text(name_node)
        if qualified_name is None:
            qualified_name = f"{parent.qualified_name}.{name}" if parent else name
        count = self._counts[qualified_name] = self._counts.get(qualified_name, 0) + 1
        first, last = whole or node, end or whole or node
        row, column = last.end_point
        scope = OpenScope(
            key=qualified_name if count == 1 else f"{qualified_name}#{count}",
            name=name,
            qualified_name=qualified_name,
            type=type,
            start_line=first.start_point[0] + 1,
            definition_line=node.start_point[0] + 1,
            end_line=max(row + 1 if column else row, first.start_point[0] + 1),
            start_byte=first.start_byte,
            end_byte=last.end_byte,
            name_byte=name_node.start_byte if name_node else None,
            token_bytes=((tokens_of or first).start_byte, (tokens_of or last).end_byte),
            parent=parent,
            depth=len(self._open),
            **said,
        )
        if name_node is not None and name_node.start_point[0] + 1 <= scope.end_line:
            scope.definition_line = name_node.start_point[0] + 1
        self._text_left -= scope.end_byte - scope.start_byte
        if scope.depth >= MAX_DEPTH or self._text_left < 0:
            raise TooDeep
        self.scopes.append(scope)
        self._open.append(scope)
        return scope

    def close(self) -> None:
        """The scope opened last ends. Handlers return CLOSE instead of calling this."""
        self._open.pop()

    def use(self, name: str, receiver: str | None, kind: UseKind, line: int, arguments: int | None = None) -> None:
        """The current scope names something; see Use."""
        (self._open[-1].uses if self._open else self._uses).append(Use(name, receiver, kind, line, arguments))

    def use_text(self, text: str, kind: UseKind, line: int) -> None:
        """The same of a dotted text: its last name, with what is before as the receiver."""
        receiver, _, name = text.rpartition(".")
        self.use(name, receiver or None, kind, line)

    def bind(self, name: str, kind: BindingKind, value: str | None, line: int, scope: OpenScope | None = None) -> None:
        """A name is bound in ``scope``, by default in the innermost open scope that is not a constant."""
        if scope is None:
            scope = next((open for open in reversed(self._open) if open.type != "constant"), None)
        if scope is not None and name in scope.outside:
            return
        if value is None and kind not in ("self", "parameter", "unknown"):
            kind = "unknown"
        binding = Binding(name, kind, value, line)
        if scope is None:
            self._bindings.append(binding)
        else:
            scope.bind(binding)

    def bind_unknown(self, *names: Node) -> None:
        """Names are bound of whose values nothing is known."""
        for name in names:
            self.bind(self.text(name), "unknown", None, self.line(name))

    def known(self, name: str) -> Binding | None:
        """The innermost function's newest binding of a name with a known type, else None."""
        function = self.enclosing_function
        if function is None:
            return None
        found = (b for b in reversed(function.bound(name)) if b.value and b.kind != "alias")
        return next(found, None)

    def add_import(self, local: str, module: str, name: str | None, line: int, *, exported: bool = False) -> None:
        """A name is imported into the current scope; see Import."""
        scope = next((open.key for open in reversed(self._open) if open.type != "constant"), None)
        self.imports.append(Import(local, module, name, line, scope, exported))

    def belong(self, package: str) -> None:
        """The file belongs to a package or namespace, by its whole name."""
        self.packages[package] = None
        self.package_names.add(package.rpartition(".")[2])

    def open_space(self, node: Node, names: Sequence[str]) -> tuple[str, ...]:
        """A namespace begins, or several by one node; gives it with those around it, at most `MAX_SPACES` of them."""
        around = (*self.spaces(node), *names)[:MAX_SPACES]
        self._spaces.append((node.end_byte, around))
        return around

    def export(self, name: str, local: str, line: int) -> None:
        """The file offers ``local`` as ``name``; see Export."""
        self.exports.append(Export(name, local, line))

    def defines(self, name: str) -> bool:
        """Whether the current scope (or the top level) already holds a definition of this name."""
        current = self.current
        return (f"{current.qualified_name}.{name}" if current else name) in self._counts

    def decide(self) -> None:
        """One more decision in the innermost function (or whatever is open)."""
        if self._open:
            (self.enclosing_function or self._open[-1]).complexity += 1

    # what comes out

    def finish(self, root: Node, rules: TokenRules) -> ParsedFile:
        """The ParsedFile, with sources and hashes."""
        tokens = Tokens(root, self.data, rules)
        lines = self.data.decode("utf-8", "replace").split("\n")
        scopes = tuple(self._finished(scope, lines, tokens, rules) for scope in self.scopes)
        text, pieces = outside(scopes, lines)
        return ParsedFile(
            path=self.path,
            language=self.language,
            line_count=len(lines) - (not lines[-1]),
            scopes=scopes,
            imports=tuple(self.imports),
            exports=tuple(self.exports),
            package=" ".join(self.packages),
            uses=tuple(self._uses),
            bindings=tuple(self._bindings),
            outside=text,
            outside_lines=pieces,
        )

    def _finished(self, scope: OpenScope, lines: list[str], tokens: Tokens, rules: TokenRules) -> ParsedScope:
        source = "\n".join(lines[scope.start_line - 1 : scope.end_line])
        start, end = scope.token_bytes
        if rules.leading is not None:
            # Without a bound, a line that holds all would be looked through for each definition.
            line = self.data.rfind(b"\n", max(0, start - _LONGEST_LINE), start) + 1
            found = rules.leading.fullmatch(self.data, line, start) if line or start < _LONGEST_LINE else None
            start = found.start(1) if found is not None else start
        place = (start, end, scope.name_byte)
        same = {name: getattr(scope, name) for name in _AS_OPEN}
        same.update({name: tuple(each) for name, each in same.items() if isinstance(each, list)})
        return ParsedScope(
            **same,
            doc_line=doc_line(scope.docstring, scope.start_line, lines),
            source=source,
            hash=text_hash(flush_left(source)),
            body_hash=tokens_hash(tokens.between(*place)),
            sketch=tokens.sketch(*place),
            parent=scope.parent.key if scope.parent else None,
            uses=tuple(scope.uses),
            bindings=tuple(scope.bindings),
        )
