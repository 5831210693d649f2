"""Who comes without a key, and what everybody's is: it is said, and in the audit."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio


async def test_what_is_done_for_another_user_is_in_the_audit(serve: Any, user: str) -> None:
    async with serve() as running:
        get = running.client.get
        await get("/api/conversations", params={"user_id": user})
        await running.client.post("/api/chat", json={"message": "hello", "user_id": user})
        audit = (await get("/api/audit", params={"user_id": user})).json()
    assert [each["action"] for each in audit] == ["POST /api/chat", "GET /api/conversations"]
    assert {each["key_id"] for each in audit} == {None}


async def test_what_was_refused_is_not_in_the_audit_as_done(serve: Any, user: str, make_key: Any) -> None:
    others, admin = await make_key(f"{user}-o", "others"), await make_key(f"{user}-a", "admin")
    async with serve(asks_key=True) as running:
        headers = {"Authorization": f"Bearer {others}"}
        refused = await running.client.delete("/api/users/me", params={"user_id": user}, headers=headers)
        headers = {"Authorization": f"Bearer {admin}"}
        audit = await running.client.get("/api/audit", params={"user_id": user}, headers=headers)
    assert refused.status_code == 403
    assert audit.json() == []


async def test_a_note_of_nobody_is_not_told_as_the_user_s_own(
    serve: Any, user: str, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    nobody, mine = "Releases are cut on Fridays.", "Releases need two reviews."
    settings = {"config": ConversationConfig(embed_messages=False), "llm_provider": ScriptedProvider([])}
    async with AsyncConversationAgent(neo4j_config, user_id="", project=owner.project, **settings) as agent:
        await agent.memory.add(nobody)
    async with serve() as running:
        await running.client.post("/api/memories", json={"text": mine}, params={"user_id": user})
        asked = {"query": "releases", "user_id": user}
        found = (await running.client.get("/api/memories/search", params=asked)).json()
    assert {each["memory"]["content"]: each["memory"]["shared"] for each in found} == {nobody: True, mine: False}


async def test_a_plan_that_there_is_not(serve: Any, user: str) -> None:
    async with serve(plans={"free": {"turns_per_day": 1}, "pro": {}}) as running:
        put = running.client.put
        typo = await put("/api/users/me/context", json={"plan": "platinum"}, params={"user_id": user})
        pro = await put("/api/users/me/context", json={"plan": "pro"}, params={"user_id": user})
    assert (typo.status_code, pro.status_code) == (422, 200)
    assert "free, pro" in typo.json()["hint"]


async def test_a_turn_that_is_refused_begins_no_conversation(serve: Any, user: str) -> None:
    async with serve(plans={"free": {"turns_per_day": 0}}) as running:
        asked = {"message": "hello", "session_id": "new", "user_id": user}
        refused = await running.client.post("/api/chat", json=asked)
        listed = (await running.client.get("/api/conversations", params={"user_id": user})).json()
    assert refused.status_code == 429
    assert listed["items"] == []


async def test_another_question_under_a_key_is_told_in_http_s_words(serve: Any) -> None:
    async with serve() as running:
        headers = {"Idempotency-Key": "k-1"}
        await running.client.post("/api/chat", json={"message": "one", "session_id": "s"}, headers=headers)
        second = await running.client.post("/api/chat", json={"message": "two", "session_id": "s"}, headers=headers)
    assert second.status_code == 422
    assert "key 'k-1'" in second.json()["message"]
