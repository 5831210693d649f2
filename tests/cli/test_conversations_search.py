"""`ragforge conversations search` and `import`."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime

import pytest

from ragforge_memory import Message, ScoredMessage
from ragforge_memory.cli.conversations_search import _why
from tests.cli.conftest import CommandLine

TALK = [
    {"role": "user", "content": "Where do we keep the lighthouse tokens?"},
    {"role": "assistant", "content": "In Redis, under auth:session."},
]


def test_import_and_search(ragforge: CommandLine) -> None:
    made = json.loads(ragforge.ok("conversations", "import", "-", "--json", stdin=json.dumps(TALK)))
    assert (made["conversations"], made["messages"], made["failed"]) == (1, 2, 0)
    [uuid] = made["imported"]
    found = ragforge.json("conversations", "search", "lighthouse tokens", "--json", "--limit", "1")
    [item] = found["items"]
    assert item["message"]["content"] == TALK[0]["content"]
    assert item["conversation_id"] == uuid
    assert "text" in item["matched_by"]
    assert "text" in found["answered"]
    plain = ragforge.ok("conversations", "search", "lighthouse", "--in", uuid, "--role", "user")
    assert plain.startswith(f"{uuid[:8]}:1  ")
    head, said = plain.splitlines()
    assert head.endswith("  user  [text: lighthouse]") or head.split("text: lighthouse")[1].startswith("; meaning ")
    assert said == f"    {TALK[0]['content']}"
    assert "\x1b" not in plain


def test_times_at_the_ends_of_the_calendar_are_shown_in_any_zone(
    ragforge: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Go and .NET write the first moment of year 1 for no time.
    times = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    talk = [{"role": "user", "content": "We decided on herons.", "timestamp": when} for when in times]
    made = json.loads(ragforge.ok("conversations", "import", "-", "--json", stdin=json.dumps(talk)))
    with monkeypatch.context() as clocks:
        for zone, command in (
            ("America/New_York", ("search", "herons")),
            ("Asia/Tokyo", ("show", made["imported"][0])),
        ):
            clocks.setenv("TZ", zone)
            time.tzset()
            done = ragforge.run("conversations", *command, TZ=zone)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.count("We decided on herons.") >= 2
    time.tzset()


def test_what_cannot_be_imported(ragforge: CommandLine) -> None:
    refused = ragforge.run("conversations", "import", "-", stdin='[{"author": "user"}]')
    assert refused.returncode == 1
    assert "this is not a conversation of a known format" in refused.stderr
    assert "its content is missing" in ragforge.run("conversations", "import", "-", stdin='[{"role": "user"}]').stderr
    good, bad = json.dumps({"messages": TALK}), '{"messages": [{"role": "user", "content": ""}]}'
    partly = ragforge.run("conversations", "import", "-", "--title", "Lights", stdin=f"{good}\n{bad}\n")
    assert partly.returncode == 1
    assert partly.stdout.startswith("imported: 1 conversation  ")
    assert partly.stdout.endswith(", 2 messages\n")
    assert "refused: line 2, message 0: its content is empty" in partly.stderr
    assert "Lights" in ragforge.ok("conversations", "list")
    assert ragforge.run("conversations", "import", "-").stderr.startswith("ragforge: there is nothing to import")
    missing = ragforge.run("conversations", "import", "nowhere.json")
    assert missing.returncode == 1
    assert "nowhere.json cannot be read: there is no such file" in missing.stderr
    assert "give the path of a file" in missing.stderr
    assert "nothing found" in ragforge.run("conversations", "search", "quetzalcoatl").stderr


def test_a_long_message_is_cut_around_the_words(ragforge: CommandLine) -> None:
    content = (
        "Before.\n\n```python\n" + "x = 1  # filler\n" * 60 + "```\nThe quetzalcoatl flag is here.\n" + "After. " * 90
    )
    made = ragforge.run("conversations", "import", "-", stdin=json.dumps([{"role": "user", "content": content}]))
    assert (
        "1 message waits for a vector: search finds them by their words until then" in made.stderr
        or not made.stderr.strip()
    )
    head, *said = ragforge.ok("conversations", "search", "quetzalcoatl").splitlines()
    assert "[text: quetzalcoatl" in head
    assert len(said) == 2
    assert "quetzalcoatl" in "".join(said)
    assert "```" not in "".join(said)
    assert all(line.startswith("    ") and len(line) <= 100 for line in said)


NOTED = "We decided to keep quokka tokens in Redis, since Postgres was too slow."
RECALLED = [
    {"role": "user", "content": NOTED},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "What did we decide about quokka tokens?"},
    {"role": "assistant", "content": f"What was said about `quokka tokens`:\n\n2026-01-02, you:\n> {NOTED}"},
    {"role": "user", "content": "Did we decide something about quokka tokens?"},
    {"role": "assistant", "content": "quokka tokens: `decide_quokka_tokens` - tokens.py:1, what we did decide about"},
    {"role": "user", "content": "And what did we decide about quokka tokens?"},
    {"role": "assistant", "content": f"Yes, we did decide about quokka tokens:\n> {NOTED}"},
]


def test_what_was_stated_comes_before_what_asks_for_it_or_repeats_it(ragforge: CommandLine) -> None:
    ragforge.ok("conversations", "import", "-", stdin=json.dumps(RECALLED))
    for query in ("what did we decide about quokka tokens", "quokka tokens"):
        _, first, *_ = ragforge.ok("conversations", "search", query, "--limit", "1").splitlines()
        assert first.strip() == NOTED, query
    # Scripts get the same, and of fewer the first.
    every = ragforge.json("conversations", "search", "quokka tokens", "--json", "--limit", "50")["items"]
    assert every[0]["message"]["content"] == NOTED
    items = ragforge.json("conversations", "search", "quokka tokens", "--json", "--limit", "3")["items"]
    assert [each["message"]["uuid"] for each in items] == [each["message"]["uuid"] for each in every[:3]]


def test_a_chat_searches_what_was_said_in_it_and_in_all_conversations(ragforge: CommandLine) -> None:
    ragforge.ok("conversations", "import", "-", stdin=json.dumps(TALK))
    typed = "/search quokka\nThe quokka is fed at noon.\n/search quokka\n/search lighthouse\n/search --all lighthouse\n"
    model = ragforge.script("At noon.")
    shown = ragforge.ok("chat", "--no-ingest", "--model", model, stdin=f"{typed}/search\n/help\n")
    early, own, other, everywhere, bare, commands = shown.split("\nyou: /")[1:]
    assert early.splitlines()[1] == "nothing has been said yet; /search --all quokka looks in all conversations"
    head, said = own.splitlines()[1:3]
    assert "[text: quokka" in head
    assert said == "    The quokka is fed at noon."
    assert str(TALK[0]["content"]) not in other
    listed = ragforge.ok("conversations", "search", "lighthouse")
    early, late = (re.sub("; meaning [0-9.]+", "", each) for each in (everywhere, listed))  # vectors may be late
    assert early.splitlines()[1:3] == late.splitlines()[:2]
    assert "takes the words to look for" in bare
    assert "/search [--all] WORDS" in commands
    shown = ragforge.ok("chat", "--no-ingest", "--no-memory", "--model", model, stdin="/search --all lighthouse\n")
    assert "memory is off: nothing that was said can be looked for" in shown


@pytest.mark.parametrize(
    ("similarity", "told"),
    [
        (0.12, "text: lighthouse; meaning 0.12"),
        (0.004, "text: lighthouse"),
    ],
)
def test_what_is_as_far_as_the_unrelated_is_told_by_no_number(similarity: float | None, told: str) -> None:
    message = Message(uuid="a", conversation_id="b", seq=1, role="user", content="", timestamp=datetime.now(UTC))
    found = {"matched_by": ("text", "meaning"), "matched_words": ("lighthouse",), "similarity": similarity}
    hit = ScoredMessage(message=message, score=1.0, conversation_id="b", **found)
    assert _why(hit) == told
