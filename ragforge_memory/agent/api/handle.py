"""A conversation as a handle: who it is, its labels, its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.inputs import check_text, clean_labels
from ragforge_memory.models.conversation import AgentState, ConversationInfo, ConversationStatus

if TYPE_CHECKING:
    from ragforge_memory.agent.agent import AsyncConversationAgent
    from ragforge_memory.agent.services import Services


class ConversationHandle:
    """What all parts of a conversation share: its agent, what is known of it, its labels."""

    def __init__(self, agent: AsyncConversationAgent, info: ConversationInfo) -> None:
        self._agent = agent
        self._info = info
        # Retention leaves alone what somebody holds.
        agent.turns.hold(self)
        self._state = AgentState(session_id=info.session_id or info.uuid, user_id=agent.user_id or "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uuid!r}, title={self.title!r})"

    def __eq__(self, other: object) -> bool:
        """Two handles of one agent are equal where they are of one conversation."""
        if not isinstance(other, ConversationHandle):
            return NotImplemented
        return self._agent is other._agent and self.uuid == other.uuid

    def __hash__(self) -> int:
        return hash(self.uuid)

    @property
    def uuid(self) -> str:
        """Its uuid."""
        return self._info.uuid

    @property
    def session_id(self) -> str | None:
        """The session that it was opened by, if any."""
        return self._info.session_id

    @property
    def title(self) -> str | None:
        """What lists show."""
        return self._info.title

    @property
    def summary(self) -> str | None:
        """What was said so far, in short, once there is a summary."""
        return self._info.summary

    @property
    def tags(self) -> tuple[str, ...]:
        """Words to find it by."""
        return self._info.tags

    @property
    def status(self) -> ConversationStatus:
        """``active`` or ``archived``."""
        return self._info.status

    @property
    def metadata(self) -> dict[str, Any]:
        """What was kept with it."""
        return self._info.metadata

    @property
    def message_count(self) -> int:
        """How many messages it had when last read, or after the latest turn of this object; `refresh` reads again."""
        return self._info.message_count

    @property
    def info(self) -> ConversationInfo:
        """All of the above as one value, as last read."""
        return self._info

    @property
    def state(self) -> AgentState:
        """The state of the latest turn of this object."""
        return self._state

    async def refresh(self) -> ConversationInfo:
        """Reads title, counts and the rest again.

        Raises:
            ConversationNotFound: it was deleted.
        """
        services = await self._settled()
        self._info = await services.conversations.get(self.uuid)
        return self._info

    async def set_title(self, title: str) -> None:
        """Gives it another title.

        Raises:
            InvalidInput: it is no text of 1 to 500 characters.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: the graph cannot be changed.
        """
        check_text(title, "a title")
        clean_labels(title, ())
        await self._update(title=title)

    async def set_tags(self, tags: Sequence[str]) -> None:
        """Gives it other tags.

        Raises:
            InvalidInput: they are no list of words.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: the graph cannot be changed.
        """
        await self._update(tags=clean_labels(None, tags))

    async def archive(self) -> None:
        """Takes it out of the lists of active conversations; nothing is lost.

        Raises:
            ConversationNotFound: it was deleted.
            GraphUnavailable: the graph cannot be changed.
        """
        await self._update(status="archived")

    async def unarchive(self) -> None:
        """Makes it active again.

        Raises:
            ConversationNotFound: it was deleted.
            GraphUnavailable: the graph cannot be changed.
        """
        await self._update(status="active")

    async def save(self) -> None:
        """Makes sure that all of it is stored; with ``auto_save`` (the default) it is, unless Neo4j is away.

        Without ``auto_save`` this stores all that was said since the last time, in order. Broken off, it goes on where
        it was when called again.

        Raises:
            ConversationNotFound: it was deleted.
            GraphUnavailable: some of it may be stored; what is not is in memory still.
            InvalidInput: somebody else has saved a conversation of the same session.
        """
        from ragforge_memory.agent.held.messages import HeldMessages

        services = await self._settled()
        if isinstance(services.messages, HeldMessages):
            self._info = await services.messages.save(self.uuid)
            services.background.wake()
        else:
            self._info = await services.conversations.get(self.uuid)

    async def delete(self) -> None:
        """Deletes it with all that hangs on it, in the graph and in this library's files (docs/deletion.md).

        It is hidden at once and removed in batches. Messages that branches of it share stay with these.

        Raises:
            ConversationNotFound: it was deleted before.
            ConversationFileError: its texts are in a file that this agent does not have; nothing was deleted.
        """
        from ragforge_memory.agent.deletion import delete_conversation

        services = await self._agent.open()
        await self._agent.turns.cancel_deleted(self.uuid)
        await delete_conversation(services, self.uuid)

    async def _settled(self) -> Services:
        """What is open, once all that was said here while Neo4j was away is in the graph."""
        from ragforge_memory.agent.outages.recovery import replay_own

        services = await self._agent.open()
        await replay_own(services, self.uuid)
        return services

    async def _saved(self) -> Services:
        """What is open, for what looks at the graph alone.

        Raises:
            InvalidInput: something of this conversation is not saved.
        """
        services = await self._settled()
        services.check_saved(self.uuid)
        return services

    async def _update(self, **changes: Any) -> None:
        services = await self._settled()
        self._info = await services.conversations.update(self.uuid, **changes)
        if "title" in changes:
            services.background.wake()
