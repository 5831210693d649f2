"""What becomes of anchors between two commits, against known answers; and what following a project costs.

    python benchmarks/anchors.py --cases CASES.jsonl --repos DIR [--no-history] [--predictions OUT.jsonl]
    python benchmarks/anchors.py --follow REPOSITORY [--commits 200] [--anchors 300]

A case is a scope (file, qualified_name, start_line) of a ``repo`` at ``commit_a`` and its ``label`` at ``commit_b``
(see ``measure`` for how answers are counted). Each goes through the product: commit_a is ingested into a real graph, a
message is tied to the scope, commit_b is ingested, and the tie's status is read back. Repositories are looked for
below DIR as ``owner/name``, ``owner+name`` or ``name``, with a work tree or bare. ``--no-history`` ingests files
that no git repository is around, so that the two ends are all there is. The server is ``NEO4J_URI``'s, else the
managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.ingest.run import ingest
from ragforge_memory.models.owner import Owner

LABELS = ("fresh", "drifted", "moved", "orphaned")
RESULT = Path("benchmarks/results/anchors.json")
FOLLOWED = Path("benchmarks/results/anchors-follow.json")

Case = dict[str, Any]
Predictions = dict[str, dict[str, Any]]


class WorkTree:
    """A repository's files at one commit after the other, in a directory of their own.

    Args:
        repository: with a work tree or bare; it is not changed.
        folder: an empty directory.
        history: whether git's history is around the files.
    """

    def __init__(self, repository: Path, folder: Path, *, history: bool) -> None:
        self._history = history
        self.root = folder / "files"
        self.root.mkdir()
        self._git_dir = (self.root if history else folder) / ".git"
        source = repository / ".git" if (repository / ".git").is_dir() else repository
        subprocess.run(
            ["git", "clone", "-q", "--bare", "--shared", str(source), str(self._git_dir)],
            check=True,
            env=_environment(),
        )
        self.git("config", "core.bare", "false")

    def check_out(self, commit: str) -> None:
        """Makes the files those of a commit."""
        try:
            self.git("checkout", "-q", "-f", "--detach", commit)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"{commit} cannot be checked out: {error.stderr.strip()}") from error
        self.git("clean", "-q", "-ffdx")

    def commits(self, count: int) -> list[str]:
        """The newest first parents of HEAD, oldest first."""
        return self.git("rev-list", "--first-parent", f"--max-count={count}", "HEAD").split()[::-1]

    def text(self, commit: str, file: str) -> str | None:
        """A file as a commit has it; None where it has none, or one that is not UTF-8."""
        try:
            return self.git("show", f"{commit}:{file}")
        except (subprocess.CalledProcessError, UnicodeDecodeError):
            return None

    def git(self, *arguments: str) -> str:
        """What git says."""
        return subprocess.run(
            ["git", f"--git-dir={self._git_dir}", f"--work-tree={self.root}", *arguments],
            check=True,
            env=_environment(),
            cwd=self.root,
            capture_output=True,
            encoding="utf-8",
        ).stdout


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_LFS_SKIP_SMUDGE": "1"}


def repository_of(name: str, below: Path) -> Path:
    """Where a repository is; ends the benchmark where it is not."""
    for path in (name, name.replace("/", "+"), name.rpartition("/")[2]):
        for inside in ("repo", "."):
            found = below / path / inside
            if (found / ".git").exists() or (found / "HEAD").is_file():
                return found
    raise SystemExit(f"{name} is not below {below}")


class Bench:
    """One project in the graph, brought from commit to commit."""

    def __init__(self, client: GraphClient, project: str, tree: WorkTree, home: Path) -> None:
        self._client = client
        self._owner = Owner("", project)
        self._tree = tree
        self._home = home
        self.references = ReferenceStore(client, self._owner)
        self._messages = MessageStore(client, self._owner)
        self.conversation = ""

    async def ingest(self, commit: str) -> float:
        """Brings the graph to a commit; returns the seconds of the ingest."""
        await asyncio.to_thread(self._tree.check_out, commit)
        began = perf_counter()
        await ingest(self._client, self._tree.root, project=self._owner.project, home=self._home)
        return perf_counter() - began

    async def begin(self, title: str) -> None:
        """A new conversation."""
        self.conversation = (await ConversationStore(self._client, self._owner).create(title=title)).uuid

    async def tie(self, scope: str) -> str:
        """A message that is tied to a scope; its uuid."""
        name = uuid4().hex
        await self._messages.append(self.conversation, NewMessage(name, "assistant", "See there."))
        await self.references.add(name, [scope], "discussed")
        return name

    async def scopes(self) -> list[dict[str, Any]]:
        """All scopes of the project: uuid, file, qualified_name and start_line."""
        return await self.ask(
            "MATCH (s:Scope) WHERE s.project = $project RETURN s.uuid AS uuid, s.file AS file, "
            "s.qualified_name AS qualified_name, s.startLine AS start_line"
        )

    async def forget_anchors(self) -> None:
        """Takes away the anchors of the pair before, so that no later ingest spends time on them."""
        await self.ask("MATCH (a:CodeAnchor) WHERE a.project = $project DETACH DELETE a RETURN count(*)")

    async def ask(self, query: str) -> list[dict[str, Any]]:
        """Plain Cypher: what no user of the product needs."""
        import neo4j

        config = benchmark_server()
        auth = (config.username, config.password) if config.password else None
        async with (
            neo4j.AsyncGraphDatabase.driver(config.uri, auth=auth) as driver,
            driver.session(database=config.database) as session,
        ):
            return await (await session.run(query, project=self._owner.project)).data()


async def predict(config: Neo4jConfig, cases: list[Case], repos: Path, *, history: bool) -> Predictions:
    """What the product says of each case."""
    client = await connect(config)
    predictions: Predictions = {}
    by_repo: dict[str, dict[tuple[str, str], list[Case]]] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        by_repo[case["repo"]][case["commit_a"], case["commit_b"]].append(case)
    try:
        for repo, pairs in sorted(by_repo.items()):
            project = f"benchmark-anchors-{uuid4().hex}"
            folder = Path(tempfile.mkdtemp(prefix="ragforge-benchmark-"))
            try:
                tree = WorkTree(repository_of(repo, repos), folder, history=history)
                bench = Bench(client, project, tree, folder / "home")
                for number, ((old, new), some) in enumerate(sorted(pairs.items()), 1):
                    predictions |= await predict_pair(bench, old, new, some)
                    if sys.stderr.isatty():
                        print(f"\r{repo}: {number} of {len(pairs)} pairs", end="", file=sys.stderr, flush=True)
                print(f"{repo}: {len(pairs)} pairs", file=sys.stderr)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
                forget_project(config, project)
    finally:
        await client.aclose()
    return predictions


async def predict_pair(bench: Bench, old: str, new: str, cases: list[Case]) -> Predictions:
    """Ingests one commit, ties messages to the cases' scopes, ingests the other, reads what became of them."""
    await bench.ingest(old)
    await bench.begin(f"{old[:8]} to {new[:8]}")
    scopes: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for scope in await bench.scopes():
        scopes[scope["file"], scope["qualified_name"]].append(scope)
    tied: dict[str, str] = {}
    for case in cases:
        there = scopes[case["file"], case["qualified_name"]]
        there.sort(key=lambda scope: abs(scope["start_line"] - case["start_line"]))
        if there:
            tied[await bench.tie(there[0]["uuid"])] = case["id"]
    await bench.ingest(new)
    found: Predictions = {}
    for each in await bench.references.of_conversation(bench.conversation):
        said = {"id": tied[each.message_id or ""], "status": each.status}
        if each.status == "moved":
            said |= {"changed": each.changed, "file": each.moved_to_file, "qualified_name": each.moved_to_name}
        found[said["id"] or ""] = said
    await bench.forget_anchors()
    return found


