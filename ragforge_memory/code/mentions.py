"""Names of code that a text mentions, to be resolved against the graph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Each takes time in proportion to the text, whatever that is: what fails at one place is not tried again from inside.
_DOTTED = r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*"
# `Auth.login` and `auth.py` have the same shape: what stands behind the dot must be a file's.
_ENDINGS = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|go|rs|java|c|h|cc|cpp|cxx|hh|hpp|hxx|cs|rb|php|md|rst|txt|toml|ya?ml|json|"
    "cfg|ini|sh|sql|html|css|cypher|lock|kt|swift|scala|proto|gradle|rake|gemspec"
)
_FILE = re.compile(rf"(?<![\w/.@-])((?:[\w.@-]+/)*[\w.@-]+\.(?:{_ENDINGS}))(?![\w/-]|\.\w)")
# PHP parts the names of its namespaces with backslashes, which elsewhere stand for much else.
_WRITTEN = rf"{_DOTTED}(?:\\{_DOTTED})*"
# In Ruby a mark at the end is part of a name (`save!`, `empty?`), in Rust it says that it is a macro's.
_BACKTICKED = re.compile(rf"`\\?({_WRITTEN}[!?]?)(?:\(\)?[^`]*)?`")
_CODE = re.compile(r"`[^`\n]+`")
# Whether `(` stands behind it is looked at afterwards.
_CALLED = re.compile(rf"(?<![\w.]){_WRITTEN}")
_BARE = re.compile(rf"(?<![\w./\\-])(?<![\w$]->){_DOTTED}(?![\w/-])")
_MARKS = r"::|#|->|\\"
_SEPARATORS = re.compile(_MARKS)
_BETWEEN = re.compile(rf"(?<=[\w$?!])(?:{_MARKS})(?=[\w$])")
_CODE_SHAPE = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[A-Z0-9]{2}_[A-Z]|^_+[a-z]")
# In a quotation: a class's name, which no parameter has.
_TYPE_SHAPE = re.compile(r"^[A-Z][^\Wa-z]*[a-z][^\WA-Z]*[A-Z]")
_SEPARATED = re.compile(rf"\.|{_MARKS}")
_QUOTE = re.compile(r"[ \t]*>")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CAPITALISED = re.compile(r"(?<![\w./@`-])[A-Z]\w{2,}\b(?![/@`(-]|\.\w|::)")
_TWO_CAPITALS = re.compile(r"[A-Z]\w*[A-Z]")
_KINDS = r"(?:class(?:es)?|interface|struct|enum|trait|type|instances?|objects?)"
# What leads to a name, whether a sentence begins with it or not: "The Timeout", "see Retry", "and Limits".
_LEADS = re.compile(
    r"(?:^|[\s(\"'“‘*_])(?:the|an?|every|each|our|any|all|no|its|one|this|that|both|use[sd]?|using|see|via|like|keeps?|extends?"
    rf"|raises?|returns?|catch(?:es)?|subclass(?:es)?|of|in|with|by|into|than|not|and|or|{_KINDS}) [\"'“‘*_]*$",
    re.I,
)
# What is said of it behind it: "Timeout must stay", not "Client code must stay".
_STATED_OF = re.compile(
    r"[*_\"'”’]{0,3}(?:['’]s\b|(?:,? (?:and|or) [*_]{0,2}[A-Z]\w+[*_]{0,2}){0,2} (?:"
    r"(?:must|should|shall|may|can|could|will|would|is|are|was|were|has|have|had|does|do|did)(?:n['’]t)?|cannot|won['’]t"
    r"|stays?|remains?|defaults?|needs?|never|always|raises?|returns?|takes?|keeps?|gets?|uses?|holds?|inherits?|extends?"
    rf"|{_KINDS})\b(?! of\b))"
)
_KIND_BEFORE = re.compile(rf"\b{_KINDS} $", re.I)
_KIND_BEHIND = re.compile(rf" {_KINDS}\b")
# "Google Cloud Storage" is one name, and none of these.
_BESIDE = re.compile(r" [A-Z]\w*[a-z]")
_FOLLOWS = re.compile(r"[^\s.!?:;)\"*-] [A-Z]\w*[a-z]\w* $")
# "THIS IS A LIMIT FOR US" names nothing.
_SHOUTED_BEFORE = re.compile(r"\b[A-Z]{2,} (?:A |I )?$")
_SHOUTED_BEHIND = re.compile(r" (?:A |I )?[A-Z]{2,}\b")
# So much of what stands before a word tells what leads to it.
_BEFORE = 80
_MAY_QUOTE = re.compile(r">|```|~~~")
# What stands before a parameter that a docstring lists.
_ITEM = re.compile(r"^[ \t>]*[-*+][ \t]+\**", re.M)

# An answer that names more than this is a listing; its first names are what it is about.
MAX_NAMES = 64


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names (dotted where they stood so) and files, in the order of the text, each once."""

    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def find_mentions(text: str) -> Mentions:
    """The names and files that ``text`` mentions.

    A word counts as a name where it stands in backticks, is called (``name(``), is dotted, or has the shape of
    an identifier (``snake_case``, ``camelCase``); plain words do not, whatever they mean in the code.

    What is quoted (``> `` lines, fenced blocks, a piece of code in backticks) has the words of a docstring or of
    source: the parameters that it lists, plain words in backticks or called, and ``snake_case`` without them do not
    count there.
    """
    files = dict.fromkeys(match.group(1) for match in _FILE.finditer(text))
    quoted = _quoted(text)
    items = {match.end() for match in _ITEM.finditer(text)}
    found: dict[int, str] = {}
    for match in _BACKTICKED.finditer(text):
        if not quoted[match.start()] or _counts_quoted(match, listed=match.start() in items):
            found[match.start(1)] = match.group(1)
    for match in _CALLED.finditer(text):
        if not text.startswith("(", match.end()):
            continue
        # In quoted source a plain word that is called (`len(`) is most often the language's own.
        if not quoted[match.start()] or _SEPARATED.search(match.group()) or _CODE_SHAPE.search(match.group()):
            found[match.start()] = match.group()
    for match in _BARE.finditer(text):
        word = match.group()
        shape = _TYPE_SHAPE if quoted[match.start()] else _CODE_SHAPE
        if "." in word or "::" in word or shape.search(word):
            found.setdefault(match.start(), word)
    names = dict.fromkeys(_SEPARATORS.sub(".", found[place]) for place in sorted(found) if found[place] not in files)
    return Mentions(tuple(names)[:MAX_NAMES], tuple(files)[:MAX_NAMES])


