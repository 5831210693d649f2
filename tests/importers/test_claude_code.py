"""Claude Code's sessions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory import InvalidInput
from tests.importers.reading import flawed, lines, outcomes, read, read_one

SESSION = "5f6c0f3e-0000-4000-8000-000000000001"
TIME = "2025-06-14T10:00:0{}.000Z"


def line(number: int, kind: str, content: Any, *, after: int | None = None, **more: Any) -> dict[str, Any]:
    """A line of a session."""
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {
        "parentUuid": None if after is None else uuid(after),
        "isSidechain": False,
        "cwd": "/project",
        "sessionId": SESSION,
        "version": "2.0.0",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": uuid(number),
        "timestamp": TIME.format(number % 10),
        **more,
    }


def uuid(number: int) -> str:
    """A line's id."""
    return f"00000000-0000-4000-8000-{number:012}"


def use(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    """A block with the result of a tool."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


LINES: list[dict[str, Any]] = [
    {"type": "summary", "summary": "Another session", "leafUuid": uuid(999)},
    {"type": "file-history-snapshot", "messageId": uuid(1), "snapshot": {}},
    line(1, "user", "Caveat: local commands", isMeta=True),
    line(2, "user", [{"type": "text", "text": "Mend it."}, {"type": "image", "source": {}}], after=1),
    line(
        3, "assistant", [{"type": "thinking", "thinking": "Where?"}], after=2, message={"id": "m1", "model": "claude"}
    ),
    line(4, "assistant", [{"type": "text", "text": "I look."}], after=3, message={"id": "m1"}),
    line(5, "assistant", [use("t1", "Read", file_path="a.py")], after=4, message={"id": "m1"}),
    line(6, "user", [result("t1", [{"type": "text", "text": "x = 1"}])], after=5, toolUseResult={"durationMs": 12}),
    line(
        7,
        "assistant",
        [use("t2", "Bash", command="false")],
        after=6,
        message={"id": "m1", "usage": {"input_tokens": 4, "cache_read_input_tokens": 6, "output_tokens": 3}},
    ),
    line(8, "user", [result("t2", "exit 1", is_error=True)], after=7),
    line(9, "user", "inside an agent", after=8, isSidechain=True),
    {"type": "progress", "uuid": uuid(10), "sessionId": SESSION},
    line(11, "assistant", [{"type": "text", "text": "Mended."}], after=8, message={"id": "m2"}),
    {"type": "summary", "summary": "Mending", "leafUuid": uuid(11)},
]


def test_a_session() -> None:
    transcript, messages = read_one(lines(LINES))
    assert (transcript.title, transcript.session_id, transcript.place) == ("Mending", SESSION, "line 3")
    assert transcript.metadata == {"directory": "/project", "git_branch": "main", "version": "2.0.0"}
    assert transcript.created_at is not None
    assert [each.role for each in messages] == ["system", "user", "assistant", "assistant"]
    assert [each.content for each in messages] == ["Caveat: local commands", "Mend it.\n[image]", "I look.", "Mended."]
    assert [each.place for each in messages] == ["line 3", "line 4", "line 5", "line 13"]
    assert [each.uuid for each in messages] == [uuid(1), uuid(2), uuid(3), uuid(11)]
    answer = messages[2]
    assert (answer.reasoning, answer.model) == ("Where?", "claude")
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.cached_tokens, answer.usage.output_tokens) == (10, 6, 3)
    read_it, ran = answer.tool_calls
    assert (read_it.tool_name, read_it.arguments, read_it.result) == ("Read", {"file_path": "a.py"}, "x = 1")
    assert (read_it.success, read_it.duration_ms) == (True, 12)
    assert (ran.success, ran.result, ran.error) == (False, None, "exit 1")


def test_what_somebody_named_it_is_its_title() -> None:
    named = [*LINES, {"type": "custom-title", "customTitle": "My own", "sessionId": SESSION}]
    assert read_one(lines(named))[0].title == "My own"


def test_the_file_of_an_agent_is_a_session() -> None:
    agent = [line(1, "user", "Task", isSidechain=True), line(2, "assistant", "Done", after=1, isSidechain=True)]
    assert outcomes(lines(agent)) == [2]
    named = [{**each, "agentId": "a1"} for each in agent]
    attachment = {"type": "queued_command", "prompt": "Hurry."}
    named.append({**line(3, "attachment", "", after=2, isSidechain=True), "agentId": "a1", "attachment": attachment})
    assert [each.content for each in read_one(lines(named))[1]] == ["Task", "Done", "Hurry."]
    again = [line(4, "user", "Other", isSidechain=True, after=2), line(5, "user", "Third", isSidechain=True, after=2)]
    transcript, messages = read_one(lines([*agent, *again]))
    assert [each.content for each in messages] == ["Task", "Done", "Third"]
    assert transcript.left_out == {"abandoned branch": 1}


def test_files_behind_each_other_and_a_session_that_goes_on() -> None:
    goes_on = [{**line(12, "user", "More", after=11), "sessionId": "other"}]
    assert outcomes(lines([*LINES, *goes_on])) == [5]
    begins = [
        {**line(20, "user", "New"), "sessionId": "third"},
        {**line(21, "assistant", "Yes", after=20), "sessionId": "third"},
    ]
    found = read(lines([*LINES, *begins]))
    assert [(each.session_id, len(messages)) for each, messages in found] == [(SESSION, 4), ("third", 2)]


def test_a_bad_line_costs_itself_alone() -> None:
    begins = [{**line(20, "user", "New"), "sessionId": "third"}]
    text = lines(LINES[:5]) + "{broken\n" + lines([*LINES[5:], *begins])
    (count, [flaw]), other = flawed(text)
    assert count == 4
    assert flaw.startswith("line 6: this is not JSON: ")
    assert other == (1, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (lines(LINES), 4),
        (lines(LINES) + "\0" * 512 + "\n" + lines([line(30, "user", "On.", after=11)]), 5),
        (lines(LINES) + json.dumps(line(30, "user", "On.", after=11)) + json.dumps({"type": "last-prompt"}) + "\n", 5),
        (lines([*LINES, line(30, "user", "On.", after=77)]), 5),
        (lines([*LINES, LINES[3], line(30, "user", "On.", after=11)]), 5),
    ],
    ids=["whole", "nul", "fused", "parent", "repeated"],
)
def test_what_a_crash_leaves_costs_no_message(text: str, found: int) -> None:
    assert flawed(text) == [(found, [])]
    [(count, [flaw])] = flawed(text + '{"type": "user", "mess')
    assert count == found
    assert "is not JSON: Unterminated" in flaw


def test_what_says_something_else_under_a_uuid_is_passed_over() -> None:
    [(count, flaws)] = flawed(lines([*LINES, line(2, "user", "Another.", after=11)]))
    assert (count, flaws) == (4, [f"line {len(LINES) + 1}: its uuid is that of line 4, which says something else"])


def test_who_goes_back_abandons_what_followed() -> None:
    """Two prompts after one message; what the second window of a session says is a branch as well."""
    talk = [
        line(1, "user", "Add a retry."),
        line(2, "assistant", "How often?", after=1),
        line(3, "user", "Ten times.", after=2),
        line(4, "assistant", [use("t1", "Bash")], after=3),
        line(5, "user", [result("t1", "done")], after=4),
        line(6, "user", "Three times.", after=2),
        line(7, "assistant", "Three.", after=6),
    ]
    transcript, messages = read_one(lines(talk))
    assert [each.content for each in messages] == ["Add a retry.", "How often?", "Three times.", "Three."]
    assert transcript.left_out == {"abandoned branch": 3}
    # Behind lines that are no messages too, and an answer beside an error of the program is kept.
    between = {"type": "system", "uuid": uuid(8), "parentUuid": uuid(2), "sessionId": SESSION}
    transcript, messages = read_one(lines([*talk[:5], between, {**talk[5], "parentUuid": uuid(8)}, talk[6]]))
    assert len(messages) == 4
    transcript, messages = read_one(lines([talk[0], talk[1], between, {**talk[5], "parentUuid": uuid(8)}, talk[6]]))
    assert len(messages) == 4


def test_what_was_typed_while_a_tool_ran() -> None:
    queued = {
        **line(3, "attachment", "", after=2),
        "attachment": {"type": "queued_command", "prompt": "and the tests, please"},
    }
    talk = [
        line(1, "user", "Move it."),
        line(2, "assistant", [use("t1", "Bash")], after=1),
        queued,
        line(4, "user", [result("t1", "moved")], after=3),
        line(5, "assistant", "Moved.", after=4),
    ]
    transcript, messages = read_one(lines([*talk, {"type": "attachment", "attachment": {"type": "todo"}}]))
    assert [(each.role, each.content) for each in messages] == [
        ("user", "Move it."),
        ("assistant", ""),
        ("user", "and the tests, please"),
        ("assistant", "Moved."),
    ]
    assert messages[1].tool_calls[0].result == "moved"
    assert transcript.left_out == {"attachment": 1}


def test_what_the_program_wrote_in_the_users_name() -> None:
    texts = [
        "<command-name>/model</command-name>\n<command-args>opus</command-args>",
        "<local-command-stdout>Set to \x1b[1mopus\x1b[22m</local-command-stdout>",
        "<command-message>review</command-message><command-name>/review</command-name><command-args>it</command-args>",
        "[Request interrupted by user for tool use]",
        "Go on. <b>now</b>\n<system-reminder>Nothing to do.</system-reminder>",
    ]
    talk = [line(number, "user", text, after=number - 1 or None) for number, text in enumerate(texts, 1)]
    _, messages = read_one(lines(talk))
    assert [(each.role, each.content) for each in messages] == [
        ("system", "/model opus"),
        ("system", "Set to opus"),
        ("user", "/review it"),
        ("system", "[Request interrupted by user for tool use]"),
        ("user", "Go on. <b>now</b>"),
        ("system", "Nothing to do."),
    ]


@pytest.mark.parametrize(
    ("text", "typed", "program"),
    [
        ("Why <system-reminder>x</system-reminder> here, and <bash-input>ls</bash-input>?", ..., ""),
        ("Mend it.\n<system-reminder>Be\nbrief</system-reminder>", "Mend it.", "Be\nbrief"),
        ("<ide_opened_file>a.py</ide_opened_file>\nMend it.", "Mend it.", "a.py"),
        ('<teammate-message from="b">Done</teammate-message>', "", "Done"),
        ("<user-memory-input>tabs</user-memory-input>", "# tabs", ""),
        (
            "<local-command-stdout>\x1b[1mSet\x1b[0m \x1b]8;;x\x07to\x1b]8;;\x07 opus</local-command-stdout>",
            "",
            "Set to opus",
        ),
        ("<bash-stdout></bash-stdout><bash-stderr></bash-stderr>", "", ""),
        ("[Request interrupted by user]\nIn C [really]", "In C [really]", "[Request interrupted by user]"),
        ("This session is being continued from a previous conversation.", "", ...),
    ],
)
def test_what_the_program_wrote_in_the_user_s_name(text: str, typed: Any, program: Any) -> None:
    sides = (("user", text if typed is ... else typed), ("system", text if program is ... else program))
    said = [(role, content) for role, content in sides if content]
    talk = [line(1, "user", "Hello."), line(2, "user", text, after=1)]
    transcript, messages = read_one(lines(talk))
    assert [(each.role, each.content) for each in messages[1:]] == said
    assert transcript.left_out == ({} if said else {"empty output": 1})


def test_a_log_that_names_its_session_is_no_session_of_the_program() -> None:
    with pytest.raises(InvalidInput):
        list(read(lines([{"type": "message", "sessionId": "x", "role": "user", "text": "Mine."}])))


def test_the_first_line_does_not_decide_for_a_file() -> None:
    warm = [line(1, "user", "Warmup", isSidechain=True), line(2, "assistant", "ok", after=1, isSidechain=True)]
    transcript, messages = read_one(
        lines([*warm, line(3, "user", "What changed?"), line(4, "assistant", "Much.", after=3)])
    )
    assert [each.content for each in messages] == ["What changed?", "Much."]
    assert transcript.left_out == {"sidechain": 2}
    # What is there of the session before it begins is none.
    assert read(lines(warm[:1]))[0][1] == read(lines(warm))[0][1] == []


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({**line(30, "user", "x"), "message": "error"}, "line 15: the message of a line is a mapping, not str"),
        ({"silly": "this"}, "line 15: a line of a session has a type"),
        (line(30, "user", "x", timestamp="soon"), "line 15: its timestamp is not a time: 'soon'"),
    ],
)
def test_bad_lines_are_named(bad: Any, why: str) -> None:
    [(count, [flaw])] = flawed(lines([*LINES, bad]))
    assert count == 4
    assert flaw.startswith(why)


def test_ids_that_say_nothing() -> None:
    """A tool that copies sessions may leave ids empty."""
    [(_, messages)] = read(
        lines(
            [
                line(1, "user", "Look.", uuid="", parentUuid=""),
                line(2, "assistant", [use("", "Read"), use("", "Grep")], message={"id": ""}, uuid=""),
                line(3, "user", [result("", "one"), result("", "two")]),
            ]
        )
    )
    assert [[call.result for call in message.tool_calls] for message in messages] == [[], ["one", "two"]]


def test_lines_in_a_ring_or_in_any_order_are_taken() -> None:
    ring = [line(1, "user", "a", after=3), line(2, "assistant", "b", after=1), line(3, "user", "c", after=2)]
    assert outcomes(lines(ring)) == [3]
    # Lines that came in the wrong order are not a ring, and a parent may be in another file.
    assert outcomes(lines([line(2, "user", "a", after=1), line(1, "user", "b", after=77)])) == [2]


def test_lines_without_messages_are_no_session() -> None:
    assert read(lines(LINES[:2])) == []


def test_lines_of_a_newer_version_may_come_first_and_ids_be_left_out() -> None:
    newer = [{"type": "fast-mode", "on": True}, {"type": "theme", "sessionId": SESSION}]
    assert outcomes(lines([newer[1], *LINES])) == outcomes(lines([newer[0], *LINES])) == outcomes(lines(LINES))
    bare = [
        {"type": "user", "message": {"role": "user", "content": "Where?"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [use("t1", "Grep", pattern="x")]}},
        {"type": "user", "message": {"role": "user", "content": [result("t1", "a.py")]}},
    ]
    _, messages = read_one(lines([newer[0], *bare]))
    assert [(each.role, [call.result for call in each.tool_calls]) for each in messages] == [
        ("user", []),
        ("assistant", ["a.py"]),
    ]
