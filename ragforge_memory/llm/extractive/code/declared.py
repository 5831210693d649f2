"""How lines declare a setting or an option that no definition is called by: by a symbol, a string, or a flag."""

from __future__ import annotations

import re

_QUOTE = "[\"'`]"
COMMENTED = re.compile(r"^\s*(?:#(?!\[)|//|/?\*|--\s|;|%|<!--)")
"""Lines that are comments."""

# What asks for a setting by its name does not declare it.
_READS = re.compile(
    r"\b\w*(?:get|has|find|fetch|read|lookup|exists?|contains?|equals?|cmp|match\w*|warn|error|print\w*|throw|raise|log"
    r"|isset|empty)\w*[!?]?\s*\([^()]*$|[=!]==?\s*$|(?<=[\w\])])\[\s*$|\b(?:is|in)\s*$",
    re.I,
)
_VERB = re.compile(
    r"(?<![A-Za-z])\w*(?:set|add|def|declar|regist|option|opt|flag|arg|param|config|default|long|short|switch|enable"
    r"|disable|bool|string|int|float|duration|var|command|entry|property)\w*(?:::\w+)?[!?]?\s*[( ]\s*"
    r"(?:[\w&*.\[\]\"'`<>-]+,\s*)*$",
    re.I,
)
_KEY = re.compile(r"\b(?:name|key|long|option|flag|id)\b[\"'`]?\s*(?:=>|[:=])\s*$", re.I)
_BRANCH = re.compile(r"^\s*(?:case|when|if|elif|elsif|(?:\}\s*)?else if)\b")
_ASKS_WHICH = re.compile(
    r"^\s*(?:case|when)\s[^(]*$"
    rf"|^\s*(?:\}}\s*)?(?:if|elif|elsif|else if)\b.*(?:==|\bin)\s*[(\[]?(?:{_QUOTE}[^\"'`]*{_QUOTE}, *)*$"
)
_BEHIND_KEY = re.compile(r"\s*(?:=>|:(?!:)|\]\s*=(?![=>]))")
_SYMBOL_VERB = re.compile(
    r"\b(?!(?:send|public_send|__send__|respond_to\?|method|raise|throw|catch|alias\w*|instance_variable_[gs]et"
    r"|define_method|private\w*|public|protected|require)\b)[a-z_]\w*[!?]?[ (]\s*$"
)
_SYMBOL_SET = re.compile(r"\b(?:set|enable|disable|option|setting)[ (]\s*$")
_VALUE = re.compile(
    r"[\"'`)\]]*\s*(?:=>|[:=,](?!=))\s*(?:-?\.?\d|[\"'`]|[\[{]|\w+(?:(?:\.|::)\w+)*\(|->|(?-i:[A-Z][A-Z0-9_]+\b)"
    r"|(?:true|false|nil|null|none|undefined|proc|lambda|new)\b)",
    re.I,
)
_LIST = re.compile(r"[\"'`)\]]*\s*(?:=>|[:=,])\s*[\[{(]")
_FALLBACK = re.compile(r"\?\?|\|\||\?:|\s(?:or|if)\s|\b(?:unwrap_or\w*|or_?else|get_?or\w*)\(", re.I)


def spelled_so(words: str) -> str:
    """A regular expression for a name; words that stand apart are joined in some way."""
    first, *others = words.split()
    return re.escape(first) + "".join(f"[-_ ]?{_any_case(word)}" for word in others)


def as_field(flag: str) -> str:
    """For the field that a flag is kept in: ``no_sort``, ``noSort``, ``NoSort``."""
    return "_?".join(map(_any_case, re.split(r"[-_]", flag)))


def in_dashes(flag: str) -> str:
    """For a flag with its dashes in a string."""
    return _dashed(re.escape(flag))


def _dashed(spelled: str) -> str:
    return rf"{_QUOTE}(?:--?\w[\w-]*[ ,|/]+)*--?{spelled}(?:[ =<\[,|/][^\"'`]*)?{_QUOTE}"


def _any_case(word: str) -> str:
    return f"[{word[0].lower()}{word[0].upper()}]{re.escape(word[1:])}" if word[:1].isalpha() else re.escape(word)


def in_quotes(spelled: str) -> str:
    """For a name in a string: alone, or as a flag with others and with what it takes (``-w, --warmup <n>``)."""
    return f"(?:{_QUOTE}{spelled}{_QUOTE}|{_dashed(spelled)})"


def as_symbol(spelled: str) -> str:
    """For a name as a symbol: ``:port``."""
    return rf"(?<![:\w]):{spelled}(?![\w:?!])"


def literal(spelled: str) -> str:
    """For a name either way."""
    return f"(?:{in_quotes(spelled)}|{as_symbol(spelled)})"


def declares(pattern: str, text: str) -> bool:
    """Whether a line declares what the pattern finds in it (see `literal`), and does not only use it."""
    if COMMENTED.match(text):
        return False
    return any(_is_declared(text[: each.start()], each[0], text[each.end() :]) for each in re.finditer(pattern, text))


def is_key(pattern: str, text: str) -> bool:
    """Whether what the pattern finds is the key of a value."""
    return any(_BEHIND_KEY.match(text, each.end()) for each in re.finditer(pattern, text))


def asks_which(pattern: str, text: str) -> bool:
    """Whether a line goes one way where it meets what the pattern finds: options are told apart so."""
    return any(_ASKS_WHICH.match(text[: each.start()]) for each in re.finditer(pattern, text))


def has_value(spelled: str, text: str) -> bool:
    """Whether a line gives a name a value that can be read off it."""
    return _is_followed(spelled, text, _VALUE)


def opens_list(spelled: str, text: str) -> bool:
    """Whether what a line gives a name is a list or a map, whose parts say what it is."""
    return _is_followed(spelled, text, _LIST)


def _is_followed(spelled: str, text: str, by: re.Pattern[str]) -> bool:
    return any(by.match(text, each.end()) for each in re.finditer(rf"(?<!\w){spelled}(?!\w)", text))


def falls_back(text: str) -> bool:
    """Whether a line says what is taken where nothing is given: ``options.port ?? 80``."""
    return bool(_FALLBACK.search(text))


def _is_declared(before: str, named: str, behind: str) -> bool:
    if re.match(r"\]\s*=(?![=>~])", behind):
        return True
    if _READS.search(before) or _BRANCH.match(before) or re.match(r"\s*\]?\s*[=!]=", behind):
        return False
    if named.startswith(":"):
        return bool(_SYMBOL_SET.search(before) or (_SYMBOL_VERB.search(before) and re.match(r"\s*,", behind)))
    return bool(_VERB.search(before) or _KEY.search(before) or _BEHIND_KEY.match(behind))
