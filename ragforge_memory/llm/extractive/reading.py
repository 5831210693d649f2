"""From a message to a question: its intent, what it is about, what was pasted below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from ragforge_memory.llm.extractive import intents
from ragforge_memory.llm.extractive.lines import PLACE
from ragforge_memory.llm.extractive.values import Intent, Pasted, Question, Target
from ragforge_memory.models.text import lines_of
from ragforge_memory.text.days import read_days, without_days
from ragforge_memory.text.forms import is_question, read_form
from ragforge_memory.text.names import KINDS
from ragforge_memory.text.words import STOP_WORDS

# Characters of a lookup, what is longer is a text to search by; and names of it that are looked up.
_LONGEST, _NAMES = 300, 2
_POLITE = re.compile(
    r"(?:(?:please|and|so|ok|okay|hey|then|now|also|but)\b,? |(?:can|could|would) you (?:please )?(?:tell me )?"
    r"|i (?:want|need) to (?:know|see) |tell me (?!about))+",
    re.I,
)
_LOOSE_END = re.compile(
    r"(?:[\s,]*\b(?:please|here|exactly|again|in (?:this|the|our) (?:project|repo|codebase)))*[\s.]*\??\s*$", re.I
)
_FILE = re.compile(
    r"(?P<file>[\w@.+/\\~-]*\w\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|[ch]|[ch]pp|cc|cs|rb|php|md|rst|txt|toml|ya?ml|json|ini"
    r"|cfg|sh|sql|html|css))(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?"
)
_NAME = re.compile(r"[$@~&\\]?\w[\w$.:#@/\\<>-]*(?:\([^()]*\))?[?!]?")
_MARKED = re.compile(
    r"`(?P<quoted>[^`\s]+)`|(?<![\w./@-])(?P<bare>\w+(?:(?:\.|::)\w\w+)+|\w*(?:[^\W_]_|[a-z][A-Z])\w+|\w+(?=\(\)))"
)
_POINTS = re.compile(
    r"(?:the )?(?:its?|th(?:is|at|ese|ose|em|ey)|(?P<nth>first|second|third|fourth|fifth|last))"
    r"(?: (?:one|function|method|class|code|result)s?)?",
    re.I,
)
_ABOUT_IT = re.compile(
    r"(?:how|why|what|when|where|which)\b.{0,40}?\b(?:does|do|is|can|did|would|should|will) (?:it|that|this)\b", re.I
)
_ORDER = ("first", "second", "third", "fourth", "fifth")
_PROJECT = frozenset({"project", "repo", "repository", "codebase", "program", "library", "."})
_LEADING = frozenset({"you", "me", "us", "with", "anything", "about", "on", "regarding", "for", "of", "that"})
_FOLDER = frozenset({"folder", "directory", "package"})
_ARTICLES = frozenset({"the", "a", "an", "this", "our", "my", "any"})
_TALK = """hi, hello, hey, hi there, good morning, good evening, thanks, thank you, thanks a lot, thx, great, perfect,
cool, nice, ok, okay, yes, no, bye, help, help me, what can you do, who are you, why, how, what, who, where, when"""
_SMALL_TALK = frozenset(" ".join(each.split()) for each in _TALK.split(","))
_FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<text>.*?)(?:^(?P=fence)[`~]*[ \t]*$|\Z)", re.M | re.S)
_FRAME = re.compile(r"File \"([^\"\n]+)\", line (\d+)|(?<![\w./@-])([\w./@+~-]{1,200}\.[a-zA-Z]{1,4}):(\d+)")
_ERROR = re.compile(
    r"^[ \t]*(?:[\w.]*(?:Error|Exception|Warning|Fault)|panic|fatal|error)\b[^:\n]{0,40}:[ \t]*(\S.*)$", re.M
)
_IN_QUOTES = re.compile(r"[\"“]([^\"“”\n]{6,200})[\"”]")
# What a program puts into a message: a value in quotes or brackets, a number, a path.
_VALUE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|<[^<>\n]*>|[({\[][^(){}\[\]\n]*[)}\]]|\S*[\d/]\S*|%\w")
_REVISION = re.compile(r"\bHEAD[\w~^]*|\b[0-9a-f]{7,40}\b|[\w/~^-][\w./~^-]*\.\.\.?[\w/~^-]*|\bv\d+(?:\.\d+)+\b")


def read(text: str, before: Sequence[str], today: date) -> Question:
    """Reads a message, given the answers ``before`` it, the newest last, and the day that it is."""
    form = read_form(text)
    # A sentence that decides may stand before a question; what has a label is all of one thing.
    if form is not None and (not is_question(text) or text.rstrip().endswith(form.text)):
        return Question(text, intents.NOTED, names=_names(text, ()), form=form)
    asked, pasted = _split(text)
    if pasted.files:
        return Question(asked, intents.IMPACT, pasted=pasted)
    quoted = _quoted(before)
    everything = Question(asked, intents.EVERYTHING_ELSE, names=_names(asked, quoted), pasted=pasted)
    if len(asked) > _LONGEST or "\n" in asked or pasted.places:
        return everything
    asked = asked[found.end() :] if (found := _POLITE.match(asked)) else asked
    plain = _LOOSE_END.sub("", asked)
    if " ".join(plain.lower().strip("!").replace(",", " ").split()) in _SMALL_TALK or not any(map(str.isalnum, asked)):
        return Question(asked, intents.SMALL_TALK)
    # "What is in this project?" is about the project; "where is X in this project?" is not.
    for text in dict.fromkeys((asked.rstrip(" .?"), plain)):
        for intent in intents.INTENTS:
            for found in filter(None, (pattern.match(text) for pattern in intent.patterns)):
                if (question := _asked(intent, text, found.groupdict().get("x") or "", quoted, today)) is not None:
                    return question
    target = None if pasted.message else read_target(plain, quoted)
    return everything if target is None else _about(intents.SHOW if any(target.lines) else intents.WHAT, plain, target)


def only_asks(text: str) -> bool:
    """Whether a message of the user's states nothing: it is a question, or looks something up."""
    return is_question(text) or read(text, (), date.today()).intent not in (intents.EVERYTHING_ELSE, intents.NOTED)


