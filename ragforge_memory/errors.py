"""Every error this library raises, in one tree.

Each error carries a ``hint`` (what to do next) and an ``exit_code`` (what the command line ends with).
Exceptions of the Neo4j driver and of the model SDKs never leak: they are kept as ``__cause__``.

* RagforgeError (1)
  - InvalidInput (also a ValueError; usage mistakes on the command line end with 2)
    + BeingAnswered
  - NotFound
    + ConversationNotFound, MessageNotFound
  - ConfigError (3)
  - GraphUnavailable (4)
    + ServerStartError (4): the managed server could not be started
    + GraphTimeout (4): a statement ran into its time-out
      - GraphBusy (4): the server answers, but did not take the statement in time
  - GraphError: the database refused a statement
    + SchemaMismatch: the graph's schema is that of a newer or an older release
    + EmbeddingMismatch: vectors of another model or dimension
      - SpaceMoved: the project's vectors are another model's since they were looked for
  - ConversationFileError: the file with a conversation's texts cannot be used
  - ProjectConflict: another root is already ingested under this project name
  - DownloadError: a pinned file could not be fetched or had the wrong hash
  - ModelError (5)
    + ModelTimeout, ModelRateLimited, ModelBlocked, ModelRefused, ModelStreamCut, ModelMalformed,
      ModelUnavailable
  - EmbeddingError
  - ToolError: raised inside a tool to tell the model what went wrong
  - AgentClosed, ForkedProcess
  - TurnCancelled (130)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SEE_CAUSE = "its `__cause__` says where; the command line shows that with --debug"
"""What to do next about somebody else's exception."""


class RagforgeError(Exception):
    """Base of all errors of this library; ``str(error)`` is one clear sentence.

    Args:
        message: what is wrong.
        hint: what to do next; None: what is to be done after every error of this class, where there is such a thing.
    """

    exit_code: int = 1
    advice: str | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.advice if hint is None else hint
        if self.hint:
            self.add_note(f"hint: {self.hint}")  # for those who see a traceback

    def reword(self, clean: Callable[[str], str]) -> None:
        """Takes out of what it says whatever ``clean`` takes out."""
        self.message = clean(self.message)
        self.args = (self.message, *self.args[1:])
        self.hint = self.hint and clean(self.hint)
        self.__notes__ = [clean(note) for note in getattr(self, "__notes__", ())]


class InvalidInput(RagforgeError, ValueError):
    """An argument was refused before anything was written."""

    advice = "correct it and try again"


def memory_is_off(what: str) -> InvalidInput:
    """The error for what takes memory, where memory is off."""
    return InvalidInput(
        f"memory is off: {what}",
        hint="set agent.memory.enabled (ragforge.config.yaml) or enable_memory (ConversationConfig), or leave "
        "--no-memory out",
    )


class BeingAnswered(InvalidInput):
    """A question was asked a second time before its answer has come."""


def being_answered() -> BeingAnswered:
    """The error for a question that is asked a second time before its answer has come."""
    return BeingAnswered("the last message is being answered", hint="wait for it and ask again, or say something new")


class HereAlready(InvalidInput):
    """A conversation of the archive is here, as ``uuid``; ``place`` is that of the message by which it is known."""

    def __init__(self, message: str, uuid: str, place: int | None = None) -> None:
        super().__init__(message, hint="on_conflict='skip' leaves what is here, 'copy' imports it under new uuids")
        self.uuid = uuid
        self.place = place


class NotFound(RagforgeError, LookupError):
    """There is no such thing for this owner."""


class ConversationNotFound(NotFound):
    """No conversation with this uuid or session belongs to this owner."""

    advice = "list the conversations that there are: list_conversations(), or `ragforge conversations list`"


def conversation_gone(uuid: str | None) -> ConversationNotFound:
    """The error for a conversation that the graph does not have (any more) for this owner."""
    return ConversationNotFound(
        f"there is no conversation {uuid!r} here", hint=f"it may have been deleted; {ConversationNotFound.advice}"
    )


class MessageNotFound(NotFound):
    """No message with this uuid belongs to this owner's conversation."""

    advice = "list its messages with their uuids: get_history(), or `ragforge conversations show --json`"


