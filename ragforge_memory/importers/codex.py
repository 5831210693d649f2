"""Sessions of Codex CLI: `rollout-*.jsonl`, whose lines wrap items of the Responses API.

By the program's own source (codex-rs, `RolloutItem`): `session_meta`, `response_item`, `turn_context`, `compacted` and
`event_msg`, which repeats for its screen what the items say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Exchange, sound
from ragforge_memory.importers.responses import take_item
from ragforge_memory.importers.source import Record
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

NAME = "Codex session"

_TYPES = frozenset({"session_meta", "response_item", "turn_context", "compacted", "event_msg"})
# Items that say nothing: a commit of the work tree that the program made.
_SILENT = frozenset({"ghost_snapshot"})
# What the program writes in the user's name begins with one of these.
_BY_PROGRAM = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions")


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
    exchange, model = Exchange(), None

    for record in records:
        transcript.place = transcript.place or record.place
        line = record.value if isinstance(record.value, Mapping) else {}
        payload = line.get("payload")
        kind = line.get("type")
        if is_beginning(line):
            _begin(transcript, line)
            continue
        if "record_type" in line:
            transcript.left_out[str(line["record_type"])] += 1
            continue
        if record.fault is None and isinstance(payload, Mapping) and kind != "response_item":
            if kind == "session_meta":
                _begin(transcript, payload)
            elif kind == "turn_context":
                model = payload.get("model") if isinstance(payload.get("model"), str) else model
            elif kind == "compacted":
                yield from sound(record, transcript.pass_over, partial(_condensed, exchange))
            else:
                transcript.left_out[f"{kind} {payload.get('type', '')}".strip()] += 1
            continue
        if isinstance(payload, Mapping) and payload.get("type") in _SILENT:
            transcript.left_out[str(payload["type"])] += 1
            continue
        yield from sound(record, transcript.pass_over, partial(_item, exchange, model))
    yield from exchange.finish()


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
    # In 2025 the items stood in the lines themselves, behind one with the session's id.
    item = fields.mapping(line.get("payload", line), "the payload of a line")
    when = fields.time(line.get("timestamp"))
    if item.get("role") == "user" and item.get("type") == "message":
        content = fields.joined(item.get("content"), "its content")
        if content.lstrip().startswith(_BY_PROGRAM):
            yield from exchange.say(TranscriptMessage("system", content, when, place=place))
            return
    yield from take_item(exchange, item, place, when, model)
