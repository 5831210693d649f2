"""Storing what waits in journals: of this process after an outage, of processes that are gone; each record once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any

from ragforge_memory.agent.services import Services, Stores
from ragforge_memory.errors import (
    ConversationFileError,
    GraphBusy,
    GraphError,
    GraphUnavailable,
    NotFound,
    RagforgeError,
)
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.failures import is_final
from ragforge_memory.graph.journal import JournalFile
from ragforge_memory.graph.journal_lines import JournalCreation, JournalTurn
from ragforge_memory.graph.messages import Answer, CodeTies, Mention, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, Used
from ragforge_memory.graph.records import from_json, to_json
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.tokens import estimate_tokens

log = logging.getLogger(__name__)

UNANSWERED = "unanswered"
"""The state of an answer, in the journal, that will never be."""


async def fold_orphans(services: Services) -> int:
    """Takes up the turns of processes that are gone; returns how many were folded in.

    A turn with finished tool calls becomes a partial answer, what waited is stored, and the question of a turn with
    neither is marked unanswered. Turns of another database are left for whoever opens that.
    """
    folded = 0
    for path in await asyncio.to_thread(services.background.journal.others):
        try:
            with services.background.journal.claimed(path) as file:
                if file is None:
                    continue
                replay = _Replay(services, file)
                for creation in [each for each in file.held.creations.values() if _is_ours(services.stores, each)]:
                    await replay.creation(creation)
                held_up: set[str] = set()
                for turn in [each for each in file.held.turns.values() if _is_ours(services.stores, each)]:
                    if turn.conversation_id in held_up:
                        continue
                    try:
                        await replay.turn(turn, ended=True)
                    except ConversationFileError as error:
                        # Only this conversation waits for its file.
                        log.warning("lines of the journal %s are kept for later: %s", path.name, error)
                        held_up.add(turn.conversation_id)
                        continue
                    folded += 1
                if file.held:
                    # What was ours is in the graph, or was of a conversation that was deleted: no file keeps its text.
                    await asyncio.to_thread(file.compact)
        except (RagforgeError, OSError, ValueError) as error:
            log.warning("the journal %s is kept for later: %s", path.name, error)
    return folded


async def replay_own(services: Services, conversation_id: str | None = None) -> None:
    """Stores what the graph could not take of this process's turns, of one conversation or of all.

    Where all are meant, those are left out that the graph is too busy for, and those whose files cannot be written;
    `Outage.held_up` has them.

    Raises:
        GraphUnavailable: the graph is still away; what is not stored still waits.
        ConversationFileError: the one conversation's file cannot be written; likewise.
    """
    outage = services.background.outage
    if not services.background.journal.waiting(conversation_id):
        outage.stored(conversation_id)
        return
    passed: set[str] = set()
    async with outage.replaying:
        replay = _Replay(services, services.background.journal)
        while waiting := services.background.journal.waiting(conversation_id, besides=passed):
            for creation in waiting.creations.values():
                try:
                    await replay.creation(creation)
                except GraphBusy as error:
                    if conversation_id is not None:
                        raise
                    log.info("conversation %s is begun later: %s", creation.conversation_id, error)
                    passed.add(creation.conversation_id)
            for turn in waiting.turns.values():
                if turn.conversation_id in passed:
                    continue
                try:
                    await replay.turn(turn, ended=turn.answer is not None)
                except (ConversationFileError, GraphBusy) as error:
                    if isinstance(error, ConversationFileError):
                        outage.held_up.add(turn.conversation_id)
                        outage.unwritable.add(turn.conversation_id)
                    if conversation_id is not None:
                        raise
                    log.info("what waits of conversation %s is stored later: %s", turn.conversation_id, error)
                    passed.add(turn.conversation_id)
        outage.stored(conversation_id, besides=passed)
    if conversation_id is not None:
        outage.soon()
    services.background.work.wake(due=True)


def question_journalled(question: NewMessage, title: str | None) -> dict[str, Any]:
    """A question as the journal keeps it."""
    return {**asdict(question), "usage": None, "title": title, "timestamp": _text(question.timestamp)}


def answer_journalled(answer: Answer, *, expected: int) -> dict[str, Any]:
    """An answer as the journal keeps it, whose tool calls are lines of their own; ``expected`` is the place that it is
    taken to have."""
    message, ties, receipt = answer.message, answer.ties, answer.receipt
    return {
        "expected": expected,
        "content": message.content,
        "reasoning": message.reasoning,
        "token_count": message.token_count,
        "state": message.state,
        "timestamp": _text(message.timestamp),
        "model": message.model,
        "usage": message.usage.model_dump(mode="json") if message.usage else None,
        "provider_parts": message.provider_parts,
        "mentions": [asdict(item) for item in ties.mentions],
        "files": list(ties.files),
        "told": [asdict(item) for item in ties.told],
        "importance": message.importance,
        "echo": message.echo,
        "extract": message.extract,
        "receipt": message.receipt,
        "used": [asdict(used) for used in receipt.used],
        "prompts": receipt.prompts,
    }


class _Replay:
    """Stores the records of one journal file, in order.

    Args:
        file: what is stored is marked there at once, so that a crash leaves the rest alone to the next process.
    """

    def __init__(self, services: Services, file: JournalFile) -> None:
        self._services = services
        self._file = file
        # Where messages are that were taken to be elsewhere, by conversation: others have written meanwhile.
        self._moved: dict[str, dict[int, int]] = {}
        # Conversations that the graph will never take: nobody deleted them, and their turns are set aside too.
        self._refused: set[str] = set()

    async def creation(self, creation: JournalCreation) -> None:
        """Makes a conversation that was begun while the graph was away."""
        store = ConversationStore(self._services.stores.graph, Owner(creation.user_id, creation.project))
        with self._aside(creation):
            await store.create(
                uuid=creation.conversation_id,
                title=creation.title,
                tags=creation.tags,
                metadata=creation.metadata,
                created_at=creation.begun or None,
                recover=False,
            )
            self._mark(self._file.exists, creation.conversation_id)

    async def turn(self, turn: JournalTurn, *, ended: bool) -> None:
        """Stores what is complete of a turn; ``ended``: and says what became of one that has no answer."""
        services = self._services
        messages = MessageStore(
            services.stores.graph,
            Owner(turn.user_id, turn.project),
            summarize_every=services.place.summarize_every,
            generate_titles=services.models.generates_titles,
        )
        with self._aside(turn):
            try:
                if turn.question is not None:
                    await self._question(messages, turn, turn.question)
                given_up = (turn.answer or {}).get("state") == UNANSWERED
                if not given_up and (turn.answer is not None or (ended and turn.tool_calls)):
                    await self._answer(messages, turn)
                elif ended:
                    await messages.mark_unanswered(turn.user_message_id, recover=False)
                    await messages.release_question(turn.conversation_id, answer=turn.message_id, recover=False)
            except NotFound:
                another = turn.waits and turn.birth and turn.birth != services.stores.graph_birth
                if another or turn.conversation_id in self._refused:
                    raise
                log.info("a turn of a conversation that was deleted meanwhile was dropped")
                self._mark(self._file.end, turn.message_id)
                return
            if ended:
                self._mark(self._file.end, turn.message_id)

    async def _question(self, messages: MessageStore, turn: JournalTurn, kept: dict[str, Any]) -> None:
        names = {field.name for field in fields(NewMessage)}
        question = NewMessage(**{name: value for name, value in kept.items() if name in names})
        question = replace(question, timestamp=_time(kept.get("timestamp")))
        seq = await messages.append(turn.conversation_id, question, title=kept.get("title"), recover=False)
        self._moved.setdefault(turn.conversation_id, {})[turn.expected] = seq
        self._services.background.remembered.placed(turn.conversation_id, turn.user_message_id, seq)
        self._mark(self._file.stored, turn.message_id, seq)

    async def _answer(self, messages: MessageStore, turn: JournalTurn) -> None:
        moved = self._moved.setdefault(turn.conversation_id, {})
        if turn.landed:
            moved[turn.expected] = turn.landed
        seq = await messages.complete_turn(turn.conversation_id, _answer_of(turn, moved), recover=False)
        if expected := (turn.answer or {}).get("expected"):
            moved[expected] = seq
        self._services.background.remembered.placed(turn.conversation_id, turn.message_id, seq)

    @contextlib.contextmanager
    def _aside(self, what: JournalCreation | JournalTurn) -> Iterator[None]:
        """What the graph will never take is set aside, so that it keeps nothing else from being stored."""
        try:
            yield
        except GraphUnavailable:
            raise
        except (RagforgeError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, (ConversationFileError, GraphError)) and not is_final(error):
                # A disk that is full, a database that takes no writes for now: it waits for better times.
                raise
            if isinstance(what, JournalCreation):
                self._refused.add(what.conversation_id)
            try:
                self._file.set_aside(what, str(error))
            except OSError as full:
                log.warning("lines of the journal cannot be stored (%s) or set aside (%s): they stay", error, full)
                self._file.leave(what)
            else:
                log.warning("lines of the journal were set aside: %s", error)

    @staticmethod
    def _mark(mark: Callable[..., None], *what: Any) -> None:
        """Says in the file that something is stored; where the disk refuses, storing it again changes nothing."""
        try:
            mark(*what)
        except OSError as error:
            log.warning("the journal cannot be written: %s", error)


def _is_ours(stores: Stores, what: JournalCreation | JournalTurn) -> bool:
    """Whether this is the database that it belongs to; drivers that were handed in are told by the database itself."""
    if what.graph != stores.graph_name:
        return False
    return what.graph != "driver" or what.birth in ("", stores.graph_birth)


def _answer_of(turn: JournalTurn, moved: Mapping[int, int]) -> Answer:
    kept = turn.answer or {}
    time = _time(kept.get("timestamp"))
    if turn.answer is None and turn.tool_calls:
        time = turn.tool_calls[-1].timestamp
    content = kept.get("content", "")
    message = NewMessage(
        uuid=turn.message_id,
        role="assistant",
        content=content,
        reasoning=kept.get("reasoning"),
        token_count=kept.get("token_count") or estimate_tokens(content),
        state=kept.get("state", "partial"),
        in_reply_to=turn.user_message_id,
        model=kept.get("model") or turn.model or None,
        usage=Usage(**kept["usage"]) if kept.get("usage") else None,
        provider_parts=kept.get("provider_parts"),
        importance=kept.get("importance"),
        echo=bool(kept.get("echo")),
        extract=bool(kept.get("extract")),
        trust="agent",
        receipt=_placed(kept.get("receipt"), turn, moved),
        timestamp=time,
    )
    ties = CodeTies(
        touched=tuple(dict.fromkeys(turn.scopes)),
        mentions=tuple(map(_mention, kept.get("mentions", ()))),
        files=tuple(kept.get("files", ())),
        told=tuple(map(_mention, kept.get("told", ()))),
    )
    receipt = Receipt(
        used=tuple(Used(**used) for used in kept.get("used", ())),
        prompts=tuple((uuid, text) for uuid, text in kept.get("prompts", ())),
    )
    return Answer(message, turn.tool_calls, ties, receipt)


def _text(time: datetime | None) -> str | None:
    return time.isoformat() if time is not None else None


def _time(kept: str | None) -> datetime | None:
    return datetime.fromisoformat(kept) if kept else None


def _mention(kept: Mapping[str, Any]) -> Mention:
    types = kept["types"]
    return Mention(kept["name"], kept["qualified_name"], None if types is None else tuple(types))


def _placed(receipt: str | None, turn: JournalTurn, moved: Mapping[int, int]) -> str | None:
    """A receipt with the places that its messages have by now; None where one of them is not known any more.

    Places behind the turn's ``base`` were counted on while the graph was away. Where nobody else has written meanwhile
    they hold.
    """
    held = from_json(receipt)
    if not isinstance(held, dict) or moved.get(turn.expected, 0) == turn.expected:
        return receipt

    def place(seq: int) -> int:
        return seq if seq <= turn.base else moved[seq]

    try:
        held["question"] = place(held["question"])
        for key in ("recent", "quotes"):
            held[key] = [[place(seq), *rest] for seq, *rest in held[key]]
        held["additions"] = [place(seq) for seq in held["additions"]]
    except KeyError:
        return None
    return to_json(held)
