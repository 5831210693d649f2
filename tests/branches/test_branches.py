"""Branches through the agent: other answers, other questions, comparing, deleting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import (
    ConversationNotFound,
    InvalidInput,
    MessageNotFound,
    ModelError,
)
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent
from tests.branches.talking import talk

pytestmark = pytest.mark.anyio


async def _contents(conversation: Any) -> list[str]:
    return [message.content for message in await conversation.get_history()]


async def test_a_branch_shares_what_was_said_and_goes_its_own_way(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["a1", "a2", "b2", "a3"])
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation("Auth", tags=["auth"])
        await talk(trunk, "q1", "q2")
        first = await trunk.get_history()
        branch = await trunk.branch(first[1].uuid)
        assert (branch.title, branch.tags) == ("Auth (branch)", ("auth",))
        assert (branch.info.branch_of, branch.info.from_seq) == (trunk.uuid, 2)
        await talk(branch, "other q2")
        assert await _contents(branch) == ["q1", "a1", "other q2", "b2"]
        await talk(trunk, "q3")
        assert await _contents(trunk) == ["q1", "a1", "q2", "a2", "q3", "a3"]
        # The model of the branch was told the shared part, and nothing of the other side.
        told = [message.content for message in provider.requests[2].messages]
        assert told == ["q1", "a1", "other q2"]
        # In a page that begins in the branch and ends in what it shares.
        page = await branch.get_history(3)
        assert [message.seq for message in page] == [2, 3, 4]
        before = await branch.get_history(before_message_id=first[1].uuid)
        assert [message.content for message in before] == ["q1"]
        with pytest.raises(MessageNotFound):
            await branch.get_history(before_message_id=first[2].uuid)


async def test_branching_copies_nothing(make_agent: MakeAgent, cypher: Any, owner: Any) -> None:
    async with make_agent("a1", "a2") as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1", "q2")
        branch = await (await trunk.branch()).branch()
        assert len(await branch.get_history()) == 4
    [row] = cypher("MATCH (m:Message {project: $project}) RETURN count(m) AS count", project=owner.project)
    assert row["count"] == 4
    edges = cypher(
        "MATCH (p:Conversation {project: $project})-[b:HAS_BRANCH]->(c) "
        "RETURN p.uuid AS parent, b.from_seq AS seq, b.from_message_id IS NOT NULL AS told",
        project=owner.project,
    )
    # A branch of a branch without a message of its own hangs on the conversation that has the messages.
    assert edges == [{"parent": trunk.uuid, "seq": 4, "told": True}] * 2


async def test_another_answer_to_the_same_question(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["a1", "a2", "better a1"])
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1", "q2")
        history = await trunk.get_history()
        sibling = await trunk.regenerate(history[1].uuid)
        assert await _contents(sibling) == ["q1", "better a1"]
        assert await _contents(trunk) == ["q1", "a1", "q2", "a2"]
        [question, answer] = await sibling.get_history()
        assert question.uuid == history[0].uuid == answer.in_reply_to
        assert question.state == "complete"
        assert [m.content for m in provider.requests[2].messages] == ["q1"]
        with pytest.raises(InvalidInput, match="only an answer"):
            await trunk.regenerate(history[0].uuid)


async def test_another_question_instead_of_an_earlier_one(make_agent: MakeAgent) -> None:
    async with make_agent("a1", "a2", "c1", "c2") as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1", "q2")
        history = await trunk.get_history()
        sibling = await trunk.edit(history[2].uuid, "another q2")
        assert await _contents(sibling) == ["q1", "a1", "another q2", "c1"]
        from_start = await trunk.edit(history[0].uuid, "another q1")
        assert await _contents(from_start) == ["another q1", "c2"]
        with pytest.raises(InvalidInput, match="only what the user said"):
            await trunk.edit(history[1].uuid, "no")
        with pytest.raises(InvalidInput, match="empty"):
            await trunk.edit(history[2].uuid, "  ")


async def test_the_family_as_a_tree(make_agent: MakeAgent) -> None:
    async with make_agent("a1", "b1", "c1") as agent:
        trunk = await agent.create_conversation("Root")
        await talk(trunk, "q1")
        for blank in ("", " \n"):
            with pytest.raises(InvalidInput, match="the title is blank"):
                await trunk.branch(title=blank)
        left = await trunk.branch(title="Left")
        await talk(left, "q2")
        leaf = await left.branch(title="Leaf")
        right = await trunk.branch((await trunk.get_history())[0].uuid, title="Right")
        tree = await leaf.branches()
        assert (tree.uuid, tree.from_seq) == (trunk.uuid, None)
        assert [(each.conversation.title, each.from_seq) for each in tree.branches if each.conversation] == [
            ("Right", 1),
            ("Left", 2),
        ]
        assert [each.uuid for each in tree.branches[1].branches] == [leaf.uuid]
        await left.delete()
        tree = await right.branches()
        assert tree.branches[1].conversation is None
        assert [each.uuid for each in tree.branches[1].branches] == [leaf.uuid]


async def test_what_each_side_has_alone(make_agent: MakeAgent) -> None:
    async with make_agent("a1", "a2", "b2", "x") as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1")
        branch = await trunk.branch()
        await talk(trunk, "q2")
        await talk(branch, "other q2")
        found = await trunk.compare(branch)
        assert found.fork_seq == 2
        assert [message.content for message in found.only_here] == ["q2", "a2"]
        assert [message.content for message in found.only_there] == ["other q2", "b2"]
        stranger = await agent.create_conversation()
        await talk(stranger, "hello")
        assert (await trunk.compare(stranger.uuid)).fork_seq == 0
        with pytest.raises(InvalidInput, match="itself"):
            await trunk.compare(trunk)
        with pytest.raises(ConversationNotFound):
            await trunk.compare("f" * 32)


async def test_a_branch_of_another_first_question_shares_what_was_said_after_it(make_agent: MakeAgent) -> None:
    async with make_agent("a1", "b1", "b2", "only there") as agent:
        trunk = await agent.create_conversation()
        await talk(trunk, "q1")
        edited = await trunk.edit((await trunk.get_history())[0].uuid, "another q1")
        await talk(edited, "q2")
        branch = await edited.branch(title="Further")
        with pytest.raises(InvalidInput, match="nothing to merge"):
            await edited.merge(branch)
        await talk(branch, "q3")
        await trunk.delete()
        found = await edited.compare(branch)
        assert (found.fork_seq, found.here_count, found.there_count) == (4, 0, 2)
        assert [message.content for message in found.only_there] == ["q3", "only there"]
        assert (await branch.compare(edited)).fork_seq == 4
        merged = (await edited.merge(branch)).content
        assert "q3" in merged
        assert "another q1" not in merged


async def test_other_first_questions_stay_one_family_without_their_parent(
    make_agent: MakeAgent, cypher: Any, owner: Any, tmp_path: Path
) -> None:
    async with make_agent("secret of the trunk", "b1", "b2", "c1") as agent:
        trunk = await agent.create_conversation("A title nobody shall see")
        await talk(trunk, "q1")
        question = (await trunk.get_history())[0].uuid
        one, other = await trunk.edit(question, "one q1"), await trunk.edit(question, "other q1")
        leaf = await one.edit((await one.get_history())[0].uuid, "leaf q1")
        await trunk.delete()
        await one.delete()

        async def are_one_family() -> None:
            tree = await leaf.branches()
            assert tree == await other.branches()
            assert (tree.uuid, tree.conversation) == (trunk.uuid, None)
            assert {each.uuid: each.conversation is None for each in tree.branches} == {
                one.uuid: True,
                other.uuid: False,
            }

        await are_one_family()
        rows = cypher("MATCH (n {project: $project}) RETURN properties(n) AS p", project=owner.project)
        assert not [row for row in rows if any(word in str(row) for word in ("secret", "nobody", "one q1"))]
        # It is no work that is left, and an archive has it too.
        store = (await agent.open()).stores.conversations
        assert await store.sweep() == 0
        await agent.export_all(tmp_path / "all")
        for each in (leaf, other):
            await each.delete()
        assert cypher("MATCH (n:Conversation {project: $project}) RETURN n", project=owner.project) == []
        assert (await agent.import_conversations(tmp_path / "all")).failed == 0
        await are_one_family()
        assert (await agent.import_conversations(tmp_path / "all", on_conflict="skip")).failed == 0
        await are_one_family()


async def test_deleting_a_parent_keeps_its_branches_whole(make_agent: MakeAgent, cypher: Any, owner: Any) -> None:
    async with make_agent("a1", "secret of the trunk", "b2") as agent:
        trunk = await agent.open_conversation("session", title="A title nobody shall see")
        await talk(trunk, "q1", "q2")
        branch = await trunk.branch((await trunk.get_history())[1].uuid, title="Branch")
        await talk(branch, "other q2")
        await trunk.delete()
        assert await _contents(branch) == ["q1", "a1", "other q2", "b2"]
        assert [info.uuid for info in await agent.list_conversations()] == [branch.uuid]
        with pytest.raises(ConversationNotFound):
            await agent.load_conversation(trunk.uuid)
        # The session's name is free again, and of the trunk only what is shared is left.
        assert (await agent.open_conversation("session")).uuid != trunk.uuid
        rows = cypher("MATCH (n {project: $project}) RETURN properties(n) AS p", project=owner.project)
        assert not [row for row in rows if "secret" in str(row) or "nobody shall see" in str(row)]
        assert len(cypher("MATCH (m:Message {conversation_id: $c}) RETURN m.uuid AS u", c=trunk.uuid)) == 2
        await branch.delete()
        assert cypher("MATCH (m:Message {project: $project}) RETURN m.uuid AS u", project=owner.project) == []
        assert cypher("MATCH (c:Conversation {uuid: $c}) RETURN c.uuid AS u", c=trunk.uuid) == []


async def test_branches_that_nobody_named_are_told_apart(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with make_agent(*["so"] * 13) as agent:
        trunk = await agent.create_conversation("Auth")
        await talk(trunk, "q1", "q2")
        asked, named, renamed, empty = [await trunk.branch(title=title) for title in (None, "Mine", None, None)]
        await renamed.set_title("Also mine")
        for branch in (asked, named, renamed):
            await talk(branch, "which cache?", "how large is it?")
        [question, *_] = await trunk.get_history()
        edited = await trunk.edit(question.uuid, "what of tokens?")
        later = await asked.branch()
        titles = {info.uuid: info.title for info in await agent.list_conversations()}
        assert [titles[each.uuid] for each in (asked, named, renamed, empty)] == [
            "which cache?",
            "Mine",
            "Also mine",
            "Auth (branch)",
        ]
        assert titles[edited.uuid] == "what of tokens?"
        assert later.title == "which cache? (branch)"
        await agent.export_all(tmp_path / "all")
        for uuid in titles:
            await (await agent.load_conversation(uuid)).delete()
        await agent.import_conversations(tmp_path / "all")
        await talk(await agent.load_conversation(empty.uuid), "and sessions?")
        assert (await agent.load_conversation(empty.uuid)).title == "and sessions?"


async def test_the_history_of_a_branch_names_no_deleted_parent(make_agent: MakeAgent) -> None:
    async with make_agent("one", "two", "three") as agent:
        trunk = await agent.create_conversation()
        await trunk.send_message("First?")
        branch = await trunk.branch()
        await branch.send_message("Second?")
        third = await branch.branch()
        await third.send_message("Third?")

        async def named(conversation: Any) -> list[str]:
            return [each.conversation_id for each in await conversation.get_history()]

        family = [each.uuid for each in (trunk, trunk, branch, branch, third, third)]
        assert await named(third) == family
        await trunk.delete()
        assert await named(third) == [third.uuid, third.uuid, *family[2:]]
        assert await named(branch) == [branch.uuid] * 4
        await branch.delete()
        assert await named(third) == [third.uuid] * 6


async def test_another_answer_is_given_with_the_summary_of_what_is_shared(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(
        [*(f"answer {number}" for number in range(6)), "another answer"], purposes={"summary": ["S1.", "S2.", "S3."]}
    )
    settings = {"max_context_messages": 2, "summarize_every": 4}
    async with make_agent(provider=provider, settings=settings) as agent:
        trunk = await agent.create_conversation("Long")
        for number in range(6):
            await trunk.send_message(f"question {number}")
            await agent.drain()
        history = await trunk.get_history()
        sibling = await trunk.regenerate(history[9].uuid)
        turns = [request for request in provider.requests if request.purpose == "answer"]
        assert "S1.\nS2." in turns[-1].system
        assert "S3" not in turns[-1].system
        assert (await sibling.refresh()).summary == "S1.\nS2."


async def test_where_nothing_was_answered_no_branch_is_left(make_agent: MakeAgent, cypher: Any) -> None:
    provider = ScriptedProvider(["a1", ModelError("the model is gone"), ["half of it", ModelError("gone again")]])
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation("Root")
        await talk(trunk, "q1")
        question, answer = await trunk.get_history()
        with pytest.raises(ModelError, match="the model is gone"):
            await trunk.regenerate(answer.uuid)
        assert [info.uuid for info in await agent.list_conversations()] == [trunk.uuid]
        assert (await trunk.branches()).branches == ()
        assert cypher("MATCH (:Conversation {uuid: $c})-[:HAS_BRANCH]->(b) RETURN b.uuid AS b", c=trunk.uuid) == []
        assert await _contents(trunk) == ["q1", "a1"]
        assert (await trunk.get_history())[0].state == question.state
        # What the model had said is kept, as in any turn.
        with pytest.raises(ModelError, match="gone again"):
            await trunk.edit(question.uuid, "q2")
        [kept] = [info for info in await agent.list_conversations() if info.uuid != trunk.uuid]
        assert (await _contents(await agent.load_conversation(kept.uuid)))[-1] == "half of it"


async def test_branches_of_branches_have_an_end(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.agent.branches.MOST_PARTS", 2)
    async with make_agent("a1", "a2", "a3") as agent:
        deepest = await agent.create_conversation()
        for number in (1, 2):
            await talk(deepest, f"q{number}")
            deepest = await deepest.branch()
        await talk(deepest, "q3")
        with pytest.raises(InvalidInput, match="may begin with 2 conversations, and this would with 3") as refused:
            await deepest.branch()
        assert refused.value.hint
        # From what was said earlier there are fewer.
        first = (await deepest.get_history())[0]
        assert (await deepest.branch(first.uuid)).info.from_seq == 1
