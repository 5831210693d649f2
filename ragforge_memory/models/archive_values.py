"""What the values of an archive's records may be, so that the graph holds them and gives them back as they were."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from ragforge_memory.models.text import LONGEST_TAG, MOST_METADATA, MOST_TAGS

# What Python and the graph both read: Python alone takes a space for the T, and other letters.
_ISO = re.compile(
    r"\d{4}-?\d\d-?\d\dT\d\d(:?\d\d(:?\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d(:?\d\d)?)?)?(\[(?P<zone>[^\[\]]+)\])?"
)


def _time(text: str) -> str:
    match = _ISO.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a time as ISO 8601 writes it, such as 2026-01-01T00:00:00Z")
    datetime.fromisoformat(text.partition("[")[0])
    if match["zone"] is not None:
        try:
            ZoneInfo(match["zone"])
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"there is no time zone {match['zone']!r}") from error
    return text


Time = Annotated[str, AfterValidator(_time), Field(json_schema_extra={"format": "date-time"})]
"""ISO 8601 with a zone, to the nanosecond."""


def _json(value: Any) -> Any:
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    return value


Json = Annotated[Any, AfterValidator(_json)]
"""Any JSON value; text in it without half surrogate pairs, since the graph keeps it as text."""


def _json_of_metadata(value: Any) -> Any:
    size = len(json.dumps(value, allow_nan=False, ensure_ascii=False))
    if size > MOST_METADATA:
        raise ValueError(f"metadata has {size:,} characters as JSON; {MOST_METADATA:,} are the most")
    return value


Metadata = Annotated[Json, AfterValidator(_json_of_metadata)]
"""What else somebody keeps with a conversation, which every list shows."""


def _uuid(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"{text!r} has signs that cannot be shown")
    return text


Uuid = Annotated[str, AfterValidator(_uuid), Field(min_length=1, max_length=200)]
"""A name that other programs may have given; commands print it, and files are called by it."""

Tags = Annotated[list[Annotated[str, Field(max_length=LONGEST_TAG)]], Field(max_length=MOST_TAGS)]
Int = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Seq = Annotated[int, Field(ge=0, le=2**53)]


class Record(BaseModel):
    """What is common to all: what is not known is refused, what is not set is left out."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)


def half_surrogate(value: Any) -> tuple[int | str, ...] | None:
    """Where in a JSON value half a surrogate pair is, which JSON can spell and the graph cannot hold; None: nowhere."""
    left: list[tuple[tuple[int | str, ...], Any]] = [((), value)]  # as deep as it likes
    while left:
        place, each = left.pop()
        if isinstance(each, str):
            if not _is_whole(each):
                return place
        elif isinstance(each, dict):
            if not all(_is_whole(name) for name in each if isinstance(name, str)):
                return place
            left += [((*place, name), item) for name, item in each.items() if isinstance(item, _DEEP)]
        elif isinstance(each, (list, tuple)):
            left += [((*place, number), item) for number, item in enumerate(each) if isinstance(item, _DEEP)]
    return None


_DEEP = (str, dict, list, tuple)


def _is_whole(text: str) -> bool:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return False
    return True


class Moment(Record):
    """A time among properties that this schema does not know."""

    datetime: Time


_IDENTITY = frozenset(
    {"uuid", "user_id", "project", "owner_token", "conversation_id", "message_id", "tool_call_id", "seq", "key"}
    | {
        "status",
        "kept_to",
        "swept_to",
        "lineage_ids",
        "lineage_tops",
        "import_token",
        "import_until",
        "import_step",
        "import_holder",
        "head_seq",
        "file_path",
        "summary_token",
        "insight_token",
        "insight_until",
    }
)


def _further(values: dict[str, Any]) -> dict[str, Any]:
    for name in values:
        if not name or name in _IDENTITY or name.startswith(("embedding", "summary_embedding")):
            raise ValueError(f"{name!r} may not be among the other properties")
    return values


def _json_names(values: dict[str, str]) -> dict[str, str]:
    for name in values:
        if name not in JSON_PROPERTIES:
            raise ValueError(f"{name!r} is not a JSON property ({', '.join(sorted(JSON_PROPERTIES))})")
    return values


JSON_PROPERTIES = frozenset({"arguments", "result", "usage", "provider_parts", "metadata", "receipt", "schema", "data"})
"""Properties that are JSON texts in the graph and values in an archive."""

Scalar = str | bool | Int | float
Other = Annotated[
    dict[str, Scalar | list[str] | list[bool] | list[Int] | list[float] | Moment], AfterValidator(_further)
]
Verbatim = Annotated[dict[str, str], AfterValidator(_json_names)]


# One for all: nobody changes a record, and of a large archive each object less is one that is not collected.
_NOTHING: dict[str, Any] = {}


class Node(Record):
    """A node of the graph.

    ``other`` are properties that this schema does not know. ``verbatim`` has the text of JSON properties that would
    not be written back letter by letter from their value; it stands in the value's place.
    """

    uuid: Uuid
    source_uuid: str | None = Field(None, description="what its uuid was before it was copied")
    other: Other = Field(default_factory=lambda: _NOTHING)
    verbatim: Verbatim = Field(default_factory=lambda: _NOTHING)

    relied_on: ClassVar[frozenset[str]] = frozenset()
    """Properties that statements count with or cannot do without: never ``other``, whatever they hold."""

    @field_validator("other")
    @classmethod
    def _not_relied_on(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in cls.relied_on & values.keys():
            raise ValueError(f"{name!r} may not be among the other properties")
        return values
