"""Downloads: whole or not at all, resumed, checked, and with an error that says what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from ragforge_memory.downloads.fetch import MAVEN_CENTRAL, fetch, missing, repository_base
from ragforge_memory.downloads.lock import PinnedFile
from ragforge_memory.downloads.progress import Progress
from ragforge_memory.errors import DownloadError
from tests.downloads.repository import Repository, serving

AT_ONCE = (0.0, 0.0)


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    monkeypatch.delenv("RAGFORGE_MIRROR", raising=False)
    with serving() as repository:
        yield repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "down loads"


def get(repository: Repository, folder: Path, *files: PinnedFile) -> list[bytes]:
    paths = fetch(files, folder, what="a test", mirror=repository.base, pauses=AT_ONCE)
    return [path.read_bytes() for path in paths]


def leftovers(folder: Path) -> list[Path]:
    return [*folder.rglob("*.part"), *folder.rglob("*.tmp")]


def test_files_come_whole_and_once(repository: Repository, folder: Path) -> None:
    files = [repository.add(f"file{n}", 700_000 if n == 3 else 10 + n) for n in range(20)]
    reports: list[Progress] = []
    paths = fetch(files, folder, what="a test", mirror=repository.base, progress=reports.append)
    assert [path.read_bytes() for path in paths] == [repository.contents[file.path] for file in files]
    total = sum(file.size for file in files)
    assert reports[0] == Progress("download", "a test", 0, total)
    assert reports[-1] == Progress("download", "a test", total, total)
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert len(repository.requests) == 20
    assert not leftovers(folder)


def test_what_is_there_is_not_asked_for_again(repository: Repository, folder: Path) -> None:
    file = repository.add("a")
    get(repository, folder, file)
    assert not missing([file], folder)
    repository.requests.clear()
    assert fetch([file], folder, what="a test", mirror="http://127.0.0.1:1/nothing", pauses=())
    assert not repository.requests


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"X" + content[1:]])
def test_a_truncated_or_altered_file_is_fetched_again(repository: Repository, folder: Path, damage: object) -> None:
    file = repository.add("a")
    (content,) = get(repository, folder, file)
    path = folder / file.path
    path.write_bytes(damage(content))  # type: ignore[operator]
    os.utime(path, ns=(1, 1))
    assert missing([file], folder) == (file,)
    assert get(repository, folder, file) == [content]


def test_a_connection_that_ends_early_goes_on_where_it_stopped(repository: Repository, folder: Path) -> None:
    file = repository.add("big", 600_000)
    repository.cut[file.path] = [400_000, 100_000]
    assert get(repository, folder, file) == [repository.contents[file.path]]
    assert repository.asked(file) == [None, "bytes=400000-", "bytes=500000-"]


def test_after_a_kill_only_what_is_missing_comes(repository: Repository, folder: Path) -> None:
    done, half = repository.add("done", 5000), repository.add("half", 800_000)
    repository.held[half.path] = threading.Event()
    script = (
        "from pathlib import Path; from ragforge_memory.downloads.fetch import fetch\n"
        "from ragforge_memory.downloads.lock import PinnedFile\n"
        f"files = {[done, half]!r}\n"
        f"fetch(files[:1], Path({str(folder)!r}), what='a test', mirror={repository.base!r})\n"
        f"fetch(files, Path({str(folder)!r}), what='a test', mirror={repository.base!r})\n"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        assert repository.half_sent.wait(60)
        part = folder / f"{half.path}.part"
        while not part.exists() or not part.stat().st_size:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    repository.held[half.path].set()
    (folder / "stray.jar.part").write_bytes(b"of a version that nobody wants any more")
    kept = part.stat().st_size
    assert get(repository, folder, done, half) == [repository.contents[file.path] for file in (done, half)]
    assert repository.asked(done) == [None]
    assert repository.asked(half) == [None, f"bytes={kept}-"]
    assert not leftovers(folder)


def test_bytes_of_an_earlier_run_that_do_not_fit_are_dropped(repository: Repository, folder: Path) -> None:
    file = repository.add("a")
    part = folder / f"{file.path}.part"
    for earlier in (b"X" * 400, b"X" * file.size, b"X" * (file.size + 9)):
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(earlier)
        assert get(repository, folder, file) == [repository.contents[file.path]]
        (folder / file.path).unlink()


@pytest.mark.parametrize("other", [1000, 1001, 5000])
def test_another_file_than_pinned_is_not_kept(repository: Repository, folder: Path, other: int) -> None:
    file, fine = repository.add("a", 1000), repository.add("fine")
    repository.contents[file.path] = bytes(other)
    get(repository, folder, fine)
    with pytest.raises(DownloadError, match="SHA-256 differs") as caught:
        get(repository, folder, fine, file)
    assert caught.value.hint
    assert "RAGFORGE_MIRROR" in caught.value.hint
    assert not (folder / file.path).exists()
    assert not leftovers(folder)
    assert (folder / fine.path).exists()


def test_not_found_is_final(repository: Repository, folder: Path) -> None:
    file = repository.add("a")
    del repository.contents[file.path]
    with pytest.raises(DownloadError, match="answered 404"):
        get(repository, folder, file)
    assert len(repository.requests) == 1


def test_passing_troubles_pass(repository: Repository, folder: Path) -> None:
    busy, limited = repository.add("busy"), repository.add("limited")
    repository.answers[busy.path] = [503, 500]
    repository.answers[limited.path] = [429, 408]
    get(repository, folder, busy, limited)
    assert (len(repository.asked(busy)), len(repository.asked(limited))) == (3, 3)


def test_no_network(folder: Path) -> None:
    with serving() as repository:
        file = repository.add("a")
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:\d+ could not be reached") as caught:
        get(repository, folder, file)
    assert caught.value.hint
    assert "network" in caught.value.hint


def test_no_space(repository: Repository, folder: Path) -> None:
    huge = replace(repository.add("a"), size=1 << 60)
    with pytest.raises(DownloadError, match="MB are free") as caught:
        get(repository, folder, huge)
    assert caught.value.hint
    assert "RAGFORGE_HOME" in caught.value.hint
    assert not repository.requests


def test_a_folder_that_cannot_be_written(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DownloadError, match="cannot be written"):
        get(repository, tmp_path / "file" / "below", repository.add("a"))


def test_two_at_once_fetch_each_file_once(repository: Repository, folder: Path) -> None:
    files = [repository.add(f"file{n}", 300_000) for n in range(4)]
    first = files[0].path
    repository.held[first] = threading.Event()
    waiting = threading.Event()

    def report(progress: Progress) -> None:
        if progress.phase == "wait":
            waiting.set()
            repository.held[first].set()

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(get, repository, folder, *files)
        assert repository.half_sent.wait(60)
        two = pool.submit(fetch, files, folder, what="b", mirror=repository.base, progress=report)
        assert one.result()
        assert two.result()
    assert waiting.is_set()
    assert len(repository.requests) == 4


def test_the_mirror_setting(repository: Repository, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = repository.add("a")
    assert repository_base() == MAVEN_CENTRAL
    monkeypatch.setenv("RAGFORGE_MIRROR", f"{repository.base}/")
    assert repository_base() == repository.base
    assert fetch([file], folder, what="a test")[0].stat().st_size == file.size
    assert repository_base("https://other.example/maven") == "https://other.example/maven"
    with pytest.raises(DownloadError, match="not a URL"):
        repository_base("ftp://other.example")


def test_a_download_that_nobody_waits_for_ends(repository: Repository, tmp_path: Path) -> None:
    file = repository.add("late")
    repository.answers[file.path] = [503] * 9
    left = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(
            fetch, [file], tmp_path / "jars", what="a test", mirror=repository.base, pauses=(60.0,), left=left
        )
        while not repository.asked(file):
            assert not asked.done()
        left.set()
        with pytest.raises(DownloadError, match="Nobody waits"):
            asked.result(30)


def test_a_download_of_another_process_is_not_waited_for(repository: Repository, tmp_path: Path) -> None:
    file, left = repository.add("busy"), threading.Event()
    left.set()
    with FileLock(tmp_path / "downloads.lock"), pytest.raises(DownloadError, match="Nobody waits"):
        fetch([file], tmp_path, what="a test", mirror=repository.base, left=left)
