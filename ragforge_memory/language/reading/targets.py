"""What a question is about: a name of code, a file, something said before, or plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragforge_memory.language.reading.wording import content_words

PRONOUNS = frozenset(
    {"it", "this", "that", "its", "this one", "that one", "the same", "same", "itself", "he", "she"}
    # "Show me the code": of what was just spoken of.
    | {f"the {word}" for word in ("code", "source", "source code", "implementation", "body", "definition")}
)
PLURAL_PRONOUNS = frozenset({"they", "them", "these", "those", "their", "all of them", "all"})

# Words that stand for something said before and are no part of its name; "this" and "that" point at a noun as well.
_NEVER_NAMES = frozenset(
    {"it", "its", "itself", "he", "she", "they", "them", "their", "these", "those", "i", "we", "you", "me", "us", "our"}
)

Kind = Literal["name", "file", "pronoun", "plural", "ordinal", "words", "nothing"]

_KINDS = (
    r"functions?|methods?|class(?:es)?|constants?|variables?|definitions?|symbols?|interfaces?|structs?|enums?|traits?|"
    r"modules?|files?|folders?|director(?:y|ies)|packages?|scopes?|decorators?|constructors?|helpers?|types?|propert(?:y|ies)|macros?|subroutines?|exceptions?"
)
_SINGULAR = {"classes": "class", "properties": "property", "directories": "directory"}
FOLDERS = ("folder", "directory", "package")
_KIND_WORD = re.compile(rf"^(?:{_KINDS})$", re.I)
# "The File class" is called `File`, though a file is a kind of thing too.
_CAPITAL = re.compile(rf"^(?:(?:the|an?|our|my)\s+)?(?P<name>[A-Z]\w*)\s+(?:{_KINDS})$")
_LEADING = re.compile(
    rf"^(?:(?:the|a|an|our|my|your|actual|exact|whole|full|entire|complete|name|of|for|python|called|named|"
    rf"code|source|body|implementation|definition)\s+|(?:{_KINDS})\s+(?:of\s+)?(?:called\s+|named\s+)?(?=\S))+",
    re.I,
)
_TRAILING = re.compile(
    rf"(?:\s+(?:{_KINDS}|code|source|defined|declared|located|implemented|exactly|please|again|here|there|now|at all|"
    r"anywhere|in the code(?:base)?|in (?:this|the|our) (?:project|repo|repository|code|codebase)|"
    r"definition|implementation|itself|object|really|actually))+$",
    re.I,
)
_QUOTED = re.compile(r"`{1,3}([^`\n]+)`{1,3}|[\"“„]([^\"”“\n]+)[\"”“]|[«»]([^«»\n]+)[«»]|(?<!\w)'([^'\n]+)'(?!\w)")
_FILE = re.compile(
    r"^(?:[\w.@+-]+/)*[\w.@+-]*\.(?:py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|java|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php|md|rst|txt|"
    r"toml|cfg|ini|ya?ml|json|html?|css|sh|sql|cypher|kts?|swift|scala|dart|lua|vue|svelte|proto|graphql|gradle|prisma)$",
    re.I,
)
_PATH = re.compile(r"^(?:[\w.@+-]+/)+[\w.@+-]*$")
_IDENTIFIER = re.compile(
    r"^[@\\]?[A-Za-z_$][\w$]*(?:(?:\.|::|->|#|\\)[A-Za-z_$][\w$]*)*(?:\(.*\))?$|^[\w./-]+\.\w{1,5}:{1,2}[A-Za-z_$][\w.$]*(?:\(\))?$"
)
# What languages let a project define beside names.
_OPERATOR = re.compile(
    r"^(?:[A-Za-z_][\w.:]*(?:\.|::|#))?(?:\[\]=?|[=!]=|===|=~|<=>|<<|>>|[<>]=?|\*\*|[+*/%&|^~-]|[+~-]@)$"
)
_MARKED = re.compile(r"[_.$\\]|::|->|\(\)|[a-z][A-Z]|^[A-Z]{2,}\d*$|^[A-Z][a-z]+[A-Z]")
_ABBREVIATED = re.compile(r"[A-Z]{2,}$")
# Nobody calls a text: what is called so is a method, though its name ends as a file's does.
_CALLED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?:json|html?|css|sql|txt|md|rst|toml|ya?ml|cfg|ini)$", re.I)
# A component's style or page is used, though: App.css, Index.html.
_METHOD_OF_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*(?:\.[A-Za-z_]\w*)*\.(?:json|sql)$")
_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "last": -1,
}  # fmt: skip
_ORDINAL = re.compile(
    rf"^(?:the\s+)?(?P<which>{'|'.join(_ORDINALS)})"
    rf"(?:\s+(?:one|caller|callee|result|match|hit|of (?:them|those|these)|{_KINDS}))?$",
    re.I,
)
_OF = re.compile(
    rf"^(?P<member>\S+?)(?:\s+(?:{_KINDS}))?\s+(?:of|in|from|on|inside|within)\s+(?:the\s+)?(?:(?:{_KINDS})\s+)?(?P<owner>\S+?)"
    rf"(?:'s)?(?:\s+(?:{_KINDS}))?$",
    re.I,
)
_POSSESSIVE = re.compile(
    rf"^(?P<owner>\S+?)(?:\s+(?:{_KINDS}))?['’]s\s+(?:(?:{_KINDS})\s+)?(?P<member>\S+?)(?:\s+(?:{_KINDS}))?$", re.I
)

# In Ruby `save!` and `save?` are other names than `save`; a lone "?" at the end is the question's.
_MARK = r"!(?!=)|\?(?=[?!]|\s+\w)"
_INNER_MARK = re.compile(r"(?<=\w)[!?](?=\s)")


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked about.

    Args:
        kind: ``name`` of code, ``file``, a ``pronoun`` (one) or ``plural``, an ``ordinal`` of a list just shown,
            ``words`` that are no name, or ``nothing``.
        text: the name, the path or the words.
        file: the file that the name is said to be in, ``''`` if none.
        sort: what the question calls it (``class``, ``function`` …), ``''`` if nothing.
        number: of an ordinal, from 1; -1 is the last.
        marked: whether it can only be an identifier: quoted, or written like one (``_``, dots, capitals inside).
        owner: of a name put together from two ("the invoke of Command"): the second; the other may be no member of
            it, but a word about it ("the author of Command").
        loose: as asked, where the two words may well be no names at all ("weather in Oslo"), else ``''``.
    """

    kind: Kind
    text: str = ""
    file: str = ""
    sort: str = ""
    number: int = 0
    marked: bool = False
    owner: str = ""
    loose: str = ""

    @property
    def parts(self) -> list[str]:
        """The words of a name, without parentheses and ``self``: ``["Command", "invoke"]``."""
        parts = re.findall(r"\w+", self.text.removesuffix("()"))
        return parts[1:] if len(parts) > 1 and parts[0] in ("self", "this", "cls") else parts

    @property
    def member(self) -> str:
        """The last part of a name, without parentheses."""
        parts = self.parts
        return parts[-1] if parts else ""

    def stands_in(self, text: str) -> bool:
        """Whether a text has the last of the names in its very letters, and not as a part of a longer one."""
        return bool(re.search(rf"(?<![\w$]){re.escape(self.member)}(?![\w$])", text))

    def before(self, part: str) -> str:
        """What a dotted name says before one of its parts; ``''`` where nothing is."""
        return self.text.removesuffix("()").rpartition(part)[0].rstrip(".:#->\\")


