"""Where programs keep their sessions, and which of them are of a project: by the folder that they were held in.

Claude Code: ``~/.claude/projects/<path>/*.jsonl`` (CLAUDE_CONFIG_DIR), the path with a dash for each other sign. Codex:
``~/.codex/sessions/**/rollout-*.jsonl`` (CODEX_HOME), whose first line has the folder, or in 2025 what it told the
model first. Gemini CLI:
``~/.gemini/tmp/<project>/chats/``, the project being a hash of the folder, or a name that ``.project_root`` or
``projects.json`` explains. opencode: ``~/.local/share/opencode`` (XDG_DATA_HOME), a database since 1.2, before that a
file for each session, message and part. Agents of an agent have sessions of their own there, which are left out: their
result is in the session that asked them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

# A session's first lines; one of them has the folder.
_HEAD = 1 << 18
_FOLDER = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")')
# How Codex told the model the folder: as an element, and before that in words.
_TOLD = (("<cwd>", "</cwd>"), ("Current working directory: ", "\n"))
# Who began a session of Codex, where that was no user: another session, or the program itself.
_AGENTS = frozenset({"subagent", "sub_agent", "internal"})
# And so many of its last bytes; one of them has when something was said last.
_TAIL = 1 << 16
_TIME = re.compile(rb'"timestamp"\s*:\s*"([^"\\]+)"')
_CHECKPOINTS = re.compile(r"session-.*\.jsonl?$")


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a program: what it is called on the disk, when something was said last (seconds since 1970), what
    opens it, and a ``stamp``, which is another with more in it."""

    name: str
    at: float
    stamp: str
    open: Callable[[], IO[bytes]]


def sessions(program: str, root: Path, *, home: Path, environment: Mapping[str, str]) -> list[Session]:
    """A program's sessions that were held in a project's folder or below it, the oldest first.

    Args:
        program: a key of `PROGRAMS`.
        root: the project's folder.
        home: the user's.
        environment: what may say where the program keeps its files.
    """
    found = PROGRAMS[program](root.resolve(), home, environment)
    return sorted(found, key=lambda each: (each.at, each.name))


