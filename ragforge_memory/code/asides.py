"""Which code is beside a project's own: tests, examples, benchmarks and their like, and what only declares."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ragforge_memory.retrieval.code import ASIDE
from ragforge_memory.text.names import words

TEST_MODIFIERS = frozenset({"test", "test_only"})
"""What a definition's modifiers call a test, and what is there for tests alone, whatever its file."""

_OF_TYPES = ".test-d."  # a file of tests for types alone


def is_test_case(name: str, file: str) -> bool:
    """Whether a definition is a test by its name: in a file of tests not all are."""
    return is_test(file) and words(name)[:1] in (("test",), ("should",))


def is_test(file: str, modifiers: Collection[str] = ()) -> bool:
    """Whether a path is that of a test, by the habits of all languages read, or a definition's modifiers say so.

    Rust has its tests beside the code that they test, in one file.
    """
    if not TEST_MODIFIERS.isdisjoint(modifiers):
        return True
    *folders, name = file.lower().replace("\\", "/").split("/")
    stem, whole = name.split(".")[0], name.rpartition(".")[0]
    return (
        not {"test", "tests", "testing", "spec", "specs", "__tests__"}.isdisjoint(folders)
        or stem.startswith("test_")
        or any(each.endswith(("_test", "_tests", "_spec")) for each in (stem, whole))
        or stem in ("conftest", "tests")
        or ".test." in name
        or ".spec." in name
    )


def stands_aside(file: str, modifiers: Collection[str] = ()) -> bool:
    """Whether a path is that of a test, an example, a benchmark and the like: it uses what others are asked for."""
    *folders, name = file.replace("\\", "/").split("/")
    return is_test(file, modifiers) or any(map(_holds_asides, folders)) or _OF_TYPES in name


@lru_cache(maxsize=4_096)
def _holds_asides(folder: str) -> bool:
    return not ASIDE.isdisjoint(words(folder))


def is_declaration(file: str) -> bool:
    """Whether a file only declares what another one defines: Python's stubs, TypeScript's ``.d.ts``."""
    return file.endswith((".pyi", ".d.ts", ".d.mts", ".d.cts"))
