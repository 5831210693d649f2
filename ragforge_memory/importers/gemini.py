"""Sessions of Gemini CLI, and the checkpoints that `/chat save` writes.

By the program's own source (chatRecordingTypes.ts): a session is one JSON object, or lines of which the first has its
ids, each other one a message, a `$set` of what the object would have, or a `$rewindTo` by which the user went back. A
message that comes again under its id takes the place of the first. A checkpoint is a list of the API's contents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange, sound
from ragforge_memory.importers.source import Record
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptCall, TranscriptMessage

SESSION = "Gemini CLI session"
NAME = "Gemini contents"

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_SHOWN = frozenset({"user", "gemini"})


def recognises_session(record: object) -> bool:
    """Whether this is a session, or the first line of one."""
    return isinstance(record, Mapping) and "sessionId" in record and "projectHash" in record


def recognises(record: object) -> bool:
    """Whether this is a content of the API: a role and parts."""
    return (
        isinstance(record, Mapping)
        and fields.is_one_of(record.get("role"), ("user", "model", "function"))
        and isinstance(record.get("parts"), (list, tuple))
    )


def conversation(record: Record) -> Transcript:
    """The session that a record is."""
    return lines([record])


def lines(records: Iterable[Record]) -> Transcript:
    """The session of such lines."""
    transcript = Transcript(iter(()), SESSION)
    transcript.messages = _session(records, transcript)
    return transcript


def taken(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    """The messages that are complete with one more content; see `exchanged`."""
    content = fields.mapping(value, "a content")
    role = content.get("role")
    parts = [fields.mapping(part, "a part") for part in content.get("parts") or ()]
    if role == "model":
        answer = Answer(place)
        yield from exchange.answer(answer)
        for part in parts:
            if call := part.get("functionCall"):
                call = fields.mapping(call, "a call")
                answer.calls.append(_call(call.get("name"), call.get("args"), call.get("id"), None))
            elif part.get("thought") and isinstance(part.get("text"), str):
                answer.reasoning.append(part["text"])
            elif text := _text([part]):
                answer.texts.append(text)
        return
    if role not in ("user", "function"):
        raise ValueError(f"there is no role {role!r} (user, model, function)")
    said = []
    for part in parts:
        given = part.get("functionResponse")
        if given is None:
            said.append(part)
            continue
        given = fields.mapping(given, "a result")
        yield from exchange.result(
            place,
            fields.call_id(given.get("id"), "its id"),
            result=_result(given.get("response")),
            tool_name=fields.optional_text(given.get("name"), "its name", most=200),
        )
    if said:
        yield from exchange.say(TranscriptMessage("user", _text(said), place=place))


def _session(records: Iterable[Record], transcript: Transcript) -> Iterator[TranscriptMessage]:
    yield from _of_records(_shown(records, transcript), transcript)


def _of_records(records: Iterable[Record], transcript: Transcript) -> Iterator[TranscriptMessage]:
    exchange = Exchange()
    for record in records:
        yield from sound(record, transcript.pass_over, partial(_message, exchange))
    yield from exchange.finish()


def _shown(records: Iterable[Record], transcript: Transcript) -> list[Record]:
    """The messages that the program would show, each as it was written last."""
    shown: dict[str, Record] = {}
    for record in records:
        transcript.place = transcript.place or record.place
        value = record.value
        if record.fault is not None or not isinstance(value, Mapping):
            transcript.pass_over(record.place, record.fault or "a line of a session is a mapping")
        elif isinstance(value.get("$rewindTo"), str):
            _rewind(shown, value["$rewindTo"], transcript)
        elif "$set" in value or recognises_session(value):
            about = value.get("$set", value)
            _about(about if isinstance(about, Mapping) else {}, record, shown, transcript)
        elif fields.is_one_of(value.get("type"), _TYPES):
            _take(record, shown, transcript)
        else:
            transcript.left_out[str(value.get("type", "without a type"))] += 1
    return list(shown.values())


def _about(about: Mapping[str, Any], record: Record, shown: dict[str, Record], transcript: Transcript) -> None:
    transcript.session_id = fields.foreign_id(about.get("sessionId"), "its sessionId") or transcript.session_id
    transcript.created_at = fields.time(about.get("startTime")) or transcript.created_at
    transcript.title = fields.optional_text(about.get("summary"), "its summary", most=2_000) or transcript.title
    if about.get("kind") == "subagent":
        transcript.metadata["kind"] = "subagent"
    messages = about.get("messages")
    if isinstance(messages, (list, tuple)) and messages:
        shown.clear()
        for index, message in enumerate(messages):
            _take(Record(f"{record.place}, message {index}", message), shown, transcript)


def _take(record: Record, shown: dict[str, Record], transcript: Transcript) -> None:
    message = record.value
    if not isinstance(message, Mapping) or not fields.is_one_of(message.get("type"), _SHOWN):
        kind = message.get("type") if isinstance(message, Mapping) else None
        transcript.left_out[str(kind or "without a type")] += 1
        return
    shown[str(message.get("id") or record.place)] = record


def _rewind(shown: dict[str, Record], to: str, transcript: Transcript) -> None:
    """Leaves out a message and all behind it; all there are where it is not there, as the program does."""
    names = list(shown)
    before = list(shown.values())
    gone = names[names.index(to) :] if to in shown else names
    for name in gone:
        del shown[name]
    transcript.left_out[ABANDONED] += len(gone)
    if not gone:
        return
    others = transcript.branches

    def branches() -> Iterator[Transcript]:
        yield from others() if others is not None else ()
        branch = Transcript(iter(()), SESSION, place=transcript.place, session_id=transcript.session_id, of=transcript)
        branch.created_at, branch.abandoned = transcript.created_at, len(gone)
        branch.messages = _of_records(before, branch)
        yield branch

    transcript.branches = branches


def _message(exchange: Exchange, value: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    when = fields.time(value.get("timestamp"))
    uuid = fields.unique(fields.foreign_id(value.get("id"), "its id"))
    text = _text(value.get("content"))
    if value["type"] == "user":
        yield from exchange.say(TranscriptMessage("user", text, when, uuid, place=place))
        return
    model = fields.optional_text(value.get("model"), "its model", most=200)
    answer = Answer(place, uuid=uuid, timestamp=when, model=model, usage=_usage(value.get("tokens")))
    yield from exchange.answer(answer)
    if text:
        answer.texts.append(text)
    for thought in value.get("thoughts") or ():
        thought = fields.mapping(thought, "a thought")
        pieces = (fields.optional_text(thought.get(key), "a thought") for key in ("subject", "description"))
        if said := "\n".join(filter(None, pieces)):
            answer.reasoning.append(said)
    for call in value.get("toolCalls") or ():
        call = fields.mapping(call, "a tool call")
        answer.calls.append(
            _call(call.get("name"), call.get("args"), call.get("id"), fields.time(call.get("timestamp")))
        )
        status = call.get("status")
        if fields.is_one_of(status, ("success", "error", "cancelled")):
            yield from exchange.result(
                place,
                answer.calls[-1].call_id,
                result=_result(call.get("result")) or _result(call.get("resultDisplay")),
                failed=status != "success",
                timestamp=when,
            )


def _call(name: object, given: object, call_id: object, when: datetime | None) -> TranscriptCall:
    return TranscriptCall(
        tool_name=fields.text(name, "the name of a tool", most=200),
        arguments=fields.arguments(given),
        call_id=fields.call_id(call_id, "the id of its tool call"),
        timestamp=when,
    )


def _text(content: object) -> str:
    """The text of a part, or of a list of them."""
    parts = content if isinstance(content, (list, tuple)) else [content]
    texts = []
    for part in parts:
        if isinstance(part, Mapping) and "text" not in part and "type" not in part:
            kind = next((key for key in ("inlineData", "fileData") if key in part), None)
            texts.append(f"[{'file' if kind else next(iter(part), 'part')}]")
        elif part is not None:
            texts.append(fields.joined(part, "its content"))
    return fields.text("\n".join(filter(None, texts)), "its content")


def _result(given: object) -> str:
    """What a function gave, out of the parts and mappings that it is wrapped in."""
    if isinstance(given, (list, tuple)):
        return "\n".join(filter(None, map(_result, given)))
    if isinstance(given, Mapping):
        for key in ("functionResponse", "response", "output", "text", "error"):
            if given.get(key) is not None:
                return _result(given[key])
        return json.dumps(given, ensure_ascii=False)
    if given is None:
        return ""
    return fields.text(str(given), "the result of its tool", most=fields.MAX_RESULT_CHARACTERS)


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None

    def count(key: str) -> int:
        found = value.get(key)
        return found if isinstance(found, int) and found > 0 else 0

    return Usage(
        input_tokens=count("input"),
        output_tokens=count("output"),
        cached_tokens=count("cached"),
        reasoning_tokens=count("thoughts"),
    )
