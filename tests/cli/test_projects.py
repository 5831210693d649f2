"""A project keeps its memory when its name changes: it is asked about once, and `decisions` lists what was noted."""

from __future__ import annotations

import json
import logging
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from ragforge_memory import ConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.models.project import ProjectInfo
from tests.cli.conftest import ENTRY, CommandLine
from tests.cli.pseudo_terminal import CTRL_C, ENTER, PseudoTerminal


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def repository(ragforge: CommandLine) -> CommandLine:
    """The command line in a repository without a remote, in which something was noted; its history is like no other."""
    top = ragforge.project
    (top / "ragforge.config.yaml").write_text("agent: {memory: {embeddings: {enabled: false}}}\n")
    (top / "unique.txt").write_text(uuid4().hex)
    git(top.parent, "init", "-q", "-b", "main", str(top))
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "one")
    note(ragforge, "note: the cache lives for an hour")
    return ragforge


def note(ragforge: CommandLine, text: str) -> None:
    ragforge.ok("ask", "--no-ingest", "--model", ragforge.script("Noted."), text)


def noted(ragforge: CommandLine, *options: str) -> list[str]:
    return [each["text"] for each in ragforge.json("decisions", "--json", *options)]


def listed(ragforge: CommandLine, name: str) -> ProjectInfo:
    [found] = [each for each in ragforge.json("projects", "list", "--json") if each["name"] == name]
    return ProjectInfo.model_validate(found)


ONE = ["note: the cache lives for an hour"]


