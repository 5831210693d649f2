"""Which paths of a project are not read: what git ignores, folders of tools and builds, configured globs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.git import tracked_files
from ragforge_memory.code.layout import folder_of, folders_above

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
    """The rules in force in one folder, as git has them.

    The nearest ``.gitignore`` that says something decides; what git tracks is never ignored. ``tracked`` are these
    paths below the outermost folder of the rules, and their folders with a slash at the end. ``shut`` says that the
    folder itself is ignored: nothing of it is read but what is tracked.
    """

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    tracked: frozenset[str] = frozenset()
    shut: bool = False

    def entering(self, folder: Path, relative: str) -> IgnoreRules:
        """The rules inside ``folder``, whose path below the outermost folder of the rules is ``relative``."""
        return self if self.shut else self.reading(folder / ".gitignore", relative)

    def below(self, folder: str) -> IgnoreRules | None:
        """The rules for what is in a folder (a path below the outermost one, with ``/``); None: nothing is read."""
        inside = folder + "/"
        if not self.shut and not self._name(inside):
            return self
        return replace(self, shut=True) if inside in self.tracked else None

    def ignores(self, file: str) -> bool:
        """Whether a file (a path below the outermost folder, with ``/``) is ignored; its folders are not looked at."""
        return file not in self.tracked and (self.shut or self._name(file))

    def _name(self, path: str) -> bool:
        for base, spec in reversed(self.specs):
            verdict = spec.check_file(path[len(base) + 1 :] if base else path).include
            if verdict is not None:
                return verdict
        return False

    def reading(self, file: Path, relative: str) -> IgnoreRules:
        """These rules and those of one more file in gitignore's format, for what is below a folder."""
        if not file.is_file():
            return self
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return self
        spec = compiled(lines)
        return self if spec is None else replace(self, specs=(*self.specs, (relative, spec)))


def outer_rules(root: Path) -> tuple[IgnoreRules, str]:
    """The rules that hold at ``root`` from above it, and the root's path below the work tree they belong to.

    In a git work tree every ``.gitignore`` from its top to the root counts, and ``.git/info/exclude``. What is tracked
    the ``git`` program says; where there is none, or it refuses, the rules alone decide, of tracked files too.
    """
    for top in (root, *root.parents):
        if not (top / ".git").exists():
            continue
        relative = root.relative_to(top).as_posix()
        prefix = "" if relative == "." else relative
        rules = IgnoreRules(tracked=_with_folders(tracked_files(root) or (), prefix))
        rules = rules.reading(top / ".git" / "info" / "exclude", "")
        folder = top
        below = ""
        for part in prefix.split("/") if prefix else ():
            rules = rules.entering(folder, below)
            folder = folder / part
            below = f"{below}/{part}" if below else part
        return rules, prefix
    return IgnoreRules(), ""


def _with_folders(files: Iterable[str], prefix: str) -> frozenset[str]:
    found = {f"{prefix}/{file}" if prefix else file for file in files}
    return frozenset(found).union(*map(folders_above, {folder_of(path) for path in found})) - {""}


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
