"""docs/cli.md: its Python runs as it stands."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks


def test_the_program_that_reads_json_runs(shop: Shop) -> None:
    [block] = blocks(ROOT / "docs" / "cli.md", "python")
    path = os.pathsep.join((str(Path(sys.executable).parent), shop.environment["PATH"]))
    shop = replace(shop, environment={**shop.environment, "PATH": path})
    said = shop.python("-c", block)
    assert said.startswith("`check_password` - auth.py:4")
    assert said.endswith("['read_scope'] []\n")
    broken = replace(shop, environment={**shop.environment, "NEO4J_URI": "nonsense"})
    assert "has no scheme" in broken.python("-c", block)
