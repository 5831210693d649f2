"""A file of which only a part was read may define what is asked for: that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent

pytestmark = pytest.mark.anyio

HINT = (
    "The name stands in 1 file of which only a part was read: `app/till.ts` (syntax error in line 2). "
    "What they define and call may not all be known."
)


async def test_a_name_in_a_file_that_was_read_in_part_may_be_defined_there(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    file = tmp_path / "project" / "app" / "till.ts"
    file.parent.mkdir()
    file.write_text("function whole() {}\nfunction openTill() { return [ }\nfunction other() { openTill() }\n")
    await agent.ingest()
    talk = await agent.create_conversation()

    async def ask(text: str) -> list[str]:
        return (await talk.send_message(text)).content.splitlines()

    for question in ("who calls openTill?", "where is openTill?", "who uses openTill?"):
        answer = await ask(question)
        assert answer[-1] == HINT
        assert any("app/till.ts:3" in line for line in answer)
        assert not any("is not defined in this project" in line for line in answer)
    file.write_text("function whole() {}\nfunction openTill() { return [] }\nfunction other() { openTill() }\n")
    await agent.ingest()
    for question in ("who calls openTill?", "where is openTill?"):
        assert HINT not in await ask(question)
