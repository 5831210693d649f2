"""The edges of an archive's messages and tool calls, as values."""

from __future__ import annotations

from typing import Literal

from ragforge_memory.models.archive_values import Int, Record, Uuid


class Place(Record):
    """Where a scope stands: file, key (unique in the file) and the hash of its source."""

    file: str | None = None
    key: str | None = None
    hash: str | None = None


class Reference(Record):
    """An edge REFERENCES_CODE to the scope in a place."""

    kind: str | None = None
    scope_hash: str | None = None
    commit: str | None = None
    score: float | None = None
    scope: Place


class Anchored(Record):
    """An edge ANCHORED_AT to one of the conversation's ``anchors``."""

    anchor: Uuid
    kind: str
    scope_hash: str | None = None
    commit: str | None = None
    start_line: Int | None = None


class Merged(Record):
    """An edge MERGED_FROM: a conversation that a message brought in, up to which of its messages."""

    uuid: Uuid
    to_seq: Int | None = None


class Corrects(Record):
    """An edge CORRECTS: an earlier message that this one is said against."""

    uuid: Uuid
    how: Literal["corrects", "retracts", "done"]


class Superseded(Record):
    """An edge SUPERSEDED_BY: the memory that took a memory's place, and how."""

    uuid: Uuid
    how: str | None = None


class Used(Record):
    """An edge USED_CONTEXT: one thing that an answer was given."""

    label: Literal["message", "summary", "anchor", "memory", "chunk", "other"]
    uuid: str | None = None
    tier: str | None = None
    rank: Int | None = None
    score: float | None = None
    tokens: Int | None = None
    cost: float | None = None
    hash: str | None = None


class Read(Record):
    """An edge READ: what a tool's result rests on."""

    anchor: Uuid
    hash: str | None = None
