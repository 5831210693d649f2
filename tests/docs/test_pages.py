"""The Python of each page of docs/ runs as it stands, and prints what the page says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks
from tests.fakes.behaviours import Answer
from tests.fakes.openai_server import OpenAIFake

pytestmark = pytest.mark.long


def program(page: str, number: int, project: str = "shop") -> str:
    """A block of a page, for a project of its own."""
    block = blocks(ROOT / "docs" / f"{page}.md", "python")[number]
    return block.replace(f'"{project}"', f'"{project}-{uuid4().hex}"')


def told(shop: Shop, page: str, number: int = 0, project: str = "shop", **environment: str) -> list[str]:
    """The lines that a block of a page prints."""
    return shop.here(program(page, number, project), **environment).splitlines()


def test_archive(shop: Shop) -> None:
    before = sorted(shop.root.iterdir())
    *first, refused = told(shop, "archive")
    assert first == ["exported 1 conversation, 2 messages", "Passwords [1, 2]", "imported 1 conversation, 2 messages"]
    assert refused.startswith("imported 0 conversations, 0 messages; refused 1 conversation; ")
    assert "is here already" in refused
    assert before == sorted(shop.root.iterdir())
    assert told(shop, "archive", 1) == ["3 messages", "grep {'q': 'tax'} orders.py:12"]


def test_branches(shop: Shop) -> None:
    said = told(shop, "branches")
    assert said[:3] == ["['Another way', 'Logins (branch)']", "2 2", "Merged with “Another way”."]
    assert "recent" in said[3]
    assert said[4].endswith("True")
    assert said[5] == "True True"
    assert "discussed check_password fresh" in said
    assert said[-1] == "True"


def test_cli(shop: Shop) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), shop.environment["PATH"]))
    said = told(shop, "cli", PATH=path)
    assert said[0].startswith("`check_password` - auth.py:4")
    # A server that has never planned it takes longer than a question waits for it.
    assert said[-1].endswith(("['read_scope'] []", "['read_scope'] ['recall']"))
    assert "has no scheme" in str(told(shop, "cli", PATH=path, NEO4J_URI="nonsense"))


def test_concurrency(shop: Shop) -> None:
    assert told(shop, "concurrency", project="shared") == ["8 True"]


def test_embeddings(shop: Shop) -> None:
    said = told(shop, "embeddings", project="vectors")
    assert said == ["3 of 3", "local:e5-small-v2 hashing:words 2 1 0", "('text', 'meaning')"]
    assert told(shop, "embeddings", 1, project="lamps") == ["('text', 'meaning') 1"]


def test_insights(shop: Shop, openai_fake: OpenAIFake) -> None:
    found = {"topic": "session tokens", "decided": ["Redis, two hours"], "open": ["the class name"]}
    openai_fake.script(Answer("They go to Redis."), Answer(json.dumps(found)))
    served = {"OPENAI_BASE_URL": openai_fake.base_url, "OPENAI_API_KEY": str(openai_fake.api_key)}
    assert told(shop, "insights", **served) == [
        "session tokens ['Redis, two hours'] ['the class name']",
        "1 0 0 True",
        "0",
        "What was decided, and what was left open? session tokens openai:gpt-5.2 3",
    ]
    assert openai_fake.refusals == []


def test_knowledge(shop: Shop) -> None:
    assert told(shop, "knowledge") == [
        "1 2 1 ()",
        "policies/returns.md | Returns > Refunds, line 5 | Refunds are paid within fourteen days.",
        "1",
        "opening hours.txt text 1",
        "policies/returns.md markdown 2",
        "1",
    ]


def test_memory(shop: Shop) -> None:
    # What is personal is of the user in every project: whoever reads this page in another test is another.
    block = program("memory", 0).replace('"ada"', f'"ada-{uuid4().hex}"')
    assert shop.here(block).splitlines() == [
        "We decided to keep retries out of check_password. (decision, by code; its code is as it was)",
        "Lviv [('Kyiv', 'Lviv', 'update')]",
        "False True",
        "{'Memory': 1, 'FactVersion': 3} 3",
        "['decision']",
    ]


def test_models(shop: Shop) -> None:
    assert told(shop, "models") == ["stock says: 3 of lamp", "20 ['stock']"]


def test_persistence(shop: Shop) -> None:
    # It ends with a file that nobody closes, as scripts do.
    assert shop.python("-c", program("persistence", 0)).splitlines() == [
        "0o600 ['user', 'assistant']",
        "The password of the back door is kept by Ada.",
        "False",
    ]
    assert told(shop, "persistence", 1) == ["2", "['user', 'assistant']"]


def test_projects(shop: Shop) -> None:
    assert told(shop, "projects") == ["open_orders"]


def test_search(shop: Shop) -> None:
    said = told(shop, "search")
    assert said[0].startswith("user Where do we keep the session tokens? (")
    assert "('session', 'tokens')" in said[0]
    assert any(line.startswith("('text'") and line.endswith("True") for line in said)
    assert "session tokens" in said[-1]
    [number] = [at for at, each in enumerate(blocks(ROOT / "docs" / "search.md", "python")) if ".decisions(" in each]
    assert told(shop, "search", number) == [
        "Update: tokens expire after one hour. False None",
        "We decided that tokens expire after two hours. True Update: tokens expire after one hour.",
    ]
