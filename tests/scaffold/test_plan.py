"""Names for whatever a graph is called, and the blocks of a configuration that are refused."""

from __future__ import annotations

import ast
import sys
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory import CODE_SEARCH_TOOLS, ConfigError, InvalidInput, load_config
from ragforge_memory.scaffold.configuration import add_entities
from ragforge_memory.scaffold.entities import blocks_of
from ragforge_memory.scaffold.names import camel, is_speakable, plural, snake
from ragforge_memory.scaffold.plan import plan
from ragforge_memory.scaffold.rendering import render

SHOP: list[dict[str, Any]] = [
    {
        "label": "Customer",
        "key": "email",
        "properties": {"email": "string", "name": "string", "since": "date", "active": "boolean"},
        "relationships": [{"type": "PLACED", "to": "Order"}],
        "write": True,
    },
    {
        "label": "Order",
        "key": "number",
        "properties": {"number": "integer", "total": "float"},
        "relationships": [{"type": "CONTAINS", "to": "Product"}],
    },
    {
        "label": "Product",
        "key": "sku",
        "properties": ["sku", "name"],
        "text_index": "product_words",
        "vector_index": "product_vectors",
        "relationships": [{"type": "LIKE", "to": "Product"}],
    },
]


def files(entities: list[dict[str, Any]], *, code: bool = True) -> dict[str, str]:
    """What these entities are rendered to."""
    blocks = blocks_of({"entities": entities})
    return render(plan("a project", "pkg", blocks.entities, code=code))


def test_names() -> None:
    assert [
        snake(each, "x") for each in ("OrderLine", "order-line", "HTTPServer", "class", "limit", "2nd", "日本")
    ] == [
        "order_line",
        "order_line",
        "http_server",
        "class_",
        "limit_",
        "x_2nd",
        "x",
    ]
    assert [camel(each, "X") for each in ("order_line", "éclair", "日本")] == ["OrderLine", "Eclair", "X"]
    assert [plural(each) for each in ("order", "category", "day", "box", "address")] == [
        "orders",
        "categories",
        "days",
        "boxes",
        "addresses",
    ]


def test_the_tools_of_a_shop() -> None:
    blocks = blocks_of({"entities": SHOP})
    assert [each.name for each in plan("shop", "shop", blocks.entities, code=True).tools] == [
        "find_customers",
        "save_customer",
        "find_orders",
        "find_products",
        "search_products",
        "similar_products",
        "orders_of_customer",
        "customers_of_order",
        "products_of_order",
        "orders_of_product",
        "products_of_product_by_like",
        "products_of_product_from_like",
    ]


def test_nothing_writes_unless_it_is_said() -> None:
    reading = [{**each, "write": False} for each in SHOP]
    writes = ("MERGE", "SET ", "CREATE", "DELETE", "REMOVE")
    queries = {path: text for path, text in files(reading).items() if path.endswith(".cypher")}
    assert len(queries) == 11
    assert not [path for path, text in queries.items() if any(word in text.upper() for word in writes)]
    assert not [path for path, text in files(reading).items() if "/tools/" in path and "write(" in text]
    assert "MERGE" in files(SHOP)["queries/save_customer.cypher"]


_NAMES = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\"), min_size=1, max_size=20)


@given(st.lists(_NAMES, min_size=1, max_size=4, unique=True), _NAMES, _NAMES)
def test_every_name_gives_python_that_parses(labels: list[str], property_: str, type_: str) -> None:
    entities = [
        {
            "label": label,
            "key": property_,
            "properties": {property_: "string"},
            "relationships": [{"type": type_, "to": labels[0]}],
            "text_index": type_,
            "write": True,
        }
        for label in labels
    ]
    for path, text in files(entities).items():
        if path.endswith(".py"):
            ast.parse(text, path)
        if path.endswith(".cypher") and not path.startswith("queries/search_"):
            rest = text.replace("``", "")
            assert rest.count("`") % 2 == 0, path


ORDINARY: list[dict[str, Any]] = [
    {
        "label": "Order",
        "key": "date",
        "properties": {
            "date": "date",
            "datetime": "datetime",
            "str": "String",
            "int": "int",
            "json": "string",
            "copy": "any",
            "read": "string",
            "write": "string",
            "found": "string",
            "price": "float",
            "price_from": "float",
        },
        "relationships": [
            {"type": each, "to": "Warehouse Replenishment Order Schedule"}
            for each in ("DELIVERED_BY_THE_SUPPLIER", "TO")
        ],
        "write": True,
    },
    {"label": "Tool Context"},
    {"label": "Caller"},
    {"label": "Read", "key": "id", "properties": ["id"], "relationships": [{"type": "OF", "to": "Order"}]},
    {"label": "Warehouse Replenishment Order Schedule", "name": "SupplierDeliveryScheduleOfYears", "key": "id"},
]