def read_target(text: str, quoted: Sequence[Target]) -> Target | None:
    """What words name: one name, file or folder, all of the code, or what the last answer quoted.

    None where they are not a name; the text of what nothing was quoted for is empty.
    """
    text = text.strip().strip("\"'“”").rstrip(",.;:").strip()
    if points := _POINTS.fullmatch(text):
        nth = (points["nth"] or "").lower()
        items = [each for each in quoted if each.kind == "item"] or quoted
        at = _ORDER.index(nth) if nth in _ORDER else -1
        meant = items[at : at + 1 or None] if nth else quoted[:1]
        return meant[0]._replace(kind="") if meant else Target("")
    words, file, kind = text.split(), "", ""
    if len(words) > 2 and words[-2] in ("in", "from", "of"):
        owner = words[-1].strip("`")
        if _FILE.fullmatch(owner) or owner.endswith("/"):
            file, words = owner, words[:-2]
        elif words[-2] == "of":
            words = [*words[:-3], f"{owner}.{words[-3].strip('`')}"]
    while len(words) > 1 and words[0].lower() in _ARTICLES:
        words = words[1:]
    for at in (0, -1):
        if len(words) == 2 and words[at] in (*KINDS, *_FOLDER, "file", "module"):
            kind = words.pop(at)
    name = words[0].strip("`") if len(words) == 1 else ""
    if found := _FILE.fullmatch(name):
        first = int(found["first"] or 0)
        return Target(found["file"], "file", lines=(first, int(found["last"] or first)))
    if name.lower() in _PROJECT:
        return Target(".", "project")
    if name.strip("/") and (kind in _FOLDER or name.endswith("/")):
        return Target(f"{name.strip('/')}/", "folder")
    if name.lower() in STOP_WORDS or not _NAME.fullmatch(name):
        return None
    return Target(name, "name", file, kind if kind in KINDS else "")


