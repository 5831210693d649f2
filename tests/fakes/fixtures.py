"""Fixtures of the fake vendors; tests/conftest.py loads them for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ragforge_memory.vendors.access import ALLOW_VARIABLE
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake

# Keys and addresses that a developer's machine may have and that would change what resolves.
_VENDOR_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL")


def pytest_configure() -> None:
    """No test, nor a process that it starts, reaches a real vendor or a model server of this machine by accident."""
    os.environ[ALLOW_VARIABLE] = "0"
    for variable in _VENDOR_VARIABLES:
        os.environ.pop(variable, None)


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
