"""`ragforge knowledge …`: documents in, searched, listed, out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import CursorOption, JsonOption, LimitOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.models.knowledge import DocumentInfo, KnowledgeHit, KnowledgeReport

_SHOWN = 600  # characters of a passage
_SKIPPED_SHOWN = 10
_EMBEDDING_STEP = 2.0  # seconds between two looks at what is left

app = typer.Typer(help="Read documents in, search, list and remove them.", no_args_is_help=True, rich_markup_mode=None)


@command(app, "ingest")
async def ingest(
    settings: Settings,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A document, or a folder of them.")],
    shared: Annotated[
        bool, typer.Option("--shared", help="For everybody in the project, not for --user alone.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Read every document again, changed or not.")] = False,
    embed: Annotated[
        bool, typer.Option("--embed", help="Wait until all of it has its vectors; they come while you ask otherwise.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Read documents in: Markdown, HTML, PDF, Word (.docx), lines of JSON, plain text.

    Only what has changed since the last time is read again; what is gone from the folder is removed.
    """
    from ragforge_memory.cli.session import open_graph

    spinner = Spinner(Terminal.of_this_process())

    def progress(done: int, of: int) -> None:
        spinner.phase(f"reading {done:,} of {counted(of, 'document')}")

    async with open_graph(settings, quiet=json, brief=False) as agent:
        async with spinner.running("looking at the documents"):
            report = await agent.knowledge.ingest(path, shared=shared, full=full, progress=progress)
        if json:
            print_json(report)
        else:
            _print_report(report)
            if shared or not settings.user:
                note("everybody in the project finds them" + ("" if shared else "; --user NAME keeps them to one user"))
        if embed:
            async with spinner.running("making vectors of the documents"):
                while left := (await agent.drain(_EMBEDDING_STEP)).get("chunks", 0):
                    spinner.phase(f"making vectors of the documents, {left:,} to go")


@command(app, "search")
async def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question, in any words.")],
    limit: LimitOption = 5,
    json: JsonOption = False,
) -> None:
    """Search the documents, by words and by meaning."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        found = await agent.knowledge.search(query, limit)
    if json:
        print_json(found)
        return
    terminal = Terminal.of_this_process()
    for each in found:
        echo(terminal.wrap(_told(each), margin=4))
    if not found:
        note("nothing found; ragforge knowledge list shows what there is")


@command(app, "list")
async def list_(
    settings: Settings, limit: LimitOption = 50, cursor: CursorOption = None, json: JsonOption = False
) -> None:
    """List the documents, by where they come from."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        page = await agent.knowledge.list(limit, cursor)
    if json:
        print_json(page)
        return
    for each in page:
        echo(_line(each))
    if page.next_cursor is not None:
        note(f"there are more; go on with --cursor {page.next_cursor}")
    elif not page.items:
        note("there are no documents; ragforge knowledge ingest PATH reads some in")


@command(app, "remove")
async def remove(
    settings: Settings,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="As the list shows it, a folder of it, or a document's id.")
    ],
    json: JsonOption = False,
) -> None:
    """Remove a document, or all of a folder; the files stay."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        removed = await agent.knowledge.remove(source)
    if json:
        print_json({"removed": removed})
    else:
        echo(f"removed {counted(removed, 'document')}")


def _print_report(report: KnowledgeReport) -> None:
    changes = f"{report.added:,} added, {report.updated:,} updated, {report.unchanged:,} unchanged"
    echo(f"{counted(report.documents, 'document')}: {changes}, {report.removed:,} removed")
    for each in report.skipped[:_SKIPPED_SHOWN]:
        echo(f"skipped {each.source}: {each.reason}")
    if len(report.skipped) > _SKIPPED_SHOWN:
        echo(f"skipped {len(report.skipped) - _SKIPPED_SHOWN:,} more; --json lists them")
    echo(f"{counted(report.chunks, 'chunk')}, {report.seconds:.1f} s")


def _told(hit: KnowledgeHit) -> str:
    place = f" - {hit.place}" if hit.place else ""
    return f"{hit.source}{place}\n    {one_line(hit.content, _SHOWN, whole_words=True)}"


def _line(document: DocumentInfo) -> str:
    shared = ", shared" if document.shared else ""
    size = f"{document.format}, {counted(document.chunks, 'chunk')}{shared}"
    return f"{document.uuid[:8]}  {document.source}  {one_line(document.title, 80)} ({size})"
