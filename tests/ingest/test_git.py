"""What git knows: with the program, and without it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory.code.git import head_commit, uncommitted_files
from ragforge_memory.code.revisions import changes_between


def run(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    run(root, "init", "-q", "-b", "main")
    run(root, "commit", "-q", "--allow-empty", "-m", "first")
    (root / "deep/er").mkdir(parents=True)
    return root


@pytest.fixture(params=["with git", "without git"])
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From here on there may be no program any more, which making a repository takes."""
    return lambda: monkeypatch.setenv("PATH", "") if request.param == "without git" else None


class TestBothWays:
    def test_a_branch_loose_and_packed_and_no_branch(self, repository: Path, without: Callable[[], None]) -> None:
        first = run(repository, "rev-parse", "HEAD")
        run(repository, "commit", "-q", "--allow-empty", "-m", "second")
        second = run(repository, "rev-parse", "HEAD")
        packed, detached = repository.parent / "packed", repository.parent / "detached"
        for copy in (packed, detached):
            shutil.copytree(repository, copy)
        run(packed, "pack-refs", "--all")
        run(detached, "checkout", "-q", first)
        without()

        assert head_commit(repository / "deep/er") == second
        assert head_commit(packed) == second
        assert head_commit(detached) == first

    def test_a_linked_work_tree_has_its_own(self, repository: Path, without: Callable[[], None]) -> None:
        first, linked = run(repository, "rev-parse", "HEAD"), repository.parent / "linked"
        run(repository, "worktree", "add", "-q", "-b", "other", str(linked))
        run(linked, "commit", "-q", "--allow-empty", "-m", "second")
        second = run(linked, "rev-parse", "HEAD")
        without()

        assert [head_commit(repository), head_commit(linked)] == [first, second]

    def test_a_reference_that_leads_to_another(self, repository: Path, without: Callable[[], None]) -> None:
        run(repository, "symbolic-ref", "refs/heads/other", "refs/heads/main")
        run(repository, "symbolic-ref", "HEAD", "refs/heads/other")
        commit = run(repository, "rev-parse", "HEAD")
        without()

        assert head_commit(repository) == commit

    def test_outside_of_a_work_tree(self, tmp_path: Path, without: Callable[[], None]) -> None:
        without()

        assert head_commit(tmp_path) is None

    def test_before_the_first_commit(self, tmp_path: Path, without: Callable[[], None]) -> None:
        run(tmp_path, "init", "-q")
        without()

        assert head_commit(tmp_path) is None

    @pytest.mark.parametrize("content", ["", "gitdir:", "nonsense", "gitdir: ../nowhere", "gitdir: a\0b"])
    def test_a_broken_git_file(self, tmp_path: Path, without: Callable[[], None], content: str) -> None:
        (tmp_path / ".git").write_text(content)
        without()

        assert head_commit(tmp_path) is None


def test_a_variable_of_a_git_hook_does_not_lead_astray(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert head_commit(repository) is not None


@pytest.mark.parametrize("bare", [True, False])
def test_nothing_that_a_repository_names_is_run(tmp_path: Path, bare: bool) -> None:
    # A folder of ordinary files that is laid out like a repository comes with every clone; `.git` with an archive.
    folder = tmp_path / "src"
    own = folder if bare else folder / ".git"
    run(tmp_path, "init", "-q", "--bare", str(own))
    for setting, value in (("core.bare", "false"), ("core.worktree", str(folder))):
        run(tmp_path, f"--git-dir={own}", "config", setting, value)
    (folder / "app.py").write_text("def f(): ...\n")
    run(folder, f"--git-dir={own}", f"--work-tree={folder}", "add", "app.py")
    run(folder, f"--git-dir={own}", f"--work-tree={folder}", "commit", "-qm", "one")
    ran = tmp_path / "ran"
    run(tmp_path, f"--git-dir={own}", "config", "core.fsmonitor", f'touch "{ran}"; false')
    (folder / "app.py").write_text("def f(): return 1\n")
    run(folder, "status")
    assert ran.exists()  # what is guarded against does happen
    ran.unlink()
    commit = head_commit(folder)
    assert (commit is None) == bare
    uncommitted_files(folder, commit or "HEAD", ["app.py"])
    assert changes_between(folder, "HEAD", None) is None if bare else changes_between(folder, "HEAD", None)
    assert not ran.exists()
