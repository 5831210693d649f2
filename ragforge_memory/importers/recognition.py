"""Which format a source has, by its content; its conversations, one after another.

To add a format: a module that recognises the first record (or the head of a text) and gives transcripts, and its line
in one of the tables here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers import aider, chatgpt, claude_code, langchain, openai, plain
from ragforge_memory.importers.exchange import exchanged
from ragforge_memory.importers.fields import identifier, optional_text, time
from ragforge_memory.importers.source import (
    MAX_RECORD_BYTES,
    JsonDocument,
    Record,
    Source,
    json_lines,
    refusal,
    text_lines,
)
from ragforge_memory.models.transcript import Transcript, TranscriptMessage


def with_own_uuids(transcripts: Iterator[Transcript]) -> Iterator[Transcript]:
    """The transcripts, in which a message that one of another session had before has a uuid of its own.

    It is made of both ids, so that it is the same when the file is imported again. A session that comes a second time
    keeps its uuids, by which it is found to be here. Hashes are kept instead of ids, some 100 bytes a message.
    """
    owners: dict[int, int] = {}
    for transcript in transcripts:
        transcript.messages = _own(transcript, transcript.messages, owners)
        yield transcript


def _own(
    transcript: Transcript, messages: Iterator[TranscriptMessage], owners: dict[int, int]
) -> Iterator[TranscriptMessage]:
    for message in messages:
        session = transcript.session_id
        if message.uuid is not None and session is not None:
            mine = hash(session)
            if owners.setdefault(hash(message.uuid), mine) != mine:
                both = hashlib.sha256(f"{session}/{message.uuid}".encode()).hexdigest()
                message = replace(message, uuid=both[:32])
        yield message


FORMATS = (
    'a list of {"role": "user", "content": "…"} with "timestamp" and "uuid" where they are known, OpenAI chat '
    "messages, a Claude Code session, ChatGPT's conversations.json, aider's chat history, "
    "or LangChain's messages_to_dict"
)
"""What is recognised, in one sentence."""

_Read = Callable[[Iterable[Record]], Iterator[TranscriptMessage]]

# A record is a message; the plainest comes last, since others have a role and a content too.
_MESSAGES: tuple[tuple[str, Callable[[object], bool], _Read], ...] = (
    (langchain.NAME, langchain.recognises, partial(exchanged, taken=langchain.taken)),
    (openai.NAME, openai.recognises, partial(exchanged, taken=openai.taken)),
    (plain.NAME, plain.recognises, plain.read),
)

# So many messages are looked at until one shows that they are OpenAI's: the first may have a role and a text alone.
_LOOKED_AT = 200
_HEAD = 1 << 16
_SPACE = b" \t\r\n\xef\xbb\xbf"


def transcripts(data: Any) -> Iterator[Transcript]:
    """The conversations of a value, a text, bytes or a `Source`.

    Each must be read to its end before the next. What is bad in one conversation is raised where its messages are
    read, and the next one can be read all the same, unless the source cannot be read on.

    Raises:
        InvalidInput: it is of no known format, or empty; the hint says which are known.
    """
    if isinstance(data, Source):
        return _of_source(data)
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if isinstance(data, (bytes, bytearray)):
        import io

        return _of_source(Source(io.BytesIO(data), size=len(data)))
    return _of_value(data)


def _of_value(data: Any) -> Iterator[Transcript]:
    if isinstance(data, Mapping):
        return _of_object(Record("record 0", data))
    if isinstance(data, Sequence):
        return _of_records(Record(f"record {index}", value) for index, value in enumerate(data))
    raise _unknown()


def _of_source(source: Source) -> Iterator[Transcript]:
    head = source.head(_HEAD).lstrip(_SPACE)
    if head.startswith(b"["):
        return _of_list(JsonDocument(source))
    if head.startswith(b"{"):
        return _of_records(json_lines(source)) if _has_lines(source) else _of_document(JsonDocument(source))
    if not head:
        raise InvalidInput("there is nothing to import: it is empty", hint=FORMATS)
    if aider.recognises(_as_text(source, head)):
        return aider.read(text_lines(source))
    try:
        json.loads(head)
    except ValueError as error:
        raise InvalidInput(f"this is neither JSON nor a chat history: {error}", hint=FORMATS) from error
    raise _unknown()


def _as_text(source: Source, head: bytes) -> str:
    """Enough of a text to know it by: aider's history may begin with the end of a session that was cut."""
    found = aider.recognises(head.decode(errors="replace"))
    return (head if found else source.head(16 * _HEAD)).decode(errors="replace")


def _has_lines(source: Source) -> bool:
    """Whether the first line is an object by itself: these are JSON lines then, and one document else."""
    size = _HEAD
    while b"\n" not in (head := source.head(size).lstrip(_SPACE)) and len(head) + 8 >= size and size < MAX_RECORD_BYTES:
        size *= 4
    first, _, others = head.partition(b"\n")
    # Of lines the first may be bad, and others good.
    return _is_object(first) or _is_object(others.lstrip().partition(b"\n")[0])


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _of_list(document: JsonDocument) -> Iterator[Transcript]:
    def items() -> Iterator[Record]:
        yield from document.items()
        document.end()

    return _of_records(items())


