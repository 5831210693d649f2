"""Judges of what a pattern found: a value that only stands for a secret, or is code or words, is none."""

from __future__ import annotations

import base64
import re

# What a name says of its value, by how it ends. A `token` may be a parser's too, and a `login` is a secret if it is a
# user and a password in base64.
_KINDS = r"""
(?P<password>pass(?:word|wd|phrase|wort)|pwd|(?:db|user|smtp|mail|ftp|redis|pg|mysql|root|admin)~pass)
|(?P<key>secret(?:~access)?(?:~key(?:~base)?)?|credentials?|(?:auth|access|refresh|id|api|session|bearer|security)~token
|(?:api|access|auth|private|encryption|signing|master|account)~key)|(?P<token>(?<!publickey)token)|(?P<login>auth)
"""
_NAME = rf"(?:{_KINDS})(?:~(?:value|base64|hex|str))?\d*".replace("\n", "").replace("~", "[_ -]?")
_BY_NAME = re.compile(rf"{_NAME}\Z", re.I)
NAME = re.sub("P<[a-z]+>", ":", _NAME)
"""The end of a name that makes its value a secret, as a pattern for any case."""
NAMED = re.compile("pass|pwd|secret|key|token|credential|auth")
"""One of these is in every such name, in small letters."""
_REACH = 200

# Nothing, words that say that something is there, and names themselves.
_STANDS_FOR_ONE = re.compile(
    r"(?:(.)\1*|none|nil|null|true|false|undefined|required|optional|string|str|text|bytes?|char|varchar|object|any"
    r"|hidden|masked|empty|invalid|incorrect|wrong|missing|change[-_ ]?me|prompt|default|example|placeholder"
    r"|(?:[\w. -]{0,60}[-_. ])?(?:my)?(?:pass|passwd|password|passphrase|pwd|pw|secret|token|key|credentials?)"
    r"(?:[-_ ]?here)?)\Z",
    re.I,
)
# A path or an address, though base64 may begin like one; what is filled in elsewhere: `$X`, `${x}`, `{{ x }}`, `{x}`,
# `%(x)s`, `%X%`, `<x>`; and a mark.
_TEMPLATE = re.compile(
    r"\A(?:\w{1,12}:/|[A-Za-z]:\\|[.~]{0,2}/(?![A-Za-z0-9+/]{39}\Z)|\$[A-Za-z_({]|%\w{1,60}%|\[redacted(?: |\Z))|[$#]\{"
    r"|\$\(|\{\{|\{[\w.:!]{0,40}\}|<[\w .:/-]{1,60}>|%\(|%[sdrv](?!\w)|\.\.\.|…"
)
_WORDS = re.compile(r"(?:v?\d{1,3}|[A-Za-z]+\d{0,2})(?:[-_.:](?:v?\d{1,3}|[A-Za-z]+\d{0,2}))*+\Z")
_CODE = re.compile(r"[\w.:>-]+[(\[{<].*[)\]>},;:]\Z|.*[(\[{,;\\]\Z|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+\Z", re.S)
# A type, or what encodings, hashes and their like are called.
_KNOWN_NAME = re.compile(
    r"[A-Z][a-z]+\d{0,3}[A-Z]\w*\Z"
    r"|(?i:u?int|float|str|char|bytes|utf|base|sha|md|argon|oauth|pkcs|pbkdf|blake|ed|crc|aes|http|ipv|vec|line)-?\d\w*\Z"
)
_EXPRESSION = re.compile(r"[A-Za-z]\w*\Z|[A-Za-z]*\d{0,4}(?:(?:_|[-*+/|%&<>=]{1,2})(?:[A-Za-z]+\d{0,4}|\d{1,4}))+\Z")
_ARGUMENT = re.compile(r"(?:\s*\d+: )?[ \t]+(?:[^\n]*,[ \t]*)?[\w-]+\Z")
# Behind a value: more of an expression, or a sentence; around its name: a bracket that is not a call's.
_GOES_ON = re.compile(r"[ \t]*[=|&+*/?<>-]|[,;]\s*\Z")
_PROSE = re.compile(r"[.!?]{1,3}(?:\s|\Z)|[ \t]+(?!(?:if|or|and|else|as|in|is|not)\b)[A-Za-z]{2,}\b(?![ \t]*[(=.])")
_ASIDE = re.compile(r"(?:\A|\s)\([^()]*\Z")
_OF_A_KEY = re.compile(r"[\w+/=.~:-]+\Z")
_STRONG_SIGN = re.compile(r".[!@#$%^&].", re.S)
_DIGITS = re.compile(r"[0-9]+")
_MIXED = re.compile(rf"(?!{_WORDS.pattern})(?=[^0-9]*[0-9])[^A-Za-z]*[A-Za-z]")
COOKIE = re.compile(r"=([^\s;,]{8,4000})")
_WAYS = re.compile(r"(?:basic|bearer|token|api-?key|key|negotiate|ntlm|ssws|geniekey|dpop)\s+\Z", re.I)


def credential(match: re.Match[str]) -> bool:
    """Whether what stands in a header or an address logs in; some ways to do so have names."""
    return logs_in(match["secret"], known=_WAYS.match(match.groupdict().get("way") or "") is not None)


def cookies(match: re.Match[str]) -> bool:
    """Whether one of the cookies in a header logs in."""
    return any(map(logs_in, COOKIE.findall(match["secret"])))


def password(match: re.Match[str]) -> bool:
    """Whether an argument is a password: one may only stand for it, or be a group's number."""
    return not match["secret"].isdigit() and not stands_for_another(match["secret"])


