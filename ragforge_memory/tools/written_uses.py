"""Uses of a name as they are written in the project's files, resolved or not.

The graph holds the uses that could be resolved. A call on a receiver whose type is not known is not among
them, yet where a name is defined only once it can hardly mean anything else. So the files that contain the
name are parsed again (no text search: comments and strings have no uses).
"""

from __future__ import annotations

import builtins
import io
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.tools.project_files import inside

if TYPE_CHECKING:
    from ragforge_memory.code.parsed import ParsedFile
    from ragforge_memory.models.code import Scope

PARSE_SECONDS = 3.0
"""Time for parsing the files that contain a name; what is left then is not looked at."""

_OWN = frozenset({"self", "cls", "this", "super()"})


@dataclass(frozen=True, slots=True)
class WrittenUse:
    """One use: ``scope`` is the qualified name it stands in, ``''`` at a file's top level."""

    name: str
    receiver: str | None
    kind: str
    file: str
    line: int
    scope: str = ""
    scope_line: int = 0

    @property
    def text(self) -> str:
        """The use as written, receiver included."""
        return f"{self.receiver}.{self.name}" if self.receiver else self.name

    def bare_or_member(self, target: Scope) -> bool:
        """Whether the form fits: a member is reached through a receiver, anything else also without."""
        is_member = "." in target.qualified_name and target.type not in ("class", "interface")
        if self.receiver is None:
            return not is_member
        return is_member or self.receiver not in _OWN

    def inherits(self, target: Scope) -> bool:
        """Whether the use is that of a base: the scope it stands in is a class below ``target``."""
        return self.kind in ("inherit", "implement") and bool(self.scope) and target.type != "method"

    def may_be(self, target: Scope) -> bool:
        """Whether an unresolved use may well be a call of ``target``.

        Names that values of the language's own types have (``get``, ``join``) tell nothing about a receiver.
        """
        if self.kind not in ("call", "decorate") or not self.bare_or_member(target):
            return False
        return not (self.receiver is not None and self.name in _own_methods(target.language))


async def uses_of(root: Path | None, files: Sequence[str], target: Scope) -> list[WrittenUse]:
    """Every use of the target's bare name in the project's files of its language; none without a root."""
    if root is None or not target.name:
        return []
    import anyio.to_thread

    return await anyio.to_thread.run_sync(_uses_of, root, tuple(files), target.name, target.language)


async def calls_in(root: Path | None, scope: Scope) -> list[WrittenUse]:
    """Every call written inside a scope, and in what is defined inside it; none without a root."""
    if root is None:
        return []
    import anyio.to_thread

    parsed = await anyio.to_thread.run_sync(_parsed, root, scope.file)
    if parsed is None:
        return []
    return [
        use
        for use in _all_uses(parsed)
        if use.kind == "call" and scope.start_line <= use.line <= scope.end_line and use.scope
    ]


def _uses_of(root: Path, files: Sequence[str], name: str, language: str) -> list[WrittenUse]:
    from ragforge_memory.code.languages import language_of

    found: list[WrittenUse] = []
    wanted = name.encode()
    deadline = time.monotonic() + PARSE_SECONDS
    for file in files:
        if time.monotonic() > deadline:
            break
        spoken = language_of(file)
        if spoken is None or not _related(spoken.name, language):
            continue
        data = _read(root, file)
        if data is None or wanted not in data:
            continue
        parsed = _parse(file, data)
        if parsed is not None:
            found.extend(use for use in _all_uses(parsed) if use.name == name)
    return found


def _related(one: str, other: str) -> bool:
    """Whether code of one language can call that of the other as its own."""
    families = ({"javascript", "typescript", "tsx"}, {"c", "cpp"})
    return not one or one == other or any(one in family and other in family for family in families)


def _all_uses(parsed: ParsedFile) -> list[WrittenUse]:
    uses = [WrittenUse(use.name, use.receiver, use.kind, parsed.path, use.line) for use in parsed.uses]
    for scope in parsed.scopes:
        uses.extend(
            WrittenUse(
                use.name,
                use.receiver,
                use.kind,
                parsed.path,
                use.line,
                scope.qualified_name,
                scope.definition_line,
            )
            for use in scope.uses
        )
    return uses


def _parsed(root: Path, file: str) -> ParsedFile | None:
    data = _read(root, file)
    return None if data is None else _parse(file, data)


def _parse(file: str, data: bytes) -> ParsedFile | None:
    from ragforge_memory.code.parse import parse

    parsed = parse(file, data)
    return None if parsed.error else parsed


def _read(root: Path, file: str) -> bytes | None:
    path = inside(root, file)
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError:
        return None


@cache
def _own_methods(language: str) -> frozenset[str]:
    """Names of methods that the language's built-in types have."""
    if language != "python":
        return frozenset()
    types = [value for value in vars(builtins).values() if isinstance(value, type)]
    types += [io.TextIOWrapper, io.BufferedReader]
    return frozenset(name for each in types for name in dir(each) if not name.startswith("__"))