def measure(cases: list[Case], predictions: Predictions) -> dict[str, Any]:
    """Counts answers: a missing one is wrong (``none``); right place is of those rightly said to be moved."""
    confusion: dict[str, Counter[str]] = {name: Counter() for name in LABELS}
    place, changed, full = [0, 0], [0, 0], 0
    for case in cases:
        said = predictions.get(case["id"], {})
        status = said.get("status") if said.get("status") in LABELS else "none"
        truth = case["label"]
        confusion[truth][str(status)] += 1
        right = truth == status
        if truth == "moved" and status == "moved":
            right = (said["file"], said["qualified_name"]) == (
                case["successor_file"],
                case["successor_qualified_name"],
            )
            place = [place[0] + right, place[1] + 1]
            if case["changed"] is not None:
                same = bool(said["changed"]) == case["changed"]
                changed = [changed[0] + same, changed[1] + 1]
                right = right and same
        full += right
    per_label = {}
    for name in LABELS:
        right, there = confusion[name][name], confusion[name].total()
        claimed = sum(each[name] for each in confusion.values())
        recall, precision = _rate(right, there), _rate(right, claimed)
        f1 = 2 * recall * precision / (recall + precision) if right else 0.0
        per_label[name] = {"n": there, "recall": recall, "precision": precision, "f1": f1}
    known = [each["f1"] for each in per_label.values() if each["n"]]
    not_fresh = [name for name in LABELS if name != "fresh"]
    living = [name for name in LABELS if name != "orphaned"]
    return {
        "n": len(cases),
        "accuracy": _rate(sum(confusion[name][name] for name in LABELS), len(cases)),
        "fully_right": _rate(full, len(cases)),
        "macro_f1": mean(known) if known else 0.0,
        "per_label": per_label,
        "right_place": _rate(*place),
        "changed_right": _rate(*changed),
        "fresh_when_not": _share(confusion, not_fresh, "fresh"),
        "orphaned_when_living": _share(confusion, living, "orphaned"),
        "confusion": {name: dict(counts) for name, counts in confusion.items()},
    }


