"""What people say around a question, and what is no question: each is answered by a sentence of stock."""

from __future__ import annotations

import re

from ragforge_memory.language.reading.patterns import Form
from ragforge_memory.language.reading.talk_patterns import PARTS
from ragforge_memory.language.reading.values import APPROVES, QUANTITY, WHEN

SMALL_TALK: frozenset[Form] = frozenset({"greeting", "thanks", "noted", "taken back", "changes", "help"})
"""What is answered by a sentence of stock."""

POLITE = re.compile(
    r"^(?:(?:(?:hi|hello|hey|good (?:morning|afternoon|evening))"
    r"(?: (?:there|all|everyone|everybody|team|folks|guys)(?=[,:!.-]))?"
    r"|ok(?:ay)?|so|well|now|then|and|but|also|please|thanks|great|good|cool|um+|erm?"
    r"|(?:can|could|would|will) (?:you|we)(?: please| kindly)?|do you (?:happen to )?know"
    r"|i(?:'d| would)? (?:want|like|need) (?:you )?to (?:know|see|understand|find out)"
    r"|i(?: am|'m) (?:looking for|trying to find|wondering|curious)|tell me|let me know|any idea"
    r"|help me (?:find|understand)|i wonder|we need to know|quick question|question)"
    r"(?: ?[,:!.-]+ ?| ))+",
    re.I,
)
"""What people say before a question."""

POLITE_THAT_ASKS = re.compile(r"^tell me (?:more )?about\b|^tell me what we\b", re.I)
"""Openings that are part of the question all the same."""

TAIL = re.compile(
    r"(?<![, ])(?:[, ]+(?:please|thanks|thank you|(?:for|to) me|if you can|again|though|anyway|by the way|btw))+"
    r" ?[?.!]*$",
    re.I,
)
"""What people say after it."""

GREETING = re.compile(
    r"^(?:hi|hello|hey|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day))"
    r"(?:[ ,]+(?:there|all|everyone|you|friend|again))?\W*$|^how are you\b.*$",
    re.I,
)
THANKS = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|perfect|nice|awesome|good|excellent|wonderful|super|fine|got it|alright|all right"
    r"|no(?:pe)?,? thank(?:s| you)|no (?:worries|problem)"
    r"|thanks?(?: you)?(?: (?:a lot|so much|very much|again))?|thx|cheers|ty|bye|goodbye|see you"
    r"|that(?:'s| is) (?:all|it|great|helpful)|much appreciated|appreciated|well done|good job)[ ,.!]*)+$",
    re.I,
)
_AHEAD = (
    r"(?:(?:actually|ok(?:ay)?|so|but|and|no(?:pe)?|well|hm+|wait|oh|never ?mind|sorry|i think|please|fyi|btw|by the"
    r" way|important|warning|no (?:worries|problem)|scratch that|in general|as a rule)[, :;.!]+)*"
)
LEADING = re.compile(
    r"^(?:(?:ok(?:ay)?|so|but|and|well|hm+|wait|oh|never ?mind|sorry|i think|please|fyi|important|actually|from now on"
    r"|scratch that|no|nope"
    r"|my mistake|(?:i|we) (?:was|were) wrong|note|remember|for the record|decision|decided|reminder|correction|update"
    r"|(?:update|change|correct) (?:the|that|this|my|our) (?:last )?(?:note|decision)"
    r"|rule|facts?(?= ?:)|heads[- ]up|(?:we|i)(?:['’]ve| have)? (?:now )?(?:decided|agreed|changed (?:our|my) minds?))"
    r"(?: that\b|(?: on)? ?[:,;.-])? ?(?=\b|['’\"`]))+",
    re.I,
)
"""What leads to a statement and is no part of it."""
NO_QUESTION = (
    r"(?!(?:why|how|what|where|who|whom|whose|when|which|is|are|was|were|does|do|did|can|could|should|must|will|would"
    r"|has|have|may|shall|show|list|find|explain|give|tell|search|look|get|print|read|open|compare|describe|any|all|every"
    r"|functions?|methods?|class(?:es)?|tests?|code|things?|places?|files?)\b)"
)
"""Looks ahead that a sentence does not begin like a question, an order or what is looked for."""

