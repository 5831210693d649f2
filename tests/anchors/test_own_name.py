"""What is renamed with all that says its name has moved and not changed."""

from __future__ import annotations

import pytest

from ragforge_memory.code.anchors import label
from ragforge_memory.code.parse import parse
from ragforge_memory.code.successors import Definition, alike, definitions
from tests.anchors.conftest import Repository, Run, Talk

pytestmark = pytest.mark.anyio

WALK = "def walk(node):\n    if node.left:\n        walk(node.left)\n    return visit(node)\n"
BASE = WALK.replace("    walk(", "    Base.walk(")
ALPHA = (
    "class Alpha {\n  Alpha(int n) { this.n = n; }\n  int size(int a) {\n    return helper(a) + 1 + width();\n  }\n}\n"
)


def one(path: str, text: str) -> Definition:
    return definitions(parse(path, text.encode()))[0]


@pytest.mark.parametrize(
    ("path", "before", "after", "changed"),
    [
        ("a.py", WALK, WALK.replace("walk", "traverse"), False),
        # What calls another function of its name calls that one still.
        ("a.py", WALK, WALK.replace("def walk", "def traverse"), False),
        ("a.py", WALK, WALK.replace("walk", "traverse").replace("left", "right"), True),
        ("a.py", WALK, WALK.replace("def walk", "def traverse").replace("walk(", "visit("), True),
        # And what calls the base's method of its name says another's name.
        ("a.py", BASE, BASE.replace("walk", "go"), True),
        ("a.py", BASE.replace("Base", "self"), BASE.replace("Base", "self").replace("walk", "go"), False),
        ("A.java", ALPHA, ALPHA.replace("Alpha", "Beta"), False),
        ("A.java", ALPHA, ALPHA.replace("Alpha", "Beta").replace("1", "2"), True),
    ],
)
def test_the_own_name_does_not_count_where_it_is_another(path: str, before: str, after: str, changed: bool) -> None:
    was, now = one(path, before), one(path, after)
    found = label(was, now)
    assert (found.status, found.changed) == ("moved", changed)
    assert (alike(was, now) == 1.0) is not changed


def test_the_own_name_counts_where_it_is_the_same() -> None:
    found = label(one("a.py", WALK), one("a.py", WALK.replace("        walk(", "        visit(")))
    assert (found.status, found.changed) == ("drifted", True)
    assert label(one("a.py", WALK), one("b.py", WALK)).changed is False
    assert label(one("a.py", WALK), one("b.py", WALK.replace("        walk(", "        visit("))).changed is True


async def test_a_recursive_function_is_renamed(talk: Talk, repository: Repository, run: Run) -> None:
    repository.write("tree.py", WALK)
    repository.write("Alpha.java", ALPHA)
    repository.commit()
    await run()
    await talk.say("walk", "Alpha")
    repository.write("tree.py", WALK.replace("walk", "traverse"))
    repository.write("Alpha.java", ALPHA.replace("Alpha", "Beta"))
    await run()
    found = await talk.labels()
    assert {name: (each.status, each.changed, each.moved_to_name) for name, each in found.items()} == {
        "walk": ("moved", False, "traverse"),
        "Alpha": ("moved", False, "Beta"),
    }
