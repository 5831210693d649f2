"""What was decided in all conversations of an owner, and whether it still holds."""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.deciding import decision_of
from ragforge_memory.agent.context.importance import sentences_and_lines
from ragforge_memory.agent.inputs import bare_name
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.cursors import make_cursor, read_cursor
from ragforge_memory.graph.decisions import DecisionStore, Important
from ragforge_memory.language.reading.wording import beginnings, covered
from ragforge_memory.language.said.corrections import Corrections
from ragforge_memory.language.said.echoes import only_repeats
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.language.said.to_dos import became
from ragforge_memory.models.code import each_name
from ragforge_memory.models.conversation import Message, Page
from ragforge_memory.models.decisions import Correction, Decision, DecisionPage

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.code import CodeReference


MAX_ABOUT = 400
"""Characters that may say what decisions are about."""

SHORTEST_BEGINNING = 5
"""Letters of a word that may stand for what begins with it, where nothing has the word itself: ``proto``, of what was
said of protobuf. Shorter ones begin too much."""

Key = tuple[datetime, str, str]
"""When a decision was said, by whom, and its text."""

_Wanted = tuple[str, list[tuple[str, re.Pattern[str]]]]


async def decisions(
    services: Services,
    *,
    about: str | None = None,
    doubtful: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[Decision]:
    """See `AsyncConversationAgent.decisions`.

    Every page is read from the newest message on: what corrects a decision is newer than it.

    Raises:
        InvalidInput: the cursor is no list's.
    """
    if not services.config.memory.enabled:
        return DecisionPage()
    if services.unread is not None:
        await services.unread.tell()
    wanted = _wanted(about)
    if about is not None and (not wanted[0] or len(about) > MAX_ABOUT):
        raise InvalidInput(
            "what decisions are about is no word" if not wanted[0] else f"that is more than {MAX_ABOUT} characters",
            hint="give a few words, or the name of a function, class, file or folder",
        )
    listed = partial(_listed, services, doubtful=doubtful, since=since, until=until, limit=limit, cursor=cursor)
    found = await listed(wanted)
    if not found.items and wanted[1] and all(len(word) >= SHORTEST_BEGINNING for word, _ in wanted[1]):
        return await listed(_wanted(about, whole=False))
    return found


async def corrections_of(services: Services, asked: Collection[Key]) -> Mapping[Key, Correction]:
    """What the user said later against decisions that are known by `key_of`; those that still hold are left out."""
    if not asked or not services.config.memory.enabled:
        return {}
    since = min(timestamp for timestamp, _, _ in asked)
    found = await _listed(services, _wanted(None), doubtful=True, since=since, until=None, limit=None, cursor=None)
    told = ((key_of(each, each.text), each.corrected) for each in found.items)
    return {key: corrected for key, corrected in told if corrected is not None and key in asked}


def key_of(said: Message | Decision, text: str | None) -> Key:
    """What a decision is known by: in an import its message has copies, of which only one is told."""
    return said.timestamp, said.role, text or ""


async def _listed(
    services: Services,
    wanted: _Wanted,
    *,
    doubtful: bool,
    since: datetime | None,
    until: datetime | None,
    limit: int | None,
    cursor: str | None,
) -> Page[Decision]:
    references = ReferenceStore(services.graph, services.owner)
    corrections: Corrections[Message] = Corrections()
    told_already: set[Key] = set()
    found: list[Decision] = []
    last_time, last_id = read_cursor("decisions", cursor)
    begun = cursor is None
    name, words = wanted
    pages = DecisionStore(services.graph, services.owner).important(
        since=since,
        about=name or None,
        starts=[start for word, _ in words for start in beginnings(word)],
        acknowledges=NOTED,
    )
    async for page in pages:
        wanted_here = [each.message.uuid for each in page if each.wanted]
        ties = await references.of_messages(wanted_here) if wanted_here else {}
        decided = _decided(page, corrections, told_already, {uuid: _tied(every) for uuid, every in ties.items()})
        if until is not None:
            decided = [each for each in decided if each.timestamp <= until]
        if not begun:
            # What ended the page before may be deleted by now: then what was said after it in time is left out.
            at = next(
                (
                    place
                    for place, each in enumerate(decided)
                    if each.message_id == last_id or each.timestamp < datetime.fromisoformat(last_time)
                ),
                None,
            )
            if at is None:
                continue
            begun, decided = True, decided[at + (decided[at].message_id == last_id) :]
        said = {each.message.uuid: each.message.content for each in page if each.message.role == "user"}
        for each in decided:
            if (doubtful and not each.doubtful) or not _is_about(each, said.get(each.message_id, each.text), wanted):
                continue
            if len(found) == limit:
                return DecisionPage(items=tuple(found), next_cursor=_cursor_of(found[-1]))
            found.append(each)
    return DecisionPage(items=tuple(found))


def _cursor_of(last: Decision) -> str:
    return make_cursor("decisions", last.timestamp.isoformat(), last.message_id)


def _decided(
    page: Sequence[Important],
    corrections: Corrections[Message],
    told_already: set[Key],
    ties: Mapping[str, tuple[CodeReference, ...]],
) -> list[Decision]:
    """Those of a page, newest first, that decide something, with what of the messages met so far corrects them.

    What says the same at the same moment is in a conversation that was imported as a copy, and is told once.
    """
    decided = []
    for each in page:
        message = each.message
        text = decision_of(message) if each.wanted and not only_repeats(message.role, message.content) else None
        same = key_of(message, text)
        if text is not None and same not in told_already:
            told_already.add(same)
            code = ties.get(message.uuid, ())
            decided.append(
                Decision(
                    text=text,
                    role=message.role,
                    timestamp=message.timestamp,
                    message_id=message.uuid,
                    conversation_id=message.conversation_id,
                    title=each.title,
                    archived=each.archived,
                    corrected=_later(message, text, corrections, _renamed(code)),
                    code=code,
                )
            )
        corrections.meet(message.role, message.content, message)
    return decided


def _renamed(code: Sequence[CodeReference]) -> dict[str, str]:
    """What code is called now that a message is tied to, by the last part of the name that it had then."""
    names = ((each.name, (each.moved_to_name or each.name).rpartition(".")[2]) for each in code)
    return {before: now for before, now in names if now != before}


def _later(
    message: Message, decided: str, corrections: Corrections[Message], renamed: Mapping[str, str]
) -> Correction | None:
    """What corrects a decision: all of what the user said, or a sentence that decides; in a conversation what is
    further on, whatever its clock says.

    Args:
        message: that has the decision.
        decided: its text.
        corrections: of what was said later.
        renamed: what code is called now that it may name: what was said later may have either name.
    """
    whole = [message.content] if message.role == "user" else []
    said = [*whole, decided, *sentences_and_lines(decided)]
    for text in dict.fromkeys([*said, *(_as_now(each, renamed) for each in said)]):
        later = corrections.of(text)
        if later is not None and not (
            later[1].conversation_id == message.conversation_id and later[1].seq < message.seq
        ):
            return _correction(*later, text)
    return None


def _as_now(text: str, renamed: Mapping[str, str]) -> str:
    """A text with the names that code has now in place of those that it had then."""
    return re.sub(r"[^\W\d]\w*", lambda found: renamed.get(found[0], found[0]), text) if renamed else text


def _correction(said: str, message: Message, note: str) -> Correction:
    """What the user said against a note; of an answer that acknowledges it the question has it."""
    own = message.in_reply_to if message.role == "assistant" else None
    return Correction(
        text=" ".join(said.split()),
        message_id=own or message.uuid,
        timestamp=message.timestamp,
        kind=became(said, note),
    )


def _tied(references: Sequence[CodeReference]) -> tuple[CodeReference, ...]:
    """Each name once; what was only read on the way is none that a decision is about."""
    return tuple(each_name(each for each in references if each.kind != "read"))


def _wanted(about: str | None, *, whole: bool = True) -> _Wanted:
    """The name and its words, each with what finds it in a text: as a whole, or as the beginning of a word."""
    name = bare_name(about or "")
    end = r"(?!\w)" if whole else ""
    return name, [(word, re.compile(rf"(?<!\w){re.escape(word)}{end}", re.I)) for word in name.split()]


def _is_about(decision: Decision, said: str, wanted: _Wanted) -> bool:
    """Whether a decision, or what was ``said`` with it, has all of the words in any form, or is about such code, file
    or folder."""
    name, words = wanted
    if not name or all(whole.search(said) or covered((word,), said) for word, whole in words):
        return True
    for each in decision.code:
        names = (each.name, each.qualified_name, each.moved_to_name or "")
        if any(f".{known}".endswith(f".{name}") for known in names):
            return True
        folder = f"/{name.strip('/')}/"
        if any(folder in f"/{file}/" for file in (each.file, each.moved_to_file or "")):
            return True
    return False
