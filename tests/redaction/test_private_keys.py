"""Private keys are taken out however their lines come; public keys and code about keys stay."""

from __future__ import annotations

import pytest

from ragforge_memory.redaction import redact, redact_value
from tests.redaction.made import PEM, PEM_BODY


@pytest.mark.parametrize("name", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_private_keys_go(name: str) -> None:
    key = f"-----BEGIN {name}PRIVATE KEY-----\n{PEM_BODY}\n-----END {name}PRIVATE KEY-----"
    assert redact(f"before\n{key}\nafter") == "before\n[redacted private key]\nafter"
    escaped = key.replace("\n", "\\n")
    assert redact(f'{{"private_key": "{escaped}", "b": 1}}') == '{"private_key": "[redacted private key]", "b": 1}'
    cut_off = key.rpartition("\n-----END")[0]
    assert redact(f"before\n{cut_off}") == "before\n[redacted private key]"
    assert PEM_BODY[:64] not in redact(
        key.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n", 1)
    )
    literals = "\n".join(f'    "{line}\\n"' for line in key.splitlines())
    assert PEM_BODY[:64] not in redact(literals)


def test_private_keys_in_pgp_blocks_go() -> None:
    block = (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: X 1\n\n" + PEM_BODY + "\n-----END PGP PRIVATE KEY BLOCK-----"
    )
    assert redact(f"a\n{block}\nb") == "a\n[redacted private key]\nb"


@pytest.mark.parametrize(
    "line",
    [
        "{line}", "{number:4}: {line}", "{number} | {line}", "-{line}", "> > {line}", "// {line}", " * {line}",
        "REM {line}", "certs/production/key.pem:{number}:{line}", "   {number}  {number} -{line}",
        '    "{line}\\n",', "    '{line}' +", 'b"{line}\\n"', "{line}\r",
        "| {number} | {line} |", "\x1b[31m-{line}\x1b[m",
    ],
)  # fmt: skip
def test_private_keys_go_however_their_lines_come(line: str) -> None:
    lines = PEM.split("\n")
    shown = "\n".join(line.format(number=number, line=each) for number, each in enumerate(lines, 1))
    for part in (shown, shown[shown.index("MIIE") :], shown[: shown.index("abc==")]):
        clean = redact(f"some words before\n{part}\nand words behind it")
        assert clean.count("[redacted private key]") == 1
        assert "MIIE" not in clean
        assert "words before\n" in clean
        assert "and words behind it" in clean
        if part == shown:
            assert "abc==" not in clean
            assert "PRIVATE" not in clean


@pytest.mark.parametrize("between", ["\\n", "\\r\\n", "\\\\n", "<br>", '", "', "', '", '\\", \\"'])
def test_private_keys_go_in_one_line(between: str) -> None:
    clean = redact(f'{{"a": ["{PEM.replace(chr(10), between)}"], "b": 1}}')
    assert clean == '{"a": ["[redacted private key]"], "b": 1}'


def test_private_keys_go_from_lists_of_lines() -> None:
    lines = ["x", *PEM.split("\n"), "y", 1]
    clean = redact_value({"lines": lines})["lines"]
    assert clean == ["x", *["[redacted private key]"] * (len(lines) - 3), "y", 1]


def test_keys_of_other_programs_go() -> None:
    ssh2 = PEM.replace("-----BEGIN", "---- BEGIN").replace("-----END", "---- END").replace("KEY-----", "KEY ----")
    putty = f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 12\n{PEM_BODY}\nPrivate-MAC: 1a"
    assert redact(ssh2) == "[redacted private key]"
    assert redact(putty) == "PuTTY-User-Key-File-2: ssh-rsa\n[redacted private key]\nPrivate-MAC: 1a"


@pytest.mark.parametrize(
    "text",
    [
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise ValueError("a key was found in the text here")\n' * 3,
        'begin = "-----BEGIN PRIVATE KEY-----"\nend = "-----END PRIVATE KEY-----"\nALongNameWithADigit2 = 1',
        '"-----BEGIN PRIVATE KEY-----\\n" + base64_of_the_key2 + "\\n-----END PRIVATE KEY-----"',
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise UnsupportedAlgorithm2()\n',
        "it begins with -----BEGIN PRIVATE KEY-----\nUnsupportedAlgorithm\n",
        "-----BEGIN PUBLIC KEY-----\n" + PEM_BODY + "\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\n" + PEM_BODY + "\n-----END CERTIFICATE-----",
    ],
)
def test_code_about_keys_and_public_keys_stay(text: str) -> None:
    assert redact(text) == text
