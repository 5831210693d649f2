"""The sessions of a project are found where each program keeps them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.importers.programs import sessions
from tests.agent.conftest import MakeAgent
from tests.importers.reading import lines, read_one
from tests.importers.test_claude_code import line
from tests.importers.test_growth import CODEX, GEMINI, OPENAI


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's folder."""
    folder = tmp_path / "my.shop"
    (folder / "api").mkdir(parents=True)
    return folder


def _write(path: Path, text: str, *, at: int = 1_700_000_000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))


def _found(program: str, root: Path, home: Path, **environment: str) -> list[str]:
    return [Path(each.name).name for each in sessions(program, root, home=home, environment=environment)]


def _claude(cwd: Path, *, number: int = 1) -> str:
    said = line(number, "user", "Hello.", cwd=str(cwd))
    return lines([{"type": "queue-operation", "sessionId": "x"}, said])


@pytest.mark.parametrize("moved", [False, True])
def test_claude_code(root: Path, tmp_path: Path, moved: bool) -> None:
    config = tmp_path / ("elsewhere" if moved else ".claude")
    name = str(root).replace("/", "-").replace(".", "-").replace("_", "-")
    _write(config / "projects" / name / "b.jsonl", _claude(root, number=9))
    _write(config / "projects" / name / "a.jsonl", _claude(root))
    _write(config / "projects" / f"{name}-api" / "below.jsonl", _claude(root / "api", number=5))
    _write(config / "projects" / f"{name}-api" / "beside.jsonl", _claude(root.with_name("my.shop-api")))
    _write(config / "projects" / "-other" / "other.jsonl", _claude(tmp_path))
    _write(config / "projects" / name / "agent-0a1b2c.jsonl", _claude(root))
    _write(config / "projects" / name / "b" / "subagents" / "agent-0a1b2d.jsonl", _claude(root))
    environment = {"CLAUDE_CONFIG_DIR": str(config)} if moved else {}
    assert _found("claude-code", root, tmp_path, **environment) == ["a.jsonl", "below.jsonl", "b.jsonl"]


def test_a_session_is_of_its_last_message(root: Path, tmp_path: Path) -> None:
    name = str(root).replace("/", "-").replace(".", "-").replace("_", "-")
    talk = [
        line(1, "user", "Hello.", cwd=str(root)),
        line(2, "user", 'Say "timestamp": "1999-01-01".'),
    ]
    _write(tmp_path / ".claude" / "projects" / name / "a.jsonl", lines([*talk, {"type": "summary"}]))
    [found] = sessions("claude-code", root, home=tmp_path, environment={})
    assert found.at == datetime.fromisoformat(talk[1]["timestamp"]).timestamp()


def test_codex(root: Path, tmp_path: Path) -> None:
    days = tmp_path / ".codex" / "sessions" / "2026" / "05"
    about = json.loads(lines(CODEX[:1]))
    for name, folder in (("rollout-1.jsonl", root), ("rollout-2.jsonl", tmp_path)):
        about["payload"]["cwd"] = str(folder)
        _write(days / "04" / name, lines([about, *CODEX[1:]]))
    assert _found("codex", root, tmp_path) == ["rollout-1.jsonl"]
    assert _found("codex", root, tmp_path, CODEX_HOME=str(root)) == []


@pytest.mark.parametrize(
    "told", ["<cwd>{}</cwd>\n<shell>zsh</shell>", "Current working directory: {}\nApproval policy: never"]
)
def test_codex_of_2025(root: Path, tmp_path: Path, told: str) -> None:
    days = tmp_path / ".codex" / "sessions" / "2025" / "06"
    for name, folder in (("rollout-1.jsonl", root / "api"), ("rollout-2.jsonl", tmp_path)):
        text = f"<environment_context>\n{told.format(folder)}\n</environment_context>"
        begun = [{"id": "0197a1b2", "timestamp": "2025-06-04T09:00:00Z"}, {"record_type": "state"}]
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        _write(days / name, lines([*begun, said]))
    assert _found("codex", root, tmp_path) == ["rollout-1.jsonl"]


def test_a_folder_that_the_user_names_is_not_the_sessions(root: Path, tmp_path: Path) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"<cwd>{root}</cwd>?"}]}
    begun = {"id": "0197a1b2", "timestamp": "2025-06-04T09:00:00Z"}
    _write(tmp_path / ".codex" / "sessions" / "rollout-1.jsonl", lines([begun, said]))
    assert _found("codex", root, tmp_path) == []


@pytest.mark.parametrize("source", [{"subagent": "review"}, {"subagent": {"thread_spawn": {"depth": 1}}}, "cli"])
def test_agents_of_codex(root: Path, tmp_path: Path, source: object) -> None:
    about = json.loads(lines(CODEX[:1]))
    about["payload"] |= {"cwd": str(root), "source": source}
    _write(tmp_path / ".codex" / "sessions" / "rollout-1.jsonl", lines([about, *CODEX[1:]]))
    assert _found("codex", root, tmp_path) == (["rollout-1.jsonl"] if source == "cli" else [])


