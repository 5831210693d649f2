"""What an import has done so far."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragforge_memory.models.imports import MOST_NAMED, ImportFault, ImportReport, PassedOver
from ragforge_memory.models.transcript import ABANDONED

if TYPE_CHECKING:
    from ragforge_memory.errors import InvalidInput
    from ragforge_memory.models.transcript import Transcript


class Tally:
    """Counts for `ImportReport`, and names the first thousand of each kind."""

    def __init__(self) -> None:
        self.conversations = self.messages = 0
        self.imported: list[str] = []
        self._tool_calls = self._extended = self._unchanged = self._skipped = self._failed = self._flawed = 0
        self._errors: list[ImportFault] = []
        self._passed_over: list[PassedOver] = []
        self._left_out: Counter[str] = Counter()

    @property
    def wrote(self) -> bool:
        """Whether anything was written."""
        return bool(self.imported)

    def new(self, uuid: str, transcript: Transcript, *, messages: int, tool_calls: int) -> None:
        """A conversation that was not here, or a branch."""
        self.conversations += 1
        self._add(uuid, transcript, messages, tool_calls)

    def extended(self, uuid: str, transcript: Transcript, *, messages: int, tool_calls: int) -> None:
        """A conversation that was here and went on."""
        self._extended += 1
        self._add(uuid, transcript, messages, tool_calls)

    def unchanged(self, transcript: Transcript) -> None:
        """A conversation that was here with all that was said; its branches are not counted beside it."""
        self._unchanged += transcript.of is None
        self._note(transcript)

    def skipped(self) -> None:
        """A conversation that was here and was left as it is."""
        self._skipped += 1

    def refused(self, transcript: Transcript, error: InvalidInput) -> None:
        """A conversation of which nothing is left."""
        self._failed += 1
        if len(self._errors) < MOST_NAMED:
            self._errors.append(ImportFault(place=transcript.place, message=error.message, hint=error.hint))

    def report(self, seconds: float) -> ImportReport:
        """All of it; it took so many seconds."""
        return ImportReport(
            conversations=self.conversations,
            messages=self.messages,
            tool_calls=self._tool_calls,
            extended=self._extended,
            unchanged=self._unchanged,
            skipped=self._skipped,
            failed=self._failed,
            errors=tuple(self._errors),
            imported=tuple(self.imported),
            flawed=self._flawed,
            passed_over=tuple(self._passed_over),
            left_out=dict(sorted(self._left_out.items())),
            seconds=seconds,
        )

    def _add(self, uuid: str, transcript: Transcript, messages: int, tool_calls: int) -> None:
        self.messages += messages
        self._tool_calls += tool_calls
        if len(self.imported) < MOST_NAMED:
            self.imported.append(uuid)
        self._note(transcript)

    def _note(self, transcript: Transcript) -> None:
        """What was passed over or left out of a conversation. What it has of another one is not left out any more."""
        transcript.taken = True
        before = transcript.of.flaws if transcript.of is not None else ()
        flaws = [each for each in transcript.flaws if each not in before]
        self._flawed += len(flaws)
        self._passed_over += [PassedOver(place=each.place, message=each.message) for each in flaws]
        del self._passed_over[MOST_NAMED:]
        self._left_out += transcript.left_out
        self._left_out -= Counter({ABANDONED: transcript.abandoned})
