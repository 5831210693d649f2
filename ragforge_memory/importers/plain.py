"""The plainest transcript: a list of ``{"role", "content", "timestamp"?, "uuid"?, "metadata"?}``, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.conversation import Role
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

MAX_CHARACTERS = 400_000
"""The most that one message may have, as in a conversation that is held here."""

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "system": "system"}
_KEYS = frozenset({"role", "content", "timestamp", "uuid", "metadata"})
_UUID_CHARACTERS = 200


def recognises(data: object) -> bool:
    """Whether this is such a list: one of mappings, of which the first has a role and a content."""
    if isinstance(data, (str, bytes)) or not isinstance(data, Sequence) or not data:
        return False
    first = data[0]
    return isinstance(first, Mapping) and "role" in first and "content" in first


def read(data: Sequence[Any]) -> Transcript:
    """The transcript of such a list.

    Args:
        data: records as above; a timestamp is ISO text, a datetime or seconds since 1970 (without a zone: UTC).

    Raises:
        InvalidInput: a record is none; the message names its index, from 0.
    """
    messages = []
    seen: dict[str, int] = {}
    for index, record in enumerate(data):
        try:
            found = _message(record)
            if found.uuid is not None and found.uuid in seen:
                raise ValueError(f"its uuid is that of record {seen[found.uuid]}")
        except ValueError as error:
            raise InvalidInput(f"record {index}: {error}", hint="nothing was written; mend it and try again") from error
        if found.uuid is not None:
            seen[found.uuid] = index
        messages.append(found)
    if not messages:
        raise InvalidInput("there is nothing to import: the list is empty")
    return Transcript(tuple(messages))


def _message(record: object) -> TranscriptMessage:
    if not isinstance(record, Mapping):
        raise ValueError(f"a message is a mapping, not {type(record).__name__}")
    unknown = [str(key) for key in record if key not in _KEYS]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r} (known: {', '.join(sorted(_KEYS))})")
    role = record.get("role")
    if not isinstance(role, str) or role.lower() not in _ROLES:
        raise ValueError(f"there is no role {role!r} (user, assistant, system)")
    return TranscriptMessage(
        role=cast(Role, _ROLES[role.lower()]),
        content=_content(record.get("content")),
        timestamp=_time(record.get("timestamp")),
        uuid=_uuid(record.get("uuid")),
        metadata=_metadata(record.get("metadata")),
    )


def _content(content: object) -> str:
    if not isinstance(content, str):
        raise ValueError(f"its content is text, not {type(content).__name__}")
    if not content.strip():
        raise ValueError("its content is empty")
    if len(content) > MAX_CHARACTERS:
        raise ValueError(f"its content has {len(content):,} characters; {MAX_CHARACTERS:,} are the most")
    _encodable(content, "its content")
    return content.replace("\0", "")


def _uuid(uuid: object) -> str | None:
    if uuid is None:
        return None
    if not isinstance(uuid, str) or not uuid.strip() or len(uuid) > _UUID_CHARACTERS:
        raise ValueError(f"its uuid is a text of 1 to {_UUID_CHARACTERS} characters")
    _encodable(uuid, "its uuid")
    return uuid


def _time(time: object) -> datetime | None:
    if time is None:
        return None
    try:
        if isinstance(time, str):
            time = datetime.fromisoformat(time)
        elif isinstance(time, (int, float)) and not isinstance(time, bool):
            time = datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"its timestamp is no time: {time!r}") from None
    if not isinstance(time, datetime):
        raise ValueError(f"its timestamp is no time: {time!r}")
    return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _metadata(metadata: object) -> Mapping[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise ValueError(f"its metadata is a mapping, not {type(metadata).__name__}")
    try:
        json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise ValueError(f"its metadata must be JSON: {error}") from error
    return metadata


def _encodable(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} is not valid text: {error.reason} at {error.start}") from error
