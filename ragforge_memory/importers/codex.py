"""Sessions of Codex CLI: `rollout-*.jsonl`, whose lines wrap items of the Responses API.

By the program's own source (codex-rs, `RolloutItem`): `session_meta`, `response_item`, `turn_context`, `compacted` and
`event_msg`, which repeats for its screen what the items say. One of them says more: by `thread_rolled_back` the user
took back the last turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Exchange, PassOver, sound
from ragforge_memory.importers.families import Spool
from ragforge_memory.importers.responses import LEFT_OUT, take_item
from ragforge_memory.importers.source import Record
from ragforge_memory.models.conversation import Role
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptMessage

NAME = "Codex session"

_TYPES = frozenset({"session_meta", "response_item", "turn_context", "compacted", "event_msg"})
# Items that say nothing: a commit of the work tree that the program made, what a newer version wrote.
_SILENT = LEFT_OUT | {"ghost_snapshot", "other"}
# What the program writes in the user's name, by how it begins and ends (codex-rs: contextual_user_message.rs, the
# fragments that it names, and those of its older versions). Where nobody else begins so, it may have been cut.
_BY_PROGRAM = (
    ("<environment_context>", ""),
    ("<user_instructions>", ""),
    ("# agents.md instructions", ""),
    ("<instructions>", "</instructions>"),
    ("<external_", ">"),
    ("<extension_context>", "</extension_context>"),
    ("<codex_internal_context", "</codex_internal_context>"),
    ("<goal_context>", "</goal_context>"),
    ("<skill>", "</skill>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<user_action>", "</user_action>"),
    ("<turn_aborted>", ""),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<subagents>", "</subagents>"),
    ("<plugins>", "</plugins>"),
    ("<recommended_plugins>", "</recommended_plugins>"),
    ("<hook_prompt", "</hook_prompt>"),
    ("warning: apply_patch was requested via ", "use the apply_patch tool instead of exec_command."),
    ("warning: the maximum number of unified exec processes you can keep open is", ""),
    ("warning: your account was flagged for potentially high-risk cyber activity", ""),
)


def recognises(record: object) -> bool:
    """Whether this is such a line."""
    if not isinstance(record, Mapping):
        return False
    return fields.is_one_of(record.get("type"), _TYPES) and isinstance(record.get("payload"), Mapping)


def is_beginning(record: object) -> bool:
    """Whether this is the first line of an older session, which says of it what `session_meta` does now."""
    return isinstance(record, Mapping) and {"id", "timestamp"} <= record.keys() and not {"type", "role"} & record.keys()


def read(records: Iterable[Record]) -> Transcript:
    """The session of such lines."""
    transcript = Transcript(iter(()), NAME)
    transcript.messages = _messages(records, transcript)
    return transcript


def _messages(records: Iterable[Record], transcript: Transcript) -> Iterator[TranscriptMessage]:
    rollout = _Rollout()
    for record in records:
        transcript.place = transcript.place or record.place
        rollout.add(record)
    if rollout.abandoned:
        transcript.left_out[ABANDONED] += rollout.abandoned
        transcript.branches = partial(rollout.branches, transcript)
    yield from rollout.messages(transcript)


class _Rollout:
    """The lines of a session, looked through twice, for only its end says which of them the user did not take back.

    They wait in a temporary file; of each turn no more than its place is in memory.
    """

    def __init__(self) -> None:
        self._spool = Spool()
        self._count = 0
        self._turns: list[int] = []
        self._said: list[int] = []
        self._taken_back: list[tuple[range, int]] = []

    @property
    def abandoned(self) -> int:
        """How many messages the user took back."""
        return sum(said for _, said in self._taken_back)

    def add(self, record: Record) -> None:
        """Takes up a line."""
        self._spool.add(self._count, record.place, {"value": record.value, "fault": record.fault})
        item = _item_of(record.value)
        if _is_turn(item):
            self._turns.append(self._count)
        if item.get("type") == "message" and fields.is_one_of(item.get("role"), ("user", "assistant")):
            self._said.append(self._count)
        if item.get("type") == "thread_rolled_back" and isinstance(turns := item.get("num_turns"), int) and turns > 0:
            self._take_back(turns)
        self._count += 1

    def _take_back(self, turns: int) -> None:
        """Takes the last turns back; all there are where there are fewer, as the program does."""
        gone = self._turns[-turns:]
        del self._turns[-turns:]
        said = 0
        while gone and self._said and self._said[-1] >= gone[0]:
            self._said.pop()
            said += 1
        if gone:
            self._taken_back.append((range(gone[0], self._count), said))

    def messages(self, transcript: Transcript) -> Iterator[TranscriptMessage]:
        """What the user did not take back."""
        yield from self._along(transcript, [gone for gone, _ in self._taken_back], range(self._count))

    def branches(self, whole: Transcript) -> Iterator[Transcript]:
        """What was there each time the user took turns back."""
        for index, (gone, said) in enumerate(self._taken_back):
            branch = whole.branch(said)
            branch.messages = self._along(branch, [before for before, _ in self._taken_back[:index]], gone)
            yield branch

    def _along(self, transcript: Transcript, without: list[range], own: range) -> Iterator[TranscriptMessage]:
        """The messages up to the end of its own lines, without these; what is bad before its own was told elsewhere."""
        reader = _Reader()
        told = Transcript(iter(()), NAME)
        for index, place, line in self._spool.records():
            if index < own.stop and not any(index in gone for gone in without):
                record = Record(place, line["value"], line["fault"])
                yield from reader.take(record, transcript if index in own else told)
        yield from reader.finish()


class _Reader:
    """Makes messages of lines, one after another."""

    def __init__(self) -> None:
        self._exchange = Exchange()
        self._model: str | None = None

    def take(self, record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
        """The messages that are complete with one more line; what else it says is the transcript's."""
        line = record.value if isinstance(record.value, Mapping) else {}
        payload, kind = line.get("payload"), line.get("type")
        if is_beginning(line):
            _begin(transcript, line)
        elif "record_type" in line:
            transcript.left_out[str(line["record_type"])] += 1
        elif record.fault is None and isinstance(payload, Mapping) and kind != "response_item":
            yield from self._beside(record, kind, payload, transcript)
        elif isinstance(payload, Mapping) and fields.is_one_of(payload.get("type"), _SILENT):
            transcript.left_out[str(payload["type"])] += 1
        else:
            yield from self._sound(record, transcript.pass_over)

    def finish(self) -> Iterator[TranscriptMessage]:
        """All that is left."""
        yield from self._exchange.finish()

    def _beside(
        self, record: Record, kind: object, payload: Mapping[str, Any], transcript: Transcript
    ) -> Iterator[TranscriptMessage]:
        """What a line says that is not an item."""
        if kind == "session_meta":
            _begin(transcript, payload)
        elif kind == "turn_context":
            model = payload.get("model")
            self._model = model if isinstance(model, str) else self._model
        elif kind == "compacted":
            yield from sound(record, transcript.pass_over, partial(_condensed, self._exchange))
        elif payload.get("type") != "thread_rolled_back":
            transcript.left_out[f"{kind} {payload.get('type', '')}".strip()] += 1

    def _sound(self, record: Record, pass_over: PassOver) -> Iterator[TranscriptMessage]:
        yield from sound(record, pass_over, partial(_item, self._exchange, self._model))


