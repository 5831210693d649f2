"""What lines of code stand in, as `find_around` tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import TEXT
from ragforge_memory.llm.extractive.code.evidence import MAX_EVIDENCE
from ragforge_memory.llm.extractive.quoting.calls import Call, Found


def around_calls(lines: Sequence[Mapping[str, Any]]) -> tuple[Call, ...]:
    """Asks what the first `MAX_EVIDENCE` lines of code stand in; nothing where none is of code."""
    places = [f"{line['file']}:{line['line']}" for line in lines if not TEXT.search(line["file"])]
    return (Call("find_around", (("places", places[:MAX_EVIDENCE]),)),) if places else ()


def scopes_around(found: Sequence[Found], lines: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], str]:
    """What each line stands in, by its file and number."""
    given = (each.value for each in found if each.call.tool == "find_around" and isinstance(each.value, dict))
    around: Mapping[str, str] = next((value["around"] for value in given), {})
    at = ((each["file"], each["line"]) for each in lines)
    return {(file, line): around[place] for file, line in at if (place := f"{file}:{line}") in around}
