"""Questions that go on where the last one was."""

from __future__ import annotations

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.said.history import resolve_target, topic_of
from ragforge_memory.llm.port import ChatMessage
from tests.extractive.asking import requests_for

USES = "`Talk.echo` (src/talk.py, line 12) is called by 1 scope:\n- `main` - src/app.py:1"


def read(text: str, *before: str) -> list[tuple[str, str, str]]:
    return [(each.form, each.target.kind, each.target.text) for each in read_questions(text, before)]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("and its tests", "tests"),
        ("and its tests?", "tests"),
        ("what about its unit tests?", "tests"),
        ("and its subclasses", "subclasses"),
        ("and its base class", "bases"),
        ("and its methods", "outline"),
        ("and its source", "show"),
        ("and its callers", "callers"),
        ("and its parameters", "what"),
    ],
)
def test_what_belongs_to_it_is_asked_of_it(text: str, form: str) -> None:
    assert read(text, "what about Talk.echo") == [(form, "pronoun", "its")]
    earlier = (ChatMessage("user", "what about Talk.echo"), ChatMessage("assistant", USES))
    [target] = resolve_target(Target("pronoun", "its"), earlier, "")
    assert (target.text, target.file) == ("Talk.echo", "src/talk.py")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("what about sessions?", "sessions"),
        ("and the retry policy?", "retry policy"),
        ("and for Context.invoke", "Context.invoke"),
    ],
)
def test_another_subject_is_asked_for_what_was_said_of_it(text: str, target: str) -> None:
    [question] = read_questions(text, ["what did we decide about tokens?"])
    assert (question.form, question.target.text) == ("said", target)
    assert "decide" in question.text


def test_a_sentence_is_no_other_subject() -> None:
    said = "and then the whole thing crashes with a timeout in the pool"
    assert read(said, "what did we decide about tokens?")[0][0] == "search"


def test_what_about_another_goes_on_through_several() -> None:
    assert read("and secho?", "who calls echo", "what about style")[0][::2] == ("callers", "secho")
    assert read("and style?", "what did we decide about echo", "what about secho")[0][::2] == ("said", "style")
    many = ["who calls echo", *(f"and part_{number}?" for number in range(2000))]
    assert read("and secho?", *many)[0][2] == "secho"


def test_other_days_are_asked_for_the_same() -> None:
    [question] = read_questions("and last week?", ["what did we decide about tokens yesterday?"])
    assert (question.form, question.target.text) == ("said", "tokens")
    assert "last week" in question.text
    assert "yesterday" not in question.text


@pytest.mark.parametrize(
    ("answer", "topic"),
    [
        ("What was said about `tokens`:\n- You, …", "tokens"),
        ("What was said about `tokens` on 2026-11-20:\n- You, …", "tokens"),
        ("No decision about `tokens` was noted.\n\nWhat was …", "tokens"),
        ("Nothing found about `tokens` in our conversations.", "tokens"),
        ("What was decided or noted:\n- You, …", ""),
        ("What was noted to be done:\n- You, …", ""),
        (USES, ""),
    ],
)
def test_what_was_said_is_of_a_topic(answer: str, topic: str) -> None:
    assert topic_of((ChatMessage("user", "?"), ChatMessage("assistant", answer))) == topic


def test_it_is_what_sayings_were_asked_of() -> None:
    earlier = (
        ChatMessage("user", "what did we decide about unquote?"),
        ChatMessage("assistant", "What was said about `unquote`:\n- You, 2026-11-23 18:06:\n  > note: unquote stays"),
    )
    [target] = resolve_target(Target("pronoun", "it"), earlier, "")
    assert (target.kind, target.text) == ("name", "unquote")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "told", ["`src/talk` contains 2 source files:\n- src/talk/a.py", "`src/talk.py` contains 1 class:"]
)
async def test_of_a_file_or_a_folder_what_imports_it_is_asked_and_no_name_like_it(told: str) -> None:
    earlier = (ChatMessage("user", "what is in there?"), ChatMessage("assistant", told))
    for text in ("who calls it?", "what uses it?"):
        asked = [tool for tool, _ in await requests_for(*earlier, ChatMessage("user", text))]
        assert asked == ["grep_code", "find_imports"], text
    assert read("and src/talk.py?", "who calls Talk.echo?") == [("imports", "file", "src/talk.py")]


@pytest.mark.parametrize("text", ["why?", "but why", "Why is that?", "why is it so?", "how come?"])
def test_why_alone_is_asked_of_what_was_just_told(text: str) -> None:
    assert read(text, "who calls Talk.echo?") == [("what", "pronoun", "it")]
    earlier = (ChatMessage("user", "who calls Talk.echo?"), ChatMessage("assistant", USES))
    [target] = resolve_target(Target("pronoun", "it"), earlier, "")
    assert target.text == "Talk.echo"


def ordinal(number: int, *answers: str) -> tuple[str, ...]:
    earlier = tuple(ChatMessage("assistant", each) for each in answers)
    return tuple(each.text for each in resolve_target(Target("ordinal", "that one", number=number), earlier, ""))


def test_a_list_is_walked_through() -> None:
    members = """`Buffer` - src/walk.rs:130 (struct, lines 130-149)
It has 3 methods inside:
- `Buffer.new` - src/walk.rs:153 (method)
- `Buffer.process` - src/walk.rs:174 (method)
- `Buffer.recv` - src/walk.rs:184 (method)"""
    shown = "`Buffer.process` - src/walk.rs:174 (method, lines 174-180)\n```rust\n}\n```"
    # What they are inside of is none of them.
    assert [ordinal(number, members) for number in (1, 3, 4)] == [("Buffer.new",), ("Buffer.recv",), ()]
    assert ordinal(3, members, shown) == ("Buffer.recv",)
    assert ordinal(-1, members, shown, shown) == ("Buffer.recv",)
    alike = "`run` - a.py:1 (function)\n\nAlso defined:\n- `Job.run` - b.py:2 (method)"
    assert [ordinal(number, members, alike) for number in (1, 2, 3)] == [("run",), ("Job.run",), ("Buffer.recv",)]
