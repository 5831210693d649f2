"""What is imported again and again while it grows: at the end it is what it would be imported once."""

from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent, ImportReport, Neo4jConfig
from tests.agent.conftest import MakeAgent
from tests.importers.reading import lines
from tests.importers.test_claude_code import SESSION, line, result, use, uuid

pytestmark = pytest.mark.anyio

CLAUDE = [
    line(1, "user", "Mend the tax."),
    line(2, "assistant", [{"type": "thinking", "thinking": "Where?"}], after=1, message={"id": "m1"}),
    line(3, "assistant", [{"type": "text", "text": "I look."}], after=2, message={"id": "m1"}),
    line(4, "assistant", [use("t1", "Read", file_path="a.py")], after=3, message={"id": "m1"}),
    line(5, "assistant", [use("t2", "Bash", command="pytest")], after=4, message={"id": "m1"}),
    line(6, "user", [result("t2", "2 failed", is_error=True)], after=5),
    line(7, "user", [result("t1", "rate = 1")], after=6),
    line(8, "assistant", [{"type": "text", "text": "It was the rate."}], after=7, message={"id": "m2"}),
    {"type": "ai-title", "aiTitle": "The rate of the tax", "sessionId": SESSION},
    line(9, "user", "<command-name>/model</command-name><command-args>opus</command-args>", after=8),
    line(10, "user", "<local-command-stdout>Set to opus</local-command-stdout>", after=9),
    line(11, "user", "Thanks.", after=10),
]

WARM = [
    line(21, "user", "Warmup", isSidechain=True),
    line(22, "assistant", [{"type": "text", "text": "ok"}], after=21, isSidechain=True, message={"id": "m9"}),
]


def queued(operation: str, **more: Any) -> dict[str, Any]:
    """A line of the queue of what was typed while the program was busy."""
    return {"type": "queue-operation", "operation": operation, "sessionId": SESSION, **more}


BUSY = [
    line(1, "user", "Mend the tax."),
    line(2, "assistant", [use("t1", "Read"), use("t2", "Bash")], after=1, message={"id": "m1"}),
    line(3, "user", [result("t1", "rate = 1")], after=2),
    line(4, "user", "[document]", after=3, isMeta=True),
    queued("enqueue", content="Keep the tests."),
    queued("enqueue", content="And then the docs."),
    line(5, "user", [result("t2", "2 failed")], after=4),
    queued("remove", content="Keep the tests."),
    line(6, "assistant", [{"type": "text", "text": "I keep them."}], after=5, message={"id": "m2"}),
    queued("dequeue"),
    line(7, "user", "And then the docs.", after=6),
    line(8, "assistant", [{"type": "text", "text": "Done."}], after=7, message={"id": "m3"}),
]


