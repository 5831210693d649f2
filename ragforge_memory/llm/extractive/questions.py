"""What is asked: the form of a question and its target, by general rules of English.

The rules are patterns over how people ask about code; none knows a project. A question that fits no pattern
is a search for its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragforge_memory.llm.extractive.targets import NOTHING, Target, is_file, is_marked, read_target
from ragforge_memory.llm.extractive.wording import content_words

Form = Literal[
    "where", "what", "show", "callers", "uses", "callees", "subclasses", "outline", "overview", "lines", "said",
    "search", "greeting", "thanks", "help",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Args:
        form: what is wanted of the target.
        target: what it is about.
        text: the question as it was asked, without politeness.
        first, last: lines, for the form ``lines`` alone.
    """

    form: Form
    target: Target = NOTHING
    text: str = ""
    first: int = 0
    last: int = 0

    @property
    def sorts(self) -> tuple[str, ...]:
        """What is to be listed, where the question says: ``functions and classes`` is function, class."""
        said = self.text.replace(self.target.text, " ") if self.target.text else self.text
        found = (each.lower() for each in _PLURALS.findall(said))
        return tuple(dict.fromkeys("class" if each == "classes" else each.removesuffix("s") for each in found))


_PLURALS = re.compile(
    r"\b(functions|methods|classes|constants|variables|interfaces|structs|enums|types|traits|tests)\b", re.I
)
_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|well|now|then|and|but|also|please|thanks|great|good|cool|um+|erm?|"
    r"(?:can|could|would|will) (?:you|we)(?: please| kindly)?|do you (?:happen to )?know|i(?:'d| would)? (?:want|like|need) "
    r"(?:you )?to (?:know|see|understand|find out)|i(?: am|'m) (?:looking for|trying to find|wondering|curious)|"
    r"tell me|let me know|any idea|help me (?:find|understand)|i wonder|we need to know|quick question|question)"
    r"(?:\s*[,:!.-]+\s*|\s+))+",
    re.I,
)
_POLITE_KEEPING_ABOUT = re.compile(r"^tell me about\b|^tell me what we\b", re.I)
_TAIL = re.compile(
    r"(?:[,\s]+(?:please|thanks|thank you|for me|if you can|again|though|anyway|by the way|btw))+\s*[?.!]*$", re.I
)

_X = r"(?P<x>.+?)"
_END = r"\s*[?.!]*$"
_NOUN = (
    r"(?:function|method|class|code|scope|place|part|file|module|test|caller|one|thing|constant|variable|definition)s?"
)
_LISTED = r"(?:functions|methods|classes|constants|variables|members|definitions|symbols|tests|scopes|interfaces|structs|enums|types)"
_CALL = r"(?:calls?|calling|invokes?|invoking|runs?|triggers?|executes?|instantiates?|constructs?|creates?)"
_USE = r"(?:uses?|using|references?|referencing|refers? to|depends? (?:up)?on|relies on|rely on|imports?|consumes?|needs?|touch(?:es)?)"
_CALLED = r"(?:called|invoked|run|triggered|executed|instantiated|constructed|created)"
_USED = r"(?:used|referenced|needed|consumed|imported|depended on|relied on|referred to)"
_WHERE = r"(?:where(?:abouts)?(?:'s| is| are| was| were| do| does| did| can| could| will)?(?: (?:i|we|you|one) (?:find|see|look for|locate|define|declare|have))?)"
_DEFINED = r"(?:defined|declared|implemented|located|written|stored|found|coded|living|placed|set|assigned|introduced)"
_PLACE = (
    r"(?:in|on|at|under|inside)?\s*(?:which|what)\s+(?:source\s+)?(?:file|module|line|place|package|path|location)s?"
)

