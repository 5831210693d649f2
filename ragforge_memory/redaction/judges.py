"""Judges of what a pattern found: a value that only stands for a secret, or is code or words, is none."""

from __future__ import annotations

import base64
import re
from typing import Literal

Kind = Literal["password", "key", "token", "directory", "login"]
"""What a name says of its value. A ``token`` may be a parser's too, a ``directory`` (``pwd``) is one or a password, and
a ``login`` (``auth``) is one if it is so encoded."""

_KINDS: dict[Kind, str] = {
    "password": "password passwd passphrase passwort dbpass userpass smtppass mailpass ftppass redispass pgpass"
    " mysqlpass rootpass adminpass",
    "directory": "pwd",
    "key": "secret secretkey secretaccesskey secretkeybase apikey accesskey authkey privatekey encryptionkey signingkey"
    " masterkey accountkey credential credentials authtoken accesstoken refreshtoken idtoken apitoken sessiontoken"
    " bearertoken securitytoken",
    "token": "token",
    "login": "auth",
}
_OF_NAME = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_ENDS = tuple(_OF_NAME)
_LONGEST = max(map(len, _ENDS))
_NO_SECRETS = ("publickeytoken",)
_SUFFIXES = ("value", "base64", "hex", "str")
_REACH = 60
_LINE_REACH = 200

PARTS = ("passw", "passphrase", "pwd", "pass", "secret", "token", "key", "credential", "auth")
"""One of these is in every name that has a kind, in small letters."""

NAMED = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|(?:pi|ss|th|te|on|ng|er|nt)[_-]? ?key"
    r"|(?:db|er|tp|il|is|pg|ql|ot|in)[_-]?pass|auth[\\\"']{0,9} {0,9}[:=]"
)
"""Where such a name may be: most of what has one of the parts is passed over."""

# Nothing, words that say that something is there, and names themselves.
_STANDS_FOR_ONE = re.compile(
    r"(?:(.)\1*|none|nil|null|true|false|undefined|required|optional|string|str|text|bytes?|char|varchar|object|any"
    r"|hidden|masked|empty|invalid|incorrect|wrong|missing|change[-_ ]?me|prompt|default|example|placeholder"
    r"|(?:[\w. -]{0,60}[-_. ])?(?:my)?(?:pass|passwd|password|passphrase|pwd|pw|secret|token|key|credentials?)"
    r"(?:[-_ ]?here)?)\Z",
    re.I,
)
# What is filled in elsewhere: `$X`, `${x}`, `{{ x }}`, `{x}`, `%(x)s`, `%X%`, `<x>`; and a mark.
_TEMPLATE = re.compile(
    r"\A\$[A-Za-z_({]|\A%\w{1,60}%|\A\[redacted(?: |\Z)|[$#]\{"
    r"|\$\(|\{\{|\{[\w.:!]{0,40}\}|<[\w .:/-]{1,60}>|%\(|%[sdrv](?!\w)"
    r"|\.\.\.|…"
)
# Words, a version, a path or an address.
_WORDS = re.compile(r"(?:v?\d{1,3}|[A-Za-z]+\d{0,2})(?:[-_.:](?:v?\d{1,3}|[A-Za-z]+\d{0,2}))*+\Z|\w{1,12}:/|[./~]")
_PATH = re.compile(r"(?:\w{1,12}:/|[A-Za-z]:\\|~|\.{0,2}/)(?!(?<=\A/)[A-Za-z0-9+/]{39}\Z)")
# A type is written in capitals, with digits in the middle.
_TYPE = re.compile(r"[A-Z][a-z]+\d{0,3}(?:[A-Z]\w*)?\Z")
_CODE = re.compile(r"[\w.:>-]+[(\[{<].*[)\]>},;:]\Z|.*[(\[{,;\\]\Z|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+\Z", re.S)
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_WORD = r"(?:[A-Za-z]+\d{0,4}|\d{1,4})"
_EXPRESSION = re.compile(rf"{_WORD}(?:(?:_|[-+*/|%&<>=]{{1,2}}){_WORD})++\Z")
_ENVIRONMENT_NAME = re.compile(r"[A-Z]+(?:_[A-Z0-9]+)+\Z")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_ARGUMENT = re.compile(r"(?:\s*\d+: )?[ \t]+(?:[^\n]*,[ \t]*)?[\w-]+\Z")
# Brackets, an address of mail; a type, or what encodings, hashes and their like are called.
_NO_WORD = re.compile(r"[()\[\]{}<>]|\A[&*@|%/~.-]|@[\w-]+\.[\w.-]+\Z|://")
_KNOWN_NAME = re.compile(
    r"[A-Z][a-z]+\d{0,3}[A-Z]\w*\Z"
    r"|(?i:u?int|float|str|char|bytes|utf|base|sha|md|argon|oauth|pkcs|pbkdf|blake|ed|crc|aes|http|ipv|vec|line)-?\d\w*\Z"
)
# Behind a value: more of an expression, or a sentence; around its name: a bracket that is no call's.
_GOES_ON = re.compile(r"[ \t]*[=|&+*/?<>-]|[,;]\s*\Z")
_PROSE = re.compile(r"[.!?]{1,3}(?:\s|\Z)|[ \t]+(?!(?:if|or|and|else|as|in|is|not)\b)[A-Za-z]{2,}\b(?![ \t]*[(=.])")
_ASIDE = re.compile(r"(?:\A|\s)\([^()]*\Z")
_OF_A_KEY = re.compile(r"[\w+/=.~:-]+\Z")
_SIGN = re.compile(r"[^\w\s./:,;-]")
_STRONG_SIGN = re.compile(r".[!@#$%^&].", re.S)
_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[A-Za-z]")
_WAYS = re.compile(r"(?:basic|bearer|token|api-?key|key|negotiate|ntlm|ssws|geniekey|dpop)\s+\Z", re.I)


