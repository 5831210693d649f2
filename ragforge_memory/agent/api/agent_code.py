"""The code of an agent's project: reading it, and finding conversations that were about it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import (
    bare_name,
    check_flag,
    check_limit,
    check_progress,
    check_text,
    code_name,
    root_of,
)
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.code.ingest import IngestProgress
    from ragforge_memory.config import RagforgeConfig
    from ragforge_memory.models.code import IngestReport
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.owner import Owner


class AgentCode(AgentPart):
    """The project's code, and what was said of it in all conversations of an agent's owner."""

    _owner: Owner
    _root: Path
    _settings: RagforgeConfig | None

    async def ingest(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        adopt: bool = False,
        full: bool = False,
        progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Reads code into the graph; only what has changed since the last time is read again.

        Where another tool had taken code away, what was said meanwhile is tied to it.

        Args:
            path: a directory; None: the agent's root.
            adopt: take the project over from another root that was ingested under its name.
            full: read everything again.
            progress: is told how far it is.

        Raises:
            InvalidInput: there is no such directory, or it is the user's home or what is above it, and neither a
                repository nor a configuration says that this is a project.
            ProjectConflict: another root has this project's name.
        """
        from ragforge_memory.agent.ties.late_ties import tie_late
        from ragforge_memory.code.ingest import ingest
        from ragforge_memory.code.roots import check_root
        from ragforge_memory.config import SourceConfig

        check_flag(adopt, "adopt")
        check_flag(full, "full")
        check_progress(progress)
        root = root_of(path) if path is not None else self._root
        check_root(root, self._settings)
        services = await self.open()
        source = self._settings.source if self._settings is not None else SourceConfig()
        report = await ingest(
            services.graph,
            root,
            project=self._owner.project,
            include=source.include,
            exclude=source.exclude,
            adopt=adopt,
            full=full,
            progress=progress,
        )
        await tie_late(services)
        if report.added or report.updated:
            services.background.wake()
        return report

    async def conversations_about(self, scope: str, *, limit: int = 20) -> list[ConversationInfo]:
        """Conversations that talked about a definition or a file, under its name of then or of now.

        Args:
            scope: a name, a qualified name (``name()``, a signature, ``Outer::name`` and a macro's ``name!`` will do
                as well), ``FILE:NAME`` with a qualified name, a definition's uuid, or a file's path in the project.
            limit: conversations at most, 1 to 1,000.

        Returns:
            The one that mentioned it last comes first; ``references`` are its ties to that code, with their status.

        Raises:
            InvalidInput: ``scope`` is empty.
        """
        from ragforge_memory.agent.ties.references import about
        from ragforge_memory.code.languages import LANGUAGES, language_of
        from ragforge_memory.code.mentions import dotted

        check_text(scope, "a definition's name")
        check_limit(limit)
        name = scope.strip()
        bare = bare_name(name)
        if not bare:
            raise InvalidInput("which code? the name is empty", hint="a name, a qualified name, a uuid or a file")
        services = await self.open()
        # Only then without its brackets: `operator()` is a name, too. Only then with dots: a path may have `#`.
        for way in dict.fromkeys((name, bare, dotted(bare), dotted(code_name(name)))):
            if way and (found := await about(services, way, limit=limit)):
                return found
        macro = dotted(bare[:-1]) if bare.endswith("!") else ""
        found = await about(services, macro, limit=limit) if macro else []
        # In Rust `bail!` is the macro `bail`; in Ruby `save!` is another name than `save`.
        rust = LANGUAGES["rust"]
        return [info for info in found if all(language_of(each.file) is rust for each in info.references)]
