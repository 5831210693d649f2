"""What is noted of a message by itself, how it grows old, and what becomes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.extraction import DueMessage, ExtractionStore
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.controller import Controller, is_answer_due, is_due
from ragforge_memory.memory.short_term import NOTES_A_MINUTE, ShortTerm
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

BROKEN = "The nightly build fails on Windows because the runner has no symlinks."
CODE = "The module settings has a class Loader that reads the yaml files twice."

NOTHING = (
    "Thanks, that fixed it!",
    "Why does the nightly build fail on Windows with an error?",
    "Fix the failing test of the parser module please.",
    "Please refactor the function parse_config in the settings module.",
    "I want the error messages of the parser to be shorter.",
    "If the nightly build fails again, we restart the runner by hand.",
    "I don't understand why the retry logic of the client fails so often.",
    "My colleague said the deployment of the staging server failed on Monday.",
    '"The nightly build fails on Windows because of symlinks", says the log.',
    "> The nightly build fails on Windows because of symlinks.",
    "```\nThe nightly build fails on Windows because of symlinks.\n```",
    "The deploy token is ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 and the login fails with it every time.",
    "I always drink far too much coffee on Monday mornings.",
    "The weather in Lisbon was lovely and warm last week.",
    "The error is gone now.",
)


@pytest.mark.parametrize("text", NOTHING)
async def test_what_states_nothing_is_not_even_looked_at(text: str) -> None:
    assert not is_due(text, asks_model=False)


def due(content: str, *, role: str = "user", messages: int = 2, tools: tuple[str, ...] = ()) -> DueMessage:
    """A message that is looked at."""
    return DueMessage("m", role, content, 0.5, datetime(2026, 1, 1, tzinfo=UTC), None, messages, 1, tools)


@pytest.mark.parametrize(
    ("text", "category", "importance", "lasts"),
    [
        (BROKEN, "ErrorPatterns", 0.8, True),
        (CODE, "CodeContext", 0.7, False),
        ("The memory leak of the worker pool is solved by closing every cursor.", "ErrorPatterns", 0.8, True),
        ("The slow startup was resolved by loading the tokenizer lazily.", "Solutions", 0.8, True),
        ("We always squash every branch before merging to trunk.", "UserPreferences", 0.6, False),
        ("We settled on argon2 for password hashing everywhere.", "Knowledge", 0.8, True),
    ],
)
async def test_category_and_importance_are_document_2_s(
    text: str, category: str, importance: float, lasts: bool
) -> None:
    assert is_due(text, asks_model=False)
    [note] = Controller(Owner("u", "p"), ShortTerm(9, 9)).notes(due(f"Hello! {text} Can you look at it?"))
    assert (note.content, note.category, note.importance, note.lasts) == (text, category, importance, lasts)
    assert (note.trust, note.tags) == ("user", (category,))


async def test_count_rate_and_what_was_noted_just_now() -> None:
    now = 0.0
    controller = Controller(Owner("u", "p"), ShortTerm(2 * NOTES_A_MINUTE, 2, clock=lambda: now))
    assert controller.notes(due(BROKEN, messages=1)) == []
    assert controller.notes(due(BROKEN), without={BROKEN}) == []
    assert len(controller.notes(due(BROKEN))) == 1
    assert controller.notes(due(BROKEN)) == []
    others = [due(f"The nightly build number{i} fails on Windows with symlinks.") for i in range(NOTES_A_MINUTE)]
    assert sum(len(controller.notes(each)) for each in others) == NOTES_A_MINUTE - 1
    now = 61.0
    assert len(controller.notes(others[-1])) == 1
    now = 121.0
    assert len(controller.notes(due(BROKEN))) == 1


async def test_an_answer_is_noted_where_its_tools_edited_or_failed() -> None:
    text = "I looked at it. The retries were fixed by closing the pool of the client first."
    assert is_answer_due(text, touched=True, echo=False)
    assert not is_answer_due(text, touched=False, echo=False)
    assert not is_answer_due(text, touched=True, echo=True)
    assert not is_answer_due("I will look at the pool of the client.", touched=True, echo=False)
    [note] = Controller(Owner("u", "p"), ShortTerm(9, 9)).notes(due(text, role="assistant", tools=("edit_file",)))
    assert (note.trust, note.category, note.tags) == ("agent", "Solutions", ("Solutions", "edit_file"))
    assert note.content.startswith("The retries were fixed")


NOTES = (
    "MATCH (m:Memory {user_id: $user, source: 'controller'}) RETURN m.content AS content, m.tier AS tier, "
    "m.category AS category, m.trust AS trust, m.tags AS tags, m.is_active AS holds, m.expires_at IS NULL AS stays, "
    "COUNT { (m)-[:DERIVED_FROM]->(:Message) } AS sources, COUNT { (:User {user_id: $user})-[:HAS_MEMORY]->(m) } AS "
    "of ORDER BY m.created_at"
)


async def test_what_a_turn_says_is_noted_behind_it_and_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    def edit_file(path: str) -> str:
        """Edits a file."""
        return "done"

    fixed = "The retries were fixed by closing the pool of the client first."
    model = ScriptedProvider(["Ok.", "Ok.", "Ok.", ToolRequest("1", "edit_file", {"path": "a"}), fixed, "Ok."])
    async with make_agent(provider=model, tools=[edit_file]) as agent:
        talk = await agent.create_conversation()
        await talk.send_message(CODE)
        await talk.send_message("What is in that class, and is there an error?")
        await (await agent.create_conversation()).send_message(f"So, {CODE}")
        await talk.send_message("Mend the retries of the client.")
        await talk.send_message(f"note: {BROKEN}")
        await agent.drain()
    # Another process does not know what was noted just now; the graph does.
    async with make_agent("Ok.", "Ok.") as agent:
        talk = await agent.create_conversation()
        await talk.send_message(CODE)
        await talk.send_message(BROKEN)
        await agent.drain()
        await (await agent.create_conversation(title="another")).delete()
    shown = cypher(NOTES, user=agent.user_id)
    assert [(each["content"], each["tier"], each["trust"], each["stays"], each["of"]) for each in shown] == [
        (CODE, "short", "user", False, 1),
        (fixed, "long", "agent", True, 1),
    ]
    assert shown[1]["tags"] == ["Solutions", "edit_file"]
    # What the user ordered to be remembered is not noted a second time.
    assert cypher(
        "MATCH (m:Memory {user_id: $user}) WHERE m.kind = 'note' RETURN count(*) AS n", user=agent.user_id
    ) == [{"n": 3}]
    assert cypher("MATCH (m:PendingExtraction {user_id: $user}) RETURN m", user=agent.user_id) == []


async def test_extraction_that_is_off_leaves_no_trace(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("Ok.", settings={"enable_extraction": False}) as agent:
        await (await agent.create_conversation()).send_message(CODE)
        await agent.drain()
    assert cypher("MATCH (m:Memory|PendingExtraction {user_id: $user}) RETURN m", user=agent.user_id) == []


@pytest.fixture
async def client(neo4j_config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    """A client of the session's server."""
    made = await connect(neo4j_config)
    yield made
    await made.aclose()


