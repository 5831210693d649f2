"""No text stays in a file of a conversation that nobody knows, and none is deleted whose file would stay."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.agent.outages.recovery import replay_own
from ragforge_memory.errors import ConversationFileError, GraphUnavailable
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.filed.directory import TextDirectory
from tests.persistence.conftest import Graph, Keeping

pytestmark = pytest.mark.anyio

SECRET = "hippopotamus"


def _with_secret(tmp_path: Path) -> list[str]:
    return [path.name for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def _lost(monkeypatch: pytest.MonkeyPatch, *statements: str, error: BaseException | None = None) -> None:
    """The connection breaks at these statements."""
    whole = GraphClient.write

    async def write(self: GraphClient, name: str, /, **parameters: Any) -> Any:
        if name in statements:
            raise error or GraphUnavailable("cut off")
        return await whole(self, name, **parameters)

    monkeypatch.setattr(GraphClient, "write", write)


async def _services(agent: AsyncConversationAgent) -> Any:
    return await agent.open()


# --- lines whose conversation is gone ---------------------------------------------------------------------------------


async def test_a_line_that_waited_for_a_deleted_conversation_goes(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", "one", "two") as agent, keeping("files") as other:
        conversation = await agent.create_conversation(title="It")
        await conversation.send_message("hello")
        theirs = await other.load_conversation(conversation.uuid)
        with monkeypatch.context() as away:
            _lost(away, "append_message", "complete_turn")
            await conversation.send_message(f"the {SECRET}")
            assert f"{conversation.uuid}.jsonl" in _with_secret(tmp_path)
            await theirs.delete()
        assert f"{conversation.uuid}.jsonl" not in _with_secret(tmp_path)
        await replay_own(await _services(agent))
    assert not (tmp_path / "conversations" / f"{conversation.uuid}.jsonl").exists()


async def test_of_a_shared_conversation_the_shared_lines_stay(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", "one", "two") as agent, keeping("files") as other:
        conversation = await agent.create_conversation(title="It")
        await conversation.send_message("hello")
        theirs = await other.load_conversation(conversation.uuid)
        branch = await theirs.branch()
        await theirs.delete()
        with monkeypatch.context() as away:
            _lost(away, "append_message", "complete_turn")
            await conversation.send_message(f"the {SECRET}")
        await replay_own(await _services(agent))
        assert f"{conversation.uuid}.jsonl" not in _with_secret(tmp_path)
        assert [message.content for message in await branch.get_history()] == ["hello", "one"]
        await branch.delete()
    assert list((tmp_path / "conversations").glob("*.jsonl")) == []


# --- conversations that never came to be ------------------------------------------------------------------------------

IMPORTED = [{"role": "user", "content": f"the {SECRET}"}, {"role": "assistant", "content": "yes"}]


@pytest.mark.parametrize("error", [GraphUnavailable("cut off"), asyncio.CancelledError()])
async def test_an_import_that_is_undone_leaves_no_file(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    async with keeping("files") as agent:
        with monkeypatch.context() as away:
            _lost(away, "import_messages", error=error)
            with pytest.raises(type(error)):
                await agent.import_conversation(IMPORTED)
        assert _with_secret(tmp_path) == []
        assert list((tmp_path / "conversations" / ".begun").iterdir()) == []


def _older(tmp_path: Path, seconds: float) -> None:
    for note in (tmp_path / "conversations" / ".begun").iterdir():
        os.utime(note, (note.stat().st_atime, note.stat().st_mtime - seconds))


async def test_what_an_import_could_not_undo_is_swept_later(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", "kept") as agent:
        kept = await agent.create_conversation(title="Kept")
        await kept.send_message("and answered")
        with monkeypatch.context() as away:
            _lost(away, "import_messages", "begin_delete")
            with pytest.raises(GraphUnavailable):
                await agent.import_conversation(IMPORTED)
        [left] = _with_secret(tmp_path)
        services = await _services(agent)
        await services.stores.conversations.sweep()
        assert _with_secret(tmp_path) == [left]
        _older(tmp_path, 3_700)
        # Another database's are not this one's business.
        foreign = TextDirectory(tmp_path, "conversations")
        others = uuid4().hex
        foreign.file(others).append([{"uuid": "m", "content": "elsewhere"}])
        foreign.begun.write("another database", [others])
        _older(tmp_path, 3_700)
        await services.stores.conversations.sweep()
        assert _with_secret(tmp_path) == []
        assert foreign.file(others).exists()
        assert len(await kept.get_history()) == 2


async def test_what_another_owner_has_is_never_swept(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", "one") as theirs, keeping("files", user_id="another") as agent:
        conversation = await theirs.import_conversation(IMPORTED)
        services = await _services(agent)
        TextDirectory(tmp_path, "conversations").begun.write(services.stores.graph_birth, [conversation.uuid])
        _older(tmp_path, 3_700)
        await services.stores.conversations.sweep()
        assert len(await conversation.get_history()) == 2
        assert list((tmp_path / "conversations" / ".begun").iterdir()) == []


# --- nodes that would go before their file ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["neo4j", "files"])
async def test_who_has_not_the_file_does_not_delete(
    keeping: Keeping, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture, graph: Graph
) -> None:
    async with keeping("files", "one", "two") as agent:
        conversation = await agent.create_conversation(title="It")
        await conversation.send_message(f"the {SECRET}")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with keeping(kind, root=elsewhere) as agent:
        services = await _services(agent)
        with pytest.raises(ConversationFileError, match=f"conversations/{conversation.uuid}.jsonl"):
            await services.stores.conversations.delete(conversation.uuid)
        assert await agent.expired_conversations(keep=0) == []
        assert await agent.delete_expired_conversations(keep=0) == []
        assert caplog.text.count("retention leaves 1 conversations") == 1
        # A delete that was cut off waits too.
        graph.run("MATCH (c:Conversation {uuid: $uuid}) SET c.status = 'deleting'", uuid=conversation.uuid)
        await services.stores.conversations.sweep()
        await services.stores.conversations.sweep()
        assert caplog.text.count("deletes wait") == 1
    assert len(_with_secret(tmp_path)) == 1
    async with keeping("files") as agent:
        await agent.drain()
    assert _with_secret(tmp_path) == []
    assert graph.run("MATCH (c:Conversation {uuid: $uuid}) RETURN c", uuid=conversation.uuid) == []
