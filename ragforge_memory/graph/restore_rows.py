"""From the records of an archive to the rows that the graph is given: uuids rewritten, secrets out, JSON as text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.receipts import prompt_uuid
from ragforge_memory.graph.records import to_json
from ragforge_memory.graph.text import terms
from ragforge_memory.models import archive
from ragforge_memory.models.owner import Owner

Redact = Callable[[Any], Any]

# What is not a property of the node itself.
_HANGING = frozenset(
    {"uuid", "source_uuid", "other", "verbatim", "embedding", "important", "tool_calls", "references", "anchored"}
    | {"used", "merged_from", "corrects", "reads", "reused_from", "messages", "summaries", "anchors", "prompts"}
    | {"insights", "lineage", "branch", "last_message_id", "stands", "remembered"}
    | {"versions", "superseded_by", "everywhere", "message_ids"}
)
# What may hold what somebody wrote. A session and all else that something is found by stay as they were given.
_WRITTEN = frozenset(
    {"content", "reasoning", "tool_name", "arguments", "result", "error", "usage", "metadata", "title", "summary"}
    | {"tags", "task", "schema", "data", "claim", "value", "topic", "old_value", "new_value", "detail"}
)


class Names:
    """Uuids as they are here: as they were in the archive, or new ones where those are somebody's already.

    A new one is a hash of the old with a salt, so that only which ones are new is remembered. A file may have the same
    conversation several times: see `copy`.
    """

    def __init__(self) -> None:
        self._salt = uuid4().bytes
        self._renamed: dict[str, bytes] = {}
        self._changes = 0

    def __len__(self) -> int:
        """How often one was renamed."""
        return self._changes

    def copy(self, uuids: Collection[str]) -> None:
        """Gives these conversations new ones; where one has another copy already, this and what is renamed after it get
        others than that has."""
        if not self._renamed.keys().isdisjoint(uuids):
            self._salt = uuid4().bytes
        self.rename(uuids)

    def rename(self, uuids: Iterable[str]) -> None:
        """Gives these new ones from now on."""
        for uuid in uuids:
            if self._renamed.get(uuid) is not self._salt:
                self._renamed[uuid] = self._salt
                self._changes += 1

    def now(self, uuid: str) -> str:
        """What a uuid of the archive is here."""
        salt = self._renamed.get(uuid)
        return uuid if salt is None else _hashed(salt, uuid)

    def made(self, uuid: str) -> str:
        """The new uuid in the place of an old one, remembered or not."""
        return _hashed(self._salt, uuid)

    def renamed(self, uuid: str) -> bool:
        """Whether this one got a new one."""
        return uuid in self._renamed


def _hashed(salt: bytes, uuid: str) -> str:
    return hashlib.sha256(salt + uuid.encode()).hexdigest()[:32]


class Rows:
    """Makes rows for one owner.

    Args:
        names: uuids as they are here.
        owner: whose the rows become.
        redact: takes secrets out.
    """

    def __init__(self, names: Names, owner: Owner, redact: Redact) -> None:
        self._names = names
        self._owner = owner
        self._redact = redact
        self._prompts: dict[str, str] = {}

    def message(self, each: archive.Message, *, vector: bool = False) -> dict[str, Any]:
        """A message with its tool calls; with its ``vector``, where that is of the project's space."""
        whole = self._names.renamed(each.uuid)
        properties = self._properties(each, {"timestamp"})
        content = properties.get("content")
        if isinstance(content, str):
            properties["terms"] = terms(content)
        if each.in_reply_to is not None:
            properties["in_reply_to"] = self._names.now(each.in_reply_to)
        if isinstance(each.receipt, dict):
            properties["receipt"] = self._receipt(each.receipt, properties["receipt"])
        properties["uuid"] = self._names.now(each.uuid)
        return {
            "properties": properties,
            "timestamp": each.timestamp,
            "important": each.important,
            "stated": (each.kind is not None or bool(each.corrects)) and not each.remembered,
            "worded": not isinstance(content, str) or bool(content.strip()),
            "vector": each.embedding if vector else None,
            "tool_calls": tuple([self._call(call, new=whole) for call in each.tool_calls]),
        }

    def summary(self, each: archive.Summary) -> dict[str, Any]:
        """A summary with what it summarises."""
        return {
            "uuid": self._names.now(each.uuid),
            "kind": each.kind,
            "level": each.level,
            "from_seq": each.from_seq,
            "properties": self._properties(each, {"created_at", "kind", "level", "from_seq"}),
            "created_at": each.created_at,
            "messages": [self._names.now(uuid) for uuid in each.messages],
            "summaries": [self._names.now(uuid) for uuid in each.summaries],
        }

    def insight(self, each: archive.Insight) -> dict[str, Any]:
        """What an analysis found."""
        properties = self._properties(each, {"created_at"})
        return {"uuid": self._names.now(each.uuid), "properties": properties, "created_at": each.created_at}

    def memory(self, each: archive.Memory) -> dict[str, Any]:
        """A memory but for what it is found by; what it comes from is called as it is here."""
        times = {"created_at", "last_used_at", "archived_at", "expires_at", "due_at", "valid_from", "valid_to"}
        properties = {**self._properties(each, times), "is_active": each.is_active, "source_uuid": each.source_uuid}
        if each.message_ids is not None:
            properties["message_ids"] = [self._names.now(uuid) for uuid in each.message_ids]
        versions = [(one, self._properties(one, {"changed_at"})) for one in each.versions]
        return {
            "uuid": each.uuid,
            "properties": properties,
            **{name: getattr(each, name) for name in sorted(times)},
            "changed_at": each.archived_at or each.valid_from or each.created_at,
            "messages": [self._names.now(uuid) for uuid in each.messages],
            "versions": [
                {"uuid": one.uuid, "properties": found, "changed_at": one.changed_at} for one, found in versions
            ],
            "before": [found.get("old_value") for _, found in versions],
        }

    def prompt(self, each: archive.Prompt) -> dict[str, Any]:
        """A text that prompts share: its uuid is a hash of the owner and the text, and receipts follow it."""
        text = self._redact(each.text)
        uuid = prompt_uuid(self._owner, text)
        self._prompts[each.uuid] = uuid
        return {"uuid": uuid, "text": text, "created_at": each.created_at}

    def anchor(self, each: archive.Anchor, *, key: str, uuid: str) -> dict[str, Any]:
        """An anchor under the key that it has in this project."""
        stands = each.stands
        properties = self._properties(each, {"key", "first_seen", "checked_at"})
        standing = stands.model_dump(exclude={"scope", "checked_at"}, exclude_none=True) if stands else {}
        return {
            "key": key,
            "uuid": uuid,
            "properties": properties,
            "first_seen": each.first_seen,
            "checked_at": each.checked_at,
            "scope": stands.scope.model_dump() if stands else {},
            "stands": standing,
            "stood_at": stands.checked_at if stands else None,
        }

    def conversation(self, head: archive.ConversationHead, *, messages: int) -> dict[str, Any]:
        """A conversation as `finish_restore` takes it; ``messages`` are its own that are in the graph."""
        times = {"created_at", "updated_at", "branched_at", "summary_until"}
        properties = self._properties(head, {*times, "status"})
        properties["status"] = "deleting" if head.status == "shared" else head.status
        if head.status == "shared":
            properties["kept_to"] = properties["swept_to"] = head.kept_to or 0
        else:
            properties |= {"head_seq": properties.get("head_seq") or 0, "message_count": messages}
        if head.lineage:
            properties["lineage_ids"] = [self._names.now(part.conversation_id) for part in head.lineage]
            properties["lineage_tops"] = [part.top for part in head.lineage]
        return {
            "uuid": self._names.now(head.uuid),
            "properties": properties,
            "messages": messages,
            "branch": self._branch(head),
            **{name: getattr(head, name) for name in sorted(times)},
        }

    def _branch(self, head: archive.ConversationHead) -> dict[str, Any]:
        """The edge that leads here: a delete keeps what it leads to. Where the archive has none it is made."""
        branch = head.branch
        if branch is None:
            if not head.lineage:
                return {}
            branch = archive.Branch(parent=head.lineage[-1].conversation_id, from_seq=head.lineage[-1].top)
        properties: dict[str, Any] = {} if branch.from_seq is None else {"from_seq": branch.from_seq}
        if branch.from_message_id is not None:
            properties["from_message_id"] = self._names.now(branch.from_message_id)
        return {"parent": self._names.now(branch.parent), "properties": properties}

    def _call(self, call: archive.ToolCall, *, new: bool) -> dict[str, Any]:
        results = [] if call.result is None else [call.result]
        if new:
            self._names.rename(each.uuid for each in (call, *results))
        properties = self._properties(call, {"timestamp", "result"})
        properties["uuid"] = self._names.now(call.uuid)
        return {
            "properties": properties,
            "timestamp": call.timestamp,
            "results": [self._result(each) for each in results],
        }

    def _result(self, result: archive.ToolResult) -> dict[str, Any]:
        properties = self._properties(result, {"timestamp"})
        properties["uuid"] = self._names.now(result.uuid)
        return {"properties": properties, "timestamp": result.timestamp}

    def _receipt(self, receipt: Mapping[str, Any], text: str) -> str:
        shared = {name: str(receipt.get(name)) for name in ("instructions", "tools")}
        renamed = {name: self._prompts.get(uuid, uuid) for name, uuid in shared.items()}
        if isinstance(receipt.get("compression"), str):
            renamed["compression"] = self._names.now(receipt["compression"])
        changed = {name: value for name, value in renamed.items() if name in receipt and receipt[name] != value}
        return to_json({**receipt, **changed}) if changed else text

    def _properties(self, node: archive.Node, apart: set[str]) -> dict[str, Any]:
        """What the node has as the graph keeps it; ``apart`` is given to the statement by itself."""
        found: dict[str, Any] = {}
        aliases = _aliases(type(node))
        for name in node.model_fields_set - _HANGING - apart:
            value = getattr(node, name)
            name = aliases.get(name, name)
            if value is None:
                continue
            if name in _WRITTEN:
                value = self._redact(value)
            elif name == "provider_parts" and self._redact(value) != value:
                continue  # verbatim or not at all: a vendor refuses parts that were changed
            found[name] = to_json(value) if name in archive.JSON_PROPERTIES else value
        found |= {name: self._redact(text) for name, text in node.verbatim.items()}
        found |= {name: _further(value) for name, value in self._redact(node.other).items()}
        if node.source_uuid is not None:
            found["source_uuid"] = node.source_uuid
        if self._names.renamed(node.uuid):
            found["source_uuid"] = node.uuid
        return found


@cache
def _aliases(model: type[archive.Node]) -> dict[str, str]:
    return {name: field.alias for name, field in model.model_fields.items() if field.alias}


def _further(value: Any) -> Any:
    if not isinstance(value, archive.Moment):
        return value
    from neo4j.time import DateTime

    return DateTime.from_iso_format(value.datetime.partition("[")[0])
