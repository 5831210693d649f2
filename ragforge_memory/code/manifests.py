"""What a project says that it depends on, in the files of its package managers.

Only what these files say is read, and as they write it: nothing is resolved, and no lock file is looked at.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

Groups = dict[str, list[str]]
"""Packages, with what is said of their versions, by what the file calls the group."""


def dependencies_in(path: str, text: str) -> Groups | None:
    """The dependencies that a file states, by group; None where it is no such file, or is broken.

    Args:
        path: of the file; its name says how it is read.
        text: what it holds.
    """
    reader = _reader(path)
    if reader is None:
        return None
    try:
        found = reader(text)
    except (ValueError, TypeError, AttributeError, configparser.Error):
        return None
    return {group: packages for group, packages in found.items() if packages}


def is_manifest(path: str) -> bool:
    """Whether a path's name is that of a file that `dependencies_in` reads."""
    return _reader(path) is not None


def _reader(path: str) -> Callable[[str], Groups] | None:
    name = path.rpartition("/")[2]
    return next((read for pattern, read in _READERS if re.fullmatch(pattern, name)), None)


def _pyproject(text: str) -> Groups:
    data = tomllib.loads(text)
    project = data.get("project", {})
    found = {"dependencies": _strings(project.get("dependencies"))}
    for group, packages in project.get("optional-dependencies", {}).items():
        found[f"optional {group}"] = _strings(packages)
    for group, packages in data.get("dependency-groups", {}).items():
        found[f"group {group}"] = _strings(packages)
    poetry = data.get("tool", {}).get("poetry", {})
    found["dependencies"] += _table(poetry.get("dependencies"))
    for group, table in poetry.get("group", {}).items():
        found[f"group {group}"] = _table(table.get("dependencies"))
    return found


def _setup_cfg(text: str) -> Groups:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    found = {"install_requires": _requirements(parser.get("options", "install_requires", fallback=""))["requirements"]}
    if parser.has_section("options.extras_require"):
        for group, packages in parser.items("options.extras_require"):
            found[f"optional {group}"] = _requirements(packages)["requirements"]
    return found


def _requirements(text: str) -> Groups:
    lines = (re.sub(r"(?:^|\s)#.*", "", line).strip() for line in text.splitlines())
    return {"requirements": [line for line in lines if line and not line.startswith("-")]}


def _package_json(text: str) -> Groups:
    data = json.loads(text)
    groups = ("dependencies", "peerDependencies", "optionalDependencies", "devDependencies")
    return {group: _table(data.get(group)) for group in groups}


def _composer(text: str) -> Groups:
    data = json.loads(text)
    return {group: _table(data.get(group)) for group in ("require", "require-dev")}


def _cargo(text: str) -> Groups:
    data = tomllib.loads(text)
    groups = ("dependencies", "dev-dependencies", "build-dependencies")
    found = {group: _table(data.get(group)) for group in groups}
    found["workspace"] = _table(data.get("workspace", {}).get("dependencies"))
    return found


def _go_mod(text: str) -> Groups:
    blocks = re.findall(r"^require\s*\(([^)]*)\)", text, re.M)
    lines = [
        *re.findall(r"^require\s+([^(\s].*)$", text, re.M),
        *(line for each in blocks for line in each.splitlines()),
    ]
    found: Groups = {"require": [], "indirect": []}
    for line in lines:
        package, _, comment = line.strip().partition("//")
        if package.strip():
            found["indirect" if "indirect" in comment else "require"].append(package.strip())
    return found


def _pom(text: str) -> Groups:
    # What is managed is a table of versions, and no dependency.
    text = re.sub(
        r"<!--.*?-->|<dependencyManagement>.*?</dependencyManagement>|<plugins>.*?</plugins>", "", text, flags=re.S
    )
    found: Groups = {}
    for each in re.findall(r"<dependency>(.*?)</dependency>", text, re.S):
        said = dict(re.findall(r"<(groupId|artifactId|version|scope)>\s*(.*?)\s*</", each, re.S))
        name = ":".join(said[part] for part in ("groupId", "artifactId", "version") if part in said)
        found.setdefault(said.get("scope", "dependencies"), []).append(name)
    return found


def _gradle(text: str) -> Groups:
    found: Groups = {}
    words = r"\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untimeOnly)"
    for group, package in re.findall(rf"^\s*({words})[\s(]+['\"]([^'\"]+)['\"]", text, re.M):
        found.setdefault(group, []).append(package)
    return found


def _gemfile(text: str) -> Groups:
    gems = re.findall(r"^\s*(?:gem|\w+\.add_(?:runtime_)?dependency)[\s(]+(['\"].*)$", text, re.M)
    return {"gems": [", ".join(re.findall(r"['\"]([^'\"]+)['\"]", each)) for each in gems]}


def _project_file(text: str) -> Groups:
    said = re.findall(r"<PackageReference\s+Include=\"([^\"]+)\"(?:\s+Version=\"([^\"]+)\")?", text)
    return {"packages": [" ".join(each).strip() for each in said]}


def _strings(value: Any) -> list[str]:
    return [each for each in value or [] if isinstance(each, str)]


def _table(value: Any) -> list[str]:
    """Names with their versions: a version may stand in a table of its own, or nowhere."""
    said = value or {}
    versions = {name: each.get("version", "") if isinstance(each, dict) else each for name, each in said.items()}
    return [f"{name} {version}".strip() if isinstance(version, str) else name for name, version in versions.items()]


_READERS: tuple[tuple[str, Callable[[str], Groups]], ...] = (
    (r"pyproject\.toml", _pyproject),
    (r"setup\.cfg", _setup_cfg),
    (r"requirements[\w.-]*\.(?:txt|in)", _requirements),
    (r"package\.json", _package_json),
    (r"composer\.json", _composer),
    (r"Cargo\.toml", _cargo),
    (r"go\.mod", _go_mod),
    (r"pom\.xml", _pom),
    (r"build\.gradle(?:\.kts)?", _gradle),
    (r"Gemfile|[\w.-]+\.gemspec", _gemfile),
    (r"[\w.-]+\.(?:cs|fs)proj", _project_file),
)
