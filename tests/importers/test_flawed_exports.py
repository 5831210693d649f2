"""Exports of claude.ai and opencode: what was pasted is kept, and what is bad costs itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.importers.reading import read, read_one


def _of_claude(**message: Any) -> dict[str, Any]:
    return {
        "uuid": "c" * 32,
        "name": "Tax",
        "chat_messages": [{"sender": "human", "text": "", "content": [], **message}],
    }


@pytest.mark.parametrize("name", ["", None, "paste.txt", "paste-2.txt"])
def test_a_text_that_was_pasted(name: str | None) -> None:
    pasted = {"file_name": name, "file_type": "txt", "extracted_content": "Why is the tax added twice?"}
    _, [message] = read_one(json.dumps([_of_claude(text="See here.", attachments=[pasted])]))
    assert message.content == "See here.\nWhy is the tax added twice?"


@pytest.mark.parametrize(("name", "content"), [("tax.csv", "a,b"), ("paste-up.txt", "a"), ("paste.txt", "")])
def test_a_file_that_was_attached(name: str, content: str) -> None:
    _, [message] = read_one(json.dumps([_of_claude(attachments=[{"file_name": name, "extracted_content": content}])]))
    assert message.content == f"[attachment: {name}]"


def test_marks_are_no_words() -> None:
    blocks = [
        {"type": "text", "text": "Found."},
        {"type": "token_budget", "remaining": 1},
        {"type": "flag", "flag": "x"},
    ]
    transcript, [message] = read_one(json.dumps([_of_claude(sender="assistant", content=blocks)]))
    assert message.content == "Found."
    assert transcript.left_out == {"token_budget": 1, "flag": 1}


@pytest.mark.parametrize("torn", [{"torn": 1}, None, "x", {"info": {"id": "msg_1"}}])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_torn_message_of_opencode(torn: object, at: int) -> None:
    messages: list[Any] = [
        {"info": {"id": f"msg_{number:020}", "role": role}, "parts": [{"type": "text", "text": role}]}
        for number, role in enumerate(("user", "assistant"))
    ]
    messages.insert(at, torn)
    session = {"info": {"id": "ses_1", "title": "Tax"}, "messages": messages}
    for text in (json.dumps(session), json.dumps(session, indent=1)):
        [(transcript, found)] = read(text)
        assert transcript.format == "opencode session"
        assert [each.content for each in found] == ["user", "assistant"]
        assert [each.place.rpartition(", ")[2] for each in transcript.flaws] == [f"message {at}"]
