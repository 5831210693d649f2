"""What is not a secret stays: hashes, uuids, data and plain code above all."""

from __future__ import annotations

import base64
import hashlib
import sysconfig
from pathlib import Path
from uuid import UUID

import pytest

import ragforge_memory
from ragforge_memory.redaction import redact
from tests.redaction.made import SHA, made

INNOCENT = [
    *(hashlib.new(kind, b"x").hexdigest() for kind in ("md5", "sha1", "sha256", "sha512")),
    str(UUID(SHA[:32])),
    SHA[:32],
    f"commit {SHA[:40]}",
    f"sha256:{SHA}",
    f"sha512-{base64.b64encode(hashlib.sha512(b'x').digest()).decode()}",
    f"index {SHA[:7]}..{SHA[7:14]} 100644",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode(),
    base64.urlsafe_b64encode(bytes(range(256)) * 8).decode(),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + made(43) + " me@host",
    "a_very_long_identifier_that_goes_on_and_on_and_has_a_number_2_in_it",
    "AVeryLongCamelCaseIdentifierThatGoesOnAndOnAndHasANumber2InIt",
    "sk-estimator-container-fitted-labels-and-more-of-them-2",
    "skip_this_test_because_of_something_else_entirely_1234",
    "self.assertEqual(hf_output_of_something_rather_long_1, 3)",
    "task-SKIPPED0123456789",
    "2026-11-22T01:02:03.123456789Z 192.168.100.200 00:1A:2B:3C:4D:5E",
    "https://example.com/path/to/0123456789abcdef0123456789abcdef?x=AKIAx&y=sk-",
    "npm_config_registry_and_some_more_words_here_1",
    "pypi-AgEx docker/dckr_pat_ ghp_ gho_1 glpat-",
    "SG.a.b eyJ.eyJ.x 12345678:AAshort",
    "int sk_buff_head_init_and_some_other_name2(struct sk_buff *skb);",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def _sources(root: Path) -> list[Path]:
    return [path for path in root.rglob("*.py") if not {"site-packages", "__pycache__"} & set(path.parts)]


def test_this_packages_own_code_stays() -> None:
    package = Path(ragforge_memory.__file__).parent
    for path in (
        each for room in ("config", "graph", "redaction", "vendors") for each in (package / room).rglob("*.py")
    ):
        text = path.read_text(encoding="utf-8")
        assert redact(text) == text, path


def test_the_standard_library_stays() -> None:
    """Two megabytes of other people's code: no mark but for logins that stand in addresses in the library's tests."""
    marked = []
    size = 0
    for path in _sources(Path(sysconfig.get_path("stdlib"))):
        if size > 2_000_000:
            break
        text = path.read_text(encoding="utf-8", errors="replace")
        size += len(text)
        clean = redact(text)
        if clean != text:
            marked += [line for line in clean.splitlines() if "[redacted " in line and "://" not in line]
    assert size > 1_900_000
    # The passwords of an example of urllib's ('geheim$parole') and of a test of distutils' could be some.
    passwords = ("passwd='[redacted secret]')", "password:[redacted secret]")
    assert [line.strip() for line in marked if line.strip() not in passwords] == []