def _begin(transcript: Transcript, about: Mapping[str, Any]) -> None:
    if transcript.session_id is not None:
        return
    place = transcript.place
    transcript.session_id = transcript.about(place, lambda: fields.foreign_id(about.get("id"), "its id"))
    transcript.created_at = transcript.about(place, lambda: fields.time(about.get("timestamp")))
    git = about.get("git")
    found = {
        "directory": about.get("cwd"),
        "version": about.get("cli_version"),
        "git_branch": git.get("branch") if isinstance(git, Mapping) else None,
    }
    transcript.metadata |= {name: value for name, value in found.items() if isinstance(value, str)}


def _condensed(exchange: Exchange, value: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    """What stands for all before it from here on."""
    content = fields.joined(value["payload"].get("message"), "its message")
    if content:
        yield from exchange.say(TranscriptMessage("system", content, fields.time(value.get("timestamp")), place=place))


def _item(exchange: Exchange, model: str | None, value: object, place: str) -> Iterator[TranscriptMessage]:
    line = fields.mapping(value, "a line")
    item = fields.mapping(_item_of(line, None), "the payload of a line")
    when = fields.time(line.get("timestamp"))
    if item.get("role") == "user" and item.get("type") == "message":
        yield from _of_user(exchange, item, place, when)
    else:
        yield from take_item(exchange, item, place, when, model)


def _of_user(
    exchange: Exchange, item: Mapping[str, Any], place: str, when: datetime | None
) -> Iterator[TranscriptMessage]:
    """What the user said, and as the system's what the program wrote beside it."""
    parts = _parts(item)
    sides: dict[Role, list[Any]] = {}
    for part in parts:
        sides.setdefault("system" if _is_by_program(part) else "user", []).append(part)
    for role, said in sides.items():
        content = fields.joined(said, "its content")
        mine = {**item, "content": content} if role == "user" else {"role": "system", "content": content}
        yield from take_item(exchange, mine, place, when, None)


def _item_of(value: object, otherwise: Any = MappingProxyType({})) -> Any:
    """The item or the event of a line: in 2025 it stood in the line itself, behind one with the session's id."""
    line = value if isinstance(value, Mapping) else {}
    item = line.get("payload", line)
    return item if isinstance(item, Mapping) else otherwise


def _parts(item: Mapping[str, Any]) -> list[Any]:
    content = item.get("content")
    return list(content) if isinstance(content, (list, tuple)) else [content or ""]


def _is_turn(item: Mapping[str, Any]) -> bool:
    """Whether the user began a turn with an item."""
    is_users = item.get("role") == "user" and item.get("type") == "message"
    return is_users and any(isinstance(each, (str, Mapping)) and not _is_by_program(each) for each in _parts(item))


def _is_by_program(part: object) -> bool:
    text = part.get("text") if isinstance(part, Mapping) else part
    if not isinstance(text, str):
        return False
    text = text.strip().lower()
    return any(text.startswith(begin) and text.endswith(end) for begin, end in _BY_PROGRAM)
