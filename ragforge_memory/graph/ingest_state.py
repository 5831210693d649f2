"""A project as the last ingest left it, and whether another tool has been at it since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class StoredFile(NamedTuple):
    """A file as the graph knows it.

    Args:
        scopes: how many it had when it was written.
        defined: how many scopes lead to it now.
        edges: how many edges led from its scopes to others when they were written.
    """

    path: str
    uuid: str
    hash: str
    scopes: int = 0
    defined: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class IngestState:
    """A project as the last ingest left it; ``incomplete`` where it did not come to its end.

    Args:
        revision: raised by every change, so that what was read can be told to be old.
        facts_version: of the parsing that made the scopes.
        anchored: whether any message is anchored to the project's code.
        scopes: how many there were at its end.
        present: how many scopes there are that an ingest has read.
        held: how many there are, as ``scopes`` counts them.
        belonging: how many files and scopes lead to the project.
        untied: whether an anchor has lost the scope that it stood on, or its messages the way there.
        linked: how many edges of ingests there are between the scopes; None: the server has as many edges as when
            all were there.
        uncommitted: files that were not in ``commit`` as they were read; None: not known, so no file is told to be.
        unread: files of which nothing was read, and why.
    """

    files: Mapping[str, StoredFile]
    root: str | None = None
    commit: str | None = None
    revision: int = 0
    facts_version: str | None = None
    incomplete: bool = False
    scopes: int = 0
    edges: int = 0
    unresolved: int = 0
    anchored: bool = False
    present: int = 0
    held: int = 0
    belonging: int = 0
    untied: bool = False
    linked: int | None = None
    uncommitted: tuple[str, ...] | None = None
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def emptied(self) -> bool:
        """Whether scopes, or what leads from them to files and project, are not what ingests wrote: another tool has
        taken them away, or made them anew."""
        written = sum(file.scopes for file in self.files.values())
        return (
            self.present != written
            or self.held < self.scopes
            or self.belonging < written + len(self.files)
            or any(file.defined < file.scopes for file in self.files.values())
        )

    @property
    def written_edges(self) -> int:
        """How many edges ingests wrote between the scopes."""
        return sum(file.edges for file in self.files.values())

    @property
    def unlinked(self) -> bool:
        """Whether edges between scopes are gone that ingests wrote: another tool has taken them away."""
        return self.linked is not None and self.linked < self.written_edges
