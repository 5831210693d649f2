"""ChatGPT's export, ``conversations.json``: a list of conversations, each a tree of messages (``mapping``).

The path from the root to ``current_node`` is what was shown last; the other leaves are branches of it. What the model
thought, its calls of tools and what came of them belong to the answer that they led to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import Answer, Exchange, sound
from ragforge_memory.importers.source import Record, refusal
from ragforge_memory.models.transcript import ABANDONED, Transcript, TranscriptCall, TranscriptMessage

NAME = "ChatGPT export"

_SHOWN_TITLE = 40


def recognises(record: object) -> bool:
    """Whether this is such a conversation."""
    return isinstance(record, Mapping) and isinstance(record.get("mapping"), Mapping)


def conversation(record: Record) -> Transcript:
    """The conversation of a record; reading its messages raises `InvalidInput` with the node that is bad."""
    transcript = Transcript(iter(()), NAME, place=record.place)
    transcript.messages = _messages(record, transcript)
    transcript.branches = lambda: _branches(record, transcript)
    return transcript


def _messages(record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
    yield from _along(record.read(lambda value: _opened(value, transcript)), record, transcript)


def _along(path: list[tuple[str, Any]], record: Record, transcript: Transcript) -> Iterator[TranscriptMessage]:
    reader = _Reader(transcript.created_at)
    known: dict[str, str] = {}
    said = 0
    for name, node in path:
        place = f"{record.place}, node {name}"
        for message in sound(Record(place, node), transcript.pass_over, partial(_node, reader, known, name)):
            said += 1
            yield message
    for message in reader.finish():
        said += 1
        yield message
    if not said and transcript.flaws:
        raise refusal(transcript.flaws[0].place, transcript.flaws[0].message)


def _branches(record: Record, whole: Transcript) -> Iterator[Transcript]:
    """The paths to all other leaves, so far as something is said there that is not on one before."""
    nodes: Mapping[str, Any] = record.value["mapping"]
    told = set(dict(_opened(record.value, Transcript(iter(()), NAME))))
    for leaf in _leaves(nodes):
        if leaf in told:
            continue
        branch = whole.branch()
        path = _path(nodes, leaf, branch)
        new = [name for name, node in path if name not in told and _says_something(node)]
        told.update(name for name, _ in path)
        if new:
            branch.abandoned = len(new)
            branch.messages = _along(path, record, branch)
            yield branch


def _node(
    reader: _Reader, known: dict[str, str], name: str, node: Mapping[str, Any], place: str
) -> Iterator[TranscriptMessage]:
    message = _message(node)
    if message is None:
        return
    uuid = str(message.get("id") or name)
    if uuid in known:
        raise ValueError(f"its id is that of node {known[uuid]}")
    known[uuid] = name
    yield from reader.take(uuid, message, place)


def _opened(value: object, transcript: Transcript) -> list[tuple[str, Any]]:
    """Takes up what is said of the whole; returns the path to the current node, from the root."""
    found = fields.mapping(value, "a conversation")
    nodes = fields.mapping(found.get("mapping"), "its mapping")
    place, uuid = transcript.place, found.get("conversation_id") or found.get("id")
    transcript.title = transcript.about(place, lambda: fields.optional_text(found.get("title"), "its title"))
    transcript.created_at = transcript.about(place, lambda: fields.time(found.get("create_time")))
    transcript.session_id = transcript.about(place, lambda: fields.foreign_id(uuid, "its conversation_id"))
    if transcript.title:
        transcript.place = f"{transcript.place} ({transcript.title[:_SHOWN_TITLE]})"
    name = found.get("current_node")
    if name is not None and not (isinstance(name, str) and name in nodes):
        transcript.pass_over(transcript.place, f"there is no node {name!r}, which current_node names")
        name = None
    if name is None:
        name = _newest_leaf(nodes)
    path = _path(nodes, name, transcript)
    if len(path) < len(nodes):
        shown = dict(path)
        abandoned = sum(1 for key, node in nodes.items() if key not in shown and _says_something(node))
        if abandoned:
            transcript.left_out[ABANDONED] += abandoned
    return path


def _path(nodes: Mapping[str, Any], name: object, transcript: Transcript) -> list[tuple[str, Any]]:
    """What leads to a node, from the root."""
    path: dict[str, Any] = {}
    parents = _parents(nodes)
    while name is not None:
        if not isinstance(name, str) or not isinstance(nodes.get(name), Mapping):
            child = next(reversed(path), "current_node")
            transcript.pass_over(transcript.place, f"there is no node {name!r}, which {child} names")
            break
        if name in path:
            transcript.pass_over(transcript.place, f"node {name} is its own ancestor")
            break
        path[name] = nodes[name]
        name = parents[name]
    return list(reversed(path.items()))


def _says_something(node: object) -> bool:
    message = node.get("message") if isinstance(node, Mapping) else None
    author = message.get("author") if isinstance(message, Mapping) else None
    return isinstance(author, Mapping) and author.get("role") in ("user", "assistant")


def _parents(nodes: Mapping[str, Any]) -> dict[str, Any]:
    """Which node each follows: the one that it names, else the one that has it among its children."""
    found = {name: node.get("parent") for name, node in nodes.items() if isinstance(node, Mapping)}
    for name, node in nodes.items():
        children = node.get("children") if isinstance(node, Mapping) else None
        for child in children if isinstance(children, (list, tuple)) else ():
            if isinstance(child, str) and child in found and found[child] is None:
                found[child] = name
    return found


def _leaves(nodes: Mapping[str, Any]) -> list[str]:
    """The nodes that none follows."""
    followed = {parent for parent in _parents(nodes).values() if isinstance(parent, str)}
    return [name for name in nodes if name not in followed]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    """What old exports, which name no current node, showed last; of those that say no time the last one."""

    def when(name: str) -> float:
        message = nodes[name].get("message") if isinstance(nodes[name], Mapping) else None
        found = message.get("create_time") if isinstance(message, Mapping) else None
        return float(found) if isinstance(found, (int, float)) else 0.0

    return max(reversed(_leaves(nodes)), key=when, default=None)


def _message(node: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """A node's message; the root has none."""
    message = node.get("message")
    return None if message is None else fields.mapping(message, "its message")


