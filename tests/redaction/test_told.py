"""What is told in a sentence with a sign of assignment is taken out; code and prose that look so stay."""

from __future__ import annotations

import pytest

from ragforge_memory.agent.seen_secrets import SeenRedactor, Stream
from ragforge_memory.redaction import redact
from tests.redaction.made import PEM


@pytest.mark.parametrize(
    "text",
    [
        "the password: {} is for staging",
        "password: {}",
        "password={} works",
        "passwd={} for root",
        "my passphrase: {}, keep it",
        "login (password: {}) works",
        "the pwd: {} is old",
        "my secret: {}.",
        "**password**: {}",
        "`password`: {} is it",
        "password:{} it is",
        "user: ada, password: {}, host: db",
        "the password = {} for staging",
        "the password is: {} now",
    ],
)
@pytest.mark.parametrize("value", ["hunter2", "letmein99", "Hunter2", "p@ssw0rd", "blue7horse"])
def test_told_passwords_go(text: str, value: str) -> None:
    assert redact(text.format(value)) == text.format("[redacted secret]")


@pytest.mark.parametrize(
    "text",
    [
        "use token: {}, then go",
        "the token={} is old",
        "api key: {} works",
        "access key: {} and so on",
        "api-key = {} it is",
    ],
)
@pytest.mark.parametrize("value", ["abc123def", "9f8e7d6c5b4a", "k3y9x2aa"])
def test_told_keys_go(text: str, value: str) -> None:
    assert redact(text.format(value)) == text.format("[redacted secret]")


@pytest.mark.parametrize(
    "text",
    [
        "token: str",
        "password: Optional[str]",
        "secret = get_secret()",
        "token=None",
        "the password: sha256 of it",
        "token: oauth2 flow",
        "password: int64",
        "password: base64 encoded, argon2id later",
        "secret = secret2 or None",
        "password = pass2 if x else y",
        "def f(password: str2, token: t2x): pass",
        "def f(a: int, password: pass2x) -> None: ...",
        "{user: user1, password: pass2x}",
        "  password: pass2x,",
        "password: pass2x,",
        "token: next token",
        "password: see step2",
        "the secret: ask bob2@example.com for it",
        "the secret: see https://example.com/page2",
        "password: at least 8 characters",
        "password: str1 | None = None",
        "secret: my-app-v2 is its name",
        "token: token2 of the parser",
        "password = read_password2 ()",
        "password: Vec3",
        "password_hash: abc123x",
        "return password = x2yz;",
        "key: value12 here",
        "assert password == hunter2secret",
        "password != pass2word x",
        "password => pass2word",
        "let password: String2 = x",
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
