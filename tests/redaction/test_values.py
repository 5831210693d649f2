"""Values are cleaned all through, also where only a name says what is secret."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.models.text import DEEPEST
from ragforge_memory.redaction import redact_value
from tests.redaction.made import KEYS, SECRET, SHA, made


def test_values_are_cleaned_all_through() -> None:
    key = KEYS["github token"][0]
    value = {"a": [1, None, True, {"text": f"use {key}", key: "x", f"{key[:-1]}Q": "y"}], "b": ("plain", 2.5)}
    assert redact_value(value) == {
        "a": [
            1,
            None,
            True,
            {"text": "use [redacted github token]", "[redacted github token]": "x", "[redacted github token] 2": "y"},
        ],
        "b": ["plain", 2.5],
    }
    assert value["a"][3]["text"] == f"use {key}"  # type: ignore[index]


def test_a_value_is_cleaned_down_to_its_bottom() -> None:
    value: Any = f"use {KEYS['github token'][0]}"
    for _ in range(DEEPEST):
        value = [value]
    clean = redact_value(value)
    for _ in range(DEEPEST):
        (clean,) = clean
    assert clean == "use [redacted github token]"


@pytest.mark.parametrize(
    ("name", "value", "goes"),
    [
        ("password", SECRET, True),
        ("db_password", "hunter22", True),
        ("clientSecret", SECRET, True),
        ("token", "end_of_line", False),
        ("password", "", False),
        ("password", "two words 22", True),
        ("password", "p$ss(w0rd)", True),
        ("password", "correcthorse", True),
        ("password", "required", False),
        ("password", "$PASSWORD", False),
        ("api_key", "GEMINI_API_KEY", False),
        ("api_key", "correct horse", True),
        ("client_secret", "my-app-v2", True),
        ("private_key", "/etc/keys/id_ed25519", False),
        ("secret", "https://vault.example.com/v1", False),
        ("pwd", "/home/ada/project1", False),
        ("access_token", "end_of_line", True),
        ("auth", "YWRhOmh1bnRlcjI=", True),
        ("auth", "required", False),
        ("public_key", SECRET, False),
        ("token_type", "Bearer2token99x", False),
        ("path", "src/auth2/password3.py", False),
        ("tokens", SECRET, False),
        ("sha", SHA, False),
    ],
)
def test_a_name_may_make_its_value_a_secret(name: str, value: str, goes: bool) -> None:
    assert redact_value({name: value}) == {name: "[redacted secret]" if goes else value}


def test_headers_in_values_are_cleaned() -> None:
    value = {
        "Authorization": "Basic YWRhOmh1bnRlcjI=",
        "Cookie": "theme=dark; sid=" + made(32),
        "X-Auth-Token": SECRET,
    }
    assert redact_value(value) == {
        "Authorization": "Basic [redacted credential]",
        "Cookie": "[redacted cookies]",
        "X-Auth-Token": "[redacted secret]",
    }
    assert redact_value({"authorization": "required: see 12"}) == {"authorization": "required: see 12"}


def test_a_name_may_make_other_values_secrets() -> None:
    assert redact_value({"passwords": ["hunter2hunter2", 1], "password": 12345678}) == {
        "passwords": ["[redacted secret]", 1],
        "password": "[redacted secret]",
    }
    said = {
        "password": ["This field is required."],
        "tokens": [SECRET, 1234],
        "max_tokens": 8000,
        "password_length": 1234,
    }
    assert redact_value(said) == said
    schema = {"properties": {"password": {"type": "string", "minLength": 8}}, "required": ["password"]}
    assert redact_value(schema) == schema


@pytest.mark.parametrize("value", [None, 7, 2.5, True, [], {}, "", {1: "x"}, {"password": None}, {"password": ["a1"]}])
def test_other_values_stay_as_they_are(value: Any) -> None:
    assert redact_value(value) == value
