"""The store of decisions: notes, decisions, rules and things to do of an owner, in all conversations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import message, utc_text
from ragforge_memory.models.conversation import Correction, Message, Role
from ragforge_memory.text.forms import How, Kind, read_form
from ragforge_memory.text.words import QUESTION_WORDS, matched


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where a page of decisions ended: the next one goes on behind it."""

    time: str
    conversation_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Found:
    """A message of a kind, its conversation's title, whether that is archived, and what was said against it.

    ``tied`` is whether it is about the code that was asked for. ``place`` is where a page goes on behind it. ``gone``
    is what nothing can show any more.
    """

    message: Message
    title: str | None
    archived: bool
    tied: bool
    corrected: Correction | None
    place: ListPlace
    gone: bool = False


class DecisionStore(OwnerStore):
    """Reads the decisions of one owner."""

    async def page(
        self,
        limit: int,
        *,
        behind: ListPlace | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        about: str | None = None,
    ) -> list[Found]:
        """Up to ``limit`` decisions, the newest first; fewer are the last ones.

        Args:
            behind: where the page before ended.
            since: the first moment that counts; None: all.
            until: the last.
            about: the name of code, a file or a folder that `Found.tied` is about.
        """
        rows = await self._read(
            "decisions",
            limit=limit,
            before=behind.time if behind else None,
            before_conversation=behind.conversation_id if behind else "",
            before_seq=behind.seq if behind else 0,
            since=utc_text(since),
            until=utc_text(until),
            about=about,
            folder=f"/{(about or '').strip('/')}/",
        )
        return [
            Found(
                message(row["message"]),
                row["title"],
                row["archived"],
                row["tied"],
                correction(row["corrected"]),
                ListPlace(row["message"]["timestamp"], row["stored"], row["message"]["seq"]),
                row["gone"],
            )
            for row in rows
        ]

    async def forgotten(self, message_ids: Sequence[str]) -> set[str]:
        """Those of these messages that state what was forgotten since."""
        rows = await self._read("forgotten_messages", uuids=list(message_ids)) if message_ids else []
        return {row["uuid"] for row in rows}


def correction(row: Mapping[str, Any] | None) -> Correction | None:
    """What was said against a message, from its properties; None where nothing was."""
    if row is None:
        return None
    said = " ".join((row["content"] or "").split())
    return Correction(text=said, message_id=row["uuid"], timestamp=row["timestamp"], how=row["how"])


CANDIDATES = 100
"""Statements that a correction is compared with, the newest."""

_NAME = re.compile(r"`([^`\n]+)`|\b(?:\w+(?:[._]\w+)+|\w*[a-z][A-Z]\w*)\b")
_WORD = re.compile(r"[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A note, a decision, a rule or something to do that a message may be said against.

    ``here`` is whether it is of the same conversation: elsewhere more must agree.
    """

    uuid: str
    content: str
    kind: Kind
    here: bool = True


class Stated(NamedTuple):
    """What a message states: its kind, and the earlier statement that it is said against, with what it does to that."""

    kind: Kind | None = None
    corrects: str | None = None
    how: How | None = None


def take_statement(uuid: str, role: Role, content: str, earlier: list[Statement]) -> Stated:
    """What a message states after ``earlier`` ones of its conversation, the newest first, to which it is added."""
    form = read_form(content) if role == "user" else None
    if form is None:
        return Stated()
    corrected = find_corrected(form.text, form.how, earlier) if form.how else None
    kind = kind_of_correction(corrected) if form.how == "corrects" else form.kind
    if kind is not None:
        earlier.insert(0, Statement(uuid, content, kind))
        del earlier[CANDIDATES:]
    return Stated(kind, corrected.uuid, form.how) if corrected else Stated(kind)


def find_corrected(text: str, how: How, statements: Sequence[Statement]) -> Statement | None:
    """The statement that a message is said against; None where it is said against none of them.

    What shares a name goes first, then what shares the most words, then the newest. A correction that shares nothing is
    of the last statement of its conversation; what is to be forgotten, or is done, has to be named.

    Args:
        text: the correction, without its label.
        how: what it does.
        statements: the newest first.
    """
    words = [word for word in dict.fromkeys(_WORD.findall(text.lower())) if word not in QUESTION_WORDS]
    names = _names(text)
    best: tuple[tuple[bool, int, int, int], Statement] | None = None
    for place, each in enumerate(statements):
        form = read_form(each.content)
        shared = len(matched(words, form.text if form else each.content))
        named = len(names & _names(each.content))
        # What is to be forgotten, or is done, is gone: more must agree, as with what was said elsewhere.
        loose = each.here and how == "corrects"
        enough = shared > 0 if loose else 2 * shared >= len(words) and shared >= min(2, len(words))
        if named or (shared and enough):
            rank = (how == "done" and each.kind == "todo", named, shared, -place)
            if best is None or rank > best[0]:
                best = rank, each
    if best is not None:
        return best[1]
    last = (each for each in statements if each.here and (how != "done" or each.kind == "todo"))
    return next(last, None) if how == "corrects" or not words else None


def kind_of_correction(corrected: Statement | None) -> Kind:
    """The kind of a message that says otherwise: that of what it corrects, a note where it corrects nothing."""
    return corrected.kind if corrected else "note"


def _names(text: str) -> frozenset[str]:
    return frozenset((found[1] or found[0]).removesuffix("()") for found in _NAME.finditer(text))
