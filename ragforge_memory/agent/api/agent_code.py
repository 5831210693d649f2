"""Finding conversations by the code that they were about."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import check_limit, check_text
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.conversation import ConversationInfo


class AgentCode:
    """What was said of code, in all conversations of an agent's owner."""

    @abstractmethod
    async def open(self) -> Services:
        """Opens what is needed, once."""

    async def conversations_about(self, scope: str, *, limit: int = 20) -> list[ConversationInfo]:
        """Conversations that talked about a definition or a file, under its name of then or of now.

        Args:
            scope: a name, a qualified name, a definition's uuid, or a file's path in the project.
            limit: conversations at most, 1 to 1,000.

        Returns:
            The one that mentioned it last comes first; ``references`` are its ties to that code, with their status.

        Raises:
            InvalidInput: ``scope`` is empty.
        """
        from ragforge_memory.agent.references import about

        check_text(scope, "a definition's name")
        check_limit(limit)
        if not scope.strip():
            raise InvalidInput("which code? the name is empty", hint="a name, a qualified name, a uuid or a file")
        return await about(await self.open(), scope.strip(), limit=limit)
