"""`ragforge decisions`: what was decided in all conversations, and whether it still holds."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, LimitOption, Settings, SinceOption, UntilOption, read_times
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.references import labels, labels_age
from ragforge_memory.cli.render import corrected, one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragforge_memory.models.conversation import Page
    from ragforge_memory.models.decisions import Decision

_STATED = 300  # characters of a decision
_TITLE = 40  # characters of a conversation's title


async def decisions(
    settings: Settings,
    about: Annotated[
        str | None,
        typer.Argument(
            metavar="ABOUT", help="Only those that have these words, or are about this code, file or folder."
        ),
    ] = None,
    doubtful: Annotated[
        bool, typer.Option("--doubtful", help="Only those that were corrected, or whose code has changed or is gone.")
    ] = False,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    """List what was decided, ruled or noted in all conversations, the newest first, and whether it still holds."""
    since, until = read_times(since, until)
    from ragforge_memory.cli.session import locate, open_graph

    async with open_graph(settings, quiet=json) as agent:
        found = await agent.decisions(about, doubtful=doubtful, since=since, until=until, limit=limit)
        tied = any(each.code for each in found)
        age = await labels_age(agent) if tied and not json else ""
    if json:
        print_json([{**each.model_dump(mode="json"), "doubtful": each.doubtful} for each in found])
        return
    terminal = Terminal.of_this_process()
    for each in found:
        echo(terminal.wrap("\n".join(_lines(each)), margin=4))
    keeps = locate(settings).loaded.config.agent.memory.enabled
    for line in _notes(found, about, keeps=keeps, doubtful=doubtful, narrowed=bool(about or since or until), age=age):
        note(line)


def _lines(decision: Decision) -> Iterable[str]:

    who = {"user": "you", "assistant": "answer"}.get(decision.role, decision.role)
    title = one_line(decision.title or "(no title)", _TITLE, whole_words=True)
    # A conversation that begins with what was decided has it for its title.
    if one_line(decision.text, _TITLE, whole_words=True).lower() == title.lower():
        title = ""
    archived = " (archived)" if decision.archived else ""
    when = local(decision.timestamp).strftime("%Y-%m-%d %H:%M")
    yield f"{when}  {who} in {decision.conversation_id[:8]}{title and f' {title}'}{archived}"
    yield f"  {one_line(decision.text, _STATED, whole_words=True)}"
    if decision.corrected is not None:
        yield f"  {corrected(decision.corrected)}"
    for line in labels(decision.code):
        yield f"  {line}"


def _notes(
    found: Page[Decision], about: str | None, *, keeps: bool, doubtful: bool, narrowed: bool, age: str
) -> Iterable[str]:
    """What is said beside the list, on stderr."""
    if found.next_cursor is not None:
        yield f"there are more than these {len(found.items):,}; -n N shows more, ABOUT or --since fewer"
    if found.items:
        if age:
            yield age
    elif doubtful:
        yield "nothing that was decided was corrected since, or is about code that has changed"
    elif narrowed:
        look = f"; ragforge conversations search {shlex.quote(about)} looks at all that was said" if about else ""
        yield f"nothing was decided{f' about {about!r}' if about else ' then'}{look}"
    elif not keeps:
        from ragforge_memory.cli.session import MEMORY_OFF

        yield f"nothing was decided; {MEMORY_OFF}, so nothing is noted"
    else:
        yield 'nothing was decided yet; ragforge ask "note: ..." notes it'
