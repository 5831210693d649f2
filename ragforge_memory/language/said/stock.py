"""What stands for nothing in an extractive answer: what it says whatever was asked, and the items of its lists."""

from __future__ import annotations

import re

from ragforge_memory.language.said.openings import (
    BY_WORDS,
    NO_REASON,
    NOT_LOOKED_UP,
    NOT_UNDERSTOOD,
    NOTED,
    NOTHING_FOUND,
)
from ragforge_memory.text.sentences import sentences

HELP = """I answer by quoting this project's code and our conversations; I do not write or guess. Ask for instance:
- where is `NAME`? what does `NAME` do? show me `NAME`
- who calls `NAME`? what does `NAME` call?
- where is `NAME` tested, raised, caught, imported? what does `NAME` raise?
- what is the difference between `NAME` and `OTHER`?
- which classes inherit from `NAME`? what does `NAME` inherit from?
- what is in `FILE` or `FOLDER`? list the methods of `CLASS`; what does `FILE` import, or export?
- what changed in the last commit? what is not committed? who wrote `NAME`? when was it last changed?
- what changed in `FILE` or `NAME` since `v1.2`, or since last week? which version is this?
- is `NAME` deprecated? where are errors thrown? what can panic? which functions are never called?
- which interfaces are there? which functions are async? which environment variables are read?
- what are the dependencies? how do I run the tests? what is the entry point? is `NAME` thread-safe?
- which filters are there? what is decorated by `NAME`?
- which file handles TOPIC? which TOPIC classes are there? how many tests are there? what is not tested?
- an error message as it was printed: where is it made?
- which functions parse options? (a search by words)
- what did we say about TOPIC? what did we decide yesterday? is what we decided about `NAME` still true?
- which of our decisions are no longer true?
- why is `NAME` so? what did we talk about last time?
Tell me what shall be remembered: "we decided that …", "note: …", "todo: …"; "forget the note about …" takes one back.
After an answer, "it", "that function" or "the second one" work too: who calls it? show me that."""

GREETING = "Hello! Ask me about this project's code: where something is, what it does, who calls it."
THANKS = "You are welcome."
KEPT = (
    "What was said stays. Say what holds now (`we no longer …`, `actually we decided …`): the latest is told first. "
    "`forget all notes about …` takes notes back, `ragforge conversations delete` deletes a whole conversation."
)
CHANGES = (
    "I quote the code as it is now. `what changed in the last commit?`, `what changed since v1.2?` and `what is not "
    "committed?` list definitions, and what was decided about them. `has NAME changed?` tells it of what we spoke of."
)
NOT_KEPT = "Not kept: without memory, nothing that is said here is found again."
UNCLEAR = "I cannot tell what you refer to: name a function, class or file, e.g. `where is NAME?`"
NO_TOOLS = "I can only quote what tools find, and none that fits was offered for this question."
WHICH_NOTE = "Which of these do you mean? Say it with its subject, e.g. `update: the limit is 5`."

WHICH_RETRACTED = (
    "Which of these do you mean? Say more of its words (`forget the note about …`), or `forget all notes about …`."
)

NOTHING_KEPT = "What was said and decided before is not looked at: memory is off, or none of its tools is offered."

WITHOUT_A_MODEL = (
    "I find the code that a text names; to have the text itself explained takes a model (`ragforge doctor` says how)."
)

_SAID_OF_ITSELF = (NOTHING_FOUND, NOTED, NOT_UNDERSTOOD, NOT_LOOKED_UP, BY_WORDS)

_TEXTS = (CHANGES, GREETING, HELP, KEPT, NO_TOOLS, NOT_KEPT, NOTHING_KEPT, THANKS, UNCLEAR, WHICH_NOTE, WHICH_RETRACTED)
_STOCK = frozenset(sentence for text in _TEXTS for sentence in sentences(text))

# "`Command.invoke` - core.py:12 (method)", "core.py:12 (`Command`)", "src/click: 17 files": which list they are of is
# said before them.
_ITEM = re.compile(r"^(?:`[^`]+` - )?[^\s`]+:\d+\b|^\S+: \d+ files?$|^\S+\.\w+: `")
# What is said beside an answer: how a name was taken, what is left out.
_ASIDE = re.compile(
    r"(?:Did you mean `|Nothing is called |It is spelled `|I read this as |It has no documentation\.|Its code:"
    r"|Other calls as written: |… )"
)
# Lines of files that have the words are introduced in the same line: those were found.
_NOTHING = re.compile(
    rf"{NOTHING_FOUND}\b[^\n]*(?<!:)(?:\n|\Z)|{NOT_UNDERSTOOD}:|{NOT_LOOKED_UP}:"
    rf"|(?:{'|'.join(map(re.escape, (*_TEXTS, WITHOUT_A_MODEL)))})\Z"
)


def says_nothing(text: str) -> bool:
    """Whether each paragraph of an answer found nothing, or says what it says whatever was asked.

    Such an answer is about no code, whatever it names.
    """
    return all(_NOTHING.match(paragraph) for paragraph in text.strip().split("\n\n"))


def is_stock(sentence: str) -> bool:
    """Whether a sentence of an answer is one of those, says that nothing was found or how a name was taken, or is an
    item of a list of code."""
    stock = sentence in _STOCK or sentence.startswith((*_SAID_OF_ITSELF, NO_REASON))
    return stock or bool(_ITEM.match(sentence) or _ASIDE.match(sentence))
