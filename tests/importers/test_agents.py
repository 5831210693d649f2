"""Sessions of Codex, Gemini CLI and opencode, exports of claude.ai, and messages of Anthropic and the Responses API."""

from __future__ import annotations

import json
from typing import Any

from tests.importers.reading import lines, read, read_one

TIME = "2026-05-04T09:00:0{}.000Z"


def _codex(number: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME.format(number), "type": kind, "payload": payload}


def _said(messages: list[Any]) -> list[tuple[str, str]]:
    return [(each.role, each.content) for each in messages]


def test_a_codex_session() -> None:
    about, text = [
        [{"type": "input_text", "text": each}] for each in ("<environment_context>x</environment_context>", "Why?")
    ]
    talk = [
        _codex(0, "session_meta", id="019a1111-2222", timestamp=TIME.format(0), cwd="/shop", git={"branch": "main"}),
        _codex(1, "response_item", type="message", role="user", content=about),
        _codex(1, "turn_context", model="gpt-x"),
        _codex(2, "response_item", type="message", role="user", content=text),
        _codex(2, "event_msg", type="user_message", message="Why?"),
        _codex(3, "response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Look"}]),
        _codex(4, "response_item", type="custom_tool_call", name="apply_patch", input="*** Begin", call_id="c1"),
        _codex(4, "response_item", type="local_shell_call", action={"command": ["ls"]}, call_id="c2"),
        _codex(5, "response_item", type="local_shell_call_output", call_id="c2", output="a.py"),
        _codex(5, "response_item", type="custom_tool_call_output", call_id="c1", output="Done"),
        _codex(6, "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": "So."}]),
        _codex(7, "compacted", message="They fixed it."),
    ]
    transcript, messages = read_one(lines(talk))
    assert (transcript.format, transcript.session_id) == ("Codex session", "019a1111-2222")
    assert transcript.metadata == {"directory": "/shop", "git_branch": "main"}
    assert _said(messages) == [
        ("system", "<environment_context>x</environment_context>"),
        ("user", "Why?"),
        ("assistant", "So."),
        ("system", "They fixed it."),
    ]
    answer = messages[2]
    assert (answer.reasoning, answer.model) == ("Look", "gpt-x")
    assert [(call.tool_name, call.result) for call in answer.tool_calls] == [
        ("apply_patch", "Done"),
        ("local_shell", "a.py"),
    ]
    assert transcript.left_out == {"event_msg user_message": 1}


def test_a_codex_session_of_2025() -> None:
    talk = [
        {"id": "0198-old", "timestamp": TIME.format(0), "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "tests/"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One."}]},
    ]
    transcript, messages = read_one(lines(talk))
    assert (transcript.session_id, transcript.left_out) == ("0198-old", {"state": 1})
    assert _said(messages) == [("user", "Hello."), ("assistant", "One.")]
    assert messages[1].tool_calls[0].arguments == {"command": ["ls"]}


def test_items_of_the_responses_api() -> None:
    items = [
        {"role": "user", "content": "Search."},
        {"type": "web_search_call", "id": "ws1", "status": "completed", "action": {"query": "x"}},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Found."}]},
    ]
    [(transcript, messages)] = read({"model": "gpt-x", "instructions": "Be brief.", "input": items})
    assert transcript.format == "OpenAI Responses items"
    assert _said(messages) == [("system", "Be brief."), ("user", "Search."), ("assistant", "Found.")]
    assert messages[2].tool_calls[0].success


def _gemini(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": f"message-{number:08}", "timestamp": TIME.format(number), "type": kind, "content": content, **more}


HEAD = {"sessionId": "session-1", "projectHash": "abc", "startTime": TIME.format(0), "lastUpdated": TIME.format(9)}
CALL = {
    "id": "c1",
    "name": "read_file",
    "args": {"path": "a.py"},
    "status": "success",
    "timestamp": TIME.format(2),
    "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x = 1"}}}],
}
THOUGHT = {"subject": "Read", "description": "a.py"}
GEMINI = [
    _gemini(1, "user", [{"text": "Read it."}]),
    _gemini(
        2, "gemini", "It sets x.", toolCalls=[CALL], thoughts=[{"subject": "Read", "description": "a.py"}], model="g"
    ),
    _gemini(3, "info", "Update available"),
]


