"""Agents as the tests of turns have them, and a folder of documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.conftest import cypher, home, make_agent
from tests.knowledge.files import docx, pdf

__all__ = ["cypher", "documents", "home", "make_agent"]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A project's folder of documents, one in each of four formats."""
    folder = tmp_path / "project" / "docs"
    (folder / "shop").mkdir(parents=True)
    returns = "# Returns\n\nRefunds are paid within fourteen days.\n\n## Costs\n\nWe pay the parcel."
    terms = pdf(["Nothing here."], ["The warranty lasts three years."], title="Terms")
    handbook = docx((1, "Handbook"), (2, "Holidays"), (0, "Everyone has thirty days off."))
    (folder / "returns.md").write_text(returns)
    (folder / "shop" / "terms.pdf").write_bytes(terms)
    (folder / "shop" / "handbook.docx").write_bytes(handbook)
    (folder / "faq.jsonl").write_text('{"content": "Call the hotline.", "title": "Help"}\n{broken\n')
    return folder
