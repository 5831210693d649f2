"""Which messages only repeat what others said."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.said.echoes import only_asks, only_repeats
from ragforge_memory.language.said.stock import HELP, UNCLEAR, WITHOUT_A_MODEL, says_nothing
from ragforge_memory.llm.extractive.said.sayings import sayings, stated

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("where is `login` defined, and who calls it", True),
        ("when must we call it? Show callers.", True),
        ("callers of `login`", True),
        ("its methods", True),
        ("forget what I said about `login`", True),
        ("explain what it does, please", True),
        ("Do not call `login` twice.", False),
        ("When `login` fails, we drop the cache.", False),
        ("Any caller of `login` must hold the lock.", False),
        ("Where possible we use tabs.", False),
        ("What matters is that `login` is never retried.", False),
        ("Read timeouts are 30 seconds.", False),
        ("Have decided: no retries", False),
        ("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b", True),
        ("We decided on this:\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b", False),
        ("Is it slow? We decided that `login` never logs.", False),
    ],
)
def test_what_only_asks(text: str, asks: bool) -> None:
    assert only_asks(text) is asks


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
        ("assistant", "What was decided or noted on 2026-11-22:\n- You, 2026-11-22 03:11, …", True),
        ("assistant", "Nothing found that was noted to be done in our conversations.", True),
        ("assistant", "What was decided or noted is out of date.", False),
        ("assistant", "`withdraw` - bank/account.py:8 (method)", False),
        ("assistant", "What was said about the overdraft is wrong: it is allowed.", False),
        ("user", "what did we decide about overdraft?", True),
        ("user", "Please, what did we say about overdraft", True),
        ("user", "recap the decisions", True),
        ("user", "forget what I said about overdraft", True),
        ("user", "Forget the overdraft. We decided on a limit.", False),
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


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ("Nothing found for `x` in this project.", True),
        ("Nothing found for `a.x` in this project.\n`a` itself is defined:\n- `a` - b.py:3 (class)", True),
        (
            "Nothing found for `x`.\nNearest by `a`:\n- `b` - c.py:3 (function)\n\nI did not understand the question "
            "itself: I looked for `x`.",
            True,
        ),
        (f"Nothing found in this project of what the text names.\n\n{WITHOUT_A_MODEL}", True),
        (f"{UNCLEAR}\n\n{HELP}", True),
        ("I could not look it up: Neo4j is away. Ask again when it is back.", True),
        ("Nothing found that is defined as `x`. The name stands in these lines:\n- a.py:1 `x = b()`", False),
        ("Nothing found for `x` in this project.\n\n`b` - c.py:3 (function)", False),
        (f"The text names 1 definition of this project:\n- `b` - c.py:3 (function)\n\n{WITHOUT_A_MODEL}", False),
        ("`b` (c.py, line 3): no calls of it were found in this project.", False),
        ("Nothing founders there.", False),
        ("", False),
    ],
)
def test_what_says_nothing(text: str, nothing: bool) -> None:
    assert says_nothing(text) is nothing


def test_what_was_looked_up_is_no_saying() -> None:
    """Questions, messages of programs and lists of files have the words of what is asked, and say nothing of it."""

    def told(*messages: tuple[str, str]) -> str:
        value = {"query": "leak detection", "messages": [_message(role, text) for role, text in messages]}
        return "\n".join(sayings("leak detection", value))

    pasted = ("user", "Leak detection triggered for conn0 on thread main, stack follows")
    asked = ("user", 'what does "leak detection is on, close it" mean')
    listed = ("assistant", "- src/leak/detection.py\n- src/leak/detection_test.py")
    stated_by_user = ("user", "we keep leak detection off in production")
    for looked_up in (pasted, asked):
        assert stated("leak detection", {"query": "leak detection", "messages": [_message(*looked_up)]}) == []
    answer = told(pasted, asked, listed, stated_by_user)
    assert answer.count("> ") == 1
    assert "in production" in answer


def _message(role: str, text: str) -> dict[str, Any]:
    when = "2026-01-01T10:00:00+00:00"
    return {"role": role, "excerpt": text, "timestamp": when, "message_id": text, "conversation_id": "c" * 8}


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


async def test_what_is_to_be_forgotten_states_nothing(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("we decided that check_amount must stay strict")
    forget = await talk.send_message("forget what I said about check_amount")
    assert "`ragforge conversations delete`" in forget.content
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    told = (await talk.send_message("what did we say about check_amount?")).content
    assert [line for line in told.splitlines() if line.startswith("  >")] == [
        "  > we decided that check_amount must stay strict"
    ]
    history = await talk.get_history()
    assert [bool(each.references) for each in history[:4]] == [True, False, False, False]