class _Reader:
    """Puts the messages of a path together."""

    def __init__(self, began: datetime | None) -> None:
        self._exchange = Exchange()
        self._answer: Answer | None = None
        self._when = began

    def finish(self) -> Iterator[TranscriptMessage]:
        """All that is left."""
        yield from self._exchange.finish()

    def take(self, uuid: str, message: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
        """Takes the next message of the path; gives those that are complete."""
        author = fields.mapping(message.get("author"), "its author")
        content = fields.mapping(message.get("content"), "its content")
        self._when = fields.time(message.get("create_time")) or self._when
        role = author.get("role")
        if role == "assistant":
            yield from self._assistant(message, content, place, uuid)
        elif role == "tool":
            yield from self._result(author, content, place)
        elif role in ("user", "system"):
            said = _said(content)
            if not said:
                return
            self._answer = None
            about = message.get("metadata")
            # What was set up once and goes before every conversation is not a word of the user in this one.
            hidden = isinstance(about, Mapping) and bool(about.get("is_visually_hidden_from_conversation"))
            yield from self._exchange.say(
                TranscriptMessage(
                    role="user" if role == "user" and not hidden else "system",
                    content=said,
                    timestamp=self._when,
                    uuid=fields.unique(fields.identifier(uuid, "its id")),
                    place=place,
                )
            )
        else:
            raise ValueError(f"there is no role {role!r} (user, assistant, system, tool)")

    def _assistant(
        self, message: Mapping[str, Any], content: Mapping[str, Any], place: str, uuid: str
    ) -> Iterator[TranscriptMessage]:
        kind = content.get("content_type")
        if kind == "reasoning_recap":  # "Thought for 12 seconds"
            return
        recipient = message.get("recipient") or "all"
        thought, said = (_thoughts(content), "") if kind == "thoughts" else ("", _said(content))
        if recipient == "all" and not thought and not said:
            return
        answer = self._answer
        # What comes after an answer's words is another answer.
        if answer is None or answer.texts:
            answer = self._answer = Answer(place, timestamp=self._when)
            yield from self._exchange.answer(answer)
        about = message.get("metadata")
        model = about.get("model_slug") if isinstance(about, Mapping) else None
        if isinstance(model, str):
            answer.model = model
        if recipient != "all":
            asked = fields.text(
                content.get("text") if kind == "code" else said, "what it asked a tool", most=fields.MAX_CHARACTERS
            )
            answer.calls.append(
                TranscriptCall(
                    tool_name=fields.text(recipient, "its recipient", most=200),
                    arguments=fields.arguments(asked),
                    timestamp=self._when,
                )
            )
        elif thought:
            answer.reasoning.append(thought)
        else:
            answer.texts.append(said)
            answer.uuid = fields.unique(fields.identifier(uuid, "its id"))
            answer.timestamp = self._when
        if answer.uuid is None:
            answer.uuid = fields.unique(fields.identifier(uuid, "its id"))

    def _result(self, author: Mapping[str, Any], content: Mapping[str, Any], place: str) -> Iterator[TranscriptMessage]:
        name = fields.optional_text(author.get("name"), "the name of a tool", most=200)
        failed = content.get("content_type") == "system_error"
        result = _said(content, most=fields.MAX_RESULT_CHARACTERS)
        answer = self._answer
        if answer is not None and answer.calls and not answer.open and not answer.texts:
            answer.add_to_result(result)  # a tool may say what came of one call in several messages
            return
        yield from self._exchange.result(
            place,
            None,
            result=result,
            failed=failed,
            tool_name=None if answer is not None and answer.open else name,
            timestamp=self._when,
        )
        # A result without its call begins an answer, as a call does.
        self._answer = self._exchange.last


def _said(content: Mapping[str, Any], *, most: int = fields.MAX_CHARACTERS) -> str:
    """The text of a content, whatever its type is."""
    match content.get("content_type"):
        case "user_editable_context" | "model_editable_context":
            keys = ("user_profile", "user_instructions", "model_set_context")
            pieces = [content[key] for key in keys if isinstance(content.get(key), str)]
            return fields.text("\n\n".join(filter(None, pieces)), "its content", most=most)
        case "tether_browsing_display":
            return fields.joined(content.get("result") or content.get("summary"), "its content", most=most)
        case _:
            parts = content.get("parts")
            if parts is None:
                parts = content.get("text")
            return fields.joined(parts, "its content", most=most).strip("\n")


def _thoughts(content: Mapping[str, Any]) -> str:
    found = []
    thoughts = content.get("thoughts") or ()
    if not isinstance(thoughts, (list, tuple)):
        raise ValueError(f"its thoughts are a list, not {type(thoughts).__name__}")
    for thought in thoughts:
        thought = fields.mapping(thought, "a thought")
        pieces = (fields.optional_text(thought.get(key), "a thought") for key in ("summary", "content"))
        found.append("\n".join(filter(None, pieces)))
    return "\n\n".join(filter(None, found))
