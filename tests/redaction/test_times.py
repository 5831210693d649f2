"""No text takes for ever."""

from __future__ import annotations

import time

import pytest

from ragforge_memory.redaction import redact, redact_value


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece",
    [
        "a.", "a-", "token", "token ", "password=", "password='", "='a1", "://", "://a:", "://a:b", "sk-", "eyJ.",
        "eyJa.", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA ", "A: b\n", "AKIA", "1", "SG.", "x=", "SECRET_",
        "SECRET=a1 ", "\n", " ", "\t", "'", "\\n", "a1", "export ", "Bearer ", "hooks.slack.com/", "xoxb-", "=>",
        "token :", "A_", "PRIVATE ", "--", "--token ", ": a1", "token: a1b2c3d4e5 ", "TOKEN=a1",
        "password=a1b2c3d4e5 ", "=a1b2c3d4e5 ", "(password=a1b2c3d4e5 ", "Authorization: ", "authorization: a ",
        "Authorization: Bearer\n", "Cookie: a=b; ", "Cookie: ", "a1b2c3d4e5; ", "machine a login b ", "machine ",
        "curl ",
        "curl -u ", "curl -u a:", "mysql -", "sshpass -p ", "-----END PRIVATE KEY-----", "-----END PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n", "MIIEvQIBADANBgkq\n", "---- ", "------",
        "Private-Lines: 8\n",
        "PRIVATE KEY-----", "> ", "12:", "password is ", "password is a1b2c3d4e5 ", "password = ", "password = a",
        "\npassword = a1b2c3d4e5\n", "password:\\\"", "\\\"", "\\", "{password: ", "auth=", "auth=YWRh", "://a@",
        "://a:b@",
        "://a:b/", "a:b@c/", "key ", "a.b.password", "password.", "<br>", '", "', "glpat-", "hvs.", "EAA", "8Q~", "pat",
        "İpassword = ", "$", "${", "...", "AaAaAa", "Authorization: Bearer aAa", "x-us1", "\x1b[31m", "=[",
        "password=([",
    ],
)  # fmt: skip
def test_no_text_is_slow(piece: str) -> None:
    """Eight times as much of what patterns begin with takes eight times as long; something quadratic, sixty-four."""
    short, long = (_seconds(piece * (length // len(piece))) for length in (10_000, 80_000))
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
