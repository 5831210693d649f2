"""Moving a project's vectors to another space: the claim, what is missing, the fenced writes, the switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.leases import WORK_SECONDS
from ragforge_memory.graph.owned import ProjectStore
from ragforge_memory.graph.records import content_text
from ragforge_memory.graph.similar import Part, Topic
from ragforge_memory.graph.spaces import Space, find_space, retire_space, retire_spaces

# Labels and clears in transactions of a thousand nodes: of a million messages this takes minutes.
_LONG_TIMEOUT = 3_600.0


@dataclass(frozen=True, slots=True)
class Moving:
    """How far a project's vectors are on their way.

    Args:
        model, dimension: of the next space; None: none is being filled.
        total: what there was to be embedded when it began; None: not counted yet.
        left: what still lacks a vector.
        clearing: whether vectors of a space that was left are still to be removed.
        running: whether somebody is at it now.
    """

    model: str | None
    dimension: int | None
    total: int | None
    left: int
    clearing: bool
    running: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim on the move, and what was to be done when it was made."""

    token: str
    seconds: float
    target: tuple[str, int] | None
    clearing: tuple[str, ...]
    listed: bool


@dataclass(frozen=True, slots=True)
class Lacking:
    """What lacks a vector: ``label`` and one of text, scope and topic. ``readable``: it has text, and that can be read
    here; that of another user may be in files somewhere else."""

    uuid: str
    label: str
    text: str
    scope: Mapping[str, Any]
    topic: Topic
    readable: bool = True

    @property
    def version(self) -> list[Any]:
        """What must be as it was read when its vector is stored."""
        if self.label == "Scope":
            return [self.scope["hash"] or ""]
        if self.label == "Conversation":
            return [self.topic.title, self.topic.summary, len(self.topic.first)]
        if self.label == "Memory":
            return [self.text]
        return []


class ReembeddingStore(ProjectStore):
    """The move of one project's vectors, of all its users.

    Args:
        lease: seconds that a claim holds unless it is renewed.
    """

    def __init__(self, client: GraphClient, project: str, *, lease: float = WORK_SECONDS) -> None:
        super().__init__(client, project)
        self._lease = lease

    async def state(self) -> Moving:
        """How far it is."""
        (row,) = await self._read("reembedding_state")
        return Moving(
            row["next_model"], row["next_dimension"], row["total"], row["left"], bool(row["clearing"]), row["running"]
        )

    async def claim(self, model: str, dimension: int) -> Claim | None:
        """Claims the move and says where it goes to; None where somebody else is at it.

        A project whose vectors are there already has only to be cleared of what is left elsewhere.
        """
        token = uuid4().hex
        rows = await self._write("claim_reembedding", token=token, model=model, dimension=dimension)
        if not rows or not rows[0]["free"]:
            return None
        row = rows[0]
        target = None if row["next_model"] is None else (row["next_model"], row["next_dimension"])
        return Claim(token, self._lease, target, tuple(row["clearing"]), row["listed"])

    async def renew(self, claim: Claim) -> bool:
        """Makes a claim last; False where it is somebody else's by now."""
        return bool(await self._write("renew_reembedding", token=claim.token))

    async def release(self, claim: Claim) -> None:
        """Gives a claim back."""
        await self._write("release_reembedding", token=claim.token)

    async def label(self, claim: Claim, old: Space, new: Space) -> int:
        """Labels what the new space lacks; returns how much there was of it when that was first done."""
        await self._client.autocommit(
            "label_reembedding",
            timeout=_LONG_TIMEOUT,
            project=self._project,
            old_property=old.property,
            old_conversation_property=old.conversation_property,
            property=new.property,
            conversation_property=new.conversation_property,
        )
        rows = await self._write("reembedding_listed", token=claim.token)
        return int(rows[0]["total"]) if rows else 0

    async def total(self) -> int:
        """How much lacked a vector when that was first counted, or more, if it is more by now."""
        state = await self.state()
        return max(state.total or 0, state.left)

    async def lacking(self, limit: int) -> list[Lacking]:
        """Some of what has the label."""
        rows = await self._read("pending_reembedding", limit=limit)
        return [_lacking(row) for row in rows]

    async def store(self, claim: Claim, space: Space, vectors: Sequence[tuple[Lacking, Sequence[float]]]) -> int | None:
        """Stores vectors in the next space; what has changed since it was read goes on lacking one.

        Returns:
            How many were stored; None where the claim is not ours any more.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
        """
        space.check(vector for _, vector in vectors)
        rows = await self._write(
            "store_reembedded",
            token=claim.token,
            model=space.model,
            dimension=space.dimension,
            property=space.property,
            conversation_property=space.conversation_property,
            rows=[{**_place(each), "version": each.version, "vector": list(vector)} for each, vector in vectors],
        )
        return int(rows[0]["stored"]) if rows else None

    async def fail(self, refused: Sequence[Lacking]) -> None:
        """Gives up on what the model refuses, or nobody here can read; its vector in the old space stays with that."""
        await self._write("fail_reembedding", rows=[_place(each) for each in refused])

    async def switch(self, claim: Claim, space: Space) -> bool:
        """Makes the next space the project's, unless something lacks a vector or the claim is not ours any more."""
        return bool(await self._write("switch_space", token=claim.token, model=space.model, dimension=space.dimension))

    async def to_clear(self) -> list[Space]:
        """The spaces that the project has left and that still have vectors of its."""
        (row,) = await self._read("reembedding_state")
        found = [await self._client.read("space_by_key", space_key=key) for key in row["clearing"]]
        return [Space(rows[0]["model"], rows[0]["dimension"], rows[0]["number"]) for rows in found if rows]

    async def clear(self, claim: Claim, space: Space) -> None:
        """Removes the vectors of a space that was left, and its indexes where no project uses it."""
        if await find_space(self._client, self._project) != space:
            await self._client.autocommit(
                "clear_space",
                timeout=_LONG_TIMEOUT,
                project=self._project,
                property=space.property,
                conversation_property=space.conversation_property,
            )
        await self._write("space_cleared", token=claim.token, space_key=space.key)
        await retire_space(self._client, space)
        await retire_spaces(self._client)

    async def _write(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        return await super()._write(name, lease=int(self._lease * 1_000), **parameters)


def _lacking(row: Mapping[str, Any]) -> Lacking:
    text, label = content_text(row["content"]), row["label"]
    first = tuple(Part(content_text(text), role == "user") for role, text, _ in row["first"])
    topic = Topic(row["uuid"], row["title"], row["summary"], first)
    if label == "Conversation":
        readable = all(text is not None for _, text, _ in row["first"])
    else:
        readable = label == "Scope" or bool(text.strip())
    return Lacking(row["uuid"], label, text, row["scope"], topic, readable)


def _place(each: Lacking) -> dict[str, str]:
    return {"uuid": each.uuid, "label": each.label}
