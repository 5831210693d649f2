"""What the built-in tools need from the graph and the project, as protocols.

`ragforge_memory.graph` implements them; tests and other stores may too. Every method takes whose data it
reads: scopes belong to a project, messages to an owner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ragforge_memory.redaction import redact

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.models.code import CodeReference, OwnText, Scope, ScopeCounts, ScopeName, ScopeUse, TextHit
    from ragforge_memory.models.conversation import ConversationInfo, Page, ScoredMessage, ToolCall
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.impact import Impact
    from ragforge_memory.models.knowledge import KnowledgeHit
    from ragforge_memory.models.owner import Owner


class GraphQueries(Protocol):
    """The graph that the agent is on, for a tool with Cypher of its own."""

    async def query(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement that only reads; what a model said goes into ``parameters``, never into the text.

        Raises:
            GraphUnavailable: the server cannot be reached, or took longer than 30 s.
            GraphError: the database refused the statement, as it does where it writes.
        """

    async def change(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """As `query` for a statement that writes. It may run twice: MERGE, and SET what does not depend on before."""


class KnowledgeReader(Protocol):
    """The documents that an owner reads."""

    async def search(self, query: str, *, limit: int) -> Sequence[KnowledgeHit]:
        """The parts of them that bear on a question, best first."""


@runtime_checkable
class ScopeReader(Protocol):
    """The code of one project, read only."""

    async def search_words(
        self, project: str, stems: Sequence[str], *, aside: bool | None = None, limit: int = 50
    ) -> list[TextHit]:
        """What has any of ``stems``, as `text.words` makes them, best first; ``aside``: tests, examples and the like
        alone, or all but them; None: both."""

    async def count_words(
        self, project: str, stems: Sequence[str], *, aside: bool | None = None, most: int = 1_000
    ) -> dict[str, int]:
        """How many definitions and files have each stem, of more than ``most`` that many; ``aside`` as above."""

    async def own_texts(self, project: str, uuids: Sequence[str]) -> list[OwnText]:
        """The own text of these definitions and files, in this order; unknown ones are left out."""

    async def search_vector(self, project: str, vector: Vector, *, limit: int = 20) -> list[Scope]:
        """Scopes nearest to ``vector``, best first; ``score`` is the cosine. None embedded: none.

        Raises:
            EmbeddingMismatch: it is of another model than the project's vectors; another attempt may be of theirs.
        """

    async def by_name(self, project: str, name: str, *, limit: int = 200) -> list[Scope]:
        """Scopes whose ``name`` or ``qualified_name`` is exactly ``name`` (case counts)."""

    async def by_uuid(self, project: str, uuids: Sequence[str], *, source: bool = True) -> list[Scope]:
        """Scopes of these uuids, with their ``source`` unless it is not asked for; unknown ones are left out."""

    async def outline(self, project: str, file: str) -> list[Scope]:
        """The scopes of a file (its exact path in the project), by first line."""

    async def files(self, project: str) -> list[str]:
        """The paths of all files read, sorted; relative to the root, with forward slashes."""

    async def unread_files(self, project: str) -> dict[str, str]:
        """The files of which only a part was read, by path, and why."""

    async def callers(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes that use this one, by file and first line, and the lines where they do."""

    async def callees(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes that this one uses, by first use, and the lines of this one's file where it does."""

    async def inheritors(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes directly below this type, and the lines where they name it as their base."""

    async def bases(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Types directly above this one, and the lines where it names them as its bases."""

    async def members_elsewhere(self, project: str, uuid: str, *, limit: int = 200) -> list[Scope]:
        """What belongs to this type and is defined in another file, by file and first line."""

    async def names(self, project: str) -> list[ScopeName]:
        """The names of every scope, for near misses."""

    async def counts(self, project: str) -> ScopeCounts:
        """How much there is, and how much of it has a vector."""


@runtime_checkable
class MessageReader(Protocol):
    """What one owner said and was told, read only."""

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        conversation_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> list[ScoredMessage]:
        """Messages that bear on ``query``, by words and meaning, best first; of one conversation's lineage if named.

        Raises:
            InvalidInput: ``since`` or ``until`` is not an ISO date or time, or they are the wrong way round.
        """

    async def code_of(self, message_ids: Sequence[str]) -> Mapping[str, Sequence[CodeReference]]:
        """The code that messages are tied to, by their uuids, and what has become of it."""

    async def code_named(self, name: str) -> Sequence[CodeReference]:
        """Code that was spoken of under this name, or is called so now, and what has become of it; newest first."""

    async def archived(self, conversation_ids: Sequence[str]) -> frozenset[str]:
        """Those of these conversations that the owner has put away."""

    async def latest(
        self, limit: int = 10, *, since: str | None = None, until: str | None = None
    ) -> Sequence[ConversationInfo]:
        """The owner's conversations, the last updated first; with times those in which something was said then.

        Raises:
            InvalidInput: ``since`` or ``until`` is not an ISO date or time, or they are the wrong way round.
        """

    async def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        limit: int = 20,
        since: str | None = None,
        until: str | None = None,
    ) -> Page[Decision]:
        """What was decided, ruled or noted, newest first; about these words or this code, doubtful ones alone if asked.

        Raises:
            InvalidInput: ``since`` or ``until`` is not an ISO date or time, or they are the wrong way round.
        """

    async def impact(self, root: Path, revision: str | None = None) -> Impact:
        """The definitions that a commit (None: what is not committed) changes, and what was said of them.

        Raises:
            InvalidInput: git does not know the revision, or there is no repository.
        """


@runtime_checkable
class ResultReader(Protocol):
    """What earlier tool calls of one owner gave, read only."""

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call with its whole result; None where this owner has none of that uuid."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use of the turn that it runs in; given to a parameter annotated with this class.

    The owner comes from the session, never from the model's arguments. ``root`` is the project's directory,
    None where only the graph is there. ``message_id`` is the question of this turn: it is in the graph
    already, and no search of the conversation should find the question itself. ``redacted`` takes secrets out of what
    is logged. ``memories`` is what the memory's own tools work with; ``heard`` gives what the user has said here, the
    question too. ``graph`` runs Cypher of the tool's own on the agent's database. ``knowledge`` searches the
    documents that the owner reads.
    """

    owner: Owner
    root: Path | None = None
    scopes: ScopeReader | None = None
    messages: MessageReader | None = None
    results: ResultReader | None = None
    embedder: Embedder | None = None
    conversation_id: str | None = None
    message_id: str | None = None
    redacted: Callable[[str], str] = redact
    memories: object | None = None
    heard: Callable[[], Sequence[str]] = tuple
    graph: GraphQueries | None = None
    knowledge: KnowledgeReader | None = None
