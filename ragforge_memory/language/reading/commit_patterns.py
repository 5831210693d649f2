"""How people ask what git knows: what a commit changes, what is not committed, who wrote something and when; wordings
as in `patterns`, which puts them to use."""

from __future__ import annotations

from collections.abc import Mapping

from ragforge_memory.language.reading.days import DAYS

PARTS: Mapping[str, str] = {
    "changed": "(?:chang(?:e[ds]?|ing)|touch(?:e[ds]|ing)?|modif(?:y|ie[ds]|ying)|edit(?:s|ed|ing)?|affect(?:s|ed|ing)?"
    "|add(?:s|ed)?|remove[ds]?|delete[ds]?|do(?:es|ne)?|broken?|breaks?)",
    "wrote": "(?:wrote|written|authored|added|created|introduced|implemented|changed?|modif(?:y|ied)|edit(?:ed)?"
    "|touch(?:ed)?|updated?|committed|refactored|rewr(?:ote|itten))",
    # A name of git's, written so that it is none of the project: an id, a tag with a number, HEAD.
    "revision": r"(?:(?:the |my |our )?(?:(?:last|latest|newest|most recent|head|current) commit|last change)"
    r"|(?:the )?last (?P<count>[2-9]|\d\d) commits"
    r"|(?P<before>(?:the )?(?:previous commit|commit before(?: the last)?(?: one)?))"
    r"|(?:the )?(?:commit |revision )(?P<commit>[\w./~^@-]+)"
    r"|(?P<id>HEAD[~^]*\d*|[0-9a-f]{7,40}|[\w/~^@.-]*\w\.{2,3}\w[\w/~^@.-]*)"
    r"|(?P<tree>(?:the |my |our |this )?(?:work(?:ing)?[ -]?(?:tree|copy|directory)|uncommitted "
    r"(?:changes|code|work|files)|(?:local|pending|unstaged|current) (?:changes|work))|(?:the|my|our|this) diff))",
}
"""What wordings about commits are made of."""

_LATER = (
    r"(?:(?:since|after) (?:(?P<tree>(?:the )?last commit)"
    r"|(?:the )?(?:commit|version|tag|release|revision|branch) (?P<tag>[\w./~^@+-]+)"
    r"|(?P<since>(?!\d{4}-\d\d-\d\d)[\w./~^@+-]*[\d/~^][\w./~^@+-]*|HEAD|main|master))"
    r"|between (?P<from>[\w./~^@+-]+) and (?P<to>[\w./~^@+-]+))"
)
_DATED = rf"(?P<day>(?=(?:since|after|(?:in|over|during) the (?:last|past)) )(?:{DAYS}))"

CHANGED = (
    rf"(?:what|which)(?: {{noun}})*(?:['’]s| is| has| have| was| were| did| are)?(?: been| we| i)? "
    rf"(?:{{changed}}|new|different|changes)(?: (?:in|of|to|about|for))? {{x}} (?:{_LATER}|{_DATED})",
    rf"(?:what|which)(?: {{noun}})*(?: has| have| was| were)?(?: been)? {{changed}} {_LATER} (?:in|of) {{x}}",
    rf"(?:what|which) {{noun}} (?:in|of) {{x}}(?: has| have| was| were)?(?: been)? {{changed}} (?:{_LATER}|{_DATED})",
    rf"how (?:has|have|did) {{x}} {{changed}} (?:{_LATER}|{_DATED})",
    rf"{{give}}(?:changes|diff(?:erences?)?) (?:in|of|to|for) {{x}} (?:{_LATER}|{_DATED})",
    rf"(?:has|have|was|were|did) {{x}} (?:been )?{{changed}} {_LATER}",
    r"(?:what|which)(?: {noun})*(?: has| have| was| were| got)? {changed} (?:in|of) {x} (?:in|by|with|at|on) "
    r"{revision}",
)
"""What has changed of a definition, a file or a folder, since a revision (the groups that `revision_of` reads) or since
a ``day``."""

