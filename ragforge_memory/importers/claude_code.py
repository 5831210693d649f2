"""Claude Code's sessions: JSON lines, of which ``user`` and ``assistant`` ones hold a message of Anthropic's API.

An answer stands in as many lines as it has blocks, all with the id of its message; results of tools come as lines of
the user. Lines of other types say something of the session (its title) or nothing that was said.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange
from ragforge_memory.importers.source import Record
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.transcript import Transcript, TranscriptCall, TranscriptMessage

NAME = "Claude Code session"

_MESSAGES = frozenset({"user", "assistant"})
# Where a title comes from, the stronger the later.
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
_OTHERS = frozenset({"system", "progress", "attachment", "last-prompt", "queue-operation", "file-history-snapshot"})
# What a session's metadata keeps of its first message.
_ABOUT = {"cwd": "directory", "gitBranch": "git_branch", "version": "version", "agentId": "agent"}
_SUMMARIES = 50


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
    return "sessionId" in record or (kind in _OTHERS and not {"uuid", "leafUuid", "messageId"}.isdisjoint(record))


def read(records: Iterable[Record]) -> Iterator[Transcript]:
    """The sessions of such lines: one, unless files were put behind each other.

    Each must be read to its end before the next; what is left of one that was refused is passed over. Reading its
    messages raises `InvalidInput` with the line that is bad.
    """
    lines = _Lines(records)
    while lines.peek() is not None:
        session = _Session(lines)
        if session.has_messages():
            yield session.transcript
        session.pass_over()


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
    """One session, from its first line to that of the next."""

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._id: str | None = None
        self._sidechain: bool | None = None
        self._exchange = Exchange()
        self._family = _Family()
        self._titles: dict[str, str] = {}
        self._summaries: deque[tuple[str | None, str]] = deque(maxlen=_SUMMARIES)
        self._message_id: str | None = None
        self.transcript = Transcript(self._messages(), NAME)

    def has_messages(self) -> bool:
        """Whether a message comes (or a line that is bad); what stands before it is taken up."""
        while (record := self._lines.peek()) is not None:
            if record.fault is not None or not _is_other(record.value):
                self.transcript.place = record.place
                return True
            self._about(record.value)
            self._lines.take()
        return False

    def pass_over(self) -> None:
        """Goes to where the next session begins."""
        while (record := self._lines.peek()) is not None and not self._begins_another(record.value):
            self._lines.take()

    def _messages(self) -> Iterator[TranscriptMessage]:
        while (record := self._lines.peek()) is not None and not self._begins_another(record.value):
            self._lines.take()
            yield from record.messages(self._taken)
        yield from self._exchange.finish()
        self.transcript.title = self._title()

    def _begins_another(self, value: object) -> bool:
        """A session that goes on under a new id follows a message; one that begins follows none."""
        if not isinstance(value, Mapping) or not fields.is_one_of(value.get("type"), _MESSAGES):
            return False
        session = value.get("sessionId")
        if self._id is None:
            self._id = session if isinstance(session, str) else None
            return False
        return isinstance(session, str) and session != self._id and value.get("parentUuid") is None

    def _taken(self, value: object, place: str) -> Iterator[TranscriptMessage]:
        line = fields.mapping(value, "a line")
        if _is_other(line):
            self._about(line)
            return
        if not fields.is_one_of(line.get("type"), _MESSAGES):
            raise ValueError("a line of a session has a type")
        uuid = fields.foreign_id(line.get("uuid"), "its uuid")
        if uuid is not None:
            self._family.add(place, uuid, fields.foreign_id(line.get("parentUuid"), "its parentUuid"))
        sidechain = bool(line.get("isSidechain"))
        if self._sidechain is None:
            self._begin(line, sidechain)
        if sidechain != self._sidechain:
            return
        message = fields.mapping(line.get("message"), "the message of a line")
        if line["type"] == "assistant":
            yield from self._answer(line, message, place, fields.unique(uuid))
        else:
            yield from self._user(line, message, place, fields.unique(uuid))

    def _begin(self, line: Mapping[str, Any], sidechain: bool) -> None:
        self._sidechain = sidechain
        self.transcript.session_id = self._id
        self.transcript.created_at = fields.time(line.get("timestamp"))
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
        answer.usage = _usage(message.get("usage")) or answer.usage
        for block in _blocks(message.get("content")):
            match block.get("type"):
                case "tool_use" | "server_tool_use":
                    answer.calls.append(
                        TranscriptCall(
                            tool_name=fields.text(block.get("name"), "the name of a tool", most=200),
                            arguments=fields.arguments(block.get("input")),
                            call_id=fields.call_id(block.get("id"), "the id of its tool call"),
                            timestamp=fields.time(line.get("timestamp")),
                        )
                    )
                case "thinking":
                    if thought := fields.joined(
                        block.get("thinking"), "its reasoning", most=fields.MAX_RESULT_CHARACTERS
                    ):
                        answer.reasoning.append(thought)
                case "redacted_thinking":
                    pass
                case _:
                    if said := fields.joined([block], "its content"):
                        answer.texts.append(said)

    def _user(
        self, line: Mapping[str, Any], message: Mapping[str, Any], place: str, uuid: str | None
    ) -> Iterator[TranscriptMessage]:
        when = fields.time(line.get("timestamp"))
        said = []
        results = 0
        for block in _blocks(message.get("content")):
            if block.get("type") != "tool_result":
                said.append(block)
                continue
            results += 1
            result = fields.joined(block.get("content"), "the result of its tool", most=fields.MAX_RESULT_CHARACTERS)
            yield from self._exchange.result(
                place,
                fields.call_id(block.get("tool_use_id"), "its tool_use_id"),
                result=result,
                failed=bool(block.get("is_error")),
                timestamp=when,
                duration_ms=_duration(line.get("toolUseResult")),
            )
        if said or not results:
            # What the program itself says in the user's name is not a word of the user.
            injected = bool(line.get("isMeta") or line.get("isCompactSummary"))
            yield from self._exchange.say(
                TranscriptMessage(
                    role="system" if injected else "user",
                    content=fields.joined(said, "its content"),
                    timestamp=when,
                    uuid=uuid,
                    place=place,
                )
            )

    def _about(self, line: Mapping[str, Any]) -> None:
        kind = line.get("type")
        found = line.get(_TITLES[kind]) if kind in _TITLES else None
        if not isinstance(found, str) or not found.strip():
            return
        if kind == "summary":
            leaf = line.get("leafUuid")
            self._summaries.append((leaf if isinstance(leaf, str) else None, found))
        else:
            self._titles[str(kind)] = found

    def _title(self) -> str | None:
        """What somebody named it, else what it was named by itself, else its own summary, else a summary beside it."""
        own = [summary for leaf, summary in self._summaries if leaf is not None and self._family.has(leaf)]
        summaries = own or [summary for _, summary in self._summaries]
        named = self._titles.get("custom-title") or self._titles.get("ai-title")
        return named or (summaries[-1] if summaries else None)


class _Family:
    """Which line each message stands on and which it follows, in some 100 bytes a message."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}
        self._parents = array("q")
        self._numbers = array("q")
        self._word = "line"
        # Parents that had not come when they were named: only they can close a ring.
        self._awaited: set[int] = set()

    def has(self, uuid: str) -> bool:
        """Whether it came."""
        return hash(uuid) in self._index

    def add(self, place: str, uuid: str, parent: str | None) -> None:
        """Takes up a message.

        Raises:
            ValueError: its uuid was there before, or it is its own ancestor.
        """
        key, above = hash(uuid), 0 if parent is None else hash(parent)
        if key in self._index:
            raise ValueError(f"its uuid is that of {self._word} {self._numbers[self._index[key]]}")
        self._word, _, number = place.partition(" ")
        self._index[key] = len(self._parents)
        self._parents.append(above)
        self._numbers.append(int(number.partition(" ")[0]))
        if above and above not in self._index:
            self._awaited.add(above)
        if key == above or (key in self._awaited and self._leads_to(above, key)):
            raise ValueError("it is its own ancestor")
        self._awaited.discard(key)

    def _leads_to(self, key: int, wanted: int) -> bool:
        while key and key != wanted:
            index = self._index.get(key)
            key = 0 if index is None else self._parents[index]
        return key == wanted


def _is_other(value: object) -> bool:
    """Whether a line is of a session and holds no message; which types there are changes from version to version."""
    return isinstance(value, Mapping) and isinstance(value.get("type"), str) and value["type"] not in _MESSAGES


def _blocks(content: object) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, (list, tuple)):
        raise ValueError(f"its content is text or a list of blocks, not {type(content).__name__}")
    return [fields.mapping(block, "a block of its content") for block in content]


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None

    def count(key: str) -> int:
        found = value.get(key)
        return found if isinstance(found, int) and found > 0 else 0

    cached = count("cache_read_input_tokens")
    given = count("input_tokens") + count("cache_creation_input_tokens") + cached
    return Usage(input_tokens=given, output_tokens=count("output_tokens"), cached_tokens=cached)


def _duration(result: object) -> int:
    if not isinstance(result, Mapping):
        return 0
    found = result.get("durationMs", result.get("totalDurationMs"))
    return int(found) if isinstance(found, (int, float)) and 0 <= found < 1e12 else 0
