"""The trace of a turn: each write, read, tier, tool and model call under it, and nothing that was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragforge_memory import ModelError
from ragforge_memory.llm.port import ToolRequest

pytestmark = pytest.mark.anyio


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What was sent; the process's own provider stays as it is."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


async def test_a_turn_with_a_tool(serve: Any, spans: InMemorySpanExporter) -> None:
    steps = [[ToolRequest("c", "outline", {"path": "."})], "The marzipan answer."]
    async with serve(*steps) as running:
        await running.client.post("/api/chat", json={"message": "hello", "session_id": "traced"})
        spans.clear()
        told = await running.client.post("/api/chat", json={"message": "the marzipan question", "session_id": "traced"})
    finished = spans.get_finished_spans()
    [turn] = [each for each in finished if each.name == "invoke_agent"]
    under = [each.name for each in finished if each.context.trace_id == turn.context.trace_id]
    assert under.count("chat scripted") == 2
    expected = {"write append_message", "read turn_context", "recall", "read recall", "execute_tool outline"}
    assert expected | {"write complete_turn"} <= set(under)
    assert turn.attributes["gen_ai.conversation.id"] == told.json()["conversation_id"]
    [tier] = [each for each in finished if each.name == "recall"]
    assert "standing" in tier.attributes["ragforge.tiers"]
    assert "marzipan" not in "".join(each.to_json() for each in finished)


async def test_a_model_that_fails_says_so_without_its_words(serve: Any, spans: InMemorySpanExporter) -> None:
    async with serve([ModelError("it quotes marzipan")]) as running:
        await running.client.post("/api/chat", json={"message": "hello"})
    [asked] = [each for each in spans.get_finished_spans() if each.name == "chat scripted"]
    assert asked.status.description == "ModelError"
    assert "marzipan" not in "".join(each.to_json() for each in spans.get_finished_spans())
