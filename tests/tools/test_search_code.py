"""The tool `search_code` on small projects of two languages in the real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.port import space_model
from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import open_space
from ragforge_memory.ingest.embed import embed_waiting
from ragforge_memory.ingest.run import ingest
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.code import ScopeCounts
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolContext, ToolRegistry, ToolRun
from tests.tools.conftest import ingested, write_files

pytestmark = pytest.mark.anyio

PYTHON = {
    "harbour/ships.py": '''"""Ships."""

import signal

MAX_CREW = 40  # the insurance pays for no more sailors

# Nobody boards while the anchor chain is wet.
signal.signal(signal.SIGTERM, signal.SIG_DFL)


class Ship:
    """What swims."""

    flag: str = "none"  # the country of registration

    def __init__(self, crew: int) -> None:
        self.crew = crew

    def moor(self, quay: "Quay") -> None:
        """Ties the ship up."""
        if quay.depth < 3:
            raise ValueError("too shallow")
        quay.ships.append(self)


class Quay:
    """Where ships lie."""

    def __init__(self, *, overnight: bool = False) -> None:
        self.depth = 5
        self.ships: list[Ship] = []
        # Harbour fees are doubled for those that stay overnight.
        self.fee = 20 if overnight else 10
''',
    "tests/test_ships.py": '''def test_a_ship_is_moored_at_a_quay_that_is_not_too_shallow():
    """Too shallow: the ship is not moored, the depth of the quay is shallow."""
    stevedore = "shallow quay"
    assert stevedore
''',
    "playground/shallow.py": "def shallow_quay():\n    return 'too shallow a quay, no ship moored'\n",
}
GO = {
    "harbour/ships.go": """package harbour

import "errors"

// MaxCrew is what the insurance pays for.
const MaxCrew = 40

// Options of a ship.
type Options struct {
	Flag string
	// Ballast is pumped out before sailing.
	Ballast int
}

// Moor ties a ship up.
func Moor(o Options, depth int) error {
	if depth < 3 {
		return errors.New("too shallow")
	}
	return nil
}
""",
}


class Searching:
    """One project in the graph, and the tool."""

    def __init__(self, client: GraphClient, context: ToolContext, root: Path) -> None:
        self.client = client
        self.context = context
        self.root = root
        self._registry = ToolRegistry(CODE_SEARCH_TOOLS)

    async def run(self, query: str, **arguments: Any) -> ToolRun:
        return await self._registry.run(ToolRequest("1", "search_code", {"query": query, **arguments}), self.context)

    async def found(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        ran = await self.run(query, **arguments)
        assert ran.success, ran.error
        return list(ran.value["results"])

    def check_lines(self, result: Mapping[str, Any]) -> None:
        """The lines are the file's, in order, and inside of what they are said to be of."""
        text = (self.root / result["file"]).read_text().split("\n")
        numbers = [line["line"] for line in result["lines"]]
        assert numbers == sorted(set(numbers))
        assert len(numbers) <= 6
        for line in result["lines"]:
            assert line["text"].strip() in text[line["line"] - 1]


@pytest.fixture
async def searching(
    request: pytest.FixtureRequest, neo4j_config: Neo4jConfig, tmp_path: Path
) -> AsyncIterator[Searching]:
    root = write_files(tmp_path / "project", request.param)
    async with ingested(root, neo4j_config, tmp_path / "home") as (client, context):
        yield Searching(client, context, root)


in_python = pytest.mark.parametrize("searching", [PYTHON], indirect=True)


@pytest.mark.parametrize(
    ("searching", "asked"),
    [
        (
            PYTHON,
            [
                ("which country is a ship registered in?", "Ship", "country of registration"),
                ("how many sailors are insured?", "MAX_CREW", "MAX_CREW = 40"),
                ("why does staying overnight cost more?", "Quay.__init__", "fees are doubled"),
                ("may I board with a wet chain?", "harbour/ships.py", "anchor chain is wet"),
                ("what happens where the water is too shallow?", "Ship.moor", "too shallow"),
            ],
        ),
        (
            GO,
            [
                ("when is ballast pumped?", "Options", "Ballast is pumped"),
                ("what does the insurance pay for?", "MaxCrew", "insurance pays"),
                ("what is too shallow?", "Moor", "too shallow"),
            ],
        ),
    ],
    indirect=["searching"],
    ids=["python", "go"],
)
async def test_code_is_found_by_its_words_and_the_line_that_answers_is_shown(
    searching: Searching, asked: list[tuple[str, str, str]]
) -> None:
    for query, name, line in asked:
        results = await searching.found(query)
        assert results[0]["qualified_name"] == name, query
        assert any(line in each["text"] for each in results[0]["lines"]), query
        for each in results:
            searching.check_lines(each)


@in_python
async def test_each_line_is_shown_of_one_definition_alone_and_what_is_aside_comes_last(searching: Searching) -> None:
    results = await searching.found("ship quay depth fee flag crew", limit=50)
    shown = [(each["file"], line["line"]) for each in results for line in each["lines"]]
    assert len(shown) == len(set(shown))
    outer = next(each for each in results if each["qualified_name"] == "Ship")
    assert not any("def " in line["text"] for line in outer["lines"])

    results = await searching.found("is the quay too shallow for a ship to be moored?", limit=9)
    asides = [each.get("aside", False) for each in results]
    assert results[0]["qualified_name"] == "Ship.moor"
    assert asides == sorted(asides)
    assert {each["file"] for each in results if each.get("aside")} == {"tests/test_ships.py", "playground/shallow.py"}
    assert not any(each.get("aside") for each in await searching.found("a quay too shallow for a ship", limit=2))
    asked = await searching.found("which test has a quay too shallow for a ship?")
    assert asked[0]["file"] == "tests/test_ships.py"


