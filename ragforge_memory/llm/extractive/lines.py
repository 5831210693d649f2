"""The pieces of an answer: a definition with its place, code, what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ragforge_memory.models.text import counted, lines_of, truncated
from ragforge_memory.models.times import local
from ragforge_memory.retrieval.excerpts import excerpt

DOCUMENTATION_LINES, SOURCE_LINES = 14, 60
_UNREAD = 3
# "`Talk.echo` - src/talk.py:12" at the beginning of a line: how every answer names a definition, and is referred to.
PLACE = re.compile(r"^(?P<item>- )?`(?P<name>[^`\n]+)` - (?P<file>[^\s:]+):\d+", re.M)


def entry(scope: Mapping[str, Any], lines: bool = False) -> str:
    """A definition with its place: ```name` - file:line (function, lines 4-6)``."""
    start, end = scope.get("start_line", scope["line"]), scope.get("end_line", scope["line"])
    what = scope.get("kind") or scope.get("type") or "code"
    more = f", lines {start}-{end}" if lines and start != end else ", overload" if scope.get("overload") else ""
    return f"`{scope['qualified_name']}` - {scope['file']}:{scope['line']} ({what}{more})"


def code_span(text: str) -> str:
    """Code in a line of prose, between more backticks than any inside."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def signature(scope: Mapping[str, Any], most: int = 10_000) -> list[str]:
    """The signature as a quotation; nothing where there is none."""
    text = " ".join(str(scope.get("signature") or "").split())
    return [f"> {code_span(truncated(text, most))}"] if text else []


def docs(scope: Mapping[str, Any], brief: bool = False) -> list[str]:
    """The documentation as a quotation, of a long one the beginning; ``brief``: two lines of its first paragraph."""
    text = [line.rstrip() for line in lines_of(str(scope.get("docstring") or "").strip())]
    if brief:
        text = text[: min(2, text.index("") if "" in text else 2)]
    text = text if len(text) <= DOCUMENTATION_LINES else [*text[:DOCUMENTATION_LINES], "…"]
    return [f"> {line}".rstrip() for line in text]


def source(scope: Mapping[str, Any]) -> list[str]:
    """The source as a block of code, and how much of it is left out."""
    text = lines_of(str(scope.get("source") or ""))[:SOURCE_LINES]
    left = scope["end_line"] - scope["start_line"] - len(text) + 1
    more = [f"… {counted(left, 'more line')}, up to line {scope['end_line']}."] if left > 0 else []
    return [*block(text, str(scope.get("language") or "")), *more] if text else []


def block(text: Sequence[str], language: str = "") -> list[str]:
    """Lines between fences that are longer than any inside."""
    fence = "```"
    while any(fence in line for line in text):
        fence += "`"
    return [f"{fence}{language}", *text, fence]


def listed(items: Sequence[str], most: int, total: int = 0) -> list[str]:
    """The first items of a list, and how many there are beside them, of ``total`` where some are not even here."""
    more = max(total, len(items)) - len(items[:most])
    return [*items[:most], *([f"… and {more:,} more."] if more else [])]


def either(words: Iterable[str]) -> str:
    """Words as a sentence has them: ```a`, `b` or `c```."""
    marked = [f"`{each}`" for each in words]
    return " or ".join([", ".join(marked[:-1]), marked[-1]] if len(marked) > 1 else marked)


def statements(messages: Iterable[Mapping[str, Any]], words: Iterable[str] = (), most: int = 600) -> list[str]:
    """What was said, each on a line with its day and its author, and below it what has become of it."""
    lines: list[str] = []
    for message in {each["message_id"]: each for each in messages}.values():
        who = "you" if message["role"] == "user" else str(message["role"])
        kind = f" ({message['kind']})" if message.get("kind") else ""
        archived = ", archived" if message.get("archived") else ""
        lines.append(f"- {_minute(message)}, {who}{kind}{archived}: {quoted(message['excerpt'], words, most)}")
        if later := message.get("corrected"):
            how = {"retracts": "taken back", "done": "done"}.get(str(later.get("how")), "corrected")
            lines.append(f"  {how} {_minute(later)}: {quoted(later['excerpt'], words, most)}")
        for code in message.get("code") or ():
            became = {"drifted": "its code has changed since", "orphaned": "its code is gone since"}.get(code["status"])
            if code["status"] == "moved":
                became = f"moved to {code['moved_to']}{', and its code has changed' if code.get('changed') else ''}"
            lines += [f"  about `{code['name']}` ({code['file']}): {became}"] if became else []
    return lines


def quoted(text: str, words: Iterable[str] = (), most: int = 200) -> str:
    """What was said, on one line in quotation marks; of a long text the part around the words."""
    return f'"{excerpt(" ".join(str(text).split()), words, most)}"'


def _minute(message: Mapping[str, Any]) -> str:
    return f"{local(datetime.fromisoformat(message['timestamp'])):%Y-%m-%d %H:%M}"


def not_read(value: Mapping[str, Any]) -> list[str]:
    """A line that names the files that a result knows nothing of; none where all were read."""
    unread = value.get("not_read") or {"files": (), "count": 0}
    files = "; ".join(listed(unread["files"], _UNREAD, unread["count"]))
    return [f"Not read, or in part: {files}"] if files else []
