"""Branches behave like a few lists in Python, whatever the order of appends, branches, other questions and answers,
comparisons, merges, deletes, searches, summaries."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import takewhile
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.summary_text import Summarizer
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.branches import BranchStore, Merge
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.graph.search import EVERYTHING, SearchStore
from ragforge_memory.graph.summaries import SummaryStore
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.lineage import cut, fork
from ragforge_memory.models.owner import Owner
from tests.graph.filling import REFRESH, said


@dataclass
class Model:
    """What conversations hold: name → the whole list of texts that one who reads it sees. Each text is said once.

    ``merged`` says of texts that are merges what they brought in: which conversation, up to which of its texts.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    merged: dict[str, tuple[str, int]] = field(default_factory=dict)

    def branch(self, source: str, name: str, at: int) -> None:
        self.texts[name] = self.texts[source][:at]

    def shared(self, one: str, other: str) -> int:
        """How many texts two conversations begin with alike."""
        pairs = zip(self.texts[one], self.texts[other], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def brought(self, name: str, other: str) -> bool:
        """Whether a conversation has a merge of all of another one."""
        to = len(self.texts[other])
        found = [self.merged[text] for text in self.texts[name] if text in self.merged]
        return any(which == other and seq >= to for which, seq in found)


_NAME = re.compile(r"m\d+m")


def _names(request: ModelRequest) -> str:
    """A summary that names all that it was made of."""
    return f"{' '.join(_NAME.findall(request.messages[-1].content))}."


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            [*["append"] * 4, "branch", "branch", "another", "delete", "compare", "merge", "search", "summarise"]
        ),
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

    async def branch(self, uuid: str, at: int) -> str:
        """A branch that shares as much."""
        point = await self.branches.point(uuid)
        return (await self.branches.create(uuid, cut(point.lineage, at), title=None, summarize_every=None)).uuid

    async def fork(self, one: str, other: str) -> int:
        """The last seq that both share."""
        return fork((await self.branches.point(one)).lineage, (await self.branches.point(other)).lineage)

    async def merge(self, uuid: str, text: str, merge: Merge) -> int | None:
        """Brings another conversation in as one message; its seq, None where it was brought in before."""
        new = NewMessage(uuid=uuid4().hex, role="assistant", content=text, metadata=merge.metadata)
        return await self.branches.merge(uuid, new, merge, summarize_every=None)

    async def family(self, uuid: str) -> set[str]:
        """The living conversations of its tree."""
        found, left = set(), [await self.branches.tree(uuid)]
        while left:
            tree = left.pop()
            left.extend(tree.branches)
            found |= {tree.uuid} if tree.conversation else set()
        return found

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
            model.branch(chosen, await real.branch(chosen, at), at)
        elif what == "another":
            # Another question, or another answer: a branch that goes on at once, often from before the first message.
            at = min(place // 3, len(model.texts[chosen]))
            name, text = await real.branch(chosen, at), f"lexer of m{number}m"
            model.branch(chosen, name, at)
            model.texts[name].append(text)
            assert await real.messages.append(name, said(text)) == at + 1
        elif what in {"compare", "merge"}:
            other = sorted(model.texts)[place % len(model.texts)]
            shared = model.shared(chosen, other)
            assert await real.fork(chosen, other) == await real.fork(other, chosen) == shared
            if what == "merge" and len(model.texts[other]) > shared:
                merge, text = Merge(other, shared, len(model.texts[other])), f"lexer of m{number}m"
                before = model.brought(chosen, other)
                seq = await real.merge(chosen, text, merge)
                if not before:
                    model.texts[chosen].append(text)
                    model.merged[text] = (merge.other_id, merge.to_seq)
                assert seq == (None if before else len(model.texts[chosen]))
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
    for uuid in model.texts:
        assert await real.family(uuid) == set(model.texts)
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
