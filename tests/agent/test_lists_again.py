"""Message lists that come again: after a turn that failed, in a branch, with a message changed, twice at once."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, InvalidInput, Message, ModelError, Neo4jConfig
from ragforge_memory.llm.scripted import Pause, ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.agent.elsewhere import ROOT, place_of

pytestmark = pytest.mark.anyio


def asked(*contents: str, session: str | None = "s") -> dict[str, Any]:
    """A state of the user's messages, whose ids are their texts."""
    messages = [{"role": "user", "content": content, "id": content} for content in contents]
    return {"messages": messages} | ({} if session is None else {"session_id": session})


def as_list(history: Iterable[Message]) -> list[dict[str, Any]]:
    return [{"id": message.uuid, "role": message.role, "content": message.content} for message in history]


async def said(agent: AsyncConversationAgent, name: str = "s") -> list[tuple[str, str, str]]:
    conversation = await agent.load_conversation(name)
    return [(message.role, message.content, message.state) for message in await conversation.get_history()]


@pytest.mark.parametrize(
    ("memory", "before"),
    [
        ({}, []),
        ({"auto_save": False}, ["Half of"]),
        ({"enable_memory": False}, ["Half of"]),
        ({"persistence": "files"}, []),
    ],
)
async def test_a_turn_that_failed_is_asked_again(make_agent: MakeAgent, before: list[str], memory: Any) -> None:
    async with make_agent([*before, ModelError("down")], "Yes.", "Again.", settings=memory) as agent:
        with pytest.raises(ModelError):
            await agent.invoke(asked("q"))
        answered = await agent.invoke(asked("q"))
        assert [message["content"] for message in answered["messages"]] == ["q", "Yes."]
        partial = [("assistant", text, "partial") for text in before]
        assert await said(agent) == [("user", "q", "complete"), *partial, ("assistant", "Yes.", "complete")]
        with pytest.raises(InvalidInput, match="answered already"):
            await agent.invoke(asked("q"))


async def test_a_question_that_is_being_answered_is_not_asked(make_agent: MakeAgent, cypher: Any) -> None:
    async with make_agent([Pause(2.0), "Yes."]) as one, make_agent("No.") as other:
        conversation = await one.open_conversation("s")
        turn = asyncio.create_task(conversation.send_message("q"))
        while not (history := await conversation.get_history()):  # noqa: ASYNC110 - the turn has begun then
            await asyncio.sleep(0.02)
        with pytest.raises(InvalidInput, match="is being answered"):
            await other.invoke({"messages": as_list(history), "session_id": "s"})
        await turn
        assert await said(one) == [("user", "q", "complete"), ("assistant", "Yes.", "complete")]
        # Imported answers may name no question: they answer what stands before them.
        cypher("MATCH (m:Message {conversation_id: $uuid}) REMOVE m.in_reply_to", uuid=conversation.uuid)
        with pytest.raises(InvalidInput, match="answered already"):
            await other.invoke({"messages": as_list(history), "session_id": "s"})


DIES = """
import asyncio, json, os, sys
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.elsewhere import agent_at

class Dies(ScriptedProvider):
    async def stream(self, request):
        os._exit(7)
        yield

question = {"role": "user", "content": "q", "id": "q"}
asyncio.run(agent_at(json.loads(sys.argv[1]), Dies()).invoke({"messages": [question], "session_id": "s"}))
"""


async def test_a_question_whose_process_died_is_asked_again(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    async with make_agent("Yes.") as agent:
        arguments = [sys.executable, "-c", DIES, json.dumps(place_of(neo4j_config, owner))]
        died = await asyncio.create_subprocess_exec(*arguments, cwd=ROOT)
        assert await died.wait() == 7
        await agent.invoke(asked("q"))
        assert await said(agent) == [("user", "q", "complete"), ("assistant", "Yes.", "complete")]


async def test_of_several_at_once_one_is_answered(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[Pause(0.2), f"Answer {number}."] for number in range(4)])
    async with make_agent(provider=provider) as agent, make_agent(provider=provider) as other:
        await agent.open_conversation("s")
        turns = (each.invoke(asked("q")) for each in (agent, other, agent, other))
        results = await asyncio.gather(*turns, return_exceptions=True)
        refused = [result for result in results if isinstance(result, InvalidInput)]
        assert len(refused) == 3
        assert len(provider.requests) == 1
        assert await said(agent) == [("user", "q", "complete"), ("assistant", "Answer 0.", "complete")]


