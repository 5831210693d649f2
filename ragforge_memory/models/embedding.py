"""What became of a project's vectors."""

from __future__ import annotations

from ragforge_memory.models.shape import Shape


class ReembedReport(Shape):
    """A move of a project's vectors to another model.

    ``model`` (``provider:model``) and ``dimension`` (floats) say where they are now, ``previous`` where they were
    (None where nothing was embedded before). ``messages``, ``summaries``, ``conversations``, ``memories``, ``chunks``
    (of documents) and ``scopes`` count what this run embedded, for all users of the project; ``failed`` what the model
    refused, or whose text is in files that are not here, and what is found by its words alone from now on.
    ``switched``: whether this run changed the project's model.
    """

    model: str
    dimension: int
    previous: str | None = None
    switched: bool = False
    messages: int = 0
    summaries: int = 0
    conversations: int = 0
    memories: int = 0
    chunks: int = 0
    scopes: int = 0
    failed: int = 0
    seconds: float = 0.0
