"""One conversation's file: appended to, cut off, looked up while others write, rewritten."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.errors import ConversationFileError
from ragforge_memory.graph.filed import conversation_file
from ragforge_memory.graph.filed.conversation_file import ConversationFile
from ragforge_memory.graph.filed.words import Words, rank
from ragforge_memory.graph.filed.writing import from_bytes, line_of, to_bytes, uuid_of


def _line(uuid: str, content: str = "text") -> dict[str, Any]:
    return line_of({"uuid": uuid, "role": "user", "content": content})


@pytest.fixture
def file(tmp_path: Path) -> ConversationFile:
    return ConversationFile(tmp_path / "one.jsonl")


def _contents(file: ConversationFile, *uuids: str) -> list[str | None]:
    found = file.get(uuids)
    return [found[uuid]["content"] if uuid in found else None for uuid in uuids]


def test_lines_are_found_by_uuid_and_nobody_else_reads_them(file: ConversationFile) -> None:
    assert file.append([_line("a", "first"), _line("b", "second\n\u2028third")]) == 0
    assert _contents(file, "b", "a", "c") == ["second\n\u2028third", "first", None]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert len(file.path.read_bytes().splitlines()) == 2


def test_a_line_that_is_there_is_not_written_again(file: ConversationFile) -> None:
    file.append([_line("a", "first")])
    assert file.append([_line("a", "another")]) is None
    assert _contents(file, "a") == ["first"]
    assert file.append([_line("a", "another")], again=True) is not None
    assert _contents(file, "a") == ["another"]


def test_two_who_look_at_one_file_see_what_the_other_appends(file: ConversationFile) -> None:
    other = ConversationFile(file.path)
    assert _contents(other, "a") == [None]
    file.append([_line("a", "first")])
    assert other.unchecked() == ["a"]
    other.append([_line("b", "second")])
    assert _contents(file, "a", "b") == ["first", "second"]
    file.confirm(["a"])
    assert (file.unchecked(), other.unchecked()) == (["b"], ["a", "b"])


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_a_line_that_was_cut_off_is_no_line_and_glued_to_none(file: ConversationFile, cut: int) -> None:
    file.append([_line("a", "first"), _line("b", "second")])
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-cut])
    assert _contents(ConversationFile(file.path), "a", "b") == ["first", None]
    file.append([_line("c", "third")])
    # Only its end was missing, so it is whole again; else it is gone.
    kept = ["a", "b", "c"] if cut == 1 else ["a", "c"]
    assert [json.loads(raw)["uuid"] for raw in file.path.read_bytes().splitlines()] == kept
    assert _contents(file, "a", "c") == ["first", "third"]


def test_what_is_taken_back_is_gone_for_others_too(file: ConversationFile) -> None:
    other = ConversationFile(file.path)
    file.append([_line("a", "first")])
    begin = file.append([_line("b", "second")])
    assert begin is not None
    assert _contents(other, "b") == ["second"]
    file.take_back(begin)
    file.append([_line("c", "a longer third")])
    assert _contents(other, "a", "b", "c") == ["first", None, "a longer third"]
    file.take_back(0)
    assert not file.path.exists()
    assert _contents(other, "a") == [None]


def test_erasing_replaces_the_file(file: ConversationFile) -> None:
    other = ConversationFile(file.path)
    file.append([_line(uuid, f"text of {uuid}") for uuid in "abcd"])
    file.confirm("abcd")
    assert _contents(other, "c") == ["text of c"]
    number = file.path.stat().st_ino
    file.keep_only({"a", "c"})
    assert file.path.stat().st_ino != number
    assert b"text of b" not in file.path.read_bytes()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    for each in (file, other):
        assert _contents(each, "a", "b", "c", "d") == ["text of a", None, "text of c", None]
    assert file.unchecked() == []
    file.keep_only(())
    assert list(file.path.parent.iterdir()) == []


def test_what_a_crash_left_of_a_rewriting_goes_with_the_file(file: ConversationFile) -> None:
    file.append([_line("a")])
    file.path.with_name(f".{file.path.name}.12345678.tmp").write_text("secret")
    file.remove()
    assert list(file.path.parent.iterdir()) == []


def test_a_full_disk_leaves_nothing_of_a_line(file: ConversationFile, monkeypatch: pytest.MonkeyPatch) -> None:
    file.append([_line("a", "first")])

    def full(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(conversation_file, "_write_all", full)
        with pytest.raises(ConversationFileError, match=r"one\.jsonl.*No space left") as refused:
            file.append([_line("b", "second")])
    assert refused.value.hint
    file.append([_line("c", "third")])
    assert _contents(file, "a", "b", "c") == ["first", None, "third"]


@given(st.text(st.characters(exclude_categories=()), min_size=1), st.text(st.characters(exclude_categories=())))
def test_a_line_comes_back_as_it_was(uuid: str, content: str) -> None:
    raw = to_bytes(_line(uuid, content))
    assert raw.count(b"\n") == 1
    line = from_bytes(raw)
    assert line is not None
    assert (line["uuid"], line["content"]) == (uuid, content)
    assert uuid_of(raw) == uuid


def _ranked(files: dict[str, ConversationFile], *words: str) -> list[tuple[str, str]]:
    indexes = [(uuid, Words(file)) for uuid, file in files.items()]
    return [(each.conversation_id, each.uuid) for each in rank(indexes, words)]


def test_rare_words_count_more_and_identifiers_have_parts(tmp_path: Path) -> None:
    def filled(name: str, *texts: str) -> ConversationFile:
        file = ConversationFile(tmp_path / name)
        file.append([_line(f"{name}{number}", text) for number, text in enumerate(texts)])
        return file

    one = filled("one", "the code of the gate", "the code of the wall", "makeGateHelp opens doors")
    two = filled("two", "a gate, a gate, a gate", "code and more code")
    files = {"one": one, "two": two}
    assert _ranked(files, "wall", "code")[0] == ("one", "one1")
    assert {uuid for _, uuid in _ranked(files, "gates")} == {"one0", "one2", "two0"}
    assert _ranked(files, "gate")[0] == ("two", "two0")
    assert _ranked(files, "nowhere") == []
    assert _ranked({}, "gate") == []


def test_the_words_follow_the_file(file: ConversationFile) -> None:
    words = Words(file)

    def found(word: str) -> list[str]:
        return [each.uuid for each in rank([("one", words)], [word])]

    assert found("gate") == []
    file.append([_line("a", "a gate"), _line("b", "a wall")])
    assert found("gate") == ["a"]
    file.append([_line("c", "another gate")])
    assert sorted(found("gate")) == ["a", "c"]
    file.append([_line("a", "no longer")], again=True)
    assert found("gate") == ["c"]
    file.keep_only({"b"})
    assert found("gate") == []
    assert found("wall") == ["b"]


def test_many_threads_search_a_file_that_grows(file: ConversationFile) -> None:
    words = Words(file)
    written = threading.Event()

    def search() -> int:
        found = 0
        while not written.is_set():
            found = len(rank([("one", words)], ["gate", "wall"]))
        return found

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as pool:
            searches = [pool.submit(search) for _ in range(3)]
            try:
                for start in range(0, 2_000, 20):
                    file.append([_line(f"m{number}", "a gate in a wall") for number in range(start, start + 20)])
            finally:
                written.set()
            assert all(each.result() <= 2_000 for each in searches)
    finally:
        sys.setswitchinterval(interval)
    assert len(rank([("one", words)], ["gate"])) == 2_000
