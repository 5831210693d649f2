"""Branches at the terminal: `conversations branch|tree` and a chat's /fork, /switch and /tree."""

from __future__ import annotations

import json
import re

from tests.cli.conftest import CommandLine
from tests.cli.test_chat import piped


def test_branch_and_tree(ragforge: CommandLine) -> None:
    ask = ("ask", "--no-ingest", "--json", "--model", ragforge.script("An answer.", loop=True))
    trunk = ragforge.json(*ask, "what is it?")["conversation_id"]
    ragforge.json(*ask, "-r", trunk, "and then?")
    made = ragforge.json("conversations", "branch", trunk[:8], "--from", "2", "--title", "Another way", "--json")
    assert (made["branch_of"], made["from_seq"], made["title"]) == (trunk, 2, "Another way")
    ragforge.json(*ask, "-r", made["uuid"], "something else?")
    shown = ragforge.json("conversations", "show", made["uuid"], "--json")["messages"]
    assert [message["content"] for message in shown] == ["what is it?", "An answer.", "something else?", "An answer."]
    plain = ragforge.ok("conversations", "tree", made["uuid"]).splitlines()
    assert plain[0].startswith(f"{trunk[:8]} ")
    assert plain[1] == f"└─ from message 2: {made['uuid'][:8]} Another way (2 messages of its own) ← here"
    tree = ragforge.json("conversations", "tree", trunk, "--json")
    assert [each["uuid"] for each in tree["branches"]] == [made["uuid"]]
    ragforge.ok("conversations", "delete", trunk, "--yes")
    assert ragforge.ok("conversations", "tree", made["uuid"]).startswith("(deleted)\n└─ ")
    missing = ragforge.run("conversations", "branch", made["uuid"], "--from", "99")
    assert missing.returncode == 1
    assert "there is no message '99'" in missing.stderr


def test_a_branch_of_a_long_conversation_begins_at_any_message(ragforge: CommandLine) -> None:
    said = [{"role": "user", "content": f"Say {number}."} for number in range(1, 1_003)]
    file = ragforge.project.parent / "long.json"
    file.write_text(json.dumps(said), encoding="utf-8")
    [long] = ragforge.json("conversations", "import", str(file), "--json")["imported"]
    newest = ragforge.json("conversations", "show", long, "--limit", "2", "--json")["messages"]
    assert [(each["seq"], each["content"]) for each in newest] == [(1_001, "Say 1001."), (1_002, "Say 1002.")]
    for wanted in ("1", "#2"):
        made = ragforge.json("conversations", "branch", long, "--from", wanted, "--json")
        assert made["from_seq"] == int(wanted.removeprefix("#"))
    [first] = ragforge.json("conversations", "show", made["uuid"], "--limit", "1", "--json")["messages"]
    again = ragforge.json("conversations", "branch", long, "--from", first["uuid"], "--json")
    assert again["from_seq"] == 2
    for wanted in ("1003", "9" * 30, "ffffffffffff"):
        missing = ragforge.run("conversations", "branch", long, "--from", wanted)
        assert (missing.returncode, f"there is no message '{wanted}'" in missing.stderr) == (1, True)


def test_a_chat_forks_and_switches_back(ragforge: CommandLine) -> None:
    typed = ["/fork", "first question", "/fork", "in the branch", "/switch", "in the trunk", "/tree", "/fork 999"]
    model = ragforge.script("One.", "Two.", "Three.")
    early, _, forked, _, back, _, tree, missing, titled = piped(ragforge, *typed, "/fork 2026 plan", model=model)
    assert early == "say something first"
    branch = forked.removeprefix("a branch from message 2: ")[:8]
    found = re.fullmatch(r"conversation ([0-9a-f]{8}): .*, 2 messages", back)
    assert found
    assert f"└─ from message 2: {branch} " in tree
    assert "there is no message" in missing
    assert titled.startswith("a branch from message 4: ")
    messages = ragforge.json("conversations", "show", found[1], "--json")["messages"]
    assert [message["content"] for message in messages] == ["first question", "One.", "in the trunk", "Three."]
