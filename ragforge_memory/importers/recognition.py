"""Which format a source has, by its content; its conversations, one after another.

To add a format: a module that recognises the first record (or the head of a text) and gives transcripts, and its line
in one of the tables here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers import (
    aider,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    gemini,
    message_objects,
    opencode,
    responses,
)
from ragforge_memory.importers.message_lists import is_message, kept, of_messages
from ragforge_memory.importers.message_objects import listed_items
from ragforge_memory.importers.own_uuids import with_own_uuids
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

FORMATS = (
    'a list of {"role": "user", "content": "…"} with "timestamp" and "uuid" where they are known, OpenAI chat '
    "messages or Responses items, Anthropic messages, LangChain's messages_to_dict, a session of Claude Code, Codex, "
    "Gemini CLI or opencode, aider's chat history, or the conversations.json of ChatGPT or claude.ai"
)
"""What is recognised, in one sentence."""

# A record is a whole conversation.
_CONVERSATIONS: tuple[tuple[Callable[[object], bool], Callable[[Record], Transcript]], ...] = (
    (chatgpt.recognises, chatgpt.conversation),
    (claude_ai.recognises, claude_ai.conversation),
    (opencode.recognises, opencode.conversation),
    (gemini.recognises_session, gemini.conversation),
)
_OWN_HEADS = frozenset({"info", "sessionId", "projectHash"})

_HEAD = 1 << 16
_SPACE = b" \t\r\n\0\xef\xbb\xbf"


def transcripts(data: Any) -> Iterator[Transcript]:
    """The conversations of a value, a text, bytes or a `Source`.

    Each must be read to its end before the next. What is bad in one conversation is raised where its messages are
    read, and the next one can be read all the same, unless the source cannot be read on.

    Raises:
        InvalidInput: it is of no known format, or empty; the hint says which are known.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if isinstance(data, (bytes, bytearray)):
        import io

        data = Source(io.BytesIO(data), size=len(data))
    return _released(_of_source(data) if isinstance(data, Source) else _of_value(data))


def _released(transcripts: Iterator[Transcript]) -> Iterator[Transcript]:
    """The transcripts, of which one that was read holds nothing of its source any more: it and its branches know one
    another, so that it would be kept until Python looks for such circles."""
    for transcript in transcripts:
        yield transcript
        transcript.branches = None


def _of_value(data: Any) -> Iterator[Transcript]:
    """What a program hands over is its own to mend: a record that is bad refuses its conversation."""
    if isinstance(data, Mapping):
        return map(_strict, _of_object(Record("record 0", data)))
    if isinstance(data, Sequence):
        return map(_strict, _of_records(Record(f"record {index}", value) for index, value in enumerate(data)))
    raise _unknown()


def _strict(transcript: Transcript) -> Transcript:
    def messages(given: Iterator[TranscriptMessage]) -> Iterator[TranscriptMessage]:
        yield from given
        if transcript.flaws:
            raise refusal(transcript.flaws[0].place, transcript.flaws[0].message)

    transcript.messages = messages(transcript.messages)
    return transcript


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
    # What stands before the first of the lines was torn off.
    if any(map(_is_object, head.split(b"\n"))):
        return _of_records(json_lines(source))
    try:
        json.loads(head.decode(errors="replace"))
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
    """Whether a line is an object, or begins with a whole one."""
    try:
        return isinstance(json.JSONDecoder().raw_decode(line.strip(_SPACE).decode())[0], dict)
    except (ValueError, RecursionError):
        return False


def _of_list(document: JsonDocument) -> Iterator[Transcript]:
    return _of_records(listed_items(document, document.end))


def _of_records(records: Iterator[Record]) -> Iterator[Transcript]:
    """By the first record that could be read; a session's also by those after it."""
    looked_at: list[Record] = []
    try:
        first = next((each for each in kept(records, looked_at) if each.fault is None), None)
    except InvalidInput as error:
        if not looked_at:
            raise
        return iter([_refused(looked_at[0].place, error)])
    if not looked_at:
        raise InvalidInput("there is nothing to import: the list is empty", hint=FORMATS)
    if first is None:
        raise refusal(looked_at[0].place, str(looked_at[0].fault))
    for record in chain((first,), kept(records, looked_at)):
        value = record.value
        if record.fault is not None:
            continue
        if _is_conversation(value):
            every = chain(looked_at, records)
            return with_own_uuids(each for record in every for each in _of_object(record, among=True))
        if codex.recognises(value) or (codex.is_beginning(looked_at[0].value) and responses.recognises(value)):
            return iter([codex.read(chain(looked_at, records))])
        if gemini.recognises_session(value) or gemini.recognises_message(value):
            return iter([gemini.lines(chain(looked_at, records))])
        if is_message(value):
            return iter([of_messages(chain(looked_at, records), unknown=FORMATS)])
        # A session may begin with lines of which only the program's newest version knows what they are.
        if claude_code.recognises(value):
            return with_own_uuids(claude_code.read(chain(looked_at, records)))
    if isinstance(first.value, Mapping) and isinstance(first.value.get("role"), str):
        return iter([_refused(first.place, refusal(first.place, "its content is missing"))])
    raise _unknown()


def _is_conversation(value: object) -> bool:
    """Whether a value is a whole conversation; a session of Gemini CLI may go on in the records behind it."""
    recognised = any(recognises(value) for recognises, _ in _CONVERSATIONS if recognises != gemini.recognises_session)
    return recognised or message_objects.holds_messages(value)


def _of_object(record: Record, *, among: bool = False) -> Iterator[Transcript]:
    """One object that is a whole conversation.

    Args:
        among: it stands among others that are: if it is none itself, reading its messages says so.
    """
    value = record.value
    if record.fault is None:
        for recognises, conversation in _CONVERSATIONS:
            if recognises(value):
                return iter([conversation(record)])
        if message_objects.holds_messages(value):
            return iter([message_objects.conversation(record, unknown=FORMATS)])
        if claude_code.recognises(value):
            return claude_code.read([record])
    if not among:
        raise _unknown()
    why = record.fault or "this is not a conversation, as others here are"
    return iter([_refused(record.place, refusal(record.place, why))])


def _of_document(document: JsonDocument) -> Iterator[Transcript]:
    """One object over many lines; its ``messages`` are not read at once."""
    header: dict[str, Any] = {}
    keys = document.names()
    for key in keys:
        if key != "messages" or document.next() != "[":
            header[key] = document.value()
        elif not _OWN_HEADS & header.keys():
            return iter([message_objects.streamed(document, keys, header, unknown=FORMATS)])
        else:
            # What has a head of its own is one record, whose messages are not the API's.
            items = list(listed_items(document, lambda: None))
            header[key] = [each.value for each in items if each.fault is None]
            if items and items[-1].fault is not None:
                return _cut_off(header, items[-1])
    document.end()
    return _of_object(Record("record 0", header))


def _cut_off(header: Mapping[str, Any], last: Record) -> Iterator[Transcript]:
    """What there is of an object whose messages could not be read on."""
    for transcript in _of_object(Record("record 0", header)):
        transcript.pass_over(last.place, str(last.fault))
        yield transcript


def _refused(place: str, error: InvalidInput) -> Transcript:
    def messages() -> Iterator[TranscriptMessage]:
        raise error
        yield  # a generator: the error comes where messages are read

    return Transcript(messages(), "", place=place)


def _unknown() -> InvalidInput:
    return InvalidInput("this is not a conversation of a known format", hint=FORMATS)
