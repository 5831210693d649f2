"""Plain lists from elsewhere: recognised, checked whole, written once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import InvalidInput, Neo4jConfig
from tests.search.conftest import Searching

pytestmark = pytest.mark.anyio

Cypher = Callable[..., list[dict[str, Any]]]


def record(content: str = "hello", role: str = "user", **more: Any) -> dict[str, Any]:
    """A record of a plain list."""
    return {"role": role, "content": content, **more}


async def test_what_was_given_is_there_in_its_order(searching: Searching, either_config: Neo4jConfig) -> None:
    names = [uuid4().hex for _ in range(2)]
    data = [
        record("How is `parse_header` called?", timestamp="2024-05-01T10:00:00+02:00", uuid=names[0]),
        record("From read_all.", "ai", timestamp=1714550500, metadata={"from": "elsewhere"}),
        record("Thanks.", "human", timestamp=datetime(2020, 1, 1)),
        record("No trouble.", "assistant", uuid=names[1]),
    ]
    async with searching(config=either_config) as agent:
        conversation = await agent.import_conversation(data)
        history = await conversation.get_history()
        assert [message.content for message in history] == [each["content"] for each in data]
        assert [message.seq for message in history] == [1, 2, 3, 4]
        assert [message.role for message in history] == ["user", "assistant", "user", "assistant"]
        assert [history[0].uuid, history[3].uuid] == names
        assert history[0].timestamp == datetime(2024, 5, 1, 8, tzinfo=UTC)
        assert history[1].timestamp == datetime(2024, 5, 1, 8, 1, 40, tzinfo=UTC)
        assert history[1].metadata == {"from": "elsewhere"}
        assert history[2].timestamp == datetime(2020, 1, 1, tzinfo=UTC)
        assert [message.in_reply_to for message in history] == [None, history[0].uuid, None, history[2].uuid]
        assert (conversation.message_count, conversation.info.head_seq) == (4, 4)
        assert conversation.title == "How is `parse_header` called?"
        assert await agent.drain() == {}
        [hit] = await conversation.search_history("parse header", limit=1)
        assert hit.matched_by == ("text", "meaning")


async def test_it_goes_on_like_any_other(searching: Searching) -> None:
    async with searching("Still here.") as agent:
        conversation = await agent.import_conversation(json.dumps([record("one"), record("two", "assistant")]))
        await conversation.send_message("three")
        assert [message.seq for message in await conversation.get_history()] == [1, 2, 3, 4]


async def test_a_bad_record_is_named_and_nothing_is_written(searching: Searching) -> None:
    odd: list[tuple[Any, str]] = [
        ("text", "a message is a mapping"),
        (record(""), "its content is empty"),
        (record(role="narrator"), "there is no role 'narrator'"),
        (record(timestamp="soon"), "not a time: 'soon'"),
        (record("another", uuid="known"), "its uuid is that of record 0"),
        (record(calls=[]), "unknown key 'calls'"),
    ]
    async with searching() as agent:
        for bad, why in odd:
            with pytest.raises(InvalidInput, match="record 1: ") as caught:
                await agent.import_conversation([record(uuid="known"), bad])
            assert why in str(caught.value)
        assert len(await agent.list_conversations()) == 0


async def test_what_is_no_conversation_is_refused(searching: Searching) -> None:
    async with searching() as agent:
        for data in ([], "{", 7, [{"content": "x"}]):
            with pytest.raises(InvalidInput):
                await agent.import_conversation(data)
        with pytest.raises(InvalidInput):
            await agent.import_conversation([record()], on_conflict="overwrite")  # type: ignore[arg-type]  # there is none such


async def test_what_is_here_already(searching: Searching, cypher: Cypher) -> None:
    name = uuid4().hex
    data = [record("first", uuid=name), record("second", "assistant")]
    async with searching() as agent:
        one = await agent.import_conversation(data)
        with pytest.raises(InvalidInput, match=f"record 0: message {name} is in conversation {one.uuid} already"):
            await agent.import_conversation(data)
        assert (await agent.import_conversation(data, on_conflict="skip")).uuid == one.uuid
        assert len(await agent.list_conversations()) == 1
        two = await agent.import_conversation(data, on_conflict="copy")
        copied = (await two.get_history())[0]
        assert two.uuid != one.uuid
        assert copied.uuid != name
        [row] = cypher("MATCH (m:Message {uuid: $uuid}) RETURN m.source_uuid AS source", uuid=copied.uuid)
        assert row["source"] == name


async def test_a_uuid_of_somebody_else_is_replaced_without_a_word(searching: Searching, cypher: Cypher) -> None:
    name = uuid4().hex
    async with searching(user_id="somebody else") as other, searching() as agent:
        theirs = await other.import_conversation([record("secret", uuid=name)])
        mine = await agent.import_conversation([record("open", uuid=name)])
        [message] = await mine.get_history()
        assert message.uuid != name
        [kept] = await theirs.get_history()
        assert (kept.uuid, kept.content) == (name, "secret")
        [row] = cypher("MATCH (m:Message {uuid: $uuid}) RETURN m.source_uuid AS source", uuid=message.uuid)
        assert row["source"] == name


async def test_secrets_are_redacted(searching: Searching) -> None:
    async with searching() as agent:
        conversation = await agent.import_conversation([record("the key is AKIAIOSFODNN7EXAMPLE, keep it")])
        assert "AKIAIOSFODNN7EXAMPLE" not in (await conversation.get_history())[0].content
        assert "AKIAIOSFODNN7EXAMPLE" not in str(conversation.title)
