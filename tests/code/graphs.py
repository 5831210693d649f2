"""Reads a sample project and shows its scopes and edges as lines that a test can list."""

from __future__ import annotations

from pathlib import Path

from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile, ParsedScope
from ragforge_memory.code.resolve import Edge, Resolution, resolve

SAMPLES = Path(__file__).parent / "samples"


def read(name: str) -> dict[str, ParsedFile]:
    """Every file of a sample that a language claims, by path."""
    root = SAMPLES / name
    paths = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    files = (parse(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths)
    return {file.path: file for file in files if file.language}


def scopes(file: ParsedFile) -> list[str]:
    """``key type first-last`` of each scope, with ``@line`` where the definition is not on the first line."""
    return [
        f"{s.key} {s.type} {s.start_line}-{s.end_line}"
        + (f" @{s.definition_line}" if s.definition_line != s.start_line else "")
        for s in file.scopes
    ]


def edge(one: Edge) -> str:
    """``key KIND key lines``; other files' keys with path; ``()`` behind lines that call, ``?`` if not certain."""
    source = one.source_key or "<top>"
    target = one.target_key if one.target_path == one.source_path else f"{one.target_path}:{one.target_key}"
    lines = ",".join(f"{line}()" if line in one.call_lines else str(line) for line in one.lines)
    shown = f"{source} {one.kind} {target}" + (f" {lines}" if lines else "")
    return shown if one.certain else f"{shown} ?"


def edges(resolution: Resolution, path: str, *, parents: bool = False) -> list[str]:
    """The edges out of one file, those to parents only where asked for."""
    found = [e for e in resolution.edges if e.source_path == path]
    return [edge(e) for e in found if parents or e.kind != "HAS_PARENT"]


class Sample:
    """A sample project with the scopes and edges that it must have, listed by hand.

    Args:
        name: its folder below ``samples/``.
        scopes: for the files with most their scopes, as `scopes` shows them.
        edges: for files with edges those, as `edges` shows them.
    """

    def __init__(self, name: str, scopes: dict[str, list[str]], edges: dict[str, list[str]]) -> None:
        self.files = read(name)
        self.resolution = resolve(self.files.values())
        self.scopes = scopes
        self.edges = edges

    def scope(self, path: str, key: str) -> ParsedScope:
        """One scope of the sample."""
        return next(found for found in self.files[path].scopes if found.key == key)


class SampleTests:
    """What holds for every sample; a test class of a language's names its own. conftest.py gives the paths."""

    sample: Sample

    def test_every_file_is_whole(self) -> None:
        assert [file.path for file in self.sample.files.values() if file.error] == []

    def test_scopes(self, scopes_path: str) -> None:
        assert scopes(self.sample.files[scopes_path]) == self.sample.scopes[scopes_path]

    def test_edges(self, edges_path: str) -> None:
        assert edges(self.sample.resolution, edges_path) == self.sample.edges[edges_path]


def parsed(sources: dict[str, str]) -> list[ParsedFile]:
    """A project given as texts by path; each is whole."""
    files = [parse(path, text.encode()) for path, text in sources.items()]
    assert [file.error for file in files if file.error] == []
    return files


def shown(sources: dict[str, str], path: str) -> list[str]:
    """The edges out of one file of such a project."""
    return edges(resolve(parsed(sources)), path)
