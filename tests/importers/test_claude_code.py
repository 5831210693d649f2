"""Claude Code's sessions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.importers.reading import lines, outcomes, read, read_one

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


def test_files_behind_each_other_and_a_session_that_goes_on() -> None:
    goes_on = [{**line(12, "user", "More", after=11), "sessionId": "other"}]
    assert outcomes(lines([*LINES, *goes_on])) == [5]
    begins = [
        {**line(20, "user", "New"), "sessionId": "third"},
        {**line(21, "assistant", "Yes", after=20), "sessionId": "third"},
    ]
    found = read(lines([*LINES, *begins]))
    assert [(each.session_id, len(messages)) for each, messages in found] == [(SESSION, 4), ("third", 2)]


def test_a_bad_line_refuses_its_session_alone() -> None:
    begins = [{**line(20, "user", "New"), "sessionId": "third"}]
    text = lines(LINES[:5]) + "{broken\n" + lines([*LINES[5:], *begins])
    refused, other = outcomes(text)
    assert str(refused).startswith("line 6: this is not JSON: ")
    assert other == 1


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({**line(30, "user", "x"), "message": "error"}, "line 15: the message of a line is a mapping, not str"),
        ({"silly": "this"}, "line 15: a line of a session has a type"),
        (line(30, "user", "x", timestamp="soon"), "line 15: its timestamp is not a time: 'soon'"),
    ],
)
def test_bad_lines_are_named(bad: Any, why: str) -> None:
    [reason] = outcomes(lines([*LINES, bad]))
    assert str(reason).startswith(why)


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


def test_a_ring_is_refused_where_it_closes() -> None:
    ring = [line(1, "user", "a", after=3), line(2, "assistant", "b", after=1), line(3, "user", "c", after=2)]
    assert outcomes(lines(ring)) == ["line 3: it is its own ancestor"]
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
