"""Forgetting for good: a user with everything, or one memory with its words; nobody else is touched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Erasure, InvalidInput, NotFound
from ragforge_memory.agent.erasure import erase_memory
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import GraphError
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.journal_lines import JournalTurn
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.quotes import Quotes
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.archive.story import STEPS, told, weigh
from tests.archive.story import project as passwords
from tests.memory.test_recall import PATIENT

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(600)]

# Nobody else's words: what is left of a test that failed has others.
_LETTERS = uuid4().hex.translate(str.maketrans("0123456789", "ghijklmnop"))
WORD, RARE = f"zebrafish{_LETTERS[:9]}", f"vinegar{_LETTERS[9:18]}"
SETTINGS = {**PATIENT, "summarize_every": 4}
Run = Callable[[Erasure], list[int]]

# All of a user's, what hangs on it, and each edge of that with what is at its other end.
_DUMP = """
MATCH (n) WHERE n.user_id = $user
OPTIONAL MATCH (n)-[:MADE_TOOL_CALL]->(call) OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result)
OPTIONAL MATCH (n)-[:HAS_VERSION]->(version)
UNWIND [n, call, result, version] AS x
WITH DISTINCT x WHERE x IS NOT NULL
RETURN labels(x) AS labels, properties(x) AS properties, COLLECT {
  MATCH (x)-[r]-(o) RETURN [type(r), startNode(r) = x, properties(r), labels(o), properties(o)]
} AS edges
"""
# Every text anywhere, whoever's, that has a word in it.
_WITH = """
MATCH (n) WHERE any(key IN keys(n) WHERE toLower(toStringOrNull(n[key])) CONTAINS $word)
RETURN labels(n) AS labels, [key IN keys(n) WHERE toLower(toStringOrNull(n[key])) CONTAINS $word] AS keys
"""


@pytest.fixture
def proofs(neo4j_config: Neo4jConfig) -> Iterator[Run]:
    """Runs the queries of a certificate as anyone can: by a driver alone."""
    auth = (neo4j_config.username, neo4j_config.password)
    with neo4j.GraphDatabase.driver(neo4j_config.uri, auth=auth, notifications_min_severity="OFF") as driver:

        def run(erasure: Erasure) -> list[int]:
            found = []
            for query in erasure.queries:
                [record] = driver.execute_query(query.text, query.parameters, database_="neo4j").records
                [number] = record.values()
                found.append(number)
            return found

        yield run


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted((key, _plain(each)) for key, each in value.items())
    return sorted(map(_plain, value), key=repr) if isinstance(value, list) else repr(value)


def dump(cypher: Cypher, user: str | None) -> list[Any]:
    return sorted((_plain(row) for row in cypher(_DUMP, user=user)), key=repr)


async def lived(agent: AsyncConversationAgent, cypher: Cypher, about: str) -> None:
    """Branches, a merge, calls, an insight, summaries, decisions and corrections about code, facts with versions."""
    await agent.ingest()
    await told(agent)
    talk = await agent.create_conversation(f"About the {about}")
    await talk.send_message(f"decision: the {about} is weighed in check_password")
    await talk.send_message(f"correction: the {about} is weighed in scramble")
    memories = (await agent.open()).memories
    assert memories is not None
    stored = await memories.remember_fact("preference", "pet", f"a {about}")
    await memories.remember_fact("preference", "pet", f"two {about}")
    await memories.remember_fact("project", "mascot", about)
    cypher(
        "CREATE (:MemoryOperation {uuid: $id, user_id: $user, project: 'p', memory_id: $id, arguments: $about})",
        id=stored.uuid,
        user=agent.user_id,
        about=about,
    )
    await (await agent.create_conversation()).send_message(f"Where is the {about} weighed, in scramble?")
    await agent.drain()


def maker(make_agent: MakeAgent, root: Path, user_id: str) -> Callable[..., AsyncConversationAgent]:
    model = ScriptedProvider(STEPS, loop=True)
    return lambda **more: make_agent(
        **{"provider": model, "tools": [weigh], "root": root, "settings": SETTINGS, "user_id": user_id, **more}
    )


@pytest.fixture
async def two(
    make_agent: MakeAgent, tmp_path: Path, owner: Owner, cypher: Cypher
) -> tuple[Callable[..., AsyncConversationAgent], str]:
    """Two users of one project with as much of everything; how the first makes agents, and the other's name."""
    root, other = passwords(tmp_path), f"other-{owner.user_id}"
    first = maker(make_agent, root, owner.user_id)
    async with first() as mine, maker(make_agent, root, other)() as theirs:
        await lived(mine, cypher, WORD)
        await lived(theirs, cypher, "axolotl")
    async with first(project=f"second-{owner.project}") as elsewhere:
        await (await elsewhere.create_conversation()).send_message(f"note: the {WORD} lives here too")
        await elsewhere.drain()
    return first, other


