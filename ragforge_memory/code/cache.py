"""What this machine remembers of a project's files between ingests: `stat` values, content hashes and facts.

The graph is the truth; losing this file costs time alone. It is a SQLite database in ``RAGFORGE_HOME``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragforge_memory.code.facts import Facts, decode, facts_version
from ragforge_memory.code.layout import Outline, from_text
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.resolve import Dependence
from ragforge_memory.collection import paused_collection
from ragforge_memory.home import ragforge_home

# A file whose time of change is this close to when it was read may change again without a trace (ns). File systems
# count in steps of up to 2 s.
_RACY_NS = 2_000_000_000

_TABLES = """
CREATE TABLE seen (
  path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, read_ns INTEGER NOT NULL,
  skipped TEXT, broken INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE facts (
  path TEXT PRIMARY KEY, hash TEXT NOT NULL, outline TEXT NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
);
CREATE TABLE dependences (
  path TEXT PRIMARY KEY, unresolved INTEGER NOT NULL, reads BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class Seen(NamedTuple):
    """One file as it was read last: content hash, `stat` values, when (ns), and why it was skipped if it was."""

    hash: str
    size: int
    mtime_ns: int
    read_ns: int
    skipped: str | None = None
    broken: bool = False

    def holds_for(self, size: int, mtime_ns: int) -> bool:
        """Whether a file with this size and time of change still has this content."""
        return self.size == size and self.mtime_ns == mtime_ns and mtime_ns + _RACY_NS < self.read_ns


class FactsCache:
    """The memory of one project at one root; usable from any thread.

    Args:
        project: the project's name.
        root: its directory.
        home: where the database is; default ``RAGFORGE_HOME``. Where it cannot be written, memory serves.
    """

    def __init__(self, project: str, root: Path, *, home: Path | None = None) -> None:
        self._path = _place(project, root, home)
        self._lock = threading.Lock()
        self._failed = False
        self._database = self._opened()

    @classmethod
    def existing(cls, project: str, root: Path) -> FactsCache | None:
        """The memory of a project that was ingested on this machine; None where it was not."""
        return cls(project, root) if _place(project, root).exists() else None

    def close(self) -> None:
        """Closes the database, when what another thread is doing with it is done; what comes later finds nothing."""
        with self._lock:  # SQLite ends the process where a connection is closed under a statement
            self._database.close()

    def seen(self) -> dict[str, Seen]:
        """What was seen of each file, by path."""
        rows = self._query("SELECT path, hash, size, mtime_ns, read_ns, skipped, broken FROM seen")
        return {row[0]: Seen(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows}

    def see(self, files: Mapping[str, Seen]) -> None:
        """Notes what was seen."""
        self._change(
            "INSERT OR REPLACE INTO seen (path, hash, size, mtime_ns, read_ns, skipped, broken) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(path, *seen) for path, seen in files.items()],
        )

    def outlines(self, hashes: Mapping[str, str]) -> dict[str, Outline]:
        """The outlines of files with these content hashes, by path, as far as they are there."""
        rows = self._query("SELECT path, hash, outline FROM facts")
        return {path: from_text(text) for path, digest, text in rows if hashes.get(path) == digest}

    def dependences(self) -> dict[str, Dependence]:
        """What is remembered of each file's resolution, by path; it holds for `revision` alone."""
        rows = self._query("SELECT path, unresolved, reads FROM dependences")
        return {path: Dependence(unresolved, reads) for path, unresolved, reads in rows}

    def depend(self, files: Mapping[str, Dependence]) -> None:
        """Remembers what the resolution of files came across. It holds when `complete` has been said."""
        self._change(
            "INSERT OR REPLACE INTO dependences (path, unresolved, reads) VALUES (?, ?, ?)",
            [(path, *known) for path, known in files.items()],
        )

    def revision(self) -> int | None:
        """The project's revision in the graph that the dependences are of; None where there is none."""
        rows = self._query("SELECT value FROM state WHERE key = 'revision'")
        return int(rows[0][0]) if rows else None

    def complete(self, revision: int) -> None:
        """Notes that all that is remembered is of this revision; not where any of it could not be written."""
        if not self._failed:
            self._change("INSERT OR REPLACE INTO state (key, value) VALUES ('revision', ?)", [(str(revision),)])

    def keep(self, facts: Mapping[str, tuple[str, Facts]]) -> None:
        """Keeps the facts of files, each with the hash of its content."""
        self._change(
            "INSERT OR REPLACE INTO facts (path, hash, outline, head, body) VALUES (?, ?, ?, ?, ?)",
            [(path, digest, item.outline, item.head, item.body) for path, (digest, item) in facts.items()],
        )

    def forget(self, paths: Iterable[str]) -> None:
        """Files that are gone."""
        rows = [(path,) for path in paths]
        self._change("DELETE FROM seen WHERE path = ?", rows)
        self._change("DELETE FROM facts WHERE path = ?", rows)
        self._change("DELETE FROM dependences WHERE path = ?", rows)

    def parsed(self, hashes: Mapping[str, str], *, bodies: bool) -> dict[str, ParsedFile]:
        """The facts of files with these content hashes, by path, as far as they are there.

        Without ``bodies`` they are only what other files see of them.
        """
        found = {}
        body = "body" if bodies else "NULL"
        with paused_collection():
            asked = f"SELECT path, hash, head, {body} FROM facts WHERE path IN (SELECT value FROM json_each(?))"
            for path, digest, head, uses in self._query(asked, [json.dumps(list(hashes))]):
                if hashes[path] == digest:
                    with contextlib.suppress(ValueError):
                        found[path] = decode(head, uses)
        return found

    def _opened(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self._prepared(sqlite3.connect(self._path, timeout=10, check_same_thread=False))
        except (OSError, sqlite3.OperationalError):
            pass
        except sqlite3.DatabaseError:  # not a database (any more): begin a new one
            with contextlib.suppress(OSError, sqlite3.Error):
                self._path.unlink()
                return self._prepared(sqlite3.connect(self._path, timeout=10, check_same_thread=False))
        return self._prepared(sqlite3.connect(":memory:", check_same_thread=False))

    def _prepared(self, database: sqlite3.Connection) -> sqlite3.Connection:
        try:
            # What a power cut takes is read again; waiting for the disk would cost more than it saves.
            database.execute("PRAGMA synchronous = OFF")
            version = facts_version()
            tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            known = None
            if "state" in tables:
                known = database.execute("SELECT value FROM state WHERE key = 'facts_version'").fetchone()
            if known != (version,):
                with database:
                    for table in sorted(tables):
                        database.execute(f'DROP TABLE "{table}"')
                    for statement in _TABLES.split(";"):
                        database.execute(statement)
                    database.execute("INSERT INTO state VALUES ('facts_version', ?)", (version,))
        except BaseException:
            database.close()
            raise
        return database

    def _query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._database.execute(sql, parameters).fetchall()
            except sqlite3.DatabaseError:
                return []

    def _change(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        # A full disk or a damaged file only means that more is read next time.
        with self._lock:
            try:
                with self._database:
                    self._database.executemany(sql, rows)
            except sqlite3.DatabaseError:
                self._failed = True


def _place(project: str, root: Path, home: Path | None = None) -> Path:
    name = hashlib.sha256(f"{project}\0{root}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return (home or ragforge_home()) / "code" / f"{name}.sqlite3"
