"""Branches behave like a few lists in Python, whatever the order of appends, branches, deletes, searches, summaries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.summary_text import Summarizer
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.branches import BranchStore
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.search import EVERYTHING, SearchStore
from ragforge_memory.graph.summaries import SummaryStore
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.lineage import Part, cut, fork
from ragforge_memory.models.owner import Owner
from tests.graph.filling import REFRESH, said


@dataclass
class Model:
    """What conversations hold: name → the whole list of texts that one who reads it sees."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def branch(self, source: str, name: str, at: int) -> None:
        self.texts[name] = self.texts[source][:at]


_NAME = re.compile(r"m\d+m")


def _names(request: ModelRequest) -> str:
    """A summary that names all that it was made of."""
    return f"{' '.join(_NAME.findall(request.messages[-1].content))}."


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["append", "append", "append", "append", "branch", "branch", "delete", "search", "summarise"]),
        st.integers(0, 30),
        st.integers(0, 12),
    ),
    min_size=4,
    max_size=24,
)


class Real:
    """The same on the graph."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        self.client = client
        self.owner = owner
        self.conversations = ConversationStore(client, owner)
        self.messages = MessageStore(client, owner)
        self.branches = BranchStore(client, owner)
        self.searches = SearchStore(client, owner, None)
        summarizer = Summarizer(
            ScriptedProvider(purposes={"summary": [_names]}, loop=True),
            None,
            redacted=lambda text: text,
            today=lambda: date(2026, 1, 2),
            timeout=30,
        )
        self.summaries = Summaries(SummaryStore(client, owner, every=2), summarizer, pause=0.0)

    async def found(self, uuid: str) -> set[int]:
        """The places of all messages that a search for the word that each of them has finds."""
        await self.client.run_schema(REFRESH)
        hits = await self.searches.by_words(["lexer"], conversation_id=uuid, filters=EVERYTHING)
        return {hit.seq for hit in hits.items}

    async def summarised(self, uuid: str) -> list[str]:
        """What a conversation's summary tells of, in its order."""
        return _NAME.findall(await self.summaries.on_demand(uuid))

    async def texts(self, uuid: str) -> list[str]:
        history = await self.messages.history(uuid, limit=500)
        assert [message.seq for message in history] == list(range(1, len(history) + 1))
        return [message.content for message in history]

    async def left(self) -> dict[str, int]:
        rows = await self.client.run_schema(
            "MATCH (n) WHERE n.user_id = $user_id AND n.project = $project "
            "UNWIND labels(n) AS label RETURN label, count(*) AS count",
            **self.owner.parameters,
        )
        return {row["label"]: row["count"] for row in rows}


@pytest.fixture(scope="module")
def runner(neo4j_config: Neo4jConfig) -> Iterator[tuple[asyncio.Runner, GraphClient]]:
    """One loop and one connection for all examples."""
    with asyncio.Runner() as loop:
        client = loop.run(connect(neo4j_config))
        yield loop, client
        loop.run(client.aclose())


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations=OPERATIONS)
def test_any_sequence_reads_like_lists(
    runner: tuple[asyncio.Runner, GraphClient], operations: list[tuple[str, int, int]]
) -> None:
    loop, client = runner
    name = uuid4().hex
    loop.run(_same(Real(client, Owner(f"user-{name}", f"project-{name}")), operations))


async def _same(real: Real, operations: list[tuple[str, int, int]]) -> None:
    model = Model()
    first = (await real.conversations.create(title="root")).uuid
    model.texts[first] = []
    gone: list[str] = []
    for number, (what, which, place) in enumerate(operations):
        if not model.texts:
            break
        chosen = sorted(model.texts)[which % len(model.texts)]
        if what == "append":
            text = f"lexer of m{number}m"
            seq = await real.messages.append(chosen, said(text))
            model.texts[chosen].append(text)
            assert seq == len(model.texts[chosen])
        elif what == "branch":
            at = min(place, len(model.texts[chosen]))
            point = await real.branches.point(chosen)
            info = await real.branches.create(chosen, cut(point.lineage, at), title=None)
            model.branch(chosen, info.uuid, at)
        elif what == "search":
            assert await real.found(chosen) == set(range(1, len(model.texts[chosen]) + 1))
        elif what == "summarise":
            # Whatever was summarised where and when: each message once, in its order.
            assert await real.summarised(chosen) == _NAME.findall(" ".join(model.texts[chosen]))
        else:
            await real.conversations.delete(chosen)
            del model.texts[chosen]
            gone.append(chosen)
        for uuid, texts in model.texts.items():
            assert await real.texts(uuid) == texts
    for uuid in gone:
        with pytest.raises(ConversationNotFound):
            await real.texts(uuid)
    assert {info.uuid for info in await real.conversations.page(limit=100)} == set(model.texts)
    assert await real.conversations.sweep() == 0
    # Each message is in the graph once, and nothing that nobody reaches is.
    left = await real.left()
    assert left.get("Message", 0) == await _reachable(real, model)
    for uuid in list(model.texts):
        await real.conversations.delete(uuid)
    assert await real.left() == {}


async def _reachable(real: Real, model: Model) -> int:
    found: set[str] = set()
    for uuid in model.texts:
        found.update(message.uuid for message in await real.messages.history(uuid, limit=500))
    return len(found)


PARTS = st.lists(st.integers(0, 9), min_size=1, max_size=5).map(
    lambda steps: tuple(Part(f"c{i}", sum(steps[: i + 1])) for i in range(len(steps)))
)


@given(lineage=PARTS, seq=st.integers(0, 50))
def test_a_cut_keeps_every_message_up_to_it_and_none_above(lineage: tuple[Part, ...], seq: int) -> None:
    seq = min(seq, lineage[-1].top)
    kept = cut(lineage, seq)
    assert kept[-1].top == seq
    assert [part.top for part in kept] == sorted({part.top for part in kept})
    assert _owners(kept, seq) == _owners(lineage, seq)


@given(lineage=PARTS, one=st.integers(0, 50), other=st.integers(0, 50))
def test_two_branches_share_what_both_were_cut_from(lineage: tuple[Part, ...], one: int, other: int) -> None:
    one, other = min(one, lineage[-1].top), min(other, lineage[-1].top)
    left = (*cut(lineage, one), Part("left", one + 3))
    right = (*cut(lineage, other), Part("right", other + 2))
    assert fork(left, right) == fork(right, left) == min(one, other)


def _owners(lineage: tuple[Part, ...], seq: int) -> list[str]:
    """Which conversation each message up to ``seq`` is of."""
    return [next(part.conversation_id for part in lineage if part.top >= number) for number in range(1, seq + 1)]