# In this order: the first pattern that fits decides.
_PATTERNS: tuple[tuple[Form, str], ...] = (
    ("said", r"(?:what|when|where|why|how|which|who|did|have|had|do|does|was|were|is|has)\b.*?\b(?:we|i|you|us|they)\b(?: ever| already| just| previously| last| once)?\s+"
             r"(?:say|said|saying|discuss|discussed|discussing|talk|talked|talking|decide|decided|conclude|concluded|agree|agreed|mention|mentioned|"
             r"ask|asked|tell|told|note|noted|write|wrote|chat|chatted|settle|settled|choose|chose|chosen|plan|planned|recall|remember)\b"
             r"(?: (?:me|us|you|that|to do|to use|last time|earlier|before))*\s*(?:about|on|regarding|concerning|of|with|for|over)?\s*(?P<x>.*?)"),
    ("said", r"(?:what|which|any|where)\b.*?\b(?:was|were|is|are|has been|have been|had been)\b\s*(?:ever |already |previously )?"
             r"(?:said|discussed|decided|concluded|agreed(?: on)?|mentioned|settled|talked about|noted)\b\s*(?:about|on|regarding|concerning|for|with)?\s*(?P<x>.*?)"),
    ("said", r"(?:what|which)(?:'s| is| was| were| are)\s+(?:our|the|my|your)\s+(?:decision|decisions|conclusion|conclusions|agreement|plan|outcome|discussion|verdict|answer)"
             r"\s*(?:we (?:made|took|reached|had))?\s*(?:about|on|regarding|concerning|for|with|of)?\s*(?P<x>.*?)"),
    ("said", r"(?:search|look (?:in|through)|check)\s+(?:the |our |my |this |previous |earlier |past )*(?:conversations?|chats?|history|discussions?|messages?)"
             r"\s*(?:for|about|on)?\s*(?P<x>.*?)"),
    ("said", r"(?:remind me|do you remember|remember)\b\s*(?:of|about|that|when|what|how|why)?\s*(?:we|i|you)?\s*(?:said|decided|discussed|talked|agreed|told you)?\s*(?:about|on|regarding)?\s*(?P<x>.*?)"),
    ("lines", r"(?:show|print|read|display|open|see|give)?\s*(?:me\s+)?lines?\s+(?P<first>\d+)(?:\s*(?:-|–|to|until|through|and)\s*(?P<last>\d+))?\s+(?:of|in|from)\s+(?P<x>\S+?)"),
    ("lines", r"(?:show|print|read|display|open|see|give|what is|what's)?\s*(?:me\s+)?(?:at\s+)?(?P<x>[\w./-]+\.\w{1,5}):(?P<first>\d+)(?:\s*[-–:]\s*(?P<last>\d+))?"),
    ("overview", r"(?:what(?:'s| is| are)?|list|show|give|which|how)\b.*?\b(?:files|modules|packages|overview|structure|layout|architecture|inside|in)\b\s*"
                 r"(?:does|do|has|have|are|is)?\s*(?:there|of|in|inside)?\s*(?:in\s+|of\s+)?(?:this|the|our|my)\s+(?:project|repo|repository|code ?base|code|package|application|library)(?:\s+(?:have|has|contain|contains|structured|organi[sz]ed|laid out|look like))?"),
    ("overview", r"(?:what files are there|(?:give me )?(?:an )?overview(?: please)?|how is (?:it|this|the (?:code|project|repo(?:sitory)?)) (?:structured|organi[sz]ed|laid out)|list (?:all )?(?:the )?files|(?:what is|what's) this (?:project|repo(?:sitory)?|code(?: ?base)?)(?: about| for)?|what does (?:this|the) (?:project|repo(?:sitory)?|code(?: ?base)?) do)"),
    ("subclasses", rf"(?:what|which|who|list|show|find)?\s*(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:{_NOUN}\s+)?(?:that\s+)?(?:inherits?|derives?|extends?|subclass(?:es)?|implements?)\s+(?:from\s+|of\s+)?{_X}"),
    ("subclasses", rf"(?:what|which|list|show|find|who)?\s*(?:me\s+)?(?:are\s+)?(?:all\s+)?(?:the\s+)?(?:subclasses|child(?:ren)?(?: classes)?|implementations|descendants|derived classes)\s+(?:of|for)\s+{_X}"),
    ("callees", rf"(?:what|which)(?:\s+(?:other|internal|project))*(?:\s+{_NOUN})?(?:\s+(?:does|do|will|would|is|are|gets?))?\s+{_X}\s+(?:(?:end up|go and|go on to)\s+)?(?:call|invoke|calling|invoking|execute|run|trigger|use|depend on|rely on|need|import|instantiate|delegate to)(?:\s+(?:internally|inside|directly|itself|on))?"),
    ("callees", rf"(?:what|which)\s+(?:other\s+)?(?:function\s+|method\s+)?calls?\s+(?:does|do|are|is)\s+{_X}\s+(?:make|made|making|doing|do|contain|perform)"),
    ("callees", rf"(?:what|which)\s+(?:other\s+)?(?:{_NOUN}\s+|calls?\s+)?(?:is|are|gets?|get)\s+(?:being\s+)?(?:{_CALLED}|{_USED}|made)\s+(?:by|from|in|inside|within)\s+{_X}"),
    ("callees", rf"(?:show|list|give|find|get|what are|which are|what're|name|see)?\s*(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?(?:callees|outgoing calls|dependencies|calls)\s+(?:made\s+|that are made\s+)?(?:of|by|from|in|inside|for)\s+{_X}"),
    ("callees", r"(?:show|list|give|find|what are)?\s*(?:me\s+)?(?P<x>its|their|that function's|\S+?['’]s)\s+(?:callees|outgoing calls|dependencies|calls)"),
    ("callers", rf"(?:who|what|which|whose|what all)(?:\s+(?:other|all))?(?:\s+{_NOUN})?(?:\s+(?:in|of)\s+(?:this|the)\s+\w+)?(?:\s+(?:is|are|all|else|actually|directly|ever|might|can|could|would))*\s+{_CALL}\s+(?:to\s+|into\s+)?{_X}"),
    ("uses", rf"(?:who|what|which)(?:\s+(?:other|all))?(?:\s+{_NOUN})?(?:\s+(?:is|are|all|else|actually|directly|ever|makes? use of|make))*\s+{_USE}\s+{_X}"),
    ("callers", rf"{_WHERE}\s+{_X}\s+(?:is |are |gets? |being |been |ever |actually )*{_CALLED}(?:\s+(?:from|in|by|anywhere|at))?"),
    ("uses", rf"{_WHERE}\s+{_X}\s+(?:is |are |gets? |being |been |ever |actually )*{_USED}(?:\s+(?:from|in|by|anywhere|at))?"),
    ("uses", rf"where\s+(?:do|does|did|can)\s+(?:we|i|you|it|they|the code|the project|people|anyone)\s+(?:call|invoke|use|reference|need|import)\s+{_X}"),
    ("callers", rf"(?:by\s+)?(?:who|whom|what|which {_NOUN})\s+(?:is|are|gets?)\s+{_X}\s+{_CALLED}(?:\s+(?:by|from|in))?"),
    ("callers", rf"(?:from where|how often|how many times|when|why)\s+(?:is|are|does|do)\s+{_X}\s+(?:get\s+)?{_CALLED}"),
    ("callers", rf"(?:show|list|give|find|get|see|what are|which are|who are|name|are there|is there)?\s*(?:me\s+)?(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+|a\s+)?(?:direct\s+)?(?:callers?|call ?sites?|incoming calls|calls)\s+(?:of|to|for|into)\s+{_X}"),
    ("uses", rf"(?:show|list|give|find|get|see|what are|which are|name|are there|is there)?\s*(?:me\s+)?(?:all\s+|any\s+)?(?:of\s+)?(?:the\s+)?(?:usages?|uses|references|dependents|users)\s+(?:of|to|for|on)\s+{_X}"),
    ("callers", r"(?:show|list|give|find|get|see|what are|who are|what about|how about|what's|who's)?\s*(?:me\s+)?(?P<x>its|their|that function's|that method's|that class's|this function's|this method's|\S+?['’]s)\s+(?:callers?|call ?sites?)"),
    ("uses", r"(?:show|list|give|find|get|see|what are|what about|how about)?\s*(?:me\s+)?(?P<x>its|their|\S+?['’]s)\s+(?:usages?|uses|references|users)"),
    ("uses", rf"(?:is|are|does|do)\s+(?:anyone|anything|anybody|something|{_X})\s+(?:even |still |ever |actually )?(?:{_USED}|{_CALLED})(?:\s+(?:anywhere|somewhere|at all|by anything|by anyone))?"),
    ("callers", rf"(?:does|do|is|are)\s+(?:anyone|anything|anybody|something|any {_NOUN})\s+(?:even |still |ever |actually )?(?:call|calling|invoke|use|using)\s+{_X}"),
    ("where", rf"(?:which|what)\s+(?:file|module|package)s?\s+(?:has|have|holds?|contains?|defines?|declares?|implements?|provides?)\s+(?:the\s+)?(?:definition of\s+|code (?:of|for)\s+|implementation of\s+)?{_X}"),
    ("where", rf"{_PLACE}\s+(?:(?:is|are|was|does|do|can i find|will i find)\s+)?{_X}(?:\s+(?:is|are|lives?|comes? from|starts?|begins?|on))*(?:\s+{_DEFINED})?(?:\s+(?:in|on|at))?"),
    ("outline", rf"(?:what|which)(?:\s+(?:\w+\s+)?{_NOUN}|\s+things|\s+definitions|\s+stuff|\s+all)*(?:\s+(?:and|or)\s+{_NOUN})?(?:'s|\s+is|\s+are|\s+does|\s+do|\s+can i find|\s+live|\s+lives|\s+exist|\s+there)*(?:\s+(?:there|defined|contained|declared|implemented|located|found))*\s+(?:inside of|inside|in|within)\s+{_X}(?:\s+(?:contain|define|have|hold))?"),
    ("outline", rf"(?:what|which)(?:\s+{_NOUN})?(?:\s+(?:and|or)\s+{_NOUN})?\s+(?:does|do)\s+(?P<x>(?:the\s+(?:file|module|folder|directory|package|class)\s+)?\S+|it|(?:this|that)\s+\w+|the \S+ (?:class|module|file|package))\s+(?:contain|define|declare|have|hold|include|export|offer|provide|consist of)"),
    ("outline", rf"(?:show|give|print|list|get|see|display)?\s*(?:me\s+)?(?:an?\s+|the\s+)?(?:outline|structure|contents?|table of contents|overview|summary of the (?:file|module)|members|methods|functions|classes|definitions|symbols|scopes|api|interface)(?:\s+(?:and|or)\s+{_NOUN})?\s+(?:of|in|for|inside|from|defined in|that are in)\s+{_X}"),
    ("outline", rf"(?:list|show|give|name|enumerate)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+)?{_LISTED}(?:\s+(?:and|or)\s+(?:the\s+)?{_LISTED})?\s+(?:(?:that are |which are )?(?:defined|declared|contained)\s+)?(?:of|in|inside|from|for)\s+{_X}"),
    ("outline", r"outline\s+(?:of\s+)?(?P<x>.+?)"),
    ("show", rf"(?:show|print|display|view|cat|read|dump|quote|paste|see|give|get|fetch|open|let me see|let's see|i want to see|look at|let me look at)\s+(?:me\s+|us\s+)?(?:the\s+)?(?:(?:full|whole|entire|complete|actual|source)\s+)*(?:(?:source(?: code)?|code|implementation|definition|body|text|signature|contents?)\s+(?:of|for|from|behind)\s+)?{_X}"),
    ("show", rf"(?:the\s+)?(?:source(?: code)?|code|implementation|body)\s+(?:of|for|behind)\s+{_X}"),
    ("show", r"how\s+(?:is|are|was|were)\s+(?P<x>\S+|(?:the\s+)?(?:function|method|class)\s+\S+|(?:the\s+)?\S+\s+(?:function|method|class))\s+(?:implemented|written|coded|defined|done)"),
    ("show", r"what\s+does\s+(?P<x>\S+|(?:the\s+)?(?:function|method|class)\s+\S+|(?:the\s+)?\S+\s+(?:function|method|class)|the code (?:of|for) \S+)\s+look\s+like"),
    ("show", rf"what(?:'s| is| are)\s+(?:the\s+)?(?:source(?: code)?|code|implementation|body)\s+(?:of|for|behind)\s+{_X}"),
    ("where", rf"(?:show|tell|point)\s+(?:me\s+)?(?:to\s+)?where\s+{_X}(?:\s+(?:is|are|lives?|comes? from|gets?))+(?:\s+(?:being\s+)?{_DEFINED})?"),
    ("where", rf"{_WHERE}\s+(?:(?:is|are|was|do|does|did|i|we|you|to)\s+)*(?:find\s+|define\s+|locate\s+)?(?:the\s+definitions?\s+of\s+|the\s+(?:code|implementation|source)\s+(?:of|for)\s+)?{_X}(?:\s+(?:is|are|gets?|being|to be))*(?:\s+(?:{_DEFINED}|lives?|resides?|comes? from|come from|sits?|starts?|begins?|at))*(?:\s+(?:in (?:the|this|our) (?:project|code|repo|repository|code ?base)|exactly))?"),
    ("where", rf"(?:find|locate|search for|look up|lookup|look for|go to|goto|jump to|point me to)\s+(?:me\s+)?(?:the\s+)?(?:definitions?\s+of\s+|declaration\s+of\s+|place\s+where\s+)?{_X}(?:\s+(?:is|are|gets?))*(?:\s+{_DEFINED})?"),
    ("where", rf"(?:the\s+)?(?:definition|declaration|location|place|path|line)\s+(?:of|for)\s+{_X}"),
    ("where", rf"what(?:'s| is)\s+the\s+(?:definition|declaration|location|place|path|line|line number|file)\s+(?:of|for)\s+{_X}"),
    ("what", rf"what\s+(?:does|do|did|will|would|is|can)\s+{_X}\s+(?:do|doing|does|for|about|mean|return|returns|take|takes|accept|accepts|expect|represent|raise|raises|yield)(?:\s+(?:exactly|here|there|for|as (?:arguments?|parameters?|input)|in (?:this|the) (?:code|project)))*"),
    ("what", rf"(?:what|which)\s+(?:arguments?|parameters?|args|params|options|inputs?|values?|types?|exceptions?|errors?)\s+(?:does|do|can|is|are|will)\s+{_X}\s+(?:take|takes|accept|accepts|expect|expects|have|has|return|returns|raise|raises|need|needs|require|requires|get|receive)"),
    ("what", rf"what(?:'s| is| are)\s+(?:the\s+)?(?:signature|purpose|role|docstring|doc|documentation|arguments?|parameters?|params|args|return type|return value|job|meaning|use|point|responsibility|base class|bases|superclass|parent(?: class)?|type|complexity)\s+(?:of|for|to|behind)\s+{_X}"),
    ("what", r"(?:show|give|tell)?\s*(?:me\s+)?(?:what(?:'s| is| are)\s+)?(?P<x>its|their|\S+?['’]s)\s+(?:signature|purpose|role|docstring|doc|docs|documentation|arguments?|parameters?|params|args|return type|return value|job|bases?|base class|parent|superclass)"),
    ("what", rf"(?:the\s+)?(?:signature|docstring|documentation|docs|doc|parameters|arguments|purpose)\s+(?:of|for)\s+{_X}"),
    ("what", rf"(?:what\s+happens\s+(?:in|inside|when (?:i|we|you) (?:call|run|invoke|use))|explain(?:\s+(?:to\s+)?me)?|describe|document|summari[sz]e|tell me (?:more )?about|about|info(?:rmation)? (?:on|about)|details (?:of|on|about)|define)\s+(?:what\s+|how\s+)?{_X}(?:\s+(?:does|is|works?|do))?"),
    ("what", r"how\s+(?:does|do|did)\s+(?P<x>\S+|(?:the\s+)?(?:function|method|class)\s+\S+|(?:the\s+)?\S+\s+(?:function|method|class))\s+(?:work|function|operate|behave)(?:\s+(?:internally|exactly))?"),
    ("what", rf"what(?:'s| is| are| was)\s+(?!(?:in|inside)\b){_X}(?:\s+(?:for|about|doing|used for|good for|responsible for|here|there))?"),
    ("what", rf"who\s+is\s+{_X}"),
)  # fmt: skip
_COMPILED = tuple((form, re.compile(rf"^{pattern}{_END}", re.I | re.S)) for form, pattern in _PATTERNS)

