"""What is said of a server that does not answer: the reason whole, and where its address came from."""

from __future__ import annotations

import pytest

from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.connect import connect

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
