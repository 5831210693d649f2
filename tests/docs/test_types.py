"""What the pages and the examples print passes a reader's type checker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks


@pytest.mark.long
def test_mypy_accepts_what_is_printed(tmp_path: Path) -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    files = sorted((ROOT / "examples").glob("*.py"))
    for page in pages:
        for number, block in enumerate(blocks(page, "python"), start=1):
            files.append(tmp_path / f"{page.stem}_{number}.py")
            files[-1].write_text(block, encoding="utf-8")
    assert len(files) > 10
    # With the configuration of the project, whose cache is then of use: by itself this takes 12 s.
    found = subprocess.run([sys.executable, "-m", "mypy", *map(str, files)], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