def test_a_gemini_session_in_both_of_its_forms() -> None:
    whole = json.dumps({**HEAD, "messages": GEMINI, "summary": "Reading"}, indent=1)
    for text in (whole, lines([HEAD, *GEMINI, {"$set": {"summary": "Reading"}}])):
        transcript, messages = read_one(text)
        assert (transcript.format, transcript.session_id, transcript.title) == (
            "Gemini CLI session",
            "session-1",
            "Reading",
        )
        assert _said(messages) == [("user", "Read it."), ("assistant", "It sets x.")]
        [call] = messages[1].tool_calls
        assert (call.tool_name, call.arguments, call.result) == ("read_file", {"path": "a.py"}, "x = 1")
        assert (messages[1].reasoning, messages[1].model) == ("Read\na.py", "g")
        assert transcript.left_out == {"info": 1}


def test_a_gemini_session_in_which_the_user_went_back() -> None:
    again = _gemini(4, "user", "Instead?")
    talk = [HEAD, *GEMINI[:2], {**GEMINI[1], "content": "It sets x to 1."}, {"$rewindTo": GEMINI[1]["id"]}, again]
    transcript, messages = read_one(lines(talk))
    assert _said(messages) == [("user", "Read it."), ("user", "Instead?")]
    assert transcript.left_out == {"abandoned branch": 1}
    _, messages = read_one(lines([HEAD, *GEMINI[:2], {**GEMINI[1], "content": "It sets x to 1."}]))
    assert _said(messages) == [("user", "Read it."), ("assistant", "It sets x to 1.")]


def test_a_gemini_session_of_2026_has_results_and_files_in_messages_of_the_user() -> None:
    answered = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x = 1"}}}
    alone = {"functionResponse": {"id": "c2", "name": "ls", "response": {"output": "a.py"}}}
    thought = {"text": "**Read** a.py", "thought": True}
    files = [{"text": "Read @a.py"}, {"text": "--- Content from referenced files ---"}, {"text": "x = 1"}]
    parts = [thought, {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a.py"}}}]
    talk = [
        HEAD,
        _gemini(0, "user", [{"text": "<session_context> Linux"}]),
        _gemini(1, "user", files, displayContent=[{"text": "Read @a.py"}]),
        _gemini(2, "gemini", parts, toolCalls=[CALL]),
        _gemini(3, "user", [answered]),
        _gemini(4, "user", [alone]),
        _gemini(5, "gemini", [{"text": "It sets x."}]),
    ]
    transcript, messages = read_one(lines(talk))
    assert _said(messages) == [
        ("system", "<session_context> Linux"),
        ("user", "Read @a.py"),
        ("system", "--- Content from referenced files ---\nx = 1"),
        ("assistant", ""),
        ("assistant", ""),
        ("assistant", "It sets x."),
    ]
    assert messages[3].reasoning == "**Read** a.py"
    calls = [(call.tool_name, call.result) for each in messages for call in each.tool_calls]
    assert calls == [("read_file", "x = 1"), ("ls", "a.py")]
    assert (transcript.flaws, transcript.left_out) == ([], {})


def test_a_gemini_session_that_was_condensed_keeps_what_was_said() -> None:
    call = {"functionCall": {"id": "c1", "name": "read_file", "args": {"path": "a.py"}}}
    result = {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "masked"}}}
    condensed = [
        _gemini(4, "user", [{"text": "<state_snapshot>They read a.py.</state_snapshot>"}]),
        _gemini(5, "gemini", [{"text": "Got it."}]),
        _gemini(6, "gemini", [{"text": "It sets x."}, call]),
        _gemini(7, "user", [result]),
        _gemini(8, "user", [{"text": "Thanks."}]),
    ]
    talk = [HEAD, *GEMINI[:2], _gemini(3, "user", "Thanks."), {"$set": {"messages": condensed}}]
    transcript, messages = read_one(lines([*talk, _gemini(9, "user", "Thanks.")]))
    assert _said(messages) == [
        ("user", "Read it."),
        ("assistant", "It sets x."),
        ("user", "Thanks."),
        ("system", "<state_snapshot>They read a.py.</state_snapshot>"),
        ("assistant", "Got it."),
        ("user", "Thanks."),
    ]
    assert messages[1].tool_calls[0].result == "x = 1"
    assert (transcript.flaws, transcript.left_out) == ([], {})


