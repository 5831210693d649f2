"""How people ask for what was said, noted and decided: wordings as in `patterns`, which puts them to use.

They come before those about code. Words in braces stand for the alternatives of `PARTS` and of `patterns`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ragforge_memory.language.reading.days import DAYS

PARTS: Mapping[str, str] = {
    "said": "(?:say|said|saying|discuss|discussed|discussing|talk|talked|talking|decide|decided|conclude|concluded"
    "|agree|agreed|mention|mentioned|ask|asked|tell|told|note|noted|write|wrote|chat|chatted|settle|settled"
    "|choose|chose|chosen|plan|planned|recall|remember)",
    # "How do I write a test", "where do we ask for a name": what one does, and not what was said.
    "does": r"(?:do|does|can|could|shall|should|may|might|must|will|would|to)(?:n['’]t)?(?: (?:we|i|you|us|they))?"
    "(?: (?:even|ever|actually|best))? (?:say|discuss|talk|decide|conclude|agree|mention|ask|tell|note|write|chat"
    "|settle|choose|plan)",
    "past": "(?:did|had|has|have|was|were)",
    # "The session" is as likely code.
    "talk": "(?:(?:this|our|the|my)(?: (?:whole|entire|current|{then}))* (?:conversation|chat|discussion)"
    "|(?:our|my|(?:this|the) {then}) session)s?",
    "holds": "(?:true|so|valid|right|correct|current|up to date|the case|holds?|stands?|appl(?:y|ies)|in force)",
    "over": "(?:out of date|outdated|stale|obsolete|invalid|wrong|broken"
    "|(?:no longer|not) {holds}(?: (?:any ?more|any longer|now))?)",
    # What has become of code that notes are about: "code that is gone", "deleted functions".
    "lost": "(?:gone|missing|deleted|removed|changed|modified|edited|rewritten|drifted|orphaned)",
    "lost_code": "(?:(?:some|any|the|our) )*(?:{lost} {pieces}|{pieces}(?: (?:that|which))?"
    "(?: (?:is|are|was|were|has|have|been|since|meanwhile))* (?:{lost}|(?:no longer|not) (?:there|exists?))"
    "(?: (?:now|since|meanwhile|any ?more))?)",
    "pieces": "(?:code|functions?|methods?|class(?:es)?|definitions?|files?|things?|something|anything)",
    "notes": "(?:decisions?|agreements?|conclusions?|notes?|todos?|to-dos?)",
    "rules": "(?:rules?|polic(?:y|ies)|conventions?|guidelines?|constraints?)",
    "then": "(?:last|latest|previous|earlier|past|other|recent|most recent)",
    "when": f"(?:so far|until now|up to now|{DAYS}|recently|lately|before|earlier|already|previously"
    "|(?:the )?last (?:time|session|conversation|chat)"
    "|in (?:the past|this|our|the)(?: (?:last|previous|earlier|past|current))?"
    "(?: (?:conversation|chat|discussion|session)s?)?)",
    "on": "(?:(?:about|on|regarding|concerning|of|with|for|over) ?)?",
}
"""What wordings about talk are made of."""

NOTED = (
    r"(?:(?:give|write|show|make) me )?(?:an? |the )?(?:short |brief |quick )?"
    r"(?:summar(?:y|i[sz]e)|recap|sum up|overview)(?: of)?"
    r"(?: (?:all|of|the|our|my))* (?:what (?:we|i)(?:['’]ve| have)? (?:all )?(?:decided|agreed|concluded|noted|settled)"
    r"|{notes})(?: so far)? ?{on}(?P<x>.*?)",
    r"(?P<x>)(?:what|which|any|list|show|are there)(?: me)?(?: (?:all|any|of|the|our|my))* (?:{over} {notes}"
    r"|{notes}(?: (?:that|which))? (?:(?:are|is|do|does|have become|became) )?{over})",
    r"(?:is|are|has|have)(?: (?:any|some|all|one|of|the|our|my))* {notes} (?:become )?(?P<x>){over}",
    r"(?P<x>)(?:what|which|any|list|show|are there)(?: me)?(?: (?:all|any|of|the|our|my))* {notes}"
    r"(?: (?:that|which))?(?: (?:are|is|were|do we have|have we|we have))? (?:(?:drifted|orphaned)"
    r"|(?:about|on|of|for|tied to) {lost_code})",
    r"(?P<x>)what (?:was|is|were|has been|did (?:we|i)|have (?:we|i)|(?:we|i)) {said} (?:about|on|for) {lost_code}",
    # "Drifted" and "orphaned" are our own words for it.
    r"(?P<x>)(?:what|which code|which of it|(?:has|is) (?:anything|something))"
    r"(?: (?:has|have|is|are|was|were))? (?:drifted|orphaned)(?: (?:since|meanwhile|now|so far|by now|already))*",
    r"(?P<x>)(?:remind me )?what(?:['’]s| is| was)? (?:(?:still|there|left|open|remains|remaining|outstanding) )*"
    r"to (?:do|be done)"
    r"(?: (?:next|here|now|still))?",
    r"(?P<x>)what(?:['’]s| is| are)(?: the)? (?:still open|open (?:to-?dos?|tasks?|items?))",
    r"(?P<x>)what(?:['’]s| is) left(?: now| here)?",
    r"(?P<x>)what (?:do|did|must|should) (?:we|i) (?:still )(?:have to |need to )?do(?: (?:next|here|now))?",
)
"""What was decided and noted, whatever it was about."""

RECAP = (
    r"(?:give me |write |show me |make )?(?:an? |the )?(?:short |brief |quick )?"
    r"(?:summar(?:y|i[sz]e)|recap|sum up|overview)(?: of)? {talk}(?: {when})?",
    r"(?:recap|summari[sz]e|sum up)"
    r"(?: what (?:we|i)(?:['’]ve| have)? (?:{said}|did|done|have)(?: about)?)?(?: {when})?",
    r"where (?:were|are) we(?: {when})?|where did we (?:stop|leave off|get to)(?: {when})?",
    r"what (?:have|did|do|had|were|was|are) (?:we|i|you and i) (?:(?:all|already|just|been) )*"
    r"(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|said|say|chat(?:ted|ting)?|cover(?:ed|ing)?|look(?:ed|ing)? at"
    r"|do(?:ne|ing)?|work(?:ed|ing)? on|ask(?:ed|ing)?(?: you)?)(?: about| of| on)?(?: {when}| first| at first)*",
    r"what (?:was|is|were|are) (?:my|our) (?:(?:very )?first|last|previous|earlier) (?:questions?|messages?)"
    r"(?: here| in {talk})?",
    r"what(?:'s| is| was| were| are) {talk}(?: been)? about(?: {when})?",
    r"(?:list|show|what(?:'s| is| are| were)|which are)(?: me)?(?: all)?(?: of)? {talk}",
)
"""What was talked about, whatever it was."""

SAID = (
    r"(?:is|are|does|do) (?:what|the way) (?:we|i|you) {said}\b ?{on}(?P<x>.*?) ?still {holds}",
    r"(?:is|are|does|do)(?: (?:all|any|of|the|our|my))+ (?:{notes}|rules?|plan) ?{on}(?P<x>.*?) ?still {holds}",
    r"(?:is|are|does|do)(?: (?:all|any|of|the|our|my))+ {x} (?:{notes}|rules?|plan|policy) still {holds}",
    r"(?:is|are|does|do) {x} still(?: (?:do|doing|works?|working|behaves?|be))? (?:what|as|like|how|the way)"
    r" (?:we|i|you) {said}\b.*",
    r"(?:is|does) (?:it|this|that) still {holds} that {x}",
    r"(?:is|does|are|do) (?P<x>it|this|that) still {holds}",
    # What has become of what was talked about is told with it; what it is for, by what was decided.
    r"(?:has|have|did) {x} (?:been )?(?:changed?|edited|modified|drifted)(?: since.*)?",
    r"why (?:do|did|are|were) (?:we|i|you) (?:use|using|prefer|go(?:ing)? with|stick(?:ing)? with|need|have"
    r"|keep(?:ing)?|leave) {x}",
    r"(?:what|when|where|why|how|which|who|did|have|had|do|does|was|were|is|has)\b(?!(?:(?!\b{past}\b).)*\b{does}\b)"
    r".*?\b(?:we|i|you|us|they)\b"
    r"(?: ever| already| just| previously| last| once)? {said}\b"
    r"(?: (?:me|us|you|that|to do|to use|last time|earlier|before))* ?{on}(?P<x>.*?)",
    r"(?:what|which|any|where)\b.*?\b(?:was|were|is|are|has been|have been|had been) (?:ever |already |previously )?"
    r"(?:said|discussed|decided|concluded|agreed(?: on)?|mentioned|settled|talked about|noted)\b ?{on}(?P<x>.*?)",
    r"(?:what|which)(?:'s| is| was| were| are) (?:our|the|my|your) (?:open |latest |last )?(?:decisions?|conclusions?"
    r"|agreement|plan|outcome|discussion|verdict|answer|notes?|todos?|to-dos?) ?(?:we (?:made|took|reached|had) ?)?"
    r"{on}(?P<x>.*?)",
    r"(?:what|which|any|list|show)(?: me)?(?: (?:all|of|the|our|my))*"
    r" {notes}"
    r"(?: (?:did|have|do|are|were) (?:we|i|there)(?: (?:make|made|take|taken|have|reach|reached|note|noted))*)?"
    r"(?: (?:so far|yet|until now|already))? ?{on}(?P<x>.*?)",
    r"(?:what|which)(?:['’]s| is| are| was)?(?: (?:our|the|my|any))* {rules}"
    r"(?: (?:do we have|we have|are there|is there))? (?:about|on|for|regarding|concerning|with) {x}",
    r"(?:are there|is there|do we have|have we|any)(?: (?:any|some|an?|our|got))* {rules}"
    r" (?:about|on|for|regarding|concerning|with) {x}",
    r"(?:search|look (?:in|through)|check) (?:the |our |my |this |previous |earlier |past )*"
    r"(?:conversations?|chats?|history|discussions?|messages?) ?{on}(?P<x>.*?)",
    r"(?:remind me|do you remember|remember)\b ?(?:(?:of|about|that|when|what|how|why) ?)?(?:(?:we|i|you) )?"
    r"(?:(?:said|decided|discussed|talked|agreed|told you) ?)?{on}(?P<x>.*?)",
)
"""What was said of something, or decided."""
