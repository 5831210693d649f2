"""`ragforge impact`: what was said of the code that a diff changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.render import corrected, one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal
from ragforge_memory.models.text import counted
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragforge_memory.cli.terminal import Terminal
    from ragforge_memory.models.impact import Impact, ImpactedMessage, ImpactedScope

_WIDTH = 120  # characters of a line where there is no terminal
_TITLE = 24  # characters of a conversation's title
_SHORTEST = 16  # characters of a message at least
_AHEAD = 30  # characters that are shown before a name far inside a line
_STATED = 200  # characters of what a user said, or of a decision
_FILES = 5  # files that are named
_FENCE = re.compile(r"```|~~~")
_MARKS = re.compile(r"^\s*(?:[-*>#]+\s+)*")  # of a list, a quotation, a heading


async def impact(
    settings: Settings,
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="REV",
            help="A commit: what it changed. A..B: what changed between. A...B: what B changed since both parted. "
            "Without it: what is not committed yet.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List changed scopes that nothing was said of, too.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the messages, decisions and summaries that stand on code that a diff changes."""
    from ragforge_memory.agent.ties.references import impact as impact_of
    from ragforge_memory.cli.session import locate, open_graph
    from ragforge_memory.code.git import head_commit

    place = locate(settings)
    async with open_graph(settings, quiet=json) as agent:
        services = await agent.open()
        found = await impact_of(services.stores, services.place, place.source, revision)
    if json:
        print_json(found)
        return
    _print(found, every=every, earlier=_earlier(found, revision, head_commit(place.source)))


def _earlier(found: Impact, revision: str | None, head: str | None) -> str:
    """The revision where it is one commit before the last: who names a tag may mean all that came after it."""
    return revision if revision and ".." not in revision and found.after != head else ""


def _print(found: Impact, *, every: bool, earlier: str = "") -> None:

    terminal = Terminal.of_this_process()
    since = f"that is what {earlier} itself changed; `ragforge impact {earlier}..` tells what has changed since"
    if not found.scopes:
        echo(terminal.wrap(f"no definition has changed{_outside(found)}"))
        if earlier:
            echo(terminal.wrap(since))
        return
    told: set[str] = set()
    for scope in found.scopes:
        if not (every or scope.messages):
            continue
        # What a user said is the reason to look, so it is told of each scope; an answer may list a whole file.
        new = [(each, kinds) for each, kinds in _once(scope) if _states(each) or each.message.uuid not in told]
        again = len({each.message.uuid for each in scope.messages}) - len(new)
        above = f" ({counted(again, 'answer')} above)" if again else ""
        echo(terminal.wrap(f"{_line(scope)}{above}", margin=4))
        told.update(each.message.uuid for each, _ in new)
        for times, each, kinds in _alike(scope, sorted(new, key=lambda pair: _rank(pair[0]))):
            echo(_said(scope, each, kinds, times, terminal))
            if each.corrected is not None:
                echo(terminal.wrap(f"    {corrected(each.corrected)}", margin=6))
    for summary in found.summaries:
        echo(one_line(f"summary: {summary}", _room(terminal), whole_words=True))
    echo(terminal.wrap(_total(found)))
    if earlier:
        echo(terminal.wrap(since))


def _outside(found: Impact) -> str:
    """The files that are changed and have no changed definition, the first of many."""
    if not found.outside:
        return ""
    more = f" and {len(found.outside) - _FILES} more" if len(found.outside) > _FILES else ""
    return f"; changed outside of definitions: {', '.join(found.outside[:_FILES])}{more}"


def _total(found: Impact) -> str:

    said_of = sum(bool(scope.messages) for scope in found.scopes)
    change = counted(len(found.scopes), "scope changes", "scopes change")
    if not found.messages:
        return f"{change}; nothing was said of {'it' if len(found.scopes) == 1 else 'them'}"
    stand = counted(len(found.messages), "message stands", "messages stand")
    also = [
        counted(count, one, many)
        for count, one, many in (
            (len(found.decisions), "of them a decision", "of them decisions"),
            (len(found.summaries), "summary over them", "summaries over them"),
        )
        if count
    ]
    return ", ".join([f"{change}; {stand} on {said_of:,} of them", *also])


