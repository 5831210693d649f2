"""Keys of vendors are taken out by their shape, and nothing that only begins like one."""

from __future__ import annotations

import pytest

from ragforge_memory.redaction import redact
from tests.redaction.made import KEYS, SECRET

DISTINCT = (
    *(
        "AKIA",
        "ASIA",
        "AIza",
        "ya29.",
        "GOCSPX-",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "glrt-",
    ),
    *(
        "sk-ant-",
        "nvapi-",
        "PMAK-",
        "hf_",
        "xoxb-",
        "xoxp-",
        "xapp-",
        "sk_live_",
        "rk_test_",
        "whsec_",
        "npm_",
        "pypi-",
    ),
    *(
        "dckr_pat_",
        "dop_v1_",
        "rubygems_",
        "ATATT3",
        "shpat_",
        "lin_api_",
        "figd_",
        "tskey-",
        "dp.",
        "sntrys_",
        "sq0atp-",
    ),
    *("glsa_", "glc_", "dt0c01.", "pscale_", "AGE-", "NRAK-", "lsv2_", "xkeysib-"),
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
    if key.startswith(DISTINCT):
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