# --- the judges of the table's rows -----------------------------------------------------------------------------------


def token_of_address(match: re.Match[str]) -> bool:
    """Whether what logs in at an address without a password is a token."""
    return is_quoted_secret("token", match["secret"])


def known(match: re.Match[str]) -> bool:
    """Whether what stands behind a way of logging in logs in."""
    return _is_credential(match["secret"], known=True)


def credential(match: re.Match[str]) -> bool:
    """Whether what stands in a header logs in; some ways to do so have names."""
    return _is_credential(match["secret"], known=_WAYS.match(match["way"]) is not None)


def cookie(match: re.Match[str]) -> bool:
    """Whether a cookie is one of a session."""
    return _is_credential(match["secret"])


def password(match: re.Match[str]) -> bool:
    """Whether an argument is a password: one may only stand for it, or be a group's number."""
    return not match["secret"].isdigit() and not stands_for_another(match["secret"])


def quoted(match: re.Match[str]) -> bool:
    """Whether its name makes a literal a secret."""
    kind = _kind_before(match)
    data = match.string[match.start() - 1 : match.start()] in ('"', "'")
    return kind is not None and is_quoted_secret(kind, match["secret"], data=data)


def plain(match: re.Match[str]) -> bool:
    """Whether its name makes a value without quotes a secret."""
    kind = kind_of(_name_before(match.string, match.start("secret")))
    return kind is not None and _is_plain_secret(kind, match["secret"])


def plain_in_no_call(match: re.Match[str]) -> bool:
    """The same for what a shell and connection strings write, and code that gives it to a function."""
    return plain(match) and not _ATTRIBUTE.match(match["secret"]) and not _is_argument(match.string, match.start())


def option(match: re.Match[str]) -> bool:
    """Whether the argument of an option is a secret."""
    return _is_plain_secret("password", match["secret"])


def said(match: re.Match[str]) -> bool:
    """Whether a word behind "the password is" is one: letters and digits mixed as no name has them."""
    value = match["secret"]
    if _kind_before(match) in (None, "login") or _is_other(value) or _WORDS.match(value):
        return False
    return bool(_LETTER.search(value)) and len(_DIGITS.findall(value)) >= (1 if _STRONG_SIGN.search(value) else 2)


