"""Changes of many files at once, and what git cannot or may not tell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.anchors.definition import Definition
from ragforge_memory.anchors.history import definitions_at
from ragforge_memory.anchors.impact import impact
from ragforge_memory.anchors.likeness import path_likeness
from ragforge_memory.anchors.revisions import Blobs
from ragforge_memory.anchors.successors import find_successors
from ragforge_memory.code.parse import parse
from ragforge_memory.ingest.matching import Lost
from tests.anchors.conftest import Repository, Talk
from tests.anchors.definitions import read

pytestmark = pytest.mark.anyio


def module(package: str, number: int) -> list[Definition]:
    """Two thirds of it are called as they are in every other module, and none is as it was before."""
    text = (
        f"class C{number}:\n    def __init__(self):\n        self.a = '{package}'\n\n\ndef main():\n    {package}()\n"
    )
    return read(f"{package}/m{number}.py", text)


def test_a_package_that_is_renamed_takes_all_of_its_methods_along() -> None:
    numbers = range(150)
    lost = [each for number in numbers for each in module("before", number)]
    new = [each for number in numbers for each in module("after", number)]
    renamed = {f"before/m{number}.py": f"after/m{number}.py" for number in numbers}
    found = find_successors(lost, new, renamed=renamed)
    went = [(each.definition.file, each.definition.qualified_name) for each in found if each.definition]
    assert went == [(renamed[each.file], each.qualified_name) for each in lost]


BODY = (
    "def total(rows):\n    found = 0\n    for row in rows:\n        found += row.price * row.count\n    return found\n"
)


@pytest.mark.parametrize("more", ["", "    print(1)\n    print(2)\n"])
def test_of_copies_the_one_at_the_likelier_path_is_taken_however_the_scores_fall(more: str) -> None:
    """Where two scores are next to each other must not depend on where they lie."""
    (old,) = read("shop/cart/sums.py", BODY)
    (far,) = read("elsewhere/other/tools.py", BODY + more)
    (near,) = read("store/cart/sums.py", BODY + more)
    for new in ([far, near], [near, far]):
        (found,) = find_successors([old], new)
        assert found.definition == near


def test_thousands_of_files_of_the_same_content_are_told_by_their_paths_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count, compared = 4_000, [0]

    def likeness(one: str, other: str) -> float:
        compared[0] += 1
        return path_likeness(one, other)

    monkeypatch.setattr("ragforge_memory.ingest.matching.path_likeness", likeness)
    lost = Lost([], {f"old/p{number}/__init__.py": "empty" for number in range(count)})
    origins = [lost.renamed_from(parse(f"new/p{number}/__init__.py", b""), "empty") for number in range(count)]
    assert origins == [f"old/p{number}/__init__.py" for number in range(count)]
    assert compared[0] < 100 * count  # and not each with each


def test_without_git_nothing_is_known_and_nothing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with Blobs(tmp_path) as blobs:
        assert blobs.read("HEAD:./bank.py") is None
    assert definitions_at(tmp_path, "a" * 40, ["bank.py"]) == {}


def test_a_partial_clone_is_not_completed_over_the_network(tmp_path: Path, repository: Repository) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    source = repository.root.as_uri()
    subprocess.run(
        ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", source, str(partial)],
        check=True,
        env=environment,
        capture_output=True,
    )
    with Blobs(repository.root) as blobs:
        assert blobs.read("HEAD:./bank.py")
    with Blobs(partial) as blobs:
        assert blobs.read("HEAD:./bank.py") is None


async def test_a_shallow_clone_says_that_it_does_not_know_what_was_before(
    tmp_path: Path, repository: Repository, talk: Talk
) -> None:
    repository.write("other.py", "def later():\n    return 1\n")
    repository.commit("later")
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth", "1", repository.root.as_uri(), str(shallow))
    with pytest.raises(InvalidInput, match="shallow clone"):
        await impact(shallow, talk.references, "HEAD")
