"""kill -9 at each named point of a turn: what was acknowledged is there, once, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import Neo4jConfig
from tests.faults.rounds import POINTS, run_round

pytestmark = [pytest.mark.anyio, pytest.mark.long]


@pytest.mark.parametrize("point", POINTS)
async def test_a_killed_client(
    point: str, neo4j_config: Neo4jConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))
    seed = POINTS.index(point) + 1
    print(f"seed {seed}")
    assert (await run_round(neo4j_config, point, seed, tmp_path)).faults() == []