def _claude_code(root: Path, home: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    base = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "projects"
    name = re.sub(r"[^a-zA-Z0-9]", "-", str(root))
    for folder in _folders(base):
        if folder.name == name or folder.name.startswith(f"{name}-"):
            for file in sorted(each for each in folder.glob("*.jsonl") if not each.name.startswith("agent-")):
                # The name of a folder below this one is also that of one beside it.
                where = _held_in(file)
                if _is_of(where, root) if where is not None else folder.name == name:
                    yield from _file(file)


def _codex(root: Path, home: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    base = Path(environment.get("CODEX_HOME") or home / ".codex") / "sessions"
    for file in sorted(base.glob("**/rollout-*.jsonl")):
        about = _begun(file)
        source = about.get("source")
        if isinstance(source, dict) and _AGENTS & source.keys():
            continue
        if _is_of(about.get("cwd") or _held_in(file), root):
            yield from _file(file)


def _begun(file: Path) -> dict[str, Any]:
    """What a session of Codex says of itself: in its first line, or to the model before the user's first word."""
    for line in _first_lines(file):
        payload = line.get("payload")
        item = payload if isinstance(payload, dict) else line
        if line.get("type") == "session_meta":
            return item
        content = item.get("content")
        parts = content if item.get("role") == "user" and isinstance(content, list) else ()
        for text in (part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)):
            if not text.lstrip().startswith("<environment_context>"):
                continue
            for before, behind in _TOLD:
                if before in text:
                    return {"cwd": text.partition(before)[2].partition(behind)[0]}
    return {}


def _gemini(root: Path, home: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    base = Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini"
    names = _json(base / "projects.json").get("projects")
    named = {str(name): path for path, name in names.items()} if isinstance(names, dict) else {}
    hashed = hashlib.sha256(str(root).encode()).hexdigest()
    for folder in _folders(base / "tmp"):
        where = _text(folder / ".project_root") or named.get(folder.name)
        if folder.name == hashed or _is_of(where, root):
            for file in sorted((folder / "chats").glob("session-*")):
                if _CHECKPOINTS.search(file.name) and not _is_agents(file, _modified(file)):
                    yield from _file(file)


@lru_cache(maxsize=4_096)
def _is_agents(file: Path, at: float) -> bool:
    """Whether a session of Gemini CLI is an agent's. One object says so behind its messages: it is read whole, but
    no more than once for what was written ``at`` a time."""
    if file.suffix == ".jsonl":
        return next(_first_lines(file), {}).get("kind") == "subagent"
    return _json(file).get("kind") == "subagent"


def _opencode(root: Path, home: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    base = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "opencode"
    # A release of another channel than the usual ones has a database of its own: opencode-dev.db.
    stored = {each.name: each for database in sorted(base.glob("opencode*.db")) for each in _stored(database, root)}
    yield from stored.values()
    storage = base / "storage"
    for file in sorted(storage.glob("session/*/*.json")):
        about = _json(file)
        if file.stem in stored or about.get("parentID") or not _is_of(about.get("directory"), root):
            continue
        parts = [file, *sorted((storage / "message" / file.stem).glob("*.json"))]
        parts += [part for each in parts[1:] for part in sorted((storage / "part" / each.stem).glob("*.json"))]
        at = max(map(_modified, parts))
        yield Session(file.stem, at, f"{at} {len(parts)}", partial(_of_files, storage, file))


PROGRAMS: dict[str, Callable[[Path, Path, Mapping[str, str]], Iterator[Session]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}
"""The programs whose sessions are found."""


def _of_files(storage: Path, file: Path) -> IO[bytes]:
    """A session of opencode's files, as its export has it."""
    messages = []
    for each in sorted((storage / "message" / file.stem).glob("*.json")):
        parts = [_json(part) for part in sorted((storage / "part" / each.stem).glob("*.json"))]
        messages.append({"info": _json(each), "parts": parts})
    return _exported(_json(file), messages)


def _stored(database: Path, root: Path) -> Iterator[Session]:
    """The sessions of opencode's database; none where it is not there, or is another than we know."""
    import sqlite3

    if not database.is_file():
        return
    with suppress(sqlite3.Error), closing(_opened(database)) as opened:
        asked = "SELECT id, directory, time_updated FROM session WHERE parent_id IS NULL"
        for uuid, directory, updated in opened.execute(asked).fetchall():
            if _is_of(directory, root):
                yield Session(uuid, updated / 1000, str(updated), partial(_of_database, database, uuid))


def _of_database(database: Path, uuid: str) -> IO[bytes]:
    with closing(_opened(database)) as opened:
        asked = opened.execute("SELECT * FROM session WHERE id = ?", (uuid,))
        session = dict(zip([each[0] for each in asked.description], asked.fetchone(), strict=True))
        parts: dict[str, list[Any]] = {}
        for message, part, data in opened.execute(
            "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (uuid,)
        ):
            parts.setdefault(message, []).append({"id": part, **json.loads(data)})
        said = opened.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (uuid,))
        messages = [{"info": {"id": name, **json.loads(data)}, "parts": parts.get(name, [])} for name, data in said]
    about = {"id": uuid, "title": session["title"], "directory": session["directory"]}
    about |= {"time": {"created": session["time_created"]}, "revert": json.loads(session.get("revert") or "null")}
    return _exported(about, messages)


def _opened(database: Path) -> Any:
    import sqlite3

    return sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)


def _exported(about: Mapping[str, Any], messages: list[dict[str, Any]]) -> IO[bytes]:
    return io.BytesIO(json.dumps({"info": about, "messages": messages}).encode())


def _file(path: Path) -> Iterator[Session]:
    with suppress(OSError):
        state = path.stat()
        at = _last_time(path, state.st_size) or state.st_mtime
        yield Session(str(path), at, f"{state.st_mtime_ns} {state.st_size}", partial(_opened_file, path))


def _last_time(path: Path, size: int) -> float | None:
    """When the last message of a file was said; what copied or touched the file says nothing of that."""
    with open(path, "rb") as stream:
        stream.seek(max(0, size - _TAIL))
        for time in reversed(_TIME.findall(stream.read(_TAIL))):
            with suppress(ValueError, OverflowError):
                return datetime.fromisoformat(time.decode()).timestamp()
    return None


def _opened_file(path: Path) -> IO[bytes]:
    return open(path, "rb")


def _folders(base: Path) -> list[Path]:
    try:
        return sorted(each for each in base.iterdir() if each.is_dir())
    except OSError:
        return []


def _held_in(file: Path) -> str | None:
    """The folder that a session says it was held in."""
    try:
        with open(file, "rb") as stream:
            found = _FOLDER.search(stream.read(_HEAD))
        return None if found is None else str(json.loads(found[1]))
    except (OSError, ValueError):
        return None


def _first_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The objects on the first lines of a file, of which most need but one."""
    try:
        with open(file, "rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return
    for line in head.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _is_of(folder: object, root: Path) -> bool:
    if not isinstance(folder, str) or not folder.strip():
        return False
    try:
        return Path(os.path.realpath(folder.strip())).is_relative_to(root)
    except (OSError, ValueError):
        return False


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
