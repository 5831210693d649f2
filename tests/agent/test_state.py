"""Message lists as state: the reducer, and `invoke` with the whole list in and out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory import AgentState, InvalidInput, reduce_messages, tool
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent

MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system"]),
            "content": st.text(max_size=8),
            "id": st.sampled_from("abcdef"),
        }
    ),
    max_size=8,
)


@given(MESSAGES, MESSAGES)
def test_the_reducer_appends_or_replaces_by_id(left: Any, right: Any) -> None:
    expected: dict[str, Any] = {}
    for message in reduce_messages([], left) + right:
        expected[message["id"]] = message
    assert reduce_messages(reduce_messages([], left), right) == list(expected.values())


def test_messages_without_an_id_get_one_and_roles_have_other_names() -> None:
    first, second = reduce_messages([{"role": "human", "content": "hi"}], {"type": "ai", "content": [{"text": "yes"}]})
    assert (first["role"], second["role"], second["content"]) == ("user", "assistant", "yes")
    assert first["id"] != second["id"]


@pytest.mark.parametrize("bad", [{"role": "nobody", "content": ""}, {"role": "user", "content": 7}, "hi"])
def test_what_is_no_message_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidInput):
        reduce_messages([], [bad])


@tool
def double(number: int) -> int:
    """Doubles a number.

    Args:
        number: any
    """
    return 2 * number


@pytest.mark.anyio
async def test_invoke_gives_input_and_new_messages_once(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[ToolRequest("c", "double", {"number": 4})], "Eight.", "Sixteen."])
    async with make_agent(provider=provider, tools=[double]) as agent:
        given = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Twice four?", "id": "mine"},
        ]
        state = await agent.invoke({"messages": given})
        assert [message["role"] for message in state["messages"]] == [
            "system",
            "user",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert state["messages"][3]["id"] == "mine"
        assert state["messages"][-1]["content"] == "Eight."
        assert state["messages"][-2]["content"] == "8"
        assert "Be brief." in provider.requests[0].system
        assert [message.content for message in provider.requests[0].messages] == ["Hello", "Hello.", "Twice four?"]
        more = await agent.invoke({"messages": reduce_messages(state["messages"], {"role": "user", "content": "And?"})})
        assert more["session_id"] == state["session_id"]
        assert more["messages"][:7] == state["messages"]
        assert [message["content"] for message in more["messages"][7:]] == ["And?", "Sixteen."]
        conversation = await agent.load_conversation(more["session_id"])
        contents = [message.content for message in await conversation.get_history()]
        assert contents == ["Be brief.", "Hello", "Hello.", "Twice four?", "Eight.", "And?", "Sixteen."]


@pytest.mark.anyio
async def test_invoke_goes_on_with_a_session(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.", "Three.") as agent:
        first = await agent.invoke({"messages": [{"role": "user", "content": "a"}], "session_id": "s-9"})
        assert first["session_id"] == "s-9"
        await agent.invoke({"messages": [{"role": "user", "content": "b"}], "session_id": "s-9"})
        conversation = await agent.open_conversation("s-9")
        assert [message.content for message in await conversation.get_history()] == ["a", "One.", "b", "Two."]


@pytest.mark.anyio
async def test_a_state_without_a_question_is_refused(make_agent: MakeAgent) -> None:
    states: list[Any] = [{}, {"messages": "hi"}, {"messages": [{"role": "assistant", "content": "hi"}]}]
    async with make_agent() as agent:
        for state in states:
            with pytest.raises(InvalidInput):
                await agent.invoke(state)
        assert len(await agent.list_conversations()) == 0


@pytest.mark.anyio
async def test_what_invoke_stores_counts_as_what_is_said(make_agent: MakeAgent) -> None:
    said = "We decided to use Postgres for storage. The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD."
    spoken = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hello."}]
    spoken += [{"role": "user", "content": said}, {"role": "assistant", "content": "Good."}]
    async with make_agent("Go on.", "Hello.", "Good.") as agent:
        invoked = await agent.invoke({"messages": [*spoken, {"role": "user", "content": "And now?"}]})
        conversation = await agent.load_conversation(invoked["session_id"])
        same = await agent.create_conversation()
        for message in ("Hello!", said):
            await same.send_message(message)

        assert conversation.info.title == (await agent.load_conversation(same.uuid)).info.title
        [first, second] = await agent.decisions()
        assert {first.conversation_id, second.conversation_id} == {conversation.uuid, same.uuid}
        both = [await each.get_history() for each in (conversation, same)]
        for one, other in zip(*both, strict=False):
            assert (one.content, one.token_count) == (other.content, other.token_count)


@pytest.mark.anyio
async def test_the_state_of_a_turn(make_agent: MakeAgent, owner: Any) -> None:
    async with make_agent("Yes.") as agent:
        conversation = await agent.open_conversation("s-1")
        await conversation.send_message("Well?")
        state = conversation.state
        assert set(AgentState.model_fields) == {
            "session_id",
            "user_id",
            "user_message",
            "is_remember_command",
            "remember_content",
            "context_messages",
            "memories",
            "response",
            "error",
        }
        assert (state.user_id, state.user_message, state.response, state.error) == (owner.user_id, "Well?", "Yes.", "")
