"""What callers give, checked before anything is opened or written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragforge_memory.agent.ports import EMBEDDER, PROVIDER, named
from ragforge_memory.errors import InvalidInput
from ragforge_memory.home import expanded
from ragforge_memory.models.text import DEEPEST, LONGEST_TAG, MOST_METADATA, MOST_TAGS, is_deep, mended

# A message is typed or pasted; a file of more is better read by a tool.
MAX_MESSAGE_CHARACTERS = 400_000
# Of a title, a user or a project: an index takes 8 kB of all its properties together.
MAX_NAME = 500
# The largest page of any list.
MAX_LIMIT = 1_000
# A signature up to its brackets; C++ has `operator()`.
_SIGNATURE = re.compile(r"(.*?(?:operator\(\)|\w(?<!operator)))\(.*", re.DOTALL)


def checked_text(text: object) -> str:
    """The text of a message, if it can be one; U+FFFD stands where half of a character is left.

    Raises:
        InvalidInput: it is not text, has nothing but white space, or is longer than 400,000 characters.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"a message is text, not {type(text).__name__}")
    if not text.replace("\0", "").strip():
        raise InvalidInput("the message is empty", hint="say something")
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput(
            f"the message has {len(text):,} characters; {MAX_MESSAGE_CHARACTERS:,} are the most",
            hint="put it into a file of the project and ask about that",
        )
    return mended(text)


def path_of(path: str | os.PathLike[str]) -> Path:
    """A path as a caller gave it, with the home directory in the place of ``~``.

    Raises:
        InvalidInput: it is none.
    """
    if path == "":
        raise InvalidInput("an empty text is not a path", hint="the current directory is .")
    try:
        return expanded(path)
    except (ValueError, OSError) as error:
        raise InvalidInput(str(error)) from error


def root_of(path: str | os.PathLike[str]) -> Path:
    """The directory that a caller gave, whole.

    Raises:
        InvalidInput: there is none.
    """
    directory = path_of(path).resolve()
    if not os.path.isdir(directory):
        raise InvalidInput(f"{directory} is not a directory", hint="give the root of a project")
    return directory


def check_limit(limit: int) -> None:
    """Refuses a page size that is none.

    Raises:
        InvalidInput: it is not a whole number from 1 to 1,000.
    """
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is a whole number from 1 to {MAX_LIMIT:,}, not {limit!r}")


def clean_labels(title: str | None, tags: Sequence[str]) -> list[str]:
    """Refuses titles and tags that are none; returns the tags without blanks around them, each once.

    Raises:
        InvalidInput: a title that is blank or not a text of at most 500 characters, a tag that is not a word, a NUL, or
            more than 1,000 tags or one of more than 500 characters.
    """
    if title is not None:
        check_text(title, "a title")
        if not title.strip():
            raise InvalidInput("the title is blank", hint="leave it out, or say what lists shall show")
        if len(title) > MAX_NAME:
            raise InvalidInput(f"a title is a text of at most {MAX_NAME} characters")
        check_no_nul(title, "a title")
    if (
        isinstance(tags, str)
        or not isinstance(tags, Sequence)
        or any(not isinstance(t, str) or not t.strip() for t in tags)
    ):
        raise InvalidInput("tags are a list of words", hint='tags=["auth", "refactoring"]')
    if len(tags) > MOST_TAGS:
        raise InvalidInput(f"there are {len(tags):,} tags; {MOST_TAGS:,} are the most", hint="keep them in metadata")
    for tag in tags:
        check_text(tag, "a tag")
        check_no_nul(tag, "a tag")
        if len(tag) > LONGEST_TAG:
            raise InvalidInput(f"a tag has {len(tag):,} characters; {LONGEST_TAG} are the most", hint="shorten it")
    return list(dict.fromkeys(tag.strip() for tag in tags))


def check_no_nul(text: str, what: str) -> None:
    """Refuses a name with a NUL in it, which terminals and files take for its end; of what is said it is taken out.

    Raises:
        InvalidInput: there is one.
    """
    if "\0" in text:
        raise InvalidInput(f"{what} has a NUL in it", hint="leave it out")


def check_text(text: object, what: str) -> None:
    """Refuses what is not text, and text that cannot be stored.

    Raises:
        InvalidInput: it is not a string, or has half a surrogate pair.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"{what} is text, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} is not valid text: {error.reason} at {error.start}") from error


def check_tool_name(name: object) -> None:
    """Refuses what is not a tool's name: nothing would be found by it.

    Raises:
        InvalidInput: it is blank, or no text.
    """
    check_text(name, "a tool's name")
    if not str(name).strip():
        raise InvalidInput("a tool's name is blank", hint="leave it out for the calls of all tools")


def bare_name(name: str) -> str:
    """A definition's name without the backticks and the brackets that it was written with."""
    bare = name.strip().strip("`").strip()
    # C++ calls it so.
    return bare if bare.endswith("operator()") else bare.removesuffix("()").strip("`").strip()


