"""Reading in processes of our own gives what reading here gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragforge_memory.code.readers import Readers, _processors, read_file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number in range(60):
        body = "".join(f"def f{n}(x):\n    return x + {n}\n\n" for n in range(10))
        (tmp_path / f"m{number}.py").write_text(body)
    (tmp_path / "broken.py").write_text("def (:\n")
    # A module of the project that is called like one that the readers import must not be taken for it.
    (tmp_path / "json.py").write_text("raise SystemExit('imported')\n")
    return tmp_path


def sizes(root: Path) -> list[tuple[str, int]]:
    """Large enough, as it is told, for several rounds to each process."""
    return [(path.name, 20_000) for path in sorted(root.glob("*.py"))]


def test_processes_give_what_this_one_gives(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    files = sizes(root)

    with Readers(root, size=10_000_000, processes=2) as readers:
        apart = readers.read(files)
        again = readers.read(files[:3])

    here = [read_file(root, path) for path, _ in files]
    assert apart == here
    assert again == here[:3]
    assert [reading.path for reading in apart if reading.broken] == ["broken.py"]


def test_a_process_that_is_killed_is_made_up_for(root: Path) -> None:
    files = sizes(root)
    with Readers(root, size=10_000_000, processes=2) as readers:
        readers.read(files)
        for process in readers._open:
            process.kill()

        assert len(readers.read(files)) == len(files)


def test_a_file_that_is_gone_is_a_reading_too(tmp_path: Path) -> None:
    reading = read_file(tmp_path, "gone.py")

    assert (reading.hash, reading.skipped) == ("", "unreadable: No such file or directory")


def test_as_many_processors_as_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3}, raising=False)
    assert _processors() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    assert _processors() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert _processors() == 1
