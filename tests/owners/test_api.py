"""Two owners with the same texts, through the API and the command line: the other's uuids name nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from uuid import uuid4

import pytest

from ragforge_memory import (
    AsyncConversation,
    AsyncConversationAgent,
    ConversationNotFound,
    MessageNotFound,
    ToolCall,
)
from ragforge_memory.agent.search.messages import search
from ragforge_memory.errors import NotFound, SpaceMoved
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.spaces import Space
from ragforge_memory.graph.text import owner_token
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.declare import tool

pytestmark = pytest.mark.anyio

MakeAgent = Callable[..., AsyncConversationAgent]

# Who asks, and whose it is: (user, project), with U and P for names of the test's own.
PAIRS: dict[str, tuple[tuple[str | None, str | None], tuple[str | None, str | None]]] = {
    "another user": (("U", "P"), ("U2", "P")),
    "another project": (("U", "P"), ("U", "P2")),
    "nobody asks": ((None, "P"), ("U", "P")),
    "of neither": (("U", "P"), (None, None)),
}


@tool
def look() -> str:
    """Looks."""
    return "a lighthouse"


@dataclass
class Two:
    """Two agents, each with a conversation of the same session, title and texts."""

    mine: AsyncConversationAgent
    other: AsyncConversationAgent
    my_conversation: AsyncConversation
    their_conversation: AsyncConversation
    word: str

    @property
    def stolen(self) -> AsyncConversation:
        """Their conversation in my hands."""
        return AsyncConversation(self.mine, self.their_conversation.info)


@pytest.fixture(scope="module", params=PAIRS, ids=lambda name: name.replace(" ", "-"))
async def two(request: pytest.FixtureRequest, agent_of: MakeAgent) -> AsyncIterator[Two]:
    word = f"word{uuid4().hex[:12]}"
    owners = [tuple(None if name is None else f"{name}-{word}" for name in owner) for owner in PAIRS[request.param]]
    steps = [[ToolRequest("c", "look", {})], f"I saw {word}.", "And once more.", "And again."]
    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(agent_of(*owner, *steps, tools=[look])) for owner in owners]
        conversations = []
        for agent in agents:
            conversation = await agent.open_conversation(f"session {word}", title=f"Title {word}", tags=[word])
            await conversation.send_message(f"What of {word}?")
            conversations.append(conversation)
        yield Two(agents[0], agents[1], conversations[0], conversations[1], word)
        for conversation in conversations:
            # Owners without a name are everybody's: nothing is left with them.
            try:
                await conversation.delete()
            except NotFound:
                continue


async def test_conversations_of_others_cannot_be_loaded(two: Two) -> None:
    uuid = two.their_conversation.uuid
    for reference in (uuid, uuid[:12]):
        with pytest.raises(ConversationNotFound):
            await two.mine.load_conversation(reference)
    for reference in (f"session {two.word}", f"Title {two.word}"):
        assert (await two.mine.load_conversation(reference)).uuid == two.my_conversation.uuid


async def test_conversations_of_others_are_not_listed(two: Two) -> None:
    listed = {info.uuid for info in await two.mine.list_conversations(1_000, tags=[two.word])}
    assert listed == {two.my_conversation.uuid}
    assert two.their_conversation.uuid not in {info.uuid for info in await two.mine.list_conversations(1_000)}


async def test_messages_and_tool_calls_of_others_are_not_read(two: Two) -> None:
    with pytest.raises(ConversationNotFound):
        await two.stolen.get_history()
    with pytest.raises(ConversationNotFound):
        await two.stolen.refresh()
    with pytest.raises(ConversationNotFound):
        await two.stolen.get_tool_calls()
    assert len(await two.their_conversation.get_tool_calls()) == 1
    theirs = (await two.their_conversation.get_history())[-1]
    with pytest.raises(MessageNotFound):
        await two.my_conversation.get_history(before_message_id=theirs.uuid)


async def test_conversations_of_others_are_not_changed(two: Two) -> None:
    before = await two.their_conversation.refresh(), await two.their_conversation.get_history()
    for change in (
        lambda: two.stolen.set_title("stolen"),
        lambda: two.stolen.set_tags(["stolen"]),
        two.stolen.archive,
        two.stolen.unarchive,
        two.stolen.delete,
        lambda: two.stolen.send_message("Are you there?"),
        lambda: _streamed(two.stolen),
        two.stolen.save,
    ):
        with pytest.raises(ConversationNotFound):
            await change()
    assert (await two.their_conversation.refresh(), await two.their_conversation.get_history()) == before


async def _streamed(conversation: AsyncConversation) -> None:
    async with conversation.stream_message("Are you there?") as stream:
        async for _ in stream:
            pass
    _ = stream.response


async def test_search_finds_ones_own_alone(two: Two) -> None:
    services = await two.mine.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    mine, theirs = two.my_conversation.uuid, two.their_conversation.uuid
    found = await two.mine.search_messages(two.word, limit=100)
    assert {each.conversation_id for each in found} == {mine}
    assert len(found) == 2
    for named in (theirs, f"{theirs} OR {mine}", f'{theirs}" "{mine}'):
        with pytest.raises(ConversationNotFound):
            await search(services, two.word, limit=100, conversation_id=named)
    # Words that mean something to Lucene are words here.
    others = Owner.of(two.other.user_id, two.other.project)
    for query in (f'{two.word}" OR owner_token:x', f"+owner_token:* OR {two.word}", f"{others.user_id} {two.word}"):
        assert theirs not in {each.conversation_id for each in await two.mine.search_messages(query, limit=100)}


# --- background work and journals -------------------------------------------------------------------------------------


async def test_stores_take_no_uuids_of_others(two: Two, client: GraphClient) -> None:
    store = MessageStore(client, Owner.of(two.mine.user_id, two.mine.project))
    theirs = await two.their_conversation.get_history()
    assert await store.known([message.uuid for message in theirs]) == {}
    await store.mark_unanswered(theirs[-1].uuid)
    await store.fail_embeddings([message.uuid for message in theirs])
    with suppress(SpaceMoved):  # where the project has chosen a model already
        await store.store_embeddings(Space("thief", 2, 999), {theirs[0].uuid: [1.0, 0.0]})
    assert await two.their_conversation.get_history() == theirs
    rows = await client.run_schema("MATCH (m:Message {uuid: $uuid}) RETURN keys(m) AS keys", uuid=theirs[0].uuid)
    assert "embedding_999" not in rows[0]["keys"]
    assert "attempts" not in rows[0]["keys"]


# --- code: a project's alone ------------------------------------------------------------------------------------------


@pytest.fixture
async def scopes(client: GraphClient, owner: Owner) -> AsyncIterator[dict[str, str]]:
    """The same function in two projects; project → uuid."""
    projects = {name: uuid4().hex for name in (owner.project, owner.project + "-2")}
    for project, uuid in projects.items():
        await client.run_schema(
            "CREATE (p:Project {uuid: $uuid + 'p', project: $project, rootPath: '/x', revision: 1}) "
            "CREATE (:File {uuid: $uuid + 'f', project: $project, path: 'sea.py', hash: 'h'}) "
            "CREATE (:Scope {uuid: $uuid, project: $project, name: 'tide', qualified_name: 'Sea.tide', "
            "type: 'function', file: 'sea.py', language: 'python', startLine: 1, endLine: 2, definition_line: 1, "
            "signature: 'def tide()', source: $project, hash: 'h', words: 'sea tide', role: 'product', "
            "project_token: $token})",
            token=owner_token("", project),
            uuid=uuid,
            project=project,
        )
    yield projects
    for project in projects:
        for label in ("Scope", "File", "Project"):
            await client.run_schema(f"MATCH (n:{label} {{project: $project}}) DETACH DELETE n", project=project)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_scope", {"name": "tide"}),
        ("outline", {"target": "sea.py"}),
        ("search_code", {"query": "tide"}),
    ],
)
async def test_tools_know_the_code_of_their_project_alone(
    agent_of: MakeAgent, scopes: dict[str, str], owner: Owner, name: str, arguments: dict[str, str]
) -> None:
    theirs = scopes[owner.project + "-2"]

    async def call(project: str | None) -> ToolCall:
        steps = [[ToolRequest("c", name, arguments)], "Well."]
        async with agent_of(owner.user_id, project, *steps, tools=CODE_SEARCH_TOOLS) as agent:
            conversation = await agent.create_conversation()
            [made] = (await conversation.send_message("Look.")).tool_calls
            await conversation.delete()
        return made

    own, nobodys = await call(owner.project), await call(None)
    assert own.success, own.error
    for made in (own, nobodys):
        told = json.dumps([made.result, made.error])
        assert owner.project + "-2" not in told
        assert theirs not in told
    assert "Sea.tide" not in json.dumps(nobodys.result)
