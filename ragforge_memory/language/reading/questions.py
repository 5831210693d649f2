"""What is asked: the form of a question and its target, by general rules of English.

The patterns are in `patterns`. A question that fits none is a search for its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragforge_memory.language.reading.commit_patterns import revision_of
from ragforge_memory.language.reading.days import without_days
from ragforge_memory.language.reading.options import without_default
from ragforge_memory.language.reading.patterns import AGAIN, COMPARED, PATTERNS, Form
from ragforge_memory.language.reading.project_patterns import OF_ALL, WHOLE
from ragforge_memory.language.reading.prose import prose, sentences
from ragforge_memory.language.reading.question import Question, asked_of
from ragforge_memory.language.reading.relations import related
from ragforge_memory.language.reading.several import COMPOUND, ONLY_WHY, parts_of
from ragforge_memory.language.reading.slips import mendings
from ragforge_memory.language.reading.small_talk import (
    ANSWERS_FOR,
    HELP,
    MARKED,
    NOTED,
    POLITE,
    POLITE_THAT_ASKS,
    PRINTED,
    SET,
    SMALL_TALK,
    STATEMENTS,
    TAIL,
    UNDECIDED,
)
from ragforge_memory.language.reading.talk_patterns import PARTS
from ragforge_memory.language.reading.targets import (
    FOLDERS,
    PRONOUNS,
    Target,
    has_pronoun,
    is_file,
    is_method,
    read_target,
    with_mark,
    without_marks,
)
from ragforge_memory.language.reading.wording import content_words

MAX_QUESTION = 300
"""Characters of a sentence that is read as a question; longer ones are texts, and are searched for their words."""

MAX_SUBJECT = 5
"""Words behind "and" or "what about" that are another subject; more are a sentence."""

MAX_CHAIN = 8
"""Messages that "and X?" may go on through to the question that it repeats."""


# Of "do you remember what we said about tokens" only the tokens are searched for.
_SAID_WORDS = re.compile(
    r"\b(?:said|say|told|decided|discussed|talked|agreed|mentioned|so far|until now|today|yesterday"
    r"|recently|lately|this (?:week|month|morning|afternoon)"
    r"|(?:(?:in|during) )?(?:(?:the|our|my|this) )?(?:(?:last|previous|earlier) (?:week|month|time|session))"
    r"|(?:(?:in|during|the|our|my|this|last|previous|earlier) )+conversations?)\b",
    re.I,
)
AND_STILL = rf",?(?: and| or)? (?:is|are|does|do) (?:it|that|this|they|those) still {PARTS['holds']}\W*$"
"""What may follow a question for what was said."""

_AND_STILL = re.compile(AND_STILL, re.I)

# "URL" may be a name, and is a word as well.
_ACRONYM = re.compile(r"[A-Z]{2,5}\d?")
HOW = re.compile(r"\W*how (?:do|does|did|is|are|was|were|can|will|would|should)\b", re.I)
"""Whether a question is for how something is done or is."""

_SMALL_WORDS = frozenset(
    {"the", "a", "an", "of", "for", "in", "on", "to", "with", "and", "or", "by", "our", "all", "its", "this", "that",
     "is", "are", "being", "how", "we", "it"}
)  # fmt: skip
_WE = re.compile(r"\b(?:we|i|you|us)\b", re.I)
_HOW_SO = re.compile(
    r"(?:in|on|at|by|with|without|from|for|as|before|after|during|when|if|through|via|\w{3,}ing of)\b", re.I
)
_RELATING: frozenset[Form] = frozenset(
    {"callers", "uses", "callees", "subclasses", "bases", "tests", "raises", "throws", "catches", "imports",
     "overrides", "overridden", "decorated"}
)  # fmt: skip
_ITS = re.compile(r"['’]s$", re.I)
_WHO_HAS = re.compile(rf"^\W*who (?:now )?{ANSWERS_FOR}\b", re.I)


def read_questions(text: str, before: Sequence[str] = ()) -> tuple[Question, ...]:
    """The questions of one message, at most three.

    Args:
        text: the message.
        before: the user's earlier messages, oldest first: "and X?" repeats the form of the last question.
    """
    said = prose(text)
    if MARKED.match(said):
        note, behind = Question("noted", text=said), sentences(said)[1:]
        asked = read_question(behind[-1], before) if behind and behind[-1].endswith("?") else None
        return (note, asked) if asked is not None and asked.form not in (*SMALL_TALK, "search") else (note,)
    questions: list[Question] = []
    own = PRINTED.sub("", said)
    for sentence in _asking(said):
        searched: list[Question] = []  # of this sentence
        for part in parts_of(sentence, _is_understood):
            question = read_question(part, before)
            if question is not None and question.form == "noted" and part not in own:
                question = Question("search", Target("words", part), part)
            if question is not None and question.target.kind == "pronoun" and questions and questions[-1] in searched:
                # "What is the default size and where is it set?": what is found for the first tells both, with its
                # place; of what is not found by its name nothing else can be told.
                continue
            if question is not None and question.form == "search":
                searched.append(question)
            questions += compared(part) or ([question] if question is not None else [])
    notes = [each.text for each in questions if each.form == "noted"]  # what is told beside them explains them
    if "?" not in said and any(NOTED.match(each) or SET.match(each) for each in notes):
        questions = [each for each in questions if each.form not in ("search", "what")]
    kept = [each for each in questions if each.form not in SMALL_TALK - {"help"}] or questions
    # Sentences around a clear question set the scene; they are not searched for as well.
    return tuple(_distinct([each for each in kept if each.form != "search"] or kept[:1]))[:3]


def _is_understood(said: str) -> bool:
    found = read_question(said)
    return found is not None and found.form not in ("search", *SMALL_TALK) and not found.guessed


def read_question(text: str, before: Sequence[str] = ()) -> Question | None:
    """The question of one sentence; None for an empty one."""
    said = text.strip()
    if not said.strip("?!.,;: "):
        return Question("help") if "?" in said else None
    if len(said) > MAX_QUESTION:
        return Question("search", Target("words", said[: 4 * MAX_QUESTION]), said[: 4 * MAX_QUESTION])
    for form, pattern in STATEMENTS:
        if pattern.match(said) and not (form == "noted" and UNDECIDED.search(said)):
            return Question(form, text=said)
    if HELP.match(POLITE.sub("", said)):
        return Question("help", text=said)
    if ONLY_WHY.match(said):
        return Question("what", read_target("it"), said)
    tail = _AND_STILL.search(said)
    first = read_question(said[: tail.start()], before) if tail else None
    if first is not None and first.form == "said":
        return replace(first, text=said)
    whole = TAIL.sub("", said) or said
    for candidate in _wordings(whole):
        found = _matched(candidate)
        if found is not None:
            return found
    again = AGAIN.match(whole)
    if again:
        repeated = _repeated(again.group("x"), before)
        if repeated is not None:
            return repeated
    named = _named_or_search(POLITE.sub("", whole) or whole)
    if named.form == "search" or named.guessed:
        meant = _meant(POLITE.sub("", whole) or whole, before)
        if meant is not None:
            return meant
    # Who answers for a file no outline of it tells, if anything: what was said of it does.
    return replace(named, form="said") if named.form == "outline" and _WHO_HAS.match(whole) else named


def _meant(said: str, before: Sequence[str]) -> Question | None:
    """The question that a sentence is without a slip in its first word; None where there is none, or that is no better
    understood and nothing else says that it asks."""
    for sentence, slip in mendings(said):
        question = read_question(sentence, before)
        if question is not None and (said.endswith("?") or not (question.form == "search" or question.guessed)):
            return replace(question, slip=slip)
    return None


def compared(text: str) -> list[Question]:
    """What is each of the two things that a sentence asks the difference of; none where it asks for none."""
    if len(text) > MAX_QUESTION:
        return []
    said = POLITE.sub("", TAIL.sub("", text.strip()))
    targets = _sides(said)
    # "The difference between speed and safety" is about words; of two names one at least looks like one.
    if not any(each.marked or each.text[:1].isupper() or each.sort for each in targets):
        return []
    return [Question("outline" if each.kind == "file" else "what", each, said) for each in targets]


def _sides(said: str) -> list[Target]:
    """The two names that a sentence asks the difference of; none where it asks for none, or of something else."""
    match = next((match for pattern in COMPARED if (match := pattern.match(said))), None)
    targets = [read_target(match[side]) for side in ("x", "y")] if match else []
    return targets if all(each.kind in ("name", "file") for each in targets) else []


def plain_names(question: Question) -> tuple[str, ...]:
    """Words of a search that may be names: the only one of weight ("how login works"), or both that are compared."""
    compared = tuple(each.text for each in _sides(question.text))
    words = content_words(question.text)
    return compared or (words if len(words) == 1 and not has_pronoun(question.text) else ())


def _wordings(said: str) -> list[str]:
    """The sentence as it is where its opening matters ("tell me about"), and without politeness."""
    bare = POLITE.sub("", said) or said
    if POLITE_THAT_ASKS.match(said):
        return [said, bare]
    return [bare] if bare == said else [bare, said]


def _matched(said: str) -> Question | None:
    for form, pattern in PATTERNS:
        match = pattern.match(said)
        if match is None:
            continue
        groups = match.groupdict()
        asked = groups.get("x") or groups.get("name") or ""
        if groups.get("of"):
            asked = f"{asked} of {groups['of']}"
        if form in WHOLE or (form in OF_ALL and "x" not in groups):
            return Question(form, text=said)
        if form == "said":
            about = _SAID_WORDS.sub(" ", without_days(said)[match.start("x") : match.end("x")])
            bare = about.strip("`'\"?!., ")
            if bare.lower() in PRONOUNS:
                return Question(form, read_target(bare), said)
            topic = (bare,) if is_file(bare) else content_words(about) or tuple(bare.split())
            return Question(form, Target("words", " ".join(topic)), said)
        if form == "commit" or (form == "known by word" and content_words(asked)):  # words, whatever is called so
            return Question(form, Target("words", revision_of(groups) if form == "commit" else asked), said)
        if form == "lines":
            first, last = int(groups["first"]), int(groups["last"] or groups["first"])
            return Question(form, read_target(asked), said, min(first, last), max(first, last))
        if form in ("where", "what", "show"):
            form, asked = related(form, without_default(asked))
            # "Show me the code": of what was just spoken of.
            if f"the {asked}".lower() in PRONOUNS and re.search(rf"\bthe {asked}\W*$", said, re.I):
                asked = f"the {asked}"
        asked = _ITS.sub("", without_marks(asked)) if asked.lower() not in ("its", "it's") else "its"
        target = with_mark(read_target(asked), said)
        revision = revision_of(groups) if form == "changed" and not groups.get("day") else None
        question = _sensible(Question(form, target, said, revision=revision))
        if question is not None:
            return question
    return None


def _sensible(question: Question) -> Question | None:
    """The question where form and target go together; None where another pattern should be tried."""
    target = question.target
    match question.form:
        case "known by word":
            return None  # of no word that tells anything
        case "of kind":
            words = content_words(target.text) or tuple(target.text.split() if target.text[:1].isupper() else ())
            listed = replace(question, target=Target("words", " ".join(words)))
            return listed if words and listed.sorts and "test" not in listed.sorts else None
        case "files":
            if target.kind in ("name", "file") and target.marked:
                return replace(question, form="where")
            # "Help" may be what it is about.
            words = tuple(each for each in target.text.split() if each.lower() not in _SMALL_WORDS)
            return replace(question, target=Target("words", " ".join(words))) if words else None
        case "history" | "deprecated" if target.kind in ("words", "nothing"):
            # "Who wrote the long introduction?" may be known by its words alone.
            return replace(question, form="search", target=Target("words", question.text))
        case "history" if "/" in target.text and "." not in target.text.rstrip("/").rsplit("/", 1)[-1]:
            return None  # a folder: git tells lines of files
        case "changed":
            return question if target.kind in ("name", "file", "pronoun", "ordinal") else None
        case "requires" | "exports":
            return question if target.kind == "file" else None
        case "outline":
            if target.kind == "name" and question.sorts == ("test",) and target.sort not in FOLDERS:
                return replace(question, form="tests")
            if target.kind in ("name", "file", "pronoun", "ordinal"):
                return question
            return question if re.match(r"^[\w.-]+/", target.text) else None
        case form if form in _RELATING:
            # "Which database do we use?", "what runs in parallel?", "what implements caching of pages?" name nothing.
            if target.kind == "words" and (_WE.search(target.text) or _HOW_SO.match(target.text)):
                return replace(question, form="search", target=Target("words", question.text))
            if question.form in ("callers", "uses") and is_method(target.text, called=question.form == "callers"):
                return replace(question, target=replace(target, kind="name", marked=True))
            if target.kind == "file" and question.form in ("callers", "uses", "subclasses"):
                return replace(question, form="imports")  # nothing else uses a file
            # "Which functions use caching?" has no name in it: it is a search.
            if target.kind in ("words", "nothing", "plural") and not (
                target.kind == "plural" or len(target.text.split()) <= 3
            ):
                return replace(question, form="search")
            return question if target.kind != "nothing" else None
        case "where" | "what" | "show":
            if target.kind == "nothing":
                return None
            if target.kind == "file" and question.form == "what":
                return replace(question, form="outline")
            if target.kind == "words" and len(target.text.split()) > 4:
                return replace(question, form="search")
            # "Where does it catch exceptions?" asks for no definition: only its words can be looked for.
            if target.kind == "words" and has_pronoun(target.text):
                return replace(question, form="search", target=Target("words", question.text))
            return question
        case _:
            return question


def _repeated(asked: str, before: Sequence[str]) -> Question | None:
    """The last question's form, asked of something else."""
    target = read_target(asked)
    # Each in its own place: "and Y?" may itself have gone on with the question before it.
    asks = (
        questions[-1]
        for at in reversed(range(len(before)))
        if (questions := read_questions(before[at], before[max(0, at - MAX_CHAIN) : at]))
    )
    last = next((each for each in asks if each.form not in (*SMALL_TALK, "search", "recap", "overview")), None)
    if last is not None and last.form == "said":
        return _said_again(last, asked) if len(asked.split()) <= MAX_SUBJECT else None
    if target.kind in ("words", "nothing"):
        return None
    return replace(asked_of(last, target), text=asked) if last else Question("what", target, asked)


