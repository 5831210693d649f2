"""What `ragforge impact` says where there is little to say."""

from __future__ import annotations

import pytest

from ragforge_memory.cli.impact import _print
from ragforge_memory.models.impact import Impact, ImpactedScope

CHANGED = ImpactedScope(file="a.py", qualified_name="f", type="function", change="changed")


@pytest.mark.parametrize(
    ("scopes", "told"),
    [
        ((), "no definition has changed"),
        ((CHANGED,), "1 scope changes; nothing was said of it"),
        ((CHANGED, CHANGED), "2 scopes change; nothing was said of them"),
    ],
)
def test_what_nothing_was_said_of(
    capsys: pytest.CaptureFixture[str], scopes: tuple[ImpactedScope, ...], told: str
) -> None:
    _print(Impact(before="HEAD", after=None, scopes=scopes), every=False)
    assert capsys.readouterr().out == f"{told}\n"