COMMIT = (
    r"(?:what|which)(?: {noun}| files| definitions)*(?: has| have| was| were| is| are| got)? {changed}"
    r"(?: (?:in|by|with|at|on))? {revision}",
    r"(?:what|which)(?: {noun}| files| definitions)* (?:does|do|did|will|would|has|have) {revision} {changed}",
    r"(?:what(?:'s| is| are)|show|list|give)(?: me)?(?: in| the changes (?:in|of|by)| the diff of)? {revision}",
    r"when (?:was|is|did) {revision}(?: made| done| committed)?",
    r"(?:what(?:'s| is| are)|show|list|give)(?: me)?(?: the)? (?:impact|effects?|changes) of {revision}",
    r"(?:what|which)(?: {noun}| files| definitions)*(?: has| have)?(?: been| i| we)? {changed} (?:since|after) "
    r"(?:(?P<tree>(?:the )?last commit)|(?:commit |version |tag )?"
    r"(?P<since>(?!\d{4}-\d\d)[\w./~^@-]*[\d/~^][\w./~^@-]*|HEAD))",
    r"(?:what|which)(?: {noun}| files| definitions)*(?: has| have)? {changed} between "
    r"(?P<from>[\w./~^@-]+) and (?P<to>[\w./~^@-]+)",
    r"(?:what|which)(?: {noun}| files| definitions)* (?:have|did) (?P<tree>i|we) (?:just |now )?"
    r"(?:chang(?:e|ed)|touch(?:ed)?|modif(?:y|ied)|edit(?:ed)?|remov(?:e|ed)|delet(?:e|ed))(?: (?:so far|here|now))?",
    r"(?:what|which)(?: {noun}| files| definitions)*(?: is| are| have i| did i)? (?:changed?(?: but)? )?"
    r"(?P<tree>(?:uncommitted|not(?: yet)? committed|unstaged)(?: yet)?)(?: (?:changes|files|code))?",
)
"""What a revision changes, each with one of the groups that `revision_of` reads."""

HISTORY = (
    r"who (?:(?:has|had|first|last|originally|actually) )*{wrote} {x}(?: (?:first|last|originally))?",
    r"(?:by )?(?:who|whom) (?:was|were|is|has) {x} (?:been )?(?:(?:first|last|originally) )*{wrote}(?: by)?",
    r"when (?:was|were|has|had|did) {x} (?:been )?(?:(?:first|last|originally|most recently) )*{wrote}"
    r"(?: (?:first|last|for the (?:first|last) time))?",
    r"(?:which|what) commit (?:(?:first|last|originally) )*{wrote} {x}",
    r"(?:who(?:['’]s| is| are)) (?:the )?(?:(?:original|main) )?authors? (?:of|for|behind) {x}",
    r"{give}(?:(?:git|commit|change) )(?:history|log|blame) (?:of|for) {x}",
    r"(?:git )?blame {x}",
    r"how old is {x}",
    r"when did {x} (?:last )?change",
    # Of a time that was not understood the last change may be another one.
    r"(?!.*\b(?:since|before|after|until|between|during|when|while)\b)"
    r"(?:what|which)(?: {noun})*(?:['’]s| is| has| have| was| were| are)?(?: been)? (?:last )?{changed} (?:in|of) {x}"
    r"(?: (?:lately|recently|last))?",
    r"(?!.*\b(?:since|before|after|until|between)\b)how (?:has|have|did) {x} changed?(?: (?:lately|recently))?",
)
"""Who wrote something, and when it was last changed; what changed of it is that, where no time is named."""


def revision_of(groups: Mapping[str, str | None]) -> str:
    """The revision that a question names, as git takes it; ``''`` for what is not committed."""
    if groups.get("tree"):
        return ""
    if groups.get("count"):
        return f"HEAD~{groups['count']}..HEAD"
    if groups.get("from") and groups.get("to"):
        return f"{groups['from']}..{groups['to']}"
    if since := groups.get("since") or groups.get("tag"):
        return f"{since}..HEAD"
    if groups.get("before"):
        return "HEAD~1"
    return groups.get("commit") or groups.get("id") or "HEAD"
