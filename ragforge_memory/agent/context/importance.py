"""What of a message must not get lost: decisions, errors and how they were mended, edited code, what was marked.

By cues, as document 2 of the requirements classifies messages, so that it works without a model and costs nothing. A
cue that is wrong keeps a sentence too many; the shares of the budget bound how many.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from ragforge_memory.code.mentions import unquoted
from ragforge_memory.language.reading.prose import SENTENCE_OR_LINE_END
from ragforge_memory.language.reading.small_talk import UNDECIDED
from ragforge_memory.language.reading.statements import noted_in, tells_a_deed
from ragforge_memory.models.conversation import Message, ToolCall
from ragforge_memory.models.text import truncated
from ragforge_memory.models.transcript import TranscriptCall
from ragforge_memory.text.word_cache import WordCache

Kind = Literal["decision", "error", "mended", "edited", "intent", "result", "question", "next"]

IMPORTANT = 0.7
"""From here on a message is kept in sight (document 2: .5 to begin with, .3 more for errors and for solutions, .2 for
code)."""

LONGEST_SENTENCE = 320
"""Characters that are kept of a sentence."""

_DECISION = re.compile(
    r"\b(?:decisions?\b|decided|we(?:'ll| will| shall) (?:use|keep|go|stay|stick|store|write|drop|make|not|never)|"
    r"let'?s (?:use|go with|keep|stick|drop|name|adopt|pick|choose)|agreed (?:to|on|that)|settled on|from now on|"
    r"going (?:with|forward)\b|\b(?:verdict|conclusion)(?: is\b|:)|^(?:\w+ )?(?:policy|rule|remember|convention"
    r"|important|ruling|approved|chosen|final|adr[- ]?\d*): |voted (?:for|to|against)|we(?:'ve| have)? (?:adopt(?:ed)?|"
    r"standardi[sz]ed? on)\b|"
    r"(?:, final|(?:is|are|['’]s) final)[.!]*$|"
    r"(?:we|i) (?:chose|choose|picked|rejected)|we won't|opted (?:for|against)|(?:final|our) choice (?:is|was)|"
    r"we(?:'re| are) (?:using|keeping|dropping|adopting|sticking with))",
    re.I,
)
# Who is only asked, or only supposes something, has not decided it.
_UNLESS = "".join(
    rf"(?<!\b{word} we)"
    for word in (
        *("if", "when", "once", "unless", "until", "till", "before", "after", "whether", "how", "why", "where", "that"),
        *("do", "did", "should", "shall", "can", "could", "would", "may", "might", "suppose", "think"),
    )
)
# What decides too, but not in a question.
_CHOICE = re.compile(
    rf"\bwe{_UNLESS}(?:['’](?:re|ve|ll)| are| have| will)?(?: now| just| finally| all| both)?(?: going to| gonna)? "
    r"(?:(?:go|went|gone|stick|stuck|stay|stayed|ship|shipping) with|(?:switch|migrate)(?:d|ed|ing)? (?:over )?to|"
    r"moving (?:over )?to|chosen|picked|opt(?:ed)? for|settled? (?:on|for)|decide (?:on|to|for|against|that))\b|"
    r"\bthat(?:['’]s| is) what we(?:['’](?:ll|re)| will| are)?(?: going to)? "
    r"(?:do|doing|use|using|take|taking|want)\b|"
    r"\b(?:the|our) plan is (?:now )?to\b|\b(?:it|that)(?:['’]s| is) settled\b|"
    # "OK, Postgres it is."
    r"^(?:ok(?:ay)?|alright|all right|fine|right|great|good|cool|so|well|then),? (?!(?:\S+ )*?(?:here|there|what|where|"
    r"how|who|that|as|like|if|when|why|way|think|guess|hope|sure|yes|no|indeed|course|maybe|whatever|which|know|see|"
    r"this) )(?:\S{1,20} ){1,4}it is(?:,? then)?[.!]*$|"
    r"^(?:option|plan|variant) \w+ it is(?:,? then)?[.!]*$|"
    # "Use zstd, not gzip, for the archives."
    r"^(?:(?:ok(?:ay)?|so|then|and|but|please),? ){0,3}use (?!(?:it|this|that|them)\b)[^,.;:?!]{1,40}"
    r"(?:, not|,? instead of|,? rather than) \S|"
    # The same in the languages that are written the most beside English.
    r"(?<!nicht )\b(?:entschieden|beschlossen)\b|\bEntscheidung:|\bwir bleiben bei\b|"
    r"(?<!encore )(?<!pas )\bdécidé\b|\b(?:avons|ai|a|ont) (?:choisi|opté)\b|\bdécision :|"
    r"\b(?:hemos|he|ha|han) (?:decidido|elegido|optado)\b|\b(?:decidimos|optamos por)\b|\bdeci(?:sión|são):|"
    r"\bрешено\b|\bрешили (?:использовать|не|оставить|перейти|взять)\b|\bмы выбрали\b|"
    r"(?:我们|最终|最后|已经?)决定(?!于|性)|决定(?:使用|采用|用|不|改|选|把|将|保留)|改用|"
    r"決定し(?:た|ました)|に決め(?:た|ました)|ことにし(?:た|ました)|採用し(?:た|ました|ます)|기로 (?:했|결정)|결정했",
    re.I,
)
_ERROR = re.compile(
    r"\b(?:errors?\b(?! (?:handl|messag|class|type|code))|traceback|failed\b|fails\b|(?<!no )(?<!\b0 )failures?\b|"
    r"crash(?:ed|es)?\b|aborted\b|hangs\b|hung\b(?! up)|oom-killed\b|corrupted\b|(?:http|status)(?: code)? [45]\d\d\b|"
    r"memory leak|data loss|failing\b|"
    r"returns? [45]\d\d\b|sig(?:segv|kill|abrt|bus)\b|e(?:connrefused|connreset|noent|acces|perm|timedout|addrinuse)\b|"
    r"connection (?:refused|reset)|fatal: |npm err!|(?:build|ci|pipeline) is red\b|stack overflow|"
    r"infinite (?:loop|recursion)|"
    r"segfault|segmentation fault|core dumped|exit(?:ed with)? (?:code|status) [1-9]|panic(?:ked)?\b|deadlock|"
    r"timed out|regression\b|broken\b|bugs?\b|root cause|"
    r"broke\b(?! (?:up|down|into|out|off|even|apart|away|through|for|the (?:ice|news|record)))|"
    r"breaks (?:(?:the|our|my|all|every|some) )?(?:\w+ )?(?:builds?|tests?|ci|pipeline|app|login|release|deployment)\b|"
    r"(?:throws|threw) (?!(?:it|them|me|us|away|out|off|up|in)\b)|undefined (?:symbol|reference)|"
    r"no such file or directory|"
    r"permission denied|out of memory|(?:does not|doesn['’]t) (?:work|compile|build|start)\b|stopped working|"
    r"no longer (?:works|compiles|builds|starts))|"
    r"\b[A-Z]\w*(?:Error|Exception)\b|"
    r"\bFehler\b|\bfehlgeschlagen\b|\babgestürzt\b|(?<!d['’])\berreurs?\b|\ba échoué\b|\bfalló\b|\bfalhou\b|"
    r"\bошибк[аиу]\b|报错|(?:出现|发生|遇到)[^，。]{0,8}(?:错误|异常)|崩溃|エラー(?!処理|ハンドリング|メッセージ)|失敗しました|"
    r"クラッシュ|오류(?! ?(?:처리|메시지|코드))|실패했",
    re.I,
)
_MENDED = re.compile(r"\b(?:fixed|mended|resolved|solved|repaired|works? now|the fix|fix(?:es)? (?:was|is|it))\b", re.I)
_RULE = re.compile(
    r"\b(?:must(?! (?:have been|be (?:joking|kidding))\b)|never(?! ?mind\b)"
    r"|always(?! (?:nice|good|great|happy|glad|fun)\b)"
    r"|(?:(?<!\bi )(?:do not|don't)(?! (?:mind|know|understand|worry|care|think|see|remember|believe)\b)"
    r"|i (?:do not|don't) want)|require[ds]?|constraint|convention|prefers?)\b",
    re.I,
)
_INTENT = re.compile(r"\b(?:i want|we want|i need|we need|please|the goal|i'd like|we should|help me|can you)\b", re.I)
_RESULT = re.compile(r"\b(?:found|passes|passed|done|works|returns?|shows?|measured|it is in|defined in|is at)\b", re.I)
_NEXT = re.compile(r"\b(?:next|todo|to do|later|still (?:to|need|miss)|remains? to|then we|follow[- ]up)\b", re.I)
_EDITS = re.compile(r"(?:^|_)(?:edit|write|patch|apply|create|replace|insert|delete|rename|move)(?:_|$)", re.I)

# Without one of these words a text has no such cue: to look for them takes a twentieth of the time.
_WORDS: dict[re.Pattern[str], frozenset[str]] = {
    _DECISION: frozenset(
        {
            *("decision", "decided", "we'll", "we will", "we shall", "let's", "lets", "agreed", "settled on"),
            *("from now on", "going with", "chose", "choose", "picked", "we're", "we are"),
            *("rejected", "we won't", "opted for", "opted against", "final choice", "our choice", "going forward"),
            *("verdict", "conclusion", "policy:", "rule:", "remember:", "convention:", "final", "important:"),
            *("ruling:", "approved:", "chosen:", "adr", "voted", "adopt", "standardise", "standardize"),
        }
    ),
    _CHOICE: frozenset(
        {
            *("go with", "went with", "gone with", "stick with", "stuck with", "stay with", "stayed with", "switch to"),
            *("ship with", "shipping with"),
            *("switched to", "switching to", "over to", "migrate to", "migrated to", "migrating to", "moving to"),
            *("chosen", "picked", "opt for", "opted for", "settle on", "settled on", "settle for", "settled for"),
            *("decide on", "decide to", "decide for", "decide against", "decide that", "that's what", "that’s what"),
            *("that is what", "plan is", "is settled", "'s settled", "’s settled", "it is", ", not", "instead of"),
            *("rather than", "entschieden", "beschlossen", "entscheidung:", "bleiben bei", "décidé", "choisi", "opté"),
            *("décision :", "decidido", "elegido", "optado", "decidimos", "optamos", "decisión:", "decisão:"),
            *("решено", "решили", "выбрали", "决定", "決定し", "に決め"),
            *("改用", "ことにし", "採用し", "기로", "결정했"),
        }
    ),
    _ERROR: frozenset(
        {
            *("error", "exception", "traceback", "failed", "fails", "failure", "crash", "segfault", "panic"),
            *("aborted", "hangs", "hung", "oom-killed", "corrupted", "http 4", "http 5", "http code", "status 4"),
            *("failing", "return 4", "return 5", "returns 4", "returns 5", "sigsegv", "sigkill", "sigabrt", "sigbus"),
            *("econnrefused", "econnreset", "enoent", "eacces", "eperm", "etimedout", "eaddrinuse", "connection re"),
            *("fatal:", "npm err!", "is red", "status 5"),
            *("status code", "memory leak", "data loss", "stack overflow", "infinite loop", "infinite recursion"),
            *("deadlock", "timed out", "regression", "broken", "bug", "root cause", "segmentation fault"),
            *("core dumped", "exit code", "exit status", "exited with", "broke", "breaks", "throws", "threw"),
            *("undefined symbol", "undefined reference", "no such file", "permission denied", "out of memory"),
            *("does not", "doesn't", "doesn’t", "stopped working", "no longer", "fehler", "fehlgeschlagen"),
            *("abgestürzt", "erreur", "échoué", "falló", "falhou", "ошибк", "报错", "错误", "异常", "崩溃", "エラー"),
            *("失敗しました", "クラッシュ", "오류", "실패했"),
        }
    ),
    _RULE: frozenset({"must", "never", "always", "do not", "don't", "require", "constraint", "convention", "prefer"}),
}
_ANY_WORD = tuple((cue, cue.partition(" ")[0]) for cue in sorted(frozenset().union(*_WORDS.values())))
# So many characters before its word a cue begins at the most.
_AHEAD = 100
_ANY = re.compile("|".join(sorted({re.escape(first) for _, first in _ANY_WORD})))

_HEDGED = re.compile(
    r"(?:(?:so|and|but|well|ok(?:ay)?)[, ]+)*(?:maybe|perhaps|possibly|might|i wonder|not sure)\b", re.I
)

# Arguments that say what was edited.
_PLACES = ("file", "path", "file_path", "name", "target")

# A piece of code has no more than a word or two.
_LINE_QUOTED = re.compile(r"`(?:[^`\s]+[ \t]+){4}[^`\n]*`")
_MARKS = re.compile(r"^[\s>#*\-•\d.)]+(?=\S)")


def importance_of(
    content: str, tool_calls: Sequence[ToolCall | TranscriptCall] = (), *, role: str = "assistant"
) -> float | None:
    """How much a message matters, 0 to 1; None where nothing speaks for it. What a user notes, or
    has done of what was to be done, matters as a decision."""
    # Most messages have no such word at all, and most sentences of the others.
    present = {cue for cues in _cues_of_words(content) for cue in cues}
    if any(" " in cue for cue in present):
        at_once = " ".join(content.lower().split())
        present = {cue for cue in present if cue in at_once}
    cues = [cue for cue, words in _WORDS.items() if not words.isdisjoint(present)] if present else []
    if (cues and _any_weighs(content, cues, present, role)) or (
        role == "user" and (noted_in(content) or tells_a_deed(content))
    ):
        return 0.8
    if any(_EDITS.search(call.tool_name) for call in tool_calls):
        return IMPORTANT
    return None


def own_words(content: str, role: str) -> str:
    """What a message says itself: without what it quotes, of an answer without lines of text in backticks."""
    said = unquoted(content)
    return _LINE_QUOTED.sub("``", said) if role == "assistant" and "`" in said else said


def _any_weighs(content: str, cues: Sequence[re.Pattern[str]], present: Collection[str], role: str) -> bool:
    """Whether a sentence is an error, quoted or not, or a decision that is not quoted: source has comments."""
    said = own_words(content, role)
    if said == content or _ERROR not in cues:
        return any(_weighs(sentence, cues, present) for sentence in sentences_and_lines(said))
    cues = [cue for cue in cues if cue is not _ERROR]
    return any(_weighs(sentence, (_ERROR,), present) for sentence in sentences_and_lines(content)) or any(
        _weighs(sentence, cues, present) for sentence in sentences_and_lines(said)
    )


def _weighs(sentence: str, cues: Sequence[re.Pattern[str]], present: Collection[str]) -> bool:
    """Whether a sentence is a decision or an error; no other cue than these is in the text, no word but those present
    begins one."""
    lower = sentence.lower()
    first = min((at for word in present if (at := lower.find(word)) >= 0), default=-1)
    if first < 0:
        return False
    # A cue begins with its word, or a little before it ("we finally chose"). Few signs have more letters in lower case.
    start = lower.rfind(" ", 0, max(0, first - _AHEAD)) + 1 if len(lower) == len(sentence) else 0
    if _DECISION in cues and _DECISION.search(sentence, start):
        return True
    if _ERROR in cues and _ERROR.search(sentence, start):
        return _MENDED.search(sentence) is None
    return any(
        each in cues and each.search(sentence, start) is not None and _kind_of(sentence) == "decision"
        for each in (_CHOICE, _RULE)
    )


def _cues_in(word: str) -> tuple[str, ...]:
    """Which cues a word has, or the first word of."""
    word = word.lower()
    return tuple([cue for cue, first in _ANY_WORD if first in word]) if _ANY.search(word) else ()


_cues_of_words = WordCache(_cues_in)


def key_sentences(content: str) -> list[tuple[Kind, str]]:
    """The sentences of a text that carry something, each with what it carries; the strongest cue counts."""
    found: list[tuple[Kind, str]] = []
    for sentence in sentences_and_lines(content):
        kind = _kind_of(sentence)
        if kind is not None:
            found.append((kind, sentence))
    return found


def deciding_sentences(content: str) -> Iterator[str]:
    """The sentences of a text that decide or rule something; "maybe we'll use it" and "no decision yet" do not."""
    for sentence in sentences_and_lines(content):
        if not _cues_of_words(sentence) or _HEDGED.match(sentence) or UNDECIDED.search(sentence):
            continue
        if _kind_of(sentence) == "decision":
            yield sentence


def sentences_and_lines(content: str) -> list[str]:
    """The sentences and lines of a text, without list marks, each at most `LONGEST_SENTENCE` characters."""
    return [each.text for each in placed_sentences(content)]


class Sentence(NamedTuple):
    """A sentence or a line of a text, and where it begins and ends there."""

    start: int
    end: int
    text: str

    @property
    def is_key(self) -> bool:
        """Whether it decides something or tells what failed."""
        return is_key(self.text)


def is_key(sentence: str) -> bool:
    """Whether a sentence decides something or tells what failed."""
    return bool(_cues_of_words(sentence)) and _kind_of(sentence) in ("decision", "error")


def placed_sentences(content: str) -> Iterator[Sentence]:
    """The sentences and lines of a text, without list marks, each with its place."""
    start = 0
    # One by one: mostly the first that decides something is all that is looked for.
    ends = (each.span() for each in SENTENCE_OR_LINE_END.finditer(content))
    for end, after in chain(ends, ((len(content.rstrip()), -1),)):
        text = _MARKS.sub("", content[start:end]).strip()
        if len(text) > 2:
            yield Sentence(start, end, _on_one_line(text))
        start = after


def edits_of(message: Message) -> list[str]:
    """What the tools of an answer changed, as one line each."""
    lines = []
    for call in message.tool_calls:
        if not _EDITS.search(call.tool_name):
            continue
        place = next((str(call.arguments[key]) for key in _PLACES if key in call.arguments), "")
        state = "" if call.success else f" (failed: {call.error or 'no reason given'})"
        lines.append(_on_one_line(f"{call.tool_name} {place}".strip() + state))
    return lines


def _kind_of(sentence: str) -> Kind | None:
    if _DECISION.search(sentence):
        return "decision"
    if _ERROR.search(sentence):
        return "mended" if _MENDED.search(sentence) else "error"
    if _MENDED.search(sentence):
        return "mended"
    if sentence.rstrip().endswith(("?", "？")):
        return "question"
    if _CHOICE.search(sentence):
        return "decision"
    for kind, cue in (("next", _NEXT), ("intent", _INTENT), ("decision", _RULE), ("result", _RESULT)):
        if cue.search(sentence):
            return kind  # type: ignore[return-value]  # the literals above are kinds
    return None


def _on_one_line(text: str) -> str:
    return truncated(" ".join(text.split()), LONGEST_SENTENCE)
