"""After any edits the graph is what a first ingest of the same files would have made."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.code.random_edits import Edited
from tests.ingest.conftest import Cypher, Ingest, Tree
from tests.long_runs import first_of

pytestmark = pytest.mark.anyio

Edges = Callable[[], set[tuple[Any, ...]]]
NAMES = ("load", "store", "merge", "check", "Base", "Item", "Shelf", "make", "LIMIT")


@dataclass
class Module:
    """A module that is made up: which names it defines, how, and what it imports."""

    defines: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    padding: int = 0

    def text(self) -> str:
        lines = [f"from {module} import {name}" for name, module in sorted(self.imports.items())]
        lines += ["# padding"] * self.padding
        return "\n".join([*lines, "", *self.defines.values(), ""])


class World:
    """Modules of a project, and random edits of them."""

    def __init__(self, seed: int, tree: Tree) -> None:
        self.random = random.Random(seed)
        self.tree = tree
        self.modules: dict[str, Module] = {}
        for number in range(5):
            self.modules[f"m{number}"] = self.module()
        self.save()

    def module(self) -> Module:
        made = Module()
        for name in self.random.sample(NAMES, 4):
            made.defines[name] = self.definition(name)
        for name in self.random.sample(NAMES, 3):
            made.imports[name] = f"m{self.random.randrange(6)}"
        return made

    def definition(self, name: str) -> str:
        pick = self.random.choice
        one, two, three = (pick(NAMES) for _ in range(3))
        if name == "LIMIT":
            return f"LIMIT = {self.random.randrange(9)}"
        if name[0].isupper():
            return (
                f"class {name}({pick(['', one])}):\n"
                f"    def __init__(self):\n        self.part = {two}()\n\n"
                f"    def {pick(['load', 'check'])}(self):\n"
                f"        return self.part.{pick(['load', 'check'])}({three})\n"
            )
        decorator = pick(["", "", f"@{one}\n"])
        body = pick(
            [
                f"    return {one}({two})",
                f"    x = {one}()\n    return x.{pick(['load', 'check'])}()",
                f"    x = {one}()\n    return x",
                f"    def inner():\n        return {one}\n    return inner().check()",
            ]
        )
        hint = pick(["", f" -> {three}"])
        return f"{decorator}def {name}(a, b: {three}=None){hint}:\n{body}\n"

    def edit(self) -> str:
        name = self.random.choice(sorted(self.modules))
        module = self.modules[name]
        kind = self.random.choice(["redefine", "redefine", "add", "remove", "pad", "import", "delete", "rename", "new"])
        match kind:
            case "redefine" if module.defines:
                which = self.random.choice(sorted(module.defines))
                module.defines[which] = self.definition(which)
            case "add":
                which = self.random.choice(NAMES)
                module.defines[which] = self.definition(which)
            case "remove" if module.defines:
                del module.defines[self.random.choice(sorted(module.defines))]
            case "pad":
                module.padding += 1
            case "import":
                module.imports[self.random.choice(NAMES)] = f"m{self.random.randrange(6)}"
            case "delete" if len(self.modules) > 2:
                del self.modules[name]
            case "rename":
                self.modules[f"m{self.random.randrange(6)}"] = self.modules.pop(name)
            case "new":
                self.modules[f"m{self.random.randrange(6)}"] = self.module()
        return f"{kind} {name}"

    def save(self) -> None:
        for file in self.tree.root.rglob("*.py"):
            if file.stem not in self.modules:
                file.unlink()
        for name, module in self.modules.items():
            file = self.tree.root / f"{name}.py"
            if not file.exists() or file.read_text() != module.text():
                self.tree.write(f"{name}.py", module.text())


@pytest.mark.parametrize("seed", first_of([1, 2, 3, 4], 2))
async def test_edits_end_where_a_first_ingest_ends(
    seed: int, run: Ingest, tree: Tree, edges: Edges, cypher: Cypher, project: str
) -> None:
    world = World(seed, tree)
    await run()
    history = []
    for step in range(6):
        history.append([world.edit() for _ in range(world.random.randint(1, 2))])
        world.save()

        report = await run()

        twin = f"{project}-{step}"
        fresh = await run(project=twin)
        assert edges() == _edges(cypher, twin), f"seed {seed}, after {history}"
        counts = (fresh.scopes, fresh.edges, fresh.unresolved)
        assert (report.scopes, report.edges, report.unresolved) == counts, f"seed {seed}, after {history}"
        assert _scopes(cypher, project) == _scopes(cypher, twin), f"seed {seed}, after {history}"


async def test_two_of_a_name_that_change_places_are_not_mixed_up(
    run: Ingest, tree: Tree, edges: Edges, cypher: Cypher, project: str
) -> None:
    one = "    def load(a):\n        return [x for x in a if x]\n"
    other = "    def load(a):\n        while a:\n            a = a.pop()\n        return {}\n"
    tree.write("m.py", f"try:\n{one}except ImportError:\n{other}")
    tree.write("user.py", "from m import load\n\n\ndef use():\n    return load([])\n")
    tree.write("apart.py", "def apart():\n    pass\n")
    await run()
    tree.write("m.py", f"try:\n{other}except ImportError:\n{one}")

    await run()

    twin = f"{project}-twin"
    await run(project=twin)
    assert edges() == _edges(cypher, twin)


@pytest.mark.parametrize("sample", first_of(["python", "typescript", "java", "cpp"], 2))
async def test_edits_in_other_languages_end_there_too(
    sample: str, run: Ingest, tree: Tree, edges: Edges, cypher: Cypher, project: str
) -> None:
    edited = Edited(sample, 1)
    twin = f"{project}-twin"
    for step in range(6):
        known = {file.relative_to(tree.root).as_posix() for file in tree.root.rglob("*") if file.is_file()}
        for path in known - edited.texts.keys():
            (tree.root / path).unlink()
        for path, text in edited.texts.items():
            if path not in known or (tree.root / path).read_bytes() != text.encode():
                tree.write(path, text.encode())

        report = await run()

        fresh = await run(project=twin, full=True)
        assert edges() == _edges(cypher, twin), f"{sample}, step {step}"
        counts = (fresh.scopes, fresh.edges, fresh.unresolved)
        assert (report.scopes, report.edges, report.unresolved) == counts, f"{sample}, step {step}"
        edited.edit()


def _edges(cypher: Cypher, project: str) -> set[tuple[Any, ...]]:
    rows = cypher(
        "MATCH (a:Scope)-[r]->(b:Scope) WHERE a.project = $project "
        "RETURN a.file + ':' + a.key AS a, type(r) AS type, b.file + ':' + b.key AS b, r.lines AS lines, "
        "r.calls AS calls, r.certain AS certain",
        project=project,
    )
    return {(r["a"], r["type"], r["b"], tuple(r["lines"] or ()), tuple(r["calls"] or ()), r["certain"]) for r in rows}


def _scopes(cypher: Cypher, project: str) -> list[dict[str, Any]]:
    rows = cypher(
        "MATCH (f:File)<-[:DEFINED_IN]-(s:Scope)-[:BELONGS_TO]->(p:Project) WHERE s.project = $project "
        "OPTIONAL MATCH (parent:Scope {uuid: s.parentUUID}) "
        "RETURN s {.*, uuid: '', parentUUID: parent.key, project: '', project_token: '', anchor_key: ''} AS s, "
        "f.hash AS hash, f.path AS path, p.project = s.project AS own ORDER BY path, s.key",
        project=project,
    )
    return [{**row["s"], "file hash": row["hash"], "path": row["path"], "own": row["own"]} for row in rows]
