"""What no agent can do anything with is refused by one clear error, before anything is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock
from uuid import UUID

import pytest

from ragforge_memory import (
    CODE_SEARCH_TOOLS,
    AsyncConversation,
    AsyncConversationAgent,
    ConfigError,
    ConversationAgent,
    ConversationConfig,
    ConversationNotFound,
    InvalidInput,
    MessageNotFound,
    Neo4jConfig,
)
from ragforge_memory.api.state import reduce_messages
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.records import make_cursor
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.text import DEEPEST
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

Use = Callable[[AsyncConversationAgent, AsyncConversation], Awaitable[Any]]


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"in": value}
    return value


USES: dict[str, Use] = {
    "nothing but NULs": lambda _, c: c.send_message("\0 \0"),
    "metadata below the bottom": lambda _, c: c.send_message("hi", metadata=deep(5_000)),
    "a comparison with nothing": lambda _, c: c.compare(None),  # type: ignore[arg-type]
    "content that is not text": lambda a, _: a.invoke({"messages": [{"role": "user", "content": [1]}]}),
    "an import of NULs": lambda a, _: a.import_conversation([{"role": "user", "content": "\0"}]),
    "a word for seconds": lambda a, _: a.drain("x"),  # type: ignore[arg-type]
    "a context for no query": lambda _, c: c.build_context(query=" "),
    "a context with a word for yes": lambda _, c: c.build_context(include_summary="no"),  # type: ignore[arg-type]
    "more tags than may be": lambda a, _: a.create_conversation(tags=[str(number) for number in range(1_001)]),
    "a tag without end": lambda _, c: c.set_tags(["a", "x" * 501]),
    "metadata without end": lambda a, _: a.create_conversation(metadata={"a": "x" * 1_000_000}),
    "an import of a uuid that cannot be shown": lambda a, _: a.import_conversation(
        [{"role": "user", "content": "hi", "uuid": "\x1b]0;not a title\x07"}]
    ),
    "another list's cursor": lambda a, _: a.list_conversations(cursor=make_cursor("decisions", "2026-01-01Z", "x")),
    "an ingest with a number for progress": lambda a, _: a.ingest(progress=5),  # type: ignore[arg-type]
    "a history with a word for no": lambda _, c: c.get_history(include_tool_calls="no"),  # type: ignore[arg-type]
    "calls of a tool without a name": lambda _, c: c.get_tool_calls(""),
    "vectors of a word for a dimension": lambda a, _: a.reembed("hashing:h", dimension="many"),  # type: ignore[arg-type]
    "half a letter in a title": lambda a, _: a.create_conversation("half \ud800"),
    "a list for metadata": lambda a, _: a.create_conversation(metadata=[1]),  # type: ignore[arg-type]
    "metadata that is not JSON": lambda a, _: a.create_conversation(metadata={"x": object()}),
    "a list of none": lambda a, _: a.list_conversations(0),
}


async def test_it_is_refused_and_nothing_is_written(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        for what, use in USES.items():
            with pytest.raises(InvalidInput) as refused:
                await use(agent, conversation)
            assert refused.value.hint, what
        assert await conversation.get_history() == []
        assert len((await agent.list_conversations()).items) == 1


async def test_metadata_of_as_many_levels_as_may_be_comes_back_as_it_was(make_agent: MakeAgent) -> None:
    given = deep(DEEPEST - 1)
    async with make_agent("Hello.") as agent:
        conversation = await agent.create_conversation(metadata=given)
        await conversation.send_message("hi", metadata=given)
        assert (await conversation.get_history())[0].metadata == given
        assert (await agent.load_conversation(conversation.uuid)).metadata == given


async def test_a_uuid_is_found_as_others_write_it(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        uuid = (await agent.create_conversation()).uuid
        dashed = str(UUID(uuid))
        for written in (dashed, dashed.upper(), uuid.upper()):
            assert (await agent.load_conversation(written)).uuid == uuid
        session = await agent.open_conversation(dashed)
        assert (await agent.load_conversation(dashed)).uuid == session.uuid


async def test_what_is_not_there_is_told_with_what_to_do(make_agent: MakeAgent) -> None:
    async with make_agent("Hello.") as agent:
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("Hi")
        as_of, branch, receipt = conversation.as_of, conversation.branch, conversation.receipt
        for missing in (as_of("nope"), as_of(""), branch("nope"), receipt("nope")):
            with pytest.raises(MessageNotFound) as told:
                await missing
            assert "get_history" in (told.value.hint or "")
        await conversation.delete()
        for gone in (
            conversation.as_of(answer.message_id),
            conversation.receipt(),
            agent.load_conversation("nope"),
        ):
            with pytest.raises(ConversationNotFound) as told_gone:
                await gone
            assert "list" in (told_gone.value.hint or "")


@pytest.mark.parametrize(
    "setting",
    [{"system_prompt": "\ud800 be kind"}, {"max_context_messages": 10**30}, {"max_age_days": 10**30}],
)
def test_a_setting_that_cannot_work(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(setting))):
        ConversationConfig(**setting)


@pytest.mark.parametrize(
    "options",
    [{"config": 5}, {"embedder": "hashing"}, {"user_id": "u" * 501}, {"project": 5}, {"tools": "search_code"}],
)
def test_an_agent_that_cannot_be_made(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        AsyncConversationAgent(**options)


class Waits(HashingEmbedder):
    def embed_passages(self, texts: Any) -> Any:  # no `async`: an author's likeliest mistake
        return [self.vector(text) for text in texts]


class Answers(ScriptedProvider):
    async def stream(self, request: Any) -> Any:
        return "text"


@pytest.mark.parametrize(
    ("options", "says", "hint"),
    [
        ({"embedder": object()}, r"no provider, model, .*, embed_passages\(\) and aclose\(\)\n", "embeddings.md"),
        ({"embedder": Waits()}, r"embed_passages\(\) is not `async def`", "embeddings.md"),
        ({"llm_provider": ScriptedProvider}, "the class ScriptedProvider", "models.md"),
        ({"llm_provider": Answers()}, r"stream\(\) is no `async def` with `yield`", "models.md"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_model_or_an_embedder_is_refused_at_once(
    options: dict[str, Any], says: str, hint: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        ConversationAgent(**options)
    assert hint in str(refused.value.hint)
    assert str(refused.value).startswith(next(iter(options)))


def test_an_embedder_that_only_passes_on_is_taken() -> None:
    class Passing:
        """As a wrapper of an author's does: a method that is a partial, one that is wrapped, one that is an object."""

        provider, model, dimension, unrelated_cosine = "mine", "passing", 8, 0.0

        def __init__(self) -> None:
            inner = HashingEmbedder(8)
            self.embed_query = partial(inner.embed_query)
            self.embed_passages = wraps(inner.embed_passages)(lambda texts: inner.embed_passages(texts))
            self.aclose = AsyncMock()

    ConversationAgent(embedder=Passing())


