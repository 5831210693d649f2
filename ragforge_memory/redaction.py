"""Taking secrets out of what is stored: a table of anchored patterns.

Each pattern names what it is anchored to (a vendor's prefix, a frame, an assignment), so that commit hashes, uuids
and plain code are left alone. The kind of the secret is left in its place: ``[redacted github token]``.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple


class _Pattern(NamedTuple):
    kind: str
    hint: str
    pattern: re.Pattern[str]


def _pattern(kind: str, hint: str, text: str, flags: int = 0) -> _Pattern:
    return _Pattern(kind, hint, re.compile(text, flags))


_NOT_IN_WORD = r"(?<![A-Za-z0-9_-])"
_ENDS = r"(?![A-Za-z0-9_-])"

# ``hint`` is a piece of text without which the pattern cannot match: looking for it first makes innocent text cheap.
_PATTERNS: tuple[_Pattern, ...] = (
    _pattern(
        "private key",
        "PRIVATE KEY",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
        re.S,
    ),
    _pattern("aws key id", "A", rf"{_NOT_IN_WORD}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{_ENDS}"),
    _pattern("google api key", "AIza", rf"{_NOT_IN_WORD}AIza[0-9A-Za-z_-]{{35}}{_ENDS}"),
    _pattern("google oauth token", "ya29.", rf"{_NOT_IN_WORD}ya29\.[0-9A-Za-z_-]{{20,}}"),
    _pattern("github token", "gh", rf"{_NOT_IN_WORD}gh[pousr]_[0-9A-Za-z]{{36,255}}{_ENDS}"),
    _pattern("github token", "github_pat_", rf"{_NOT_IN_WORD}github_pat_[0-9A-Za-z_]{{60,255}}{_ENDS}"),
    _pattern("gitlab token", "gl", rf"{_NOT_IN_WORD}gl(?:pat|ptt|dt|rt|cbt|soat)-[0-9A-Za-z_.-]{{20,}}"),
    _pattern("anthropic key", "sk-ant-", rf"{_NOT_IN_WORD}sk-ant-[0-9A-Za-z_-]{{20,}}"),
    _pattern(
        "openai key", "sk-", rf"{_NOT_IN_WORD}sk-(?:proj-|svcacct-|admin-)?[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]{{24,}}"
    ),
    _pattern("hugging face token", "hf_", rf"{_NOT_IN_WORD}hf_[A-Za-z]{{34}}{_ENDS}"),
    _pattern("slack token", "xox", rf"{_NOT_IN_WORD}xox[abeoprs]-[0-9A-Za-z-]{{10,}}"),
    _pattern("slack app token", "xapp-", rf"{_NOT_IN_WORD}xapp-\d-[0-9A-Za-z-]{{20,}}"),
    _pattern(
        "slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/+_-]{20,}"
    ),
    _pattern("stripe key", "_", rf"{_NOT_IN_WORD}(?:sk|rk|whsec)_(?:live_|test_)?[0-9A-Za-z]{{24,}}{_ENDS}"),
    _pattern("twilio key", "SK", rf"{_NOT_IN_WORD}SK[0-9a-f]{{32}}{_ENDS}"),
    _pattern("sendgrid key", "SG.", rf"{_NOT_IN_WORD}SG\.[0-9A-Za-z_-]{{20,}}\.[0-9A-Za-z_-]{{40,}}"),
    _pattern("npm token", "npm_", rf"{_NOT_IN_WORD}npm_[0-9A-Za-z]{{36}}{_ENDS}"),
    _pattern("pypi token", "pypi-", rf"{_NOT_IN_WORD}pypi-AgE[0-9A-Za-z_-]{{50,}}"),
    _pattern("docker token", "dckr_pat_", rf"{_NOT_IN_WORD}dckr_pat_[0-9A-Za-z_-]{{20,}}"),
    _pattern("digitalocean token", "_v1_", rf"{_NOT_IN_WORD}do[opr]_v1_[0-9a-f]{{64}}{_ENDS}"),
    _pattern("databricks token", "dapi", rf"{_NOT_IN_WORD}dapi[0-9a-f]{{32}}(?:-\d)?{_ENDS}"),
    _pattern("telegram token", ":AA", rf"{_NOT_IN_WORD}\d{{8,10}}:AA[0-9A-Za-z_-]{{33}}{_ENDS}"),
    _pattern(
        "json web token",
        "eyJ",
        rf"{_NOT_IN_WORD}eyJ[0-9A-Za-z_-]{{10,}}\.eyJ[0-9A-Za-z_-]{{10,}}\.[0-9A-Za-z_-]{{10,}}",
    ),
    _pattern("azure account key", "AccountKey=", r"(?<=AccountKey=)[0-9A-Za-z+/]{60,}={0,2}"),
    _pattern("password", "://", r"(?<=://)([^\s:/@'\"<>{}$]*):(?!\$|\{|<)([^\s/@'\"<>{}]+)(?=@[\w.\[-])"),
    _pattern("bearer token", "earer ", r"(?<=[Bb]earer )[0-9A-Za-z._~+/-]{20,}={0,2}"),
    # An assignment of a literal: quoted, or a bare value in a dotenv line. It must look like a key, not like a word.
    _pattern(
        "secret",
        "",
        r"""(?ix)
        (?P<name>\b[\w.-]*(?:secret|token|passw(?:or)?d|pwd|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key)[\w-]*
        ["']?\s*(?::=|=>|=|:)\s*)
        (?P<quote>["'])(?P<value>(?=[^"'\s]*\d)(?=[^"'\s]*[A-Za-z])[^"'\s{}<>$()]{8,})(?P=quote)""",
    ),
    _pattern(
        "secret",
        "",
        r"(?m)^(?P<name>(?:export\s+)?[A-Z][A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]*=)"
        r"(?P<value>(?=\S*\d)(?=\S*[A-Za-z])[^\s\"'${}<>()]{8,})$",
    ),
)


def redact(text: str) -> str:
    """``text`` with every secret that a pattern knows replaced by ``[redacted KIND]``."""
    for kind, hint, pattern in _PATTERNS:
        if hint in text:
            text = pattern.sub(lambda match, kind=kind: _replacement(match, kind), text)  # type: ignore[misc]
    return text


def redact_value(value: Any) -> Any:
    """A JSON value with every string in it redacted; keys stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redact_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item) for item in value]
    return value


def _replacement(match: re.Match[str], kind: str) -> str:
    mark = f"[redacted {kind}]"
    groups = match.groupdict()
    if "value" in groups:
        quote = groups.get("quote") or ""
        return f"{groups['name']}{quote}{mark}{quote}"
    if kind == "password":
        return f"{match.group(1)}:{mark}"
    return mark
