"""What other memories fall into, each trap a test on a real graph."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, InvalidInput
from ragforge_memory.graph.client import GraphClient, open_driver, plain
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import CodeTies, MessageStore, NewMessage
from ragforge_memory.graph.queries import statement_for
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import Space, open_space
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio

DIMENSION = 7
REFRESH = "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()"


@pytest.fixture
def conversations(client: GraphClient, owner: Owner) -> ConversationStore:
    return ConversationStore(client, owner)


@pytest.fixture
def messages(client: GraphClient, owner: Owner) -> MessageStore:
    return MessageStore(client, owner)


def _said(text: str, **more: Any) -> NewMessage:
    return NewMessage(uuid=uuid4().hex, role="user", content=text, **more)


_MANY = """
MATCH (c:Conversation {uuid: $uuid})
SET c.head_seq = $count, c.message_count = $count
WITH c
UNWIND range(1, $count) AS seq
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: c.uuid + '-' + seq, conversation_id: c.uuid, seq: seq, role: 'user',
  content: 'message ' + seq, state: 'complete', user_id: c.user_id, project: c.project, timestamp: datetime()})
FOREACH (_ IN CASE WHEN seq % 10 = 0 THEN [1] ELSE [] END |
  CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: m.uuid + 'c', message_id: m.uuid, index: 0, tool_name: 'look',
    arguments: '{}', success: true, timestamp: datetime()})-[:PRODUCED_RESULT]->(:ToolResult {uuid: m.uuid + 'r'}))
