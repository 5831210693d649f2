"""What is asked about the last answer: it goes to what was said last, and is looked up by no words of its own."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.said.stock import UNCLEAR

pytestmark = pytest.mark.anyio


async def test_whether_what_was_said_last_is_true_and_who_said_it(agent: AsyncConversationAgent) -> None:
    conversation = await agent.create_conversation()

    async def ask(text: str) -> list[str]:
        return (await conversation.send_message(text)).content.splitlines()

    assert await ask("is that true?") == [UNCLEAR]
    await ask("note: check_amount refuses amounts below zero")
    for text in ("is that true?", "is that still true?", "are you sure about that?"):
        told = await ask(text)
        assert told[2] == "  > note: check_amount refuses amounts below zero"
        assert told[-1] == "- `check_amount` (bank/account.py): its code is as it was"
    for text in ("who decided that?", "when did we decide that?", "and who said so?"):
        told = await ask(text)
        assert told[1].startswith("- You, ")
        assert told[2:] == ["  > note: check_amount refuses amounts below zero"]
    assert (await ask("what did we decide?"))[2:] == (await ask("who decided that?"))[2:]

    # What the code says is looked up once more, however often that is asked.
    where = await ask("where is monthly_report?")
    assert await ask("is that true?") == where
    assert await ask("really?") == where
    # Code is written by those whom git names, whoever spoke of it.
    assert (await ask("who wrote it?"))[1].startswith("Nothing found that says who wrote it")
    await ask("thanks!")
    assert await ask("is that true?") == [UNCLEAR]
