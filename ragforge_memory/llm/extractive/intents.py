"""The table: how something is asked, which tools are asked for it, what is answered."""

from __future__ import annotations

import re
from functools import partial

from ragforge_memory.llm.extractive import code, sayings, search
from ragforge_memory.llm.extractive.lines import source
from ragforge_memory.llm.extractive.values import Answer, Call, Intent, Outcomes, Question

HELP = """\
Without a model, answers are quotes of this project's code and of what was said. Ask for instance:
- where is NAME? what does NAME do? show me NAME
- who calls NAME? what does NAME call?
- what is in FILE, FOLDER or CLASS? overview of the project
- what did we decide about NAME? what did we say yesterday?
- what does this touch? (what is not committed, or a diff that is piped in)
- anything else: a search of code and conversations
Begin with `note:`, `decision:`, `rule:`, `todo:` what is to be found again; `update:`, `forget:`, `done:` change it.
After an answer, "it" and "the second one" are what it quoted."""
NOT_QUOTED = "The last answers quote no code that this could mean: give a name, as in `where is NAME`."


def _patterns(*texts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.I) for text in texts)


def _nothing(*read: Question | Outcomes) -> list[Call]:
    return []


SMALL_TALK = Intent("small talk", (), _nothing, _nothing, lambda question, found: Answer(HELP.splitlines(), echo=True))
UNCLEAR = Intent("unclear", (), _nothing, _nothing, lambda question, found: Answer([NOT_QUOTED], echo=True))
NOTED = Intent("noted", (), sayings.correction_calls, _nothing, sayings.noted)
EVERYTHING_ELSE = Intent("else", (), search.search_calls, search.decision_calls, search.search_answer)
IMPACT = Intent(
    "impact",
    _patterns(
        r"what (?:does|do|did|would|will) (?:this|these|it|my|the|our)\b(?: \w+)? (?:touch|affect|impact|break)",
        r"what (?:is|was) (?:not |un)committed|what (?:did|does) (?:the (?:last )?)?(?:commit )?\S+ change$",
        r"what(?: has| have i| did i)? changed?\b.*\b(?:commits?|diff|HEAD|working copy)\b",
        r"(?:show (?:me )?)?(?:the )?(?:impact|effects?) of\b.*(?:commit|diff|change|patch|HEAD|\.\.)",
    ),
    *(code.change_calls, _nothing, code.changes),
)
SAID = Intent(
    "said",
    _patterns(
        r"(?:what|(?:wh\w+(?: \w+)? |how )?(?:did|has|have|had)) (?:we|i|you|anyone)\b(?: \w+)? (?:sa(?:y|id)|decided?"
        r"|talk(?:ed)?|discuss(?:ed)?|agreed?|t(?:ell|old)|noted?|mention(?:ed)?)\b(?P<x>.*)$",
        r"(?:what is|(?:what|when|why) (?:was|were|has))(?: \w+){0,2} (?:said|told|decided?|discussed|agreed|noted)\b"
        r"(?P<x>.*)$",
        r"(?:(?:list|show|give|what are|which are)(?: me)? )?(?:(?:all|the|our|my|open) )*"
        r"(?:decisions|notes|rules|to-?dos)(?P<x>(?: (?:about|on|for|regarding|of|from|since)\b.*)?)$",
    ),
    *(sayings.said_calls, _nothing, sayings.said),
    about=("words",),
)
CALLERS = Intent(
    "callers",
    _patterns(
        r"(?:who|what|which \w+(?: \w+)?)(?: else)? (?:is |are )?(?:calls?|calling|uses?|using|invokes?) (?P<x>.+)$",
        r"where(?: is| are|'s|’s) (?P<x>.+?) (?:called|used|invoked)(?: from)?$",
        r"(?:\w+ ){0,4}(?:callers|usages|uses|call sites) of (?P<x>.+)$",
        r"(?:(?:what|who) are )?(?P<x>\S+?)(?:['’]s)? (?:callers|usages|call sites)$",
    ),
    *(partial(code.name_calls, "find_callers"), code.search_if_missing, partial(code.uses, code.callers)),
    about=("name",),
)
CALLEES = Intent(
    "callees",
    _patterns(
        r"(?:what|which \w+)(?: calls)? does (?P<x>.+?) (?:call|make|use|invoke)$",
        r"(?:\S+ ){0,6}(?:called by|callees of) (?P<x>.+)$",
    ),
    *(partial(code.name_calls, "find_callees"), code.search_if_missing, partial(code.uses, code.callees)),
    about=("name",),
)
OUTLINE = Intent(
    "outline",
    _patterns(
        r"what(?: is|'s|’s|s| are)(?: there)? (?:in|inside|within) (?P<x>.+)$",
        r"(?:what|which)(?: \w+){0,3} (?:does|do) (?P<x>.+?) (?:contain|define|have)$",
        r"(?:(?:what|which|list|show|give)(?: me)? )?(?:(?:all|the|an) )*(?:outline|overview|contents|functions|methods"
        r"|classes|members|files)(?: and \w+)?(?: are)?(?: there)? (?:in|of|inside) (?P<x>.+)$",
    ),
    *(code.outline_call, code.beyond_outline, code.outline),
)
WHERE = Intent(
    "where",
    _patterns(
        r"where(?: is| are|'s|’s|s| does| do| can i find)? (?P<x>.+?)(?: is| are)?"
        r"(?: (?:defined|implemented|declared|located|lives?|found))?$",
        r"(?:in )?(?:which|what) (?:file|module|line)s? (?:is|has|contains?|defines?|declares?|implements?) (?P<x>.+?)"
        r"(?: (?:defined|implemented|declared|in))?$",
        r"(?:find|locate|look up)(?: me)? (?P<x>.+)$",
    ),
    *(
        partial(code.name_calls, "read_scope", include_source=False),
        code.search_if_missing,
        partial(code.definition, code.placed),
    ),
)
SHOW = Intent(
    "show",
    _patterns(
        r"(?:show|print|display|open|read|let me see)(?: me)?"
        r"(?: (?:the )?(?:code|source|definition|body)(?: code)?(?: of| for)?)? (?P<x>.+)$",
        r"how (?:is|are) (?P<x>.+?) (?:implemented|defined|written)$",
    ),
    *(
        partial(code.name_calls, "read_scope"),
        code.search_if_missing,
        partial(code.definition, lambda scope: ["", *source(scope)]),
    ),
)
WHAT = Intent(
    "what",
    _patterns(
        r"what(?: does| do| is|'s|’s|s| are)(?: the (?:purpose|meaning|job) of)? (?P<x>.+?)(?: do| for| about)?$",
        r"how (?:does|do) (?P<x>.+?) work$",
        r"(?:explain|describe|tell me about|what about) (?P<x>.+)$",
    ),
    *(partial(code.name_calls, "read_scope"), code.search_if_missing, partial(code.definition, code.described)),
)
INTENTS = (IMPACT, SAID, CALLERS, CALLEES, OUTLINE, WHERE, SHOW, WHAT)
"""Those with forms of their own, the nearest first; what has none of them is searched for."""
