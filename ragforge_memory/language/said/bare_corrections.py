"""Which statement corrects what was noted or quoted right before it: it says so, and is about nothing else.

"No, 30 seconds" has no subject of its own. The answer to it says what it corrects, so that a search for the one finds
the other.
"""

from __future__ import annotations

import re

from ragforge_memory.language.reading.small_talk import NO_QUESTION, TAKEN_BACK, THANKS
from ragforge_memory.language.reading.talk_patterns import PARTS
from ragforge_memory.language.reading.values import APPROVES, BARE_VALUE, REPORTS, SAYS
from ragforge_memory.language.reading.wording import subject_words
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.text.excerpts import first_line

MAX_CORRECTION = 200
"""Characters of a correction that is understood by what was said before it; longer ones say what they are about."""

_ACKNOWLEDGED = re.compile(r'^"(?P<said>.+)" (?P<does>corrects|takes back) "(?P<note>.+)"\.$', re.M)
_OPENING = re.compile(
    r"(?:(?P<no>nope|no|actually|sorry|correction|update(?= ?:)|scratch that|my mistake|(?:i|we) (?:was|were) wrong"
    r"|(?:we|i)(?:['’]ve| have)? changed (?:our|my) minds?)"
    # "Wrong window" is about something else.
    r"|(?P<wrong>(?:(?:(?:that|this|it|which)(?:['’]s| is| was) )(?:wrong|incorrect|outdated"
    rf"|(?:not|no longer) {PARTS['holds']}(?: any ?more)?)"
    r"|(?:that|this|it) (?:no longer|(?:does|do)(?: not|n['’]t)) (?:hold|appl(?:y|ies)|stand)s?\b"
    r"|(?:wrong|incorrect|outdated)(?=[,;:.!]|$)))"
    r"|ok(?:ay)?|so|but|and|well|oh|oops|wait(?=[,;:.!])|hm+|i think)"
    r"(?:[ ,:;.!-]+|$)",
    re.I,
)
# "No" is about the last answer; these are about whatever was decided before.
_TAKES_BACK = re.compile(
    r"(?:(?:ok(?:ay)?|so|but|and|well|sorry)[, ]+)*(?:(?:we|i)(?:['’]ve| have)? changed (?:our|my) minds?|my mistake"
    r"|scratch that|(?:i|we) (?:was|were) wrong)\b",
    re.I,
)
_MEANT = re.compile(
    r"(?:(?:i|we) (?:mean|meant|said)|(?:let['’]?s )?(?:make|say)(?: it| that)?|rather|only|just) ", re.I
)
# "No, leave the sessions for tomorrow" is about what is done when.
_PUT_OFF = re.compile(
    r"\b(?:for|until|till) (?:now|later|tomorrow|tonight|next \w+|another \w+"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)"
    r"|\b(?:tomorrow|later|alone|out|as (?:it|they) (?:is|are))[.! ]*$",
    re.I,
)
# "Change it to 9090" can be about nothing else.
_CHANGES_IT = re.compile(
    r"(?:please )?(?:change|correct|raise|lower|increase|reduce|update|set|make) (?:it|that|this) (?:to )?(?P<what>.+)",
    re.I,
)
_I_MEANT = re.compile(r"(?:sorry[,.]? )?(?:i|we) (?:mean|meant) ", re.I)
_INSTEAD = re.compile(r" instead[.! ]*$", re.I)
_PRONOUN = re.compile(r"(?:it|that|this|they|those|these)['’]?", re.I)
# "Update: it counts them" says that it corrects, and of what only by "it".
_OF_IT = re.compile(
    r"(?:(?:no|nope|wait|sorry|actually|oh)[,.!:]* )*"
    r"(?:update|correction) ?: ?(?:it|they|(?:that|this)(?= (?:is|was|do|does)\b|['’]s))\b"
    r"(?! (?:still|works?|holds?|stands?|helps?|pass(?:es)?)\b)",
    re.I,
)
_APPROVES = re.compile(APPROVES, re.I)
# "We use Memcached now" is about what was chosen before, whatever that is called.
_CHOICE = (
    r"(?:use|take|keep|prefer|need|stay (?:at|with|on)|stick (?:to|with)|go with|switch(?:ed)? to|moved? to|chose"
    r"|choose)"
)
_CHOOSES = re.compile(
    rf"(?:let['’]?s|(?:we|i)(?:['’]ve| have| should| will)?) (?:(?:now|just|rather) )?{_CHOICE} (?P<what>.+)", re.I
)
# "No, keep Node 18", with "we" left out.
_ORDERS = re.compile(
    r"(?:please )?(?:keep|leave|use|take|drop|prefer|stay (?:at|with|on)|stick (?:to|with)|go with|do not|don['’]t) "
    r"(?P<what>.+)",
    re.I,
)
_ONE_THING = re.compile(
    r"(?!(?:it|that|this|they|those|these|both|none|all)\b)[\w.@/+-]+(?: [\w.@/+-]*[\w/+])?[.!]?", re.I
)
# "No, in local time" takes the place of what stands behind the same word: "stored in UTC".
_PLACED = re.compile(
    r"(?P<by>in|on|at|by|per|with|from|to|via|under|through|as|after|before|into)"
    r" (?!(?:general|fact|case|principle|particular|short|this|that|my|your|it|all|least|now|me|you|second|far|usual|be"
    r"|pleasure|what|course|the (?:way|moment|meantime|morning|afternoon|evening|meeting)|lunch|vacation|holiday|i)\b)"
    # A sentence of its own says something else: "in staging it works".
    r"(?:(?!(?:it|i|we|you|he|she|they|is|are|was|were|works?|fails?|failed)\b)\S+(?: |$)){1,6}",
    re.I,
)
_CHOSEN = re.compile(rf"\b{_CHOICE}\b", re.I)


