"""How people ask about errors: what raises and catches them, and which there are; wordings as in `patterns`, which puts
them to use."""

from __future__ import annotations

RAISES = (
    r"(?:who|what|which)(?: {noun})?(?: (?:can|could|might|may|will|would|is|are|all|else|actually))*"
    r" (?:raises?|throws?|raising|throwing) {x}",
    r"{where} {x} (?:is |are |being |gets? |ever |actually )*(?:raised|thrown)(?: (?:from|in|by|anywhere|at))?",
    r"(?:by )?(?:who|whom|what|which {noun}) (?:is|are|gets?) {x} (?:raised|thrown)(?: (?:by|from|in))?",
    r"where (?:do|does|did|can) (?:we|i|you|it|they|the code|the project) (?:raise|throw) {x}",
    r"(?:is|are) {x} (?:even |ever |actually )?(?:raised|thrown)(?: (?:anywhere|somewhere|at all))?",
    r"(?:how|when|why)(?:'s| is| are| does| do| can| would| will) {x} (?:ever |actually |get |be )*(?:raised|thrown)"
    r"(?: (?:from|in|by|here|anywhere))?",
)
THROWS = (
    r"(?:what|which)(?: (?:kinds? of )?(?:exceptions?|errors?))?(?: (?:all|else))? (?:does|do|can|could|will|would|may"
    r"|might) {x} (?:ever |actually |itself |possibly )*(?:raise|throw)",
    r"{give}(?:(?:what|which) )?(?:exceptions?|errors?) (?:that )?(?:(?:are|is|gets?|can be|may be) )?(?:raised|thrown)"
    r" (?:by|in|from|inside) {x}",
    r"(?:does|do|can|could|will|would|may|might) {x} (?:ever |actually |itself )*(?:raise|throw)"
    r"(?: (?:anything|something|an? (?:exception|error)|(?:any )?(?:exceptions|errors)|\S+))?",
)
ERRORS = (
    r"(?:show|list|give|print|enumerate|what are|which are)(?: me)?(?: all)?(?: of)?(?: the| our| its)?"
    r" (?:(?:custom|own|defined) )?{errors}(?: (?:that )?(?:(?:are )?(?:there|defined|declared)|we have))?"
    r"(?: (?:here|in {project}))?",
    r"(?:what|which|how many) (?:(?:custom|own) )?{errors} (?:(?:are|is) (?:there|defined|declared)|exist|do we have"
    r"|(?:does|do) (?:{project}|(?-i:[a-z]+)) (?:have|define|declare))(?: (?:here|in {project}))?",
)
CATCHES = (
    r"(?:who|what|which)(?: {noun})?(?: (?:can|could|might|may|will|would|is|are|all|else|actually))*"
    r" (?:catch(?:es)?|catching|rescues?|rescuing) {error}",
    r"{where} {error} (?:is |are |being |gets? |ever |actually )*(?:caught|rescued)(?: (?:in|by|anywhere|at))?",
    r"where (?:do|does|did|can) (?:we|i|you|they|the code|the project) (?:catch|rescue) {error}",
    r"(?:is|are|does|do) {error} (?:even |ever |actually |get )*(?:caught|rescued)(?: (?:anywhere|somewhere|at all))?",
)
_ANY = r"(?:(?:the|any|all) )*(?-i:errors|exceptions)"
_CAN = r"(?: (?:can|could|may|might|does|do|will|would))?"
_FILE = r"(?:the file )?(?P<x>\S*[/.]\S+)"
RAISED_ANYWHERE = (
    rf"where (?:are|is|do|does) {_ANY} (?:being |get )?(?:raised|thrown)(?: (?:here|in {{project}}))?",
    rf"where (?:do|does) (?:we|the code|{{project}}) (?:raise|throw) {_ANY}",
    rf"(?:what|which)(?: {{noun}})? (?:raises?|throws?) {_ANY}(?: (?:here|in {{project}}))?",
    rf"(?:what|which)(?: {{noun}})?{_CAN} (?:panics?|raises?|throws?)(?: (?:here|in {{project}}))?",
    rf"where{_CAN} (?:it|this|we|the code|{{project}}) (?:panic|crash)(?: (?:here|in {{project}}))?",
    rf"where{_CAN} (?:this|the code|{{project}}) (?:raise|throw)(?: {_ANY}| an? (?-i:error|exception))?",
    r"(?:can|could|may|might|does|will) (?:it|this|anything|something|the code|{project}) (?:ever |really )?"
    r"(?:panic|crash)(?: (?:here|in {project}))?",
    rf"where (?:are|is|do|does) {_ANY} (?:being |get )?(?:raised|thrown) in {_FILE}",
    rf"(?:what|which)(?: {{noun}})?{_CAN} (?:panics?|(?:raises?|throws?)(?: {_ANY})?) in {_FILE}",
    rf"where{_CAN} {_FILE} (?:panic|raise|throw)(?: {_ANY})?",
)
"""Whatever is raised, in all or in a file."""
CAUGHT_ANYWHERE = (
    rf"where (?:are|is|do|does) {_ANY} (?:being |get )?(?:caught|rescued)(?: (?:here|in {{project}}))?",
    rf"where (?:do|does) (?:we|the code|{{project}}) (?:catch|rescue) {_ANY}",
    rf"(?:what|which)(?: {{noun}})? (?:catch(?:es)?|rescues?) {_ANY}(?: (?:here|in {{project}}))?",
)
"""Whatever is caught."""
