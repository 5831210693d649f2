"""Go: the sample's scopes and edges by hand, details, broken files and odd inputs."""

from __future__ import annotations

import pytest

from ragforge_memory.code.parse import parse
from ragforge_memory.code.resolve import resolve
from tests.code.graphs import Sample, SampleTests, parsed

SCOPES: dict[str, list[str]] = {
    "store/shelf.go": [
        "Shelf struct 4-7",
        "Shelf.Put method 10-16",
        "Sum function 19-27",
    ],
    "store/store.go": [
        "MaxItems constant 7-7",
        "kindBook constant 10-10",
        "kindPen constant 11-11",
        "ErrFull constant 15-15",
        "Pricer interface 18-21",
        "Pricer.Price method 20-20",
        "Named interface 24-27",
        "Named.Name method 26-26",
        "Money type 30-30",
        "Base struct 33-35",
        "Base.Label method 38-40",
        "Item struct 43-47",
        "New function 50-52",
        "Item.Price method 55-60",
        "Item.total method 62-65",
    ],
}

EDGES: dict[str, list[str]] = {
    "go.mod": [],
    "main.go": [
        "main CONSUMES store/store.go:New 10()",
        "main CONSUMES report 11()",
        "report CONSUMES store/store.go:Item 17",
        "report CONSUMES store/store.go:Base.Label 18()",
        "report CONSUMES store/store.go:Item.Price 18()",
    ],
    "store/shelf.go": [
        "Shelf CONSUMES store/store.go:Pricer 4,5",
        "Shelf CONSUMES store/store.go:Item 6",
        "Shelf.Put CONSUMES store/store.go:MaxItems 11",
        "Shelf.Put CONSUMES store/store.go:ErrFull 12",
        "Sum CONSUMES Shelf 19",
        "Sum CONSUMES store/store.go:Pricer 19",
        "Sum CONSUMES store/store.go:Pricer.Price 21()",
        "Sum CONSUMES store/store.go:Item.Price 24()",
    ],
    "store/store.go": [
        "<top> CONSUMES Item 67",
        "<top> CONSUMES Pricer 67",
        "Named INHERITS_FROM Pricer 25",
        "Item INHERITS_FROM Base 44",
        "Item CONSUMES Money 45",
        "Item IMPLEMENTS Pricer 67",
        "New CONSUMES Item 50,51()",
        "New CONSUMES Money 50",
        "New CONSUMES Base 51()",
        "Item.Price CONSUMES Item.total 59()",
        "Item.Price CONSUMES MaxItems 59",
        "Item.total CONSUMES Base.Label 64()",
    ],
}

SAMPLE = Sample("go", SCOPES, EDGES)
FILES, RESOLUTION, scope = SAMPLE.files, SAMPLE.resolution, SAMPLE.scope


class TestSample(SampleTests):
    sample = SAMPLE


def test_details() -> None:
    item = scope("store/store.go", "New")
    assert item.signature == "func New(label string, cost Money) *Item"
    assert item.docstring == "New makes an item."
    assert (item.return_type, item.returns) == ("*Item", "Item")
    assert item.parameters == ("label string", "cost Money")
    price = scope("store/store.go", "Item.Price")
    assert (price.owner, price.parent, price.complexity) == ("Item", None, 2)
    assert scope("main.go", "report").docstring == "report says what an item costs."
    assert scope("store/store.go", "ErrFull").signature == 'var ErrFull = errors.New("full")'
    assert FILES["store/store.go"].package == "store"


def test_methods_belong_to_their_receivers_type() -> None:
    parents = {(e.source_key, e.target_key) for e in RESOLUTION.edges if e.kind == "HAS_PARENT"}
    assert ("Shelf.Put", "Shelf") in parents
    assert ("Item.total", "Item") in parents
    assert ("Pricer.Price", "Pricer") in parents


