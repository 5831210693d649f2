"""Documents over HTTP: taken in, found with their place, kept apart by user, shared by leave alone."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.anyio

GUIDE = "# The guide\n\n## Harbour\n\nThe ferry to the marzipan island leaves at noon.\n"


async def test_documents_come_and_go(serve: Any) -> None:
    async with serve() as running:
        put = running.client.put
        query = {"query": "when does the ferry leave?"}
        first = await put("/api/knowledge/documents/docs/guide.md", content=GUIDE)
        again = await put("/api/knowledge/documents/docs/guide.md", content=GUIDE)
        found = (await running.client.get("/api/knowledge/search", params=query)).json()
        listed = (await running.client.get("/api/knowledge/documents")).json()["items"]
        gone = (await running.client.delete("/api/knowledge/documents/docs/guide.md")).json()
        after = (await running.client.get("/api/knowledge/search", params=query)).json()
        missing = await running.client.delete("/api/knowledge/documents/docs/guide.md")
        unread = await put("/api/knowledge/documents/broken.pdf", content=b"no pdf")
    assert (first.status_code, first.json()["added"], again.json()["unchanged"]) == (200, 1, 1)
    assert (found[0]["source"], found[0]["heading"]) == ("docs/guide.md", "The guide > Harbour")
    assert [each["source"] for each in listed] == ["docs/guide.md"]
    assert (gone, after, missing.status_code) == ({"removed": 1}, [], 404)
    assert unread.status_code in (200, 422)


async def test_what_is_shared(serve: Any, user: str, make_key: Any) -> None:
    own, other, admin = await make_key(user), await make_key(f"{user}-b"), await make_key(f"{user}-a", "admin")

    def bearer(key: str) -> Any:
        return {"headers": {"Authorization": f"Bearer {key}"}}

    async with serve(asks_key=True) as running:
        client, place, asked = running.client, "/api/knowledge/documents", {"query": "ferry"}
        await client.put(f"{place}/mine.md", content=GUIDE, **bearer(own))
        theirs = (await client.get("/api/knowledge/search", params=asked, **bearer(other))).json()
        refused = await client.put(f"{place}/all.md", content=GUIDE, params={"shared": True}, **bearer(own))
        shared = await client.put(f"{place}/all.md", content=GUIDE, params={"shared": True}, **bearer(admin))
        seen = (await client.get("/api/knowledge/search", params=asked, **bearer(other))).json()
        kept = await client.delete(f"{place}/all.md", **bearer(other))
        hidden = await client.delete(f"{place}/mine.md", **bearer(other))
    assert theirs == []
    assert (refused.status_code, shared.status_code) == (403, 200)
    assert [each["source"] for each in seen] == ["all.md"]
    assert (kept.status_code, hidden.status_code) == (404, 404)
    assert "of their own" in kept.json()["message"]
    assert "shared" in kept.json()["hint"]
