"""`ragforge conversations …`: what has been talked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli import (
    branches,
    conversations_delete,
    conversations_export,
    conversations_import,
    conversations_search,
    insights,
    references,
)
from ragforge_memory.cli.options import CursorOption, JsonOption, LimitOption, Reference, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.references import labels_age
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.cli.transcript import transcript
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo, Page

app = typer.Typer(
    help="List, show, search, export, import, branch, analyse, archive and delete conversations.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
command(app, "branch")(branches.branch)
command(app, "tree")(branches.tree)
command(app, "search")(conversations_search.search)
command(app, "export")(conversations_export.export)
command(app, "import")(conversations_import.import_)
command(app, "delete")(conversations_delete.delete)
command(app, "about")(references.about)
command(app, "insights")(insights.insights)


@command(app, "list")
async def list_(
    settings: Settings,
    limit: LimitOption = 50,
    status: Annotated[Literal["active", "archived"] | None, typer.Option("--status", help="Only these.")] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag; may be repeated.")
    ] = None,
    cursor: CursorOption = None,
    json: JsonOption = False,
) -> None:
    """List conversations, the newest first."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        page = await agent.list_conversations(limit=limit, status=status, tags=tags, cursor=cursor)
    if json:
        print_json(page)
    else:
        _print_page(page, agent.project)


@command(app, "show")
async def show(
    settings: Settings,
    reference: Reference,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="The newest so many messages.")] = 50,
    before: Annotated[str | None, typer.Option("--before", metavar="ID", help="Only messages before this one.")] = None,
    json: JsonOption = False,
) -> None:
    """Show the messages of a conversation, the oldest first."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        conversation = await agent.load_conversation(reference)
        messages = await conversation.get_history(limit=limit, before_message_id=before)
        info = conversation.info
        age = "" if json or not any(each.references for each in messages) else await labels_age(agent)
    if json:
        print_json({"conversation": info, "messages": list(messages)})
        return

    terminal = Terminal.of_this_process()
    echo(terminal.dim(f"{info.uuid}  {info.title or '(no title)'}  {info.status}") + "\n")
    print(transcript(messages, terminal), end="", flush=True)  # laid out, with its own colours
    if age:
        note(age)


@command(app, "archive")
async def archive(settings: Settings, reference: Reference) -> None:
    """Take a conversation out of the way; nothing is lost."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings) as agent:
        conversation = await agent.load_conversation(reference)
        await conversation.archive()
    echo(f"archived: {conversation.uuid}")


@command(app, "unarchive")
async def unarchive(settings: Settings, reference: Reference) -> None:
    """Take an archived conversation back."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings) as agent:
        conversation = await agent.load_conversation(reference)
        await conversation.unarchive()
    echo(f"active again: {conversation.uuid}")


def _print_page(page: Page[ConversationInfo], project: str | None) -> None:

    terminal = Terminal.of_this_process()
    for info in page.items:
        updated = local(info.updated_at).strftime("%Y-%m-%d %H:%M")
        about = f"{info.uuid[:8]}  {updated}  {info.message_count:>4}  "
        title = one_line(info.title or "(no title)", 200)
        marks = [*(f"#{tag}" for tag in info.tags), *(["archived"] if info.status == "archived" else [])]
        line = " ".join([title, *marks])
        echo(about + (one_line(line, max(20, terminal.width - len(about))) if terminal.rendered else line))
    if not page.items:
        note(f"no conversations in the project {project}")
    if page.next_cursor:
        note(f"more with: --cursor {page.next_cursor}")