def _codex(number: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-05-04T09:00:{number:02}.000Z", "type": kind, "payload": payload}


def _text(kind: str, text: str) -> list[dict[str, str]]:
    return [{"type": kind, "text": text}]


CODEX = [
    _codex(0, "session_meta", id="019a1111-2222-7333-8444-555566667777", cwd="/shop"),
    _codex(
        1,
        "response_item",
        type="message",
        role="user",
        content=_text("input_text", "<environment_context>x</environment_context>"),
    ),
    _codex(2, "response_item", type="message", role="user", content=_text("input_text", "Why?")),
    _codex(3, "response_item", type="reasoning", id="rs_0123456789abcdef", summary=_text("summary_text", "Look")),
    _codex(4, "response_item", type="function_call", name="shell", arguments='{"command": "ls"}', call_id="c1"),
    _codex(5, "response_item", type="function_call", name="shell", arguments='{"command": "pwd"}', call_id="c2"),
    _codex(6, "response_item", type="function_call_output", call_id="c2", output="/shop"),
    _codex(7, "response_item", type="function_call_output", call_id="c1", output="a.py"),
    _codex(
        8,
        "response_item",
        type="message",
        role="assistant",
        id="msg_0123456789abcdef",
        content=_text("output_text", "So."),
    ),
    _codex(9, "response_item", type="message", role="user", content=_text("input_text", "Why?")),
    _codex(10, "response_item", type="message", role="assistant", content=_text("output_text", "As I said.")),
]

GEMINI = [
    {"sessionId": "7d0c63a4-1111-4222-8333-444455556666", "projectHash": "ab", "startTime": "2026-05-04T09:00:00Z"},
    {"id": uuid(1), "type": "user", "timestamp": "2026-05-04T09:00:01Z", "content": "Why?"},
    {"id": uuid(2), "type": "gemini", "timestamp": "2026-05-04T09:00:02Z", "content": "I look."},
    {
        "id": uuid(2),
        "type": "gemini",
        "timestamp": "2026-05-04T09:00:02Z",
        "content": "I look.",
        "toolCalls": [{"id": "c1", "name": "ls", "args": {"path": "."}, "status": "executing"}],
    },
    {
        "id": uuid(2),
        "type": "gemini",
        "timestamp": "2026-05-04T09:00:02Z",
        "content": "I look.",
        "toolCalls": [{"id": "c1", "name": "ls", "args": {"path": "."}, "status": "success", "result": "a.py"}],
    },
    {"$set": {"summary": "A question"}},
    {"id": uuid(3), "type": "gemini", "timestamp": "2026-05-04T09:00:03Z", "content": "So."},
]

OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What weighs a walrus?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "weigh", "arguments": '{"animal": "walrus"}'}},
            {"id": "c2", "type": "function", "function": {"name": "weigh", "arguments": '{"animal": "seal"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "90 kg"},
    {"role": "tool", "tool_call_id": "c1", "content": "1,000 kg"},
    {"role": "assistant", "content": "A tonne."},
    {"role": "user", "content": "What weighs a walrus?"},
    {"role": "assistant", "content": "A tonne."},
]

GROWING = {
    "Claude Code": [lines(CLAUDE[:end]) for end in range(1, len(CLAUDE) + 1)],
    "Claude Code, warmed up": [lines([*WARM, *CLAUDE][:end]) for end in range(1, len(CLAUDE) + 3)],
    "Claude Code, busy": [lines(BUSY[:end]) for end in range(1, len(BUSY) + 1)],
    "Codex": [lines(CODEX[:end]) for end in range(1, len(CODEX) + 1)],
    "Gemini CLI": [lines(GEMINI[:end]) for end in range(1, len(GEMINI) + 1)],
    "OpenAI": [json.dumps(OPENAI[:end]) for end in range(1, len(OPENAI) + 1)],
    "OpenAI lines": [lines(OPENAI[:end]) for end in range(1, len(OPENAI) + 1)],
}


async def taken(agent: AsyncConversationAgent, text: str) -> ImportReport:
    """Imports a text as a file is."""
    return await agent.import_conversations(io.BytesIO(text.encode()), "extend")


async def whole(agent: AsyncConversationAgent) -> list[Any]:
    """All that was said in all conversations, without the uuids that are made anew."""
    page = await agent.list_conversations(limit=50)
    found = []
    for info in page:
        history = await (await agent.load_conversation(info.uuid)).get_history(limit=1000)
        said = [
            (
                *(each.seq, each.role, each.content, each.reasoning, each.uuid),
                [(call.index, call.tool_name, call.arguments) for call in each.tool_calls],
                [(call.success, call.result, call.error) for call in each.tool_calls],
            )
            for each in history
        ]
        found.append((info.title, info.message_count, info.head_seq, said))
    return sorted(found, key=repr)


@pytest.mark.parametrize("name", GROWING)
async def test_what_grew_line_by_line_is_what_is_imported_once(
    make_agent: MakeAgent, either_config: Neo4jConfig, name: str
) -> None:
    states = GROWING[name]
    async with make_agent(neo4j=either_config) as agent:
        for state in states:
            await taken(agent, state)
        again = await taken(agent, states[-1])
        assert (again.unchanged, again.extended, again.conversations, again.messages) == (1, 0, 0, 0)
        grown = await whole(agent)
    async with make_agent(neo4j=either_config, user_id=f"once-{uuid4().hex}") as once:
        await taken(once, states[-1])
        expected = await whole(once)
    assert len(grown) == 1
    assert _without_uuids(grown) == _without_uuids(expected)


def _without_uuids(found: list[Any]) -> list[Any]:
    """Two owners cannot have a message of one uuid."""
    return [(*head, [(*one[:4], *one[5:]) for one in said]) for *head, said in found]