def changes_mind(text: str) -> bool:
    """Whether a text says that something else holds now, so that it may be about any note before."""
    return bool(_TAKES_BACK.match(text) or _INSTEAD.search(text))


def corrects(text: str, note: str) -> bool:
    """Whether what is said right after a note corrects it: it says so, and is about nothing else."""
    said = " ".join(text.split())
    if "?" in said or len(said) > MAX_CORRECTION:
        return False
    if changes := _CHANGES_IT.fullmatch(said):
        return BARE_VALUE.fullmatch(changes["what"]) is not None
    # "I meant 128" and "let's use Redis instead" need no "no".
    begins, sentence = bool(_I_MEANT.match(said) or (_CHOOSES.match(said) and _INSTEAD.search(said))), False
    while opening := _OPENING.match(said):
        if opening["wrong"]:
            return True
        begins, said = begins or bool(opening["no"]), said[opening.end() :]
        sentence = opening[0].rstrip().endswith((".", "!"))
    if not begins or THANKS.match(said) or not (is_amount(said) or re.match(NO_QUESTION, said, re.I)):
        return False
    meant = _MEANT.match(said)
    said = said[meant.end() :] if meant else said
    if chooses := _CHOOSES.fullmatch(said):
        what = _INSTEAD.sub("", chooses["what"])
        return bool(_CHOSEN.search(note) and (BARE_VALUE.fullmatch(what) or _ONE_THING.fullmatch(what)))
    have = {*subject_words(note)}
    if orders := _ORDERS.fullmatch(said):
        return not _PUT_OFF.search(orders["what"]) and bool({*subject_words(orders["what"])} & have)
    states = SAYS.match(said)
    placed = _PLACED.fullmatch(said) if states is None else None
    if placed and re.search(rf"\b{placed['by']} \S", note, re.I):
        return True
    if states is None and _OF_IT.match(text):
        return not REPORTS.match(said)
    if states is None or is_amount(said):  # "May 3"
        own, value = {*subject_words(said)}, BARE_VALUE.fullmatch(said)
        # What begins a sentence is written like a name.
        stands = value is not None and bool(value["quantity"] or not sentence or meant)
        return stands and (own <= have or not own & have)
    if REPORTS.match(said):
        return False
    subject = states["subject"].strip()
    if _PRONOUN.fullmatch(subject):
        # "Sorry, it was my network" tells what has happened.
        past = states["verb"].lower() in ("was", "were")
        return bool(BARE_VALUE.fullmatch(states["what"])) if past else not _APPROVES.match(states["what"])
    own = {*subject_words(subject)} or {*subject_words(states["what"])} & have
    return bool(own) and own <= have


def is_amount(text: str) -> bool:
    """Whether a text says how much something is, and nothing else: "no, 20 MB"."""
    said = " ".join(text.split())
    while opening := _OPENING.match(said):
        said = said[opening.end() :]
    value = BARE_VALUE.fullmatch(said)
    return value is not None and bool(value["quantity"])


def acknowledged(text: str, note: str) -> str:
    """What the answer to a correction says of it and of the note that it corrects."""
    return f'"{first_line(text)}" corrects "{as_quoted(note)}".'


def read_acknowledged(answer: str) -> list[tuple[str, str]]:
    """What an answer says that the user has corrected or taken back: in which words, and which note."""
    told = _ACKNOWLEDGED.finditer(answer) if answer.startswith(NOTED) else ()
    return [(each["said"], each["note"]) for each in told]


def took_back(answer: str) -> bool:
    """Whether an answer says that something was taken back."""
    told = _ACKNOWLEDGED.search(answer) if answer.startswith(NOTED) else None
    return told is not None and told["does"] != "corrects"


def retracts(text: str) -> bool:
    """Whether a text takes something back and says nothing else: what it took back neither holds nor corrects."""
    return TAKEN_BACK.match(text) is not None


def is_note(text: str, note: str) -> bool:
    """Whether a text is the note that an answer has quoted."""
    return as_quoted(text) == note


def as_quoted(note: str) -> str:
    """A note as the answer to what corrects it quotes it: its first line that says something."""
    first, _, rest = note.strip().partition("\n")
    # "note:" and a line break says nothing yet.
    return first_line(first if len(subject_words(first)) > 1 or not rest else " ".join(note.split()))
