"""Which project a folder is: one answer for the command line and the library.

Reads a few small files of git's own and starts no process: this runs before every command.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_SECTION = re.compile(r'\s*\[\s*(?P<kind>[\w.-]+)(?:\s+"(?P<name>(?:[^"\\]|\\.)*)")?\s*\]')
_URL = re.compile(r"\s*url\s*=\s*(?P<url>\S.*?)\s*$")
_SCP_ADDRESS = re.compile(r"(?:[^@/:]+@)?(?P<host>[A-Za-z0-9][\w.-]+):(?P<path>[^/\\:].*|/.*)")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MAX_LINKS = 5

TEXTS_MARKER = ".ragforge-conversations"
"""A file in each folder that keeps the texts of conversations: tools that read a project's files keep out of there."""


@dataclass(frozen=True, slots=True)
class ProjectIdentity:
    """A project: its name (the owner of its graph), its absolute root, and the commit that is checked out."""

    name: str
    root: Path
    commit: str | None = None


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
    below the work tree's top, with the folder's place in it), else the root's path. A remote that is a folder of
    this machine names nothing.

    Args:
        root: the project's root folder.
        config_name: ``name`` of ragforge.config.yaml; None or empty where it has none.
    """
    place = Path(root).expanduser().resolve()
    top = git_toplevel(place)
    store = _git_folders(top) if top is not None else None
    commit = _head_commit(*store) if store else None
    name = (config_name or "").strip()
    if not name and top is not None and store is not None:
        remote = _remote_name(store[1])
        if remote:
            inside = place.relative_to(top).as_posix()
            name = remote if inside == "." else f"{remote}/{inside}"
    return ProjectIdentity(name or place.as_posix(), place, commit)


def _git_folders(top: Path) -> tuple[Path, Path] | None:
    """(the work tree's own git folder, the one shared by all work trees of the repository)."""
    own = top / ".git"
    if own.is_file():  # a linked work tree or a submodule
        prefix, _, target = _read(own).partition("gitdir:")
        if prefix.strip() or not target.strip():
            return None
        own = (top / target.strip()).resolve()
    common = _read(own / "commondir").strip()
    return own, (own / common).resolve() if common else own


def _remote_name(common: Path) -> str | None:
    """The name of ``origin``, or of the first remote that has one."""
    addresses: dict[str, str] = {}
    remote = None
    for line in _read(common / "config").splitlines():
        if section := _SECTION.match(line):
            remote = section["name"] if section["kind"].lower() == "remote" else None
        elif remote and (match := _URL.match(line)):
            addresses.setdefault(remote, match["url"].strip('"'))
    names = {remote: _name_of_address(address) for remote, address in addresses.items()}
    return names.get("origin") or next((name for name in names.values() if name), None)


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


def _head_commit(own: Path, common: Path) -> str | None:
    """The checked-out commit; None before the first one, and for stores of references that are not files."""
    value = _read(own / "HEAD").strip()
    for _ in range(_MAX_LINKS):
        if _HASH.fullmatch(value):
            return value
        if not value.startswith("ref:"):
            return None
        name = value.removeprefix("ref:").strip()
        value = (_read(own / name) or _read(common / name)).strip() or _packed(common, name)
    return None


def _packed(common: Path, name: str) -> str:
    for line in _read(common / "packed-refs").splitlines():
        value, _, packed = line.partition(" ")
        if packed == name:
            return value
    return ""


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
