"""The code that messages are tied to, at the terminal: `conversations about`, labels, and what a note is tied to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, LimitOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.cli.session import Session
    from ragforge_memory.models.code import CodeReference
    from ragforge_memory.models.conversation import AssistantResponse, ConversationInfo

_SHOWN = 6
"""Definitions named under one message."""

_STRENGTH = ("edited", "tested", "discussed", "read")


async def about(
    settings: Settings,
    scope: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A function, method or class, as it was or is called, a file, or FILE:NAME."
        ),
    ],
    limit: LimitOption = 20,
    json: JsonOption = False,
) -> None:
    """Find the conversations that were about some code, and what has become of that code since."""
    from ragforge_memory.cli.session import open_graph

    async with open_graph(settings, quiet=json) as agent:
        found = await agent.conversations_about(scope, limit=limit)
        age = "" if json or not found else await labels_age(agent)
    if json:
        print_json(found)
        return
    terminal = Terminal.of_this_process()
    for info in found:
        echo(terminal.wrap("\n".join(_lines(info))))
    nothing = f"nothing was said about {scope!r} that is tied to one definition"
    note(age if found else f"{nothing}; ragforge conversations search {shlex.quote(scope)} looks for the word")


async def labels_age(agent: AsyncConversationAgent) -> str:
    """As of when labels are: nothing has looked at the code since the last ingest."""
    from ragforge_memory.agent.ties.references import last_ingest

    services = await agent.open()
    known = await last_ingest(services.stores, services.place)
    if known is None:
        return "no ingest has come to its end yet: what is not labelled was not looked for here; run `ragforge ingest`"
    commit, at = known
    told = f", commit {commit[:8]}" if commit else ""
    return f"labels are as of the last ingest, {local(at):%Y-%m-%d %H:%M}{told}"


async def tied_to(session: Session, text: str, response: AssistantResponse) -> str:
    """What code a note was tied to, or how to tie it; '' of what is none, takes one back, or is not in the graph."""
    from ragforge_memory.agent.search.messages import Searcher
    from ragforge_memory.errors import RagforgeError
    from ragforge_memory.text.forms import read_form

    services, said = session.services, response.user_message_id
    form = read_form(text)
    if not session.keeps or form is None or form.how == "retracts" or services.stores.unsaved(response.conversation_id):
        return ""
    try:
        ties = (await Searcher(services).code_of([said])).get(said, [])
        several = "" if ties else await _several(services.stores, services.place, text)
    except RagforgeError:  # the note is kept; what it is tied to is a courtesy
        return ""
    places = [f"`{each.qualified_name}` ({each.file}:{each.start_line})" for each in ties]
    if not places:
        return (
            several
            or "tied to no code; a name in backticks, `Class.method`, ties a note to the one definition that it means"
        )
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"tied to {', '.join(places[:_SHOWN])}{more}"


async def _several(stores: Stores, place: Place, text: str) -> str:
    """Why a note is tied to nothing, where a name in it is that of several definitions; else ''."""
    from ragforge_memory.code.mentions import find_mentions

    project = place.owner.project
    for name in find_mentions(text).names if project else ():
        scopes = await stores.scopes.by_name(project, name.rpartition(".")[2])
        meant = [each for each in scopes if f".{each.qualified_name}".endswith(f".{name}")]
        if len(meant) > 1:
            places = ", ".join(f"`{each.qualified_name}` ({each.file}:{each.start_line})" for each in meant[:_SHOWN])
            more = f" and {len(meant) - _SHOWN} more" if len(meant) > _SHOWN else ""
            return f"tied to no code: `{name}` may be {places}{more}; say which, as `Class.method` or with its file"
    return ""


def _lines(info: ConversationInfo) -> Iterable[str]:

    updated = local(info.updated_at).strftime("%Y-%m-%d %H:%M")
    yield f"{info.uuid[:8]}  {updated}  {' '.join((info.title or '(no title)').split())}"
    for line in labels(info.references):
        yield f"  {line}"


def labels(references: Sequence[CodeReference]) -> list[str]:
    """A line for each name, with the strongest tie of the newest message that has it, of overloads with the one that is
    least what it was; what is left out is counted."""
    found: dict[tuple[str, str], CodeReference] = {}
    for each in sorted(references, key=lambda each: _STRENGTH.index(each.kind)):
        told = found.setdefault((each.file, each.qualified_name), each)
        if each.message_id == told.message_id and each.doubt > told.doubt:
            found[each.file, each.qualified_name] = each
    kept = list(found.values())
    lines = [label(each) for each in kept[:_SHOWN]]
    return lines + ([f"and {len(kept) - _SHOWN} more"] if len(kept) > _SHOWN else [])


def label(reference: CodeReference) -> str:
    """What was done with a definition, where it was then, and what has become of it up to the last ingest."""
    at = f" at {reference.commit[:8]}" if reference.commit else ""
    place = f"{reference.kind} `{reference.qualified_name}` ({reference.file}:{reference.start_line}{at})"
    match reference.status:
        case "moved":
            changed = " and changed" if reference.changed else ""
            line = f":{reference.now_line}" if reference.now_line else ""
            return f"{place}: moved{changed} to `{reference.moved_to_name}` ({reference.moved_to_file}{line})"
        case "drifted":
            return f"{place}: drifted, its code has changed since{_now(reference)}"
        case "orphaned":
            perhaps = f", perhaps {' or '.join(reference.candidates)}" if reference.candidates else ""
            return f"{place}: orphaned, it is gone{perhaps}"
        case "fresh":
            return f"{place}: fresh{_now(reference)}"
        case _:
            return place


def _now(reference: CodeReference) -> str:
    """The line of today, where it is another than then."""
    moved = reference.now_line is not None and reference.now_line != reference.start_line
    return f", now at line {reference.now_line}" if moved else ""
