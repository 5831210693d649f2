"""What git knows: with the program, and without it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory.code import git
from ragforge_memory.code.git import GitState, git_state, head_commit, without_credentials


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
    run(root, "remote", "add", "origin", "https://ada:secret@example.org/ada/shop.git")
    (root / "deep/er").mkdir(parents=True)
    return root


@pytest.fixture(params=["with git", "without git"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    """After the repository was made, which takes the program."""
    if request.param == "without git":
        monkeypatch.setenv("PATH", "")


@pytest.mark.usefixtures("program")
class TestBothWays:
    def test_root_commit_and_remote(self, repository: Path) -> None:
        state = git_state(repository / "deep/er")

        commit = git._read_head(repository / ".git")
        assert commit is not None
        assert state == GitState(repository, commit, "https://example.org/ada/shop.git")
        assert head_commit(repository) == commit

    def test_outside_of_a_work_tree(self, tmp_path: Path) -> None:
        assert git_state(tmp_path) is None
        assert head_commit(tmp_path) is None

    def test_before_the_first_commit(self, tmp_path: Path) -> None:
        (tmp_path / ".git/refs").mkdir(parents=True)
        (tmp_path / ".git/objects").mkdir()
        (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")

        assert git_state(tmp_path) == GitState(tmp_path, None, None)


def test_packed_references_and_linked_work_trees_are_read_too(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = run(repository, "rev-parse", "HEAD")
    run(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    run(repository, "pack-refs", "--all")
    monkeypatch.setenv("PATH", "")

    assert head_commit(repository) == commit
    assert git_state(tmp_path / "linked") == GitState(tmp_path / "linked", commit, "https://example.org/ada/shop.git")


def test_a_variable_of_a_git_hook_does_not_lead_astray(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert head_commit(repository) is not None


def test_credentials_are_cut_out_of_addresses() -> None:
    assert without_credentials("https://token@example.org/x.git") == "https://example.org/x.git"
    assert without_credentials("git@example.org:x.git") == "git@example.org:x.git"
    assert without_credentials("ssh://git@example.org/x") == "ssh://example.org/x"