_PRONOUN = r"(?:it|that|this|they|those|these|everything|all)(?:['’](?:s|re)| is| are| was| were)"
_APPROVED = (
    rf"{_AHEAD}{_PRONOUN} {APPROVES}"
    r"(?: (?:now|then|already|as (?:it|they) (?:is|are|was|were)|for (?:me|now|us)|with me|like (?:this|that)))*[.! ]*$"
)
# What a project does: "we cache product pages for an hour"; "we see errors" reports.
_PRACTICES = (
    "archive|ban|build|bump|cache|deploy|document|encrypt|expose|forbid|format|hash|host|lint|log|merge|pin|publish"
    "|release|require|retry|rotate|serve|ship|sign|store|tag|target|test|validate|version|want"
)
_NOTE = (
    r"(?:(?:(?:small|short|quick|side|another|one more|an?|just an?) )*note(?: to self)?|remember|for the record"
    r"|decision|reminder)"
)
NOTED = re.compile(
    rf"^(?!{_APPROVED}){_AHEAD}"
    r"(?:(?:we|i)(?:['’]ve| have)? (?:now |just |all )?(?:decided|agreed|chose|chosen|settled|concluded|picked|rejected"
    r"|opted)\b|i prefer (?!not\b)\w"
    r"|we(?:['’]re| are)? (?:go|going|went) (?:back (?:with|to)|with) \w"
    r"|we (?:do not|don['’]t) (?!(?:know|understand|see|have|need|remember|think|care|mind|get)\b)[a-z]+"
    rf"|we (?:(?:never|always|only|now|also|still) )?(?:{_PRACTICES})\b"
    r"|we (?:no longer|(?:should|must|will|shall|can)(?:n['’]t)?(?! (?:talk|discuss|look|see|check|think|consider|try"
    r"|wait)\b)|won['’]t|(?:do not|don['’]t) (?:want|use|support)|(?:never|always)) \w"
    r"|we(?:['’]re| are) going to (?!(?:talk|discuss|look|see|check|think|need|try|have)\b)\w"
    r"|i(?:['’]d| would) rather \w|use \S+(?: \S+){0,3} (?:instead of|rather than)\b"
    r"|use (?!(?:of|cases?|the|an?|it|this|that|these|those|your|its)\b)"
    r"(?=[^\s:;]+(?: [^\s:;]+)? (?:for|in|as|everywhere)\b)\w"
    r"|we['’]ll (?:(?:not|never|always|only|now) )?(?:use|keep|go with|stay|stick|store|write|drop|make|support)\b"
    r"|let(?:['’]?s| us) (?=.* (?:instead|after all|by default|everywhere)\W*$)\w"
    r"|let(?:['’]?s| us) (?:agree|use|keep|stick|stay|go with|never|always|not|drop|rename)\b|from now on\b"
    r"|(?:still )?to-?do\b ?[:,-]? ?(?=\w)|still to do ?[:,-] ?(?=\w)"
    r"|(?:we|i) still (?:have|need) to (?!(?:know|ask)\b)\w|(?:bug|idea) ?[:-]"
    rf"|(?:{_NOTE}|decided|correction|update|heads[- ]up)(?: that\b| ?[:,-])"
    r"|(?:update|change|correct) (?:the|that|this|my|our) (?:last )?(?:note|decision) ?[:,-] ?\w"
    r"|facts? ?:"
    r"|(?:just )?fyi\b|(?:keep|bear) in mind\b"
    r"|(?:please )?be aware\b|scratch that\b|(?:i|we) (?:was|were) wrong\b|my mistake\b"
    r"|we(?:['’]ve| have)? (?:(?:still|only|now|also|currently) )*"
    r"(?:changed (?:our|my) minds?|switched|moved|dropped|postponed|delayed|raised|lowered|increased|reduced|limited"
    r"|extended|use|keep|prefer|support)\b"
    r"|(?:the|our) (?:plan|rule|convention|policy|agreement|reason|goal)(?: for \S+)? (?:is|was)\b"
    r"|(?:never|always|do not|don['’]t) (?!(?:mind|know|understand|show|tell|worry|care|nice|good|great"
    r"|happy|glad|fun|a pleasure)\b)\w|going forward\b"
    r"|(?:that(?:['’]s| is) )?(?:wrong|not (?:right|true|so)|no longer (?:right|true|so))[,;:.]+ \w"
    r"|forget (?:it|that|what (?:i|we)\b[^?,;:]*)[,;:]+ \w"
    # "No, the limit is 40", "actually the limit is 40"; "the limit should be 40", and no order, no question, nothing
    # that is looked for.
    rf"|(?:(?<=no, )|(?<=nope, )|(?<=actually )|(?<=actually, )){NO_QUESTION}(?!i have\b)\S+(?: \S+){{0,6}}"
    r" (?:is|are|was|were|has|have|uses?)\b"
    # "Actually, they keep it on the same origin".
    r"|(?:(?<=actually )|(?<=actually, ))(?:they|we|it) "
    r"(?!(?:is|are|was|were|would|will|can|could|might)\b)(?!(?:does|do|did) (?:it|that|this|we|they|not? matter)\b)"
    r"[a-z]+ \w"
    # "No, Anna owns it now", "no, Traverse drops them".
    rf"|(?:(?<=no, )|(?<=nope, )){NO_QUESTION}(?!(?:it|that|this|thanks)\b)\S+(?: \S+)? (?!(?:does|is)\b)"
    r"[a-z]{3,}s \w"
    rf"|{NO_QUESTION}(?!(?:i|we)\b|you must be\b)\S+(?: \S+){{0,6}}"
    r" (?:must(?! have been\b)|should|shall|(?-i:may|MAY)|stays?|remains?|becomes?)(?: not| never"
    r"| always| only| be| at)?\b "
    # "The limit is no longer 5", and no "the test no longer fails".
    rf"|{NO_QUESTION}(?!(?:it|this|that|they|he|she|you|i|there|nobody)\b)\S+(?: \S+){{0,5}} no longer"
    r" (?!(?:fail|crash|hang|break|work|happen|exist|reproduc|than\b|true\b|so\b|matter))(?=\w)"
    # "Client.send never logs", and no complaint: "it never works".
    rf"|{NO_QUESTION}(?!(?:it|this|that|they|he|she|you|i|there|nobody|nothing|make|write|add|rename|create|ensure"
    rf"|implement|update|move|refactor|fix|change)\b)\S+(?: \S+){{0,4}} (?:never|always)"
    r" (?!(?:been|seen|mind|wondered)\b)\w)"
    r".*[^?]$",
    re.I,
)
"""What is told and not asked."""
PRINTED = re.compile(
    r"^(?:[\w./-]+: )?(?:(?:[\w$]+\.)*(?-i:[A-Z])\w*(?-i:Error|Exception|Warning|Fault)"
    r"|(?:fatal |internal )?error|fatal|panic)"
    r"(?:\[\w+\])?: ?\S.*$",
    re.I | re.M,
)
"""A line that a program printed, whatever it says must be: "RuntimeError: X must be installed"."""
MARKED = re.compile(
    r"^(?:(?:thanks|thank you|ok(?:ay)?|so|and|also|please)[,.!]* )*"
    rf"(?:{_NOTE}|fyi|facts?|to-?do|important|one more thing)(?: ?\([^()]*\))? ?:\s*(?=\S)",
    re.I,
)
"""How a text begins that says of itself that it is a note, whatever stands in it."""
APPROVED = re.compile(rf"^(?:{_APPROVED}|no (?:worries|problem)[,;:.!]+ {NO_QUESTION}[^?]*$)", re.I)
"""What says of what was said that it is well as it is; it notes nothing."""
_CALLED = r"(?-i:(?!(?:Yes|No|OK|Ok|Done)\b)[A-Z][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)?|v\d+(?:\.\d+)*|`[^`]+`)"
# "The pool size is 10."; what has a name of code in it, or a clause, may be looked for.
SET = re.compile(
    rf"^(?={_AHEAD}"
    rf"(?:(?:the|our) |{NO_QUESTION}(?!(?:it|this|that|there|here)\b)(?=(?:[a-z0-9'’-]+ ){{2,5}}(?:is|are) ))"
    r"(?P<what>(?:(?!(?:that|which|who|where|when|what|why|how|if|whether|is|are)\b)"
    r"[a-z][a-z0-9'’-]* ){1,5})(?:is|are) (?:now |only |not |no longer |set to |limited to |capped at )*"
    rf"(?:{QUANTITY}|{_CALLED})(?: now| max| each| by default| at most| in total)*[.! ]*$)"
    # "The error is KeyError" reports something, and "the class is Parser" looks for it. Looked for last, in all of it.
    r"(?!.*\b(?:errors?|exceptions?|problems?|issues?|causes?|culprits?|results?|outputs?|answers?|questions?|bugs?"
    r"|failures?|functions?|methods?|class(?:es)?|types?|names?|files?) (?:is|are) (?-i:[A-Z`])).*",
    re.I,
)
"""What says how much something is, or which: "The owner of the docs is Marc"."""
# How a thing is called, raised or defined is what code is asked for by.
_HOW = (
    r"(?:(?:is|are) (?:always |never |only |now |not )?(?!(?:us|call|rais|defin|declar|import|test|referenc|mention"
    r"|handl|catch)ed\b)(?:[a-z]{2,}ed|kept|built|sent|written|run|set|held|made|split)"
    r" (?:in|with|on|by|to|as|at|from|via|through|under|behind|into|once|per|twice"
    rf"|(?:for|within|after|before|until|every)(?= {QUANTITY})|(?=(?:\d+|two|three|four|five|six|ten) times\b)\w+)"
    r"|lives? (?:in|on|at|under|behind)|runs? (?:on|in|at|every|behind|under|as|before|after|once)"
    rf"|(?:starts?|begins?|ends?|is|are) (?:on|at|after|before)(?= {WHEN})"
    r"|(?:runs?|happens?)(?= (?:hourly|daily|nightly|weekly|monthly|yearly)\b)"
    r"|happens? (?:on|at|every|before|after|in|once)|appl(?:y|ies) (?:to|per|only|in|from)|expires? (?:after|in|at)"
    r"|belongs? (?:to|in)|go(?:es)? (?:in|to|through|into|via)|comes? from"
    r"|(?:ha(?:s|ve) )?(?:moved|switched|migrated) to"
    r"|(?:is|are) called(?! (?:by|in|from|at|with|without|on|when|for|as|once)\b))"
)
# "Uploads are encrypted" is how a project does it; "connections are refused" is what somebody looks for.
_KEPT_SO = (
    r"(?:is|are) (?:(?:always|never|only|now|not|still) )?(?:allow|anonymi[sz]|archiv|audit|cach|compress|deprecat"
    r"|disabl|enabl|encod|encrypt|escap|format|forbidd|generat|hash|index|limit|lint|locali[sz]|logg|minifi|mirror"
    r"|normali[sz]|pinn|replicat|requir|retri|review|rotat|saniti[sz]|shard|sign|stor|support|throttl|translat"
    r"|validat|version)e[dn](?=[.! ]*$)"
)
_NOUN = r"(?:(?!(?:that|which|who|where|when|what|why|how|if|whether|of)\b)[a-z][\w'’/-]* )"
PLAIN = re.compile(
    rf"^{_AHEAD}(?:(?:(?:all|every|each|the|our) |{NO_QUESTION}(?!(?:it|this|that|there|they|he|she|you|i|we)\b))"
    rf"(?P<what>{_NOUN}{{1,4}}?)(?:{_HOW}|{_KEPT_SO})"
    r"|(?:all|every|each) (?!(?:callers?|users?|usages?|references|subclass(?:es)?|mentions)\b)"
    rf"(?P<of_all>{_NOUN}{{1,3}}?)"
    r"(?:is|are|uses?|returns?|has|have|takes?))(?: (?=[\w~/.`'\"<$@])[^?]+|(?<=ed)[.! ]*)$",
    re.I,
)
"""What says how things are in the project: "Sessions live in Redis", "All timestamps are UTC"."""
ANSWERS_FOR = (
    r"(?:owns|reviews|maintains|leads|manages|approves|releases|deploys|merges|takes care of"
    r"|is (?:now )?(?:responsible for|in charge of|on call for))"
)
WHO = re.compile(
    rf"^{_AHEAD}{NO_QUESTION}(?P<who>(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z][a-z]+))?) (?:now )?"
    rf"{ANSWERS_FOR} (?P<what>[^?]+?)[.! ]*$",
    re.I,
)
"""What says who answers for something: "Anna reviews the metrics module"."""
DONE = re.compile(
    rf"^(?!.*\?){_AHEAD}(?:(?:done|finished|completed|fixed|solved|resolved) ?[:,-] ?(\w.*?)"
    r"|(?:we|i)(?:['’]ve| have)? (?:(?:now|just|finally|already) )?(?:finished|completed|done) (?!with\b)(\w.*?)"
    r"|(?:(?:we|i)(?:['’](?:m|re|ve)| am| are| have)? )?(?:(?:now|just|finally|already|all) )?(?:done|finished) with "
    r"(\w.*?)"
    rf"|{NO_QUESTION}(?!(?:it|this|that|they|these|those)\b)(\S+(?: (?!(?:is|are)\b)\S+){{0,6}}?)"
    r" (?:is|are|has been|have been) (?:(?:now|all|finally|already) )*"
    r"(?:done|finished|completed?|written|added|in place))[.! ]*$",
    re.I,
)
"""What says that something is done; what that is, is its one group."""
_NO_IT = r"(?!(?:it|this|that|them|on|out|up|in|off|around)\b)"
_OBJECT = r"(?!(?:what|that|which|who|of|because|before|when|if|is|are)\b)[^\s,;:]+"
_DID = (
    r"(?P<{name}>(?:add|archiv|automat|benchmark|bump|chang|check|clean|configur|creat|delet|deploy|disabl|document|dropp"
    r"|enabl|encrypt|extract|fix|implement|index|install|lock|lower|merg|migrat|mov|pinn|port|publish|rais|refactor"
    r"|releas|remov|renam|replac|revert|review|rotat|shipp|sign|simplifi|support|tagg|test|translat|updat|upgrad|validat)ed"
    r"|(?:re)?wrote|(?:re)?written|(?:re)?built|sent|split)"
)
DEED = re.compile(
    rf"^(?!.*\?)(?={_AHEAD}(?:(?:(?:we|i)(?:['’]ve| have)? (?:(?:now|just|finally|already|also) )*"
    rf"|(?=\S+ (?:the|an?|all|our) )){_DID.format(name='did')} (?P<what>{_NO_IT}\w.*?)"
    rf"|{NO_QUESTION}(?!(?:it|this|that|they|these|those)\b)(?P<which>{_OBJECT}(?: {_OBJECT}){{0,6}}?)"
    rf" (?:is|are|has been|have been) (?:(?:now|all|finally|already) )*{_DID.format(name='done')}"
    r"(?: now| already| too)?)[.! ]*$)"
    # What came of it instead is told, and no to-do is done by it. Looked for last, in all of it.
    r"(?!.*\b(?:but|and now|fail\w*|\w*errors?|\w*exceptions?|still|yet|why|how)\b).*",
    re.I,
)
"""What somebody has done, "I've added the index": it closes what was to be done, and is no note by itself."""
HELP = re.compile(
    r"^(?:help(?: me)?|\?|usage|what can (?:you|i) (?:do|ask)(?: (?:you|here|for me))?|who are you|what are you"
    r"|how (?:do|can|should) (?:i|you) (?:use|work with|ask) (?:you|this|it)|how can you help(?: me)?"
    r"|what (?:kind of |sort of )?questions can .*"
    # What a note or a correction begins with, and nothing that is noted.
    rf"|(?:{_NOTE}|update|correction|fyi|to-?do) ?:)\W*$",
    re.I,
)
_OUR_WORDS = (
    r"(?:(?:all|anything|everything|what|that)(?: of)? )+(?:we|i)(?:['’]ve| have)?(?: just| ever)?"
    r" (?:said|noted|decided|agreed|told you|wrote)\b[^?,;:]*"
    r"|(?:notes?|decisions?|to-?dos?|reminders?|updates?|corrections?)\b[^?,;:]*"
)
_NOTES_OF = r"(?:notes?|decisions?|rules?|to-?dos?|reminders?|agreements?|said|noted|decided|agreed)"
_OVER = PARTS["over"].format(holds=PARTS["holds"])[:-1] + "|void|moot|off|history)"
ORDERS_AWAY = "undo|delete|remove|erase|drop|scrap|discard|ignore|disregard|scratch|strike|retract|cancel|revoke"
"""The verbs of an order that something is to be as if it had not been said."""
_ASKED_TO = r"^(?:(?:please|ok(?:ay)?|no|sorry|actually|(?:can|could|would|will) you|(?:i|we)(?: want to)?)[, ]+)*"
FORGET = re.compile(
    rf"{_ASKED_TO}forget(?: (?:(?:the|my|our) )?(?:notes?|decisions?|to-?dos?|reminders?|rules?))? ?:\s*(?P<note>\S.*)",
    re.I | re.S,
)
"""An order to forget a note that it has the words of: "forget: the port is even"."""
TAKEN_BACK = re.compile(
    rf"{FORGET.pattern}|{_ASKED_TO}"
    r"(?:forget\b[^?,;:]*|take (?:that|it|this|(?:that|this|the last) (?:note|decision)) back"
    rf"|(?:{ORDERS_AWAY}|take back)"
    rf"(?: (?:about|all|of|the|that|this|my|our|last|latest|it))*?(?: (?:{_OUR_WORDS}))?"
    r"|never ?mind(?: that| it| about [^?]*)?"
    # "The note about uploads no longer holds", "what we decided about Redis is obsolete".
    rf"|(?:the|our|my|that|this|what (?:we|i)) (?:(?!is\b|are\b)[^\s?,;:]+ ){{0,3}}?{_NOTES_OF}\b[^?,;:]*?"
    rf" (?:(?:is|are) (?:now )?{_OVER}|(?:no longer|(?:does|do)(?: not|n['’]t)) (?:hold|appl(?:y|ies)|stand|count)s?"
    r"(?: any ?more| any longer)?))[.!? ]*$",
    re.I,
)
"""What is to be as if it had not been said; what states something behind that is no such order."""

