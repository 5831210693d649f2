"""`ragforge memory …`, and a chat's ``/memories``, ``/forget`` and ``/undo``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from ragforge_memory.cli.options import CursorOption, JsonOption, LimitOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.references import labels
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from datetime import datetime

    from ragforge_memory.cli.talk import Talk
    from ragforge_memory.models.erasure import Erasure
    from ragforge_memory.models.memory import FactVersion, Memory, MemoryKind

_STATED = 300  # characters of a memory in a list
_IN_CHAT = 20  # memories
_ID = re.compile(r"[0-9a-f]{4,32}")

MemoryId = Annotated[str, typer.Argument(metavar="ID", help="Its id, or the start of it.")]

app = typer.Typer(
    help="List, show, search, add and forget what is remembered.", no_args_is_help=True, rich_markup_mode=None
)


@command(app, "list")
async def list_(
    settings: Settings,
    limit: LimitOption = 50,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="Only these, such as fact, note or rule; may be repeated."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="What was forgotten or taken back too.")] = False,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List what is remembered, the newest first."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        page = await agent.memory.list(limit, cast("list[MemoryKind] | None", kinds), everything, cursor)
    if json:
        print_json(page)
        return
    _print(page)
    if page.next_cursor is not None:
        note(f"there are more; go on with --cursor {page.next_cursor}")
    elif not page.items:
        note('nothing is remembered; ragforge memory add "..." adds something')


@command(app, "show")
async def show(settings: Settings, memory_id: MemoryId, json: JsonOption = False) -> None:
    """Show a memory: what it says, where it comes from, and what became of the code that it is about."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        memory = await agent.memory.get(memory_id)
    if json:
        print_json(memory)
    else:
        echo(Terminal.of_this_process().wrap("\n".join(_told(memory)), margin=4))


@command(app, "search")
async def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question, or code that it is about.")],
    limit: LimitOption = 10,
    json: JsonOption = False,
) -> None:
    """Search what is remembered, as each turn recalls it."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        found = await agent.memory.search(query, limit)
    if json:
        print_json(found)
        return
    _print(each.memory for each in found)
    if not found:
        note("nothing found")


@command(app, "add")
async def add(
    settings: Settings,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What holds.")],
    kind: Annotated[
        Literal["note", "decision", "rule", "todo"],
        typer.Option("--kind", help="What it is; a rule stands before every answer."),
    ] = "note",
    json: JsonOption = False,
) -> None:
    """Remember a statement that was made in no conversation."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        memory = await agent.memory.add(text, kind)
    if json:
        print_json(memory)
    else:
        _print([memory])


