"""The background of an agent: the journal, what is done beside the turns, and what they share while it lives."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from ragforge_memory.agent.outages.outage import Outage
    from ragforge_memory.agent.outages.remembered import Remembered
    from ragforge_memory.agent.turns.condensing import Condensing
    from ragforge_memory.agent.upkeep.following import Following
    from ragforge_memory.agent.upkeep.summaries import Summaries
    from ragforge_memory.agent.upkeep.work import BackgroundWork
    from ragforge_memory.graph.journal import Journal


@dataclass(frozen=True, slots=True)
class Background:
    """What no answer waits for.

    ``remembered`` is what this process knows of its conversations while the graph is away. ``summaries`` is None
    without memory. ``following`` keeps embedder and stores with the project's vectors, wherever those are moved to;
    None: nothing is embedded here. ``open_here``: the conversations that somebody in this process holds, which
    retention leaves alone. ``condensing``: what turns of one conversation at once share, by its uuid. ``opened``
    closes what was opened for this agent.
    """

    journal: Journal
    outage: Outage
    remembered: Remembered
    work: BackgroundWork
    summaries: Summaries | None
    opened: AsyncExitStack
    following: Following | None = None
    open_here: Callable[[], set[str]] = set
    condensing: WeakValueDictionary[str, Condensing] = field(default_factory=WeakValueDictionary)
