"""Lock files say exactly which bytes are fetched."""

from __future__ import annotations

import pytest

from ragforge_memory.downloads.lock import load_lock, lock_names, parse_lock
from ragforge_memory.downloads.models import MODEL_NAMES

HASH = "ab" * 32


def test_a_line_gives_path_hash_and_size() -> None:
    (file,) = parse_lock(f"# a comment\n\nio.netty:epoll:4.2:linux-x86_64 {HASH} 12\n")
    assert file.path == "io/netty/epoll/4.2/epoll-4.2-linux-x86_64.jar"
    assert (file.sha256, file.size, file.members) == (HASH, 12, ())


def test_members_belong_to_the_archive_above_them() -> None:
    (file,) = parse_lock(f"a:b:1 {HASH} 1\n+ in/side.onnx {HASH} 2 model.onnx\n+ t.json {HASH} 3 tokenizer.json")
    assert [(member.path, member.size, member.name) for member in file.members] == [
        ("in/side.onnx", 2, "model.onnx"),
        ("t.json", 3, "tokenizer.json"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        f"a:b:1 {HASH[:-1]} 1",
        f"a:b:1 {HASH} 0",
        f"a:..:1 {HASH} 1",
        f"+ x {HASH} 1 y",
    ],
)
def test_any_other_line_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(ValueError, match=r"some\.lock:2: "):
        parse_lock(f"# first\n{line}\n", source="some.lock")


def test_the_locks_that_are_shipped() -> None:
    assert lock_names() == ("models", "neo4j-2026.09.0", "neo4j-5.26.30")
    assert len(load_lock("neo4j-2026.09.0")) == 230
    assert len(load_lock("neo4j-5.26.30")) == 213
    models = load_lock("models")
    assert len(models) == len(MODEL_NAMES)
    assert {tuple(member.name for member in model.members) for model in models} == {("model.onnx", "tokenizer.json")}
