"""Search by words where the texts are in files: the files rank, the graph says where each message is and what fits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.filed.directory import TextDirectory
from ragforge_memory.graph.filed.reading import file_lost
from ragforge_memory.graph.filed.words import Ranked
from ragforge_memory.graph.text import asked_words

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]

# Messages that the graph is asked about at once, the best first: as many as are wanted, and then more where filters
# leave them out.
_AT_MOST_AT_ONCE = 2_000
_EVERYTHING: dict[str, Any] = {"role": None, "since": None, "until": None, "tool": None}


async def in_history(client: GraphClient, texts: TextDirectory, given: Mapping[str, Any]) -> Rows:
    """The rows of ``search_history_text``."""
    scope = {name: given[name] for name in ("conversation_id", "user_id", "project")}
    rows = await client.read("filed_lineage", **scope)
    if not rows:
        return []
    lineage = rows[0]["lineage"]
    ranked = await asyncio.to_thread(texts.rank, [part[0] for part in lineage], _words(given))
    await _tell_of_lost(client, texts, [part[0] for part in lineage], given)
    places, scores = await _placed(client, "history", ranked, given, scope, given["limit"])
    return [{**_columns(places, scores), "lineage": lineage}]


async def in_all(client: GraphClient, texts: TextDirectory, given: Mapping[str, Any]) -> Rows:
    """The rows of ``search_owner_text``."""
    scope = {name: given[name] for name in ("user_id", "project", "tags")}
    found = await client.read("filed_conversations", **scope)
    ranked = await asyncio.to_thread(texts.rank, [row["uuid"] for row in found], _words(given))
    await _tell_of_lost(client, texts, [row["uuid"] for row in found if row["filed"]], given)
    places, scores = await _placed(client, "owner", ranked, given, scope, given["limit"])
    return [
        {
            **_columns(places, scores),
            "conversations": [place["conversation_id"] for place in places],
            "hidden": sorted({place["conversation_id"] for place in places if place["hidden"]}),
        }
    ]


async def before_the_recent(client: GraphClient, texts: TextDirectory, rows: Rows, given: Mapping[str, Any]) -> None:
    """What ``turn_context`` finds by words among older messages, into its row."""
    if not rows or given["words"] is None:
        return
    compression = rows[0]["compression"] or {}
    floor = max(given["top"] - given["recent"] - 1, compression.get("to_seq") or 0)
    scope = {name: given[name] for name in ("conversation_id", "user_id", "project")}
    if floor <= 0:
        return
    lineage = (await client.read("filed_lineage", **scope))[0]["lineage"]
    ranked = await asyncio.to_thread(texts.rank, [part[0] for part in lineage], asked_words(given["words"]))
    some = ranked[: given["candidates"]]
    places, scores = await _placed(client, "history", some, _EVERYTHING, scope, len(some))
    kept = [(place["seq"], score) for place, score in zip(places, scores, strict=True) if place["seq"] <= floor]
    score_of = dict(kept[: given["relevant"]])
    if not score_of:
        return
    messages = await client.read("messages_at", **scope, seqs=list(score_of))
    found = [
        {"message": {**row["message"], "tool_calls": []}, "score": score_of[row["message"]["seq"]]} for row in messages
    ]
    rows[0]["found"] = sorted(found, key=lambda each: -each["score"])


async def _tell_of_lost(
    client: GraphClient, texts: TextDirectory, conversations: Sequence[str], given: Mapping[str, Any]
) -> None:
    """Warns of conversations whose words cannot be searched: their files are missing."""
    absent = await asyncio.to_thread(lambda: [uuid for uuid in conversations if not texts.file(uuid).exists()])
    if not absent:
        return
    owner = {name: given[name] for name in ("user_id", "project")}
    if rows := await client.read("filed_lost", uuids=absent, **owner):
        first = file_lost(texts, rows[0]["uuid"])
        log.warning("what was said in %s conversations is left out: %s", f"{len(rows):,}", first.message)


async def _placed(
    client: GraphClient,
    whose: Literal["history", "owner"],
    ranked: Sequence[Ranked],
    filters: Mapping[str, Any],
    scope: Mapping[str, Any],
    limit: int,
) -> tuple[Rows, list[float]]:
    """The places of the best that fit, and their scores."""
    places: Rows = []
    scores: list[float] = []
    asked = {**{name: filters[name] for name in _EVERYTHING}, **scope}
    begin, size = 0, limit
    while begin < len(ranked) and len(places) < limit:
        some = ranked[begin : begin + size]
        begin, size = begin + size, min(4 * size, _AT_MOST_AT_ONCE)
        uuids = [each.uuid for each in some]
        found = {row["uuid"]: row for row in await client.read(f"filed_{whose}_places", uuids=uuids, **asked)}
        for each in some:
            if each.uuid in found and len(places) < limit:
                places.append(found[each.uuid])
                scores.append(each.score)
    return places, scores


def _words(given: Mapping[str, Any]) -> list[str]:
    return [word["text"] for word in given["words"]]


def _columns(places: Rows, scores: list[float]) -> dict[str, Any]:
    names = {"seqs": "seq", "times": "time", "users": "user"}
    return {**{column: [row[name] for row in places] for column, name in names.items()}, "scores": scores}
