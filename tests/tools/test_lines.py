"""A line has one number, whoever counts: a parser, a tool that reads text, a diff, an answer that quotes a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.code.parse import parse_partly
from ragforge_memory.language.reading.given_text import mentions_of
from ragforge_memory.llm.extractive.code.members import _comment, _depths
from ragforge_memory.llm.extractive.quoting.pieces import source
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.text import lines_of
from ragforge_memory.tools.code_search import grep_code, read_file
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.registry import ToolRegistry

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


async def test_a_search_of_the_code_alone(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").write_text(
        "test('then throw Locked', () => {\n  const s = `\nthrow Locked`;\n"
        "  /* throw Locked\n*/ throw new Locked('é');\n});\n"
    )
    (tmp_path / "b.py").write_text('"""Says.\n\nraise Locked\n"""\nraise Locked  # as said\n')
    (tmp_path / "c.md").write_text("then throw Locked, don't\n")

    async def lines(**arguments: Any) -> list[tuple[str, int]]:
        matches = (await told(tmp_path, "grep_code", pattern=r"\b(?:raise|throw).*\bLocked\b", **arguments))["matches"]
        return [(each["file"], each["line"]) for each in matches]

    assert await lines(code_only=True) == [("a.test.js", 5), ("b.py", 5)]
    assert await lines(code_only=True, limit=1) == [("a.test.js", 5)]
    assert len(await lines()) == 7


def test_lines_of_a_text() -> None:
    assert lines_of("") == []
    assert lines_of("\n") == [""]
    assert lines_of("a\r\nb\n\n") == ["a", "b", ""]
    assert lines_of(f"a{ENDS_NO_LINE}b\rc") == [f"a{ENDS_NO_LINE}b\rc"]


def test_a_form_feed_in_a_diff_is_no_line() -> None:
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,4 +1,5 @@\n one\n \x0c\n three\n+four\n five\n"
    assert mentions_of(f"diff --git a/x.py b/x.py\n{diff}").files["x.py"].lines == {4}


def test_a_form_feed_in_a_source_is_no_line() -> None:
    text = "def f():\n    a = 1\n\x0c\n    # Why.\n    b = 2"
    scope = {"file": "x.py", "start_line": 1, "line": 1, "end_line": 5, "language": "python", "source": text}
    assert source(scope) == ["```python", *text.split("\n"), "```"]
    assert _comment(scope, {"file": "x.py", "line": 5}) == ["Why."]
    assert _depths(scope)[5] == 4