@command(app, "forget")
async def forget(
    settings: Settings,
    memory_id: MemoryId,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; its history keeps that.")] = "",
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase it, its history, and its words wherever they are quoted.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Forget a memory: nothing recalls or quotes it any more. Its message and its history stay, unless it is erased."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        if hard:
            _erased(await agent.memory.erase(memory_id), json=json)
            return
        memory = await agent.memory.forget(memory_id, reason)
    if json:
        print_json(memory)
        return
    echo(f"forgotten: {one_line(memory.content, _STATED, whole_words=True)}")
    note(f"ragforge memory history {memory.uuid[:8]} still shows it")


def _erased(erasure: Erasure, *, json: bool) -> None:
    """Prints a certificate."""
    if json:
        print_json(erasure)
        return
    counts = ", ".join(f"{number} {label}" for label, number in erasure.counts.items() if number)
    echo(f"erased: {counts}")
    note(f"certificate {erasure.uuid}; --json shows the queries that prove that nothing is left")


@command(app, "history")
async def history(settings: Settings, memory_id: MemoryId, json: JsonOption = False) -> None:
    """Show what a memory said before, the oldest first, and why it changed."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        memory = await agent.memory.get(memory_id)
        versions = await agent.memory.history(memory.uuid)
    if json:
        print_json({"memory": memory, "versions": versions})
        return
    for version in versions:
        echo(_changed(version))
    _print([memory])


async def show_memories(talk: Talk, words: str) -> None:
    """``/memories``: what is remembered; ``/memories WORDS``: what of it bears on them."""
    memory = talk.session.agent.memory
    found = [each.memory for each in await memory.search(words)] if words else list(await memory.list(_IN_CHAT))
    for each in found:
        talk.say(_line(each), margin=4)
    if not found:
        talk.say("nothing found" if words else "nothing is remembered; /remember TEXT adds something")


async def forget_in_chat(talk: Talk, argument: str) -> bool:
    """``/forget ID`` forgets that memory; what is not an id is an order that the turn takes: False."""
    from ragforge_memory.errors import NotFound

    if not argument:
        talk.say("/forget takes what is to be forgotten: its id, or what it says")
        return True
    if not _ID.fullmatch(argument):
        return False
    try:
        memory = await talk.session.agent.memory.forget(argument, "/forget")
    except NotFound:
        return False
    talk.changes.forgot(memory.uuid)
    talk.say(f'forgotten: "{one_line(memory.content, _STATED)}"; /undo takes that back')
    return True


async def remember_in_chat(talk: Talk, argument: str) -> bool:
    """``/remember TEXT`` is an order that the turn takes."""
    if not argument:
        talk.say("/remember takes what is to be remembered")
    return not argument


async def undo(talk: Talk, _: str) -> None:
    """``/undo`` takes back what was remembered or forgotten last in this chat."""
    done = await talk.changes.undo(talk.session.agent, talk.session.services)
    told = [f'"{one_line(each, _STATED)}" is forgotten' for each in done.forgotten]
    told += [f'"{one_line(each, _STATED)}" holds again' for each in done.restored]
    talk.say(f"undone: {'; '.join(told)}" if told else "nothing was remembered or forgotten in this chat")


def _print(memories: Iterable[Memory]) -> None:
    terminal = Terminal.of_this_process()
    for each in memories:
        echo(terminal.wrap(_line(each), margin=4))


def _line(memory: Memory) -> str:
    """A memory on one line: its id, when, what it is and says, whether it holds, what became of its code."""
    label = f" ({memory.code_label})" if memory.code_label else ""
    holds = "" if memory.is_active else " (does not hold any more)"
    said = one_line(memory.content, _STATED, whole_words=True)
    return f"{memory.uuid[:8]}  {_when(memory.created_at)}  {memory.kind}  {said}{label}{holds}"


def _told(memory: Memory) -> Iterator[str]:
    yield f"{memory.uuid}  {memory.kind}  {'holds' if memory.is_active else 'does not hold any more'}"
    yield f"  {one_line(memory.content, 10 * _STATED)}"
    who = {"user": "the user", "agent": "the agent", "tool": "a tool, a file or an import"}[memory.trust]
    where = f", message {memory.message_id[:8]} of {(memory.conversation_id or '')[:8]}" if memory.message_id else ""
    yield f"  by {who} {_when(memory.created_at)}{where}"
    used = f"used {memory.use_count:,} times" if memory.use_count != 1 else "used once"
    last = f", last {_when(memory.last_used_at)}" if memory.last_used_at else ""
    yield f"  {memory.category}, importance {memory.importance:.2g}, confidence {memory.confidence:.2g}, {used}{last}"
    if memory.tags:
        yield f"  tags: {', '.join(memory.tags)}"
    if memory.archived_at is not None:
        instead = f"; {memory.superseded_by[:8]} took its place" if memory.superseded_by else ""
        yield f"  until {_when(memory.archived_at)}{instead}"
    for line in labels(memory.code):
        yield f"  {line}"


def _changed(version: FactVersion) -> str:
    before = one_line(version.old_value, _STATED, whole_words=True)
    match version.reason:
        case "forget" | "retracts":
            return f"{_when(version.changed_at)}  forgotten: {before}"
        case "restore":
            return f"{_when(version.changed_at)}  holds again: {before}"
        case "done":
            return f"{_when(version.changed_at)}  done: {before}"
    return f"{_when(version.changed_at)}  {before} -> {one_line(version.new_value or '', _STATED, whole_words=True)}"


def _when(time: datetime) -> str:
    return f"{local(time):%Y-%m-%d %H:%M}"