def _said_again(last: Question, asked: str) -> Question:
    """What was said of something else, or of the same on other days."""
    other = without_days(asked).strip()
    if other != asked:
        last = replace(last, text=f"{without_days(last.text).strip(' ?')} {asked}?")
    if not other:
        return last
    topic = content_words(other) or tuple(other.split())
    return replace(last, target=Target("words", " ".join(topic)))


def _named_or_search(said: str) -> Question:
    """No pattern fits: a lone name asks what it is, everything else is searched for."""
    target = read_target(said)
    if target.sort and _ACRONYM.fullmatch(target.text) and not _called(target, said):
        return Question("search", Target("words", said), said)
    # "How does OkHttpCall parse the response" asks for what does that, and not for all of OkHttpCall; nor does "how is
    # HTML escaped" for what is called HTML.
    beside = 1 if _ACRONYM.fullmatch(target.text) else 2
    if target.kind == "name" and HOW.match(said) and len(content_words(said)) > beside:
        return Question("search", Target("words", said), said)
    if target.kind in ("name", "file") and (target.marked or " " not in said.strip()):
        named = with_mark(target, said) if len(target.parts) > 1 else target
        guessed = any(each not in target.text for each in content_words(said))
        return Question("outline" if target.kind == "file" else "what", named, said, guessed=guessed)
    if target.kind in ("pronoun", "ordinal", "plural"):
        return Question("show", target, said)
    return Question("search", Target("words", said), said)


