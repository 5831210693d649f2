"""Code that stands deeper than it did and says the same: its text is no other, and nobody else has written it."""

from __future__ import annotations

import textwrap

import pytest

from ragforge_memory.code.parse import parse
from tests.anchors.conftest import Cypher, Repository, Run, Talk
from tests.anchors.test_following import DEPOSIT

pytestmark = pytest.mark.anyio

# A file where a scope stands in a class at the top, and what goes around that class.
DEEPER = {
    "python": (
        "shop.py",
        "class Cart:\n    def total(self):\n        found = sum(self.prices)\n        return found + self.postage\n",
        ("class Shop:\n", ""),
    ),
    "typescript": (
        "shop.ts",
        "class Cart {\n    total(): number { return this.sum + this.postage; }\n}\n",
        ("namespace Shop {\n", "}\n"),
    ),
}


@pytest.mark.parametrize("case", DEEPER)
async def test_what_stands_deeper_under_another_name_has_moved(
    case: str, repository: Repository, run: Run, talk: Talk
) -> None:
    file, text, (head, tail) = DEEPER[case]
    repository.write(file, text)
    repository.commit("at the top")
    await run()
    message = await talk.say("Cart.total")
    repository.write(file, head + textwrap.indent(text, "    ") + tail)
    await run()

    [tie] = await talk.references.of_conversation(talk.conversation_id)
    assert (tie.message_id, tie.qualified_name) == (message, "Cart.total")
    assert (tie.status, tie.moved_to_name, tie.changed) == ("moved", "Shop.Cart.total", False)


@pytest.mark.parametrize("case", DEEPER)
def test_a_text_is_the_same_however_deep_it_stands(case: str) -> None:
    file, text, (head, tail) = DEEPER[case]
    hashes = []
    for whole, name in ((text, "Cart.total"), (head + textwrap.indent(text, "\t") + tail, "Shop.Cart.total")):
        parsed = parse(file, whole.encode())
        assert parsed.error is None
        [scope] = [each for each in parsed.scopes if each.qualified_name == name]
        hashes.append((scope.hash, scope.body_hash))
    assert hashes[0] == hashes[1]


def test_how_deep_one_line_stands_below_another_is_part_of_the_text() -> None:
    texts = ("if a:\n        b()\n        c()", "if a:\n        b()\n    c()")
    one, other = (parse("a.py", f"def f(a, b, c):\n    {text}\n".encode()).scopes[0] for text in texts)
    assert one.hash != other.hash


async def test_another_tool_may_write_a_text_less_deep(
    repository: Repository, run: Run, talk: Talk, cypher: Cypher
) -> None:
    """From its first word on."""
    repository.edit("bank.py", ("self.balance += amount", "self.balance += amount + 1"))
    text = (repository.root / "bank.py").read_text(encoding="utf-8")
    text = text[text.index("    def deposit") : text.index("    def withdraw")]
    cypher(
        "MATCH (s:Scope {project: $project, qualified_name: $name}) SET s.source = $source, s.hash = 'theirs'",
        name=DEPOSIT,
        source=text.strip(),
    )
    await talk.say(DEPOSIT)
    await run()

    assert (await talk.labels())[DEPOSIT].status == "fresh"