async def test_notes_grow_old(client: GraphClient, owner: Owner, cypher: Cypher) -> None:
    """Used twice, one is of the long term; unused, it goes with its edges; in the long term it fades away."""
    store = ExtractionStore(client, owner, ttl_minutes=120)
    cypher(
        "UNWIND [['over', 'short', 1, '-1', 0.7, 0], ['used', 'short', 2, '-1', 0.7, 0], ['waits', 'short', 0, '60', "
        "0.7, 0], ['fades', 'long', 0, null, 0.8, 30], ['faint', 'long', 0, null, 0.8, 95], ['alive', 'long', 9, null, "
        "0.8, 0]] AS row CREATE (m:Memory:AgingMemory {uuid: $user + row[0], user_id: $user, project: $project, "
        "name: row[0], tier: row[1], use_count: row[2], expires_at: datetime() + duration('PT' + row[3] + 'M'), "
        "importance: row[4], created_at: datetime() - duration({days: row[5]}), is_active: true, source: 'controller', "
        "due_at: datetime() - duration({minutes: 1})}), (m)-[:DERIVED_FROM]->(:Message {uuid: $user + row[0] + 'm'})",
        user=owner.user_id,
        project=owner.project,
    )
    assert await store.age() == {"over": 1, "promoted": 1, "waits": 1, "fades": 3}
    assert await store.age() == {}
    rows = cypher(
        "MATCH (m:Memory {user_id: $user}) RETURN m.name AS name, m.tier AS tier, "
        "round(m.importance, 2) AS importance, m.is_active AS holds, "
        "m.expires_at IS NULL AS stays, m:AgingMemory AS ages ORDER BY name",
        user=owner.user_id,
    )
    assert [tuple(row.values()) for row in rows] == [
        ("alive", "long", 0.8, True, True, True),
        ("fades", "long", 0.4, True, True, True),
        ("faint", "long", 0.09, False, True, False),
        ("used", "long", 0.7, True, True, True),
        ("waits", "short", 0.7, True, False, True),
    ]
    # Another look a day later computes from what it was at first.
    cypher(
        "MATCH (u:User {user_id: $user}) SET u.maintained_at = null WITH u "
        "MATCH (m:AgingMemory {user_id: $user}) SET m.due_at = datetime() - duration('PT1M')",
        user=owner.user_id,
    )
    assert await store.age() == {"waits": 1, "fades": 3}
    [fades] = cypher("MATCH (m:Memory {user_id: $user, name: 'fades'}) RETURN m.importance AS i", user=owner.user_id)
    assert round(fades["i"], 2) == 0.4


async def test_texts_in_files_are_looked_at_too_and_a_lost_one_is_left(
    make_agent: MakeAgent, cypher: Cypher, tmp_path: Path
) -> None:
    files = {"persistence": "files"}
    async with make_agent("Ok.", root=tmp_path, settings={**files, "enable_extraction": False}) as agent:
        lost = await agent.create_conversation()
        await lost.send_message(BROKEN)
        cypher("MATCH (m:Message {user_id: $user, seq: 1}) SET m:PendingExtraction", user=agent.user_id)
    for each in (tmp_path / "conversations").rglob("*.jsonl"):
        each.unlink()
    async with make_agent("Ok.", root=tmp_path, settings=files) as another:
        await (await another.create_conversation()).send_message(CODE)
        await another.drain()
    assert [each["content"] for each in cypher(NOTES, user=agent.user_id)] == [CODE]
    assert cypher("MATCH (m:PendingExtraction {user_id: $user}) RETURN m", user=agent.user_id) == []
