"""What an answer was given, told by its receipt; and its prompt, rebuilt from the graph as it was sent."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from ragforge_memory import InvalidInput, MessageNotFound
from ragforge_memory.agent.context.snapshots import prompt_of
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent
from tests.context.told import asks, filler, look

pytestmark = pytest.mark.anyio


async def test_prompts_are_rebuilt_byte_for_byte_whatever_comes_later(
    make_agent: MakeAgent, tmp_path: Path, cypher: Cypher
) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("def f():\n    return 1\n")
    steps = [
        "One.",
        [asks("here"), asks("nowhere", "v2")],
        "Seen «here» and ünïcode.",
        "Two.",
        [asks("there")],
        "Three.",
        "Four.",
    ]
    provider = ScriptedProvider(steps)
    settings = {"system_prompt": "You are terse.", "max_context_messages": 4, "summarize_every": 3}
    async with make_agent(provider=provider, tools=[look], root=tmp_path / "code", settings=settings) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("t")
        sent = {}
        for text in ("Decision: we keep tabs.", "Look, please?", "And?", "There?", "What of tabs and f in a.py?"):
            asked = len(provider.requests)
            answer = await conversation.send_message(text)
            sent[answer.message_id] = provider.requests[asked]
            await agent.drain(10)
        [*_, newest] = sent
    # Another process, other instructions and tools, later messages, a branch, edited code and a re-ingest.
    (tmp_path / "code" / "a.py").write_text("def f():\n    return 2\n\n\ndef g():\n    return f()\n")
    later = ScriptedProvider(["Five.", "Six."])
    other = make_agent(provider=later, tools=[], root=tmp_path / "code", settings={"system_prompt": "Be long."})
    other._today = lambda: date(2031, 1, 1)
    async with other:
        await other.ingest()
        again = await other.load_conversation(conversation.uuid)
        await again.send_message("And later?")
        branch = await again.branch(newest)
        await branch.send_message("Elsewhere?")
        for message_id, request in sent.items():
            for handle in (again, branch):
                then = await handle.as_of(message_id)
                assert then.exact, then.notes
                assert then.prompt == prompt_of(request)
                assert json.dumps(then.prompt.model_dump()["messages"]) == json.dumps(prompt_of(request).messages)
                assert then.history[-1].uuid == message_id
                assert then.message_count == then.history[-1].seq == len(then.history)
                assert then.erased == 0
        question = (await again.get_history())[2]
        assert (await again.as_of(question.uuid)).prompt == prompt_of(provider.requests[1])
        first = await again.as_of((await again.get_history())[0].uuid)
        assert [message.content for message in first.history] == ["Decision: we keep tabs."]
        with pytest.raises(MessageNotFound):
            await again.as_of("0" * 32)
        with pytest.raises(MessageNotFound):
            await branch.as_of((await again.get_history())[-1].uuid)
    assert "tabs" in sent[newest].system


async def test_the_prompts_of_a_copy_are_those_that_were_sent(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[asks("here")], "One.", "Two.", "Three."], context_window=3_000)
    async with make_agent(provider=provider, tools=[look]) as agent:
        conversation = await agent.create_conversation("t")
        await conversation.send_message("Look, please?")
        await conversation.send_message("And?")
        copy = await agent.import_conversation(await conversation.export(), on_conflict="copy")
        there = (await copy.get_history())[-1].uuid
        await copy.send_message("And then?")
        then = await copy.as_of(there)
        assert (then.exact, then.notes) == (True, ())
        assert then.prompt == prompt_of(provider.requests[2])
        here = await copy.as_of((await copy.get_history())[-1].uuid)
        assert (here.exact, here.prompt) == (True, prompt_of(provider.requests[3]))
        assert here.prompt.messages != then.prompt.messages
        # Of a copy of a copy nobody knows any more what the first one's calls were called.
        second = await agent.import_conversation(await copy.export(), on_conflict="copy")
        first, again, last = [each.uuid for each in await second.get_history() if each.role == "assistant"]
        assert (await second.as_of(first)).exact
        assert (await second.as_of(last)).exact
        then = await second.as_of(again)
        assert not then.exact
        assert "the conversation was copied, and its tool calls had other uuids when it was sent" in then.notes[0]


async def test_a_receipt_says_what_an_answer_was_given(make_agent: MakeAgent, cypher: Cypher) -> None:
    provider = ScriptedProvider(["Argon2, then.", "Yes.", "No.", "Maybe.", "Because of the decision."])
    async with make_agent(provider=provider, settings={"max_context_messages": 4}) as agent:
        conversation = await agent.create_conversation("t")
        for text in ("We decided to hash passwords with argon2.", "Tea?", "Milk?", "Sugar?"):
            await conversation.send_message(text)
        cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        answer = await conversation.send_message("Which hash do passwords have?")
        receipt = await conversation.receipt()
        assert receipt.message_id == answer.message_id
        assert receipt.question_id == answer.user_message_id
        assert [item.rank for item in receipt.items] == list(range(1, len(receipt.items) + 1))
        by_tier: dict[str, list[str]] = {}
        for item in receipt.items:
            by_tier.setdefault(item.tier, []).append(item.excerpt)
            assert item.tokens > 0
        assert by_tier["recent"] == ["Maybe.", "Sugar?", "No.", "Milk?"]
        assert by_tier["important"] == ["We decided to hash passwords with argon2."]
        assert receipt.tokens["recent"] == sum(item.tokens for item in receipt.items if item.tier == "recent")
        assert receipt.erased == 0
        used = answer.context_used
        assert [message.content for message in used.recent_messages] == ["Milk?", "No.", "Sugar?", "Maybe."]
        assert "argon2" in used.relevant_messages[0].message.content
        assert (await conversation.receipt(answer.user_message_id)).message_id == answer.message_id
        edges = cypher(
            "MATCH (:Message {uuid: $a})-[u:USED_CONTEXT]->(x:Message) RETURN u.tier AS tier, x.uuid AS uuid",
            a=answer.message_id,
        )
        assert len(edges) == len(receipt.items)
        assert {edge["uuid"] for edge in edges} == {item.uuid for item in receipt.items}
        [kept] = cypher("MATCH (m:Message {uuid: $a}) RETURN m.receipt AS text", a=answer.message_id)
        assert "argon" not in kept["text"]
        assert "Sugar" not in kept["text"]

        await agent.drain()  # a write of the background and this blocking one would wait for each other
        # What is erased later is told, by the receipt and by the snapshot.
        cypher("MATCH (m:Message {conversation_id: $c, seq: 1}) DETACH DELETE m", c=conversation.uuid)
        assert (await conversation.receipt()).erased == 1
        then = await conversation.as_of(answer.message_id)
        assert then.erased == 1
        assert then.notes == ("1 item erased",)
        assert not then.exact


async def test_a_context_for_prompts_of_ones_own(make_agent: MakeAgent, cypher: Cypher) -> None:
    provider = ScriptedProvider([f"Answer {number}." for number in range(1, 10)])
    async with make_agent(provider=provider) as agent:
        conversation = await agent.create_conversation("t")
        for number in range(1, 9):
            await conversation.send_message(f"Question {number} on {'parsing' if number == 2 else 'rendering'}?")
        cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        recent = await conversation.build_context("recent", recent_messages=4)
        assert [message.content for message in recent.recent_messages] == [
            "Question 7 on rendering?",
            "Answer 7.",
            "Question 8 on rendering?",
            "Answer 8.",
        ]
        assert recent.strategy == "recent"
        assert not recent.relevant_messages
        relevant = await conversation.build_context("relevant", query="what about parsing?", relevant_messages=3)
        assert not relevant.recent_messages
        assert relevant.relevant_messages[0].message.content == "Question 2 on parsing?"
        short = await conversation.build_context(recent_messages=1)
        assert short.recent_messages[0].role == "assistant"
        assert short.relevant_messages  # the last question stands before it
        hybrid = await conversation.build_context(recent_messages=4, query="parsing")
        uuids = [message.uuid for message in hybrid.recent_messages]
        uuids += [one.message.uuid for one in hybrid.relevant_messages]
        assert len(uuids) == len(set(uuids)) == hybrid.message_count
        assert "Question 2 on parsing?" in [one.message.content for one in hybrid.relevant_messages]
        small = await conversation.build_context(recent_messages=8, max_tokens=30)
        assert 0 < small.token_count <= 30
        assert small.recent_messages[0].role == "user"
        await conversation.send_message("What is in it? " + filler(400, "long"))
        for strategy in ("recent", "hybrid"):
            tight = await conversation.build_context(strategy, max_tokens=200)
            assert 0 < tight.token_count <= 200
            assert [message.role for message in tight.recent_messages] == ["user", "assistant"]
            assert "(shortened from" in tight.recent_messages[0].content
            with pytest.raises(InvalidInput, match="5 tokens have no room for the newest exchange"):
                await conversation.build_context(strategy, max_tokens=5)


async def test_a_long_run_of_recent_messages_is_told_whole(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(*["So."] * 9) as agent:
        conversation = await agent.create_conversation("t")
        for number in range(9):
            answer = await conversation.send_message(f"Number {number}?")
        receipt = await conversation.receipt()
        assert [item.seq for item in receipt.items] == list(range(16, 0, -1))
        assert sum(item.tokens for item in receipt.items) == receipt.tokens["recent"]
        assert {item.excerpt for item in receipt.items if item.role == "user"} == {f"Number {n}?" for n in range(8)}
        edges = cypher(
            "MATCH (:Message {uuid: $a})-[u:USED_CONTEXT]->(x:Message) RETURN x.seq AS seq ORDER BY seq DESC",
            a=answer.message_id,
        )
        assert [edge["seq"] for edge in edges] == list(range(16, 6, -1))


async def test_a_prompt_is_rebuilt_whose_summary_lagged_far_behind_what_its_branch_shares(
    make_agent: MakeAgent,
) -> None:
    provider = ScriptedProvider(["One."], loop=True, purposes={"summary": [f"Part {n}." for n in range(99)]})
    settings = {"summarize_every": 2, "max_context_messages": 2}
    async with make_agent(provider=provider, settings=settings) as agent:
        conversation = await agent.create_conversation("t")
        await conversation.send_message("We keep tabs.")
        assert not await agent.drain(10)
    async with make_agent(provider=provider, settings={**settings, "enable_summarization": False}) as agent:
        conversation = await agent.load_conversation(conversation.uuid)
        for number in range(9):
            await conversation.send_message(f"And number {number}?")
        branch = await conversation.branch()
    async with make_agent(provider=provider, settings={**settings, "enable_summarization": False}) as agent:
        # What is shared is summarised, all twenty messages; the branch's own copy is still of the first two, since
        # nothing is summarised but what is asked for.
        conversation = await agent.load_conversation(conversation.uuid)
        await conversation.summarize()
        branch = await agent.load_conversation(branch.uuid)
        asked = len(provider.requests)
        answer = await branch.send_message("Elsewhere?")
        await branch.summarize()
        then = await branch.as_of(answer.message_id)
        assert then.exact, then.notes
        assert then.prompt == prompt_of(provider.requests[asked])
        assert then.summary == "Part 0."


async def test_a_message_before_the_first_summary_had_none(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["So."], loop=True, purposes={"summary": ["What was said."]})
    async with make_agent(provider=provider, settings={"summarize_every": 6}) as agent:
        conversation = await agent.create_conversation("t")
        for number in range(4):
            await conversation.send_message(f"Number {number}?")
            assert not await agent.drain(10)
        told = {message.seq: await conversation.as_of(message.uuid) for message in await conversation.get_history()}
        assert {seq: then.summary for seq, then in told.items()} == dict.fromkeys(range(1, 7)) | {
            7: "What was said.",
            8: "What was said.",
        }
        assert all(then.exact for then in told.values())


async def test_a_summary_of_another_tool_is_told_as_it_is(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("One.", "Two.") as agent:
        conversation = await agent.create_conversation("t")
        await conversation.send_message("Well?")
        await agent.drain(10)
        cypher("MATCH (c:Conversation {uuid: $c}) SET c.summary = 'Of theirs.'", c=conversation.uuid)
        await conversation.send_message("And?")
        for message in await conversation.get_history():
            assert (await conversation.as_of(message.uuid)).summary == "Of theirs."


async def test_a_summary_that_came_while_the_turn_read_is_rebuilt_as_it_was_sent(
    make_agent: MakeAgent, cypher: Cypher
) -> None:
    provider = ScriptedProvider(["So."], loop=True, purposes={"summary": [f"What was said {n}." for n in range(20)]})
    async with make_agent(provider=provider, settings={"summarize_every": 2, "max_context_messages": 2}) as agent:
        conversation = await agent.create_conversation("t")
        for text in ("We keep tabs.", "And names short?", "Files too?", "And lines?"):
            asked = len(provider.requests)
            answer = await conversation.send_message(text)
            request = provider.requests[asked]
            await agent.drain(10)
        assert "What was said " in request.system
        await conversation.send_message("Later?")
        await agent.drain(10)
        # Its time is that of its writing: after the turn's read began, and before that came to it.
        [kept] = cypher("MATCH (m:Message {uuid: $uuid}) RETURN m.receipt AS receipt", uuid=answer.message_id)
        moved = cypher(
            "MATCH (s:Summary {conversation_id: $c}) WHERE s.to_seq = 6 "
            "SET s.created_at = datetime($read_at) + duration('PT0.03S') RETURN s.level AS level",
            c=conversation.uuid,
            read_at=json.loads(kept["receipt"])["read_at"],
        )
        assert moved
        then = await conversation.as_of(answer.message_id)
        assert then.exact, then.notes
        assert then.prompt == prompt_of(request)