"""


async def _conversation_of(client: GraphClient, conversations: ConversationStore, count: int) -> str:
    """A conversation of so many messages, made past the product: each tenth has a tool call."""
    uuid = (await conversations.create(title=f"{count} messages")).uuid
    await client.run_schema(_MANY, uuid=uuid, count=count)
    return uuid


# --- many writers -----------------------------------------------------------------------------------------------------


async def test_sixteen_writers_of_a_new_session_make_one_conversation(
    client: GraphClient, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    """Each with a connection of its own; the constraint is what guards it, and no message is lost or doubled."""
    said = [[_said(f"{writer} {number}") for number in range(4)] for writer in range(16)]
    async with AsyncExitStack() as stack:
        clients = []
        for _ in said:
            each = GraphClient(open_driver(neo4j_config), address=neo4j_config.uri)
            stack.push_async_callback(each.aclose)
            await each.server_version()
            clients.append(each)
        ready = asyncio.Barrier(len(said))

        async def write(each: GraphClient, texts: list[NewMessage]) -> str:
            await ready.wait()
            conversation = (await ConversationStore(each, owner).open("the same session")).uuid
            store = MessageStore(each, owner)
            for text in texts:
                await _patiently(lambda text=text: store.append(conversation, text, embed=False))
            return conversation

        uuids = await asyncio.gather(*(write(each, texts) for each, texts in zip(clients, said, strict=True)))
    assert len(set(uuids)) == 1
    rows = await client.run_schema(
        "MATCH (c:Conversation {user_id: $user_id, project: $project}) MATCH (c)-[:HAS_MESSAGE]->(m:Message) "
        "RETURN c.uuid AS conversation, m.seq AS seq, m.content AS content, c.head_seq AS head, "
        "c.message_count AS count ORDER BY seq",
        user_id=owner.user_id,
        project=owner.project,
    )
    assert [row["seq"] for row in rows] == list(range(1, 65))
    assert {row["content"] for row in rows} == {text.content for texts in said for text in texts}
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


async def test_a_message_that_is_sent_again_is_stored_once(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    uuid = (await conversations.create()).uuid
    first, second = _said("once"), _said("again")
    seqs = await asyncio.gather(*(messages.append(uuid, first, embed=False) for _ in range(8)))
    assert set(seqs) == {1}
    assert await messages.append(uuid, second, embed=False) == 2
    assert await messages.append(uuid, first, embed=False) == 1
    assert [message.seq for message in await messages.history(uuid)] == [1, 2]
    info = await conversations.get(uuid)
    assert (info.head_seq, info.message_count) == (2, 2)


# --- limits -----------------------------------------------------------------------------------------------------------


async def test_a_limit_gives_the_newest(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    uuid = await _conversation_of(client, conversations, 120)
    assert [message.seq for message in await messages.history(uuid, limit=3)] == [118, 119, 120]
    assert [message.seq for message in await messages.history(uuid, limit=3, before=f"{uuid}-50")] == [47, 48, 49]
    context = await messages.turn_context(uuid, before_seq=121, limit=5)
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

    uuid = await _conversation_of(client, conversations, 2_300)
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


# --- scope ------------------------------------------------------------------------------------------------------------


async def test_a_search_stays_in_its_conversation_and_says_which_it_is(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    uuids = [(await conversations.create()).uuid for _ in range(3)]
    for uuid in uuids:
        await messages.append(uuid, _said("the lighthouse stands"), embed=False)
    await client.run_schema(REFRESH)
    everywhere = await messages.search_text("lighthouse")
    assert {found.conversation_id for found in everywhere} == set(uuids)
    assert all(found.message.conversation_id == found.conversation_id for found in everywhere)
    [one] = await messages.search_text("lighthouse", conversation_id=uuids[1])
    assert one.conversation_id == uuids[1]
    # A page of one conversation is full even where others have better hits.
    for _ in range(30):
        await messages.append(uuids[0], _said("lighthouse lighthouse lighthouse"), embed=False)
    await client.run_schema(REFRESH)
    assert len(await messages.search_text("lighthouse", conversation_id=uuids[2], limit=1)) == 1


# --- what comes back --------------------------------------------------------------------------------------------------


async def test_no_read_brings_an_embedding(client: GraphClient, owner: Owner, neo4j_config: Neo4jConfig) -> None:
    """Every statement is run over data that has vectors; no list of floats comes back, whatever is asked."""
    from tests.owners.graph import Data, create, remove, undone
    from tests.owners.probes import CODE, CONVERSATIONS

    space = await open_space(client, owner.project, "test-traps", DIMENSION)
    version = await client.server_version()
    data = Data(owner, f"word{uuid4().hex[:12]}")
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    with (
        neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login, notifications_min_severity="OFF") as driver,
        driver.session(database="neo4j") as session,
    ):
        try:
            create(session, data, code=True, vectors=space.property)
            for label, uuid in (
                ("Message", data.question),
                ("Message", data.answer),
                ("Conversation", data.conversation),
            ):
                session.run(
                    f"MATCH (n:{label} {{uuid: $uuid}}) CALL db.create.setNodeVectorProperty(n, $property, $vector)",
                    uuid=uuid,
                    property=space.property if label == "Message" else space.conversation_property,
                    vector=[0.5] * DIMENSION,
                ).consume()
            session.run(REFRESH).consume()
            answered = 0
            for name, probe in [(n, p) for table in (CONVERSATIONS, CODE) for n, ps in table.items() for p in ps]:
                statement = statement_for(name, version)
                if statement.autocommit:
                    continue
                text = statement.filled({"index": space.scope_index, "type": "CONSUMES"})
                with undone(session) as transaction:
                    parameters = {**owner.parameters, **probe.parameters(data, data)}
                    rows = [plain(dict(record)) for record in transaction.run(text, parameters)]
                assert not list(_vectors(rows)), name
                answered += bool(rows)
            assert answered > 40
        finally:
            remove(session, data)


def _vectors(value: Any) -> Any:
    """Lists of floats anywhere in a result."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _vectors(item)
    elif isinstance(value, list | tuple):
        if len(value) > 2 and all(isinstance(item, float) for item in value):
            yield value
        for item in value:
            yield from _vectors(item)


ODD = [
    {"role": "tool", "content": "a tool's message"},
    {"role": "human"},
    {"role": "user", "content": ["a block", '{"type": "text", "text": "another"}', '{"type": "image_url"}']},
    {"role": "user", "content": 42, "usage": "not JSON", "metadata": "[1]", "provider_parts": "{broken"},
    {"role": "assistant", "content": "x", "usage": '{"input_tokens": "many", "of_another": 1}', "state": "odd"},
    {"role": "assistant", "content": "x", "provider_parts": '{"steps": "abc", "final": 3}', "reasoning": ["r"]},
    {"role": "assistant", "content": "x", "timestamp": "yesterday", "importance": "high", "metadata": ["m"]},
    {"role": None, "content": None, "timestamp": ["a", "b"], "token_count": -1.5, "model": 7, "in_reply_to": 8},
]


