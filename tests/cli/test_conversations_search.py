"""`ragforge conversations search` and `import`."""

from __future__ import annotations

import json

from tests.cli.conftest import CommandLine

TALK = [
    {"role": "user", "content": "Where do we keep the lighthouse tokens?"},
    {"role": "assistant", "content": "In Redis, under auth:session."},
]


def test_import_and_search(ragforge: CommandLine) -> None:
    made = json.loads(ragforge.ok("conversations", "import", "-", "--json", stdin=json.dumps(TALK)))
    assert made["message_count"] == 2
    found = ragforge.json("conversations", "search", "lighthouse tokens", "--json", "--limit", "1")
    [item] = found["items"]
    assert item["message"]["content"] == TALK[0]["content"]
    assert item["conversation_id"] == made["uuid"]
    assert "text" in item["matched_by"]
    assert "text" in found["answered"]
    plain = ragforge.ok("conversations", "search", "lighthouse", "--in", made["uuid"], "--role", "user")
    assert plain.startswith(f"{made['uuid'][:8]}:1  ")
    assert TALK[0]["content"] in plain
    assert "\x1b" not in plain


def test_what_cannot_be_imported(ragforge: CommandLine) -> None:
    refused = ragforge.run("conversations", "import", "-", stdin='[{"role": "user"}]')
    assert refused.returncode == 1
    missing = ragforge.run("conversations", "import", "nowhere.json")
    assert missing.returncode == 1
    assert "nowhere.json cannot be read" in missing.stderr
    assert "nothing found" in ragforge.run("conversations", "search", "quetzalcoatl").stderr
