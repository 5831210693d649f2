"""Every route refuses what it must: no key, a wrong one, another user's things, too much, nonsense; never by a 500."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.anyio

_OPEN = {"/healthz", "/readyz", "/metrics"}
_SAMPLES = {
    "ChatRequest": {"message": "hello"},
    "NewConversation": {},
    "ConversationChanges": {"title": "mine"},
    "NewBranch": {},
    "Edited": {"text": "hello"},
    "OtherConversation": {"other": "OTHER"},
    "CodeReferences": {"message_id": "OTHER", "scopes": ["main"]},
    "NewMemory": {"text": "the sky is blue"},
    "NewFact": {"type": "personal", "key": "city", "value": "Ulm"},
    "FactChange": {"value": "Ulm"},
    "Forgetting": {},
    "ContextChanges": {"preferences": {"a": 1}},
    "NewKey": {},
    "CompletionRequest": {"model": "ragforge", "messages": [{"role": "user", "content": "hello"}]},
}


def _routes(schema: Any) -> list[tuple[str, str, Any]]:
    """Every guarded route: method, path, what is said of it."""
    return [
        (method.upper(), path, about)
        for path, methods in schema["paths"].items()
        for method, about in methods.items()
        if path not in _OPEN
    ]


def _body(about: Any, other: str) -> Any:
    content = about.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    sample = _SAMPLES.get(reference.rpartition("/")[2])
    return None if sample is None else {key: other if value == "OTHER" else value for key, value in sample.items()}


def _query(about: Any) -> dict[str, str]:
    needed = [each["name"] for each in about.get("parameters", ()) if each.get("required") and each["in"] == "query"]
    return dict.fromkeys(needed, "anything")


def _filled(path: str, uuid: str) -> str:
    return re.sub(r"{\w+}", uuid, path)


@pytest.fixture
async def guarded(serve: Any, user: str, make_key: Any) -> Any:
    """A server that asks for a key, with the conversation and the memory of another user on it."""
    own, other = await make_key(user), await make_key(f"{user}-other")
    async with serve("An answer.", asks_key=True, key=own, requests_per_minute=100_000) as running:
        theirs = {"Authorization": f"Bearer {other}"}
        told = await running.client.post("/api/chat", json={"message": "the secret plan"}, headers=theirs)
        kept = await running.client.post("/api/memories", json={"text": "the secret place"}, headers=theirs)
        assert (told.status_code, kept.status_code) == (200, 201)
        running.client.others = [told.json()["conversation_id"], told.json()["message_id"], kept.json()["uuid"]]
        yield running


async def test_no_key_and_a_wrong_one(guarded: Any) -> None:
    routes = _routes(guarded.app.openapi())
    assert len(routes) > 45
    for key in ("", "Bearer rf_0123456789ab_wrong", "Bearer \u00ff", "Basic abc"):
        for method, path, about in routes:
            response = await guarded.client.request(
                method, _filled(path, "x"), json=_body(about, "x"), headers={"Authorization": key.encode("latin-1")}
            )
            assert response.status_code == 401, (method, path)
            assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_nothing_of_another_user_is_told(guarded: Any) -> None:
    routes = [each for each in _routes(guarded.app.openapi()) if each[:2] != ("DELETE", "/api/users/me")]
    for method, path, about in routes:
        for uuid in guarded.client.others:
            response = await guarded.client.request(
                method, _filled(path, uuid), json=_body(about, uuid), params=_query(about)
            )
            assert "secret" not in response.text, (method, path)
            if "{uuid}" in path or "{memory_id}" in path or "{key_id}" in path:
                assert response.status_code in (403, 404), (method, path, response.text)
            assert response.status_code < 500, (method, path, response.text)


async def test_nobody_acts_for_another_without_leave(guarded: Any) -> None:
    for method, path, about in _routes(guarded.app.openapi()):
        if any(each["name"] == "user_id" for each in about.get("parameters", ())):
            query = {**_query(about), "user_id": "somebody"}
            response = await guarded.client.request(method, _filled(path, "x"), json=_body(about, "x"), params=query)
            assert response.status_code == 403, (method, path)
    response = await guarded.client.post("/api/chat", json={"message": "hello", "user_id": "somebody"})
    assert response.status_code == 403


async def test_a_body_that_is_too_large(guarded: Any) -> None:
    async def pieces() -> Any:
        for _ in range(40):
            yield b"x" * 1_000_000

    for method, path, about in _routes(guarded.app.openapi()):
        if "requestBody" not in about:
            continue
        for content in (b"x" * 1_000_001, pieces()):
            if "json" not in str(about["requestBody"]) and isinstance(content, bytes):
                continue
            response = await guarded.client.request(
                method, _filled(path, "x"), content=content, headers={"Content-Type": "application/json"}
            )
            assert response.status_code == 413, (method, path)
            assert "max_body_bytes" in str(_check_form(path, response.json()))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'"text"', b'{"\\ud800": 1}', b'{"message": "\\ud800"}', b"\xff\xfe", b"null"]
)
async def test_a_body_that_is_nonsense(guarded: Any, content: bytes) -> None:
    for method, path, about in _routes(guarded.app.openapi()):
        if "json" not in str(about.get("requestBody", "")):
            continue
        response = await guarded.client.request(
            method, _filled(path, "x"), content=content, headers={"Content-Type": "application/json"}
        )
        assert response.status_code in (422, 404, 403), (method, path, response.text)
        _check_form(path, response.json())


def _check_form(path: str, problem: dict[str, Any]) -> dict[str, Any]:
    """The one form of errors, and that of OpenAI's clients."""
    if path.startswith("/v1/"):
        assert set(problem) == {"error"}, path
        assert set(problem["error"]) == {"message", "type", "param", "code"}, path
    else:
        assert set(problem) == {"error", "message", "hint"}, path
    return problem


