"""claude.ai's export, ``conversations.json``: a list of conversations, each with its ``chat_messages``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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


# Blocks that say nothing to anybody.
_MARKS = frozenset({"token_budget", "flag"})
# What the program names a text that was pasted, if anything; of several the others have a number behind a dash.
_PASTED = "paste"


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
    # What is left out of a branch's beginning was counted where it was read first.
    left_out = transcript.left_out if transcript.of is None else Counter[str]()
    for index, message in messages:
        one = Record(f"{record.place}, message {index}", message)
        yield from sound(one, transcript.pass_over, partial(_message, exchange, left_out))
    yield from exchange.finish()


def _begin(value: Mapping[str, Any], transcript: Transcript) -> list[tuple[int, Any]]:
    place = transcript.place
    transcript.title = transcript.about(place, lambda: fields.optional_text(value.get("name"), "its name", most=2_000))
    transcript.session_id = transcript.about(place, lambda: fields.foreign_id(value.get("uuid"), "its uuid"))
    transcript.created_at = transcript.about(place, lambda: fields.time(value.get("created_at")))
    if isinstance(value.get("model"), str):
        transcript.metadata["model"] = value["model"]
    messages = list(enumerate(value["chat_messages"]))
    tree = _Tree(value["chat_messages"])
    shown = tree.path(tree.place_of(value.get("current_leaf_message_uuid")))
    transcript.left_out += Counter({ABANDONED: len(messages) - len(shown)})
    transcript.branches = lambda: _branches(Record(transcript.place, value), tree, set(shown), transcript)
    return [messages[index] for index in shown]


def _branches(record: Record, tree: _Tree, known: set[int], whole: Transcript) -> Iterator[Transcript]:
    """The ways to all other leaves, so far as something is said there that is not on one before."""
    messages = record.value["chat_messages"]
    for leaf in tree.leaves():
        path = tree.path(leaf)
        branch = whole.branch(len(set(path) - known))
        known.update(path)
        if branch.abandoned:
            branch.messages = _along([(each, messages[each]) for each in path], record, branch)
            yield branch


class _Tree:
    """Which message follows which, by their places.

    One that names no parent, or one that is not there, follows the message before it: older exports name none, and a
    gap abandons nothing.
    """

    def __init__(self, messages: Sequence[Any]) -> None:
        self._places: dict[str, int] = {}
        self._parents: list[int] = []
        for index, message in enumerate(messages):
            about = message if isinstance(message, Mapping) else {}
            parent, uuid = about.get("parent_message_uuid"), about.get("uuid")
            first = isinstance(parent, str) and parent == _ROOT
            # What follows itself, or what comes after it, would be a ring.
            self._parents.append(-1 if first else self._places.get(str(parent), index - 1))
            if isinstance(uuid, str):
                self._places.setdefault(uuid, index)

    def place_of(self, uuid: object) -> int:
        """Where a message stands; the last one's place where there is none of that uuid."""
        return self._places.get(str(uuid), len(self._parents) - 1)

    def leaves(self) -> list[int]:
        """The messages that none follows."""
        return sorted(set(range(len(self._parents))) - set(self._parents))

    def path(self, leaf: int) -> list[int]:
        """The messages on the way to one, from the first on."""
        path: list[int] = []
        while leaf >= 0:
            path.append(leaf)
            leaf = self._parents[leaf]
        return path[::-1]


def _message(exchange: Exchange, left_out: Counter[str], value: object, place: str) -> Iterator[TranscriptMessage]:
    message = fields.mapping(value, "a message")
    when = fields.time(message.get("created_at"))
    uuid = fields.unique(fields.foreign_id(message.get("uuid"), "its uuid"))
    content = message.get("content")
    # Older exports have the text alone, and newer ones may leave the blocks empty.
    blocks = blocks_of(content if isinstance(content, (list, tuple)) and content else message.get("text") or "")
    left_out.update(str(block["type"]) for block in blocks if fields.is_one_of(block.get("type"), _MARKS))
    blocks = [block for block in blocks if not fields.is_one_of(block.get("type"), _MARKS)]
    named = [
        _attached(each)
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


def _attached(about: Mapping[str, Any]) -> dict[str, Any]:
    """A block of what was attached: a file by its name; a text that was pasted is the person's words."""
    name, content = about.get("file_name"), about.get("extracted_content")
    if isinstance(content, str) and content.strip() and _is_pasted(name):
        return {"type": "text", "text": content}
    return {"type": "attachment", "name": name}


def _is_pasted(name: object) -> bool:
    if not isinstance(name, str) or not name.strip():
        return True
    stem, _, number = name.removesuffix(".txt").partition("-")
    return name.endswith(".txt") and stem == _PASTED and (number.isdigit() or not number)
