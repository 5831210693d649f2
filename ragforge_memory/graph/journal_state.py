"""What lies in a folder of journals, for `ragforge doctor`: who waits for which database, and what was set aside."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ragforge_memory.graph.journal import is_claimable, journal_files
from ragforge_memory.graph.journal_lines import read_journal, read_lines


@dataclass(slots=True)
class WaitingFor:
    """What waits for one database; ``since`` is the client's clock when the oldest of it began ("": not known)."""

    turns: int = 0
    conversations: int = 0
    since: str = ""

    def add(self, *, turns: int = 0, conversations: int = 0, begun: str) -> None:
        """Counts one more."""
        self.turns += turns
        self.conversations += conversations
        self.since = min(filter(None, (self.since, begun)), default="")


@dataclass(slots=True)
class JournalState:
    """By database what waits; by file the reasons why lines were set aside, one each."""

    waiting: dict[str, WaitingFor] = field(default_factory=dict)
    aside: dict[Path, list[str]] = field(default_factory=dict)


def journal_state(directory: Path) -> JournalState:
    """Reads all journals of a folder; claims and changes nothing.

    Of a process that lives, what it has in hand does not wait: only what the graph could not take does.
    """
    state = JournalState()
    for path in journal_files(directory):
        try:
            held = read_journal(path)
        except OSError:  # its process has just taken it away
            continue
        except ValueError as error:
            state.aside[path] = [str(error)]
            continue
        gone = bool(held) and is_claimable(path)
        for turn in held.turns.values():
            if turn.waits or gone:
                state.waiting.setdefault(turn.graph, WaitingFor()).add(turns=1, begun=turn.begun)
        for creation in held.creations.values():
            state.waiting.setdefault(creation.graph, WaitingFor()).add(conversations=1, begun=creation.begun)
    for path in sorted(directory.glob("*.aside")) if directory.is_dir() else ():
        state.aside[path] = [str(line.get("why")) for line in read_lines(path) if line.get("kind") == "aside"]
    return state
