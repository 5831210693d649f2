"""How people ask about a project as a whole, about a file, and for what has some mark; wordings as in `patterns`, which
puts them to use."""

from __future__ import annotations

_KIND = r"(?: (?:the|our|all|its|of|other|external|third[- ]party|run-?time|dev(?:elopment)?|direct|optional))*"
_NEEDED = rf"{_KIND} (?:dependencies|requirements|libraries|packages)"

DEPENDENCIES = (
    rf"(?:what|which|list|show|how many)(?: me)?{_NEEDED} (?:does|do) (?:{{project}}|we|it|this) "
    r"(?:have|need|use|require|depend on|rely on)",
    rf"(?:what are|list|show|which are)(?: me)?{_KIND} (?:dependencies|requirements)(?: (?:of|in|for) {{project}})?",
    r"(?:what|which) dependencies are (?:there|needed|used|required)",
    r"what (?:does|do) {project} (?:depend on|rely on|require)",
)
"""What it depends on."""

COMMANDS = (
    r"how (?:do|can|should|would|to|must)(?: (?:i|we|you|one))?(?: to)? "
    r"(?:run|execute|start|launch|build|compile|install|set ?up|deploy|release|lint|format)"
    r"(?: (?:the|all|our|these|its|this|it|everything|unit|integration))*"
    r"(?: (?:tests?|test suite|suite|checks|docs|documentation|benchmarks?|examples?|linters?|server|app"
    r"|project|repo(?:sitory)?|code ?base|code|package|library|application))?",
    # A project's own name, which people write small.
    r"how (?:do|can|should|would|to|must)(?: (?:i|we|you|one))?(?: to)? install (?-i:[a-z][\w-]*)",
)
"""By what commands it is built, tested or run."""

EXPORTS = (
    r"(?:what|which)(?: {noun}| names| symbols| things)* (?:does|do|is|are) (?:the (?:file|module) )?(?P<x>\S+)"
    r"(?: (?:file|module))? (?:export(?:s|ing)?|make public)",
    r"(?:what|which)(?: {noun}| names| symbols| things)* (?:is|are) exported (?:by|from|in) (?:the (?:file|module) )?"
    r"(?P<x>\S+?)(?: (?:file|module))?",
    r"{give}(?:(?:public )?exports|exported {noun}|public (?:names|api|interface|{noun})) (?:of|in|from|by) "
    r"(?:the (?:file|module) )?(?P<x>\S+)",
)
"""What a file shows to others."""

DEPRECATED = (
    r"(?:is|are|was|were) {x} (?:already |really |now )?(?:deprecated|obsolete)",
    r"(?:has|have) {x} been deprecated",
    r"(?:what|which|list|show|is there|are there)(?: me)?"
    r"(?: (?:{noun}|any|all|the|code|things|anything|is|are|was|were|has|have|been))* "
    r"(?:deprecated|obsolete)(?: (?:{noun}|code|things))?(?: (?:here|in {project}))?",
)
"""What is deprecated; without a name, all that is."""

DECORATED = (
    r"(?:what|which)(?: {noun})?(?: (?:is|are|all|else|gets?))* (?:decorated|annotated) (?:by|with) {x}",
    r"(?:what|which)(?: {noun})? (?:does|do) {x} (?:decorate|annotate)",
    r"(?:what|which)(?: {noun})? (?:has|have|bears?|carr(?:y|ies)|uses?) the (?:decorator|annotation) {x}",
    r"{give}{noun} (?:(?:that are|which are) )?(?:decorated|annotated) (?:by|with) {x}",
    r"{where} {x} (?:is |are )?used as (?:an? )?(?:decorators?|annotations?)",
)
"""What a decorator or an annotation stands above."""

UNUSED = (
    r"(?:what|which|list|show|find|are there)(?: me)?(?: (?:all|any|the|of|our|{noun}|code|definitions|is|are|that))* "
    r"(?:never|not) (?:called|used|referenced|invoked)(?: (?:anywhere|by any(?:thing|one)|at all))?(?: in {project})?",
    r"(?:what|which|list|show|find|is there|are there)(?: me)?(?: (?:all|any|some|the))* "
    r"(?:unused|uncalled|dead|unreferenced) (?:code|{noun})(?: (?:is|are) there| do we have)?"
    r"(?: (?:here|in {project}))?",
    r"(?:what|which)(?: {noun}| code)? (?:is|are) (?:unused|dead(?: code)?|uncalled)(?: (?:here|in {project}))?",
)
"""What nothing calls."""

