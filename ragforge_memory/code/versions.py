"""Which version a project says that it is, in the files of its package managers and in code.

Only what stands in one file is read: a version that is made when the package is built is none.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

from ragforge_memory.models.text import lines_of

_Read = Callable[[str], Any]


def version_in(path: str, text: str) -> tuple[str, int] | None:
    """The version that a file states for its project, and the line; None where it states none, or is no such file.

    Args:
        path: of the file; its name says how it is read.
        text: what it holds.
    """
    read = _reader(path)
    try:
        found = read(text) if read is not None else None
    except (ValueError, TypeError, AttributeError, configparser.Error):
        return None
    # "attr: module.__version__", "${project.version}", {workspace = true}: said elsewhere.
    if not isinstance(found, str) or not re.fullmatch(r"v?\d[\w.+~-]*", found.strip()):
        return None
    return found.strip(), _line(text, found.strip())


def may_state_version(path: str) -> bool:
    """Whether a path's name is that of a file that `version_in` reads."""
    return _reader(path) is not None


def _reader(path: str) -> _Read | None:
    name = path.rpartition("/")[2]
    return next((read for pattern, read in _READERS if re.fullmatch(pattern, name)), None)


def _line(text: str, version: str) -> int:
    """The first line that has the version beside a word for it, else the first that has it."""
    having = [(number, line) for number, line in enumerate(lines_of(text), 1) if version in line]
    return next((number for number, line in having if re.search(r"version|revision", line, re.I)), having[0][0])


def _pyproject(text: str) -> Any:
    data = tomllib.loads(text)
    return data.get("project", {}).get("version") or data.get("tool", {}).get("poetry", {}).get("version")


def _setup_cfg(text: str) -> Any:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    return parser.get("metadata", "version", fallback=None)


def _json(text: str) -> Any:
    return json.loads(text).get("version")


def _cargo(text: str) -> Any:
    data = tomllib.loads(text)
    own = data.get("package", {}).get("version")
    return own if isinstance(own, str) else data.get("workspace", {}).get("package", {}).get("version")


def _pom(text: str) -> str | None:
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    parent = re.search(r"<parent>.*?<version>\s*(.*?)\s*</version>.*?</parent>", text, re.S)
    parts = "parent|dependencies|dependencyManagement|build|reporting|profiles|repositories|pluginRepositories"
    head = re.sub(rf"<({parts})>.*?</\1>", "", text, flags=re.S)
    own = re.search(r"<version>\s*(.*?)\s*</version>", head, re.S)
    if own is None:
        return parent[1] if parent else None
    property_ = re.fullmatch(r"\$\{(.+)\}", own[1])
    named = re.search(rf"<{re.escape(property_[1])}>\s*(.*?)\s*</", head) if property_ else None
    return named[1] if named else own[1]


def _first(pattern: str) -> _Read:
    """Reads what the first group of a pattern finds first."""

    def read(text: str) -> str | None:
        found = re.search(pattern, text, re.M)
        return found[1] if found else None

    return read


_ASSIGNED = _first(r"^\s*(?:__version__|VERSION|RELEASE)\s*(?::\s*\w+\s*)?=\s*['\"]([^'\"]+)['\"]")

_READERS: tuple[tuple[str, _Read], ...] = (
    (r"pyproject\.toml", _pyproject),
    (r"setup\.cfg", _setup_cfg),
    (r"setup\.py", _first(r"\bversion\s*=\s*['\"]([^'\"]+)['\"]")),
    (r"(?:package|composer)\.json", _json),
    (r"Cargo\.toml", _cargo),
    (r"pom\.xml", _pom),
    (
        r"[\w.-]+\.(?:cs|fs)proj|Directory\.Build\.props",
        _first(r"<(?:Version|PackageVersion|VersionPrefix)>\s*(\d.*?)\s*<"),
    ),
    (r"build\.gradle(?:\.kts)?", _first(r"^\s*version\s*=?\s*['\"]([^'\"]+)['\"]")),
    (r"gradle\.properties", _first(r"^\s*(?:version|VERSION_NAME)\s*=\s*(\S+)")),
    (r"[\w.-]+\.gemspec", _first(r"\.version\s*=\s*['\"]([^'\"]+)['\"]")),
    (r"CMakeLists\.txt", _first(r"^\s*project\s*\([^)]*?\bVERSION\s+(\d[\w.]*)")),
    (r"VERSION(?:\.txt)?", _first(r"\A\s*(\S+)\s*\Z")),
    (r"(?:__init__|_?_?version_?_?|__about__)\.py|version\.rb", _ASSIGNED),
)
