"""Questions that name a folder: of the names that are asked for, only what lies below it is meant."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.text.names import lies_in
from tests.extractive.asking import ask


@pytest.mark.parametrize(
    ("place", "lies"),
    [
        ("core.py", True),
        ("src/core.py", True),
        ("packages/click/", True),
        ("./packages", True),
        ("packages/", True),
        ("click/src", True),
        ("src/click", False),
        ("ages/click", False),
        # A word alone is the name of a file.
        ("click", False),
    ],
)
def test_a_file_lies_in_a_place(place: str, lies: bool) -> None:
    assert lies_in(place, "packages/click/src/core.py") is lies


@pytest.mark.anyio
async def test_a_name_is_looked_for_below_the_folder_that_is_named(agent: AsyncConversationAgent) -> None:
    calls = await ask(agent, "who calls check_amount in bank/?")
    assert calls == await ask(agent, "who calls check_amount?")
    assert calls[0].startswith("`check_amount` (bank/account.py, line 13) is called by")
    assert (await ask(agent, "where is Safe.open in bank/?"))[0].startswith("`Safe.open` - bank/safe.py:7")
    elsewhere = await ask(agent, "who calls check_amount in web/?")
    assert elsewhere[:2] == ["Nothing below `web` is defined as `check_amount`; this is told of the whole project:", ""]
    assert elsewhere[2:] == calls
    assert await ask(agent, "where is swindle in web/?") == ["Nothing found for `swindle` in this project."]


@pytest.mark.anyio
async def test_a_plain_word_may_be_the_name_of_a_folder(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("note: `Safe` opens at nine")
    told = (await talk.send_message("what does bank do?")).content.splitlines()
    assert told[:2] == ["`bank` contains 5 source files:", "- bank/account.py: `Account`, `check_amount`"]
    assert "nine" not in "\n".join(told)
    await talk.send_message("note: the bank is for tests alone")
    own, files = (await talk.send_message("what does bank do?")).content.split("`bank` contains")
    assert "the bank is for tests alone" in own
    assert "nine" not in own + files
