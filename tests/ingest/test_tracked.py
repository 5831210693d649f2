"""What git tracks is read although ``.gitignore`` names it, as in git itself. Git is real."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory.code.discover import discover
from ragforge_memory.tools.project_files import text_files
from tests.ingest.test_discover import make

Found = Callable[[Path], list[str]]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ignore(folder: Path, *patterns: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("\n".join(patterns) + "\n")


@pytest.fixture(params=["ingest", "tools"])
def found(request: pytest.FixtureRequest) -> Found:
    """The code that is found below a root by the ingest, and by the tools that search files as text."""
    if request.param == "ingest":
        return lambda root: [file.path for file in discover(root).files]
    return lambda root: sorted(file for file in text_files(root) if file.endswith(".py"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def track(root: Path, *paths: str) -> None:
    make(root, *paths)
    git(root, "add", "--force", "--", *paths)


def test_a_tracked_file_is_read_whatever_names_it(repository: Path, found: Found) -> None:
    ignore(repository, "*_pb2.py", "/local.py")
    ignore(repository / "pkg", "here.py")
    (repository / ".git/info/exclude").write_text("mine.py\n")
    names = ("a_pb2.py", "local.py", "mine.py", "pkg/b_pb2.py", "pkg/here.py")
    track(repository, *names)
    make(repository, "c_pb2.py", "pkg/c_pb2.py", "pkg/deep/here.py", "deep/mine.py", "new.py")

    assert found(repository) == [*names[:3], "new.py", *names[3:]]


def test_of_an_ignored_folder_only_what_is_tracked(repository: Path, found: Found) -> None:
    ignore(repository, "gen/")
    track(repository, "gen/in/tracked.py", "src/gen/too.py")
    # Git does not look at what is written in a folder that is ignored.
    ignore(repository / "src/gen", "!untracked.py")
    make(
        repository, "gen/untracked.py", "gen/in/untracked.py", "gen/other/deep/a.py", "src/gen/untracked.py", "src/b.py"
    )

    assert found(repository) == ["gen/in/tracked.py", "src/b.py", "src/gen/too.py"]
    assert found(repository / "src") == ["b.py", "gen/too.py"], "below the top of the work tree"
    assert found(repository / "gen") == ["in/tracked.py"], "in the folder itself"
    git(repository, "rm", "-q", "--cached", "gen/in/tracked.py")
    assert found(repository) == ["src/b.py", "src/gen/too.py"]


def test_it_agrees_with_git(repository: Path, found: Found) -> None:
    ignore(repository, "*.py", "!/keep/", "/out/**", "!/out/a.py", "sp ace/", "[ab].py")
    ignore(repository / "keep", "!*.py", "no.py")
    track(repository, "out/b/c.py", "sp ace/ü.py", "keep/no.py", "-x.py")
    make(repository, "out/a.py", "out/b/d.py", "sp ace/d.py", "keep/a.py", "keep/in/no.py", "keep/in/a.py", "a.py")

    listed = git(repository, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    assert found(repository) == sorted(file for file in listed if file.endswith(".py"))


def test_the_index_of_another_repository_says_nothing_here(repository: Path, found: Found) -> None:
    other = repository.parent / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    ignore(other, "hidden.py")
    track(other, "seen.py", "hidden.py")
    git(other, "commit", "-q", "-m", "one")
    ignore(repository, "/shut/")
    for place in ("shut/sub", "sub"):
        git(repository, "submodule", "--quiet", "add", "--force", str(other), place)
    git(repository, "clone", "-q", str(other), str(repository / "nested"))
    git(repository, "clone", "-q", str(other), str(repository / "shut/nested"))
    for place in ("sub", "nested"):
        ignore(repository / place, "hidden.py")

    # A clone that is no submodule is another checkout: an ingest passes it over, see test_discover.
    assert [file for file in found(repository) if file != "nested/seen.py"] == ["sub/seen.py"]
    assert found(repository / "sub") == ["hidden.py", "seen.py"], "as a root it is a work tree"


def test_other_reasons_to_leave_a_file_out_stay(repository: Path) -> None:
    ignore(repository, "*.py")
    track(repository, "node_modules/a.py", "vendored/b.py", "big.py", "c.py")
    (repository / "big.py").write_text("x = 1\n" * 40)

    found = discover(repository, exclude=["vendored/"], max_bytes=100)
    assert [file.path for file in found.files] == ["c.py"]
    assert [(item.file, item.reason) for item in found.skipped] == [
        ("big.py", "240 bytes; source.max_file_bytes is 100")
    ]


def test_without_the_program_the_rules_alone_decide(
    repository: Path, found: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignore(repository, "gen/", "b.py")
    track(repository, "gen/a.py", "b.py", "c.py")
    assert found(repository) == ["b.py", "c.py", "gen/a.py"]
    monkeypatch.setenv("PATH", "")

    assert found(repository) == ["c.py"]
