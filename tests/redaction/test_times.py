"""No text takes for ever."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.redaction import redact, redact_value


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [
        "a.", "token ", "password='", "://a:b@", "eyJa.", "-----BEGIN PRIVATE KEY-----", "A: b\n", "\n", "--token ",
        "token: a1b2c3d4e5 ", "(password=a1b2c3d4e5 ", "Authorization: Bearer\n", "Cookie: a=b; ", "machine a login b ",
        "curl -u a:", "MIIEvQIBADANBgkq\n", "password is a1b2c3d4e5 ", "\npassword = a1b2c3d4e5\n", "auth=YWRh",
        "password:\\\"", "İpassword = ", "=[",
    ],
)  # fmt: skip
def test_no_text_is_slow(piece: str) -> None:
    """Eight times as much of what patterns begin with takes eight times as long; something quadratic, sixty-four."""
    short, long = (_seconds(piece * (length // len(piece))) for length in (4_000, 32_000))
    assert long < 24 * short + 0.2


def _seconds(text: str) -> float:
    """Of the processor, which others who use it do not lengthen."""
    begun = time.process_time()
    redact(text)
    redact("-----BEGIN PRIVATE KEY-----\n" + text)
    redact(text + "\n-----END PRIVATE KEY-----")
    redact("password = " + text)
    redact("Authorization: Bearer " + text)
    redact_value({"password": text})
    redact(text + "'")
    return time.process_time() - begun
