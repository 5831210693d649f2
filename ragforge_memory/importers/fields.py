"""The fields of messages as sources write them, checked; every check raises ValueError with the reason alone."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ragforge_memory.models.text import mended

MAX_CHARACTERS = 400_000
"""The most that one message may have, as in a conversation that is held here."""

MAX_RESULT_CHARACTERS = 10_000_000
"""The most that one tool result, the arguments of one call or one message's reasoning may have."""

_UUID_CHARACTERS = 200
# Seconds of this number are in the year 5138, milliseconds in 1973.
_MILLISECONDS = 1e11
# Shorter ids ("1", "msg_3") name a message within its conversation and not among all.
_UNIQUE_CHARACTERS = 16

_PICTURES = frozenset({"image", "image_url", "input_image", "image_asset_pointer", "computer_screenshot"})
_FILES = frozenset({"file", "input_file", "input_audio", "audio"})
# Where the parts of a tool's result have their text.
_TEXTS = ("text", "logs", "output", "content", "message")


def mapping(value: object, what: str) -> Mapping[str, Any]:
    """A JSON object."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is a mapping, not {type(value).__name__}")
    return value


def is_one_of(value: object, known: Container[str]) -> bool:
    """Whether a value is one of these words; a list or a mapping, which stands where a word should, is none."""
    return isinstance(value, str) and value in known


def text(value: object, what: str, *, most: int = MAX_CHARACTERS) -> str:
    """Text that the graph can keep: without NUL, and with a mark where half a surrogate pair was cut off."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is text, not {type(value).__name__}")
    if len(value) > most:
        raise ValueError(f"{what} has {len(value):,} characters; {most:,} are the most")
    return mended(value)


def optional_text(value: object, what: str, *, most: int = MAX_CHARACTERS) -> str | None:
    """Text, or None where there is none or it is empty."""
    return None if value is None else text(value, what, most=most) or None


def plain_json(value: Any, what: str) -> Any:
    """A JSON value whose texts are all mended."""
    try:
        written = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{what} must be JSON: {error}") from error
    if len(written) > MAX_RESULT_CHARACTERS:
        raise ValueError(f"{what} has {len(written):,} characters; {MAX_RESULT_CHARACTERS:,} are the most")
    return json.loads(mended(written))


def arguments(value: object) -> Mapping[str, Any]:
    """A call's arguments: a mapping, or JSON text of one; anything else becomes ``{"input": …}``."""
    sound = False
    for _ in range(2):  # some writers encode what is encoded already
        if not isinstance(value, str):
            break
        # ASCII that escapes nothing by its number has no half of a surrogate pair to be mended.
        sound = value.isascii() and "\\u" not in value and len(value) <= MAX_CHARACTERS
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            sound = False
            break
    if value is None or value == "":
        return {}
    if sound and isinstance(value, dict):
        return value
    found: dict[str, Any] = dict(value) if isinstance(value, Mapping) else {"input": value}
    checked: dict[str, Any] = plain_json(found, "the arguments of its tool call")
    return checked


def time(value: object) -> datetime | None:
    """A time: ISO text, a datetime, or seconds or milliseconds since 1970 (without a zone: UTC); None where there is
    none."""
    if value is None:
        return None
    given = value
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            value = datetime.fromtimestamp(value / 1_000 if value >= _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"its timestamp is not a time: {given!r}") from None
    if not isinstance(value, datetime):
        raise ValueError(f"its timestamp is not a time: {given!r}")
    try:
        return value.astimezone(UTC) if value.tzinfo is not None else value.replace(tzinfo=UTC)
    except OverflowError:
        raise ValueError(f"its timestamp is not a time: {given!r}") from None


def identifier(value: object, what: str = "its uuid") -> str | None:
    """An id of at most 200 characters that can be shown, or None."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or len(value) > _UUID_CHARACTERS or not value.isprintable():
        raise ValueError(f"{what} is a text of 1 to {_UUID_CHARACTERS} characters")
    return value


def foreign_id(value: object, what: str) -> str | None:
    """An id as another program gave it; None where that left it empty."""
    return None if isinstance(value, str) and not value.strip() else identifier(value, what)


def call_id(value: object, what: str) -> str | None:
    """What a call and its result name each other by, kept nowhere: text of any length, or a number; None where it says
    nothing."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, (str, int)):
        raise ValueError(f"{what} is text, not {type(value).__name__}")
    return str(value)


def unique(value: str | None) -> str | None:
    """An id that names a message among all messages, or None: one shorter than 16 characters names it nowhere else."""
    return value if value is not None and len(value) >= _UNIQUE_CHARACTERS else None


def joined(content: object, what: str, *, most: int = MAX_CHARACTERS) -> str:
    """The text of a content: text itself, or a list of parts. Pictures, sound and files leave a word in brackets."""
    if content is None:
        return ""
    if isinstance(content, str):
        return text(content, what, most=most)
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, (bytes, bytearray)):
        raise ValueError(f"{what} is text or a list of parts, not {type(content).__name__}")
    return text("\n".join(filter(None, map(_part, content))), what, most=most)


def outcome(value: object, what: str) -> str:
    """What a tool gave: its text, where it has nothing else, and a word for a picture or a file; all else as JSON."""
    if isinstance(value, (list, tuple)):
        found = "\n".join(filter(None, (outcome(each, what) for each in value)))
    elif isinstance(value, Mapping):
        found = _outcome_of(value, what)
    else:
        found = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text(found, what, most=MAX_RESULT_CHARACTERS)


def _outcome_of(value: Mapping[str, Any], what: str) -> str:
    if is_one_of(value.get("type"), _PICTURES | _FILES):
        return _part(value)
    said = {key: each for key, each in value.items() if key != "type" and each not in (None, "", [], {})}
    if len(said) == 1 and isinstance(alone := next((said[key] for key in _TEXTS if key in said), None), str):
        return alone
    return json.dumps(plain_json(dict(value), what), ensure_ascii=False)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise ValueError(f"a part of its content is text or a mapping, not {type(part).__name__}")
    kind = str(part.get("type") or part.get("content_type") or "text")
    for key in ("text", "refusal", "transcript"):
        if isinstance(part.get(key), str):
            return str(part[key])
    if kind in _PICTURES:
        return f"[image: {address}]" if (address := _address(part)) else "[image]"
    name = part.get("name") or part.get("filename") or part.get("title")
    kind = kind.replace("_", " ")
    return f"[{kind}: {name}]" if isinstance(name, str) else f"[{kind}]"


def _address(part: Mapping[str, Any]) -> str | None:
    """Where a picture is, if it is not in the text itself."""
    found = part.get("image_url") or part.get("url") or part.get("asset_pointer")
    if isinstance(found, Mapping):
        found = found.get("url")
    return found if isinstance(found, str) and not found.startswith("data:") and len(found) < 500 else None
