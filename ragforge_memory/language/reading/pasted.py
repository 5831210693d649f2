"""A message that a program wrote (an error, a warning, a line of a log), as somebody pastes it, and how much of it a
line of code has: what was filled in stands in no file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.questions import MAX_QUESTION
from ragforge_memory.language.reading.small_talk import NO_QUESTION, POLITE
from ragforge_memory.language.reading.wording import content_words

MAX_WORDS = 40
"""Words of a message that are looked for, from its beginning."""

_RUN = 3
# The part of a message that a line must have; of what nothing says is one, words, and the part beside a whole string.
_ENOUGH = 0.6
_UNMARKED, _HALF = 4, 0.5

_WORD = re.compile(r"\w+")
# From the first to the last mark: a message may quote in turn.
_QUOTE = re.compile(r"\"(.+)\"|“(.+)”|„(.+)[“”]|«(.+)»|`+([^`].*[^`])`+|(?<!\w)'(.+)'(?!\w)")
# "error: ", "java.sql.SQLException: ", "[ERROR] ", "fatal error: "; whose program it is may stand before.
_KIND = r"(?:fatal )?(?:\w+[.:]+)*\w*(?:error|exception|warning|fatal|panic|critical)\b(?:\[\w+\])?"
_KINDS = rf"(?:\[(?:[\w-]+ )?{_KIND}\]:?|{_KIND}:)"
_PREFIX = re.compile(rf"^(?:[\w./-]+: )?{_KINDS}(?: +{_KINDS})*\s+", re.I)
# Nothing else stands around a message that is asked about.
_AROUND_WORDS = """
what whats which where when why who how does do did is are am can could should will means mean meant come comes coming
came from raise raises raised raising throw throws thrown throwing print prints printed printing log logs logged say
says saying write writes written output outputs emit emits emitted produce produces produced show shows shown set
defined find found cause causes caused trigger triggers triggered happen happens appear appears stand stands issued
reported returned fix get gets getting got see seeing saw have having error errors message messages warning warnings
exception exceptions text string line code file function method the this that a an i we it me my to of by in at on
with for and or so please explain literal following
"""
_AROUND = frozenset(_AROUND_WORDS.split())
_SAYS_MESSAGE = re.compile(
    r"\b(?:error|message|warning|exception|gets?|getting|got|see(?:ing)?|says?|print(?:s|ed)?|log(?:s|ged)?|output"
    r"|comes? from)\b",
    re.I,
)
# The message without quotation marks in a question for it: "where does the error no filter named 'x' come from?".
_INSIDE = re.compile(
    r"^\W*(?:where (?:does|do|is)|what(?:'s| is| does| do)?|which (?:line|code|function|file)"
    r"|why (?:do|does|did|am|is))(?: (?:i|we|it|this|that))?"
    r"(?: (?:get|getting|see|seeing|prints?|raises?|throws?|says?|logs?|causes?|writes?))?"
    r"(?: (?:the|this|that|an?))?(?: (?:errors?|messages?|warnings?|exceptions?|text|line))*:? (?P<x>.+?)"
    r"(?: (?:(?:come|comes|coming) from|mean|means|raised|printed|logged|thrown|made|set|written|defined|about))?"
    r"[\s?.!]*$",
    re.I,
)
# What is filled in where a line is made: `{}`, `{name:?}`, `${name}`, `#{name}`, `%s`, `%(name)s`, `$name`.
_FILLED_IN = r"[$#]?\{[^{}\n]*\}|%\(\w+\)[a-z]|%(?:\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j)?[a-zA-Z](?!\w)|\$\w+"
_HOLE = re.compile(_FILLED_IN)
_FLAG = re.compile(r"(?<!\S)--?[A-Za-z]")
# What a message quotes in turn is mostly what was filled in.
_INNER_QUOTE = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_ESCAPED = re.compile(r"\\[nrt]")
# What three quotes enclose is documentation.
_LITERAL = re.compile(r'(?<!")"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\\n])*`')


@dataclass(frozen=True, slots=True)
class Pasted:
    """The ``text`` of a message; ``sure``: it is said to be one, and is no statement that somebody made."""

    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of a message a line has: ``exact`` all as it stands, else which ``part`` of its words in its order;
    ``whole``: a string of the line is in the message, but for what is filled in."""

    exact: bool
    part: float
    whole: bool = False


def pasted(text: str, read: Sequence[Question]) -> Pasted | None:
    """The message of a program that a text is, or asks about; None where it is something else.

    Args:
        text: what the user wrote.
        read: the questions as which it can be read.
    """
    said = " ".join(text.split())
    forms = {each.form for each in read}
    if not said or len(said) > 2 * MAX_QUESTION or forms & {"said", "recap", "taken back", "given"}:
        return None
    noted = "noted" in forms
    quoted = max((next(filter(None, each.groups())) for each in _QUOTE.finditer(said)), key=len, default="")
    if f"`{quoted}`" in said and _FLAG.search(quoted):
        return None  # a command line
    if quoted and not noted:
        around = said.replace(quoted, " ")
        # Two words may be a name in plain words, unless they are said to be a message, and no piece of code.
        least = _RUN - 1 if _SAYS_MESSAGE.search(around) and f"`{quoted}`" not in said else _RUN
        if len(_words(quoted)) >= least and _is_around(around):
            return Pasted(_without_prefix(quoted), sure=True)
    lead, colon, behind = said.partition(": ")
    if colon and _SAYS_MESSAGE.search(lead) and _is_around(lead) and len(_words(behind)) >= _RUN:
        return Pasted(_without_prefix(behind.strip("`'\"")), sure=True)
    bare = _without_prefix(said)
    if bare != said and len(_words(bare)) >= _RUN:
        return Pasted(bare, sure=True)
    inner = _INSIDE.match(said)
    if inner and _SAYS_MESSAGE.search(said.replace(inner["x"], " ")) and len(_words(inner["x"])) >= _RUN:
        return Pasted(inner["x"], sure=False)
    if noted or not forms <= {"search", "what", "show", "outline"} or POLITE.match(said):
        return None
    if len(_words(said)) < _UNMARKED or not re.match(rf"{NO_QUESTION}(?!(?:i|we|you)\b)\W*\w", said, re.I):
        return None
    return Pasted(said, sure=False)


