"""The tools `search_conversation`, what was said before, `list_decisions`, what of it was decided, and
`recent_conversations`, when and of what."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.errors import InvalidInput, ToolError
from ragforge_memory.models.code import each_name
from ragforge_memory.retrieval.excerpts import excerpt
from ragforge_memory.text.forms import is_question
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext

if TYPE_CHECKING:
    from ragforge_memory.models.code import CodeReference
    from ragforge_memory.models.conversation import Correction, Message, ScoredMessage
    from ragforge_memory.tools.ports import MessageReader

_Found = TypeVar("_Found")

EXCERPT = 600
"""Characters of a message in a result: a paragraph or two around the words that were found."""

MORE = 4
"""Messages that are read for each one wanted: some only repeat others."""

_CODE = 8
"""Definitions that are told of one message."""

SUMMARY = 600
"""Characters of a conversation's summary in a list of them."""

_WORD = re.compile(r"\w+")
# What can only be a name of code: a plain word is asked for as it is.
_NAME = re.compile(r"(?<!\w)_*(?=\w*(?:_|[a-z][A-Z]))[A-Za-z]\w*")
_RENAMED = 2
_AGO = re.compile(r"(\d{1,4})([hm])")
_UNITS = {"h": "hours", "m": "minutes"}


@tool
async def search_conversation(
    context: ToolContext,
    query: str,
    this_conversation_only: bool = False,
    limit: int = 8,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """Searches earlier messages of this user, in this and in other conversations, by their words and their meaning.

    Messages that only repeat others (answers that quote what was said, questions that asked for it) are left out.
    `code` says of each definition that a message was about what has become of it since: `fresh` (as it was),
    `drifted` (its code has changed), `moved`, or `orphaned` (gone). What was said of code that is not fresh may no
    longer be true. `formerly` are names that code of the query had when it was spoken of; they are searched for too.
    What the user only asked comes last, and says `only_asks`. `archived` is what the user has put away. `kind`
    says that a message is a note, a decision, a rule or something to do, `corrected` what was said against it since.

    Args:
        query: what to look for.
        this_conversation_only: whether other conversations are left out.
        limit: messages at most, up to 100.
        since: only what was said from then on: an ISO date, a time, or how long ago (`2h`, `30m`).
        until: only what was said up to then, that day included.
    """
    if context.messages is None:
        raise ToolError("this agent keeps no conversations")
    if not query.strip():
        raise ToolError("the query is empty", hint="say what to look for")
    limit = max(1, min(limit, 100))
    inside = context.conversation_id if this_conversation_only else None
    search = partial(_searched, context.messages.search, conversation_id=inside, **_times(since, until))
    formerly = await _former_names(context.messages, query)
    first: list[ScoredMessage] = []
    for name, former in ((name, former) for name, names in formerly.items() for former in names):
        asked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", former, query)
        under = await search(asked, limit=limit)
        # They do not have the name that is asked for, so the other search has them last, if at all.
        first += [each for each in under if former in each.message.content]
    found = [*first, *await search(query, limit=MORE * limit)]
    kept = [
        each
        for each in {each.message.uuid: each for each in found}.values()
        # The question of this turn is in the graph already, and always matches itself best.
        if each.message.uuid != context.message_id and not each.message.quotes
    ]
    # Short questions have much of their words in common with a query, and state nothing.
    kept = sorted(kept[:limit], key=lambda each: _only_asks(each.message))
    archived = await context.messages.archived(list({each.conversation_id for each in kept}))
    code = await context.messages.code_of([each.message.uuid for each in kept])
    wanted = [word for word in _WORD.findall(query) if len(word) > 2]
    return {
        "query": query,
        **({"formerly": formerly} if formerly else {}),
        "messages": [
            {
                "message_id": each.message.uuid,
                "conversation_id": each.conversation_id,
                "this_conversation": each.conversation_id == context.conversation_id,
                **({"archived": True} if each.conversation_id in archived else {}),
                "seq": each.message.seq,
                "role": each.message.role,
                "timestamp": each.message.timestamp.isoformat(),
                "excerpt": excerpt(each.message.content, wanted, EXCERPT),
                **({"kind": each.message.kind} if each.message.kind else {}),
                **({"only_asks": True} if _only_asks(each.message) else {}),
                **({"corrected": as_given(each.corrected)} if each.corrected else {}),
                "score": round(each.score, 4),
                "matched_by": list(each.matched_by),
                "code": _code(code.get(each.message.uuid, ()), query.strip().removesuffix("()")),
            }
            for each in kept
        ],
    }


@tool
async def list_decisions(
    context: ToolContext,
    about: str = "",
    doubtful: bool = False,
    limit: int = 20,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """Lists the notes, decisions, rules and to-dos of this user's conversations, newest first, and whether they hold.

    Ask it before code is changed, and where the user asks what was agreed. `corrected` is what the user said later
    against a decision, and its `how` whether that corrects it, retracts it, or says that it is done; `code` says
    of each definition that it is about what has become of it, as `search_conversation` does. `more` says that there
    are more than were asked for.

    Args:
        about: words that all of them have, or one name of code, a file or a folder that they are about; empty: all.
        doubtful: whether only those are listed that were corrected, or whose code has changed or is gone.
        limit: decisions at most, up to 100.
        since: only what was decided from then on: an ISO date, a time, or how long ago (`2h`, `30m`).
        until: only what was decided up to then, that day included.
    """
    if context.messages is None:
        raise ToolError("this agent keeps no conversations")
    limit = max(1, min(limit, 100))
    page = await _searched(
        context.messages.decisions, about.strip() or None, doubtful=doubtful, limit=limit + 1, **_times(since, until)
    )
    # What is noted in this very turn is in the graph already.
    found = [each for each in page.items if each.message_id != context.message_id]
    return {
        "about": about.strip(),
        "decisions": [
            {
                "message_id": each.message_id,
                "conversation_id": each.conversation_id,
                "this_conversation": each.conversation_id == context.conversation_id,
                **({"archived": True} if each.archived else {}),
                "kind": each.kind,
                "role": each.role,
                "timestamp": each.timestamp.isoformat(),
                "excerpt": excerpt(each.text, (), EXCERPT),
                **({"corrected": as_given(each.corrected, context.message_id)} if each.corrected else {}),
                "code": _code(each.code),
            }
            for each in found[:limit]
        ],
        **({"more": True} if len(found) > limit or page.next_cursor else {}),
    }


@tool
async def recent_conversations(
    context: ToolContext, limit: int = 10, since: str | None = None, until: str | None = None
) -> dict[str, Any]:
    """Lists this user's conversations about this project, the last updated first: when, how long, and their summary.

    It answers what was done last time or this week. `search_conversation` finds what was said of a subject.

    Args:
        limit: conversations at most, up to 50.
        since: only those in which something was said from then on: an ISO date, a time, or how long ago (`2h`, `30m`).
        until: only those in which something was said up to then, that day included.
    """
    if context.messages is None:
        raise ToolError("this agent keeps no conversations")
    found = await _searched(context.messages.latest, max(1, min(limit, 50)), **_times(since, until))
    return {
        "conversations": [
            {
                "conversation_id": each.uuid,
                "this_conversation": each.uuid == context.conversation_id,
                "title": each.title,
                "updated_at": each.updated_at.isoformat(),
                "message_count": each.message_count,
                "summary": excerpt(each.summary, (), SUMMARY) if each.summary else None,
                **({"archived": True} if each.status == "archived" else {}),
            }
            for each in found
            if each.message_count or each.uuid == context.conversation_id
        ]
    }


async def _former_names(messages: MessageReader, query: str) -> dict[str, list[str]]:
    """The names that code had when it was spoken of, by those of the query that it has now."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(_NAME.findall(query)):
        if len(found) == _RENAMED:
            break
        ties = await messages.code_named(name)
        names = {each.name for each in ties if (each.moved_to_name or "").rpartition(".")[2] == name} - {name}
        if names:
            found[name] = sorted(names)[:_RENAMED]
    return found


def _only_asks(message: Message) -> bool:
    """Whether a user's message is a question."""
    return message.role == "user" and message.kind is None and is_question(message.content)


def as_given(correction: Correction, message_id: str | None = None) -> dict[str, Any]:
    """What the user said later against a decision; ``just_now`` where that is the message that is being answered."""
    return {
        "message_id": correction.message_id,
        "timestamp": correction.timestamp.isoformat(),
        "excerpt": excerpt(correction.text, (), EXCERPT),
        "how": correction.how,
        **({"just_now": True} if correction.message_id == message_id else {}),
    }


def _code(ties: Iterable[CodeReference], asked: str = "") -> list[dict[str, Any]]:
    """The definitions that a message was about, and that is ``asked`` for also where it was only read; where they are
    many, first that one and then those that are not what they were."""

    def named(tie: CodeReference) -> bool:
        return bool(asked) and f".{tie.qualified_name}".endswith(f".{asked}")

    names = each_name(tie for tie in ties if tie.kind != "read" or named(tie))
    if len(names) > _CODE:
        names.sort(key=lambda tie: (not named(tie), -tie.doubt))
    return [what_became(tie) for tie in names[:_CODE]]


def what_became(tie: CodeReference) -> dict[str, Any]:
    """A definition that a message was about, and what it is now."""
    told: dict[str, Any] = {"name": tie.qualified_name, "file": tie.file, "kind": tie.kind, "status": tie.status}
    if tie.commit:
        told["commit"] = tie.commit[:12]
    if tie.status == "moved":
        told |= {"moved_to": f"{tie.moved_to_file} {tie.moved_to_name}", "changed": tie.changed}
    return told


def _times(since: str | None, until: str | None) -> dict[str, str | None]:
    """As they are asked for: a model gives what it leaves out as blank text, too, and does not know the time."""
    since = (since or "").strip()
    if ago := _AGO.fullmatch(since):
        since = (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    return {"since": since or None, "until": (until or "").strip() or None}


async def _searched(search: Callable[..., Awaitable[_Found]], *args: Any, **given: Any) -> _Found:
    """What a search gives.

    Raises:
        ToolError: a time is none.
    """
    try:
        return await search(*args, **given)
    except InvalidInput as error:
        raise ToolError(str(error), hint=error.hint) from error
