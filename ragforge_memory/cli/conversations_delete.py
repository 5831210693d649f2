"""`ragforge conversations delete`: one conversation, or those that are old."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.text import counted
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import BranchTree

_SHOWN = 20


class WrongUse(typer.BadParameter):
    """An error of usage, but of no single value that was given: of what goes together, or of nobody to be asked."""

    def format_message(self) -> str:
        """The message alone, without "Invalid value"."""
        return self.message


async def delete(
    settings: Settings,
    reference: Annotated[
        str | None, typer.Argument(metavar="REF", help="Its id, the start of it, its session or its title.")
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option("--older-than", metavar="DAYS", min=0, help="All in which nothing was said for so long."),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep", metavar="N", min=0, help="All but the newest so many; with --older-than what is old, too."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would go, and delete nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a conversation and all that hangs on it. Its branches stay, and with them the messages they share.

    With --older-than or --keep those that are old, listed before you are asked; archived ones too.
    """
    many = older_than is not None or keep is not None
    if reference is None and not many:
        raise WrongUse("give the REF of one conversation, or say which with --older-than DAYS or --keep N")
    if reference is not None and many:
        raise WrongUse("give a REF or --older-than and --keep, not both")
    if dry_run and reference is not None:
        raise WrongUse(
            "--dry-run lists what --older-than or --keep would delete. Of one conversation nothing goes before you say "
            "yes: leave --dry-run out and answer n, or look at it with "
            f"`{shlex.join(['ragforge', 'conversations', 'show', reference])}`"
        )
    if not yes and not dry_run and not sys.stdin.isatty():
        what = "conversations" if many else "a conversation"
        raise WrongUse(f"nobody is at a terminal to be asked: --yes is needed to delete {what}")

    if reference is not None:
        await _delete(settings, reference, yes)
    else:
        await _delete_old(settings, older_than, keep, dry_run, yes)


async def _delete(settings: Settings, reference: str, yes: bool) -> None:
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings) as agent:
        conversation = await agent.load_conversation(reference)
        if not yes:
            name = f"{conversation.title or 'a conversation without a title'}"
            left = _branches_of(await conversation.branches(), conversation.uuid)
            stay = f", {counted(left, 'branch stays', 'branches stay')} with what they share" if left else ""
            messages = counted(conversation.message_count, "message")
            question = f"Delete {name!r} ({conversation.uuid[:8]}, {messages}{stay})?"
            typer.confirm(question, abort=True, err=True)
        await conversation.delete()
    echo(f"deleted: {conversation.uuid}")


async def _delete_old(settings: Settings, older_than: int | None, keep: int | None, dry_run: bool, yes: bool) -> None:
    from ragforge_memory.agent.deletion import out_of_reach
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings) as agent:
        found = await agent.expired_conversations(older_than_days=older_than, keep=keep)
        stay = await out_of_reach(await agent.open(), older_than_days=older_than, keep=keep)
        if not found and stay is None:
            note("no conversation is so old")
        elif found and (dry_run or not yes):
            shown = found if dry_run else found[:_SHOWN]
            for info in shown:
                updated = local(info.updated_at).strftime("%Y-%m-%d %H:%M")
                title = one_line(info.title or "(no title)", 60)
                echo(f"{info.uuid[:8]}  {updated}  {info.message_count:>4}  {title}", err=not dry_run)
            if len(found) > len(shown):
                note(f"and {len(found) - len(shown):,} more: --dry-run lists them")
        if found and dry_run:
            note(f"{counted(len(found), 'conversation')} would go")
        elif found:
            if not yes:
                typer.confirm(f"Delete {counted(len(found), 'conversation')}?", abort=True, err=True)
            deleted = await agent.delete_expired_conversations(older_than_days=older_than, keep=keep)
            echo(f"deleted: {counted(len(deleted), 'conversation')}")
    if stay is not None:
        raise stay


def _branches_of(tree: BranchTree, uuid: str) -> int:
    """How many living branches were made of a conversation, or of its branches."""
    if tree.uuid == uuid:
        return sum((each.conversation is not None) + _branches_of(each, each.uuid) for each in tree.branches)
    return sum(_branches_of(each, uuid) for each in tree.branches)
