"""The turns of a conversation, and reading back what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.api.handle import ConversationHandle
from ragforge_memory.agent.inputs import (
    check_flag,
    check_limit,
    check_metadata,
    check_text,
    check_tool_name,
    checked_text,
)
from ragforge_memory.agent.turns.patience import outcome
from ragforge_memory.agent.turns.stream import AsyncMessageStream, Channel
from ragforge_memory.errors import InvalidInput, TurnCancelled
from ragforge_memory.models.conversation import AssistantResponse, Message, ToolCall

if TYPE_CHECKING:
    from ragforge_memory import events
    from ragforge_memory.agent.turns.turn import Turn


class ConversationTurns(ConversationHandle):
    """Saying something, and what was said before."""

    async def send_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AssistantResponse:
        """Says something and waits for the whole answer; cancelling the wait cancels the turn.

        While Neo4j is away the turn goes on with what this process remembers of the conversation; it is kept on disk
        and stored when Neo4j is back, and ``degraded`` of the answer names ``graph``.

        Args:
            text: 1 to 400,000 characters.
            metadata: kept on the message; JSON-able.

        Raises:
            InvalidInput: the text cannot be a message.
            GraphUnavailable: the agent was not open yet, and there is no server.
            ConversationNotFound: the conversation was deleted.
            ModelError: the model failed; what it had said is stored as a partial answer.
            TurnCancelled: somebody cancelled the turn.
        """
        return await self.answer(text, metadata=metadata)

    async def answer(
        self,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        message_id: str | None = None,
        asked_seq: int | None = None,
    ) -> AssistantResponse:
        """`send_message` with the question's uuid given; for callers that keep message lists of their own.

        With ``asked_seq`` the question is in the conversation already, at that place, and is asked again.

        Raises:
            RagforgeError: as `send_message`.
        """
        checked_text(text)
        check_metadata(metadata)
        await self._agent.open()
        return await outcome(self._start(text, metadata, None, message_id, asked_seq))

    def stream_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AsyncMessageStream:
        """Says something and gives the answer's events as they come; the turn starts when the stream is entered.

        The classes of the events are in `ragforge_memory.events`.

        Raises:
            InvalidInput: the text cannot be a message.
        """
        checked_text(text)
        check_metadata(metadata)
        return AsyncMessageStream(lambda channel: self._start(text, metadata, channel))

    async def cancel(self) -> bool:
        """Stops the turns of this conversation that run here and waits until their partial answers are stored; those
        that `regenerate` and `edit` have begun from it too.

        Returns:
            Whether there was one.

        Raises:
            ForkedProcess: this is a child of the process whose turns they are.
        """
        return await self._agent.turns.cancel(self.uuid)

    async def get_history(
        self,
        limit: int = 50,
        before_message_id: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """The newest ``limit`` messages, oldest first.

        Args:
            limit: 1 to 1,000.
            before_message_id: only what was said before this message.
            include_tool_calls: with their results.
            include_reasoning: the model's thoughts too.

        Raises:
            InvalidInput: something asked for is none.
            MessageNotFound: ``before_message_id`` is none of this conversation's.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: the graph cannot be asked.
        """
        check_limit(limit)
        if before_message_id is not None:
            check_text(before_message_id, "a message's uuid")
        check_flag(include_tool_calls, "include_tool_calls")
        check_flag(include_reasoning, "include_reasoning")
        services = await self._settled()
        messages = await services.messages.history(
            self.uuid,
            limit=limit,
            before=before_message_id,
            include_tool_calls=include_tool_calls,
            include_reasoning=include_reasoning,
        )
        if before_message_id is None and include_tool_calls:
            services.remembered.history(self.uuid, messages)
        return messages

    async def get_tool_calls(
        self, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """The newest ``limit`` tool calls with their results, oldest first.

        Args:
            tool_name: only this tool's.
            success: only those that went well (True) or failed (False).
            limit: 1 to 1,000.

        Raises:
            InvalidInput: something asked for is none.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: the graph cannot be asked.
        """
        check_limit(limit)
        if tool_name is not None:
            check_tool_name(tool_name)
        if success not in (None, True, False):
            raise InvalidInput("success is True, False or None")
        services = await self._settled()
        return await services.messages.tool_calls(self.uuid, tool_name=tool_name, success=success, limit=limit)

    def _start(
        self,
        text: str,
        metadata: Mapping[str, Any] | None,
        channel: Channel | None,
        message_id: str | None = None,
        asked_seq: int | None = None,
    ) -> asyncio.Task[AssistantResponse]:
        async def emit(event: events.Event) -> None:
            if channel is not None:
                await channel.send(event)

        async def run() -> AssistantResponse:
            from ragforge_memory.agent.turns.turn import Turn

            services = await self._agent.open()
            services.background.sweep()
            turn = Turn(services, self.uuid, text, emit, metadata=metadata, message_id=message_id, asked_seq=asked_seq)
            try:
                response = await turn.run()
            except BaseException as error:
                gone = turn.gone or self._agent.turns.is_deleted(self.uuid)
                if isinstance(error, TurnCancelled) and gone:
                    error.deleted()
                self._state = turn.state(self._state.session_id, error=str(error) or type(error).__name__)
                raise
            else:
                self._state = turn.state(self._state.session_id)
                return response
            finally:
                self._said(turn)

        return self._agent.turns.start(self.uuid, run, channel)

    def _said(self, turn: Turn) -> None:
        """What is known of the conversation once a turn has ended, well or not."""
        head_seq = turn.counted(self._info.head_seq)
        said = head_seq - self._info.head_seq
        if said:
            self._info = self._info.model_copy(
                update={
                    "title": self._info.title or turn.title,
                    "message_count": self._info.message_count + said,
                    "head_seq": head_seq,
                }
            )
