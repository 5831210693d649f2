"""Reading conversations whole, for an archive: every property and edge, in batches that memory holds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from pydantic import ValidationError

from ragforge_memory.errors import ConversationFileError, conversation_gone
from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import to_json
from ragforge_memory.graph.spaces import Space, find_space
from ragforge_memory.models import archive
from ragforge_memory.models.lineage import Lineage, Part
from ragforge_memory.models.text import DEEPEST, is_deep

N = TypeVar("N", bound=archive.Node)

# What one read may bring: whichever is reached first.
_BATCH_MESSAGES = 500
_BATCH_CHARACTERS = 4_000_000
_BATCH_MEMORIES = 200

# Made anew by whoever takes the archive in: owners, places, what is made of the content, work to do, leases.
_LEFT_OUT = frozenset(
    {"user_id", "project", "owner_token", "conversation_id", "message_id", "tool_call_id", "terms", "has_text"}
    | {"lineage_ids", "lineage_tops", "swept_to", "file_path", "summary_token", "insight_token", "insight_until"}
    | {"attempts", "attempt", "import_token", "import_until", "import_step", "import_holder", "restored_at"}
)


class ArchiveStore(OwnerStore):
    """Reads the conversations of one owner for an archive."""

    _timeout = PATIENT_TIMEOUT

    async def space(self) -> Space | None:
        """Where the vectors of the owner's project are; None where there are none."""
        return await find_space(self._client, self._owner["project"])

    async def family(self, uuid: str) -> tuple[Lineage, list[str]]:
        """What a conversation was branched from, as far as it shares it, and the branches made of it, parents first.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
        """
        rows = await self._read("archive_family", conversation_id=uuid)
        if not rows:
            raise conversation_gone(uuid)
        return tuple(Part(part["id"], int(part["top"])) for part in rows[0]["lineage"]), list(rows[0]["branches"])

    async def all(self) -> list[str]:
        """Every conversation of the owner, parents before their branches."""
        return [row["uuid"] for row in await self._read("archive_conversations")]

    async def head(self, uuid: str, *, top: int | None = None, space: Space | None = None) -> archive.ConversationHead:
        """A conversation without its messages.

        Args:
            top: only what others share of it: the messages up to there; None: all of it.
            space: whose vectors come along; None: none.

        Raises:
            ConversationNotFound: it is gone.
        """
        vector = space.conversation_property if space else None
        rows = await self._read("archive_conversation", conversation_id=uuid, vector=vector, last=top)
        if not rows:
            raise conversation_gone(uuid)
        row = rows[0]
        found = {name: value for name, value, _ in row["properties"]}
        lineage = zip(found.get("lineage_ids") or (), found.get("lineage_tops") or (), strict=True)
        more: dict[str, Any] = {
            "lineage": [{"conversation_id": part, "top": seq} for part, seq in lineage],
            "branch": _given(row["branch"]) if row["branch"] else None,
            "last_message_id": row["last_message_id"],
            "embedding": row["vector"],
        }
        if top is None:
            more["status"] = "shared" if found.get("status") == "deleting" else found.get("status") or "active"
            return _node(archive.ConversationHead, row["properties"], more)
        kept = {"uuid", "created_at", "updated_at"}
        more = {**more, "status": "shared", "head_seq": top, "kept_to": top, "embedding": None}
        return _node(archive.ConversationHead, [each for each in row["properties"] if each[0] in kept], more)

    async def messages(
        self, uuid: str, *, last: int, space: Space | None = None, memories: bool = False
    ) -> AsyncIterator[list[archive.Message]]:
        """A conversation's own messages up to and with ``last``, in batches of at most 500 and some 4 MB.

        Args:
            uuid: the conversation.
            last: a seq.
            space: whose vectors come along; None: none.
            memories: whether what is remembered of them is read behind them, so that they say that they are.

        Raises:
            ConversationNotFound: it was deleted meanwhile.
            ConversationFileError: texts of it are in files that are lost, or that this client does not read.
        """
        after = 0
        while True:
            sizes = await self._read(
                "archive_sizes", conversation_id=uuid, after=after, last=last, limit=_BATCH_MESSAGES
            )
            if not sizes:
                if after < last:
                    await self.head(uuid)  # a message is missing, or the whole conversation was deleted meanwhile
                return
            for end in _ends(sizes):
                rows = await self._read(
                    "archive_messages", conversation_id=uuid, after=after, last=end, vector=space and space.property
                )
                yield [_message(row, memories=memories) for row in rows]
                after = end

    async def anchors(self, uuid: str, *, last: int) -> list[archive.Anchor]:
        """The anchors that its messages up to ``last`` stand on."""
        return [_anchor(row) for row in await self._read("archive_anchors", conversation_id=uuid, last=last)]

    async def prompts(self, uuid: str, *, last: int) -> list[archive.Prompt]:
        """What the prompts of its answers share."""
        rows = await self._read("archive_prompts", conversation_id=uuid, last=last)
        return [archive.Prompt(**_given(row)) for row in rows]

    async def summaries(self, uuid: str, *, last: int, space: Space | None = None) -> list[archive.Summary]:
        """Its summaries of what is not behind ``last``."""
        rows = await self._read("archive_summaries", conversation_id=uuid, last=last, vector=space and space.property)
        names = ("messages", "summaries")
        return [
            _node(archive.Summary, row["properties"], {**{n: row[n] for n in names}, "embedding": row["vector"]})
            for row in rows
        ]

    async def insights(self, uuid: str) -> list[archive.Insight]:
        """What analyses found in it."""
        rows = await self._read("archive_insights", conversation_id=uuid)
        return [_node(archive.Insight, row["properties"], {}) for row in rows]

    async def memories(self) -> AsyncIterator[list[archive.Memory]]:
        """What the owner remembers, here and in every project, the oldest first, in batches."""
        uuids = [row["uuid"] for row in await self._read("archive_owned_memories")]
        for start in range(0, len(uuids), _BATCH_MEMORIES):
            rows = await self._read("archive_memories", uuids=uuids[start : start + _BATCH_MEMORIES])
            yield [_memory(row) for row in rows]


