"""The receipt of a request: what it held, without a word of text, so that the request can be rebuilt from the graph."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.context.budget import quote_tokens
from ragforge_memory.agent.context.memories import line_tokens
from ragforge_memory.agent.context.prompt import DEFAULT_INSTRUCTIONS, chat_of, tokens_of
from ragforge_memory.agent.context.selection import Built, condensed_tokens
from ragforge_memory.graph.receipts import Receipt, TurnContext, Used, prompt_uuid
from ragforge_memory.llm.port import ModelRequest, ToolSpec
from ragforge_memory.models.conversation import ConversationContext
from ragforge_memory.models.memory import Tier
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    from ragforge_memory.agent.seen_secrets import SeenRedactor

RULES = 2
"""The rules by which a receipt is turned into its prompt again; another number, other rules."""

RECENT_EDGES = 10
"""So many of the recent messages, the newest, get an edge; the others stand in the receipt's list. An edge costs .011
of an empty write, whatever it holds, and a turn has .23 of one to spare; what was chosen always gets its edge."""


_FIELDS: dict[type, tuple[str, ...]] = {}


def receipt_of(
    built: Built, owner: Owner, before: TurnContext, *, question_seq: int, missed: Sequence[Tier] = ()
) -> tuple[dict[str, Any], Receipt]:
    """The receipt of a request: text-free, as the answer keeps it; and the edges and shared texts.

    The messages are named by their seq, which is theirs for good in a lineage; texts by hashes. ``missed`` are the
    tiers of recall that were late.
    """
    parts = built.parts
    instructions, tools = shared_texts(parts.instructions, built.request.tools)
    cuts = dict(parts.recent.cuts)
    used = used_by(built)
    run = [each for each in used if each.tier == "recent"]
    tokens = {each.uuid: each.tokens for each in run}
    text: dict[str, Any] = {
        "rules": RULES,
        "date": parts.today.isoformat(),
        "strategy": "hybrid",
        "question": question_seq,
        "window": built.window.tokens,
        "limit": built.window.limit,
        "instructions": prompt_uuid(owner, instructions),
        "tools": prompt_uuid(owner, tools),
        "recent": [
            [message.seq, cuts[message.uuid].results, cuts[message.uuid].texts, tokens[message.uuid]]
            for message in parts.recent.messages
        ],
        "quotes": [
            [
                *(quote.message.seq, quote.tier, quote.score, quote.characters, quote_tokens(quote), quote.start),
                *(list(quote.matched_by), quote.similarity),
            ]
            for quote in parts.quotes
        ],
        "memories": [[line.uuid, line.head, line.about, line.characters] for line in parts.memories],
        "additions": [message.seq for message in parts.additions],
        "compression": parts.compression.uuid if parts.compression else None,
        "lines": len(parts.compression.content.splitlines()) if parts.compression else 0,
        "summary": list(parts.summary_sentences),
        "summary_hash": text_hash(before.summary) if parts.summary and before.summary else None,
        "summary_seq": before.summary_seq if parts.summary else None,
        "read_at": before.read_at,
        "missed": list(missed),
        "tokens": built.tokens,
        "prompt": request_hash(built.request),
    }
    kept = [(prompt_uuid(owner, each), each) for each in (instructions, tools)]
    edges = tuple(each for each in used if each.tier != "recent" or each in run[:RECENT_EDGES])
    return text, Receipt(edges, tuple(pair for pair in kept if pair[0] in before.missing))


def used_by(built: Built) -> tuple[Used, ...]:
    """What a prompt held, the worthiest first: rank 1 is what would have gone last."""
    parts = built.parts
    used: list[Used] = []
    if parts.compression is not None:
        used.append(Used(parts.compression.uuid, "summary", 1, condensed_tokens(parts.compression), kind="summary"))
    recalled = {each.memory.uuid: each for each in parts.recalled}
    for line in parts.memories:
        one = recalled[line.uuid]
        kind = "summary" if "conversations" in one.tiers else "memory"
        used.append(Used(line.uuid, "memory", len(used) + 1, line_tokens(line), kind=kind, score=one.score))
    cuts = dict(parts.recent.cuts)
    for message in reversed(parts.recent.messages):
        tokens = sum(map(tokens_of, chat_of(message, cuts[message.uuid])))
        used.append(Used(message.uuid, "recent", len(used) + 1, tokens))
    for quote in parts.quotes:
        used.append(Used(quote.message.uuid, quote.tier, len(used) + 1, quote_tokens(quote), score=quote.score))
    return tuple(used)


def shared_texts(instructions: str | None, tools: Sequence[ToolSpec]) -> tuple[str, str]:
    """What many prompts have in common, as it is kept: the instructions and the tools' descriptions."""
    return instructions or DEFAULT_INSTRUCTIONS, json.dumps(tools, ensure_ascii=False, default=_plain)


def request_hash(request: ModelRequest) -> str:
    """A hash of all that the model was asked with."""
    return text_hash(json.dumps(replace(request, recalled=()), ensure_ascii=False, sort_keys=True, default=_plain))


def text_hash(text: str) -> str:
    """A short hash of a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """A dataclass as its fields; `asdict` would copy every schema of every tool, in every turn, twice."""
    kind = type(value)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    return {name: getattr(value, name) for name in _FIELDS[kind]} or str(value)


def without_secrets(context: ConversationContext, redactor: SeenRedactor) -> ConversationContext:
    """What a prompt held; earlier messages may say in clear what is told as a secret only now."""
    if not redactor.longest:
        return context
    return ConversationContext.model_validate(redactor.value(context.model_dump()))
