"""A newer Neo4j takes over the data of an older one, and what goes wrong on the way is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.graph.managed import ensure_running
from ragforge_memory.graph.managed.files import ServerFiles, State, read_state
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
from ragforge_memory.graph.managed.start import copy_data, settle
from tests.managed.clients import ask

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]  # a start takes ten seconds, on a busy machine a minute


def test_a_newer_version_takes_the_data_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGFORGE_NEO4J_VERSION", "5.26.30")
    old = ensure_running(home)
    assert old.version == "5.26.30"
    ask(old, "CREATE (:Kept {by: 'the upgrade'})")

    monkeypatch.delenv("RAGFORGE_NEO4J_VERSION")
    phases = []
    new = ensure_running(home, progress=lambda report: phases.append(report.phase))
    assert new.version == DEFAULT_VERSION
    assert new.password == old.password
    assert ask(new, "MATCH (kept:Kept) RETURN kept.by") == ["the upgrade"]
    assert phases[-2:] == ["upgrade", "start"]
    state = read_state(ServerFiles(home))
    assert state is not None
    assert state.store_version == DEFAULT_VERSION
    assert not list(ServerFiles(home).root.glob("data.*"))


@pytest.fixture
def files(tmp_path: Path) -> ServerFiles:
    files = ServerFiles(tmp_path)
    files.data.mkdir(parents=True)
    (files.data / "store").write_text("old")
    return files


@pytest.mark.parametrize(("version", "kept"), [("5.26.30", "old"), ("2026.09.0", "new")], ids=["failed", "went well"])
def test_an_upgrade_is_undone_or_drops_its_copy(files: ServerFiles, version: str, kept: str) -> None:
    copy_data(files, "5.26.30")
    (files.data / "store").write_text("new")
    settle(files, State("stopped", "2026.09.0", store_version=version))
    assert (files.data / "store").read_text() == kept
    assert [entry.name for entry in files.root.iterdir()] == ["data"]


def test_without_a_record_the_copy_stays(files: ServerFiles) -> None:
    copy_data(files, "5.26.30")
    (files.data / "store").write_text("half migrated, perhaps")
    settle(files, None)
    assert (files.data / "store").read_text() == "half migrated, perhaps"
    assert (files.data_copy("5.26.30") / "store").read_text() == "old"


def test_a_copy_that_was_cut_short_counts_for_nothing(files: ServerFiles) -> None:
    part = files.data_copy("5.26.30").with_name("data.before-upgrade-from-5.26.30.part")
    part.mkdir()
    settle(files, State("stopped", "5.26.30", store_version="5.26.30"))
    assert (files.data / "store").read_text() == "old"
    assert not part.exists()