def test_what_cannot_be_a_tool_is_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="a tool must be a function"):
        AsyncConversationAgent(tools=[5])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "address", ["http://localhost:7474", "bolt://[::1", "bolt://\ud800", Neo4jConfig("https://localhost")]
)
async def test_an_address_of_no_database(address: Any) -> None:
    with pytest.raises(ConfigError):
        await AsyncConversationAgent(address, llm_provider=ScriptedProvider([]), tools=[]).open()


def test_a_root_that_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(InvalidInput, match="is not a directory"):
            AsyncConversationAgent(root=root)


async def test_a_function_that_gives_no_driver() -> None:
    with pytest.raises(InvalidInput, match="no driver but str"):
        await AsyncConversationAgent(lambda: "no", llm_provider=ScriptedProvider([]), tools=[]).open()  # type: ignore[arg-type, return-value]


def test_an_id_may_be_nought() -> None:
    first = reduce_messages([], {"role": "user", "content": "one", "id": 0})
    assert [message["content"] for message in reduce_messages(first, {"role": "user", "content": "two", "id": 0})] == [
        "two"
    ]
    for bad in (None, "hi", 7):
        with pytest.raises(InvalidInput):
            reduce_messages([], bad)


async def test_a_time_that_is_none_is_said_to_the_model(make_agent: MakeAgent) -> None:
    calls = [
        ToolRequest("a", "search_conversation", {"query": "reports", "since": "today"}),
        ToolRequest("b", "recent_conversations", {"until": "soon"}),
        ToolRequest("c", "search_conversation", {"query": "reports", "since": "", "until": " 20991231 "}),
    ]
    async with make_agent(calls, "Done.", tools=CODE_SEARCH_TOOLS) as agent:
        answer = await (await agent.create_conversation()).send_message("Look.")
        assert [call.success for call in answer.tool_calls] == [False, False, True]
        for call in answer.tool_calls[:2]:
            assert "is not a time" in str(call.error)
            assert "2026-11-22" in str(call.error)  # how it is written


async def test_times_the_wrong_way_round_are_said_to_the_model(make_agent: MakeAgent) -> None:
    days = {"since": "2026-11-23", "until": "2026-11-22"}
    names = {"search_conversation": {"query": "reports"}, "recent_conversations": {}, "list_decisions": {}}
    calls = [ToolRequest(name, name, {**given, **days}) for name, given in names.items()]
    calls.append(ToolRequest("one day", "recent_conversations", {"since": "2026-11-23", "until": "2026-11-23"}))
    async with make_agent(calls, "Done.", tools=CODE_SEARCH_TOOLS) as agent:
        answer = await (await agent.create_conversation()).send_message("Look.")
        assert [call.success for call in answer.tool_calls] == [False, False, False, True]
        assert all("later than until" in str(call.error) for call in answer.tool_calls[:3])
        with pytest.raises(InvalidInput, match="later than until"):
            await agent.decisions(**days)


async def test_a_session_is_its_exact_name(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.") as agent:
        other = await agent.create_conversation("My Title")
        for session in ("My Title", other.uuid[:4]):
            state = await agent.invoke({"messages": [{"role": "user", "content": "hi"}], "session_id": session})
            assert state["session_id"] == session
        assert (await other.refresh()).message_count == 0


async def test_a_state_is_checked_whole_before_anything_is_written(make_agent: MakeAgent) -> None:
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    async with make_agent("Yes.") as agent:
        bad = [{"role": "user", "content": "a"}, {"role": "user", "content": "x" * 400_001}]
        with pytest.raises(InvalidInput):
            await agent.invoke({"messages": bad})
        assert len(await agent.list_conversations()) == 0
        given = [{"role": "user", "content": f"my key is {key}"}, {"role": "user", "content": "ok?"}]
        state = await agent.invoke({"messages": given})
        conversation = await agent.load_conversation(state["session_id"])
        assert key not in str(await conversation.get_history())


async def test_blanks_around_tags_are_no_part_of_them(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        made = [
            await agent.create_conversation(tags=[" a", "b c ", "a"]),
            await agent.open_conversation("s", tags=["a "]),
        ]
        assert [each.tags for each in made] == [("a", "b c"), ("a",)]
        assert {info.uuid for info in await agent.list_conversations(tags=["  a"])} == {each.uuid for each in made}
        await made[0].set_tags(["\td\n"])
        assert made[0].tags == ("d",)
        with pytest.raises(InvalidInput):
            await made[0].set_tags([" "])
