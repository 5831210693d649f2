"""The store of anchors: what messages said of which code, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ragforge_memory.errors import MessageNotFound
from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.code import in_batches
from ragforge_memory.graph.decisions import correction
from ragforge_memory.graph.leases import INGEST_SECONDS, ingest_lost
from ragforge_memory.graph.owned import OwnerStore, ProjectStore
from ragforge_memory.graph.records import message
from ragforge_memory.models.code import CodeReference, ReferenceKind
from ragforge_memory.models.conversation import Correction, Message

# More scopes of the same tokens are of no use to anyone.
_MOST_OF_TOKENS = 50
# Messages whose texts are read at once.
_TOLD_AT_ONCE = 200


class AnchorRow(NamedTuple):
    """An anchor as the graph has it: where and on what tokens it was made, and where it stands now.

    ``scope`` is the uuid of the scope that it stands on; None where that is gone. ``alone`` is the hash of tokens that
    no other scope had when it came on them; None where another had them, or nobody knows.
    """

    uuid: str
    file: str
    qualified_name: str
    kind: str
    key: str
    body_hash: str
    sketch: str
    at_file: str
    at_key: str
    at_commit: str | None
    status: str
    changed: bool | None
    similarity: float | None
    candidates: tuple[str, ...]
    scope: str | None
    alone: str | None


class DefinitionRow(NamedTuple):
    """A scope of the graph, as anchors are compared with it."""

    file: str
    qualified_name: str
    type: str
    body_hash: str
    sketch: str
    key: str
    uuid: str


class Stood(NamedTuple):
    """A place that an anchor came to, and the tokens that it stood on when it came."""

    file: str
    key: str
    body_hash: str
    sketch: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of an anchor.

    Args:
        uuid: the anchor's.
        scope: the uuid of the scope that it stands on, None for an orphan.
        status, changed: see CodeReference.
        similarity: how alike the tokens are, from 0 to 1.
        file, key: where it stands, of an orphan where it stood last.
        candidates: of an orphan, ``file qualified_name`` of what it may be.
        stood: the places that it has come to since it was looked at last, in their order.
        moves: whether the messages' references have to follow, since it stands on another scope than before.
        alone: see AnchorRow.
    """

    uuid: str
    scope: str | None
    status: str
    changed: bool | None
    similarity: float
    file: str
    key: str
    candidates: tuple[str, ...] = ()
    stood: tuple[Stood, ...] = ()
    moves: bool = True
    alone: str | None = None


class SaidOfNow(NamedTuple):
    """A scope that another tool has brought up to date before the ingest: the key of the anchor on what the ingest
    before had read, and the hash that the other tool gave it."""

    scope: str
    anchor: str
    hash: str


@dataclass(frozen=True, slots=True)
class Tied:
    """A message, the code that it is tied to, and the title of its conversation.

    Where places were asked for, ``file`` and ``key`` say which of them it is; ``stands`` whether the anchor stands
    there or stood there last, not only was made there or passed by; ``type``, ``body_hash`` and ``sketch`` what it was
    made on; ``came`` the (body hash, sketch) of when it came there, where it passed by;
    ``summaries`` are the texts of the summaries over the message, the nearest first, ``corrected`` what was said
    against it.
    """

    message: Message
    reference: CodeReference
    title: str | None
    file: str = ""
    key: str = ""
    stands: bool = True
    type: str = ""
    body_hash: str = ""
    sketch: str = ""
    came: tuple[tuple[str, str], ...] = ()
    summaries: tuple[str, ...] = ()
    corrected: Correction | None = None


