"""Which lines of code import a module, a file or a name: in Python's ways, by a dotted path, by a path in quotes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ragforge_memory.language.reading.endings import DATA
from ragforge_memory.language.reading.targets import Target

_BY_PATH = r"\b(?:import|require|from|include)\b.*['\"<]"
_SOURCE = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|c|cc|cpp|cxx|h|hh|hpp|cs|rb|php)$", re.I)
_MAIN = re.compile(r"/(?:index|__init__|mod)$")
_QUOTED = re.compile(r"['\"<]([^'\"<>\s]+)['\">]")
_FROM = re.compile(r"^\s*from\s+(?P<dots>\.*)(?P<module>[\w.]*)\s+import\b(?P<names>[^#]*)")
_DOTTED = re.compile(r"\b(?:import|use|using|requires)\s+(?:static\s+)?(?P<path>[\w.:\\]+)")


def parts_of(target: Target) -> list[str]:
    """The words of a name; of a file the one that it is imported by."""
    if target.kind != "file":
        return target.parts
    return re.findall(r"\w+", re.sub(r"\.\w+$", "", _path(target.text).rsplit("/", 1)[-1]).removesuffix("()"))


def import_pattern(target: Target) -> str:
    """A regular expression for lines that import it."""
    if DATA.fullmatch(target.text):
        # A file by its whole name, or a package that ends like one: java.sql, `from utils import csv`.
        name = re.escape(target.text)
        home, _, last = map(re.escape, target.text.rpartition("."))
        return (
            rf"\b(?:import|from|use|using|requires)\s+(?:static\s+)?{name}\b|{_BY_PATH}(?:[^'\"]*/)?{name}['\">]"
            rf"|\bfrom\s+{home}\s+import\b.*\b{last}\b"
        )
    if not parts_of(target):
        # A folder above, which has no name here.
        written = re.escape(target.text.rstrip("/"))
        return rf"{_BY_PATH}{written}/?['\">]" if written else r"(?!)"
    *before, last = map(re.escape, parts_of(target))
    whole = r"\.".join([*before, last])
    ways = [rf"\b(?:import|from|use|using)\s+{whole}\b", rf"^\s*(?:import|from)\b.*,\s*{whole}\b"]
    # The module that has it, from elsewhere or from inside its own package.
    homes = [r"\.".join(before[at:]) for at in range(len(before))]
    home = rf"(?:{homes[0]}|\.+(?:{'|'.join(homes)})?)" if before else r"\S+"
    inner = rf"(?:(?:{'|'.join(homes)})\.)?" if before else r"(?:\w+\.)*"
    ways += [rf"\bfrom\s+{home}\s+import\b.*\b{last}\b", rf"\bfrom\s+\.+{inner}{last}\s+import\b"]
    ways += [rf"{_BY_PATH}{_folders(target)}{last}(?:\.\w+)?['\">]"]
    if not before:
        ways += [rf"^\s*from\s+[\w.]*\b{last}\s+import\b"]
        ways += [rf"\b(?:import|use|using)\s+(?:static\s+)?[\w.:\\]*\b{last}\b"] if _folder(target) else []
        ways += [] if target.kind == "file" else [rf"^\s*(?:import|export)\b.*\b{last}\b.*\bfrom\b"]
    return "|".join(ways)


def alone_pattern(target: Target) -> str:
    """A regular expression for lines that have it alone, as an import over several lines has; ``''`` for a file that is
    no module, and for a path: what such an import lists are names."""
    if DATA.fullmatch(target.text) or _folder(target) or not parts_of(target):
        return ""
    return rf"^\s*{re.escape(parts_of(target)[-1])}(?:\s+as\s+\w+)?,\s*$"


def imports_it(target: Target, file: str, line: str) -> bool:
    """Whether a line of a file that has the name imports what is asked for: of a path with folders it must mean these.

    What is imported by a path is meant as seen from the file; without folders, ``../utils``, it is meant as written.
    """
    alone = alone_pattern(target)
    if target.kind == "file" and alone and re.search(alone, line) and not file.endswith((".py", ".pyi")):
        return False  # only Python's imports list modules
    if not _folder(target):
        near = target.kind == "file" and target.text.startswith(".")
        written = _SOURCE.sub("", target.text.rstrip("/"))
        return not near or written in (_SOURCE.sub("", each.rstrip("/")) for each in _QUOTED.findall(line))
    wanted = _path(target.text)
    return any(_is_end(wanted, path) for path in _quoted(file, line)) or any(
        _is_end(wanted, path) or f"/{wanted}/" in f"/{path}/" for path in _dotted(file, line)
    )


def _is_end(wanted: str, path: str) -> bool:
    """Whether one is the end of the other: a package need not say what folders it lies in. A single name says too
    little."""
    return f"/{path}".endswith(f"/{wanted}") or ("/" in path and f"/{wanted}".endswith(f"/{path}"))


def _folder(target: Target) -> str:
    return _path(target.text).rpartition("/")[0] if target.kind == "file" else ""


def _folders(target: Target) -> str:
    """What may stand before the last part of a path in quotes: its folders, or those that the file is not in itself."""
    folders = [re.escape(each) for each in _folder(target).split("/") if each]
    if not folders:
        return r"(?:[^'\"]*/)?"
    inner = "|".join("/".join(folders[at:]) + "/" for at in range(1, len(folders)))
    return rf"(?:(?:[^'\"]*/)?{'/'.join(folders)}/|(?:\.\.?/)+(?:{inner})?)"


def _path(written: str) -> str:
    """A path without what an import leaves out: dots before it, the ending, a folder's main file."""
    return _MAIN.sub("", _SOURCE.sub("", re.sub(r"^(?:\.*/)+", "", written.strip().rstrip("/"))))


def _quoted(file: str, line: str) -> Iterator[str]:
    for written in _QUOTED.findall(line):
        near = written.startswith(".")
        yield _path(posixpath.normpath(posixpath.join(posixpath.dirname(file), written)) if near else written)


def _dotted(file: str, line: str) -> Iterator[str]:
    if (said := _FROM.match(line)) is not None:
        module = said["module"].replace(".", "/")
        if said["dots"]:
            module = posixpath.normpath(
                posixpath.join(posixpath.dirname(file), "../" * (len(said["dots"]) - 1), module)
            )
        yield module
        yield from (f"{module}/{name}" for name in re.findall(r"(?:^|,)[\s(]*(\w+)", said["names"]))
    for each in _DOTTED.finditer(line):
        path = re.sub(r"^(?:(?:crate|self|super)/)+", "", re.sub(r"::|[.\\]", "/", each["path"]))
        # What it names may be inside of the module.
        yield from (path, path.rpartition("/")[0])