def alone(match: re.Match[str]) -> bool:
    """Whether a value that is all there is behind a name in its line is a secret."""
    name, value, sign = match["name"].rstrip("\\\"'`*"), match["secret"], match["sep"]
    kind = kind_of(name)
    if kind is None or kind == "login":
        return kind is not None and _is_login(value)
    shell = sign == "=" and match["name"].isupper()
    if _is_other(value) or (not shell and _KNOWN_NAME.match(value)) or value[0] in "&*!@|>%(<[{`":
        return False
    digits = len(_DIGITS.findall(value))
    # Code has spaces around its sign, or before the name of an argument.
    indented = bool(match["indent"]) and not match["sign"].strip(" \t/#")
    spaced = indented or (sign != "=" and (digits < 2 or not value.isalnum()))
    if not shell and "=" in sign and spaced and _EXPRESSION.match(value):
        return digits >= 3 and len(value) >= 16
    if kind != "password":
        return _is_key(value) or (name.lower().endswith("secret") and digits > 0 and bool(_STRONG_SIGN.search(value)))
    if shell:
        return len(value) >= 5 and (digits > 0 or len(value) >= 8)
    return len(value) >= 6 and bool(_STRONG_SIGN.search(value) or (digits and not _WORDS.match(value)))


def inside(match: re.Match[str]) -> bool:
    """Whether its name makes a literal, or a value without quotes in a line with other things, a secret."""
    kind, value, sign = kind_of(match["name"]), match["secret"], match["sep"]
    if kind is None:
        return False
    if (match["quote"] and not match["is"]) or sign == ">":
        shells = sign == "=" and match["name"].isupper() and kind != "token" and _DIGITS.search(value)
        is_one = bool(shells or not re.search(r"\s", value))
        return is_one and _is_literal(kind, value, data=match["close"][-1:] in ("'", '"'))
    digits, words = len(_DIGITS.findall(value)), _WORDS.match(value)
    before, behind = match.string[: match.end("name")], match.string[match.end() :]
    # In a shell, a query or a sentence with "is" a value is seldom the name of a type, though it looks like one.
    quoted = sign == "=" and (match["name"].isupper() or behind[:1] in ("&", ";", "'", '"'))
    random = digits > 1 if match["is"] else quoted and digits > 0
    if kind == "login" or "==" in sign or _is_other(value) or (not random and _KNOWN_NAME.match(value)):
        return False
    if not sign.strip():
        strong = _is_key(value) or (digits and _STRONG_SIGN.search(value))
        return bool((match["is"] or match["option"]) and strong and not value.isupper())
    if _is_argument(before) and not _ASIDE.search(before[-_REACH:]):
        return False
    # What follows a value in code is not a word; so many runs of digits are no code.
    goes_on = _GOES_ON.match(behind) or ("=" in sign.strip() != sign and not _PROSE.match(behind))
    if digits < 3 and sign != "=" and goes_on:
        return False
    if value.isdigit():
        return kind == "password" and len(value) >= 6
    if kind != "password" and not match["name"].lower().endswith("secret"):
        return digits > 0 and len(value) >= 6 and not words
    if digits:
        return not words or value.isalnum()
    return _STRONG_SIGN.search(value) is not None and not _EXPRESSION.match(value)


def kind_of(name: str) -> str | None:
    """What a name says of its value; None: nothing."""
    return found.lastgroup if (found := _BY_NAME.search(name[-_REACH:])) else None


def names_a_secret(kind: str, value: str) -> bool:
    """Whether the value of a dict's key is a secret: any text is, that stands for no other."""
    if kind in ("login", "token"):
        return not re.search(r"\s", value) and _is_literal(kind, value)
    return bool(value.strip()) and not stands_for_another(value)


def stands_for_another(value: str) -> bool:
    """Whether a value is a name for one, says that there is one or where, or is filled in elsewhere."""
    return bool(_STANDS_FOR_ONE.match(value) or _TEMPLATE.search(value[:300]))


def _is_literal(kind: str, value: str, *, data: bool = False) -> bool:
    """Whether a literal is a secret; ``data``: its name is quoted too, as in JSON."""
    if kind == "login" or stands_for_another(value):
        return kind == "login" and _is_login(value)
    if kind != "password":
        return _is_key(value)
    # A label is a word, and may be a capitalised one.
    strong = _STRONG_SIGN.search(value) or (data and not value.istitle())
    return bool(_DIGITS.search(value) or (len(value) >= 8 and value.isascii() and strong))


def logs_in(value: str, *, known: bool = False) -> bool:
    """Whether a value is a login or a key; ``known``: it is called one, so that letters beside digits are enough."""
    return not _is_other(value) and (_is_login(value) or _is_key(value) or (known and bool(_MIXED.match(value))))


def _is_other(value: str) -> bool:
    return stands_for_another(value) or _CODE.match(value) is not None


def _is_argument(before: str) -> bool:
    """Whether the name that ends there is a parameter's: behind an open bracket, or on an indented line of its own."""
    before = before[-_REACH:]
    opened = sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))
    return _ARGUMENT.match(before) is not None or (opened and sum(map(before.count, "\"'`")) % 2 == 0)


def _is_login(value: str) -> bool:
    """Whether it is a user and a password in base64."""
    try:
        user, colon, word = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(colon and word) and f"{user}{word}".isprintable() and not stands_for_another(word)


def _is_key(value: str) -> bool:
    """Whether letters and digits are mixed in it, and no words; with signs that keys seldom have it must be longer."""
    return bool(_MIXED.match(value)) and (len(value) >= 16 or (len(value) >= 8 and bool(_OF_A_KEY.match(value))))
