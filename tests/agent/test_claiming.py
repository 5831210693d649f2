"""Conversations that document 3's own Cypher made are conversations here, and go on here and there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.graph.claims import ClaimStore
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
from ragforge_memory.importers.exchange import NO_RESULT
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.agent.document_three import example, go_on_as_class, go_on_as_example, of_class
from tests.graph.filling import REFRESH
from tests.neo4j_servers import started

pytestmark = pytest.mark.anyio

Claimed = Callable[..., Awaitable[str]]


@pytest.fixture
async def claimed(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> Claimed:
    """Makes a conversation that nobody owns and opens an agent, until it is of the test's project: an agent of another
    test may be quicker."""

    async def make(form: Callable[..., str], *said: str) -> str:
        for _ in range(10):
            uuid = form(cypher, *said)
            async with make_agent():
                pass
            [row] = cypher("MATCH (c:Conversation {uuid: $uuid}) RETURN c.project AS project", uuid=uuid)
            if row["project"] == owner.project:
                return uuid
        pytest.fail("no conversation became this project's")

    return make


def nobodys(make_agent: MakeAgent, *steps: str) -> AsyncConversationAgent:
    """An agent of nobody in the test's project: whose what nobody owns becomes."""
    agent = make_agent(*steps)
    agent._owner = Owner("", agent._owner.project)
    return agent


FORMS = pytest.mark.parametrize("form", [example, of_class])


@FORMS
async def test_it_is_listed_loaded_and_searched(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, form: Callable[..., str]
) -> None:
    uuid = await claimed(form, "Where is the salt kept?", "decision: the salt is kept in the vault")
    cypher(REFRESH)
    async with nobodys(make_agent) as agent:
        [info] = (await agent.list_conversations()).items
        assert (info.uuid, info.message_count, info.status) == (uuid, 2, "active")
        assert info.title in ("Where is the salt kept?", "New Conversation")
        conversation = await agent.load_conversation(uuid)
        messages = await conversation.get_history()
        assert [(m.seq, m.role, m.conversation_id) for m in messages] == [(1, "user", uuid), (2, "assistant", uuid)]
        assert messages[1].in_reply_to == messages[0].uuid
        [call] = messages[1].tool_calls
        assert (call.message_id, call.success) == (messages[1].uuid, form is example)
        assert [hit.message.seq for hit in await conversation.search_history("salt", limit=1)] != []
        assert {hit.conversation_id for hit in await agent.search_messages("salt vault")} == {uuid}


@FORMS
async def test_it_goes_on(make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, form: Callable[..., str]) -> None:
    uuid = await claimed(form, "Where is the salt kept?", "In the vault.")
    async with nobodys(make_agent, "At night.") as agent:
        conversation = await agent.load_conversation(uuid)
        answer = await conversation.send_message("And when is it changed?")
        assert [m.content for m in answer.context_used.recent_messages][:2] == [
            "Where is the salt kept?",
            "In the vault.",
        ]
        assert [m.seq for m in await conversation.get_history()] == [1, 2, 3, 4]
    (go_on_as_example if form is example else go_on_as_class)(cypher, uuid, "By whom?", "By nobody.")
    async with nobodys(make_agent) as agent:
        conversation = await agent.load_conversation(uuid)
        assert conversation.message_count == 6
        messages = await conversation.get_history()
        assert [(m.seq, m.content) for m in messages[4:]] == [(5, "By whom?"), (6, "By nobody.")]
        assert [c.message_id for c in await conversation.get_tool_calls()] == [messages[1].uuid, messages[5].uuid]


async def test_a_long_one_with_dashes_in_its_uuid_goes_on(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed
) -> None:
    uuid = await claimed(of_class, "The salt is kept in the vault.", "Good.")
    for number in range(15):
        go_on_as_class(cypher, uuid, f"And number {number}?", "Yes.")
    async with nobodys(make_agent) as agent:
        pass
    cypher(REFRESH)
    async with nobodys(make_agent, "There.") as agent:
        conversation = await agent.load_conversation(uuid)
        answer = await conversation.send_message("Where was the salt kept?")
        assert [m.seq for m in await conversation.get_history()][-1] == 34
        assert "The salt is kept in the vault." in [m.message.content for m in answer.context_used.relevant_messages]


