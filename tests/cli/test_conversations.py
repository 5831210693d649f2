"""`ragforge conversations`: lists and pages, history, archive, delete."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cli.conftest import ENTRY, CommandLine
from tests.cli.pseudo_terminal import ENTER, PseudoTerminal


def begin(ragforge: CommandLine, *questions: str) -> list[str]:
    """A conversation for each question; their ids."""
    ask = ("ask", "--no-ingest", "--json", "--model", ragforge.script("An **answer**.", loop=True))
    return [ragforge.json(*ask, question)["conversation_id"] for question in questions]


def listed(ragforge: CommandLine, *arguments: str) -> list[str]:
    page: dict[str, Any] = ragforge.json("conversations", "list", "--json", *arguments)
    return [item["uuid"] for item in page["items"]]


def test_pages_follow_one_another(ragforge: CommandLine) -> None:
    ids = begin(ragforge, "one", "two", "three")
    first = ragforge.json("conversations", "list", "--json", "--limit", "2")
    assert [item["uuid"] for item in first["items"]] == [ids[2], ids[1]]
    second = ragforge.json("conversations", "list", "--json", "-n", "2", "--cursor", first["next_cursor"])
    assert [item["uuid"] for item in second["items"]] == [ids[0]]
    assert second["next_cursor"] is None
    plain = ragforge.run("conversations", "list", "--limit", "2")
    assert [line.split()[0] for line in plain.stdout.splitlines()] == [ids[2][:8], ids[1][:8]]
    assert f"--cursor {first['next_cursor']}" in plain.stderr


def test_archive_and_back(ragforge: CommandLine) -> None:
    assert f"no conversations in the project {ragforge.project}" in ragforge.run("conversations", "list").stderr
    [one, two] = begin(ragforge, "one", "two")
    ragforge.ok("conversations", "archive", one[:8])
    assert listed(ragforge, "--status", "active") == [two]
    assert listed(ragforge, "--status", "archived") == [one]
    assert listed(ragforge) == [two, one], "archiving makes nothing new of an old conversation"
    assert "archived" in ragforge.ok("conversations", "list", "--status", "archived")
    ragforge.ok("conversations", "unarchive", one)
    assert listed(ragforge, "--status", "archived") == []
    assert listed(ragforge) == [two, one]


def test_show(ragforge: CommandLine) -> None:
    [one] = begin(ragforge, "what is it?")
    out = ragforge.ok("conversations", "show", "what is it?")
    assert out.startswith(f"{one}  what is it?  active\n\n#1 you · ")
    assert out.endswith("An **answer**.\n")
    newest = ragforge.json("conversations", "show", one, "--limit", "1", "--json")["messages"]
    assert [m["role"] for m in newest] == ["assistant"]
    before = ragforge.json("conversations", "show", one, "--before", newest[0]["uuid"], "--json")["messages"]
    assert [m["role"] for m in before] == ["user"]


def test_delete_needs_a_yes(ragforge: CommandLine) -> None:
    [one] = begin(ragforge, "the only one")
    refused = ragforge.run("conversations", "delete", one)
    assert refused.returncode == 2
    assert "--yes is needed" in refused.stderr
    assert "Invalid value" not in refused.stderr
    branch = ragforge.json("conversations", "branch", one, "--json")["uuid"]
    command = [*ENTRY, "conversations", "delete", one]
    for answer, code, left in (("n", 1, [branch, one]), ("y", 0, [branch])):
        with PseudoTerminal(command, folder=ragforge.project, environment=ragforge.environment) as terminal:
            terminal.expect(
                r"Delete 'the only one' \([0-9a-f]{8}, 2 messages, 1 branch stays with what they share\)\? \[y/N\]:"
            )
            terminal.type(answer + ENTER)
            assert terminal.wait() == code
        assert listed(ragforge) == left
    assert ragforge.ok("conversations", "delete", branch, "--yes") == f"deleted: {branch}\n"
    assert ragforge.run("conversations", "show", branch).returncode == 1


def test_what_is_here_already_is_refused_with_the_option_that_leaves_it(ragforge: CommandLine) -> None:
    said = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}]
    (ragforge.project / "said.json").write_text(json.dumps(said))
    told = ragforge.ok("conversations", "import", "said.json")
    assert re.fullmatch(r"imported: 1 conversation  [0-9a-f]{32}, 2 messages\n", told)
    [one] = ragforge.json("conversations", "list", "--json")["items"]
    for arguments in (["--all", "backup.jsonl"], [one["uuid"], "-o", "one.json"]):
        ragforge.ok("conversations", "export", *arguments)
    for backup in ("backup.jsonl", "one.json"):
        refused = ragforge.run("conversations", "import", backup, "--on-conflict", "fail")
        assert refused.returncode == 1
        assert "is here already" in refused.stderr
        assert "hint: --on-conflict skip leaves what is here" in refused.stderr
    piped = ragforge.run("conversations", "export", "--all", "-")
    lines = piped.stdout.splitlines()
    assert [json.loads(line)["record"] for line in lines] == [
        "archive",
        "conversation",
        "message",
        "message",
        "end",
        "done",
    ]
    assert set(lines[2:]) < set((ragforge.project / "backup.jsonl").read_text().splitlines())
    assert "exported: 1 conversation, 2 messages" in piped.stderr
    assert not (ragforge.project / "-").exists()
    told = ragforge.ok("conversations", "import", "backup.jsonl", "--on-conflict", "skip")
    assert told == "imported: 0 conversations, 0 messages; 1 was here already\n"
