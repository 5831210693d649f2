"""Merges: what they tell, what is merged already, what went meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import ConversationNotFound, InvalidInput, Message
from ragforge_memory.agent.context.snapshots import prompt_of
from ragforge_memory.graph.branches import BranchStore, Merge
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.branches.talking import talk

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("summaries", "model"), [((), "extractive"), (("Here.",), "scripted:scripted")])
async def test_a_merge_is_signed_by_what_made_it(make_agent: MakeAgent, summaries: tuple[str, ...], model: str) -> None:
    provider = ScriptedProvider(["a1", "left", "right"], purposes={"summary": summaries} if summaries else None)
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation("Auth")
        await trunk.send_message("q1")
        branch = await trunk.branch()
        await trunk.send_message("q2")
        await branch.send_message("other q2")
        message = await trunk.merge(branch)
        assert message.model == model
        assert (await trunk.receipt(message.uuid)).model == model


async def test_a_merge_is_not_the_newest_answer(make_agent: MakeAgent) -> None:
    async with make_agent("a1", "a2", "right") as agent:
        trunk = await agent.create_conversation("Auth")
        await talk(trunk, "q1", "q2")
        newest = (await trunk.get_history())[-1]
        branch = await trunk.branch()
        await branch.send_message("other")
        await trunk.merge(branch)
        receipt = await trunk.receipt()
        assert receipt.message_id == newest.uuid
        assert [item.excerpt for item in receipt.items] == ["a1", "q1"]


async def test_what_is_merged_before_anything_was_said_is_in_the_prompt(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["The lexer reads utf8 bytes.", "One after the other.", "Yes."])
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation("Lexer")
        branch = await trunk.branch()
        await branch.send_message("What does the lexer read?")
        merged = await trunk.merge(branch)
        answers = [await trunk.send_message(text) for text in ("And then?", "Always?")]
        for request, answer in zip(provider.requests[1:], answers, strict=True):
            assert [request.messages[0].role, request.messages[0].content] == ["assistant", merged.content]
            assert (await trunk.as_of(answer.message_id)).prompt == prompt_of(request)
        assert [message.content for message in provider.requests[2].messages[1:]] == [
            "And then?",
            "One after the other.",
            "Always?",
        ]


async def test_a_branch_is_merged_as_one_message_with_what_both_sides_did(
    make_agent: MakeAgent, cypher: Any, owner: Any
) -> None:
    cypher(
        "UNWIND ['hash_password', 'check_token', 'before_both'] AS name "
        "CREATE (:Scope {uuid: $project + name, project: $project, name: name, qualified_name: name, file: 'a.py', "
        "startLine: 1, hash: name})",
        project=owner.project,
    )
    steps = ["Look at `before_both`.", "We keep `hash_password` in auth.", "The token of `check_token` expires."]
    async with make_agent(*steps) as agent:
        trunk = await agent.create_conversation("Auth")
        await talk(trunk, "q1")
        branch = await trunk.branch(title="Tokens")
        await talk(trunk, "What about passwords?")
        await talk(branch, "What about tokens?")
        message = await trunk.merge(branch)
        assert (message.role, message.seq, message.metadata["merged_from"]) == ("assistant", 5, branch.uuid)
        assert "Tokens" in message.content
        assert "token of `check_token` expires" in message.content
        assert "hash_password" in message.content
        assert {reference.name for reference in message.references} == {"hash_password", "check_token"}
        assert trunk.message_count == 5
        [edge] = cypher(
            "MATCH (m:Message {uuid: $m})-[:MERGED_FROM]->(c:Conversation) RETURN c.uuid AS c", m=message.uuid
        )
        assert edge["c"] == branch.uuid
        # What was merged is part of what the model is told from now on.
        empty = await trunk.branch()
        with pytest.raises(InvalidInput, match="nothing to merge"):
            await trunk.merge(empty)


@pytest.mark.parametrize("deleted", [0, 1], ids=["where to", "what"])
async def test_of_two_that_are_merged_the_one_that_went_meanwhile_is_named(make_agent: MakeAgent, deleted: int) -> None:
    async with make_agent("a1", "a2") as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1")
        branch = await trunk.branch()
        await talk(branch, "q2")
        store = BranchStore((await agent.open()).stores.graph, Owner.of(agent.user_id, agent.project))
        merge = Merge(branch.uuid, fork_seq=2, to_seq=4)
        gone = (trunk, branch)[deleted]
        await gone.delete()
        new = NewMessage(uuid=uuid4().hex, role="assistant", content="Merged.", metadata=merge.metadata)
        with pytest.raises(ConversationNotFound, match=gone.uuid):
            await store.merge(trunk.uuid, new, merge, summarize_every=None)
        with pytest.raises(ConversationNotFound, match=gone.uuid):
            await store.brought(trunk.uuid, merge)


async def test_of_merges_at_once_one_is_made(make_agent: MakeAgent, cypher: Any, owner: Any) -> None:
    async with make_agent("a1", "b1") as agent, make_agent() as another:
        trunk = await agent.create_conversation("Root")
        await talk(trunk, "q1")
        branch = await trunk.branch()
        await talk(branch, "q2")
        same = await another.load_conversation(trunk.uuid)
        merges = (trunk.merge(branch), same.merge(branch), trunk.merge(branch), same.merge(branch))
        done = await asyncio.gather(*merges, return_exceptions=True)
        assert [each.seq for each in done if isinstance(each, Message)] == [3]
        assert {str(each) for each in done if not isinstance(each, Message)} == {
            "all of that conversation has been merged already"
        }
        assert len(cypher("MATCH (m {project: $p})-[:MERGED_FROM]->() RETURN m.seq AS seq", p=owner.project)) == 1
        assert (await trunk.refresh()).message_count == 3
        # A branch of where it was merged has it as well.
        with pytest.raises(InvalidInput, match="merged already"):
            await (await trunk.branch()).merge(branch)


async def test_a_merge_is_known_behind_more_messages_than_a_comparison_reads(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.agent.branches.MAX_LIMIT", 2)
    async with make_agent("a1", "b1", "a2", "a3", "b2") as agent:
        trunk = await agent.create_conversation("Root")
        await talk(trunk, "q1")
        branch = await trunk.branch()
        await talk(branch, "q2")
        await trunk.merge(branch)
        await talk(trunk, "q3")
        await talk(trunk, "q4")
        with pytest.raises(InvalidInput, match="merged already"):
            await trunk.merge(branch)
        await talk(branch, "q5")
        assert (await trunk.merge(branch)).seq == 8
