"""What a folder may go on with: a memory of another name, or of another repository that was in its place."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.graph.project_names import NamedProject, ProjectPlace
    from ragforge_memory.project import ProjectIdentity


@dataclass(frozen=True, slots=True)
class NameChange:
    """A folder whose name does not lead to the memory that it may have had.

    Args:
        other: that memory.
        identity: the folder and its name.
        place: what tells its project.
        own: the project that the name leads to where the folder does not go on with the other.
        used: whether anything is kept there: then it cannot.
        displaced: another repository's, which had the folder and has its name; the same as ``other``, or beside it.
    """

    other: NamedProject
    identity: ProjectIdentity
    place: ProjectPlace
    own: str
    used: bool
    displaced: NamedProject | None = None

    @property
    def other_name(self) -> str:
        """What the other memory is called once this is decided."""
        return self.other.name if self.displaced is not self.other else displaced_name(self.other, self.place.root)

    @property
    def sentence(self) -> str:
        """What is known of the other memory, as a sentence without its end."""
        said = counted(self.other.conversations, "conversation")
        if self.displaced is self.other:
            return f"another repository was in {self.place.root} until now ({said}); this one begins otherwise"
        if self.place.root in self.other.roots:
            known = f"this folder was the project {self.other.name} until now"
        else:
            where = f" (in {self.other.roots[0]})" if self.other.roots else ""
            known = f"the project {self.other.name}{where} begins with the same commit or has the same remote"
        return f"{known} ({said}); now it is {self.identity.name}"

    @property
    def refusal(self) -> str:
        """Why it cannot go on with the other memory, and what brings both into one."""
        which = " and has" if self.displaced is self.other else ", which has"
        hint = joining_hint(self.other_name, self.identity.name, self.identity.root.as_posix())
        return f"{self.sentence}{which} a memory of its own: it goes on with its own. To have both in one: {hint}"

    @property
    def command(self) -> str:
        """The command that goes on with the other memory."""
        if self.displaced is not None:
            return shlex.join(["ragforge", "--project", self.identity.root.as_posix(), "decisions", "--yes"])
        return rename_command(self.other.name, self.identity.name)


class GoesOn(Protocol):
    """A user who is asked whether a folder goes on with another memory."""

    @property
    def insists(self) -> bool:
        """Whether the command came with the answer that it does, whatever was answered before."""

    def ask(self, change: NameChange) -> bool | None:
        """The answer; None: nobody is there to be asked."""

    def tell(self, change: NameChange) -> None:
        """Says that it cannot, and why."""


def displaced_name(other: NamedProject, root: str) -> str:
    """What a project is called whose folder, and name, another repository has now."""
    place = other.at(root)
    return f"{other.name}@{place.first_commit[:8]}" if place else other.name


def rename_command(old: str, new: str) -> str:
    """The command that has a project be called otherwise."""
    return shlex.join(["ragforge", "projects", "rename", old, new])


def has_memory(old: str, new: NamedProject) -> InvalidInput:
    """The error for a project that is to have a name under which something is kept."""
    folder = new.roots[0] if new.roots else "DIR"
    return InvalidInput(
        f"there is a project {new.name!r} already, with a memory of its own",
        hint=f"to have both in one: {joining_hint(old, new.name, folder)}",
    )


def joining_hint(old: str, new: str, folder: str) -> str:
    """How the memory of ``new``, whose folder that is, gets into that of ``old``, which has the name then."""
    there = ["ragforge", "--project", folder, "conversations"]
    export, erase = shlex.join([*there, "export", "--all", "FILE"]), shlex.join([*there, "delete", "--keep", "0"])
    return (
        f"`{export}`, `{rename_command(new, 'ANOTHER')}`, `{rename_command(old, new)}`, "
        f"`{shlex.join([*there, 'import', 'FILE'])}`. What was exported stays under ANOTHER, unless "
        f"`{erase}` erases it before the first rename"
    )
