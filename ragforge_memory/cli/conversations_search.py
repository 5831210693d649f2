"""`ragforge conversations search`, and a chat's ``/search``: finding what was said."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli.options import JsonOption, LimitOption, Settings, SinceOption, UntilOption, read_times
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo, printable
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ragforge_memory.cli.talk import Talk
    from ragforge_memory.models.conversation import ScoredMessage

# Columns that an excerpt has at least, and those before it.
_LEAST_WIDTH = 40
_INDENT = "    "
_LINES = 2
_SHOWN = 10  # messages, where nobody says how many
_EVERYWHERE = "--all"
_LOOKED_AT = 40  # messages that are put in order at a time, so that a longer list begins like a shorter one


async def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question, in any words.")],
    limit: LimitOption = _SHOWN,
    reference: Annotated[str | None, typer.Option("--in", metavar="REF", help="Only in this conversation.")] = None,
    role: Annotated[
        Literal["user", "assistant", "system"] | None, typer.Option("--role", help="Only what they said.")
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    json: JsonOption = False,
) -> None:
    """Search what was said, by words and by meaning.

    What was stated is listed before what only asks for it or repeats it.
    """
    from ragforge_memory.cli.session import open_graph

    since, until = read_times(since, until)
    most = _looked_at(limit)
    async with open_graph(settings, quiet=json) as agent:
        if reference is None:
            found = await agent.search_messages(query, limit=most, role=role, since=since, until=until)
        else:
            conversation = await agent.load_conversation(reference)
            found = await conversation.search_history(query, limit=most, role=role, since=since, until=until)
    hits = _in_order(found, limit)
    if json:
        print_json({"items": hits, "answered": list(found.answered), "missed": list(found.missed)})
    else:
        _print(hits, found.missed)


async def search_in_chat(talk: Talk, argument: str) -> None:
    """``/search WORDS``: what was said in this conversation; ``/search --all WORDS``: in all of this owner."""
    words = argument.split()
    everywhere = _EVERYWHERE in (words[:1] + words[-1:])
    query = argument.strip().removeprefix(_EVERYWHERE).removesuffix(_EVERYWHERE).strip() if everywhere else argument
    if not query:
        talk.say(f"/search takes the words to look for; with {_EVERYWHERE} before them it looks in all conversations")
        return
    if not talk.session.keeps:
        talk.say("memory is off: nothing that was said can be looked for")
        return
    most = _looked_at(_SHOWN)
    if everywhere:
        found = await talk.session.agent.search_messages(query, limit=most)
    elif talk.conversation is not None:
        found = await talk.conversation.search_history(query, limit=most)
    else:
        talk.say(f"nothing has been said yet; /search {_EVERYWHERE} {query} looks in all conversations")
        return
    _print(_in_order(found, _SHOWN), found.missed)


def _looked_at(limit: int) -> int:
    """How many are asked for to show so many: what is only asked or repeated gives way to what is not, which may stand
    behind it."""
    return -(-limit // _LOOKED_AT) * _LOOKED_AT


def _in_order(found: Sequence[ScoredMessage], limit: int) -> list[ScoredMessage]:
    """The first of them as they are listed."""
    parts = (found[at : at + _LOOKED_AT] for at in range(0, len(found), _LOOKED_AT))
    return [hit for part in parts for hit in _statements_first(part)][:limit]


def _print(hits: Sequence[ScoredMessage], missed: Collection[str]) -> None:
    """For each hit where, when, who and why it is there on one line; below it what was said around the words."""
    terminal = Terminal.of_this_process()
    width = max(_LEAST_WIDTH, terminal.width)
    for hit in hits:
        message = hit.message
        when = local(message.timestamp).strftime("%Y-%m-%d %H:%M")
        echo(f"{hit.conversation_id[:8]}:{message.seq}  {terminal.dim(f'{when}  {message.role}  [{_why(hit)}]')}")
        for line in _around_the_words(message.content, hit.matched_words, width - len(_INDENT)):
            echo(_INDENT + line)
    if not hits:
        note("nothing found")
    if "meaning" in missed:
        note("searched by words alone: `ragforge doctor` says why")


def _statements_first(found: Sequence[ScoredMessage]) -> list[ScoredMessage]:
    """The hits with what a user stated first, and then what answers state, if it has at least half of what the best
    has; what only asks for it or repeats it has more of the question's words, and says less."""
    from ragforge_memory.text.forms import is_question

    most_words = max((len(hit.matched_words) for hit in found), default=0)
    nearest = max((hit.similarity or 0 for hit in found), default=0)
    own = [_unmarked(hit.message.content) for hit in found if hit.message.role == "user"]

    def states(hit: ScoredMessage) -> bool:
        message = hit.message
        if message.echo:
            return False
        if message.role == "assistant":
            said = _unmarked(message.content)
            return not any(each in said for each in own)
        return message.role != "user" or message.kind is not None or not is_question(message.content)

    def matches(hit: ScoredMessage) -> bool:
        near = hit.similarity is not None and nearest > 0 and 2 * hit.similarity >= nearest
        return near or (bool(hit.matched_words) and 2 * len(hit.matched_words) >= most_words)

    def place(hit: ScoredMessage) -> int:
        return 2 if not (matches(hit) and states(hit)) else int(hit.message.role == "assistant")

    return sorted(found, key=place)


def _unmarked(text: str) -> str:
    """A text on one line without the marks of quotations."""
    return " ".join(text.replace("> ", "").split())


def _why(hit: ScoredMessage) -> str:
    """What a hit was found by: the words that it has, how near it is, or what it stands beside.

    As near as what is unrelated says nothing of it, and is told of no hit.
    """
    words = f": {', '.join(hit.matched_words)}" if hit.matched_words else ""
    near = f" {hit.similarity:.2f}" if hit.similarity is not None else ""
    far = near == " 0.00"
    told = {
        "text": f"text{words}",
        "meaning": "meaning" if far else f"meaning{near}",
        "neighbour": "neighbour" if hit.beside_seq is None else f"neighbour of {hit.beside_seq}",
    }
    tiers = [tier for tier in hit.matched_by if tier != "meaning" or not far]
    return "; ".join(told.get(tier, tier) for tier in tiers or hit.matched_by)


def _around_the_words(content: str, words: Sequence[str], width: int) -> list[str]:
    """At most two lines of ``width`` columns of what was said, around the words that were found."""
    from ragforge_memory.retrieval.excerpts import excerpt, without_fences

    said = " ".join(printable(without_fences(content).replace("\t", " ").replace("\n", " ")).split())
    # A line breaks between words, so it is shorter than it could be; the marks of the cuts take four columns.
    cut = excerpt(said, words, _LINES * width - width // 4)
    return textwrap.wrap(cut, width, max_lines=_LINES, placeholder=" …", break_on_hyphens=False)