def alone(match: re.Match[str]) -> bool:
    """Whether a value that is all there is behind a name in its line is a secret."""
    kind, value = kind_of(match["name"].rstrip("\\\"'`*")), match["secret"]
    if kind is None or kind == "login":
        return kind is not None and _is_login(value)
    sign = "=" if match["sep"] == "=" else " = " if "=" in match["sep"] else ":"
    shell = _is_shells(match)
    inside = bool(match["indent"]) and not match["sign"].strip(" \t/#")
    if _is_other(value) or _TYPE.match(value) or value[0] in "&*!@|>%(<[{`":
        return False
    if _PATH.match(value) and kind != "password":
        return False
    parts, letter = len(_DIGITS.findall(value)), _LETTER.search(value)
    long = parts >= 3 and len(value) >= 16
    if _NAME.match(value) and sign != ":" and (inside or (sign == " = " and parts < 2)) and not long:
        return shell and not inside and kind != "token" and parts > 0
    if sign == " = " and _EXPRESSION.match(value):
        return False
    if kind in ("key", "token"):
        return bool(parts and letter) and _is_key(value)
    if not letter:
        return parts > 0 and len(value) >= 6
    if shell:
        return len(value) >= 5 and (parts > 0 or len(value) >= 8)
    if not parts or _SIGN.search(value):
        return len(value) >= 6 and bool(_STRONG_SIGN.search(value) or parts)
    return len(value) >= 8 and not _WORDS.match(value)


def alone_in_quotes(match: re.Match[str]) -> bool:
    """Whether a shell's literal with spaces in it is a secret; what code assigns so has spaces around its sign."""
    kind = kind_of(match["name"].rstrip("\\\"'`*"))
    if kind in (None, "token") or not _is_shells(match) or not _DIGITS.search(match["secret"]):
        return False
    return kind is not None and is_quoted_secret(kind, match["secret"])


def told(match: re.Match[str]) -> bool:
    """Whether what stands behind a sign of assignment in a sentence is a secret and no code."""
    kind, value = _kind_before(match), match["secret"]
    if kind in (None, "login") or _is_other(value) or _NO_WORD.search(value) or _KNOWN_NAME.match(value):
        return False
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if _GOES_ON.match(behind) or (_is_argument(before, len(before)) and not _ASIDE.search(before[-_LINE_REACH:])):
        return False
    # Code has spaces around its sign; what follows a value there is no word.
    if match["sep"].strip() != match["sep"].lstrip() and "=" in match["sep"] and not _PROSE.match(behind):
        return False
    if not _LETTER.search(value):
        return kind == "password" and value.isdigit() and len(value) >= 6
    if kind in ("key", "token") and not before.rstrip("\"'`* ").lower().endswith("secret"):
        return bool(_DIGITS.search(value)) and len(value) >= 6 and not _WORDS.match(value)
    if _WORDS.match(value):
        return value.isalnum() and bool(_DIGITS.search(value))
    return bool(_DIGITS.search(value)) or (bool(_STRONG_SIGN.search(value)) and not _EXPRESSION.match(value))


# --- what a value is --------------------------------------------------------------------------------------------------


def kind_of(name: str) -> Kind | None:
    """What a name says of its value; None: nothing."""
    bare = name[-_REACH:].lower().replace("_", "").replace("-", "").replace(" ", "").rstrip("0123456789")
    for suffix in _SUFFIXES:
        bare = bare.removesuffix(suffix)
    if not bare.endswith(_ENDS) or bare.endswith(_NO_SECRETS):
        return None
    # The longest: an access token is no mere token.
    starts = range(max(0, len(bare) - _LONGEST), len(bare))
    return next((_OF_NAME[bare[start:]] for start in starts if bare[start:] in _OF_NAME), None)


def _name_before(text: str, end: int) -> str:
    """The end of the name that ends there, but for quotes and a sign of assignment."""
    return text[max(0, end - _REACH) : end].rstrip(" \t:=").rstrip("\\\"'`*]")


