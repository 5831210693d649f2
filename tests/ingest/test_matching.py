"""Which scope is which: pure values."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.code.cache import Seen
from ragforge_memory.code.facts import decode, encode
from ragforge_memory.code.matching import Lost, match_file
from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.rows import differs, embedding_text, file_properties, scope_properties


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


def test_duplicates_are_told_apart_by_tokens_then_by_place() -> None:
    before = parsed("def f(): return 1\ndef f(): return 2\ndef f(): return 3\n")
    after = parsed("def f(): return 3\ndef f(): return 1\ndef f(): return 4\n")

    match = match_file(stored(before), after.scopes)

    assert {key: old["key"] for key, old in match.known.items()} == {"f": "f#3", "f#2": "f", "f#3": "f#2"}
    assert match.lost == []


def test_a_renamed_scope_is_known_by_its_tokens_where_it_is_long_enough() -> None:
    body = "(x):\n    y = x + {}\n    return y\n"
    before = parsed(f"def one{body.format(1)}def two{body.format(2)}def a(): pass\n")
    after = parsed(f"def uno{body.format(1)}def two{body.format(2)}def b(): pass\n")

    match = match_file(stored(before), after.scopes)

    assert {key: old["key"] for key, old in match.known.items()} == {"uno": "one", "two": "two"}
    assert [old["key"] for old in match.lost] == ["a"]


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


def test_a_file_is_renamed_only_once() -> None:
    old = parsed("def one(): return 1\n")
    lost = Lost(stored(old), {"a.py": "h"})

    assert lost.renamed_from(parsed("def one(): return 1\n", "b.py"), "h") == "a.py"
    assert lost.renamed_from(parsed("def one(): return 1\n", "c.py"), "h") is None


@pytest.mark.parametrize("digests", [("h", "h"), ("i", "j")])
def test_of_copies_that_are_gone_the_one_with_the_more_like_path_was_renamed(digests: tuple[str, str]) -> None:
    text = "def one(): return 1\n\ndef two(): return 2\n"
    paths = ("generated/m.py", "src/m.py")
    lost = Lost([each for path in paths for each in stored(parsed(text, path))], dict(zip(paths, digests, strict=True)))

    assert lost.renamed_from(parsed(text, "packages/core/src/m.py"), "h") == "src/m.py"
    assert lost.renamed_from(parsed(text, "packages/core/m.py"), "h") == "generated/m.py"


def test_a_lost_scope_is_found_where_there_is_only_one_of_it() -> None:
    old = parsed("def one(): return 1\nclass C:\n    def m(self): return 2\nclass D:\n    def m(self): return 2\n")
    lost = Lost(stored(old))
    new = {scope.key: scope for scope in parsed("def one(): return 1\ndef m(self): return 2\n", "b.py").scopes}

    found = lost.find(new["one"])
    assert found is not None
    assert found["key"] == "one"
    assert lost.find(new["one"]) is None
    assert lost.find(new["m"]) is None


def test_facts_are_the_file_without_its_texts() -> None:
    file = parsed(
        "from x import y as z\n\nclass A(z):\n    n: int = 1\n    def m(self, p: z) -> 'A':\n        return y(p)\n"
    )

    facts = encode(file)

    whole, seen = decode(facts.head, facts.body), decode(facts.head)
    assert whole.imports == file.imports
    assert [scope.uses for scope in whole.scopes] == [scope.uses for scope in file.scopes]
    assert [scope.bindings for scope in whole.scopes] == [scope.bindings for scope in file.scopes]
    assert {scope.source for scope in whole.scopes} == {""}
    assert [scope.uses for scope in seen.scopes] == [() for _ in file.scopes]
    with pytest.raises(ValueError, match="not the facts"):
        decode(b"")


def test_stat_values_of_a_file_just_written_are_not_trusted() -> None:
    second = 1_000_000_000
    assert Seen("h", 3, 5 * second, 9 * second).holds_for(3, 5 * second)
    assert not Seen("h", 3, 8 * second, 9 * second).holds_for(3, 8 * second)
    assert not Seen("h", 3, 5 * second, 9 * second).holds_for(4, 5 * second)
    assert not Seen("h", 3, 5 * second, 9 * second).holds_for(3, 6 * second)


def test_rows_tell_whether_they_must_be_written_and_what_is_embedded() -> None:
    file = parsed('class A:\n    def m(self, a: int = 1) -> str:\n        """First.\n\n        More."""\n')
    (_, row) = stored(file)

    said = "First.\n\nMore."
    source = '    def m(self, a: int = 1) -> str:\n        """First.\n\n        More."""'
    assert embedding_text(row) == f"A.m\ndef m(self, a: int = 1) -> str\n{said}\n{source}"
    long = {"name": "n" * 9, "signature": "s" * 999, "docstring": "d" * 999, "source": "c" * 9_999}
    assert [len(part) for part in embedding_text(long).split("\n")] == [9, 300, 800, 2_000]
    assert not differs({"name": "m"}, row)
    assert differs({"name": "n"}, row)
    assert file_properties(file, "h", token="t")["extension"] == ".py"
