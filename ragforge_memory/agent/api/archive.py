"""Taking conversations out of the graph, for keeping, for another graph, or for reading."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, overload

from ragforge_memory.agent.api.handle import ConversationHandle
from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import check_flag
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ExportReport

ExportFormat = Literal["json", "markdown"]
_FORMATS = ("json", "markdown")


class ConversationArchive(ConversationHandle):
    """Exporting one conversation."""

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
        from ragforge_memory.agent.archives import exporting
        from ragforge_memory.agent.archives.markdown import markdown

        if format not in _FORMATS:
            raise InvalidInput(f"there is no format {format!r}", hint=", ".join(_FORMATS))
        check_flag(embeddings, "embeddings")
        services = await self._saved()
        made: dict[str, Any] | str
        if format == "markdown":
            made = await markdown(services, await services.conversations.get(self.uuid))
        else:
            made = await exporting.document(services, self.uuid, embeddings=embeddings)
        if path is not None:
            await exporting.write_document(path, made)
        return made


class AgentArchive(AgentPart):
    """Exporting all conversations of an agent's owner."""

    async def export_all(self, path: str | os.PathLike[str], *, embeddings: bool = False) -> ExportReport:
        """Every conversation of this owner in one file of JSON lines (docs/archive.md), which an import restores.

        Args:
            path: the file; written beside it first, then put in its place, readable by its owner alone. However large
                it becomes, no more than some megabytes are in memory.
            embeddings: whether vectors come along.

        Returns:
            What was written. Where texts are in files that are lost, or that this agent does not read, all others are
            written, and ``failed`` and ``errors`` say which conversations are not.

        Raises:
            InvalidInput: the file cannot be written, or memory is off.
            GraphUnavailable: the graph cannot be read; no file is left.
        """
        from ragforge_memory.agent.archives.exporting import export_all

        check_flag(embeddings, "embeddings")
        return await export_all(await self.open(), path, embeddings=embeddings)
