"""Do the scopes of Python projects agree with Python's own parser, and how fast are they read?

    python benchmarks/scopes.py DIR... [--differences N] [--json]

For every Python file that an ingest of DIR would read, the functions, methods and classes, also nested ones and those
under ``if``, ``try`` and ``with``, are compared as tuples (qualified name, first line with decorators, line of the
keyword, last line). ``agree`` is the share of the tuples of both sides that are on both. A file that Python refuses
must be refused here too, and the other way round; those that only one side refuses are listed.
``parse/s`` is scopes a second by processor time of one process, parsing, extraction and hashing; ``resolve/s`` is
scopes a second when the edges of the whole project are worked out.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ragforge_memory.code.discover import discover
from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.resolve import resolve

Place = tuple[str, int, int, int]
REACH = 0.99
"""What the sets must agree at least."""


@dataclass
class Row:
    """One project's numbers."""

    project: str
    files: int = 0
    scopes: int = 0
    lines: int = 0
    definitions: int = 0
    missing: int = 0
    extra: int = 0
    refused_here: list[str] = field(default_factory=list)
    refused_by_python: list[str] = field(default_factory=list)
    parse_seconds: float = 0.0
    resolve_seconds: float = 0.0
    edges: int = 0
    unresolved: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def agreement(self) -> float:
        """The share of all tuples that both sides have."""
        union = self.definitions + self.extra
        return (self.definitions - self.missing) / union if union else 1.0


def by_ast(source: bytes) -> set[Place] | None:
    """Python's definitions; None where it refuses the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return None
    return set(_definitions(tree))


def _definitions(tree: ast.AST) -> Iterator[Place]:
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                yield prefix + child.name, first, child.lineno, child.end_lineno or child.lineno
                stack.append((child, f"{prefix}{child.name}."))
            else:
                stack.append((child, prefix))


def by_us(parsed: ParsedFile) -> set[Place]:
    """Our functions, methods and classes."""
    return {
        (s.qualified_name, s.start_line, s.definition_line, s.end_line)
        for s in parsed.scopes
        if s.type not in ("constant", "type")
    }


def measure(root: Path) -> Row:
    """Compare one project."""
    row = Row(root.name)
    parsed_files = []
    for found in discover(root).files:
        if not found.path.endswith((".py", ".pyi")):
            continue
        data = (root / found.path).read_bytes()
        start = time.process_time()
        parsed = parse(found.path, data)
        row.parse_seconds += time.process_time() - start
        parsed_files.append(parsed)
        row.files += 1
        row.scopes += len(parsed.scopes)
        row.lines += parsed.line_count
        truth = by_ast(data)
        if truth is None or parsed.error is not None:
            if truth is None and parsed.error is None:
                row.refused_by_python.append(found.path)
            elif truth is not None:
                row.refused_here.append(f"{found.path}: {parsed.error}")
                row.definitions += len(truth)
                row.missing += len(truth)
            continue
        ours = by_us(parsed)
        row.definitions += len(truth)
        row.missing += len(truth - ours)
        row.extra += len(ours - truth)
        row.differences += [f"{found.path} {place}" for place in sorted(truth ^ ours)]
    start = time.process_time()
    resolution = resolve(parsed_files)
    row.resolve_seconds = time.process_time() - start
    row.edges, row.unresolved = len(resolution.edges), resolution.unresolved
    return row


def show(rows: list[Row]) -> None:
    """The table."""
    print(f"{'project':<16}{'files':>7}{'scopes':>8}{'defs':>8}{'agree':>9}{'parse/s':>9}{'resolve/s':>11}{'edges':>9}")
    for row in rows:
        parse_rate = row.scopes / row.parse_seconds if row.parse_seconds else 0
        resolve_rate = row.scopes / row.resolve_seconds if row.resolve_seconds else 0
        print(
            f"{row.project[:15]:<16}{row.files:>7}{row.scopes:>8}{row.definitions:>8}{row.agreement:>9.2%}"
            f"{parse_rate:>9.0f}{resolve_rate:>11.0f}{row.edges:>9}"
        )


def main() -> int:
    """Print the table; 1 if a project agrees less than it must."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--differences", type=int, default=0, metavar="N", help="list N of each project")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(directory) for directory in options.directories]
    if options.json:
        print(json.dumps([{**asdict(row), "agreement": row.agreement} for row in rows], indent=2))
    else:
        show(rows)
        for row in rows:
            for line in row.differences[: options.differences]:
                print(f"  {row.project}: {line}")
            for line in row.refused_here:
                print(f"  {row.project}, refused here alone: {line}")
            for line in row.refused_by_python:
                print(f"  {row.project}, refused by Python alone: {line}")
    return 0 if all(row.agreement >= REACH for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
