"""Taking an archive in: what is here already, what gets a new uuid, and each conversation whole or not at all."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragforge_memory.agent.restored_anchors import holder, place_anchors
from ragforge_memory.agent.restored_messages import HereAlready, MessageWriter, merge_row
from ragforge_memory.code.ingest import is_dead
from ragforge_memory.code.rows import anchor_key
from ragforge_memory.errors import InvalidInput, RagforgeError, SpaceMoved
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.restore import Known, PlacedAnchor, RestoreStore
from ragforge_memory.graph.restore_rows import Names, Rows
from ragforge_memory.graph.similar import Part, Topic
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.importing import OnConflict
    from ragforge_memory.agent.services import Services

log = logging.getLogger(__name__)

# Anchors and summaries have a few hundred characters, vectors a few kB.
_BATCH = 500


class Misplaced(InvalidInput):
    """The message at ``index`` of those that were given is out of place; ``why`` begins with what of it is wrong."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"messages[{index}].{why}", hint="nothing was written; mend it and try again")
        self.index = index
        self.why = why


@dataclass(slots=True)
class Counts:
    """What is new here; what branches share, and is listed nowhere, counts by its messages alone."""

    conversations: int = 0
    messages: int = 0
    tool_calls: int = 0


@dataclass(slots=True)
class _Begun:
    head: archive.ConversationHead
    kept_to: int = 0
    kept_message_id: str | None = None
    messages: int = 0
    last_seq: int = 0
    new: Counts = field(default_factory=Counts)
    keys: dict[str, str] = field(default_factory=dict)


