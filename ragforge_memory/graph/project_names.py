"""The names of projects: each leads to one project, and a project may have several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import count, starmap
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.models.project import ProjectInfo

# Folders that are remembered of a project: clones and copies of it, the newest first.
_MOST_PLACES = 20
_MOST_SIMILAR = 10
# The properties of a name that say what its places are, one entry a place.
_LISTS = ("roots", "insides", "remotes", "first_commits")


@dataclass(frozen=True, slots=True)
class ProjectPlace:
    """A folder, and what tells its project, whatever it is called; '' for what it has not.

    Args:
        root: the folder; of a linked work tree the same one in the main work tree.
        inside: where it is in its work tree.
        remote: the name of its remote.
        first_commit: of its history.
    """

    root: str
    inside: str = ""
    remote: str = ""
    first_commit: str = ""


@dataclass(frozen=True, slots=True)
class NamedProject:
    """A name, the project that it leads to, and the places that have had the name, the newest first."""

    name: str
    project: str
    places: tuple[ProjectPlace, ...] = ()
    conversations: int = 0

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders of its places."""
        return tuple(each.root for each in self.places)

    def at(self, root: str) -> ProjectPlace | None:
        """What is known of a folder that has had the name."""
        return next((each for each in self.places if each.root == root), None)


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

    async def similar(self, name: str, place: ProjectPlace) -> list[NamedProject]:
        """What the same folder, remote or history is known by under other names, the likeliest first."""
        rows = await self._client.read(
            "similar_projects",
            name=name,
            root=place.root,
            inside=place.inside,
            remote=place.remote or None,
            first_commit=place.first_commit or None,
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

    async def write(self, name: str, places: Sequence[ProjectPlace], *, project: str, gone: Sequence[str] = ()) -> str:
        """Writes down a name with the places that have it; returns the project that it leads to.

        Args:
            name: the name.
            places: its folders, the newest first; others that it had stay behind them.
            project: where a new name leads.
            gone: folders that it had and that are not there any more.
        """
        [row] = await self._client.write(
            "name_project",
            name=name,
            uuid=uuid4().hex,
            of_project=project,
            places=[asdict(each) for each in places],
            left=[*(each.root for each in places), *gone],
            most=_MOST_PLACES,
        )
        return str(row["project"])

    async def forget(self, name: str, project: str) -> None:
        """Has a name lead nowhere any more."""
        await self._client.write("forget_project_name", name=name, project=project)

    async def move(self, project: str, old: str, new: str) -> None:
        """Says of the code that was read in a folder that it is in another one now."""
        await self._client.write("move_project", project=project, old_root=old, new_root=new)

    async def all(self) -> list[ProjectInfo]:
        """Every project of the graph, the one that was used last first.

        Left out is what no name leads to and in which nothing was said, where its own name is another's now: code that
        was read before anybody was asked.
        """
        rows = await self._client.read("all_projects")
        names = {each["name"] for row in rows for each in row["names"]}
        return [_info(row) for row in rows if row["names"] or row["conversations"] or row["project"] not in names]


def _named(row: dict[str, Any]) -> NamedProject:
    found = row["found"]
    return NamedProject(
        name=found["name"],
        project=found["project"],
        places=tuple(starmap(ProjectPlace, zip(*(found[each] or () for each in _LISTS), strict=True))),
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