def _kind_before(match: re.Match[str]) -> Kind | None:
    return kind_of(_name_before(match.string, match.start()))


def _is_shells(match: re.Match[str]) -> bool:
    """Whether a line is written as a shell's variable."""
    return match["sep"] == "=" and re.search(r"[A-Z0-9_]+\Z", match["name"]) is not None and match["name"].isupper()


def _is_argument(text: str, end: int) -> bool:
    """Whether the name that ends there is a parameter's: behind an open bracket, or on an indented line of its own."""
    before = text[max(0, end - _LINE_REACH) : end]
    if _ARGUMENT.match(before):
        return True
    opened = sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))
    return opened and sum(map(before.count, "\"'`")) % 2 == 0


def names_a_secret(kind: Kind, value: str) -> bool:
    """Whether the value of a dict's key is a secret: any text is, that stands for no other."""
    if not value.strip() or stands_for_another(value):
        return False
    if kind == "login":
        return _is_login(value)
    if kind == "token":
        return not re.search(r"\s", value) and is_quoted_secret(kind, value)
    return not _PATH.match(value) or kind == "password"


def is_quoted_secret(kind: Kind, value: str, *, data: bool = False) -> bool:
    """Whether a literal without a space in it is a secret; ``data``: its name is quoted too, as in JSON."""
    if kind == "login":
        return _is_login(value)
    if stands_for_another(value) or (kind == "directory" and _PATH.match(value)):
        return False
    digit, letter = _DIGITS.search(value), _LETTER.search(value)
    if kind in ("password", "directory"):
        if digit:
            return len(value) >= 6
        if not letter or not value.isascii():
            return False
        # A label is a word, and may be a capitalised one.
        return len(value) >= 8 and (bool(_STRONG_SIGN.search(value)) or (data and not value.istitle()))
    return bool(digit and letter) and _is_key(value, quoted=True)


def stands_for_another(value: str) -> bool:
    """Whether a value is a name for one, says that there is one, or is filled in elsewhere."""
    return bool(_STANDS_FOR_ONE.match(value) or _TEMPLATE.search(value[:300]))


def _is_plain_secret(kind: Kind, value: str) -> bool:
    """Whether a value without quotes, with a letter and a digit, is a secret and no name."""
    return kind != "login" and not _WORDS.match(value) and not stands_for_another(value)


def _is_other(value: str) -> bool:
    return stands_for_another(value) or _CODE.match(value) is not None


def _is_credential(value: str, *, known: bool = False) -> bool:
    """Whether what stands in a header is what logs in; ``known``: a way of logging in stands before it."""
    if _is_other(value):
        return False
    if _is_login(value):
        return True
    if not known:
        return _is_key(value) and bool(_DIGITS.search(value) and _LETTER.search(value))
    if len(value) >= 20 and value.isalpha():
        # A name has a capital at the beginning of each word.
        return not value.isupper() and sum(map(str.isupper, value)) * 4 > len(value)
    return bool(_DIGITS.search(value) and _LETTER.search(value)) and not _ENVIRONMENT_NAME.match(value)


def _is_login(value: str) -> bool:
    """Whether it is a user and a password in base64."""
    if not re.match(r"[A-Za-z0-9+/]{6,4000}={0,2}\Z", value) or len(value) < 8:
        return False
    try:
        user, colon, password = base64.b64decode(value + "=" * (-len(value) % 4)).decode().partition(":")
    except ValueError:
        return False
    return bool(colon and password) and f"{user}{password}".isprintable() and not stands_for_another(password)


def _is_key(value: str, *, quoted: bool = False) -> bool:
    """Whether it is no words, path or address; with signs that keys seldom have it must be longer."""
    if len(value) < 8 or (_WORDS.match(value) and not _PATH_LIKE_KEY.match(value)):
        return False
    return bool(_OF_A_KEY.match(value)) or (quoted and len(value) >= 16)


# Base64 may begin like a path.
_PATH_LIKE_KEY = re.compile(r"(?=.{40}\Z)/(?:[^/]*/){0,4}[^/]*\Z")
