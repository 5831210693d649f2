"""What a knowledge base holds: documents, what a search finds in them, and what became of an ingest."""

from __future__ import annotations

from datetime import datetime

from ragforge_memory.models.conversation import Page
from ragforge_memory.models.shape import Shape


class SkippedDocument(Shape):
    """A document, or a line of one, that was not read, and why."""

    source: str
    reason: str


class KnowledgeReport(Shape):
    """What an ingest did.

    ``documents`` and ``chunks`` are what there is of the path now; ``added``, ``updated``, ``unchanged`` and
    ``removed`` count documents. ``skipped`` could not be read; what was there of them before stays.
    """

    documents: int = 0
    chunks: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: tuple[SkippedDocument, ...] = ()
    seconds: float = 0.0


class DocumentInfo(Shape):
    """A document of the knowledge base.

    ``source`` is its path (below the project's root where it is there), or the name that it was added under.
    ``format`` is ``markdown``, ``html``, ``pdf``, ``docx``, ``jsonl`` or ``text``. ``shared``: everybody in the project
    reads it, not its owner alone.
    """

    uuid: str
    source: str
    title: str
    format: str
    chunks: int = 0
    shared: bool = False
    created_at: datetime
    updated_at: datetime


class KnowledgeHit(Shape):
    """A part of a document that a search found.

    ``heading`` are the headings above it, the document's title first ("Guide > Install > Linux"); ``position`` is
    where it is ("page 3", "lines 10-24"), empty where the format knows no such place. ``score`` orders the hits of one
    search; ``similarity`` is 0 to 1, None where the hit was found by its words alone.
    """

    content: str
    source: str
    title: str
    heading: str = ""
    position: str = ""
    score: float = 0.0
    similarity: float | None = None
    document_id: str = ""
    chunk_id: str = ""

    @property
    def place(self) -> str:
        """The headings and the position on one line."""
        return ", ".join(part for part in (self.heading, self.position) if part)


DocumentPage = Page[DocumentInfo]
"""A page that knows what its items are."""
