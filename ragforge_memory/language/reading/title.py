"""A title without a model: the question of an exchange, condensed to its subject."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragforge_memory.language.reading.given_text import split_given
from ragforge_memory.language.reading.patterns import Form
from ragforge_memory.language.reading.prose import SENTENCE_OR_LINE_END
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.small_talk import POLITE, SMALL_TALK
from ragforge_memory.language.reading.targets import FOLDERS, is_marked
from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.models.text import truncated

MAX_WORDS = 8
MAX_CHARACTERS = 80
_FEW = 5

_FORMS: Mapping[Form, str] = {
    "where": "{}",
    "what": "{}",
    "show": "{}",
    "outline": "{}",
    "lines": "{}",
    "callers": "Callers of {}",
    "uses": "Uses of {}",
    "callees": "What {} calls",
    "subclasses": "Subclasses of {}",
    "said": "What was said about {}",
    "bases": "Bases of {}",
    "tests": "Tests of {}",
    "raises": "Where {} is raised",
    "imports": "Imports of {}",
    "requires": "Imports of {}",
    "overrides": "What {} overrides",
    "overridden": "Overrides of {}",
}
# What is asked about a name by these is a subject even where the name is a plain word.
_ABOUT = frozenset(
    {
        "callers",
        "uses",
        "callees",
        "subclasses",
        "said",
        "bases",
        "tests",
        "raises",
        "imports",
        "requires",
        "overrides",
        "overridden",
    }
)
# What somebody notes is a title.
_SMALL_TALK = SMALL_TALK - {"noted"}
_OPENING = re.compile(
    r"^(?:(?:how(?: (?:many|much|often|long))?|why|when|what|which|who|where|whether)(?:['’]s)?\b\s*"
    r"(?:(?:do|does|did|is|are|was|were|can|could|should|would|will|has|have|must|to)\b\s*)?"
    r"(?:(?:i|we|you|one|it|they|there)\b\s*)?"
    r"|(?:is|are|do|does|did|can|could|should|would|will|has|have)\s+(?:(?:i|we|you|one|it|there|they)\b\s*)?"
    r"|(?:i|we)\s+(?:want|need|have|would like|['’]d like)\s+(?:to\s+)?|let(?:['’]s| us)\s+"
    r"|(?:please|explain|describe|tell me|show me|give me)\s+(?:about\s+)?)",
    re.I,
)
# "How are cookies parsed?": how cookies are parsed. The participle is known by its ending, or is an everyday one.
_PASSIVE = re.compile(
    r"^(?P<how>how|where|when|why) (?P<is>is|are|was|were|gets?) "
    r"(?P<what>(?!(?:it|this|that|they|there)\b)\S+(?: \S+){0,5}?) "
    r"(?P<done>(?:\w{2,}ed|written|sent|built|made|set|kept|read|stored|run|found|known|done|chosen|shown|taken|given"
    r"|bound|drawn|held|left|lost|put|split|thrown|broken|hidden|told|meant|caught|laid|led)\b.*)$",
    re.I,
)
# "How does the pool close sockets?": how the pool closes sockets. Where the subject ends a common verb tells.
_ACTIVE = re.compile(
    r"^(?P<how>how|where|when|why) (?P<does>do|does) (?P<what>(?!(?:i|we|you|it|they|there|one)\b)"
    r"(?:(?:the|an?|our|its|this) )?\S+(?: \S+){0,3}?) "
    r"(?P<verb>break|build|cache|call|change|check|choose|close|compare|compute|connect|convert|create|deal|decide|decode"
    r"|depend|detect|encode|fail|filter|find|format|get|handle|happen|keep|know|load|log|look|make|match|merge|open|parse"
    r"|pick|print|raise|read|register|render|resolve|retry|return|run|send|sort|split|start|stop|store|support|treat|use"
    r"|validate|wait|work|write)(?P<rest>\b.*)$",
    re.I,
)
# What says nothing without its first word: "What happens when the response is not ok", "Which of our decisions hold".
_WHOLE = re.compile(r"^(?:what happen(?:s|ed)|which of|what of)\b", re.I)
# "Which functions parse options?": functions that parse options.
_WHICH = re.compile(
    r"^(?:which|what) (?P<things>(?:\w+ )?(?:functions|methods|classes|constants|modules|files|tests|places|parts))"
    r" (?!(?:do|does|did|can|could|should|would|will|has|have|had|is|in|of|to|for|i|we|you|it)\b)(?P<rest>\S+ .*|\w+)$",
    re.I,
)
_LIES = re.compile(r"(?:are|lie|live|exist)(?: there)? (?P<place>(?:in|inside|under|within|below|of) .+)$", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|this|that|these|those|my|our|your|its|some|any)\s+", re.I)
_LOOSE_ENDS = re.compile(
    r"(?:\s+(?:the|a|an|of|in|on|at|to|for|and|or|but|with|from|by|as|if|is|are|that|which|when|where|while|so|since"
    r"|because|after|before|until|than|then))+$",
    re.I,
)
_LATIN = re.compile(r"[A-Za-z]")
_ASKS = re.compile(
    r"\?|^(?:\W*(?:how|why|what|which|who|where|when|is|are|do|does|did|can|could|show|list|find|give|explain|open"
    r"|describe|read|tell)\b)",
    re.I,
)
_CLAUSE = re.compile(r"(?P<clause>(?:\S+\s+){2,}\S+[^\s,;:])[,;:]\s")
_MARKS = " \t\"'`*#>.,;:!?…()[]{}。！？，；："


def condensed(question: str) -> str:
    """At most eight words on what a question is about; '' where it says nothing (a greeting, a single "Well?").

    Args:
        question: as it was asked.
    """
    said = split_given(question)[0].strip()
    questions = read_questions(said)
    if questions and all(asked.form in _SMALL_TALK for asked in questions):
        return ""
    for asked in questions[:1]:
        if asked.form == "overview":
            return "Overview of the project"
        target = (asked.target.loose or asked.target.text).strip(_MARKS)
        if len(questions) > 1 and questions[1].text == asked.text:  # two things compared
            return as_title(f"{target} and {questions[1].target.text.strip(_MARKS)}")
        # A long question says more than the one name in it.
        short = len(content_words(asked.text)) <= _FEW
        named = asked.target.marked or asked.target.kind == "file" or asked.form in _ABOUT
        named = named or asked.target.sort in FOLDERS
        if asked.form in _FORMS and target and named and short and _ASKS.search(said):
            return as_title(_FORMS[asked.form].format(_ARTICLE.sub("", target)))
    for sentence in SENTENCE_OR_LINE_END.split(said):
        subject = POLITE.sub("", sentence.strip())
        clause = _clause(subject.rstrip(_MARKS))
        if clause:
            return as_title(clause)
        for _ in range(3):
            subject = _ARTICLE.sub("", _OPENING.sub("", subject, count=1))
        words = content_words(subject)
        # A lone word is a subject only where it can be nothing but a name; other scripts are taken as they are.
        if len(words) > 1 or any(map(is_marked, words)) or (len(subject) > 5 and not _LATIN.search(subject)):
            return as_title(subject)
    return ""


def only_greets(text: str) -> bool:
    """Whether a message greets or thanks and says nothing else, so that no title can be made of it."""
    forms = {each.form for each in read_questions(text)}
    return bool(forms) and forms <= {"greeting", "thanks"}


def _clause(said: str) -> str:
    """A question with its words put as a subject has them: "How cookies are parsed"; '' where that is not clear."""
    if _WHOLE.match(said):
        return said
    passive = _PASSIVE.match(said)
    if passive:
        return f"{passive['how']} {passive['what']} {passive['is']} {passive['done']}"
    active = _ACTIVE.match(said)
    if active:
        verb = active["verb"] if active["does"].lower() == "do" else _third_person(active["verb"])
        return f"{active['how']} {active['what']} {verb}{active['rest']}"
    which = _WHICH.match(said)
    if which:
        lies = _LIES.match(which["rest"])
        return f"{which['things']} {lies['place'] if lies else 'that ' + which['rest']}"
    return ""


def _third_person(verb: str) -> str:
    if verb.endswith("y"):
        return f"{verb[:-1]}ies"
    return f"{verb}{'es' if verb.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def as_title(text: str) -> str:
    """A text as a title: one line, without quotes and markup, at most eight words and 80 characters."""
    words = " ".join(text.split()).strip(_MARKS).split()
    kept = " ".join(words[:MAX_WORDS])
    if len(words) > MAX_WORDS:
        # The first clause, where there is a whole one.
        clause = _CLAUSE.match(kept)
        kept = _LOOSE_ENDS.sub("", clause["clause"] if clause else kept)
    kept = truncated(kept, MAX_CHARACTERS).strip(" ,;:")
    first = kept.split(" ", 1)[0]
    # An identifier keeps its case.
    return kept[:1].upper() + kept[1:] if first.isalpha() and first.islower() and " " in kept else kept
