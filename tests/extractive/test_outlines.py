"""What a project is for: the first prose of its README, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.outlines import purpose
from ragforge_memory.llm.extractive.plan import next_calls
from tests.extractive.asking import ECHO, answer_to
from tests.tools.conftest import write_files


def read(file: str, text: str) -> dict[str, Any]:
    return {"file": file, "start_line": 1, "content": text}


MARKDOWN = """\
# shop

[![build](https://example.org/badge.svg)](https://example.org)
<p align="center">A picture of a shop, as large as it is pretty</p>

- a list of things that it can do, and of things it cannot

Keeps the books of a small shop:
what was sold, to whom and when.

Another paragraph that says more about it, which is not quoted.
"""
RST = """\
====
shop
====

.. image:: https://example.org/shop.svg

Shop keeps the books of a small :class:`Shop`, as
``shop.books`` has them.
"""


def test_the_first_prose_of_a_readme_is_quoted() -> None:
    assert purpose(read("README.md", MARKDOWN)) == [
        "README.md:8 says:",
        "> Keeps the books of a small shop:",
        "> what was sold, to whom and when.",
    ]
    assert purpose(read("README.rst", RST)) == [
        "README.rst:7 says:",
        "> Shop keeps the books of a small `Shop`, as",
        "> `shop.books` has them.",
    ]


@pytest.mark.anyio
async def test_the_readme_is_that_of_the_root_in_any_case(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    said = "# shop\n\nKeeps the books of a small shop, and of a large one.\n"
    inner = {"examples/README.md": said.replace("Keeps", "An example that keeps")}
    write_files(tmp_path / "project", inner)
    talk = await agent.create_conversation()
    assert "says:" not in (await talk.send_message("what is this project?")).content
    write_files(tmp_path / "project", {"readme.md": said})
    assert (await talk.send_message("what is this project?")).content.splitlines()[:2] == [
        "readme.md:3 says:",
        "> Keeps the books of a small shop, and of a large one.",
    ]


def test_without_prose_nothing_is_said() -> None:
    assert purpose(read("README.md", "# shop\n\n- one\n- two\n\nShort.\n")) == []
    assert purpose({}) == []
    short = (
        "# fast\n[![CI](a.svg)](b)\n\nA command-line benchmarking tool.\n\nMany thanks to our biggest sponsor of all.\n"
    )
    assert purpose(read("README.md", short)) == ["README.md:4 says:", "> A command-line benchmarking tool."]
    right_behind = (
        "shop (sh)\n---------\nshop sells things over the counter, and more of them.\n\nDual-licensed, under either.\n"
    )
    assert purpose(read("README.md", right_behind)) == [
        "README.md:3 says:",
        "> shop sells things over the counter, and more of them.",
    ]


def test_only_what_a_project_is_asks_for_its_readme() -> None:
    for text, tools in (
        ("what does this project do?", ["outline", "read_file"]),
        ("what is this project about?", ["outline", "read_file"]),
        ("tell me about this project", ["outline", "read_file"]),
        ("tell me something about the codebase", ["outline", "read_file"]),
        ("describe this repo", ["outline", "read_file"]),
        ("give me an overview", ["outline", "read_file"]),
        ("which files are there?", ["outline"]),
        ("list the files in this project", ["outline"]),
    ):
        [question] = read_questions(text)
        assert question.form == "overview", text
        assert [call.tool for call in next_calls(question, ())] == tools, text


@pytest.mark.anyio
async def test_a_text_that_defines_nothing_is_somewhere_too() -> None:
    outline = {"asked": "README.md", "match": "none", "kind": "none", "total": 0, "scopes": []}
    text = {"file": "README.md", "start_line": 1, "end_line": 1, "total_lines": 12, "content": "# shop"}
    assert await answer_to("where is README.md?", {"outline": outline, "read_file": text}) == (
        "`README.md` is there, with 12 lines and no definition that I know: `show me README.md` shows how it begins."
    )
    assert (
        await answer_to("where is README.md?", {"outline": outline}) == "Nothing found for `README.md` in this project."
    )


@pytest.mark.anyio
async def test_what_is_asked_for_by_sort_is_told_of_files_alone() -> None:
    value = {"kind": "folder", "asked": "src", "total": 1, "files": ["src/a.py"], "definitions": {"src/a.py": ["A"]}}
    lines = (await answer_to("list the classes in src/", {"outline": value})).splitlines()
    assert lines[1:] == [
        "- src/a.py: `A`",
        "Which definitions are classes is told of a file: `list the classes in FILE`.",
    ]


@pytest.mark.anyio
async def test_what_the_project_is_its_readme_says() -> None:
    folder = {"kind": "folder", "asked": ".", "match": "exact", "total": 3, "files": ["a.py"]}
    said = read("README.md", "# mux\n\nMux routes what comes in to the handler that is meant by it.")
    project = {"match": "none", "total": 0, "scopes": [], "names_project": True}
    values = {"read_scope": project, "outline": folder, "read_file": said}
    for asked in ("what is mux?", "what does mux do?"):
        assert (await answer_to(asked, values)).splitlines()[:4] == [
            "README.md:3 says:",
            "> Mux routes what comes in to the handler that is meant by it.",
            "",
            "This project contains 3 source files:",
        ]


@pytest.mark.anyio
async def test_of_two_classes_of_a_name_the_other_is_told_too(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    write_files(
        tmp_path / "project",
        {
            "one/lru.py": "class LRU:\n    def get(self): ...\n",
            "two/lru.py": "class LRU:\n    def put(self): ...\n",
        },
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    lines = (await talk.send_message("which methods does LRU have?")).content.splitlines()
    assert lines[1:] == [
        "It has 1 method inside:",
        "- `LRU.get` - one/lru.py:2 (method)",
        "",
        "Also defined:",
        "- `LRU` - two/lru.py:1 (class)",
    ]
    alone = (await talk.send_message("which methods does Account have?")).content
    assert "Also defined" not in alone


def test_a_sentence_may_begin_with_a_name_of_code() -> None:
    text = "Poet\n====\n\n`Poet` is an API for the generation of source files.\n\nIt can be useful.\n"
    assert purpose(read("README.md", text)) == [
        "README.md:4 says:",
        "> `Poet` is an API for the generation of source files.",
    ]
    fenced = "```sh\npip install poet and whatever else it may need to run\n```\n"
    assert purpose(read("README.md", fenced)) == []


@pytest.mark.anyio
async def test_what_has_nothing_inside_has_no_method_either() -> None:
    value = {"asked": "Talk", "match": "exact", "kind": "scope", "file": "src/talk.py", "scope": ECHO, "scopes": []}
    answer = await answer_to("what are the methods of Talk?", {"outline": {**value, "total": 0}})
    assert answer.splitlines()[-1] == "It has no method inside."


@pytest.mark.anyio
async def test_of_one_long_folder_the_files_are_listed() -> None:
    files = [f"src/{n}.py" for n in range(70)]
    value = {"kind": "folder", "asked": "src", "total": 70, "files": files, "folders": {"src": 70}}
    lines = (await answer_to("what is in src/?", {"outline": value})).splitlines()
    assert lines[:2] == ["`src` contains 70 source files:", "- src/0.py"]
    assert lines[-1] == "… and 10 more files."


@pytest.mark.anyio
async def test_of_a_long_file_what_is_async_is_told_alone(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    plain = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(100))
    write_files(tmp_path / "project", {"long.py": f"{plain}async def wait():\n    return 1\n"})
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    assert (await talk.send_message("which functions in long.py are async?")).content.splitlines() == [
        "`long.py` contains 1 async function:",
        "- `wait` - long.py:401 (function)",
    ]