async def test_a_user_goes_from_every_project_and_nobody_else_is_touched(
    two: tuple[Callable[..., AsyncConversationAgent], str], cypher: Cypher, proofs: Run, home: Path
) -> None:
    first, other = two
    before = dump(cypher, other)
    assert {"Conversation", "Message", "ToolResult", "Summary", "Memory", "FactVersion", "Insight", "User"} <= {
        label for row in cypher(_DUMP, user=other) for label in row["labels"]
    }
    async with first() as agent:
        services = await agent.open()
        turn = JournalTurn(services.stores.graph_name, agent.user_id, agent.project, "never", "one", "two")
        services.background.journal.begin(turn)
        services.background.journal.answered("two", {"content": WORD})
        services.background.journal.set_aside(services.background.journal.held.turns["two"], "nobody wants it")
        assert files_with(home, WORD)
        had = {label for row in cypher(_DUMP, user=agent.user_id) for label in row["labels"]}
        erasure = await agent.erase_user()
        assert (erasure.who, erasure.memory_id) == (agent.user_id, None)
        assert set(erasure.counts) <= had | {"MemoryOperation"}
        assert {"Conversation", "Message", "ToolCall", "ToolResult", "Summary", "Insight", "Prompt", "Memory"} <= set(
            erasure.counts
        )
        assert (erasure.counts["User"], erasure.counts["FactVersion"], erasure.counts["MemoryOperation"]) == (1, 1, 1)
        assert proofs(erasure) == [0, 0]
        assert cypher(_DUMP, user=agent.user_id) == []
        assert cypher(_WITH, word=WORD) == []
        assert dump(cypher, other) == before
        [kept] = cypher("MATCH (e:Erasure {uuid: $uuid}) RETURN labels(e) AS labels, e.who AS who", uuid=erasure.uuid)
        assert kept == {"labels": ["Erasure"], "who": agent.user_id}
        assert WORD not in erasure.model_dump_json()
        assert files_with(home, WORD) == []
        assert list(await agent.list_conversations()) == []
        # What begins now is another life: the proof still holds.
        await (await agent.create_conversation()).send_message("note: a new beginning")
        await agent.drain()
        assert proofs(erasure) == [0, 0]
        # And the proof is one: it sees what is put back.
        cypher(
            "CREATE (:Message {uuid: $user, user_id: $user}) CREATE (:FactVersion {uuid: $user})", user=agent.user_id
        )
        assert proofs(erasure)[0] == 1
        cypher("MATCH (n:Message|FactVersion {uuid: $user}) DELETE n", user=agent.user_id)


