"""Spans of OpenTelemetry, in a process that uses it; nothing elsewhere.

Names and attributes are those of its conventions for GenAI. No text of a conversation becomes an attribute, and no
value that a statement or a tool is given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SCOPE = "ragforge_memory"


class Span:
    """What is told of a piece of work; without OpenTelemetry it takes everything and does nothing."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def tell(self, **attributes: Any) -> None:
        """Adds attributes, by their names with ``__`` for a dot; None adds nothing."""
        if self._span is not None:
            self._span.set_attributes(_named(attributes))


_NOTHING = Span()


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[Span]:
    """A span that is the parent of what is done inside.

    Args:
        name: of the operation.
        attributes: by their names with ``__`` for a dot.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield _NOTHING
        return
    tracer = trace.get_tracer(_SCOPE)
    with tracer.start_as_current_span(
        name, attributes=_named(attributes), record_exception=False, set_status_on_exception=False
    ) as begun:
        try:
            yield Span(begun)
        except Exception as error:
            # Not with its message, which may quote what was said.
            begun.set_status(trace.StatusCode.ERROR, type(error).__name__)
            raise


@contextmanager
def leaf(name: str, **attributes: Any) -> Iterator[Span]:
    """A span that is nothing's parent: for generators, which may be closed where they were not begun."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        yield _NOTHING
        return
    begun = trace.get_tracer(_SCOPE).start_span(name, attributes=_named(attributes))
    try:
        yield Span(begun)
    except Exception as error:
        begun.set_status(trace.StatusCode.ERROR, type(error).__name__)
        raise
    finally:
        begun.end()


def _named(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("__", "."): value for name, value in attributes.items() if value is not None}
