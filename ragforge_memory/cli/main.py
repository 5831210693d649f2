"""The command line's entry point: its commands, and how errors become messages and exit codes.

Nothing that is slow to import is imported here: each command imports its work when it runs.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Annotated, Any

import typer
import typer.core

from ragforge_memory.cli import config, conversations, keys, knowledge, memory, neo4j, projects
from ragforge_memory.cli.ask import ask
from ragforge_memory.cli.chat import chat
from ragforge_memory.cli.decisions import decisions
from ragforge_memory.cli.doctor import doctor
from ragforge_memory.cli.generate import generate
from ragforge_memory.cli.impact import impact
from ragforge_memory.cli.ingest import ingest
from ragforge_memory.cli.init import init
from ragforge_memory.cli.introspect import introspect
from ragforge_memory.cli.options import (
    ConfigOption,
    DebugOption,
    GoOnOption,
    ProjectOption,
    Settings,
    UserOption,
    command,
)
from ragforge_memory.cli.reembed import reembed
from ragforge_memory.cli.serve import serve
from ragforge_memory.cli.shown import echo

INTERRUPTED = 130
ENDED = (INTERRUPTED, 143, 129)
# What a shell shows for a program that SIGPIPE has ended, as `git log | head` is: what was asked for was not all
# written (and a turn was stopped), so that it is not 0; it is not a fault either, so that nothing is said.
READER_GONE = 141

# typer names this base of its errors nowhere.
_USAGE: tuple[type[Any], ...] = (typer.BadParameter.__mro__[1],)


class _Commands(typer.core.TyperGroup):
    """The commands; one that is of a group is pointed out where it is missing here."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except _USAGE as error:
            groups = [name for name, group in self.commands.items() if args[0] in getattr(group, "commands", ())]
            if groups:
                error.message += f" Did you mean `ragforge {groups[0]} {args[0]}`?"
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except _USAGE as error:
            # Which is how the library that checks a choice begins, whatever is wrong.
            error.message = error.message.removeprefix("Value error, ")
            raise


def version(settings: Settings) -> None:
    """Print the version of ragforge and of Python."""
    import platform
    from importlib.metadata import version as installed

    echo(f"ragforge {installed('ragforge-memory')} (Python {platform.python_version()})")


def _print_version(asked: bool) -> None:
    if asked:
        version(Settings())
        raise typer.Exit


app = typer.Typer(
    cls=_Commands,
    name="ragforge",
    help="The memory of a code agent, kept in a Neo4j graph.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def remember_settings(
    context: typer.Context,
    config: ConfigOption = None,
    user: UserOption = None,
    project: ProjectOption = None,
    debug: DebugOption = False,
    yes: GoOnOption = None,
    _: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The memory of a code agent, kept in a Neo4j graph."""
    context.obj = Settings(config, user, project, debug, yes)


for each in (chat, ask, ingest, decisions, impact, serve, init, introspect, generate, reembed, doctor, version):
    command(app)(each)
for name, group in (
    ("conversations", conversations.app),
    ("memory", memory.app),
    ("knowledge", knowledge.app),
    ("projects", projects.app),
    ("keys", keys.app),
    ("neo4j", neo4j.app),
    ("config", config.app),
):
    app.add_typer(group, name=name, short_help=group.info.help)  # the whole of it, not what fits into a line


def run() -> None:
    """Runs the command line and ends the process.

    Exit codes: 0 done; 1 an error; 2 wrong usage; 3 configuration; 4 Neo4j not available; 5 the model;
    130 interrupted (Ctrl-C); 143 and 129 ended by SIGTERM and SIGHUP; 141 nobody reads what is printed (`| head`).
    """
    _open_what_is_closed()
    # A terminal that cannot show a sign gets a question mark; a diff in another encoding is taken all the same.
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "replace"), (sys.stdin, "surrogateescape")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)
    code = run_arguments(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`). Without this the interpreter complains when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = code or READER_GONE
    if code in ENDED and threading.active_count() > 1:
        os._exit(code)  # a second Ctrl-C: what still runs in a thread is not waited for
    sys.exit(code)


def _open_what_is_closed() -> None:
    """A stream that the shell has closed (`<&-`, `>&-`) is None: reading is at its end then, and writing is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(nothing, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for the process


def run_arguments(arguments: list[str]) -> int:
    """Runs one command and returns its exit code; errors are printed."""
    command = typer.main.get_command(app)
    try:
        # What says that a command was used wrongly prints itself, but not as JSON.
        code = command.main(arguments, prog_name="ragforge", standalone_mode=not _wants_json(arguments))
        return code if isinstance(code, int) else 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return READER_GONE  # click makes a 1 of it
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return READER_GONE
    except Exception as error:  # noqa: BLE001 - the outermost frame: everything becomes a message
        return _show(error, arguments)


def _wants_json(arguments: list[str]) -> bool:
    return "--json" in arguments or "--jsonl" in arguments


def _show(error: Exception, arguments: list[str]) -> int:
    """Prints the error to stderr, as JSON where JSON was asked for, and returns its exit code."""
    from ragforge_memory.errors import RagforgeError, describe

    if "--debug" in arguments:
        import traceback

        traceback.print_exception(error)
    told = _usage(error) if isinstance(error, _USAGE) else describe(error)
    code: int = told["exit_code"]
    if _wants_json(arguments):
        from ragforge_memory.cli.output import as_json

        print(as_json(told), file=sys.stderr)
        return code
    from ragforge_memory.cli.terminal import fitted, hint_of

    if isinstance(error, RagforgeError):
        print(fitted(f"ragforge: {error}"), file=sys.stderr)
        if hint := hint_of(error):
            print(fitted(hint.strip()), file=sys.stderr)
    else:
        print(fitted(f"ragforge: unexpected {type(error).__name__}: {error}"), file=sys.stderr)
        if "--debug" not in arguments:
            print("hint: run it again with --debug for the stack trace", file=sys.stderr)
    return code


def _usage(error: Any) -> dict[str, Any]:
    """Wrong usage in the form of other errors."""
    path = error.ctx.command_path if error.ctx is not None else "ragforge"
    return {
        "error": "UsageError",
        "message": error.format_message(),
        "hint": f"{path} --help",
        "exit_code": error.exit_code,
    }


if __name__ == "__main__":
    run()
