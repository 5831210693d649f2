"""API keys: made once, known by a hash alone, of one project; and the audit of what is done with them."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.keys import KeyStore
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher

pytestmark = pytest.mark.anyio


@pytest.fixture
def keys(client: GraphClient, owner: Owner) -> KeyStore:
    return KeyStore(client, owner.project)


async def test_a_key_is_known_by_its_text_and_kept_as_a_hash(keys: KeyStore, owner: Owner, cypher: Cypher) -> None:
    key, text = await keys.create(user_id=owner.user_id, scope="user", name=" the bot ")
    assert (key.user_id, key.project, key.scope, key.name) == (owner.user_id, owner.project, "user", "the bot")
    assert (key.last_used_at, key.revoked_at) == (None, None)
    assert await keys.verify(text) == key
    [kept] = cypher("MATCH (k:ApiKey {uuid: $id}) RETURN properties(k) AS p", id=key.id)
    assert text.rpartition("_")[2] not in str(kept)
    assert text not in repr(key)
    [listed] = await keys.list()
    assert listed.last_used_at is not None
    assert await keys.verify(text) == listed  # within a minute its use is not written down again


async def test_another_text_or_project_is_refused(keys: KeyStore, client: GraphClient, owner: Owner) -> None:
    key, text = await keys.create(user_id=owner.user_id, scope="user")
    other, others = await keys.create(user_id=owner.user_id, scope="admin")
    secret = others.rpartition("_")[2]
    wrong = [f"rf_{key.id}_{secret}", f"rf_{'0' * 12}_{secret}", text.upper(), text[:-1], f"{text} ", f"{text}\n", ""]
    wrong += ["rf_", "\ud800", text.replace("rf_", "rf_\ud800"), text.replace(text[3], "\u0661", 1)]
    assert [each for each in wrong if await keys.verify(each) is not None] == []
    elsewhere = KeyStore(client, f"other-{owner.project}")
    assert await elsewhere.verify(text) is None
    assert await elsewhere.list() == []
    with pytest.raises(NotFound):
        await elsewhere.revoke(key.id)
    assert {each.id for each in await keys.list()} == {key.id, other.id}


async def test_a_revoked_key_stays_revoked(keys: KeyStore) -> None:
    key, text = await keys.create(user_id="", scope="others")
    assert key.user_id is None
    gone = await keys.revoke(key.id)
    assert gone.revoked_at is not None
    assert await keys.verify(text) is None
    assert await keys.revoke(key.id) == gone
    assert await keys.list() == []
    assert await keys.list(include_revoked=True) == [gone]
    for nothing in ("0" * 12, "\ud800", ""):
        with pytest.raises(NotFound, match="there is no key"):
            await keys.revoke(nothing)


@pytest.mark.parametrize(
    "given", [{"scope": "root"}, {"name": "a\nb"}, {"name": "x" * 101}, {"user_id": "\ud800"}, {"user_id": "u" * 501}]
)
async def test_what_no_key_is_made_of(keys: KeyStore, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await keys.create(**{"user_id": "", "scope": "user", **given})
    assert await keys.list() == []


async def test_the_audit_is_of_a_project_and_newest_first(keys: KeyStore, client: GraphClient, owner: Owner) -> None:
    key, _ = await keys.create(user_id=owner.user_id, scope="admin")
    await keys.record("read", user_id="them", key=key, detail="d\ud800" + "x" * 600)
    for _ in range(2):
        await keys.record("erase_user", user_id=owner.user_id, uuid=f"once-{owner.project}")
    last, first = await keys.audit()
    assert (first.action, first.user_id, first.key_id, first.key_user) == ("read", "them", key.id, owner.user_id)
    assert (first.detail[:3], len(first.detail)) == ("d?x", 500)
    assert (last.action, last.key_id, last.key_user) == ("erase_user", None, None)
    assert await keys.audit(limit=1) == [last]
    assert await keys.audit(user_id="them") == [first]
    assert await KeyStore(client, f"other-{owner.project}").audit() == []
