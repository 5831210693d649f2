"""What every command shares: the global options, and the arguments that several commands have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import typer


@dataclass(frozen=True, slots=True)
class Settings:
    """The global options of one run; they may stand before or after the command's name.

    ``config`` and ``project`` are paths as the user gave them; ``user`` is nobody where it is None. ``yes`` answers
    whether a folder goes on with what it was before; None: it is to be asked. ``own_yes``: the command has a question
    of its own, which alone its ``--yes`` answers.
    """

    config: Path | None = None
    user: str | None = None
    project: Path | None = None
    debug: bool = False
    yes: bool | None = None
    own_yes: bool = False

    def over(self, outer: Settings) -> Settings:
        """These settings, with the outer ones where these say nothing."""
        own = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}
        return replace(outer, **own)


ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Use this configuration file."),
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="Whose conversations; nobody's by default."),
]
ProjectOption = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        help="The project's directory, or one below its configuration; this one by default.",
        exists=True,
        file_okay=False,
    ),
]
GoOnOption = Annotated[
    bool | None,
    typer.Option(
        "--yes/--no",
        help="Go on with what this folder was under another name, or begin anew; do not ask. Not for a command whose "
        "--yes answers a question of its own.",
    ),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show logs, and stack traces of errors.")]

Reference = Annotated[str, typer.Argument(metavar="REF", help="Its id, the start of it, its session or its title.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="At most so many.")]
CursorOption = Annotated[
    str | None, typer.Option("--cursor", metavar="CURSOR", help="Go on where the last page ended.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SinceOption = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only from then on (ISO, local time, or 'last week')."),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until", metavar="TIME", help="Only up to then (ISO, local time, or 'yesterday'), a day to its end."
    ),
]
ContinueOption = Annotated[
    bool, typer.Option("--continue", "-c", help="Continue the newest conversation of this project.")
]
ResumeOption = Annotated[
    str | None,
    typer.Option(
        "--resume",
        "-r",
        metavar="REF",
        help="Continue this conversation: its id, the start of it, its session or its title.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="The model, such as gemini:gemini-3.8-flash, openai:NAME or extractive."
    ),
]
NoMemoryOption = Annotated[
    bool, typer.Option("--no-memory", help="Recall nothing that was said before, and keep nothing of this.")
]
NoIngestOption = Annotated[
    bool, typer.Option("--no-ingest", help="Do not read the project's code before the first answer.")
]


def check_conversation(continue_: bool, resume: str | None, no_memory: bool) -> None:
    """Refuses options that name no conversation or several.

    Raises:
        typer.BadParameter: two of them were given.
    """
    if continue_ and resume is not None:
        raise typer.BadParameter("give --continue or --resume, not both")
    if no_memory and (continue_ or resume is not None):
        raise typer.BadParameter("without memory there is no conversation to go on with", param_hint="--no-memory")


def read_times(since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """The times that options give, as a search takes them: days in words as ISO days.

    Raises:
        typer.BadParameter: one of them is not a time, or there is none between them.
    """
    if since is None and until is None:
        return since, until
    from datetime import date

    from ragforge_memory.agent.search.inputs import checked_filters
    from ragforge_memory.errors import InvalidInput
    from ragforge_memory.text.days import read_days

    # A day that is named alone; "since 2h" is a time that the filters read themselves.
    if since is not None and (first := read_days(f"on {since}", date.today()).since):
        since = first
    if until is not None and (last := read_days(f"on {until}", date.today()).until):
        until = last
    try:
        checked_filters(since=since, until=until)
    except InvalidInput as error:
        raise typer.BadParameter(f"{error.message} ({error.hint})") from error
    return since, until


_GLOBALS: dict[str, tuple[Any, Any]] = {
    "config": (ConfigOption, None),
    "user": (UserOption, None),
    "project": (ProjectOption, None),
    "debug": (DebugOption, False),
    "yes": (GoOnOption, None),
}


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """Runs a command's work in an event loop of its own.

    Raises:
        KeyboardInterrupt: Ctrl-C ended it.
    """
    import asyncio  # slow: help does without

    try:
        asyncio.run(work)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


_Command = Callable[..., Coroutine[Any, Any, None] | None]


def command(app: typer.Typer, name: str | None = None) -> Callable[[_Command], _Command]:
    """Registers a function as a command that takes the global options as well; what is async runs in a loop of its own.

    The function's first parameter is the `Settings` of the run; its others are typer's. Its docstring is the
    help text, and the first sentence of that what a list of commands says of it.
    """

    def register(function: _Command) -> _Command:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        shared_keys = [key for key in _GLOBALS if key not in {each.name for each in own}]

        @functools.wraps(function)
        def run(context: typer.Context, **arguments: Any) -> None:
            given = Settings(**{key: arguments.pop(key) for key in shared_keys})
            outer = context.obj if isinstance(context.obj, Settings) else Settings()
            settings = given.over(outer)
            if "yes" in arguments:  # who says that something may go does not say of which project
                settings = replace(settings, yes=None, own_yes=True)
            context.find_root().obj = settings
            work = function(settings, **arguments)
            if work is not None:
                run_async(work)

        first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        shared = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for key in shared_keys
            for annotation, default in [_GLOBALS[key]]
        ]
        positional = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        run.__signature__ = inspect.Signature([first, *positional, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in [first, *own, *shared]}
        told = " ".join((function.__doc__ or "").partition("\n\n")[0].split())
        app.command(name, short_help=told.partition(". ")[0].removesuffix(".") + ".")(run)
        return function

    return register
