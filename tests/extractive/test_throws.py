"""What a definition raises, who catches an exception, and how many and which of the members of a class there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.throws import DEFINES_ERROR

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("what does Context.invoke raise?", "throws", "Context.invoke"),
        ("what does invoke raise", "throws", "invoke"),
        ("which exceptions does Context.invoke raise?", "throws", "Context.invoke"),
        ("what errors can invoke throw?", "throws", "invoke"),
        ("which exceptions are raised by Context.invoke?", "throws", "Context.invoke"),
        ("does Context.invoke raise anything?", "throws", "Context.invoke"),
        ("does Context.invoke ever raise Abort?", "throws", "Context.invoke"),
        ("list the exceptions raised in Context.invoke", "throws", "Context.invoke"),
        ("what raises Abort?", "raises", "Abort"),
        ("which functions raise Abort?", "raises", "Abort"),
        ("why does Context.invoke raise Abort?", "what", "Context.invoke"),
        ("who catches Abort?", "catches", "Abort"),
        ("which functions catch UsageError", "catches", "UsageError"),
        ("where is Abort caught?", "catches", "Abort"),
        ("is Abort caught anywhere?", "catches", "Abort"),
        ("where do we catch Abort?", "catches", "Abort"),
        ("how many methods does Context have?", "outline", "Context"),
        ("how many methods does Context have", "outline", "Context"),
        ("how many functions are in core.py?", "outline", "core.py"),
        ("how many classes are there in core.py", "outline", "core.py"),
        ("which methods of Client are async?", "outline", "Client"),
        ("which async methods does Client have?", "outline", "Client"),
        ("list the async methods of Client", "outline", "Client"),
        ("how many callers does Context.invoke have?", "callers", "Context.invoke"),
        ("how many subclasses does Context have?", "subclasses", "Context"),
        ("how many tests does Context have?", "tests", "Context"),
    ],
)
def test_questions_are_read(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


POOL = '''class PoolClosed(Exception): ...


class Pool:
    """Connections.

    raise a flag where it is full
    """

    async def take(self):
        """Gives one; it will not raise a flag, callers catch PoolClosed themselves.

        Raises:
            PoolClosed: it was closed.
        """
        if self.closed:
            raise PoolClosed("closed")  # first
        # raise nothing else
        text = f"""
            raise hands: {self}
        """
        return text

    async def give(self, one):
        try:
            self.take()
        except (ValueError, PoolClosed):
            return None

    def size(self):
        """Says it.

        :raises OSError: never.
        """
        return 3
'''


async def test_what_is_raised_caught_counted(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bank/pool.py").write_text(POOL)
    await agent.ingest(root)
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    assert (await ask("what does Pool.take raise?")).splitlines() == [
        "`Pool.take` - bank/pool.py:10 (method, lines 10-22)",
        "It raises in 1 line:",
        '- bank/pool.py:17 `raise PoolClosed("closed")  # first`',
        "> PoolClosed: it was closed.",
        "What it calls may raise more.",
    ]
    assert (await ask("which exceptions does Pool raise?")).splitlines()[1:3] == [
        "It raises in 1 line:",
        '- bank/pool.py:17 `raise PoolClosed("closed")  # first`',
    ]
    assert (await ask("what does Pool.size raise?")).splitlines()[1:] == [
        "No line of it raises anything.",
        "> :raises OSError: never.",
        "What it calls may raise more.",
    ]
    assert await ask("what does frobnicate_it raise?") == "Nothing found for `frobnicate_it` in this project."
    caught = await ask("who catches PoolClosed?")
    assert "is caught in 1 line:\n- `Pool.give` - bank/pool.py:27" in caught
    assert (await ask("who catches SafeLocked?")).endswith("no line of this project catches it.")
    assert "It has 3 methods inside:" in await ask("how many methods does Pool have?")
    some = await ask("which methods of Pool are async?")
    assert "It has 2 async methods inside:" in some
    assert "Pool.size" not in some
    assert "It has no async method, but 2 definitions inside:" in await ask("which methods of Account are async?")


def test_what_asks_for_the_errors_of_a_project() -> None:
    for text in (
        "list the exceptions",
        "what are the errors in this project?",
        "which exceptions does this project define?",
        "how many error types are there?",
        "show me all our custom exceptions",
    ):
        assert [each.form for each in read_questions(text)] == ["errors"], text
    for text in ("errors", "where is errors defined?", "which errors does Safe.open raise?", "how are errors handled?"):
        assert all(each.form != "errors" for each in read_questions(text)), text


def test_lines_that_define_an_error() -> None:
    defines = re.compile(DEFINES_ERROR)
    for line in (
        "class SafeLocked(Exception): ...",
        "class ReadTimeout(Timeout, OSError):",
        "class Broken : public std::runtime_error {",
        "class Broken extends \\Exception implements Throwable",
        "export class HttpError extends Error {",
        "public final class ParseException extends IOException {",
        "pub enum ReadError {",
        "type ParseError struct {",
        'var ErrNotFound = errors.New("not found")',
        '\tErrNotFound = errors.New("not found")',
    ):
        assert defines.search(line), line
    for line in ("raise ValueError(1)", "except Exception as error:", "class Parser:", "err := errors.New(text)"):
        assert not defines.search(line), line


async def test_the_errors_of_a_project_are_listed(agent: AsyncConversationAgent) -> None:
    conversation = await agent.create_conversation()
    answer = (await conversation.send_message("list the exceptions")).content
    assert answer.splitlines() == [
        "This project defines 1 error, by their names and what they inherit from:",
        "- bank/safe.py:1 `class SafeLocked(Exception): ...`",
        "What inherits from another package's error that is not called one is not among them.",
    ]


FAULTS = """class BadData(Exception): ...


class BadSignature(BadData): ...


class Expired(
    BadSignature,
): ...


class Parser: ...


class QuickParser(Parser): ...
"""


async def test_what_inherits_from_an_error_is_one(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "bank/faults.py").write_text(FAULTS)
    (root / "tests/test_faults.py").write_text("from bank.faults import Expired\n\n\nclass Own(Expired): ...\n")
    await agent.ingest(root)
    conversation = await agent.create_conversation()
    answer = (await conversation.send_message("which exceptions does this project define?")).content
    assert answer.splitlines()[:-1] == [
        "This project defines 5 errors, by their names and what they inherit from:",
        "- bank/faults.py:1 `class BadData(Exception): ...`",
        "- bank/faults.py:4 `class BadSignature(BadData)`",
        "- bank/faults.py:7 `class Expired(BadSignature)`",
        "- bank/safe.py:1 `class SafeLocked(Exception): ...`",
        "- tests/test_faults.py:4 `class Own(Expired)`",
    ]
