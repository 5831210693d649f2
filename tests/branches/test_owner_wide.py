"""What an owner asks of all conversations finds what living branches share of a deleted one, and says it is theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, MessageNotFound, Neo4jConfig
from ragforge_memory.agent.search.candidates import question_vector
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.search import EVERYTHING, Filters, SearchStore
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.graph.conftest import either_config

__all__ = ["either_config"]

pytestmark = pytest.mark.anyio

ANSWER = "The quokka is fed by `feed_quokka`."
LATER = "The axolotl is fed by nobody; see `feed_quokka`."
PLACE = [("zoo.py", "feed_quokka")]


@dataclass
class Family:
    """A deleted conversation; ``short`` shares its first turn, ``long`` its first two, the third was nobody's."""

    agent: AsyncConversationAgent
    short: AsyncConversation
    long: AsyncConversation
    shared: list[str]
    references: ReferenceStore
    searches: SearchStore
    parent: str


@pytest.fixture
async def family(either_config: Neo4jConfig, owner: Owner, tmp_path: Path) -> AsyncIterator[Family]:
    """On a server of either line."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "zoo.py").write_text("def feed_quokka(amount):\n    return amount * 2\n")
    agent = AsyncConversationAgent(
        either_config,
        llm_provider=ScriptedProvider([ANSWER, LATER, "A secret of `feed_quokka`.", "b1", "b2", "b3"]),
        embedder=HashingEmbedder(64),
        config=ConversationConfig(enable_summarization=False),
        user_id=owner.user_id,
        project=owner.project,
        root=root,
    )
    async with agent:
        await agent.ingest()
        parent = await agent.create_conversation("Zoo", tags=["zoo"])
        for question in ("Who feeds it?", "And the other?", "What else?"):
            await parent.send_message(question)
        shared = [message.uuid for message in await parent.get_history()]
        long = await parent.branch(shared[3], title="Long")
        short = await parent.branch(shared[1], title="Short")
        await long.set_tags(["long"])
        await short.set_tags(["short"])
        await long.send_message("Go on.")
        await short.send_message("Go on here.")
        await agent.drain()
        await parent.delete()
        services = await agent.open()
        await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        assert services.stores.searches is not None
        yield Family(
            agent,
            short,
            long,
            shared,
            ReferenceStore(services.stores.graph, services.place.owner),
            services.stores.searches,
            parent.uuid,
        )


async def _found(family: Family, query: str, **filters: object) -> dict[str, str]:
    """What a search over all finds: text → the conversation that it is told as."""
    hits = await family.agent.search_messages(query, limit=20, **filters)  # type: ignore[arg-type]
    assert all(hit.message.conversation_id == hit.conversation_id for hit in hits)
    return {hit.message.content: hit.conversation_id for hit in hits}


async def _by_list(family: Family, query: str, filters: Filters = EVERYTHING) -> list[set[int]]:
    """The seqs of the deleted conversation in each of the two lists of candidates."""
    words = await family.searches.by_words(["quokka", "axolotl", "secret"], conversation_id=None, filters=filters)
    vector = await question_vector((await family.agent.open()).models.embedder, query, stored=True)
    near = await family.searches.by_meaning(vector, conversation_id=None, filters=filters)
    return [{hit.seq for hit in hits.items if hit.conversation_id == family.parent} for hits in (words, near)]


async def test_what_is_shared_is_found_as_a_living_branchs(family: Family) -> None:
    words, near = await _by_list(family, ANSWER)
    assert words == {2, 4}
    assert near == {1, 2, 3, 4}
    found = await _found(family, "quokka axolotl secret")
    # Both have the first turn and the last that spoke tells it; only the longer one has the second.
    assert (found[ANSWER], found[LATER]) == (family.short.uuid, family.long.uuid)
    assert "A secret of `feed_quokka`." not in found
    # A branch that is searched tells it as its own.
    for branch in (family.short, family.long):
        hits = await branch.search_history("quokka")
        assert hits[0].message.content == ANSWER
        assert {hit.conversation_id for hit in hits} == {branch.uuid}
    # Filters look at the branch.
    assert (await _found(family, "quokka", tags=["long"]))[ANSWER] == family.long.uuid
    assert (await _found(family, "quokka", tags=["short"]))[ANSWER] == family.short.uuid
    assert LATER not in await _found(family, "axolotl", tags=["short"])
    assert await _found(family, "quokka", tags=["zoo"]) == {}
    # So few fit that what is there is compared one by one.
    assert await _by_list(family, ANSWER, Filters(tags=("short",))) == [{2}, {1, 2}]
    await family.long.send_message("Once more.")
    assert (await _found(family, "quokka"))[ANSWER] == family.long.uuid


async def test_with_one_of_two_branches_gone_the_other_has_it(family: Family) -> None:
    infos = await family.agent.conversations_about("feed_quokka")
    assert {info.uuid for info in infos} == {family.short.uuid, family.long.uuid}
    ties = {info.uuid: {tie.message_id for tie in info.references} for info in infos}
    assert ties == {family.short.uuid: {family.shared[1]}, family.long.uuid: {family.shared[3]}}
    # A change of the code names what is shared.
    tied = {each.message.uuid: each for each in await family.references.on_places(PLACE)}
    assert set(tied) == {family.shared[1], family.shared[3]}
    assert tied[family.shared[1]].message.conversation_id == family.short.uuid
    assert (tied[family.shared[3]].message.conversation_id, tied[family.shared[3]].title) == (family.long.uuid, "Long")

    await family.long.delete()
    [info] = await family.agent.conversations_about("feed_quokka")
    assert (info.uuid, [tie.message_id for tie in info.references]) == (family.short.uuid, [family.shared[1]])
    found = await _found(family, "quokka axolotl")
    assert found[ANSWER] == family.short.uuid
    assert LATER not in found
    assert await _by_list(family, ANSWER) == [{2}, {1, 2}]
    assert [tied.message.conversation_id for tied in await family.references.on_places(PLACE)] == [family.short.uuid]
    await family.short.delete()
    assert await _found(family, "quokka axolotl") == {}
    assert await family.references.on_places(PLACE) == []


async def test_a_shared_message_is_tied_to_code(family: Family) -> None:
    [tie] = await family.short.reference_code(family.shared[0], ["feed_quokka"], "edited")
    assert (tie.message_id, tie.kind) == (family.shared[0], "edited")
    with pytest.raises(MessageNotFound):
        await family.short.reference_code(family.shared[3], ["feed_quokka"], "edited")
    await family.short.delete()
    await family.long.reference_code(family.shared[3], ["feed_quokka"], "edited")
    await family.long.delete()
    with pytest.raises(MessageNotFound):
        await family.references.add(family.shared[0], ["feed_quokka"], "read")


async def test_what_a_tool_gave_in_a_shared_turn_is_read_whole(family: Family) -> None:
    services = await family.agent.open()
    call = family.shared[3] + "0"
    await services.stores.graph.run_schema(
        "MATCH (m:Message {uuid: $message}) CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: $call, message_id: m.uuid, "
        "index: 0, tool_name: 'look', arguments: '{}', success: true, timestamp: datetime()})"
        "-[:PRODUCED_RESULT]->(:ToolResult {uuid: $call, success: true, result: 'seen', timestamp: datetime()})",
        message=family.shared[3],
        call=call,
    )
    found = await services.stores.messages.tool_result(call)
    assert found is not None
    assert found.result == "seen"
    await family.long.delete()
    assert await services.stores.messages.tool_result(call) is None