NOTHING = Target("nothing")


def read_target(text: str) -> Target:
    """Reads the part of a question that says what it is about."""
    # Dots that begin a path belong to it.
    said = re.sub(r"^\.+(?!\.*/)", "", text.strip().lstrip("?!,;: ").rstrip("?!.,;: ")).strip()
    if not said:
        return NOTHING
    # PHP writes a name from the outermost namespace on: `\RuntimeException`.
    said = re.sub(r"(?<!\S)([`'\"]?)\\(?=[A-Za-z_])", r"\1", said)
    sort = _sort(said)
    quoted = _QUOTED.search(said)
    if quoted:
        return _quoted(said, next(group for group in quoted.groups() if group), sort)
    ordinal = _ORDINAL.match(said)
    if ordinal:
        return Target("ordinal", said, sort=sort, number=_ORDINALS[ordinal.group("which").lower()])
    if _is_pronoun(said):
        return Target("pronoun", said, sort=sort)
    if said.lower() in PLURAL_PRONOUNS:
        return Target("plural", said)
    bare = _stripped(said)
    if _is_pronoun(bare):
        return Target("pronoun", bare, sort=sort)
    member = _POSSESSIVE.match(bare) or _OF.match(bare)
    if member and not _is_article(member.group("member")):
        joined = _joined(member.group("member"), member.group("owner"), sort, bare)
        if joined is not None:
            return joined
    if not re.search(r"\s", bare):
        return _single(bare, sort)
    marked = [token for token in bare.split() if is_marked(token.strip(",;:?!"))]
    if len(marked) == 1 and not _is_one_of_words(marked[0], bare):
        return _single(marked[0].strip(",;:?!"), sort)
    return Target("words", bare, sort=sort)


def is_method(text: str, *, called: bool) -> bool:
    """Whether what ends as a file's name does is a method: ``Response.json``; ``called``: somebody is said to call it,
    else to use it."""
    return bool((_CALLED if called else _METHOD_OF_CLASS).match(text))


def _is_one_of_words(token: str, said: str) -> bool:
    """Whether an abbreviation belongs to the word before or behind it: ``client IP``, ``HTML escaped``; not ``the
    URL``."""
    if not _ABBREVIATED.match(token):
        return False
    beside = re.findall(rf"(?<!\S)([a-z]+) {re.escape(token)}(?!\S)|(?<!\S){re.escape(token)} ([a-z]+)(?!\S)", said)
    return any(content_words(" ".join(each)) for each in beside)


def without_marks(said: str) -> str:
    """Words without the marks that end names among them."""
    return _INNER_MARK.sub("", said)