def test_what_graphs_are_called_shadows_nothing_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    made = files(ORDINARY)
    for path, text in made.items():
        if path.endswith(".py"):
            compile(text, path, "exec")
        if "/tools/" in path and not path.endswith("__init__.py"):
            tree = ast.parse(text)
            imported = {name.name for each in tree.body if isinstance(each, ast.ImportFrom) for name in each.names}
            [function] = [each for each in tree.body if isinstance(each, ast.AsyncFunctionDef)]
            assert imported.isdisjoint(each.arg for each in function.args.args), path
            assert len(function.name) <= 64
    tools = {path.removesuffix(".py").rpartition("/")[2] for path in made if "/tools/" in path}
    assert tools.isdisjoint(each.__name__ for each in CODE_SEARCH_TOOLS)
    models = ModuleType("models_of_what_graphs_are_called")
    monkeypatch.setitem(sys.modules, models.__name__, models)
    exec(made["pkg/models.py"], models.__dict__)
    order = models.Order.model_validate({"date": date(2026, 1, 2), "price": "dear", "str": 7, "more": [1]})
    assert (order.date_, order.price, order.str_, order.more) == (date(2026, 1, 2), "dear", "7", [1])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("name: shop\n", True),
        ("name: shop\r\n", True),
        ("# nothing\n", True),
        ("{name: shop}\n", False),
        ("name: shop\n...\n", False),
        ('"entities": []\n', False),
    ],
)
def test_entities_are_written_behind_a_configuration_or_not_at_all(tmp_path: Path, text: str, kept: bool) -> None:
    file = tmp_path / "ragforge.config.yaml"
    file.write_bytes(text.encode())
    file.chmod(0o600)
    entities = blocks_of({"entities": [{**each, "write": False} for each in SHOP]}).entities
    if not kept:
        with pytest.raises(InvalidInput):
            add_entities(load_config(file), entities)
        assert file.read_bytes() == text.encode()
        return
    add_entities(load_config(file), entities)
    written = file.read_bytes()
    assert (b"\r\n" in written) == ("\r\n" in text)
    assert file.stat().st_mode & 0o777 == 0o600
    assert blocks_of(load_config(file).config.model_extra).entities == entities


@pytest.mark.parametrize(
    ("entity", "problem"),
    [
        ({"label": "A\\u0060"}, "without a backslash"),
        ({"label": "A\nB"}, "on one line"),
        ({"label": ""}, "1 to 200"),
        ({"label": "A", "write": True}, "needs a key"),
        ({"label": "A", "write": True, "key": "at", "properties": {"at": "point"}}, "not a point"),
        ({"label": "A", "relationships": [{"type": "R", "to": "B"}]}, "'B' is none of the entities"),
        ({"label": "A", "propertys": {}}, "propertys"),
        ({"label": "A", "properties": [{"sku": "string"}]}, "properties"),
        ({"label": "A", "relationships": [{"type": "R", "to": "A", "direction": "both"}]}, "direction"),
        ({"label": "A", "properties": {"id": "strng"}}, "no type 'strng'"),
        ({"key": "id"}, "is missing"),
    ],
)
def test_what_cannot_be_generated_is_refused_by_its_key(entity: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as refused:
        blocks_of({"entities": [entity]})
    assert "entities" in str(refused.value)


def test_a_key_that_cannot_be_used_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "ragforge.config.yaml"
    file.write_text("name: shop\nentities:\n  - label: A\n  - label: B\n    keyy: id\n")
    loaded = load_config(file)
    with pytest.raises(ConfigError, match=r"ragforge\.config\.yaml:5: entities\.1\.keyy: unknown key"):
        blocks_of(loaded.config.model_extra, loaded.origins)


def test_a_misspelt_block_of_a_generated_project_is_pointed_out(tmp_path: Path) -> None:
    file = tmp_path / "ragforge.config.yaml"
    file.write_text("name: shop\nentitys: []\n")
    assert any("did you mean entities?" in each for each in load_config(file).notices)


def test_imports_of_tools_stand_in_the_order_of_their_numbers() -> None:
    entities = blocks_of({"entities": [{"label": label} for label in ("V10", "V2", "V", "V3x")]}).entities
    assert plan("shop", "shop", entities, code=False).modules == ("find_v2s", "find_v3xes", "find_v10s", "find_vs")


def test_what_json_would_change_is_given_and_never_stored() -> None:
    types = {"id": "integer", "at": "point", "for": "duration", "raw": "list<any>", "name": "string"}
    made = files([{"label": "A", "key": "id", "properties": types, "write": True}])
    assert "SET n.`name`" in made["queries/save_a.cypher"]
    for name in ("at", "for", "raw"):
        assert f"SET n.`{name}`" not in made["queries/save_a.cypher"]
        assert f".`{name}`" in made["queries/find_as.cypher"]


def test_two_of_one_label_are_refused() -> None:
    with pytest.raises(ConfigError, match="there are two of 'A'"):
        blocks_of({"entities": [{"label": "A"}, {"label": "A"}]})


def test_what_is_speakable() -> None:
    assert [is_speakable(each) for each in ("A", "a b", "it's", "`", "a\\b", "a\x00b", "", "x" * 201)] == [
        *[True] * 4,
        *[False] * 4,
    ]
