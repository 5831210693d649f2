"""The named statements: used, loaded by strict rules, and understood by both server lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

import ragforge_memory
from ragforge_memory.errors import GraphError
from ragforge_memory.graph import queries
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.code import EDGE_TYPES
from ragforge_memory.graph.queries import (
    Statement,
    all_statements,
    cypher_directory,
    parse_statements,
    parse_version,
    statement_for,
)
from ragforge_memory.graph.schema import schema_statements
from ragforge_memory.graph.spaces import open_space
from ragforge_memory.models.owner import Owner
from tests.owners.graph import DIMENSION, MODEL
from tests.trees import tree_of_file
from tests.vector_indexes import index_of

pytestmark = pytest.mark.anyio

PACKAGE = Path(ragforge_memory.__file__).parent
RUNNERS = {"read", "write", "autocommit", "_read", "_write", "_fenced", "_until_untied", "_ask", "_near", "_in_batches"}
RUNNERS |= {"Proof"}
# What looks a graph over names each label and type as it runs: a server may look at every node then.
WHOLE = {"graph_labels", "label_properties", "graph_relationships"}

# --- every name is used, and every name used is there -----------------------------------------------------------------


def _names_asked_for() -> Iterator[re.Pattern[str]]:
    """What is given as a name to every call in ``graph/`` that runs a named statement; an f-string as a pattern."""
    for path in PACKAGE.joinpath("graph").rglob("*.py"):
        for node in ast.walk(tree_of_file(path)):
            if (
                not isinstance(node, ast.Call)
                or getattr(node.func, "attr", getattr(node.func, "id", "")) not in RUNNERS
            ):
                continue
            for asked in node.args:
                if isinstance(asked, ast.Constant) and isinstance(asked.value, str):
                    yield re.compile(re.escape(asked.value))
                elif isinstance(asked, ast.JoinedStr):
                    parts = [re.escape(str(p.value)) if isinstance(p, ast.Constant) else r"\w+" for p in asked.values]
                    yield re.compile("".join(parts))


def test_every_statement_is_used() -> None:
    asked = list(_names_asked_for())
    assert [name for name in all_statements() if not any(pattern.fullmatch(name) for pattern in asked)] == []


def test_every_name_asked_for_is_a_statement() -> None:
    asked = list(_names_asked_for())
    assert len(asked) > 40
    unknown = [p.pattern for p in asked if not any(p.fullmatch(name) for name in all_statements())]
    assert [name for name in unknown if name.isidentifier()] == []


def test_every_statement_says_why_or_is_plain() -> None:
    """A statement of more than a few clauses has its comment; every parameter that it takes is a plain name."""
    for path in sorted(cypher_directory().glob("*.cypher")):
        blocks = re.split(r"(?m)^// name: ", path.read_text(encoding="utf-8"))[1:]
        for block in blocks:
            lines = block.splitlines()
            marks = re.compile(r"^// (?:requires: [\d.]+|autocommit|at once)\s*$")
            why = [line for line in lines[1:] if line.startswith("//") and not marks.match(line)]
            body = [line for line in lines[1:] if line and not line.startswith("//")]
            assert why or len(body) <= 9, f"{path.name}: {lines[0]} says nothing of why it is as it is"


# --- the loader's rules -----------------------------------------------------------------------------------------------


def test_a_file_is_read_into_statements() -> None:
    one, two, three = parse_statements(
        "// a comment above all\n// name: one\n// why\nRETURN 1;\n\n"
        "// name: two\n// requires: 2026.2\n// autocommit\nCYPHER 25\nRETURN 2\n// in between\n  AS two\n"
        "// name: three\n// at once\nRETURN '// not a comment'\n",
        file="x.cypher",
    )
    assert one == Statement("one", "RETURN 1", (), False, "x.cypher")
    assert two == Statement("two", "CYPHER 25\nRETURN 2\n  AS two", (2026, 2), True, "x.cypher")
    assert three == Statement("three", "RETURN '// not a comment'", file="x.cypher", at_once=True)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2026.09.0", (2026, 9, 0)),
        ("5.26-aura", (5, 26)),
        ("dev", ()),
    ],
)
def test_versions_are_numbers(text: str, version: tuple[int, ...]) -> None:
    assert parse_version(text)[: len(version)] == version
    assert bool(parse_version(text)) == bool(version)
    assert parse_version("5.26.30") < parse_version("2026.2") < parse_version("2026.09.0") < parse_version("2026.10")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory that takes the place of cypher/ while statements are loaded."""
    monkeypatch.setattr(queries, "cypher_directory", lambda: tmp_path)
    all_statements.cache_clear()
    yield tmp_path
    all_statements.cache_clear()


def test_the_newest_variant_that_a_server_can_run_is_taken(directory: Path) -> None:
    (directory / "a.cypher").write_text(
        "// name: s\nRETURN 'old'\n// name: s\n// requires: 2026.2\nRETURN 'new'\n"
        "// name: s\n// requires: 2027\nRETURN 3\n"
        "// name: t\n// requires: 2026.2\nRETURN 't'\n"
    )
    assert statement_for("s", (5, 26, 30)).text == "RETURN 'old'"
    assert statement_for("s", (2026, 2)).text == "RETURN 'new'"
    assert statement_for("s", (2026, 9, 0)).text == "RETURN 'new'"
    assert statement_for("s", (2027, 1, 0)).text == "RETURN 3"
    with pytest.raises(GraphError, match=r"t needs Neo4j 2026\.2 or later"):
        statement_for("t", (5, 26, 30))
    with pytest.raises(GraphError, match="no statement named nothing"):
        statement_for("nothing", (5,))