class AnchorStore(ProjectStore):
    """The anchors of one project, for an ingest."""

    async def of_files(self, files: Sequence[str]) -> list[AnchorRow]:
        """The anchors that were made in these files or stand in them."""
        found: dict[str, AnchorRow] = {}
        for batch in in_batches(files):
            for row in await self._read("anchors_of_files", files=batch):
                found[row["anchor"]["uuid"]] = _anchor(row["anchor"])
        return list(found.values())

    async def files(self) -> list[str]:
        """The files of all anchors."""
        return [row["file"] for row in await self._read("anchored_files") if row["file"]]

    async def definitions(self, files: Sequence[str]) -> list[DefinitionRow]:
        """The scopes of these files, by place."""
        rows = [(await self._read("definitions_of_files", files=batch))[0] for batch in in_batches(files)]
        return [DefinitionRow(*each) for row in rows for each in row["definitions"]]

    async def with_tokens(self, hashes: Sequence[str]) -> list[DefinitionRow]:
        """The scopes that have these tokens, at most fifty of each, by place."""
        most = _MOST_OF_TOKENS
        rows = [(await self._read("definitions_of_tokens", hashes=some, most=most))[0] for some in in_batches(hashes)]
        return [DefinitionRow(*each) for row in rows for each in row["definitions"]]

    async def resolve(self, resolutions: Iterable[Resolution], *, commit: str | None, token: str) -> None:
        """Writes what became of anchors; needs the ingest's lease.

        Raises:
            GraphUnavailable: the lease was lost to another process.
        """
        for batch in in_batches([_resolution_row(each, commit) for each in resolutions], 500):
            await self._fenced("resolve_anchors", token, anchors=batch, commit=commit)

    async def anchor_anew(self, said: Sequence[SaidOfNow], *, token: str) -> None:
        """Takes what was said of scopes after another tool had brought them up to date as said of what they are now;
        needs the ingest's lease.

        Raises:
            GraphUnavailable: the lease was lost to another process.
        """
        for batch in in_batches([each._asdict() for each in said], 500):
            await self._fenced("anchor_anew", token, scopes=batch)

    async def _fenced(self, name: str, token: str, **parameters: Any) -> None:
        if not await self._write(name, token=token, seconds=INGEST_SECONDS, **parameters):
            raise ingest_lost(self._project)


class ReferenceStore(OwnerStore):
    """What an owner's messages are tied to."""

    async def as_of(self) -> tuple[str | None, datetime] | None:
        """The commit and the time of the last ingest, which all labels are as of; None where there was none."""
        rows = await self._read("last_ingest")
        return (rows[0]["commit"], datetime.fromisoformat(rows[0]["at"])) if rows else None

    async def of_conversation(self, conversation_id: str) -> list[CodeReference]:
        """What a conversation and all before it in its lineage are tied to, in the messages' order, with labels.

        A conversation without ties and one that is not there both give none.
        """
        rows = await self._read("referenced_code", conversation_id=conversation_id)
        return [reference(row) for row in rows]

    async def of_messages(self, uuids: Sequence[str]) -> dict[str, list[CodeReference]]:
        """What each of these messages is tied to, with labels; one without ties is left out."""
        rows = await self._read("code_of_messages", uuids=list(uuids))
        found: dict[str, list[CodeReference]] = {}
        for row in rows:
            found.setdefault(row["message_id"], []).append(reference(row))
        return found

    async def about(self, about: str, *, limit: int = 50) -> list[Tied]:
        """Messages that are tied to code, newest first; of each conversation the newest 40 ties.

        Args:
            about: a name, a qualified name, a file, ``FILE:NAME`` or a scope's uuid, as of then or as of now.
            limit: of at most so many conversations.
        """
        rows = await self._read("messages_about", about=about, limit=limit)
        return [Tied(message(row["message"]), reference(row), row["title"]) for row in rows]

    async def on_places(self, places: Iterable[tuple[str, str]]) -> list[Tied]:
        """Messages whose anchors stand, have stood or were made on these (file, key), with their summaries."""
        ties: list[dict[str, Any]] = []
        for batch in in_batches([{"file": file, "key": key} for file, key in places]):
            marks = [_mark(place["file"], place["key"]) for place in batch]
            ties += await self._read("ties_on_places", timeout=PATIENT_TIMEOUT, places=batch, marks=marks)
        told: dict[str, dict[str, Any]] = {}
        for some in in_batches(list(dict.fromkeys(row["message_id"] for row in ties)), _TOLD_AT_ONCE):
            for row in await self._read("told_messages", timeout=PATIENT_TIMEOUT, uuids=some):
                told[row["message"]["uuid"]] = {
                    "message": message(row["message"]),
                    "title": row["title"],
                    "summaries": tuple(row["summaries"]),
                    "corrected": correction(row["corrected"]),
                }
        return [_tied(row, told[row["message_id"]]) for row in ties if row["message_id"] in told]

    async def add(self, message_id: str, scopes: Sequence[str], kind: ReferenceKind) -> dict[str, list[str]]:
        """Ties a message to code; returns those of ``scopes`` that do not mean one scope: with any, nothing is written.

        Each has the places (``FILE:NAME``) that it may mean, at most five.

        Args:
            message_id: the message.
            scopes: uuids, qualified names or names, or ``FILE:NAME`` with a qualified name.
            kind: what was done with the code.

        Raises:
            MessageNotFound: this owner has no such message.
        """
        rows = await self._write("reference_code", message_id=message_id, scopes=list(scopes), kind=kind)
        if not rows:
            raise MessageNotFound(f"there is no message {message_id!r} here")
        unclear = {row["named"]: row["meant"] for row in rows[0]["unclear"]}
        return {named: unclear[named] for named in scopes if named in unclear}