_SORTS_OF_CODE = (
    "(?:functions|methods|class(?:es)?|constants|variables|modules|files|packages|interfaces|structs|enums|types|traits"
    "|macros|tests|fields|properties|definitions|callers|things|parts|places)"
)
KNOWN_BY_WORD = (
    r"(?:what|which|how many|list|show)(?: me)?(?: (?:all|of|the|kinds?|sorts?|different|available|built-?in))* "
    r"(?P<x>(?!(?:{noun}|things|files|packages|parts|methods|fields|properties)\b)(?:[A-Za-z][\w-]* ){0,2}?"
    rf"(?!{_SORTS_OF_CODE}\b)[A-Za-z][\w-]*s) "
    r"(?:exist|(?:are|is) (?:there|available|supported)|do we have"
    r"|(?:does|do) {project} (?:have|define|provide|offer|support|come with)"
    # A project's own name, which people write small.
    r"|(?:does|do) (?-i:[a-z]+) (?:provide|offer|support|(?:come|ship) with))(?: (?:here|in {project}))?",
)
"""Things that are no sort of code, which only the word tells of: "which loaders are there?\""""

OF_KIND = (
    r"(?:what|which|how many|list|show)(?: me)?(?: (?:all|of|the|our|its|different|available|built-?in))* "
    r"(?P<x>[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)?) {listed} "
    r"(?:exist|(?:are|is) (?:there|available)|do we have"
    r"|(?:does|do) {project} (?:have|define|provide|offer|come with))(?: (?:here|in {project}))?",
)
"""Definitions of a sort that a word tells of: "which middleware classes are there?\""""

_FILE = "(?:which|what) (?:source )?(?:files?|modules?)"
_DOING = (
    r"(?:process|pars|read|writ|print|render|format|generat|creat|build|send|load|stor|sav"
    r"|validat|check|comput|serv|rout|display|convert|encod|decod|encrypt|log|configur|initiali[sz])(?:e|es|s)?"
)
FILES = (
    rf"{_FILE} (?:handles?|manages?|controls?|deals? with|takes? care of|(?:has|have) to do with) {{x}}",
    rf"{_FILE} (?P<x>{_DOING} \S.*?)",
    rf"{_FILE} (?:is|are) (?:responsible for|in charge of|concerned with|about) {{x}}",
)
"""The file where something is done that is no definition's name."""

_UNTESTED = (
    r"(?:(?:is|are) (?:not|never)|isn['’]t|aren['’]t)(?: yet| even)? (?:(?:unit )?tested|covered(?: by(?: the| any)?"
    r"(?: unit)? tests?)?)|(?:is|are) (?:untested|uncovered)|(?:has|have) no (?:unit )?tests?"
    r"|(?:does not|do not|doesn['’]t|don['’]t) have(?: any)? (?:unit )?tests?|lacks?(?: any)? (?:unit )?tests?"
)
_WHAT = r"(?:what|which|list|show|find)(?: me)?(?: (?:all|any|the|of|our|its|{noun}|code|parts?|else|that))*"
_UNTESTED_THINGS = (
    r"(?:what|which|list|show|find|is there|are there)(?: me)?(?: (?:all|any|some|the|of|our))* (?:untested|uncovered)"
    r" (?:code|{noun})(?: (?:is|are) there| do we have)?"
)
UNTESTED = (
    rf"{_WHAT} (?:{_UNTESTED})(?: (?:yet|at all|here|anywhere|in {{project}}))*",
    rf"{_UNTESTED_THINGS}(?: (?:here|in {{project}}))?",
    rf"{_WHAT} (?:{_UNTESTED}) in (?:the (?:file|folder) )?(?P<x>\S*[/.]\S*)",
    rf"{_UNTESTED_THINGS} in (?:the (?:file|folder) )?(?P<x>\S*[/.]\S*)",
)
"""What no test names."""