def test_the_story_of_a_name(repository: CommandLine, tmp_path: Path) -> None:
    remote, name = f"git.example/{tmp_path.name}/{uuid4().hex}", f"shop {uuid4().hex}"
    git(repository.project, "remote", "add", "origin", f"https://{remote}.git")
    assert noted(repository, "--yes") == ONE
    assert noted(repository) == ONE, "it is asked once"

    moved = tmp_path / "moved"
    repository.project.rename(moved)
    repository.project = moved
    assert noted(repository) == ONE, "it has its remote's name still"
    git(moved, "remote", "remove", "origin")
    assert noted(repository, "--yes") == ONE

    with (moved / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: {name}\n")
    assert noted(repository, "--yes") == ONE
    info = listed(repository, name)
    assert (info.place, info.conversations, info.messages) == (moved.as_posix(), 1, 2)
    assert set(info.also) == {remote, moved.as_posix()}, "its first place is another's to take"

    git(moved, "add", ".")
    git(moved, "commit", "-q", "-m", "two")
    git(moved, "worktree", "add", "-q", str(tmp_path / "linked"))
    repository.project = tmp_path / "linked"
    assert noted(repository) == ONE


def test_at_a_terminal_one_question_is_asked(repository: CommandLine) -> None:
    with (repository.project / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: shop {uuid4().hex}\n")
    for question in (True, False):
        with PseudoTerminal(
            [*ENTRY, "decisions"], folder=repository.project, environment=repository.environment
        ) as terminal:
            if question:
                terminal.expect(r"Go on with what was said there\?")
                terminal.type(ENTER)
            terminal.expect(ONE[0])
            assert ("Go on" in terminal.screen) == question


def test_without_a_terminal_it_says_what_to_run(repository: CommandLine) -> None:
    old, new = repository.project.as_posix(), f"shop {uuid4().hex}"
    with (repository.project / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: {new}\n")
    done = repository.run("decisions")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"this folder was the project {old} until now (1 conversation)" in done.stderr
    assert f"ragforge projects rename {old} '{new}'" in done.stderr
    assert new in repository.ok("projects", "rename", old, new)
    assert noted(repository) == ONE
    assert old not in repository.ok("projects", "list").split("\n")[0].split("  ")[0]


def test_no_begins_anew_for_good(repository: CommandLine) -> None:
    new = f"shop {uuid4().hex}"
    with (repository.project / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: {new}\n")
    assert noted(repository, "--no") == []
    done = repository.run("decisions")
    assert (done.stdout, "was the project" in done.stderr) == ("", False)


def test_a_clone_is_asked_about_and_another_repository_is_not(repository: CommandLine, tmp_path: Path) -> None:
    first, clone, other = repository.project, tmp_path / "clone", tmp_path / "other"
    git(tmp_path, "clone", "-q", str(first), str(clone))
    repository.project = clone
    done = repository.run("decisions")
    assert f"the project {first.as_posix()} (in {first.as_posix()}) begins with the same commit" in done.stderr
    assert noted(repository, "--yes") == ONE
    git(tmp_path, "init", "-q", str(other))
    repository.project = other
    done = repository.run("decisions")
    assert "begins with" not in done.stderr


def test_another_repository_in_the_place_of_one_that_moved(repository: CommandLine, tmp_path: Path) -> None:
    place, moved = repository.project, tmp_path / "moved"
    place.rename(moved)
    repository.project = moved
    assert noted(repository, "--yes") == ONE
    place.mkdir()
    repository.project = place
    note(repository, "note: of another project")
    assert noted(repository) == ["note: of another project"]
    repository.project = moved
    assert noted(repository) == ONE


def test_a_clone_in_the_place_of_one_that_moved(repository: CommandLine, tmp_path: Path) -> None:
    place, moved = repository.project, tmp_path / "moved"
    place.rename(moved)
    repository.project = moved
    assert noted(repository, "--yes") == ONE
    git(tmp_path, "clone", "-q", str(moved), str(place))
    repository.project = place
    assert noted(repository) == [], "nobody said that it is the same"
    assert noted(repository, "--yes") == ONE


def test_names_are_given_and_taken_back(repository: CommandLine) -> None:
    first, other = repository.project.as_posix(), f"shop {uuid4().hex}"
    assert listed(repository, first).also == ()
    repository.ok("projects", "rename", first, other)
    assert (listed(repository, other).also, listed(repository, other).conversations) == ((), 1)
    repository.ok("projects", "rename", other, first)
    assert noted(repository) == ONE


def test_a_new_name_that_has_a_memory_of_its_own(repository: CommandLine) -> None:
    old, new = repository.project.as_posix(), f"git.example/{uuid4().hex}/shop"
    git(repository.project, "remote", "add", "origin", f"https://{new}.git")
    note(repository, "note: under the new name")
    done = repository.run("decisions", "--yes")
    assert (done.returncode, "under the new name" in done.stdout) == (0, True)
    assert f"this folder was the project {old} until now (1 conversation); now it is {new}, which has" in done.stderr
    assert repository.run("decisions", "--yes").stderr == "", "it is said once"
    refused = repository.run("projects", "rename", old, new)
    assert refused.returncode == 1
    for step in commands_in(done.stderr)[:4]:
        repository.ok(*[{"FILE": f"{old}.jsonl", "ANOTHER": f"another {new}"}.get(word, word) for word in step])
    assert sorted(noted(repository)) == [*ONE, "note: under the new name"]


def commands_in(text: str) -> list[list[str]]:
    return [shlex.split(each)[1:] for each in re.findall(r"`(ragforge [^`]+)`", text)]


def test_code_that_was_read_under_a_new_name_is_not_a_second_project(repository: CommandLine) -> None:
    old, new = repository.project.as_posix(), f"git.example/{uuid4().hex}/shop"
    git(repository.project, "remote", "add", "origin", f"https://{new}.git")
    repository.ok("ingest")
    repository.ok("projects", "rename", old, new)
    assert listed(repository, new).conversations == 1


def test_a_question_that_is_interrupted(repository: CommandLine) -> None:
    git(repository.project, "remote", "add", "origin", f"https://git.example/{uuid4().hex}/shop.git")
    with PseudoTerminal(
        [*ENTRY, "decisions"], folder=repository.project, environment=repository.environment
    ) as terminal:
        terminal.expect(r"Go on with what was said there\?")
        terminal.type(CTRL_C)
        assert terminal.wait() == 130
    assert noted(repository, "--yes") == ONE


def test_a_fork_that_takes_the_address_of_its_original(repository: CommandLine, tmp_path: Path) -> None:
    first, fork, name = repository.project, tmp_path / "fork", f"git.example/{uuid4().hex}/shop"
    git(first, "remote", "add", "origin", f"https://{name}.git")
    assert noted(repository, "--yes") == ONE
    git(tmp_path, "clone", "-q", str(first), str(fork))
    git(fork, "remote", "set-url", "origin", f"https://{name}-fork.git")
    repository.project = fork
    assert noted(repository, "--no") == []
    note(repository, "note: of the fork")
    git(fork, "remote", "set-url", "origin", f"https://{name}.git")
    done = repository.run("decisions")
    assert f"this folder was the project {name}-fork until now (1 conversation); now it is {name}, which" in done.stderr
    assert (ONE[0] in done.stdout, "of the fork" in done.stdout) == (True, False)
    assert repository.run("decisions").stderr == "", "it is said once"


@pytest.mark.parametrize("history", ["other", "none", "no git"])
def test_another_repository_in_the_place_of_one_that_is_gone(repository: CommandLine, history: str) -> None:
    place = repository.project
    shutil.rmtree(place)
    place.mkdir()
    if history != "no git":
        git(place, "init", "-q")
    if history == "other":
        git(place, "commit", "-q", "--allow-empty", "-m", uuid4().hex)
    done = repository.run("decisions")
    assert f"another repository was in {place} until now (1 conversation); this one begins otherwise" in done.stderr
    assert done.stdout == ""
    if history == "other":
        assert noted(repository, "--yes") == ONE
    else:
        assert noted(repository, "--no") == []
        [info] = [each for each in names_of(repository) if each.startswith(f"{place}@")]
        repository.ok("projects", "rename", info, place.as_posix())
        assert noted(repository) == ONE, "a mind may be changed"
    assert "another repository" not in repository.run("decisions").stderr


def names_of(repository: CommandLine) -> list[str]:
    return [each["name"] for each in repository.json("projects", "list", "--json")]


def test_a_mind_is_changed_as_long_as_nothing_was_said(repository: CommandLine) -> None:
    with (repository.project / "ragforge.config.yaml").open("a") as file:
        file.write(f"name: shop {uuid4().hex}\n")
    assert noted(repository, "--no") == []
    assert noted(repository, "--yes") == ONE
    assert noted(repository) == ONE


def test_a_folder_without_git_that_moved_is_renamed(ragforge: CommandLine, tmp_path: Path) -> None:
    old = ragforge.project
    (old / "ragforge.config.yaml").write_text("agent: {memory: {embeddings: {enabled: false}}}\n")
    note(ragforge, ONE[0])
    ragforge.project = old.rename(tmp_path / "moved")
    assert noted(ragforge) == [], "nothing tells that it is the same"
    ragforge.ok("projects", "rename", old.as_posix(), ragforge.project.as_posix())
    assert noted(ragforge) == ONE


def test_repositories_that_share_a_name_are_each_known_by_it(repository: CommandLine, tmp_path: Path) -> None:
    first, second, name = repository.project, tmp_path / "second", f"name: team {uuid4().hex}\n"
    plain = (first / "ragforge.config.yaml").read_text()
    (first / "ragforge.config.yaml").write_text(name + plain)
    assert noted(repository, "--yes") == ONE
    git(tmp_path, "init", "-q", str(second))
    git(second, "commit", "-q", "--allow-empty", "-m", uuid4().hex)
    (second / "ragforge.config.yaml").write_text(name + plain)
    repository.project = second
    assert noted(repository) == ONE
    repository.project = first.rename(tmp_path / "moved")
    (repository.project / "ragforge.config.yaml").write_text(plain)
    assert noted(repository, "--yes") == ONE


def test_what_is_no_project_is_not_renamed(repository: CommandLine) -> None:
    done = repository.run("projects", "rename", f"nothing {uuid4().hex}", "x")
    assert done.returncode == 1
    assert "there is no project" in done.stderr
    assert repository.run("projects", "rename", repository.project.as_posix(), " ").returncode == 1


def test_code_goes_with_its_folder(repository: CommandLine, tmp_path: Path) -> None:
    repository.ok("ingest")
    repository.project = repository.project.rename(tmp_path / "moved")
    repository.ok("ingest", "--yes")
    assert "check_password" in repository.ok("ask", "--model", "extractive", "where is check_password")


def test_a_program_goes_on_with_the_new_name_and_a_warning(
    repository: CommandLine,
    neo4j_config: Neo4jConfig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    old, new = repository.project.as_posix(), f"shop {uuid4().hex}"
    (repository.project / "ragforge.config.yaml").write_text(f"name: {new}\n")
    config = ConversationConfig(embed_messages=False)

    def decisions() -> list[str]:
        with ConversationAgent(
            neo4j_config, llm_provider="extractive", config=config, root=repository.project
        ) as agent:
            assert agent.project == new
            return [each.text for each in agent.decisions().items]

    with caplog.at_level(logging.WARNING):
        assert decisions() == []
    assert f"ragforge projects rename {old} '{new}'" in caplog.text
    repository.ok("projects", "rename", old, new)
    assert decisions() == ONE


def test_yes_to_a_commands_own_question_says_nothing_of_the_name(repository: CommandLine, tmp_path: Path) -> None:
    first, fork = repository.project, tmp_path / "fork"
    git(tmp_path, "clone", "-q", str(first), str(fork))
    git(fork, "remote", "set-url", "origin", f"https://git.example/{tmp_path.name}/{uuid4().hex}.git")
    repository.project = fork
    for command in (["delete", "--keep", "0", "--yes"], ["delete", "--keep", "0", "--yes", "--dry-run"]):
        done = repository.run("conversations", *command)
        assert (done.returncode, done.stdout) == (0, "")
        assert "this begins anew; `ragforge decisions --yes`, or once" in done.stderr
    sessions = fork / "claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(fork))
    sessions.mkdir(parents=True)
    line = {"type": "user", "uuid": str(uuid4()), "sessionId": "s", "cwd": str(fork)}
    line |= {"timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": "of the fork"}}
    (sessions / "s.jsonl").write_text(json.dumps(line) + "\n")
    repository.ok("conversations", "import", "--from", "claude-code", "--yes", CLAUDE_CONFIG_DIR=str(fork / "claude"))
    assert len(repository.json("conversations", "list", "--json")["items"]) == 1
    repository.project = first
    assert noted(repository) == ONE
