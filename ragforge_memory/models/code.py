"""Code as values: scopes, what they use, and reports of reading them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from pydantic import Field

from ragforge_memory.models.shape import Shape

ReferenceKind = Literal["discussed", "read", "edited", "tested"]
AnchorStatus = Literal["fresh", "drifted", "moved", "orphaned"]


class CodeReference(Shape):
    """A tie from a message to a scope: what was meant, its hash and the commit it was true at.

    ``status`` says what became of it: ``fresh`` (the same tokens in the same place), ``drifted`` (other tokens there),
    ``moved`` (``moved_to_file``, ``moved_to_name``; ``changed`` says whether the tokens are others too), ``orphaned``
    (no successor; ``candidates`` are ``file name`` of those that are equally good, or of twins that were there all the
    time). None: it has no anchor, or was imported and nothing was ingested here yet, so that nobody has looked.
    ``file`` and ``start_line`` are of then, as ``commit`` is: the commit whose file had this code, None where the file
    was not committed as it was read. ``now_line`` is the line as of the last ingest, None where the code is gone.
    """

    name: str
    qualified_name: str
    file: str
    start_line: int
    now_line: int | None = None
    kind: ReferenceKind
    status: AnchorStatus | None = None
    changed: bool | None = None
    scope_hash: str | None = None
    commit: str | None = None
    message_id: str | None = None
    scope_id: str | None = None
    moved_to_file: str | None = None
    moved_to_name: str | None = None
    candidates: tuple[str, ...] = ()

    @property
    def doubt(self) -> int:
        """How far it is from what it was, 0 to 4: fresh, moved as it was, moved and changed, drifted, orphaned."""
        moved = 2 if self.changed else 1
        return {"moved": moved, "drifted": 3, "orphaned": 4}.get(self.status or "", 0)


def each_name(references: Iterable[CodeReference]) -> list[CodeReference]:
    """Each name of a file once: of overloads the one that is least what it was, since that may be the one meant."""
    kept: dict[tuple[str, str], CodeReference] = {}
    for each in references:
        place = (each.file, each.qualified_name)
        kept[place] = max(kept.get(place, each), each, key=lambda tie: tie.doubt)
    return list(kept.values())


class ScopeTie(NamedTuple):
    """A scope's uuid and what was done with it."""

    scope: str
    kind: ReferenceKind = "read"


class Scope(Shape):
    """A definition in the graph. Lines count from 1, inclusive; ``start_line`` is its first decorator's.

    ``definition_line`` is the line that has the name. ``score`` is set by searches alone and only ranks.
    """

    uuid: str
    name: str
    qualified_name: str
    type: str
    file: str
    language: str
    start_line: int
    end_line: int
    definition_line: int
    signature: str = ""
    docstring: str | None = None
    source: str | None = None
    hash: str = ""
    parent: str | None = None
    return_type: str | None = None
    parameters: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    complexity: int = 1
    score: float | None = None
    matched_by: tuple[str, ...] = ()


class TextHit(NamedTuple):
    """A definition, or a file by what is outside of every definition, that has words of a question.

    ``words`` are its stems, each as often as it is there. ``aside``: of a test, an example and the like. ``unjudged``:
    it has no vector, though it is to have one.
    """

    uuid: str
    words: str
    aside: bool = False
    unjudged: bool = False


class OwnText(NamedTuple):
    """The text that is a definition's own: its documentation and its source without what it holds inside, line by line
    with their numbers. Of a file (``type`` is ``file``) what is outside of every definition."""

    scope: Scope
    lines: tuple[tuple[int, str], ...]


class ScopeUse(Shape):
    """One end of a CONSUMES edge: the other scope and the lines (from 1) where it is used.

    Not ``certain`` is what only the name speaks for: a method of that name is called on something of unknown type.
    """

    scope: Scope
    lines: tuple[int, ...] = ()
    certain: bool = True


class ScopeName(NamedTuple):
    """A definition's names and what it is: a whole project's are read at once to match what a question calls it.

    ``test`` says that its modifiers call it a test.
    """

    name: str
    qualified_name: str
    file: str
    uuid: str
    type: str = ""
    test: bool = False


class ScopeCounts(NamedTuple):
    """How many scopes and files a project has, in which languages, and how many of the scopes have a vector."""

    scopes: int
    embedded: int
    files: int
    languages: tuple[str, ...] = ()


class SkippedFile(Shape):
    """A file that was not read, and why."""

    file: str
    reason: str


class IngestReport(Shape):
    """What an ingest did. ``files`` were looked at; scopes are counted after it; ``seconds`` is wall time."""

    files: int = 0
    files_changed: int = 0
    scopes: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    edges: int = 0
    unresolved: int = 0
    skipped: tuple[SkippedFile, ...] = ()
    languages: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0
    root: str = ""
    project: str = ""
    commit: str | None = None
