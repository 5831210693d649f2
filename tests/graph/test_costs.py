"""What reads and writes cost: indexes as they must be, plans that stay flat, statements counted at the driver."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.queries import statement_for
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import Space, open_space
from ragforge_memory.models.owner import Owner
from tests.graph.filling import conversation_of

pytestmark = pytest.mark.anyio

DIMENSION = 7

# --- indexes and plans ------------------------------------------------------------------------------------------------


async def test_vector_indexes_are_not_quantized(either_client: GraphClient, owner: Owner) -> None:
    space = await open_space(either_client, owner.project, "test-traps", DIMENSION)
    rows = await either_client.run_schema("SHOW VECTOR INDEXES YIELD name, options")
    configured = {row["name"]: row["options"]["indexConfig"] for row in rows}
    for name in (space.message_index, space.scope_index, space.conversation_index, space.summary_index):
        # What the newer line calls a type, the older one switches on and off.
        assert configured[name].get("vector.quantization.enabled", False) is False
        assert configured[name].get("vector.quantization.type", "NONE") == "NONE"
        assert {"vector.quantization.enabled", "vector.quantization.type"} & configured[name].keys()
        assert configured[name]["vector.similarity_function"].lower() == "cosine"
        assert configured[name]["vector.dimensions"] == DIMENSION


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
    """Database hits, profiled at a hundred and at a thousand messages."""
    short = await conversation_of(client, conversations, 100)
    long = await conversation_of(client, conversations, 1_000)
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    hits: dict[str, list[int]] = {}
    with (
        neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login, notifications_min_severity="OFF") as driver,
        driver.session(database="neo4j") as session,
    ):
        for uuid, count in ((short, 100), (long, 1_000)):
            asked: dict[str, dict[str, Any]] = {
                "turn_context": {
                    "recent": 20,
                    "top": count + 1,
                    "asked": None,
                    "words": None,
                    "owner_token": "",
                    "candidates": 1,
                    "relevant": 0,
                    "important": 12,
                    "prompts": [],
                    "known": [],
                    "known_restored": [],
                },
                "history": {"before": None, "limit": 20, "include_tool_calls": True},
                "append_message": {
                    "uuid": uuid4().hex,
                    "message": {"role": "user"},
                    "tokens": 1,
                    "worded": True,
                    "extract": False,
                    "summarize_every": 10,
                    "title": None,
                    "title_source": None,
                    "corrects": {"uuid": None, "how": None},
                },
            }
            for name, parameters in asked.items():
                statement = statement_for(name, await client.server_version())
                given = statement.given({"conversation_id": uuid, **owner.parameters, **parameters})
                with session.begin_transaction() as transaction:
                    summary = transaction.run(f"PROFILE {statement.nested.text}", given).consume()
                    transaction.rollback()
                hits.setdefault(name, []).append(_hits(summary.profile))
    for name, (few, many) in hits.items():
        assert few > 0
        # A share of it would hide what is read of this one in what is read of all others.
        assert many <= few + 50, f"{name}: {few} hits at 100 messages, {many} at 1,000"
    await conversations.delete(long)


async def test_a_page_of_decisions_costs_the_same_of_many(
    either_client: GraphClient, either_config: Neo4jConfig, owner: Owner
) -> None:
    """Neither what the owner has behind the page is read, nor what others have."""
    others = Owner(f"not-{owner.user_id}", owner.project)
    statement = statement_for("decisions", await either_client.server_version())
    everything = {"about": None, "folder": "//", "until": None}
    newest = {"before": None, "before_conversation": "", "before_seq": 0}
    asked = {"since": None, **newest, **everything, "limit": 20, **owner.parameters}
    made: list[tuple[ConversationStore, str]] = []
    hits = []
    with (
        neo4j.GraphDatabase.driver(
            either_config.uri,
            auth=(either_config.username or "neo4j", either_config.password),
            notifications_min_severity="OFF",
        ) as driver,
        driver.session(database="neo4j") as session,
    ):
        for count, hours in ((300, 1), (900, 0)):
            for each in (owner, others):
                store = ConversationStore(either_client, each)
                made.append((store, await conversation_of(either_client, store, count, hours=hours)))
            result = session.run(f"PROFILE {statement.nested.text}", statement.given(asked))
            rows = [row["message"] for row in result]
            behind = {
                "before": rows[-1]["timestamp"],
                "before_conversation": rows[-1]["conversation_id"],
                "before_seq": rows[-1]["seq"],
            }
            assert [row["seq"] for row in rows] == list(range(count, count - 100, -5))
            next_page = session.run(f"PROFILE {statement.nested.text}", statement.given({**asked, **behind}))
            assert [row["message"]["seq"] for row in next_page] == list(range(count - 100, count - 200, -5))
            hits.append(_hits(result.consume().profile) + _hits(next_page.consume().profile))
    few, many = hits
    assert 0 < many <= few * 1.1 + 5, f"{few} hits of 60 messages, {many} of 240"
    for store, uuid in made:
        await store.delete(uuid)


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
        await agent.drain()  # what an agent sweeps up behind its opening is none of a turn's
        sent: list[str] = []
        services = await agent.open()
        for method in ("read", "write", "autocommit"):
            run = getattr(services.stores.graph, method)

            async def named(name: str, /, *, _run: Any = run, _method: str = method, **parameters: Any) -> Any:
                sent.append(f"{_method} {name}")
                return await _run(name, **parameters)

            monkeypatch.setattr(services.stores.graph, method, named)
        statements.clear()
        await conversation.send_message("And now?")
        assert len(statements) == 4
        # At the same time.
        assert sorted(sent[:3]) == ["read recall", "read turn_context", "write append_message"]
        assert sent[3:] == ["write complete_turn"]
