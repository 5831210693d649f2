"""Which project a name leads to: a folder's memory stays its own when its name changes.

A folder is named by its configuration, its remote or its path, and each of them may change. What tells that it is the
same one is written down at its first use: where it is, its remote and the commit that its history begins with.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.name_change import GoesOn, NameChange, displaced_name, has_memory
from ragforge_memory.code.git import first_commit, has_commit
from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.project_names import NamedProject, ProjectNames, ProjectPlace
from ragforge_memory.project import ProjectIdentity, git_toplevel, main_place, place_inside, remote_name

if TYPE_CHECKING:
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.models.project import ProjectInfo

log = logging.getLogger(__name__)


async def resolve_project(
    graph: GraphClient, name: str, identity: ProjectIdentity | None, goes_on: GoesOn | None, *, remembers: bool = True
) -> str:
    """The project that a name leads to, as its nodes say it.

    Args:
        graph: the graph, open.
        name: as the agent was given it; '' for none.
        identity: the folder that the name was read from; None: a program says the name itself, and means it.
        goes_on: is asked where the folder had another name; None: nobody is.
        remembers: whether anything may be written down.
    """
    if not name:
        return name
    names = ProjectNames(graph)
    known = await names.find(name)
    if identity is None or identity.name != name or not remembers:
        return known.project if known else name
    place = await asyncio.to_thread(_place, identity, known)
    if known is None:
        change = await _change_of_new_name(names, identity, place)
    elif _is_anothers(known, place):
        change = await _change_of_repository(names, identity, place, known)
    elif known.at(place.root) is None or (goes_on is not None and goes_on.insists):
        change = await _change_of_project(names, identity, place, known)
    else:
        change = None
    if change is not None:
        return await _decide(names, change, goes_on)
    if known is None:
        return await names.write(name, [place], project=await names.free(name))
    if known.at(place.root) != place:
        await _write_place(names, known, place)
    return known.project


def _place(identity: ProjectIdentity, known: NamedProject | None) -> ProjectPlace:
    """A folder and what tells its project. Of a history that is known git is asked no more than whether it has it; and
    where a remote or a configuration names the folder, not even that: that name is no place's."""
    root = identity.root
    place = ProjectPlace(main_place(root).as_posix(), place_inside(root), remote_name(root) or "")
    before = known.at(place.root) if known is not None else None
    begun = before.first_commit if before is not None else ""
    if begun and (identity.name != place.root or has_commit(root, begun) is not False):
        return replace(place, first_commit=begun)
    return replace(place, first_commit=(first_commit(root) or "") if git_toplevel(root) is not None else "")


def _is_anothers(known: NamedProject, place: ProjectPlace) -> bool:
    """Whether a repository that had the place, and has its name, began with another commit."""
    before = known.at(place.root)
    return before is not None and before.first_commit not in ("", place.first_commit)


async def _change_of_new_name(names: ProjectNames, identity: ProjectIdentity, place: ProjectPlace) -> NameChange | None:
    """What a name that was never seen may go on with."""
    similar = await names.similar(identity.name, place)
    if not similar:
        return None
    own = await names.free(identity.name)
    used = await names.is_used(own)
    if used and not await names.is_used(similar[0].project):
        return None
    return NameChange(similar[0], identity, place, own, used)


async def _change_of_repository(
    names: ProjectNames, identity: ProjectIdentity, place: ProjectPlace, known: NamedProject
) -> NameChange | None:
    """What another repository in a known place may go on with: what it had elsewhere, else what the former one had."""
    if not await names.is_used(known.project):
        return None
    own = await names.free(identity.name)
    used = await names.is_used(own)
    similar = [each for each in await names.similar(identity.name, place) if each.project != known.project]
    if place.first_commit and similar:
        return NameChange(similar[0], identity, place, own, used, displaced=known)
    there = {each.project: each.conversations for each in await names.all()}
    known = replace(known, conversations=there.get(known.project, 0))
    return NameChange(known, identity, place, own, used, displaced=known)


async def _change_of_project(
    names: ProjectNames, identity: ProjectIdentity, place: ProjectPlace, known: NamedProject
) -> NameChange | None:
    """What a folder had that comes to a name of another project; or, where its user insists, may go on with after all.

    Where it has the name already, and something was said under it, that was decided.
    """
    comes = known.at(place.root) is None
    used = await names.is_used(known.project)
    if used and not comes:
        return None
    for other in await names.similar(identity.name, place):
        had = not comes or place.root in other.roots
        if had and other.project != known.project and await names.is_used(other.project):
            return NameChange(other, identity, place, known.project, used)
    return None


