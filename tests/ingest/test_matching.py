"""Which scope is which: pure values."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.code.cache import Seen
from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.ingest.matching import Lost, match_file
from ragforge_memory.ingest.rows import scope_properties


def parsed(text: str, path: str = "a.py") -> ParsedFile:
    return parse(path, text.encode())


def stored(file: ParsedFile) -> list[dict[str, Any]]:
    return [
        {
            "uuid": f"{file.path}:{s.key}",
            **scope_properties(s, file, project="p", token="t", parent=None, parent_uuid=None),
        }
        for s in file.scopes
    ]


def test_two_that_look_alike_are_not_guessed() -> None:
    body = "(x):\n    y = x\n    return y\n"
    before = parsed(f"def one{body}def two{body}")

    match = match_file(stored(before), parsed(f"def three{body}def four{body}").scopes)

    assert (match.known, len(match.lost)) == ({}, 2)


def test_a_file_is_another_one_renamed_by_content_or_by_most_of_its_scopes() -> None:
    text = "def one(): return 1\ndef two(): return 2\ndef three(): return 3\n"
    old = parsed(text)
    same = parsed(text, "b.py")
    edited = parsed(text.replace("return 3", "return 4"), "b.py")
    foreign = parsed("def one(): return 1\ndef x(): return 2\ndef y(): return 3\n", "b.py")

    assert Lost(stored(old), {"a.py": "h"}).renamed_from(same, "h") == "a.py"
    assert Lost(stored(old), {"a.py": "h"}).renamed_from(edited, "i") == "a.py"
    assert Lost(stored(old), {"a.py": "h"}).renamed_from(foreign, "i") is None


@pytest.mark.parametrize("digests", [("h", "h"), ("i", "j")])
def test_of_copies_that_are_gone_the_one_with_the_more_like_path_was_renamed(digests: tuple[str, str]) -> None:
    text = "def one(): return 1\n\ndef two(): return 2\n"
    paths = ("generated/m.py", "src/m.py")
    lost = Lost([each for path in paths for each in stored(parsed(text, path))], dict(zip(paths, digests, strict=True)))

    assert lost.renamed_from(parsed(text, "packages/core/src/m.py"), "h") == "src/m.py"
    assert lost.renamed_from(parsed(text, "packages/core/m.py"), "h") == "generated/m.py"


def test_stat_values_of_a_file_just_written_are_not_trusted() -> None:
    second = 1_000_000_000
    assert Seen("h", 3, 5 * second, 9 * second).holds_for(3, 5 * second)
    assert not Seen("h", 3, 8 * second, 9 * second).holds_for(3, 8 * second)
    assert not Seen("h", 3, 5 * second, 9 * second).holds_for(4, 5 * second)
    assert not Seen("h", 3, 5 * second, 9 * second).holds_for(3, 6 * second)
