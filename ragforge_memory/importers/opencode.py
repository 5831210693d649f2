"""What `opencode export` writes: a session's `info` and its messages, each of parts.

By the program's own source (message-v2.ts, revert.ts): parts are text, reasoning, tool (with its call and result),
file, subtask (a command of the user's), and marks of the program. A `revert` of the session names the message, and the
part, from which on the user took everything back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange, sound
from ragforge_memory.importers.source import Record
from ragforge_memory.models.conversation import Role, Usage
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptCall, TranscriptMessage

NAME = "opencode session"

_MARKS = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"})
_SAID = frozenset({"text", "file", "subtask"})


def recognises(record: object) -> bool:
    """Whether this is such a session."""
    if not isinstance(record, Mapping) or not isinstance(record.get("messages"), (list, tuple)):
        return False
    messages = record["messages"]
    known = any(isinstance(each, Mapping) and "info" in each and "parts" in each for each in messages)
    return isinstance(record.get("info"), Mapping) and (known or not messages)


def conversation(record: Record) -> Transcript:
    """The session of a record."""
    transcript = Transcript(iter(()), NAME, place=record.place)
    transcript.messages = _messages(record, transcript)
    return transcript


def _messages(record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
    record.read(lambda value: _begin(value["info"], transcript))
    messages = list(record.value["messages"])
    shown = _shown(messages, record.value["info"].get("revert"))
    if shown != messages:
        gone = len(messages) - len(shown)
        transcript.left_out[ABANDONED] += gone

        def branches() -> Iterator[Transcript]:
            branch = transcript.branch(gone)
            branch.messages = _in_order(messages, record.place, branch, shared=len(shown))
            yield branch

        transcript.branches = branches
    yield from _in_order(shown, record.place, transcript)


def _in_order(
    messages: list[Any], place: str, transcript: Transcript, *, shared: int = 0
) -> Iterator[TranscriptMessage]:
    """The messages; what is left out of the first ``shared`` of them was counted elsewhere."""
    exchange = Exchange()
    for index, message in enumerate(messages):
        one = Record(f"{place}, message {index}", message)
        left_out = Counter[str]() if index < shared else transcript.left_out
        yield from sound(one, transcript.pass_over, partial(_message, exchange, left_out))
    yield from exchange.finish()


def _shown(messages: list[Any], revert: object) -> list[Any]:
    """The messages before what the user took back; one of which only the last parts were taken back stays whole."""
    if not isinstance(revert, Mapping):
        return messages
    for index, message in enumerate(messages):
        about = message.get("info") if isinstance(message, Mapping) else None
        if isinstance(about, Mapping) and about.get("id") == revert.get("messageID"):
            return messages[: index + bool(revert.get("partID"))]
    return messages


def _begin(about: Mapping[str, Any], transcript: Transcript) -> None:
    place = transcript.place
    transcript.title = transcript.about(
        place, lambda: fields.optional_text(about.get("title"), "its title", most=2_000)
    )
    transcript.session_id = transcript.about(place, lambda: fields.foreign_id(about.get("id"), "its id"))
    transcript.created_at = transcript.about(place, lambda: _time(about.get("time"), "created"))
    if isinstance(about.get("directory"), str):
        transcript.metadata["directory"] = about["directory"]


def _message(exchange: Exchange, left_out: Counter[str], value: object, place: str) -> Iterator[TranscriptMessage]:
    message = fields.mapping(value, "a message")
    about = fields.mapping(message.get("info"), "its info")
    parts = [fields.mapping(part, "a part") for part in message.get("parts") or ()]
    when = _time(about.get("time"), "created")
    uuid = fields.unique(fields.foreign_id(about.get("id"), "its id"))
    if about.get("role") == "user":
        left_out.update(str(part.get("type")) for part in parts if not fields.is_one_of(part.get("type"), _SAID))
        sides: tuple[tuple[Role, bool], ...] = (("user", False), ("system", True))
        for role, marked in sides:
            own = [
                {"text": part.get("prompt")} if part["type"] == "subtask" else part
                for part in parts
                if bool(part.get("synthetic")) is marked and fields.is_one_of(part.get("type"), _SAID)
            ]
            content = fields.joined(own, "its content")
            if content:
                yield from exchange.say(
                    TranscriptMessage(role, content, when, uuid if role == "user" else None, place=place)
                )
        return
    if about.get("role") != "assistant":
        raise ValueError(f"there is no role {about.get('role')!r} (user, assistant)")
    model = fields.optional_text(about.get("modelID"), "its model", most=200)
    answer = Answer(place, uuid=uuid, timestamp=when, model=model, usage=_usage(about.get("tokens")))
    yield from exchange.answer(answer)
    for part in parts:
        kind = part.get("type")
        if kind == "tool":
            yield from _tool(exchange, answer, part, place)
        elif kind == "reasoning":
            if thought := fields.optional_text(part.get("text"), "its reasoning", most=fields.MAX_RESULT_CHARACTERS):
                answer.reasoning.append(thought)
        elif fields.is_one_of(kind, _MARKS):
            left_out[str(kind)] += 1
        elif text := fields.joined([part], "its content"):
            answer.texts.append(text)


def _tool(exchange: Exchange, answer: Answer, part: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    state = fields.mapping(part.get("state"), "the state of a tool")
    began, ended = _time(state.get("time"), "start"), _time(state.get("time"), "end")
    answer.calls.append(
        TranscriptCall(
            tool_name=fields.text(part.get("tool"), "the name of a tool", most=200),
            arguments=fields.arguments(state.get("input")),
            call_id=fields.call_id(part.get("callID"), "its callID"),
            timestamp=began,
        )
    )
    status = state.get("status")
    if not fields.is_one_of(status, ("completed", "error")):
        return
    result = state.get("output") if status == "completed" else state.get("error")
    yield from exchange.result(
        place,
        answer.calls[-1].call_id,
        result=fields.joined(result, "the result of its tool", most=fields.MAX_RESULT_CHARACTERS),
        failed=status == "error",
        timestamp=ended,
        duration_ms=round((ended - began).total_seconds() * 1_000) if began and ended and ended >= began else 0,
    )


def _time(value: object, key: str) -> datetime | None:
    """One of the times of a mapping, in milliseconds since 1970."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return fields.time(found / 1_000) if isinstance(found, (int, float)) else None


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    cache = value.get("cache")

    def count(key: str, of: object = value) -> int:
        found = of.get(key) if isinstance(of, Mapping) else None
        return found if isinstance(found, int) and found > 0 else 0

    read = count("read", cache)
    return Usage(
        input_tokens=count("input") + read + count("write", cache),
        output_tokens=count("output"),
        reasoning_tokens=count("reasoning"),
        cached_tokens=read,
    )
