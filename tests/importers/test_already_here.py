"""What is imported and is here already, is another owner's, or is what a branch keeps of what was deleted."""

from __future__ import annotations

from uuid import uuid4

import pytest

from ragforge_memory import InvalidInput
from tests.agent.conftest import MakeAgent
from tests.importers.test_writing import long_one

pytestmark = pytest.mark.anyio


async def test_what_another_owner_has_too_is_known_when_it_comes_again(make_agent: MakeAgent) -> None:
    talk = long_one(3)
    async with make_agent(user_id=f"other-{uuid4().hex}") as other:
        await other.import_conversation(talk)
    async with make_agent() as agent:
        first = await agent.import_conversation(talk)
        history = await first.get_history()
        assert [each.content for each in history] == [each["content"] for each in talk]
        assert not {each.uuid for each in history} & {each["uuid"] for each in talk}
        again = await agent.import_conversation(talk, on_conflict="skip")
        assert again.uuid == first.uuid
        with pytest.raises(InvalidInput, match=f"is in conversation {first.uuid} already"):
            await agent.import_conversation(talk)
        copy = await agent.import_conversation(talk, on_conflict="copy")
        assert copy.uuid != first.uuid
        assert len(await agent.list_conversations()) == 2


async def test_what_a_branch_shares_of_a_deleted_conversation_is_here_already(make_agent: MakeAgent) -> None:
    talk = long_one(4)
    async with make_agent() as agent:
        first = await agent.import_conversation(talk)
        branch = await first.branch(talk[1]["uuid"])
        await first.delete()
        with pytest.raises(InvalidInput, match=f"{talk[0]['uuid']} is in conversation {branch.uuid} already"):
            await agent.import_conversation(talk)
        assert (await agent.import_conversation(talk, on_conflict="skip")).uuid == branch.uuid
        copy = await agent.import_conversation(talk, on_conflict="copy")
        assert [each.content for each in await copy.get_history()] == [each["content"] for each in talk]
        assert [each.uuid for each in await branch.get_history()] == [each["uuid"] for each in talk[:2]]
        # What nobody shares is gone, and comes as it was.
        await copy.delete()
        await branch.delete()
        again = await agent.import_conversation(talk)
        assert [each.uuid for each in await again.get_history()] == [each["uuid"] for each in talk]
