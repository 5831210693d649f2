"""`ragforge conversations insights`: listing, looking, stopping, and what cannot be."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.conftest import CommandLine

TASK = "Name the topic."
FIELDS = {"topic": {"type": "string"}}


def imported(ragforge: CommandLine, *topics: str) -> list[str]:
    """A conversation about each of these; their ids."""
    made = []
    for topic in topics:
        said = json.dumps([{"role": "user", "content": f"Let us talk about {topic}."}])
        made += json.loads(ragforge.ok("conversations", "import", "-", "--json", stdin=said))["imported"]
    return made


def model(ragforge: CommandLine, *answers: str, **script: Any) -> tuple[str, ...]:
    """The options for a model that gives these answers."""
    return "--model", ragforge.script(purposes={"insight": list(answers)}, **script)


def schema(ragforge: CommandLine) -> tuple[str, ...]:
    """The options for what is looked for."""
    file = ragforge.project.parent / "schema.json"
    file.write_text(json.dumps(FIELDS))
    return "--task", TASK, "--schema", str(file)


def test_looking_and_listing(ragforge: CommandLine) -> None:
    [one, two] = imported(ragforge, "locks", "stores")
    assert "no insights" in ragforge.run("conversations", "insights").stderr
    look = ("conversations", "insights", one[:8], *schema(ragforge))
    done = ragforge.run(*look, *model(ragforge, "locks?", '{"topic": "locks"}'))
    assert done.returncode == 0, done.stderr
    head, *found = done.stdout.splitlines()
    assert head.startswith(f"{one[:8]}  ")
    assert head.endswith(f"  {TASK}")
    assert json.loads("".join(found)) == {"topic": "locks"}
    assert "1 made, " in done.stderr
    every = ragforge.json(
        "conversations", "insights", *schema(ragforge), *model(ragforge, '{"topic": "stores"}'), "--json"
    )
    assert [(item["conversation_id"], item["data"]) for item in every["items"]] == [
        (two, {"topic": "stores"}),
        (one, {"topic": "locks"}),
    ]
    assert (every["made"], every["failed"], every["left"], every["stopped"]) == (1, [], [], None)
    assert every["usage"]["input_tokens"] > 0
    listed = ragforge.json("conversations", "insights", "--json", "--limit", "1")
    assert [item["conversation_id"] for item in listed["items"]] == [two]
    assert listed["items"][0]["schema"]["properties"] == FIELDS
    rest = ragforge.json("conversations", "insights", "--json", "--cursor", listed["next_cursor"])
    assert [item["conversation_id"] for item in rest["items"]] == [one]
    assert ragforge.ok("conversations", "insights", one, "--task", TASK).startswith(one[:8])
    assert "--schema" in ragforge.run("conversations", "insights", "--task", "Another.").stderr


def test_a_stop_says_what_is_left(ragforge: CommandLine) -> None:
    imported(ragforge, "locks", "stores")
    look = ("conversations", "insights", *schema(ragforge), "--concurrency", "1")
    script = {"loop": True, "token_price": 0.001}
    priced = model(ragforge, '{"topic": "x"}', **script)
    done = ragforge.run(*look, *priced, "--max-cost", "0.01")
    assert (done.returncode, done.stdout) == (0, "")
    assert "stopped, 2 left: the next request would pass --max-cost" in done.stderr
    done = ragforge.run(*look, *priced, "--max-tokens", "5")
    assert "would pass --max-tokens" in done.stderr
    assert "2 made, " in ragforge.run(*look, *priced, "--max-cost", "100").stderr


def test_what_fails_is_said(ragforge: CommandLine) -> None:
    [one] = imported(ragforge, "locks")
    look = ("conversations", "insights", *schema(ragforge))
    done = ragforge.run(*look, *model(ragforge, "no", "no", "no"))
    assert done.returncode == 1
    assert f"none of {one[:8]} (invalid): the last answer did not fit the schema: it is not JSON" in done.stderr
    none = ragforge.run(*look, "--model", "extractive", "--json")
    assert none.returncode == 3
    assert "insights need a language model" in json.loads(none.stderr)["message"]
    assert ragforge.run("conversations", "insights", "--schema", "x.json").returncode == 2
    missing = ragforge.run("conversations", "insights", "--task", TASK, "--schema", "nowhere.json")
    assert (missing.returncode, "nowhere.json cannot be read" in missing.stderr) == (1, True)
    assert "give the path of a JSON Schema" in missing.stderr
    bad = ragforge.run("conversations", "insights", "--task", TASK, "--schema", "-", stdin="{")
    assert (bad.returncode, "is not JSON" in bad.stderr) == (1, True)
