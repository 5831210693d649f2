"""What a conversation gives to a prompt, what an answer was given, and the conversation as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.agent.api.handle import ConversationHandle
from ragforge_memory.agent.inputs import check_flag, check_text
from ragforge_memory.agent.search.inputs import check_query
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.models.context import ContextReceipt, Snapshot
    from ragforge_memory.models.conversation import ContextStrategy, ConversationContext

_MOST = 1_000


class ConversationContexts(ConversationHandle):
    """Contexts, receipts, snapshots."""

    async def build_context(
        self,
        strategy: ContextStrategy = "hybrid",
        recent_messages: int = 5,
        relevant_messages: int = 10,
        include_summary: bool = True,
        query: str | None = None,
        max_tokens: int | None = None,
    ) -> ConversationContext:
        """What of this conversation (a branch: of its whole lineage) to put into a prompt of your own.

        No message comes twice, and messages are whole: a budget leaves out the oldest exchanges and the least
        relevant messages, never half of one, nor a question without its answer. The newest exchange alone is shortened
        where it is longer than the budget: first its tool results and arguments, then its texts; no call loses its
        result, and each text says how long it was.

        Args:
            strategy: ``recent``: the last messages; ``relevant``: what bears on ``query``; ``hybrid``: both.
            recent_messages: the last so many, 0 to 1,000.
            relevant_messages: at most so many that bear on the query, 0 to 1,000.
            include_summary: with the summary of the conversation, if there is one.
            query: what they shall bear on; None: the last question.
            max_tokens: of the whole context, by the estimate that ``token_count`` gives too; None: no limit.

        Raises:
            InvalidInput: something asked for is none, or ``max_tokens`` has no room for the newest exchange in its
                shortest form.
            ConversationNotFound: it was deleted.
        """
        from ragforge_memory.agent.context.snapshots import build_context

        if strategy not in ("recent", "relevant", "hybrid"):
            raise InvalidInput(f"there is no strategy {strategy!r}", hint="recent, relevant or hybrid")
        _check_count(recent_messages, "recent_messages")
        _check_count(relevant_messages, "relevant_messages")
        check_flag(include_summary, "include_summary")
        if query is not None:
            check_query(query)
        if max_tokens is not None and (
            not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 1
        ):
            raise InvalidInput("max_tokens is a whole number above 0, or None")
        return await build_context(
            await self._saved(),
            self.uuid,
            strategy=strategy,
            recent_messages=recent_messages,
            relevant_messages=relevant_messages,
            include_summary=include_summary,
            query=query,
            max_tokens=max_tokens,
        )

    async def receipt(self, message_id: str | None = None) -> ContextReceipt:
        """What an answer was given: each item with its tier, score and tokens, and where it came from.

        Args:
            message_id: the answer, or the question that it answers; None: the newest answer.

        Raises:
            MessageNotFound: it is none of this conversation's, or nothing was answered yet.
            InvalidInput: memory is off, so nothing is kept.
        """
        from ragforge_memory.agent.context.snapshots import receipt

        if message_id is not None:
            check_text(message_id, "a message's uuid")
        return await receipt(await self._saved(), self.uuid, message_id)

    async def as_of(self, message_id: str) -> Snapshot:
        """The conversation as it was at a message: history, summary, context, and the very prompt of its answer.

        Rebuilt from the graph, whatever was said, ingested or summarised since; what was erased since is told. Its
        messages have no ``references``: what has become of code is told as of now, by `referenced_code`.

        Args:
            message_id: an answer, or a question (its answer's prompt is shown).

        Raises:
            MessageNotFound: it is none of this conversation's.
            InvalidInput: memory is off, so nothing is kept.
        """
        from ragforge_memory.agent.context.snapshots import snapshot

        check_text(message_id, "a message's uuid")
        return await snapshot(await self._saved(), self.uuid, message_id)


def _check_count(count: int, name: str) -> None:
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST:
        raise InvalidInput(f"{name} is a whole number from 0 to {_MOST:,}, not {count!r}")
