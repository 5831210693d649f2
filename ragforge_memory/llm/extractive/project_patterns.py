"""How people ask about a project as a whole, and not about one definition of it; wordings as in `patterns`, which puts
them to use."""

from __future__ import annotations

_KIND = r"(?: (?:the|our|all|its|of|other|external|third[- ]party|run-?time|dev(?:elopment)?|direct|optional))*"
_NEEDED = rf"{_KIND} (?:dependencies|requirements|libraries|packages)"

DEPENDENCIES = (
    rf"(?:what|which|list|show|how many)(?: me)?{_NEEDED} (?:does|do) (?:{{project}}|it|we) "
    r"(?:have|need|use|require|depend on|rely on)",
    rf"(?:what are|list|show|which are)(?: me)?{_KIND} (?:dependencies|requirements)(?: (?:of|in|for) {{project}})?",
    r"(?:what|which) dependencies are (?:there|needed|used|required)",
    r"what (?:does|do) (?:{project}|it) (?:depend on|rely on|require)",
)
"""What it depends on."""

COMMANDS = (
    r"how (?:do|can|should|would|to|must)(?: (?:i|we|you|one))?(?: to)? "
    r"(?:run|execute|start|launch|build|compile|install|set ?up|deploy|release|lint|format)"
    r"(?: (?:the|all|our|these|its|this|it|everything|unit|integration))*"
    r"(?: (?:tests?|test suite|suite|checks|docs|documentation|benchmarks?|examples?|linters?|server|app"
    r"|project|repo(?:sitory)?|code ?base|code|package|library|application))?",
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
