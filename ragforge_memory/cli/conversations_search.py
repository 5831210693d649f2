"""`ragforge conversations search|import`: finding what was said, and taking in what was said elsewhere."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragforge_memory.agent.importing import OnConflict
    from ragforge_memory.models.conversation import Role, ScoredMessage
    from ragforge_memory.models.search import SearchResults

# Columns that an excerpt has at least, and those before it.
_LEAST_WIDTH = 40
_INDENT = "    "
_LINES = 2


class Speaker(StrEnum):
    """Whose messages are searched."""

    user = "user"
    assistant = "assistant"
    system = "system"


class Conflict(StrEnum):
    """What an import does with what is here already."""

    fail = "fail"
    skip = "skip"
    copy = "copy"


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    command(app, "search")(search)
    command(app, "import")(import_)


def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question, in any words.")],
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="At most so many.")] = 10,
    reference: Annotated[
        str | None, typer.Option("--in", metavar="REF", help="Only in this conversation.", show_default=False)
    ] = None,
    role: Annotated[Speaker | None, typer.Option("--role", help="Only what they said.", show_default=False)] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only from then on (ISO).", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only up to then (ISO).", show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Search what was said, by words and by meaning."""
    from ragforge_memory.cli.session import run_async

    only = role.value if role else None
    run_async(_search, settings, query, limit, reference, only, since, until, json)


def import_(
    settings: Settings,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON: a list of role and content; - reads a pipe.")],
    on_conflict: Annotated[
        Conflict, typer.Option("--on-conflict", help="Where a message is here already.")
    ] = Conflict.fail,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TITLE", help="What lists show.", show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Import a conversation that was held elsewhere."""
    from ragforge_memory.cli.session import run_async

    run_async(_import, settings, file, on_conflict.value, title, json)


async def _search(
    settings: Settings,
    query: str,
    limit: int,
    reference: str | None,
    role: Role | None,
    since: str | None,
    until: str | None,
    json: bool,
) -> None:
    from ragforge_memory.cli.output import print_json
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        if reference is None:
            found = await agent.search_messages(query, limit=limit, role=role, since=since, until=until)
        else:
            conversation = await agent.load_conversation(reference)
            found = await conversation.search_history(query, limit=limit, role=role, since=since, until=until)
    if json:
        print_json({"items": list(found), "answered": list(found.answered), "missed": list(found.missed)})
    else:
        _print(found)


def _print(found: SearchResults[ScoredMessage]) -> None:
    """For each hit where, when, who and why it is there on one line; below it what was said around the words."""
    from ragforge_memory.cli.terminal import Terminal, note

    terminal = Terminal.of_this_process()
    width = max(_LEAST_WIDTH, terminal.width)
    for hit in found:
        message = hit.message
        when = message.timestamp.astimezone().strftime("%Y-%m-%d %H:%M")
        typer.echo(f"{hit.conversation_id[:8]}:{message.seq}  {terminal.dim(f'{when}  {message.role}  [{_why(hit)}]')}")
        for line in _around_the_words(message.content, hit.matched_words, width - len(_INDENT)):
            typer.echo(_INDENT + line)
    if not found:
        note("nothing found")
    if "meaning" in found.missed:
        note("searched by words alone: `ragforge doctor` says why")


def _why(hit: ScoredMessage) -> str:
    """What a hit was found by: the words that it has, how near it is, or what it stands beside."""
    words = f": {', '.join(hit.matched_words)}" if hit.matched_words else ""
    told = {
        "text": f"text{words}",
        "meaning": "meaning" if hit.similarity is None else f"meaning {hit.similarity:.2f}",
        "neighbour": "neighbour" if hit.beside_seq is None else f"neighbour of {hit.beside_seq}",
    }
    return "; ".join(told.get(tier, tier) for tier in hit.matched_by)


def _around_the_words(content: str, words: Sequence[str], width: int) -> list[str]:
    """At most two lines of ``width`` columns of what was said, around the words that were found."""
    import textwrap

    from ragforge_memory.cli.markdown import printable
    from ragforge_memory.retrieval.excerpts import excerpt, without_fences

    said = " ".join(printable(without_fences(content).replace("\t", " ").replace("\n", " ")).split())
    # A line breaks between words, so it is shorter than it could be; the marks of the cuts take four columns.
    cut = excerpt(said, words, _LINES * width - width // 4)
    return textwrap.wrap(cut, width, max_lines=_LINES, placeholder=" …", break_on_hyphens=False)


async def _import(settings: Settings, file: Path, on_conflict: OnConflict, title: str | None, json: bool) -> None:
    from ragforge_memory.agent.doctor import EMBEDS
    from ragforge_memory.cli.output import print_json
    from ragforge_memory.cli.session import open_graph
    from ragforge_memory.cli.terminal import note
    from ragforge_memory.errors import InvalidInput

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from error
    async with open_graph(settings, quiet=json) as agent:
        conversation = await agent.import_conversation(data, on_conflict=on_conflict, title=title)
        waiting = (await agent.drain(0)).get("messages", 0)
    if json:
        print_json(conversation.info)
    else:
        typer.echo(f"imported: {conversation.uuid}  {conversation.message_count} messages")
        if waiting:
            note(f"{waiting:,} wait for a vector: {EMBEDS}")
