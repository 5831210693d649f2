"""Zips and folders: which of their files are taken, and what is said of those that cannot be read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from ragforge_memory import ImportReport, InvalidInput
from ragforge_memory.archive.bundles import import_parts, parts
from ragforge_memory.importers.source import Source
from ragforge_memory.models.imports import ImportFault, PassedOver

pytestmark = pytest.mark.anyio

TEXT = b'[{"role": "user", "content": "Where is the tax added?"}]' * 40


def _zip(path: Path, *names: str, packed: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return path


async def _taken(path: Path) -> ImportReport:
    async def take(source: Source) -> ImportReport:
        assert b"".join(source.chunks()) == TEXT
        fault = ImportFault(place="line 1", message="line 3: its content is empty")
        flaw = PassedOver(place="line 7", message="this is not JSON")
        return ImportReport(conversations=1, failed=1, errors=(fault,), flawed=1, passed_over=(flaw,))

    with parts(path) as found:
        assert found is not None
        return await import_parts(found, take)


def _damage(path: Path, at: bytes, put: bytes, *, behind: int = 0) -> None:
    data = path.read_bytes()
    index = data.index(at) + behind
    path.write_bytes(data[:index] + put + data[index + len(put) :])


async def test_a_file_that_was_changed(tmp_path: Path) -> None:
    _damage(_zip(tmp_path / "a.zip", "x/conversations.json"), b"Where", b"There")
    with pytest.raises(InvalidInput, match=r"^x/conversations.json cannot be read: Bad CRC"):
        await _taken(tmp_path / "a.zip")


async def test_a_file_that_cannot_be_unpacked(tmp_path: Path) -> None:
    _damage(_zip(tmp_path / "a.zip", "a.json", packed=zipfile.ZIP_DEFLATED), b"a.json", b"\xff" * 20, behind=6)
    with pytest.raises(InvalidInput, match=r"^a.json cannot be read: Error"):
        await _taken(tmp_path / "a.zip")


async def test_a_file_that_is_locked(tmp_path: Path) -> None:
    _zip(tmp_path / "a.zip", "a.json")
    for head, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        _damage(tmp_path / "a.zip", head, b"\1", behind=flags)
    with pytest.raises(InvalidInput, match=r"^a.json cannot be read: it is locked with a password"):
        await _taken(tmp_path / "a.zip")


async def test_a_zip_that_was_cut_off(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", "a.json")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InvalidInput, match=r"a.zip cannot be read"):
        await _taken(path)


async def test_the_others_are_taken(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", "a.json", "b.json")
    _damage(path, b"Where", b"There")
    report = await _taken(path)
    assert (report.conversations, report.failed) == (1, 2)
    assert report.errors[0].message.startswith("a.json cannot be read: ")


@pytest.mark.parametrize("packed", [True, False])
async def test_places_name_their_file(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "export"
    if packed:
        _zip(path, "sessions/x.jsonl")
    else:
        (path / "sessions").mkdir(parents=True)
        (path / "sessions" / "x.jsonl").write_bytes(TEXT)
    report = await _taken(path)
    assert [each.place for each in (*report.errors, *report.passed_over)] == [
        "sessions/x.jsonl: line 1",
        "sessions/x.jsonl: line 7",
    ]
    assert report.errors[0].message == "sessions/x.jsonl: line 3: its content is empty"


async def test_what_is_beside_the_conversations_is_counted(tmp_path: Path) -> None:
    path = _zip(tmp_path / "a.zip", "conversations.json", "user.json", "sessions/x.jsonl", "chat.html", "read.md")
    report = await _taken(path)
    assert (report.conversations, report.left_out) == (1, {"file of another kind": 2})
