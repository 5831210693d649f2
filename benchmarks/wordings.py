"""How questions are put, and the words that names which do not exist are made of."""

from __future__ import annotations

WHERE = (
    "where is {x}?", "Where is `{x}` defined?", "In which file is {x} defined?", "where can I find {x}?",
    "Where's {x}", "find {x}", "Can you tell me where {x} is defined?", "locate {x}", "where is the {k} {x}?",
    "Which file defines {x}?", "where is {x} implemented", "where does {x} live?",
)  # fmt: skip
WHAT = ("what does {x} do?", "What is {x}?", "explain {x}", "Tell me about `{x}`", "what is the purpose of {x}?",
        "how does {x} work?", "What does the {k} {x} do?", "describe {x}")  # fmt: skip
SHOW = ("show me {x}", "Show me the code of {x}", "print the source of `{x}`", "let me see {x}",
        "show me the {k} {x}", "how is {x} implemented?")  # fmt: skip
CALLERS = ("who calls {x}?", "What calls {x}?", "which functions call {x}?", "Where is {x} called?",
           "callers of {x}", "who calls the {k} `{x}`?", "list all callers of {x}", "Who is calling {x}?")  # fmt: skip
CALLEES = ("what calls does {x} make?", "What does {x} call?", "which functions does {x} call?",
           "what functions are called by `{x}`?", "callees of {x}")  # fmt: skip
CONTENTS = ("what is in {x}?", "What's in `{x}`?", "outline of {x}", "what does {x} contain?",
            "which functions and classes are in {x}?", "What is inside {x}?")  # fmt: skip
SAID = ("what did we say about {x}?", "What did we decide about {x}?", "did we talk about {x}?",
        "what was decided about `{x}`?", "What did I tell you about {x}?")  # fmt: skip
FOLLOW_UPS = (
    ("who calls it?", "callers"), ("and its callers?", "callers"), ("show me that", "show"),
    ("what does it do?", "what"), ("where is that defined?", "where"), ("Show me that function", "show"),
    ("what calls does it make?", "callees"),
)  # fmt: skip

# A function called so is asked for in quotes or not at all.
PRONOUNS = frozenset({"it", "that", "this"})

# Words of no trade: what does not exist is put together from them and from the repository's own words.
STRANGE = ("quantum", "zebra", "harpsichord", "glacier", "marmalade", "trapezoid", "velvet", "osprey", "saffron",
           "lighthouse", "pangolin", "tundra", "accordion", "nebula", "walrus", "cinnamon", "obelisk")  # fmt: skip
VERBS = ("calibrate", "frobnicate", "transmogrify", "serialize", "approve", "enlist", "rotate", "harvest",
         "negotiate", "bake", "translate", "audit")  # fmt: skip

_VAGUE_WORDS = """this that these those with from which when where what will would should could have has been being
into than then them they their there here only also each every other some same such return returns given used using make
makes function method class object instance value values default called calls does doesn about before after while must
true false none"""
VAGUE = frozenset(_VAGUE_WORDS.split())
