"""Which conversation a reference means."""

from __future__ import annotations

import pytest

from ragforge_memory.errors import ConversationNotFound, InvalidInput
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio


async def test_a_title_is_found_whatever_its_case_when_one_has_it(either_client: GraphClient, owner: Owner) -> None:
    store = ConversationStore(either_client, owner)
    one = await store.create(title="Add a retry to fetch")
    await store.create(title=None)
    assert (await store.find("add a retry to FETCH")).uuid == one.uuid
    with pytest.raises(ConversationNotFound):
        await store.find("add a retry")
    with pytest.raises(ConversationNotFound):
        await ConversationStore(either_client, Owner(user_id="another", project=owner.project)).find(one.title or "")

    other = await store.create(title="add a retry to fetch")
    assert (await store.find("Add a retry to fetch")).uuid == one.uuid  # its own case comes first
    assert (await store.find("add a retry to fetch")).uuid == other.uuid
    with pytest.raises(InvalidInput, match="fits several"):
        await store.find("ADD A RETRY TO FETCH")
