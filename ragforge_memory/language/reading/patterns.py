"""How people ask about code: one pattern a wording, tried in order.

A pattern is a regular expression over a sentence with single spaces and without politeness, case aside. Words in
braces stand for the alternatives of `_PARTS`; ``{x}`` is what the question is about. None knows a project.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ragforge_memory.language.reading.commit_patterns import CHANGED, COMMIT, HISTORY
from ragforge_memory.language.reading.commit_patterns import PARTS as COMMIT_PARTS
from ragforge_memory.language.reading.error_patterns import (
    CATCHES,
    CAUGHT_ANYWHERE,
    ERRORS,
    RAISED_ANYWHERE,
    RAISES,
    THROWS,
)
from ragforge_memory.language.reading.outline_patterns import FIELDS, FOLDER, LISTED, MODIFIER, OUTLINE, OVERVIEW
from ragforge_memory.language.reading.project_patterns import (
    COMMANDS,
    DECORATED,
    DEPENDENCIES,
    DEPRECATED,
    ENTRY,
    ENVIRONMENT,
    EXPORTS,
    FILES,
    KNOWN_BY_WORD,
    OF_KIND,
    RUNTIME,
    THREADS,
    UNTESTED,
    UNUSED,
    VERSION,
)
from ragforge_memory.language.reading.talk_patterns import NOTED, RECAP, SAID
from ragforge_memory.language.reading.talk_patterns import PARTS as TALK_PARTS

Form = Literal[
    "where", "what", "show", "callers", "uses", "callees", "subclasses", "bases", "outline", "overview", "lines",
    "tests", "raises", "throws", "errors", "catches", "imports", "requires", "commit", "overrides", "overridden",
    "said", "recap", "search", "given", "greeting", "thanks", "noted", "taken back", "which note", "changes", "help",
    "history", "decorated", "known by word", "dependencies", "commands", "exports",
    "deprecated", "unused", "untested", "environment", "version", "runtime", "changed", "of kind", "files",
    "message", "entry", "threads",
]  # fmt: skip

_PARTS: Mapping[str, str] = {
    **TALK_PARTS,
    **COMMIT_PARTS,
    "x": r"(?P<x>.+?)",
    "named": r"(?P<x>(?-i:(?:\w+(?:\.|::|->|#))*[A-Z]\w*|\w+(?:::|->|#)\w+))",
    # One word, or one with "the function" before or "function" behind it.
    "one": r"(?P<x>\S+|(?:the )?(?:function|method|class) \S+|(?:the )?\S+ (?:function|method|class))",
    "plain": r"(?P<x>(?!(?:the|all|any|no|its|their|other|direct|show|list|find|get|give|print|see|which|what)\b)\S+)",
    "its": r"(?P<x>its|their|(?:that|this) (?:function|method|class)['’]s|\S+?['’]s)",
    "noun": "(?:(?:function|method|class|code|scope|place|part|file|module|test|caller|one|thing|constant|variable"
            "|definition|type|struct|enum|trait|interface)s?|classes)",
    "kind": "(?:functions?|methods?|class(?:es)?|attributes?|propert(?:y|ies)|fields?|members?|constants?|variables?)",
    # "Exceptions" are any.
    "error": r"(?P<x>(?!(?:(?:all|any|the) )*(?:exceptions?|errors?|them)\b).+?)",
    "fields": "(?:fields|attributes|properties|variants|(?:instance|member|class) variables)",
    "async": "(?:async(?:hronous)? )?",
    "errors": "(?:exceptions|errors|(?:error|exception) (?:types|classes))",
    "listed": LISTED,
    "modifier": MODIFIER,
    "give": "(?:(?:show|list|give|find|get|see|name|print|display|what are|which are|who are|what about|how about"
            "|what's|who's|are there|is there) )?(?:me )?(?:all |any )?(?:of )?(?:the |a |an )?",
    "calls": "(?:calls?|calling|invokes?|invoking|runs?|triggers?|executes?|instantiates?|constructs?|creates?)",
    "uses": "(?:uses?|using"
            "|references?|referencing|refers? to|depends? (?:up)?on|relies on|rely on|imports?"
            "|consumes?|needs?|touch(?:es)?)",
    "called": "(?:called|invoked|run|triggered|executed|instantiated|constructed|created)",
    "used": "(?:used|referenced|needed|consumed|imported|depended on|relied on|referred to)",
    "where": "where(?:abouts)?(?:'s|s| is| are| was| were| do| does| did| can| could| will)?"
             "(?: (?:i|we|you|one) (?:find|see|look for|locate|define|declare|have))?",
    "defined": "(?:defined|declared|implemented|located|written|stored|found|coded|living|placed|set|assigned"
               "|introduced)",
    "place": "(?:(?:in|on|at|under|inside) )?(?:which|what) (?:source )?"
             "(?:file|module|line|place|package|path|location)s?",
    "source": "(?:source(?: code)?|code|implementation|body)",
    "project": "(?:this|the|our|my) (?:project|repo|repository|code ?base|code|package|application|library"
               "|crate|gem)",
    "facts": "(?:signature|purpose|role|docstring|docs?|documentation|arguments?|parameters?|params|args|return type"
             "|return value|values?|defaults?(?: values?)?|job|meaning|use|point|responsibility|type|complexity)",
    "inherit": "(?:inherits?|inheriting|derives?|descends?|extends?|subclass(?:es)?|implements?)",
    "below": "(?:subclass(?:es)?|child(?:ren)?(?: class(?:es)?)?|implementations?|implementors?|implementers?"
             "|descendants?|derived class(?:es)?|inheritors?)",
    "bases": "(?:(?:direct|immediate) )?(?:(?:base|parent|super|ancestor)[ -]?"
             "(?:class|type|interface|trait|struct)(?:es|s)?|bases|superclass(?:es)?|ancestors)",
}  # fmt: skip

_LINES = (
    r"(?:(?:show|print|read|display|open|see|give|explain|describe|look at"
    r"|what(?:'s| is| are| does| do| happens)(?: (?:on|at|in))?) )?(?:me )?(?:the )?lines? (?P<first>\d+)"
    r"(?: ?(?:-|–|to|until|through|and) ?(?P<last>\d+))? (?:of|in|from) (?:the )?(?:file )?(?P<x>\S+?)"
    r"(?: (?:do|does|mean|say|about|for))?",
    r"(?:(?:show|print|read|display|open|see|give|what is|what's) )?(?:me )?(?:at )?"
    r"(?P<x>[\w./-]+\.\w+):(?P<first>\d+)(?: ?[-–:] ?(?P<last>\d+))?",
)
_BASES = (
    # Of one that may be among them all are told.
    r"(?:is|are) {x} (?:really |actually |also )?an? (?:(?:direct|indirect|real) )?(?:subclass|subtype|child(?: class)?"
    r"|descendant|implementation|kind) of \S+",
    r"(?:does|do) (?!any|some){x} (?:really |actually |also )?(?:inherit|derive|descend|extend|subclass|implement)"
    r"(?: (?:directly )?from)? (?!(?:anything|something|any|another|it)\b)\S+",
    r"(?:from |of )?(?:what|which|who|whom)(?: (?:other |{bases}|{noun}|interfaces?|traits?|types?))* (?:does|do|did) "
    r"{x} (?:(?:directly|itself|actually) )?{inherit}(?: (?:from|of|directly))*",
    r"(?:from )?(?:what|which)(?: {noun})? (?:is|are|was) {x} (?:(?:inherited|inheriting|derived|deriving|descended"
    r"|extended) from|an? (?:subclass|subtype|child(?: class)?|implementation) of)",
    r"(?:what(?:'s| is| are) (?:the )?|{give}){bases} (?:of|for) {x}",
    r"(?:what(?:'s| is| are) (?:the )?|{give}){its} {bases}",
    r"(?:what|which) {bases} (?:does|do) {x} have",
    r"(?:what|which)(?: {noun})? (?:is|are) (?:inherited|implemented|extended) by {x}",
    r"(?:does|do) (?!any|some){x} (?:inherit|derive|descend|extend)(?: from)? "
    r"(?:anything|something|any {noun}|another {noun})",
)
_SUBCLASSES = (
    r"(?:who|which|what)(?: {noun})? (?:includes?|mixes in|mix in|prepends?) {x}",
    r"{where} {x} (?:is |are |being |gets? )*(?:included|mixed in|prepended)(?: (?:in|by|into|anywhere))?",
    r"(?:what|which|how many)(?: (?:direct|known|other))* {below} (?:does|do|did) {x} have",
    r"(?:does|do|has|have) {x} (?:have|has|got|any)(?: (?:any|some))? {below}",
    r"(?:does|do) (?:anything|something|anyone|any {noun}) (?:inherit|derive|descend|extend|subclass)(?: from)? {x}",
    r"{give}(?:(?:what|which|who) )?(?:{noun} )?(?:that )?"
    r"(?:inherits?|derives?|extends?|subclass(?:es)?|implements?) (?:from |of )?{x}",
    r"{give}{below} (?:of|for) {x}",
    r"(?:by )?(?:what|which)(?: {noun})? (?:is|are) {x} (?:implemented|inherited|extended|subclassed)(?: by)?",
    r"{give}{its} {below}",
)
_CALLEES = (
    # "Which functions call run" asks for callers of run, not for what "call" runs; nor does "is" run in "what is Run?".
    r"(?:what|which)(?: (?:other|else|internal|project))*"
    r"(?:(?: {noun})? (?:does|do|will|would|is|are|gets?)"
    r"|(?! (?:{noun} )?(?:{calls}|{uses}|is|are|was|were) )(?: {noun})?) {x} "
    r"(?:(?:end up|go and|go on to) )?(?:call|invoke|calling|invoking|execute|run|trigger|use|depend on|rely on|need"
    r"|import|instantiate|delegate to)(?: (?:internally|inside|directly|itself|on))?",
    r"(?:what|which) (?:other )?(?:function |method )?calls? (?:does|do|are|is) {x} "
    r"(?:make|made|making|doing|do|contain|perform)",
    r"(?:what|which) (?:other )?(?:{noun} |calls? )?(?:is|are|gets?) (?:being )?(?:{called}|{used}|made) "
    r"(?:by|from|in|inside|within) {x}",
    r"(?:does|do|will|would|can) (?!(?:anyone|anything|anybody|something|somebody|any|we|i|you)\b){x} "
    r"(?:ever |actually |even |directly |really )*(?:call|invoke|run|trigger|execute|instantiate|depend on|rely on) "
    r"(?:anything|something|any (?:other )?{noun}|others?|other {noun}|\S+)"
    r"(?: (?:internally|directly|itself|at all|else))?",
    r"{give}(?:callees|outgoing calls|dependencies|calls) (?:(?:that are )?made )?(?:of|by|from|in|inside|for) {x}",
    r"{give}{its} (?:callees|outgoing calls|dependencies|calls)",
)
_CALLERS = (
    r"(?:who|what|which|whose|what all)(?: (?:other|all))?(?: {noun})?(?: (?:in|of) (?:this|the) \w+)?"
    r"(?: (?:is|are|all|else|actually|directly|ever|might|can|could|would))* {calls} (?:to |into )?{x}",
)
_USES = (
    r"(?:who|what|which)(?: (?:other|all))?(?: {noun})?"
    r"(?: (?:is|are|all|else|actually|directly|ever|makes? use of))* {uses} {x}",
)
_CALLED = (
    r"{where} {x} (?:is |are |gets? |being |been |ever |actually )*{called}(?: (?:from|in|by|anywhere|at))?",
    r"(?:by )?(?:who|whom|what|which {noun}) (?:is|are|gets?) (?!(?:never|not)\b){x} {called}(?: (?:by|from|in))?",
    r"(?:from where|how often|how many times|when|why) (?:is|are|does|do) {x} (?:get )?{called}",
    r"{give}(?:direct )?(?:callers?|call ?sites?|incoming calls|calls) (?:of|to|for|into) {x}",
    r"{give}{its} (?:callers?|call ?sites?)",
    r"{plain} (?:callers|call ?sites)",
    r"(?:what|which|how many) (?:callers|call ?sites) (?:does|do|has|have) {x}(?: have)?",
    r"(?:does|do|is|are) (?:anyone|anything|anybody|something|any {noun}) (?:even |still |ever |actually )?"
    r"(?:call|calling|invoke) {x}",
)
_USED = (
    r"{where} {x} (?:is |are |gets? |being |been |ever |actually )*{used}(?: (?:from|in|by|anywhere|at))?",
    r"where (?:do|does|did|can) (?:we|i|you|it|they|the code|the project|people|anyone) "
    r"(?:call|invoke|use|reference|need|import) {x}",
    r"{give}(?:usages?|uses|references|dependents|users) (?:of|to|for|on) {x}",
    r"{give}{its} (?:usages?|uses|references|users)",
    # "Memory usage" is no list of uses.
    r"{plain} (?:usages|references)",
    r"(?:is|are) {x} (?:even |still |ever |actually )?(?:{used}|{called})"
    r"(?: (?:anywhere|somewhere|at all|by anything|by anyone))?",
    r"(?:does|do|is|are) (?:anyone|anything|anybody|something|any {noun}) (?:even |still |ever |actually )?"
    r"(?:use|using|need|import|reference) {x}",
    # Names alone, for all that reads a file reads no definition.
    r"{where} {named} (?:is |are |being |gets? |ever )*(?:read|accessed|returned)(?: (?:from|in|by|anywhere))?",
    r"(?:who|what|which {noun})(?: {noun})? (?:reads?|access(?:es)?) {named}",
    r"(?:who|what|which {noun}) returns? "
    r"(?P<x>(?-i:(?:\w+(?:\.|::|->|#))*[A-Z][A-Z0-9_]+|(?:\w+(?:::|->|#))+[A-Z]\w*))",
    r"(?:is|are) {x} (?:even |still |really |actually )?(?:dead(?: code)?|unused)",
    r"what (?:would|will|could|can|might|may) (?:break|fail|be affected) (?:if|when) (?:i|we|you|someone|one) "
    r"(?:change|edit|rename|move|remove|delete|touch)s? {x}",
    r"{give}(?:code )?examples? (?:of|for) (?:(?:using|calling|how to (?:use|call)|the use of) )?{x}",
)
_BY_TESTS = r"(?:from|in|by|inside|within) (?:(?:the|our|any|its) )?(?:unit )?tests?"
_TESTS = (
    # What stands behind the name says of which uses, and is no part of it.
    r"(?:who|what|which)(?: {noun})?(?: (?:is|are|all|else|actually))* (?:{calls}|{uses}) {x} " + _BY_TESTS,
    r"{where} {x} (?:is |are |gets? |being )*(?:{called}|{used}) " + _BY_TESTS,
    r"(?:does|do|has|have) {x} (?:have|got|any) (?:(?:any|some) )?(?:unit ?)?tests?",
    r"{where} {x} (?:is |are |being |ever |actually )*(?:unit )?(?:tested|covered|exercised)"
    r"(?: (?:by|in|from|anywhere)(?: (?:the |any )?(?:unit )?tests?)?)?",
    r"{give}(?:(?:what|which) )?(?:unit |integration )?tests? (?:that )?(?:do |does )?"
    r"(?:covers?|tests?|exercises?|checks?|verif(?:y|ies)|covering|testing|exercising) {x}",
    r"{give}(?:unit |integration )?tests? for {x}",
    r"(?:is|are) {x} (?:even |ever |actually |well )?(?:unit )?(?:tested|covered)"
    r"(?: (?:by|in|anywhere)(?: (?:the |any )?(?:unit )?tests?)?)?",
    r"(?:who|what) tests (?!(?:are|is|do|does|did|exist|in|there)\b){x}",
    r"(?:what|which|how many) (?:unit )?tests (?:does|do) {x} have",
    r"{give}{its} (?:unit |integration )?tests?",
    r"how (?:is|are) {x} tested",
)
# Of a file; what else is asked for is followed by the words of the other groups.
_REQUIRES = (
    r"(?:what|which)(?: (?:other|{noun}|packages|libraries))*(?:(?:'s| is| are) (?:being )?|(?:does|do) )?(?P<x>\S+) "
    r"(?:import(?:s|ing)?|requires?|requiring|includes?|including)(?: from)?",
    r"(?:what|which)(?: (?:other|{noun}|packages|libraries))* (?:does|do|is|are|will) (?:the file )?(?P<x>\S+) "
    r"(?:import|importing|require|requiring|include|including|use|using|depend on|rely on|need|load)(?: from)?",
    r"(?:what|which)(?: {noun}| packages| libraries)? (?:is|are) (?:imported|required|included|used|needed|loaded)"
    r" (?:by|in|into|from) (?:the file )?(?P<x>\S+)",
    r"{give}(?:imports?|requires?|includes?|dependencies|imported {noun}) (?:of|in|by|from|for) (?:the file )?"
    r"(?P<x>\S+)",
    r"{give}(?P<x>\S+?)(?:['’]s)? (?:imports|dependencies)",
)
_IMPORTS = (
    r"{where} {x} (?:is |are |being |gets? |ever |actually )*imported(?: (?:from|in|by|into|anywhere|at))?",
    r"(?:who|what|which)(?: {noun})?(?: (?:is|are|all|else|actually|directly))* (?:imports?|importing) {x}",
    r"where (?:do|does|did) (?:we|i|you|it|they|the code|the project) import {x}",
    r"(?:is|are) {x} (?:even |ever |actually )?imported(?: (?:anywhere|somewhere|at all))?",
    r"{give}imports of {x}",
)
_OVERRIDES = (
    r"(?:what|which)(?: {noun})?(?: (?:does|do|is|are))? {x} "
    r"(?:overrides?|overriding|redefines?|overloads?)(?: (?:from|of) (?:its|the|a) .*)?",
    r"{give}(?:overrides|(?:overridden|overriding) {noun}) (?:of|in|by) {x}",
    r"{give}{noun} (?:overridden|redefined) (?:by|in) {x}",
)
_OVERRIDDEN = (
    r"(?:who|what|which)(?: {noun})?(?: (?:is|are|all|else|actually|directly))* "
    r"(?:overrides?|overriding|redefines?|redefining) {x}",
    r"{where} {x} (?:is |are |being |gets? |ever |actually )*(?:overridden|redefined)(?: (?:from|in|by|anywhere|at))?",
    r"(?:is|are) {x} (?:even |ever |actually )?(?:overridden|redefined)"
    r"(?: (?:anywhere|somewhere|at all|by (?:anything|anyone|any {noun})))?",
    r"(?:by )?(?:who|whom|what|which {noun}) (?:is|are) {x} (?:overridden|redefined)(?: (?:by|in))?",
    r"(?:does|do) (?:anyone|anything|something|any {noun}) (?:override|redefine) {x}",
    r"{give}(?:overrides|overriding {noun}|redefinitions) of (?P<x>\S+(?:\.|::|#|->)\S+)",
)
_COMPARED = (
    r"(?:(?:what(?:'s| is| are)|explain|tell me|show me) )?(?:the )?(?:main )?differences? between {x} and (?P<y>.+?)",
    r"compare {x} (?:and|with|to|against) (?P<y>.+?)",
    r"how (?:do|does|is|are) {x} (?:differ(?:s|ent)?|different) (?:from|to|than) (?P<y>.+?)",
    r"how (?:do|are) {x} and (?P<y>.+?) (?:differ|different)",
    r"{x} (?:vs\.?|versus) (?P<y>.+?)",
)
_WHICH_FILE = (
    r"(?:which|what) (?:file|module|package)s? (?:has|have|holds?|contains?|defines?|declares?|implements?|provides?) "
    r"(?:the )?(?:definition of |{source} (?:of|for) )?{x}",
    r"{place} (?:(?:is|are|was|does|do|can i find|will i find) )?{x}"
    r"(?: (?:is|are|lives?|comes? from|starts?|begins?|on))*(?: {defined})?(?: (?:in|on|at))?",
)
_SHOW = (
    r"(?:show|print|display|view|cat|read|dump|quote|paste|see|give|get|fetch|open|let me see|let's see|look at"
    r"|let me look at) (?:me |us )?(?:the )?(?:(?:full|whole|entire|complete|actual|source) )*"
    r"(?:(?:{source}|definition|text|signature|contents?) (?:of|for|from|behind) )?{x}",
    r"(?:the )?{source} (?:of|for|behind) {x}",
    r"{give}{its} {source}",
    r"how (?:is|are|was|were) {one} (?:implemented|written|coded|defined|done)",
    r"what does {one} look like",
    r"what(?:'s| is| are) (?:the )?{source} (?:of|for|behind) {x}",
)
_POINT = (
    r"(?:show|tell|point) (?:me )?(?:to )?where {x}(?: (?:is|are|lives?|comes? from|gets?))+(?: (?:being )?{defined})?",
)
_WHERE = (
    r"{where} (?:(?:is|are|was|do|does|did|i|we|you|to) )*(?:(?:find|define|locate) )?"
    r"(?:the definitions? of |the {source} (?:of|for) )?{x}(?: (?:is|are|gets?|being|to be))*"
    r"(?: (?:{defined}|lives?|resides?|comes? from|sits?|starts?|begins?|at))*"
    r"(?: (?:in {project}|exactly))?",
    r"(?:find|locate|search for|look up|lookup|look for|go to|goto|jump to|point me to) (?:me )?(?:the )?"
    r"(?:definitions? of |declaration of |place where )?{x}(?: (?:is|are|gets?))*(?: {defined})?",
    r"(?:the )?(?:definition|declaration|location|place|path|line) (?:of|for) {x}",
    r"(?:does|do|is|are) {x} (?:(?:still )?exist(?: any ?more)?|still (?:there|around|in {project}))",
    r"(?:is|are) there an? {kind} (?:called|named) (?P<name>\S+)",
    r"(?:is|are) {x} (?:defined|declared)(?: (?:anywhere|somewhere|at all|here))?",
    r"what(?:'s| is) the (?:definition|declaration|location|place|path|line|line number|file) (?:of|for) {x}",
)
_WHAT = (
    # The member is quoted where there is one; else it is said that there is none.
    r"(?:does|do|has|have|did) (?:the )?(?:{kind} )?(?P<of>\S+?)(?: {kind})? (?:(?:really|actually|also|even|still) )?"
    r"(?:have|has|got|define|declare|provide|offer|support|expose|implement|contain|include)"
    r" (?:an? |the |any |its own )*(?:{kind} (?:called |named |like )?(?P<x>\S+?)"
    r"|(?P<name>(?!(?:any|some|more|other|no)\b)\S+?) {kind})",
    r"what (?:does|do|did|will|would) (?P<x>\S+) (?:do|return|take|accept|raise|throw)"
    r" (?:in|on|inside) (?:the )?(?P<of>(?-i:[A-Z]\S*|\S+(?:::|[./])\S+))(?: {kind})?",
    r"what (?:does|do|did|will|would|is|can) {x} (?:do|doing|does|for|about|mean|returns?|takes?|accepts?|expect"
    r"|represent|raises?|yield)(?: (?:exactly|here|there|for|as (?:arguments?|parameters?|input)|in {project}))*",
    r"what (?:does|do|is|are) {x} (?:default to|by default)",
    r"(?:is|are) {x} (?:(?:really|actually) )?(?:an? )?{modifier}(?: {noun})?",
    r"(?:what|which) (?:arguments?|parameters?|args|params|options|inputs?|values?|types?|exceptions?|errors?) "
    r"(?:does|do|can|is|are|will) {x} (?:takes?|accepts?|expects?|have|has|returns?|raises?|needs?|requires?|get"
    r"|receive)",
    r"what(?:'s| is| are) (?:the )?{facts} (?:of|for|to|behind) {x}",
    r"(?:(?:show|give|tell) )?(?:me )?(?:what(?:'s| is| are) )?{its} {facts}",
    r"(?:the )?{facts} (?:of|for) {x}",
    r"(?:what happens (?:in|inside|when (?:i|we|you) (?:call|run|invoke|use))|explain(?: (?:to )?me)?|describe"
    r"|document|summari[sz]e|tell me (?:more )?about|about|info(?:rmation)? (?:on|about)|details (?:of|on|about)"
    r"|define) (?:what |how )?{x}(?: (?:does|is|works?|do))?",
    r"how (?:does|do|did) {one} (?:work|function|operate|behave)(?: (?:internally|exactly))?",
    r"how (?:do|can|should|would) (?:i|we|you|one) (?:use|call|invoke) {one}",
    r"why (?:does|do|did|would|can) {one} (?:ever |actually )?(?:raise|throw|return|call|use|need|check|ignore)s?\b.*",
    r"what (?:should|must|do|would|ought) (?:i|we|one|you) (?:to |need to |have to )?(?:know|consider|mind|remember"
    r"|keep in mind|watch(?: out)? for|be aware of|look out for|respect|check)(?: about it)? (?:before|when|while|if)"
    r" (?:(?:i|we|you|one) )?(?:chang|edit|touch|modify|refactor|rewrit|remov|renam|delet|mov|replac)(?:e|ing)? {x}",
    r"what(?:'s| is| are| was) (?!(?:in|inside)\b){x}(?: (?:for|about|doing|used for|good for|responsible for|here"
    r"|there))?",
    r"who is {x}",
)

_IN_ORDER: tuple[tuple[Form, tuple[str, ...]], ...] = (
    ("said", NOTED),
    ("recap", RECAP),
    ("changed", CHANGED),
    ("said", SAID),
    ("lines", _LINES),
    ("errors", ERRORS),
    ("dependencies", DEPENDENCIES),
    ("commands", COMMANDS),
    ("environment", ENVIRONMENT),
    ("version", VERSION),
    ("runtime", RUNTIME),
    ("entry", ENTRY),
    ("threads", THREADS),
    ("exports", EXPORTS),
    ("deprecated", DEPRECATED),
    ("unused", UNUSED),
    ("untested", UNTESTED),
    ("raises", RAISED_ANYWHERE),
    ("catches", CAUGHT_ANYWHERE),
    ("overview", OVERVIEW),
    ("of kind", OF_KIND),
    ("commit", COMMIT),
    ("history", HISTORY),
    ("throws", THROWS),
    ("raises", RAISES),
    ("catches", CATCHES),
    ("requires", _REQUIRES),
    ("imports", _IMPORTS),
    ("tests", _TESTS),
    ("decorated", DECORATED),
    ("overridden", _OVERRIDDEN),
    ("overrides", _OVERRIDES),
    ("bases", _BASES),
    ("subclasses", _SUBCLASSES),
    ("callees", _CALLEES),
    ("callers", _CALLERS),
    ("uses", _USES),
    ("callers", _CALLED),
    ("uses", _USED),
    ("outline", FOLDER),
    ("files", FILES),
    ("where", _WHICH_FILE),
    ("show", FIELDS),
    ("outline", OUTLINE),
    ("known by word", KNOWN_BY_WORD),
    ("where", _POINT),
    ("show", _SHOW),
    ("where", _WHERE),
    ("what", _WHAT),
)


def _compiled(pattern: str) -> re.Pattern[str]:
    for _ in range(2):
        for name, part in _PARTS.items():
            pattern = pattern.replace(f"{{{name}}}", part)
    return re.compile(rf"^(?:{pattern}) ?[?.!]*$", re.I)


PATTERNS: tuple[tuple[Form, re.Pattern[str]], ...] = tuple(
    (form, _compiled(pattern)) for form, group in _IN_ORDER for pattern in group
)
"""In this order: the first pattern that fits, with a target that goes with its form, decides."""

COMPARED: tuple[re.Pattern[str], ...] = tuple(map(_compiled, _COMPARED))
"""Questions about two things, ``x`` and ``y``."""

AGAIN = re.compile(r"^(?:and|what about|how about|and what about|and for|same for|now|also) (?P<x>.+?) ?[?.!]*$", re.I)
"""A last question's form asked of something else."""
