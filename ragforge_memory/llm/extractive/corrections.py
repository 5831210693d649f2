"""Which later statement of the user's corrects an earlier one: it says that it does and is about the same, or it says
another value of the same thing (see `held`).

What has no subject of its own ("no, 30 seconds") corrects what was noted or quoted right before it. The answer to it
says what that is, so that a search for the one finds the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from ragforge_memory.llm.extractive.echoes import NOTED
from ragforge_memory.llm.extractive.held import Held, held
from ragforge_memory.llm.extractive.questions import names_in, sentences
from ragforge_memory.llm.extractive.quoting import shortened
from ragforge_memory.llm.extractive.small_talk import LEADING, NO_QUESTION, THANKS
from ragforge_memory.llm.extractive.talk_patterns import PARTS
from ragforge_memory.llm.extractive.values import APPROVES, BARE_VALUE
from ragforge_memory.llm.extractive.wording import content_words, stem
from ragforge_memory.llm.port import ChatMessage

T = TypeVar("T")

MAX_CORRECTION = 200
"""Characters of a correction that is understood by what was said before it; longer ones say what they are about."""

_CORRECTS = re.compile(
    r"^(?:(?:ok(?:ay)?|so|but|and|well|hm+|sorry|i think|please|fyi|important)[, :;.!]+)*"
    r"(?:actually\b|from now on\b|scratch that\b|forget (?:it|that|what)\b|my mistake\b|no,"
    r"|(?:correction|update)(?: that\b| ?[:,-])"
    r"|(?:i|we) (?:was|were) wrong\b|(?:that(?:['’]s| is) )?(?:wrong|not (?:right|true|so))[,;:.]"
    r"|we(?:['’]ve| have)? (?:changed (?:our|my) minds?|switched|moved|dropped)\b)"
    r"|\bno longer\b(?! than\b)",
    re.I,
)
# What a note is made of, whatever it is about.
_WORDING_WORDS = """
decided agreed chose chosen settled concluded note remember record decision reminder correction update fyi todo bug
idea keep stick stay bear mind wrong mistake changed scratch longer plan rule never always prefer switched moved dropped
support right true
"""
_WORDING = frozenset(_WORDING_WORDS.split())

_ACKNOWLEDGED = re.compile(r'^"(?P<said>.+)" corrects "(?P<note>.+)"\.$', re.M)
_QUOTED_NOTE = re.compile(r"^- You, .*, message \w+:\n {2}> (?P<note>.+)", re.M)
_OPENING = re.compile(
    r"(?:(?P<no>nope|no|actually|sorry|correction|scratch that|my mistake|(?:i|we) (?:was|were) wrong)"
    r"|(?P<wrong>(?:(?:that|this|it|which)(?:['’]s| is| was) )?(?:wrong|incorrect|outdated"
    rf"|(?:not|no longer) {PARTS['holds']}(?: any ?more)?))|ok(?:ay)?|so|but|and|well|oh|oops"
    r"|wait(?=[,;:.!])|hm+|i think)"
    r"(?:[ ,:;.!-]+|$)",
    re.I,
)
_MEANT = re.compile(
    r"(?:(?:i|we) (?:mean|meant|said)|(?:let['’]?s )?(?:make|say)(?: it| that)?|rather|only|just) ", re.I
)
_I_MEANT = re.compile(r"(?:sorry[,.]? )?(?:i|we) (?:mean|meant) ", re.I)
_SAYS = re.compile(
    r"(?P<subject>[^,;:]*?)(?:\b|(?<=['’]))(?P<verb>s|re|is|are|was|were|stays?|remains?|becomes?|should|must|shall|will"
    r"|has|have|may|can|needs?|uses?)\b (?P<what>.+)",
    re.I,
)
# "We changed our mind: legacyArgs goes away" is against all that was decided of it.
_RETRACTS = re.compile(
    r"\W*(?:we(?:['’]ve| have)? changed (?:our|my) minds?|scratch that|(?:i|we) (?:was|were) wrong)\b", re.I
)
_CONDITION = re.compile(r"\W*(?:if|unless|until|when(?:ever)?|should)\b", re.I)
_NOT = re.compile(r"\b(?:not|never|no longer|against|without|stop(?:ped)?|drop(?:ped)?)\b|n['’]t\b", re.I)
_AMOUNT = re.compile(r"\d[\w.]*")
_SHORT = 600  # characters of a message whose sentences are looked at one by one
_PRONOUN = re.compile(r"(?:it|that|this|they|those|these)['’]?", re.I)
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
# "Bob owns the adapters, not Anna" is against what begins with Anna.
_INSTEAD_OF = re.compile(
    r"(?:, (?:and )?not|\binstead of|\brather than) (?:(?:the|an?|by|in|with|on) )?(?P<old>[\w.@/+-]+)", re.I
)
_CHOSEN = re.compile(rf"\b{_CHOICE}\b", re.I)


def noted_before(earlier: Sequence[ChatMessage], *, quoted: bool = True) -> tuple[str, ...]:
    """The notes that the last answer was about: the one that it acknowledged, or those that it quoted.

    Args:
        earlier: the messages before, oldest first.
        quoted: whether those that it only quoted count.
    """
    at = max((n for n, each in enumerate(earlier) if each.role == "assistant" and each.content.strip()), default=-1)
    if at < 0:
        return ()
    answer = earlier[at].content
    if not answer.startswith(NOTED):
        return tuple(dict.fromkeys(match["note"] for match in _QUOTED_NOTE.finditer(answer))) if quoted else ()
    corrected = _ACKNOWLEDGED.search(answer)
    told = corrected["note"] if corrected else next((x.content for x in reversed(earlier[:at]) if x.role == "user"), "")
    return (told,) if told.strip() else ()


def corrects(text: str, note: str) -> bool:
    """Whether what is said right after a note corrects it: it says so, and is about nothing else."""
    said = " ".join(text.split())
    if "?" in said or len(said) > MAX_CORRECTION:
        return False
    # "I meant 128" needs no "no".
    begins, sentence = bool(_I_MEANT.match(said)), False
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
        what = chooses["what"]
        return bool(_CHOSEN.search(note) and (BARE_VALUE.fullmatch(what) or _ONE_THING.fullmatch(what)))
    have = {*subject_words(note)}
    if orders := _ORDERS.fullmatch(said):
        return bool({*subject_words(orders["what"])} & have)
    states = _SAYS.match(said)
    if states is None or is_amount(said):  # "May 3"
        own, value = {*subject_words(said)}, BARE_VALUE.fullmatch(said)
        # What begins a sentence is written like a name.
        stands = value is not None and bool(value["quantity"] or not sentence or meant)
        return stands and (own <= have or not own & have)
    subject = states["subject"].strip()
    if _PRONOUN.fullmatch(subject):
        return not _APPROVES.match(states["what"])
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
    return f'"{shortened(text)}" corrects "{_as_quoted(note)}".'


def read_acknowledged(answer: str) -> tuple[str, str] | None:
    """The correction and the note that an answer acknowledges; None where it acknowledges none."""
    told = _ACKNOWLEDGED.search(answer) if answer.startswith(NOTED) else None
    return (told["said"], told["note"]) if told else None


def is_note(text: str, note: str) -> bool:
    """Whether a text is the note that an answer has quoted."""
    return _as_quoted(text) == note


def _as_quoted(note: str) -> str:
    first, _, rest = note.strip().partition("\n")
    # "note:" and a line break says nothing yet.
    return shortened(first if len(subject_words(first)) > 1 or not rest else " ".join(note.split()))


def correction_of(message: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The last of the user's statements that corrects a message; None where none does.

    Args:
        message: as `search_conversation` gives it; ``corrected`` is what it knows of that.
        others: more of them, in any order; what the agent said and what only asks corrects nothing.
    """
    if message["role"] != "user":
        return None
    own = [each for each in others if each["role"] == "user" and _is_later(each, message)]
    # What is said once more holds again.
    note = _bare(message["excerpt"])
    since = max((each["timestamp"] for each in own if _bare(each["excerpt"]) == note), default="")
    later = [each for each in own if each["timestamp"] > since and _corrects(each["excerpt"], message["excerpt"])]
    if told := message.get("corrected"):
        later.append(told)
    return max(later, key=lambda each: str(each["timestamp"]), default=None)


