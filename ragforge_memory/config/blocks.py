"""What the blocks of ``ragforge.config.yaml`` are made of: their base classes and the kinds of values they share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from ragforge_memory.config.known_models import Retired
from ragforge_memory.home import expanded


def refusal(
    message: str, *, hint: str | None, key: str | None = None, kind: Literal["refused", "no_dimension"] = "refused"
) -> PydanticCustomError:
    """The error of a value that cannot be used; ``key`` is the one to be blamed in a block."""
    return PydanticCustomError(kind, "{message}", {"message": message, "hint": hint, "key": key})


def _encodable(text: str) -> str:
    text.encode()
    return text


def _on_one_line(text: str) -> str:
    if not text.isprintable():
        raise refusal("must be on one line, without control characters", hint="take the line break out")
    return text


Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Line = Annotated[Text, AfterValidator(_on_one_line)]
Prose = Annotated[str, AfterValidator(_encodable)]
"""Text as it is; half a surrogate pair can neither be sent nor stored."""

MOST, LONGEST_DAYS = 1_000_000, 100_000
"""More is a slip of the finger, and in the end more than the database can count."""


def _checked_path(text: str) -> str:
    try:
        expanded(text)
    except ValueError as error:
        raise refusal(str(error), hint=None) from error
    return text


Folder = Annotated[Text, AfterValidator(_checked_path)]
Instant = Annotated[datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC))]


class _Block(BaseModel):
    """What every block keeps to."""

    @field_validator("*", mode="before")
    @classmethod
    def _a_switch_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuses true and false where a number is asked for; pydantic takes them for 1 and 0."""
        annotation = cls.model_fields[info.field_name or ""].annotation
        kinds = get_args(annotation) or (annotation,)
        if isinstance(value, bool) and bool not in kinds and (int in kinds or float in kinds):
            raise PydanticKnownError("int_type" if int in kinds else "float_type")
        return value


class Section(_Block):
    """A block whose every key is ours: an unknown one is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, protected_namespaces=(), defer_build=True
    )


class SharedSection(_Block):
    """A block that RagForge's other tools write into as well: keys we do not know are kept and ignored."""

    model_config = ConfigDict(
        frozen=True, extra="allow", populate_by_name=True, protected_namespaces=(), defer_build=True
    )


def refuse_retired(model: str, gone: Retired | None) -> None:
    """Refuses a model that its vendor has shut down; the error names the successor."""
    if gone is not None:
        told = f"{model} was shut down by its vendor on {gone.since}; its successor is {gone.successor}"
        raise refusal(told, hint=f"use {gone.successor}", key="model")
