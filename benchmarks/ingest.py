"""How fast code gets into the graph: a first ingest, one without a change, and one after an edit.

    python benchmarks/ingest.py [--tree DIR] [--files 1000] [--json FILE]

Without ``--tree`` a project is made up: modules of classes and functions that import and call each other, some
10 scopes each. Embedding is not part of it. The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory.code.discover import discover
from ragforge_memory.graph.connect import connect
from ragforge_memory.ingest.run import ingest
from ragforge_memory.models.code import IngestReport

RESULT = Path("benchmarks/results/ingest.json")
REPEATS = 5

CLASS = '''
class {name}({base}):
    """A made-up thing, number {number}, that keeps what it is given and hands it on."""

    limit: int = {number}

    def __init__(self, parts, *, limit={number}):
        self.parts = list(parts)
        self.limit = limit
        self.helper = {other}([])

    def collect_{number}(self, values, default=None):
        """Takes values until the limit is reached; returns how many there are then."""
        for index, value in enumerate(values):
            if len(self.parts) >= self.limit:
                break
            if value is None and default is not None:
                value = default
            self.parts.append({function}(value, index))
        return len(self.parts)

    def describe(self):
        """One line about it."""
        lines = [str(part) for part in self.parts]
        if not lines:
            return "nothing"
        return ", ".join(lines) + self.helper.describe()
'''
FUNCTION = '''
def {name}(value, index=0, *, verbose=False):
    """Works out number {number}: a little arithmetic, a branch and two calls."""
    result = value
    if isinstance(value, str):
        result = len(value) + index
    elif verbose:
        print("working on", value)
    for step in range(index):
        result = {one}(result, step) if step % 2 else result + step
    thing = {other}([result])
    return thing.describe() if verbose else result
'''


def made_up(root: Path, files: int) -> None:
    """Writes a project of so many modules; the same one each time."""
    pick = random.Random(7)
    modules = [f"area{number % 20}/module_{number}.py" for number in range(files)]
    for number, path in enumerate(modules):
        others = [pick.randrange(files) for _ in range(3)]
        lines = ['"""A module that is made up."""\n']
        lines += [f"from area{o % 20}.module_{o} import Thing{o}, work_{o}_0" for o in sorted({*others} - {number})]
        other = next((o for o in others if o != number), number)
        for part in range(2):
            name = f"Thing{number}" if part == 0 else f"Extra{number}"
            base = f"Thing{number}" if part else (f"Thing{other}" if other != number else "")
            lines.append(
                CLASS.format(name=name, base=base, number=number, other=f"Thing{other}", function=f"work_{number}_0")
            )
        for part in range(3):
            one = f"work_{number}_{(part + 1) % 3}"
            lines.append(FUNCTION.format(name=f"work_{number}_{part}", number=number, one=one, other=f"Thing{other}"))
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines), encoding="utf-8")


async def measure(root: Path, files: int | None) -> tuple[list[Figure], IngestReport]:
    config = benchmark_server()
    client = await connect(config)
    project = f"benchmark-ingest-{uuid4().hex}"
    warm = f"{project}-warm"
    home = Path(tempfile.mkdtemp(prefix="ragforge-benchmark-"))

    async def timed(times: int = 1) -> tuple[float, IngestReport]:
        """Milliseconds, the best of several."""
        best, report = float("inf"), IngestReport()
        for _ in range(times):
            begun = perf_counter()
            report = await ingest(client, root, project=project, home=home)
            best = min(best, (perf_counter() - begun) * 1_000)
        return best, report

    try:
        # A server that was just started compiles its first statements: a small project of another name takes that.
        with tempfile.TemporaryDirectory() as small:
            made_up(Path(small), 30)
            await ingest(client, Path(small), project=warm, home=home)
        first, report = await timed()
        again, _ = await timed(REPEATS)
        body = await edited(root, timed, "result = value", "result = (value)", "if True", "if (True)")
        name = await added(root, timed)
        per_thousand = first / report.scopes * 1_000
        unchanged = 1_000.0 if files == 1_000 else None
        figures = [
            Figure("first ingest, 1,000 scopes", per_thousand, "ms", 1_000.0, f"{1e6 / per_thousand:,.0f} scopes/s"),
            Figure("first ingest, all", first, "ms", None, f"{report.files:,} files, {report.scopes:,} scopes"),
            Figure("no change", again, "ms", unchanged, f"best of {REPEATS}, {report.files:,} files"),
            Figure("one body edited", body, "ms", None, "its own file's edges are looked up"),
            Figure("one name added", name, "ms", None, "only files that can see the name are looked up"),
        ]
    finally:
        await client.aclose()
        for each in (project, warm):
            forget_project(config, each)
        shutil.rmtree(home, ignore_errors=True)
    return figures, report


async def edited(root: Path, timed, *pairs: str) -> float:  # type: ignore[no-untyped-def]
    """Milliseconds after an edit inside of one function."""
    for file in discover(root).files:
        path = root / file.path
        text = path.read_text(encoding="utf-8", errors="replace")
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            if old in text:
                path.write_text(text.replace(old, new, 1), encoding="utf-8")
                took, _ = await timed()
                return float(took)
    return float("nan")


async def added(root: Path, timed) -> float:  # type: ignore[no-untyped-def]
    """Milliseconds after a function was added to one file."""
    path = root / next(file.path for file in discover(root).files if file.path.endswith(".py"))
    with path.open("a", encoding="utf-8") as file:
        file.write("\n\ndef added_by_the_benchmark():\n    return 1\n")
    took, _ = await timed()
    return float(took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--tree", type=Path, help="a project to ingest; it is copied, since files of it are edited")
    parser.add_argument("--files", type=int, default=1_000, help="modules of the project that is made up")
    parser.add_argument("--json", type=Path, default=RESULT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        if arguments.tree is not None:
            shutil.copytree(arguments.tree, root, symlinks=True)
        else:
            made_up(root, arguments.files)
        figures, report = asyncio.run(measure(root, None if arguments.tree else arguments.files))
    title = f"Ingest: {report.files:,} files, {report.scopes:,} scopes, {report.edges:,} edges"
    print(table(title, figures))
    write_json(arguments.json, "ingest", figures, files=report.files, scopes=report.scopes, edges=report.edges)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    raise SystemExit(main())
