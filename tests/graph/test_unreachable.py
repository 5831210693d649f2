"""What is said of a server that does not answer: the reason whole, and where its address came from."""

from __future__ import annotations

import asyncio
import re
import socket
import time

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConfigError, GraphTimeout, GraphUnavailable
from ragforge_memory.graph import waiting
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio

NOWHERE = "bolt://127.0.0.1:9"


@pytest.mark.parametrize(
    ("target", "named"), [(None, "NEO4J_URI"), (NOWHERE.replace("127.0.0.1", "localhost"), "neo4j.uri")]
)
async def test_the_reason_is_whole_and_the_hint_names_the_setting(
    target: str | None, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_URI", NOWHERE)
    with pytest.raises(GraphUnavailable) as caught:
        await connect(target)
    said = str(caught.value).splitlines()[0]
    assert "resolved to" not in said
    assert "Failed to establish connection" in said
    assert f"check {named}," in (caught.value.hint or "")


async def test_what_was_waited_is_said_with_the_start_of_a_server_that_had_gone() -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:  # connects, and never answers
        port = hanging.getsockname()[1]

        async def recover() -> Neo4jConfig:
            await asyncio.sleep(1.5)
            return Neo4jConfig(f"bolt://127.0.0.1:{port}")

        client = GraphClient(open_driver(Neo4jConfig(NOWHERE)), address=NOWHERE, recover=recover)
        began = time.monotonic()
        with pytest.raises(GraphTimeout) as caught:
            await client.server_version()
        waited = time.monotonic() - began
        await client.aclose()
    said = re.search(r"\(the first contact, ([\d.]+) s\); ([\d.]+) s in all", caught.value.message)
    assert said is not None
    assert float(said[2]) == pytest.approx(waited, abs=0.3)
    assert float(said[1]) == pytest.approx(waited - 1.5, abs=0.5)


async def test_vectors_that_are_made_in_the_background_wait_for_no_server_that_has_gone(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def recover() -> Neo4jConfig:
        raise AssertionError("nobody waits for it")

    client = GraphClient(open_driver(Neo4jConfig(NOWHERE)), address=NOWHERE, recover=recover)
    monkeypatch.setattr(client, "_version", (2026, 9))  # it was there before
    monkeypatch.setattr(waiting, "PATIENT_TIMEOUT", 0.2)
    store, space = MessageStore(client, owner), Space("hashing:words", 2, 1)
    for step in (store.pending(1), store.store(space, []), store.fail_embeddings(["1"]), store.count_pending()):
        with pytest.raises(GraphUnavailable):
            await step
    await client.aclose()


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError, match=r"bolt://neo4j:\*{8}@host:7687.*has a user or a password") as refused:
        open_driver(Neo4jConfig("bolt://neo4j:geheim123@host:7687"))
    assert "neo4j.password" in str(refused.value.hint)
    assert "geheim123" not in str(refused.value)
