"""Claude Code's sessions: JSON lines, of which ``user`` and ``assistant`` ones hold a message of Anthropic's API.

An answer stands in as many lines as it has blocks, all with the id of its message; results of tools come as lines of
the user. Lines of other types say something of the session (its title), hold what the user typed while a tool ran, or
nothing that was said: those are counted by their type.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers import fields
from ragforge_memory.importers.anthropic import add_blocks, blocks_of, take_results, usage_of
from ragforge_memory.importers.envelopes import Queue, is_local, parted, program_says, queued_prompt, text_in_queue
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.importers.families import Family, Kind, Spool, with_next
from ragforge_memory.importers.source import TOO_DEEP, Record, refusal
from ragforge_memory.models.conversation import Role
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptMessage

NAME = "Claude Code session"

_MESSAGES = frozenset({"user", "assistant"})
# Where a title comes from, the stronger the later.
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_OTHERS = frozenset({"system", "progress", "attachment", "last-prompt", "queue-operation", "file-history-snapshot"})
# What a session's metadata keeps of its first message.
_ABOUT = {"cwd": "directory", "gitBranch": "git_branch", "version": "version", "agentId": "agent"}
_SUMMARIES = 50
_UNSENT = "queued and not sent"
_WARM_UP = "Warmup"
_NOTHING = "empty output"
"""How messages are counted in which the program told of a command that it printed nothing."""


def recognises(record: object) -> bool:
    """Whether this is such a line.

    A message says so by itself, also where a tool that copies sessions left its ids out; of all others only the types
    that have been seen are known, and any that names its session: every version of the program has new ones.
    """
    if not isinstance(record, Mapping):
        return False
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _MESSAGES:
        message = record.get("message")
        return isinstance(message, Mapping) and ("uuid" in record or "sessionId" in record or "content" in message)
    if kind in _TITLES:
        return isinstance(record.get(_TITLES[kind]), str)
    if "sessionId" in record:
        return "role" not in record
    return kind in _OTHERS and not {"uuid", "leafUuid", "messageId"}.isdisjoint(record)


def read(records: Iterable[Record]) -> Iterator[Transcript]:
    """The sessions of such lines: one, unless files were put behind each other.

    Each must be read to its end before the next. A line that is bad is passed over and named in ``flaws``; reading the
    messages raises `InvalidInput` only where nothing is left.
    """
    lines = _Lines(records)
    while lines.peek() is not None:
        session = _Session()
        session.take(lines)
        if session.transcript.place:
            yield session.transcript


class _Lines:
    """Records of which the next one can be looked at."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = iter(records)
        self._next: Record | None = None

    def peek(self) -> Record | None:
        if self._next is None:
            self._next = next(self._records, None)
        return self._next

    def take(self) -> None:
        self._next = None


