"""Which project a folder is: one answer for the command line and the library.

Reads a few small files of git's own and starts no process: this runs before every command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_SECTION = re.compile(r'\s*\[\s*(?P<kind>[\w.-]+)(?:\s+"(?P<name>(?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"\s*(?P<key>[A-Za-z][\w-]*)\s*=\s*(?P<value>\S.*?)\s*$")
_SCP_ADDRESS = re.compile(r"(?:[^@/:]+@)?(?P<host>[A-Za-z0-9][\w.-]+):(?P<path>[^/\\:].*|/.*)")

TEXTS_MARKER = ".ragforge-conversations"
"""A file in each folder that keeps the texts of conversations: tools that read a project's files keep out of there."""


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """A project: its name (the owner of its graph) and its absolute root."""

    name: str
    root: Path


def git_toplevel(start: str | os.PathLike[str]) -> Path | None:
    """The top of the git work tree that a folder lies in, or None."""
    folder = Path(start).absolute()
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def project_root(start: str | os.PathLike[str]) -> Path:
    """The root of the project that a folder without a configuration file belongs to: its git work tree, or itself."""
    return git_toplevel(start) or Path(start).absolute()


def identify(root: str | os.PathLike[str], config_name: str | None = None) -> ProjectIdentity:
    """Names the project of a root folder.

    The name is the configuration's, else that of the git remote (``github.com/owner/name``, whatever the protocol;
    below the work tree's top, with the folder's place in it), else the root's path; of a linked work tree that of the
    main one. A remote that is a folder of this machine names nothing.

    Args:
        root: the project's root folder.
        config_name: ``name`` of ragforge.config.yaml; None or empty where it has none.
    """
    place = Path(root).expanduser().resolve()
    name = (config_name or "").strip() or remote_name(place) or main_place(place).as_posix()
    return ProjectIdentity(name, place)


def main_place(place: Path) -> Path:
    """The same place in the main work tree of its repository, which all its work trees share; else the place itself.

    A bare repository has no main work tree: there its own folder stands for one.
    """
    top = git_toplevel(place)
    folders = git_folders(top) if top is not None else None
    if top is None or folders is None or folders[0] == folders[1]:
        return place
    common = folders[1]
    elsewhere = next((value for kind, _, key, value in _settings(common) if (kind, key) == ("core", "worktree")), None)
    if elsewhere is not None:  # a submodule's
        main = (common / elsewhere).resolve()
    else:
        main = common.parent if common.name == ".git" else common
    return main / place.relative_to(top)


def git_folders(top: Path) -> tuple[Path, Path] | None:
    """(a work tree's own git folder, the one that all work trees of its repository share); None where it has none."""
    own = top / ".git"
    if own.is_file():  # a linked work tree or a submodule
        prefix, _, target = git_text(own).partition("gitdir:")
        if prefix.strip() or not target.strip():
            return None
        own = (top / target.strip()).resolve()
    common = git_text(own / "commondir").strip()
    return own, (own / common).resolve() if common else own


def git_text(file: Path) -> str:
    """What a file of git's says; nothing where there is none."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def place_inside(place: Path) -> str:
    """Where a folder is in its git work tree; '' for its top, and where there is none."""
    top = git_toplevel(place)
    return "" if top is None or top == place else place.relative_to(top).as_posix()


def remote_name(place: Path) -> str | None:
    """The name of ``origin``, or of the first remote that has one, with the place in its work tree."""
    top = git_toplevel(place)
    folders = git_folders(top) if top is not None else None
    if top is None or folders is None:
        return None
    addresses: dict[str, str] = {}
    for kind, remote, key, value in _settings(folders[1]):
        if (kind, key) == ("remote", "url") and remote:
            addresses.setdefault(remote, value)
    names = {remote: _name_of_address(address) for remote, address in addresses.items()}
    name = names.get("origin") or next((name for name in names.values() if name), None)
    inside = place.relative_to(top).as_posix()
    return f"{name}/{inside}" if name and inside != "." else name


def _settings(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """What the configuration of a git folder sets: kind and name of its section, key, value."""
    kind, name = "", ""
    for line in git_text(folder / "config").splitlines():
        if section := _SECTION.match(line):
            kind, name = section["kind"].lower(), section["name"] or ""
        elif match := _SETTING.match(line):
            yield kind, name, match["key"].lower(), match["value"].strip('"')


def _name_of_address(address: str) -> str | None:
    if "://" in address:
        try:
            parts = urlsplit(address)
            host, path = parts.hostname or "", parts.path
        except ValueError:
            return None
        if parts.scheme == "file":
            return None
    elif match := _SCP_ADDRESS.fullmatch(address):
        host, path = match["host"], match["path"]
    else:
        return None
    path = path.strip("/").removesuffix(".git").strip("/")
    return f"{host.lower()}/{path}" if host and path else None
