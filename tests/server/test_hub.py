"""One agent a user: opened when it is asked for, closed when it is used least, never while it is used."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory import AgentClosed
from ragforge_memory.server.hub import Hub

pytestmark = pytest.mark.anyio


async def test_the_least_used_agent_is_closed(serve: Any, user: str) -> None:
    async with serve() as running:
        hub: Hub = running.app.state.server.hub
        small = Hub(hub.first, 1)
        async with small.agent(f"{user}-a") as a, small.agent(f"{user}-b") as b:
            assert small.open_agents == 3
        assert small.open_agents == 2
        async with small.agent(f"{user}-a") as again:
            assert again is a
        async with small.agent(f"{user}-b") as another:
            assert another is not b
        await small.forget(f"{user}-b")
        with pytest.raises(AgentClosed):
            await another.open()


async def test_users_keep_apart_and_their_readers_are_written_down(serve: Any, user: str, make_key: Any) -> None:
    own, other = await make_key(user), await make_key(f"{user}-service", "others")
    admin = await make_key(f"{user}-admin", "admin")

    def bearer(key: str) -> Any:
        return {"headers": {"Authorization": f"Bearer {key}"}}

    async with serve(asks_key=True) as running:
        await running.client.post("/api/chat", json={"message": "mine"}, **bearer(own))
        service = await running.client.get("/api/conversations", **bearer(other))
        acting = await running.client.get("/api/conversations", params={"user_id": user}, **bearer(other))
        refused = await running.client.get("/api/audit", **bearer(other))
        audit = await running.client.get("/api/audit", params={"user_id": user}, **bearer(admin))
    assert (len(service.json()["items"]), len(acting.json()["items"])) == (0, 1)
    assert refused.status_code == 403
    [record] = audit.json()
    assert (record["key_user"], record["user_id"]) == (f"{user}-service", user)
    assert record["action"] == "GET /api/conversations"


async def test_keys_over_http(serve: Any, user: str, make_key: Any) -> None:
    admin = await make_key(f"{user}-admin", "admin")
    async with serve(asks_key=True, key=admin) as running:
        made = (await running.client.post("/api/keys", json={"user_id": user, "name": "a script"})).json()
        listed = (await running.client.get("/api/keys")).json()
        theirs = {"Authorization": f"Bearer {made['key']}"}
        before = await running.client.get("/api/conversations", headers=theirs)
        own = await running.client.post("/api/keys", json={}, headers=theirs)
        revoked = await running.client.delete(f"/api/keys/{made['about']['id']}")
    assert made["key"].startswith(f"rf_{made['about']['id']}_")
    assert made["key"] not in str(listed)
    assert (before.status_code, own.status_code, revoked.status_code) == (200, 403, 200)


async def test_what_a_key_may_not_do(serve: Any, user: str, make_key: Any) -> None:
    others, nobody = await make_key(f"{user}-service", "others"), await make_key("")
    own = await make_key(user)

    def bearer(key: str) -> Any:
        return {"headers": {"Authorization": f"Bearer {key}"}}

    async with serve(asks_key=True) as running:
        client = running.client
        erased = await client.delete("/api/users/me", params={"user_id": user}, **bearer(others))
        document = await client.put("/api/knowledge/documents/all.md", content="# All", **bearer(nobody))
        memory = await client.post("/api/memories", json={"text": "the sky is green"}, **bearer(nobody))
        fact = {"type": "personal", "key": "city", "value": "Ulm"}
        remembered = await client.post("/api/memories/facts", json=fact, **bearer(nobody))
        itself = await client.delete("/api/users/me", **bearer(own))
    assert [each.status_code for each in (erased, document, memory, remembered)] == [403] * 4
    assert itself.status_code == 200
