"""`ragforge reembed`."""

from __future__ import annotations

import json
from uuid import uuid4

from ragforge_memory.models.embedding import ReembedReport
from tests.cli.conftest import CommandLine


def _configure(ragforge: CommandLine, name: str, dimension: int) -> None:
    embeddings = {"provider": "hashing", "model": "words", "dimension": dimension}
    (ragforge.project / "ragforge.config.yaml").write_text(
        json.dumps({"name": name, "agent": {"memory": {"embeddings": embeddings}}})
    )


def test_the_configured_model_makes_all_vectors_anew(ragforge: CommandLine) -> None:
    name = f"moved {uuid4().hex}"
    _configure(ragforge, name, 6)
    ragforge.ok("ingest", "--embed")
    _configure(ragforge, name, 5)
    refused = ragforge.run("conversations", "list")
    assert refused.returncode == 1
    assert "ragforge reembed" in refused.stderr
    report = ReembedReport.model_validate_json(ragforge.ok("reembed", "--json"))
    assert (report.model, report.dimension, report.previous) == ("hashing:words", 5, "hashing:words")
    assert report.scopes > 0
    assert ragforge.ok("conversations", "list") == ""
    told = ragforge.ok("reembed", "--model", "hashing:words", "--dimension", "6")
    assert "the vectors are those of hashing:words (6 dimensions)" in told
    assert ragforge.run("reembed", "--dimension", "6").returncode == 2