async def test_an_erasure_that_was_cut_off_is_ended_at_the_next_opening(
    two: tuple[Callable[..., AsyncConversationAgent], str],
    make_agent: MakeAgent,
    cypher: Cypher,
    proofs: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, other = two
    before = dump(cypher, other)
    whole = GraphClient.autocommit

    async def cut_off(client: GraphClient, name: str, /, **given: Any) -> Any:
        rows = await whole(client, name, **given)
        if name == "delete_messages":
            raise GraphError("cut off")
        return rows

    monkeypatch.setattr(GraphClient, "autocommit", cut_off)
    async with first() as agent:
        with pytest.raises(GraphError, match="cut off"):
            await agent.erase_user()
        # Nothing of it is seen from the first moment on.
        assert list(await agent.list_conversations()) == []
        assert list(await agent.search_messages(WORD)) == []
        assert not (await agent.recall(WORD, deadline_ms=10_000)).items
    monkeypatch.setattr(GraphClient, "autocommit", whole)
    assert cypher(_DUMP, user=agent.user_id) != []
    async with make_agent(user_id=f"third-{other}") as third:
        await third.drain()
    assert cypher(_DUMP, user=agent.user_id) == []
    assert dump(cypher, other) == before
    [row] = cypher("MATCH (e:Erasure {who: $user}) RETURN e {.*} AS e, labels(e) AS labels", user=agent.user_id)
    assert row["labels"] == ["Erasure"]
    assert json.loads(row["e"]["counts"])["Message"] > 20
    queries = json.loads(row["e"]["queries"])
    assert proofs(Erasure(uuid="", who="", when=row["e"]["when"].to_native(), counts={}, queries=queries)) == [0, 0]


async def test_nobody_is_not_erased(neo4j_config: Neo4jConfig, owner: Owner) -> None:
    config = ConversationConfig(embed_messages=False)
    async with AsyncConversationAgent(
        neo4j_config, llm_provider=ScriptedProvider(["Yes."]), tools=(), config=config, project=owner.project
    ) as agent:
        await (await agent.create_conversation()).send_message("note: everybody's")
        with pytest.raises(InvalidInput, match="nobody's"):
            await agent.erase_user()
        assert len(list(await agent.list_conversations())) == 1


NOTE = f"note: the {WORD} tank is cleaned with {RARE} every second Tuesday"
OTHER = "note: the axolotl tank is filled with rain water"


@pytest.mark.parametrize("kind", ["neo4j", "files"])
async def test_one_memory_goes_with_its_words(
    kind: str,
    neo4j_config: Neo4jConfig,
    owner: Owner,
    tmp_path: Path,
    home: Path,
    cypher: Cypher,
    proofs: Run,
) -> None:
    said = f"Noted: {NOTE}."
    quote = f"You once said: “the {WORD} tank\nis cleaned with {RARE}” and so on. The rest is dry."
    model = ScriptedProvider([said, "Yes.", quote, "Fine.", "One.", "Two.", "Three.", "Four.", "Five."])
    agent = AsyncConversationAgent(
        neo4j_config,
        llm_provider=model,
        tools=(),
        embedder=HashingEmbedder(64),
        config=ConversationConfig(persistence=kind, **SETTINGS),
        user_id=owner.user_id,
        project=owner.project,
        root=tmp_path,
    )
    async with agent:
        talk = await agent.create_conversation()
        await talk.send_message(NOTE)
        await talk.send_message(OTHER)
        quoting = await agent.create_conversation()
        answer = await quoting.send_message(f"How is the {WORD} tank cleaned?")
        await quoting.send_message("And then?")
        await agent.drain()
        uuids = {row["t"]: row["u"] for row in cypher(_MEMORIES, user=owner.user_id)}
        untouched = cypher(_MEMORY, uuid=uuids[OTHER])
        cypher(
            "CREATE (:MemoryOperation {uuid: $uuid, user_id: $user_id, memory_id: $uuid, arguments: $said})",
            uuid=uuids[NOTE],
            said=NOTE,
            **owner.parameters,
        )
        assert len(await agent.search_messages(RARE)) >= 3
        assert RARE in str(cypher(_SUMMARY, uuid=talk.uuid))
        services = await agent.open()
        with pytest.raises(NotFound):
            await erase_memory(services, "0" * 32)
        erasure = await erase_memory(services, uuids[NOTE])
        await agent.drain()
        cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

        assert proofs(erasure) == [0, 0, 0]
        assert (erasure.counts["Memory"], erasure.counts["MemoryOperation"]) == (1, 1)
        assert erasure.counts["Message"] == 3
        assert erasure.counts["Summary"] >= 1
        assert RARE not in erasure.model_dump_json()
        assert [each.content for each in await talk.get_history()] == ["[erased]", "[erased]", OTHER, "Yes."]
        found = [each.content for each in await quoting.get_history()]
        assert found[1] == "You once said: “[erased]” and so on. The rest is dry."
        # Nothing finds it: by words, by meaning, as a decision, in what an answer was given, in what was derived.
        hits = await agent.search_messages(RARE)
        assert [each.message.content for each in hits if "text" in each.matched_by] == []
        assert not {each.message.content for each in hits} & {NOTE, said, quote}
        assert not [
            each
            for each in (await agent.recall(f"{RARE} Tuesday", deadline_ms=10_000)).items
            if RARE in each.memory.content
        ]
        assert [each.text for each in await agent.decisions()] == [OTHER]
        assert cypher(_WITH, word=RARE) == []
        for conversation in (talk, quoting):
            for message in await conversation.get_history():
                assert RARE not in (await conversation.as_of(message.uuid)).model_dump_json()
        assert (await quoting.receipt(answer.message_id)).erased == 1
        # Summaries were made again, without it.
        assert "rain water" in str(cypher(_SUMMARY, uuid=talk.uuid))
        assert files_with(tmp_path, RARE) == []
        assert cypher(_MEMORY, uuid=uuids[OTHER]) == untouched
        # The next turn's request has none of it either, though this process has held the messages.
        await talk.send_message("What about the tank?")
        assert RARE not in repr(model.requests[-1])


_SUMMARY = "MATCH (c:Conversation {uuid: $uuid}) RETURN c.summary AS text"
_MEMORIES = "MATCH (m:Memory {user_id: $user}) RETURN m.content AS t, m.uuid AS u"
_MEMORY = (
    "MATCH (m:Memory {uuid: $uuid}) "
    "RETURN properties(m) AS p, COLLECT { MATCH (m)-[r]-(o) RETURN [type(r), o.uuid] } AS e"
)


def files_with(folder: Path, word: str) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("They say the cache LIVES in\n> Redis, for now", "They say [erased], for now"),
        ("decision: the cache lives in Re…", "[erased] Re…"),
        ("the cache of Redis lives in a box", "the cache of Redis lives in a box"),
        ("what it is in the end", "what it is in the end"),
        ("todo: we should use the new API", "todo: we should use the new API"),
        ("but we should use the index of the warehouse", "but [erased] of the warehouse"),
        ("Kyiv is large", "Kyiv is large"),
    ],
)
def test_a_quote_is_some_words_in_a_row_that_say_something(text: str, left: str) -> None:
    quotes = Quotes(
        ["decision: the cache lives in Redis, and that it is in the cluster", "we should use the index there", "Kyiv"]
    )
    assert quotes.erased(text) == left
    assert json.loads(quotes.erased_json(json.dumps({"lives": [text, 1]}))) == {"lives": [left, 1]}
    assert quotes.erased("Kyiv is large", near=True) == "[erased] is large"


