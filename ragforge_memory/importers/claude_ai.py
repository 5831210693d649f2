"""claude.ai's export, ``conversations.json``: a list of conversations, each with its ``chat_messages``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.anthropic import add_blocks, blocks_of, take_results
from ragforge_memory.importers.exchange import Answer, Exchange, sound
from ragforge_memory.importers.source import Record
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptMessage

NAME = "claude.ai export"

# The parent of the first message, where messages name theirs.
_ROOT = "00000000-0000-4000-8000-000000000000"


def recognises(record: object) -> bool:
    """Whether this is such a conversation."""
    return isinstance(record, Mapping) and isinstance(record.get("chat_messages"), (list, tuple))


def conversation(record: Record) -> Transcript:
    """The conversation of a record."""
    transcript = Transcript(iter(()), NAME, place=record.place)
    transcript.messages = _messages(record, transcript)
    return transcript


def _messages(record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
    yield from _along(record.read(lambda value: _begin(value, transcript)), record, transcript)


def _along(messages: list[tuple[int, Any]], record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
    exchange = Exchange()
    for index, message in messages:
        one = Record(f"{record.place}, message {index}", message)
        yield from sound(one, transcript.pass_over, partial(_message, exchange))
    yield from exchange.finish()


def _begin(value: Mapping[str, Any], transcript: Transcript) -> list[tuple[int, Any]]:
    transcript.title = fields.optional_text(value.get("name"), "its name", most=2_000)
    transcript.session_id = fields.foreign_id(value.get("uuid"), "its uuid")
    transcript.created_at = fields.time(value.get("created_at"))
    if isinstance(value.get("model"), str):
        transcript.metadata["model"] = value["model"]
    messages = list(enumerate(value["chat_messages"]))
    shown = _path(value.get("current_leaf_message_uuid"), [message for _, message in messages])
    if shown is None:
        return messages
    transcript.left_out[ABANDONED] += len(messages) - len(shown)
    transcript.branches = lambda: _branches(Record(transcript.place, value), set(shown), transcript)
    return [messages[index] for index in shown]


def _branches(record: Record, told: set[int], whole: Transcript) -> Iterator[Transcript]:
    """The ways to all other leaves, so far as something is said there that is not on one before."""
    messages = record.value["chat_messages"]
    parents = {each.get("parent_message_uuid") for each in messages if isinstance(each, Mapping)}
    for index, message in enumerate(messages):
        if index in told or not isinstance(message, Mapping) or message.get("uuid") in parents:
            continue
        path = _path(message.get("uuid"), messages) or []
        branch = Transcript(iter(()), NAME, place=whole.place, session_id=whole.session_id, of=whole)
        branch.created_at, branch.abandoned = whole.created_at, len(set(path) - told)
        told.update(path)
        if branch.abandoned:
            branch.messages = _along([(each, messages[each]) for each in path], record, branch)
            yield branch


def _path(leaf: object, messages: list[Any]) -> list[int] | None:
    """The messages on the way to the one that is shown last; None where nothing says so."""
    places = {message.get("uuid"): index for index, message in enumerate(messages) if isinstance(message, Mapping)}
    if leaf not in places:
        return None
    path: list[int] = []
    while leaf in places and places[leaf] not in path:
        path.append(places[leaf])
        leaf = messages[path[-1]].get("parent_message_uuid")
    # Where a parent is missing the order of the file is all there is.
    return sorted(path) if leaf in (None, _ROOT) else None


def _message(exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
    message = fields.mapping(value, "a message")
    when = fields.time(message.get("created_at"))
    uuid = fields.unique(fields.foreign_id(message.get("uuid"), "its uuid"))
    content = message.get("content")
    # Older exports have the text alone, and newer ones may leave the blocks empty.
    blocks = blocks_of(content if isinstance(content, (list, tuple)) and content else message.get("text") or "")
    named = [
        {"type": "attachment", "name": each.get("file_name")}
        for key in ("attachments", "files")
        for each in message.get(key) or ()
        if isinstance(each, Mapping)
    ]
    if message.get("sender") == "assistant":
        answer = Answer(place, uuid=uuid, timestamp=when)
        yield from exchange.answer(answer)
        add_blocks(answer, exchange, [*blocks, *named], when)
        return
    if message.get("sender") != "human":
        raise ValueError(f"there is no sender {message.get('sender')!r} (human, assistant)")
    said, results = yield from take_results(exchange, blocks, place, when)
    text = fields.joined([*said, *named], "its content")
    if text or not results:
        yield from exchange.say(TranscriptMessage("user", text, when, uuid, place=place))
