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
        # One that is killed is made up for.
        for process in readers._open:
            process.kill()
        assert readers.read(files) == apart

    here = [read_file(root, path) for path, _ in files]
    assert apart == here
    assert again == here[:3]
    assert [reading.path for reading in apart if reading.broken] == ["broken.py"]


def test_a_file_that_takes_too_long_is_skipped_and_all_others_are_read(root: Path) -> None:
    slow = "".join(f"def f{n}(x):\n    return g(x.y[{n}], 'text') + {n}\n" for n in range(18_000))
    for name in ("a.py", "m30.py"):
        (root / name).write_text(slow)
    files = [(path, (root / path).stat().st_size + 20_000) for path, _ in sizes(root)]

    with Readers(root, size=10_000_000, processes=2, seconds=0.6) as readers:
        readings = readers.read(files)
        assert readers._can_open

    assert [reading.path for reading in readings] == [path for path, _ in files]
    late = [reading for reading in readings if reading.skipped == "takes too long to read"]
    assert [reading.path for reading in late] == ["a.py", "m30.py"]
    for reading in late:
        assert reading.hash
        assert reading.rest is not None
        assert reading.rest.may_hold("f17")
    assert [reading for reading in readings if reading not in late] == [
        read_file(root, path) for path, _ in files if path not in ("a.py", "m30.py")
    ]


def test_a_large_file_is_read_in_a_process_that_can_be_ended(root: Path) -> None:
    with Readers(root, size=100_000, processes=2) as readers:
        small = readers.read([("m1.py", 400)])
        assert not readers._open
        assert readers.read([("m1.py", 400), ("m2.py", 210_000)])[0] == small[0]
        assert len(readers._open) == 1


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
