"""`ragforge conversations insights`: what a model found in conversations, and having it look."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragforge_memory.cli.options import CursorOption, JsonOption, ModelOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo, printable
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.models.text import counted
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.models.insight import Insight, Insights

_STOPPED = {
    "cost": "the next request would pass --max-cost",
    "tokens": "the next request would pass --max-tokens",
    "model": "the model failed again and again",
}
# Reasons for which there is no insight that say nothing of the run.
_NO_FAULT = ("empty", "deleted")


async def insights(
    settings: Settings,
    reference: Annotated[
        str | None,
        typer.Argument(
            metavar="REF", help="Only of this conversation: its id, the start of it, its session or its title."
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TEXT", help="What to find; with --schema it is looked for.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="How to answer: a JSON Schema; - reads a pipe.")
    ] = None,
    model: ModelOption = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", min=1, max=64, help="So many at a time.")
    ] = 4,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", help="Stop before more is spent.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", min=1, help="Stop before more are used.")
    ] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Anew where a conversation has gone on since.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="List at most so many.")
    ] = 50,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List what was found in conversations; with --task and --schema, look for it in each.

    What is done is not asked again: the same command goes on where the last one was stopped.
    """
    if schema is None:
        await _list(settings, reference, task, limit, cursor, json)
        return
    if task is None:
        raise typer.BadParameter("say what to find with --task", param_hint="--schema")
    bounds = {"concurrency": concurrency, "max_cost_usd": max_cost, "max_tokens": max_tokens, "refresh": refresh}
    await _run(settings, reference, task, schema, model, bounds, json)


async def _list(
    settings: Settings, reference: str | None, task: str | None, limit: int, cursor: str | None, json: bool
) -> None:
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        only = await agent.load_conversation(reference) if reference is not None else None
        page = await agent.list_insights(only, task=task, limit=limit, cursor=cursor)
    if json:
        print_json(page)
        return
    for each in page.items:
        _print(each)
    if not page.items:
        note("no insights" if task is None else "no insights of this task: give --schema to look for them")
    if page.next_cursor:
        note(f"more with: --cursor {page.next_cursor}")


async def _run(
    settings: Settings,
    reference: str | None,
    task: str,
    file: Path,
    model: str | None,
    bounds: dict[str, Any],
    json: bool,
) -> None:
    from ragforge_memory.cli.session import Opening, open_session

    schema = _schema(file)
    opening = Opening(settings, model=model, ingest=False, quiet=json, brief=True)
    async with open_session(opening) as session, session.spinner.running("looking at the conversations"):
        only = await session.agent.load_conversation(reference) if reference is not None else None

        def progress(done: int, of: int) -> None:
            session.spinner.phase(f"{done:,} of {counted(of, 'conversation')}")

        found = await session.agent.batch_analyze(only, task, schema, progress=progress, **bounds)
    if json:
        told = {name: getattr(found, name) for name in ("made", "failed", "left", "stopped", "usage")}
        print_json({"items": list(found), **told})
    else:
        for each in found:
            _print(each)
        _print_ending(found)
    if any(failure.reason not in _NO_FAULT for failure in found.failed):
        raise typer.Exit(1)


def _schema(file: Path) -> Any:
    """What a file says, as JSON.

    Raises:
        InvalidInput: it cannot be read, or is none.
    """
    from ragforge_memory.errors import InvalidInput

    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return json.loads(text)
    except OSError as error:
        hint = "give the path of a JSON Schema, or - for a pipe"
        raise InvalidInput(f"{file} cannot be read: {error.strerror}", hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{file} is not JSON: {error}", hint="a JSON Schema, or the fields of an object") from error


def _print(insight: Insight) -> None:
    """When it was made, of which conversation and of what on one line; below it what was found."""
    terminal = Terminal.of_this_process()
    when = local(insight.created_at).strftime("%Y-%m-%d %H:%M")
    echo(f"{insight.conversation_id[:8]}  {terminal.dim(f'{when}  {one_line(insight.task, 80)}')}")
    for line in json.dumps(insight.data, ensure_ascii=False, indent=2).splitlines():
        echo(f"    {printable(line)}")


def _print_ending(found: Insights) -> None:
    """What is not there, and why; what it took."""
    for failure in found.failed:
        note(f"none of {failure.conversation_id[:8]} ({failure.reason}): {failure.message}")
    if found.stopped is not None:
        note(f"stopped, {len(found.left)} left: {_STOPPED[found.stopped]}; the same command goes on with them")
    usage = found.usage
    cost = "" if usage.cost_usd is None else f", ${usage.cost_usd:.4f}"
    note(f"{found.made:,} made, {counted(usage.input_tokens + usage.output_tokens, 'token')}{cost}")
