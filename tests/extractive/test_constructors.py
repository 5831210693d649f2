"""What a class takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.tools.conftest import write_files

pytestmark = pytest.mark.anyio

FILES = {
    "shop/till.py": '''from bank.vault import Vault


class Till(Vault):
    """Counts coins."""


class Coin:
    """Is worth something."""

    worth: int = 1
''',
    "web/Cart.java": (
        "package web;\n\n/** Holds things. */\npublic class Cart {\n  public Cart() {}\n  Cart(int size) {}\n"
        "  void add(int thing) {}\n}\n"
    ),
}


async def test_the_signature_of_its_constructor_says_it(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    write_files(tmp_path / "project", FILES)
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()

    async def ask(text: str) -> list[str]:
        return (await talk.send_message(text)).content.splitlines()

    assert (await ask("what parameters does Vault take?"))[1:5] == [
        "> `class Vault(Safe)`",
        "Its constructor:",
        "- `Vault.__init__` - bank/vault.py:10 (method)",
        "> `def __init__(self, owner, sum_limit=3)`",
    ]
    assert (await ask("what are the arguments of Till?"))[2:4] == [
        "Its constructor, inherited:",
        "- `Vault.__init__` - bank/vault.py:10 (method)",
    ]
    assert (await ask("what does Cart take?"))[2:7] == [
        "Its constructors:",
        "- `Cart.Cart` - web/Cart.java:5 (method)",
        "> `public Cart()`",
        "- `Cart.Cart` - web/Cart.java:6 (method)",
        "> `Cart(int size)`",
    ]
    coin = await ask("what parameters does Coin take?")
    assert "No constructor of it is known. Its code:" in coin
    assert "    worth: int = 1" in coin
    assert "constructor" not in "\n".join(await ask("what does Vault do?"))
