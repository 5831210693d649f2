"""Turns over HTTP: as one answer or as a stream; a client that goes away cancels its turn, whose part is kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from ragforge_memory import events
from ragforge_memory.agent.turns.stream import AsyncMessageStream, error_event
from ragforge_memory.errors import GraphUnavailable, ModelTimeout, RagforgeError
from ragforge_memory.graph.users import UserStore
from ragforge_memory.models.conversation import AssistantResponse, Message, Usage
from ragforge_memory.server.errors import Refusal

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.config.server import ServerConfig
    from ragforge_memory.server.metrics import ServerMetrics

log = logging.getLogger(__name__)

_COUNTING_SECONDS = 2.0
PING_SECONDS = 15.0
"""A stream that says nothing for so long sends a comment, so that no proxy takes it for dead."""

PING = ": ping\n\n"

Answer = AsyncMessageStream | Message
Encoder = Callable[[events.Event], str]
"""Makes the text of an event, with the empty line at its end; empty where it is not sent."""


def encode_event(event: events.Event) -> str:
    """An event as a server-sent event of its type."""
    return f"event: {event.type}\ndata: {event.model_dump_json()}\n\n"


def repeated(answer: Message) -> AssistantResponse:
    """The response for a question that was answered before, as far as it is stored."""
    return AssistantResponse(
        content=answer.content,
        reasoning=answer.reasoning,
        tool_calls=answer.tool_calls,
        usage=answer.usage or Usage(),
        conversation_id=answer.conversation_id,
        message_id=answer.uuid,
        user_message_id=answer.in_reply_to or "",
        model=answer.model,
        state=answer.state,
    )


class Turns:
    """Runs the turns of a server.

    Args:
        config: the limits by plan, and how long a turn may take.
        metrics: counts them.
    """

    def __init__(self, config: ServerConfig, metrics: ServerMetrics) -> None:
        self._config = config
        self._metrics = metrics
        self._ending: dict[asyncio.Task[None], str] = {}

    def check_known(self, plan: str) -> None:
        """Refuses a plan that the configuration does not have, where it has any: it would set no limit.

        Raises:
            Refusal: it is one.
        """
        known = sorted({*self._config.plans, self._config.default_plan}) if self._config.plans else [plan]
        if plan not in known:
            raise Refusal(422, f"there is no plan {plan!r}", hint=f"the plans are {', '.join(known)}")

    async def check_plan(self, services: Services) -> None:
        """Refuses a turn of a user whose plan is used up for today.

        Raises:
            Refusal: with what to do.
        """
        if not self._config.plans:
            return
        # An answer is sent before it is counted.
        user_id = services.place.owner.user_id
        if counting := [task for task, user in self._ending.items() if user == user_id]:
            await asyncio.wait(counting, timeout=_COUNTING_SECONDS)
        try:
            context = await self._users(services).context(datetime.now(UTC).date())
        except GraphUnavailable as error:
            log.warning("a plan could not be looked at: %s", error)  # the turn itself is kept on disk
            return
        plan = context.plan or self._config.default_plan
        limits = self._config.plans.get(plan)
        if limits is None:
            return
        used = context.usage
        for name, most, number in (
            ("turns", limits.turns_per_day, used.turns),
            ("tokens", limits.tokens_per_day, used.input_tokens + used.output_tokens),
        ):
            if most is not None and number >= most:
                raise Refusal(
                    429,
                    f"the plan {plan} has {most:,} {name} a day, and they are used",
                    hint="go on tomorrow (UTC), or ask an administrator for another plan",
                    headers={"Retry-After": str(_until_tomorrow())},
                )

    async def answer(
        self, services: Services, stream: Answer, request: Request, held: AsyncExitStack
    ) -> AssistantResponse:
        """Reads a turn to its end; a client that goes away meanwhile cancels it.

        Args:
            services: of the user's agent.
            stream: the turn, which has not begun, or the answer that its question has had.
            request: watched for its end.
            held: what stays open as long as the turn; closed here.

        Raises:
            RagforgeError: what the turn failed with.
        """
        if isinstance(stream, Message):
            await held.aclose()
            return repeated(stream)
        began = asyncio.get_running_loop().time()
        turn = asyncio.create_task(self._read(stream), name="ragforge-http-turn")
        gone = asyncio.create_task(_until_gone(request), name="ragforge-http-watch")
        try:
            await asyncio.wait((turn, gone), return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                await stream.aclose()
            return await turn
        finally:
            gone.cancel()
            self._leave(services, stream, held, began)

    def respond(
        self, services: Services, stream: Answer, held: AsyncExitStack, encode: Encoder, headers: dict[str, str]
    ) -> StreamingResponse:
        """A turn as server-sent events.

        Args:
            services, stream, held: as in `answer`.
            encode: makes the lines of an event.
            headers: of the response.
        """
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", **headers}
        return StreamingResponse(
            self._lines(services, stream, held, encode), media_type="text/event-stream", headers=headers
        )

    async def aclose(self) -> None:
        """Waits for what is being stored of turns whose client has gone."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def _lines(
        self, services: Services, stream: Answer, held: AsyncExitStack, encode: Encoder
    ) -> AsyncIterator[str]:
        failed = False
        loop = asyncio.get_running_loop()
        began = loop.time()
        # A reader who reads no more and does not go either holds up the turn, and nothing here would run.
        limit = loop.call_later(self._config.turn_timeout_seconds + PING_SECONDS, self._close, stream)
        try:
            if isinstance(stream, Message):
                yield encode(events.MessageCompleted(response=repeated(stream)))
                return
            async for event in self._events(stream):
                failed = failed or isinstance(event, events.Error)
                yield PING if event is None else encode(event)
        except RagforgeError as error:
            # A turn that fails says so by an event of its own before this; what ends it from outside does not.
            if not failed:
                yield encode(error_event(error, None))
        finally:
            limit.cancel()
            self._leave(services, stream, held, began)

    async def _events(self, stream: AsyncMessageStream) -> AsyncIterator[events.Event | None]:
        """The events of a turn; None where nothing has come for a while."""
        began = asyncio.get_running_loop().time()
        waiting: asyncio.Future[events.Event] | None = None
        try:
            while True:
                waiting = waiting or asyncio.ensure_future(anext(stream))
                left = began + self._config.turn_timeout_seconds - asyncio.get_running_loop().time()
                await asyncio.wait((waiting,), timeout=max(0.0, min(PING_SECONDS, left)))
                if not waiting.done():
                    if left > 0:
                        yield None
                        continue
                    await stream.aclose()
                    raise ModelTimeout(
                        f"the turn took more than {self._config.turn_timeout_seconds:g} s",
                        hint="what was said is kept as a partial answer; server.turn_timeout_seconds sets the limit",
                    )
                done, waiting = waiting, None
                try:
                    event = done.result()
                except StopAsyncIteration:
                    return
                yield event
        finally:
            if waiting is not None:
                waiting.cancel()

    async def _read(self, stream: AsyncMessageStream) -> AssistantResponse:
        async for _ in self._events(stream):
            pass
        return stream.response

    async def count(self, services: Services, usage: Usage) -> None:
        """Counts a turn; one that cannot be counted is answered all the same."""
        try:
            await self._users(services).count(
                datetime.now(UTC).date(),
                turns=1,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cost_usd=usage.cost_usd or 0.0,
            )
        except RagforgeError as error:
            log.warning("a turn could not be counted: %s", error)

    def _leave(self, services: Services, stream: Answer, held: AsyncExitStack, began: float) -> None:
        """Ends a turn that nobody reads any more and counts it, however it ended."""

        async def leave() -> None:
            try:
                if isinstance(stream, AsyncMessageStream):
                    await stream.aclose()
                    usage = _usage_of(stream)
                    self._metrics.turn(asyncio.get_running_loop().time() - began, usage)
                    await self.count(services, usage)
            finally:
                await held.aclose()

        self._later(leave(), services.place.owner.user_id)

    def _close(self, stream: Answer) -> None:
        if isinstance(stream, AsyncMessageStream):
            self._later(stream.aclose(), "")

    def _later(self, work: Coroutine[Any, Any, None], user_id: str) -> None:
        """Does something in a task of its own: the request's may be cancelled by now."""
        task = asyncio.create_task(work, name="ragforge-http-later")
        self._ending[task] = user_id
        task.add_done_callback(self._ending.pop)

    @staticmethod
    def _users(services: Services) -> UserStore:
        return UserStore(services.stores.graph, services.place.owner)


def _usage_of(stream: AsyncMessageStream) -> Usage:
    """What a turn took; of one that failed or was cancelled that is not known."""
    try:
        return stream.response.usage
    except RagforgeError:
        return Usage()


async def _until_gone(request: Request) -> None:
    """Waits until the client has gone; its body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _until_tomorrow() -> int:
    now = datetime.now(UTC)
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return max(1, round((tomorrow - now).total_seconds()))
