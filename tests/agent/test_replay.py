"""What waits in a journal is stored once and in order: by another process, by two, beside others, after deletes."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragforge_memory import ConversationNotFound, GraphError, Neo4jConfig, events
from ragforge_memory.agent import finding
from ragforge_memory.agent.turns import keeping
from ragforge_memory.api import doctor
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.journal import JournalFile
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.agent.elsewhere import ROOT, place_of
from tests.agent.outages import LONGEST_TURN, TenTurns, proxied

pytestmark = [pytest.mark.anyio, pytest.mark.long]


async def opened_elsewhere(config: Neo4jConfig, owner: Owner, home: Path) -> None:
    """Another process opens the graph with this home, and ends."""
    place = place_of(config, owner)
    place["uri"] = config.uri.replace("127.0.0.1", "localhost")  # the same database, however it is written
    command = [sys.executable, "-m", "tests.agent.elsewhere", json.dumps(place)]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env={**os.environ, "RAGFORGE_HOME": str(home)})
    assert await process.wait() == 0


async def opened(make_agent: MakeAgent, config: Neo4jConfig) -> None:
    """Another agent opens the graph with the same home, as another process would, and ends."""
    async with make_agent(neo4j=config):
        pass


async def nothing() -> None:
    """Heals nothing."""


async def interrupted(make_agent: MakeAgent, config: Neo4jConfig, proxy: Any) -> tuple[TenTurns, str]:
    """Ten turns, struck in the fourth, of a process that ends before the graph is back."""
    story = TenTurns(proxy.end, nothing)
    async with make_agent(*story.script(), neo4j=config, tools=story.tools) as agent:
        conversation = await agent.create_conversation()
        await story.run(conversation)
        assert story.degraded() == [4, 5, 6, 7, 8, 9, 10]
    await proxy.recover()
    return story, conversation.uuid


async def test_two_processes_that_store_the_same_at_once(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner, home: Path, tmp_path: Path
) -> None:
    """Two with the same home, and one more that has the same lines from a copy of it."""
    async with proxied(neo4j_config) as (proxy, config):
        story, uuid = await interrupted(make_agent, config, proxy)
        check = doctor.check_journals(home)
        assert check.detail.startswith(f"7 turns wait for localhost:{urlsplit(config.uri).port}/neo4j since 20")
        shutil.copytree(home, tmp_path / "copy")
        homes = [home, home, tmp_path / "copy"]
        await asyncio.gather(*(opened_elsewhere(config, owner, each) for each in homes))
        assert list((home / "journal").iterdir()) == []
        assert doctor.check_journals(home).detail == "no turns wait to be stored"
        async with make_agent(neo4j=neo4j_config) as agent:
            conversation = await agent.load_conversation(uuid)
            assert story.faults(await conversation.get_history()) == []


async def test_others_have_written_meanwhile(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    async with (
        proxied(neo4j_config) as (proxy, config),
        make_agent("One.", "Two.", "Three.", neo4j=config) as agent,
        make_agent("Other.") as other,
    ):
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        await proxy.end()
        await conversation.send_message("second")
        await conversation.send_message("third")
        await (await other.load_conversation(conversation.uuid)).send_message("from elsewhere")
        await proxy.recover()
        history = await conversation.get_history()
        assert [each.content for each in history] == [
            *("first", "One.", "from elsewhere", "Other.", "second", "Two.", "third", "Three.")
        ]
        assert [each.seq for each in history] == list(range(1, 9))
        # The receipt names what the answer was really given, at the places where that is now.
        snapshot = await conversation.as_of(history[-1].uuid)
        assert snapshot.exact
        assert snapshot.prompt is not None
        assert [each["content"] for each in snapshot.prompt.messages] == ["first", "One.", "second", "Two.", "third"]


async def test_what_was_deleted_meanwhile_stays_deleted(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, home: Path, cypher: Callable[..., Any]
) -> None:
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", "Two.", "Three.", "Four.", neo4j=config) as agent, make_agent() as other:
            gone, kept = await agent.create_conversation(), await agent.create_conversation()
            await gone.send_message("first")
            await proxy.end()
            await gone.send_message("secret")
            await kept.send_message("kept")
            await (await other.load_conversation(gone.uuid)).delete()
            await proxy.recover()
            async with asyncio.timeout(30):
                await (await agent.open()).background.outage.over()
            assert len(await kept.get_history()) == 2
            with pytest.raises(ConversationNotFound):
                await gone.get_history()
            with pytest.raises(ConversationNotFound):
                await gone.send_message("again")
        await opened(make_agent, config)
        assert not [path for path in (home / "journal").iterdir() if "secret" in path.read_text()]
        assert doctor.check_journals(home).ok
        assert cypher("MATCH (c:Conversation {uuid: $uuid}) RETURN c", uuid=gone.uuid) == []


async def test_a_conversation_that_was_begun_meanwhile_and_deleted_is_begun_once(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", neo4j=config) as agent:
            known = await agent.create_conversation()
            await proxy.end()
            begun = await agent.create_conversation("Begun")
            await begun.send_message("first")
        await proxy.recover()
        await opened(make_agent, config)
        async with make_agent() as other:
            conversation = await other.load_conversation(begun.uuid)
            assert [each.content for each in await conversation.get_history()] == ["first", "One."]
            await conversation.delete()
        await opened(make_agent, config)
        async with make_agent() as other:
            assert [each.uuid for each in await other.list_conversations()] == [known.uuid]


async def test_lines_of_another_database_are_set_aside(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, home: Path
) -> None:
    """The address is the same and the database is not: nobody deleted this conversation, it was never here."""
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", neo4j=config) as agent:
            conversation = await agent.create_conversation()
            await proxy.end()
            await conversation.send_message("do not lose me")
        [path] = (home / "journal").glob("*.jsonl")
        async with make_agent() as elsewhere:
            birth = (await elsewhere.open()).stores.graph_birth
        path.write_text(path.read_text().replace(birth, "another").replace(conversation.uuid, "f" * 32))
        await proxy.recover()
        await opened(make_agent, config)
        check = doctor.check_journals(home)
        assert not check.ok
        assert check.detail.startswith("1 set aside in ")
        [aside] = (home / "journal").glob("*.aside")
        assert "do not lose me" in aside.read_text()
        assert "One." in aside.read_text()
        assert not list((home / "journal").glob("*.jsonl"))


class Forbidden(Exception):
    """As the driver says that another tool's constraint forbids it."""

    code = "Neo.ClientError.Schema.ConstraintValidationFailed"