async def test_what_was_said_there_is_weighed_as_here(make_agent: MakeAgent, cypher: Cypher, claimed: Claimed) -> None:
    uuid = await claimed(of_class, "rule: no salt in logs", "Noted.")
    go_on_as_class(cypher, uuid, "correction: no salt and no pepper in logs", "Noted.")
    async with nobodys(make_agent) as agent:
        [corrected, stated] = (await agent.decisions()).items
        assert (stated.kind, stated.text) == ("rule", "rule: no salt in logs")
        assert corrected.kind == "rule"
        assert stated.corrected is not None


async def test_one_without_messages_and_one_of_an_archive(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed
) -> None:
    def empty(cypher: Cypher) -> str:
        [row] = cypher("CREATE (c:Conversation {uuid: randomUUID(), status: 'archived'}) RETURN c.uuid AS uuid")
        return str(row["uuid"])

    uuid = await claimed(empty)
    async with nobodys(make_agent) as agent:
        [info] = (await agent.list_conversations()).items
        assert (info.uuid, info.status, info.message_count, info.title) == (uuid, "archived", 0, None)


async def test_times_as_other_programs_write_them(make_agent: MakeAgent, cypher: Cypher, claimed: Claimed) -> None:
    def odd(cypher: Cypher) -> str:
        [row] = cypher(
            "CREATE (c:Conversation {uuid: randomUUID(), created_at: '2026-03-01T10:00:00Z'}) "
            "WITH c UNWIND [[1772359200000, 'one'], [1772359201000, 'two']] AS said "
            "CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', timestamp: said[0], "
            "content: said[1]}) "
            "RETURN DISTINCT c.uuid AS uuid"
        )
        return str(row["uuid"])

    uuid = await claimed(odd)
    async with nobodys(make_agent) as agent:
        conversation = await agent.load_conversation(uuid)
        said = await conversation.get_history()
        assert [m.content for m in said] == ["one", "two"]
        assert said[1].timestamp.isoformat() == "2026-03-01T10:00:01+00:00"
        assert conversation.info.updated_at == said[1].timestamp


async def test_times_are_put_in_order_whatever_they_are_written_as(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed
) -> None:
    def mixed(cypher: Cypher) -> str:
        said = [
            (1772359200000, "ms"),
            ("2026-03-01T11:00:01+01:00", "offset"),
            (1772359202, "seconds"),
            (1772359203.5, "parts of seconds"),
            ("2026-03-01T05:00:04-05:00", "west"),
            ("1772359205000", "digits"),
            ("2026-03-02", "day"),
            ("one day", "none"),
        ]
        [row] = cypher(
            "CREATE (c:Conversation {uuid: randomUUID()}) WITH c UNWIND $said AS said "
            "CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', timestamp: said[0], "
            "content: said[1]}) RETURN DISTINCT c.uuid AS uuid",
            said=[list(each) for each in (*said[4:], *said[:4])],
        )
        return str(row["uuid"])

    uuid = await claimed(mixed)
    async with nobodys(make_agent) as agent:
        said = await (await agent.load_conversation(uuid)).get_history()
        order = ["ms", "offset", "seconds", "parts of seconds", "west", "digits", "day", "none"]
        assert [m.content for m in said] == order
        assert [m.timestamp.isoformat()[11:19] for m in said[:6]] == [f"10:00:0{second}" for second in range(6)]


@pytest.mark.parametrize("seqs", [[0, 1, 2], ["1", "2", "3"], [0.5, 1.0, 2.0], [3, 2, 1]])
async def test_places_that_others_wrote_are_not_ours(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, seqs: list[object]
) -> None:
    def numbered(cypher: Cypher) -> str:
        [row] = cypher(
            "CREATE (c:Conversation {uuid: randomUUID(), head_seq: 7}) WITH c "
            "UNWIND range(0, size($seqs) - 1) AS i "
            "CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: toString(i), "
            "timestamp: datetime() + duration({seconds: i}), seq: $seqs[i], conversation_id: c.uuid}) "
            "RETURN DISTINCT c.uuid AS uuid",
            seqs=seqs,
        )
        return str(row["uuid"])

    uuid = await claimed(numbered)
    # And once more, into what is claimed.
    cypher(
        "MATCH (c:Conversation {uuid: $uuid}) CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', "
        "content: 'more', timestamp: datetime() + duration({seconds: 9}), seq: 9, conversation_id: $uuid})",
        uuid=uuid,
    )
    async with nobodys(make_agent, "Fine.") as agent:
        conversation = await agent.load_conversation(uuid)
        await conversation.send_message("And now?")
        said = await conversation.get_history()
        assert [(m.seq, m.content) for m in said[:4]] == [(1, "0"), (2, "1"), (3, "2"), (4, "more")]
        assert [m.seq for m in said[4:]] == [5, 6]


