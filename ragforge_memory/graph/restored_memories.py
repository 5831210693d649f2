"""Writing the memories of an archive: found by what the owner who takes them in finds his own by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.memories import STANDING_TYPES, MemoryStore, NewFact, normal_type
from ragforge_memory.graph.text import owner_token, terms
from ragforge_memory.models import archive
from ragforge_memory.models.memory import Trust

Rows = Sequence[dict[str, Any]]

# Of what messages state there is one with the same words.
_STATED = frozenset({"note", "decision", "rule", "todo"})


def lays_down(each: archive.Memory) -> bool:
    """Whether it is a rule or a preference, which only the user or the agent who heard the user lays down."""
    return each.kind == "rule" or (each.kind == "fact" and normal_type(each.type or "") in STANDING_TYPES)


class RestoredMemories(MemoryStore):
    """Writes memories of an archive for one owner; the keys are those of `MemoryStore`."""

    _timeout = PATIENT_TIMEOUT

    def row(self, each: archive.Memory, made: dict[str, Any], anchors: Sequence[str]) -> dict[str, Any]:
        """A memory as `restore_memories` takes it.

        Args:
            each: as the archive has it.
            made: of `restore_rows.Rows.memory`, without secrets.
            anchors: the keys here of those that it is about.
        """
        properties: dict[str, Any] = made["properties"]
        keys = self._keys(properties, everywhere=each.everywhere)
        return {
            **made,
            **keys,
            "other": self._other(each.uuid),
            "version": self._other(f"{each.uuid}/{made['changed_at']}"),
            "versions": [{**one, "other": self._other(one["uuid"])} for one in made["versions"]],
            "now": properties.get("value", properties["content"]) if each.is_active else None,
            "stands": keys["stands"] and each.is_active,
            "anchors": list(anchors),
        }

    async def write(self, rows: Rows) -> list[dict[str, Any]]:
        """Writes memories; returns for each its ``uuid`` in the archive, the one that it has ``here``, and whether it
        is ``new``."""
        return await self._write("restore_memories", user=self._owner["user_id"], memories=rows)

    async def supersede(self, rows: Rows) -> list[dict[str, Any]]:
        """Has memories (``uuid``) be history of ``later`` ones; returns the rows of which one is not here."""
        if not rows:
            return []
        given = [{**row, "number": number} for number, row in enumerate(rows)]
        [done] = await self._write("restore_superseded", user=self._owner["user_id"], rows=given)
        return [row for number, row in enumerate(rows) if number not in set(done["numbers"])]

    def _keys(self, properties: dict[str, Any], *, everywhere: bool) -> dict[str, Any]:
        """What it is found by, and of which project it is; what full text finds goes into its properties."""
        trust: Trust = properties.get("trust") or "tool"
        type_, key, value = (properties.get(name) or "" for name in ("type", "key", "value"))
        if properties["kind"] == "fact" and type_ and key and value:
            row = self._fact_row(NewFact(type_, key, value, 1.0, trust=trust, source=""))
            properties |= {name: row["properties"][name] for name in ("names", "terms", "type", "key")}
        else:
            row = self._row({"uuid": "", "importance": None, **properties, "trust": trust}, None)
            properties["terms"] = f"{terms(properties['content'])} {properties.get('words') or ''}".rstrip()
            row["project"] = "" if everywhere else row["project"]
            if properties["kind"] not in _STATED:
                row["words_key"] = None
        token = owner_token(self._owner["user_id"], row["project"])
        return {name: row.get(name) for name in ("fact_key", "words_key", "order_key", "project", "stands")} | {
            "owner_token": token
        }

    def _other(self, uuid: str) -> str:
        return uuid5(NAMESPACE_OID, f"{self._token}/{uuid}").hex
