"""Questions that name a folder: of the names that are asked for, only what lies below it is meant."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.retrieval.names import lies_in
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
