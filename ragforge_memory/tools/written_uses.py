"""Uses of a name as they are written in the project's files, resolved or not.

The graph holds the uses that could be resolved, but none of a file's top level, and nothing of what was written
since it was read. So the files that contain the name are parsed again (no text search: comments and strings have no
uses), and what each use means is looked up as for the graph's edges (meanings.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.links import names_another
from ragforge_memory.code.parsed import TYPE_TYPES
from ragforge_memory.tools.meanings import Meant, Sources

if TYPE_CHECKING:
    from ragforge_memory.code.parsed import ParsedFile, ParsedScope, Use
    from ragforge_memory.models.code import Scope

PARSE_SECONDS = 3.0
"""Time for parsing the files that contain a name, and those that say what it means; what is left then is not looked at,
and what a use means stays unknown."""

_OWN = frozenset({"self", "cls", "this", "super()"})


@dataclass(frozen=True, slots=True)
class WrittenUse:
    """One use: ``scope`` is the qualified name it stands in, ``''`` at a file's top level; ``meant`` what it means.

    ``named_owner``: of a language where a type that stands before a member is the one that has it. ``above``: its
    receiver stands for the types above its own (``super()``).
    """

    name: str
    receiver: str | None
    kind: str
    file: str
    line: int
    scope: str = ""
    scope_line: int = 0
    scope_type: str = ""
    meant: Meant = None
    named_owner: bool = False
    above: bool = False

    @property
    def text(self) -> str:
        """The use as written, receiver included."""
        return f"{self.receiver}.{self.name}" if self.receiver else self.name

    def means(self, target: Scope) -> bool:
        """Whether it is certain that a definition is meant."""
        return self.meant == (target.file, target.qualified_name)

    def fits(self, target: Scope) -> bool:
        """Whether a definition may be meant: nobody can tell what is, and the form fits. A member is reached through a
        receiver, anything else also without."""
        if self.meant is not None:
            return False
        is_member = "." in target.qualified_name and target.type not in TYPE_TYPES
        if self.receiver is None:
            return not is_member
        return is_member or self.receiver not in _OWN

    def names_another(self, owner: str) -> bool:
        """Whether it is written as a member of a type that is called otherwise than the ``owner``; see `Links`."""
        around = self.scope.rpartition(".")[0].rpartition(".")[2]
        return self.named_owner and names_another(around if self.receiver == "Self" else self.receiver, owner)


@contextmanager
def sources_of(root: Path | None, project: str) -> Iterator[Sources | None]:
    """The files that uses of any name are looked for in, each parsed once; None without a root."""
    if root is None:
        yield None
        return
    with closing(Sources(root, project, PARSE_SECONDS)) as sources:
        yield sources


async def uses_of(sources: Sources | None, files: Sequence[str], named: Sequence[Scope]) -> list[WrittenUse]:
    """Every use of a name in the project's files of one family of languages; none without sources.

    Args:
        sources: of the project.
        files: all of them.
        named: the definitions of that name, the first in a language of the family.
    """
    if sources is None or not named[0].name:
        return []
    import anyio.to_thread

    return await anyio.to_thread.run_sync(_uses_of, sources, tuple(files), tuple(named))


async def calls_in(sources: Sources | None, scope: Scope) -> list[WrittenUse]:
    """Every call written inside a scope, and in what is defined inside it; none without sources."""
    if sources is None:
        return []
    import anyio.to_thread

    parsed = await anyio.to_thread.run_sync(sources.parsed, scope.file)
    if parsed is None:
        return []
    return [
        use
        for use, _, _ in _written(parsed)
        if use.kind == "call" and scope.start_line <= use.line <= scope.end_line and use.scope
    ]


def _uses_of(sources: Sources, files: Sequence[str], named: Sequence[Scope]) -> list[WrittenUse]:
    from ragforge_memory.code.languages import language_of, reader_of
    from ragforge_memory.tools.meanings import Meanings, family_of

    name, family = named[0].name, family_of(named[0].language)
    here = [file for file in files if (spoken := language_of(file)) is not None and spoken.family == family]
    wanted = name.encode()
    holding = [parsed for file in here if (parsed := sources.holding(file, wanted)) is not None]
    meanings = Meanings(sources, here, named)
    links = reader_of(named[0].language).links
    return [
        replace(
            use,
            meant=meanings.of(parsed, scope, fact),
            named_owner=links.named_owners,
            above=use.receiver in links.super_names,
        )
        for parsed in holding
        for use, scope, fact in _written(parsed, name)
    ]


def _written(parsed: ParsedFile, name: str = "") -> Iterator[tuple[WrittenUse, ParsedScope | None, Use]]:
    """The uses of a file, each with the scope that it stands in; with ``name`` those of that name alone."""
    for use in parsed.uses:
        if not name or use.name == name:
            yield WrittenUse(use.name, use.receiver, use.kind, parsed.path, use.line), None, use
    for scope in parsed.scopes:
        place = (scope.qualified_name, scope.definition_line, scope.type)
        for use in scope.uses:
            if not name or use.name == name:
                yield WrittenUse(use.name, use.receiver, use.kind, parsed.path, use.line, *place), scope, use
