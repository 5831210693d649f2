"""One conversation whose records are messages, each read by the format whose marks it has.

A program that talked to several vendors wrote one list of all, so that its records may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers import anthropic, fields, gemini, langchain, openai, plain, responses
from ragforge_memory.importers.exchange import Exchange, exchanged
from ragforge_memory.importers.source import Record, refusal
from ragforge_memory.models.transcript import Transcript, TranscriptMessage

LOOKED_AT = 200
"""So many records are looked at until one shows what a source is: the first may have a role and a text alone."""

_Recognises = Callable[[object], bool]
_Taken = Callable[[Exchange, Any, str], Iterator[TranscriptMessage]]

# A record that has the marks of one of these is read by it wherever it stands.
_MARKED: tuple[tuple[str, _Recognises, _Taken], ...] = (
    (langchain.NAME, langchain.recognises, langchain.taken),
    (gemini.NAME, gemini.recognises, gemini.taken),
    (openai.NAME, openai.has_calls, openai.taken),
    (anthropic.NAME, anthropic.recognises, anthropic.taken),
    (responses.NAME, responses.recognises, responses.taken),
)
# Records of these have their marks always: one of a role and a content is another's.
_ALWAYS_MARKED = (langchain.taken, gemini.taken)
# What else a list may be; the plainest comes last, since others have a role and a content too.
_WHOLE = (*_MARKED, (openai.NAME, openai.recognises, openai.taken), (plain.NAME, plain.recognises, plain.taken))


def is_message(value: object) -> bool:
    """Whether a value is a message of a known format."""
    return any(recognises(value) for _, recognises, _ in _WHOLE)


def kept(records: Iterator[Record], into: list[Record]) -> Iterator[Record]:
    """The records to look at, which are kept to be read again."""
    for record in islice(records, LOOKED_AT):
        into.append(record)
        yield record


def of_messages(records: Iterable[Record], *, unknown: str, place: str = "") -> Transcript:
    """The conversation of such records.

    Args:
        records: one message each.
        unknown: the hint of the error where none of them is a message.
        place: where they stand, if that is one place.
    """
    records = iter(records)
    transcript = Transcript(iter(()), plain.NAME, place=place)

    def messages() -> Iterator[TranscriptMessage]:
        looked_at: list[Record] = []
        known = [each.value for each in kept(records, looked_at) if each.fault is None]
        if not any(map(is_message, known)):
            if looked_at:
                looked_at[0].read(lambda value: _no_message(value))
            raise InvalidInput(f"{place or 'this'}: there are no messages", hint=unknown)
        transcript.place = place or looked_at[0].place
        reader, said = _Reader(known, transcript), 0
        for message in _distinct(exchanged(chain(looked_at, records), transcript.pass_over, reader.taken), transcript):
            said += 1
            yield message
        if not said and transcript.flaws:
            raise refusal(transcript.flaws[0].place, transcript.flaws[0].message)

    transcript.messages = messages()
    return transcript


class _Reader:
    """Reads each record by the format whose marks it has, and one without any by that of the list."""

    def __init__(self, known: Sequence[object], transcript: Transcript) -> None:
        self._transcript = transcript
        self._take: _Taken = plain.taken
        for name, recognises, taken in _WHOLE:
            if any(map(recognises, known)):
                transcript.format, self._take = name, taken
                break

    def taken(self, exchange: Exchange, value: object, place: str) -> Iterator[TranscriptMessage]:
        """The messages that are complete with one more record; see `exchanged`."""
        kind = value.get("type") if isinstance(value, Mapping) else None
        if fields.is_one_of(kind, responses.LEFT_OUT):
            self._transcript.left_out[str(kind)] += 1
            return iter(())
        for name, recognises, taken in _MARKED if self._take is not plain.taken else _WHOLE:
            if recognises(value):
                # A list is plain as long as nothing shows that it is another.
                if self._take is plain.taken:
                    self._transcript.format, self._take = name, taken
                return taken(exchange, value, place)
        take = openai.taken if self._take in _ALWAYS_MARKED and plain.recognises(value) else self._take
        return take(exchange, value, place)


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