@pytest.mark.parametrize("full", [False, True], ids=["there is room", "a full disk"])
async def test_a_conversation_that_the_graph_will_never_take(
    full: bool, make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """What was said in it is set aside with it, and where the disk refuses that too it stays in the journal."""

    async def refused(*_: Any, **__: Any) -> None:
        raise GraphError("a constraint forbids it") from Forbidden()

    def no_room(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", "Two.", neo4j=config) as agent:
            other = await agent.create_conversation()
            await proxy.end()
            await (await agent.create_conversation()).send_message("do not lose me")
            monkeypatch.setattr(ConversationStore, "create", refused)
            if full:
                monkeypatch.setattr(JournalFile, "set_aside", no_room)
            await proxy.recover()
            async with asyncio.timeout(LONGEST_TURN):
                await (await agent.open()).background.outage.over()
                assert (await other.send_message("and you?")).degraded == ()
        [kept] = (home / "journal").glob("*.jsonl" if full else "*.aside")
        assert "do not lose me" in kept.read_text()
        assert "One." in kept.read_text()
        if full:
            monkeypatch.undo()
            monkeypatch.setenv("RAGFORGE_HOME", str(home))
            await opened(make_agent, config)
            assert not list((home / "journal").iterdir())


async def test_a_full_disk(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """While the graph is there it costs the journal alone; while it is away the turn says that it is not kept."""
    write, full = os.write, False

    def refusing(descriptor: int, data: Any) -> int:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr("ragforge_memory.graph.journal.os.write", refusing)
    provider = ScriptedProvider(["One.", "Two.", "Three.", "Four.", "Five."])
    async with proxied(neo4j_config) as (proxy, config), make_agent(provider=provider, neo4j=config) as agent:
        conversation = await agent.create_conversation()
        full = True
        assert (await conversation.send_message("first")).degraded == ("journal",)
        await proxy.end()
        async with asyncio.timeout(LONGEST_TURN), conversation.stream_message("second") as stream:
            seen = [event async for event in stream]
        assert [event.kept for event in seen if isinstance(event, events.MessageStarted)] == [False]
        said = [(event.what, event.detail) for event in seen if isinstance(event, events.Degraded)]
        assert said == [("journal", "Neo4j is away and the journal cannot be written: this turn is not kept")]
        assert stream.response.content == "Two."
        assert set(stream.response.degraded) == {"journal", "graph"}
        full = False
        assert (await conversation.send_message("third")).degraded == ("graph",)
        await proxy.recover()
        assert [each.content for each in await conversation.get_history()] == ["first", "One.", "third", "Three."]
        await (await agent.open()).background.outage.over()
        assert (await conversation.send_message("fourth")).degraded == ()
    assert list((home / "journal").iterdir()) == []


async def test_a_clock_that_is_moved_back(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn is an hour earlier than the one before, in the journal and in its name: they keep their order."""
    turns = 0

    class Backwards(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) - timedelta(hours=turns)

    for module in (keeping, finding):
        monkeypatch.setattr(module, "datetime", Backwards)
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", "Two.", "Three.", "Four.", neo4j=config) as agent:
            conversation = await agent.create_conversation()
            await conversation.send_message("first")
            await proxy.end()
            for text in ("second", "third", "fourth"):
                turns += 1
                await conversation.send_message(text)
        await proxy.recover()
        await opened(make_agent, config)
    async with make_agent() as agent:
        history = await (await agent.load_conversation(conversation.uuid)).get_history()
        assert [each.content for each in history if each.role == "user"] == ["first", "second", "third", "fourth"]
        assert [each.seq for each in history] == list(range(1, 9))


async def test_what_was_said_meanwhile_has_the_time_when_it_was_said(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two days before it is stored: retention, which goes by that, leaves it alone."""

    class Before(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) - timedelta(days=2)

    now = datetime.now(UTC)
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", "Two.", neo4j=config) as agent:
            known = await agent.create_conversation()
            await proxy.end()
            with monkeypatch.context() as earlier:
                for module in (keeping, finding):
                    earlier.setattr(module, "datetime", Before)
                await known.send_message("the heron is grey")
                begun = await agent.create_conversation(title="Birds")
                await begun.send_message("the owl is brown")
        await proxy.recover()
        await opened(make_agent, config)
    async with make_agent() as agent:
        then = now - timedelta(days=1)
        for conversation in (known, begun):
            loaded = await agent.load_conversation(conversation.uuid)
            question, answer = await loaded.get_history()
            assert now - timedelta(days=2, minutes=1) < question.timestamp <= answer.timestamp < then
        assert loaded.info.created_at <= question.timestamp
        assert loaded.info.updated_at > then
        found = await agent.search_messages("heron owl", until=then)
        assert {each.message.content for each in found} >= {"the heron is grey", "the owl is brown"}
        assert not await agent.search_messages("heron owl", since=then)
        assert not await agent.expired_conversations(older_than_days=1)