class _Session:
    """One session, from its first line to that of the next.

    Its lines are looked through twice, for only its end says which of them the program would show: they wait in a
    temporary file, and of each no more than its place in the family is in memory.
    """

    def __init__(self) -> None:
        self._id: str | None = None
        self._exchange = Exchange()
        self._family = Family()
        self._spool = Spool()
        self._titles: dict[str, str] = {}
        self._summaries: deque[tuple[str | None, str]] = deque(maxlen=_SUMMARIES)
        self._message_id: str | None = None
        self._newest: str | None = None
        self._begun = False
        self._instead: int | None = None
        self._told: set[int] = set()
        self._queue = Queue()
        self.transcript = Transcript(self._messages(), NAME, branches=self._branches)

    def take(self, lines: _Lines) -> None:
        """Takes up the session's lines."""
        while (record := lines.peek()) is not None and not self._begins_another(record.value):
            lines.take()
            why = record.fault
            try:
                if why is None:
                    why = self._taken_up(record)
            except (ValueError, RecursionError) as error:
                why = str(error) or TOO_DEEP
            if why is not None:
                self.transcript.pass_over(record.place, why)

    def _taken_up(self, record: Record) -> str | None:
        """Looks at a line for the first time; returns why it is bad."""
        line = record.value
        if not isinstance(line, Mapping) or not isinstance(line.get("type"), str):
            return "a line of a session has a type"
        uuid = fields.foreign_id(line.get("uuid"), "its uuid")
        # What follows a condensed session has its last message for a parent in another place.
        parent = fields.foreign_id(line.get("parentUuid") or line.get("logicalParentUuid"), "its parentUuid")
        kind = self._kind(line)
        if uuid is not None and (known := self._family.place_of(uuid)) is not None:
            if self._family.is_same(uuid, line.get("message")):
                self.transcript.left_out["repeated"] += 1
                return None
            return f"its uuid is that of {known}, which says something else"
        is_queue = line["type"] == "queue-operation"
        if is_queue:
            parent = self._newest
        side = bool(line.get("isSidechain"))
        # An agent's file names it, since there are such files; a session may begin with agents that were warmed up.
        named = isinstance(line.get("agentId"), str)
        agent = side and (named or (kind is Kind.PROMPT and _typed(line) != _WARM_UP))
        self._family.add(record.place, uuid, parent, kind, line.get("message"), side=side, agent=agent)
        self._newest = uuid or self._newest
        if is_queue:
            self._queue.operate(self._family.last, line)
        elif not side and kind is Kind.ANSWER:
            self._queue.answer()
        elif not side and kind is not Kind.OTHER and self._queue.waiting:
            self._queue.come(_typed(line))
        if kind is Kind.OTHER:
            self._about(line)
            return None
        self._spool.add(self._family.last, record.place, line)
        self.transcript.place = self.transcript.place or record.place
        return None

    def _kind(self, line: Mapping[str, Any]) -> Kind:
        """What a line is to the family.

        Raises:
            ValueError: it is a message without one.
        """
        if line["type"] == "attachment":
            return Kind.OTHER if queued_prompt(line) is None else Kind.BESIDE
        if line["type"] == "queue-operation":
            return Kind.BESIDE if line.get("operation") == "enqueue" and text_in_queue(line) else Kind.OTHER
        if line["type"] not in _MESSAGES:
            return Kind.OTHER
        message = fields.mapping(line.get("message"), "the message of a line")
        if line["type"] == "assistant":
            return Kind.ANSWER
        blocks = blocks_of(message.get("content"))
        typed = [block for block in blocks if block.get("type") != "tool_result"]
        by_program = bool(line.get("isMeta") or line.get("isCompactSummary"))
        if not typed or by_program or program_says(_text_of(typed)):
            return Kind.BESIDE
        return Kind.PROMPT

    def _messages(self) -> Iterator[TranscriptMessage]:
        is_branch = self._instead is not None
        shown = self._family.shown(self._instead)
        otherwise = self._family.shown() if is_branch else shown
        said = 0
        for (index, place, line), following in with_next(self._spool.records()):
            why = shown[index]
            if line["type"] == "queue-operation" and index not in self._queue.said:
                why = _UNSENT if index in self._queue.waiting else line["type"]
            if why is not None:
                if not is_branch:
                    self.transcript.left_out[why] += 1
                continue
            if is_branch and otherwise[index] == ABANDONED and index not in self._told:
                self._told.add(index)
                self.transcript.abandoned += 1
            if not self._begun:
                self._begin(line, place)
            try:
                complete = list(self._said(line, place, local=is_local(line, following)))
            except InvalidInput as error:
                self.transcript.pass_over(place, error.message.removeprefix(f"{place}: "))
            except (ValueError, RecursionError) as error:
                self.transcript.pass_over(place, str(error) or TOO_DEEP)
            else:
                said += len(complete)
                yield from complete
        for message in self._exchange.finish():
            said += 1
            yield message
        self.transcript.title = self._title()
        if not said and self.transcript.flaws:
            first = self.transcript.flaws[0]
            raise refusal(first.place, first.message)

    def _branches(self) -> Iterator[Transcript]:
        """What the user went back from, each as the program would have shown it then."""
        for prompt in self._family.abandoned():
            other = copy(self)
            other._exchange, other._message_id, other._begun, other._instead = Exchange(), None, False, prompt
            other.transcript = Transcript(other._messages(), NAME, of=self.transcript)
            yield other.transcript

    def _begins_another(self, value: object) -> bool:
        """A session that goes on under a new id follows a message; one that begins follows none."""
        if not isinstance(value, Mapping) or not fields.is_one_of(value.get("type"), _MESSAGES):
            return False
        session = value.get("sessionId")
        if self._id is None:
            self._id = session if isinstance(session, str) else None
            return False
        return isinstance(session, str) and session != self._id and value.get("parentUuid") is None

    def _said(self, line: Mapping[str, Any], place: str, *, local: bool) -> Iterator[TranscriptMessage]:
        uuid = fields.unique(fields.foreign_id(line.get("uuid"), "its uuid"))
        if line["type"] not in _MESSAGES:
            yield from self._say(line, _typed(line), place, uuid)
            return
        message = fields.mapping(line.get("message"), "the message of a line")
        if line["type"] == "assistant":
            yield from self._answer(line, message, place, uuid)
        else:
            yield from self._user(line, message, place, uuid, local=local)

    def _begin(self, line: Mapping[str, Any], place: str) -> None:
        self._begun = True
        self.transcript.place = place
        self.transcript.session_id = self._id
        self.transcript.created_at = self.transcript.about(place, lambda: fields.time(line.get("timestamp")))
        for key, name in _ABOUT.items():
            if isinstance(line.get(key), str) and line[key]:
                self.transcript.metadata[name] = line[key]

    def _answer(
        self, line: Mapping[str, Any], message: Mapping[str, Any], place: str, uuid: str | None
    ) -> Iterator[TranscriptMessage]:
        message_id = fields.foreign_id(message.get("id"), "the id of its message")
        answer = self._exchange.last
        if answer is None or message_id is None or message_id != self._message_id:
            model = message.get("model")
            answer = Answer(
                place,
                uuid=uuid,
                timestamp=fields.time(line.get("timestamp")),
                model=model if isinstance(model, str) else None,
            )
            yield from self._exchange.answer(answer)
        self._message_id = message_id
        answer.usage = usage_of(message.get("usage")) or answer.usage
        add_blocks(answer, self._exchange, blocks_of(message.get("content")), fields.time(line.get("timestamp")))

    def _user(
        self, line: Mapping[str, Any], message: Mapping[str, Any], place: str, uuid: str | None, *, local: bool
    ) -> Iterator[TranscriptMessage]:
        when = fields.time(line.get("timestamp"))
        said, results = yield from take_results(
            self._exchange,
            blocks_of(message.get("content")),
            place,
            when,
            duration_ms=_duration(line.get("toolUseResult")),
        )
        if not said and results:
            return
        yield from self._say(line, fields.joined(said, "its content"), place, uuid, local=local)

    def _say(
        self, line: Mapping[str, Any], text: str, place: str, uuid: str | None, *, local: bool = False
    ) -> Iterator[TranscriptMessage]:
        when = fields.time(line.get("timestamp"))
        # What the program itself says in the user's name is not a word of the user.
        if line.get("isMeta") or line.get("isCompactSummary") or _is_meta(line.get("attachment")):
            typed, program = "", text
        else:
            typed, program = parted(text)
        if local:  # a setting of the program (/model), which no model answers
            typed, program = "", typed or program
        if text and not typed and not program:
            self.transcript.left_out[_NOTHING] += 1
        sides: tuple[tuple[Role, str], ...] = (("user", typed), ("system", program))
        for role, content in sides:
            if content:
                own = uuid if role == "user" or not typed else None
                yield from self._exchange.say(TranscriptMessage(role, content, when, own, place=place))

    def _about(self, line: Mapping[str, Any]) -> None:
        kind = str(line.get("type"))
        found = line.get(_TITLES[kind]) if kind in _TITLES else None
        if not isinstance(found, str) or not found.strip():
            self.transcript.left_out[kind] += 1
            return
        if kind == "summary":
            leaf = line.get("leafUuid")
            self._summaries.append((leaf if isinstance(leaf, str) else None, found))
        else:
            self._titles[kind] = found

    def _title(self) -> str | None:
        """What somebody named it, else what it was named by itself, else its own summary, else a summary beside it."""
        own = [summary for leaf, summary in self._summaries if leaf is not None and self._family.has(leaf)]
        summaries = own or [summary for _, summary in self._summaries]
        named = self._titles.get("custom-title") or self._titles.get("ai-title")
        return named or (summaries[-1] if summaries else None)


def _typed(line: Mapping[str, Any]) -> str:
    """The text of a line that is the user's, or was typed while a tool ran."""
    if line["type"] == "queue-operation":
        return text_in_queue(line)
    if line["type"] == "attachment":
        return fields.joined(queued_prompt(line), "its prompt")
    message = line.get("message")
    return _text_of(blocks_of(message.get("content"))) if isinstance(message, Mapping) else ""


def _is_meta(attachment: object) -> bool:
    return isinstance(attachment, Mapping) and bool(attachment.get("isMeta"))


def _text_of(blocks: list[Mapping[str, Any]]) -> str:
    return "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _duration(result: object) -> int:
    if not isinstance(result, Mapping):
        return 0
    found = result.get("durationMs", result.get("totalDurationMs"))
    return int(found) if isinstance(found, (int, float)) and 0 <= found < 1e12 else 0
