"""How many answers of the extractive model are right, on repositories it was never tuned on.

    python benchmarks/answers.py --seed 7 /tmp/repos/starlette /tmp/repos/attrs /tmp/repos/rich

Nothing is fetched: give checked-out Python repositories, for instance from
``git clone --depth 1 https://github.com/encode/starlette``. Questions are drawn by the seed; what is true comes from
the standard library's `ast` (python_truth.py), not from the product's parser. Single questions are asked through
`AsyncConversationAgent`; those that need a conversation are asked by ``ragforge ask`` and then, in another process,
``ragforge ask -c``. The server is the one that the environment names (``NEO4J_URI``), else the managed one.

Prints a table, writes JSON with ``--json FILE``, and ends with 1 where a figure misses its target.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drawn_questions import Draw
from judged_questions import Drawn, forms_of, judge_callers
from python_truth import Truth

# Shares of right answers; callers have the precision of what is stated as a fact, and the recall of that and of what
# the answer calls possible. ``free`` has no target: its questions are words picked from documentation, and often fit
# other definitions as well.
TARGETS: dict[str, float | None] = {"where": 0.98, "missing": 0.95, "free": None}
OTHER_TARGET = 0.90
CALLERS_PRECISION, CALLERS_RECALL = 0.90, 0.80


def main() -> int:
    """Asks, judges, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPO_DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every question with its answer")
    parser.add_argument("--wrong", action="store_true", help="print the answers that were wrong")
    parser.add_argument("--embed", action="store_true", help="wait until all scopes are embedded before asking")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for repository in options.repositories:
            root = repository.resolve()
            if not root.is_dir():
                parser.error(f"{repository} is not a directory")
            results.append(measure(root, options.seed, Path(scratch), embed=options.embed))
            print(table(results[-1]), flush=True)
            if options.wrong:
                print_wrong(results[-1]["questions"])
    if options.json:
        plain = [{**each, "questions": [as_plain(drawn) for drawn in each["questions"]]} for each in results]
        options.json.write_text(json.dumps({"seed": options.seed, "repositories": plain}, indent=2) + "\n")
    missed = [f"{each['repository']}: {form}" for each in results for form in each["missed"]]
    print(f"missed: {', '.join(missed)}" if missed else "every target reached")
    return 1 if missed else 0


def measure(root: Path, seed: int, scratch: Path, *, embed: bool) -> dict[str, Any]:
    """Reads one repository in, asks everything, and counts."""
    project = f"answers-{root.name}-{uuid.uuid4().hex[:8]}"
    config = scratch / f"{project}.yaml"
    config.write_text(
        f"name: {project}\n"
        f"source: {{root: {json.dumps(str(root))}}}\n"  # it may be a folder of a repository
        "llm: {provider: extractive}\n"
        "neo4j: {uri: '${NEO4J_URI}', username: '${NEO4J_USERNAME:-neo4j}', password: '${NEO4J_PASSWORD}'}\n"
    )
    started = time.perf_counter()
    ragforge("ingest", "--project", str(root), "--config", str(config))
    ingest_seconds = time.perf_counter() - started
    drawn = Draw(Truth(root), seed).all()
    asyncio.run(ask_singles([each for each in drawn if not each.before], root, config, embed=embed))
    for each in drawn:
        if each.before:
            ask_in_processes(each, root, config)
    for each in drawn:
        judge(each)
    figures = {form: figure(form, questions) for form, questions in forms_of(drawn).items()}
    return {
        "repository": root.name,
        "ingest_seconds": round(ingest_seconds, 1),
        "figures": figures,
        "missed": [form for form, each in figures.items() if not each["reached"]],
        "questions": drawn,
    }


async def ask_singles(drawn: Sequence[Drawn], root: Path, config: Path, *, embed: bool) -> None:
    """Each question in a conversation of its own."""
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.config import load_config

    loaded = load_config(config)
    agent = AsyncConversationAgent.from_settings(loaded.config, project=loaded.config.name, root=root)
    async with agent:
        if embed:
            await agent.drain()
        for each in drawn:
            conversation = await agent.create_conversation()
            started = time.perf_counter()
            response = await conversation.send_message(each.text)
            each.seconds = time.perf_counter() - started
            each.answer = response.content