async def _decide(names: ProjectNames, change: NameChange, goes_on: GoesOn | None) -> str:
    """The project of a folder that may have had another memory: that, or its own."""
    if goes_on is None:
        log.warning("%s", change.refusal if change.used else f"{change.sentence}; to go on with that: {change.command}")
        return change.own
    if change.used:  # there is nothing to choose: it is said once
        goes_on.tell(change)
        return await _begin(names, change)
    answer = goes_on.ask(change)
    if answer is None:
        return change.own
    return await (_adopt if answer else _begin)(names, change)


async def _adopt(names: ProjectNames, change: NameChange) -> str:
    """Has a name lead to the other memory; what has left its old place has left its name there too."""
    other, place, name = change.other, change.place, change.identity.name
    gone = _gone(other, place)
    kept = [each for each in other.places if each.root not in (*gone, place.root)]
    if change.displaced is not None and change.displaced is not other:
        await _displace(names, change.displaced, place)
    await names.forget(name, change.own)  # nothing was said there
    project = await names.write(name, [place, *kept], project=other.project, gone=gone)
    if project == other.project:
        await _leave(names, project, place, gone, other.roots)
    return project


async def _begin(names: ProjectNames, change: NameChange) -> str:
    """Has a name lead to its own project, and that of the repository that was there be called otherwise."""
    if change.displaced is not None:
        await _displace(names, change.displaced, change.place)
    return await names.write(change.identity.name, [change.place], project=change.own)


async def _displace(names: ProjectNames, known: NamedProject, place: ProjectPlace) -> None:
    """Gives a project another name, whose place has another repository now."""
    await names.write(displaced_name(known, place.root), known.places, project=known.project)
    await names.forget(known.name, known.project)


async def _write_place(names: ProjectNames, known: NamedProject, place: ProjectPlace) -> None:
    """What a known project is known by now."""
    gone = _gone(known, place)
    await names.write(known.name, [place], project=known.project, gone=gone)
    await _leave(names, known.project, place, gone, known.roots)


def _gone(known: NamedProject, place: ProjectPlace) -> list[str]:
    """The folders of a project that are not there any more."""
    return [root for root in known.roots if root != place.root and not Path(root).exists()]


async def _leave(
    names: ProjectNames, project: str, place: ProjectPlace, gone: Sequence[str], roots: Sequence[str]
) -> None:
    """Leaves the places that a project is not at any more, and their names, to whoever comes there."""
    for root in gone:
        await names.forget(root, project)
    if gone and place.root not in roots:
        await names.move(project, gone[0], place.root)


async def rename_project(graph: GraphClient, old: str, new: str) -> ProjectInfo:
    """Has a project be called otherwise from now on; its old name is free.

    Raises:
        NotFound: there is no project of the old name.
        InvalidInput: the new name is none, or something is kept under it.
    """
    names = ProjectNames(graph)
    new = new.strip()
    if not new or not new.isprintable():
        raise InvalidInput("a project's name is text on one line")
    found = await _called(names, old)
    taken = await names.find(new) or NamedProject(new, await names.free(new))
    if taken.project != found.project and await names.is_used(taken.project):
        raise has_memory(old, taken)
    if old != new:
        # Who says that a place has this name means whatever is there now.
        places = [replace(each, first_commit="") if each.root == new else each for each in found.places]
        if taken.project != found.project:
            await names.forget(new, taken.project)
        await names.write(new, places, project=found.project)
        await names.forget(old, found.project)
    return next(each for each in await names.all() if each.project == found.project)


async def _called(names: ProjectNames, name: str) -> NamedProject:
    """What has a name, written down or not.

    Raises:
        NotFound: nothing has it.
    """
    if (found := await names.find(name)) is not None:
        return found
    there = await names.all()
    for each in there:
        if each.project == each.name == name:
            return NamedProject(name, name, places=(ProjectPlace(each.place),) if each.place else ())
    near = difflib.get_close_matches(name, [each.name for each in there], n=1)
    hint = f"did you mean {near[0]}?" if near else "`ragforge projects list` shows them all"
    raise NotFound(f"there is no project {name!r}", hint=hint)
