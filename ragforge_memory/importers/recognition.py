"""Which format a source has, by its content; its conversations, one after another.

To add a format: a module that recognises the first record (or the head of a text) and gives transcripts, and its line
in one of the tables here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers import (
    aider,
    anthropic,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    gemini,
    langchain,
    openai,
    opencode,
    plain,
    responses,
)
from ragforge_memory.importers.exchange import PassOver, exchanged
from ragforge_memory.importers.fields import identifier, joined, optional_text, time
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

_Read = Callable[[Iterable[Record], PassOver], Iterator[TranscriptMessage]]

# A record is a message; the plainest comes last, since others have a role and a content too.
_MESSAGES: tuple[tuple[str, Callable[[object], bool], _Read], ...] = (
    (langchain.NAME, langchain.recognises, partial(exchanged, taken=langchain.taken)),
    (anthropic.NAME, anthropic.recognises, partial(exchanged, taken=anthropic.taken)),
    (responses.NAME, responses.recognises, partial(exchanged, taken=responses.taken)),
    (gemini.NAME, gemini.recognises, partial(exchanged, taken=gemini.taken)),
    (openai.NAME, openai.recognises, partial(exchanged, taken=openai.taken)),
    (plain.NAME, plain.recognises, plain.read),
)

# A record is a whole conversation.
_CONVERSATIONS: tuple[tuple[Callable[[object], bool], Callable[[Record], Transcript]], ...] = (
    (chatgpt.recognises, chatgpt.conversation),
    (claude_ai.recognises, claude_ai.conversation),
    (opencode.recognises, opencode.conversation),
    (gemini.recognises_session, gemini.conversation),
)
# Where an object holds its messages: a chat, a request and an answer of the Responses API, a checkpoint of Gemini CLI.
_LISTS = ("messages", "input", "output", "history")
_SYSTEM = ("system", "instructions")
_OWN_HEADS = frozenset({"info", "sessionId", "projectHash"})

# So many messages are looked at until one shows that they are OpenAI's: the first may have a role and a text alone.
_LOOKED_AT = 200
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
    return _of_records(_items(document, lambda: document.end()))


def _items(document: JsonDocument, end: Callable[[], None]) -> Iterator[Record]:
    """The items of a list; where it was cut off, or is no JSON from there on, the last one says so."""
    try:
        yield from document.items()
        end()
    except InvalidInput as error:
        place, _, why = error.message.partition(": ")
        yield Record(place, None, why)


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
    if any(recognises(first.value) for recognises, _ in _CONVERSATIONS[:3]) or _items_of(first.value) is not None:
        return with_own_uuids(each for record in chain(looked_at, records) for each in _of_object(record, among=True))
    for record in chain((first,), _kept(records, looked_at)):
        value = record.value
        if record.fault is not None:
            continue
        if codex.recognises(value) or (codex.is_beginning(looked_at[0].value) and responses.recognises(value)):
            return iter([codex.read(chain(looked_at, records))])
        if gemini.recognises_session(value):
            return iter([gemini.lines(chain(looked_at, records))])
        if any(recognises(value) for _, recognises, _ in _MESSAGES):
            return iter([_of_messages(chain(looked_at, records))])
        # A session may begin with lines of which only the program's newest version knows what they are.
        if claude_code.recognises(value):
            return with_own_uuids(claude_code.read(chain(looked_at, records)))
    if isinstance(first.value, Mapping) and isinstance(first.value.get("role"), str):
        return iter([_refused(first.place, refusal(first.place, "its content is missing"))])
    raise _unknown()


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
        for recognises, conversation in _CONVERSATIONS:
            if recognises(value):
                return iter([conversation(record)])
        if (given := _items_of(value)) is not None:
            items = (Record(f"{record.place}, message {index}", each) for index, each in enumerate(given))
            transcript = _of_messages(items, place=record.place)
            transcript.messages = chain(_instructions(value, record.place), transcript.messages)
            transcript.messages = _headed(transcript, transcript.messages, lambda: record.read(lambda _: _head(value)))
            return iter([transcript])
        if claude_code.recognises(value):
            return claude_code.read([record])
    if not among:
        raise _unknown()
    why = record.fault or "this is not a conversation, and the first one is"
    return iter([_refused(record.place, refusal(record.place, why))])


def _items_of(value: object) -> Sequence[Any] | None:
    """The messages that an object holds; None where it is no such object."""
    if not isinstance(value, Mapping):
        return None
    return next((value[key] for key in _LISTS if isinstance(value.get(key), (list, tuple))), None)


def _instructions(value: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
    """What stands beside the messages for the model to go by."""
    for key in _SYSTEM:
        if said := Record(place, value.get(key)).read(lambda given: joined(given, "its instructions")):
            yield TranscriptMessage("system", said, place=place)


def _of_document(document: JsonDocument) -> Iterator[Transcript]:
    """One object over many lines; its ``messages`` are not read at once."""
    header: dict[str, Any] = {}
    keys = document.names()
    for key in keys:
        if key != "messages" or document.next() != "[":
            header[key] = document.value()
        elif not _OWN_HEADS & header.keys():
            return iter([_streamed(document, keys, header)])
        else:
            # What has a head of its own is one record, whose messages are not the API's.
            items = list(_items(document, lambda: None))
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


def _streamed(document: JsonDocument, keys: Iterator[str], header: dict[str, Any]) -> Transcript:
    """The conversation of an object whose messages come now; what stands behind them is read at the end."""
    known, place = set(header), document.place

    def rest() -> None:
        header.update((key, document.value()) for key in keys)
        document.end()

    transcript = _of_messages(_items(document, rest), place=place)
    messages = chain(_instructions(dict(header), place), transcript.messages, _late(header, known, place))
    transcript.messages = _headed(transcript, messages, lambda: Record(place, header).read(_head))
    return transcript


def _late(header: Mapping[str, Any], known: set[str], place: str) -> Iterator[TranscriptMessage]:
    """Instructions that stand behind the messages."""
    yield from _instructions({key: value for key, value in header.items() if key not in known}, place)


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
                said = 0
                for message in _distinct(read(chain(looked_at, records), transcript.pass_over), transcript):
                    said += 1
                    yield message
                if not said and transcript.flaws:
                    raise refusal(transcript.flaws[0].place, transcript.flaws[0].message)
                return
        if looked_at:
            looked_at[0].read(lambda value: _no_message(value))
        raise InvalidInput(f"{place or 'this'}: there are no messages", hint=FORMATS)

    transcript.messages = messages()
    return transcript


def _no_message(value: object) -> None:
    raise ValueError("this is not a message of a known format")


def _distinct(messages: Iterator[TranscriptMessage], transcript: Transcript) -> Iterator[TranscriptMessage]:
    """The messages, of which no two have the same uuid: one that says the same again is left out, another passed over.

    Hashes are kept instead of uuids (8 bytes tell 10⁹ apart).
    """
    seen: dict[int, tuple[str, int]] = {}
    for message in messages:
        if message.uuid is not None:
            said = hash((message.role, message.content))
            place, before = seen.setdefault(hash(message.uuid), (message.place, said))
            if place != message.place and said == before:
                transcript.left_out["repeated"] += 1
                continue
            if place != message.place:
                transcript.pass_over(message.place, f"its uuid is that of {place}")
                continue
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
