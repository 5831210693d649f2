"""Results that were shortened on the way, that failed, or that are no such thing: every question has an answer then."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelChunk, ModelRequest, ToolOutcome
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools import code_changes, code_exports, code_imports, code_unused, code_uses
from tests.extractive.asking import ask
from tests.extractive.conftest import FILES

pytestmark = pytest.mark.anyio

LISTS = (
    "what does Vault call?",
    "what does Vault inherit from?",
    "what does bank/account.py export?",
    "which functions are never called?",
    "what does bank/report.py import?",
    "who imports bank/account.py?",
    "what changed in the last commit?",
    "who calls check_amount?",
    "who uses Account?",
    "what inherits from Safe?",
    "what overrides Safe.open?",
    "which tests cover check_amount?",
)
"""Questions whose answers are lists, of which a result has no more than fits."""

OTHERS = (
    "what does Account.balance do?",
    "show me bank/account.py",
    "what raises SafeLocked?",
    "is what we decided about check_amount still true?",
    "what did we talk about last time?",
    "how are amounts checked?",
)


class Heard(ExtractiveProvider):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        if request.purpose == "answer":
            self.requests.append(request)
        async for chunk in super().stream(request):
            yield chunk


def odd(content: str) -> Iterator[tuple[str, bool]]:
    """What may come in a result's place, and whether as a failure."""
    yield json.dumps({"error": "Neo4j is away"}), True
    yield "no JSON", True
    yield json.dumps({"truncated": True, "total_bytes": 1, "note": "", "beginning": content[:20]}), False
    yield f"{content[: len(content) // 2]}… (shortened)", False
    for value in (
        {},
        [],
        None,
        "text",
        {"error": "no such thing"},
        {"scopes": None, "matches": None, "messages": None},
    ):
        yield json.dumps(value), False


async def answered(messages: list[ChatMessage], request: ModelRequest) -> str:
    """Goes on with the request until there is an answer; what else is asked for fails."""
    for _ in range(5):
        given = await complete(ExtractiveProvider(), replace(request, messages=tuple(messages)))
        if not given.tool_requests:
            return given.text
        failed = tuple(ToolOutcome(each.id, each.name, '{"error": "away"}', True) for each in given.tool_requests)
        messages = [
            *messages,
            ChatMessage("assistant", "", tool_requests=given.tool_requests),
            ChatMessage("tool", tool_outcomes=failed),
        ]
    raise AssertionError("it asks for ever")


def commit_all(root: Path) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "All of it")):
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
async def heard(
    tmp_path: Path, neo4j_config: Neo4jConfig, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[AsyncConversationAgent, Heard]]:
    """An agent whose project has been read and has history, and the provider that keeps what it is asked."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    root, provider = tmp_path / "project", Heard()
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit_all(root)
    agent = AsyncConversationAgent(
        neo4j_config,
        llm_provider=provider,
        embedder=HashingEmbedder(),
        config=ConversationConfig(embed_messages=False),
        user_id=owner.user_id,
        project=owner.project,
        root=root,
    )
    async with agent:
        await agent.ingest(root)
        talk = await agent.create_conversation()
        await talk.send_message("We decided that `check_amount` refuses zero, too.")
        await talk.send_message("Todo: `Account` needs a limit.")
        yield agent, provider


async def test_lists_that_were_cut_to_what_fits(
    heard: tuple[AsyncConversationAgent, Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, _ = heard
    for module in (code_changes, code_exports, code_imports, code_unused, code_uses):
        monkeypatch.setattr(module, "LIST_BYTES", 500)
    monkeypatch.setattr(code_uses, "USES_BYTES", 500)
    answers = {text: await ask(agent, text) for text in LISTS}
    assert all(answers.values())
    changed = answers["what changed in the last commit?"]
    assert changed[0].endswith("changes 16 definitions:")
    assert changed[1:4] == [
        "- `Account` - bank/account.py (class, added)",
        "- `Account.deposit` - bank/account.py (method, added)",
        "… and 14 more.",
    ]
    silent = answers["which functions are never called?"]
    assert silent[0].startswith("The names of 6 functions and methods")
    assert silent[1] == "- `Account.withdraw` - bank/account.py:8 (method)"
    assert silent[-2].startswith("… and ")


async def test_results_that_are_no_such_thing(heard: tuple[AsyncConversationAgent, Heard]) -> None:
    agent, provider = heard
    for text in (*LISTS, *OTHERS):
        provider.requests.clear()
        await ask(agent, text)
        asked = provider.requests[-1]
        for at, message in enumerate(asked.messages):
            for place, outcome in enumerate(message.tool_outcomes):
                for content, is_error in odd(outcome.content):
                    outcomes = list(message.tool_outcomes)
                    outcomes[place] = replace(outcome, content=content, is_error=is_error)
                    messages = list(asked.messages)
                    messages[at] = replace(message, tool_outcomes=tuple(outcomes))
                    assert await answered(messages, asked), (text, content)