def ask_in_processes(drawn: Drawn, root: Path, config: Path) -> None:
    """The messages before, then the question, each from a process of its own."""
    where = ("--project", str(root), "--config", str(config), "--no-ingest", "--json")
    for number, text in enumerate(drawn.before):
        ragforge("ask", *(["-c"] if number else []), *where, "--", text)
    started = time.perf_counter()
    drawn.answer = json.loads(ragforge("ask", "-c", *where, "--", drawn.text))["content"]
    drawn.seconds = time.perf_counter() - started


def ragforge(*arguments: str) -> str:
    """Runs the command line; what it printed."""
    command = [sys.executable, "-m", "ragforge_memory.cli.main", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ.copy(), timeout=600)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def judge(drawn: Drawn) -> None:
    """Fills in whether the answer is right."""
    if drawn.truth:
        right, listed, true, found = judge_callers(drawn)
        drawn.notes = {"right": right, "listed": listed, "true": true, "found": found}
        drawn.right = found >= CALLERS_RECALL * true and right >= CALLERS_PRECISION * listed
    else:
        drawn.right = bool(drawn.answer) and drawn.judge(drawn.answer)


def figure(form: str, questions: Sequence[Drawn]) -> dict[str, Any]:
    """The counts of one form and whether they reach their target."""
    right = sum(each.right for each in questions)
    share = right / len(questions)
    seconds = sorted(each.seconds for each in questions)
    found: dict[str, Any] = {
        "asked": len(questions),
        "right": right,
        "share": round(share, 4),
        "median_ms": round(seconds[len(seconds) // 2] * 1000),
    }
    if form == "callers":
        listed = sum(each.notes["listed"] for each in questions)
        true = sum(each.notes["true"] for each in questions)
        hit = sum(each.notes["right"] for each in questions)
        found["precision"] = round(hit / listed, 4) if listed else 0.0
        found["recall"] = round(sum(each.notes["found"] for each in questions) / true, 4) if true else 0.0
        found["stated"] = round(hit / true, 4) if true else 0.0
        found["target"] = f"P {CALLERS_PRECISION}, R {CALLERS_RECALL}"
        found["reached"] = found["precision"] >= CALLERS_PRECISION and found["recall"] >= CALLERS_RECALL
    else:
        target = TARGETS.get(form, OTHER_TARGET)
        found["target"] = "-" if target is None else target
        found["reached"] = target is None or share >= target
    return found


def table(result: dict[str, Any]) -> str:
    """One repository's figures as text."""
    lines = [f"{result['repository']} (read in {result['ingest_seconds']} s)"]
    lines.append(f"  {'form':<12}{'asked':>6}{'right':>7}{'share':>8}  {'target':<16}{'median':>9}")
    for form, each in result["figures"].items():
        extra = ""
        if "precision" in each:
            extra = f"  precision {each['precision']:.3f}, recall {each['recall']:.3f} (stated {each['stated']:.3f})"
        mark = "" if each["reached"] else "  MISSED"
        lines.append(
            f"  {form:<12}{each['asked']:>6}{each['right']:>7}{each['share']:>8.3f}  {each['target']!s:<16}"
            f"{each['median_ms']:>6} ms{extra}{mark}"
        )
    return "\n".join(lines)


def print_wrong(drawn: Sequence[Drawn]) -> None:
    """The answers that were wrong, for whoever improves the rules."""
    for each in drawn:
        if not each.right:
            print(
                f"--- {each.form}: {each.before} {each.text} (about {each.about}) {each.notes}\n{each.answer[:800]}\n"
            )


def as_plain(drawn: Drawn) -> dict[str, Any]:
    """A question with its answer as JSON."""
    return {
        "form": drawn.form,
        "before": list(drawn.before),
        "text": drawn.text,
        "about": drawn.about,
        "answer": drawn.answer,
        "right": drawn.right,
        "seconds": round(drawn.seconds, 4),
        **({"notes": drawn.notes} if drawn.notes else {}),
    }


if __name__ == "__main__":
    sys.exit(main())