async def test_a_message_is_shown_where_it_hangs(make_agent: MakeAgent, cypher: Cypher, claimed: Claimed) -> None:
    def astray(cypher: Cypher) -> str:
        [row] = cypher(
            "CREATE (a:Conversation {uuid: randomUUID()}), (b:Conversation {uuid: randomUUID()}) "
            "CREATE (a)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'of a', seq: 1, "
            "conversation_id: b.uuid}), "
            "(b)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'of b'}) "
            "RETURN a.uuid + ' ' + b.uuid AS uuid"
        )
        uuids.extend(str(row["uuid"]).split())
        return uuids[-1]

    uuids: list[str] = []
    await claimed(astray)
    async with nobodys(make_agent) as agent:
        first, second = uuids[-2:]
        for uuid, said in ((first, "of a"), (second, "of b")):
            found = await (await agent.load_conversation(uuid)).get_history()
            assert [(m.seq, m.content) for m in found] == [(1, said)]


async def test_a_call_without_a_result_has_failed(make_agent: MakeAgent, cypher: Cypher, claimed: Claimed) -> None:
    def alone(cypher: Cypher) -> str:
        [row] = cypher(
            "CREATE (c:Conversation {uuid: randomUUID()})-[:HAS_MESSAGE]->(m:Message {uuid: randomUUID(), "
            "role: 'assistant', content: 'I look.', timestamp: datetime()}) "
            "CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: randomUUID(), tool_name: 'grep', arguments: '{}'}) "
            "CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: randomUUID(), tool_name: 'note', arguments: '{}', "
            "success: true}) RETURN c.uuid AS uuid"
        )
        return str(row["uuid"])

    uuid = await claimed(alone)
    async with nobodys(make_agent) as agent:
        conversation = await agent.load_conversation(uuid)
        [message] = await conversation.get_history()
        told = [(call.tool_name, call.success, call.error) for call in message.tool_calls]
        assert told == [("grep", False, NO_RESULT), ("note", True, None)]
        assert [call.tool_name for call in await conversation.get_tool_calls(success=False)] == ["grep"]


_OF_ANOTHER = {
    "a message": "(c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'secret', user_id: $user})",
    "a call": "(m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: randomUUID(), tool_name: 'grep', user_id: $user})",
    "a project's": "(c)-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'x', project: $user})",
}


@pytest.mark.parametrize("what", _OF_ANOTHER)
async def test_what_has_something_of_another_owner_is_left_alone(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, what: str
) -> None:
    user = f"bob-{uuid4().hex}"
    [row] = cypher(
        "CREATE (c:Conversation {uuid: randomUUID()})-[:HAS_MESSAGE]->(m:Message {uuid: randomUUID(), role: 'user', "
        f"content: 'open', seq: 0}}) CREATE {_OF_ANOTHER[what]} RETURN c.uuid AS uuid",
        user=user,
    )
    before = _all_of(cypher, row["uuid"])
    await claimed(of_class, "Another one?", "Yes.")
    assert _all_of(cypher, row["uuid"]) == before
    cypher("MATCH (c:Conversation {uuid: $uuid})-[*0..2]->(n) DETACH DELETE n", uuid=row["uuid"])


def _all_of(cypher: Cypher, uuid: str) -> list[dict[str, object]]:
    return cypher(
        "MATCH (c:Conversation {uuid: $uuid})-[*0..2]->(n) RETURN properties(n) AS properties ORDER BY n.uuid",
        uuid=uuid,
    )


