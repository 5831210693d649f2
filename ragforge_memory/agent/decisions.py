"""What was decided in all conversations of an owner, and whether it still holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import bare_name
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.decisions import DecisionStore, Found, ListPlace
from ragforge_memory.graph.records import make_cursor, read_cursor
from ragforge_memory.models.code import each_name
from ragforge_memory.models.conversation import Page
from ragforge_memory.models.decisions import Decision, DecisionPage
from ragforge_memory.text.forms import stated
from ragforge_memory.text.words import matched

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores
    from ragforge_memory.models.code import CodeReference

MAX_ABOUT = 400
"""Characters that may say what decisions are about."""

PAGE = 500
"""Decisions of one read where not every one is wanted."""


async def decisions(
    stores: Stores,
    place: Place,
    *,
    about: str | None = None,
    doubtful: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[Decision]:
    """See `AsyncConversationAgent.decisions`.

    Raises:
        InvalidInput: the cursor is not one of this list, or ``about`` names nothing.
    """
    if not place.config.memory.enabled:
        return DecisionPage()
    if stores.unread is not None:
        await stores.unread.tell()
    name = bare_name(about or "")
    if about is not None and (not name or len(about) > MAX_ABOUT):
        raise InvalidInput(
            "what decisions are about is not a word" if not name else f"that is more than {MAX_ABOUT} characters",
            hint="give a few words, or the name of a function, class, file or folder",
        )
    store = DecisionStore(stores.graph, place.owner)
    references = ReferenceStore(stores.graph, place.owner)
    begin = _place_of(cursor)
    # A page begins with what was said at the moment at which the one before ended: copies of that are known again.
    behind = ListPlace(begin.time, "~", 0) if begin else None
    size = PAGE if name or doubtful else limit + 1
    listed: list[Decision] = []
    last: ListPlace | None = None
    shown: set[tuple[datetime, str, str]] = set()
    while True:
        page = await store.page(size, behind=behind, since=since, until=until, about=name or None)
        ties = await references.of_messages([each.message.uuid for each in page]) if page else {}
        for each in page:
            decision = _decision(each, ties.get(each.message.uuid, ()))
            key = (decision.timestamp, decision.role, decision.text)
            if each.gone or key in shown or not each.message.content:
                continue
            # A conversation that was imported as a copy says the same at the same moment.
            shown.add(key)
            if (begin is not None and _is_before(each.place, begin)) or (doubtful and not decision.doubtful):
                continue
            if name and not (each.tied or _has_words(name, each.message.content)):
                continue
            if len(listed) == limit and last is not None:
                return DecisionPage(items=tuple(listed), next_cursor=_cursor_of(last))
            listed.append(decision)
            last = each.place
        if len(page) < size:
            return DecisionPage(items=tuple(listed))
        behind = page[-1].place


def _decision(found: Found, ties: Sequence[CodeReference]) -> Decision:
    message = found.message
    return Decision(
        kind=message.kind or "note",
        text=stated(message.content),
        role=message.role,
        timestamp=message.timestamp,
        message_id=message.uuid,
        conversation_id=message.conversation_id,
        title=found.title,
        archived=found.archived,
        corrected=found.corrected,
        # Each name once; what was only read on the way is not what it is about.
        code=tuple(each_name(each for each in ties if each.kind != "read")),
    )


def _has_words(about: str, text: str) -> bool:
    """Whether a text has every word, in any form."""
    words = [word.lower() for word in about.split()]
    return len(matched(words, text)) == len(words)


def _is_before(place: ListPlace, end: ListPlace) -> bool:
    """Whether a page that ended there had this place."""
    return place.time == end.time and (place.conversation_id, place.seq) >= (end.conversation_id, end.seq)


def _cursor_of(place: ListPlace) -> str:
    return make_cursor("decisions", place.time, f"{place.conversation_id}:{place.seq}")


def _place_of(cursor: str | None) -> ListPlace | None:
    if cursor is None:
        return None
    time, place = read_cursor("decisions", cursor)
    conversation_id, _, seq = place.rpartition(":")
    if not seq.isdigit():
        raise InvalidInput("this cursor is not one of ours", hint="use Page.next_cursor as it came")
    return ListPlace(time, conversation_id, int(seq))
