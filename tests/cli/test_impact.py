"""What `ragforge impact` says: little where there is little to say, and a line of each message elsewhere."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from typing import Literal

import pytest

from ragforge_memory.cli.impact import _earlier, _print
from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.conversation import Correction, Message
from ragforge_memory.models.impact import Impact, ImpactedMessage, ImpactedScope

CHANGED = ImpactedScope(file="a.py", qualified_name="f", type="function", change="changed")


@pytest.mark.parametrize(
    ("scopes", "told"),
    [
        ((), "no definition has changed"),
        ((CHANGED, CHANGED), "2 scopes change; nothing was said of them"),
    ],
)
def test_what_nothing_was_said_of(
    capsys: pytest.CaptureFixture[str], scopes: tuple[ImpactedScope, ...], told: str
) -> None:
    _print(Impact(before="HEAD", after=None, scopes=scopes), every=False)
    assert capsys.readouterr().out == f"{told}\n"


def test_of_an_earlier_commit_it_is_said_how_to_ask_for_all_since(capsys: pytest.CaptureFixture[str]) -> None:
    since = "that is what v1 itself changed; `ragforge impact v1..` tells what has changed since"
    for scopes in ((), (CHANGED,)):
        found = Impact(before="a", after="b", scopes=scopes)
        _print(found, every=False, earlier=_earlier(found, "v1", "head"))
        assert capsys.readouterr().out.splitlines()[1:] == [since]
    for revision, head in (("v1", "b"), ("v1..", "head"), ("v1...x", "head"), (None, "head")):
        assert _earlier(found, revision, head) == ""


DECIDED = "we decided that Cart.add raises when the cart is full, and never drops what was in it before"
OUTLINE = "`cart.py` contains 3 definitions:\n- `Cart` - cart.py:1 (class)\n- `Cart.add` - cart.py:4 (method)\n"
LONG = "First of all it " + "looks and " * 20 + "then calls Cart.add.\n\n```python\nCart.add\n```"


def said(uuid: str, role: Literal["user", "assistant"], text: str, *, decision: str | None = None) -> ImpactedMessage:
    when = datetime(2026, 1, 2, tzinfo=UTC)
    return ImpactedMessage(
        message=Message(uuid=uuid, conversation_id="c", seq=1, role=role, content=text, timestamp=when),
        reference=CodeReference(name="x", qualified_name="x", file="cart.py", start_line=1, kind="discussed"),
        title="a cart that is never more than full",
        decision=decision,
        summaries=("The cart. " * 30,),
    )


def scope(name: str, *messages: ImpactedMessage) -> ImpactedScope:
    read = [
        each.model_copy(update={"reference": each.reference.model_copy(update={"kind": "edited"})})
        for each in messages[:1]
    ]
    return ImpactedScope(
        file="cart.py", qualified_name=name, type="method", change="changed", messages=(*read, *messages)
    )


FOUND = Impact(
    before="HEAD",
    after=None,
    scopes=(
        scope("Cart", said("outline", "assistant", OUTLINE)),
        scope(
            "Cart.add",
            said("outline", "assistant", OUTLINE),
            said("long", "assistant", LONG),
            said("asked", "user", "Is it thread-safe? add must be."),
            said("decided", "user", DECIDED, decision=DECIDED),
        ),
        scope("Cart.items", said("outline", "assistant", OUTLINE)),
        scope("Cart.full", said("decided", "user", DECIDED, decision=DECIDED)),
    ),
)


def test_each_message_is_an_excerpt_and_what_the_user_stated_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    _print(FOUND, every=False)
    lines = capsys.readouterr().out.splitlines()
    where = "2026-01-02 {} in a cart that is never…: "
    assert lines[:8] == [
        "changed cart.py Cart",
        f"  {where.format('answer, edited')}`Cart` - cart.py:1 (class)",
        "changed cart.py Cart.add (1 answer above)",
        f"  {where.format('you, decision')}{DECIDED}",
        f"  {where.format('you')}Is it thread-safe? add must be.",
        f"  {where.format('answer')}… looks and looks and then calls Cart.add.",
        "changed cart.py Cart.items (1 answer above)",
        "changed cart.py Cart.full",
    ]
    assert lines[8:9] == [f"  {where.format('you, decision, edited')}{DECIDED}"]
    assert lines[9].startswith("summary: The cart. The cart.")
    assert lines[10:] == [
        "4 scopes change; 4 messages stand on 4 of them, 1 of them a decision, 1 summary over them",
    ]


def test_every_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _print(FOUND, every=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 72
    assert lines[-2:] == [
        "4 scopes change; 4 messages stand on 4 of them, 1 of them a decision, 1",
        "summary over them",
    ]
    assert [line[:4] for line in lines if "drops what was" in line] == ["    ", "    "]


@pytest.mark.parametrize("columns", ["60", "120"])
@pytest.mark.parametrize(
    "line",
    [
        "looks, " + "/".join(["directory"] * 30) + "/Cart.add/" + "/".join(["directory"] * 30),
        "a very long line " * 20 + "Cart.add" + " that does not end" * 20,
    ],
)
def test_the_name_is_shown_however_the_line_is_broken(
    line: str, columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    told = scope("Cart.add", said("answer", "assistant", line), said("asked", "user", line))
    _print(Impact(before="HEAD", after=None, scopes=(told,)), every=False)
    _, *messages = capsys.readouterr().out.split("2026-01-02 ")
    assert len(messages) == 2
    assert all("Cart.add" in "".join(each.split()) for each in messages), messages


def test_what_tells_the_same_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [said(f"asked {day}", "user", "where is Cart.add?") for day in range(3)]
    answers = [said(f"answer {line}", "assistant", f"`Cart.add` - cart.py:{line} (method)") for line in range(5)]
    decided = [said(f"limit {limit}", "user", text := f"Cart.add takes {limit}", decision=text) for limit in (5, 10)]
    found = Impact(before="HEAD", after=None, scopes=(scope("Cart.add", *asked, *answers, *decided),))
    _print(found, every=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" in ")[0].removeprefix("  2026-01-02 ") for line in lines[1:5]] == [
        "you, decision",
        "you, decision",
        "you, edited, 3 times",
        "answer, 5 times",
    ]
    assert lines[-1].startswith("1 scope changes; 10 messages stand on 1 of them")


def test_what_was_said_against_a_decision_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    later = Correction(text="update: it raises no more", message_id="l", timestamp=datetime(2026, 1, 3, tzinfo=UTC))
    told = said("decided", "user", DECIDED, decision=DECIDED).model_copy(update={"corrected": later})
    _print(Impact(before="HEAD", after=None, scopes=(scope("Cart.add", told),)), every=False)
    _, decided, corrected, _, _ = capsys.readouterr().out.splitlines()
    assert decided.endswith(DECIDED)
    assert re.fullmatch(r"    corrected 2026-01-0[234] \d\d:\d\d: update: it raises no more", corrected)
