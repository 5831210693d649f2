"""What an archive says of code that was talked about, and of what is remembered, as values."""

from __future__ import annotations

from pydantic import Field

from ragforge_memory.models.archive_edges import Place, Superseded
from ragforge_memory.models.archive_values import Int, Node, Record, Tags, Time, Uuid


class Standing(Record):
    """An edge RESOLVES_TO: where an anchor stands now."""

    status: str | None = None
    changed: bool | None = None
    similarity: float | None = None
    commit: str | None = None
    checked_at: Time | None = None
    scope: Place


class Anchor(Node):
    """A place in the code that was talked about, and what became of it."""

    key: str
    file: str | None = None
    name: str | None = None
    qualified_name: str | None = None
    kind: str | None = None
    scope_key: str | None = None
    start_line: Int | None = None
    body_hash: str | None = None
    signature_hash: str | None = None
    sketch: str | None = None
    commit: str | None = None
    claim: str | None = None
    first_seen: Time | None = None
    checked_at: Time | None = None
    status: str | None = None
    changed: bool | None = None
    similarity: float | None = None
    at_file: str | None = None
    at_key: str | None = None
    at_commit: str | None = None
    candidates: list[str] | None = None
    stands: Standing | None = None


class MemoryVersion(Node):
    """A change of a memory: what it said before and after; without ``new_value`` it was forgotten."""

    old_value: str | None = None
    new_value: str | None = None
    reason: str | None = None
    detail: str | None = None
    confidence: float | None = None
    changed_at: Time | None = None


class Memory(Node):
    """Something that is remembered, with its history; not ``is_active``: it was forgotten, taken back or corrected.

    What it is found by is made anew, and so is whose it is: ``everywhere`` says that it holds in every project.
    """

    relied_on = frozenset({"kind", "content", "is_active", "created_at", "archived_at", "valid_from", "trust"})

    kind: str
    content: str
    tier: str | None = None
    category: str | None = None
    importance: float | None = None
    confidence: float | None = None
    tags: Tags | None = None
    trust: str | None = None
    source: str | None = None
    created_at: Time | None = None
    last_used_at: Time | None = None
    use_count: Int | None = None
    is_active: bool = True
    archived_at: Time | None = None
    expires_at: Time | None = None
    due_at: Time | None = Field(None, description="when it is looked at again: it was only noted, and grows old")
    base_importance: float | None = Field(None, description="what it began to grow old with")
    type: str | None = None
    key: str | None = None
    value: str | None = None
    valid_from: Time | None = None
    valid_to: Time | None = None
    topic: str | None = None
    summary: str | None = None
    emotional_valence: str | None = None
    message_ids: list[str] | None = None
    everywhere: bool = False
    messages: tuple[Uuid, ...] = Field(default_factory=tuple, description="the messages that it comes from")
    versions: tuple[MemoryVersion, ...] = Field(default_factory=tuple)
    superseded_by: tuple[Superseded, ...] = Field(default_factory=tuple, description="what took its place")
    anchors: tuple[Anchor, ...] = Field(default_factory=tuple, description="the code that it is about")