def test_a_checkpoint_of_gemini() -> None:
    call = {"functionCall": {"name": "read", "args": {"p": 1}}}
    contents = [
        {"role": "user", "parts": [{"text": "Read it."}]},
        {"role": "model", "parts": [{"text": "think", "thought": True}, call]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]},
    ]
    for value in (contents, {"history": contents}):
        [(_, messages)] = read(json.dumps(value))
        assert _said(messages) == [("user", "Read it."), ("assistant", ""), ("assistant", "Done.")]
        assert (messages[1].reasoning, messages[1].tool_calls[0].result) == ("think", "x")


def test_an_export_of_opencode() -> None:
    tool = {
        "type": "tool",
        "tool": "grep",
        "callID": "c1",
        "state": {"status": "error", "input": {"q": "x"}, "error": "none", "time": {"start": 1_000, "end": 1_250}},
    }
    there = {"type": "text", "text": "There."}
    session = {
        "info": {"id": "ses_1", "title": "Tax", "directory": "/shop", "time": {"created": 1_777_885_200_000}},
        "messages": [
            {
                "info": {"id": "msg_000000000001", "role": "user", "time": {"created": 1_777_885_200_000}},
                "parts": [
                    {"type": "text", "text": "Where?"},
                    {"type": "text", "text": "File contents", "synthetic": True},
                ],
            },
            {
                "info": {
                    "id": "msg_000000000002",
                    "role": "assistant",
                    "modelID": "m",
                    "tokens": {"input": 1, "output": 2},
                },
                "parts": [{"type": "step-start"}, {"type": "reasoning", "text": "hm"}, tool, there],
            },
        ],
    }
    for text in (json.dumps(session), json.dumps(session, indent=1)):
        transcript, messages = read_one(text)
        assert (transcript.format, transcript.title, transcript.session_id) == ("opencode session", "Tax", "ses_1")
        assert _said(messages) == [("user", "Where?"), ("system", "File contents"), ("assistant", "There.")]
        [call] = messages[2].tool_calls
        assert (call.success, call.error, call.duration_ms) == (False, "none", 250)
        assert transcript.left_out == {"step-start": 1}