def _said(scope: ImpactedScope, each: ImpactedMessage, kinds: list[str], times: int, terminal: Terminal) -> str:
    """A message: when, who, where, and what was said of the scope; an answer takes one line."""
    done = [kind for kind in kinds if kind in ("edited", "tested")]
    what = ["you" if each.message.role == "user" else "answer", *(["decision"] if each.decision else []), *done]
    what += [f"{times} times"] if times > 1 else []
    where = one_line(each.title or each.message.conversation_id, _TITLE, whole_words=True)
    head = f"  {local(each.message.timestamp).date().isoformat()} {', '.join(what)} in {where}: "
    room = _STATED if _states(each) else max(_SHORTEST, _room(terminal) - len(head))
    told = one_line(each.decision or _mention(each.message.content, scope.qualified_name, room), room, whole_words=True)
    return terminal.wrap(head + told, margin=4) if _states(each) else head + told


def _alike(
    scope: ImpactedScope, messages: Iterable[tuple[ImpactedMessage, list[str]]]
) -> list[tuple[int, ImpactedMessage, list[str]]]:
    """Messages that tell the same of a scope as one, the newest of them, each with how many there are.

    Answers to one question differ in the lines where things stood then.
    """
    same: dict[tuple[str, str], list[tuple[ImpactedMessage, list[str]]]] = {}
    for each, kinds in messages:
        told = each.decision or _mention(each.message.content, scope.qualified_name, _STATED)
        told = " ".join(told.lower().split())
        shown = told if _states(each) else re.sub(r"\d+", "0", told)
        same.setdefault((each.message.role, shown), []).append((each, kinds))
    return [
        (
            len(group),
            max((each for each, _ in group), key=lambda each: each.message.timestamp),
            list(dict.fromkeys(kind for _, kinds in group for kind in kinds)),
        )
        for group in same.values()
    ]


def _mention(text: str, qualified_name: str, room: int) -> str:
    """The line of a message that names the scope, by its whole name if one does; else the first.

    It begins where the name stands within ``room`` characters.
    """
    lines = [shown for line in text.splitlines() if (shown := _MARKS.sub("", line)) and not _FENCE.match(shown)]
    for name in dict.fromkeys((qualified_name, qualified_name.rpartition(".")[2])):
        named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        for line in lines:
            if (found := named.search(line)) is not None:
                return _from_near(line, found.start(), len(name), room)
    return lines[0] if lines else text


def _from_near(line: str, at: int, length: int, room: int) -> str:
    """A line as it is where the ``length`` characters from ``at`` on are shown then; else from shortly before them."""
    if at <= 2 * _AHEAD and at + length < room:
        return line
    # The marks of the cuts take three columns.
    earliest = max(0, at - 2 * _AHEAD, at - max(0, room - length - 3))
    latest = max(earliest, at - _AHEAD)
    return f"… {line[line.rfind(' ', earliest, latest) + 1 or earliest :]}"


def _room(terminal: Terminal) -> int:
    return terminal.width if terminal.rendered else _WIDTH


def _states(each: ImpactedMessage) -> bool:
    return each.message.role == "user" or each.decision is not None


def _rank(each: ImpactedMessage) -> tuple[bool, bool]:
    """Decisions first, then what else a user said."""
    return each.decision is None, each.message.role != "user"


def _once(scope: ImpactedScope) -> list[tuple[ImpactedMessage, list[str]]]:
    """Each message once, with all that was done with the scope in it."""
    kinds: dict[str, list[str]] = {}
    for each in scope.messages:
        kinds.setdefault(each.message.uuid, []).append(each.reference.kind)
    first = {each.message.uuid: each for each in reversed(scope.messages)}
    return [(first[uuid], told) for uuid, told in kinds.items()]


def _line(scope: ImpactedScope) -> str:
    to = ""
    if scope.change == "moved":
        place = "" if scope.moved_to_file == scope.file else f"{scope.moved_to_file} "
        to = f" → {place}{scope.moved_to_name}"
    return f"{scope.change} {scope.file} {scope.qualified_name}{to}"
