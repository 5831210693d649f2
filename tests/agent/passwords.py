"""A small project that tests talk about."""

from __future__ import annotations

from pathlib import Path

import pytest

CODE = '''\
def check_password(password, hashed):
    """Compares a password with what is stored of it."""
    salt, _, digest = hashed.partition(":")
    return digest == scramble(password, salt)


def scramble(password, salt):
    """Makes a digest of a password that cannot be turned back."""
    value = 7
    for letter in password + salt:
        value = (value * 31 + ord(letter)) % 1_000_003
    return str(value)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "auth.py").write_text(CODE)
    return root
