"""Conversations that document 3's own Cypher made are conversations here, and go on here and there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import neo4j
import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
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
