"""Where a project reads and sets environment variables, or Java's system properties: the lines that do, by the ways of
the languages that are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.evidence import COMMENT, grep
from ragforge_memory.llm.extractive.code.members import texts_last
from ragforge_memory.llm.extractive.quoting.calls import Call
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line
from ragforge_memory.models.text import counted

MAX_SHOWN = 40
"""Lines that are listed."""

_ASSIGNED = r"\s*(?:\|\||\?\?|[+&.])?=(?![=~>])"
# An argument, where C's declarations have a type.
_GIVEN = r"(?!(?:const\s+)?char\b)[^\s)]"
_PROCESS = r"\bprocess\??\.env\b"
# Ruby's, and PHP's and Perl's by their own signs.
_ENV = r"(?<![\w.:$@])ENV|[$@]_?ENV"

SETS_ENVIRONMENT = (
    rf"\bos\.environ(?:\[[^\]]*\]{_ASSIGNED}|\.(?:update|setdefault|pop|clear)\()|\bdel os\.environ\b"
    rf"|{_PROCESS}(?:\.\w+|\[[^\]]*\]){_ASSIGNED}|\bdelete {_PROCESS}"
    rf"|(?i:\b(?:(?:un|re)?set|put)_?env\w*\s*\(\s*{_GIVEN}|\bclear_?env\w*\s*\()"
    r"|\benv::(?:set_var|remove_var)\b|\.env_(?:clear|remove)\(|\.envs?\(\s*(?:$|[^()]+,)|\.envs\("
    rf"|(?:{_ENV})(?:(?:\[[^\]]*\]|\{{[^}}]*\}}){_ASSIGNED}|\.(?:store|delete|update|merge!|replace|clear)\b)"
    r"|\bEnvironment\.SetEnvironmentVariable\(|\benv\.(?:set|delete)\(|\.environment\(\)\.(?:put|remove)"
    r"|^\s*export [A-Za-z_]\w*="
)
"""Lines that set a variable of the environment, for the process itself or for another that it starts."""

READS_ENVIRONMENT = (
    rf"\bos\.environ\b|(?i:\b\w*get_?env\w*\s*\(\s*{_GIVEN})|\bgetenv\(\)|{_PROCESS}|\bimport\.meta\.env\b|\b(?:Deno|Bun)\.env\b"
    r"|\bos\.(?:LookupEnv|Environ|ExpandEnv)\(|\benv::(?:vars?|var_os|vars_os)\b|\b(?:option_)?env!\("
    rf"|(?:{_ENV})(?:\[|\{{|\.\w)|\bEnvironment\.GetEnvironmentVariables?\(|\$_SERVER\[[\"'][A-Z_]+[\"']\]"
    r"|\.env\(\s*[^(),]+\)|\benv\s*=\s*\"[A-Z_]+\"|\bPlatform\.environment\b|\bprocessInfo\.environment\b"
)
"""Lines that read the environment in Python, JavaScript, Go, Rust, Ruby, C#, Java, PHP, C and C++."""

SETS_PROPERTY = r"\bSystem\.(?:set|clear)Propert(?:y|ies)\("
READS_PROPERTY = r"\bSystem\.getPropert(?:y|ies)\(|\b(?:Long\.getLong|Integer\.getInteger|Boolean\.getBoolean)\("

_PROPERTY = re.compile(r"\bpropert(?:y|ies)\b", re.I)
_SET = re.compile(r"\b(?:set|sets|setting|writes?|written|exports?|exported|chang\w+|modif\w+|pass(?:es|ed)?)\b", re.I)
_READ = re.compile(r"\b(?:reads?|used?|uses|needs?|needed|look(?:s|ed)?|accessed|supported|known|depends?)\b", re.I)
# What one can set is what the code reads.
_ONE_SETS = re.compile(r"\b(?:i|we|you|one|users?)\b.*\bset\b", re.I)


def environment_call(question: Question) -> Call:
    """Looks for such lines."""
    return grep("|".join(pattern for _, pattern in _wanted(question)))


def environment_lines(question: Question, value: Mapping[str, Any]) -> list[str]:
    """The lines of code that read what is asked for, then those that set it, tests last, as `grep_code` gave them."""
    what = "System properties" if _PROPERTY.search(question.text) else "Environment variables"
    lines = [
        each for each in texts_last(value.get("matches") or []) if not is_text(each) and not COMMENT.match(each["text"])
    ]
    answer: list[str] = []
    none: list[str] = []
    for done, pattern in _wanted(question):
        found = [each for each in lines if _does(done, pattern, question, each["text"])]
        if not found:
            none.append("reads" if done == "read" else "sets")
            continue
        at_least = "at least " if value.get("more") else ""
        answer += [f"{what} are {done} in {at_least}{counted(len(found), 'line')}:"]
        answer += [*(f"- {text_line(each)}" for each in found[:MAX_SHOWN]), *rest(len(found) - MAX_SHOWN), ""]
    if none:
        opening = "No" if answer else f"{NOTHING_FOUND}: no"
        answer.append(f"{opening} line of this project {' or '.join(none)} {what.lower()} by the means that I know.")
    return answer if answer[-1] else answer[:-1]


def _wanted(question: Question) -> list[tuple[str, str]]:
    """Whether what reads or what sets is asked for, or both, each with its pattern."""
    sets = bool(_SET.search(question.text))
    reads = bool(_READ.search(question.text)) or not sets or bool(_ONE_SETS.search(question.text))
    if _PROPERTY.search(question.text):
        both = (("read", READS_PROPERTY), ("set", SETS_PROPERTY))
    else:
        both = (("read", READS_ENVIRONMENT), ("set", SETS_ENVIRONMENT))
    return [each for each, asked in zip(both, (reads, sets), strict=True) if asked]


def _does(done: str, pattern: str, question: Question, text: str) -> bool:
    """Whether a line reads, or sets: what only assigns to a variable does not read it."""
    if done == "read" and not _PROPERTY.search(question.text):
        text = re.sub(SETS_ENVIRONMENT, " ", text)
    return bool(re.search(pattern, text))
