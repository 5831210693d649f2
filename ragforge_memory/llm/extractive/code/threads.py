"""Whether something may be used by several threads: the lines of it that have to do with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.llm.extractive.code.evidence import grep, listed_lines, matches_of
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest, subject
from ragforge_memory.models.text import counted

_MAX_SHOWN = 12

OF_THREADS = (
    r"(?i:\bthread[- _]?safe|\b(?:between|across|several|multiple|many|different) threads\b"
    r"|\bconcurren(?:t|cy|tly)\b|\bmutex|\bsemaphore|\bthread[- _]?local)|\bsynchronized\b"
    r"|\bsynchronize\b|\bvolatile\b|\bAtomic[A-Z]\w*|\bConcurrent[A-Z]\w*|\bCopyOnWrite\w*|\b(?:\w*[a-z])?(?:Lock|Latch)\b"
    r"|\bRwLock\b|\bpthread_\w+|\bsync\.(?:Mutex|RWMutex|Once|Map|Pool)|\bMonitor\b|\bInterlocked\b|\bstd::atomic"
    r"|\block\s*\(|\.(?:lock|unlock)\(|\bunsafe impl\b.*\b(?:Send|Sync)\b"
)
"""Lines that lock, that share what is safe to share, or that say of something that it is."""

_SAYS_SAFE = re.compile(r"\bthread[- _]?safe|\b(?:between|across) threads\b", re.I)


def thread_calls(question: Question, value: Mapping[str, Any]) -> tuple[Call, ...]:
    """Looks for such lines in the file of what is asked about, of the project itself in all."""
    scope = _asked(value)
    if scope is None and question.target.kind == "name" and not value.get("names_project"):
        return ()
    return (grep(OF_THREADS, **({"path": scope["file"]} if scope else {})),)


def threads(found: Sequence[Found]) -> list[str]:
    """Those lines, or that there are none; empty where what is asked about is unknown."""
    value = next((each.value for each in found if each.call.tool == "read_scope"), None) or {}
    scope = _asked(value)
    if not any(each.call.tool == "grep_code" for each in found):
        return []
    lines = matches_of(found)
    if scope is not None:
        inside = range(scope.get("start_line", scope["line"]), scope.get("end_line", scope["line"]) + 1)
        name = str(scope["qualified_name"]).rpartition(".")[2]
        # What it is called says nothing.
        lines = [
            each
            for each in lines
            if each["file"] == scope["file"]
            and each["line"] in inside
            and re.search(OF_THREADS, each["text"].replace(name, ""))
        ]
    lines = sorted(lines, key=lambda each: not _SAYS_SAFE.search(each["text"]))
    of = subject(scope) if scope is not None else "this project"
    if not lines:
        return [f"{of}: no line says that it is thread-safe, and none has a lock or the like."]
    return [
        f"{of}: whether it is thread-safe is not for me to say, but {counted(len(lines), 'line')} of it "
        f"{'has' if len(lines) == 1 else 'have'} to do with threads:",
        *listed_lines(lines[:_MAX_SHOWN], ()),
        *rest(len(lines) - _MAX_SHOWN),
    ]


def _asked(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The definition that is asked about; None of the project itself, and of what is none."""
    scopes = value.get("scopes") or []
    return None if value.get("names_project") or not scopes else scopes[0]