def test_a_foreign_package_of_the_same_name_is_not_the_projects() -> None:
    files = [
        parse("go/store/store.go", b"package store\n\nfunc New() {}\n"),
        parse("go/main.go", b'package main\n\nimport "example.com/a/go/store"\n\nfunc main() { store.New() }\n'),
        parse("go/other.go", b'package main\n\nimport "other.org/store"\n\nfunc other() { store.New() }\n'),
    ]
    assert [(e.source_key, e.target_key) for e in resolve(files).edges] == [("main", "New")]


STORE = """package store

type Mem struct{}

func New() *Mem { return &Mem{} }

func (m *Mem) Get() int { return 1 }
"""


def build(path: str) -> str:
    return f'package api\n\nimport "{path}"\n\nfunc Build() int {{ return store.New().Get() }}\n'


def reached(sources: dict[str, str], path: str) -> list[str]:
    """What a file's ``Build`` calls, by path."""
    found = [
        e for e in resolve(parsed(sources)).edges if e.source_path == path and e.source_key == "Build" and e.certain
    ]
    return sorted(f"{e.target_path}:{e.target_key}" for e in found)


@pytest.mark.parametrize(
    "line",
    [
        'module "example.com/shop" // the shop',
        "// module example.com/other\nmodule `example.com/shop`",
        "module (\n\texample.com/shop\n)",
    ],
)
def test_a_module_may_be_in_a_folder_of_the_project(line: str) -> None:
    sources = {
        "svc/go.mod": f"{line}\n\ngo 1.22\n",
        "svc/store/store.go": STORE,
        "svc/api/api.go": build("example.com/shop/store"),
    }
    assert reached(sources, "svc/api/api.go") == ["svc/store/store.go:Mem.Get", "svc/store/store.go:New"]


def test_an_import_belongs_to_the_module_with_the_longest_path() -> None:
    sources = {
        "go.mod": "module example.com/shop\n",
        "store/store.go": STORE,
        "db/go.mod": "module example.com/shop/kept\n",
        "db/store/store.go": STORE,
        "kept/store/store.go": STORE,
        "lib/go.mod": "module other.org/lib\n",
        "lib/store/store.go": STORE,
        "a/api.go": build("example.com/shop/store"),
        "b/api.go": build("example.com/shop/kept/store"),
        "c/api.go": build("other.org/lib/store"),
        "lib/api/api.go": build("example.com/shop/store"),
        "d/api.go": build("example.com/shop/lib/store"),  # the folder is another module's
        "e/api.go": build("foreign.org/store"),
        "f/api.go": build("example.com/shopping/store"),
    }
    assert reached(sources, "a/api.go")[-1] == "store/store.go:New"
    assert reached(sources, "b/api.go")[-1] == "db/store/store.go:New"
    assert reached(sources, "c/api.go")[-1] == "lib/store/store.go:New"
    assert reached(sources, "lib/api/api.go")[-1] == "store/store.go:New"
    assert [reached(sources, f"{each}/api.go") for each in "def"] == [[], [], []]


def test_of_modules_with_the_same_path_the_one_around_a_file_is_meant() -> None:
    sources = {
        f"{folder}/{name}": text
        for folder in ("one", "two")
        for name, text in (
            ("go.mod", "module example.com/shop\n"),
            ("store/store.go", STORE),
            ("api/api.go", build("example.com/shop/store")),
        )
    }
    sources["main/api.go"] = build("example.com/shop/store")
    assert reached(sources, "one/api/api.go")[-1] == "one/store/store.go:New"
    assert reached(sources, "two/api/api.go")[-1] == "two/store/store.go:New"
    assert reached(sources, "main/api.go") == []


def test_a_call_of_what_a_package_of_the_project_does_not_have_is_counted() -> None:
    files = [
        parse("go.mod", b"module example.com/shop\n"),
        parse("store/store.go", b"package store\n\nfunc Old() {}\n"),
        parse("api/api.go", build("example.com/shop/store").replace(".Get()", "").encode()),
    ]
    assert resolve(files).unresolved == 1
