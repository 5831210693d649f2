"""What the benchmarks share: interleaved timing, a table, JSON, and taking away what they left in the graph."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import neo4j
import stamina

from ragforge_memory.config import Neo4jConfig


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    Args:
        what: what was measured.
        value: in ``unit``.
        unit: ``ms``, ``x`` (a ratio to the floor of the same run) or ``statements``.
        target: the most that it may be; None: only told.
        detail: how it came about.
    """

    what: str
    value: float
    unit: str
    target: float | None = None
    detail: str = ""

    @property
    def reached(self) -> bool:
        """Whether the target was reached; a figure without one always has."""
        return self.target is None or self.value <= self.target


def warm_median(samples: Sequence[float]) -> float:
    """The median without the first quarter, in which the server is still compiling."""
    return median(samples[len(samples) // 4 :])


def table(title: str, figures: Sequence[Figure]) -> str:
    """The figures as text, aligned."""
    rows = [("", "measured", "target", "", "")]
    for figure in figures:
        verdict = "" if figure.target is None else "ok" if figure.reached else "MISSED"
        target = "" if figure.target is None else f"<= {figure.target:g} {figure.unit}"
        rows.append((figure.what, f"{figure.value:.2f} {figure.unit}", target, verdict, figure.detail))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) if column == 1 else cell.ljust(width) for column, (cell, width) in enumerate(cells))
        for cells in ([*zip(row, widths, strict=True)] for row in rows)
    ]
    return "\n".join([title, *(line.rstrip() for line in lines)])


def write_json(file: Path, name: str, figures: Sequence[Figure], **facts: Any) -> None:
    """The same as JSON, with the machine that it was measured on."""
    file.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "benchmark": name,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        **facts,
        "figures": [{**asdict(figure), "reached": figure.reached} for figure in figures],
    }
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def forget_project(config: Neo4jConfig, project: str) -> None:
    """Deletes everything that a benchmark wrote under its project's name, in batches."""
    auth = (config.username, config.password) if config.password else None
    with (
        neo4j.GraphDatabase.driver(config.uri, auth=auth) as driver,
        driver.session(database=config.database) as session,
    ):
        for query in (
            "MATCH (m:Message {project: $project})-[:MADE_TOOL_CALL]->(c) "
            "CALL (c) { OPTIONAL MATCH (c)-[:PRODUCED_RESULT]->(r) DETACH DELETE r, c } IN TRANSACTIONS OF 1000 ROWS",
            "MATCH (n {project: $project}) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS",
            "MATCH (p:Project {name: $project}) DETACH DELETE p",
            "MATCH (n:RagforgeMeta) WHERE n.key = 'project/' + $project DELETE n",
            "MATCH (n:BenchmarkFloor) CALL (n) { DELETE n } IN TRANSACTIONS OF 1000 ROWS",
        ):
            # A server that is short of memory for a moment, as beside other tests, takes it a little later.
            for attempt in stamina.retry_context(on=neo4j.exceptions.TransientError, attempts=5):
                with attempt:
                    session.run(query, project=project).consume()
