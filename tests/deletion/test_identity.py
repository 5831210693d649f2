"""Export, delete, import: any conversations come back as they were, and nothing of them was left between."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.graph.messages import Answer, NewMessage
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.conversation import ToolCall, Usage
from ragforge_memory.models.owner import Owner
from tests.archive.conftest import Graph

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 9), TEXT, VALUE),
        st.tuples(st.just("call"), st.integers(0, 9), TEXT, VALUE),
        st.tuples(st.just("branch"), st.integers(0, 9), TEXT, st.none()),
        st.tuples(st.just("delete"), st.integers(0, 9), TEXT, st.none()),
    ),
    min_size=2,
    max_size=10,
)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One loop for all examples."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_export_and_import_are_the_identity(
    loop: asyncio.Runner, neo4j_config: Neo4jConfig, steps: list[tuple[str, int, str, Any]]
) -> None:
    name = uuid4().hex
    owner = Owner(f"user-{name}", f"project-{name}")
    graph = Graph(neo4j_config, owner)
    try:
        loop.run(_there_and_back(neo4j_config, owner, graph, steps))
    finally:
        graph.forget()
        graph.close()


async def _there_and_back(
    config: Neo4jConfig, owner: Owner, graph: Graph, steps: list[tuple[str, int, str, Any]]
) -> None:
    agent = AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider([]),
        tools=(),
        config=ConversationConfig(embed_messages=False, enable_summarization=False),
        **owner.parameters,
    )
    async with agent:
        living = [(await agent.create_conversation("first")).uuid]
        for step in steps:
            if living:
                await _do(agent, living, *step)
        seen = graph.seen()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "all.jsonl"
            await agent.export_all(file)
            for uuid in living:
                await (await agent.load_conversation(uuid)).delete()
            assert graph.seen().nodes == graph.seen().edges == {}
            await agent.import_conversations(file)
            assert graph.seen().differs(seen) == []
            again = await agent.import_conversations(file, on_conflict="skip")
            assert (again.conversations, again.messages) == (0, 0)
            assert graph.seen().differs(seen) == []


async def _do(agent: AsyncConversationAgent, living: list[str], what: str, which: int, text: str, value: Any) -> None:
    services = await agent.open()
    uuid = living[which % len(living)]
    if what == "say":
        said = NewMessage(uuid=uuid4().hex, role="user", content=text, metadata={"value": value})
        await services.stores.messages.complete_turn(uuid, Answer(said), timeout=60)
    elif what == "call":
        answer = NewMessage(
            uuid=uuid4().hex, role="assistant", content=text, reasoning=text, usage=Usage(), model="a:b"
        )
        call = ToolCall(
            uuid=uuid4().hex,
            message_id=answer.uuid,
            tool_name="look",
            success=True,
            arguments={"value": value},
            result=value,
            timestamp="2026-01-02T03:04:05.678901Z",  # type: ignore[arg-type]  # pydantic reads it
        )
        await services.stores.messages.complete_turn(uuid, Answer(answer, (call,)), timeout=60)
    elif what == "branch":
        living.append((await (await agent.load_conversation(uuid)).branch(title=text.strip() or "b")).uuid)
    else:
        await (await agent.load_conversation(uuid)).delete()
        living.remove(uuid)
