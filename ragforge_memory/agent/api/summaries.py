"""What a conversation says in short, asked for."""

from __future__ import annotations

from ragforge_memory.agent.api.handle import ConversationHandle


class ConversationSummaries(ConversationHandle):
    """Summaries on demand; every N messages they come by themselves."""

    async def summarize(self) -> str:
        """Summarises what is not summarised yet, down to the last message, and returns the summary of all of it.

        It is stored, and what was summarised before is not read again. The summaries of full stretches, which come in
        the background, stay as they are: a rest that is shorter than a stretch gets one of its own (level 0), until
        the stretch is full. A stretch that a branch cuts is read for each side. Waits while another process is at this
        conversation.

        Returns:
            At most 2,000 characters, the oldest part first; '' of a conversation without messages.

        Raises:
            ConversationNotFound: it was deleted.
            ModelError: the model failed; what had been summarised by then is stored.
        """
        from ragforge_memory.agent.upkeep.summaries import summarize

        text = await summarize(await self._saved(), self.uuid)
        await self.refresh()
        return text