_GREETING = re.compile(
    r"^(?:hi|hello|hey|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day))(?:[ ,]+(?:there|all|everyone|you|friend|again))?\W*$"
    r"|^how are you\b.*$",
    re.I,
)
_THANKS = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|perfect|nice|awesome|good|excellent|wonderful|super|fine|got it|alright|all right|"
    r"thanks?(?: you)?(?: (?:a lot|so much|very much|again))?|thx|cheers|ty|bye|goodbye|see you|that(?:'s| is) (?:all|it|great|helpful)|"
    r"much appreciated|appreciated|well done|good job)[\s,.!]*)+$",
    re.I,
)
_HELP = re.compile(
    r"^(?:help|\?|usage|what can (?:you|i) (?:do|ask)(?: (?:you|here|for me))?|how (?:do|can|should) (?:i|you) (?:use|work with|ask) (?:you|this|it)|"
    r"who are you|what are you|what (?:questions|kind of questions|sort of questions) can .*|how can you help(?: me)?|help me)\W*$",
    re.I,
)
_AGAIN = re.compile(
    r"^(?:and|what about|how about|and what about|and for|same for|now|also)\s+(?P<x>.+?)\s*[?.!]*$", re.I
)
_COMPOUND = re.compile(
    r"[,;]?\s+and(?:\s+(?:also|then))?\s+(?=(?:who|what|where|which|how|show|list|find|explain|describe)\b)", re.I
)
_SENTENCE = re.compile(r"(?<=[?!.])\s+(?=\S)")
_ITS = re.compile(r"['’]s$", re.I)