class Restoring:
    """Takes conversations in, parents before their branches. What `commit` has not been called for is seen by nobody.

    Args:
        services: what is open.
        head: what the archive says of itself.
        on_conflict: see `AsyncConversationAgent.import_conversation`.
    """

    def __init__(self, services: Services, head: archive.Head, on_conflict: OnConflict) -> None:
        self._services = services
        self._head = head
        self._on_conflict = on_conflict
        self._conversations = ConversationStore(services.graph, services.owner)
        self._store = RestoreStore(services.graph, services.owner, summarize_every=services.summarize_every)
        self._names = Names()
        self._rows = Rows(self._names, services.owner, services.redacted)
        self.counts = Counts()
        self._begun: list[_Begun] = []
        self._here: set[str] = set()
        self._writer = MessageWriter(services, self._store, self._names, self._rows, on_conflict)
        self._anchors: dict[str, PlacedAnchor] = {}
        self._space: Space | None = None
        self._asked_space = False

    def now(self, uuid: str) -> str:
        """What a conversation of the archive is called here."""
        return self._names.now(uuid)

    async def decide(self, heads: Sequence[archive.ConversationHead], named: str) -> set[str]:
        """Looks at what is here of these conversations; returns which are to be written, the others are as they were.

        Args:
            heads: what comes in together.
            named: the one whose being here already is a conflict.

        Raises:
            HereAlready: it is, and ``on_conflict`` is not ``copy``.
            InvalidInput: somebody imports one of them now, or another conversation has its uuid.
        """
        seqs = {each.uuid: _last_seq(each) for each in heads}
        known = await self._store.known(seqs)
        left = [uuid for uuid, each in known.items() if each.left or (each.restoring and is_dead(each.holder or ""))]
        if left:
            for uuid in left:
                await self._conversations.discard(uuid)
            known = await self._store.known(seqs)
        busy = next((uuid for uuid, each in known.items() if each.restoring or each.left), None)
        if busy is not None:
            raise InvalidInput(f"conversation {busy} is being imported or deleted just now", hint="try again")
        self._here |= known.keys()
        taken = await self._store.taken(list(seqs)) - known.keys()
        conflict = await self._conflict(next(each for each in heads if each.uuid == named), known)
        if conflict is not None and self._on_conflict != "copy":
            raise HereAlready(f"conversation {named} is here already", conflict)
        if conflict is not None or taken:
            self._names.rename(seqs)
            return set(seqs)
        wanted = set()
        for each in heads:
            here = known.get(each.uuid)
            if here is None or (each.status != "shared" and here.hidden):
                wanted.add(each.uuid)
            elif each.last_message_id != here.last_message_id:
                raise HereAlready(f"conversation {each.uuid} is here already, with other messages", each.uuid)
        return wanted

    async def begin(self, head: archive.ConversationHead) -> None:
        """Begins a conversation; what follows is of it.

        Raises:
            InvalidInput: what it was branched from is not here, or somebody else writes it.
        """
        uuid = self.now(head.uuid)
        parts = {self.now(part.conversation_id): part.top for part in head.lineage}
        own = {self.now(each.head.uuid) for each in self._begun}
        known = await self._store.known({part: top for part, top in parts.items() if part not in own})
        for index, (part, top) in enumerate(parts.items()):
            if part not in own and (part not in known or (top and known[part].last_message_id is None)):
                raise InvalidInput(f"lineage[{index}]: the conversation that it begins with is not here")
        before = (await self._store.known({uuid: 0})).get(uuid) if uuid in self._here else None
        if head.session_id is not None and await self._store.session_holder(head.session_id):
            head = head.model_copy(update={"session_id": None})
        await self._store.begin(uuid, holder())
        kept, message = (before.kept_to, before.kept_message_id) if before else (0, None)
        floor = head.lineage[-1].top if head.lineage else 0
        self._begun.append(_Begun(head, kept, message, last_seq=floor))

    async def anchors(self, anchors: Sequence[archive.Anchor]) -> None:
        """The anchors that the conversation stands on."""
        for start in range(0, len(anchors), _BATCH):
            batch = anchors[start : start + _BATCH]
            keys = {each.uuid: self._key(each) for each in batch}
            self._begun[-1].keys |= keys
            taken = await self._store.taken_anchors(keys)
            rows = {
                keys[each.uuid]: self._rows.anchor(
                    each, key=keys[each.uuid], uuid=self._names.made(each.uuid) if each.uuid in taken else each.uuid
                )
                for each in batch
            }
            uuid = self.now(self._begun[-1].head.uuid)
            self._anchors |= {placed.key: placed for placed in await self._store.anchors(uuid, list(rows.values()))}

    async def prompts(self, prompts: Sequence[archive.Prompt]) -> None:
        """What its prompts share; before the messages, whose receipts name them."""
        if prompts:
            uuid = self.now(self._begun[-1].head.uuid)
            await self._store.prompts(uuid, [self._rows.prompt(each) for each in prompts])

    async def messages(self, messages: Sequence[archive.Message], *, place: int = 0) -> None:
        """The next messages; they are written while those after them are read, at the latest before anything else is.

        Args:
            messages: in their order.
            place: of the first, counted on for those behind it.

        Raises:
            Misplaced: one is out of its place, or another is in it.
            HereAlready: one of these or of those before is the owner's own, in another conversation, and
                ``on_conflict`` is not ``copy``.
        """
        begun = self._begun[-1]
        new = []
        for index, each in enumerate(messages):
            if each.seq <= begun.last_seq or each.seq > max(_last_seq(begun.head), begun.last_seq):
                raise Misplaced(index, f"seq: {each.seq} is out of place behind {begun.last_seq}")
            if each.seq == begun.kept_to and each.uuid != begun.kept_message_id:
                raise Misplaced(index, "uuid: another message is in this place already")
            begun.last_seq = each.seq
            if each.seq > begun.kept_to:
                new.append(each)
        begun.messages += len(messages)
        if not new:
            return
        begun.new.messages += len(new)
        begun.new.tool_calls += sum(len(each.tool_calls) for each in new)
        space = await self._space_of(new)
        place += len(messages) - len(new)
        await self._writer.add(begun.head.uuid, new, keys=begun.keys, space=space, place=place)

    def passed(self, message: archive.Message) -> None:
        """A message of a conversation that is here already: what it brought in may come only now."""
        merged = message.merged_from
        self._writer.untied += [merge_row("", message.uuid, each.uuid, each) for each in merged]

    async def summaries(self, summaries: Sequence[archive.Summary]) -> None:
        """Its summaries, the lower levels first."""
        await self._writer.written()
        begun = self._begun[-1]
        if self._names.renamed(begun.head.uuid):
            self._names.rename(each.uuid for each in summaries)
        else:
            self._names.rename(await self._store.taken([each.uuid for each in summaries]))
        for start in range(0, len(summaries), _BATCH):
            batch = summaries[start : start + _BATCH]
            rows = [self._rows.summary(each) for each in batch]
            embed = self._services.embeds_messages
            await self._store.summaries(self.now(begun.head.uuid), rows, embed=embed)
            space = await self._space_of(batch)
            if space is not None and self._services.summaries is not None:
                vectors = {self._names.now(each.uuid): each.embedding for each in batch if each.embedding}
                with suppress(SpaceMoved):  # what they belong to waits for the other model's
                    await self._services.summaries.store.store_embeddings(space, vectors)

    async def insights(self, insights: Sequence[archive.Insight]) -> None:
        """What analyses found in it."""
        await self._writer.written()
        if not insights:
            return
        uuid, names = self._begun[-1].head.uuid, [each.uuid for each in insights]
        self._names.rename(names if self._names.renamed(uuid) else await self._store.taken(names))
        await self._store.insights(self.now(uuid), [self._rows.insight(each) for each in insights])

    async def commit(self, *, title: str | None = None, named: str | None = None) -> None:
        """All that was begun appears; ``title`` instead of its own for the one that is ``named``.

        Raises:
            GraphUnavailable: it could not; nothing of it is seen.
        """
        await self._writer.written()
        self._writer.untied = await self._store.receipts(self._writer.untied)
        rows = []
        for begun in self._begun:
            head = begun.head
            if title is not None and head.uuid == named:
                head = head.model_copy(update={"title": title, "title_source": None})
            rows.append(self._rows.conversation(head, messages=begun.messages))
        await self._store.finish(rows, embed=self._services.embeds_messages)
        done, self._begun = self._begun, []
        for begun in done:
            self.counts.conversations += begun.head.status != "shared"
            self.counts.messages += begun.new.messages
            self.counts.tool_calls += begun.new.tool_calls
        await self._conversation_vectors([begun.head for begun in done])

    async def close(self) -> None:
        """Ties what waited for conversations that came later, and finds anchors that are not where they were."""
        self._writer.untied = await self._store.receipts(self._writer.untied)
        placed, self._anchors = list(self._anchors.values()), {}
        await place_anchors(self._services, self._store, placed)
        await self._conversations.forget_unused()
        self._services.background.wake(due=True)

    async def roll_back(self) -> None:
        """Takes away what was begun, where the graph is there to do it; else a sweep does, once the lease is over."""
        await self._writer.give_up()
        begun, self._begun = self._begun, []
        gone = {self.now(each.head.uuid) for each in begun}
        self._writer.untied = [row for row in self._writer.untied if row["conversation"] not in gone]
        for uuid in reversed([self.now(each.head.uuid) for each in begun]):
            try:
                await self._conversations.discard(uuid)
            except RagforgeError:
                log.warning("what was written of an import is taken away later", exc_info=True)
                return

    async def _conflict(self, head: archive.ConversationHead, known: Mapping[str, Known]) -> str | None:
        """The conversation that is in the way of one, if any."""
        here = known.get(head.uuid)
        if here is not None and not here.hidden and head.status != "shared":
            return head.uuid
        holder = await self._store.session_holder(head.session_id) if head.session_id else None
        return holder if holder != head.uuid else None

    def _key(self, anchor: archive.Anchor) -> str:
        """An anchor's key in this project: in another one than it comes from it is another."""
        project = self._services.owner.project
        if self._head.owner.project == project:
            return anchor.key
        place = (anchor.file or "", anchor.scope_key or anchor.qualified_name or "", anchor.kind or "")
        return anchor_key(project, *place, anchor.body_hash or "")

    async def _vector_space(self) -> Space | None:
        """Where the archive's vectors belong: into the project's space, if they are of the same model."""
        if self._head.embeddings is not None and not self._asked_space:
            self._asked_space = True
            space = await ArchiveStore(self._services.graph, self._services.owner).space()
            theirs = self._head.embeddings
            if space is not None and (space.model, space.dimension) == (theirs.model, theirs.dimension):
                self._space = space
        return self._space

    async def _space_of(self, nodes: Sequence[archive.Message | archive.Summary]) -> Space | None:
        """Where the vectors of these belong, if they have any that belong here."""
        vectors = [each.embedding for each in nodes if each.embedding]
        space = await self._vector_space() if vectors else None
        if space is not None:
            space.check(vectors)
        return space

    async def _conversation_vectors(self, heads: Sequence[archive.ConversationHead]) -> None:
        mine = [(each, each.embedding) for each in heads if each.embedding and each.status != "shared"]
        space = await self._vector_space() if mine else None
        if space is None or self._services.similar is None:
            return
        vectors = []
        for each, vector in mine:
            first = (Part("", False),) * min(2, each.message_count or 0)
            vectors.append((Topic(self.now(each.uuid), each.title or "", each.summary or "", first), vector))
        with suppress(SpaceMoved):
            await self._services.similar.store(space, vectors)


def _last_seq(head: archive.ConversationHead) -> int:
    return head.kept_to or 0 if head.status == "shared" else head.head_seq
