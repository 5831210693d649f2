"""Branches at the terminal: `ragforge conversations branch|tree`, and a chat's ``/fork``, ``/switch`` and ``/tree``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Reference, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Stores
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.cli.talk import Talk
    from ragforge_memory.models.conversation import BranchTree

# No message has a number of more digits.
_DIGITS = 12


async def branch(
    settings: Settings,
    reference: Reference,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="MESSAGE", help="The last shared message: its number or id.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TITLE", help="What lists show.")] = None,
    json: JsonOption = False,
) -> None:
    """Branch off a conversation: what was said until then is shared, what follows is not."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        conversation = await agent.load_conversation(reference)
        message = await find_message((await agent.open()).stores, conversation, from_) if from_ else None
        made = await conversation.branch(message, title=title)
    if json:
        print_json(made.info)
    else:
        echo(f"branched at message {made.info.from_seq}: {made.uuid}")


async def tree(settings: Settings, reference: Reference, json: JsonOption = False) -> None:
    """Show a conversation's branches, and what it is a branch of."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        conversation = await agent.load_conversation(reference)
        found = await conversation.branches()
    if json:
        print_json(found)
    else:
        echo("\n".join(drawn(found, conversation.uuid)))


async def find_message(stores: Stores, conversation: AsyncConversation, reference: str) -> str:
    """The uuid of a message by its number in the conversation, its id or, of the newest 1,000, the start of its id.

    What is neither is taken for an id, which whoever looks for that message refuses.

    Raises:
        MessageNotFound: no message has this number.
    """
    from ragforge_memory.errors import MessageNotFound

    reference = reference.removeprefix("#")
    for message in await conversation.get_history(limit=1_000, include_tool_calls=False):
        if reference == str(message.seq) or (len(reference) >= 6 and message.uuid.startswith(reference)):
            return message.uuid
    if not reference.isdecimal() or len(reference) > _DIGITS:
        return reference
    for message in await stores.receipts.at(conversation.uuid, [int(reference)]) if stores.receipts else ():
        return message.uuid
    raise MessageNotFound(
        f"there is no message {reference!r} in this conversation",
        hint="give its id or its number, as `/history` and `ragforge conversations show` have it",
    )


def drawn(tree: BranchTree, current: str | None = None) -> Iterator[str]:
    """The lines of a tree; the current conversation is marked."""
    yield _line(tree, current)
    for number, each in enumerate(tree.branches):
        last = number == len(tree.branches) - 1
        for place, line in enumerate(drawn(each, current)):
            stem = ("└─ " if last else "├─ ") if place == 0 else ("   " if last else "│  ")
            yield stem + line


def _line(tree: BranchTree, current: str | None) -> str:

    at = "" if tree.from_seq is None else f"from message {tree.from_seq}: "
    if tree.conversation is None:
        return f"{at}(deleted)"
    mark = " ← here" if tree.uuid == current else ""
    told = f"{counted(tree.conversation.message_count, 'message')} of its own"
    return f"{at}{tree.uuid[:8]} {tree.conversation.title or '(no title)'} ({told}){mark}"


async def fork(talk: Talk, argument: str) -> None:
    """``/fork [MESSAGE] [TITLE]``: goes on in a branch, from the newest message or from the one that is named."""
    if talk.conversation is None:
        talk.say("say something first")
        return
    first, _, rest = argument.partition(" ")
    # A number that no message has begins a title, where more of one follows: "2026 plan".
    number = int(first.removeprefix("#")) if first.removeprefix("#").isdecimal() else 0
    numbered = number > 0 and (first.startswith("#") or not rest or number <= talk.conversation.info.head_seq)
    message = await find_message(talk.session.services.stores, talk.conversation, first) if numbered else None
    title = (rest if message else argument).strip() or None
    talk.conversation = await talk.conversation.branch(message, title=title)
    talk.say(
        f"a branch from message {talk.conversation.info.from_seq}: {talk.conversation.uuid[:8]}; /switch goes back"
    )


async def switch(talk: Talk, argument: str) -> None:
    """``/switch [REF]``: goes on in another branch; without one, to what this is a branch of."""
    from ragforge_memory.cli.talk import describe_conversation

    if not argument and (talk.conversation is None or talk.conversation.info.branch_of is None):
        talk.say("which one? /switch takes a branch's id or title; /tree shows them")
        return
    reference = argument or (talk.conversation.info.branch_of if talk.conversation else None) or ""
    talk.conversation = await talk.session.agent.load_conversation(reference)
    talk.say(describe_conversation(talk.conversation))


async def show_tree(talk: Talk, _: str) -> None:
    """``/tree``: the family of this conversation."""
    if talk.conversation is None:
        talk.say("nothing has been said yet")
        return
    for line in drawn(await talk.conversation.branches(), talk.conversation.uuid):
        talk.say(line)
