"""How the pieces of an answer are laid out: as Markdown that reads as what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_question
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.answer import write
from ragforge_memory.llm.extractive.code.members import set_lines
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import documentation, signature, source, text_line
from ragforge_memory.llm.extractive.said.noted_answer import noted
from ragforge_memory.llm.extractive.said.sayings import MAX_SAYINGS, sayings

SCOPE: dict[str, Any] = {
    "file": "shop/cart.py",
    "qualified_name": "MAX_ITEMS",
    "name": "MAX_ITEMS",
    "type": "constant",
    "line": 3,
    "start_line": 3,
    "end_line": 3,
    "signature": "MAX_ITEMS = 50",
    "source": "MAX_ITEMS = 50",
    "language": "python",
}


def answer(asked: str, scope: dict[str, Any]) -> str:
    question = read_question(f"what is {asked}?")
    assert question is not None
    call = Call("read_scope", (("name", asked),))
    return write(question, asked, [Found(call, {"match": "exact", "total": 1, "scopes": [scope]})])


@pytest.mark.parametrize(
    ("lines", "shown", "told"), [(5, 5, []), (8, 8, []), (9, 5, ["… 4 more lines, up to line 18."])]
)
def test_a_few_lines_more_are_shown_rather_than_told_of(lines: int, shown: int, told: list[str]) -> None:
    text = [f"    step({number})" for number in range(lines)]
    scope = {**SCOPE, "line": 10, "start_line": 10, "end_line": 9 + lines, "source": "\n".join(text)}

    assert source(scope, 5) == ["```python", *text[:shown], "```", *told]


def test_a_constant_is_quoted_once() -> None:
    assert answer("MAX_ITEMS", SCOPE) == ("`MAX_ITEMS` - shop/cart.py:3 (constant)\n```python\nMAX_ITEMS = 50\n```")
    told = answer("MAX_ITEMS", {**SCOPE, "docstring": "As many as fit."})
    assert told.endswith("> `MAX_ITEMS = 50`\n> As many as fit.")
    assert answer("MAX_ITEMS", {**SCOPE, "source": ""}).endswith("> `MAX_ITEMS = 50`")


def test_what_is_said_below_a_quotation_is_no_part_of_it() -> None:
    scope = {**SCOPE, "type": "function", "signature": "def f()", "source": "def f(): ..."}
    assert "> `def f()`\n\nIt has no documentation. Its code:\n```python" in answer("f", scope)
    lines = [{"file": "a.py", "line": line, "text": "self.limit = 1"} for line in (1, 2)]
    set_at = set_lines("limit", Target("name", "limit", ("limit",)), {"matches": lines})
    assert set_at[-3:] == ["", "Also set in:", "- a.py:2 `self.limit = 1`"]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("x = 1", "`x = 1`"),
        ("f(`a`)", "``f(`a`)``"),
        ("const a = `b`", "`` const a = `b` ``"),
        ("a ``b`` c", "```a ``b`` c```"),
    ],
)
def test_code_with_backticks_stands_between_more_of_them(text: str, span: str) -> None:
    assert signature({"signature": text}) == [f"> {span}"]
    assert text_line({"file": "a.md", "line": 3, "text": f" {text}\n"}) == f"a.md:3 {span}"


def test_documentation_that_is_cut_leaves_no_block_open() -> None:
    lines = ["Reads.", "", "```python", *(f"x = {number}" for number in range(20)), "```"]
    cut = documentation({"docstring": "\n".join(lines), "file": "a.py"})
    assert cut[-3:] == ["> x = 10", "> ```", "> …"]


def said(text: str) -> list[str]:
    message = {
        "role": "user",
        "excerpt": text,
        "message_id": "m" * 32,
        "conversation_id": "c" * 32,
        "timestamp": "2026-01-01T00:00:00Z",
    }
    [_, _, *lines] = sayings("checkout", {"query": "checkout", "messages": [message]})
    return lines


def test_a_block_in_a_block_is_not_quoted_by_half() -> None:
    nested = "We decided that checkout retries:\n\n````markdown\n```python\ncheckout()\n```\nmore\nmore\n````\nend"
    assert said(nested) == ["  > We decided that checkout retries: …"]
    whole = "We decided that checkout retries:\n~~~~\n```\ncheckout()\n~~~~\nAlways.\nReally."
    assert said(whole) == [f"  > {line}" for line in [*whole.splitlines()[:5], "Always. …"]]


def test_what_follows_a_block_that_ends_the_quotation_is_marked() -> None:
    text = "We decided that checkout retries:\n```\n1\n2\n3\n```\nAlways."
    assert said(text)[-2:] == ["  > ```", "  > …"]


def test_what_is_left_out_is_counted() -> None:
    messages = [
        {
            "role": "user",
            "excerpt": f"rule {number} of checkout",
            "message_id": f"{number:032}",
            "conversation_id": "c" * 32,
            "timestamp": f"2026-01-0{number + 1}T00:00:00",
        }
        for number in range(MAX_SAYINGS + 2)
    ]
    [*_, last] = sayings("checkout", {"query": "checkout", "messages": messages})
    assert last == "2 more bear on it: `ragforge conversations search`, or name the days."
    shown = sayings("checkout", {"query": "checkout", "messages": messages[2:]})
    assert not any(" more bear on it" in line for line in shown)


def test_a_key_is_no_name_to_find_a_note_by() -> None:
    assert "ghp_" not in noted("note: token is ghp_abcdefghijklmnopqrstuvwxyz0123456789 for CI")
    assert (
        noted("note: check_password never logs") == "Noted: `what did we decide about check_password` finds it again."
    )
