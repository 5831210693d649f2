"""Lists of conversations are in the order in which something was last said."""

from __future__ import annotations

import pytest

from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("memory", [True, False])
async def test_only_what_is_said_makes_a_conversation_the_newest(make_agent: MakeAgent, memory: bool) -> None:
    async with make_agent("One.", "Two.", "Three.", settings={"enable_memory": memory}) as agent:
        old, new = await agent.create_conversation(title="old"), await agent.create_conversation(title="new")
        await old.send_message("first")
        await new.send_message("second")

        async def titles() -> list[str | None]:
            return [info.title for info in await agent.list_conversations()]

        before = {info.uuid: info.updated_at for info in await agent.list_conversations()}
        await old.archive()
        await old.unarchive()
        await old.set_tags(["kept"])
        await old.set_title("older")
        assert await titles() == ["new", "older"]
        assert {info.uuid: info.updated_at for info in await agent.list_conversations()} == before
        await old.send_message("third")
        assert await titles() == ["older", "new"]
