"""`ragforge doctor`: does everything that is needed work, and what to do where it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal

if TYPE_CHECKING:
    from ragforge_memory.api.doctor import Check
    from ragforge_memory.cli.terminal import Terminal


async def doctor(settings: Settings, json: JsonOption = False) -> None:
    """Check that everything works.

    Looks at configuration, Java, Neo4j, models and the project, and says what to do where something fails.
    """
    terminal = Terminal.of_this_process()
    async with Spinner(terminal).running("checking"):
        checks = await _checks(settings)
    ok = all(check.ok for check in checks)
    if json:
        print_json({"ok": ok, "checks": [check.as_dict() for check in checks]})
    else:
        _print(checks, terminal)
    if not ok:
        raise typer.Exit(1)


async def _checks(settings: Settings) -> list[Check]:
    """All checks; a configuration that cannot be used is the only one that fails then."""
    from dataclasses import replace

    from ragforge_memory.api.doctor import Check, check_python, run_checks
    from ragforge_memory.cli.session import locate
    from ragforge_memory.errors import ConfigError
    from ragforge_memory.models.owner import Owner

    try:
        place = locate(settings)
    except ConfigError as error:
        return [check_python(), Check("configuration", False, str(error), error.hint)]
    project = replace(place.project, root=place.source)
    return await run_checks(place.loaded, project, Owner.of(settings.user, project.name))


def _print(checks: list[Check], terminal: Terminal) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = "ok  " if check.ok else "FAIL"
        line = terminal.wrap(f"{mark}  {check.name.ljust(width)}  {check.detail}", margin=width + 8)
        shown = f"\x1b[{32 if check.ok else 31}m{mark}\x1b[0m" if terminal.color else mark
        echo(shown + line.removeprefix(mark))
        if check.hint:
            echo(terminal.wrap(f"{' ' * (width + 8)}{check.hint}"))
