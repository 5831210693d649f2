"""As in test_counts.py, for Gemini CLI and opencode, and for the exports of ChatGPT and claude.ai, which are trees."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.importers.reading import lines
from tests.importers.test_counts import TIME, Records, counted

ROOT = "00000000-0000-4000-8000-000000000000"


def _grown(chance: Random) -> list[tuple[int, int | None]]:
    """A tree of questions (even depth) and answers: each node with its parent, of which some are answered twice."""
    nodes: list[tuple[int, int | None]] = [(0, None)]
    for number in range(1, chance.randint(2, 20)):
        nodes.append((number, chance.choice(nodes[-3:])[0] if chance.random() < 0.3 else nodes[-1][0]))
    return nodes


def _way(nodes: list[tuple[int, int | None]], leaf: int) -> list[int]:
    """From the first node to a leaf."""
    above = dict(nodes)
    way = [leaf]
    while (parent := above[way[-1]]) is not None:
        way.append(parent)
    return way[::-1]


def _expected(nodes: list[tuple[int, int | None]], leaf: int) -> tuple[Counter[str], Counter[str]]:
    """A node is the user's or the assistant's by its depth."""
    shown = _way(nodes, leaf)
    made = Counter("assistant" if depth % 2 else "user" for depth in range(len(shown)))
    return made, +Counter({"abandoned branch": len(nodes) - len(shown)})


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("says_which", [True, False])
def test_an_export_of_claude_ai(seed: int, says_which: bool) -> None:
    nodes = _grown(chance := Random(seed))
    leaves = sorted({number for number, _ in nodes} - {parent for _, parent in nodes})
    leaf = chance.choice(leaves) if says_which else nodes[-1][0]
    messages = [
        {
            "uuid": f"{number:08}-0000-4000-8000-000000000001",
            "parent_message_uuid": ROOT if parent is None else f"{parent:08}-0000-4000-8000-000000000001",
            "sender": "human" if len(_way(nodes, number)) % 2 else "assistant",
            "text": f"message {number}",
        }
        for number, parent in nodes
    ]
    talk: dict[str, Any] = {"uuid": "c" * 32, "name": "", "chat_messages": messages}
    if says_which:
        talk["current_leaf_message_uuid"] = messages[leaf]["uuid"]
    made, left_out = counted(json.dumps([talk]))
    assert (+made, +left_out) == _expected(nodes, leaf)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("says_which", [True, False])
def test_an_export_of_chatgpt(seed: int, says_which: bool) -> None:
    nodes = _grown(chance := Random(seed))
    leaves = sorted({number for number, _ in nodes} - {parent for _, parent in nodes})
    leaf = chance.choice(leaves) if says_which else nodes[-1][0]
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for number, parent in nodes:
        role = "user" if len(_way(nodes, number)) % 2 else "assistant"
        content = {"content_type": "text", "parts": [f"message {number}"]}
        mapping[f"n{number}"] = {
            "id": f"n{number}",
            "parent": "root" if parent is None else f"n{parent}",
            "children": [f"n{each}" for each, above in nodes if above == number],
            "message": {
                "id": f"n{number}",
                "author": {"role": role},
                "content": content,
                "create_time": 1.7e9 + number,
            },
        }
    talk: dict[str, Any] = {"title": "", "conversation_id": "c" * 32, "create_time": 1.7e9, "mapping": mapping}
    if says_which:
        talk["current_node"] = f"n{leaf}"
    made, left_out = counted(json.dumps([talk]))
    assert (+made, +left_out) == _expected(nodes, leaf)


@pytest.mark.parametrize("seed", range(20))
def test_a_session_of_gemini(seed: int) -> None:
    chance = Random(seed)
    records: Records = [{"sessionId": "s", "projectHash": "p", "startTime": TIME}]
    shown: list[dict[str, int]] = []
    dropped = Counter[str]()

    def add(kind: str, content: Any, says: dict[str, int], **more: Any) -> None:
        records.append(
            {"id": f"message-{len(records):08}", "timestamp": TIME, "type": kind, "content": content, **more}
        )
        shown.append({"at": len(records) - 1, **says})

    for turn in range(chance.randint(1, 9)):
        if shown and chance.random() < 0.25:
            back = chance.randrange(len(shown))
            records.append({"$rewindTo": records[shown[back]["at"]]["id"]})
            dropped["abandoned branch"] += len(shown) - back
            del shown[back:]
        add("user", [{"text": f"question {turn}"}], {"user": 1})
        for number in range(chance.randint(0, 3)):
            name, at = f"c{turn}.{number}", len(records)
            call = {"id": name, "name": "ls", "args": {}, "status": "executing"}
            add("gemini", "", {"assistant": 1, "calls": 1, "results": 1}, toolCalls=[call])
            result = {"functionResponse": {"id": name, "name": "ls", "response": {"output": "a.py"}}}
            records.append({**records[at], "toolCalls": [{**call, "status": "success", "result": [result]}]})
            records.append({"id": f"result-{at:09}", "timestamp": TIME, "type": "user", "content": [result]})
            shown.append({"at": len(records) - 1})
        if chance.random() < 0.3:
            records.append({"id": f"info-{len(records):09}", "timestamp": TIME, "type": "info", "content": "Update"})
            dropped["info"] += 1
        add("gemini", "an answer", {"assistant": 1})
    made = Counter[str]()
    for says in shown:
        made.update({name: count for name, count in says.items() if name != "at"})
    found, left_out = counted(lines(records))
    assert (+found, +left_out) == (+made, +dropped)


@pytest.mark.parametrize("seed", range(20))
def test_a_session_of_opencode(seed: int) -> None:
    chance = Random(seed)
    messages: Records = []
    counts: list[tuple[Counter[str], Counter[str]]] = []

    def add(role: str, *parts: dict[str, Any], made: Counter[str], dropped: Counter[str]) -> None:
        messages.append({"info": {"id": f"msg_{len(messages):012}", "role": role}, "parts": list(parts)})
        counts.append((made, dropped))

    for turn in range(chance.randint(1, 6)):
        text = {"type": "text", "text": f"question {turn}"}
        add("user", text, {"type": "agent", "name": "build"}, made=Counter(user=1), dropped=Counter(agent=1))
        for number in range(chance.randint(1, 3)):
            done = chance.random() < 0.8
            state = {"status": "completed", "input": {}, "output": "x"} if done else {"status": "running", "input": {}}
            tool = {"type": "tool", "tool": "ls", "callID": f"c{turn}.{number}", "state": state}
            made = Counter(assistant=1, calls=1, results=int(done))
            add("assistant", {"type": "step-start"}, tool, made=made, dropped=Counter({"step-start": 1}))
    taken_back = chance.randrange(len(messages)) if chance.random() < 0.5 else len(messages)
    info: dict[str, Any] = {"id": "ses_1"}
    if taken_back < len(messages):
        info["revert"] = {"messageID": messages[taken_back]["info"]["id"]}
    made = sum((each for each, _ in counts[:taken_back]), Counter[str]())
    dropped = sum((each for _, each in counts[:taken_back]), Counter({"abandoned branch": len(messages) - taken_back}))
    found, left_out = counted(json.dumps({"info": info, "messages": messages}))
    assert (+found, +left_out) == (+made, +dropped)
