"""Parameters of which a few are tried always, the rest in long runs (`pytest -m long`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_of(values: Iterable[Any], count: int) -> list[Any]:
    """The values, those after the first ``count`` as long runs."""
    return [each if at < count else pytest.param(each, marks=pytest.mark.long) for at, each in enumerate(values)]