def read_questions(text: str, before: Sequence[str] = ()) -> tuple[Question, ...]:
    """The questions of one message, at most three.

    Args:
        text: the message.
        before: the user's earlier messages, oldest first: "and X?" repeats the form of the last question.
    """
    said = " ".join(text.split())
    questions: list[Question] = []
    for sentence in _sentences(said):
        for part in _COMPOUND.split(sentence):
            question = read_question(part, before)
            if question is not None:
                questions.append(question)
    told = [question for question in questions if question.form not in ("greeting", "thanks")]
    kept = told or questions
    asked = [question for question in kept if question.form != "search"]
    # Sentences around a clear question set the scene; they are not searched for as well.
    return tuple(_distinct(asked or kept[:1]))[:3]


def read_question(text: str, before: Sequence[str] = ()) -> Question | None:
    """The question of one sentence; None for an empty one."""
    said = text.strip()
    if not said.strip("?!.,;: "):
        return Question("help") if "?" in said else None
    for form, pattern in (("greeting", _GREETING), ("thanks", _THANKS), ("help", _HELP)):
        if pattern.match(said):
            return Question(form, text=said)  # type: ignore[arg-type]
    whole = _TAIL.sub("", said) or said
    for candidate in _wordings(whole):
        found = _matched(candidate)
        if found is not None:
            return found
    again = _AGAIN.match(whole)
    if again:
        repeated = _repeated(again.group("x"), before)
        if repeated is not None:
            return repeated
    return _named_or_search(_POLITE.sub("", whole) or whole)


