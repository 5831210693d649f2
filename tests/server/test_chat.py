"""POST /api/chat: sessions, streams, repeated requests, clients that go away, plans that are used up."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import Hang, Pause

pytestmark = pytest.mark.anyio


async def test_a_session_goes_on(serve: Any) -> None:
    async with serve(lambda request: f"heard {len(request.messages)}") as running:
        first = (await running.client.post("/api/chat", json={"message": "hello"})).json()
        again = {"message": "and now?", "session_id": first["session_id"]}
        second = (await running.client.post("/api/chat", json=again)).json()
        answers = (
            await running.client.get(f"/api/conversations/{first['session_id']}/messages", params={"view": "answers"})
        ).json()
    assert first["reply"] == "heard 1"
    assert second["reply"] == "heard 3"
    assert second["session_id"] == first["session_id"]
    assert [(each["role"], each["content"]) for each in answers] == [
        ("user", "hello"),
        ("assistant", "heard 1"),
        ("user", "and now?"),
        ("assistant", "heard 3"),
    ]
    assert set(answers[0]) == {"id", "role", "content", "timestamp"}


async def test_a_session_of_the_callers_own_name(serve: Any) -> None:
    async with serve("yes") as running:
        for _ in range(2):
            told = (
                await running.client.post("/api/chat", json={"message": "hello", "session_id": "my-session"})
            ).json()
        listed = (await running.client.get("/api/conversations")).json()["items"]
    assert told["session_id"] == "my-session"
    assert [each["session_id"] for each in listed] == ["my-session"]


async def test_a_stream_has_the_turns_events(serve: Any) -> None:
    steps = [[ToolRequest("c", "outline", {"path": "."})], "Done."]
    async with serve(*steps) as running:
        events = await _stream(running.client, {"message": "look around"})
    names = [name for name, _ in events]
    assert names[0] == "message_started"
    assert names[-1] == "message_completed"
    assert {"tool_use", "tool_result", "text_delta"} <= set(names)
    assert events[-1][1]["response"]["content"] == "Done."
    assert all(data["type"] == name for name, data in events)


async def test_a_reader_who_goes_away_leaves_a_partial_answer(serve: Any) -> None:
    async with serve(["The beginning", Hang()]) as running:
        await _dropped(running.client, "dropped")
        answer = await _answer_of(running.client, "dropped")
    assert (answer["content"], answer["state"]) == ("The beginning", "partial")


async def test_a_client_who_waits_no_longer_leaves_a_partial_answer(serve: Any) -> None:
    async with serve(["The beginning", Hang()]) as running:
        asking = asyncio.create_task(
            running.client.post("/api/chat", json={"message": "tell me", "session_id": "dropped"})
        )
        for _ in range(200):
            if (await running.client.get("/api/messages/search", params={"query": "tell me"})).json():
                break
            await asyncio.sleep(0.05)
        asking.cancel()
        answer = await _answer_of(running.client, "dropped")
    assert answer["state"] in ("partial", "unanswered")


async def test_the_same_key_is_the_same_turn(serve: Any) -> None:
    said = iter(range(100))
    async with serve(lambda request: f"answer {next(said)}") as running:
        headers = {"Idempotency-Key": "k-1"}
        first = (await running.client.post("/api/chat", json={"message": "hello"}, headers=headers)).json()
        second = (await running.client.post("/api/chat", json={"message": "hello"}, headers=headers)).json()
        other = await running.client.post("/api/chat", json={"message": "something else"}, headers=headers)
        streamed = await _stream(running.client, {"message": "hello"}, headers)
    assert second == first
    assert other.status_code == 422
    assert [name for name, _ in streamed] == ["message_completed"]
    assert streamed[0][1]["response"]["message_id"] == first["message_id"]


async def test_the_same_key_at_once_is_answered_once(serve: Any) -> None:
    async with serve([Pause(0.3), "once"]) as running:
        asked = {"message": "hello", "session_id": "at-once"}
        both = await asyncio.gather(
            *(running.client.post("/api/chat", json=asked, headers={"Idempotency-Key": "k"}) for _ in range(4))
        )
        messages = (await running.client.get("/api/conversations/at-once/messages")).json()
    assert sorted({each.status_code for each in both}) == [200, 409]
    assert sum(each.status_code == 200 for each in both) == 1
    assert [each["role"] for each in messages] == ["user", "assistant"]


async def test_a_plan_that_is_used_up(serve: Any, user: str, make_key: Any) -> None:
    own, admin = await make_key(user), await make_key(f"{user}-admin", "admin")
    plans = {"free": {"turns_per_day": 1}, "pro": {"turns_per_day": 100}}
    async with serve("yes", asks_key=True, key=own, plans=plans) as running:
        first = await running.client.post("/api/chat", json={"message": "hello"})
        second = await running.client.post("/api/chat", json={"message": "hello"})
        mine = await running.client.put("/api/users/me/context", json={"plan": "pro"})
        theirs = await running.client.put(
            "/api/users/me/context",
            params={"user_id": user},
            json={"plan": "pro"},
            headers={"Authorization": f"Bearer {admin}"},
        )
        third = await running.client.post("/api/chat", json={"message": "hello"})
    assert [each.status_code for each in (first, second, mine, theirs, third)] == [200, 429, 403, 200, 200]
    assert "plan" in second.json()["hint"]
    assert int(second.headers["Retry-After"]) > 0
    assert theirs.json()["usage"]["turns"] == 1


async def test_what_was_answered_and_what_was_dropped_counts_once(serve: Any, user: str, make_key: Any) -> None:
    own = await make_key(user)
    async with serve("yes", asks_key=True, key=own, plans={"free": {"turns_per_day": 1}}) as running:
        headers = {"Idempotency-Key": "k"}
        first = await running.client.post("/api/chat", json={"message": "hello"}, headers=headers)
        again = await running.client.post("/api/chat", json={"message": "hello"}, headers=headers)
        new = await running.client.post("/api/chat", json={"message": "hello"})
    assert (first.status_code, again.json(), new.status_code) == (200, first.json(), 429)
    async with serve(["The beginning", Hang()], asks_key=True, key=await make_key(f"{user}-b")) as running:
        await _dropped(running.client, "dropped")
        await _answer_of(running.client, "dropped")
        for _ in range(200):
            used = (await running.client.get("/api/users/me/context")).json()["usage"]["turns"]
            if used:
                break
            await asyncio.sleep(0.05)
    assert used == 1


async def test_a_model_that_fails(serve: Any) -> None:
    from ragforge_memory import ModelError

    async with serve(["So far", ModelError("the line went dead")]) as running:
        plain = await running.client.post("/api/chat", json={"message": "hello"})
        events = await _stream(running.client, {"message": "hello"})
    assert (plain.status_code, plain.json()["error"]) == (502, "ModelError")
    assert [name for name, _ in events].count("error") == 1


async def test_a_turn_that_takes_too_long(serve: Any) -> None:
    async with serve(["So far", Hang()], turn_timeout_seconds=0.5) as running:
        late = await running.client.post("/api/chat", json={"message": "hello", "session_id": "late"})
        answer = await _answer_of(running.client, "late")
    assert late.status_code == 504
    assert answer["state"] in ("partial", "unanswered")


async def _dropped(client: Any, session: str) -> None:
    """A stream whose reader goes away in the middle."""
    asked, headers = {"message": "tell me", "session_id": session}, {"Accept": "text/event-stream"}
    async with client.stream("POST", "/api/chat", json=asked, headers=headers) as response:
        async for line in response.aiter_lines():
            if "The beginning" in line:
                return


async def _stream(client: Any, asked: Any, headers: Any = None) -> list[tuple[str, Any]]:
    """The events of a turn: name and data."""
    events, name = [], ""
    sent = {"Accept": "text/event-stream", **(headers or {})}
    async with client.stream("POST", "/api/chat", json=asked, headers=sent) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                events.append((name, json.loads(line.removeprefix("data: "))))
    return events


async def _answer_of(client: Any, session: str) -> Any:
    """What is stored behind the question, once something is."""
    for _ in range(200):
        messages = (await client.get(f"/api/conversations/{session}/messages")).json()
        if len(messages) == 2 or messages[0]["state"] == "unanswered":
            return messages[-1]
        await asyncio.sleep(0.05)
    raise AssertionError("no answer was stored")
