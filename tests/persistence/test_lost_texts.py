"""Texts that cannot be read here, since they are in another folder's files or lost: nothing is made of nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversation, AsyncConversationAgent, InvalidInput
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import ConversationFileError
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.insights.talks import asked_of
from tests.persistence.conftest import Keeping

Cypher = Callable[..., list[dict[str, Any]]]

pytestmark = pytest.mark.anyio

_VECTORS = """MATCH (m:Message {conversation_id: $uuid})
    RETURN m.seq AS seq, labels(m) AS labels, [k IN keys(m) WHERE k STARTS WITH 'embedding'] AS keys ORDER BY m.seq"""


class Noting(HashingEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return await super().embed_passages(texts)


def _lose(root: Path, uuid: str) -> None:
    (root / "conversations" / f"{uuid}.jsonl").unlink()


# --- vectors ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
async def test_a_move_of_vectors_embeds_no_text_that_it_cannot_read(
    keeping: Keeping, tmp_path: Path, cypher: Cypher
) -> None:
    elsewhere = tmp_path / "bob"
    elsewhere.mkdir()
    async with keeping("files", "Through the kitchen.", user_id="bob", root=elsewhere) as bob:
        his = await bob.create_conversation(title="Windows")
        await his.send_message("where are the windows?")
        await bob.drain()
    new = Noting(32)
    async with keeping("files", "Behind the shed.") as ada:
        hers = await ada.create_conversation(title="Doors")
        await hers.send_message("where are the doors?")
        await ada.drain()
        report = await ada.reembed(new)
    assert (report.messages, report.conversations, report.failed, report.switched) == (2, 1, 3, True)
    assert new.texts
    assert all(text.strip() for text in new.texts)
    assert all(row["keys"] == [] and "FailedEmbedding" in row["labels"] for row in cypher(_VECTORS, uuid=his.uuid))
    assert all(len(row["keys"]) == 1 and "FailedEmbedding" not in row["labels"]
               for row in cypher(_VECTORS, uuid=hers.uuid))  # fmt: skip


async def test_what_waits_in_files_is_left_to_who_can_read_them(keeping: Keeping, cypher: Cypher, owner: Owner) -> None:
    waiting = """MATCH (n:Message|Conversation {project: $project}) WHERE n.uuid = $uuid OR n.conversation_id = $uuid
        SET n:PendingEmbedding WITH n UNWIND [k IN keys(n) WHERE k STARTS WITH 'embedding'] AS key REMOVE n[key]"""
    labels = """MATCH (n:PendingEmbedding)
        WHERE n.uuid = $uuid OR n.conversation_id = $uuid RETURN count(n) AS count"""
    async with keeping("files", "Behind the shed.") as agent:
        conversation = await agent.create_conversation(title="Doors")
        await conversation.send_message("where are the doors?")
        await agent.drain()
    cypher(waiting, uuid=conversation.uuid, project=owner.project)
    async with keeping("neo4j") as agent:
        assert await agent.drain() == {}
    assert cypher(labels, uuid=conversation.uuid) == [{"count": 3}]
    async with keeping("files") as agent:
        assert await agent.drain() == {}
    assert cypher(labels, uuid=conversation.uuid) == [{"count": 0}]
    assert [len(row["keys"]) for row in cypher(_VECTORS, uuid=conversation.uuid)] == [1, 1]


# --- what looks at many conversations ---------------------------------------------------------------------------------

TASK, FORM = "what is it about?", {"topic": {"type": "string"}}
ABOUT = "where are the doors and windows?"


async def _two(agent: AsyncConversationAgent) -> tuple[AsyncConversation, AsyncConversation]:
    made = [await agent.create_conversation(title="Doors") for _ in range(2)]
    for each in made:
        await each.send_message(ABOUT)
    await agent.drain()
    return made[0], made[1]


@pytest.fixture
def analyst() -> ScriptedProvider:
    """A model that finds a topic."""
    return asked_of(lambda _: '{"topic": "doors"}')


async def test_a_lost_file_stops_nothing_that_looks_at_others(
    keeping: Keeping, tmp_path: Path, analyst: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    async with keeping("files", "Behind the shed.", "Behind the shed.") as agent:
        lost, kept = await _two(agent)
        _lose(tmp_path, lost.uuid)
        found = await agent.search_messages("doors and windows")
        assert {each.conversation_id for each in found} == {kept.uuid}
        told = [record.message for record in caplog.records if "left out" in record.message]
        assert len(told) == 2, "by words and by meaning"
        assert all(f"{lost.uuid}.jsonl is missing" in each for each in told)
        backup = tmp_path / "backup.jsonl"
        report = await agent.export_all(backup)
        assert (report.conversations, report.messages, report.failed) == (1, 2, 1)
        assert [error.conversation_id for error in report.errors] == [lost.uuid]
        assert f"{lost.uuid}.jsonl" in report.errors[0].message
        with pytest.raises(ConversationFileError):
            await lost.get_history()
    async with keeping("neo4j", user_id="bob") as bob:
        taken = await bob.import_conversations(backup)
        assert (taken.conversations, taken.messages, taken.failed) == (1, 2, 0)
    async with keeping("files", provider=analyst) as agent:
        insights = await agent.batch_analyze([lost.uuid, kept.uuid], TASK, FORM)
        assert [each.conversation_id for each in insights] == [kept.uuid]
        assert [(each.conversation_id, each.reason) for each in insights.failed] == [(lost.uuid, "unreadable")]


async def test_what_is_said_after_a_file_was_lost_goes_into_no_new_one(keeping: Keeping, tmp_path: Path) -> None:
    path = tmp_path / "backup.jsonl"
    async with keeping("files", "Behind the shed.", "By the gate.") as agent:
        conversation = await agent.create_conversation(title="Doors")
        await conversation.send_message("where are the doors?")
        file = tmp_path / "conversations" / f"{conversation.uuid}.jsonl"
        path.write_bytes(file.read_bytes())
        file.unlink()
        response = await conversation.send_message("and the windows?")
        assert (response.content, response.degraded) == ("By the gate.", ("graph",))
        assert not file.exists()
    async with keeping("files") as agent:
        again = await agent.load_conversation(conversation.uuid)
        with pytest.raises(ConversationFileError, match=r"jsonl is missing") as refused:
            await again.get_history()
        assert "backup" in str(refused.value.hint)
        assert not file.exists()
    file.write_bytes(path.read_bytes())
    async with keeping("files", "In the wall.") as agent:
        again = await agent.load_conversation(conversation.uuid)
        await again.send_message("and the lamp?")
        said = [message.content for message in await again.get_history()]
    assert said == ["where are the doors?", "Behind the shed.", "and the windows?", "By the gate.", "and the lamp?",
                    "In the wall."]  # fmt: skip


async def _lost_in_a_turn(agent: AsyncConversationAgent, lost: AsyncConversation, root: Path) -> tuple[Path, bytes]:
    """Loses a file and says something there, which is not an outage. Gives the file and what it had."""
    file = root / "conversations" / f"{lost.uuid}.jsonl"
    text = file.read_bytes()
    file.unlink()
    assert (await lost.send_message("and the windows?")).degraded == ("graph",)
    assert not (await agent.open()).stores.graph.breaker.is_open
    return file, text


async def test_what_waits_for_a_lost_file_holds_up_no_other_conversation(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", *["So it is."] * 6) as agent:
        lost, kept = await _two(agent)
        file, text = await _lost_in_a_turn(agent, lost, tmp_path)
        assert (await kept.send_message("and the fence?")).degraded == ()
        assert (await lost.send_message("and the roof?")).degraded == ("graph",)
        new = await agent.create_conversation(title="Roofs")
        assert (await new.send_message("what of the roof?")).degraded == ()
        report = await agent.export_all(tmp_path / "backup.jsonl")
        assert [error.conversation_id for error in report.errors] == [lost.uuid]
    file.write_bytes(text)
    async with keeping("files") as agent:
        history = await (await agent.load_conversation(lost.uuid)).get_history()
    assert [each.content for each in history[2:]] == ["and the windows?", "So it is.", "and the roof?", "So it is."]


async def test_an_agent_without_files_gets_at_no_filed_conversation(
    keeping: Keeping, tmp_path: Path, analyst: ScriptedProvider
) -> None:
    async with keeping("files", "Behind the shed.", "Behind the shed.") as agent:
        filed, _ = await _two(agent)
        document = await filed.export()
        listed = [{"role": "user", "content": "where is the gate?", "uuid": uuid4().hex}]
        await agent.import_conversation(listed)
    async with keeping("neo4j", "Behind the house.", provider=analyst) as agent:
        plain = await agent.import_conversation([{"role": "user", "content": ABOUT}])
        with pytest.raises(InvalidInput, match="files") as refused:
            await agent.load_conversation(filed.uuid)
        assert "persistence" in str(refused.value.hint)
        for data in (document, listed):
            with pytest.raises(InvalidInput, match="are in files"):
                await agent.import_conversation(data, on_conflict="skip")
        insights = await agent.batch_analyze([filed.uuid, plain.uuid], TASK, FORM)
        assert [each.conversation_id for each in insights] == [plain.uuid]
        assert [(each.conversation_id, each.reason) for each in insights.failed] == [(filed.uuid, "unreadable")]
        report = await agent.export_all(tmp_path / "backup.jsonl")
        assert (report.conversations, report.failed) == (1, 3)
        assert "in files" in report.errors[0].message
        found = await agent.search_messages("doors and windows")
        assert {each.conversation_id for each in found} == {plain.uuid}