def _wordings(said: str) -> list[str]:
    """The sentence as it is where its opening matters ("tell me about"), and without politeness."""
    bare = _POLITE.sub("", said) or said
    if _POLITE_KEEPING_ABOUT.match(said):
        return [said, bare]
    return [bare] if bare == said else [bare, said]


def _matched(said: str) -> Question | None:
    for form, pattern in _COMPILED:
        match = pattern.match(said)
        if match is None:
            continue
        groups = match.groupdict()
        asked = groups.get("x") or ""
        if form == "overview":
            return Question(form, text=said)
        if form == "said":
            return Question(form, Target("words", " ".join(content_words(asked))), said)
        if form == "lines":
            first = int(groups["first"])
            last = int(groups["last"] or first)
            return Question(form, read_target(asked), said, min(first, last), max(first, last))
        target = read_target(_ITS.sub("", asked) if asked.lower() not in ("its", "it's") else "its")
        question = _sensible(Question(form, target, said))
        if question is not None:
            return question
    return None


def _sensible(question: Question) -> Question | None:
    """The question where form and target go together; None where another pattern should be tried."""
    target = question.target
    match question.form:
        case "outline":
            if target.kind in ("name", "file", "pronoun", "ordinal"):
                return question
            return question if re.match(r"^[\w.-]+/", target.text) else None
        case "callers" | "uses" | "callees" | "subclasses":
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
            return question
        case _:
            return question