class Apart(dict[Any, Any]):
    """Those who ask share nothing, as in processes of their own."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return default


async def test_of_several_processes_at_once_one_is_answered(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.api.state._ASKING", Apart())
    provider = ScriptedProvider([[Pause(0.5), f"Answer {number}."] for number in range(4)])
    agents = [make_agent(provider=provider, settings={"persistence": "files"}) for _ in range(3)]
    async with agents[0], agents[1], agents[2]:
        await agents[0].open_conversation("s")
        turns = (agent.invoke(asked("q")) for agent in agents)
        results = await asyncio.gather(*turns, return_exceptions=True)
        assert sorted(isinstance(result, InvalidInput) for result in results) == [False, True, True]
        assert len(provider.requests) == 1
        assert await said(agents[0]) == [("user", "q", "complete"), ("assistant", "Answer 0.", "complete")]


async def test_messages_of_another_conversation_begin_no_session(make_agent: MakeAgent) -> None:
    async with make_agent("One.") as agent:
        state = await agent.invoke(asked("q"))
        state["messages"].append({"role": "user", "content": "more"})
        with pytest.raises(InvalidInput, match="another session"):
            await agent.invoke({**state, "session_id": "typo"})
        assert [info.session_id for info in await agent.list_conversations()] == ["s"]


async def test_a_question_without_room_writes_nothing(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["One."], context_window=2_000)
    async with make_agent(provider=provider) as agent:
        with pytest.raises(InvalidInput, match="tokens"):
            await agent.invoke(asked("q", "word " * 5_000))
        assert len(await agent.list_conversations()) == 0


async def test_a_message_that_was_changed_is_refused(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.") as agent:
        state = await agent.invoke(asked("my name is Bob"))
        before = await said(agent)
        messages = [
            {**state["messages"][0], "content": "my name is Alice"},
            *state["messages"][1:],
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "what is my name?"},
        ]
        with pytest.raises(InvalidInput, match="differs from what is stored") as caught:
            await agent.invoke({**state, "messages": messages})
        assert "edit(" in str(caught.value.hint)
        assert await said(agent) == before


async def test_a_secret_that_was_not_stored_changes_no_message(make_agent: MakeAgent) -> None:
    secret = "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\0"
    async with make_agent(f"I see {secret}", "Two.") as agent:
        state = await agent.invoke({"messages": [{"role": "user", "content": secret}]})
        assert all("sk-proj-abc" not in text for _, text, _ in await said(agent, state["session_id"]))
        more = [*state["messages"], {"role": "user", "content": "and?"}]
        assert (await agent.invoke({**state, "messages": more}))["messages"][-1]["content"] == "Two."


@pytest.mark.parametrize(("own", "named"), [(True, False), (False, True)])
async def test_a_branch_goes_on(make_agent: MakeAgent, own: bool, named: bool) -> None:
    async with make_agent(*(f"Answer {number}." for number in range(9))) as agent:
        root = await agent.create_conversation()
        await root.send_message("root")
        branch = await root.branch()
        if own:
            await branch.send_message("branch")
        await root.send_message("elsewhere")
        shared = await branch.get_history()
        state = {"messages": [*as_list(shared), {"role": "user", "content": "next"}]}
        went_on = await agent.invoke(state | ({"session_id": branch.uuid} if named else {}))
        assert went_on["session_id"] == branch.uuid
        history = await branch.get_history()
        assert [message.uuid for message in history[:-2]] == [message.uuid for message in shared]
        assert [message.content for message in history[-2:]] == ["next", went_on["messages"][-1]["content"]]
        foreign = [*as_list(await root.get_history()), {"role": "user", "content": "no"}]
        with pytest.raises(InvalidInput, match="several conversations"):
            await agent.invoke({"messages": foreign, "session_id": branch.uuid})


async def test_the_callers_own_ids_are_the_branchs_too(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.") as agent:
        state = await agent.invoke(asked("q"))
        branch = await (await agent.load_conversation("s")).branch()
        more = [*state["messages"], {"role": "user", "content": "next"}]
        await agent.invoke({"messages": more, "session_id": branch.uuid})
        assert [message.content for message in await branch.get_history()] == ["q", "One.", "next", "Two."]


async def test_a_branch_that_ends_with_a_question_answers_it(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.") as agent:
        root = await agent.create_conversation()
        first = await root.send_message("q")
        branch = await root.branch(from_message_id=first.user_message_id)
        await agent.invoke({"messages": as_list(await branch.get_history()), "session_id": branch.uuid})
        assert [message.content for message in await branch.get_history()] == ["q", "Two."]


async def test_of_several_who_ask_again_one_is_answered(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(
        [["Half of", ModelError("down")], *([Pause(0.2), f"Answer {number}."] for number in range(4))]
    )
    async with make_agent(provider=provider) as agent, make_agent(provider=provider) as other:
        with pytest.raises(ModelError):
            await agent.invoke(asked("q"))
        turns = (each.invoke(asked("q")) for each in (agent, other, agent, other))
        results = await asyncio.gather(*turns, return_exceptions=True)
        assert sum(isinstance(result, InvalidInput) for result in results) == 3, results
        answers = [("assistant", "Half of", "partial"), ("assistant", "Answer 0.", "complete")]
        assert await said(agent) == [("user", "q", "complete"), *answers]


@pytest.mark.parametrize("before", [[], ["Half of"]])
async def test_a_question_is_asked_again_as_often_as_it_fails(make_agent: MakeAgent, before: list[str]) -> None:
    down = [*before, ModelError("down")]
    async with make_agent(down, down, down, "Yes.") as agent:
        for _ in range(3):
            with pytest.raises(ModelError):
                await agent.invoke(asked("q"))
        answered = await agent.invoke(asked("q"))
        assert answered["messages"][-1]["content"] == "Yes."


async def test_a_question_that_died_again_is_asked_again(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    arguments = [sys.executable, "-c", DIES, json.dumps(place_of(neo4j_config, owner))]
    async with make_agent(["Half of", ModelError("down")], "Yes.") as agent:
        with pytest.raises(ModelError):
            await agent.invoke(asked("q"))
        died = await asyncio.create_subprocess_exec(*arguments, cwd=ROOT)
        assert await died.wait() == 7
        assert (await agent.invoke(asked("q")))["messages"][-1]["content"] == "Yes."
