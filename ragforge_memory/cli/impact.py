"""`ragforge impact`: what was said of the code that a diff changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command

if TYPE_CHECKING:
    from ragforge_memory.models.impact import Impact, ImpactedMessage, ImpactedScope

_SHOWN = 100  # characters of a message


def register(app: typer.Typer) -> None:
    """Adds the command."""
    command(app, "impact")(impact)


def impact(
    settings: Settings,
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="REV",
            help="A commit: what it changed. A..B: what changed between. A...B: what B changed since both parted. "
            "Without it: what is not committed yet.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List changed scopes that nothing was said of, too.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the messages, decisions and summaries that stand on code that a diff changes."""
    from ragforge_memory.cli.session import run_async

    run_async(_impact, settings, revision, every, json)


async def _impact(settings: Settings, revision: str | None, every: bool, json: bool) -> None:
    from ragforge_memory.agent.impact import impact as impact_of
    from ragforge_memory.cli.output import print_json
    from ragforge_memory.cli.session import locate, open_graph

    place = locate(settings)
    async with open_graph(settings, quiet=json) as agent:
        services = await agent.open()
        found = await impact_of(services, place.source, revision)
    if json:
        print_json(found)
    else:
        _print(found, every=every)


def _print(found: Impact, *, every: bool) -> None:
    from ragforge_memory.cli.render import one_line
    from ragforge_memory.cli.terminal import Terminal
    from ragforge_memory.models.text import counted

    if not found.scopes:
        typer.echo("no definition has changed")
        return
    terminal = Terminal.of_this_process()
    shown = [scope for scope in found.scopes if every or scope.messages]
    for scope in shown:
        typer.echo(_line(scope))
        for each, kinds in _once(scope):
            said = one_line(each.decision or each.message.content, _SHOWN, whole_words=True)
            when = each.message.timestamp.date().isoformat()
            told = ["decision", *kinds] if each.decision else kinds
            where = each.title or each.message.conversation_id
            typer.echo(terminal.wrap(f"  {when} {', '.join(told)} in {where}: {said}", margin=4))
            for summary in each.summaries[:1]:
                line = f"    summary: {one_line(summary, _SHOWN, whole_words=True)}"
                typer.echo(terminal.wrap(line, margin=6))
    said_of = sum(bool(scope.messages) for scope in found.scopes)
    change = counted(len(found.scopes), "scope changes", "scopes change")
    if not found.messages:
        typer.echo(f"{change}; nothing was said of {'it' if len(found.scopes) == 1 else 'them'}")
        return
    stand = counted(len(found.messages), "message stands", "messages stand")
    also = [
        counted(count, one, many)
        for count, one, many in (
            (len(found.decisions), "of them a decision", "of them decisions"),
            (len(found.summaries), "summary over them", "summaries over them"),
        )
        if count
    ]
    typer.echo(", ".join([f"{change}; {stand} on {said_of:,} of them", *also]))


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
