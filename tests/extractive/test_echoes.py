"""Which messages only repeat what others said."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.extractive.echoes import only_repeats

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("role", "text", "repeats"),
    [
        (
            "assistant",
            "What was said about `overdraft`:\n- You, 2026-11-22 03:11, this conversation, message ab:",
            True,
        ),
        ("assistant", "Nothing found about `overdraft` in our conversations.", True),
        ("assistant", "`withdraw` - bank/account.py:8 (method)\n\nWhat was said about `withdraw`:\n- You, …", True),
        ("assistant", "`withdraw` - bank/account.py:8 (method)", False),
        ("assistant", "What was said about the overdraft is wrong: it is allowed.", False),
        ("user", "what did we decide about overdraft?", True),
        ("user", "Please, what did we say about overdraft", True),
        ("user", "what did we say about overdraft? When did we decide on tabs?", True),
        ("user", "We decided that withdraw must never allow an overdraft.", False),
        ("user", "Remember that we agreed on tabs.", False),
        ("user", "No overdraft in withdraw. What did we say about deposit?", False),
        ("user", "where is withdraw?", False),
        ("user", "", False),
        ("system", "what did we decide about overdraft?", False),
    ],
)
def test_what_only_repeats(role: str, text: str, repeats: bool) -> None:
    assert only_repeats(role, text) is repeats


async def test_asking_again_cites_the_original_alone(agent: AsyncConversationAgent) -> None:
    first = await agent.create_conversation()
    told = await first.send_message("We decided that withdraw must never allow an overdraft.")
    second = await agent.create_conversation()
    answers = []
    for _ in range(50):  # full text is a few milliseconds behind the write
        answers.append((await second.send_message("what did we decide about overdraft?")).content)
        if sum("message " in answer for answer in answers) == 12:
            break
    found = [answer for answer in answers if "message " in answer]
    assert len(found) == 12
    assert len(set(found)) == 1
    assert found[0].count("- You, ") == 1
    assert "- I, " not in found[0]
    assert f"message {told.user_message_id[:8]}" in found[0]


async def test_what_was_only_asked_for_was_not_said(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    for _ in range(5):
        answer = (await talk.send_message("what did we decide about zebras?")).content
        assert answer == "Nothing found about `zebras` in our conversations."
