"""What an object of the user's own must have to be an embedder or a model, looked for before it is used."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass


def named(given: object) -> str:
    """What a caller gave, as an error tells it."""
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


@dataclass(frozen=True, slots=True)
class Port:
    """What an object of the user's must have: values, methods that are awaited, a method that is iterated."""

    values: tuple[str, ...]
    awaited: tuple[str, ...]
    streams: tuple[str, ...]
    told: str

    def lacks(self, given: object) -> str | None:
        """What of it the object does not have, in words; None: it has all."""
        if isinstance(given, type):
            return "an object of it is asked for"
        methods = (*self.streams, *self.awaited)
        missing = [name for name in self.values if not hasattr(given, name)]
        missing += [f"{name}()" for name in methods if not callable(getattr(given, name, None))]
        if missing:
            return f"it has no {_listed(missing)}"
        # Found out here: the first call would come from a task in the background, which repeats what fails.
        if plain := [name for name in self.awaited if not _is(given, name, inspect.iscoroutinefunction)]:
            return f"{_listed([f'{name}()' for name in plain])} {'is' if len(plain) == 1 else 'are'} not `async def`"
        for name in self.streams:
            if _is(given, name, inspect.iscoroutinefunction) or _is(given, name, inspect.isgeneratorfunction):
                return f"{name}() is no `async def` with `yield` in it"
        return None


def _is(given: object, name: str, kind: Callable[[object], bool]) -> bool:
    method = getattr(given, name)
    # An object that is called is a method too, and what wraps one says so.
    return any(kind(each) for each in (method, inspect.unwrap(method), type(method).__call__))


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


EMBEDDER = Port(
    ("provider", "model", "dimension", "unrelated_cosine"),
    ("embed_query", "embed_passages", "aclose"),
    (),
    "or write one: docs/embeddings.md, “An embedder of your own”",
)
PROVIDER = Port(
    ("name", "model", "context_window"),
    ("aclose",),
    ("stream",),
    "or write one: docs/models.md, “A model of your own”",
)
