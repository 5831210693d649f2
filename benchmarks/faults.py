"""kill -9 of the client at each named point of a turn, in a loop; prints every seed, so that a round can be repeated.

    python benchmarks/faults.py --rounds 50 [--seed N]

The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.server import benchmark_server
from tests.faults.rounds import POINTS, run_round


async def main(rounds: int, first_seed: int) -> int:
    """Runs the rounds, the points in turn; returns how many found a fault."""
    config = benchmark_server()
    failed = 0
    acknowledged = 0
    for number in range(rounds):
        seed, point = first_seed + number, POINTS[number % len(POINTS)]
        with tempfile.TemporaryDirectory() as directory:
            found = await run_round(config, point, seed, Path(directory))
        faults = found.faults()
        failed += bool(faults)
        acknowledged += len(found.acknowledged)
        print(f"round {number + 1:4} seed {seed:6} {point:20} {'; '.join(faults) or 'ok'}", flush=True)
    print(f"{rounds} kills, {acknowledged} acknowledged messages, {failed} rounds with a fault")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(1 if asyncio.run(main(given.rounds, given.seed)) else 0)
