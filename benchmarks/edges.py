"""Draw CONSUMES edges of a project, with the code that they claim to be about, for judging by eye.

    python benchmarks/edges.py --seed N DIR [--count 50] [--language NAME] [--kind CONSUMES] [--context 0] [--json]

Each edge is printed with its source (file, scope), the line that uses, and the target with its signature. An edge is
right when that use, at run time or for the compiler, means that definition (of overloads: one of them). The verdicts
on record are in docs/edges.md. The draw depends on the seed and the project's content alone.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from ragforge_memory.code.discover import discover
from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.resolve import Edge, resolve


def project(root: Path) -> list[ParsedFile]:
    """Every file that an ingest would read."""
    return [parse(source.path, (root / source.path).read_bytes()) for source in discover(root).files]


def drawn(files: list[ParsedFile], seed: int, count: int, language: str | None, kind: str) -> list[Edge]:
    """Edges of one kind, chosen evenly."""
    languages = {file.path: file.language for file in files}
    edges = [e for e in resolve(files).edges if e.kind == kind and language in (None, languages[e.source_path])]
    return random.Random(seed).sample(edges, min(count, len(edges)))


def main() -> None:
    """Read the arguments, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--language")
    parser.add_argument("--kind", default="CONSUMES")
    parser.add_argument("--context", type=int, default=0, metavar="N", help="lines around the use")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    root = options.directory.resolve()
    files = project(root)
    scopes = {(file.path, scope.key): scope for file in files for scope in file.scopes}
    rows = []
    for number, edge in enumerate(drawn(files, options.seed, options.count, options.language, options.kind), start=1):
        target = scopes[edge.target_path, edge.target_key]
        lines = (root / edge.source_path).read_text("utf-8", "replace").replace("\r\n", "\n").split("\n")
        at = edge.lines[0] if edge.lines else scopes[edge.source_path, edge.source_key].definition_line
        first, last = max(at - 1 - options.context, 0), at + options.context
        row = {
            "number": number,
            "source": f"{edge.source_path}:{at}",
            "scope": edge.source_key or "(top level)",
            "target": f"{edge.target_path}:{target.definition_line}",
            "name": target.qualified_name,
            "type": target.type,
            "signature": target.signature,
            "certain": edge.certain,
            "code": "\n".join(line[:200] for line in lines[first:last]),
        }
        rows.append(row)
        if not options.json:
            print(f"{number}. {row['source']} {row['scope']}{'' if edge.certain else '  (by its name alone)'}")
            print("\n".join(f"      {(line if options.context else line.strip())[:200]}" for line in lines[first:last]))
            print(f"   -> {row['target']} {target.type} {target.qualified_name}: {target.signature[:150]}")
    if options.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
