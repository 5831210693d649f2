"""The place that an agent works in: whose memory it is, how it is set up, and which folder its tools read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.agent.seen_secrets import OpenRedactor, SeenRedactor
from ragforge_memory.errors import InvalidInput
from ragforge_memory.redaction import redact_value

if TYPE_CHECKING:
    from ragforge_memory.config import AgentConfig
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.owner import Owner

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """What stays as it is while an agent lives; it needs nothing that is open."""

    owner: Owner
    config: AgentConfig
    root: Path | None
    files: Path | None
    """Where tools may look for files; None where that would be the whole disk."""
    today: Callable[[], date]

    @property
    def remembers(self) -> bool:
        """Whether conversations are kept."""
        return self.config.memory.enabled

    @property
    def summarize_every(self) -> int | None:
        """The number of messages after which a summary is due; None: there are none but on demand."""
        return self.config.memory.summarize_every

    def redacted(self, value: T) -> T:
        """A text, or a JSON value with all texts in it, as it may be stored: without secrets, unless told otherwise."""
        return redact_value(value) if self.config.memory.redact_secrets else value

    def redactor(self, *seen: Any) -> SeenRedactor:
        """What takes out secrets, and by their mere value those that were ``seen``; nothing, where told so."""
        return SeenRedactor(*seen) if self.config.memory.redact_secrets else OpenRedactor()

    def check_readable(self, conversation: ConversationInfo) -> None:
        """Refuses a conversation whose texts this agent cannot read.

        Raises:
            InvalidInput: they are in a file, and this agent keeps texts in the graph.
        """
        if conversation.file_path is not None and self.config.memory.persistence.type != "files":
            raise InvalidInput(
                f"the texts of conversation {conversation.uuid} are in files ({conversation.file_path})",
                hint="set agent.memory.persistence.type to files; an export made there moves it into Neo4j",
            )