def with_mark(target: Target, said: str) -> Target:
    """A name with the mark that stands right behind it in what was said; whether it is part of it the tools know."""
    if target.kind != "name" or not target.member or not target.text.endswith(target.member):
        return target
    mark = re.search(rf"(?<!\w){re.escape(target.member)}({_MARK})", said)
    return replace(target, text=target.text + mark[1]) if mark else target


def is_marked(token: str) -> bool:
    """Whether a word can only be an identifier or a file: ``a_b``, ``A.b``, ``aB``, ``b()``, ``core.py``."""
    if not _IDENTIFIER.match(token) and not _FILE.match(token):
        return False
    return bool(_MARKED.search(token))


def has_pronoun(text: str) -> bool:
    """Whether one of the words is a pronoun, so that the words together spell no name: ``it catch``."""
    return any(word in _NEVER_NAMES for word in text.lower().split())


def is_file(text: str) -> bool:
    """Whether a word is the name or path of a file."""
    return bool(_FILE.match(text)) or (bool(_PATH.match(text)) and "/" in text)


def is_folder(text: str) -> bool:
    """Whether a word is the path of a folder: folders, and no file's ending."""
    return bool(_PATH.match(text)) and not _FILE.match(text)


def _single(token: str, sort: str) -> Target:
    if is_file(token):
        return Target("file", token, sort=sort, marked=True)
    if _OPERATOR.match(token):
        return Target("name", token, sort=sort, marked=True)
    if not _IDENTIFIER.match(token):
        return Target("words", token, sort=sort)
    return Target("name", token, sort=sort, marked=is_marked(token))


def _quoted(said: str, inside: str, sort: str) -> Target:
    name = inside.strip()
    if is_file(name):
        return Target("file", name, sort=sort, marked=True)
    rest = _QUOTED.sub(" ", said)
    place = next((token.strip(",;:?!") for token in rest.split() if is_file(token.strip(",;:?!"))), "")
    if not place:
        second = [next(group for group in each.groups() if group) for each in _QUOTED.finditer(said)][1:]
        if second and is_file(second[0]):
            place = second[0]
        elif second and re.search(r"\b(?:of|in|from|on)\b", rest) and not is_file(name):
            return Target("name", f"{second[0]}.{name}", sort=sort, marked=True)
    if re.search(r"\s", name) and not _IDENTIFIER.match(re.sub(r"^\w+\s+", "", name)):
        return Target("words", name, file=place, sort=sort, marked=True)
    return Target("name", name, file=place, sort=sort, marked=True)


def _joined(member: str, owner: str, sort: str, said: str) -> Target | None:
    """``invoke`` of ``Command`` is ``Command.invoke``; ``invoke`` in ``core.py`` is tied to that file."""
    if is_file(owner):
        return Target("name", member, file=owner, sort=sort, marked=True) if _IDENTIFIER.match(member) else None
    if not (_IDENTIFIER.match(member) and _IDENTIFIER.match(owner)):
        return None
    if not (is_marked(owner) or is_marked(member) or owner[:1].isupper() or sort):
        return None
    whole = owner.removesuffix("()")
    loose = "" if sort or is_marked(owner) or is_marked(member) else said
    return Target("name", f"{whole}.{member}", sort=sort, marked=True, owner=whole, loose=loose)


def _stripped(said: str) -> str:
    capital = _CAPITAL.match(said)
    if capital:
        return capital.group("name")
    bare = said
    while True:
        shorter = _TRAILING.sub("", _LEADING.sub("", bare)).strip()
        if shorter == bare or not shorter:
            return bare
        bare = shorter


def _is_pronoun(said: str) -> bool:
    low = said.lower()
    if low in PRONOUNS:
        return True
    first, _, rest = low.partition(" ")
    return first in ("this", "that", "the", "its") and bool(_KIND_WORD.match(rest))


def _is_article(word: str) -> bool:
    return word.lower() in ("the", "a", "an", "all", "any", "one", "some", "most", "each", "list", "part")


def _sort(said: str) -> str:
    """What the words around the name call it, in the singular; ``''`` where the word is all there is."""
    around = _QUOTED.sub(" ", said)
    found = re.findall(rf"\b({_KINDS})\b", around, re.I)
    if not found or around.strip().lower() == found[0].lower():
        return ""
    # A name may look like such a word (the `Function` class); what people call things they write small.
    word: str = next((each for each in found if each.islower()), found[0]).lower()
    return _SINGULAR.get(word, word if word.endswith("ss") else word.removesuffix("s"))


def spelled(parts: Sequence[str]) -> str:
    """A regular expression for a whole name, whatever its parts are joined by."""
    return r"\b" + r"\W{1,2}".join(map(re.escape, parts)) + r"\b"


def names_in(text: str) -> tuple[str, ...]:
    """The words of a message that can only be names of code or files, in order."""
    marks = "`'\",;:?!()[]{}"
    tokens = (token.strip(marks).removesuffix(".").strip(marks) for token in text.split())
    return tuple(dict.fromkeys(token for token in tokens if is_marked(token) or is_file(token)))
