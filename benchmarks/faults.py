"""kill -9 of client and server at named points, under load and with outages in between; counts what was lost.

    python benchmarks/faults.py --rounds 1000 [--seed N] [--home DIR]

It starts a managed server of its own, since it kills that too, and stops it at the end. Each round prints its seed, by
which it can be repeated: a client with two conversations at once is struck at a named point, killed there or after an
outage (refused, hanging, slow, or the server itself killed), before, while or after what waits on its disk is stored;
then the next process looks at everything that was acknowledged. The summaries are looked at when the claim of the
killed process has run out; the folder of a round with a fault is kept, and printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.faults_round import KINDS, Found, Rounds
from ragforge_memory.graph.managed import release, stop
from ragforge_memory.home import cache_home


async def main(rounds: int, first_seed: int, home: Path) -> int:
    """Runs the rounds; returns how many found a fault."""
    logging.disable(logging.ERROR)  # of the outages that are made
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.faults_client"])
    loop = Rounds(home, context)
    await loop.begin()
    rounds_done: list[Found] = []
    kinds: Counter[str] = Counter()
    started = time.monotonic()
    try:
        for number in range(rounds):
            began = time.monotonic()
            directory = Path(tempfile.mkdtemp(prefix="ragforge-fault-"))
            found = await loop.run(first_seed + number, directory)
            rounds_done.append(found)
            kinds[found.plan.split(" > ", 1)[0]] += 1
            told = "ok"
            if found.wrong:
                told = f"{_told(found)} (kept: {directory})"
            else:
                shutil.rmtree(directory)
            seconds = time.monotonic() - began
            print(f"round {number + 1:4} seed {found.seed:6} {seconds:5.1f} s {found.plan:60} {told}", flush=True)
            for late in await loop.settle(everything=number + 1 == rounds):
                print(f"           seed {late.seed:6}         {late.plan:60} {_told(late)}", flush=True)
    finally:
        await loop.end()
        wrong = sum((found.wrong for found in rounds_done), Counter[str]())
        failed = sum(bool(found.wrong) for found in rounds_done)
        done, acknowledged = len(rounds_done), sum(found.acknowledged for found in rounds_done)
        result = {
            "rounds": done,
            "first_seed": first_seed,
            "seconds": round(time.monotonic() - started),
            "kinds": dict(kinds),
            "acknowledged": acknowledged,
            "messages": sum(found.messages for found in rounds_done),
            "journals_left": sum(found.left_a_journal for found in rounds_done),
            **{kind.replace(" ", "_"): wrong[kind] for kind in KINDS},
        }
        print(f"{done} rounds from seed {first_seed}, {acknowledged} acknowledged, {failed} rounds with a fault")
        print(json.dumps(result))
    return failed


def _told(found: Found) -> str:
    """Each fault, of long ones the beginning."""
    more = [f"and {len(found.told) - 20} more"] if len(found.told) > 20 else []
    return "; ".join([each[:200] for each in found.told[:20]] + more)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="the server's home; default: a fresh one, removed afterwards")
    given = parser.parse_args()
    os.environ.pop("NEO4J_URI", None)
    os.environ["RAGFORGE_CACHE"] = str(cache_home())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that its server is stopped then, too
    with tempfile.TemporaryDirectory(prefix="ragforge-faults-") as scratch:
        home = given.home or Path(scratch) / "home"
        try:
            sys.exit(1 if asyncio.run(main(given.rounds, given.seed, home)) else 0)
        finally:
            stop(home)
            release(home)
