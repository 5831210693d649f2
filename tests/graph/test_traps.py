"""What other memories fall into, each trap a test on a real graph."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, InvalidInput
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.graph.queries import statement_for
from ragforge_memory.graph.receipts import ContextQuery
from ragforge_memory.graph.search import EVERYTHING, SearchStore
from ragforge_memory.models.owner import Owner
from tests.graph.filling import MANY, REFRESH, conversation_of, said

pytestmark = pytest.mark.anyio

DIMENSION = 7

# --- many writers -----------------------------------------------------------------------------------------------------


async def test_sixteen_writers_of_a_new_session_make_one_conversation(
    client: GraphClient, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    """Each with a connection of its own; the constraint is what guards it, and no message is lost or doubled."""
    spoken = [[said(f"{writer} {number}") for number in range(4)] for writer in range(16)]
    async with AsyncExitStack() as stack:
        clients = []
        for _ in spoken:
            each = GraphClient(open_driver(neo4j_config), address=neo4j_config.uri)
            stack.push_async_callback(each.aclose)
            await each.server_version()
            clients.append(each)
        ready = asyncio.Barrier(len(spoken))

        async def write(each: GraphClient, texts: list[NewMessage]) -> str:
            await ready.wait()
            conversation = (await ConversationStore(each, owner).open("the same session")).uuid
            store = MessageStore(each, owner)
            for text in texts:
                await _patiently(lambda text=text: store.append(conversation, text))
            return conversation

        uuids = await asyncio.gather(*(write(each, texts) for each, texts in zip(clients, spoken, strict=True)))
    assert len(set(uuids)) == 1
    rows = await client.run_schema(
        "MATCH (c:Conversation {user_id: $user_id, project: $project}) MATCH (c)-[:HAS_MESSAGE]->(m:Message) "
        "RETURN c.uuid AS conversation, m.seq AS seq, m.content AS content, c.head_seq AS head, "
        "c.message_count AS count ORDER BY seq",
        user_id=owner.user_id,
        project=owner.project,
    )
    assert [row["seq"] for row in rows] == list(range(1, 65))
    assert {row["content"] for row in rows} == {text.content for texts in spoken for text in texts}
    assert {(row["conversation"], row["head"], row["count"]) for row in rows} == {(uuids[0], 64, 64)}
    constraints = await client.run_schema("SHOW CONSTRAINTS YIELD name, type, properties WHERE type CONTAINS 'UNIQUE'")
    guarded = {row["name"]: row["properties"] for row in constraints}
    assert guarded["conversation_session"] == ["user_id", "project", "session_id"]
    assert guarded["message_seq"] == ["conversation_id", "seq"]


async def _patiently(append: Any) -> None:
    """A turn gives up after 2 s; sixteen that wait for one lock on a slow machine may take longer."""
    for _ in range(20):
        try:
            await append()
        except GraphUnavailable:
            continue
        return
    pytest.fail("a message could not be appended")


# --- limits -----------------------------------------------------------------------------------------------------------


async def test_a_limit_gives_the_newest(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    uuid = await conversation_of(client, conversations, 120)
    assert [message.seq for message in await messages.history(uuid, limit=3)] == [118, 119, 120]
    assert [message.seq for message in await messages.history(uuid, limit=3, before=f"{uuid}-50")] == [47, 48, 49]
    context = await messages.turn_context(uuid, ContextQuery(before_seq=121, limit=5))
    assert [message.seq for message in context.messages] == [116, 117, 118, 119, 120]
    calls = await messages.tool_calls(uuid, limit=2)
    assert [call.message_id for call in calls] == [f"{uuid}-110", f"{uuid}-120"]
    newest = [(await conversations.create(title=str(number))).uuid for number in range(4)]
    page = await conversations.page(limit=3)
    assert [info.uuid for info in page.items] == newest[:0:-1]


async def test_nothing_is_cut_silently(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    """More than a thousand come page by page without a gap; what a page cannot hold is refused, not shortened."""
    from ragforge_memory.agent.inputs import MAX_LIMIT, check_limit

    uuid = await conversation_of(client, conversations, 2_300)
    read: list[int] = []
    before = None
    while page := await messages.history(uuid, limit=MAX_LIMIT, before=before):
        read = [message.seq for message in page] + read
        before = page[0].uuid
    assert read == list(range(1, 2_301))
    assert len(await messages.history(uuid, limit=1_500)) == 1_500
    assert len(await messages.tool_calls(uuid, limit=1_000)) == 230
    await conversations.delete(uuid)
    for limit in (0, -1, MAX_LIMIT + 1):
        with pytest.raises(InvalidInput):
            check_limit(limit)


async def test_pages_of_conversations_have_no_gap_and_no_overlap(
    client: GraphClient, conversations: ConversationStore
) -> None:
    made = [(await conversations.create(title=str(number))).uuid for number in range(23)]
    # All of the same moment: the time alone cannot be the cursor.
    await client.run_schema(
        "MATCH (c:Conversation) WHERE c.uuid IN $made SET c.updated_at = datetime('2026-01-01')", made=made
    )
    seen: list[str] = []
    cursor = None
    while True:
        page = await conversations.page(limit=5, cursor=cursor)
        seen += [info.uuid for info in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page.items) == 5
    assert sorted(seen) == sorted(made)


# --- failures, deletes ------------------------------------------------------------------------------------------------


async def test_a_large_conversation_is_deleted_in_batches(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    assert "AS above" in statement_for("delete_messages", (5, 26)).text
    assert "IN TRANSACTIONS OF 1 ROWS" in statement_for("delete_messages", (5, 26)).text
    assert statement_for("delete_messages", (5, 26)).autocommit
    small, large = (await conversations.create()).uuid, (await conversations.create()).uuid
    for start in range(0, 2_000, 1_000):
        await client.run_schema(
            MANY.replace("SET c.head_seq = $count, c.message_count = $count", "").replace(
                "range(1, $count)", "range($start + 1, $start + $count)"
            ),
            uuid=large,
            count=1_000,
            hours=0,
            start=start,
        )
    await messages.append(small, said("stays"))
    await conversations.delete(large)
    with pytest.raises(ConversationNotFound):
        await conversations.get(large)
    left = await client.run_schema(
        "RETURN COUNT { MATCH (m:Message) WHERE m.conversation_id = $uuid } AS messages, "
        "COUNT { MATCH (c:ToolCall) WHERE c.uuid STARTS WITH $uuid } AS calls, "
        "COUNT { MATCH (r:ToolResult) WHERE r.uuid STARTS WITH $uuid } AS results",
        uuid=large,
    )
    assert left == [{"messages": 0, "calls": 0, "results": 0}]
    assert len(await messages.history(small)) == 1


async def test_a_delete_that_was_cut_off_is_finished_and_hidden_meanwhile(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore, owner: Owner
) -> None:
    uuid = await conversation_of(client, conversations, 20)
    await messages.append(uuid, said("the lighthouse"))
    await client.write("begin_delete", uuid=uuid, token=uuid, user_id=owner.user_id, project=owner.project)
    await client.run_schema(REFRESH)
    with pytest.raises(ConversationNotFound):
        await messages.history(uuid)
    with pytest.raises(ConversationNotFound):
        await messages.append(uuid, said("too late"))
    assert uuid not in {info.uuid for info in (await conversations.page()).items}
    searches = SearchStore(client, owner, None)
    assert (await searches.by_words(["lighthouse"], conversation_id=None, filters=EVERYTHING)).items == ()
    assert await conversations.sweep() == 1
    assert await conversations.sweep() == 0
    left = await client.run_schema("MATCH (m:Message {conversation_id: $uuid}) WHERE m.seq > 0 RETURN m.seq", uuid=uuid)
    assert left == []
