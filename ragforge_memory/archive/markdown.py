"""A conversation as Markdown, for reading: what was said, thought and called, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragforge_memory.models.conversation import ConversationInfo, Message, ToolCall
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Stores

# A page of history; and what is shown of a result. An archive in JSON has all of it.
_PAGE = 500
_RESULT_CHARACTERS = 2_000
_TICKS = re.compile(r"`{3,}")


async def markdown(stores: Stores, info: ConversationInfo) -> str:
    """The whole conversation, with what it was branched from.

    Raises:
        ConversationNotFound: it is gone.
    """
    pages: list[list[Message]] = []
    before: str | None = None
    while page := await stores.messages.history(info.uuid, limit=_PAGE, before=before):
        pages.append(page)
        before = page[0].uuid
    parts = list(_heading(info))
    for page in reversed(pages):
        for message in page:
            parts.extend(_message(message, info.uuid))
    return "\n\n".join(parts) + "\n"


def _heading(info: ConversationInfo) -> Iterator[str]:
    yield f"# {' '.join((info.title or 'A conversation').split())}"
    told = [
        f"conversation {info.uuid}",
        f"begun {info.created_at:%Y-%m-%d %H:%M} UTC",
        counted(info.head_seq, "message"),
    ]
    if info.tags:
        told.append("tags: " + ", ".join(info.tags))
    if info.branch_of:
        told.append(f"a branch of {info.branch_of} from message {info.from_seq} on")
    yield " · ".join(told)
    if info.summary:
        yield "> " + "\n> ".join(info.summary.splitlines())


def _message(message: Message, conversation_id: str) -> Iterator[str]:
    marks: list[str] = [message.state] if message.state != "complete" else []
    if message.conversation_id != conversation_id:
        marks.append("shared")
    told = [f"{message.seq}. {message.role}", f"{message.timestamp:%Y-%m-%d %H:%M}", *marks]
    yield "## " + " · ".join(told if message.model is None else [*told, message.model])
    if message.reasoning:
        yield "\n".join(f"> {line}".rstrip() for line in ["Thought:", *message.reasoning.splitlines()])
    for call in message.tool_calls:
        yield from _call(call)
    if message.content:
        yield message.content
    if message.references:
        places = (
            f"- `{each.qualified_name}` ({each.file}:{each.start_line}, {each.kind}{_status(each.status)})"
            for each in message.references
        )
        yield "Code:\n\n" + "\n".join(dict.fromkeys(places))


def _status(status: str | None) -> str:
    return f", {status}" if status else ""


def _call(call: ToolCall) -> Iterator[str]:
    yield f"**{call.tool_name}** ({call.duration_ms} ms{'' if call.success else ', failed'})"
    yield _fenced(json.dumps(call.arguments, ensure_ascii=False), "json")
    text = call.error if call.error else _text(call.result)
    if text:
        cut = f"\n… {len(text) - _RESULT_CHARACTERS:,} more characters" if len(text) > _RESULT_CHARACTERS else ""
        yield _fenced(text[:_RESULT_CHARACTERS] + cut, "")


def _text(result: Any) -> str:
    if result is None:
        return ""
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=1)


def _fenced(text: str, language: str) -> str:
    """A block that no run of backticks inside ends."""
    ticks = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)
    return f"{ticks}{language}\n{text}\n{ticks}"
