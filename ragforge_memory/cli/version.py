"""`ragforge version`."""

from __future__ import annotations

import typer

from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.shown import echo


def version(settings: Settings) -> None:
    """Print the version of ragforge and of Python."""
    _print()


def when_asked(asked: bool) -> None:
    """The option ``--version``, which ends the run."""
    if asked:
        _print()
        raise typer.Exit


def _print() -> None:
    import platform
    from importlib.metadata import version as installed

    echo(f"ragforge {installed('ragforge-memory')} (Python {platform.python_version()})")
