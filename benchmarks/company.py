"""What a turn costs in company: writers that talk at once, in one conversation or in several, and what goes wrong then.

    python benchmarks/company.py [--turns 160] [--rounds 3] [--messages 10000] [--json FILE] [--quick]

1, 2 and 16 writers share the same number of turns, with a model that answers at once: as threads on one
`ConversationAgent`, and as tasks on an `AsyncConversationAgent`; in one new conversation, in one that holds
``--messages`` messages already, and in one conversation each. Beside them a plain driver appends as many questions and
answers one after the other, each in a statement which locks the conversation, raises its head and creates the message.
These four take turns, so that whatever else the machine does falls on all of them: a ratio is the median over the
rounds of the ratios inside a round. Then 64 threads talk in one conversation, and two processes of 16 writers each,
first alone, then in company: with summaries, titles and vectors, while this process makes and deletes branches of the
same conversation and applies retention.

Of every scenario is counted, over all rounds:

deadlocks
    how many the server sent to the driver, those included that the driver repeats by itself.
breaker
    how often a breaker opened, so that turns went to the journal.
missing
    acknowledged turns that were not in the graph when the last writer returned, or said so themselves (``degraded``).
lost
    those that are not in the graph either when all are closed and the next process has taken up what they left.
order
    gaps in ``seq``, answers that are not behind their own questions, turns of a writer that are not in its order.
failed
    calls that raised an error.

All of them must be 0. Two writers may take 1.3 times as long as one, and 16 no longer than one. Ends with 1 where a
target is missed.

The server is ``NEO4J_URI``'s, else the managed one. It is made warm before, for a minute at most. What the benchmark
wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.company_ground import EACH, LONG, NEW, Ground
from benchmarks.company_run import Run, Talk, as_processes, as_tasks, as_threads, judge, settings, take_up, words
from benchmarks.company_seen import watched
from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from benchmarks.server_rest import warm
from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.connect import connect

WRITERS = (1, 2, 16)
CROWD = 64
WAYS = {"threads": as_threads, "tasks": as_tasks}
SHARED = (NEW, LONG)
TWO, SIXTEEN = 1.3, 1.0
COUNTS = ("deadlocks", "breaker", "missing", "lost", "order", "failed")
FULL = {"turns": 160, "rounds": 3, "messages": 10_000}
QUICK = {"turns": 32, "rounds": 1, "messages": 1_000}
WARM = 60.0


class Scenarios:
    """Runs every scenario once a round, and keeps what came of it.

    Args:
        ground: where writers talk.
        turns: of all writers of a scenario together.
    """

    def __init__(self, ground: Ground, turns: int) -> None:
        self._ground = ground
        self._turns = turns
        self._drawn = random.Random(7)
        self.runs: dict[str, list[Run]] = {}
        self.plain: dict[str, list[float]] = {}

    async def round(self, number: int) -> None:
        """All scenarios, in an order drawn anew; what is compared stands side by side, forwards and backwards."""
        groups = [(way, place) for way in WAYS for place in (NEW, LONG, EACH)]
        self._drawn.shuffle(groups)
        for way, place in groups:
            for writers in (0, *WRITERS)[:: -1 if number % 2 else 1]:
                await self.writers(way, place, writers)
        await self.writers("threads", NEW, CROWD)
        await self._processes(company=False)
        await self._processes(company=True)

    async def writers(self, way: str, place: str, writers: int) -> None:
        ground = self._ground
        talk = await ground.talk(place, writers or 1, self._turns)
        if not writers:
            self.plain.setdefault(named(way, place), []).append(await ground.plain(talk))
        else:
            run = await WAYS[way](ground.config, ground.project, ground.driver, talk)
            if run.missing:
                await take_up(ground.config, ground.project, os.environ["RAGFORGE_HOME"])
            await self._keep(named(way, place, writers), run, [talk])
        if place == LONG:
            await ground.cut()

    async def _processes(self, *, company: bool) -> None:
        ground = self._ground
        project = company_of(ground.project) if company else ground.project
        conversations = await ground.new(project=project if company else None)
        halves = (self._turns // 2, self._turns - self._turns // 2)
        talks = [
            Talk(conversations, max(WRITERS), turns, name=f"{name}/")
            for name, turns in zip(("one", "two"), halves, strict=True)
        ]
        run = await as_processes(ground.config, project, ground.driver, talks, company=company)
        name = f"2 processes of {max(WRITERS)}" + (", in company" if company else "")
        await self._keep(name, run, talks)

    async def _keep(self, name: str, run: Run, talks: Sequence[Talk]) -> None:
        await judge(self._ground.driver, self._ground.config.database, run, talks)
        self.runs.setdefault(name, []).append(run)

    def counts(self, name: str) -> dict[str, int]:
        """What went wrong in a scenario, over all rounds."""
        runs = self.runs[name]
        return {
            "deadlocks": sum(run.seen.deadlocks.total() for run in runs),
            "breaker": sum(run.seen.opened for run in runs),
            "missing": sum(run.missing for run in runs),
            "lost": sum(run.lost for run in runs),
            "order": sum(len(run.wrong) for run in runs),
            "failed": sum(len(run.told.failures) for run in runs),
        }

    def described(self, name: str) -> dict[str, Any]:
        """A scenario as JSON."""
        runs = self.runs[name]
        seconds = [turn.seconds for run in runs for turn in run.told.turns] or [0.0]
        group = name.partition(": ")[2]
        plain = self.plain.get(group) or self.plain[named("tasks", NEW)]
        return {
            "scenario": name,
            "turns_per_second": self._turns / median(run.told.seconds for run in runs),
            "of_plain": median(plain) / median(run.told.seconds for run in runs),
            "p50_ms": median(seconds) * 1_000,
            "worst_ms": max(seconds) * 1_000,
            **self.counts(name),
            "seconds": [round(run.told.seconds, 3) for run in runs],
            "deadlocks_by_statement": dict(total(run.seen.deadlocks for run in runs).most_common()),
            "warnings": dict(total(run.seen.warnings for run in runs).most_common()),
            "wrong": dict(Counter(each for run in runs for each in run.wrong).most_common(10)),
            "failures": dict(Counter(each for run in runs for each in run.told.failures).most_common(10)),
            "beside": dict(total(Counter(run.more) for run in runs)),
        }

    def ratio(self, way: str, place: str, writers: int, target: float, messages: int) -> Figure:
        """The time of so many writers as a ratio to that of one."""
        one, many = (self.runs[named(way, place, each)] for each in (1, writers))
        rates = [self._turns / median(run.told.seconds for run in runs) for runs in (one, many)]
        value = median(theirs.told.seconds / its.told.seconds for its, theirs in zip(one, many, strict=True))
        detail = f"{rates[1]:.1f} turns/s, {rates[0]:.1f} of one"
        what = f"{writers} {way} in {place.format(messages=messages)}, time of one"
        return Figure(what, value, "x", target, detail)

    def figures(self, messages: int) -> list[Figure]:
        """What has a target."""
        sums = total(Counter(self.counts(name)) for name in self.runs)
        where = {key: [name for name in self.runs if self.counts(name)[key]] for key in COUNTS}
        found = [
            Figure(key, sums[key], "", 0.0, f"in {len(where[key])} of {len(self.runs)} scenarios" if sums[key] else "")
            for key in COUNTS
        ]
        for way in WAYS:
            for place in SHARED:
                found.append(self.ratio(way, place, 2, TWO, messages))
                found.append(self.ratio(way, place, 16, SIXTEEN, messages))
        return found

    def lines(self, messages: int) -> str:
        """All scenarios as text, aligned."""
        rows: list[tuple[str, ...]] = [("", "turns/s", "of plain", "p50 ms", "worst ms", *COUNTS)]
        for group, seconds in self.plain.items():
            rate = f"{self._turns / median(seconds):.1f}"
            rows.append((f"plain driver: {group}", rate, "1.00", *[""] * (len(rows[0]) - 3)))
        for each in map(self.described, self.runs):
            numbers = (f"{each['turns_per_second']:.1f}", f"{each['of_plain']:.2f}")
            times = (f"{each['p50_ms']:.0f}", f"{each['worst_ms']:.0f}")
            rows.append((each["scenario"], *numbers, *times, *[str(each[key]) for key in COUNTS]))
        rows = [(rows[0]), *sorted(rows[1:], key=lambda row: row[0].partition(": ")[2])]
        rows = [(row[0].format(messages=messages), *row[1:]) for row in rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
            )
            for row in rows
        )


def named(way: str, place: str, writers: int = 0) -> str:
    """The name of a group of scenarios that are compared, or of one of them."""
    group = f"{way} in {place}"
    return f"{writers} writer{'s'[: writers > 1]}: {group}" if writers else group


def company_of(project: str) -> str:
    """The project whose messages have vectors: those of the others would all be embedded with them."""
    return f"{project}-company"


def total(counters: Any) -> Counter[str]:
    """The sum of counters."""
    return sum(counters, Counter[str]())


async def make_warm(ground: Ground, *, patience: float) -> float:
    """Has the server compile what turns run; returns the seconds that it took."""
    [uuid_] = await ground.new()
    with watched():
        async with AsyncConversationAgent(ground.config, project=ground.project, **settings(company=False)) as agent:
            conversation = await agent.load_conversation(uuid_)

            async def turn() -> None:
                await conversation.send_message(words()[0])

            async def turns() -> None:
                await asyncio.gather(*[turn() for _ in range(max(WRITERS))])

            return await warm(ground.client, {"turn": turn, "turns": turns}, patience=patience, rounds=5)


async def measure(config: Neo4jConfig, project: str, given: argparse.Namespace) -> tuple[Scenarios, dict[str, Any]]:
    """Runs all rounds."""
    client = await connect(config)
    driver = open_driver(config)
    try:
        ground = Ground(config, client, driver, project, given.messages)
        began = time.perf_counter()
        await ground.fill()
        filled = time.perf_counter() - began
        warmed = await make_warm(ground, patience=0.0 if given.quick else WARM)
        scenarios = Scenarios(ground, given.turns)
        for number in range(given.rounds):
            await scenarios.round(number)
    finally:
        await driver.close()
        await client.aclose()
    seconds = {"filled_in_seconds": round(filled, 1), "warmed_in_seconds": round(warmed, 1)}
    return scenarios, {"turns": given.turns, "rounds": given.rounds, "messages": given.messages, **seconds}


def told(scenarios: Scenarios) -> str:
    """Where deadlocks came from, and what the log and the errors said."""
    described = [scenarios.described(name) for name in scenarios.runs]
    lines: list[str] = []
    for title, key in (
        ("deadlocks by statement and lock", "deadlocks_by_statement"),
        ("warnings", "warnings"),
        ("out of order", "wrong"),
        ("failed", "failures"),
        ("beside the processes", "beside"),
    ):
        found = total(Counter(each[key]) for each in described)
        lines += [f"{title}:", *(f"  {number:6} {what}" for what, number in found.most_common(12))] if found else []
    return "\n".join(lines)


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, help=f"of all writers together, {FULL['turns']} by default")
    parser.add_argument("--rounds", type=int, help=f"{FULL['rounds']} by default")
    parser.add_argument("--messages", type=int, help=f"of the long conversation, {FULL['messages']} by default")
    parser.add_argument("--quick", action="store_true", help=f"little of all, not warm: {QUICK}")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    for option, value in (QUICK if given.quick else FULL).items():
        if getattr(given, option) is None:
            setattr(given, option, value)
    config = benchmark_server()
    project = f"benchmark-{uuid.uuid4().hex}"
    began = time.perf_counter()
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["RAGFORGE_HOME"] = home  # the journal is the benchmark's own
            scenarios, facts = asyncio.run(measure(config, project, given))
    finally:
        forget_project(config, project)
        forget_project(config, company_of(project))
    figures = scenarios.figures(given.messages)
    print(scenarios.lines(given.messages))
    print(told(scenarios))
    title = f"{given.turns} turns a scenario, {given.rounds} rounds, {time.perf_counter() - began:.0f} s in all"
    print(table(title, figures))
    if given.json:
        write_json(given.json, "company", figures, **facts, scenarios=[*map(scenarios.described, scenarios.runs)])
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
