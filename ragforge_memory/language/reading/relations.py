"""What is asked by way of a relation: "the callers of X", "X's superclass"."""

from __future__ import annotations

import re

from ragforge_memory.language.reading.patterns import Form

# "The code of X's caller", "where is the caller of X": who calls X, and no member of X that is called so.
_RELATIONS: tuple[tuple[Form, str], ...] = (
    ("callers", r"callers?|call ?sites?"),
    ("callees", r"callees?"),
    ("subclasses", r"subclass(?:es)?"),
    (
        "bases",
        r"superclass(?:es)?|(?:base|parent|super) ?class(?:es)?|(?:class|type|inheritance) (?:hierarchy|tree|chain)"
        r"|inheritance",
    ),
)
_RELATED: tuple[tuple[Form, re.Pattern[str]], ...] = tuple(
    (
        form,
        re.compile(
            rf"^(?:of |the |a |an |all |any )*(?:(?:(?P<its>its|their)|(?P<owner>\S+?)(?: (?:function|method|class))?"
            rf"['’]s) (?:(?:direct|only|first|own) )?(?:{words})|(?:{words}) (?:of|for) (?P<of>.+))$",
            re.I,
        ),
    )
    for form, words in _RELATIONS
)


def related(form: Form, asked: str) -> tuple[Form, str]:
    """The form and target of a question about a relation of something; others stay as they are."""
    for relation, pattern in _RELATED:
        match = pattern.match(asked.strip("?!.,; "))
        if match is not None:
            return relation, match["its"] or match["owner"] or match["of"]
    return form, asked
