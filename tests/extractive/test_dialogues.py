"""Whole conversations with the extractive model: real graph, real tools, real turns."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent

pytestmark = pytest.mark.anyio


async def test_a_conversation_about_code(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    assert (await ask("where is check_amount defined?")).startswith("`check_amount` - bank/account.py:13 (function")
    callers = await ask("who calls it?")
    assert "- `Account.deposit` - bank/account.py:6" in callers
    assert "- `Account.withdraw` - bank/account.py:10" in callers
    assert "def deposit(self, amount: int)" in await ask("show me the first one")
    assert "- `monthly_report` - bank/report.py:5" in await ask("and its callers?")
    assert "Holds money." in await ask("what does Account do?")
    assert "- `Account.withdraw` - bank/account.py:8 (method)" in await ask("which methods does it have?")
    assert "`check_amount` - bank/account.py:13" in await ask("what calls does Account.withdraw make?")
    assert "Did you mean `check_amount`?" in await ask("where is chekc_amount?")
    assert (await ask("where is ShoppingBasket.addItem?")).startswith("`ShoppingBasket.addItem` - web/index.ts:2")
    assert (await ask("where is the shopping basket?")).startswith("`ShoppingBasket` - web/index.ts:1")
    assert await ask("where is frobnicate_widget?") == "Nothing found for `frobnicate_widget` in this project."
    assert (await ask("who calls Account.frobnicate?")).startswith("Nothing found")


async def test_another_conversation_finds_what_was_said(agent: AsyncConversationAgent) -> None:
    first = await agent.create_conversation()
    told = await first.send_message("We decided that withdraw must never allow an overdraft.")
    second = await agent.create_conversation()
    answer = ""
    for _ in range(50):
        # Full text is eventually consistent: a few milliseconds behind the write.
        answer = (await second.send_message("what did we decide about overdraft?")).content
        if not answer.startswith("Nothing found"):
            break
    assert "> We decided that withdraw must never allow an overdraft." in answer
    assert f"conversation {told.conversation_id[:8]}, message {told.user_message_id[:8]}" in answer


async def test_a_reason_that_was_noted_comes_before_what_the_code_says(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    decision = "We chose to keep check_amount strict, since overdrafts cost us a lawsuit"
    assert (await talk.send_message(decision)).content.startswith("Noted")
    await talk.send_message("TODO: a report for each week")
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    other = await agent.create_conversation()
    why = (await other.send_message("why is check_amount strict?")).content
    assert why.index(f"> {decision}") < why.index("bank/account.py:13")
    assert "Nobody has said why" not in why
    why = (await other.send_message("why does Account.withdraw return nothing?")).content
    assert "    check_amount(amount)" in why
    assert why.endswith("Nobody has said why; the code is all that tells.")
    assert f"> {decision}" in (await other.send_message("why do we have check_amount?")).content
    every = (await other.send_message("what did we decide so far?")).content
    assert every.index("> TODO: a report for each week") < every.index(f"> {decision}")
    # Nobody said a word of it: the code is asked.
    assert (await other.send_message("why do we have Vault?")).content.startswith("`Vault` - bank/vault.py:4")


async def test_the_scopes_of_an_answer_are_tied_to_it(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("where is check_amount defined?")
    history = await talk.get_history()
    assert "check_amount" in {each.qualified_name for each in history[-1].references}
    assert [each.tool_name for each in history[-1].tool_calls] == ["read_scope"]
