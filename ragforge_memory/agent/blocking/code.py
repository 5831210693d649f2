"""The code that conversations are about, for code that does not await."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.part import BlockingAgentPart
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.models.code import CodeReference, ReferenceKind
    from ragforge_memory.models.conversation import ConversationInfo


class BlockingCode(BlockingHandle):
    """See `ConversationCode`."""

    def reference_code(
        self, message_id: str, scopes: Sequence[str], kind: ReferenceKind = "discussed"
    ) -> list[CodeReference]:
        """See `AsyncConversation.reference_code`."""
        return wait(lambda: self._conversation.reference_code(message_id, scopes, kind))

    def referenced_code(self) -> list[CodeReference]:
        """See `AsyncConversation.referenced_code`."""
        return wait(self._conversation.referenced_code)


class BlockingAgentCode(BlockingAgentPart):
    """See `AgentCode`."""

    def conversations_about(self, scope: str, *, limit: int = 20) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.conversations_about`."""
        return self._do(lambda: self._agent.conversations_about(scope, limit=limit))
