"""The plainest transcript: a list of ``{"role", "content", "timestamp"?, "uuid"?, "metadata"?}``, in order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ragforge_memory.importers.exchange import Exchange
from ragforge_memory.importers.fields import MAX_CHARACTERS, identifier, mapping, time
from ragforge_memory.models.conversation import Role
from ragforge_memory.models.text import MOST_METADATA, mended
from ragforge_memory.models.transcript import TranscriptMessage

NAME = "plain list"

ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "system": "system"}
_KEYS = frozenset({"role", "content", "timestamp", "uuid", "metadata"})


def recognises(record: object) -> bool:
    """Whether this is such a record: a mapping that has a role and a content."""
    return isinstance(record, Mapping) and "role" in record and "content" in record


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The message of one more record; see `exchanged`. A timestamp is ISO text, a datetime or seconds since 1970
    (without a zone: UTC)."""
    yield from exchange.say(_message(value, place))


def _message(record: object, place: str) -> TranscriptMessage:
    record = mapping(record, "a message")
    unknown = [str(key) for key in record if key not in _KEYS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r} (known: {', '.join(sorted(_KEYS))})")
    role = record.get("role")
    if not isinstance(role, str) or role.lower() not in ROLES:
        raise ValueError(f"there is no role {role!r} (user, assistant, system)")
    return TranscriptMessage(
        role=cast("Role", ROLES[role.lower()]),
        content=_content(record.get("content")),
        timestamp=time(record.get("timestamp")),
        uuid=identifier(record.get("uuid")),
        metadata=_metadata(record.get("metadata")),
        place=place,
    )


def _content(content: object) -> str:
    if not isinstance(content, str):
        raise ValueError(f"its content is text, not {type(content).__name__}")
    if not content.replace("\0", "").strip():
        raise ValueError("its content is empty")
    if len(content) > MAX_CHARACTERS:
        raise ValueError(f"its content has {len(content):,} characters; {MAX_CHARACTERS:,} are the most")
    return mended(content)


def _metadata(metadata: object) -> Mapping[str, Any]:
    if metadata is None:
        return {}
    metadata = mapping(metadata, "its metadata")
    try:
        text = json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"its metadata must be JSON: {error}") from error
    if len(text) > MOST_METADATA:
        raise ValueError(f"its metadata has {len(text):,} characters as JSON; {MOST_METADATA:,} are the most")
    return metadata