class ConfigError(RagforgeError):
    """The configuration cannot be used; names file, line (from 1) and key where they are known."""

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        place = ":".join(str(part) for part in (file, line) if part is not None)
        subject = f"{key}: {message}" if key else message
        super().__init__(f"{place}: {subject}" if place else subject, hint=hint)
        self.file = file
        self.line = line
        self.key = key


class GraphUnavailable(RagforgeError):
    """The Neo4j server cannot be reached, refused the login, or did not answer in time."""

    exit_code = 4


class ServerStartError(GraphUnavailable):
    """The managed local server could not be started; the message says why (no Java, no disk, port, …)."""


class GraphTimeout(GraphUnavailable):
    """One statement ran into its time-out; whether a write took place is not known."""


class GraphBusy(GraphTimeout):
    """The server answers, but did not take one statement in time: a lock, a change of leader, memory, or its load.

    It is not an outage: other statements go on, and the same one may succeed a moment later.
    """


class GraphError(RagforgeError):
    """The database refused a statement."""


class SchemaMismatch(GraphError):
    """The graph's schema is that of a newer or an older release: this one neither reads it nor writes to it."""


class EmbeddingMismatch(GraphError):
    """The project's vectors come from another model or have another dimension."""


class SpaceMoved(EmbeddingMismatch):
    """The project's vectors were made anew by another model while this process was open."""


class ConversationFileError(RagforgeError):
    """A file of ``persistence.type: files`` lacks a line that the graph knows of, or cannot be read or written."""


class ProjectConflict(RagforgeError):
    """Another root directory is already ingested under this project's name."""


class DownloadError(RagforgeError):
    """A pinned file could not be fetched, or what came had the wrong SHA-256."""


class ModelError(RagforgeError):
    """The model's provider failed.

    Attributes:
        partial: whether part of an answer had already come.
        retry_after: the vendor's own delay in seconds before the next attempt, where it gave one.
    """

    exit_code = 5

    def __init__(self, message: str, *, hint: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.partial = False
        self.retry_after = retry_after


class ModelTimeout(ModelError):
    """The model did not answer within its time-out."""


class ModelRateLimited(ModelError):
    """The vendor refused for now: too many requests, or too many tokens, in its current window."""


class ModelBlocked(ModelError):
    """The vendor blocked the prompt or the answer (safety, recitation, prohibited content)."""


class ModelRefused(ModelError):
    """The vendor refused the request itself (bad key, unknown model, malformed request)."""


class ModelStreamCut(ModelError):
    """The stream ended before the model said that it had finished."""


class ModelMalformed(ModelError):
    """What the model sent cannot be read: bad JSON on the wire, or a tool call that is none."""


class ModelUnavailable(ModelError):
    """The vendor's service could not be reached or failed inside (5xx)."""


class EmbeddingError(RagforgeError):
    """The embedding model could not be loaded or failed."""


class ToolError(RagforgeError):
    """Raise it inside a tool: its message becomes the tool's result, which the model sees."""


class AgentClosed(RagforgeError):
    """The agent was used after ``close()``."""


class ForkedProcess(RagforgeError):
    """The agent was opened before a fork and is used in the child."""


class TurnCancelled(RagforgeError):
    """The turn was cancelled; what had been said until then is kept, the answer as a partial one.

    ``kept``: whether the question is; it is not where the turn was cancelled before it began, nothing could take it, or
    its conversation is deleted.
    """

    exit_code = 130

    def __init__(
        self, message: str, *, hint: str | None = None, message_id: str | None = None, kept: bool = False
    ) -> None:
        super().__init__(message, hint=hint)
        self.message_id = message_id
        self.kept = kept

    def deleted(self) -> None:
        """Its conversation is deleted, and so is what was said."""
        self.kept = False
        self.hint = "its conversation is deleted, with all that was said in it"


def describe(error: BaseException) -> dict[str, Any]:
    """The error as plain data, for ``--json`` and HTTP: name, message, hint, exit_code."""
    if isinstance(error, RagforgeError):
        return {
            "error": type(error).__name__,
            "message": error.message,
            "hint": error.hint,
            "exit_code": error.exit_code,
        }
    return {"error": type(error).__name__, "message": str(error), "hint": None, "exit_code": 1}


def foreign(error: Exception) -> bool:
    """Whether an error is none of this library's, so that a log needs its traceback."""
    return not isinstance(error, RagforgeError)