def reference(row: dict[str, Any]) -> CodeReference:
    """A tie with what became of it: the anchor says what was meant, the scope what that is now.

    What was imported before the first ingest stands on nothing yet: nobody knows what became of it here.
    """
    anchor, scope, became = row["anchor"], row["scope"] or {}, row["became"] or {}
    return CodeReference(
        name=anchor["name"],
        qualified_name=anchor["qualified_name"],
        file=anchor["file"],
        start_line=row.get("start_line") or anchor["start_line"] or scope.get("startLine") or 1,
        now_line=scope.get("startLine"),
        kind=row["kind"],
        status=became.get("status"),
        changed=became.get("changed"),
        scope_hash=row["scope_hash"],
        commit=row["commit"],
        message_id=row["message_id"],
        scope_id=scope.get("uuid"),
        moved_to_file=became.get("moved_to_file"),
        moved_to_name=became.get("moved_to_name"),
        candidates=tuple(became.get("candidates") or ()),
    )


def _tied(row: dict[str, Any], told: dict[str, Any]) -> Tied:
    place: dict[str, Any] = {name: row[name] or "" for name in ("file", "key", "type", "body_hash", "sketch")}
    came = tuple((code.partition(" ")[0], code.partition(" ")[2]) for code in row["came"])
    return Tied(reference=reference(row), stands=row["stands"], came=came, **place, **told)


def _anchor(row: dict[str, Any]) -> AnchorRow:
    key = row.pop("scope_key") or row["qualified_name"]
    instead = {"body_hash": "", "sketch": "", "at_file": row["file"], "at_key": key, "status": "fresh"}
    known = row | {name: row[name] or value for name, value in instead.items()}
    return AnchorRow(key=key, **known | {"candidates": tuple(row["candidates"] or ())})


def _mark(file: str, key: str) -> str:
    """A place as anchors keep those that they have been to."""
    return f"{file}\n{key}"


def _resolution_row(resolution: Resolution, commit: str | None) -> dict[str, Any]:
    return {
        "uuid": resolution.uuid,
        "scope": resolution.scope,
        "moves": resolution.moves,
        "been": [_mark(each.file, each.key) for each in resolution.stood],
        "been_code": [f"{each.body_hash} {each.sketch}" for each in resolution.stood],
        "standing": {
            "status": resolution.status,
            "changed": resolution.changed,
            "similarity": resolution.similarity,
            "at_file": resolution.file,
            "at_key": resolution.key,
            "at_commit": commit,
            "candidates": list(resolution.candidates) or None,
            "alone": resolution.alone,
        },
    }
