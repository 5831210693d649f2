"""A small git repository, a conversation about its code, and the anchors that the conversation makes."""

from __future__ import annotations

import os
import subprocess
import textwrap
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.ingest.run import ingest
from ragforge_memory.models.code import CodeReference, IngestReport
from ragforge_memory.models.owner import Owner
from tests.ingest.conftest import Cypher, client, cypher, home

__all__ = ["Cypher", "client", "cypher", "home"]

BANK = '''
    """Money."""

    RATE = 3


    class Account:
        """Whose money it is."""

        def __init__(self, holder):
            self.holder = holder
            self.balance = 0

        def deposit(self, amount):
            if amount <= 0:
                raise ValueError("nothing to deposit")
            self.balance += amount
            return self.balance

        def withdraw(self, amount):
            if amount > self.balance:
                raise ValueError("not enough money")
            self.balance -= amount
            return self.balance


    def interest(account, years):
        total = account.balance
        for _ in range(years):
            total += total * RATE // 100
        return total - account.balance


    def report(accounts):
        lines = [f"{account.holder}: {account.balance}" for account in accounts]
        return "\\n".join(sorted(lines))
    '''

NAMESAKE = '''

def interest(text):
    """How interesting a text is."""
    return text.count("!") > 3
'''


class Repository:
    """A git work tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")

    def edit(self, path: str, *pairs: tuple[str, str]) -> None:
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")

    def cut(self, path: str, begin: str, end: str | None = None) -> str:
        """Takes the text from ``begin`` up to ``end`` out of a file and gives it back."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        start = text.index(begin)
        stop = len(text) if end is None else text.index(end, start)
        file.write_text(text[:start] + text[stop:], encoding="utf-8")
        return text[start:stop]

    def append(self, path: str, text: str) -> None:
        with (self.root / path).open("a", encoding="utf-8") as file:
            file.write(text)

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")


class Talk:
    """One conversation, and what it says of code."""

    def __init__(self, client: GraphClient, owner: Owner, conversation_id: str) -> None:
        self.client = client
        self.messages = MessageStore(client, owner)
        self.references = ReferenceStore(client, owner)
        self.conversation_id = conversation_id

    async def say(self, *names: str, kind: str = "discussed") -> str:
        """A message that is tied to these scopes."""
        name = uuid4().hex
        await self.messages.append(self.conversation_id, NewMessage(name, "assistant", "See there."))
        unclear = await self.references.add(name, names, kind)  # type: ignore[arg-type]
        assert unclear == {}
        return name

    async def labels(self) -> dict[str, CodeReference]:
        """What became of it, by the qualified name that was meant."""
        found = await self.references.of_conversation(self.conversation_id)
        return {each.qualified_name: each for each in found}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """One module, committed."""
    made = Repository(tmp_path / "project")
    made.write("bank.py", BANK)
    made.commit("begin")
    return made


Run = Callable[[], Awaitable[IngestReport]]


@pytest.fixture
def run(client: GraphClient, repository: Repository, owner: Owner) -> Run:
    """Ingests the repository as it is."""

    async def ingested() -> IngestReport:
        return await ingest(client, repository.root, project=owner.project)

    return ingested


@pytest.fixture
async def talk(client: GraphClient, owner: Owner, run: Run) -> Talk:
    """A conversation about the code, which is ingested."""
    await run()
    conversation = await ConversationStore(client, owner).create(title="About money")
    return Talk(client, owner, conversation.uuid)