def as_it_stands(text: str) -> str:
    """A regular expression for lines that have a message whole; to be matched case aside."""
    return rf"(?<!\w){_joined(_words(text))}(?!\w)"


def pieces_of(text: str) -> str:
    """A regular expression for lines that have a few words of a message side by side, or with something to be filled in
    between two of them; to be matched case aside."""
    words = _words(text)
    telling = [
        run
        for size in (_RUN - 1, _RUN)
        for at in range(len(words) - size + 1)
        # Of what is filled in between two words not much may be left that stands side by side.
        if len(content_words(" ".join(run := words[at : at + size]))) >= _RUN - 1
    ]
    holed = [
        rf"{re.escape(before)}\W+?(?:{_FILLED_IN})\W+{re.escape(behind)}"
        for before, _, behind in zip(words, words[1:], words[2:], strict=False)
        if content_words(f"{before} {behind}")
    ]
    runs = dict.fromkeys([*map(_joined, telling), *holed])
    return rf"(?<!\w)(?:{'|'.join(runs)})(?!\w)" if runs else as_it_stands(text)


def fitting(message: Pasted, line: str) -> Fit | None:
    """How a line has a message; None where it does not: it may be about the same, and is no part of it.

    A line has it where it has most of its words in its order, or where a whole string of it is in the message, but for
    what is filled in. What may be no message at all only such a string makes one.
    """
    asked = _lower(message.text)
    shared, exact = _shared(asked, line)
    part = shared / len(asked)
    if exact:
        return Fit(True, 1.0)
    own = _lower(_INNER_QUOTE.sub(" ", message.text)) or asked
    whole = False
    for literal in _LITERAL.findall(line):
        pieces = [_lower(each) for each in _HOLE.split(_ESCAPED.sub(" ", literal))]
        words = [word for piece in pieces for word in piece]
        whole = whole or (len(words) >= _RUN and _is_among(words, asked))
        if len(words) > 1 and len(words) >= _HALF * len(own) and _is_filled(pieces, asked):
            whole, part = True, max(part, min(1.0, len(words) / len(own)))
    has = whole or part >= _ENOUGH if message.sure else whole and part >= _HALF
    return Fit(False, part, whole) if has else None


def _shared(asked: Sequence[str], line: str) -> tuple[int, bool]:
    """How many of a message's words a line has side by side with another one of them, and whether it has all so."""
    line = _ESCAPED.sub(" ", line)
    best, exact = 0, False
    # What looks like a hole may be a word of it: "unset $HOME".
    for text in dict.fromkeys((line, _HOLE.sub(" ", line))):
        has = [each.lower() for each in _words(text, len(text))]
        blocks = SequenceMatcher(None, asked, has, autojunk=False).get_matching_blocks()
        sizes = [each.size for each in blocks if each.size > 1]
        best, exact = max(best, sum(sizes)), exact or len(asked) in sizes
    return best, exact


def _is_among(words: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether a message has words in their order, two of them at least side by side; all in lower case."""
    matcher = SequenceMatcher(None, asked, words, autojunk=False)
    sizes = [each.size for each in matcher.get_matching_blocks()]
    return sum(sizes) == len(words) and max(sizes) > 1


def _is_filled(pieces: Sequence[Sequence[str]], asked: Sequence[str]) -> bool:
    """Whether a message is these pieces in their order, from its beginning to its end, with anything between them."""
    if len(pieces) < 2:
        return False
    first, *middle, last = pieces
    at, end = len(first), len(asked) - len(last)
    if end < at or asked[:at] != first or asked[end:] != last:
        return False
    for piece in middle:
        begin = next((n for n in range(at, end - len(piece) + 1) if asked[n : n + len(piece)] == piece), None)
        if begin is None:
            return False
        at = begin + len(piece)
    return True


def _lower(text: str) -> list[str]:
    return [each.lower() for each in _words(text)]


def _words(text: str, most: int = MAX_WORDS) -> list[str]:
    return _WORD.findall(text)[:most]


def _joined(words: Sequence[str]) -> str:
    return r"\W+".join(map(re.escape, words))


def _without_prefix(text: str) -> str:
    return _PREFIX.sub("", text.strip())


def _is_around(text: str) -> bool:
    return all(word in _AROUND for word in re.findall(r"[a-z]+", text.lower().replace("'s", "").replace("’s", "")))