def _share(confusion: dict[str, Counter[str]], truths: list[str], said: str) -> float:
    return _rate(sum(confusion[name][said] for name in truths), sum(confusion[name].total() for name in truths))


def _rate(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def figures_of(scores: dict[str, Any], seconds: float) -> list[Figure]:
    """The table. What must not fall below a target is told as what is missing to 1."""
    moved = scores["per_label"]["moved"]
    return [
        Figure("moved, not found", (1 - moved["recall"]) * 100, "%", 5.0, f"recall {moved['recall']:.4f}"),
        Figure("moved, wrong place", (1 - scores["right_place"]) * 100, "%", 2.0),
        Figure("said fresh and is not", scores["fresh_when_not"] * 100, "%", 0.0),
        Figure("said orphaned and lives", scores["orphaned_when_living"] * 100, "%", 2.0),
        Figure("changed, said wrongly of the moved", (1 - scores["changed_right"]) * 100, "%"),
        Figure("macro F1", scores["macro_f1"], "", None, f"accuracy {scores['accuracy']:.4f}"),
        Figure("fully right", scores["fully_right"] * 100, "%", None, f"of {scores['n']:,}"),
        Figure("time", seconds, "s"),
    ]


def show(scores: dict[str, Any]) -> str:
    """Recall and precision by label, and what was taken for what."""
    lines = [f"{'':10}{'n':>6}{'recall':>9}{'precision':>11}{'f1':>8}   said: {'  '.join(LABELS)}  none"]
    for name, each in scores["per_label"].items():
        said = scores["confusion"][name]
        counts = "  ".join(f"{said.get(other, 0):>{len(other)}}" for other in (*LABELS, "none"))
        numbers = f"{each['n']:>6}{each['recall']:>9.4f}{each['precision']:>11.4f}{each['f1']:>8.4f}"
        lines.append(f"{name:10}{numbers}         {counts}")
    return "\n".join(lines)


async def follow(config: Neo4jConfig, repository: Path, commits: int, anchors: int) -> tuple[list[Figure], int]:
    """Ingests one commit after the other with messages on some hundred scopes; the cost of a commit."""
    client = await connect(config)
    project = f"benchmark-anchors-{uuid4().hex}"
    folder = Path(tempfile.mkdtemp(prefix="ragforge-benchmark-"))
    try:
        tree = WorkTree(repository, folder, history=True)
        bench = Bench(client, project, tree, folder / "home")
        way = tree.commits(commits + 1)
        first = await bench.ingest(way[0])
        await bench.begin("Followed")
        scopes = await bench.scopes()
        scopes.sort(key=lambda scope: (scope["file"], scope["start_line"]))
        for scope in scopes[:: max(1, len(scopes) // anchors)][:anchors]:
            await bench.tie(scope["uuid"])
        seconds = [await bench.ingest(commit) for commit in way[1:]]
        labels = Counter(each.status for each in await bench.references.of_conversation(bench.conversation))
        files = len({scope["file"] for scope in await bench.scopes()})
    finally:
        await client.aclose()
        shutil.rmtree(folder, ignore_errors=True)
        forget_project(config, project)
    per_thousand = mean(seconds) * max(1.0, 1_000 / max(files, 1))
    told = ", ".join(f"{count} {status}" for status, count in labels.most_common())
    figures = [
        Figure("first ingest", first, "s", None, f"{len(scopes):,} scopes"),
        Figure("a commit, mean", mean(seconds), "s", 1.0 if files >= 1_000 else None, f"{files:,} files"),
        Figure("a commit, scaled to 1,000 files", per_thousand, "s", 1.0, "as if all grew with the files"),
        Figure("a commit, median", median(seconds), "s"),
        Figure("a commit, slowest", max(seconds), "s"),
        Figure("anchors followed", float(sum(labels.values())), "", None, told),
    ]
    return figures, len(seconds)


def load(path: Path) -> list[Case]:
    """The cases that have a label."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return [case for line in text.splitlines() if line.strip() and (case := json.loads(line))["label"] in LABELS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, help="JSON lines, gzipped or not")
    parser.add_argument("--repos", type=Path, help="where the repositories are")
    parser.add_argument("--only", help="cases of this repository alone")
    parser.add_argument("--no-history", action="store_true", help="the two ends alone")
    parser.add_argument("--predictions", type=Path, help="write what was said, as JSON lines")
    parser.add_argument("--follow", type=Path, help="a repository to follow commit by commit")
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--anchors", type=int, default=300)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    config = benchmark_server()
    if given.follow is not None:
        figures, count = asyncio.run(follow(config, given.follow, given.commits, given.anchors))
        print(table(f"Following {count} commits of {given.follow.name}", figures))
        write_json(given.json or FOLLOWED, "anchors-follow", figures, commits=count)
    elif given.cases is not None and given.repos is not None:
        cases = [case for case in load(given.cases) if given.only in (None, case["repo"])]
        began = perf_counter()
        predictions = asyncio.run(predict(config, cases, given.repos, history=not given.no_history))
        scores = measure(cases, predictions)
        figures = figures_of(scores, perf_counter() - began)
        way = "two ends alone" if given.no_history else "with history"
        print(table(f"Anchors: {scores['n']:,} cases, {way}", figures))
        print(show(scores))
        by = {
            f"{field}={value}": measure(some, predictions)
            for field in ("language", "distance", "repo")
            for value in sorted({case[field] for case in cases}, key=str)
            if (some := [case for case in cases if case[field] == value])
        }
        for name, part in by.items():
            moved = part["per_label"]["moved"]
            print(
                f"{name:24} n {part['n']:>5}  accuracy {part['accuracy']:.4f}  moved recall {moved['recall']:.4f}"
                f"  place {part['right_place']:.4f}  orphaned of the living {part['orphaned_when_living']:.4f}"
            )
        if given.predictions is not None:
            lines = (json.dumps(each) for each in predictions.values())
            given.predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")
        write_json(given.json or RESULT, "anchors", figures, history=not given.no_history, scores=scores, by=by)
    else:
        parser.error("give --cases and --repos, or --follow")
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    raise SystemExit(main())
