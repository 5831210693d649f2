"""A conversation as a handle, for code that does not await."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.models.conversation import AgentState, ConversationInfo, ConversationStatus


class BlockingHandle:
    """See `ConversationHandle`."""

    def __init__(self, conversation: AsyncConversation) -> None:
        self._conversation = conversation

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uuid!r}, title={self.title!r})"

    def __eq__(self, other: object) -> bool:
        """See `ConversationHandle`."""
        return self._conversation == other._conversation if isinstance(other, BlockingHandle) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._conversation)

    @property
    def uuid(self) -> str:
        """Its uuid."""
        return self._conversation.uuid

    @property
    def session_id(self) -> str | None:
        """The session that it was opened by, if any."""
        return self._conversation.session_id

    @property
    def title(self) -> str | None:
        """What lists show."""
        return self._conversation.title

    @property
    def summary(self) -> str | None:
        """What was said so far, in short, once there is a summary."""
        return self._conversation.summary

    @property
    def tags(self) -> tuple[str, ...]:
        """Words to find it by."""
        return self._conversation.tags

    @property
    def status(self) -> ConversationStatus:
        """``active`` or ``archived``."""
        return self._conversation.status

    @property
    def metadata(self) -> dict[str, Any]:
        """What was kept with it."""
        return self._conversation.metadata

    @property
    def message_count(self) -> int:
        """How many messages it had when last read; `refresh` reads again."""
        return self._conversation.message_count

    @property
    def info(self) -> ConversationInfo:
        """All of the above as one value, as last read."""
        return self._conversation.info

    @property
    def state(self) -> AgentState:
        """The state of the latest turn of this object."""
        return self._conversation.state

    def refresh(self) -> ConversationInfo:
        """See `AsyncConversation.refresh`."""
        return wait(self._conversation.refresh)

    def set_title(self, title: str) -> None:
        """See `AsyncConversation.set_title`."""
        wait(lambda: self._conversation.set_title(title))

    def set_tags(self, tags: Sequence[str]) -> None:
        """See `AsyncConversation.set_tags`."""
        wait(lambda: self._conversation.set_tags(tags))

    def archive(self) -> None:
        """See `AsyncConversation.archive`."""
        wait(self._conversation.archive)

    def unarchive(self) -> None:
        """See `AsyncConversation.unarchive`."""
        wait(self._conversation.unarchive)

    def save(self) -> None:
        """See `AsyncConversation.save`."""
        wait(self._conversation.save)

    def delete(self) -> None:
        """See `AsyncConversation.delete`."""
        wait(self._conversation.delete)
