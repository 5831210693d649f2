"""docs/insights.md runs as it stands, with a model at an OpenAI-compatible address."""

from __future__ import annotations

import json
from dataclasses import replace
from uuid import uuid4

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks
from tests.fakes.behaviours import Answer
from tests.fakes.openai_server import OpenAIFake


def test_the_python_of_the_page_runs(shop: Shop, openai_fake: OpenAIFake) -> None:
    found = {"topic": "session tokens", "decided": ["Redis, two hours"], "open": ["the class name"]}
    openai_fake.script(Answer("They go to Redis."), Answer(json.dumps(found)))
    served = {"OPENAI_BASE_URL": openai_fake.base_url, "OPENAI_API_KEY": str(openai_fake.api_key)}
    shop = replace(shop, environment=shop.environment | served)
    [block] = blocks(ROOT / "docs" / "insights.md", "python")
    said = shop.python("-c", block.replace('"shop"', f'"shop-{uuid4().hex}"')).splitlines()
    assert said == [
        "session tokens ['Redis, two hours'] ['the class name']",
        "1 0 0 True",
        "0",
        "What was decided, and what was left open? session tokens openai:gpt-5.2 3",
    ]
    assert openai_fake.refusals == []