def _is_later(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a message was said later: in a conversation by its order, else by the clock."""
    if one["conversation_id"] == other["conversation_id"] and "seq" in one and "seq" in other:
        return bool(one["seq"] > other["seq"])
    return bool(one["timestamp"] > other["timestamp"])


class Corrections(Generic[T]):
    """What corrects earlier statements, met from the newest message back: of each note the last correction is known.

    Messages that correct nothing cost a look at their words, so all of an owner's may be met.
    """

    def __init__(self) -> None:
        self._met: list[tuple[str, T]] = []
        # Each with where it stands in what was met.
        self._stated: dict[str, list[tuple[str, int]]] = {}
        self._held: dict[frozenset[str], list[tuple[Held, int]]] = {}
        self._acknowledged: dict[str, int] = {}
        self._said: dict[str, int] = {}

    def of(self, text: str) -> tuple[str, T] | None:
        """What corrects a statement of the user's, and where it stands; None where nothing met so far does.

        Args:
            text: the statement, from before all that was met.
        """
        later = [self._acknowledged.get(_as_quoted(text))]
        if words := subject_words(text):
            stated = self._stated.get(words[0], ())
            later.append(next((at for said, at in stated if _is_against(said, text)), None))
        if (value := held(text)) is not None:
            later.append(next((at for own, at in self._held.get(value.subject, ()) if own.instead_of(value)), None))
        # What is said once more holds again.
        again = self._said.get(_bare(text), len(self._met))
        known = [at for at in later if at is not None and at < again]
        return self._met[min(known)] if known else None

    def meet(self, role: str, text: str, place: T) -> None:
        """Takes note of the next older message.

        Args:
            role: whose it is; of the agent's only acknowledgements of corrections count.
            text: all of it.
            place: what is to be known of it.
        """
        if role == "assistant":
            if (told := read_acknowledged(text)) is not None:
                self._acknowledged.setdefault(told[1], len(self._met))
                self._met.append((told[0], place))
            return
        if role != "user":
            return
        for said in _statements(text):
            at = len(self._met)
            self._met.append((said, place))
            self._said.setdefault(_bare(said), at)
            if _says_so(said) and (words := subject_words(said)):
                for begins in {words[0], *_replaced(said)}:
                    self._stated.setdefault(begins, []).append((said, at))
            if (value := held(said)) is not None:
                self._held.setdefault(value.subject, []).append((value, at))


def _statements(text: str) -> list[str]:
    """A message, and where it is short each of its sentences too: "Thanks! Update: the port is 9090"."""
    if len(text) > _SHORT:
        return [text]
    parts = sentences(" ".join(text.split()))
    return [text, *(parts if len(parts) > 1 else ())]


def _corrects(text: str, note: str) -> bool:
    """Whether a later statement corrects a note: it says so and is about the same, or has another value for it."""
    earlier = held(note)
    for said in _statements(text):
        value = held(said) if earlier is not None else None
        if (_says_so(said) and _is_against(said, note)) or (value and earlier and value.instead_of(earlier)):
            return True
    return False


def _bare(text: str) -> str:
    """A statement without what leads to it and ends it."""
    return LEADING.sub("", " ".join(text.lower().split())).rstrip(".! ")


def _says_so(text: str) -> bool:
    """Whether a statement says of itself that it corrects something; "No, that is fine" does not, nor does an if."""
    if text.rstrip().endswith("?") or _CONDITION.match(text) or not _CORRECTS.search(text):
        return False
    states = _SAYS.match(LEADING.sub("", text))
    return states is None or not _APPROVES.match(states["what"])


def _is_against(text: str, note: str) -> bool:
    """Whether what says that it corrects something is about the same as a note, and says anything else of it.

    Both begin with the same word of weight and have half of their words in common ("the read timeout is 20" is not
    about the connect timeout), name the same thing where both name one before a verb ("the auth service", "the billing
    service"), and say of it what it is, or what it has.
    """
    first, second = subject_words(text), subject_words(note)
    if not first or not second:
        return False
    if first[0] != second[0]:
        # "Bob owns the adapters, not Anna" is against "Anna owns the adapters", and not what she has besides.
        replaced = {*_replaced(text)}
        rest = {*second} - replaced - {*_replaced(note)}
        return second[0] in replaced and 2 * len(rest & {*first}) >= len(rest)
    if _RETRACTS.match(text) and {*names_in(text)} & {*names_in(note)}:
        return True
    # Of the same code: what must not be done, and that it may be, whatever else is said of it.
    if {*names_in(text)} & {*names_in(note)} and len({*first} & {*second}) > 1 and _negated(text) != _negated(note):
        return True
    if 2 * len({*first} & {*second}) < max(len(first), len(second)):
        return False
    if {*first, *_AMOUNT.findall(text)} <= {*second, *_AMOUNT.findall(note)} and _negated(text) == _negated(note):
        return False
    one, other = _SAYS.match(LEADING.sub("", text)), _SAYS.match(LEADING.sub("", note))
    if one is None or other is None:
        return True
    whose, others = {*subject_words(one["subject"])}, {*subject_words(other["subject"])}
    if whose - others and others - whose:
        return False
    return {_verb(one), _verb(other)} != {"is", "has"}


def _replaced(text: str) -> tuple[str, ...]:
    """The stems of what a statement names as no longer so: ", not Anna"."""
    return tuple(word for found in _INSTEAD_OF.finditer(text) for word in subject_words(found["old"]))


def _verb(states: re.Match[str]) -> str:
    """What kind of verb a statement has: ``is``, ``has`` or another."""
    verb = states["verb"].lower()
    return "is" if verb in ("is", "are", "was", "were", "s", "re") else "has" if verb in ("has", "have") else verb


def _negated(text: str) -> bool:
    return bool(_NOT.search(text))


def subject_words(text: str) -> list[str]:
    """What a statement is about, in order; numbers are what it says of that."""
    said = (each.lower() for each in content_words(text))
    return list(dict.fromkeys(stem(each) for each in said if each not in _WORDING and not each.isdigit()))