def dotted(name: str) -> str:
    r"""A name with dots where its language writes something else: ``Rack::Builder#call`` as ``Rack.Builder.call``,
    ``\A\B`` as ``A.B``; an operator's name (``operator->``) stays as it is."""
    return _BETWEEN.sub(".", name.removeprefix("\\").removeprefix("::"))


def find_plain_types(text: str) -> tuple[str, ...]:
    """Words of prose that may be the names of types, by their capitals alone, in the order of the text, each once.

    "The Timeout stays as it is" is about `Timeout` where the code has a class of that name: whether it has, and only
    one, is for the graph to say. A word counts where something leads to it ("every Client", "see Retry"), where
    something is stated of it ("Timeout must stay"), and where it has two capitals.
    """
    found = []
    for word, before, end in _capitalised(text):
        if word.isupper():
            # `URL` is a word of its own.
            meant = bool(_KIND_BEFORE.search(before) or _KIND_BEHIND.match(text, end))
        else:
            meant = bool(_TWO_CAPITALS.match(word)) or _is_spoken_of(text, before, end)
        if meant:
            found.append(word)
    return tuple(dict.fromkeys(found))[:MAX_NAMES]


def find_plain_constants(text: str) -> tuple[str, ...]:
    """Words in capitals alone that may be the names of constants, where one is spoken of as `find_plain_types` says:
    "ITERATIONS must stay", "the LIMIT"."""
    found = (
        word
        for word, before, end in _capitalised(text)
        if word.isupper()
        and _is_spoken_of(text, before, end)
        and not (_SHOUTED_BEFORE.search(before) or _SHOUTED_BEHIND.match(text, end))
    )
    return tuple(dict.fromkeys(found))[:MAX_NAMES]


def _capitalised(text: str) -> Iterator[tuple[str, str, int]]:
    """The words that begin with a capital and are not quoted, each with what stands before it, and where it ends."""
    quoted = _quoted(text)
    for match in _CAPITALISED.finditer(text):
        if not quoted[match.start()]:
            yield match.group(), text[max(0, match.start() - _BEFORE) : match.start()], match.end()


def _is_spoken_of(text: str, before: str, end: int) -> bool:
    """Whether something leads to a word, or is stated of it."""
    if _LEADS.search(before):
        return not _BESIDE.match(text, end)
    return bool(_STATED_OF.match(text, end)) and not _FOLLOWS.search(before)


def _quoted(text: str) -> bytearray:
    """For each character whether it is quoted: on a ``> `` line, in a fenced block, or in backticks with more than a
    name or a call."""
    marks = bytearray(len(text))
    for code in _CODE.finditer(text):
        if not _BACKTICKED.fullmatch(code.group()):
            marks[code.start() : code.end()] = b"\x01" * len(code.group())
    at = 0
    for line, quoted in _lines(text):
        if quoted:
            marks[at : at + len(line)] = b"\x01" * len(line)
        at += len(line)
    return marks


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line with its end, and whether it is quoted: after ``> ``, or in a fenced block or beside it."""
    fence = ""
    for line in text.splitlines(keepends=True):
        opened = _FENCE.match(line)
        yield line, bool(fence or opened or _QUOTE.match(line))
        if opened and not fence:
            fence = opened.group(1)
        elif opened and opened.group(1).startswith(fence) and not line[opened.end() :].strip():
            fence = ""


def _counts_quoted(match: re.Match[str], *, listed: bool) -> bool:
    """Whether what is in backticks in a quotation is a name of code: dotted, called, or shaped so and no parameter."""
    name = match.group(1)
    if name != match.group().strip("`") or _SEPARATED.search(name) or _TYPE_SHAPE.search(name):
        return True
    return bool(_CODE_SHAPE.search(name)) and not listed
