"""Notebooks of Jupyter: their code cells in Python, each line of code in the line of the file that holds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.code.python import reader as python

# Magics of a whole cell that run what is in it as Python all the same.
_OF_PYTHON = frozenset({"%%time", "%%timeit", "%%capture", "%%prun"})


def code_of(text: bytes) -> bytes:
    """Gives the code of a notebook as a Python file.

    Where the file has a line for each line of a cell, as Jupyter writes it, the code stands in those lines; in any
    other form of JSON the cells follow one another.

    Raises:
        ValueError: it is not a notebook, or not in Python; the message says which.
    """
    if not text.strip():
        return text
    try:
        notebook = json.loads(text)
        language = (notebook.get("metadata") or {}).get("kernelspec", {}).get("language") or "python"
        cells = [_lines(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a notebook of Jupyter's format 4") from error
    if language.lower() != "python":
        raise ValueError(f"a notebook in {language}, which is not read")
    placed = _placed(cells, text.decode("utf-8", "replace").split("\n"))
    lines = placed or [line for cell in cells for line in _runnable(cell)]
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _lines(cell: dict[str, Any]) -> list[str]:
    source = cell["source"]
    return [str(line) for line in (source.splitlines(keepends=True) if isinstance(source, str) else source)]


def _placed(cells: Sequence[list[str]], file: Sequence[str]) -> list[str]:
    """The code in the lines of the file; empty where a cell's lines do not stand one a line."""
    written = [_string(line) for line in file]
    placed, at = [""] * len(file), 0
    for cell in filter(None, cells):
        while at < len(written) and written[at : at + len(cell)] != cell:
            at += 1
        if at == len(written):
            return []
        placed[at : at + len(cell)] = _runnable(cell)
        at += len(cell)
    return placed


def _string(line: str) -> str | None:
    """The string that a line holds as an item of a list."""
    item = line.strip().removesuffix(",")
    if not item.startswith('"') or not item.endswith('"'):
        return None
    try:
        held = json.loads(item)
    except ValueError:
        return None
    return held if isinstance(held, str) else None


def _runnable(cell: Sequence[str]) -> Iterator[str]:
    """A cell's lines as Python has them: what IPython alone understands does nothing."""
    first = cell[0].split() if cell else []
    other = bool(first) and first[0].startswith("%%") and first[0] not in _OF_PYTHON
    for line in cell:
        code = line.rstrip("\r\n")
        inside = code.lstrip()
        asks = inside.startswith(("%", "!", "?")) or _asks_for_help(inside)
        yield "" if other else f"{code[: len(code) - len(inside)]}pass" if asks else code


def _asks_for_help(code: str) -> bool:
    name = code.rstrip()
    return name.endswith("?") and name.rstrip("?").replace(".", "").isidentifier()


READER = replace(python.READER, source=code_of)