def _asked(intent: Intent, plain: str, x: str, quoted: Sequence[Target], today: date) -> Question | None:
    """The question of an intent whose form it has; None where what it is about is nothing for that intent."""
    if intent is intents.IMPACT:
        last = "HEAD" if "last commit" in plain.lower() else ""
        return Question(plain, intent, revision=found[0] if (found := _REVISION.search(plain)) else last)
    if intent is not intents.SAID:
        target = read_target(x, quoted)
        return None if target is None or target.sort not in intent.about else _about(intent, plain, target)
    words = without_days(x, today).strip(" ,.`\"'“”")
    while (first := words.partition(" "))[0].lower() in _LEADING:
        words = first[2].strip("`\"'")
    target = (read_target(words, quoted) if _POINTS.fullmatch(words) else None) or Target(words, "words")
    return replace(_about(intent, plain, target), days=read_days(plain, today))


def _about(intent: Intent, plain: str, target: Target) -> Question:
    """The question, or another one where its target asks for that: what a file is, is what is in it."""
    if not target.text and target.sort == "name":
        return Question(plain, intents.UNCLEAR)
    if target.sort in ("project", "folder") or (target.sort == "file" and intent is not intents.SHOW):
        intent = intents.OUTLINE
    return Question(plain, intent, target)


def _names(text: str, quoted: Sequence[Target]) -> tuple[Target, ...]:
    """What in a longer question can only be names of code, and what it calls "it"."""
    found = dict.fromkeys(match["quoted"] or match["bare"] for match in _MARKED.finditer(text[:2_000]))
    names = [Target(name) for name in found if not _FILE.fullmatch(name) and _NAME.fullmatch(name)]
    about_it = quoted and _ABOUT_IT.match(text)
    return tuple(names[:_NAMES] or ([quoted[0]._replace(kind="")] if about_it else []))


def _quoted(before: Sequence[str]) -> list[Target]:
    """The definitions that the newest answer with any quoted, those of its lists as of kind ``item``."""
    found = next((found for answer in reversed(before) if (found := list(PLACE.finditer(answer)))), [])
    return [Target(each["name"], "name", each["file"], "item" if each["item"] else "") for each in found]


def _split(text: str) -> tuple[str, Pasted]:
    """A message as what is asked and what was pasted: fenced blocks, else all of a text of several lines."""
    blocks = [found["text"] for found in _FENCED.finditer(text)]
    asked = _FENCED.sub("\n", text).strip() if blocks else text.strip()
    given = "\n".join(blocks) if blocks else text if "\n" in asked else ""
    places: dict[str, list[int]] = {}
    if "\n@@ -" in f"\n{given}" or "\ndiff --git " in f"\n{given}":
        heads = (each for each in pairwise(lines_of(given)) if [line[:4] for line in each] == ["--- ", "+++ "])
        names = ((old if new == "+++ /dev/null" else new)[4:].split("\t")[0] for old, new in heads)
        return asked, Pasted(files={name.removeprefix("a/").removeprefix("b/"): None for name in names})
    for found in _FRAME.finditer(given):
        places.setdefault(found[1] or found[3], []).append(int(found[2] or found[4]))
    said = _ERROR.findall(text)[-1:] or _IN_QUOTES.findall(asked)[:1]
    # Of a message that a program made up the part that stands in its code.
    pieces = [piece.strip(" ,.:;") for piece in _VALUE.split(said[0][:_LONGEST])] if said else []
    return asked or given.strip(), Pasted(places, message=max(pieces, key=len, default=""))
