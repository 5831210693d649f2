"""Uses of a name as they are written in the project's files, resolved or not.

The graph holds the uses that could be resolved. A call on a receiver whose type is not known is not among
them, yet where a name is defined only once it can hardly mean anything else. So the files that contain the
name are parsed again (no text search: comments and strings have no uses).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.parsed import TYPE_TYPES
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
    scope_type: str = ""

    @property
    def text(self) -> str:
        """The use as written, receiver included."""
        return f"{self.receiver}.{self.name}" if self.receiver else self.name

    def fits(self, target: Scope) -> bool:
        """Whether the form fits: a member is reached through a receiver, anything else also without."""
        is_member = "." in target.qualified_name and target.type not in TYPE_TYPES
        if self.receiver is None:
            return not is_member
        return is_member or self.receiver not in _OWN

    def is_everyday(self, target: Scope) -> bool:
        """Whether everyday objects have a member of that name (``get``, ``join``), so that it tells nothing."""
        return self.receiver is not None and self.name in common_members(target.language)


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
    family = _family(language)
    deadline = time.monotonic() + PARSE_SECONDS
    for file in files:
        if time.monotonic() > deadline:
            break
        spoken = language_of(file)
        if spoken is None or spoken.family != family:
            continue
        data = _read(root, file)
        if data is None or wanted not in data:
            continue
        parsed = _parse(file, data)
        if parsed is not None:
            found.extend(use for use in _all_uses(parsed) if use.name == name)
    return found


def _family(language: str) -> str:
    """Languages of one family use one another's names."""
    from ragforge_memory.code.languages import LANGUAGES

    return LANGUAGES[language].family if language in LANGUAGES else language


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
                scope.type,
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


def common_members(language: str) -> frozenset[str]:
    """Names of members that the language's everyday objects have."""
    from ragforge_memory.code.languages import LANGUAGES, reader_of

    return reader_of(language).links.common_members if language in LANGUAGES else frozenset()
