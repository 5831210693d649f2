"""The names of projects: each leads to one project, and a project may have several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.models.project import ProjectInfo

# Folders that are remembered of a project: clones and copies of it, the newest first.
_MOST_ROOTS = 20
_MOST_SIMILAR = 10


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """What tells a folder's project, whatever it is called.

    Args:
        root: the folder; of a linked work tree the same one in the main work tree.
        inside: where it is in its work tree; '' for the top, and where there is none.
        remote: the name of its remote.
        first_commit: of its history; '' where git has none to tell, None where nothing is committed yet.
    """

    root: str
    inside: str = ""
    remote: str | None = None
    first_commit: str | None = None


@dataclass(frozen=True, slots=True)
class NamedProject:
    """A name, the project that it leads to, and what that was known by; ``roots`` are the newest first."""

    name: str
    project: str
    roots: tuple[str, ...] = ()
    inside: str = ""
    remote: str | None = None
    first_commit: str | None = None
    conversations: int = 0

    def has(self, facts: ProjectFacts) -> bool:
        """Whether all of this is known already; of a first commit whether any is."""
        known = (facts.root in self.roots, self.inside, self.remote)
        return known == (True, facts.inside, facts.remote) and self.first_commit is not None


class ProjectNames:
    """Reads and writes names of projects.

    Args:
        client: the graph.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client

    async def find(self, name: str) -> NamedProject | None:
        """What a name leads to; None where it was never written down."""
        rows = await self._client.read("named_project", name=name)
        return _named(rows[0]) if rows else None

    async def similar(self, name: str, facts: ProjectFacts) -> list[NamedProject]:
        """What the same folder, remote or history is known by under other names, the likeliest first."""
        rows = await self._client.read(
            "similar_projects",
            name=name,
            root=facts.root,
            inside=facts.inside,
            remote=facts.remote,
            first_commit=facts.first_commit or None,
            limit=_MOST_SIMILAR,
        )
        return [_named(row) for row in rows]

    async def free(self, name: str) -> str:
        """What a project that begins under a name is to be in the graph: that name, unless it was another's first."""
        taken = {row["project"] for row in await self._client.read("projects_called", name=name)}
        numbered = (f"{name}#{number}" for number in count(2))
        return name if name not in taken else next(each for each in numbered if each not in taken)

    async def is_used(self, project: str) -> bool:
        """Whether anything was said or is remembered in a project."""
        [row] = await self._client.read("project_is_used", project=project)
        return bool(row["used"])

    async def write(
        self,
        name: str,
        facts: ProjectFacts,
        *,
        project: str,
        also: Sequence[str] = (),
        gone: Sequence[str] = (),
    ) -> str:
        """Writes down a name with what is known of its folder; returns the project that it leads to.

        Args:
            name: the name.
            facts: of its folder.
            project: where a new name leads.
            also: other folders of it.
            gone: folders that it had and that are not there any more.
        """
        [row] = await self._client.write(
            "name_project",
            name=name,
            uuid=uuid4().hex,
            of_project=project,
            inside=facts.inside,
            remote=facts.remote,
            first_commit=facts.first_commit,
            roots=list(dict.fromkeys((facts.root, *also))),
            gone=list(gone),
            most=_MOST_ROOTS,
        )
        return str(row["project"])

    async def forget(self, name: str, project: str) -> None:
        """Has a name lead nowhere any more."""
        await self._client.write("forget_project_name", name=name, project=project)

    async def move(self, project: str, old: str, new: str) -> None:
        """Says of the code that was read in a folder that it is in another one now."""
        await self._client.write("move_project", project=project, old_root=old, new_root=new)

    async def all(self) -> list[ProjectInfo]:
        """Every project of the graph, the one that was used last first."""
        return [_info(row) for row in await self._client.read("all_projects")]


def _named(row: dict[str, Any]) -> NamedProject:
    found = row["found"]
    return NamedProject(
        name=found["name"],
        project=found["project"],
        roots=tuple(found["roots"] or ()),
        inside=found["inside"] or "",
        remote=found["remote"],
        first_commit=found["first_commit"],
        conversations=int(row.get("conversations") or 0),
    )


def _info(row: dict[str, Any]) -> ProjectInfo:
    names = [each["name"] for each in row["names"]] or [row["project"]]
    roots = [root for each in row["names"] for root in each["roots"] or ()]
    return ProjectInfo(
        name=names[0],
        also=tuple(names[1:]),
        project=row["project"],
        place=next(iter(roots), row["root"]),
        conversations=row["conversations"],
        messages=row["messages"],
        used_at=row["used_at"],
    )
