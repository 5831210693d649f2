"""A message that is pasted is looked for as it stands, then with what is filled in left open."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.extractive.asking import ask, ingested

pytestmark = pytest.mark.anyio

FILES = {
    "bank/pool.py": '''def borrow(name, thread):
    """Lends a connection."""
    if not name:
        raise ValueError("the pool is not open yet")
    warn(f"leak found for {name} on thread {thread}, stack follows")
    warn(
        "pools should be nested with care, "
        "unset $POOL to force"
    )
''',
    "tests/test_pool.py": 'def test_closed():\n    assert str(error()) == "the pool is not open yet"\n',
    "README.md": 'It says "the pool is not open yet" then.\n',
}


@pytest.fixture
async def told(agent: AsyncConversationAgent, tmp_path: Path) -> AsyncConversationAgent:
    return await ingested(agent, tmp_path / "project", FILES)


@pytest.mark.parametrize("said", ['what does "the pool is not open yet" mean?', "ValueError: the pool is not open yet"])
async def test_as_it_stands(told: AsyncConversationAgent, said: str) -> None:
    assert await ask(told, said) == [
        "This text is in 3 lines, as it stands:",
        '- `borrow` - bank/pool.py:4 `raise ValueError("the pool is not open yet")`',
        '- `test_closed` - tests/test_pool.py:2 `assert str(error()) == "the pool is not open yet"`',
        '- README.md:1 `It says "the pool is not open yet" then.`',
    ]


async def test_filled_in(told: AsyncConversationAgent) -> None:
    assert await ask(told, "leak found for conn0 on thread main, stack follows") == [
        "With parts of it filled in, this text is made in this line, or in one like it:",
        '- `borrow` - bank/pool.py:5 `warn(f"leak found for {name} on thread {thread}, stack follows")`',
    ]


async def test_over_two_lines(told: AsyncConversationAgent) -> None:
    assert await ask(told, 'what does "pools should be nested with care, unset $POOL to force" mean') == [
        "This text is in 1 line, as it stands:",
        '- `borrow` - bank/pool.py:7 `"pools should be nested with care, "`',
    ]


async def test_it_can_be_gone_on_from(told: AsyncConversationAgent) -> None:
    talk = await told.create_conversation()
    await talk.send_message("leak found for conn0 on thread main, stack follows")
    answer = (await talk.send_message("what does that do?")).content
    assert answer.startswith("`borrow` - bank/pool.py:1 ")


async def test_nowhere(told: AsyncConversationAgent) -> None:
    first, *others = await ask(told, "Error: withdraw failed on account nine")
    assert first == "Nothing found that has this text: no line of this project does, nor one that it may be made of."
    assert any("`Account.withdraw`" in line for line in others)
    # What nobody says is a message is read as what else it may be, and nothing is said of that.
    assert (await ask(told, "Withdraw takes money out today"))[0].startswith("`Account.withdraw`")
