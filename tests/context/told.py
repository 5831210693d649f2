"""A long conversation with a few things in it that must not get lost, and what every prompt of it must hold to."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ragforge_memory import ToolOutput, tool
from ragforge_memory.agent.context.budget import request_tokens
from ragforge_memory.llm.port import ModelRequest, ToolRequest

PLANTED = {
    5: "Decision: tokens are signed with ed25519, never with RS256.",
    15: "The build failed: LinkerError in module quux.",
    25: "Note: the cache is kept in sqlite.",
    35: "ERROR: the payments job ran into a deadlock on table ledger.",
    45: "From now on every timestamp is stored in UTC.",
}
"""By turn: what is decided and what fails."""

_WORDS = [
    "parser",
    "lexer",
    "module",
    "table",
    "column",
    "query",
    "index",
    "cache",
    "render",
    "window",
    "layout",
    "node",
]


def filler(words: int, seed: object) -> str:
    """So many words that say nothing, the same for the same seed."""
    chosen = random.Random(str(seed))
    return " ".join(chosen.choice(_WORDS) for _ in range(words))


@tool
def look(place: str) -> ToolOutput:
    """Looks somewhere.

    Args:
        place: where.
    """
    if place == "nowhere":
        raise ValueError("there is no such place")
    return ToolOutput({"place": place, "seen": filler(800, place), "count": 1.5, "none": None})


def asks(place: str, id_: str = "v1") -> ToolRequest:
    """A call of it."""
    return ToolRequest(id_, "look", {"place": place})


def text_of(request: ModelRequest) -> str:
    """All texts of a request."""
    texts = [request.system]
    for message in request.messages:
        texts += [message.content, *(outcome.content for outcome in message.tool_outcomes)]
    return "\n".join(texts)


def problems_of(request: ModelRequest, limit: int, known: Sequence[str] = ()) -> list[str]:
    """What is wrong with a prompt; empty: nothing."""
    found = []
    if request_tokens(request) > limit:
        found.append(f"{request_tokens(request)} tokens of {limit}")
    text = text_of(request)
    found += [f"lost: {each}" for each in known if each not in text]
    found += [f"twice: {each}" for each in known if text.count(each) > 1]
    waiting: tuple[str, ...] = ()
    for message in request.messages:
        answered = tuple(outcome.id for outcome in message.tool_outcomes)
        if waiting != answered:
            found.append(f"calls {waiting} and results {answered}")
        waiting = tuple(asked.id for asked in message.tool_requests)
    if waiting:
        found.append(f"calls {waiting} without results")
    return found
