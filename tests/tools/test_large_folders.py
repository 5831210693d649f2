"""A folder with more files than are listed: what each folder holds is counted over all of them."""

from __future__ import annotations

import pytest

from ragforge_memory.llm.extractive.outlines import outlined
from ragforge_memory.llm.extractive.questions import read_questions
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_scopes import MAX_OUTLINE, outline
from ragforge_memory.tools.ports import ToolContext

pytestmark = pytest.mark.anyio


class Files:
    """The files of a project."""

    async def files(self, _: str) -> list[str]:
        return [f"src/part{number % 2}/a/b/file_{number}.py" for number in range(MAX_OUTLINE + 50)] + ["setup.py"]


async def test_no_file_is_left_out_of_the_count() -> None:
    context = ToolContext(owner=Owner("ada", "demo"), scopes=Files())  # type: ignore[arg-type]
    found = (await outline(context, ".")).value
    assert found["total"] == MAX_OUTLINE + 51
    assert len(found["files"]) == MAX_OUTLINE
    assert found["folders"] == {"src/part0/a": 225, "src/part1/a": 225, ".": 1}
    (question,) = read_questions("what files are there?")
    said = "\n".join(outlined(question, ".", {"outline": found}))
    assert said == (
        "This project contains 451 source files:\n- src/part0/a: 225 files\n- src/part1/a: 225 files\n- .: 1 file"
    )