async def test_odd_messages_never_make_a_history_unreadable(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore, owner: Owner
) -> None:
    uuid = (await conversations.create(title="odd")).uuid
    for properties in ODD:
        await client.run_schema(
            "MATCH (c:Conversation {uuid: $uuid}) SET c.head_seq = c.head_seq + 1 "
            "CREATE (c)-[:HAS_MESSAGE]->(m:Message) SET m = $properties, m.uuid = c.uuid + '-' + c.head_seq, "
            "m.conversation_id = c.uuid, m.user_id = c.user_id, m.project = c.project, m.seq = c.head_seq "
            "CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: m.uuid + 'c', message_id: m.uuid, tool_name: 'look', "
            "arguments: '{broken', duration_ms: 1.5, timestamp: 'soon'})-[:PRODUCED_RESULT]->"
            "(:ToolResult {result: '{broken', error: ['e'], result_size_bytes: 'big'}) "
            "CREATE (s:Scope {uuid: m.uuid + 's', project: c.project}) "
            "CREATE (m)-[:REFERENCES_CODE {kind: 'odd'}]->(s)",
            uuid=uuid,
            properties=properties,
        )
    history = await messages.history(uuid)
    assert [message.seq for message in history] == list(range(1, len(ODD) + 1))
    assert [message.role for message in history[:3]] == ["assistant", "user", "user"]
    assert history[2].content == "a block\nanother\n"
    assert history[3].content == "42"
    for message in history:
        [call] = message.tool_calls
        assert call.arguments == {"unreadable": "{broken"}
        assert call.result == "{broken"
        [reference] = message.references
        assert reference.scope_id == message.uuid + "s"
        assert json.loads(message.model_dump_json())["seq"] == message.seq
    context = await messages.turn_context(uuid, before_seq=len(ODD) + 1, limit=50)
    assert len(context.messages) == len(ODD)
    assert len(await messages.tool_calls(uuid)) == len(ODD)
    from ragforge_memory.agent.prompt import history as prompt

    assert prompt(context.messages)
    await messages.append(uuid, _said("and on it goes"), embed=False)
    await conversations.delete(uuid)
    await client.run_schema("MATCH (s:Scope {project: $project}) DETACH DELETE s", project=owner.project)


async def test_odd_conversations_do_not_hide_the_others(
    client: GraphClient, conversations: ConversationStore, owner: Owner
) -> None:
    fine = (await conversations.create(title="fine")).uuid
    odd = uuid4().hex
    await client.run_schema(
        "CREATE (:Conversation {uuid: $uuid, user_id: $user_id, project: $project, title: 7, status: 'sleeping', "
        "updated_at: datetime(), metadata: 'x', head_seq: 'three', tags: ['t']})",
        uuid=odd,
        user_id=owner.user_id,
        project=owner.project,
    )
    assert {info.uuid for info in (await conversations.page()).items} == {fine, odd}
    assert (await conversations.get(odd)).tags == ("t",)


# --- failures, deletes ------------------------------------------------------------------------------------------------


async def test_what_a_tool_gave_is_kept_when_the_model_fails_after_it(
    client: GraphClient, neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragforge_memory import AsyncConversationAgent, ConversationConfig, ModelError, tool
    from ragforge_memory.llm.port import ToolRequest
    from ragforge_memory.llm.scripted import ScriptedProvider

    @tool
    def look() -> str:
        """Looks."""
        return "a lighthouse"

    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))
    async with AsyncConversationAgent(
        neo4j_config,
        llm_provider=ScriptedProvider([[ToolRequest("c", "look", {})], ModelError("overloaded"), "It stands."]),
        tools=[look],
        config=ConversationConfig(embed_messages=False),
        user_id=owner.user_id,
        project=owner.project,
    ) as agent:
        conversation = await agent.create_conversation()
        with pytest.raises(ModelError):
            await conversation.send_message("What is there?")
        question, answer = await conversation.get_history()
        assert (question.content, answer.state, answer.in_reply_to) == ("What is there?", "partial", question.uuid)
        assert [call.result for call in answer.tool_calls] == ["a lighthouse"]
        assert (await conversation.send_message("Well?")).content == "It stands."


