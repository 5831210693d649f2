"""Code in a language that is not read: its text answers, and not the definition of something else; that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent

pytestmark = pytest.mark.anyio

KOTLIN = "class Teller {\n    fun checkAmounts() { openCounter() }\n    fun openCounter(): Int = 1\n}\n"
HINT = "Files in Kotlin are not read as code: of what they define only the text is known."


async def test_what_only_text_knows_is_not_taken_for_something_else(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    (tmp_path / "project" / "app").mkdir()
    (tmp_path / "project" / "app" / "Teller.kt").write_text(KOTLIN)
    talk = await agent.create_conversation()

    async def ask(text: str) -> list[str]:
        return (await talk.send_message(text)).content.splitlines()

    # `check_amount` and `Account` are nearly called so, and are meant where nothing has the very name.
    for question in ("where is checkAmounts?", "what does checkAmounts do?", "who calls checkAmounts?"):
        assert await ask(question) == [
            "Nothing found that is defined as `checkAmounts`. The name stands in these lines:",
            "- app/Teller.kt:2 `fun checkAmounts() { openCounter() }`",
            "",
            HINT,
        ]
    assert (await ask("where is checkAmount?"))[0].startswith("`check_amount` - bank/account.py:13")
    for question in ("where is Teller.openCounter?", "who calls Teller.openCounter?", "who calls openCounter?"):
        answer = await ask(question)
        assert "- app/Teller.kt:2 `fun checkAmounts() { openCounter() }`" in answer
        assert answer[-1] == HINT
    assert HINT not in await ask("who raises SafeLocked?")


async def test_a_file_of_such_a_language_is_shown_by_its_name(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    (tmp_path / "project" / "app").mkdir()
    (tmp_path / "project" / "app" / "Teller.kt").write_text(KOTLIN)
    talk = await agent.create_conversation()
    for question in ("what is in Teller.kt?", "show me app/Teller.kt"):
        answer = (await talk.send_message(question)).content
        assert "    fun openCounter(): Int = 1\n" in answer
        assert "`app/Teller.kt` was not read as code, so no definition in it is known." in answer
