"""The keeping of a turn's records: in the graph, and while that is away in the journal, each once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from ragforge_memory import events
from ragforge_memory.agent.outages.recovery import UNANSWERED, answer_journalled, question_journalled, replay_own
from ragforge_memory.agent.services import Services
from ragforge_memory.agent.turns.aftermath import look_after
from ragforge_memory.agent.turns.patience import RESTART_PATIENCE
from ragforge_memory.agent.turns.tool_rounds import Emit
from ragforge_memory.agent.turns.wording import stored_as, title_from
from ragforge_memory.errors import ConversationNotFound, EmbeddingError, GraphUnavailable, InvalidInput, RagforgeError
from ragforge_memory.graph.journal_lines import JournalTurn
from ragforge_memory.graph.memories import Remembered
from ragforge_memory.graph.messages import Answer, NewMessage
from ragforge_memory.graph.shielded import shielded
from ragforge_memory.models.conversation import ToolCall
from ragforge_memory.redaction import Redactor

log = logging.getLogger(__name__)

# Seconds after an answer until its lines are taken out of the journal's file.
TIDY_SECONDS = 0.02
# What waits of a conversation is stored as its turns begin and end, but nobody waits for that for longer than this.
CATCH_UP_SECONDS = 2.0

T = TypeVar("T")


KEPT_ON_DISK = "Neo4j is away; this turn is kept on disk until it is back"
KEPT_FOR_NOW = "Neo4j is busy; this turn is kept on disk until it takes it"
NOT_READ = "Neo4j is busy; this answer does not know what was said before this process began"
KEPT_IN_MEMORY = "Neo4j is away; this turn is kept in memory, as all are until save()"
NOT_KEPT = "Neo4j is away and the journal cannot be written: this turn is not kept"
NOT_HELD = "Neo4j is away and this conversation is not known here: this turn is not kept"


class Keeping:
    """Keeps what one turn says. What the graph cannot take goes to the journal, and all that follows in this turn too.

    Args:
        conversation_id: whose turn it is.
        user_message_id: the question's uuid.
        message_id: the answer's uuid.
        emit: takes the turn's events.
        redactor: takes secrets out of what is kept.
        asked_seq: the question's place where it is in the conversation already and is asked again.
        once: whether others may ask the same question under its uuid at this moment: one of them is answered.

    ``seq`` is the place of the last message that is in the graph (0: none yet), ``waiting`` how many the journal has,
    ``gone`` whether the conversation was seen to be deleted meanwhile, ``remembered`` what the question's note became.
    """

    def __init__(
        self,
        services: Services,
        conversation_id: str,
        *,
        user_message_id: str,
        message_id: str,
        emit: Emit,
        redactor: Redactor,
        asked_seq: int | None,
        once: bool,
    ) -> None:
        self._services = services
        self._conversation_id = conversation_id
        self._user_message_id = user_message_id
        self._message_id = message_id
        self._emit = emit
        self._redactor = redactor
        self._asked_seq = asked_seq
        self._once = once
        self._waits = False
        self._told_of_loss = False
        self._not_embedded: EmbeddingError | None = None
        self._question_stored: NewMessage | None = None
        self.asked = False
        self.lost = False
        self.gone = False
        self.seq = 0
        self.waiting = 0
        self.title: str | None = None
        self.remembered: Remembered | None = None
        self.degraded: list[str] = list(services.models.degraded)

    @property
    def away(self) -> bool:
        """Whether this turn does without the graph."""
        outage = self._services.background.outage
        return self._services.place.remembers and (outage.is_on or self._conversation_id in outage.held_up)

    @property
    def _detail(self) -> str:
        """What becomes of a turn that does without the graph."""
        if self._services.stores.in_memory:
            return KEPT_IN_MEMORY
        if self._services.background.outage.is_on:
            return KEPT_ON_DISK
        return KEPT_FOR_NOW if self.away or self._waits else NOT_READ

    @property
    def _stores(self) -> bool:
        """Whether what is said goes where it belongs at once: memory is there when the graph is not."""
        return (self._services.stores.in_memory or not self.away) and not self._waits

    async def begin(self) -> None:
        """The turn is known to the journal, before the graph is asked for anything."""
        services = self._services
        turn = JournalTurn(
            graph=services.stores.graph_name,
            birth=services.stores.graph_birth,
            user_id=services.place.owner.user_id,
            project=services.place.owner.project,
            conversation_id=self._conversation_id,
            user_message_id=self._user_message_id,
            message_id=self._message_id,
            model=services.models.model_name,
            begun=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        await self.journal(services.background.journal.begin, turn)

    async def question(self, text: str, metadata: Mapping[str, Any] | None) -> int:
        """Write 1: the question is in the graph, or on the disk, before any model is asked; returns its place.

        A cancel waits for it: a question that was said is kept. Where a managed server has gone and nothing of this
        conversation is remembered here, its restart is waited for, for a short time: an answer would know of nothing.

        Raises:
            ConversationNotFound: the conversation was deleted.
            BeingAnswered: another turn answers the question that is asked again.
        """
        if self.away:
            await self._replay()  # this turn knows of it then
        if self._asked_seq is not None:
            await shielded(self._claim(self._asked_seq))
            self.seq = self._asked_seq
            return self.seq
        services = self._services
        was_away, memories = self.away, services.stores.memories
        if memories is not None:
            memories.hold(self._user_message_id)
        try:
            seq, failure = await shielded(self._question(text, metadata))
        finally:
            if memories is not None:
                memories.release(self._user_message_id)
        if failure is not None and not was_away and services.stores.graph.comes_back(failure):
            seq = await self._patiently(seq)
        if self._waits or self.lost:
            await self._say()
        return seq

    async def read(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """What ``work`` reads in the graph; None where that is away.

        Raises:
            ConversationNotFound: the conversation was deleted.
        """
        if self.away:
            await self._say()
            return None
        try:
            return await work()
        except GraphUnavailable as error:
            self._services.background.outage.begin(error)
            await self._say()
            return None

    async def answer(self, answer: Answer) -> None:
        """Write 2.

        Raises:
            ConversationNotFound: the conversation was deleted.
        """
        services = self._services
        if self.lost:
            return
        if self._stores:
            try:
                self.seq = await services.stores.messages.complete_turn(self._conversation_id, answer, recover=False)
            except ConversationNotFound:
                await self._deleted()
                raise
            except RagforgeError as error:
                self._failed("the answer", error)
            else:
                self._remember(answer.message, self.seq, answer.tool_calls, stored=True)
                await self.journal(services.background.journal.ended, self._message_id)
                asyncio.get_running_loop().call_later(TIDY_SECONDS, services.background.journal.tidy)
                look_after(services, self._question_stored, answer)
                return
        _, expected = services.background.remembered.places(self._conversation_id)
        told = replace(answer, message=replace(answer.message, timestamp=datetime.now(UTC)))
        kept = answer_journalled(told, expected=expected)
        self._remember(answer.message, expected, answer.tool_calls, stored=False)
        self.lost = not await self.journal(services.background.journal.answered, self._message_id, kept)
        self.waiting += not self.lost
        if answer.message.state == "complete":  # of a turn that was cut off nobody may be reading any more
            await self._say()
        await self._replay()

    async def unanswered(self) -> None:
        """No answer will follow. A question that is nowhere needs no word."""
        services = self._services
        if not self.asked or self.lost:
            await self.journal(services.background.journal.end, self._message_id)
            return
        if self._stores:
            try:
                if not await services.stores.messages.mark_unanswered(self._user_message_id, recover=False):
                    await services.stores.conversations.get(self._conversation_id)
                if self._asked_seq is not None:
                    await services.stores.messages.release_question(
                        self._conversation_id, answer=self._message_id, recover=False
                    )
            except ConversationNotFound:
                await self._deleted()
                raise
            except RagforgeError as error:
                self._failed("the end of the turn", error)
            else:
                await self.journal(services.background.journal.end, self._message_id)
                look_after(services, self._question_stored)
                return
        await self.journal(services.background.journal.answered, self._message_id, {"state": UNANSWERED})
        await self._replay()

    async def journal(self, write: Callable[..., None], *arguments: Any) -> bool:
        """Whether the journal took it: one that cannot be written (a full disk) is said and never fails the turn."""
        try:
            journal = self._services.background.journal
            if write in (journal.begin, journal.end, journal.ended):
                write(*arguments)
            else:
                # A line that is synced to the disk may take milliseconds.
                await asyncio.to_thread(write, *arguments)
        except OSError as error:
            log.warning("the journal cannot be written: %s", error)
            self.degraded.append("journal")
            return False
        return True

    async def _deleted(self) -> None:
        self.gone = True
        self._services.background.remembered.forget(self._conversation_id)
        await self.journal(self._services.background.journal.end, self._message_id)

    def not_embedded(self, error: EmbeddingError) -> None:
        """The question has no vector: nothing is found by its meaning."""
        self._not_embedded = error

    async def say_not_embedded(self) -> None:
        """Says so, once, where that is known by now: an embedder may fail later than it is waited for."""
        if self._not_embedded is not None and "embeddings" not in self.degraded:
            self.degraded.append("embeddings")
            await self._emit(events.Degraded(what="embeddings", detail=self._redactor.text(str(self._not_embedded))))

    async def _claim(self, seq: int) -> None:
        """Claims the question that is asked again; while the graph is away nobody can."""
        messages, uuid = self._services.stores.messages, self._user_message_id
        try:
            if self._stores:
                await messages.claim_question(self._conversation_id, uuid, seq, answer=self._message_id, recover=False)
        except (ConversationNotFound, InvalidInput):
            raise
        except RagforgeError as error:
            self._failed("a question that is asked again", error)
        self.asked = True

    async def _question(self, text: str, metadata: Mapping[str, Any] | None) -> tuple[int, GraphUnavailable | None]:
        """The question's place, and why the graph did not take it where it did not."""
        services = self._services
        question = services.background.due(stored_as(self._redactor, self._user_message_id, "user", text))
        if metadata:
            question = replace(question, metadata=self._redactor.value(dict(metadata)))
        if not services.background.remembered.is_named(self._conversation_id):
            self.title = title_from(question)
        timed = replace(question, timestamp=datetime.now(UTC))
        # Who asks is told by the time, to the microsecond: a write that is repeated is the same one.
        mine = timed if self._once else question
        failure = None
        if self._stores:
            try:
                seq = await services.stores.messages.append(
                    self._conversation_id, mine, title=self.title, once=self._once, recover=False
                )
            except ConversationNotFound:
                services.background.remembered.forget(self._conversation_id)
                raise
            except InvalidInput:
                raise
            except RagforgeError as error:
                # A full disk under the texts, or a database that takes no writes, fails no turn either.
                self._failed("the question", error)
                failure = error if isinstance(error, GraphUnavailable) else None
            else:
                self.asked = True
                self.seq = seq
                self._question_stored = question
                await self._remember_statement(question)
                if self.title is not None:
                    services.background.remembered.named(self._conversation_id)
                self._remember(question, seq, (), stored=True)
                return seq, None
        base, expected = services.background.remembered.places(self._conversation_id)
        kept = question_journalled(timed, self.title)

        def write() -> None:
            services.background.journal.question(self._message_id, kept, base=base, expected=expected)

        self._waits = not services.stores.in_memory and await self.journal(write)
        self.lost = not self._waits
        self.waiting = int(self._waits)
        self.asked = True
        if self._waits:
            services.background.outage.waits(self._conversation_id)
        else:
            await self.journal(services.background.journal.end, self._message_id)
        self._remember(question, expected, (), stored=False)
        return expected, failure

    async def _remember_statement(self, question: NewMessage) -> None:
        """What the question states is remembered from now on; what fails is found again by its label."""
        memories = self._services.stores.memories
        if memories is None or (question.kind is None and question.how is None):
            return
        try:
            done = await memories.remember_messages(question.uuid, recover=False)
            self.remembered = done[0] if done else Remembered(question.uuid, None, ())
        except RagforgeError as error:
            log.warning("a note is remembered later: %s", self._redactor.text(str(error)))

    async def _patiently(self, seq: int) -> int:
        """The question's place, once a server that has gone is back, where that is worth waiting for."""
        services = self._services
        blank = services.background.remembered.is_blank(self._conversation_id, besides=self._user_message_id)
        if not blank or self.lost:
            return seq
        detail = f"Neo4j went away; waiting up to {RESTART_PATIENCE:.0f} s for its restart"
        await self._emit(events.Degraded(what="graph", detail=detail))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESTART_PATIENCE):
                await services.background.outage.over()
        place = services.background.journal.place(self._message_id)
        self._waits = place == 0
        if place:
            self.seq, self.waiting = place, 0
        return place or seq

    def _failed(self, what: str, error: RagforgeError) -> None:
        log.warning("%s waits in the journal: %s", what, self._redactor.text(str(error)))
        if isinstance(error, GraphUnavailable):
            self._services.background.outage.begin(error)

    async def _replay(self) -> None:
        """What waits of the conversation goes to the graph at once if it is there; what takes longer, behind it."""
        services = self._services
        if services.background.outage.is_on:
            return
        try:
            async with asyncio.timeout(CATCH_UP_SECONDS):
                await replay_own(services, self._conversation_id)
        except TimeoutError:
            services.background.outage.waits(self._conversation_id)
        except RagforgeError as error:
            self._failed("what was said", error)
            services.background.outage.waits(self._conversation_id)

    def _remember(self, new: NewMessage, seq: int, calls: Sequence[ToolCall], *, stored: bool) -> None:
        message = new.placed(self._conversation_id, seq, timestamp=datetime.now(UTC), tool_calls=tuple(calls))
        self._services.background.remembered.said(message, stored=stored)

    async def _say(self) -> None:
        """The turn does without the graph: said once, and once more where not even the disk could take it."""
        if "graph" not in self.degraded:
            self.degraded.append("graph")
            if not self.lost:
                await self._emit(events.Degraded(what="graph", detail=self._detail))
        if self.lost and not self._told_of_loss:
            self._told_of_loss = True
            detail = NOT_HELD if self._services.stores.in_memory else NOT_KEPT
            await self._emit(events.Degraded(what="journal", detail=detail))
