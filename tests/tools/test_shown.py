"""Lists in a result: as many entries as fit."""

from __future__ import annotations

from ragforge_memory.tools.code_uses import USES_BYTES, _bounded
from ragforge_memory.tools.registry import DEFAULT_RESULT_LIMIT
from ragforge_memory.tools.shown import size_of


def test_hundreds_of_uses_fit_into_a_result_and_none_is_left_out_before_it_has_lost_what_can_be_asked_for() -> None:
    uses = [
        {
            "qualified_name": f"TestOfSomething.test_number_{number}",
            "type": "method",
            "file": "tests/test_of_something.py",
            "line": number,
            "uuid": "0" * 32,
            "lines": [number],
        }
        for number in range(420)
    ]
    bounded = _bounded({"callers": uses, "possible": uses[:50], "references": []}, USES_BYTES)
    assert bounded["totals"] == {"callers": 420, "possible": 50, "references": 0}
    assert [each["lines"] for each in bounded["callers"]] == [each["lines"] for each in uses]
    assert [each["lines"] for each in bounded["possible"]] == [each["lines"] for each in uses[:50]]
    assert size_of([bounded]) < DEFAULT_RESULT_LIMIT
    fewer = _bounded({"callers": uses * 4, "possible": uses}, USES_BYTES)
    assert fewer["totals"]["callers"] == 1_680
    assert 0 < len(fewer["callers"]) < 1_680
    assert size_of([fewer]) < DEFAULT_RESULT_LIMIT
