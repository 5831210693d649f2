"""Questions that something decided may answer: whether something is so, what the rules are, what a diff touches."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.language.reading.questions import read_questions

pytestmark = pytest.mark.anyio

DIFF = """```
diff --git a/bank/account.py b/bank/account.py
--- a/bank/account.py
+++ b/bank/account.py
@@ -15,2 +15,2 @@ def check_amount
-    if amount < 0:
+    if amount <= 0:
         raise ValueError(amount)
```"""


def quoted(answer: str) -> list[str]:
    return [each.strip() for each in answer.splitlines() if each.startswith("  > ")]


async def test_what_was_ruled_answers_whether_something_is_so(agent: AsyncConversationAgent) -> None:
    for text in (
        "remember that we never retry deposits",
        "Passwords expire after a year",
        "we decided that check_amount must not log",
        "we agreed that Safe.open is deprecated",
    ):
        await (await agent.create_conversation()).send_message(text)

    async def ask(text: str) -> str:
        return (await (await agent.create_conversation()).send_message(text)).content

    retry, expire = ["> remember that we never retry deposits"], ["> Passwords expire after a year"]
    assert quoted(await ask("do we retry deposits?")) == retry
    assert quoted(await ask("should we ever retry a deposit?")) == retry
    assert quoted(await ask("are there any rules about retries?")) == retry
    assert quoted(await ask("what is our policy on retries?")) == retry
    assert quoted(await ask("when do passwords expire?")) == expire
    assert quoted(await ask("how long do passwords live?")) == expire
    log = await ask("can I log in check_amount?")
    assert quoted(log)[0] == "> we decided that check_amount must not log"
    assert "`check_amount` - bank/account.py:" in log
    assert quoted(await ask("is Safe.open deprecated?"))[0] == "> we agreed that Safe.open is deprecated"
    # What is asked now is in the graph already, and is no rule.
    assert "never retry withdrawals" not in await ask("we must never retry withdrawals, where is withdraw?")
    assert quoted(await ask("do we retry reports?")) == []


async def test_what_was_noted_of_commands_comes_before_the_files_that_have_some(agent: AsyncConversationAgent) -> None:
    await (await agent.create_conversation()).send_message("remember that we run the tests with make check")
    answer = await (await agent.create_conversation()).send_message("how do we run the tests?")
    assert quoted(answer.content)[0] == "> remember that we run the tests with make check"


async def test_a_diff_tells_what_was_decided_about_what_it_touches(agent: AsyncConversationAgent) -> None:
    for text in ("we decided that check_amount must not log", "we decided that Account.withdraw is strict"):
        await (await agent.create_conversation()).send_message(text)
    talk = await agent.create_conversation()
    for asked in ("does this break anything we decided?", "what does this touch?"):
        answer = (await talk.send_message(f"{asked}\n\n{DIFF}")).content
        assert "- `check_amount` - bank/account.py" in answer
        assert "\n\nWhat was said about `check_amount`:\n" in answer
        assert quoted(answer) == ["> we decided that check_amount must not log"]
    # What was piped in says nothing of the user's.
    answer = (await talk.send_message("can check_amount log?")).content
    assert quoted(answer) == ["> we decided that check_amount must not log"]


async def test_a_diff_tells_what_corrected_what_was_decided_about_it(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    for text in ("note: check_amount never logs", "update: check_amount logs at debug level"):
        await talk.send_message(text)
    answer = (await (await agent.create_conversation()).send_message(f"what does this touch?\n\n{DIFF}")).content
    assert '> note: check_amount never logs\n  (later: "update: check_amount logs at debug level")' in answer


async def test_and_who_calls_that_goes_up(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    talk = await agent.create_conversation()
    assert "- `Account.deposit`" in (await talk.send_message("who calls check_amount?")).content
    up = (await talk.send_message("and who calls that?")).content
    assert "`Account.deposit` (bank/account.py, line 4) is called by" in up
    # Another question about the same.
    assert (
        "`Account.deposit` (bank/account.py, line 4) uses"
        in (await talk.send_message("and what does it call?")).content
    )


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("is there a function to parse a URL?", "search", "is there a function to parse a URL?"),
        ("what function parses the URL?", "search", "what function parses the URL?"),
        ("what is the URL class?", "what", "URL"),
        ("show me class URL", "show", "URL"),
        ("which database do we use?", "search", "which database do we use?"),
        ("are there any rules for Client?", "said", "Client"),
        ("what is the convention for naming tests?", "said", "naming tests"),
        ("show me the code", "show", "the code"),
        ("where is the definition?", "where", "the definition"),
        ("show me the code of Client", "show", "Client"),
    ],
)
def test_how_they_are_read(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


def test_a_line_that_an_answer_quotes_is_no_decision_of_it() -> None:
    line = "- LICENSE.md:6 `* Redistributions of source code must retain the above copyright notice.`"
    assert importance_of(f"These lines have it:\n{line}") is None
    assert importance_of("We must never call `git push -f` here.") is not None
    assert importance_of("note: `a b c d e must be kept`", role="user") is not None
