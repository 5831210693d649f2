"""Fixtures of the fake vendors; tests/conftest.py loads them for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake


@pytest.fixture
def gemini_fake() -> Iterator[GeminiFake]:
    """A strict Gemini API; ``gemini_fake.script(Answer("hello"))`` first."""
    with GeminiFake() as fake:
        yield fake


@pytest.fixture
def openai_fake() -> Iterator[OpenAIFake]:
    """A strict OpenAI-compatible server; ``openai_fake.script(Answer("hello"))`` first."""
    with OpenAIFake() as fake:
        yield fake
