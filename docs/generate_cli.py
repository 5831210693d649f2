"""Writes docs/cli.md from the command line itself: ``python docs/generate_cli.py``. A test compares the two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import typer

from ragforge_memory.cli.commands import COMMANDS
from ragforge_memory.cli.main import app
from ragforge_memory.events import Event
from ragforge_memory.models.conversation import AssistantResponse

PAGE = Path(__file__).parent / "cli.md"
_SHARED = ("--config", "--user", "--project", "--debug", "--no")
_INTRODUCTION = """# The command line

This page is made from the program by `python docs/generate_cli.py`.

Answers go to stdout, everything else (progress, notes, errors) to stderr. On a terminal Markdown is laid out and
tool calls are shown; in a pipe the output is plain. `NO_COLOR` turns colours off.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | an error, a check of `doctor` that failed, or a server that `neo4j status` finds not running |
| 2 | wrong usage |
| 3 | the configuration cannot be used |
| 4 | Neo4j is not available |
| 5 | the model failed |
| 130 | interrupted with Ctrl-C; what an answer had said by then is kept |
| 141 | nobody reads what is printed any more, as under `head`; likewise |
| 143, 129 | ended by SIGTERM, SIGHUP; what an answer had said by then is kept |

"""
_PROGRAMS = """## For programs

`--json` prints one JSON document on stdout when the command is done, and nothing else. These have it: {commands}. Where
Python gives the same (a message, a report, a page), the keys are its fields (`model_dump(mode="json")`). Times are ISO
8601 with their zone.

`ragforge ask --jsonl` prints the turn's events as they come, a line of JSON each, with `type` first; `ingest --watch
--json` prints a report a line.

| `type` | further keys |
|---|---|
{events}

`response` is what `ask --json` prints: {response}.

An error is a line of JSON on stderr with the keys `error`, `message`, `hint` and `exit_code`. Keys are added in new
versions; none is renamed or taken away without a word in the [changelog](../CHANGELOG.md).

```python
import json
import subprocess

command = ["ragforge", "ask", "--json", "where is check_password?"]
done = subprocess.run(command, capture_output=True, text=True)
if done.returncode:
    print(json.loads(done.stderr.splitlines()[-1])["message"])
else:
    answer = json.loads(done.stdout)
    print(answer["content"])
    print([call["tool_name"] for call in answer["tool_calls"]], answer["degraded"])
```
"""


def page() -> str:
    """The whole page."""
    root = typer.main.get_command(app)
    context = _context(root, "ragforge", None)
    parts = [_INTRODUCTION, _programs(root, context), _options("Options of every command", root, context)]
    parts.extend(_section(command, inner) for command, inner in commands(root, context))
    return "\n".join(parts)


def _programs(root: Any, context: Any) -> str:
    """What programs read: which commands have it, and the events, as the code has them."""
    having = [
        inner.command_path.removeprefix("ragforge ")
        for command, inner in commands(root, context)
        if any("--json" in option.opts for option in command.params)
    ]
    rows = []
    for event in get_args(get_args(Event)[0]):
        keys = [name for name in event.model_fields if name != "type"]
        rows.append(f"| `{event.model_fields['type'].default}` | {_listed(keys)} |")
    return _PROGRAMS.format(
        commands=_listed(having), events="\n".join(rows), response=_listed(AssistantResponse.model_fields)
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def commands(group: Any, context: Any) -> Iterator[tuple[Any, Any]]:
    """Every command that does something, with its context, in the order of the help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = _context(command, name, context)
        if hasattr(command, "list_commands"):
            yield from commands(command, inner)
        elif not command.hidden:
            yield command, inner


def _context(command: Any, name: str, parent: Any) -> Any:
    return command.context_class(command, info_name=name, parent=parent)


def _section(command: Any, context: Any) -> str:
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    described = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    parts = [f"## {context.command_path}\n", f"```\n{usage}\n```\n", f"{described}\n"]
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    if arguments:
        rows = [f"| `{p.metavar or p.name.upper()}` | {p.help or ''} |" for p in arguments]
        parts.append("\n".join(["| argument | |", "|---|---|", *rows]) + "\n")
    parts.append(_options("", command, context))
    if context.command_path == "ragforge chat":
        rows = [
            f"| `{' '.join(filter(None, (name, each.arguments)))}` | {each.help} |" for name, each in COMMANDS.items()
        ]
        parts.append("\n".join(["In the conversation:\n", "| command | |", "|---|---|", *rows]) + "\n")
    return "\n".join(part for part in parts if part)


def _options(title: str, command: Any, context: Any) -> str:
    """A table of the options; those that every command has are told once."""
    rows = []
    for option in command.params:
        shared = any(name in _SHARED for name in (*option.opts, *option.secondary_opts))
        if option.param_type_name != "option" or (shared and not title) or option.hidden:
            continue
        record = option.get_help_record(context)
        if record and "--help" not in option.opts:
            rows.append(f"| `{record[0]}` | {' '.join(record[1].split())} |")
    if not rows:
        return ""
    head = f"## {title}\n\nThey may stand before or after the command's name.\n\n" if title else ""
    escaped = [row if row.count("|") == 3 else _escape(row) for row in rows]
    return head + "\n".join(["| option | |", "|---|---|", *escaped]) + "\n"


def _escape(row: str) -> str:
    first, _, second = row[2:-2].partition("` | ")
    return "| " + first.replace("|", "\\|") + "` | " + second.replace("|", "\\|") + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
