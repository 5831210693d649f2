"""A small project that an agent without a model talks about, on the real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.models.owner import Owner

FILES = {
    "bank/account.py": '''class Account:
    """Holds money."""

    def deposit(self, amount: int) -> None:
        """Puts money in."""
        check_amount(amount)

    def withdraw(self, amount: int) -> None:
        """Takes money out."""
        check_amount(amount)


def check_amount(amount: int) -> None:
    """Refuses amounts below zero."""
    if amount < 0:
        raise ValueError(amount)
''',
    "bank/report.py": """from bank.account import Account


def monthly_report(account: Account) -> str:
    account.deposit(1)
    return "report"
""",
    "bank/safe.py": """class SafeLocked(Exception): ...


class Safe:
    currency = "EUR"

    def open(self):
        raise SafeLocked(self)
""",
    "tests/test_account.py": """from bank.account import check_amount
from functools import partial

def test_amounts():
    check_amount(1)
    partial(check_amount, 1)()
""",
    "bank/vault.py": """from bank.safe import Safe


class Vault(Safe):
    name = "vault"

    #: Interest, a year.
    rate: float = 0.5

    def __init__(self, owner, sum_limit=3):
        self.owner = owner
        self.sum_limit = sum_limit

    def open(self):
        return self.rate
""",
    "bank/flags.py": """def is_loud(options):
    return options.verbosity > 1
""",
    "web/index.ts": """export class ShoppingBasket {
  addItem(name: string): void { this.checkLimit(); }
  checkLimit(): boolean { return true; }
}
""",
}


@pytest.fixture
def today() -> date | None:
    """The day it is to the agent, where a test names one; an agent that is open goes by the day it was given."""
    return None


@pytest.fixture
async def agent(
    tmp_path: Path, neo4j_config: Neo4jConfig, owner: Owner, monkeypatch: pytest.MonkeyPatch, today: date | None
) -> AsyncIterator[AsyncConversationAgent]:
    """An extractive agent whose project has been read."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    root = tmp_path / "project"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    agent = AsyncConversationAgent(
        neo4j_config,
        llm_provider="extractive",
        embedder=HashingEmbedder(),
        config=ConversationConfig(embed_messages=False),
        user_id=owner.user_id,
        project=owner.project,
        root=root,
    )
    if today is not None:
        agent._today = lambda: today
    async with agent:
        await agent.ingest(root)
        yield agent
