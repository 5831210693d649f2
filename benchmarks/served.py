"""The HTTP server under load: many users' sessions at once while workers are killed, and 16 writers of one session.

    python benchmarks/served.py [--sessions 200] [--minutes 10] [--workers 2] [--pause 10] [--embeds] [--quick]
        [--json FILE]

`ragforge serve` runs as a process of its own on loopback, with keys, and with a model that says one sentence at once:
what is measured is the server and the graph. First one session talks alone. Then as many users as ``--sessions``
talk, each in a session of the same name, with pauses of ``--pause`` seconds in the mean; each minute a worker is killed
(SIGKILL) and uvicorn starts another. A caller whose connection breaks, or who is told 409 or 503, asks again under the
same Idempotency-Key. Then 16 callers write in one session at once. At the end the server is stopped, and every message
is read from the graph: an acknowledged turn that is not there is lost; one in another conversation or of another user
is crossed; a question that is there twice was answered twice; order is that of each caller. The memory of all workers
is that at the end as a ratio to that at minute 3 (to a third of the time where it is less than that takes), and the
95th percentile of a turn, with all that was asked again, as a ratio to that of one alone. Ends with 1 where a target is
missed.

The graph is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.served_process import Served
from benchmarks.served_talk import SESSION, Caller, Told, client_of, judge, stored
from benchmarks.server import benchmark_server
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.keys import KeyStore

ALONE_TURNS, ALONE_SECONDS, WRITERS = 60, 180.0, 16
GROWTH = 1.1
"""What the memory of the workers may be at the end, to that at minute 3."""


@dataclass(frozen=True)
class Plan:
    """How much is done, and for how long."""

    sessions: int
    seconds: float
    workers: int
    pause: float
    kill_every: float
    turns_each: int


@dataclass
class Memory:
    """The bytes of all workers at minute 3 and at the end, and how many workers were killed."""

    early: int = 0
    late: int = 0
    kills: int = 0


async def make_keys(config: Neo4jConfig, project: str, users: Sequence[str]) -> dict[str, str]:
    """A key for each user."""
    client = await connect(config)
    try:
        keys = KeyStore(client, project)
        return {user: (await keys.create(user_id=user, scope="user"))[1] for user in users}
    finally:
        await client.aclose()


async def alone(served: Served, user: str, key: str) -> Told:
    """One session, turn after turn; the first quarter, in which the server is still compiling, is left out."""
    told, first = Told(), Told()
    ends = time.monotonic() + ALONE_SECONDS
    async with client_of(served.url, 1) as client:
        for number in range(ALONE_TURNS):
            if time.monotonic() > ends and len(told.turns) > 1:
                break
            caller = Caller(client, user, key, first if number < ALONE_TURNS // 4 else told)
            await caller.say(f"{user} asks {number}: where is it?")
    told.failed.update(first.failed)
    told.again.update(first.again)
    return told


async def together(served: Served, keys: dict[str, str], plan: Plan, chance: random.Random) -> tuple[Told, Memory]:
    """All users at once, while workers are killed."""
    told, memory = Told(), Memory()
    began = time.monotonic()
    ends = began + plan.seconds

    async def strikes() -> None:
        while time.monotonic() + plan.kill_every < ends - 1:
            await asyncio.sleep(plan.kill_every)
            memory.kills += await asyncio.to_thread(served.strike, chance.randrange(64))

    async def weigh() -> None:
        await asyncio.sleep(min(180.0, plan.seconds / 3))
        memory.early = await asyncio.to_thread(lambda: served.memory)
        await asyncio.sleep(max(0.0, ends - 1 - time.monotonic()))
        memory.late = await asyncio.to_thread(lambda: served.memory)

    async with client_of(served.url, len(keys)) as client:
        talks = [
            Caller(client, user, key, told).talk(ends, plan.pause, random.Random(chance.random()))
            for user, key in keys.items()
        ]
        await asyncio.gather(strikes(), weigh(), *talks)
    return told, memory


async def writers(served: Served, user: str, key: str, each: int) -> tuple[list[Told], float]:
    """Sixteen callers in one session at once; what each was told, and the seconds that it took."""
    told = [Told() for _ in range(WRITERS)]
    began = time.monotonic()

    async def write(number: int) -> None:
        caller = Caller(client, user, key, told[number])
        for turn in range(each):
            await caller.say(f"{user} asks {number}-{turn}: where is it?", f"{SESSION}-of-all")

    async with client_of(served.url, WRITERS) as client:
        await asyncio.gather(*map(write, range(WRITERS)))
    return told, time.monotonic() - began


def percentile(seconds: Sequence[float], hundredth: int) -> float:
    """In milliseconds."""
    return quantiles(seconds, n=100)[hundredth - 1] * 1_000 if len(seconds) > 1 else 0.0


def measure(config: Neo4jConfig, project: str, plan: Plan, *, embeds: bool, seed: int) -> list[Figure]:
    """Runs all three, stops the server, and reads the graph."""
    chance = random.Random(seed)
    users = [f"{project}-{number}" for number in range(plan.sessions + 2)]
    keys = asyncio.run(make_keys(config, project, users))
    one, common, *others = users
    with tempfile.TemporaryDirectory(prefix="ragforge-served-") as folder:
        served = Served.start(Path(folder), project, config, plan.workers, embeds=embeds)
        try:
            single = asyncio.run(alone(served, one, keys[one]))
            print(f"alone: {len(single.turns)} turns, {median(single.seconds) * 1_000:.0f} ms", flush=True)
            many, memory = asyncio.run(together(served, {user: keys[user] for user in others}, plan, chance))
            print(f"together: {len(many.turns)} turns, {memory.kills} kills", flush=True)
            written, took = asyncio.run(writers(served, common, keys[common], plan.turns_each))
        finally:
            served.end()
        said = served.log.read_text(errors="replace")
    rows = stored(config, project)
    wrong = judge([*single.turns, *many.turns], rows)
    ours = [judge(each.turns, [row for row in rows if row["user"] == common]) for each in written]
    for kind, found in wrong.items():
        for text in found[:5]:
            print(f"  {kind}: {text}")
    failed = single.failed + many.failed
    for reason, number in sum((each.failed for each in written), failed).items():
        print(f"  failed {number} times: {reason}")
    p50, p95 = percentile(single.seconds, 50), percentile(single.seconds, 95)
    rate = len(many.turns) / plan.seconds
    again = ", ".join(f"{number} {what}" for what, number in many.again.most_common(4)) or "none"
    many_p50, many_p95 = percentile(many.seconds, 50), percentile(many.seconds, 95)
    acknowledged = sum(len(each.turns) for each in written)
    mb = f"{memory.early / 1e6:.0f} MB, then {memory.late / 1e6:.0f} MB in {plan.workers} workers"
    broken = sum(len(found) for each in ours for found in each.values())
    return [
        Figure("alone, p50", p50, "ms", None, f"{len(single.turns)} turns"),
        Figure("alone, p95", p95, "ms"),
        Figure(f"{plan.sessions} sessions, p50", many_p50, "ms", None, f"{len(many.turns)} turns, {rate:.1f} a second"),
        Figure(f"{plan.sessions} sessions, p95", many_p95 / p95, "x alone", None, f"{many_p95:.0f} ms"),
        Figure("turns lost", len(wrong["lost"]), "turns", 0, f"{memory.kills} kills; asked again: {again}"),
        Figure("turns crossed", len(wrong["crossed"]), "turns", 0),
        Figure("questions stored twice", len(wrong["twice"]), "turns", 0),
        Figure("turns out of order", len(wrong["order"]), "turns", 0),
        Figure("turns refused or unanswered", failed.total(), "turns", 0),
        Figure("memory, end to early", memory.late / max(1, memory.early), "x", GROWTH, mb),
        Figure(f"{WRITERS} writers: acknowledged and wrong", broken, "turns", 0, f"{acknowledged} in {took:.1f} s"),
        Figure(f"{WRITERS} writers: not acknowledged", WRITERS * plan.turns_each - acknowledged, "turns", 0),
        Figure("deadlocks in the log", said.lower().count("deadlock"), "times", 0),
    ]


def forget_users(config: Neo4jConfig, project: str) -> None:
    """Deletes the users, who are of no project, and what they used."""
    auth = (config.username, config.password) if config.password else None
    with neo4j.GraphDatabase.driver(config.uri, auth=auth) as driver:
        driver.execute_query(
            "MATCH (n:User|UsageDay) WHERE n.user_id STARTS WITH $project DETACH DELETE n",
            project=project,
            database_=config.database,
        )


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pause", type=float, default=10, help="seconds between two turns of a session in the mean")
    parser.add_argument("--embeds", action="store_true", help="messages get vectors, by the local model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="40 sessions, a minute and a half, one kill")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    plan = Plan(given.sessions, given.minutes * 60, given.workers, given.pause, 60, 25)
    if given.quick:
        seconds = min(90, plan.seconds)
        plan = Plan(min(40, given.sessions), seconds, given.workers, given.pause, seconds / 2, 5)
    config = benchmark_server()
    project = f"served-{uuid4().hex[:12]}"
    try:
        figures = measure(config, project, plan, embeds=given.embeds, seed=given.seed)
    finally:
        forget_project(config, project)
        forget_users(config, project)
    print(table(f"{plan.sessions} sessions in {plan.seconds:g} s, {plan.workers} workers", figures))
    if given.json:
        write_json(given.json, "served", figures, sessions=plan.sessions, seconds=plan.seconds, workers=plan.workers)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
