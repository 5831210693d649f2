"""Questions whose process died where nobody can read its journal: the next load tells them, and no living turn's."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.graph import messages
from ragforge_memory.graph.messages import Answer, NewMessage
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio


def said(uuid: str, role: Any = "user", *, to: str | None = None) -> NewMessage:
    return NewMessage(uuid=uuid, role=role, content=f"said by {role}", in_reply_to=to)


def age(cypher: Cypher, uuid: str, minutes: int) -> None:
    """Has a message been said that long ago."""
    cypher(
        "MATCH (m:Message {uuid: $uuid}) SET m.timestamp = datetime() - duration({minutes: $minutes})",
        uuid=uuid,
        minutes=minutes,
    )


async def test_a_question_of_a_process_that_died_elsewhere(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        services = await agent.open()
        conversation = await agent.open_conversation("s")
        names = {name: f"{name}{conversation.uuid}" for name in ("answered", "answer", "lost", "young")}
        for new in (
            said(names["answered"]),
            said(names["lost"]),
            said(names["answer"], "assistant", to=names["answered"]),
            said(names["young"]),
        ):
            await services.stores.messages.append(conversation.uuid, new)
        for name, minutes in (("answered", 70), ("lost", 61), ("young", 50)):
            age(cypher, names[name], minutes)

        async def states() -> list[str]:
            return [message.state for message in await conversation.get_history()]

        assert await states() == ["complete"] * 4
        await agent.load_conversation(conversation.uuid)
        assert await states() == ["complete", "unanswered", "complete", "complete"]

        # One that is young then is looked at again, and one whose answer comes after all is answered.
        age(cypher, names["young"], 61)
        await agent.open_conversation("s")
        assert (await states())[-1] == "unanswered"
        late = said(f"late{conversation.uuid}", "assistant", to=names["young"])
        await services.stores.messages.complete_turn(conversation.uuid, Answer(late))
        assert await states() == ["complete", "unanswered", "complete", "complete", "complete"]


async def test_answers_that_name_no_question_answer_all_before_them(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as agent:
        given = [
            {"role": role, "content": "x", "id": f"{number}{agent.project}"}
            for number, role in enumerate(["user", "assistant", "user", "user", "assistant"])
        ]
        services = await agent.open()
        conversation = await agent.create_conversation()
        for message in given:
            await services.stores.messages.append(conversation.uuid, said(message["id"], message["role"]))
            age(cypher, message["id"], 100)
        again = await agent.load_conversation(conversation.uuid)
        assert {message.state for message in await again.get_history()} == {"complete"}


async def test_a_load_moves_a_watermark_that_is_far_behind(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make_agent("Yes.", "No.") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        seen = "MATCH (c:Conversation {uuid: $uuid}) RETURN c.settled_seq AS seen"
        await agent.load_conversation(conversation.uuid)
        assert cypher(seen, uuid=conversation.uuid) == [{"seen": None}]
        monkeypatch.setattr(messages, "SETTLE_BEHIND", 2)
        for _ in range(2):
            await agent.load_conversation(conversation.uuid)
            assert cypher(seen, uuid=conversation.uuid) == [{"seen": 2}]