def code_name(name: str) -> str:
    """The name in a signature as it was pasted (``def alpha(a, b):``), where it is one; else as `bare_name`."""
    bare = bare_name(name)
    signature = _SIGNATURE.fullmatch(bare)
    if signature is None:
        return bare
    before = signature[1].strip("`").strip()
    # Behind FILE there is no type, and its path may have spaces.
    return before if ":" in before.replace("::", "") else before.rpartition(" ")[2]


def check_metadata(metadata: object) -> None:
    """Refuses metadata that would not come back as it was.

    Raises:
        InvalidInput: it is not a mapping, JSON cannot hold it, or it has more than 1,000,000 characters as JSON.
    """
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata is a mapping, not {type(metadata).__name__}")
    if odd := [name for name in metadata if not isinstance(name, str)]:
        raise InvalidInput(f"names in metadata are text: {odd[0]!r} would come back as another")
    too_deep = f"metadata is nested too deeply: it may have {DEEPEST} levels"
    try:
        text = json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"metadata must be JSON: {error}") from error
    except RecursionError as error:
        raise InvalidInput(too_deep) from error
    if is_deep(dict(metadata)):
        raise InvalidInput(too_deep)
    if len(text) > MOST_METADATA:
        raise InvalidInput(
            f"metadata has {len(text):,} characters as JSON; {MOST_METADATA:,} are the most",
            hint="put it into a file and keep where that is",
        )


def check_flag(value: object, name: str) -> None:
    """Refuses what is neither yes nor no: a word is always true, "no" too.

    Raises:
        InvalidInput: it is not a bool.
    """
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is True or False, not {value!r}")


def check_seconds(timeout: object) -> None:
    """Refuses a time-out that is none.

    Raises:
        InvalidInput: it is neither None nor a number of 0 or more.
    """
    number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if timeout is not None and not (number and timeout >= 0):  # type: ignore[operator]
        raise InvalidInput(f"a timeout is seconds of 0 or more, not {timeout!r}")


def check_made_with(user_id: object, project: object, *, config: object, embedder: object, model: object) -> None:
    """Refuses what no agent can be made with.

    Raises:
        InvalidInput: user or project is neither None nor text of at most 500 characters, or config, embedder or model
            is none.
    """
    if config is not None and not callable(getattr(config, "to_agent", None)):
        raise InvalidInput(f"config= takes a ConversationConfig, not {type(config).__name__}")
    if embedder is not None and (why := EMBEDDER.lacks(embedder)):
        raise InvalidInput(
            f"embedder= takes an Embedder, not {named(embedder)}: {why}",
            hint=f"by name: config=ConversationConfig(embedding_provider=..., embedding_model=...); {EMBEDDER.told}",
        )
    if model is not None and not isinstance(model, str) and (why := PROVIDER.lacks(model)):
        raise InvalidInput(
            f"llm_provider= takes a name or a ModelProvider, not {named(model)}: {why}",
            hint=f"use gemini:MODEL, openai:MODEL, extractive or scripted:PATH; {PROVIDER.told}",
        )
    for name, what in ((user_id, "user_id"), (project, "project")):
        if name is not None:
            check_text(name, what)
            if len(str(name)) > MAX_NAME:
                raise InvalidInput(f"{what} has {len(str(name)):,} characters; at most {MAX_NAME}", hint="shorten it")


def check_embedder(embedder: object, dimension: object) -> None:
    """Refuses what no vectors can be made anew with.

    Raises:
        InvalidInput: the embedder is neither None nor text nor an Embedder, or the dimension no number of 1 or more.
    """
    if isinstance(embedder, str):
        check_text(embedder, "an embedder's name")
    elif embedder is not None and (why := EMBEDDER.lacks(embedder)):
        raise InvalidInput(
            f"the embedder is an Embedder or a name, not {named(embedder)}: {why}",
            hint=f"name it 'provider:model'; {EMBEDDER.told}",
        )
    if dimension is not None and (not isinstance(dimension, int) or isinstance(dimension, bool) or dimension < 1):
        raise InvalidInput(f"a dimension is a whole number of 1 or more, not {dimension!r}")


def check_progress(progress: object) -> None:
    """Refuses what cannot be told of progress.

    Raises:
        InvalidInput: it is neither None nor a function.
    """
    if progress is not None and not callable(progress):
        raise InvalidInput(f"progress= takes a function, not {progress!r}")
