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


def test_another_model_than_the_configured_one_is_said_with_what_comes_of_it(ragforge: CommandLine) -> None:
    _configure(ragforge, f"moved {uuid4().hex}", 6)
    ragforge.ok("ingest")
    same = ragforge.run("reembed", "--model", "hashing:words", "--dimension", "6")
    assert (same.returncode, same.stderr) == (0, "")
    other = ragforge.run("reembed", "--model", "hashing:words", "--dimension", "5")
    assert other.returncode == 0
    assert "until then every other command is refused" in other.stderr
    assert "dimension 5" in other.stderr
    assert ragforge.run("ingest").returncode == 1


def test_where_no_model_is_named_search_is_by_words_until_then(ragforge: CommandLine) -> None:
    name = f"moved {uuid4().hex}"
    _configure(ragforge, name, 6)
    ragforge.ok("ingest", "--embed")
    (ragforge.project / "ragforge.config.yaml").write_text(json.dumps({"name": name}))
    moved = ragforge.run("reembed", "--model", "hashing:words", "--dimension", "5")
    assert moved.returncode == 0
    assert "until then search is by words alone" in moved.stderr
    asked = ragforge.run("ask", "where is login?", "--model", "extractive")
    assert asked.returncode == 0
    assert "not available: embeddings" in asked.stderr
    embedded = ragforge.run("ingest", "--embed")
    assert embedded.returncode == 1
    assert "gets no vectors" in embedded.stderr
    assert "scopes" in embedded.stdout
