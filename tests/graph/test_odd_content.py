"""What comes back from reads: no embeddings, and nothing that one odd property could make unreadable."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient, plain
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.queries import statement_for
from ragforge_memory.graph.receipts import ContextQuery
from ragforge_memory.graph.spaces import in_space, open_space
from ragforge_memory.models.owner import Owner
from tests.graph.filling import REFRESH, said
from tests.owners.graph import DIMENSION, MODEL

pytestmark = pytest.mark.anyio


async def test_no_read_brings_an_embedding(client: GraphClient, owner: Owner, neo4j_config: Neo4jConfig) -> None:
    """Every statement is run over data that has vectors; no list of floats comes back, whatever is asked."""
    from tests.owners.code_probes import TIES
    from tests.owners.conversation_probes import CONVERSATIONS
    from tests.owners.graph import Data, create, remove, undone
    from tests.owners.ingest_probes import INGEST

    # The space of the probes of owners: what is planned for them is planned for this.
    space = await open_space(client, owner.project, MODEL, DIMENSION)
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
            for name, probe in [
                (n, p) for table in (CONVERSATIONS, TIES, INGEST) for n, ps in table.items() for p in ps
            ]:
                statement = statement_for(name, version)
                if statement.autocommit:
                    continue
                text = statement.nested.filled({"index": space.scope_index, "type": "CONSUMES"})
                with undone(session) as transaction:
                    parameters = {**owner.parameters, **in_space(space), **probe.given(data, data)}
                    rows = [plain(dict(record)) for record in transaction.run(text, statement.given(parameters))]
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
    context = await messages.turn_context(uuid, ContextQuery(before_seq=len(ODD) + 1, limit=50))
    assert len(context.messages) == len(ODD)
    assert len(await messages.tool_calls(uuid)) == len(ODD)
    from ragforge_memory.agent.context.prompt import history as prompt

    assert prompt(context.messages)
    await messages.append(uuid, said("and on it goes"))
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
