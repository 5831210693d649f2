"""What the values of an archive's records may be, so that the graph holds them and gives them back as they were."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

# What Python and the graph both read: Python alone takes a space for the T, and other letters.
_ISO = re.compile(
    r"\d{4}-?\d\d-?\d\dT\d\d(:?\d\d(:?\d\d([.,]\d{1,9})?)?)?(Z|[+-]\d\d(:?\d\d(:?\d\d)?)?)?(\[(?P<zone>[^\[\]]+)\])?"
)


def _time(text: str) -> str:
    match = _ISO.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time as ISO 8601 writes it, such as 2026-01-01T00:00:00Z")
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

Uuid = Annotated[str, Field(min_length=1, max_length=200)]
Int = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Seq = Annotated[int, Field(ge=0, le=2**53)]


def _texts(value: list[Any] | dict[str, Any]) -> bool:
    return isinstance(value, dict) or (bool(value) and isinstance(value[0], str))


class Record(BaseModel):
    """What is common to all: what is not known is refused, what is not set is left out."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def _encodable(cls, value: Any) -> Any:
        """Refuses half surrogate pairs, which JSON can spell and the graph cannot hold."""
        if isinstance(value, str):
            value.encode()
        elif isinstance(value, (list, dict)) and _texts(value):
            json.dumps(value, ensure_ascii=False, default=str).encode()
        return value


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
            raise ValueError(f"{name!r} is no further property")
    return values


def _json_names(values: dict[str, str]) -> dict[str, str]:
    for name in values:
        if name not in JSON_PROPERTIES:
            raise ValueError(f"{name!r} is no JSON property ({', '.join(sorted(JSON_PROPERTIES))})")
    return values


JSON_PROPERTIES = frozenset({"arguments", "result", "usage", "provider_parts", "metadata", "receipt", "schema", "data"})
"""Properties that are JSON texts in the graph and values in an archive."""

Scalar = str | bool | Int | float
Other = Annotated[
    dict[str, Scalar | list[str] | list[bool] | list[Int] | list[float] | Moment], AfterValidator(_further)
]
Verbatim = Annotated[dict[str, str], AfterValidator(_json_names)]
