"""`ragforge generate`: a Python project of the configuration, merged into what a team has made of the last one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragforge_memory.scaffold.merging import Change

_SAID = {
    "new": "new",
    "changed": "changed",
    "merged": "merged",
    "removed": "removed",
    "conflict": "CONFLICT",
    "unresolved": "CONFLICT",
    "in the way": "left",
}


def generate(
    settings: Settings,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="The project; the configuration's folder by default.", file_okay=False
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; end with 1 where something would change.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; say what would be done.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Take what is generated, whatever was edited but own_tools.py.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make a Python project of ragforge.config.yaml: an agent with its tools, tests and documentation.

    It is yours to edit. Generated again, what you have edited stays, and what changed in the configuration comes in;
    where both changed the same lines they are marked, and named here, and the command ends with 1.
    """
    from ragforge_memory.cli.session import locate
    from ragforge_memory.scaffold.merging import changes, write
    from ragforge_memory.scaffold.project import files_of, ignored_changes, is_private, warnings_of

    place = locate(settings)
    folder = (out or place.loaded.root).absolute()
    files = files_of(place.loaded, place.project, folder)
    done = [*changes(folder, files, force=force), *ignored_changes(folder)]
    if not (check or dry_run):
        write(folder, files, done, private=is_private(place.loaded.file))
    if json:
        print_json({"folder": str(folder), "written": not (check or dry_run), "files": [_row(each) for each in done]})
    else:
        _print(done, folder, written=not (check or dry_run))
        for warning in warnings_of(folder, files):
            note(warning)
    conflicts = [each for each in done if each.what in ("conflict", "unresolved")]
    if conflicts or (check and any(each.is_one for each in done)):
        raise typer.Exit(1)


def _row(change: Change) -> dict[str, str]:
    return {"path": change.path, "what": change.what, "why": change.why}


def _print(done: Sequence[Change], folder: Path, *, written: bool) -> None:
    shown = [each for each in done if each.what in _SAID]
    for each in shown:
        echo(f"{_SAID[each.what]:<9}{each.path}" + (f"  ({each.why})" if each.why else ""))
    left = len(done) - len(shown)
    if not shown:
        note(f"nothing to do in {folder}: {left} files are as they should be")
    elif not written:
        note("nothing was written")
    else:
        note(f"{folder}: {left} files were as they should be")