_ENVIRONMENT = r"(?:env(?:ironment)?[ -]?var(?:iable)?s?|(?:java |jvm )?system propert(?:y|ies))"
_READ = (
    r"(?:read|used?|set|changed?|written|looked (?:at|up)|accessed|exported)(?: (?:or|and) (?:read|used?|set|written))?"
)
ENVIRONMENT = (
    rf"(?:what|which|list|show|how many)(?: me)?(?: (?:all|the|of|other))* {_ENVIRONMENT}"
    r"(?: (?:is|are|does|do|it|we|gets?|{project}|there|can|i|set|[A-Z]\S+))*"
    r"(?: (?:read|used|needed|use|needs?|looked (?:at|up)|exist|have|known|supported))?(?: (?:here|in {project}))?",
    rf"where (?:does|do|is|are|did) .*\b(?:{_ENVIRONMENT}|the environment)(?: (?:being |get )?"
    rf"{_READ})?(?: (?:here|in {{project}}))?",
    rf"(?:does|do|did|can|could|will) (?!(?:i|we|you) (?:have|need)\b)\S+(?: \S+)?? (?:ever )?"
    rf"(?:reads?|uses?|sets?|look (?:at|up|for)|access|need|depend on|rely on|support|change|write|export)"
    rf"(?: (?:or|and) (?:read|set|use|write))?(?: (?:any|some|the|an?|other))* {_ENVIRONMENT}"
    r"(?: (?:here|anywhere|at all|in {project}))?",
    r"(?:does|do|did) \S+ (?:ever )?(?:read|look at|access)(?: from)? the environment(?: (?:here|in {project}))?",
    rf"(?:is|are)(?: (?:any|some|the|there|there any))+ {_ENVIRONMENT}(?: (?:that|which))?(?: (?:is|are|being))* ?"
    rf"(?:{_READ})?(?: (?:here|anywhere|at all|in {{project}}))?",
)
"""Where environment variables, or Java's system properties, are read or set."""

_PROGRAM = r"(?:it|this|{project}|execution|the (?:program|app|application|server|execution))"
ENTRY = (
    r"(?:what|which|where|list|show)(?:['’]?s| is| are)?(?: (?:me|all|the|its|our|main|program|application|app))* "
    r"(?:entry[ -]?points?|main (?:function|file|program|entry))(?: (?:of|to|for|into|in) (?:{project}|\S+))?"
    r"(?: (?:here|defined|located|are there))?",
    rf"where (?:does|do) {_PROGRAM} (?:start|begin)(?: (?:up|running|executing|its execution))?",
)
"""Where a program starts, or a package begins."""

THREADS = (
    r"(?:is|are) {x} (?:really |actually |even )?(?:thread|concurrency)[- ]?safe(?: (?:here|at all))?",
    r"(?:can|may|could|should) {x} (?:safely )?be (?:safely )?(?:used|called|shared|accessed|run) "
    r"(?:by|from|in|across|between|among) (?:(?:several|multiple|many|different|concurrent|other|more than one|two) )?"
    r"threads?(?: (?:at once|at the same time|concurrently|safely))?",
)
"""Whether several threads may use something."""

VERSION = (
    r"(?:what|which) (?:version|release)(?: number)?(?: of (?:{project}|\S+))? (?:is|are|am|do|does|has)"
    r"(?: (?:this|it|we|i|there|{project}|have|on|at|using|running|looking at|checked out|now|here|current))+",
    r"(?:what(?:'s| is)|give me|show me|tell me) (?:the|its|our)(?: (?:current|latest|exact))? "
    r"(?:version|release)(?: number)?(?: of {project})?(?: (?:here|now))?",
)
"""Which version it is."""

LANGUAGE = r"\b(?:python|node(?:\.?js)?|javascript|typescript|go(?:lang)?|rust|java|jdk|php|ruby)\b"
"""A language whose versions a project may be for."""

_SUPPORTS = "(?:supports?|supported|requires?|required|needs?|needed|works? with|runs? (?:on|with)|compatible with)"
RUNTIME = (
    rf"(?:what|which)(?: (?:minimum|lowest|oldest|minimal))? (?:versions? of {LANGUAGE}|{LANGUAGE} versions?)"
    rf"(?: (?:is|are|do|does|must|should|can|will))?(?: (?:{{project}}|it|this|i|we|you|one))?"
    rf" {_SUPPORTS}(?: (?:it|this|{{project}}|here))?",
    rf"(?:does|do|will|can|is) (?:{{project}}|it|this|we) {_SUPPORTS} {LANGUAGE} v?\d[\w.+]*",
    rf"(?:what(?:['’]s| is)|tell me) (?:the|its|our) (?:minimum|minimal|lowest|oldest|required|supported) "
    rf"(?:versions? of {LANGUAGE}|{LANGUAGE} versions?)(?: (?:of|for|here|in)(?: {{project}})?)?",
)
"""Which versions of a language it is for."""

WHOLE = frozenset(
    {"overview", "recap", "errors", "dependencies", "commands", "unused", "environment", "version", "runtime", "entry"}
)
"""Forms of questions about the project or the talk as a whole, and about no name."""

OF_ALL = frozenset({"raises", "catches", "deprecated", "untested"})
"""Forms of what may be asked of a name, or of all there is."""
