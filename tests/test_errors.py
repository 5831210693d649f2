"""What an error of this library tells."""

from __future__ import annotations

import traceback

from ragforge_memory import InvalidInput


def test_a_traceback_ends_with_the_hint() -> None:
    told = traceback.format_exception(InvalidInput("it is empty", hint="give a name"))
    assert "".join(told).endswith("it is empty\nhint: give a name\n")
    assert str(InvalidInput("it is empty", hint="give a name")) == "it is empty"
