"""Whether `ragforge impact` names exactly the messages on code that a commit changes, on real commits.

    python benchmarks/impact.py REPOSITORY [--commits 20] [--seed 1] [--json FILE]

For each of some drawn commits of a Python repository its parent is ingested, each definition of the files that the
commit touches gets a message, and so do fifty others. What a commit changes is told by the standard library's `ast`
and `tokenize` alone: a definition is changed where its place has none of the same tokens any more, comments and white
space aside. Asked before the commit is ingested and after it. The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import io
import random
import shutil
import sys
import tempfile
import tokenize
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.anchors import Bench, WorkTree
from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory.anchors.impact import impact
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect

RESULT = Path("benchmarks/results/impact.json")
ELSEWHERE = 50
NEWEST = 600
_SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_STRUCTURE = {tokenize.NEWLINE: ";", tokenize.INDENT: ">", tokenize.DEDENT: "<"}
Definitions = dict[str, dict[int, tuple[str, ...]]]


def definitions(source: str) -> Definitions | None:
    """The tokens of each definition of a file, by qualified name and first line; None where it cannot be parsed."""
    try:
        tree = ast.parse(source)
        tokens = [
            token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in _SILENT
        ]
    except (SyntaxError, ValueError, tokenize.TokenError):
        return None
    found: Definitions = defaultdict(dict)

    def visit(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = outer
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{outer}.{child.name}" if outer else child.name
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                inside = [token for token in tokens if first <= token.start[0] <= (child.end_lineno or first)]
                texts = [_STRUCTURE.get(token.type, token.string) for token in inside]
                while texts and texts[0] in _STRUCTURE.values():
                    texts.pop(0)
                while texts and texts[-1] in _STRUCTURE.values():
                    texts.pop()
                found[name][first] = tuple(texts)
            visit(child, name)

    visit(tree, "")
    return found


async def measure(config: Neo4jConfig, repository: Path, count: int, seed: int) -> dict[str, Any]:
    """Counts over all drawn commits: messages that had to be named, that were, and that were wrongly."""
    rng = random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="ragforge-benchmark-"))
    client = await connect(config)
    counts: Counter[str] = Counter()
    wrong: list[dict[str, Any]] = []
    projects = []
    try:
        tree = WorkTree(repository, folder, history=True)
        with_parents = tree.commits(NEWEST + 1)[1:]
        drawn = [commit for commit in with_parents if _python_files(tree, commit)]
        for commit in rng.sample(drawn, min(count, len(drawn))):
            projects.append(f"benchmark-impact-{uuid4().hex}")
            bench = Bench(client, projects[-1], tree, folder / "home" / commit)
            told = await _one(bench, tree, commit, rng)
            counts += told.pop("counts")
            wrong += told["wrong"]
    finally:
        await client.aclose()
        shutil.rmtree(folder, ignore_errors=True)
        for project in projects:
            forget_project(config, project)
    return {"counts": counts, "wrong": wrong}


async def _one(bench: Bench, tree: WorkTree, commit: str, rng: random.Random) -> dict[str, Any]:
    parent = tree.git("rev-parse", f"{commit}^").strip()
    await bench.ingest(parent)
    await bench.begin(commit[:12])
    touched = _python_files(tree, commit)
    before = {file: definitions(tree.text(parent, file) or "") for file in touched}
    after = {file: definitions(tree.text(commit, file) or "") for file in touched}
    scopes = await bench.scopes()
    scopes.sort(key=lambda scope: (scope["file"], scope["start_line"], scope["qualified_name"]))
    here = [
        scope
        for scope in scopes
        if scope["file"] in touched
        and scope["start_line"] in (before[scope["file"]] or {}).get(scope["qualified_name"], ())
    ]
    others = [scope for scope in scopes if scope["file"] not in touched]
    must: set[str] = set()
    names: dict[str, str] = {}
    for scope in (*here, *rng.sample(others, min(ELSEWHERE, len(others)))):
        file, name = scope["file"], scope["qualified_name"]
        old, new = before.get(file), after.get(file)
        if file in touched and (old is None or new is None):
            continue
        uuid = await bench.tie(scope["uuid"])
        names[uuid] = f"{file} {name}"
        # Of several definitions of one name (overloads) each is looked for among all that there are afterwards.
        if old is not None and new is not None and old[name][scope["start_line"]] not in new.get(name, {}).values():
            must.add(uuid)
    counts: Counter[str] = Counter(commits=1, messages=len(names))
    wrong = []
    for when in ("before", "after"):
        if when == "after":
            await bench.ingest(commit)
        named = set((await impact(tree.root, bench.references, commit)).messages)
        counts += Counter(must=len(must), named=len(named & must), missed=len(must - named), extra=len(named - must))
        wrong += [
            {"commit": commit, "asked": when, "what": what, "scope": names[uuid]}
            for what, uuids in (("missed", must - named), ("extra", named - must))
            for uuid in sorted(uuids)
        ]
    return {"counts": counts, "wrong": wrong}


def _python_files(tree: WorkTree, commit: str) -> set[str]:
    changed = tree.git("diff", "--name-only", "--no-renames", "-z", f"{commit}^", commit).split("\0")
    return {file for file in changed if file.endswith(".py")}


def main() -> int:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = asyncio.run(measure(benchmark_server(), given.repository, given.commits, given.seed))
    counts = found["counts"]
    told = f"{counts['commits']} commits, {counts['messages']:,} messages, seed {given.seed}"
    figures = [
        Figure("messages on changed code, asked for twice", counts["must"], "", None, told),
        Figure("of them not named", counts["missed"], "", 0),
        Figure("named without a change", counts["extra"], "", 0),
    ]
    print(table(f"impact on {given.repository.name}", figures))
    for each in found["wrong"][:20]:
        print(f"  {each['what']} {each['asked']} the ingest of {each['commit'][:12]}: {each['scope']}")
    write_json(given.json or RESULT, "impact", figures, seed=given.seed, wrong=found["wrong"])
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
