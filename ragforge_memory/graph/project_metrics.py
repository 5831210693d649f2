"""What the tools of memory have done for all users of a project."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.graph.client import GraphClient


async def project_counts(graph: GraphClient, project: str) -> tuple[Counter[tuple[str, str]], int]:
    """What is counted, by metric and label, and how many operations wait."""
    [row] = await graph.read("project_memory_counts", project=project)
    counts = Counter({(each["metric"], each["label"]): each["number"] for each in row["counts"]})
    return counts, row["waiting"]
