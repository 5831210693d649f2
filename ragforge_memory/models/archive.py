"""An archive of conversations as values: what is written, what is checked when it is read, and the published schema.

A document is one JSON object. In a file of lines each record is a line of its own, with ``record`` saying which: the
archive's head, then for each conversation itself, its anchors, prompts, messages, summaries and insights, and its end;
behind all conversations what is remembered.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from ragforge_memory.models.archive_edges import (
    Anchored,
    Corrects,
    Merged,
    Read,
    Reference,
    Used,
)
from ragforge_memory.models.archive_memories import Anchor, Memory, MemoryVersion
from ragforge_memory.models.archive_values import (
    JSON_PROPERTIES,
    Int,
    Json,
    Metadata,
    Moment,
    Node,
    Record,
    Seq,
    Tags,
    Time,
    Uuid,
)

__all__ = [
    "JSON_PROPERTIES",
    "Anchor",
    "Memory",
    "MemoryVersion",
    "Merged",
    "Moment",
    "Node",
    "Record",
    "Reference",
    "Used",
]

FORMAT: Final = "ragforge-memory archive"
"""What a document and the first line of a file say that they are."""

VERSION: Final = 1
"""The version of this schema; it grows with every change that an older release could not read."""


class ToolResult(Node):
    """What a tool gave."""

    success: bool | None = None
    result: Json = Field(None, description="the JSON value")
    error: str | None = None
    timestamp: Time | None = None
    result_size_bytes: Int | None = None
    truncated: bool | None = None


class ToolCall(Node):
    """A tool that was called, with its result."""

    index: Int | None = None
    tool_name: str | None = None
    arguments: Json = Field(None, description="the JSON value")
    timestamp: Time | None = None
    duration_ms: Int | None = None
    success: bool | None = None
    iteration: Int | None = None
    result: ToolResult | None = None
    reads: tuple[Read, ...] = Field(default_factory=tuple)
    reused_from: str | None = None


class Message(Node):
    """A message; ``seq`` is its place, in the conversation and in all that was branched from it."""

    relied_on = frozenset({"role", "content"})

    seq: Annotated[Seq, Field(ge=1)]
    role: str
    content: str | list[str]
    reasoning: str | None = None
    timestamp: Time | None = None
    token_count: Int | None = None
    state: str | None = None
    in_reply_to: str | None = None
    model: str | None = None
    usage: Json = None
    provider_parts: Json = Field(None, description="what the provider sent, verbatim")
    importance: float | None = None
    important: bool = Field(False, description="whether it has the label Important")
    trust: str | None = None
    kind: str | None = Field(None, description="note, decision, rule or todo")
    echo: bool | None = Field(None, description="whether it only quotes what was said")
    metadata: Json = None
    receipt: Json = Field(None, description="what the answer was given, without a word of text")
    source_hash: str | None = Field(None, description="how much another program had said of it: lengths and hashes")
    tool_calls: tuple[ToolCall, ...] = Field(default_factory=tuple)
    references: tuple[Reference, ...] = Field(default_factory=tuple)
    anchored: tuple[Anchored, ...] = Field(default_factory=tuple)
    used: tuple[Used, ...] = Field(default_factory=tuple)
    merged_from: tuple[Merged, ...] = Field(default_factory=tuple, description="conversations that it brought in")
    corrects: tuple[Corrects, ...] = Field(default_factory=tuple, description="what it is said against")
    remembered: bool = Field(False, description="what it states is among the archive's memories, or was taken back")
    embedding: list[float] | None = None


class Prompt(Record):
    """What the prompts of many turns share; receipts name it by its uuid."""

    uuid: Uuid
    text: str
    created_at: Time | None = None


class Summary(Node):
    """A summary, with what it summarises."""

    relied_on = frozenset({"kind", "level", "from_seq", "to_seq", "content"})

    kind: str = "rolling"
    level: Int = 1
    from_seq: Seq
    to_seq: Seq
    content: str
    token_count: Int | None = None
    tokens_saved: Int | None = None
    created_at: Time | None = None
    model: str | None = None
    messages: tuple[Uuid, ...] = Field(default_factory=tuple)
    summaries: tuple[Uuid, ...] = Field(default_factory=tuple)
    embedding: list[float] | None = None


class Insight(Node):
    """What an analysis found."""

    model_config = ConfigDict(populate_by_name=True)

    key: str = Field(description="which analysis it is: a conversation has one insight of each")
    task: str | None = None
    schema_: Json = Field(None, alias="schema")
    data: Json = None
    to_seq: Int | None = None
    created_at: Time | None = None
    model: str | None = None


class Part(Record):
    """The messages of another conversation, up to and with one, that this one begins with."""

    conversation_id: Uuid
    top: Seq


class Branch(Record):
    """The edge HAS_BRANCH that leads here."""

    parent: Uuid
    from_seq: Seq | None = None
    from_message_id: str | None = None


class ConversationHead(Node):
    """A conversation without its messages.

    Of one that is ``shared`` the archive has the first messages alone, up to ``kept_to``, which branches begin with.
    """

    relied_on = frozenset(
        {"message_count", "token_total", "compressed_total"}
        | {"summary_seq", "summarized_seq", "extracted_seq", "summary_attempts"}
    )

    status: Literal["active", "archived", "shared"] = "active"
    session_id: str | None = None
    title: str | None = None
    title_source: str | None = None
    summary: str | None = None
    summary_seq: Seq | None = None
    tags: Tags | None = None
    message_count: Seq | None = None
    head_seq: Seq = 0
    kept_to: Seq | None = None
    token_total: Int | None = None
    compressed_total: Int | None = None
    lineage: tuple[Part, ...] = Field(default_factory=tuple)
    branch: Branch | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
    branched_at: Time | None = None
    summarized_seq: Seq | None = None
    extracted_seq: Seq | None = None
    summary_attempts: Int | None = None
    summary_until: Time | None = None
    metadata: Metadata = None
    last_message_id: str | None = Field(None, description="of its own messages in the archive, the last")
    embedding: list[float] | None = None


class Conversation(ConversationHead):
    """A conversation with all that hangs on it."""

    anchors: tuple[Anchor, ...] = Field(default_factory=tuple)
    prompts: tuple[Prompt, ...] = Field(default_factory=tuple)
    messages: tuple[Message, ...] = Field(default_factory=tuple)
    summaries: tuple[Summary, ...] = Field(default_factory=tuple)
    insights: tuple[Insight, ...] = Field(default_factory=tuple)


class Space(Record):
    """Whose vectors ``embedding`` are."""

    model: str
    dimension: Annotated[int, Field(ge=1)]


class Owner(Record):
    """Whose conversations were archived; '' is none."""

    user_id: str = ""
    project: str = ""


class Head(Record):
    """What an archive is."""

    format: Literal["ragforge-memory archive"] = FORMAT
    version: Literal[1] = VERSION
    library: str = ""
    exported_at: Time | None = None
    owner: Owner = Owner()
    embeddings: Space | None = None


class Document(Head):
    """An archive of one conversation, with what it was branched from and the branches that were made of it.

    ``conversation`` is the uuid of the one that was asked for; parents stand before their branches.
    """

    conversation: Uuid
    conversations: Annotated[list[Conversation], Field(min_length=1)]


class End(Record):
    """The end of a conversation in a file of lines: how much of it there was.

    ``dropped``: it was deleted while it was written; nothing of it counts.
    """

    uuid: Uuid
    messages: Seq = 0
    summaries: Seq = 0
    dropped: bool = False


class Done(Record):
    """The last line of a file: how many conversations and memories it has."""

    conversations: Seq
    memories: Seq = 0


LINES: dict[str, type[Record]] = {
    "archive": Head,
    "conversation": ConversationHead,
    "anchor": Anchor,
    "prompt": Prompt,
    "message": Message,
    "summary": Summary,
    "insight": Insight,
    "end": End,
    "memory": Memory,
    "done": Done,
}
"""What ``record`` says in a line, and what the rest of the line is then."""


def archive_schema() -> dict[str, Any]:
    """The JSON Schema of a document; its ``$defs`` have the records of a file of lines too, by `LINES`."""
    schema = Document.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs")
    for model in (Head, End, Done, ConversationHead, Memory):
        made = model.model_json_schema(by_alias=True)
        definitions.update(made.pop("$defs", {}))
        definitions[model.__name__] = made
    lines = {
        name: {"allOf": [{"$ref": f"#/$defs/{model.__name__}"}], "description": f'a line with "record": "{name}"'}
        for name, model in LINES.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Archive of conversations of ragforge-memory",
        **{key: value for key, value in schema.items() if key != "title"},
        "$defs": {**dict(sorted(definitions.items())), "lines": lines},
    }