@pytest.mark.timeout(300)
async def test_a_large_conversation_is_deleted_in_batches(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    assert "IN TRANSACTIONS OF 500 ROWS" in statement_for("delete_messages", (5, 26)).text
    assert statement_for("delete_messages", (5, 26)).autocommit
    small, large = (await conversations.create()).uuid, (await conversations.create()).uuid
    for start in range(0, 20_000, 5_000):
        await client.run_schema(
            _MANY.replace("SET c.head_seq = $count, c.message_count = $count", "").replace(
                "range(1, $count)", "range($start + 1, $start + $count)"
            ),
            uuid=large,
            count=5_000,
            start=start,
        )
    await messages.append(small, _said("stays"), embed=False)
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
    uuid = await _conversation_of(client, conversations, 20)
    await messages.append(uuid, _said("the lighthouse"), embed=False)
    await client.write("begin_delete", uuid=uuid, user_id=owner.user_id, project=owner.project)
    await client.run_schema(REFRESH)
    with pytest.raises(ConversationNotFound):
        await messages.history(uuid)
    with pytest.raises(ConversationNotFound):
        await messages.append(uuid, _said("too late"), embed=False)
    assert uuid not in {info.uuid for info in (await conversations.page()).items}
    assert await messages.search_text("lighthouse") == []
    assert await conversations.sweep() == 1
    assert await conversations.sweep() == 0
    left = await client.run_schema("MATCH (m:Message {conversation_id: $uuid}) WHERE m.seq > 0 RETURN m.seq", uuid=uuid)
    assert left == []


# --- indexes and plans ------------------------------------------------------------------------------------------------


async def test_vector_indexes_are_not_quantized(either_client: GraphClient, owner: Owner) -> None:
    space = await open_space(either_client, owner.project, "test-traps", DIMENSION)
    rows = await either_client.run_schema("SHOW VECTOR INDEXES YIELD name, options")
    configured = {row["name"]: row["options"]["indexConfig"] for row in rows}
    for name in (space.message_index, space.scope_index, space.conversation_index):
        # What the newer line calls a type, the older one switches on and off.
        assert configured[name].get("vector.quantization.enabled", False) is False
        assert configured[name].get("vector.quantization.type", "NONE") == "NONE"
        assert {"vector.quantization.enabled", "vector.quantization.type"} & configured[name].keys()
        assert configured[name]["vector.similarity_function"].lower() == "cosine"
        assert configured[name]["vector.dimensions"] == DIMENSION


async def test_full_text_indexes_do_not_hold_up_writers(either_client: GraphClient) -> None:
    rows = await either_client.run_schema("SHOW FULLTEXT INDEXES YIELD name, options")
    configured = {row["name"]: row["options"]["indexConfig"] for row in rows}
    for name in ("message_text_index", "conversation_text_index", "scope_text_index"):
        assert configured[name]["fulltext.eventually_consistent"] is True


@pytest.fixture
async def scopes(either_client: GraphClient, owner: Owner) -> AsyncIterator[tuple[ScopeStore, Space]]:
    space = await open_space(either_client, owner.project, "test-traps", DIMENSION)
    yield ScopeStore(either_client, space), space
    await either_client.run_schema("MATCH (s:Scope {project: $project}) DETACH DELETE s", project=owner.project)


async def test_scores_of_the_index_are_cosines(
    either_client: GraphClient, scopes: tuple[ScopeStore, Space], owner: Owner
) -> None:
    store, space = scopes
    vectors = {
        "identical": [3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "opposite": [-3.0, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "orthogonal": [4.0, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "halfway": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
    for name, vector in vectors.items():
        await either_client.run_schema(
            "CREATE (s:Scope {uuid: $uuid, project: $project, name: $name, file: 'f.py', startLine: 1}) "
            "WITH s CALL db.create.setNodeVectorProperty(s, $property, $vector) RETURN s.uuid",
            uuid=uuid4().hex,
            project=owner.project,
            name=name,
            property=space.property,
            vector=vector,
        )
    found = await store.search_vector(owner.project, vectors["identical"], limit=10)
    scores = {scope.name: scope.score for scope in found}
    assert scores["identical"] == pytest.approx(1.0, abs=1e-3)
    assert scores["halfway"] == pytest.approx(0.6, abs=1e-3)
    assert scores["orthogonal"] == pytest.approx(0.0, abs=1e-3)
    # The older line takes the neighbours of all projects; one that is opposite may be behind too many of others.
    assert scores.get("opposite", -1.0) == pytest.approx(-1.0, abs=1e-3)
    assert [scope.name for scope in found][:3] == ["identical", "halfway", "orthogonal"]


async def test_reads_and_appends_cost_the_same_in_a_long_conversation(
    client: GraphClient, conversations: ConversationStore, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    """Database hits, profiled at a hundred and at ten thousand messages."""
    short = await _conversation_of(client, conversations, 100)
    long = await _conversation_of(client, conversations, 10_000)
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    hits: dict[str, list[int]] = {}
    with (
        neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login, notifications_min_severity="OFF") as driver,
        driver.session(database="neo4j") as session,
    ):
        for uuid, count in ((short, 100), (long, 10_000)):
            asked: dict[str, dict[str, Any]] = {
                "turn_context": {"floor": count - 20, "top": count + 1},
                "history": {"before": None, "limit": 20, "include_tool_calls": True},
                "append_message": {"uuid": uuid4().hex, "message": {"role": "user"}, "embed": True, "title": None},
            }
            for name, parameters in asked.items():
                text = statement_for(name, await client.server_version()).text
                with session.begin_transaction() as transaction:
                    result = transaction.run(
                        f"PROFILE {text}", {"conversation_id": uuid, **owner.parameters, **parameters}
                    )
                    summary = result.consume()
                    transaction.rollback()
                hits.setdefault(name, []).append(_hits(summary.profile))
    for name, (few, many) in hits.items():
        assert few > 0
        assert many <= few * 1.1 + 5, f"{name}: {few} hits at 100 messages, {many} at 10,000"
    await conversations.delete(long)


def _hits(profile: Any) -> int:
    return int(profile.get("dbHits", 0)) + sum(_hits(child) for child in profile.get("children", ()))


# --- statements counted at the driver ---------------------------------------------------------------------------------


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first lines of all that is sent to the server by any session, in order."""
    sent: list[str] = []
    for kind in (neo4j.AsyncSession, neo4j.AsyncTransaction, neo4j.AsyncManagedTransaction):
        run = kind.run

        async def counted(self: Any, query: Any, *arguments: Any, _run: Any = run, **named: Any) -> Any:
            sent.append(str(query).split("\n", 1)[0])
            return await _run(self, query, *arguments, **named)

        monkeypatch.setattr(kind, "run", counted)
    return sent


async def test_the_schema_is_checked_by_one_read(
    client: GraphClient, neo4j_config: Neo4jConfig, statements: list[str]
) -> None:
    opened = await connect(neo4j_config)
    await opened.aclose()
    assert statements == ["OPTIONAL MATCH (meta:RagforgeMeta {key: 'schema'})"]


async def test_a_turn_is_two_writes_and_a_read(
    client: GraphClient,
    neo4j_config: Neo4jConfig,
    owner: Owner,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
    statements: list[str],
) -> None:
    from ragforge_memory import AsyncConversationAgent, ConversationConfig
    from ragforge_memory.llm.scripted import ScriptedProvider

    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))
    async with AsyncConversationAgent(
        neo4j_config,
        llm_provider=ScriptedProvider(["Yes."], loop=True),
        tools=[],
        config=ConversationConfig(embed_messages=False),
        user_id=owner.user_id,
        project=owner.project,
    ) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Is it?")
        sent: list[str] = []
        services = await agent.open()
        for method in ("read", "write", "autocommit"):
            run = getattr(services.graph, method)

            async def named(name: str, /, *, _run: Any = run, _method: str = method, **parameters: Any) -> Any:
                sent.append(f"{_method} {name}")
                return await _run(name, **parameters)

            monkeypatch.setattr(services.graph, method, named)
        statements.clear()
        await conversation.send_message("And now?")
        assert len(statements) == 3
        assert sent == ["write append_message", "read turn_context", "write complete_turn"]


async def test_an_answer_and_its_tool_calls_are_one_statement(
    conversations: ConversationStore, messages: MessageStore, statements: list[str]
) -> None:
    from datetime import UTC, datetime

    from ragforge_memory.models.conversation import ToolCall

    uuid = (await conversations.create()).uuid
    answer = NewMessage(uuid=uuid4().hex, role="assistant", content="Yes.")
    calls = [
        ToolCall(
            uuid=uuid4().hex,
            message_id=answer.uuid,
            index=number,
            timestamp=datetime.now(UTC),
            tool_name="look",
            success=True,
            result="x" * 1_000,
        )
        for number in range(5)
    ]
    statements.clear()
    for _ in range(2):  # repeated, it changes nothing
        assert await messages.complete_turn(uuid, answer, calls, CodeTies(), embed=False) == 1
    assert len(statements) == 2
    [stored] = await messages.history(uuid)
    assert [call.index for call in stored.tool_calls] == [0, 1, 2, 3, 4]
