"""What the routes share while the server runs, and how they come by it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends
from starlette.applications import Starlette
from starlette.requests import Request

from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.server.access import Access, UserId, access_of
from ragforge_memory.server.errors import Refusal

if TYPE_CHECKING:
    from ragforge_memory.graph.keys import KeyStore
    from ragforge_memory.server.hub import Hub
    from ragforge_memory.server.metrics import ServerMetrics
    from ragforge_memory.server.turns import Turns


@dataclass(frozen=True, slots=True)
class ServerState:
    """The agents, the turns that run, the keys and the counters of one process."""

    hub: Hub
    turns: Turns
    keys: KeyStore
    metrics: ServerMetrics

    async def record(self, access: Access, user_id: str, action: str, detail: str = "") -> None:
        """Writes down that a key, or who came without one, acted for another user, or that somebody was erased."""
        await self.keys.record(action, user_id=user_id, key=access.key, detail=detail)

    async def lend(self, access: Access, asked: str | None, action: str, held: AsyncExitStack) -> Lent:
        """The agent of the user that a request acts for; ``held`` gives it back.

        Raises:
            Refusal: the key may not act for that user.
            GraphUnavailable: there is no server.
        """
        user_id = access.user(asked)
        if user_id != access.user_id:
            await self.record(access, user_id, action)
        agent = await held.enter_async_context(self.hub.agent(user_id))
        self.metrics.open_agents(self.hub.open_agents)
        return Lent(agent, user_id)


@dataclass(frozen=True, slots=True)
class Lent:
    """A user's open agent, for the length of a request."""

    agent: AsyncConversationAgent
    user_id: str


def state_of(app: Starlette) -> ServerState:
    """The state of an application.

    Raises:
        Refusal: it is closing, or waits for its graph.
    """
    state: ServerState | None = getattr(app.state, "server", None)
    if state is None:
        raise Refusal(503, "the server is not open", headers={"Retry-After": "2"})
    return state


def server_state(request: Request) -> ServerState:
    """The state of the application that a request came to; see `state_of`."""
    return state_of(request.app)


async def _agent(
    request: Request, state: Annotated[ServerState, Depends(server_state)], user_id: UserId = None
) -> AsyncIterator[AsyncConversationAgent]:
    async with AsyncExitStack() as held:
        action = f"{request.method} {getattr(request.scope.get('route'), 'path', request.url.path)}"
        yield (await state.lend(access_of(request), user_id, action, held)).agent


async def _conversation(uuid: str, agent: Annotated[AsyncConversationAgent, Depends(_agent)]) -> AsyncConversation:
    return await agent.load_conversation(uuid)


State = Annotated[ServerState, Depends(server_state)]
Caller = Annotated[Access, Depends(access_of)]
Agent = Annotated[AsyncConversationAgent, Depends(_agent)]
Conversation = Annotated[AsyncConversation, Depends(_conversation)]
