"""A record of a source with its place, and how one is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ragforge_memory.errors import InvalidInput

T = TypeVar("T")

TOO_DEEP = "it is nested too deeply"
"""Why a record is refused that no recursion comes to the end of."""


@dataclass(frozen=True, slots=True)
class Record:
    """A value with the place where it stands; ``fault`` says why it could not be read."""

    place: str
    value: Any
    fault: str | None = None

    def messages(self, reader: Callable[[Any, str], Iterator[T]]) -> Iterator[T]:
        """What ``reader`` makes of the value and its place, one by one.

        Raises:
            InvalidInput: as `read`.
        """
        return iter(self.read(lambda value: list(reader(value, self.place))))

    def message(self, reader: Callable[[Any, str], T]) -> T:
        """What ``reader`` makes of the value and its place.

        Raises:
            InvalidInput: as `read`.
        """
        return self.read(lambda value: reader(value, self.place))

    def read(self, reader: Callable[[Any], T]) -> T:
        """What ``reader`` makes of the value.

        Raises:
            InvalidInput: the record could not be read, or ``reader`` raised ValueError; the message names the place.
        """
        if self.fault is not None:
            raise refusal(self.place, self.fault)
        try:
            return reader(self.value)
        except InvalidInput:
            raise
        except ValueError as error:
            raise refusal(self.place, str(error)) from error
        except RecursionError as error:
            raise refusal(self.place, TOO_DEEP) from error


def refusal(place: str, why: str) -> InvalidInput:
    """The error that names a place."""
    return InvalidInput(f"{place}: {why}", hint="nothing of this conversation was written; mend it and try again")