async def test_a_uuid_that_is_a_number_is_in_nobodys_way(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, caplog: pytest.LogCaptureFixture
) -> None:
    number = uuid4().int >> 66
    cypher(
        "CREATE (:Conversation {uuid: $number, status: 'active'})"
        "-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'hi'})",
        number=number,
    )
    try:
        await claimed(of_class, "Who is that?", "A number.")
        assert "not taken over" not in caplog.text
        [row] = cypher("MATCH (c:Conversation {uuid: $number}) RETURN c.project AS project", number=number)
        assert row["project"] is None
    finally:
        cypher("MATCH (c:Conversation {uuid: $number})-[*0..1]->(n) DETACH DELETE n", number=number)


async def test_one_that_cannot_be_claimed_costs_itself(
    make_agent: MakeAgent, cypher: Cypher, claimed: Claimed, caplog: pytest.LogCaptureFixture
) -> None:
    # Somebody else has a message at the place that is to be given: nobody may take it away from there.
    [row] = cypher(
        "CREATE (c:Conversation {uuid: '0' + randomUUID()})"
        "-[:HAS_MESSAGE]->(:Message {uuid: randomUUID(), role: 'user', content: 'hi'}) "
        "CREATE (o:Message {uuid: randomUUID(), user_id: $user, conversation_id: c.uuid, seq: 1}) "
        "RETURN c.uuid AS uuid, o.uuid AS other",
        user=f"bob-{uuid4().hex}",
    )
    try:
        await claimed(of_class, "And this one?", "It is.")
        assert f"the conversation {row['uuid']!r} of another program is not taken over" in caplog.text
    finally:
        cypher("MATCH (n) WHERE n.uuid IN [$uuid, $other] DETACH DELETE n", **row)


async def test_a_conversation_of_somebody_that_others_went_on_with(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("Here.") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where?")
        branch = await conversation.branch()
    for uuid in (conversation.uuid, branch.uuid):
        go_on_as_class(cypher, uuid, "And there?", "There too.")
    async with make_agent() as agent:
        for uuid in (conversation.uuid, branch.uuid):
            messages = await (await agent.load_conversation(uuid)).get_history()
            assert [m.content for m in messages] == ["Where?", "Here.", "And there?", "There too."]
            assert [m.seq for m in messages] == [1, 2, 3, 4]
            assert messages[-1].user_id == agent.user_id


@pytest.fixture(scope="module")
def scratch_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jConfig]:
    """A server that nothing was written to yet."""
    with started(DEFAULT_VERSION, tmp_path_factory) as config:
        yield config


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_before_and_after_the_first_contact(scratch_config: Neo4jConfig, make_agent: MakeAgent) -> None:
    login = (scratch_config.username or "neo4j", scratch_config.password)
    with neo4j.GraphDatabase.driver(scratch_config.uri, auth=login) as driver:

        def cypher(text: str, **parameters: object) -> list[dict[str, object]]:
            return [record.data() for record in driver.execute_query(text, parameters, database_="neo4j").records]

        before = [example(cypher, "One?", "1"), of_class(cypher, "Two?", "2")]
        after: list[str] = []
        for _ in range(2):
            agent = make_agent("More.", "More.", "More.", "More.", neo4j=scratch_config)
            agent._owner = Owner("", agent._owner.project)
            async with agent:
                listed = {info.uuid for info in (await agent.list_conversations()).items}
                assert listed == {*before, *after}
                for uuid in listed:
                    conversation = await agent.load_conversation(uuid)
                    begun = conversation.message_count
                    await conversation.send_message("And more?")
                    assert [m.seq for m in await conversation.get_history()] == list(range(1, begun + 3))
            if not after:
                after = [example(cypher, "Three?", "3"), of_class(cypher, "Four?", "4")]


async def test_one_without_messages_is_claimed_once(neo4j_config: Neo4jConfig, cypher: Cypher) -> None:
    client = await connect(neo4j_config)
    owners = [Owner("", f"{uuid4().hex}-{side}") for side in "ab"]
    stores = [ClaimStore(client, each, summarize_every=10, generate_titles=False) for each in owners]
    try:
        for _ in range(10):  # an agent of another test may be quicker
            [row] = cypher("CREATE (c:Conversation {uuid: randomUUID()}) RETURN c.uuid AS uuid")
            found = [await store.unclaimed(row["uuid"], []) for store in stores]
            both = zip(stores, found, strict=True)
            claimed = [each is not None and await store.claim(each, [], title=None) for store, each in both]
            if any(claimed):
                assert claimed == [True, False]
                return
        pytest.fail("no conversation was there to be claimed")
    finally:
        await client.aclose()
