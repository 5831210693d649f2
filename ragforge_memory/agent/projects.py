"""Which project a name leads to: a folder's memory stays its own when its name changes.

A folder is named by its configuration, its remote or its path, and each of them may change. What tells that it is the
same one is written down at its first use: where it is, its remote and the commit that its history begins with.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.git import first_commit
from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.project_names import NamedProject, ProjectFacts, ProjectNames
from ragforge_memory.project import ProjectIdentity, main_place, place_inside, remote_name

if TYPE_CHECKING:
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.models.project import ProjectInfo

GoesOn = Callable[[NamedProject, ProjectIdentity, bool], bool | None]
"""Asks whether a folder goes on with what was said under another name; None: nobody is there to be asked. The last
argument is whether something is kept under the new name already: then it cannot, and is to be told so."""

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
    facts = _told_facts(identity)
    if known is not None:
        if not known.has(facts):
            await _write_facts(names, known, facts, identity)
        return known.project
    facts = await _all_facts(facts, identity)
    similar = await names.similar(name, facts)
    own = await names.free(name)
    if not similar:
        return await names.write(name, facts, project=own)
    return await _chosen(names, similar[0], own, facts, identity, goes_on)


async def _chosen(
    names: ProjectNames,
    other: NamedProject,
    own: str,
    facts: ProjectFacts,
    identity: ProjectIdentity,
    goes_on: GoesOn | None,
) -> str:
    """The project of a new name, where the folder is known by another one: that, or its ``own``."""
    name = identity.name
    if goes_on is None:
        log.warning("%s; to go on with that: %s", told(other, identity), rename_command(other.name, name))
        return own
    used = await names.is_used(own)
    answer = goes_on(other, identity, used)
    if answer is None:
        return own
    if answer and used:
        raise has_memory(name)
    if answer:
        return await _adopt(names, other, name, facts)
    return await names.write(name, facts, project=own)


async def _adopt(names: ProjectNames, other: NamedProject, name: str, facts: ProjectFacts) -> str:
    """Has a new name lead to a project; what has left its old place has left its name there too."""
    gone = [root for root in other.roots if root != facts.root and not Path(root).exists()]
    kept = [root for root in other.roots if root not in gone]
    project = await names.write(name, facts, project=other.project, also=kept)
    if project == other.project:
        await _moved(names, project, facts, gone, kept)
    return project


async def _write_facts(
    names: ProjectNames, known: NamedProject, facts: ProjectFacts, identity: ProjectIdentity
) -> None:
    """What a known project is known by now."""
    gone = [root for root in known.roots if root != facts.root and not Path(root).exists()]
    kept = [root for root in known.roots if root not in gone]
    await names.write(known.name, await _all_facts(facts, identity), project=known.project, gone=gone)
    await _moved(names, known.project, facts, gone, kept)


async def _moved(
    names: ProjectNames, project: str, facts: ProjectFacts, gone: Sequence[str], kept: Sequence[str]
) -> None:
    """Leaves the places that a project is not at any more, and their names, to whoever comes there."""
    for place in gone:
        await names.forget(place, project)
    if gone and facts.root not in kept:
        await names.move(project, gone[0], facts.root)


async def rename_project(graph: GraphClient, old: str, new: str) -> ProjectInfo:
    """Has a project be called otherwise from now on; its old name is free.

    Raises:
        NotFound: there is no project of the old name.
        InvalidInput: the new name is none, or another project's, or something is kept under it.
    """
    names = ProjectNames(graph)
    new = new.strip()
    if not new or not new.isprintable():
        raise InvalidInput("a project's name is text on one line")
    there = await names.all()
    found = await names.find(old)
    if found is None:
        info = next((each for each in there if each.project == old and each.name == old), None)
        if info is None:
            near = difflib.get_close_matches(old, [each.name for each in there], n=1)
            hint = f"did you mean {near[0]}?" if near else "`ragforge projects list` shows them all"
            raise NotFound(f"there is no project {old!r}", hint=hint)
        found = NamedProject(old, old, roots=(info.place,) if info.place else ())
    if await _is_anothers(names, new, found.project):
        raise has_memory(new)
    facts = ProjectFacts(next(iter(found.roots), ""), found.inside, found.remote, found.first_commit)
    if old != new:
        await names.write(new, facts, project=found.project, also=found.roots)
        await names.forget(old, found.project)
    return next(each for each in await names.all() if each.project == found.project)


async def _is_anothers(names: ProjectNames, name: str, project: str) -> bool:
    """Whether a name leads to another project, or something of another is kept under it."""
    taken = await names.find(name)
    if taken is not None:
        return taken.project != project
    return name != project and await names.free(name) == name and await names.is_used(name)


def told(other: NamedProject, identity: ProjectIdentity) -> str:
    """What is known of a folder's other name, as a sentence without its end."""
    if main_place(identity.root).as_posix() not in other.roots:
        where = f" (in {other.roots[0]})" if other.roots else ""
        return f"the project {other.name}{where} begins with the same commit or has the same remote"
    return f"this folder was the project {other.name} until now"


def has_memory(name: str) -> InvalidInput:
    """The error for a name under which something is kept already."""
    return InvalidInput(
        f"there is a project {name!r} already, with a memory of its own",
        hint="two memories become one by an archive: there `ragforge conversations export --all FILE`, then give it "
        f"another name ({rename_command(name, 'ANOTHER')}), rename this one, and import FILE",
    )


def rename_command(old: str, new: str) -> str:
    """The command that has a project be called otherwise."""
    return shlex.join(["ragforge", "projects", "rename", old, new])


def _told_facts(identity: ProjectIdentity) -> ProjectFacts:
    """What a few small files say of a folder."""
    root = identity.root
    return ProjectFacts(main_place(root).as_posix(), place_inside(root), remote_name(root))


async def _all_facts(facts: ProjectFacts, identity: ProjectIdentity) -> ProjectFacts:
    """The same with what git has to be asked for."""
    begun = await asyncio.to_thread(first_commit, identity.root)
    return ProjectFacts(facts.root, facts.inside, facts.remote, begun)
