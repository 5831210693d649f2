"""After an edit only files are looked up again that what has changed can matter to; and none too few."""

from __future__ import annotations

import pytest

from ragforge_memory.code.facts import decode, encode
from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.layout import Layout, from_text, outline
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.reads import Reading, any_of, digests
from ragforge_memory.code.resolve import Dependence, Edge, resolve
from ragforge_memory.ingest.changes import obsolete
from tests.code.graphs import SAMPLES
from tests.code.random_edits import Edited, parsed
from tests.long_runs import first_of

Files = dict[str, ParsedFile]


def files_of(texts: dict[str, str]) -> Files:
    files = {path: parsed(path, text) for path, text in texts.items()}
    assert [file.error for file in files.values() if file.error] == []
    return files


def layout(files: Files) -> Layout:
    return Layout({path: outline(file) for path, file in files.items()})


def changed(before: Files, after: Files) -> set[Reading]:
    """What is obsolete, with both sides as this machine remembers them."""
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    was, now = ({path: decode(encode(side[path]).head) for path in touched if path in side} for side in (before, after))
    return obsolete(was, now, layout(before), layout(after))


def affected(before: Files, after: Files) -> set[str]:
    """The unchanged files that are looked up again."""
    numbers = digests(changed(before, after))
    known = resolve(ProjectIndex(before.values())).files
    return {path for path in before if before[path] == after.get(path) and any_of(numbers, known[path].reads)}


BASE = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": "from shop.prices import total\n\n\nclass Cart:\n    def sum(self):\n        return total([])\n",
    "shop/prices.py": "def total(prices):\n    rest = prices\n    return vat(rest)\n\n\ndef vat(x):\n    return x\n",
    "main.py": "from shop import Cart\n\n\ndef run(thing):\n    Cart().sum()\n    thing.refund()\n",
    "apart.py": "import json\n\n\ndef alone():\n    return json.dumps({})\n",
}
CASES = {
    "a body changes": ({"shop/prices.py": BASE["shop/prices.py"].replace("return x", "return x + 1")}, set()),
    "a name nobody asks for": ({"shop/prices.py": BASE["shop/prices.py"] + "\n\ndef more():\n    pass\n"}, set()),
    "a name that is used goes": (
        {"shop/prices.py": BASE["shop/prices.py"].replace("def total", "def sums")},
        {"shop/cart.py"},
    ),
    "a member that is used, behind a package": (
        {"shop/cart.py": BASE["shop/cart.py"].replace("def sum", "def add")},
        {"main.py"},
    ),
    "a base": ({"shop/cart.py": BASE["shop/cart.py"].replace("class Cart:", "class Cart(dict):")}, {"main.py"}),
    "the only method of that name": (
        {"apart.py": BASE["apart.py"] + "\n\nclass Order:\n    def refund(self):\n        pass\n"},
        {"main.py"},
    ),
    "a file that an import could mean": ({"json.py": "def dumps(x):\n    pass\n"}, {"apart.py"}),
    "a file that no import means": ({"other.py": "def other(x):\n    pass\n"}, set()),
    "a package that becomes none": ({"shop/__init__.py": None}, {"main.py"}),
}


@pytest.mark.parametrize("case", CASES)
def test_who_is_looked_up_again(case: str) -> None:
    edits, expected = CASES[case]
    texts = {path: text for path, text in {**BASE, **edits}.items() if text is not None}

    assert affected(files_of(BASE), files_of(texts)) == expected


def test_the_order_of_what_is_bound_twice_counts_and_lines_do_not() -> None:
    text = "class A: pass\nclass B: pass\nx = A()\nclass C(x): pass\nx = B()\n"
    before = files_of({"a.py": text})

    assert changed(before, files_of({"a.py": "\n\n" + text.replace("\n", "\n\n")})) == set()
    later = files_of({"a.py": "class A: pass\nclass B: pass\nx = A()\nx = B()\nclass C(x): pass\n"})
    assert ("a.py", "x") in changed(before, later)


@pytest.mark.parametrize("seed", first_of(range(5), 1))
@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.iterdir() if path.is_dir()))
def test_random_edits_end_where_looking_all_up_ends(sample: str, seed: int) -> None:
    project = Edited(sample, seed)
    files = files_of(project.texts)
    edges, known = looked_up(ProjectIndex(files.values()), None)
    for step in range(15):
        touched = project.edit()
        before, files = files, {**files}
        for path in touched:
            files.pop(path, None)
            if path in project.texts:
                files[path] = parsed(path, project.texts[path])
        numbers = digests(changed(before, files))
        again = {path for path in files if path in touched or any_of(numbers, known[path].reads)}
        facts = {path: encode(file) for path, file in files.items()}

        index = ProjectIndex(
            outlines={path: from_text(each.outline) for path, each in facts.items()},
            load=lambda path, facts=facts, again=again: decode(  # type: ignore[misc]
                facts[path].head, facts[path].body if path in again else None
            ),
        )
        some, more = looked_up(index, again)
        edges = {path: some[path] if path in again else edges[path] for path in files}
        known = {path: more[path] if path in again else known[path] for path in files}

        expected, fresh = looked_up(ProjectIndex(files.values()), None)
        assert edges == expected, f"step {step}: {sorted(touched)}"
        assert {path: each.unresolved for path, each in known.items()} == {
            path: each.unresolved for path, each in fresh.items()
        }


def looked_up(index: ProjectIndex, only: set[str] | None) -> tuple[dict[str, list[Edge]], dict[str, Dependence]]:
    """The edges and what else is known, by file."""
    resolution = resolve(index, only)
    edges: dict[str, list[Edge]] = {path: [] for path in resolution.files}
    for each in resolution.edges:
        edges[each.source_path].append(each)
    return edges, dict(resolution.files)
