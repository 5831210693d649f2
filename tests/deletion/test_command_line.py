"""A backup and its restore, and old conversations, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.archive.private_file import writing
from ragforge_memory.errors import InvalidInput
from tests.cli.conftest import CommandLine, bare_environment, project, ragforge

__all__ = ["bare_environment", "project", "ragforge"]


def test_old_ones_are_listed_first(ragforge: CommandLine) -> None:
    ragforge.json("ask", "One?", "--json", "--model", "extractive")
    kept = ragforge.json("ask", "Two?", "--json", "--model", "extractive")["conversation_id"]
    listed = ragforge.run("conversations", "delete", "--keep", "1", "--dry-run")
    assert "One?" in listed.stdout
    assert "Two?" not in listed.stdout
    assert "1 conversation would go" in listed.stderr
    assert ragforge.run("conversations", "delete", "--keep", "1").returncode == 2
    assert ragforge.ok("conversations", "delete", "--older-than", "1", "--yes") == ""
    assert ragforge.ok("conversations", "delete", "--keep", "1", "--yes") == "deleted: 1 conversation\n"
    assert [item["uuid"] for item in ragforge.json("conversations", "list", "--json")["items"]] == [kept]
    for wrong in ((), (kept, "--keep", "1"), (kept, "--dry-run")):
        assert ragforge.run("conversations", "delete", *wrong).returncode == 2


def test_old_ones_whose_texts_are_out_of_reach_are_told(ragforge: CommandLine) -> None:
    configuration = ragforge.project / "ragforge.config.yaml"
    plain = configuration.read_text()
    configuration.write_text(plain.replace("memory: {", "memory: {persistence: {type: files}, "))
    ragforge.json("ask", "One?", "--json", "--model", "extractive")
    configuration.write_text(plain)
    for more in ((), ("--dry-run",)):
        refused = ragforge.run("conversations", "delete", "--keep", "0", "--yes", *more)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "1 old conversation stays: its texts are in files" in refused.stderr
        assert "no conversation is so old" not in refused.stderr
    ragforge.json("ask", "Two?", "--json", "--model", "extractive")
    done = ragforge.run("conversations", "delete", "--keep", "0", "--yes")
    assert (done.returncode, done.stdout) == (1, "deleted: 1 conversation\n")
    assert "1 old conversation stays" in done.stderr


@pytest.mark.anyio
async def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "backup.jsonl"
    target.write_text("yesterday's")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InvalidInput, match="No space left on device"):
        async with writing(target) as out:
            out.write(b"today's")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("backup.jsonl", "yesterday's")]
