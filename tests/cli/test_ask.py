"""`ragforge ask`: answers, pipes, JSON, going on, and the exit code of each kind of failure."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
import typer
from pydantic import TypeAdapter

from ragforge_memory.cli.ask import _question
from ragforge_memory.events import Event
from ragforge_memory.models.conversation import AssistantResponse
from tests.cli.conftest import ENTRY, CommandLine

LOOK = {"text": "Let me look.", "tools": [{"name": "grep_code", "arguments": {"pattern": "password"}}]}


def test_a_question_about_the_code_needs_nothing_before(ragforge: CommandLine) -> None:
    done = ragforge.process("ask", "where is check_password?", "--model", "extractive")
    assert done.returncode == 0, done.stderr
    assert "auth.py:4" in done.stdout
    assert "read 2 files" in done.stderr
    again = ragforge.run("ask", "-c", "who calls it?", "--model", "extractive")
    assert "login" in again.stdout
    assert again.stderr == ""


def test_a_configured_model_without_a_key_is_told(ragforge: CommandLine) -> None:
    (ragforge.project / "ragforge.config.yaml").write_text("llm: {provider: gemini}\n")
    done = ragforge.run("ask", "where is check_password?", "--json")
    assert done.returncode == 0, done.stderr
    assert "model" in json.loads(done.stdout)["degraded"]
    told = ragforge.run("ask", "where is check_password?")
    assert "not available: model (the configuration names gemini, but there is no key for it; " in told.stderr


def test_another_clone_of_a_project_asks_and_notes_by_the_code_as_it_was_read(
    ragforge: CommandLine, tmp_path: Path
) -> None:
    (ragforge.project / "ragforge.config.yaml").write_text(f"name: shop-{uuid4().hex}\n")
    ragforge.ok("ask", "where is check_password?")
    shutil.copytree(ragforge.project, tmp_path / "clone")
    clone = replace(ragforge, project=tmp_path / "clone")
    (clone.project / "auth.py").unlink()

    noted = clone.run("ask", "-c", "note: check_password stays as it is")
    asked = clone.run("ask", "where is check_password?")

    assert noted.returncode == asked.returncode == 0, noted.stderr
    assert f"was ingested from {ragforge.project}, this is {clone.project}" in noted.stderr
    assert "ragforge ingest --adopt" in noted.stderr
    assert "auth.py:4" in asked.stdout
    assert "check_password stays as it is" in ragforge.ok("decisions")
    assert clone.run("ingest").returncode == 1


def test_what_changed_is_read_first(ragforge: CommandLine) -> None:
    ragforge.ok("ask", "where is login?", "--model", "extractive")
    (ragforge.project / "extra.py").write_text("def brand_new_function():\n    return 1\n")
    ragforge.ok("ask", "where is login?", "--model", "extractive", "--no-ingest")
    done = ragforge.run("ask", "where is brand_new_function?", "--model", "extractive")
    assert "1 added" in done.stderr
    assert "extra.py:1" in done.stdout


def test_a_folder_without_code_is_said_to_be_one(ragforge: CommandLine) -> None:
    for file in ragforge.project.glob("*.py"):
        file.unlink()
    told = f"no code was read: there is none in {ragforge.project}\n"
    model = ragforge.script("Yes.", "Yes.", "Yes.", "Yes.")
    assert ragforge.run("ask", "--model", model, "sure?").stderr == told
    assert ragforge.run("ask", "--model", model, "--json", "sure?").stderr == ""
    assert ragforge.run("ask", "--model", model, "--no-ingest", "sure?").stderr == ""
    assert ragforge.run("chat", "--model", model, stdin="sure?\nreally?\n").stderr == told
    (ragforge.project / "app.py").write_text("def main(): ...\n")
    assert "no code" not in ragforge.run("ask", "--model", model, "sure?").stderr
    (ragforge.project / "ragforge.config.yaml").write_text('source:\n  include: ["src/**"]\n')
    told = ragforge.run("ask", "--model", ragforge.script("Yes."), "sure?").stderr
    assert f"no code was read: source.include of the configuration leaves none in {ragforge.project}\n" in told


def test_json_is_one_response(ragforge: CommandLine) -> None:
    out = ragforge.ok("ask", "x", "--json", "--no-ingest", "--model", ragforge.script(LOOK, "Here, “quoted”."))
    response = AssistantResponse.model_validate_json(out)
    assert response.content == "Let me look.\n\nHere, “quoted”."
    assert [call.tool_name for call in response.tool_calls] == ["grep_code"]


def test_jsonl_is_the_events(ragforge: CommandLine) -> None:
    out = ragforge.ok("ask", "x", "--jsonl", "--no-ingest", "--model", ragforge.script(LOOK, "Here."))
    adapter: TypeAdapter[Event] = TypeAdapter(Event)
    kinds = [adapter.validate_json(line).type for line in out.splitlines()]
    assert kinds[0] == "message_started"
    assert kinds[-1] == "message_completed"
    assert kinds.index("tool_use") < kinds.index("tool_result") < len(kinds) - 1
    assert "text_delta" in kinds


def question(ragforge: CommandLine, *arguments: str, stdin: str) -> str:
    """What the model was asked, when stdin is this."""
    model = ragforge.script("Seen.")
    out = ragforge.ok("ask", *arguments, "--json", "--no-ingest", "--model", model, stdin=stdin)
    shown = ragforge.json("conversations", "show", json.loads(out)["conversation_id"], "--json")
    content: str = shown["messages"][0]["content"]
    return content


def test_what_is_piped_in_belongs_to_the_question(ragforge: CommandLine) -> None:
    assert question(ragforge, "what changed?", stdin="- old\n+ new\n") == "what changed?\n\n```\n- old\n+ new\n```"
    fenced = question(ragforge, "what is it?", stdin="```python\n1\n```\n")
    assert fenced == "what is it?\n\n````\n```python\n1\n```\n````"
    assert question(ragforge, "-", stdin="only this\n") == "only this"
    assert question(ragforge, stdin="only\nthat\n") == "only\nthat"
    assert question(ragforge, "alone", stdin="") == "alone"
    # A shell takes the quotes away, where they were typed at all.
    assert question(ragforge, "where", "is", "check_password", stdin="") == "where is check_password"


def test_going_on(ragforge: CommandLine) -> None:
    model = ragforge.script("Yes.", loop=True)
    ask = ("ask", "--no-ingest", "--json", "--model", model)
    assert "this is a new one" in ragforge.run("ask", "-c", "hello", "--no-ingest", "--model", model).stderr
    first = ragforge.json(*ask, "the first question")["conversation_id"]
    second = ragforge.json(*ask, "another one")["conversation_id"]
    assert first != second
    assert ragforge.json(*ask, "-c", "newest")["conversation_id"] == second
    assert ragforge.json(*ask, "-r", first[:8], "by prefix")["conversation_id"] == first
    assert ragforge.json(*ask, "-r", first, "by uuid")["conversation_id"] == first
    assert ragforge.json(*ask, "-c", "newest again")["conversation_id"] == first
    assert ragforge.json(*ask, "-r", "another one", "by title")["conversation_id"] == second
    assert len(ragforge.json("conversations", "show", first, "--json")["messages"]) == 8


def test_users_and_projects_have_conversations_of_their_own(ragforge: CommandLine, tmp_path: Path) -> None:
    model = ragforge.script("Yes.", loop=True)
    mine = ragforge.json("ask", "mine", "--user", "ada", "--json", "--no-ingest", "--model", model)["conversation_id"]
    shown = ragforge.ok("conversations", "show", mine[:8], "--user", "ada")
    assert "Yes." in shown
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(ragforge.project / "ragforge.config.yaml", other)
    for owner in ((), ("--user", "bob"), ("--user", "ada", "--project", str(other))):
        assert ragforge.json("conversations", "list", "--json", *owner)["items"] == []
        for command in (
            ["ask", "x", "-r", mine, "--no-ingest"],
            ["conversations", "show", mine],
            ["conversations", "delete", mine, "--yes"],
        ):
            done = ragforge.run(*command, *owner)
            assert (done.returncode, done.stdout) == (1, ""), command
            assert mine in done.stderr
            assert "Yes." not in done.stderr
    assert ragforge.ok("conversations", "show", mine, "--user", "ada") == shown


def test_a_model_that_fails_is_5_and_its_half_answer_is_kept(ragforge: CommandLine) -> None:
    broken = {"text": "Half of it", "error": {"type": "ModelStreamCut", "message": "scripted end"}}
    done = ragforge.run("ask", "x", "--no-ingest", "--model", ragforge.script(broken))
    assert (done.returncode, done.stdout) == (5, "Half of it\n")
    assert done.stderr.startswith("ragforge: scripted end")
    [info] = ragforge.json("conversations", "list", "--json")["items"]
    messages = ragforge.json("conversations", "show", info["uuid"], "--json")["messages"]
    assert (messages[1]["state"], messages[1]["content"]) == ("partial", "Half of it")


def test_an_error_under_json(ragforge: CommandLine) -> None:
    broken = ragforge.script({"error": {"type": "ModelBlocked", "message": "no"}})
    done = ragforge.run("ask", "x", "--json", "--no-ingest", "--model", broken)
    assert (done.returncode, done.stdout) == (5, "")
    assert json.loads(done.stderr)["error"] == "ModelBlocked"
    done = ragforge.run("ask", "x", "--jsonl", "--no-ingest", "--model", broken)
    assert done.returncode == 5
    assert json.loads(done.stdout.splitlines()[-1])["type"] == "error"


def test_exit_codes(ragforge: CommandLine) -> None:
    for code, arguments in (
        (3, ["ask", "x", "--model", "nonsense:y"]),
        (3, ["ask", "x", "--model", "scripted:/no/such/file"]),
        (1, ["conversations", "show", "no-such-conversation"]),
    ):
        done = ragforge.run(*arguments)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert done.stderr.startswith("ragforge: ")
        assert "Traceback" not in done.stderr


def test_no_server_is_4_before_a_model_is_asked(ragforge: CommandLine) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        away = f"bolt://127.0.0.1:{nobody.getsockname()[1]}"
        done = ragforge.run("ask", "x", "--model", ragforge.script("Never said."), NEO4J_URI=away)
    assert (done.returncode, done.stdout) == (4, "")
    assert "hint: " in done.stderr
    refused = ragforge.run("conversations", "list", NEO4J_PASSWORD="wrong", NEO4J_USERNAME="nobody-we-know")
    assert (refused.returncode, refused.stdout) == (4, ""), refused.stderr


def test_ctrl_c_keeps_what_was_said(ragforge: CommandLine) -> None:
    model = ragforge.script({"text": "The beginning\n", "hang": True})
    with subprocess.Popen(
        [*ENTRY, "ask", "x", "--no-ingest", "--model", model],
        cwd=ragforge.project,
        env=ragforge.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asking:
        assert asking.stdout is not None
        said = asking.stdout.readline()
        asking.send_signal(signal.SIGINT)
        rest, stderr = asking.communicate(timeout=60)
    assert (asking.returncode, said + rest) == (130, "The beginning\n"), stderr
    assert stderr.startswith(
        "ragforge: interrupted; what was said until then is kept\nhint: go on with: ragforge ask -r "
    )
    [info] = ragforge.json("conversations", "list", "--json")["items"]
    messages = ragforge.json("conversations", "show", info["uuid"], "--json")["messages"]
    assert [(m["role"], m["state"], m["content"]) for m in messages] == [
        ("user", "complete", "x"),
        ("assistant", "partial", "The beginning\n"),
    ]


def test_without_memory_nothing_is_kept(ragforge: CommandLine) -> None:
    out = ragforge.ok("ask", "x", "--no-memory", "--no-ingest", "--model", ragforge.script("An answer."))
    assert out == "An answer.\n"
    chat = ragforge.run("chat", "--no-memory", "--no-ingest", "--model", ragforge.script("One."), stdin="hello\n")
    assert "memory is off" in chat.stdout
    assert "resume with" not in chat.stdout
    (ragforge.project / "ragforge.config.yaml").write_text("agent: {memory: {enabled: false}}\n")
    assert ragforge.json("conversations", "list", "--json")["items"] == []


def test_a_reader_that_has_gone_is_no_error(ragforge: CommandLine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*ENTRY, "ask", "--no-ingest", "where is it?", "--model", ragforge.script("In auth.py.")],
            cwd=ragforge.project,
            env=ragforge.environment,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(("piped", "told"), [(b"", True), (b"a line", False)])
def test_an_empty_pipe_is_told_to_who_sits_at_a_terminal(
    piped: bytes, told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    end, other = os.pipe()
    os.write(other, piped)
    os.close(other)
    with os.fdopen(end, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        _question("sure?")
        if told:
            with pytest.raises(typer.BadParameter, match="there is no question: nothing came through the pipe"):
                _question(None)
    assert ("nothing came through the pipe" in capsys.readouterr().err) is told
