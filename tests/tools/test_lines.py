"""A line has one number, whoever counts: a parser, a tool that reads text, a diff, an answer that quotes a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.code.parse import parse_partly
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.text import lines_of
from ragforge_memory.tools.code_search import grep_code, read_file
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.registry import ToolRegistry
from tests.extractive.asking import answer_to

pytestmark = pytest.mark.anyio

# What `str.splitlines` breaks at, and nobody else.
ENDS_NO_LINE = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
PAGES = f'''"""Two pages."""

\x0c
def first():
    return "a{ENDS_NO_LINE}b"

\x0c
# Two.
def second():
    return 2
'''


async def told(root: Path, tool: str, **arguments: Any) -> Any:
    registry = ToolRegistry([grep_code, read_file])
    run = await registry.run(ToolRequest("1", tool, arguments), ToolContext(owner=Owner("", "p"), root=root))
    assert run.error is None
    return run.value


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_tools_number_lines_as_the_parser_does(tmp_path: Path, end: str) -> None:
    (tmp_path / "pages.py").write_bytes(PAGES.replace("\n", end).encode())
    parsed, _ = parse_partly("pages.py", (tmp_path / "pages.py").read_bytes())
    starts = [scope.start_line for scope in parsed.scopes if scope.type == "function"]
    assert starts == [4, 9]
    matches = (await told(tmp_path, "grep_code", pattern="^def .*:$"))["matches"]
    assert [(each["line"], each["text"]) for each in matches] == [(4, "def first():"), (9, "def second():")]
    read = await told(tmp_path, "read_file", path="pages.py", start_line=9)
    assert (read["content"], read["end_line"], read["total_lines"]) == ("def second():\n    return 2", 10, 10)
    # Neither has a line behind the last end.
    empty = (await told(tmp_path, "grep_code", pattern="^$"))["matches"]
    assert [each["line"] for each in empty] == [2, 6]


def test_lines_of_a_text() -> None:
    assert lines_of("") == []
    assert lines_of("\n") == [""]
    assert lines_of("a\r\nb\n\n") == ["a", "b", ""]
    assert lines_of(f"a{ENDS_NO_LINE}b\rc") == [f"a{ENDS_NO_LINE}b\rc"]


async def test_a_form_feed_in_a_source_is_not_a_line_end() -> None:
    text = "def f():\n    a = 1\n\x0c\n    b = 2"
    f = {"qualified_name": "f", "type": "function", "file": "x.py", "line": 4, "start_line": 4, "end_line": 7}
    found = {"asked": "f", "match": "exact", "total": 1, "scopes": [{**f, "language": "python", "source": text}]}
    assert (await answer_to("show me f", {"read_scope": found}))[2:] == ["```python", *text.split("\n"), "```"]
