"""Taking an archive in: what is here already, what gets a new uuid, and each conversation whole or not at all."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ragforge_memory.archive.memories import MemoryWriter
from ragforge_memory.archive.restored_anchors import ArchivedVectors, key_here, place_anchors
from ragforge_memory.archive.restored_messages import MessageWriter, Part, uuids_of
from ragforge_memory.archive.restored_places import (
    Begun,
    Counts,
    Misplaced,
    check_branches,
    check_insights,
    check_summaries,
    check_whole,
    in_place,
    last_seq,
)
from ragforge_memory.errors import ConversationNotFound, HereAlready, InvalidInput, RagforgeError, SpaceMoved
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.restore import Known, PlacedAnchor, RestoreStore
from ragforge_memory.graph.restore_rows import Names, Rows
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.imports import OnConflict

log = logging.getLogger(__name__)

# Anchors and summaries have a few hundred characters, vectors a few kB.
_BATCH = 500


class Restoring:
    """Takes conversations in, parents before their branches. What `commit` was not called for is seen by nobody."""

    def __init__(self, services: Services, head: archive.Head, on_conflict: OnConflict) -> None:
        self._services = services
        self._head = head
        self._on_conflict = on_conflict
        self._conversations = ConversationStore(services.stores.graph, services.place.owner)
        self._store = RestoreStore(
            services.stores.graph, services.place.owner, summarize_every=services.place.summarize_every
        )
        self._names = Names()
        self._rows = Rows(self._names, services.place.owner, services.place.redacted)
        self.counts = Counts()
        self._begun: dict[str, Begun] = {}
        self._here: set[str] = set()
        self._writer = MessageWriter(services.stores, self._store, self._names, self._rows, on_conflict)
        self._memories = MemoryWriter(services, self._store, self._names, self._rows)
        self._anchors: dict[str, PlacedAnchor] = {}
        self._keys: dict[str, str] = {}
        self._vectors = ArchivedVectors(services.stores, services.place, head)

    def now(self, uuid: str) -> str:
        """What a conversation of the archive is called here."""
        return self._names.now(uuid)

    @property
    def renamed(self) -> int:
        """How many uuids of the archive are called otherwise here, so far."""
        return len(self._names)

    async def held(self, error: HereAlready) -> ConversationInfo | None:
        """What is here instead of what is skipped; None where nothing shall be skipped, or nobody can be given that."""
        if self._on_conflict not in ("skip", "extend"):
            return None
        with suppress(ConversationNotFound):  # deleted, and shared by branches
            return await self._services.stores.conversations.get(error.uuid)
        return None

    async def decide(self, heads: Sequence[archive.ConversationHead], named: str) -> set[str]:
        """Looks at what is here of these conversations; returns which are to be written, the others are as they were.

        Args:
            heads: what comes in together.
            named: the one whose being here already is a conflict.

        Raises:
            HereAlready: it is, and ``on_conflict`` is not ``copy``.
            InvalidInput: somebody imports one of them now, or another conversation has its uuid.
        """
        seqs = {each.uuid: last_seq(each) for each in heads}
        known = await self._store.known(seqs)
        left = [uuid for uuid, each in known.items() if each.left]
        if left:
            for uuid in left:
                await self._conversations.discard(uuid, import_token=known[uuid].token)
        taken = await self._store.taken(list(seqs))
        if left or taken:  # after that, so that what the owner begins meanwhile is not taken for another owner's
            known = await self._store.known(seqs)
        busy = next((uuid for uuid, each in known.items() if each.restoring or each.left), None)
        if busy is not None:
            raise InvalidInput(f"conversation {busy} is being imported or deleted just now", hint="try again")
        self._here |= known.keys()
        taken -= known.keys()
        head = next(each for each in heads if each.uuid == named)
        conflict = await self._conflict(head, known, taken)
        if conflict is not None and self._on_conflict == "extend" and not _has_all(known.get(conflict), head):
            raise InvalidInput(
                f"conversation {named} is here already, with other messages",
                hint="on_conflict='copy' imports it under new uuids",
            )
        if conflict is not None and self._on_conflict != "copy":
            name = "" if conflict == named else f", as {conflict}"
            raise HereAlready(f"conversation {named} is here already{name}", conflict)
        if conflict is not None or taken:
            self._names.copy(seqs)
            return set(seqs)
        wanted = set()
        for each in heads:
            here = known.get(each.uuid)
            if here is None or (here.hidden and (each.status != "shared" or last_seq(each) > here.kept_to)):
                wanted.add(each.uuid)  # of a beginning that is here in part, the rest is
            elif each.last_message_id != here.last_message_id:
                if self._on_conflict == "copy":
                    self._names.copy(seqs)
                    return set(seqs)
                raise HereAlready(f"conversation {each.uuid} is here already, with other messages", each.uuid)
        return wanted

    async def apart(self, heads: Sequence[archive.ConversationHead]) -> tuple[set[str], set[str]]:
        """Of conversations that come in by themselves, those that can be written together: nothing of them is here, or
        they get new uuids; and those that are here and shall be left alone. What else there is, `decide` decides.
        """
        seqs = {each.uuid: last_seq(each) for each in heads}
        # In this order: what the owner begins in between is known, and not taken for another owner's.
        taken = await self._store.taken(list(seqs))
        known = await self._store.known(seqs)
        holders = await self._store.session_holders([each.session_id for each in heads if each.session_id])
        copies = await self._store.copies(taken - known.keys())
        new, here = set(), set()
        for each in heads:
            before = known.get(each.uuid)
            is_here = before is not None or each.uuid in copies
            if each.status == "shared" or (before is not None and (before.hidden or before.restoring)):
                continue
            if is_here and (self._on_conflict == "skip" or (self._on_conflict == "extend" and _has_all(before, each))):
                here.add(each.uuid)
            elif (not is_here and each.session_id not in holders) or self._on_conflict == "copy":
                new.add(each.uuid)
                if before is not None or each.uuid in taken or each.session_id in holders:
                    self._names.copy([each.uuid])
        return new, here

    async def crowded(self, some: Mapping[str, Sequence[archive.Message]]) -> set[str]:
        """Of conversations that could be written together, those with messages whose uuids somebody has; they are only
        looked for from the first conflict on."""
        uuids = {head: uuids_of(messages) for head, messages in some.items() if not self._names.renamed(head)}
        if not self._writer.looks:
            return set()
        taken = await self._store.taken([uuid for each in uuids.values() for uuid in each])
        return {head for head, each in uuids.items() if not taken.isdisjoint(each)}

    async def begin(self, heads: Sequence[archive.ConversationHead]) -> None:
        """Begins conversations; what follows is of them.

        Raises:
            InvalidInput: what one was branched from is not here or another, or somebody else writes it.
        """
        await self._vectors.space_of(heads)
        await check_branches(self._store, self._names, heads, begun=self._begun)
        here = {self.now(each.uuid): 0 for each in heads if self.now(each.uuid) in self._here}
        before = await self._store.known(here)
        holders = await self._store.session_holders([each.session_id for each in heads if each.session_id])
        for each in heads:
            known = before.get(self.now(each.uuid))
            kept, message = (known.kept_to, known.kept_message_id) if known else (0, None)
            floor = each.lineage[-1].top if each.lineage else 0
            head = each.model_copy(update={"session_id": None}) if each.session_id in holders else each
            self._begun[each.uuid] = Begun(head, kept, message, last_seq=floor)
        # Where one of them is refused the others are begun, and `roll_back` must know.
        await self._store.begin([self.now(each.uuid) for each in heads])

    async def begin_new(
        self, some: Mapping[str, Sequence[archive.Message]], heads: Sequence[archive.ConversationHead]
    ) -> None:
        """Begins conversations that come in whole, of which nothing was looked for and nothing may be here.

        Args:
            some: their messages.
            heads: those that were not branched, nor deleted.

        Raises:
            InvalidInput: something of one is here, or its session is.
        """
        await self._vectors.space_of(heads)
        sessions = await self._store.session_holders([each.session_id for each in heads if each.session_id])
        if sessions:
            raise InvalidInput(f"the session {next(iter(sessions))!r} is here already")
        for each in heads:
            row = self._rows.conversation(each, messages=len(some.get(each.uuid, ())))
            self._begun[each.uuid] = Begun(each, row={**row, "as_begun": True})
        try:
            await self._store.begin_new([begun.row for begun in self._begun.values() if begun.row])
        except InvalidInput:
            self._begun = {}
            raise

    async def anchors(self, some: Mapping[str, Sequence[archive.Anchor]]) -> None:
        """The anchors that conversations stand on; as in all that follows, by the conversation's uuid."""
        every = [(uuid, each) for uuid, anchors in some.items() for each in anchors]
        project = self._services.place.owner.project
        for start in range(0, len(every), _BATCH):
            batch = every[start : start + _BATCH]
            keys = {each.uuid: key_here(each, project) for _, each in batch}
            taken = await self._store.taken_anchors(keys)
            rows = {}
            for index, (uuid, each) in enumerate(batch):
                key = self._begun[uuid].keys[each.uuid] = key_here(each, project)
                if self._keys.setdefault(each.uuid, key) != key:
                    raise Misplaced(start + index, f"uuid: {each.uuid!r} is that of another anchor", of="anchors")
                name = self._names.made(each.uuid) if each.uuid in taken else each.uuid
                row = self._rows.anchor(each, key=key, uuid=name)
                rows[uuid, key] = {**row, "conversation_id": self.now(uuid)}
            self._anchors |= {placed.key: placed for placed in await self._store.anchors(list(rows.values()))}

    async def prompts(self, some: Mapping[str, Sequence[archive.Prompt]]) -> None:
        """What prompts share; before the messages, whose receipts name them."""
        rows: dict[str, dict[str, Any]] = {}
        for uuid, prompts in some.items():
            for each in prompts:
                row = self._rows.prompt(each)
                rows.setdefault(row["uuid"], {**row, "conversations": []})["conversations"].append(self.now(uuid))
        if rows:
            await self._store.prompts(list(rows.values()))

    async def parts(
        self, some: Mapping[str, Sequence[archive.Message]], prompts: Sequence[archive.Prompt]
    ) -> list[Part]:
        """Rows of messages that are made before their conversations are begun; see `messages`."""
        for prompt in prompts:
            self._rows.prompt(prompt)
        every = [each for messages in some.values() for each in messages]
        return await self._writer.parts(some, space=await self._vectors.space_of(every))

    async def messages(
        self, some: Mapping[str, Sequence[archive.Message]], *, place: int = 0, parts: Sequence[Part] | None = None
    ) -> None:
        """The next messages; they are written while those after them are read, at the latest before anything else is.

        Args:
            some: in their order.
            place: of the first, counted on for those behind it.
            parts: of `parts`, if they were made; then nothing of these conversations was here.

        Raises:
            Misplaced: one is out of its place, or another is in it.
            HereAlready: one of these or of those before is the owner's own, in another conversation, and
                ``on_conflict`` is not ``copy``.
            UuidTaken: those before were of several conversations, and somebody has a uuid of them.
        """
        every: dict[str, Sequence[archive.Message]] = {}
        for uuid, messages in some.items():
            begun = self._begun[uuid]
            new = in_place(begun, messages)
            begun.messages += len(messages)
            begun.new.messages += len(new)
            begun.new.tool_calls += sum(len(each.tool_calls) for each in new)
            place += len(messages) - len(new)
            if new:
                every[uuid] = new
        if not every:
            return
        if parts is None:
            space = await self._vectors.space_of([each for messages in every.values() for each in messages])
            parts = await self._writer.parts(every, space=space, place=place)
        await self._writer.add(parts, every, keys={uuid: self._begun[uuid].keys for uuid in every})

    def passed(self, message: archive.Message) -> None:
        """A message of a conversation that is here already."""
        self._writer.passed(message)

    async def summaries(self, some: Mapping[str, Sequence[archive.Summary]]) -> None:
        """Summaries, the lower levels first.

        Raises:
            Misplaced: one is of messages that there are not, or there is one in its place.
        """
        for uuid, found in some.items():
            check_summaries(self._begun[uuid], found)
        await self._writer.written()
        await self._rename(some)
        every = [(uuid, each) for uuid, summaries in some.items() for each in summaries]
        for start in range(0, len(every), _BATCH):
            rows: dict[str, list[dict[str, Any]]] = {}
            batch = [each for _, each in every[start : start + _BATCH]]
            for uuid, each in every[start : start + _BATCH]:
                rows.setdefault(self.now(uuid), []).append(self._rows.summary(each))
            await self._store.summaries(rows)
            space = await self._vectors.space_of(batch)
            if space is not None and self._services.background.summaries is not None:
                vectors = {self._names.now(each.uuid): each.embedding for each in batch if each.embedding}
                with suppress(SpaceMoved):  # what they belong to waits for the other model's
                    await self._services.background.summaries.store.store_embeddings(space, vectors, recover=True)

    async def insights(self, some: Mapping[str, Sequence[archive.Insight]]) -> None:
        """What analyses found.

        Raises:
            Misplaced: there is one of the same analysis.
        """
        for uuid, insights in some.items():
            check_insights(self._begun[uuid], insights)
        await self._writer.written()
        await self._rename(some)
        rows = {self.now(uuid): [self._rows.insight(each) for each in found] for uuid, found in some.items() if found}
        await self._store.insights(rows)

    async def memories(self, some: Sequence[archive.Memory]) -> None:
        """What is remembered, once the conversations that it comes from are here."""
        self.counts.memories += await self._memories.add(some)

    async def commit(self, *, title: str | None = None, named: str | None = None) -> None:
        """All that was begun appears; ``title`` instead of its own for the one that is ``named``.

        Raises:
            GraphUnavailable: it could not; nothing of it is seen.
            InvalidInput: messages of one are missing; likewise.
        """
        for begun in self._begun.values():
            check_whole(begun)
        await self._writer.written()
        self._writer.untied = await self._store.receipts(self._writer.untied)
        rows = []
        for begun in self._begun.values():
            if begun.row is not None:
                rows.append(begun.row)
                continue
            head = begun.head
            if title is not None and head.uuid == named:
                head = head.model_copy(update={"title": title, "title_source": None})
            rows.append(self._rows.conversation(head, messages=begun.messages))
        await self._store.finish(rows)
        done, self._begun = self._begun.values(), {}
        for begun in done:
            self.counts.conversations += begun.head.status != "shared"
            self.counts.messages += begun.new.messages
            self.counts.tool_calls += begun.new.tool_calls
        await self._vectors.of_conversations([begun.head for begun in done], named=self.now)

    async def close(self) -> None:
        """Ties what waited for conversations that came later, and finds anchors that are not where they were."""
        self._writer.untied = await self._store.receipts(self._writer.untied)
        await self._memories.close(self._writer.waiting)
        placed, self._anchors = list((self._anchors | self._memories.placed).values()), {}
        await place_anchors(self._services.stores, self._services.place, self._store, placed)
        await self._conversations.forget_unused()
        self._services.background.work.wake(due=True)

    async def roll_back(self) -> None:
        """Takes away what was begun, where the graph is there to do it; else a sweep does, once the lease is over."""
        await self._writer.give_up()
        token = self._store.give_up()
        begun, self._begun = self._begun, {}
        gone = [self.now(uuid) for uuid in begun]
        self._writer.untied = [row for row in self._writer.untied if row["conversation"] not in gone]
        for uuid in reversed(gone):
            try:
                await self._conversations.discard(uuid, import_token=token)
            except RagforgeError:
                log.warning("what was written of an import is taken away later", exc_info=True)
                return

    async def _conflict(
        self, head: archive.ConversationHead, known: Mapping[str, Known], taken: Set[str]
    ) -> str | None:
        """The conversation that is in the way of one, if any."""
        here = known.get(head.uuid)
        if here is not None and not here.hidden and head.status != "shared":
            return head.uuid
        copies = await self._store.copies(taken & {head.uuid})
        if copies:
            return copies[head.uuid]
        sessions = [head.session_id] if head.session_id else []
        holder = next(iter((await self._store.session_holders(sessions)).values()), None)
        return holder if holder != head.uuid else None

    async def _rename(self, some: Mapping[str, Sequence[archive.Summary] | Sequence[archive.Insight]]) -> None:
        """Has uuids of summaries or insights that somebody holds renamed, and all of conversations that were."""
        names = {head: [each.uuid for each in found] for head, found in some.items()}
        self._names.rename(uuid for head in names if self._names.renamed(head) for uuid in names[head])
        others = [uuid for head in names if not self._names.renamed(head) for uuid in names[head]]
        self._names.rename(await self._store.taken(others))


def _has_all(here: Known | None, head: archive.ConversationHead) -> bool:
    """Whether a conversation has the archive's last message in its place; of a copy that is not known."""
    return here is None or here.last_message_id == head.last_message_id
