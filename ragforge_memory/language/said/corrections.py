"""Which later statement of the user's corrects an earlier one: it says that it does and is about the same, or it says
another value of the same thing (see `held`), or that what was to be done is (see `to_dos`), or its answer says so (see
`bare_corrections`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from ragforge_memory.language.reading.prose import sentences
from ragforge_memory.language.reading.small_talk import LEADING, PLAIN, SET, WHO
from ragforge_memory.language.reading.targets import names_in
from ragforge_memory.language.reading.values import APPROVES, REPORTS, SAYS
from ragforge_memory.language.reading.wording import stem, subject_words
from ragforge_memory.language.said.bare_corrections import as_quoted, read_acknowledged, retracts
from ragforge_memory.language.said.held import Held, held
from ragforge_memory.language.said.to_dos import closes, done_words, to_do_words

# "Erik reviews the metrics" is against "Anna reviews the metrics" where it says that it corrects something.
_DOES = re.compile(r"(?P<who>(?-i:[A-Z][\w.-]*)) (?:now )?(?P<does>[a-z]{2,}s\b .+)", re.I)

# "We use Redis for sessions" is about sessions, and against whatever else is used for them.
_TAKES = re.compile(
    r"(?:(?:we|i)(?:['’]ve| have| should| will)? )?(?:now |only |just )?(?:use|take|run|prefer|chose|picked)"
    r" (?P<what>\S+(?: \S+){0,3}?) (?:for|as|to) (?P<purpose>[^,;:]+?)(?: now| instead)?[.! ]*$",
    re.I,
)

T = TypeVar("T")

_CORRECTS = re.compile(
    r"^(?:(?:ok(?:ay)?|so|but|and|well|hm+|wait|oh|sorry|i think|please|fyi|important)[, :;.!]+)*"
    r"(?:actually\b|from now on\b|scratch that\b|forget (?:it|that|what)\b|my mistake\b|no,"
    r"|(?:correction|update)(?: that\b| ?[:,-])"
    r"|(?:update|change|correct) (?:the|that|this|my|our) (?:last )?(?:note|decision) ?[:,-]"
    r"|never ?mind[,:]"
    r"|(?:i|we) (?:was|were) wrong\b|(?:that(?:['’]s| is) )?(?:wrong|not (?:right|true|so))[,;:.]"
    r"|we(?:['’]ve| have)? (?:changed (?:our|my) minds?|switched|moved|dropped|(?:now )?decided against)\b)"
    r"|\bno longer\b(?! than\b)",
    re.I,
)
# "We changed our mind: legacyArgs goes away" is against all that was decided of it.
_RETRACTS = re.compile(
    r"\W*(?:we(?:['’]ve| have)? changed (?:our|my) minds?|scratch that|(?:i|we) (?:was|were) wrong)\b", re.I
)
# "Anna owns it now", "the queue is Kafka now" are against what was so before.
_NOW = re.compile(r"\bnow\b", re.I)
_CONDITION = re.compile(r"\W*(?:if|unless|until|when(?:ever)?|should)\b", re.I)
_NOT = re.compile(r"\b(?:not|never|no longer|against|without|stop(?:ped)?|drop(?:ped)?)\b|n['’]t\b", re.I)
# "We no longer support Python 2" says nothing of what is said of 3.9.
_ENDS = re.compile(r"\b(?:no longer|stop(?:ped)?|drop(?:ped)?)\b", re.I)
_AMOUNT = re.compile(r"\d(?:[\w.]*\w)?")
_WORD = re.compile(r"\w+")
_LITTLE = frozenset({"we", "i", "the", "a", "an", "our", "it", "and", "no", "not", "now", "longer", "to", "that"})
_SHORT = 600  # characters of a message whose sentences are looked at one by one
_APPROVES = re.compile(APPROVES, re.I)
# "Bob owns the adapters, not Anna" is against what begins with Anna.
_INSTEAD_OF = re.compile(
    r"(?:, (?:and )?not|\binstead of|\brather than) (?:(?:the|an?|by|in|with|on) )?(?P<old>[\w.@/+-]+)", re.I
)


def correction_of(message: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The last of the user's statements that corrects a message; None where none does.

    Args:
        message: as `search_conversation` gives it; ``corrected`` is what it knows of that.
        others: more of them, in any order; what the agent said and what only asks corrects nothing.
    """
    if message["role"] != "user":
        return None
    own = [each for each in others if each["role"] == "user" and _is_later(each, message) and not is_taken_back(each)]
    # What is said once more holds again.
    note = _bare(message["excerpt"])
    since = max((each["timestamp"] for each in own if _bare(each["excerpt"]) == note), default="")
    later = [each for each in own if each["timestamp"] > since and _corrects(each["excerpt"], message["excerpt"])]
    if told := message.get("corrected"):
        later.append(told)
    return max(later, key=lambda each: str(each["timestamp"]), default=None)


