"""``auto_save: false``: in memory until it is saved, then whole."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import ConversationNotFound, GraphUnavailable, InvalidInput, MessageNotFound, Neo4jConfig
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.outages import proxied
from tests.persistence.conftest import Graph, Keeping

pytestmark = pytest.mark.anyio

ANSWER: list[Any] = [[ToolRequest("1", "weigh", {"thing": "stone"})], "seven grams"]
LATER = {"auto_save": False}


@pytest.fixture(params=["neo4j", "files"])
def kind(request: pytest.FixtureRequest) -> str:
    """Where texts are kept once they are saved."""
    return str(request.param)


async def test_what_nobody_saves_leaves_nothing(kind: str, keeping: Keeping, graph: Graph, tmp_path: Path) -> None:
    before = graph.seen()
    async with keeping(kind, *ANSWER, settings=LATER) as agent:
        conversation = await agent.create_conversation(title="Weights")
        answer = await conversation.send_message("secret: what does it weigh?")
        assert answer.content == "seven grams"
        assert [each.content for each in await conversation.get_history()] == [
            "secret: what does it weigh?",
            "seven grams",
        ]
        [call] = await conversation.get_tool_calls()
        assert call.result["grams"] == 7
        assert (await agent.load_conversation(conversation.uuid)).title == "Weights"
        assert [info.uuid for info in (await agent.list_conversations()).items] == [conversation.uuid]
    assert graph.seen().differs(before) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file() and "secret" in path.read_text()] == []
    async with keeping(kind) as agent:
        with pytest.raises(ConversationNotFound):
            await agent.load_conversation(conversation.uuid)


async def test_a_list_has_what_is_saved_and_what_is_not_page_by_page(kind: str, keeping: Keeping) -> None:
    async with keeping(kind, "hello", "hello", "hello", settings=LATER) as agent:
        made: list[str] = []
        for number in range(9):
            conversation = await agent.create_conversation(title=f"the {number}th")
            if number % 3 == 0:
                await conversation.send_message("hello")
                await conversation.save()
            made.append(conversation.uuid)
        whole = [info.uuid for info in (await agent.list_conversations()).items]
        assert sorted(whole) == sorted(made)
        for limit in (1, 2, 3, 4, 8, 9):
            listed: list[str] = []
            cursor = None
            while cursor is not None or not listed:
                page = await agent.list_conversations(limit=limit, cursor=cursor)
                listed += [info.uuid for info in page.items]
                cursor = page.next_cursor
            assert listed == whole


async def test_saving_stores_all_of_it_and_later_turns_wait_again(kind: str, keeping: Keeping) -> None:
    provider = ScriptedProvider([*ANSWER, "eight", "nine"])
    async with keeping(kind, provider=provider, settings=LATER) as agent, keeping(kind) as other:
        conversation = await agent.open_conversation("session", tags=["zoo"], metadata={"ticket": 7})
        await conversation.send_message("one?")
        said = await conversation.get_history()
        await conversation.save()
        stored = await other.load_conversation(conversation.uuid)
        assert (stored.title, stored.tags, stored.metadata, stored.session_id) == (
            "one?",
            ("zoo",),
            {"ticket": 7},
            "session",
        )
        history = await stored.get_history()
        keep = {"uuid", "seq", "content", "timestamp", "in_reply_to", "state"}
        assert [each.model_dump(include=keep) for each in history] == [each.model_dump(include=keep) for each in said]
        assert history[1].tool_calls[0].result == said[1].tool_calls[0].result
        assert await conversation.get_history() == history
        await conversation.send_message("two?")
        await conversation.send_message("three?")
        given = [message.content for message in provider.requests[-1].messages]
        assert given[-4:] == ["seven grams", "two?", "eight", "three?"]
        assert [each.seq for each in await conversation.get_history()] == [1, 2, 3, 4, 5, 6]
        assert len(await stored.get_history()) == 2
        newest = await conversation.get_history(5)
        assert [each.content for each in newest] == ["seven grams", "two?", "eight", "three?", "nine"]
        assert await conversation.get_history(before_message_id=newest[1].uuid) == history
        assert [e.content for e in await conversation.get_history(1, before_message_id=newest[2].uuid)] == ["two?"]
        with pytest.raises(MessageNotFound):
            await conversation.get_history(before_message_id="nobody")
        await conversation.save()
        await conversation.save()
        assert [each.content for each in await stored.get_history()] == [
            *("one?", "seven grams", "two?", "eight", "three?", "nine"),
        ]
        assert conversation.message_count == 6


async def test_a_save_that_broke_off_goes_on_where_it_was(
    kind: str, keeping: Keeping, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = MessageStore.complete_turn
    failed: list[str] = []

    async def once(self: MessageStore, conversation_id: str, *given: Any, **options: Any) -> int:
        seq = await complete(self, conversation_id, *given, **options)
        if not failed:
            failed.append(conversation_id)
            raise GraphUnavailable("gone after the commit")
        return seq

    async with keeping(kind, *ANSWER, "eight", settings=LATER) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("one?")
        await conversation.send_message("two?")
        said = await conversation.get_history()
        monkeypatch.setattr(MessageStore, "complete_turn", once)
        with pytest.raises(GraphUnavailable):
            await conversation.save()
        await conversation.save()
        assert failed == [conversation.uuid]
        assert [(each.uuid, each.seq) for each in await conversation.get_history()] == [(e.uuid, e.seq) for e in said]


async def test_what_looks_at_the_graph_asks_for_a_save(keeping: Keeping) -> None:
    async with keeping("neo4j", *ANSWER, "on the branch", settings=LATER) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("one?")
        for ask in (conversation.branch, conversation.export, conversation.summarize, conversation.branches):
            with pytest.raises(InvalidInput, match="not saved") as refused:
                await ask()
            assert "save()" in str(refused.value.hint)
        await conversation.save()
        branch = await conversation.branch()
        await branch.send_message("two?")
        assert len(await branch.get_history()) == 4
        await branch.delete()
        with pytest.raises(ConversationNotFound):
            await branch.refresh()


@pytest.mark.parametrize("settings", [{}, LATER, {"enable_memory": False}], ids=["at once", "later", "memory off"])
async def test_a_session_is_one_however_many_ask_at_once(settings: dict[str, Any], keeping: Keeping) -> None:
    async with keeping("neo4j", settings=settings) as agent:
        opened = await asyncio.gather(*(agent.open_conversation("session") for _ in range(5)))
        assert len({each.uuid for each in opened}) == 1


@pytest.mark.parametrize("settings", [{}, LATER, {"enable_memory": False}], ids=["at once", "later", "memory off"])
async def test_what_was_deleted_cannot_be_saved(settings: dict[str, Any], keeping: Keeping) -> None:
    async with keeping("neo4j", "one", "two", settings=settings) as agent:
        handle, other = await agent.create_conversation(), await agent.create_conversation()
        for conversation in (handle, other):
            await conversation.send_message("hello")
            await conversation.save()
        await (await agent.load_conversation(handle.uuid)).delete()
        with pytest.raises(ConversationNotFound):
            await handle.save()
        await other.save()


async def test_turns_while_neo4j_is_away_stay_in_memory_too(
    kind: str, keeping: Keeping, neo4j_config: Neo4jConfig
) -> None:
    answers = ["a1", "a2", "a3", "b1", "c1"]
    async with proxied(neo4j_config) as (proxy, config), keeping(kind, *answers, settings=LATER, neo4j=config) as agent:
        saved = await agent.create_conversation()
        await saved.send_message("q1")
        await saved.save()
        await saved.send_message("q2")
        new = await agent.create_conversation()
        await proxy.end()
        away = await saved.send_message("q3")
        assert "graph" in away.degraded
        await new.send_message("p1")
        begun_then = await agent.create_conversation()
        await begun_then.send_message("r1")
        await proxy.recover()
        await (await agent.open()).background.outage.over()
        assert [each.content for each in await saved.get_history()] == ["q1", "a1", "q2", "a2", "q3", "a3"]
        async with keeping(kind) as other:
            stored = await other.load_conversation(saved.uuid)
            assert [each.content for each in await stored.get_history()] == ["q1", "a1"]
            await saved.save()
            await new.save()
            history = await stored.get_history()
            assert [each.content for each in history] == ["q1", "a1", "q2", "a2", "q3", "a3"]
            assert [each.seq for each in history] == [1, 2, 3, 4, 5, 6]
            assert [each.content for each in await (await other.load_conversation(new.uuid)).get_history()] == [
                "p1",
                "b1",
            ]
            await begun_then.save()
            stored = await other.load_conversation(begun_then.uuid)
            assert [each.content for each in await stored.get_history()] == ["r1", "c1"]