def _repeated(asked: str, before: Sequence[str]) -> Question | None:
    """The last question's form, asked of something else."""
    target = read_target(asked)
    if target.kind in ("words", "nothing"):
        return None
    for earlier in reversed(before):
        questions = read_questions(earlier)
        if questions and questions[-1].form not in ("greeting", "thanks", "help", "search", "said", "overview"):
            return replace(questions[-1], target=target, text=asked)
    return Question("what", target, asked)


def _named_or_search(said: str) -> Question:
    """No pattern fits: a lone name asks what it is, everything else is searched for."""
    target = read_target(said)
    if target.kind in ("name", "file") and (target.marked or " " not in said.strip()):
        return Question("outline" if target.kind == "file" else "what", target, said)
    if target.kind in ("pronoun", "ordinal", "plural"):
        return Question("show", target, said)
    return Question("search", Target("words", said), said)


def _sentences(said: str) -> list[str]:
    """The sentences; a dot inside a name is none."""
    parts = [part for part in _SENTENCE.split(said) if part.strip()]
    asking = [part for part in parts if part.rstrip().endswith("?")]
    return asking or parts[:3]


def _distinct(questions: Sequence[Question]) -> list[Question]:
    seen: dict[tuple[Form, str], Question] = {}
    for question in questions:
        seen.setdefault((question.form, question.target.text), question)
    return list(seen.values())


def names_in(text: str) -> tuple[str, ...]:
    """The words of a message that can only be names of code or files, in order."""
    tokens = (token.strip("`'\",;:?!()[]{}").removesuffix(".") for token in text.split())
    return tuple(dict.fromkeys(token for token in tokens if is_marked(token) or is_file(token)))
