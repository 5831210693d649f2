"""`ragforge memory`, and what a chat shows and takes back of what is remembered."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import CommandLine
from tests.memory.test_orders import ORDERS


def test_what_is_remembered_is_listed_shown_found_and_forgotten(ragforge: CommandLine) -> None:
    empty = ragforge.run("memory", "list")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert 'nothing is remembered; ragforge memory add "..." adds something' in empty.stderr
    ragforge.ok("ingest")
    added = ragforge.ok("memory", "add", "check_password never logs.", "--kind", "rule")
    assert added.endswith("  rule  check_password never logs. (its code is as it was)\n")
    said = ragforge.run("ask", "--model", ragforge.script("Noted."), "We decided to keep sessions in Redis.")
    assert "remembered: to keep sessions in Redis." in said.stderr
    assert "remembered" not in said.stdout
    newest, rule = ragforge.ok("memory", "list").splitlines()
    assert newest.endswith("  decision  We decided to keep sessions in Redis.")
    assert ragforge.ok("memory", "list", "--kind", "rule").splitlines() == [rule]
    one = ragforge.run("memory", "list", "-n", "1")
    assert one.stdout.splitlines() == [newest]
    cursor = one.stderr.strip().rpartition(" ")[2]
    assert ragforge.ok("memory", "list", "--cursor", cursor).splitlines() == [rule]
    assert [each["kind"] for each in ragforge.json("memory", "list", "--json")["items"]] == ["decision", "rule"]

    shown = ragforge.ok("memory", "show", newest[:8]).splitlines()
    memory = ragforge.json("memory", "show", newest[:8], "--json")
    assert shown[0] == f"{memory['uuid']}  decision  holds"
    assert shown[2].startswith("  by the user ")
    assert shown[2].endswith(f", message {memory['message_id'][:8]} of {memory['conversation_id'][:8]}")
    shown = ragforge.ok("memory", "show", rule[:8]).splitlines()
    assert "message" not in shown[2]
    assert re.fullmatch(r"  discussed `check_password` \(auth\.py:4\): fresh", shown[-1])

    assert ragforge.ok("memory", "search", "where do sessions live").splitlines() == [newest]
    # The caller is named alone.
    [hit] = ragforge.json("memory", "search", "what calls `login`?", "--json")
    assert (hit["memory"]["content"], hit["tiers"]) == ("check_password never logs.", ["standing", "code"])
    assert "nothing found" in ragforge.run("memory", "search", "weather").stderr

    gone = ragforge.run("memory", "forget", newest[:8], "--reason", "we use cookies")
    assert gone.stdout == "forgotten: We decided to keep sessions in Redis.\n"
    assert f"ragforge memory history {newest[:8]} still shows it" in gone.stderr
    assert ragforge.ok("memory", "list").splitlines() == [rule]
    assert ragforge.ok("memory", "list", "--all").splitlines()[0] == f"{newest} (does not hold any more)"
    changed, now = ragforge.ok("memory", "history", newest[:8]).splitlines()
    assert changed.endswith("  forgotten: We decided to keep sessions in Redis.")
    assert now.endswith("(does not hold any more)")
    [version] = ragforge.json("memory", "history", newest[:8], "--json")["versions"]
    assert (version["reason"], version["new_value"]) == ("forget", None)


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("show", "nothing"), 1, "there is no memory 'nothing'"),
        (("forget", "nothing"), 1, "there is no memory 'nothing'"),
        (("add", "Do we log?"), 1, "a question is not remembered"),
        (("add", "x", "--kind", "fact"), 2, "fact"),
        (("list", "--kind", "lamp"), 1, "there is no kind 'lamp'"),
        (("list", "--cursor", "lamp"), 1, "this cursor is not one of ours"),
    ],
)
def test_what_cannot_be_done_is_said(
    ragforge: CommandLine, arguments: tuple[str, ...], code: int, problem: str
) -> None:
    done = ragforge.run("memory", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert problem in done.stderr


def test_a_chat_shows_forgets_and_takes_back(ragforge: CommandLine) -> None:
    model = ragforge.script("Noted.")
    said = (
        "/memories\n/undo\n/remember\n/forget\n/remember tabs over spaces\n/remember spaces over tabs\n"
        "note: `login` stays\n/memories\n/memories tabs\n/undo\n/undo\n/memories\n/forget tabs over spaces\n/undo\n"
        "/forg x\n/undo\n/undo\n"
    )
    chat = ragforge.run("chat", "--no-ingest", "--model", model, stdin=said)
    assert chat.returncode == 0, chat.stderr
    turns = [each.strip() for each in re.split(r"(?m)^you: .*$", chat.stdout)][1:]
    for told, expected in zip(
        turns,
        (
            "nothing is remembered; /remember TEXT adds something",
            "nothing was remembered or forgotten in this chat",
            "/remember takes what is to be remembered",
            "/forget takes what is to be forgotten: its id, or what it says",
            'Remembered: "tabs over spaces".',
            'Remembered: "spaces over tabs". It takes the place of "tabs over spaces".',
            "Noted.",
            "note: `login` stays",
            "  note  spaces over tabs",
            'undone: "note: `login` stays" is forgotten',
            'undone: "spaces over tabs" is forgotten; "tabs over spaces" holds again',
            "tabs over spaces",
            'Forgotten: "tabs over spaces".',
            'undone: "tabs over spaces" holds again',
            "there is no command /forg; did you mean /forget?",
            'undone: "tabs over spaces" is forgotten',
            "nothing was remembered or forgotten in this chat",
        ),
        strict=True,
    ):
        assert expected in told
    assert len(turns[7].splitlines()) == 2
    assert len(turns[11].splitlines()) == 1
    assert "remembered: `login` stays" in chat.stderr
    assert "remembered: tabs" not in chat.stderr
    added = ragforge.json("memory", "add", "We log nothing.", "--json")["uuid"][:8]
    chat = ragforge.run("chat", "--no-ingest", "--model", model, stdin=f"/forget {added}\n/memories\n/undo\n")
    assert 'forgotten: "We log nothing."; /undo takes that back' in chat.stdout
    assert "nothing is remembered" in chat.stdout
    assert 'undone: "We log nothing." holds again' in chat.stdout
    assert len(ragforge.ok("memory", "list").splitlines()) == 1


def test_a_chat_takes_back_what_its_model_changed(ragforge: CommandLine) -> None:
    def calls(tool: str, **arguments: object) -> object:
        return {"tools": [{"name": tool, "arguments": arguments}]}

    fact = {"type": "project", "key": "location"}
    model = ragforge.script(
        calls("remember_fact", **fact, value="Kyiv"), "Yes.", calls("remember_fact", **fact, value="Lviv"), "Yes."
    )
    said = "I live in Kyiv\nI live in Lviv now\n/undo\n/memories\n/undo\n/memories\n"
    # A tool that is late is done behind the turn, where nobody knows what there is to undo.
    chat = ragforge.run("chat", "--no-ingest", "--model", model, stdin=said, MEMORY_TOOL_TIMEOUT_MS="10000")
    assert 'undone: "location: Kyiv" holds again' in chat.stdout
    assert 'undone: "location: Kyiv" is forgotten' in chat.stdout
    assert chat.stdout.count("  fact  location: Kyiv") == 1
    assert "nothing is remembered" in chat.stdout


@pytest.mark.parametrize("order", ORDERS[:5])
def test_an_order_is_answered_without_the_model_and_both_messages_are_stored(ragforge: CommandLine, order: str) -> None:
    # A model without a step fails when it is asked.
    model = ragforge.script()
    asked = ragforge.json("ask", "--model", model, "--json", order)
    assert asked["content"].casefold().startswith('remembered: "')
    assert asked["model"] == "memory"
    messages = ragforge.json("conversations", "show", asked["conversation_id"], "--json")["messages"]
    assert [(each["role"], each["content"]) for each in messages] == [("user", order), ("assistant", asked["content"])]
    chat = ragforge.run("chat", "--no-ingest", "--model", model, stdin=f"{order}\n")
    assert "That is remembered already" in chat.stdout
    assert "remembered:" not in chat.stderr
