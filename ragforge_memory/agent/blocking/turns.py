"""The turns of a conversation, for code that does not await."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.stream import MessageStream
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import AssistantResponse, Message, ToolCall


class BlockingTurns(BlockingHandle):
    """See `ConversationTurns`."""

    def send_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AssistantResponse:
        """See `AsyncConversation.send_message`; Ctrl-C cancels the turn and waits for its partial answer."""
        return wait(lambda: self._conversation.send_message(text, metadata=metadata), stop=self._conversation.cancel)

    def stream_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> MessageStream:
        """See `AsyncConversation.stream_message`."""
        return MessageStream(self._conversation.stream_message(text, metadata=metadata))

    def cancel(self) -> bool:
        """See `AsyncConversation.cancel`; may be called from any thread."""
        return wait(self._conversation.cancel)

    def get_history(
        self,
        limit: int = 50,
        before_message_id: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """See `AsyncConversation.get_history`."""
        return wait(
            lambda: self._conversation.get_history(
                limit,
                before_message_id=before_message_id,
                include_tool_calls=include_tool_calls,
                include_reasoning=include_reasoning,
            )
        )

    def get_tool_calls(
        self, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """See `AsyncConversation.get_tool_calls`."""
        return wait(lambda: self._conversation.get_tool_calls(tool_name, success=success, limit=limit))
