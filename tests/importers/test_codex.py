"""Sessions of Codex: what the program wrote in the user's name, and turns that were taken back."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.importers.recognition import transcripts
from tests.importers.reading import flawed, lines, read_one


def _line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-04T09:00:00.000Z", "type": kind, "payload": payload}


def _user(*texts: str) -> dict[str, Any]:
    parts = [{"type": "input_text", "text": text} for text in texts]
    return _line("response_item", type="message", role="user", content=parts)


def _answer(text: str) -> dict[str, Any]:
    return _line("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def _back(turns: int) -> dict[str, Any]:
    return _line("event_msg", type="thread_rolled_back", num_turns=turns)


BEGUN = _line("session_meta", id="0198aaaa-1111-4222-8333-000000000001", cwd="/shop")
CONTEXT = "<environment_context>\n<cwd>/shop</cwd>\n</environment_context>"


@pytest.mark.parametrize(
    "text",
    [
        CONTEXT,
        "<environment_context>\n<cwd>/sh",
        "<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>",
        "<user_action>\n  <action>review</action>\n</user_action>\n",
        "<SUBAGENT_NOTIFICATION>{}</subagent_notification>",
        "# AGENTS.md instructions for /shop\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>",
        '<codex_internal_context source="goal">\nGo on.\n</codex_internal_context>',
        '<hook_prompt hook_run_id="1">Run the tests.</hook_prompt>',
        "<external_browser>A page.</external_browser>",
        "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.",
    ],
)
def test_what_the_program_wrote(text: str) -> None:
    _, messages = read_one(lines([BEGUN, _user(text), _user("Go.")]))
    assert [(each.role, each.content) for each in messages] == [("system", text), ("user", "Go.")]


@pytest.mark.parametrize(
    "text",
    [
        "<skill> is a tag that I do not know",
        "Is </skill> needed?",
        "<div>\n<p>No tax.</p>\n</div>",
        "Warning: it is slow.",
    ],
)
def test_what_the_user_wrote(text: str) -> None:
    _, messages = read_one(lines([BEGUN, _user(text)]))
    assert [(each.role, each.content) for each in messages] == [("user", text)]


def test_each_part_of_an_item_is_told_apart() -> None:
    item = _user(CONTEXT, "Mend the tax.", "<turn_aborted>\nStopped.\n</turn_aborted>", "In both files.")
    item["payload"]["id"] = "msg_0123456789abcdef"
    _, messages = read_one(lines([BEGUN, item]))
    assert [(each.role, each.content, each.uuid) for each in messages] == [
        ("system", f"{CONTEXT}\n<turn_aborted>\nStopped.\n</turn_aborted>", None),
        ("user", "Mend the tax.\nIn both files.", "msg_0123456789abcdef"),
    ]


def _ways(talk: list[dict[str, Any]]) -> list[tuple[int, list[str]]]:
    """Of the session and of each branch how many messages are abandoned in it, and what is said."""
    found = []
    for whole in transcripts(lines(talk)):
        contents = [each.content for each in whole.messages]
        found.append((whole.left_out["abandoned branch"], contents))
        for branch in whole.branches() if whole.branches is not None else ():
            assert branch.of is whole
            found.append((branch.abandoned, [each.content for each in branch.messages]))
    return found


def test_a_turn_that_was_taken_back() -> None:
    talk = [BEGUN, _user(CONTEXT), _user("One."), _answer("1."), _user("Two."), _answer("2."), _back(1)]
    assert _ways([*talk, _user("Three."), _answer("3.")]) == [
        (2, [CONTEXT, "One.", "1.", "Three.", "3."]),
        (2, [CONTEXT, "One.", "1.", "Two.", "2."]),
    ]


def test_more_turns_than_there_are() -> None:
    talk = [BEGUN, _user(CONTEXT), _user("One."), _answer("1."), _back(9), _user("Anew.")]
    assert _ways(talk) == [(2, [CONTEXT, "Anew."]), (2, [CONTEXT, "One.", "1."])]


def test_turns_that_were_taken_back_twice() -> None:
    talk = [BEGUN, _user("One."), _answer("1."), _user("Two."), _answer("2."), _back(1), _user("Three."), _answer("3.")]
    assert _ways([*talk, _back(2), _user("Four.")]) == [
        (6, ["Four."]),
        (2, ["One.", "1.", "Two.", "2."]),
        (4, ["One.", "1.", "Three.", "3."]),
    ]


@pytest.mark.parametrize("turns", [0, -1, None, "1"])
def test_nothing_was_taken_back(turns: Any) -> None:
    assert _ways([BEGUN, _user("One."), _answer("1."), _back(turns)]) == [(0, ["One.", "1."])]


def test_what_is_bad_in_a_branch_is_told_once() -> None:
    bad = _line("response_item", type="message", role="user", content=7)
    talk = [BEGUN, bad, _user("One."), _answer("1."), _user("Two."), _back(1), _user("Three.")]
    for whole in transcripts(lines(talk)):
        list(whole.messages)
        assert whole.branches is not None
        [branch] = whole.branches()
        list(branch.messages)
        assert [each.place for each in whole.flaws] == ["line 2"]
        assert branch.flaws == []


def test_items_that_say_nothing_are_counted() -> None:
    talk = [BEGUN, _user("Go."), *(_line("response_item", type=kind) for kind in ("compaction", "ghost_snapshot"))]
    transcript, _ = read_one(lines(talk))
    assert transcript.left_out == {"compaction": 1, "ghost_snapshot": 1}
    assert flawed(lines(talk)) == [(1, [])]
