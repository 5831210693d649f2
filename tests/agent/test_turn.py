"""A turn, from the question to the stored answer, with a scripted model and a real graph."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from ragforge_memory import InvalidInput, ModelError, ToolOutput, TurnCancelled, events, tool
from ragforge_memory.llm.port import Finished, ReasoningChunk, TextChunk, ToolRequest
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.conversation import Usage
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio


@tool
async def add(a: int, b: int) -> dict[str, int]:
    """Adds two numbers.

    Args:
        a: the first
        b: the second
    """
    return {"sum": a + b}


@tool
def fail(reason: str) -> str:
    """Fails.

    Args:
        reason: why
    """
    raise RuntimeError(reason)


CALLS = [
    ReasoningChunk("I should add. "),
    ToolRequest("call-1", "add", {"a": 1, "b": 2}),
    ToolRequest("call-2", "fail", {"reason": "no luck"}),
]


async def test_the_graph_of_a_turn(make_agent: MakeAgent, cypher: Cypher) -> None:
    answer = [
        ReasoningChunk("Three, then."),
        TextChunk("It is "),
        TextChunk("three."),
        Finished("stop", Usage(input_tokens=10, output_tokens=4)),
    ]
    async with make_agent(CALLS, answer, tools=[add, fail]) as agent:
        conversation = await agent.create_conversation("Sums", tags=["maths"])
        response = await conversation.send_message("What is one and two?")
    [row] = cypher(
        """MATCH (c:Conversation {uuid: $uuid})-[:HAS_MESSAGE]->(u:Message {role: 'user'})
        MATCH (c)-[:HAS_MESSAGE]->(a:Message {role: 'assistant'})
        RETURN properties(c) AS c, properties(u) AS u, properties(a) AS a,
          COLLECT { MATCH (a)-[:MADE_TOOL_CALL]->(t:ToolCall)-[:PRODUCED_RESULT]->(r:ToolResult)
            RETURN {call: properties(t), result: properties(r)} AS x ORDER BY t.index } AS calls""",
        uuid=conversation.uuid,
    )
    assert (row["c"]["title"], row["c"]["tags"], row["c"]["status"]) == ("Sums", ["maths"], "active")
    assert (row["c"]["message_count"], row["c"]["head_seq"]) == (2, 2)
    question, stored = row["u"], row["a"]
    assert (question["content"], question["seq"], question["state"]) == ("What is one and two?", 1, "complete")
    assert question["uuid"] == response.user_message_id
    assert (stored["content"], stored["seq"], stored["state"]) == ("It is three.", 2, "complete")
    assert stored["reasoning"] == "I should add. Three, then."
    assert stored["in_reply_to"] == question["uuid"]
    assert stored["uuid"] == response.message_id
    assert stored["conversation_id"] == question["conversation_id"] == conversation.uuid
    assert stored["timestamp"] >= question["timestamp"]
    assert stored["model"] == "scripted:scripted"
    good, bad = row["calls"]
    assert good["call"]["tool_name"] == "add"
    assert good["call"]["arguments"] == '{"a":1,"b":2}'
    assert good["call"]["message_id"] == stored["uuid"]
    assert good["call"]["success"] is True
    assert good["call"]["iteration"] == 1
    assert good["call"]["duration_ms"] >= 0
    assert good["result"]["result"] == '{"sum":3}'
    assert good["result"]["tool_call_id"] == good["call"]["uuid"]
    assert good["result"]["result_size_bytes"] == len('{"sum": 3}')
    assert bad["call"]["success"] is bad["result"]["success"] is False
    assert "no luck" in bad["result"]["error"]
    assert [call.result for call in response.tool_calls] == [{"sum": 3}, None]
    assert response.reasoning == "I should add. Three, then."
    assert response.usage.output_tokens >= 4


async def test_events_come_in_order_and_once(make_agent: MakeAgent) -> None:
    async with make_agent(CALLS, "Three.", tools=[add, fail]) as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("One and two?") as stream:
            seen = [event async for event in stream]
        kinds = [event.type for event in seen]
        assert kinds[:4] == ["message_started", "reasoning_delta", "tool_use", "tool_use"]
        assert sorted(kinds[4:6]) == ["tool_result", "tool_result"]
        assert kinds[6:] == ["text_delta", "message_completed"]
        completed = seen[-1]
        assert isinstance(completed, events.MessageCompleted)
        assert completed.response == stream.response
        uses = [event for event in seen if isinstance(event, events.ToolUse)]
        assert {use.tool_call_id for use in uses} == {call.uuid for call in stream.response.tool_calls}


async def test_the_model_gets_history_tools_and_date(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([CALLS, "Three.", "Five."])
    agent = make_agent(provider=provider, tools=[add, fail])
    agent._today = lambda: date(2031, 5, 6)
    async with agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("One and two?")
        await conversation.send_message("Two and three?")
    last = provider.requests[-1]
    assert "Today's date: 2031-05-06" in last.system
    assert [message.role for message in last.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert [outcome.id for outcome in last.messages[2].tool_outcomes] == ["call-1", "call-2"]
    assert last.messages[-1].content == "Two and three?"
    assert [spec.name for spec in last.tools] == ["add", "fail"]


async def test_rounds_end_with_a_forced_answer(make_agent: MakeAgent) -> None:
    asking = [ToolRequest("again", "add", {"a": 1, "b": 1})]
    provider = ScriptedProvider([asking, asking, "Enough: two."])
    async with make_agent(provider=provider, tools=[add], settings={"max_iterations": 2}) as agent:
        conversation = await agent.create_conversation()
        response = await conversation.send_message("And?")
    assert response.content == "Enough: two."
    assert [call.iteration for call in response.tool_calls] == [1, 2]
    forced = provider.requests[-1]
    assert forced.tools == ()
    assert [message.role for message in forced.messages] == ["user"]
    assert forced.system.count('{"sum": 2}') == 2


async def test_a_model_that_says_nothing_leaves_an_unanswered_question(make_agent: MakeAgent) -> None:
    async with make_agent(ModelError("overloaded")) as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("Well?") as stream:
            seen = [(await anext(stream)).type, (await anext(stream)).type]
            with pytest.raises(ModelError):
                await anext(stream)
        assert seen == ["message_started", "error"]
        [question] = await conversation.get_history()
        assert question.state == "unanswered"


async def test_cancel_keeps_what_was_said(make_agent: MakeAgent) -> None:
    async with make_agent(["Once upon ", "a time", Hang()], "Yes.") as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("A story?") as stream:
            async for event in stream:
                if isinstance(event, events.TextDelta) and "time" in event.text:
                    break
            assert await conversation.cancel()
            with pytest.raises(TurnCancelled):
                async for _ in stream:
                    pass
        answer = (await conversation.get_history())[-1]
        assert (answer.state, answer.content) == ("partial", "Once upon a time")
        assert (await conversation.send_message("Go on?")).content == "Yes."
        assert not await conversation.cancel()


async def test_leaving_a_stream_cancels_its_turn(make_agent: MakeAgent) -> None:
    async with make_agent(["Some words", Hang()]) as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("A story?") as stream:
            async for event in stream:
                if isinstance(event, events.TextDelta):
                    break
        assert [message.state for message in await conversation.get_history()] == ["complete", "partial"]


async def test_cancelling_the_waiter_cancels_the_turn(make_agent: MakeAgent) -> None:
    started = asyncio.Event()

    @tool
    async def wait_for_ever() -> str:
        """Never ends."""
        started.set()
        await asyncio.Event().wait()
        return ""

    async with make_agent(
        [TextChunk("Let me look."), ToolRequest("t", "wait_for_ever", {})], tools=[wait_for_ever]
    ) as agent:
        conversation = await agent.create_conversation()
        waiter = asyncio.create_task(conversation.send_message("Look?"))
        await started.wait()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        answer = (await conversation.get_history())[-1]
        assert (answer.state, answer.content) == ("partial", "Let me look.")


async def test_what_is_no_message_is_refused_before_anything_is_written(make_agent: MakeAgent) -> None:
    async with make_agent("never said") as agent:
        conversation = await agent.create_conversation()
        texts: list[Any] = [" \n", 7, "x" * 400_001]
        for text in texts:
            with pytest.raises(InvalidInput):
                await conversation.send_message(text)
            with pytest.raises(InvalidInput):
                conversation.stream_message(text)
        assert await conversation.get_history() == []


async def test_half_a_character_is_mended(make_agent: MakeAgent) -> None:
    async with make_agent("Yes.", "Yes.") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("half \ud83d a pair, and a whole \ud83d\ude00\0")
        await agent.invoke({"messages": [{"role": "user", "content": "half \udc00"}], "session_id": "s"})
        other = await agent.load_conversation("s")
        texts = [(await each.get_history())[0].content for each in (conversation, other)]
    assert texts == ["half \ufffd a pair, and a whole \U0001f600", "half \ufffd"]


async def test_bad_json_arguments_go_back_to_the_model(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[ToolRequest("c", "add", {}, error="Expecting ',' at 9")], "I see."])
    async with make_agent(provider=provider, tools=[add]) as agent:
        response = await (await agent.create_conversation()).send_message("Add!")
    [call] = response.tool_calls
    assert not call.success
    assert "not valid JSON" in (call.error or "")
    assert provider.requests[-1].messages[-1].tool_outcomes[0].is_error


async def test_secrets_are_not_stored(make_agent: MakeAgent, cypher: Cypher) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"

    @tool
    def leak() -> dict[str, str]:
        """Shows a key."""
        return {"key": key}

    async with make_agent([ToolRequest("c", "leak", {})], f"It is {key}.", tools=[leak]) as agent:
        conversation = await agent.create_conversation()
        response = await conversation.send_message("Is the key mine?")
        assert key in response.content
    rows = cypher(
        """MATCH (:Conversation {uuid: $uuid})-[*1..3]->(n) RETURN collect(DISTINCT properties(n)) AS all""",
        uuid=conversation.uuid,
    )
    assert key not in str(rows)
    assert "[redacted aws key id]" in str(rows)


async def test_secrets_in_titles_tags_and_metadata_are_not_stored(make_agent: MakeAgent, cypher: Cypher) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    given: dict[str, Any] = {"tags": ["work", key], "metadata": {"note": f"it is {key}", "api_key": "s3cretvalue99"}}
    async with make_agent() as agent:
        created = await agent.create_conversation(f"About {key}", **given)
        opened = await agent.open_conversation("s", title=f"About {key}", **given)
        assert created.tags == opened.tags == ("work", "[redacted aws key id]")
        await created.set_title(f"Still about {key}")
        await created.set_tags([key])
        assert created.title == "Still about [redacted aws key id]"
        rows = cypher(
            "MATCH (c:Conversation) WHERE c.uuid IN $uuids RETURN properties(c) AS all",
            uuids=[created.uuid, opened.uuid],
        )
    assert len(rows) == 2
    assert key not in str(rows)
    assert "s3cretvalue99" not in str(rows)


async def test_scopes_that_tools_return_are_tied_to_the_answer(
    make_agent: MakeAgent, cypher: Cypher, owner: Any
) -> None:
    cypher(
        """CREATE (:Scope {uuid: $a, project: $project, name: 'login', qualified_name: 'Auth.login', file: 'auth.py',
          startLine: 3, hash: 'h1'}), (:Scope {uuid: $b, project: $project, name: 'hash_it', qualified_name: 'hash_it',
          file: 'auth.py', startLine: 9, hash: 'h2'}), (:Scope {uuid: $c, project: 'another', name: 'hash_it',
          qualified_name: 'hash_it', file: 'auth.py', startLine: 9, hash: 'h2'})""",
        project=owner.project,
        a=owner.project + "a",
        b=owner.project + "b",
        c=owner.project + "c",
    )

    @tool
    def look() -> ToolOutput:
        """Looks."""
        return ToolOutput({"found": "login"}, scopes=(owner.project + "a", owner.project + "c"))

    async with make_agent([ToolRequest("c", "look", {})], "`Auth.login` calls `hash_it`.", tools=[look]) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Who?")
        answer = (await conversation.get_history())[-1]
    found = {(reference.kind, reference.qualified_name, reference.scope_hash) for reference in answer.references}
    assert found == {("read", "Auth.login", "h1"), ("discussed", "Auth.login", "h1"), ("discussed", "hash_it", "h2")}
