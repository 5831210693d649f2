"""Whether a value is a secret, by the name that stands before it: what only stands for one, or is code, is none."""

from __future__ import annotations

import base64
import re
from typing import Literal

Kind = Literal["password", "key", "token", "directory", "login"]
"""What a name says of its value. A ``token`` may be a parser's too, a ``directory`` (``pwd``) is one or a password, and
a ``login`` (``auth``) is one if it is so encoded."""

_KINDS: dict[Kind, str] = {
    "password": "password passwd passphrase dbpass userpass smtppass mailpass ftppass redispass pgpass mysqlpass"
    " rootpass adminpass",
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
    r"\A\$[A-Za-z_({]|\A%\w{1,60}%|\A\[redacted |[$#]\{|\$\(|\{\{|\{[\w.:!]{0,40}\}|<[\w .:/-]{1,60}>|%\(|%[sdrv](?!\w)"
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
_OF_A_KEY = re.compile(r"[\w+/=.~:-]+\Z")
_SIGN = re.compile(r"[^\w\s./:,;-]")
_STRONG_SIGN = re.compile(r".[!@#$%^&].", re.S)
_DIGITS = re.compile(r"[0-9]+")
_LETTER = re.compile(r"[A-Za-z]")


PARTS = ("passw", "passphrase", "pwd", "pass", "secret", "token", "key", "credential", "auth")
"""One of these is in every name that has a kind, in small letters."""

NAMED = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|(?:pi|ss|th|te|on|ng|er|nt)[_-]? ?key"
    r"|(?:db|er|tp|il|is|pg|ql|ot|in)[_-]?pass|auth[\\\"']{0,9} {0,9}[:=]"
)
"""Where such a name may be: most of what has one of the parts is passed over."""


def kind_before(text: str, end: int) -> Kind | None:
    """What the name that ends there in ``text``, but for quotes and a sign of assignment, says of its value."""
    return kind_of(text[max(0, end - _REACH) : end].rstrip(" \t:=").rstrip("\\\"'`*]"))


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


def names_a_secret(kind: Kind | None, value: str) -> bool:
    """Whether the value of a dict's key is a secret: any text is, that stands for no other."""
    if kind is None or not value.strip() or stands_for_another(value):
        return False
    if kind == "login":
        return is_login(value)
    if kind == "token":
        return not re.search(r"\s", value) and is_quoted_secret(kind, value)
    return not _PATH.match(value) or kind == "password"


def is_quoted_secret(kind: Kind, value: str, *, data: bool = False) -> bool:
    """Whether a literal without a space in it is a secret; ``data``: its name is quoted too, as in JSON."""
    if kind == "login":
        return is_login(value)
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


def is_plain_secret(kind: Kind, value: str) -> bool:
    """Whether a value without quotes, with a letter and a digit, is a secret and no name."""
    return kind != "login" and not _WORDS.match(value) and not stands_for_another(value)


def is_lone_secret(kind: Kind, value: str, *, sign: str, shell: bool, inside: bool) -> bool:
    """Whether a value that is all there is behind a name in its line is a secret.

    Args:
        kind: what the name says.
        value: without white space.
        sign: ``=``, ``:`` or ``" = "``.
        shell: whether it is written as a shell's variable.
        inside: whether the line is indented, as an argument and the lines of a function are.
    """
    if kind == "login":
        return is_login(value)
    if stands_for_another(value) or _CODE.match(value) or _TYPE.match(value) or value[0] in "&*!@|>%(<[{`":
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


def is_said_secret(value: str) -> bool:
    """Whether a word behind "the password is" is one: letters and digits mixed as no name has them."""
    if len(value) < 8 or stands_for_another(value) or _CODE.match(value) or _WORDS.match(value):
        return False
    return bool(_LETTER.search(value)) and len(_DIGITS.findall(value)) >= (1 if _STRONG_SIGN.search(value) else 2)


def is_credential(value: str, *, known: bool = False) -> bool:
    """Whether what stands in a header is what logs in; ``known``: a way of logging in stands before it."""
    if len(value) < 8 or stands_for_another(value) or _CODE.match(value):
        return False
    if is_login(value):
        return True
    if not known:
        return _is_key(value) and bool(_DIGITS.search(value) and _LETTER.search(value))
    if len(value) >= 20 and value.isalpha():
        # A name has a capital at the beginning of each word.
        return not value.isupper() and sum(map(str.isupper, value)) * 4 > len(value)
    return bool(_DIGITS.search(value) and _LETTER.search(value)) and not _ENVIRONMENT_NAME.match(value)


def is_login(value: str) -> bool:
    """Whether it is a user and a password in base64."""
    if len(value) < 8 or len(value) > 4_000 or not re.match(r"[A-Za-z0-9+/]+={0,2}\Z", value):
        return False
    try:
        user, colon, password = base64.b64decode(value + "=" * (-len(value) % 4)).decode().partition(":")
    except ValueError:
        return False
    return bool(colon and password) and f"{user}{password}".isprintable() and not stands_for_another(password)


def stands_for_another(value: str) -> bool:
    """Whether a value is a name for one, says that there is one, or is filled in elsewhere."""
    return bool(_STANDS_FOR_ONE.match(value) or _TEMPLATE.search(value[:300]))


def _is_key(value: str, *, quoted: bool = False) -> bool:
    """Whether it is no words, path or address; with signs that keys seldom have it must be longer."""
    if len(value) < 8 or (_WORDS.match(value) and not _is_base64_key(value)):
        return False
    return bool(_OF_A_KEY.match(value)) or (quoted and len(value) >= 16)


def _is_base64_key(value: str) -> bool:
    return len(value) == 40 and value[0] == "/" and value.count("/") < 6
