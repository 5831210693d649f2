"""Uuids of messages that more than one session of a file has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from ragforge_memory.models.transcript import Transcript, TranscriptMessage


def with_own_uuids(transcripts: Iterator[Transcript]) -> Iterator[Transcript]:
    """The transcripts, in which a message that one of another session had before has a uuid of its own.

    It is made of both ids, so that it is the same when the file is imported again. A session that comes a second time
    keeps its uuids, by which it is found to be here. Hashes are kept instead of ids, some 100 bytes a message.
    """
    owners: dict[int, int] = {}
    return (_with_own(each, owners) for each in transcripts)


def _with_own(transcript: Transcript, owners: dict[int, int]) -> Transcript:
    transcript.messages = _own(transcript, transcript.messages, owners)
    if (branches := transcript.branches) is not None:
        transcript.branches = lambda: (_with_own(each, owners) for each in branches())
    return transcript


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
