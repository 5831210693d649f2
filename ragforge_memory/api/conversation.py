"""A conversation, awaited: what is said in it, and what becomes of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args, overload

from ragforge_memory.agent.inputs import (
    check_flag,
    check_limit,
    check_metadata,
    check_text,
    check_tool_name,
    checked_text,
    clean_labels,
)
from ragforge_memory.agent.search.inputs import check_query, check_threshold, checked_filters
from ragforge_memory.agent.turns.patience import outcome
from ragforge_memory.agent.turns.stream import AsyncMessageStream, Channel
from ragforge_memory.errors import InvalidInput, TurnCancelled
from ragforge_memory.models.code import CodeReference, ReferenceKind
from ragforge_memory.models.conversation import (
    AgentState,
    AssistantResponse,
    BranchTree,
    Comparison,
    ConversationInfo,
    ConversationStatus,
    Message,
    ToolCall,
)
from ragforge_memory.tracing import span

if TYPE_CHECKING:
    from ragforge_memory import events
    from ragforge_memory.agent.branches import Sibling
    from ragforge_memory.agent.services import Services
    from ragforge_memory.agent.turns.handover import Handover
    from ragforge_memory.agent.turns.tasks import TurnTasks
    from ragforge_memory.agent.turns.turn import Turn
    from ragforge_memory.models.context import ContextReceipt, Snapshot
    from ragforge_memory.models.conversation import (
        ContextStrategy,
        ConversationContext,
        Role,
        ScoredMessage,
    )
    from ragforge_memory.models.search import SearchResults


_MOST = 1_000
ExportFormat = Literal["json", "markdown"]
_FORMATS = ("json", "markdown")


class Agent(Protocol):
    """What a conversation needs of its agent."""

    turns: TurnTasks

    @property
    def user_id(self) -> str | None:
        """Whose conversations these are."""

    async def open(self) -> Services:
        """Opens what is needed, once."""

    def _conversation(self, info: ConversationInfo) -> AsyncConversation:
        """The conversation that this process knows from now on."""


class AsyncConversation:
    """A conversation of an `AsyncConversationAgent`; made by its methods, not by hand."""

    def __init__(self, agent: Agent, info: ConversationInfo) -> None:
        self._agent = agent
        self._info = info
        # Retention leaves alone what somebody holds.
        agent.turns.hold(self)
        self._state = AgentState(session_id=info.session_id or info.uuid, user_id=agent.user_id or "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.uuid!r}, title={self.title!r})"

    def __eq__(self, other: object) -> bool:
        """Two handles of one agent are equal where they are of one conversation."""
        if not isinstance(other, AsyncConversation):
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
        self._info = await services.stores.conversations.get(self.uuid)
        return self._info

    async def set_title(self, title: str) -> None:
        """Gives it another title.

        Raises:
            InvalidInput: it is not text of 1 to 500 characters.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: the graph cannot be changed.
        """
        check_text(title, "a title")
        clean_labels(title, ())
        await self._update(title=title)

    async def set_tags(self, tags: Sequence[str]) -> None:
        """Gives it other tags.

        Raises:
            InvalidInput: they are not a list of words.
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
        if isinstance(services.stores.messages, HeldMessages):
            self._info = await services.stores.messages.save(self.uuid)
            services.background.work.wake()
        else:
            self._info = await services.stores.conversations.get(self.uuid)

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
        services.stores.check_saved(self.uuid)
        return services

    async def _update(self, **changes: Any) -> None:
        services = await self._settled()
        self._info = await services.stores.conversations.update(self.uuid, **changes)
        if "title" in changes:
            services.background.work.wake()

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
        text = checked_text(text)
        check_metadata(metadata)
        await self._agent.open()
        return await outcome(self._start(text, metadata, None, message_id, asked_seq))

    def stream_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AsyncMessageStream:
        """Says something and gives the answer's events as they come; the turn starts when the stream is entered.

        The classes of the events are in `ragforge_memory.events`.

        Raises:
            InvalidInput: the text cannot be a message.
        """
        return self.stream_answer(text, metadata=metadata)

    def stream_answer(
        self,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        message_id: str | None = None,
        asked_seq: int | None = None,
        handover: Handover | None = None,
    ) -> AsyncMessageStream:
        """`stream_message` with the question given as in `answer`, and with tools that the caller runs.

        Raises:
            InvalidInput: as `stream_message`.
        """
        text = checked_text(text)
        check_metadata(metadata)
        return AsyncMessageStream(lambda channel: self._start(text, metadata, channel, message_id, asked_seq, handover))

    async def ask_once(
        self, text: str, key: str, *, metadata: Mapping[str, Any] | None = None
    ) -> AsyncMessageStream | Message:
        """Asks a question that may be sent again under the same key; for callers that await and repeat requests.

        Args:
            text: the question.
            key: names it in this conversation.
            metadata: kept on it.

        Returns:
            The stream of its answer, which has not begun; or the answer that it has had already.

        Raises:
            BeingAnswered: it was sent before and is being answered.
            InvalidInput: something else was asked under this key.
        """
        from ragforge_memory.agent.listed import listed

        text = checked_text(text)
        check_text(key, "a key")
        check_metadata(metadata)
        services = await self._settled()
        question = {"id": key, "role": "user", "content": text}
        known = await listed(services.stores, services.place, self.info, [question])
        try:
            known.check_texts([question])
        except InvalidInput as error:
            raise InvalidInput(
                f"something else was asked under the key {key!r}", hint="a new question takes a new key"
            ) from error
        if (answer := known.answer_to(question)) is not None:
            return answer
        return self.stream_answer(
            text, metadata=metadata, message_id=known.uuid_of(question), asked_seq=known.asked_seq(question)
        )

    async def add_messages(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """Records turns of an agent loop of one's own, behind what was said; in one write, each once by its uuid.

        They are as a turn of ours leaves them: tied to the code that they name, embedded, summarised, searched,
        remembered, and in the prompt of later turns. Secrets are redacted. A loop that was broken off may hand over
        again what it is not sure of, if it gives its messages uuids.

        Args:
            messages: at most 1,000, oldest first. Each has a ``role`` (``user``, ``assistant``, ``system``) and a
                ``content``, and may have ``reasoning``, ``tool_calls``, a ``timestamp`` (ISO text, a datetime or
                seconds since 1970, without a zone UTC; none: now), a ``uuid``, ``model`` and ``metadata``. A tool call
                is an assistant's: its ``tool_name``, ``arguments`` (a mapping), ``result`` (JSON) or ``error``, and
                where they are known ``success``, ``duration_ms``, ``timestamp``, ``iteration`` and ``uuid``. One
                without a ``result`` has failed, unless its ``success`` says that it has not.

        Returns:
            The messages as they are stored, in their order.

        Raises:
            InvalidInput: a message is none (its index is named), or its uuid is that of a message elsewhere, or of one
                here with another text or role; nothing was written.
            ConversationNotFound: the conversation was deleted.
            GraphUnavailable: they could not be stored.
        """
        from ragforge_memory.archive.added_messages import add_messages, checked

        found = checked(messages)
        services = await self._settled()
        added = await add_messages(services, self.uuid, found)
        self._info = await services.stores.conversations.get(self.uuid)
        return added

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
        messages = await services.stores.messages.history(
            self.uuid,
            limit=limit,
            before=before_message_id,
            include_tool_calls=include_tool_calls,
            include_reasoning=include_reasoning,
        )
        if before_message_id is None and include_tool_calls:
            services.background.remembered.history(self.uuid, messages)
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
        return await services.stores.messages.tool_calls(self.uuid, tool_name=tool_name, success=success, limit=limit)

    def _start(
        self,
        text: str,
        metadata: Mapping[str, Any] | None,
        channel: Channel | None,
        message_id: str | None = None,
        asked_seq: int | None = None,
        handover: Handover | None = None,
    ) -> asyncio.Task[AssistantResponse]:
        async def emit(event: events.Event) -> None:
            if channel is not None:
                await channel.send(event)

        async def run() -> AssistantResponse:
            from ragforge_memory.agent.turns.handover import NO_HANDOVER
            from ragforge_memory.agent.turns.turn import Turn

            services = await self._agent.open()
            services.background.work.sweep()
            turn = Turn(
                services,
                self.uuid,
                text,
                emit,
                metadata=metadata,
                message_id=message_id,
                asked_seq=asked_seq,
                created_at=self.info.created_at,
                handover=handover or NO_HANDOVER,
            )
            try:
                with span("invoke_agent", gen_ai__operation__name="invoke_agent", gen_ai__conversation__id=self.uuid):
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

    async def branch(self, from_message_id: str | None = None, title: str | None = None) -> AsyncConversation:
        """Another conversation that goes on from here; nothing is copied, and both go their own ways.

        What both share is summarised once, but for a stretch that ends behind it: that is summarised for each side.

        Args:
            from_message_id: the last message that both share; None: the newest one.
            title: what lists show; None: this one's, marked as a branch, and from then on what is asked there first.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            ConversationNotFound: the conversation was deleted.
            InvalidInput: memory is off, or it would be a branch of a branch of more than 500 conversations.
        """
        from ragforge_memory.agent import branches

        if from_message_id is not None:
            check_text(from_message_id, "a message's uuid")
        clean_labels(title, ())
        services = await self._saved()
        return self._sibling(
            await branches.branch(
                services, self.uuid, from_message_id=from_message_id, title=services.place.redacted(title)
            )
        )

    async def regenerate(self, message_id: str) -> AsyncConversation:
        """Asks again what an answer answered; the new answer is in a branch beside it, the old one stays.

        Args:
            message_id: an assistant's message.

        Returns:
            The branch; its newest message is the new answer.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: it is not an answer, or as in `branch`.
            ModelError: the model failed; of what it had said the branch stays, with nothing said there is none.
        """
        from ragforge_memory.agent import branches

        check_text(message_id, "a message's uuid")
        services = await self._saved()
        return await self._beside(services, partial(branches.sibling_for_answer, services, self.uuid, message_id))

    async def edit(self, message_id: str, text: str, *, metadata: Mapping[str, Any] | None = None) -> AsyncConversation:
        """Says something else instead of an earlier message, in a branch that goes on from there; answered at once.

        Args:
            message_id: a user's message.
            text: what is said instead; 1 to 400,000 characters.
            metadata: kept on the message; JSON-able.

        Returns:
            The branch, with the new question and its answer.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: it is not a user's, the text cannot be a message, or as in `branch`.
            ModelError: the model failed; of what it had said the branch stays, with nothing said there is none.
        """
        from ragforge_memory.agent import branches

        check_text(message_id, "a message's uuid")
        text = checked_text(text)
        check_metadata(metadata)
        services = await self._saved()
        creation = partial(branches.sibling_for_question, services, self.uuid, message_id, text)
        return await self._beside(services, creation, metadata)

    async def branches(self) -> BranchTree:
        """The whole family of this conversation, from its root down.

        Raises:
            ConversationNotFound: it was deleted.
            InvalidInput: memory is off, or something of it is not saved yet.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent import branches

        services = await self._saved()
        return await branches.tree(services.stores, services.place, self.uuid)

    async def compare(self, other: AsyncConversation | str) -> Comparison:
        """What this conversation and another have alone since they parted.

        Args:
            other: a conversation, or its uuid.

        Raises:
            ConversationNotFound: one of them was deleted.
            InvalidInput: both are the same.
        """
        from ragforge_memory.agent import branches

        services = await self._saved()
        return await branches.compare(services.stores, services.place, self.uuid, _uuid(other))

    async def merge(self, other: AsyncConversation | str) -> Message:
        """Brings another conversation of the family in: one message here, with what both sides did since they parted.

        The message refers to the code that either has talked about. The other conversation stays as it is.

        Args:
            other: a conversation, or its uuid.

        Returns:
            The message.

        Raises:
            ConversationNotFound: one of them was deleted.
            InvalidInput: both are the same, or the other one has nothing of its own.
        """
        from ragforge_memory.agent import merging

        services = await self._saved()
        message = await merging.merge(services, self.uuid, _uuid(other))
        await self.refresh()
        return message

    async def _beside(
        self, services: Services, creation: Callable[[], Awaitable[Sibling]], metadata: Mapping[str, Any] | None = None
    ) -> AsyncConversation:
        """Asks in a branch, as a turn of this conversation's too: what cancels it waits until all of it is over."""
        from ragforge_memory.agent import branches

        found: list[AsyncConversation] = []

        async def run() -> AssistantResponse:
            async with branches.removed_unanswered(services.stores, creation()) as made:
                sibling = self._sibling(made.info)
                found.append(sibling)
                turn = sibling._start(made.question, metadata, None, made.question_id, made.asked_seq)
                try:
                    return await outcome(turn)
                except asyncio.CancelledError:
                    if not turn.cancelled() and (error := turn.exception()) is not None:
                        raise error from None  # it knows what was kept
                    raise

        await outcome(self._agent.turns.start(self.uuid, run, None))
        return found[0]

    def _sibling(self, info: Any) -> AsyncConversation:
        return self._agent._conversation(info)

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
        from ragforge_memory.agent.summaries import summarize

        text = await summarize(await self._saved(), self.uuid)
        await self.refresh()
        return text

    async def search_history(
        self,
        query: str,
        limit: int = 10,
        min_score: float | None = None,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """Messages of this conversation (a branch: of its whole lineage) that bear on a question, best first.

        Found by words and by meaning at the same time; what was said right before and after a hit may come too. A
        message is found by its words as soon as it is written, by its meaning once it is embedded, a moment later.

        Args:
            query: the question, in any words.
            limit: messages at most, 1 to 1,000.
            min_score: the least ``similarity``, 0 (unrelated) to 1 (identical), on the same scale for every embedding
                model; a message without a vector must have this share of the question's words. None: no threshold.
            role: only what the ``user``, the ``assistant`` or the ``system`` said.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier.
            tool: only messages that called this tool.

        Returns:
            A list whose ``answered`` and ``missed`` say whether words (``text``) and ``meaning`` were searched. Each
            item says why it is there: ``matched_by``, ``matched_words``, ``similarity``. Messages come without their
            tool calls.

        Raises:
            InvalidInput: something asked for is none.
            ConversationNotFound: it was deleted.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.messages import search

        check_query(query)
        check_limit(limit)
        check_threshold(min_score)
        filters = checked_filters(role=role, since=since, until=until, tool=tool)
        services = await self._saved()
        return await search(
            services, query, limit=limit, conversation_id=self.uuid, filters=filters, min_score=min_score
        )

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
        return await receipt((await self._saved()).stores, self.uuid, message_id)

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
        services = await self._saved()
        return await snapshot(services.stores, services.background, self.uuid, message_id)

    async def reference_code(
        self, message_id: str, scopes: Sequence[str], kind: ReferenceKind = "discussed"
    ) -> list[CodeReference]:
        """Ties a message to definitions, as the turn does for those that tools returned and answers name.

        Args:
            message_id: a message of this conversation.
            scopes: qualified names (the module may stand before them), names, signatures, ``FILE:NAME`` with a
                qualified name, or uuids; each means one definition.
            kind: what was done with the code: ``discussed``, ``read``, ``edited`` or ``tested``.

        Returns:
            All ties of the message, with their status, those from before among them.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: a name means no definition, or several, or there is no such kind; nothing was written.
        """
        from ragforge_memory.agent.ties.references import refer

        check_text(message_id, "a message's uuid")
        if kind not in get_args(ReferenceKind):
            raise InvalidInput(f"there is no kind {kind!r}", hint=", ".join(get_args(ReferenceKind)))
        if isinstance(scopes, str) or not isinstance(scopes, Sequence) or not scopes:
            raise InvalidInput("scopes are a list of names", hint='["auth.check_password"]')
        for scope in scopes:
            check_text(scope, "a definition's name")
        services = await self._saved()
        return await refer(services.stores, services.place, self.uuid, message_id, scopes, kind)

    async def referenced_code(self) -> list[CodeReference]:
        """The code that this conversation has talked about, in the messages' order, and what has become of it.

        ``status`` is as of the last ingest: ``fresh`` (the same tokens in the same place), ``drifted`` (the place is
        the same, the tokens are not), ``moved`` (to ``moved_to_file``, ``moved_to_name``; ``changed`` says whether its
        tokens are others too) or ``orphaned`` (nothing has taken its place; ``candidates`` where it cannot be said
        which of several has). ``commit`` is where it was true.

        Raises:
            ConversationNotFound: the conversation was deleted.
        """
        from ragforge_memory.agent.ties.references import referenced

        services = await self._saved()
        return await referenced(services.stores, services.place, self.uuid)

    @overload
    async def export(
        self,
        path: str | os.PathLike[str] | None = None,
        format: Literal["json"] = "json",
        embeddings: bool = False,
    ) -> dict[str, Any]: ...

    @overload
    async def export(
        self, path: str | os.PathLike[str] | None, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    async def export(
        self, path: str | os.PathLike[str] | None = None, *, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    async def export(
        self, path: str | os.PathLike[str] | None = None, format: ExportFormat = "json", embeddings: bool = False
    ) -> dict[str, Any] | str: ...

    async def export(
        self,
        path: str | os.PathLike[str] | None = None,
        format: ExportFormat = "json",
        embeddings: bool = False,
    ) -> dict[str, Any] | str:
        """The whole conversation, with what it was branched from and the branches that were made of it.

        Args:
            path: also written there: beside it first, then put in its place, readable by its owner alone.
            format: ``json``: everything, as docs/archive.schema.json describes it, which `import_conversation` takes
                back; ``markdown``: its own history, for reading.
            embeddings: whether vectors come along (JSON only); a graph with another model has no use for them.

        Returns:
            The document as a dict, or the Markdown.

        Raises:
            ConversationNotFound: it was deleted.
            InvalidInput: there is no such format, or the file cannot be written.
        """
        from ragforge_memory.archive import exporting
        from ragforge_memory.archive.markdown import markdown

        if format not in _FORMATS:
            raise InvalidInput(f"there is no format {format!r}", hint=", ".join(_FORMATS))
        check_flag(embeddings, "embeddings")
        services = await self._saved()
        made: dict[str, Any] | str
        if format == "markdown":
            made = await markdown(services.stores, await services.stores.conversations.get(self.uuid))
        else:
            made = await exporting.document(services, self.uuid, embeddings=embeddings)
        if path is not None:
            await exporting.write_document(path, made)
        return made


def _uuid(other: Any) -> str:
    uuid = getattr(other, "uuid", other)
    if not isinstance(uuid, str):
        raise InvalidInput(f"a conversation or its uuid, not {type(other).__name__}")
    check_text(uuid, "a conversation's uuid")
    return uuid


def _check_count(count: int, name: str) -> None:
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST:
        raise InvalidInput(f"{name} is a whole number from 0 to {_MOST:,}, not {count!r}")
