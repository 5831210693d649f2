"""What logs in at another machine: headers of requests, addresses with a password, commands, files for them."""

from __future__ import annotations

import re

from ragforge_memory.redaction.values import is_credential, is_quoted_secret, stands_for_another

# `user:password@` and its like are examples; `%s`, `$X` and `{x}` are filled in elsewhere. A password may have `@` in
# it, and `/` where no port stands.
_ADDRESS = re.compile(
    r"://([^\s:/'\"<>{}$`\\]{0,255}):"
    r"(?!(?:pass|passwd|password|pwd|pw|secret|x+|\*+|\.{3}|…|%\w|%\(\w+\)s)@|\$|\[redacted|\d{1,5}(?:[/?#\s]|\Z))"
    r"(?:[^\s/'\"<>{}`\\]{1,300}|[^\s'\"<>{}`\\@:]{1,100}?)(?=@[\w.\[-])",
    re.I,
)
_TOKEN_ADDRESS = re.compile(r"://(?=[A-Za-z_-]{0,200}\d)(?=[\d_-]{0,200}[A-Za-z])([0-9A-Za-z_-]{16,255})(?=@[\w.\[-])")
# The way of logging in, if one stands there, and what logs in; code has no quotes behind its `=`.
_HEADER = re.compile(
    r"([Aa]uthorization\\{0,8}[\"'`]?[ \t]{0,8}(?::|(?:=>?|,|\]=)(?=[ \t]{0,8}\\{0,8}[\"']))"
    r"[ \t]{0,8}\\{0,8}[\"'`]?[ \t]{0,8})"
    r"((?:[a-z][\w-]{0,30}[ \t]{0,8}(?:\r?\n)?[ \t]{1,8})?)([^\s\"'`\\,;]{8,4000})",
    re.I,
)
_WAYS = re.compile(r"(?:basic|bearer|token|api-?key|key|negotiate|ntlm|ssws|geniekey|dpop)\s+\Z", re.I)
_BEARER = re.compile(r"([Bb]earer[ \t]{1,8})(?=[A-Za-z._~+/-]{0,400}[0-9])([0-9A-Za-z._~+/-]{20,}={0,2})", re.I)
_COOKIES = re.compile(
    r"([Cc]ookie\\{0,8}[\"'`]?[ \t]{0,8}:[ \t]{0,8}\\{0,8}[\"'`]?)"
    r"([^\s=;,\"'`\\]{1,100}=[^\n\"'`\\]{8,8000})",
    re.I,
)
_COOKIE = re.compile(
    r"(?<![^\s;])(?!(?:path|domain|expires|max-age|samesite)=)([^\s=;,]{1,100}=)([^\s;,]{8,4000})", re.I
)
# What a client is told for each machine.
_NETRC = re.compile(
    r"(machine\s{1,8}\S{1,255}\s{1,40}login\s{1,8}\S{1,255}\s{1,40}"
    r"(?:account\s{1,8}\S{1,255}\s{1,40})?password\s{1,8})(\S{1,255})"
)
# Up to the next command: nothing is looked at twice.
_CURL = re.compile(
    r"((?:curl|wget)[ \t](?:(?:[^\n|;&cw]|c(?!url)|w(?!get)){0,400}?[ \t])?"
    r"(?:-u|--user|--proxy-user|-U)[ =]{0,4}[\"']?[^\s:\"'/]{0,100}:)([^\s\"'`]{3,300})"
)
_SSHPASS = re.compile(r"(sshpass[ \t]{1,8}-p[ \t]{0,4}[\"']?)([^\s\"'`]{3,300})")
_MYSQL = re.compile(
    r"((?:mysql|mysqldump|mysqladmin|mariadb)[ \t](?:(?:[^\n|;&m]|m(?!ysql|ariadb)){0,200}?[ \t])?"
    r"-p[\"']?)([^\s\"'`]{4,300})"
)
_COMMANDS = (("curl", _CURL), ("wget", _CURL), ("sshpass", _SSHPASS), ("mysql", _MYSQL), ("mariadb", _MYSQL))


def without_logins(text: str) -> str:
    """``text`` with marks in the places of what logs in somewhere."""
    if "://" in text:
        text = _TOKEN_ADDRESS.sub(_token_address, _ADDRESS.sub(r"://\1:[redacted password]", text))
    lowered = text.lower()
    if "authorization" in lowered:
        text = _HEADER.sub(_header, text)
    if "bearer" in lowered:
        text = _BEARER.sub(r"\1[redacted bearer token]", text)
    if "cookie" in lowered:
        text = _COOKIES.sub(_cookies, text)
    if "machine" in lowered and "password" in lowered:
        text = _NETRC.sub(_password, text)
    for command, pattern in _COMMANDS:
        if command in text:
            text = pattern.sub(_password, text)
    return text


def _token_address(match: re.Match[str]) -> str:
    return "://[redacted token]" if is_quoted_secret("token", match[1]) else match[0]


def _header(match: re.Match[str]) -> str:
    if not is_credential(match[3], known=_WAYS.match(match[2]) is not None):
        return match[0]
    mark = "bearer token" if match[2].strip().lower() == "bearer" else "credential"
    return f"{match[1]}{match[2]}[redacted {mark}]"


def _cookies(match: re.Match[str]) -> str:
    return match[1] + _COOKIE.sub(lambda each: each[1] + (_cookie(each[2])), match[2])


def _cookie(value: str) -> str:
    return "[redacted cookie]" if is_credential(value) else value


def _password(match: re.Match[str]) -> str:
    """The mark for a password, unless it only stands for one, or is a group's number."""
    value = match[2]
    return match[0] if value.isdigit() or stands_for_another(value) else f"{match[1]}[redacted password]"
