"""One name for a project, whatever folder, clone or work tree it is asked from. Git is real."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory.project import ProjectIdentity, git_toplevel, identify, project_root


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "src" / "deep").mkdir(parents=True)
    git(folder.parent, "init", "-q", "-b", "main", str(folder))
    (folder / "a.py").write_text("a = 1\n")
    git(folder, "add", "a.py")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/psf/requests.git", "github.com/psf/requests"),
        ("https://ada:token@GitHub.com/psf/requests/", "github.com/psf/requests"),
        ("git@github.com:psf/requests.git", "github.com/psf/requests"),
        ("ssh://git@host.example:2222/team/sub/repo.git", "host.example/team/sub/repo"),
        ("github.com:psf/requests", "github.com/psf/requests"),
    ],
)
def test_the_remote_names_the_project_whatever_the_protocol(repository: Path, address: str, name: str) -> None:
    git(repository, "remote", "add", "origin", address)
    assert identify(repository).name == name
    assert identify(repository / "src").name == f"{name}/src"
    assert identify(repository, "mine").name == "mine"


@pytest.mark.parametrize("address", ["/srv/git/repo.git", "../elsewhere", "file:///srv/git/repo.git", "C:\\x\\repo"])
def test_a_folder_of_this_machine_names_nothing(repository: Path, address: str) -> None:
    git(repository, "remote", "add", "origin", address)
    assert identify(repository).name == repository.as_posix()


def test_origin_goes_before_other_remotes(repository: Path) -> None:
    git(repository, "remote", "add", "fork", "https://example.org/fork/repo")
    assert identify(repository).name == "example.org/fork/repo"
    git(repository, "remote", "add", "origin", "https://example.org/main/repo")
    assert identify(repository).name == "example.org/main/repo"


def test_a_linked_work_tree_is_the_same_project(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "https://example.org/a/repo")
    linked = repository.parent / "linked"
    git(repository, "worktree", "add", "-q", "-b", "other", str(linked))
    assert identify(linked) == ProjectIdentity("example.org/a/repo", linked)


def test_the_root_of_a_folder_inside(repository: Path, tmp_path: Path) -> None:
    assert git_toplevel(repository / "src" / "deep") == repository
    assert project_root(repository / "src" / "deep") == repository
    outside = tmp_path / "plain"
    outside.mkdir()
    assert git_toplevel(outside) is None
    assert project_root(outside) == outside
    assert identify(outside).name == outside.as_posix()


@pytest.mark.parametrize("content", ["", "gitdir:", "nonsense", "gitdir: ../nowhere"])
def test_a_broken_git_file_is_no_error(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert identify(tmp_path).name == tmp_path.as_posix()


def test_a_linked_work_tree_without_a_remote_is_the_same_project(repository: Path) -> None:
    linked = repository.parent / "linked"
    git(repository, "worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "src").mkdir()
    assert identify(linked).name == identify(repository).name == repository.as_posix()
    assert identify(linked / "src").name == identify(repository / "src").name
    # A submodule is a repository of its own.
    module = repository.parent / "module"
    git(
        repository.parent, "init", "-q", "-b", "main", str(module), "--separate-git-dir", str(repository / ".git" / "m")
    )
    assert identify(module).name == module.as_posix()


@pytest.mark.parametrize("name", ["b.git", ".bare", "shop/.git"])
def test_work_trees_of_a_bare_repository_are_one_project(repository: Path, tmp_path: Path, name: str) -> None:
    bare, one, two = tmp_path / name, tmp_path / "one", tmp_path / "two"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    for work_tree in (one, two):
        git(bare, "worktree", "add", "-q", "-b", work_tree.name, str(work_tree))
    git(bare, "remote", "remove", "origin")
    assert identify(one).name == identify(two).name
    assert identify(one / "src").name == identify(two / "src").name != identify(one).name


def test_work_trees_of_a_submodule_are_its_project(repository: Path, tmp_path: Path) -> None:
    outer, linked = tmp_path / "outer", tmp_path / "linked"
    git(tmp_path, "init", "-q", "-b", "main", str(outer))
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository), "module")
    git(outer / "module", "worktree", "add", "-q", "-b", "other", str(linked))
    assert identify(linked).name == identify(outer / "module").name == (outer / "module").as_posix()
