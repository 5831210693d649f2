"""Branches of a conversation: other ways from one of its messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter

from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.models.conversation import BranchTree, Comparison, ConversationInfo, Message, Usage
from ragforge_memory.server.bodies import Edited, NewBranch, OtherConversation
from ragforge_memory.server.errors import documented
from ragforge_memory.server.state import Agent, Conversation, State

router = APIRouter(tags=["branches"], responses=documented(404))


@router.get("/api/conversations/{uuid}/branches")
async def get_branches(conversation: Conversation) -> BranchTree:
    """Gives the tree that it belongs to."""
    return await conversation.branches()


@router.post("/api/conversations/{uuid}/branches", status_code=201)
async def create_branch(conversation: Conversation, new: NewBranch) -> ConversationInfo:
    """Begins a branch at a message."""
    return (await conversation.branch(new.from_message_id, new.title)).info


@router.post(
    "/api/conversations/{uuid}/messages/{message_id}/regenerate", status_code=201, responses=documented(429, 502, 504)
)
async def regenerate(conversation: Conversation, message_id: str, agent: Agent, state: State) -> ConversationInfo:
    """Answers a question once more, in a branch of its own."""
    return await _answered_anew(agent, state, lambda: conversation.regenerate(message_id))


@router.post(
    "/api/conversations/{uuid}/messages/{message_id}/edit", status_code=201, responses=documented(429, 502, 504)
)
async def edit(
    conversation: Conversation, message_id: str, edited: Edited, agent: Agent, state: State
) -> ConversationInfo:
    """Asks something else instead, in a branch of its own."""
    return await _answered_anew(agent, state, lambda: conversation.edit(message_id, edited.text))


async def _answered_anew(
    agent: Agent, state: State, ask: Callable[[], Awaitable[AsyncConversation]]
) -> ConversationInfo:
    """Runs a turn in a branch; it counts as any other."""
    services = await agent.open()
    await state.turns.check_plan(services)
    branch = await ask()
    [*_, answer] = await branch.get_history(1, include_tool_calls=False, include_reasoning=False)
    await state.turns.count(services, answer.usage or Usage())
    return branch.info


@router.get("/api/conversations/{uuid}/compare/{other}")
async def compare(conversation: Conversation, other: str) -> Comparison:
    """Says what each of two branches has alone."""
    return await conversation.compare(other)


@router.post("/api/conversations/{uuid}/merge")
async def merge(conversation: Conversation, given: OtherConversation) -> Message:
    """Takes in what another branch came to, as a message."""
    return await conversation.merge(given.other)
