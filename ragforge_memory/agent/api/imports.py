"""Taking in what was said elsewhere."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import check_progress, clean_labels, path_of
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.archives.transcripts import OnConflict
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.importers.source import Source
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.imports import ImportProgress, ImportReport


class AgentImports(AgentPart):
    """Importing conversations for an agent's owner."""

    @abstractmethod
    def _conversation(self, info: ConversationInfo) -> AsyncConversation:
        """The handle of a conversation that this process knows from now on."""

    async def import_conversation(
        self, data: Any, on_conflict: OnConflict = "fail", *, title: str | None = None
    ) -> AsyncConversation:
        """Stores a conversation that was held elsewhere, as a new one with its times, tool calls and reasoning.

        What it is is recognised by its content: what `AsyncConversation.export` gave (all of it comes back, branches,
        summaries and references too), a list of ``{"role", "content", "timestamp"?, "uuid"?, "metadata"?}``,
        OpenAI chat messages with their tool calls, a Claude Code session, one conversation of ChatGPT's export (the
        path to its current node), one session of aider's chat history, LangChain's ``messages_to_dict``.

        Args:
            data: the records themselves, or the text or the bytes of a file. A timestamp is ISO text, a datetime or
                seconds since 1970 (without a zone: UTC); without any the message is of now. Order is the source's,
                never the clock's.
            on_conflict: where a message's uuid is one that this owner has already: ``fail`` refuses, ``skip`` gives the
                conversation that has it and writes nothing, ``copy`` imports the message under a new uuid. A uuid that
                another owner has is replaced without a word, always by the same one, so that what was imported before
                is known again. ``source_uuid`` keeps one that was replaced.
            title: what lists show; None: the source's own, else the beginning of the first message.

        Raises:
            InvalidInput: the format is not known, there is more than one conversation, a record is bad (its line or its
                index is named) or, with ``fail``, here already; nothing is left of it.
            GraphUnavailable: it could not be stored; nobody sees a half of it, and a sweep takes that away.
        """
        from ragforge_memory.agent.archives import importing, transcripts

        _check_conflict(on_conflict)
        clean_labels(title, ())
        services = await self.open()
        info = await importing.import_one(services, data, on_conflict=on_conflict, title=title)
        if info is None:
            info = await transcripts.import_one(services, data, on_conflict=on_conflict, title=title)
        return self._conversation(info)

    async def import_conversations(
        self,
        source: str | os.PathLike[str] | IO[bytes] | IO[str],
        on_conflict: OnConflict = "fail",
        *,
        progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """Stores all conversations of a file, each whole or not at all, in one pass with little memory.

        Args:
            source: a path, or an open stream, which is read to its end and not closed. Its format is recognised as by
                `import_conversation`; a file may hold many conversations: what `export_all` wrote, ChatGPT's
                ``conversations.json``, aider's history, JSON lines of ``{"messages": […]}``. One record (a line, an
                item of a list, a conversation of ChatGPT's) has at most 32 million bytes, in an archive of ours 256.
            on_conflict: as in `import_conversation`, for each conversation by itself.
            progress: is told how far it is, after every batch.

        Returns:
            What was written and skipped. A conversation with a bad record is in ``errors``, with its line; nothing of
            it is left, and those after it are imported.

        Raises:
            InvalidInput: the file cannot be read or is of no known format.
            GraphUnavailable: it could not go on. What was imported before is there: ``on_conflict="skip"`` goes on
                where the source gives its messages ids.
        """
        from ragforge_memory.agent.archives.private_file import beside
        from ragforge_memory.importers.source import Source

        _check_conflict(on_conflict)
        check_progress(progress)
        if not isinstance(source, (str, os.PathLike)):
            if not callable(getattr(source, "read", None)):
                raise InvalidInput(f"a source is a path or an open stream, not {type(source).__name__}")
            return await self._import_all(Source(source), on_conflict, progress)
        source = path_of(source)
        try:
            file = await beside(partial(open, source, "rb"))  # a pipe waits for who writes to it
        except OSError as error:
            raise InvalidInput(f"{os.fspath(source)} cannot be read: {error.strerror}") from error
        with file:
            size = os.fstat(file.fileno()).st_size
            return await self._import_all(Source(file, size=size), on_conflict, progress)

    async def _import_all(
        self, source: Source, on_conflict: OnConflict, progress: Callable[[ImportProgress], None] | None
    ) -> ImportReport:
        from ragforge_memory.agent.archives import importing, transcripts

        services = await self.open()
        report = await importing.import_all(services, source, on_conflict=on_conflict, progress=progress)
        if report is None:
            report = await transcripts.import_all(services, source, on_conflict=on_conflict, progress=progress)
        return report


def _check_conflict(on_conflict: object) -> None:
    from ragforge_memory.agent.archives.transcripts import ON_CONFLICT

    if on_conflict not in ON_CONFLICT:
        raise InvalidInput(f"there is no on_conflict {on_conflict!r}", hint=", ".join(ON_CONFLICT))