async def test_queries_that_are_nonsense(guarded: Any) -> None:
    nonsense = {"limit": "-1", "cursor": "\ud83d", "query": "\x00", "scope": "\x00", "since": "never", "tag": "\x00"}
    for method, path, about in _routes(guarded.app.openapi()):
        query = {
            each["name"]: nonsense.get(each["name"], "\x00")
            for each in about.get("parameters", ())
            if each["in"] == "query" and each["name"] != "user_id"
        }
        if query:
            query = {name: value.encode(errors="replace").decode() for name, value in query.items()}
            response = await guarded.client.request(method, _filled(path, "x"), json=_body(about, "x"), params=query)
            assert response.status_code < 500, (method, path, response.text)


async def test_too_many_requests(serve: Any, user: str, make_key: Any) -> None:
    key = await make_key(user)
    async with serve(asks_key=True, key=key, requests_per_minute=5) as running:
        codes = [(await running.client.get("/api/conversations")).status_code for _ in range(7)]
        refused = await running.client.get("/api/conversations")
        wrong = {"Authorization": "Bearer rf_0123456789ab_wrong"}
        guesses = [(await running.client.get("/api/conversations", headers=wrong)).status_code for _ in range(7)]
    assert codes == [200] * 5 + [429] * 2
    assert int(refused.headers["Retry-After"]) > 0
    assert guesses == [401] * 5 + [429] * 2


async def test_a_method_that_a_path_does_not_have(serve: Any) -> None:
    async with serve() as running:
        refused = await running.client.put("/api/conversations", json={})
        nowhere = await running.client.get("/api/nothing")
    assert refused.status_code == 405
    assert refused.headers["Allow"] == "GET, POST"
    assert nowhere.status_code == 404


async def test_pages_of_other_sites_need_a_key(serve: Any, user: str, make_key: Any) -> None:
    async with serve(cors_origins=["https://app.example.org"]) as running:
        get = running.client.get
        codes = [
            (await get("/api/conversations", headers=headers)).status_code
            for headers in (
                {},
                {"Origin": running.url},
                {"Origin": "https://app.example.org"},
                {"Origin": "https://evil.example.org"},
                {"Host": "evil.example.org"},
                {"X-Forwarded-For": "203.0.113.9"},
            )
        ]
        key = {"Authorization": f"Bearer {await make_key(user)}"}
        allowed = await get("/api/conversations", headers={"Origin": "https://app.example.org", **key})
    assert codes == [200, 200, 403, 403, 403, 403]
    assert allowed.status_code == 200
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example.org"
