"""The slash commands of a chat."""

from __future__ import annotations

import difflib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ragforge_memory.cli.branches import fork, show_tree, switch
from ragforge_memory.cli.conversations_search import search_in_chat
from ragforge_memory.cli.memory import forget_in_chat, remember_in_chat, show_memories, undo
from ragforge_memory.cli.receipts import show_context, show_why
from ragforge_memory.cli.talk import Talk, describe_conversation
from ragforge_memory.cli.terminal import hint_of
from ragforge_memory.cli.transcript import transcript
from ragforge_memory.errors import RagforgeError

_COMMAND = re.compile(r"^(/[a-z?]+)(?:\s+(.*))?$", re.DOTALL)
_ORDERS = ("/remember", "/forget")  # part of what is said, by their whole names: the turn itself takes care of them
_HISTORY_SHOWN = 20  # messages


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: what it takes, what it does; ``run`` gives False where the turn is to take the text."""

    arguments: str
    help: str
    run: Callable[[Talk, str], Awaitable[bool | None]]


async def run_command(talk: Talk, text: str) -> bool:
    """Runs the text if it is a slash command; says whether it was one."""
    match = _COMMAND.match(text)
    if match is None:
        return False
    command = COMMANDS.get(match[1])
    meant = [name for name in COMMANDS if name.startswith(match[1]) and name not in _ORDERS]
    if command is None and len(meant) == 1:
        command = COMMANDS[meant[0]]
    if command is None:
        near = difflib.get_close_matches(match[1], COMMANDS, n=1)
        talk.say(f"there is no command {match[1]}; " + (f"did you mean {near[0]}?" if near else "/help shows them"))
        return True

    try:
        return await command.run(talk, (match[2] or "").strip()) is not False
    except RagforgeError as error:
        talk.say(f"{error}{hint_of(error)}")
    return True


async def _help(talk: Talk, _: str) -> None:
    width = max(len(f"{name} {command.arguments}") for name, command in COMMANDS.items())
    for name, command in COMMANDS.items():
        talk.say(f"{f'{name} {command.arguments}'.ljust(width)}  {command.help}", margin=width + 2)
    talk.say(f"{'what can you do?'.ljust(width)}  the questions that are answered without a model", margin=width + 2)


async def _quit(talk: Talk, _: str) -> None:
    talk.leaving = True


async def _new(talk: Talk, title: str) -> None:
    talk.say_how_to_resume()
    talk.conversation, talk.title = None, title or None
    talk.say("a new conversation")


async def _resume(talk: Talk, reference: str) -> None:
    if not reference:
        talk.say("which one? /resume takes its id, the start of it, its session or its title")
        return
    talk.conversation = await talk.session.agent.load_conversation(reference)
    talk.say(describe_conversation(talk.conversation))


async def _save(talk: Talk, _: str) -> None:
    if talk.conversation is None:
        talk.say("nothing has been said yet")
        return
    await talk.conversation.save()
    talk.say("saved")


async def _history(talk: Talk, _: str) -> None:

    if talk.conversation is None:
        talk.say("nothing has been said yet")
        return
    messages = await talk.conversation.get_history(limit=_HISTORY_SHOWN)
    print(transcript(messages, talk.session.terminal), end="", flush=True)


async def _tools(talk: Talk, _: str) -> None:
    for spec in talk.session.services.models.registry.specs:
        talk.say(f"{spec.name}: {spec.description.strip().splitlines()[0]}", margin=2)


async def _title(talk: Talk, title: str) -> None:
    if talk.conversation is None or not title:
        talk.say("say something first" if talk.conversation is None else "/title takes the title")
        return
    await talk.conversation.set_title(title)
    talk.say(f"title: {title}")


async def _tags(talk: Talk, tags: str) -> None:
    if talk.conversation is None:
        talk.say("say something first")
        return
    if tags:
        await talk.conversation.set_tags(tags.replace(",", " ").split())
    talk.say("tags: " + (", ".join(talk.conversation.tags) or "none"))


async def _status(talk: Talk, _: str) -> None:
    talk.greet()


COMMANDS: dict[str, Command] = {
    "/help": Command("", "this list", _help),
    "/new": Command("[TITLE]", "begin another conversation", _new),
    "/resume": Command("REF", "go on with another conversation: its id, session or title", _resume),
    "/history": Command("", "what was said last", _history),
    "/search": Command(
        "[--all] WORDS", "find what was said in this conversation; --all: in all of them", search_in_chat
    ),
    "/title": Command("TITLE", "name this conversation", _title),
    "/tags": Command("[TAG ...]", "show or set this conversation's tags", _tags),
    "/fork": Command("[MESSAGE] [TITLE]", "go on in a branch, from the newest message or the one of this number", fork),
    "/switch": Command(
        "[REF]", "go on in another branch: its id or title; alone, back to what this is a branch of", switch
    ),
    "/save": Command("", "store what was said, where agent.memory.persistence.auto_save is off", _save),
    "/tree": Command("", "this conversation's branches", show_tree),
    "/context": Command("[MESSAGE]", "what the last answer's prompt was made of, in tokens", show_context),
    "/why": Command("[MESSAGE]", "what the last answer knew, and from where", show_why),
    "/memories": Command("[WORDS]", "what is remembered, or what of it bears on these words", show_memories),
    "/remember": Command("TEXT", "remember this in every conversation", remember_in_chat),
    "/forget": Command("TEXT", "forget what says this, or has this id", forget_in_chat),
    "/undo": Command("", "take back what was remembered or forgotten last in this chat", undo),
    "/tools": Command("", "what the model can use", _tools),
    "/status": Command("", "model, project and conversation", _status),
    "/quit": Command("", "leave (Ctrl-D too)", _quit),
}
