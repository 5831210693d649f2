"""What callers give, checked before anything is opened or written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragforge_memory.errors import InvalidInput
from ragforge_memory.home import expanded

# A message is typed or pasted; a file of more is better read by a tool.
MAX_MESSAGE_CHARACTERS = 400_000
_TITLE_CHARACTERS = 80
# The largest page of any list.
MAX_LIMIT = 1_000


def checked_text(text: object) -> str:
    """The text of a message, if it can be one.

    Raises:
        InvalidInput: it is no text, has nothing but white space, is longer than 400,000 characters, or has half
            a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"a message is text, not {type(text).__name__}")
    if not text.strip():
        raise InvalidInput("the message is empty", hint="say something")
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput(
            f"the message has {len(text):,} characters; {MAX_MESSAGE_CHARACTERS:,} are the most",
            hint="put it into a file of the project and ask about that",
        )
    check_text(text, "the message")
    return text.replace("\0", "")


def path_of(path: str | os.PathLike[str]) -> Path:
    """A path as a caller gave it, with the home directory in the place of ``~``.

    Raises:
        InvalidInput: it is none.
    """
    try:
        return expanded(path)
    except ValueError as error:
        raise InvalidInput(str(error)) from error


def title_of(text: str) -> str:
    """The first 80 characters of a text on one line: what lists show until there is a better title.

    Of a question that a longer text stands below (a diff, a log) it is the question.
    """
    line = " ".join(text.strip().partition("\n\n")[0].split())
    return line if len(line) <= _TITLE_CHARACTERS else line[: _TITLE_CHARACTERS - 1].rstrip() + "…"


def check_limit(limit: int) -> None:
    """Refuses a page size that is none.

    Raises:
        InvalidInput: it is not a whole number from 1 to 1,000.
    """
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is a whole number from 1 to {MAX_LIMIT:,}, not {limit!r}")


def check_labels(title: str | None, tags: Sequence[str]) -> None:
    """Refuses titles and tags that are none.

    Raises:
        InvalidInput: a title that is no text of at most 500 characters, or a tag that is no word.
    """
    if title is not None:
        check_text(title, "a title")
        if len(title) > 500:
            raise InvalidInput("a title is a text of at most 500 characters")
    if (
        isinstance(tags, str)
        or not isinstance(tags, Sequence)
        or any(not isinstance(t, str) or not t.strip() for t in tags)
    ):
        raise InvalidInput("tags are a list of words", hint='tags=["auth", "refactoring"]')
    for tag in tags:
        check_text(tag, "a tag")


def check_text(text: object, what: str) -> None:
    """Refuses what is no text, and text that cannot be stored.

    Raises:
        InvalidInput: it is not a string, or has half a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{what} is text, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} is not valid text: {error.reason} at {error.start}") from error


def check_metadata(metadata: object) -> None:
    """Refuses metadata that would not come back as it was.

    Raises:
        InvalidInput: it is no mapping, or JSON cannot hold it.
    """
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata is a mapping, not {type(metadata).__name__}")
    try:
        json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"metadata must be JSON: {error}") from error


def check_owner(user_id: object, project: object) -> None:
    """Refuses owners that are no names.

    Raises:
        InvalidInput: one is neither text nor None.
    """
    for name, what in ((user_id, "user_id"), (project, "project")):
        if name is not None:
            check_text(name, what)
