"""What Prometheus reads: document 5's six metrics, and the server's own."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ragforge_memory.llm.port import ToolRequest

pytestmark = pytest.mark.anyio


async def test_the_metrics(serve: Any) -> None:
    fact = {"type": "personal", "key": "city", "value": "Ulm", "confidence": 1.0}
    async with serve([ToolRequest("c", "remember_fact", fact)], "Noted.") as running:
        await running.client.post("/api/chat", json={"message": "I live in Ulm"})
        agent = running.app.state.server.hub.first
        await agent.drain(30)
        text = (await running.client.get("/metrics")).text
    families = {each.name: each for each in text_string_to_metric_families(text)}
    assert {
        "memory_tool_calls",
        "memory_tool_success_rate",
        "memory_tool_latency_ms",
        "memory_tool_queue_depth",
        "memory_tool_errors",
        "memory_duplicate_rate",
        "ragforge_turn_seconds",
        "ragforge_http_requests",
    } <= set(families)
    calls = {each.labels["tool"]: each.value for each in families["memory_tool_calls"].samples}
    assert calls["remember_fact"] == 1
    requests = {(each.labels["route"], each.labels["status"]) for each in families["ragforge_http_requests"].samples}
    assert ("/api/chat", "200") in requests


async def test_health_and_readiness(serve: Any) -> None:
    async with serve() as running:
        for path in ("/healthz", "/readyz"):
            response = await running.client.get(path)
            assert (response.status_code, response.json()["status"]) == (200, "ok")
        docs = await running.client.get("/docs")
    assert docs.status_code == 200
