"""Which paths of a project are not read: ``.gitignore`` files, folders of tools and builds, configured globs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# Never source, whatever .gitignore says: version control, dependencies, environments, caches of tools.
_TOOL_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".jj", "CVS", "node_modules", "bower_components", "jspm_packages", ".venv",
        ".virtualenv", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
        ".hypothesis", ".eggs", "site-packages", ".gradle", ".mvn", ".idea", ".vscode", ".vs", ".next",
        ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".yarn", ".pnpm-store", ".cargo", ".bundle",
        ".terraform", ".cache", ".ragforge", ".nyc_output", "htmlcov",
    }
)  # fmt: skip
# What a build writes or vendors next to the file that describes the build; elsewhere these names are source.
_JAVASCRIPT = ("package.json",)
_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg")
_JAVA = ("build.gradle", "build.gradle.kts", "pom.xml", "settings.gradle", "settings.gradle.kts")
_NATIVE = ("CMakeLists.txt", "meson.build", "configure.ac")
_BUILD_FOLDERS: dict[str, tuple[str, ...]] = {
    "dist": (*_JAVASCRIPT, *_PYTHON, *_NATIVE, "gulpfile.js"),
    "build": (*_JAVASCRIPT, *_PYTHON, *_JAVA, *_NATIVE),
    "out": (*_JAVASCRIPT, *_JAVA, *_NATIVE),
    "target": ("Cargo.toml", "pom.xml", "build.sbt"),
    "coverage": _JAVASCRIPT,
    "vendor": ("go.mod", "composer.json", "Gemfile"),
    "bin": (".csproj", ".sln", ".fsproj"),
    "obj": (".csproj", ".sln", ".fsproj"),
}


def is_tool_folder(name: str, siblings: frozenset[str]) -> bool:
    """Whether a folder holds dependencies, caches or the output of a build.

    Args:
        name: the folder's own name.
        siblings: the names of everything in the folder that it is in.
    """
    if name in _TOOL_FOLDERS or name.endswith((".egg-info", ".dist-info")):
        return True
    marks = _BUILD_FOLDERS.get(name)
    if marks is None:
        return False
    return any(mark in siblings or (mark[0] == "." and any(s.endswith(mark) for s in siblings)) for mark in marks)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in one folder: the nearest ``.gitignore`` that says something decides, as in git."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def entering(self, folder: Path, relative: str) -> IgnoreRules:
        """The rules inside ``folder``, whose path below the outermost folder of the rules is ``relative``."""
        return self._with(folder / ".gitignore", relative)

    def excluding(self, file: Path) -> IgnoreRules:
        """These rules and those of one more file in gitignore's format."""
        return self._with(file, "")

    def ignores(self, relative: str, *, folder: bool = False) -> bool:
        """Whether the path (below the outermost folder, with ``/``) is ignored; its parents are not looked at."""
        for base, spec in reversed(self.specs):
            inside = relative[len(base) + 1 :] if base else relative
            verdict = spec.check_file(inside + "/" if folder else inside).include
            if verdict is not None:
                return verdict
        return False

    def _with(self, file: Path, relative: str) -> IgnoreRules:
        if not file.is_file():
            return self
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return self
        spec = compiled(lines)
        return self if spec is None else IgnoreRules((*self.specs, (relative, spec)))


def outer_rules(root: Path) -> tuple[IgnoreRules, str]:
    """The rules that hold at ``root`` from above it, and the root's path below the work tree they belong to.

    In a git work tree every ``.gitignore`` from its top to the root counts, and ``.git/info/exclude``.
    """
    for top in (root, *root.parents):
        if not (top / ".git").exists():
            continue
        rules = IgnoreRules().excluding(top / ".git" / "info" / "exclude")
        relative = root.relative_to(top).as_posix()
        prefix = "" if relative == "." else relative
        folder = top
        below = ""
        for part in prefix.split("/") if prefix else ():
            rules = rules.entering(folder, below)
            folder = folder / part
            below = f"{below}/{part}" if below else part
        return rules, prefix
    return IgnoreRules(), ""


def compiled(patterns: Iterable[str]) -> GitIgnoreSpec | None:
    """The patterns (gitignore's format) ready to match, None where there are none."""
    from ragforge_memory.code.wildcards import spec_of

    lines = [line for line in patterns if line.strip() and not line.startswith("#")]
    return spec_of(lines) if lines else None


EVERYTHING = ("**/*", "**", "*")


class Globs:
    """The configured ``include`` and ``exclude``: globs over paths relative to the root, in gitignore's format."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        everything = not include or any(pattern in EVERYTHING for pattern in include)
        self._include = None if everything else compiled(include)
        self._exclude = compiled(exclude)
        self._named = tuple(
            literal for pattern in include if (literal := _literal(pattern)) and not literal.startswith("!")
        )

    def takes(self, path: str) -> bool:
        """Whether a file of this path is wanted."""
        if self._include is not None and not self._include.match_file(path):
            return False
        return self._exclude is None or not self._exclude.match_file(path)

    def leaves_out(self, folder: str) -> bool:
        """Whether everything below this folder is excluded."""
        return self._exclude is not None and bool(self._exclude.check_file(folder + "/").include)

    def names(self, folder: str) -> bool:
        """Whether an ``include`` says the name of this folder, or of something in it: then it is wanted."""
        return any(name == folder or name.startswith(folder + "/") for name in self._named)


def _literal(pattern: str) -> str:
    """The leading folders of a glob that have no wildcard: ``build/gen`` of ``/build/gen/**/*.py``."""
    parts = []
    for part in pattern.strip("/").split("/"):
        if any(sign in part for sign in "*?["):
            break
        parts.append(part)
    return "/".join(parts)