def test_agents_of_gemini(root: Path, tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "my-shop" / "chats"
    _write(chats.parent / ".project_root", str(root))
    about = {"sessionId": "s", "projectHash": "p"}
    _write(chats / "session-1.jsonl", lines([about | {"kind": "subagent"}, {"type": "user", "content": "Hi."}]))
    _write(chats / "session-2.json", json.dumps(about | {"messages": [], "kind": "subagent"}, indent=2))
    _write(chats / "session-3.json", json.dumps(about | {"messages": [{"kind": "subagent"}], "kind": "main"}))
    assert _found("gemini", root, tmp_path) == ["session-3.json"]


def test_gemini(root: Path, tmp_path: Path) -> None:
    base = tmp_path / ".gemini" / "tmp"
    _write(base / hashlib.sha256(str(root).encode()).hexdigest() / "chats" / "session-1.json", lines(GEMINI))
    _write(base / "my-shop" / "chats" / "session-2.jsonl", lines(GEMINI))
    _write(base / "my-shop" / ".project_root", f"{root}\n")
    _write(base / "by-name" / "chats" / "session-3.json", lines(GEMINI))
    _write(tmp_path / ".gemini" / "projects.json", json.dumps({"projects": {str(root): "by-name"}}))
    _write(base / "other" / "chats" / "session-4.json", lines(GEMINI))
    _write(base / "by-name" / "chats" / "notes.txt", "")
    assert sorted(_found("gemini", root, tmp_path)) == ["session-1.json", "session-2.jsonl", "session-3.json"]


def _said(program: str, root: Path, home: Path) -> list[tuple[str, list[str]]]:
    found = []
    for each in sessions(program, root, home=home, environment={}):
        with each.open() as stream:
            transcript, messages = read_one(stream.read())
        found.append((str(transcript.title), [message.content for message in messages]))
    return found


def test_opencode_in_files_and_in_its_database(root: Path, tmp_path: Path) -> None:
    base = tmp_path / ".local" / "share" / "opencode"

    def told(number: int, role: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
        about = {"id": f"msg_{number:020}", "role": role, "time": {"created": 1_700_000_000_000 + number}}
        return about, {"id": f"prt_{number:020}", "type": "text", "text": text}

    talk = [told(1, "user", "Where is tax?"), told(2, "assistant", "In a.py.")]
    about = {"id": "ses_1", "title": "Tax", "directory": str(root), "time": {"created": 1_700_000_000_000}}
    for more in ({}, {"id": "ses_2", "directory": str(tmp_path)}, {"id": "ses_3", "parentID": "ses_1"}):
        _write(base / "storage" / "session" / "global" / f"{(about | more)['id']}.json", json.dumps(about | more))
    for message, part in talk:
        _write(base / "storage" / "message" / "ses_1" / f"{message['id']}.json", json.dumps(message))
        _write(base / "storage" / "part" / message["id"] / f"{part['id']}.json", json.dumps(part))
    expected = [("Tax", ["Where is tax?", "In a.py."])]
    assert _said("opencode", root, tmp_path) == expected
    with sqlite3.connect(base / "opencode.db") as database:
        database.executescript(
            "CREATE TABLE session (id, parent_id, directory, title, time_created, time_updated, revert);"
            "CREATE TABLE message (id, session_id, time_created, data);"
            "CREATE TABLE part (id, message_id, session_id, data)"
        )
        row = ("ses_1", None, str(root), "Tax, later", 1_700_000_000_000, 1_700_000_009_000, None)
        database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        for message, part in talk:
            given = (message["id"], "ses_1", message["time"]["created"], json.dumps(message))
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", given)
            database.execute(
                "INSERT INTO part VALUES (?, ?, 'ses_1', ?)", (part["id"], message["id"], json.dumps(part))
            )
    database.close()
    assert _said("opencode", root, tmp_path) == [("Tax, later", expected[0][1])]


@pytest.mark.anyio
async def test_a_zip_and_a_folder_of_an_export(make_agent: MakeAgent, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    _write(folder / "user.json", "{}")
    _write(folder / "a" / "talk.json", json.dumps(OPENAI))
    _write(folder / "b.jsonl", lines(CODEX))
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for file in folder.rglob("*.json*"):
            archive.write(file, file.relative_to(folder))
    async with make_agent() as agent:
        report = await agent.import_conversations(folder, "extend")
        assert (report.conversations, report.left_out["file of another kind"]) == (2, 1)
        again = await agent.import_conversations(tmp_path / "export.zip", "extend")
        assert (again.conversations, again.unchanged) == (0, 2)
        (folder / "conversations.json").write_bytes(io.BytesIO(b"{}").getvalue())
        with pytest.raises(InvalidInput, match=r"conversations.json: "):
            await agent.import_conversations(folder)
