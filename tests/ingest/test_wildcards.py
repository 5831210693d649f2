"""Patterns in gitignore's format: what git says of them, and an end on every path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ragforge_memory.code.discover import discover

FILES = (
    "a.py", "b.py", "ab.py", "aab.py", "a-b.py", "[a].py", "a*b.py", "x/a.py", "x/ab.py", "x/y/a.py", "x/y/b/a.py",
    "b/x/y/aab.py", "x/b/y/b/z/a.py", "y/x/x/y/ab.py", "xa/yb/a.py", "x/xx/yb.py",
)  # fmt: skip
PATTERNS = (
    "*a*b*", "a*b.py", "*a*a*b.py", "**a**b.py", "[!a]*b.py", "*[!a]*b.py", "x[!a]a.py", "x[+-9]a.py", "x?a.py",
    "?*?*.py", "[[]a].py", "a\\*b.py", "a\\", "[z-a].py", "x/**/a.py", "**/x/**/a.py", "**/y/**/b/**/a.py", "x/**/y/**",
    "x*/y*/a*", "/*/x/**/*b.py", "**/*x/*", "x/*/", "x*\n!xa\n!*a*b*", "**/b/**/z", "/x/**/**/a*",
)  # fmt: skip


def test_what_is_ignored_is_what_git_ignores(tmp_path: Path) -> None:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    command = ["git", "-C", tmp_path, "ls-files", "-z", "--others", "--exclude-standard", "*.py"]
    for pattern in PATTERNS:
        (tmp_path / ".gitignore").write_text(pattern + "\n")
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
        assert [file.path for file in discover(tmp_path).files] == sorted(filter(None, told)), pattern


ENDLESS = (
    "*a" * 12 + "*b", "**a" * 12 + "**b", "?*" * 12 + "b", "[!b]*" * 12 + "b", "**/a*/" * 12 + "b",
    "**/[!b]/" * 30 + "b",
)  # fmt: skip
SAY_WHEN = """
import sys
from ragforge_memory.code.ignore import Globs
for pattern in sys.argv[1:]:
    globs = Globs((), (pattern,))
    for path in ("a" * 250, "a/" * 1_000 + "a", "/".join(["a" * 250] * 12)):
        assert globs.takes(path), pattern
        assert not globs.leaves_out(path), pattern
"""


def test_no_pattern_takes_for_ever() -> None:
    # In a process of its own: nothing else ends a match that takes too long.
    subprocess.run([sys.executable, "-c", SAY_WHEN, *ENDLESS], check=True, timeout=60)
