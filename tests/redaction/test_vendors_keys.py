"""Keys of vendors are taken out by their shape, and nothing that only begins like one."""

from __future__ import annotations

import re

import pytest

from ragforge_memory.redaction import redact
from tests.redaction.made import KEYS, SECRET

DISTINCT = re.compile(
    "AKIA|ASIA|AIza|ya29|GOCSPX|gh._|github_|glpat|glrt|sk-ant|nvapi|PMAK|hf_|xox|xapp|sk_live|rk_test|whsec|npm_|pypi"
    "|dckr|dop_v1|rubygems|ATATT3|shpat|lin_api|figd|tskey|dp[.]|sntrys|sq0atp|glsa|glc_|dt0c|pscale|AGE-|NRAK|lsv2|xkey"
)
AROUND = ["{}", "key: {}", "export KEY='{}'", '{{"value": "{}"}}', "({}),", "see {} there", "a={}&b=1", "\n{}\n"]


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys])
def test_keys_of_vendors_go(kind: str, key: str) -> None:
    for around in AROUND:
        text = around.format(key)
        assert redact(text) == around.format(f"[redacted {kind}]"), text


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in KEYS.items() for key in keys])
def test_what_only_begins_like_a_key_stays(kind: str, key: str) -> None:
    """Inside a longer word, or too short."""
    if DISTINCT.match(key):
        for before in ("x", "my_", "TOKEN"):
            assert redact(before + key) == f"{before}[redacted {kind}]"
    elif "://" not in key and ".atlasv1." not in key:
        assert redact(f"x{key}") == f"x{key}"
        assert redact(f"my_{key}") == f"my_{key}"
    short = key[:12]
    assert redact(f"see {short} there") == f"see {short} there"


def test_it_is_repeatable() -> None:
    text = "\n".join(key for keys in KEYS.values() for key in keys) + f"\npassword='{SECRET}'\n"
    once = redact(text)
    assert redact(once) == once
    assert once.count("[redacted ") == sum(map(len, KEYS.values())) + 1
