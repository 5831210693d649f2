"""Sessions of Gemini CLI, and the checkpoints that `/chat save` writes.

By the program's own source (chatRecordingService.ts): a session is one JSON object, or lines of which the first has its
ids, each other one a message, a `$set` of what the object would have, or a `$rewindTo` by which the user went back. A
message that comes again under its id takes the place of the first. A `$set` of messages is what the model is given from
then on: condensed, cut or masked, much of it under new ids. Results of tools stand in their calls, and since 2026 also
in messages of the user. A checkpoint is a list of the API's contents.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange, sound
from ragforge_memory.importers.source import Record
from ragforge_memory.models.conversation import Role, Usage
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptCall, TranscriptMessage

SESSION = "Gemini CLI session"
NAME = "Gemini contents"

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_SHOWN = frozenset({"user", "gemini"})
_MESSAGE = frozenset({"id", "timestamp", "type", "content"})
# Parts of code that the vendor ran, the name that its tool has here, and what is said of code that worked.
_CODE = frozenset({"executableCode", "codeExecutionResult"})
_RAN, _WORKED = "code_execution", "OUTCOME_OK"
# What the program writes in the user's name begins with one of these; what stands for all before it has the last.
_BY_PROGRAM = ("<session_context>", "<hook_context>", "This is the Gemini CLI. We are setting up the context for our")
_CONDENSED = ("<state_snapshot>", "</state_snapshot>")


def recognises_session(record: object) -> bool:
    """Whether this is a session, or the first line of one."""
    return isinstance(record, Mapping) and "sessionId" in record and "projectHash" in record


def recognises_message(record: object) -> bool:
    """Whether this is a message of a session, whose first line may be torn."""
    if not isinstance(record, Mapping) or not record.keys() >= _MESSAGE:
        return False
    return record["type"] == "gemini" or (record["type"] == "user" and record.keys() <= _MESSAGE | {"displayContent"})


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
            elif _CODE & part.keys():
                yield from _code(exchange, answer, part, place)
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
    sides: dict[Role, list[str]] = {}
    for text in filter(None, (_text([part]) for part in said)):
        sides.setdefault("system" if _is_by_program(text) else "user", []).append(text)
    for who, texts in sides.items():
        yield from exchange.say(TranscriptMessage(who, fields.text("\n".join(texts), "its content"), place=place))


def _session(records: Iterable[Record], transcript: Transcript) -> Iterator[TranscriptMessage]:
    yield from _of_records(_shown(records, transcript), transcript)


def _of_records(records: Iterable[Record], transcript: Transcript) -> Iterator[TranscriptMessage]:
    exchange, answered = Exchange(), set[str | None]()
    for record in records:
        yield from sound(record, transcript.pass_over, partial(_message, exchange, answered))
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
    place, summary = record.place, about.get("summary")
    session = transcript.about(place, lambda: fields.foreign_id(about.get("sessionId"), "its sessionId"))
    created_at = transcript.about(place, lambda: fields.time(about.get("startTime")))
    title = transcript.about(place, lambda: fields.optional_text(summary, "its summary", most=2_000))
    transcript.session_id = session or transcript.session_id
    transcript.created_at = created_at or transcript.created_at
    transcript.title = title or transcript.title
    if about.get("kind") == "subagent":
        transcript.metadata["kind"] = "subagent"
    messages = about.get("messages")
    if isinstance(messages, (list, tuple)):
        listed = [Record(f"{record.place}, message {index}", message) for index, message in enumerate(messages)]
        _take_new(listed, shown, transcript)


def _take_new(listed: list[Record], shown: dict[str, Record], transcript: Transcript) -> None:
    """Takes what is new in a list of messages. What the list has no more was said all the same; of what it has under
    another id, as of what it has masked, the first stays."""
    names = {_name(record) for record in listed}
    copied = Counter(_saying(record.value) for name, record in shown.items() if name not in names)
    for record in listed:
        if _name(record) in shown:
            continue
        saying = _saying(record.value)
        if copied[saying]:
            copied[saying] -= 1
        else:
            _take(record, shown, transcript)


def _name(record: Record) -> str:
    message = record.value
    return str((message.get("id") if isinstance(message, Mapping) else None) or record.place)


def _saying(message: object) -> tuple[object, ...]:
    """What a message says, for comparison with one of another id: its type, its words, the calls in it."""
    if not isinstance(message, Mapping):
        return ()
    try:
        parts = _parts(message.get("content"))
    except ValueError:
        return ()
    calls = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), Mapping)]
    made = message.get("toolCalls")
    calls += [call for call in (made if isinstance(made, (list, tuple)) else ()) if isinstance(call, Mapping)]
    results = [part["functionResponse"] for part in parts if isinstance(part.get("functionResponse"), Mapping)]
    words = [part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought")]
    named = frozenset(str(call.get("id") or call.get("name")) for call in (*calls, *results))
    return message.get("type"), "".join("".join(words).split()), named


def _take(record: Record, shown: dict[str, Record], transcript: Transcript) -> None:
    message = record.value
    if not isinstance(message, Mapping) or not fields.is_one_of(message.get("type"), _SHOWN):
        kind = message.get("type") if isinstance(message, Mapping) else None
        transcript.left_out[str(kind or "without a type")] += 1
        return
    shown[_name(record)] = record


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
        branch = transcript.branch(len(gone))
        branch.messages = _of_records(before, branch)
        yield branch

    transcript.branches = branches


def _message(
    exchange: Exchange, answered: set[str | None], value: Mapping[str, Any], place: str
) -> Iterator[TranscriptMessage]:
    if value["type"] == "user":
        yield from _of_user(exchange, answered, value, place)
        return
    model = fields.optional_text(value.get("model"), "its model", most=200)
    answer = Answer(place, uuid=_uuid(value), timestamp=_when(value), model=model, usage=_usage(value.get("tokens")))
    yield from exchange.answer(answer)
    for thought in value.get("thoughts") or ():
        thought = fields.mapping(thought, "a thought")
        pieces = (fields.optional_text(thought.get(key), "a thought") for key in ("subject", "description"))
        if said := "\n".join(filter(None, pieces)):
            answer.reasoning.append(said)
    in_parts = not answer.reasoning
    calls = [fields.mapping(call, "a tool call") for call in value.get("toolCalls") or ()]
    known = {call.get("id") for call in calls}
    for part in _parts(value.get("content")):
        given = part.get("functionCall")
        if isinstance(given, Mapping):
            if given.get("id") not in known:
                answer.calls.append(_call(given.get("name"), given.get("args"), given.get("id"), None))
        elif _CODE & part.keys():
            yield from _code(exchange, answer, part, place)
        elif part.get("thought"):
            if in_parts and (thought := _text([part])):
                answer.reasoning.append(thought)
        elif text := _text([part]):
            answer.texts.append(text)
    for call in calls:
        answer.calls.append(
            _call(call.get("name"), call.get("args"), call.get("id"), fields.time(call.get("timestamp")))
        )
        status = call.get("status")
        if fields.is_one_of(status, ("success", "error", "cancelled")):
            answered.add(answer.calls[-1].call_id)
            yield from exchange.result(
                place,
                answer.calls[-1].call_id,
                result=_result(call.get("result")) or _result(call.get("resultDisplay")),
                failed=status != "success",
                timestamp=answer.timestamp,
            )


def _code(exchange: Exchange, answer: Answer, part: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    """Code that the vendor ran for the model, or what came of it."""
    if (ran := part.get("executableCode")) is not None:
        ran = fields.mapping(ran, "the code of a part")
        given = {key: ran[key] for key in ran if key != "id"}
        answer.calls.append(_call(_RAN, given, ran.get("id"), answer.timestamp))
    if (came := part.get("codeExecutionResult")) is not None:
        came = fields.mapping(came, "what came of its code")
        yield from exchange.result(
            place,
            fields.call_id(came.get("id"), "its id"),
            result=_result(came.get("output")),
            failed=came.get("outcome", _WORKED) != _WORKED,
            tool_name=_RAN,
            timestamp=answer.timestamp,
        )


def _of_user(
    exchange: Exchange, answered: set[str | None], value: Mapping[str, Any], place: str
) -> Iterator[TranscriptMessage]:
    """What the user typed, and as the system's what the program put beside it: files that were named, context."""
    parts = _parts(value.get("content"))
    when, uuid = _when(value), _uuid(value)
    for part in parts:
        if isinstance(given := part.get("functionResponse"), Mapping):
            name = fields.optional_text(given.get("name"), "its name", most=200)
            call_id = fields.call_id(given.get("id"), "its id")
            if call_id is None or call_id not in answered:
                answered.add(call_id)
                yield from exchange.result(place, call_id, result=_result(given.get("response")), tool_name=name)
    texts = [text for part in parts if "functionResponse" not in part and (text := _text([part]))]
    typed = _text(value.get("displayContent")) or None
    sides: dict[Role, list[str]] = {"user": [], "system": []}
    for text in texts:
        is_typed = not _is_by_program(text) and (typed is None or text.strip() in typed)
        sides["user" if is_typed else "system"].append(text)
    if typed is not None:
        sides["user"] = [typed]
    for role, said in sides.items():
        if content := fields.text("\n".join(said), "its content"):
            yield from exchange.say(
                TranscriptMessage(role, content, when, uuid if role == "user" else None, place=place)
            )


def _is_by_program(text: str) -> bool:
    return text.lstrip().startswith(_BY_PROGRAM) or all(mark in text for mark in _CONDENSED)


def _parts(content: object) -> list[Mapping[str, Any]]:
    """The parts of a content, which may be one, or text."""
    given = content if isinstance(content, (list, tuple)) else [] if content is None else [content]
    return [{"text": part} if isinstance(part, str) else fields.mapping(part, "a part") for part in given]


def _when(value: Mapping[str, Any]) -> datetime | None:
    return fields.time(value.get("timestamp"))


def _uuid(value: Mapping[str, Any]) -> str | None:
    return fields.unique(fields.foreign_id(value.get("id"), "its id"))


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