def is_taken_back(message: Mapping[str, Any]) -> bool:
    """Whether the user has taken a message back; ``corrected`` is what is known of that."""
    return retracts((message.get("corrected") or {}).get("excerpt", ""))


def _is_later(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a message was said later: in a conversation by its order, else by the clock."""
    if one["conversation_id"] == other["conversation_id"] and "seq" in one and "seq" in other:
        return bool(one["seq"] > other["seq"])
    return bool(one["timestamp"] > other["timestamp"])


def may_correct(text: str) -> bool:
    """Whether a statement may be against an earlier one, by its words alone."""
    return any(_says_so(said) or held(said) is not None or done_words(said) for said in _statements(text))


class Corrections(Generic[T]):
    """What corrects earlier statements, met from the newest message back: of each note the last correction is known.

    Messages that correct nothing cost a look at their words, so all of an owner's may be met.
    """

    def __init__(self) -> None:
        self._met: list[tuple[str, T]] = []
        # Each with where it stands in what was met.
        self._stated: dict[str, list[tuple[str, int]]] = {}
        self._held: dict[frozenset[str], list[tuple[Held, int]]] = {}
        self._done: dict[str, list[tuple[str, int]]] = {}
        self._acknowledged: dict[str, int] = {}
        self._taken_back: set[str] = set()
        self._said: dict[str, int] = {}

    def of(self, text: str) -> tuple[str, T] | None:
        """What corrects a statement of the user's, and where it stands; None where nothing met so far does.

        Args:
            text: the statement, from before all that was met.
        """
        later = [self._acknowledged.get(as_quoted(text))]
        for begins in _beginnings(text):
            stated = self._stated.get(begins, ())
            later.append(next((at for said, at in stated if _is_against(said, text)), None))
        for word in to_do_words(text):
            later.append(next((at for said, at in self._done.get(word, ()) if closes(said, text)), None))
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
            for said, note in read_acknowledged(text):
                if as_quoted(said) not in self._taken_back:
                    self._acknowledged.setdefault(note, len(self._met))
                    self._met.append((said, place))
                if retracts(said):
                    self._taken_back.add(note)
            return
        if role != "user" or as_quoted(text) in self._taken_back:
            return
        for said in _statements(text):
            at = len(self._met)
            self._met.append((said, place))
            self._said.setdefault(_bare(said), at)
            if _says_so(said):
                for begins in _beginnings(said) | {*_replaced(said)}:
                    self._stated.setdefault(begins, []).append((said, at))
            for word in done_words(said)[:1]:
                self._done.setdefault(word, []).append((said, at))
            if (value := held(said)) is not None:
                self._held.setdefault(value.subject, []).append((value, at))


def _statements(text: str) -> list[str]:
    """A message, and where it is short each of its sentences too: "Thanks! Update: the port is 9090"."""
    if len(text) > _SHORT:
        return [text]
    parts = sentences(" ".join(text.split()))
    return [text, *(parts if len(parts) > 1 else ())]


def _corrects(text: str, note: str) -> bool:
    """Whether a later statement corrects a note: it says so and is about the same, has another value for it, or says
    that it is done."""
    earlier = held(note)
    for said in _statements(text):
        value = held(said) if earlier is not None else None
        if (_says_so(said) and _is_against(said, note)) or (value and earlier and value.instead_of(earlier)):
            return True
        if closes(said, note):
            return True
    return False


def _bare(text: str) -> str:
    """A statement without what leads to it and ends it."""
    return LEADING.sub("", " ".join(text.lower().split())).rstrip(".! ")


def _says_so(text: str) -> bool:
    """Whether a statement says of itself that it corrects something; "No, that is fine" does not, nor does an if
    or the report of a bug."""
    if text.rstrip().endswith("?") or _CONDITION.match(text) or not (_CORRECTS.search(text) or _is_so_now(text)):
        return False
    said = LEADING.sub("", text)
    if REPORTS.match(said):
        return False
    states = SAYS.match(said)
    return states is None or not _APPROVES.match(states["what"])


def _is_so_now(text: str) -> bool:
    return bool(_NOW.search(text)) and any(form.match(text) for form in (SET, PLAIN, WHO))


def _is_against(text: str, note: str) -> bool:
    """Whether what says that it corrects something is about the same as a note, and says anything else of it.

    Both begin with the same word of weight and have half of their words in common ("the read timeout is 20" is not
    about the connect timeout), name the same thing where both name one before a verb ("the auth service", "the billing
    service"), and say of it what it is, or what it has.
    """
    first, second = (subject_words(LEADING.sub("", each)) for each in (text, note))
    if not first or not second:
        return False
    who, takes = (_done_by(text), _done_by(note)), (_taken_for(text), _taken_for(note))
    for now, before in (who, takes):
        if now and before and now[0] != before[0] and now[1] == before[1]:
            return True
    if takes[0] and takes[1] and {*takes[0][1]}.isdisjoint(takes[1][1]):
        return False  # one thing is used for this and for that
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
    if _ENDS.search(text) and {*_AMOUNT.findall(text)} and {*_AMOUNT.findall(text)}.isdisjoint(_AMOUNT.findall(note)):
        return False
    one, other = SAYS.match(LEADING.sub("", text)), SAYS.match(LEADING.sub("", note))
    if one is None or other is None:
        return len({*first} & {*second}) > 1 or {*first} <= {*second} or _is_said_alike(text, note)
    whose, others = {*subject_words(one["subject"])}, {*subject_words(other["subject"])}
    if whose - others and others - whose:
        return False
    return {_verb(one), _verb(other)} != {"is", "has"}


def _is_said_alike(text: str, note: str) -> bool:
    """Whether two statements have a word in common that is of no weight: "deploys happen on Monday" is no answer to "we
    do not deploy from laptops"."""
    words = ({*_WORD.findall(LEADING.sub("", said).lower())} - _LITTLE for said in (text, note))
    return len(set.intersection(*({stem(word) for word in each} for each in words))) > 1


def _beginnings(text: str) -> set[str]:
    """The words by which a statement and what corrects it are found: those that they begin with."""
    told = [pair[1] for pair in (_done_by(text), _taken_for(text)) if pair]
    return {*subject_words(LEADING.sub("", text))[:1], *(word for words in told for word in words[:1])}


def _done_by(text: str) -> tuple[str, list[str]] | None:
    """Who does something, and the stems of what that is; None where nobody is said to."""
    says = _DOES.match(LEADING.sub("", text))
    return (says["who"].lower(), subject_words(says["does"])) if says else None


def _taken_for(text: str) -> tuple[str, list[str]] | None:
    """What is used, and the stems of what it is used for: "we use Redis for sessions"; None where it is not said."""
    says = _TAKES.match(LEADING.sub("", text))
    return (says["what"].lower(), subject_words(says["purpose"])) if says and subject_words(says["purpose"]) else None


def _replaced(text: str) -> tuple[str, ...]:
    """The stems of what a statement names as no longer so: ", not Anna"."""
    return tuple(word for found in _INSTEAD_OF.finditer(text) for word in subject_words(found["old"]))


def _verb(states: re.Match[str]) -> str:
    """What kind of verb a statement has: ``is``, ``has`` or another."""
    verb = states["verb"].lower()
    return "is" if verb in ("is", "are", "was", "were", "s", "re") else "has" if verb in ("has", "have") else verb


def _negated(text: str) -> bool:
    return bool(_NOT.search(text))
