"""The answer to a statement: how it is found again, and what it corrects."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragforge_memory.language.reading.prose import sentences
from ragforge_memory.language.reading.small_talk import DEED, PLAIN, SET, WHO
from ragforge_memory.language.reading.targets import is_file, names_in
from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.language.said.bare_corrections import acknowledged
from ragforge_memory.language.said.held import bare
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.language.said.to_dos import closes
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.redaction import redact
from ragforge_memory.text.excerpts import first_line

MAX_SETTLED = 3
"""Notes that the answer to a correction names."""

_MARKS = ("todo", "fyi", "note", "bug")
"""Words that begin a note, in capitals, and are no names."""
# "10 MB" has no name in it.
_UNIT = re.compile(r"(?<!\w)\d[\d.,]* ?([A-Za-z]+)\b")


def noted(text: str, note: str = "", found: Sequence[Found] = ()) -> str:
    """What is said to a statement: how it is found again, by the name in it if there is one, and what it corrects.

    Args:
        text: the statement.
        note: what it corrects of what was said right before it, if anything.
        found: what was decided before, as far as something corrects it.
    """
    told, plain = SET.match(note or text) or WHO.match(note or text), PLAIN.match(note or text)
    deed = DEED.match(text)
    # A key looks like a name, and is not kept: nothing finds it again.
    said = redact(f"{text} {note}")
    units = {*_UNIT.findall(said)}
    names = sorted((each for each in names_in(said) if each.lower() not in _MARKS and each not in units), key=is_file)
    # "The pool size is 10" has none of the words by which all that was decided is looked for.
    if told:
        names = [told["what"].strip()]
    elif deed and not names:
        names = [" ".join(content_words(deed["what"] or deed["which"]))]
    elif plain and not names:
        names = [bare(plain["what"] or plain["of_all"])]
    again = f"{NOTED} about {names[0]}` finds it again." if names else f"{NOTED}` lists it."
    return "\n".join([again, *([acknowledged(text, note)] if note else _settled(text, found))])


def _settled(text: str, found: Sequence[Found]) -> list[str]:
    """What a statement with a subject of its own corrects, or says is done."""
    said = " ".join(text.split())
    stated = {said, *sentences(said)}
    settled = [
        (each["excerpt"], each["corrected"]["excerpt"])
        for call in found
        if call.call.tool == "list_decisions" and isinstance(call.value, dict)
        for each in call.value.get("decisions") or []
        if each.get("corrected") and each["corrected"]["excerpt"] in stated
    ]
    notes = list(dict.fromkeys((closes(later, note), first_line(note)) for note, later in settled))[:MAX_SETTLED]
    return [f'This {"closes" if closed else "corrects"} what was noted before: "{note}".' for closed, note in notes]
