"""How answers without a model begin: by that they are known again wherever they are read later."""

from __future__ import annotations

NOTHING_FOUND = "Nothing found"
"""How every answer begins that found nothing."""

NOT_UNDERSTOOD = "I did not understand the question itself"
NOT_LOOKED_UP = "I could not look it up"
"""How it is said that no tool could be asked for the right thing, or none at all."""

BY_WORDS = "I searched for the words"
"""How it is said that a question was not understood, but a search for its words found something."""

WHAT_WAS_SAID = "What was said about"
"""How an answer begins that quotes messages."""

EVERY_DECISION = "was decided or noted"
EVERY_TO_DO = "was noted to be done"
"""What an answer says of all that was decided, or is to be done, behind "what" where there is such and behind
`NOTHING_FOUND` where there is none."""

NOTED = "Noted: `what did we decide"
"""How the answer to a statement begins."""

NO_DECISION = "No decision"
"""How an answer begins that was asked for one and quotes what else was said."""

WHAT_YOU_SAID = "In this conversation you said"
OUR_CONVERSATIONS = "Our latest conversations"
"""How answers begin that tell what was talked about."""

NO_REASON = "Nobody has said why; the code is all that tells."
"""What is said last where a reason was asked for and only the code was found."""