@pytest.mark.parametrize(
    "files",
    [
        {"a.cypher": "// name: s\nRETURN 1\n// name: s\nRETURN 2\n"},
        {"a.cypher": "// name: s\n// requires: 5\nRETURN 1\n// name: s\n// requires: 5\nRETURN 2\n"},
        {"a.cypher": "// name: s\nRETURN 1\n", "b.cypher": "// name: s\n// requires: 2026.2\nRETURN 2\n"},
    ],
    ids=["the same twice", "two for one version", "in two files"],
)
def test_a_name_is_used_once(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / name).write_text(text)
    with pytest.raises(GraphError, match="s is used twice"):
        all_statements()


@pytest.mark.parametrize("value", ["a`", "", "a\n", None, "a) DETACH DELETE (n"])
def test_only_plain_names_are_filled_in(value: Any) -> None:
    statement = Statement("s", "RETURN n.{{property}}")
    with pytest.raises(GraphError, match="s needs a plain name for property"):
        statement.filled({"property": value} if value is not None else {"other": "x"})
    assert statement.filled({"property": "embedding_2"}) == "RETURN n.embedding_2"


async def test_parameters_are_sent_in_one_map_and_none_is_forgotten(client: GraphClient) -> None:
    statement = Statement("s", "MATCH (n {uuid: $uuid}) WHERE n.user_id = $user_id RETURN $uuid")
    assert statement.nested.text == "MATCH (n {uuid: $given.uuid}) WHERE n.user_id = $given.user_id RETURN $given.uuid"
    given = {"uuid": "u", "user_id": ""}
    assert statement.given(given) == {"given": given}
    with pytest.raises(GraphError, match="was not given user_id"):
        statement.given({"uuid": "u"})
    with pytest.raises(GraphError, match="statement get_conversation was not given project, user_id"):
        await client.read("get_conversation", uuid="none")
    for variants in all_statements().values():
        assert {name for each in variants for name in each.nested.parameters} <= {"given"}


async def test_a_statement_that_opens_its_own_transactions_is_not_run_in_one(client: GraphClient) -> None:
    with pytest.raises(GraphError, match="autocommit"):
        await client.write("delete_messages", uuid="none", user_id="none", project="none")


# --- both server lines ------------------------------------------------------------------------------------------------


# A server that has just started plans a statement in half a second: 38 s of a session, and other tests run nearly all.
@pytest.mark.long
@pytest.mark.timeout(300)
async def test_every_statement_is_planned(either_client: GraphClient, driver: neo4j.AsyncDriver, owner: Owner) -> None:
    """The variant that this server gets is valid, not deprecated, and never looks at all nodes."""
    version = await either_client.server_version()
    # The space of the probes of owners: what is planned here is planned for them.
    space = await open_space(either_client, owner.project, MODEL, DIMENSION)
    names = {"property": space.property, "dimension": str(DIMENSION)}
    new = {name for name, variants in all_statements().items() if variants[-1].requires}
    assert new == {"search_history_vector_after", "vectors_of_history"}  # an older server's index answers alone
    for name in all_statements():
        if name in new and version < all_statements()[name][-1].requires:
            continue
        statement = statement_for(name, version)
        for edge_type in EDGE_TYPES if "{{type}}" in statement.text else ("",):
            text = statement.nested.filled({**names, "type": edge_type, "index": index_of(space, name)})
            await _explained(driver, text, name, older=version < (2025, 1))


async def test_every_statement_of_the_schema_is_planned(either_client: GraphClient, driver: neo4j.AsyncDriver) -> None:
    for statement in schema_statements():
        await _explained(driver, statement, "the schema")


async def _explained(driver: neo4j.AsyncDriver, text: str, name: str, *, older: bool = False) -> None:
    language = re.match(r"CYPHER \d+\s+", text)
    start = language.end() if language else 0
    async with driver.session(database="neo4j") as session:
        try:
            # Given the map that all parameters are in, the plan is kept for the tests that run the statement.
            summary = await (await session.run(f"{text[:start]}EXPLAIN {text[start:]}", given={})).consume()
        except neo4j.exceptions.Neo4jError as error:
            pytest.fail(f"{name}: {error}")
    # What is not in the database yet is not a mistake.
    for status in summary.gql_status_objects:
        assert status.raw_classification != "DEPRECATION", f"{name}: {status.status_description}"
    assert summary.plan is not None
    assert "AllNodesScan" not in _operators(summary.plan) or (name in WHOLE and older), name


def _operators(plan: dict[str, Any]) -> set[str]:
    own = {str(plan["operatorType"]).partition("@")[0]}
    return own.union(*(_operators(child) for child in plan.get("children", ())))


def test_a_part_stands_where_it_is_included(directory: Path) -> None:
    (directory / "a.cypher").write_text("// name: one\nMATCH (n)\n  // include: named\nRETURN $more\n")
    (directory / "b.cypher").write_text("// part: named\n// of n: x\nWITH n.name AS x, $name AS given\n")
    one = statement_for("one", (5,))
    assert one.text == "MATCH (n)\nWITH n.name AS x, $name AS given\nRETURN $more"
    assert one.parameters == {"name", "more"}
    assert "named" not in all_statements()
