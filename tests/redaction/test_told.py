"""What is told in a sentence with a sign of assignment is taken out; code and prose that look so stay."""

from __future__ import annotations

import pytest

from ragforge_memory.agent.seen_secrets import SeenRedactor, Stream
from ragforge_memory.redaction import redact
from tests.redaction.made import PEM


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("the password: {} is for staging", ["hunter2", "Hunter2", "p@ssw0rd", "blue7horse"]),
        ("password: {}", ["letmein99", "p@ssw0rd"]),
        ("password={} works", ["hunter2", "blue7horse"]),
        ("the login password: {} works", ["Tr0ub4dor&3", "kX9$mmpQ", "a7%bb-Qx"]),
        ("?password={}&user=ada", ["hunter2", "blue7horse"]),
        ("my passphrase: {}, keep it", ["hunter2", "p@ssw0rd"]),
        ("login (password: {}) works", ["hunter2", "p@ssw0rd"]),
        ("my secret: {}.", ["hunter2", "blue7horse"]),
        ("`password`: {} is it", ["hunter2", "p@ssw0rd"]),
        ("user: ada, password: {}, host: db", ["hunter2", "p@ssw0rd"]),
        ("the password = {} for staging", ["hunter2", "p@ssw0rd"]),
        ("the password is: {} now", ["hunter2", "p@ssw0rd"]),
        ("use token: {}, then go", ["abc123def", "9f8e7d6c5b4a", "k3y9x2aa"]),
        ("the token={} is old", ["abc123def", "k3y9x2aa"]),
        ("api-key = {} it is", ["abc123def", "k3y9x2aa"]),
    ],
)
def test_what_is_told_goes(text: str, values: list[str]) -> None:
    for value in values:
        assert redact(text.format(value)) == text.format("[redacted secret]"), value


@pytest.mark.parametrize(
    "text",
    [
        "token: str",
        "secret = get_secret()",
        "the password: sha256 of it",
        "token: oauth2 flow",
        "secret = secret2 or None",
        "def f(password: str2, token: t2x): pass",
        "{user: user1, password: pass2x}",
        "  password: pass2x,",
        "password: pass2x,",
        "password: see step2",
        "the secret: ask bob2@example.com for it",
        "password: at least 8 characters",
        "password: str1 | None = None",
        "secret: my-app-v2 is its name",
        "password = read_password2 ()",
        "password_hash: abc123x",
        "return password = x2yz;",
        "assert password == hunter2secret",
        "password => pass2word",
        "f(x, password=hunter2)",
        "my password is hunter2",
        "see the token: 12 of 40",
    ],
)
def test_code_and_prose_stay(text: str) -> None:
    assert redact(text) == text
    assert redact(f"before\n{text}\nbehind") == f"before\n{text}\nbehind"


@pytest.mark.parametrize(
    ("seen", "text", "clean"),
    [
        ("password: hunter2", "HUNTER2, (hunter2) and hunter23", "[redacted secret], ([redacted secret]) and "),
        ("password: hunter2", "hunt hunter hunters", "hunt hunter hunters"),
        ("curl -u ada:lovelace x", "Lovelace, lovelaces", "[redacted password], lovelaces"),
        ("postgres://app1:app1@db/x", "the app1 of app1", "the app1 of app1"),
        ("PASSWORD='blue 9 horses'", "blue\n9  horses, 9 horses", "[redacted secret], 9 horses"),
        (PEM, f"a {PEM.splitlines()[1]} b", "a [redacted private key] b"),
        ({"api_key": "q7Xv-9zKp2"}, "it is q7Xv-9zKp2.", "it is [redacted secret]."),
        ("nothing is told", "password, hunter2", "password, hunter2"),
    ],
)
def test_what_was_seen_goes_by_its_value(seen: object, text: str, clean: str) -> None:
    assert SeenRedactor(seen).text(text).startswith(clean)
    assert SeenRedactor().text(text) == text
    for size in (1, 3, 7):
        stream = Stream(SeenRedactor(seen))
        shown = "".join(stream.more(text[place : place + size]) for place in range(0, len(text), size)) + stream.rest()
        assert shown.startswith(clean)


def test_a_stream_without_secrets_is_shown_at_once() -> None:
    assert Stream(SeenRedactor("hello")).more("a word") == "a word"


def test_a_cookie_is_known_by_its_value_and_what_logs_nobody_in_is_not() -> None:
    seen = SeenRedactor("Cookie: sid=Abc123def456ghi789jk; theme=dark-mode-on")
    assert seen.text("It is Abc123def456ghi789jk, in dark-mode-on") == "It is [redacted cookies], in dark-mode-on"
