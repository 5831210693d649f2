"""Folding what a dead process left in its journal into the graph; each turn once, by uuid."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict
from typing import Any

from ragforge_memory.agent.services import Services
from ragforge_memory.errors import NotFound, RagforgeError
from ragforge_memory.graph.journal import JournalTurn, rewrite
from ragforge_memory.graph.messages import CodeTies, Mention, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, Used
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.tokens import estimate_tokens

log = logging.getLogger(__name__)


async def fold_orphans(services: Services) -> int:
    """Takes up the turns of processes that are gone; returns how many were folded in.

    A turn with finished tool calls becomes a partial answer, an answer that waited is stored, and the question of a
    turn with neither is marked unanswered. Turns of another database are left for whoever opens that.
    """
    folded = 0
    for path in await asyncio.to_thread(services.journal.others):
        with services.journal.claimed(path) as turns:
            if turns is None:
                continue
            try:
                mine = [turn for turn in turns if turn.graph == services.graph_name]
                for turn in mine:
                    await _fold(services, turn)
                if mine and len(mine) < len(turns):
                    # What is ours is in the graph, or was of a conversation that was deleted: no file keeps it.
                    await asyncio.to_thread(rewrite, path, [turn for turn in turns if turn not in mine])
            except (RagforgeError, OSError, ValueError) as error:
                log.warning("the journal %s is kept for later: %s", path.name, error)
                continue
            folded += len(mine)
            if len(mine) == len(turns):
                path.unlink(missing_ok=True)
    return folded


async def replay_own(services: Services, conversation_id: str) -> None:
    """Stores this process's answers of a conversation that the graph could not take when they were made."""
    for turn in services.journal.waiting(conversation_id):
        await _fold(services, turn)
        services.journal.end(turn.message_id)


def as_journalled(answer: NewMessage, ties: CodeTies, receipt: Receipt) -> dict[str, Any]:
    """An answer as the journal keeps it; `fold_orphans` and `replay_own` read it back."""
    return {
        "content": answer.content,
        "reasoning": answer.reasoning,
        "token_count": answer.token_count,
        "state": answer.state,
        "model": answer.model,
        "usage": answer.usage.model_dump(mode="json") if answer.usage else None,
        "provider_parts": answer.provider_parts,
        "mentions": [item.qualified_name or item.name for item in ties.mentions],
        "files": list(ties.files),
        "importance": answer.importance,
        "receipt": answer.receipt,
        "used": [asdict(used) for used in receipt.used],
        "prompts": receipt.prompts,
    }


async def _fold(services: Services, turn: JournalTurn) -> None:
    messages = MessageStore(services.graph, Owner(turn.user_id, turn.project), summarize_every=services.summarize_every)
    try:
        if turn.answer is None and not turn.tool_calls:
            await messages.mark_unanswered(turn.user_message_id)
            return
        answer, ties = _answer_of(turn)
        await messages.complete_turn(
            turn.conversation_id,
            answer,
            turn.tool_calls,
            ties,
            receipt=_receipt_of(turn),
            embed=services.embeds_messages,
            timeout=10,
        )
    except NotFound as error:
        log.info("a turn of a conversation that is gone was dropped: %s", error)


def _answer_of(turn: JournalTurn) -> tuple[NewMessage, CodeTies]:
    kept = turn.answer or {}
    content = kept.get("content", "")
    answer = NewMessage(
        uuid=turn.message_id,
        role="assistant",
        content=content,
        reasoning=kept.get("reasoning"),
        token_count=kept.get("token_count") or estimate_tokens(content),
        state=kept.get("state", "partial"),
        in_reply_to=turn.user_message_id,
        model=kept.get("model") or turn.model or None,
        usage=Usage(**kept["usage"]) if kept.get("usage") else None,
        provider_parts=kept.get("provider_parts"),
        importance=kept.get("importance"),
        trust="agent",
        receipt=kept.get("receipt"),
    )
    ties = CodeTies(
        touched=tuple(dict.fromkeys(turn.scopes)),
        mentions=tuple(map(Mention.of, kept.get("mentions", ()))),
        files=tuple(kept.get("files", ())),
    )
    return answer, ties


def _receipt_of(turn: JournalTurn) -> Receipt:
    kept = turn.answer or {}
    return Receipt(
        used=tuple(Used(**used) for used in kept.get("used", ())),
        prompts=tuple((uuid, text) for uuid, text in kept.get("prompts", ())),
    )
