"""Taking secrets out of what is stored: a table of anchored patterns.

Each pattern names what it is anchored to (a vendor's prefix, a frame, an assignment), so that commit hashes, uuids
and plain code are left alone. The kind of the secret is left in its place: ``[redacted github token]``. Every
pattern is linear in the text: each begins with fixed characters, and nothing unbounded stands before them.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ragforge_memory.language.word_cache import split
from ragforge_memory.models.text import DEEPEST


class _Pattern(NamedTuple):
    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _pattern(kind: str, hints: str, text: str, flags: int = 0) -> _Pattern:
    return _Pattern(kind, tuple(hints.split()), re.compile(text, flags))


def _word(prefix: str) -> str:
    """``prefix`` at the beginning of a word. The look behind comes after it: searching for a literal is fast."""
    return rf"{prefix}(?<![A-Za-z0-9_-]{prefix})"


_ENDS = r"(?![A-Za-z0-9_-])"

# ``hints`` are pieces of text of which one must be there: looking for them first makes innocent text cheap.
_PATTERNS: tuple[_Pattern, ...] = (
    # A frame alone is code about keys; a key has base64 behind it, on lines or in string literals.
    _pattern(
        "private key",
        "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[\s\"'+]|\\[nr])*+"
        r"(?:[A-Za-z-]{1,40}: ?[^\n]*\n\s*+)*+[0-9A-Za-z+/=]{16,}[0-9A-Za-z+/=\s\\\"']*+"
        r"(?:-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    _pattern("aws key id", "AKIA ASIA ABIA ACCA", rf"{_word('A')}(?:KIA|SIA|BIA|CCA)[A-Z2-7]{{16}}{_ENDS}"),
    _pattern("google api key", "AIza", rf"{_word('AIza')}[0-9A-Za-z_-]{{35}}{_ENDS}"),
    _pattern("google api key", "AQ.Ab", rf"{_word('AQ[.]Ab')}[0-9A-Za-z_-]{{30,}}"),
    _pattern("google oauth token", "ya29.", rf"{_word('ya29[.]')}[0-9A-Za-z_-]{{20,}}"),
    _pattern("google client secret", "GOCSPX-", rf"{_word('GOCSPX-')}[0-9A-Za-z_-]{{28}}{_ENDS}"),
    _pattern("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_word('gh')}[pousr]_[0-9A-Za-z]{{36,255}}{_ENDS}"),
    _pattern("github token", "github_pat_", rf"{_word('github_pat_')}[0-9A-Za-z_]{{60,255}}{_ENDS}"),
    _pattern(
        "gitlab token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat-",
        rf"{_word('gl')}(?:pat|ptt|dt|rt|cbt|soat)-[0-9A-Za-z_.-]{{20,}}",
    ),
    _pattern("anthropic key", "sk-ant-", rf"{_word('sk-ant-')}[0-9A-Za-z_-]{{20,}}"),
    # With a prefix of the vendor's, else one run of letters and digits: words with hyphens are names.
    _pattern("openai key", "sk-", rf"{_word('sk-')}(?:proj|svcacct|admin|or-v1)-[0-9A-Za-z_-]{{20,}}"),
    _pattern("openai key", "sk-", rf"{_word('sk-')}(?=[A-Za-z]*[0-9])[0-9A-Za-z]{{32,}}{_ENDS}"),
    _pattern(
        "api key",
        "gsk_ xai- pplx- r8_",
        rf"(?<![A-Za-z0-9_-])(?:gsk_[0-9A-Za-z]{{50,60}}|xai-[0-9A-Za-z]{{70,90}}|pplx-[0-9A-Za-z]{{40,60}}|r8_[0-9A-Za-z]{{37}}){_ENDS}",
    ),
    _pattern("hugging face token", "hf_", rf"{_word('hf_')}[0-9A-Za-z]{{34}}{_ENDS}"),
    _pattern(
        "slack token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-",
        rf"{_word('xox')}[abeoprs]-(?=[A-Za-z-]*[0-9])[0-9A-Za-z-]{{10,}}",
    ),
    _pattern("slack app token", "xapp-", rf"{_word('xapp-')}\d-[0-9A-Za-z-]{{20,}}"),
    _pattern(
        "slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/+_-]{20,}"
    ),
    _pattern(
        "discord webhook", "/api/webhooks/", r"https://discord(?:app)?\.com/api/webhooks/\d{10,}/[0-9A-Za-z_-]{30,}"
    ),
    _pattern(
        "stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
        rf"(?<![A-Za-z0-9_-])(?:(?:sk|rk)_(?:live|test)_|whsec_)[0-9A-Za-z]{{24,}}{_ENDS}",
    ),
    _pattern("twilio key", "SK", rf"{_word('SK')}[0-9a-f]{{32}}{_ENDS}"),
    _pattern("sendgrid key", "SG.", rf"{_word('SG[.]')}[0-9A-Za-z_-]{{20,40}}\.[0-9A-Za-z_-]{{40,}}"),
    _pattern("npm token", "npm_", rf"{_word('npm_')}[0-9A-Za-z]{{36}}{_ENDS}"),
    _pattern("pypi token", "pypi-AgE", rf"{_word('pypi-AgE')}[0-9A-Za-z_-]{{50,}}"),
    _pattern("docker token", "dckr_pat_", rf"{_word('dckr_pat_')}[0-9A-Za-z_-]{{20,}}"),
    _pattern("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", rf"{_word('do')}[opr]_v1_[0-9a-f]{{64}}{_ENDS}"),
    _pattern("databricks token", "dapi", rf"{_word('dapi')}[0-9a-f]{{32}}(?:-\d)?{_ENDS}"),
    _pattern("telegram token", ":AA", rf"(?<![A-Za-z0-9_-])\d{{8,10}}:AA[0-9A-Za-z_-]{{33}}{_ENDS}"),
    _pattern(
        "json web token",
        ".eyJ",
        rf"{_word('eyJ')}[0-9A-Za-z_-]{{10,}}\.eyJ[0-9A-Za-z_-]{{10,}}\.[0-9A-Za-z_-]{{10,}}",
    ),
    _pattern("azure account key", "AccountKey=", r"(?<=AccountKey=)[0-9A-Za-z+/]{60,}={0,2}"),
    # `user:password@` and its like are examples; `%s`, `$X` and `{x}` are filled in elsewhere.
    _pattern(
        "password",
        "://",
        r"(?<=://)([^\s:/@'\"<>{}$]{0,100}):"
        r"(?!(?:pass|passwd|password|pwd|pw|secret|x+|\*+|\.{3}|%\w|%\(\w+\)s)@|\$)"
        r"([^\s/@'\"<>{}]{1,200})(?=@[\w.\[-])",
        re.I,
    ),
    _pattern("bearer token", "earer ", r"(?<=[Bb]earer )(?=[A-Za-z._~+/-]*[0-9])[0-9A-Za-z._~+/-]{20,}={0,2}"),
)

# An assignment of a literal, as code, JSON and YAML write it, to a name that ends in one of these. What is looked for
# is the literal: the name before it is looked at afterwards, which is several times faster.
_LITERAL = re.compile(
    r"[:=]>?[ \t]{0,20}[rbu]?([\"'])((?=[^\"'\s]{0,200}\d)(?=[^\"'\s]{0,200}[A-Za-z])[^\"'\s{}<>$()%]{8,500})\1", re.I
)
_KEY_NAMES = (
    r"secret(?:[_-]?(?:access[_-]?)?key)?|(?<!publickey)token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key"
)
_PASSWORD_NAMES = r"password|passwd|passphrase|pwd"
_BEFORE = r"(?:[_-]?(?:value|base64|hex|str))?\d{0,2}[\"']?[ \t]{0,20}[:=]?$"
_KEY_BEFORE = re.compile(rf"(?:{_KEY_NAMES}){_BEFORE}", re.I)
_PASSWORD_BEFORE = re.compile(rf"(?:{_PASSWORD_NAMES}){_BEFORE}", re.I)
_NAME_REACH = 60
# A password may be anything with a letter and a digit. A key is no words, version, path or address.
_WORDS = re.compile(r"(?:v?\d{1,3}|[A-Za-z]+\d{0,2})(?:[-_.:](?:v?\d{1,3}|[A-Za-z]+\d{0,2}))*+$|\w{1,12}:/|[./~]")
# What a shell takes without quotes: in a .env file, a script, or anywhere in a command.
_ENVIRONMENT = _pattern(
    "secret",
    "SECRET= TOKEN= PASSWORD= PASSWD= _KEY=",
    r"(?P<name>(?<![A-Za-z0-9])(?:SECRET(?:_KEY|_ACCESS_KEY)?|TOKEN|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|PRIVATE_KEY)=)"
    r"(?P<value>(?!\w{1,12}:/|[./~])(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])[^\s\"'`${}<>()%]{8,500})"
    r"(?=[\s\"'`]|$)",
)
# The last value of a line without quotes, as YAML has it, and the argument of an option. The look at its end comes
# last: what is called, indexed or assigned there is code. A type is written in capitals, with digits in the middle.
_PLAIN = (
    r"(?=[^\s]{0,200}\d)(?=[^\s]{0,200}[A-Za-z])(?![A-Z][a-z]+\d{0,3}(?:[A-Z]\w*)?(?:\s|\Z))"
    r"[^\s\"'`${}<>()\[\]%,;|&=*]{8,200}"
)
_YAML = re.compile(rf":[ \t]{{1,20}}({_PLAIN})(?=[ \t\r]{{0,20}}(?:\n|\Z))")
_UNQUOTED = re.compile(rf"=({_PLAIN})(?=[\s&;\"'`]|\Z)")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_ARGUMENT = re.compile(r"(?:\s*\d+: )?[ \t]+(?:[^\n]*,[ \t]*)?[\w-]+\Z")
_LINE_REACH = 200
_OPTION = re.compile(
    rf"--[a-z-]{{0,30}}(?:password|passwd|token|secret|secret-key|api-key|access-key)[ =]({_PLAIN})(?=\s|\Z)"
)

_TABLE = (*_PATTERNS, _ENVIRONMENT)
_HINTS = tuple(dict.fromkeys(hint for each in _TABLE for hint in each.hints))
# A frame, an address with a password and what follows "Bearer" are looked for everywhere. All other secrets have their
# hint in one word with the rest of them, and none such has fewer characters than a line ``TOKEN=`` with a value of 8.
_ANYWHERE = ("PRIVATE", "://", "earer ")
_IN_WORDS = tuple(hint for hint in _HINTS if hint not in _ANYWHERE)
_SHORTEST = 14


def redact(text: str) -> str:
    """``text`` with every secret that a pattern knows replaced by ``[redacted KIND]``; linear in its length."""
    # Nearly all text has none of them: to see that costs less than to go through the table.
    for kind, hints, pattern in _TABLE if _suspicious(text) else ():
        if any(hint in text for hint in hints):
            text = pattern.sub(lambda match, kind=kind: _replacement(match, kind), text)  # type: ignore[misc]
    if "--" in text:
        text = _OPTION.sub(_optional, text)
    if ": " in text or ":\t" in text:
        text = _YAML.sub(_plain, text)
    if "=" in text:
        text = _UNQUOTED.sub(_unquoted, text)
    return _LITERAL.sub(_assigned, text) if "=" in text or ":" in text else text


def _suspicious(text: str) -> bool:
    """Whether a pattern of the table may match; most words are too short for that and are not looked into."""
    for hint in _ANYWHERE:
        if hint in text:
            return True
    words = " ".join([word for word in split(text)[1] if len(word) >= _SHORTEST])
    return bool(words and [hint for hint in _IN_WORDS if hint in words])


def redact_value(value: Any, *, levels: int = DEEPEST) -> Any:
    """A JSON value with every string in it redacted, a key's value under a name like ``api_key`` too; names stay.

    What is below so many ``levels`` becomes JSON in a text: Python itself comes to the bottom of a few hundred alone.
    """
    if isinstance(value, str):
        return redact(value)
    if levels == 0 and isinstance(value, (dict, list, tuple)):
        return redact(_as_text(value))
    if isinstance(value, dict):
        return {key: _under(key, item, levels - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact_value(item, levels=levels - 1) for item in value]
    return value


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply)"


def _under(name: Any, value: Any, levels: int) -> Any:
    """A value under its name: what makes it a secret may be the name alone."""
    clean = redact_value(value, levels=levels)
    if clean == value and isinstance(name, str) and isinstance(value, str) and _LITERAL.fullmatch(f'="{value}"'):
        return "[redacted secret]" if _names_secret(name, len(name), value) else value
    return clean


def _assigned(match: re.Match[str]) -> str:
    if not _names_secret(match.string, match.start(), match[2]):
        return match[0]
    head = match.start(2) - match.start()
    return f"{match[0][:head]}[redacted secret]{match[1]}"


def _plain(match: re.Match[str]) -> str:
    named = _names_secret(match.string, match.start(), match[1])
    return _optional(match) if named else match[0]


def _unquoted(match: re.Match[str]) -> str:
    """The mark for a value as a shell and connection strings write it; what code gives to a function stays."""
    named = _names_secret(match.string, match.start(), match[1]) and not _ATTRIBUTE.match(match[1])
    return _optional(match) if named and not _is_argument(match.string, match.start()) else match[0]


def _is_argument(text: str, end: int) -> bool:
    """Whether the name that ends there is a parameter's: behind an open bracket, or on an indented line of its own."""
    begin = max(0, end - _LINE_REACH, text.rfind("\n", 0, end) + 1)
    before = text[begin:end]
    if _ARGUMENT.match(before):
        return True
    opened = sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))
    quoted = sum(map(before.count, "\"'`")) % 2 == 1
    return opened and not quoted


def _optional(match: re.Match[str]) -> str:
    """The mark for a value without quotes, which may be a name: words are left alone here, passwords included."""
    if _WORDS.match(match[1]):
        return match[0]
    return f"{match[0][: match.start(1) - match.start()]}[redacted secret]"


def _names_secret(text: str, end: int, value: str) -> bool:
    """Whether the name that ends there in ``text`` makes ``value`` a secret."""
    start = max(0, end - _NAME_REACH)
    if _PASSWORD_BEFORE.search(text, start, end):
        return True
    return bool(_KEY_BEFORE.search(text, start, end)) and not _WORDS.match(value)


def _replacement(match: re.Match[str], kind: str) -> str:
    mark = f"[redacted {kind}]"
    if "name" in match.groupdict():
        named = _names_secret(match.string, match.end("name"), match["value"].rstrip(",;"))
        return match["name"] + mark if named else match[0]
    if kind == "password":
        return f"{match.group(1)}:{mark}"
    return mark
