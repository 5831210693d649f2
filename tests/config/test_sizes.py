"""A small configuration file that would become a large or a deep value is refused before it does."""

from __future__ import annotations

import pytest

from ragforge_memory.errors import ConfigError
from tests.config.conftest import Load


def test_deep_nesting_is_refused_and_cycles_too(load: Load) -> None:
    for text in ("x: " + "[" * 200 + "]" * 200, "x: &a {b: *a}"):
        with pytest.raises(ConfigError):
            load(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join(['*a' + str(n)] * 9)}]\n" for n in range(9)),
            "too often",
        ),
        ("{a: " * 5_000, "too deeply"),
        ("a: " + "[" * 51 + "]" * 51, "too deeply"),
    ],
    ids=["aliases", "blocks", "a list"],
)
def test_a_small_text_that_becomes_large_is_refused(load: Load, text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        load(text)
