"""What git knows of a directory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory.anchors.revisions import changes_between
from ragforge_memory.code.git import first_commit, head_commit, uncommitted_files


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


def test_a_folder_of_a_work_tree_has_its_commit_and_any_other_none(repository: Path, tmp_path: Path) -> None:
    assert head_commit(repository / "deep/er") == run(repository, "rev-parse", "HEAD")
    assert head_commit(tmp_path) is None
    run(tmp_path, "init", "-q")
    assert head_commit(tmp_path) is None


def test_clones_begin_with_one_commit(repository: Path, tmp_path: Path) -> None:
    begun = run(repository, "rev-parse", "HEAD")
    run(repository, "commit", "-q", "--allow-empty", "-m", "second")
    run(tmp_path, "clone", "-q", str(repository), "clone")
    run(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    run(tmp_path, "init", "-q", "empty")
    folders = (repository / "deep/er", tmp_path / "clone", tmp_path / "shallow", tmp_path / "empty", tmp_path)
    assert [first_commit(folder) for folder in folders] == [begun, begun, "", None, ""]


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
