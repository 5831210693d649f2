"""Where a project reads environment variables: the lines that do, by the ways of the languages that are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.reading.endings import TEXT
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.evidence import grep
from ragforge_memory.llm.extractive.code.members import texts_last
from ragforge_memory.llm.extractive.quoting.calls import Call
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line
from ragforge_memory.models.text import counted

MAX_SHOWN = 40
"""Lines that are listed."""

READS_ENVIRONMENT = (
    r"\bos\.environ|\b(?:os\.)?getenv\w*\s*\(|\bprocess\.env\b|\bimport\.meta\.env\b"
    r"|\bos\.(?:Getenv|LookupEnv|Environ)\(|\benv::(?:vars?|var_os|vars_os)\b|\b(?:option_)?env!\("
    r"|(?<![\w.:$@])ENV(?:\[|\.\w)|\bEnvironment\.GetEnvironmentVariables?\(|\bSystem\.getenv\("
    r"|\$_ENV\b|\bsecure_getenv\("
)
"""Lines that read the environment in Python, JavaScript, Go, Rust, Ruby, C#, Java, PHP, C and C++."""


def environment_call() -> Call:
    """Looks for such lines."""
    return grep(READS_ENVIRONMENT)


def environment_read(value: Mapping[str, Any]) -> list[str]:
    """The lines of code that read the environment, those of tests last, as `grep_code` gave them."""
    lines = [each for each in texts_last(value.get("matches") or []) if not TEXT.search(each["file"])]
    if not lines:
        return [f"{NOTHING_FOUND}: no line of this project reads environment variables by the means that I know."]
    at_least = "at least " if value.get("more") else ""
    return [
        f"Environment variables are read or set in {at_least}{counted(len(lines), 'line')}:",
        *(f"- {text_line(each)}" for each in lines[:MAX_SHOWN]),
        *rest(len(lines) - MAX_SHOWN),
    ]
