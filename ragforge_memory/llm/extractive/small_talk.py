"""What people say around a question, and what is no question: each is answered by a sentence of stock."""

from __future__ import annotations

import re

from ragforge_memory.llm.extractive.patterns import Form

SMALL_TALK: frozenset[Form] = frozenset({"greeting", "thanks", "noted", "taken back", "changes", "help"})
"""What is answered by a sentence of stock."""

POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|well|now|then|and|but|also|please|thanks|great|good|cool|um+|erm?"
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
    r"(?:[, ]+(?:please|thanks|thank you|for me|if you can|again|though|anyway|by the way|btw))+ ?[?.!]*$", re.I
)
"""What people say after it."""

GREETING = re.compile(
    r"^(?:hi|hello|hey|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day))"
    r"(?:[ ,]+(?:there|all|everyone|you|friend|again))?\W*$|^how are you\b.*$",
    re.I,
)
THANKS = re.compile(
    r"^(?:(?:ok(?:ay)?|great|cool|perfect|nice|awesome|good|excellent|wonderful|super|fine|got it|alright|all right"
    r"|thanks?(?: you)?(?: (?:a lot|so much|very much|again))?|thx|cheers|ty|bye|goodbye|see you"
    r"|that(?:'s| is) (?:all|it|great|helpful)|much appreciated|appreciated|well done|good job)[ ,.!]*)+$",
    re.I,
)
NOTED = re.compile(
    r"^(?:(?:actually|ok(?:ay)?|so|but|and|no|well|hm+|sorry|i think|please)[, ]+)*"
    r"(?:(?:we|i)(?:['’]ve| have)? (?:now |just |all )?(?:decided|agreed|chose|chosen|settled|concluded)\b"
    r"|we (?:no longer|(?:should|must|will|shall|can)(?:n['’]t)?|won['’]t|(?:do not|don['’]t) want|(?:never|always)) \w"
    r"|let(?:['’]?s| us) (?:agree|use|keep|stick|stay|go with|never|always|not|drop|rename)\b|from now on\b"
    r"|to-?do\b ?[:,-]? ?(?=\w)|(?:bug|idea) ?[:-]"
    r"|(?:note|remember|fyi|for the record|decision|decided|reminder|correction)(?: that\b| ?[:,-])"
    r"|(?:that(?:['’]s| is) )?(?:wrong|not (?:right|true|so)|no longer (?:right|true|so))[,;:.]+ (?:we|it|they)\b)"
    r".*[^?]$",
    re.I,
)
"""What is told and not asked."""
HELP = re.compile(
    r"^(?:help(?: me)?|\?|usage|what can (?:you|i) (?:do|ask)(?: (?:you|here|for me))?|who are you|what are you"
    r"|how (?:do|can|should) (?:i|you) (?:use|work with|ask) (?:you|this|it)|how can you help(?: me)?"
    r"|what (?:kind of |sort of )?questions can .*)\W*$",
    re.I,
)
TAKEN_BACK = re.compile(
    r"^(?:please )?(?:(?:forget|undo|delete|remove|drop|discard|scratch|retract|take back|cancel|revoke)"
    r"(?: (?:about|all|the|that|this|my|our|last|latest|it|what (?:i|we) (?:just )?(?:said|noted|decided)))*"
    r"(?: (?:notes?|decisions?|to-?dos?|reminders?)\b[^?]*)?|never ?mind(?: that| it| about [^?]*)?)[.! ]*$",
    re.I,
)
CHANGES = re.compile(
    r"^what(?:['’]s| is| has| have)? (?:been )?(?:changed|new|different|modified|edited)"
    r"(?: (?:since|today|yesterday|recently|lately|now|here|in (?:the|this|our|my) (?:project|code|code ?base|repo"
    r"|repository))\b[^?]*)?\W*$",
    re.I,
)
"""What git knows, and no definition."""

STATEMENTS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    ("greeting", GREETING),
    ("thanks", THANKS),
    ("noted", NOTED),
    ("taken back", TAKEN_BACK),
    ("changes", CHANGES),
    ("help", HELP),
)
"""In this order."""
