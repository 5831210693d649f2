"""Two owners with the same texts in one real graph, and what can be seen of either."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import neo4j

from ragforge_memory.graph.client import plain
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.owner import Owner

MODEL, DIMENSION = "test-owners", 7
VECTOR = [1.0] + [0.0] * (DIMENSION - 1)
LABELS = (
    "Conversation",
    "Message",
    "Summary",
    "ToolCall",
    "ToolResult",
    "Scope",
    "File",
    "Project",
    "CodeAnchor",
    "Memory",
    "Document",
    "Chunk",
)


@dataclass
class Data:
    """What one owner has. Names and texts are those of everybody else of the same ``word``; uuids are its own."""

    owner: Owner
    word: str
    uuids: dict[str, list[str]] = field(default_factory=lambda: {label: [] for label in LABELS})
    has_code: bool = False

    def __post_init__(self) -> None:
        own = self._new
        self.conversation, self.deleting = own("Conversation"), own("Conversation")
        self.question, self.answer, self.unanswered = own("Message"), own("Message"), own("Message")
        self.summary = own("Summary")
        self.call, self.result = own("ToolCall"), own("ToolResult")
        self.caller, self.callee, self.only_here = own("Scope"), own("Scope"), own("Scope")
        self.anchor = own("CodeAnchor")
        self.memory = own("Memory")
        self.document, self.chunk = own("Document"), own("Chunk")
        self.file_uuid, self.project_uuid = own("File"), own("Project")
        self.token = f"lease-{uuid4().hex}"
        # A name that only this owner's code has.
        self.rare = f"rare_{uuid4().hex[:8]}"

    @property
    def file(self) -> str:
        """The same path in both projects."""
        return f"{self.word}.py"

    @property
    def source(self) -> str:
        """Where both have a document from."""
        return f"{self.word}.md"

    @property
    def session(self) -> str:
        """The same session name for both."""
        return f"session {self.word}"

    @property
    def title(self) -> str:
        """The same title for both."""
        return f"Title {self.word}"

    @property
    def root(self) -> str:
        """Where the project was ingested from."""
        return f"/somewhere/{self.owner.project}"

    @property
    def names(self) -> dict[str, str]:
        """All of the above by name, as parameters of a statement."""
        known = {name: value for name, value in vars(self).items() if isinstance(value, str)}
        known |= {name: getattr(self, name) for name in ("file", "source", "session", "title", "root")}
        return known | {"project": self.owner.project}

    def _new(self, label: str) -> str:
        uuid = uuid4().hex
        self.uuids[label].append(uuid)
        return uuid


def create(session: neo4j.Session, data: Data, *, code: bool, vectors: str) -> None:
    """Stores a conversation with three messages and a tool call, one that is being deleted, and a little code."""
    data.has_code = code
    session.run(
        """
        CREATE (c:Conversation:PendingSummary {uuid: $conversation, session_id: $session, title: $title,
          status: 'active', tags: ['t'], message_count: 3, head_seq: 3, summary: $word, summary_token: $token,
          title_source: 'provisional', created_at: datetime(), updated_at: datetime(),
          user_id: $user_id, project: $project, owner_token: $owner_token})
        CREATE (:Conversation {uuid: $deleting, title: $title, status: 'deleting', message_count: 0, head_seq: 0,
          created_at: datetime(), updated_at: datetime(), user_id: $user_id, project: $project})
        CREATE (c)-[:HAS_MESSAGE]->(q:Message:PendingEmbedding {uuid: $question, seq: 1, role: 'user', content: $word})
        CREATE (c)-[:HAS_MESSAGE]->(a:Message {uuid: $answer, seq: 2, role: 'assistant', content: $word,
          in_reply_to: $question})
        CREATE (c)-[:HAS_MESSAGE]->(u:Message:FailedEmbedding {uuid: $unanswered, seq: 3, role: 'user', content: $word})
        CREATE (c)-[:HAS_SUMMARY]->(:Summary:PendingEmbedding {uuid: $summary, conversation_id: $conversation,
          user_id: $user_id, project: $project, kind: 'rolling', level: 1, from_seq: 1, to_seq: 3, content: $word})
        FOREACH (m IN [q, a, u] | SET m.conversation_id = $conversation, m.user_id = $user_id, m.project = $project,
          m.owner_token = $owner_token, m.timestamp = datetime(), m.state = 'complete')
        CREATE (a)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: $call, message_id: $answer, index: 0, tool_name: 'look',
          arguments: '{}', success: true, timestamp: datetime()})
          -[:PRODUCED_RESULT]->(:ToolResult {uuid: $result, success: true, result: $word, timestamp: datetime()})
        """,
        data.names
        | {"user_id": data.owner.user_id, "owner_token": owner_token(data.owner.user_id, data.owner.project)},
    ).consume()
    session.run(
        """
        MATCH (q:Message {uuid: $question})
        CREATE (:Memory:Standing:PendingEmbedding {uuid: $memory, kind: 'rule', content: $word, names: $word,
          importance: 0.8, trust: 'user', is_active: true, created_at: datetime(), user_id: $user_id, project: $project,
          owner_token: $owner_token, words_key: $word, order_key: $word})-[:DERIVED_FROM]->(q)
        """,
        data.names
        | {"user_id": data.owner.user_id, "owner_token": owner_token(data.owner.user_id, data.owner.project)},
    ).consume()
    session.run(
        """
        CREATE (:Document {uuid: $document, source: $source, title: $word, format: 'text', hash: 'h', origin: 'file',
          chunks: 1, created_at: datetime(), updated_at: datetime(), user_id: $user_id, project: $project})
          -[:HAS_CHUNK]->(:Chunk:PendingEmbedding {uuid: $chunk, content: $word, heading: $word, position: '',
          created_at: datetime(), user_id: $user_id, project: $project, owner_token: $owner_token})
        """,
        data.names
        | {"user_id": data.owner.user_id, "owner_token": owner_token(data.owner.user_id, data.owner.project)},
    ).consume()
    # Conversations have theirs in a property of the same number as messages have.
    for label, uuid, name in (
        ("Message", data.question, vectors),
        ("Summary", data.summary, vectors),
        ("Memory", data.memory, vectors),
        ("Chunk", data.chunk, vectors),
        ("Conversation", data.conversation, f"summary_{vectors}"),
    ):
        session.run(
            f"MATCH (n:{label} {{uuid: $uuid}}) CALL db.create.setNodeVectorProperty(n, $name, $vector)",
            uuid=uuid,
            name=name,
            vector=VECTOR,
        ).consume()
    if not code:
        return
    session.run(
        """
        CREATE (p:Project {uuid: $project_uuid, project: $project, name: $project, rootPath: $root, revision: 1,
          ingest_token: $token, ingest_holder: 'h', ingest_until: datetime() + duration('PT1H'), head_commit: $token,
          uncommitted_files: []})
        CREATE (f:File {uuid: $file_uuid, project: $project, path: $file, hash: 'h'})-[:BELONGS_TO]->(p)
        CREATE (s:Scope:PendingEmbedding {uuid: $caller, key: 'k1', name: $word, qualified_name: 'Q.' + $word,
          docstring: $word, startLine: 1, hash: 'h1', marked: true})
        CREATE (t:Scope:FailedEmbedding {uuid: $callee, key: 'k2', name: $word + '_used',
          qualified_name: $word + '_used', startLine: 5, hash: 'h2'})
        CREATE (o:Scope {uuid: $only_here, key: 'k3', name: $rare, qualified_name: $rare, startLine: 9, hash: 'h3'})
        FOREACH (x IN [s, t, o] | SET x.project = $project, x.file = $file, x.project_token = $project_token,
          x.words = x.name, x.role = 'product')
        CREATE (s)-[:CONSUMES {lines: [2]}]->(t), (s)-[:INHERITS_FROM {lines: [1]}]->(t),
          (t)-[:HAS_PARENT {lines: []}]->(o), (s)-[:DEFINED_IN]->(f)
        CREATE (:CodeAnchor {uuid: $anchor, key: $anchor, project: $project, file: $file, name: $word,
          qualified_name: 'Q.' + $word, kind: 'function', scope_key: 'k1', start_line: 1, body_hash: 'b', sketch: '',
          status: 'fresh', at_file: $file, at_key: 'k1'})-[:RESOLVES_TO {status: 'fresh'}]->(s)
        WITH s, t
        MATCH (m:Memory {uuid: $memory}), (a:CodeAnchor {uuid: $anchor})
        CREATE (m)-[:ABOUT]->(a)
        WITH s, t
        CALL db.create.setNodeVectorProperty(s, $vectors, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        RETURN s.uuid
        """,
        data.names | {"vectors": vectors, "project_token": owner_token("", data.owner.project)},
    ).consume()


def tie(session: neo4j.Session, one: Data, other: Data) -> None:
    """Edges between the code of two projects, as no ingest makes them: a read that follows one must still stop."""
    for source, target in ((one, other), (other, one)):
        session.run(
            "MATCH (s:Scope {uuid: $source}), (t:Scope {uuid: $target}) "
            "CREATE (s)-[:CONSUMES {lines: [3]}]->(t), (s)-[:INHERITS_FROM {lines: [3]}]->(t)",
            source=source.caller,
            target=target.callee,
        ).consume()


# One statement for all labels: the tests ask thousands of times.
_ALL = "\nUNION ALL\n".join(f"MATCH (n:{label}) WHERE n.uuid IN $uuids.{label} RETURN n" for label in LABELS)
# A label that was set in the same transaction goes first: a scan of two labels finds what was deleted, and fails.
_REMOVE = f"CALL () {{ {_ALL} }} REMOVE n:PendingEmbedding DETACH DELETE n"
_SEEN = f"""CALL () {{ {_ALL} }} RETURN labels(n) AS labels, properties(n) AS properties,
  COLLECT {{ MATCH (n)-[r]-(o) RETURN [type(r), properties(r), o.uuid] }} AS edges"""


def remove(runner: neo4j.Session | neo4j.Transaction, data: Data) -> None:
    """Takes away all that this owner has."""
    runner.run(_REMOVE, uuids=data.uuids).consume()


def seen(transaction: neo4j.Transaction, data: Data) -> list[Any]:
    """All that this owner has, with its edges: any change to it shows."""
    return sorted((comparable(record.data()) for record in transaction.run(_SEEN, uuids=data.uuids)), key=repr)


@contextmanager
def undone(session: neo4j.Session) -> Iterator[neo4j.Transaction]:
    """A transaction of which nothing is kept."""
    transaction = session.begin_transaction(timeout=60)
    try:
        yield transaction
    finally:
        if not transaction.closed():
            transaction.rollback()


# Scores of words depend on how many documents of anybody have them; times on when the test runs.
_VOLATILE = frozenset({"score", "scores", "created_at", "updated_at", "read_at"})


def comparable(value: Any) -> Any:
    """A result without what differs from run to run; lists in an order of their own."""
    value = plain(value)
    if isinstance(value, Mapping):
        return {key: comparable(item) for key, item in sorted(value.items()) if key not in _VOLATILE}
    if isinstance(value, list | tuple):
        return sorted((comparable(item) for item in value), key=repr)
    return value


# --- owner filters in a statement's text ------------------------------------------------------------------------------

_FILTER = re.compile(r"\b\w+\.(?:user_id|project) (?:= \$(?:user_id|project)\b|IN \[\$(?:user_id|project), ''\])")
_IN_PATTERN = re.compile(r"\b(?:user_id|project): \$(?:user_id|project)(?:, )?")
_CLAUSE = re.compile(r"\b(WHERE|SET|MATCH|MERGE|WITH|RETURN|CREATE|ON CREATE SET)\b")
_SEARCH = re.compile(r"\bSEARCH \w+ IN \([^\n]* LIMIT ")


@dataclass(frozen=True)
class Mutation:
    """A statement without one of its owner filters; ``place`` names the filter.

    ``opened`` is a parameter that must be true for that: the server then plans all such mutations of a statement as
    one text, which takes longer than to run them. Where it is None the filter is gone from the text.
    """

    place: str
    text: str
    opened: str | None = None


def mutations(text: str) -> list[Mutation]:
    """The statement once for each of its owner filters, with that filter gone."""
    gone, conditions = [], []
    for match in (*_FILTER.finditer(text), *_IN_PATTERN.finditer(text)):
        clauses = _CLAUSE.findall(text[: match.start()])
        if not clauses or clauses[-1] not in ("WHERE", "MATCH", "MERGE"):
            continue  # an assignment, not a filter
        start, end = match.span()
        line = text.count("\n", 0, start) + 1
        place = f"line {line}: {match.group().strip(', ')}"
        if match.re is _IN_PATTERN:
            gone.append(Mutation(place, text[:start] + text[end:]))
        elif any(search.start() < start < search.end() for search in _SEARCH.finditer(text)):
            # inside SEARCH there are no other conditions than comparisons
            if text.startswith(" AND ", end):
                end += len(" AND ")
            else:
                start -= len(" AND ") if text.endswith(" AND ", 0, start) else len(" WHERE ")
            gone.append(Mutation(place, text[:start] + text[end:]))
        else:
            conditions.append((place, start, end))
    opened = text
    for number, (_, start, end) in reversed(list(enumerate(conditions))):
        opened = f"{opened[:start]}(${OPENED}{number} OR {opened[start:end]}){opened[end:]}"
    return [Mutation(place, opened, f"{OPENED}{number}") for number, (place, *_) in enumerate(conditions)] + gone


OPENED = "opened_"
