"""Deleting conversations by age and number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo

# More days than the database's calendar goes back.
_MOST = 1_000_000


class AgentRetention(AgentPart):
    """Deleting what an agent's owner has no more use for."""

    async def expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """What `delete_expired_conversations` would delete now, the oldest first, 1,000 at most; nothing is changed.

        Args:
            older_than_days: those in which nothing was said for more days than this, by the database's clock.
            keep: those behind the newest so many.

        Raises:
            InvalidInput: neither is given, or one is no such number.
        """
        from ragforge_memory.agent.upkeep.retention import expired

        _check(older_than_days, keep)
        return await expired(await self.open(), older_than_days=older_than_days, keep=keep)

    async def delete_expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """Deletes this owner's old conversations, archived ones too, as `AsyncConversation.delete` does.

        Conversations that this agent has open, in which a turn runs or in which something was said meanwhile stay;
        so do those whose texts are in files that this agent does not have.

        Args:
            older_than_days: those in which nothing was said for more days than this, by the database's clock.
            keep: those behind the newest so many; 0: all.

        Returns:
            What was deleted, the oldest first.

        Raises:
            InvalidInput: neither is given, or one is no such number.
            GraphUnavailable: the graph went away; what was deleted until then is.
        """
        from ragforge_memory.agent.upkeep.retention import delete_expired

        _check(older_than_days, keep)
        return await delete_expired(await self.open(), older_than_days=older_than_days, keep=keep)


def _check(older_than_days: int | None, keep: int | None) -> None:
    if older_than_days is None and keep is None:
        raise InvalidInput("say what is to go", hint="older_than_days=… or keep=…")
    for name, value in (("older_than_days", older_than_days), ("keep", keep)):
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
            raise InvalidInput(f"{name} is a whole number from 0 to {_MOST:,}, not {value!r}")
