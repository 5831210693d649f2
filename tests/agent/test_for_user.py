"""Agents of several users on one connection, one model and one embedder."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AgentClosed, InvalidInput

pytestmark = pytest.mark.anyio


async def test_users_share_the_connection_and_nothing_else(make_agent: Any) -> None:
    async with make_agent("one", "two", "three") as first:
        ada, bob = first.for_user(f"ada-{uuid4().hex}"), first.for_user(f"bob-{uuid4().hex}")
        async with ada, bob:
            talk = await ada.create_conversation()
            await talk.send_message("note: the key is under the mat")
            assert [each.uuid for each in await ada.list_conversations()] == [talk.uuid]
            assert not (await bob.list_conversations()).items
            assert not (await first.list_conversations()).items
            assert not await bob.search_messages("the key under the mat")
            opened = [(await each.open()).stores.graph for each in (first, ada, bob)]
            assert opened[0] is opened[1] is opened[2]
        # What they share is the first one's.
        assert (await first.create_conversation()).uuid


async def test_a_user_of_a_user_is_a_user_of_the_first(make_agent: Any) -> None:
    async with make_agent("one") as first:
        ada = first.for_user("ada")
        async with ada.for_user("bob") as bob:
            assert (await bob.open()).stores.graph is (await first.open()).stores.graph
        await ada.aclose()
        with pytest.raises(AgentClosed):
            ada.for_user("carol")
        with pytest.raises(InvalidInput):
            first.for_user("a" * 501)
