"""Turns of an agent loop of one's own are kept as our own turns are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversation, InvalidInput
from ragforge_memory.importers.exchange import NO_RESULT
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

TURN: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": "What weighs a walrus?",
        "timestamp": "2026-05-04T09:00:00Z",
        "metadata": {"from": "me"},
    },
    {
        "role": "assistant",
        "content": "A tonne.",
        "reasoning": "I weigh it.",
        "model": "mine:1",
        "tool_calls": [
            {"tool_name": "weigh", "arguments": {"thing": "walrus"}, "result": {"grams": 1e6}, "duration_ms": 5},
            {"tool_name": "weigh", "arguments": {"thing": "none"}, "error": "there is none"},
        ],
    },
]


async def test_a_turn_is_whole(make_agent: MakeAgent) -> None:
    async with make_agent("And an egg has 60.") as agent:
        conversation = await agent.create_conversation()
        question, answer = await conversation.add_messages(TURN)
        assert (question.seq, question.content, question.trust) == (1, "What weighs a walrus?", "user")
        assert question.metadata == {"from": "me"}
        assert question.timestamp.isoformat() == "2026-05-04T09:00:00+00:00"
        assert (answer.in_reply_to, answer.reasoning, answer.model) == (question.uuid, "I weigh it.", "mine:1")
        weighed, failed = answer.tool_calls
        assert (weighed.arguments, weighed.result, weighed.success) == ({"thing": "walrus"}, {"grams": 1e6}, True)
        assert (failed.error, failed.success, failed.index) == ("there is none", False, 1)
        assert (conversation.title, conversation.message_count) == ("What weighs a walrus?", 2)
        await conversation.send_message("And an egg?")
        assert [each.seq for each in await conversation.get_history()] == [1, 2, 3, 4]
        [found] = await agent.search_messages("tonne", tool="weigh", limit=1)
        assert found.message.uuid == answer.uuid
        assert [each.tool_name for each in await conversation.get_tool_calls(success=False)] == ["weigh"]


async def test_an_answer_knows_the_question_that_was_here(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        [question] = await conversation.add_messages(TURN[:1])
        [answer] = await conversation.add_messages(TURN[1:])
        assert (answer.seq, answer.in_reply_to) == (2, question.uuid)


async def test_each_is_added_once_by_its_uuid(make_agent: MakeAgent) -> None:
    turns = [{"role": "user", "content": f"number {n}", "uuid": uuid4().hex} for n in range(30)]
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        other = await agent.create_conversation()
        many = [conversation.add_messages(turns[:end]) for end in (10, 20, 30, 15, 30)]
        added = await asyncio.gather(*many)
        assert [[each.uuid for each in some] for some in added[1:3]] == [
            [each["uuid"] for each in turns[:20]],
            [each["uuid"] for each in turns],
        ]
        assert [each.uuid for each in await conversation.get_history(limit=100)] == [each["uuid"] for each in turns]
        branch = await conversation.branch(turns[4]["uuid"])
        assert [each.seq for each in await branch.add_messages([turns[3], {"role": "user", "content": "new"}])] == [
            4,
            6,
        ]
        with pytest.raises(InvalidInput, match="another conversation has a message of one of these uuids"):
            await other.add_messages(turns[:1])
        assert (await other.refresh()).message_count == 0


@pytest.mark.parametrize("auto_save", [True, False])
@pytest.mark.parametrize(("changed", "what"), [({"content": "Two tonnes."}, "text"), ({"role": "system"}, "role")])
async def test_a_uuid_that_says_something_else_is_refused(
    make_agent: MakeAgent, auto_save: bool, changed: dict[str, str], what: str
) -> None:
    said = [{"role": role, "content": text, "uuid": uuid4().hex} for role, text in (("user", "Who?"), ("user", "I."))]
    new = {"role": "user", "content": "And you?"}
    async with make_agent(settings={"auto_save": auto_save}) as agent:
        conversation = await agent.create_conversation()
        await conversation.add_messages(said)
        with pytest.raises(InvalidInput, match=f"message 2: .* another {what}"):
            await conversation.add_messages([new, said[0], {**said[1], **changed}])
        assert [each.content for each in await conversation.get_history()] == ["Who?", "I."]
        assert [each.seq for each in await conversation.add_messages([*said, new])] == [1, 2, 3]


async def test_a_call_without_a_result_has_failed(make_agent: MakeAgent) -> None:
    calls = [{"tool_name": "a"}, {"tool_name": "b", "success": True}, {"tool_name": "c", "result": None}]
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        [added] = await conversation.add_messages([{"role": "assistant", "tool_calls": calls}])
    assert [(each.success, each.error) for each in added.tool_calls] == [(False, NO_RESULT), (True, None), (True, None)]


async def test_what_it_states_is_a_decision_and_is_corrected(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        await conversation.add_messages([{"role": "user", "content": "decision: we use tabs"}])
        await conversation.add_messages([{"role": "user", "content": "correction: we use spaces"}])
        [first, second] = sorted(await agent.decisions(), key=lambda each: each.timestamp)
    assert (first.text, second.text, second.kind) == ("decision: we use tabs", "correction: we use spaces", "decision")
    assert first.corrected is not None
    assert first.corrected.message_id == second.message_id


async def test_without_auto_save_it_is_kept_until_save(make_agent: MakeAgent) -> None:
    async with make_agent(settings={"auto_save": False}) as agent:
        conversation = await agent.create_conversation()
        added = await conversation.add_messages([{**each, "uuid": uuid4().hex} for each in TURN])
        assert [each.seq for each in added] == [1, 2]
        await conversation.save()
        history = await conversation.get_history()
        assert [(each.uuid, len(each.tool_calls)) for each in history] == [(added[0].uuid, 0), (added[1].uuid, 2)]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"role": "robot", "content": "x"}, "message 1: there is no role 'robot'"),
        ({"role": "user", "content": "  "}, "message 1: its content is empty"),
        ({"role": "user", "content": "x", "tool_calls": [{"tool_name": "a"}]}, "only the assistant calls tools"),
        ({"role": "assistant", "tool_calls": [{"name": "a"}]}, "message 1: unknown key 'name'"),
        ({"role": "user", "text": "x"}, "message 1: unknown key 'text'"),
        ({"role": "user", "content": "x", "timestamp": "soon"}, "its timestamp is not a time"),
        ("hello", "message 1: a message is a mapping"),
    ],
)
async def test_a_bad_one_refuses_all(make_agent: MakeAgent, bad: Any, why: str) -> None:
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        with pytest.raises(InvalidInput, match=why):
            await conversation.add_messages([TURN[0], bad])
        assert await conversation.get_history() == []


async def test_secrets_are_redacted(make_agent: MakeAgent, cypher: Callable[..., list[dict[str, Any]]]) -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    call = {"tool_name": "run", "arguments": {"key": secret}, "result": [secret]}
    async with make_agent() as agent:
        conversation: AsyncConversation = await agent.create_conversation()
        [added] = await conversation.add_messages(
            [
                {
                    "role": "assistant",
                    "content": secret,
                    "reasoning": secret,
                    "metadata": {"k": secret},
                    "tool_calls": [call],
                }
            ]
        )
    assert secret not in added.model_dump_json()