def _of_records(records: Iterator[Record]) -> Iterator[Transcript]:
    """By the first record that could be read; a session's also by those after it."""
    looked_at: list[Record] = []
    try:
        first = next((each for each in _kept(records, looked_at) if each.fault is None), None)
    except InvalidInput as error:
        if not looked_at:
            raise
        return iter([_refused(looked_at[0].place, error)])
    if not looked_at:
        raise InvalidInput("there is nothing to import: the list is empty", hint=FORMATS)
    if first is None:
        raise refusal(looked_at[0].place, str(looked_at[0].fault))
    if chatgpt.recognises(first.value) or _has_messages(first.value):
        return with_own_uuids(each for record in chain(looked_at, records) for each in _of_object(record, among=True))
    if any(recognises(first.value) for _, recognises, _ in _MESSAGES):
        return iter([_of_messages(chain(looked_at, records))])
    # A session may begin with lines of which only the program's newest version knows what they are.
    seen = chain((first,), _kept(records, looked_at) if _has_type(first.value) else ())
    if any(claude_code.recognises(each.value) for each in seen if each.fault is None):
        return with_own_uuids(claude_code.read(chain(looked_at, records)))
    if isinstance(first.value, Mapping) and isinstance(first.value.get("role"), str):
        return iter([_refused(first.place, refusal(first.place, "its content is missing"))])
    raise _unknown()


def _has_type(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str)


def _kept(records: Iterator[Record], kept: list[Record]) -> Iterator[Record]:
    for record in islice(records, _LOOKED_AT):
        kept.append(record)
        yield record


def _of_object(record: Record, *, among: bool = False) -> Iterator[Transcript]:
    """One object that is a whole conversation.

    Args:
        among: it stands among others that are: if it is none itself, reading its messages says so.
    """
    value = record.value
    if record.fault is None:
        if chatgpt.recognises(value):
            return iter([chatgpt.conversation(record)])
        if _has_messages(value):
            items = (Record(f"{record.place}, message {index}", each) for index, each in enumerate(value["messages"]))
            transcript = _of_messages(items, place=record.place)
            transcript.messages = _headed(transcript, transcript.messages, lambda: record.read(lambda _: _head(value)))
            return iter([transcript])
        if claude_code.recognises(value):
            return claude_code.read([record])
    if not among:
        raise _unknown()
    why = record.fault or "this is not a conversation, and the first one is"
    return iter([_refused(record.place, refusal(record.place, why))])


def _has_messages(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("messages"), (list, tuple))


def _of_document(document: JsonDocument) -> Iterator[Transcript]:
    """One object over many lines; its ``messages`` are not read at once."""
    header: dict[str, Any] = {}
    keys = document.names()
    for key in keys:
        if key == "messages" and document.next() == "[":

            def rest() -> dict[str, Any]:
                header.update((key, document.value()) for key in keys)
                document.end()
                return Record(document.place, header).read(_head)

            transcript = _of_messages(document.items(), place=document.place)
            transcript.messages = _headed(transcript, transcript.messages, rest)
            return iter([transcript])
        header[key] = document.value()
    document.end()
    return _of_object(Record("record 0", header))


def _of_messages(records: Iterable[Record], *, place: str = "") -> Transcript:
    """One conversation whose records are messages."""
    records = iter(records)
    transcript = Transcript(iter(()), plain.NAME, place=place)

    def messages() -> Iterator[TranscriptMessage]:
        looked_at: list[Record] = []
        known = [each.value for each in _kept(records, looked_at) if each.fault is None]
        for name, recognises, read in _MESSAGES:
            if any(map(recognises, known)):
                transcript.format = name
                transcript.place = place or looked_at[0].place
                yield from _distinct(read(chain(looked_at, records)))
                return
        if looked_at:
            looked_at[0].read(lambda value: _no_message(value))
        raise InvalidInput(f"{place or 'this'}: there are no messages", hint=FORMATS)

    transcript.messages = messages()
    return transcript


def _no_message(value: object) -> None:
    raise ValueError("this is not a message of a known format")


def _distinct(messages: Iterator[TranscriptMessage]) -> Iterator[TranscriptMessage]:
    """The messages, of which no two have the same uuid; hashes are kept instead of uuids (8 bytes tell 10⁹ apart)."""
    seen: dict[int, str] = {}
    for message in messages:
        if message.uuid is not None:
            key = hash(message.uuid)
            if key in seen:
                raise refusal(message.place, f"its uuid is that of {seen[key]}")
            seen[key] = message.place
        yield message


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


def _refused(place: str, error: InvalidInput) -> Transcript:
    def messages() -> Iterator[TranscriptMessage]:
        raise error
        yield  # a generator: the error comes where messages are read

    return Transcript(messages(), "", place=place)


def _unknown() -> InvalidInput:
    return InvalidInput("this is not a conversation of a known format", hint=FORMATS)