async def test_a_fact_goes_with_its_history_and_short_values_stay_elsewhere(
    make_agent: MakeAgent, cypher: Cypher, proofs: Run
) -> None:
    model = ScriptedProvider(["Noted.", "Lviv is cold, and Kyiv too.", "Yes, in Lviv."])
    async with make_agent(provider=model, settings=PATIENT) as agent:
        unrelated = await agent.create_conversation()
        await unrelated.send_message("The data centre in Lviv is down")
        memories = (await agent.open()).memories
        assert memories is not None
        fact = await memories.remember_fact("personal", "location", "Kyiv")
        await memories.remember_fact("personal", "location", "Lviv")
        other = await memories.remember_fact("personal", "name", "Olena")
        given = await agent.create_conversation()
        await given.send_message("What is my location?")
        before = cypher(_MEMORY, uuid=other.uuid)
        erasure = await erase_memory(await agent.open(), fact.uuid)
        assert (erasure.counts["FactVersion"], erasure.counts["Message"]) == (1, 1)
        assert proofs(erasure) == [0, 0, 0]
        # Whoever was given it loses the value; who never was may speak of the town.
        assert (await given.get_history())[1].content == "[erased] is cold, and [erased] too."
        assert (await unrelated.get_history())[0].content == "The data centre in Lviv is down"
        after = cypher(_MEMORY, uuid=other.uuid)
        assert after == before
        assert [each.key for each in await memories.recall_facts(include_inactive=True)] == ["name"]


async def test_the_one_whose_place_it_took_stays_history(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("Noted.", "Noted.", settings=PATIENT) as agent:
        talk = await agent.create_conversation()
        await talk.send_message("decision: the cache lives in Redis")
        await talk.send_message("update: the cache lives in Postgres")
        [uuid] = [row["u"] for row in cypher(_MEMORIES, user=agent.user_id) if "Postgres" in row["t"]]
        await erase_memory(await agent.open(), uuid)
        rows = cypher("MATCH (m:Memory {user_id: $user}) RETURN m.content AS t, m.is_active AS a", user=agent.user_id)
        assert rows == [{"t": "decision: the cache lives in Redis", "a": False}]
        assert [each.content for each in await talk.get_history()][2:] == ["[erased]", "[erased]"]
