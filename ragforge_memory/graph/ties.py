"""The store of ties between messages that come from elsewhere and the code that they name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import NamedTuple

from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.code import in_batches
from ragforge_memory.graph.messages import CodeTies, Mention
from ragforge_memory.graph.owned import OwnerStore

# So many names, of which each may be that of thousands of definitions, are looked up at once; and so many messages are
# tied in a transaction, for which turns that are tied to the same code wait.
_NAMES, _MESSAGES = 100, 50
# So many texts are read at once.
_TEXTS = 200

Named = tuple[Mention, tuple[str, ...]]
"""A name, and the files that were named beside it."""


class Untied(NamedTuple):
    """A message that is tied to no code, the question that it answers, '' where it answers none, and whether it only
    quotes what was said."""

    uuid: str
    user_id: str
    role: str
    content: str
    question: str
    echo: bool = False


class TieStore(OwnerStore):
    """Ties messages of one owner to code."""

    _timeout = PATIENT_TIMEOUT

    async def meant(self, named: Sequence[Named]) -> list[tuple[str, ...]]:
        """What names mean: for each the uuids of its scopes, none where it does not mean one.

        Args:
            named: the names, each with the files that were named beside it.
        """
        found: list[tuple[str, ...]] = [()] * len(named)
        asked = [
            {"place": place, "mentions": [mention.row], "files": files, "read": []}
            for place, (mention, files) in enumerate(named)
        ]
        for batch in in_batches(asked, _NAMES):
            for row in await self._read("named_scopes", named=batch):
                found[row["place"]] = tuple(row["scopes"])
        return found

    async def tie(self, scopes: Mapping[str, Collection[str]]) -> None:
        """Ties messages to scopes (message's uuid → uuids), as what they discuss; a repeated tie changes nothing."""
        # In one order: two imports, and the turns beside them, wait for each other seldom.
        rows = [{"message": message, "scopes": sorted(uuids)} for message, uuids in scopes.items()]
        for batch in in_batches(rows, _MESSAGES):
            await self._write("tie_messages", rows=batch)

    async def tie_mentioned(self, ties: Mapping[str, CodeTies], known: dict[Named, tuple[str, ...]]) -> None:
        """Ties messages, by their uuids, to what they mention.

        Args:
            ties: what each mentions.
            known: what names were found to mean before; what is looked up now is added.
        """
        named = dict.fromkeys((mention, each.files) for each in ties.values() for mention in each.mentions)
        asked = [each for each in named if each not in known]
        known.update(zip(asked, await self.meant(asked), strict=True))
        scopes = {
            message: {uuid for mention in each.mentions for uuid in known[mention, each.files]}
            for message, each in ties.items()
        }
        await self.tie({message: found for message, found in scopes.items() if found})

    async def untied(self) -> AsyncIterator[list[Untied]]:
        """What all users of the project said while code was missing that is there again, and is tied to none, some at
        a time; once all were taken they are not given again."""
        for known in await self._read("untied_since"):
            after: str | None = ""
            while after is not None:
                rows = await self._read("untied_messages", since=known["since"], after=after, limit=_TEXTS)
                yield [Untied(**row) for row in rows]
                after = rows[-1]["uuid"] if len(rows) == _TEXTS else None
            await self._write("tied_again", finished=known["finished"])