CHANGES = re.compile(
    r"^(?!.*(?:\bcommits?\b|\bsince (?!\d{4}-)\S*\d))"
    r"what(?:['’]s| is| has| have)? (?:been )?(?:changed|new|different|modified|edited)"
    r"(?: (?:since|today|yesterday|recently|lately|now|here|in (?:the|this|our|my) (?:project|code|code ?base|repo"
    r"|repository))\b[^?]*)?\W*$",
    re.I,
)
"""What git knows, and no definition."""

UNDECIDED = re.compile(
    r"\b(?:no|not|never|nothing|none)\b(?: \w+){0,3} (?:decisions?|decided|agreed|settled|concluded)\b"
    r"|n['’]t (?:\w+ ){0,3}(?:decided|agreed|settled|concluded)\b|\bdecisions? (?:is|are) (?:still )?(?:open|pending)\b"
    r"|\bnot sure\b|^(?:we|i) (?:have )?never (?:discuss|talk|sa(?:id|y)|mention|decid|agree|ask|us(?:ed )?to)"
    r"|^(?:please )?(?:do not|don['’]t)\b.*\byet\W*$",
    re.I,
)
"""What says that nothing was decided, or rules for a moment only; "for now" is until somebody says otherwise."""

STATEMENTS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    ("greeting", GREETING),
    ("thanks", THANKS),
    ("taken back", TAKEN_BACK),
    ("noted", NOTED),
    ("noted", SET),
    ("noted", PLAIN),
    ("noted", WHO),
    ("noted", DONE),
    ("noted", DEED),
    ("thanks", APPROVED),
    ("changes", CHANGES),
    ("help", HELP),
)
"""In this order."""
