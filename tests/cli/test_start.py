"""What needs no server: help, version, completion, usage errors, configuration; and what these may import."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ragforge_memory.cli.main import app
from tests.cli.conftest import ENTRY, CommandLine

SLOW = (
    "asyncio",
    "neo4j",
    "pydantic",
    "rich",
    "anyio",
    "google.genai",
    "openai",
    "prompt_toolkit",
    "numpy",
    "tree_sitter",
    "yaml",
)
LIGHT = ("ragforge_memory.models", "ragforge_memory.models.text", "ragforge_memory.models.times")
REFERENCE = Path(__file__).parents[2] / "docs" / "generate_cli.py"


@pytest.fixture
def alone(project: Path, bare_environment: dict[str, str]) -> CommandLine:
    """The command line where no server could be had."""
    return CommandLine(project, {**bare_environment, "NEO4J_URI": "bolt://127.0.0.1:1"})


def test_help_imports_nothing_slow(alone: CommandLine) -> None:
    assert loaded_modules(alone, ["--help"]) == []


@pytest.mark.parametrize("arguments", [["ask", "--help"], ["version"]])
def test_other_help_and_version_import_no_sdk_and_no_driver(alone: CommandLine, arguments: list[str]) -> None:
    assert set(loaded_modules(alone, arguments)) <= {"pydantic"}  # with it typer itself reads the options


def loaded_modules(alone: CommandLine, arguments: list[str]) -> list[str]:
    """Which slow modules, and which of ours outside ``cli/``, a run loads."""
    program = (
        "import sys, ragforge_memory.cli.main as m\n"
        f"sys.argv = ['ragforge', *{arguments!r}]\n"
        "try:\n    m.run()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"ours = [name for name in sys.modules if name.startswith('ragforge_memory.')\n"
        f"        and not name.startswith('ragforge_memory.cli') and name not in {LIGHT!r}]\n"
        f"print([name for name in {SLOW!r} if name in sys.modules] + ours, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=alone.environment,
        cwd=alone.project,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout
    loaded: list[str] = json.loads(done.stderr.replace("'", '"'))
    return loaded


def test_version(alone: CommandLine) -> None:
    done = alone.run("version")
    assert alone.run("--version").stdout == done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ragforge 0.")


def test_no_command_shows_the_help(alone: CommandLine) -> None:
    done = alone.run()
    assert done.returncode == 2
    assert "Usage: ragforge" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["ask"],
        ["ask", "x", "--json", "--jsonl"],
        ["ask", "x", "--project", "no/such/folder"],
        ["conversations", "list", "--limit", "0"],
        ["conversations", "search", "x", "--until", "tomorrow"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_nothing_on_stdout(alone: CommandLine, arguments: list[str]) -> None:
    done = alone.run(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", "x", "--json", "--no-such-option"], "No such option: --no-such-option"),
        (["conversations", "show", "--json"], "Missing argument 'REF'."),
        (["decisions", "--json", "--since", "today", "--until", "yesterday"], "(the earlier time is since)"),
    ],
)
def test_wrong_usage_is_json_where_json_was_asked_for(alone: CommandLine, arguments: list[str], told: str) -> None:
    done = alone.run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    error = json.loads(done.stderr)
    assert (error["error"], error["exit_code"]) == ("UsageError", 2)
    assert told in error["message"]
    assert error["hint"].startswith(f"ragforge {arguments[0]}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ab12", "--dry-run"], "--dry-run lists what --older-than or --keep would delete. Of one conversation "),
        (["ab12", "--keep", "3"], "give a REF or --older-than and --keep, not both"),
        ([], "give the REF of one conversation, or say which with --older-than DAYS or --keep N"),
    ],
)
def test_delete_says_what_to_give_instead(alone: CommandLine, arguments: list[str], told: str) -> None:
    done = alone.run("conversations", "delete", *arguments)
    usage, *_, error = done.stderr.splitlines()
    assert (done.returncode, usage) == (2, "Usage: ragforge conversations delete [OPTIONS] [REF]")
    assert error.startswith(f"Error: {told}")


def test_a_broken_configuration_is_3(alone: CommandLine) -> None:
    (alone.project / "ragforge.config.yaml").write_text("agent:\n  max_iteration: 3\n")
    done = alone.run("config", "show")
    assert (done.returncode, done.stdout) == (3, "")
    assert "ragforge.config.yaml:2" in done.stderr
    assert "max_iterations" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_is_json_where_json_was_asked_for(alone: CommandLine) -> None:
    done = alone.run("config", "show", "--json", "--config", "missing.yaml")
    assert (done.returncode, done.stdout) == (3, "")
    error = json.loads(done.stderr)
    assert (error["error"], error["exit_code"]) == ("ConfigError", 3)
    assert "Traceback" in alone.run("--debug", "config", "show", "--config", "missing.yaml").stderr


def test_config_show_says_where_each_value_came_from(alone: CommandLine) -> None:
    (alone.project / "ragforge.config.yaml").write_text("name: mine\nllm: {provider: gemini, api_key: hush-hush}\n")
    shown = alone.ok("config", "show")
    rows = {line.split()[0]: line for line in shown.splitlines()}
    assert "ragforge.config.yaml:1" in rows["name"]
    assert rows["agent.max_iterations"].endswith("default")
    assert rows["neo4j.uri"].endswith("environment NEO4J_URI")
    assert "hush-hush" not in shown

    shown = alone.json("config", "show", "--json")
    assert shown == alone.json("--config", str(alone.project / "ragforge.config.yaml"), "config", "show", "--json")
    values = {v["key"]: v for v in shown["values"]}
    assert values["name"]["value"] == "mine"
    assert values["llm.api_key"]["value"] != "hush-hush"


def test_shell_completion(alone: CommandLine) -> None:
    script = alone.run(_RAGFORGE_COMPLETE="source_bash")
    assert "complete_bash" in script.stdout
    arguments = {"_RAGFORGE_COMPLETE": "complete_bash", "COMP_WORDS": "ragforge con", "COMP_CWORD": "1"}
    assert sorted(alone.run(**arguments).stdout.split()) == ["config", "conversations"]


def test_a_stdin_that_is_closed_is_at_its_end(alone: CommandLine) -> None:
    done = closed(alone, "<&-", "ask")
    assert "there is no question" in done.stderr
    assert "unexpected" not in done.stderr


def test_an_output_that_is_closed_is_no_error(alone: CommandLine) -> None:
    assert closed(alone, ">&-", "version").returncode == 0
    assert closed(alone, "2>&-", "chat", "--broken").returncode == 2


def closed(alone: CommandLine, which: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run with a stream that the shell has closed."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {which}', "sh", *ENTRY, *arguments],
        cwd=alone.project,
        env=alone.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_command_and_option_is_documented() -> None:
    generate = runpy.run_path(str(REFERENCE))
    documented = (REFERENCE.parent / "cli.md").read_text(encoding="utf-8")
    assert documented == generate["page"](), "run: python docs/generate_cli.py"


def test_every_command_explains_itself_and_its_options() -> None:
    import typer

    generate = runpy.run_path(str(REFERENCE))
    root = typer.main.get_command(app)
    for command, context in generate["commands"](root, generate["_context"](root, "ragforge", None)):
        assert command.help, context.command_path
        names = {name for parameter in command.params for name in parameter.opts}
        assert {"--config", "--user"} <= names, context.command_path
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{context.command_path} {parameter.name}"


def test_the_status_of_a_server_that_does_not_run_is_1(alone: CommandLine) -> None:
    done = alone.run("neo4j", "status")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "Neo4j (external) at bolt://127.0.0.1:1 is not running.\n"
    done = alone.run("neo4j", "status", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["running"] is False
    managed = alone.run("neo4j", "status", NEO4J_URI="")
    assert managed.returncode == 1
    assert managed.stdout.startswith("Neo4j (managed) is not running.\n")
    assert "1 when it does not" in alone.ok("neo4j", "status", "--help")


def test_wrong_usage_says_what_was_meant(alone: CommandLine) -> None:
    assert "Did you mean `ragforge conversations search`?" in alone.run("search", "x").stderr
    assert "Did you mean" not in alone.run("nothing").stderr
    told = alone.run("conversations", "list", "--status", "foo").stderr
    assert "'--status': 'foo' is not one of 'active', 'archived'." in told


def test_an_error_at_the_terminal_names_commands(ragforge: CommandLine) -> None:
    done = ragforge.run("ask", "--no-ingest", "-r", "nosuch", "hello")
    assert done.stderr.endswith("hint: list the conversations that there are: `ragforge conversations list`\n")
    done = ragforge.run("chat", "--no-ingest", "--model", "extractive", stdin="hello\n/context 77\n/resume nosuch\n")
    said = done.stdout + done.stderr
    assert "conversations list`" in said
    assert "()" not in said


def test_memory_that_is_off_is_told(ragforge: CommandLine) -> None:
    config = ragforge.project / "ragforge.config.yaml"
    config.write_text("agent: {memory: {enabled: false, embeddings: {provider: hashing}}}\n")
    told = "memory is off (agent.memory.enabled): nothing of this is kept"
    model = ragforge.script("Yes.")
    assert told in " ".join(ragforge.run("ask", "--no-ingest", "--model", model, "sure?").stderr.split())
    for quiet in (("--json",), ("--no-memory",)):
        assert "memory is off" not in ragforge.run("ask", *quiet, "--no-ingest", "--model", model, "sure?").stderr
    noted = ragforge.run("decisions").stderr
    assert "memory is off (agent.memory.enabled), so nothing is noted" in " ".join(noted.split())
    assert "ask" not in noted
    [check] = [
        each
        for each in json.loads(ragforge.run("doctor", "--json").stdout)["checks"]
        if each["name"] == "configuration"
    ]
    assert check["ok"]
    assert check["detail"].endswith("memory is off (agent.memory.enabled): nothing is kept")


@pytest.mark.parametrize("group", [(), ("conversations",)])
def test_a_list_of_commands_says_the_whole_sentence_of_each(alone: CommandLine, group: tuple[str, ...]) -> None:
    listed = alone.ok(*group, "-h", COLUMNS="80").partition("Commands:")[2]
    assert listed.strip()
    assert "..." not in listed