def _called(target: Target, said: str) -> bool:
    """Whether the word for what a name is stands beside it: "the URL class", no "function to parse a URL"."""
    name = re.escape(target.text)
    return bool(
        re.search(rf"\b{target.sort}\w* (?:called |named )?[`'\"]?{name}\b|\b{name}[`'\"]? {target.sort}", said, re.I)
    )


def _asking(said: str) -> list[str]:
    """The sentences that ask, else the first few."""
    parts = _rejoined(sentences(said))
    asking = [part for part in parts if part.rstrip().endswith("?")]
    return asking or parts[:3]


def _rejoined(parts: Sequence[str]) -> list[str]:
    """Sentences, those in one that only the mark of a name keeps apart: "where is save! defined?"."""
    whole: list[str] = []
    for part in parts:
        if whole and part[0].islower() and _goes_on(whole[-1], part):
            whole[-1] += f" {part}"
        else:
            whole.append(part)
    return whole


def _goes_on(begun: str, rest: str) -> bool:
    """Whether two sentences are one question, for the very name that the first ends with."""
    if not re.search(r"\w[!?]$", begun) or len(begun) + len(rest) > MAX_QUESTION:
        return False
    first, *others = COMPOUND.split(f"{begun} {rest}")
    if not others and _matched(rest) is not None:
        return False
    asked = (found.target for each in _wordings(TAIL.sub("", first)) if (found := _matched(each)))
    return any(each.kind == "name" and begun.endswith(f"{each.member}{each.text[-1]}") for each in asked)


def _distinct(questions: Sequence[Question]) -> list[Question]:
    seen: dict[tuple[Form, str], Question] = {}
    for question in questions:
        seen.setdefault((question.form, question.target.text), question)
    return list(seen.values())