def _ends(sizes: Sequence[Mapping[str, int]]) -> Iterator[int]:
    """The last seq of each batch."""
    characters = 0
    for before, each in zip((None, *sizes), sizes, strict=False):
        if before is not None and characters + each["characters"] > _BATCH_CHARACTERS:
            yield before["seq"]
            characters = 0
        characters += each["characters"]
    yield sizes[-1]["seq"]


def _message(row: dict[str, Any], *, memories: bool) -> archive.Message:
    given = {name: value for name, value, _ in row["properties"]}
    if given.get("content") is None:
        raise ConversationFileError(
            f"the text of message {given.get('uuid')} is not in the graph: it is in files",
            hint="set agent.memory.persistence.type to files",
        )
    return _node(
        archive.Message,
        row["properties"],
        {
            "important": row["important"] or None,
            "tool_calls": [_call(call) for call in row["tool_calls"]],
            "references": [_given(tie) | {"scope": _given(tie["scope"])} for tie in row["references"]],
            "anchored": [_given(tie) for tie in row["anchored"]],
            "used": [_given(used) for used in row["used"]],
            "merged_from": [_given(merged) for merged in row["merged_from"]],
            "corrects": [_given(each) for each in row["corrects"]],
            "remembered": (memories and not row["pending"] and _is_stated(given.get("kind"), row["corrects"])) or None,
            "embedding": row["vector"],
        },
    )


def _call(row: dict[str, Any]) -> archive.ToolCall:
    result = _node(archive.ToolResult, row["result"], {}) if row["result"] else None
    more = {"result": result, "reads": [_given(read) for read in row["reads"]], "reused_from": row["reused_from"]}
    return _node(archive.ToolCall, row["properties"], more)


def _is_stated(kind: str | None, corrects: Sequence[Any]) -> bool:
    return kind is not None or bool(corrects)


def _memory(row: dict[str, Any]) -> archive.Memory:
    more = {
        "everywhere": row["everywhere"] or None,
        "messages": row["messages"],
        "versions": [_node(archive.MemoryVersion, each, {}) for each in row["versions"]],
        "superseded_by": [_given(each) for each in row["superseded_by"]],
        "anchors": [_anchor(each) for each in row["anchors"]],
    }
    return _node(archive.Memory, row["properties"], more)


def _anchor(row: dict[str, Any]) -> archive.Anchor:
    return _node(archive.Anchor, row["properties"], {"stands": _standing(row["stands"])})


def _standing(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else _given(row) | {"scope": _given(row["scope"])}


def _node(model: type[N], pairs: Sequence[Sequence[Any]], more: Mapping[str, Any]) -> N:
    """A node of its properties, each (name, value, whether it is a time), and of what hangs on it.

    What the model does not know, or knows otherwise (another tool's graph), is kept among ``other``.
    """
    values: dict[str, Any] = {name: value for name, value in more.items() if value is not None and value != []}
    verbatim: dict[str, str] = {}
    other: dict[str, Any] = {}
    known = {field.alias or name for name, field in model.model_fields.items()}
    for name, value, is_time in pairs:
        if name in _LEFT_OUT or name in values:
            continue
        if name in archive.JSON_PROPERTIES and name in known and isinstance(value, str):
            _put_json(name, value, values, verbatim)
        elif name in known:
            values[name] = value
        elif value is not None:
            other[name] = {"datetime": value} if is_time else value
    values |= {name: kept for name, kept in (("verbatim", verbatim), ("other", other)) if kept}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        odd = {str(each["loc"][0]) for each in error.errors()} & {name for name, _, _ in pairs}
        times = {name for name, _, is_time in pairs if is_time}
        other |= {name: {"datetime": values[name]} if name in times else values[name] for name in odd}
        kept = {name: value for name, value in values.items() if name not in odd | {"other"}}
        for more in (other, {name: value for name, value in other.items() if name not in model.relied_on}):
            with suppress(ValidationError):
                return model.model_validate({**kept, "other": more})
        return model.model_validate(kept)  # a point, a duration: nothing of ours


def _put_json(name: str, text: str, values: dict[str, Any], verbatim: dict[str, str]) -> None:
    """As a value where that is written back letter by letter, else as the text that it is."""
    try:
        value = json.loads(text)
        exact = value is not None and to_json(value) == text and json.dumps(value, allow_nan=False)
        # Most have fewer brackets than levels are allowed: those need not be walked through.
        if exact and (text.count("[") + text.count("{") <= DEEPEST or not is_deep(value)):
            values[name] = value
            return
    except (ValueError, RecursionError):
        pass
    verbatim[name] = text


def _given(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