def test_what_was_taken_back_in_opencode_and_what_a_command_said() -> None:
    def message(number: int, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
        return {"info": {"id": f"msg_{number:012}", "role": role}, "parts": list(parts)}

    command = {"type": "subtask", "prompt": "Review it.", "command": "review", "agent": "general", "description": ""}
    session = {
        "info": {"id": "ses_1", "revert": {"messageID": f"msg_{3:012}", "snapshot": "x"}},
        "messages": [
            message(1, "user", command),
            message(2, "assistant", {"type": "text", "text": "Done."}),
            message(3, "user", {"type": "text", "text": "Drop it."}),
            message(4, "assistant", {"type": "step-start"}, {"type": "text", "text": "Dropped."}),
        ],
    }
    transcript, messages = read_one(json.dumps(session))
    assert _said(messages) == [("user", "Review it."), ("assistant", "Done.")]
    assert transcript.left_out == {"abandoned branch": 2}


def test_an_export_of_claude_ai() -> None:
    def message(number: int, sender: str, text: str, parent: int | None = None, **more: Any) -> dict[str, Any]:
        uuid, above = f"{number:032}", "00000000-0000-4000-8000-000000000000" if parent is None else f"{parent:032}"
        about = {"sender": sender, "text": text, "created_at": TIME.format(number)}
        return {"uuid": uuid, "parent_message_uuid": above, **about, **more}

    talk = {
        "uuid": "c" * 32,
        "name": "Tax",
        "created_at": TIME.format(0),
        "chat_messages": [
            message(1, "human", "Where?", attachments=[{"file_name": "orders.py"}]),
            message(2, "assistant", "There.", 1, content=[{"type": "text", "text": "There."}]),
            message(3, "assistant", "Elsewhere.", 1),
        ],
    }
    first = {**talk, "uuid": "d" * 32, "current_leaf_message_uuid": f"{2:032}"}
    gap = {**talk, "chat_messages": [talk["chat_messages"][0], message(5, "human", "Still?", 4)]}
    old = {**talk, "chat_messages": [{"sender": "human", "text": each} for each in ("One.", "Two.")]}
    asked = "Where?\n[attachment: orders.py]"
    (newest, last), (_, chosen), (_, both), (_, in_order) = read(json.dumps([talk, first, gap, old]))
    assert (newest.title, newest.session_id, newest.left_out) == ("Tax", "c" * 32, {"abandoned branch": 1})
    assert _said(last) == [("user", asked), ("assistant", "Elsewhere.")]
    assert [[each.content for each in found] for found in (chosen, both, in_order)] == [
        [asked, "There."],
        [asked, "Still?"],
        ["One.", "Two."],
    ]


ANTHROPIC = [
    {"role": "user", "content": "Where?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "grep", "signature": "x"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "grep", "input": {"q": "tax"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py", "is_error": True}]},
    {"role": "assistant", "content": "There."},
]


def test_messages_of_anthropic() -> None:
    first = {"system": "Be brief.", "messages": ANTHROPIC}
    last = {"model": "m", "messages": ANTHROPIC, "system": [{"type": "text", "text": "Be brief."}]}
    for text in (json.dumps(first), json.dumps(first, indent=1), json.dumps(last), json.dumps(last, indent=1)):
        transcript, messages = read_one(text)
        assert transcript.format == "Anthropic messages"
        assert ("system", "Be brief.") in _said(messages)
        [answer] = [each for each in messages if each.tool_calls]
        assert (answer.content, answer.reasoning, answer.tool_calls[0].error) == ("I look.", "grep", "a.py")
    _, messages = read_one(lines(ANTHROPIC))
    assert _said(messages) == [("user", "Where?"), ("assistant", "I look."), ("assistant", "There.")]


PREAMBLE = "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday."


def test_what_older_versions_of_gemini_set_up_is_not_the_users() -> None:
    session = [HEAD, _gemini(1, "user", [{"text": PREAMBLE}]), _gemini(2, "user", "Go.")]
    checkpoint = [{"role": "user", "parts": [{"text": PREAMBLE}]}, {"role": "user", "parts": [{"text": "Go."}]}]
    for data in (lines(session), json.dumps(checkpoint), json.dumps({"history": checkpoint})):
        _, messages = read_one(data)
        assert _said(messages) == [("system", PREAMBLE), ("user", "Go.")]


def test_a_gemini_session_whose_first_line_is_torn() -> None:
    transcript, messages = read_one('{"sessionId": "session-\n' + lines(GEMINI))
    assert transcript.format == "Gemini CLI session"
    assert _said(messages) == [("user", "Read it."), ("assistant", "It sets x.")]
    assert [each.place for each in transcript.flaws] == ["line 1"]
