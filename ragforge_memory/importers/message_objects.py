"""Objects that hold messages: a chat, a request to a model with what it answered, a checkpoint of Gemini CLI."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.fields import identifier, joined, optional_text, time
from ragforge_memory.importers.message_lists import is_message, of_messages
from ragforge_memory.importers.source import JsonDocument, Record
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

# Where the messages stand that were given to a model.
_GIVEN = ("messages", "input", "history")
_SYSTEM = ("system", "instructions")


def holds_messages(value: object) -> bool:
    """Whether this is such an object: what is a message itself may have lists of other things."""
    return isinstance(value, Mapping) and not is_message(value) and _listed(value) is not None


def conversation(record: Record, *, unknown: str) -> Transcript:
    """The conversation of such an object; see `of_messages`."""
    value, place = record.value, record.place
    items = (Record(f"{place}, message {index}", each) for index, each in enumerate(_listed(value) or ()))
    transcript = of_messages(items, unknown=unknown, place=place)
    transcript.messages = chain(_instructions(value, place), transcript.messages)
    transcript.messages = _headed(transcript, transcript.messages, lambda: record.read(_head))
    return transcript


def streamed(document: JsonDocument, keys: Iterator[str], header: dict[str, Any], *, unknown: str) -> Transcript:
    """The conversation of an object whose ``messages`` come now; what stands behind them is read at the end.

    Args:
        document: stands at the value of ``messages``.
        keys: gives those behind them.
        header: what stood before them.
        unknown: see `of_messages`.
    """
    before, place = dict(header), document.place

    def rest() -> None:
        header.update((key, document.value()) for key in keys)
        document.end()

    def records() -> Iterator[Record]:
        yield from listed_items(document, rest)
        for index, each in enumerate(_answered(header)):
            yield Record(f"{place}, answer {index}", each)

    transcript = of_messages(records(), unknown=unknown, place=place)
    late = _late(header, before.keys(), place)
    messages = chain(_instructions(before, place), transcript.messages, late)
    transcript.messages = _headed(transcript, messages, lambda: Record(place, header).read(_head))
    return transcript


def listed_items(document: JsonDocument, end: Callable[[], None]) -> Iterator[Record]:
    """The items of a list; where it was cut off, or is no JSON from there on, the last one says so."""
    try:
        yield from document.items()
        end()
    except InvalidInput as error:
        place, _, why = error.message.partition(": ")
        yield Record(place, None, why)


def _listed(value: Mapping[str, Any]) -> list[Any] | None:
    """The messages that an object holds, with what was answered to them; None where it holds none."""
    answered = _answered(value)
    given = next((value[key] for key in _GIVEN if isinstance(value.get(key), (list, tuple))), None)
    if given is not None:
        return [*given, *answered]
    if not answered:
        return [] if isinstance(value.get("output"), (list, tuple)) else None
    # A question alone is written without a list.
    asked = value.get("input")
    return [*([{"role": "user", "content": asked}] if isinstance(asked, str) else ()), *answered]


def _answered(value: Mapping[str, Any]) -> Sequence[Any]:
    """What a model answered: the ``output`` of the Responses API, the first of the ``choices`` of a chat, or the
    ``response`` that has one of them or is a message."""
    output, choices, response = value.get("output"), value.get("choices"), value.get("response")
    if isinstance(output, (list, tuple)):
        return output
    if isinstance(choices, (list, tuple)):
        first = choices[0] if choices else None
        message = first.get("message") if isinstance(first, Mapping) else None
        return [message] if isinstance(message, Mapping) else []
    if isinstance(response, Mapping):
        return [response] if is_message(response) else _answered(response)
    return []


def _instructions(value: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    """What stands beside the messages for the model to go by."""
    for key in _SYSTEM:
        if said := Record(place, value.get(key)).read(lambda given: joined(given, "its instructions")):
            yield TranscriptMessage("system", said, place=place)


def _late(header: Mapping[str, Any], known: Collection[str], place: str) -> Iterator[TranscriptMessage]:
    """Instructions that stand behind the messages."""
    yield from _instructions({key: value for key, value in header.items() if key not in known}, place)


def _headed(
    transcript: Transcript, messages: Iterator[TranscriptMessage], head: Callable[[], dict[str, Any]]
) -> Iterator[TranscriptMessage]:
    """The messages; then what stands beside them is known."""
    yield from messages
    found = head()
    transcript.title = found["title"]
    transcript.session_id = found["session_id"]
    transcript.created_at = found["created_at"] or transcript.created_at


def _head(value: Mapping[str, Any]) -> dict[str, str | datetime | None]:
    """What an object with messages says of the whole, under the names that are usual."""

    def text_of(*keys: str) -> str | None:
        return next((found for key in keys if isinstance(found := value.get(key), str) and found.strip()), None)

    return {
        "title": optional_text(text_of("title", "name"), "its title"),
        "session_id": identifier(text_of("session_id", "conversation_id", "id"), "its id"),
        "created_at": time(value.get("created_at") or value.get("create_time") or value.get("created")),
    }