@in_python
async def test_a_result_says_what_and_where_it_is(searching: Searching) -> None:
    ran = await searching.run("harbour fees overnight")
    first = ran.value["results"][0]
    assert first | {"uuid": "", "score": 0, "lines": []} == {
        "name": "__init__", "qualified_name": "Quay.__init__", "uuid": "", "file": "harbour/ships.py", "line": 29,
        "end_line": 33, "kind": "method", "signature": "def __init__(self, *, overnight: bool = False) -> None",
        "score": 0, "matched_by": ["text"], "lines": [],
    }  # fmt: skip
    assert first["score"] == round(1 / 11, 4)
    assert ran.value["words"] == ["harbour", "fees", "overnight"]
    assert ran.value["searched"] == {
        "scopes": 8, "files": 3, "embedded": 0, "languages": ["python"],
        "why_no_vectors": "there is no embedding model",
    }  # fmt: skip
    assert "nowhere" not in ran.value
    assert "broken" not in ran.value
    assert first["uuid"] in {tie.scope for tie in ran.scopes}
    file = (await searching.run("wet anchor chain")).value["results"][0]
    assert (file["kind"], file["uuid"], file["signature"], file["line"]) == ("file", None, "", 1)


@in_python
async def test_words_that_are_nowhere_are_named_where_they_are_many(searching: Searching) -> None:
    value = (await searching.run("how are payments for ships refunded?")).value
    assert value["nowhere"] == ["payments", "refunded"]
    assert "nowhere_but_in_tests" not in value
    assert "Ship" in [each["qualified_name"] for each in value["results"]]
    # One of four is no reason to say so.
    assert "nowhere" not in (await searching.run("payments of ships with a flag at the quay")).value
    value = (await searching.run("is there a stevedore?")).value
    assert (value["nowhere"], value["nowhere_but_in_tests"]) == (["stevedore"], ["stevedore"])
    assert value["results"][0]["aside"]
    value = (await searching.run("zeppelin")).value
    assert (value["nowhere"], value["results"]) == (["zeppelin"], [])

    # A name brings its definition with the lines of the other words.
    first = (await searching.found("why does Quay.__init__ mention an overnight stay?"))[0]
    assert (first["qualified_name"], first["matched_by"]) == ("Quay.__init__", ["name", "text"])
    results = await searching.found("what has a Ship to do with insurance?")
    assert {"Ship", "MAX_CREW"} <= {each["qualified_name"] for each in results}
    assert results[0]["qualified_name"] == "Ship"

    # Questions without words are answered too.
    assert not (await searching.run("  ")).success
    assert await searching.found("?!") == []
    assert len(await searching.found("ship " * 5_000, limit=0)) == 1


@in_python
async def test_broken_files_are_told(searching: Searching, tmp_path: Path) -> None:
    for number in range(4):
        (searching.root / f"part_{number}.py").write_text(f"def whole_{number}(): ...\n\ndef broken(:\n")
    project = searching.context.owner.project
    await ingest(searching.client, searching.root, project=project, home=tmp_path / "home", processes=1)
    value = (await searching.run("ship")).value
    assert value["not_read"]["count"] == 4
    assert [each.partition(" (")[0] for each in value["not_read"]["files"]] == [f"part_{n}.py" for n in range(4)]


@in_python
async def test_words_and_meaning_are_fused_where_there_are_vectors(searching: Searching) -> None:
    embedder = HashingEmbedder()
    project = searching.context.owner.project
    searching.context = replace(searching.context, embedder=embedder)
    value = (await searching.run("too shallow")).value
    assert value["searched"]["why_no_vectors"] == "no definition has a vector yet"
    space = await open_space(searching.client, project, space_model(embedder), embedder.dimension)
    store = ScopeStore(searching.client, space)
    await embed_waiting(store, project, embedder)
    searching.context = replace(searching.context, scopes=store)
    ran = await searching.run("what is done where the water is too shallow?")
    assert ran.value["searched"] == {"scopes": 8, "files": 3, "embedded": 8, "languages": ["python"]}
    first = ran.value["results"][0]
    assert (first["qualified_name"], first["matched_by"]) == ("Ship.moor", ["text", "vector"])
    assert any(each["matched_by"] == ["vector"] for each in ran.value["results"])


@in_python
async def test_a_search_says_why_it_failed(searching: Searching, monkeypatch: pytest.MonkeyPatch) -> None:
    async def counts(*_: Any) -> ScopeCounts:
        return ScopeCounts(1, 1, 1)

    async def away(*_: Any, **__: Any) -> None:
        raise GraphUnavailable("Neo4j cannot be reached", hint="start it")

    monkeypatch.setattr(searching.context.scopes, "counts", counts)
    searching.context = replace(searching.context, embedder=HashingEmbedder())
    for search in ("search_vector", "search_words"):
        with monkeypatch.context() as patch:
            patch.setattr(searching.context.scopes, search, away)
            ran = await searching.run("total")
        assert (ran.error, ran.error_kind) == ("Neo4j cannot be reached (start it)", "GraphUnavailable"), search
