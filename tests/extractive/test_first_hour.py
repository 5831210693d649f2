"""What is asked in the first hour: where it starts, how it is tested, whether threads may share it."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.command_lines import commands
from ragforge_memory.llm.extractive.code.entry_points import entry_points
from ragforge_memory.llm.extractive.code.threads import threads
from ragforge_memory.llm.extractive.quoting.calls import Call, Found


def grep(*lines: tuple[str, int, str], more: bool = False) -> Found:
    matches = [{"file": file, "line": line, "text": text} for file, line, text in lines]
    return Found(Call("grep_code", ()), {"matches": matches, "more": more})


@pytest.mark.parametrize(
    ("said", "form", "target"),
    [
        ("what is the entry point?", "entry", ""),
        ("where's the main entry point of this project", "entry", ""),
        ("where does the program start?", "entry", ""),
        ("where does login start?", "where", "login"),
        ("is ConcurrentBag thread-safe?", "threads", "ConcurrentBag"),
        ("can Pool be used from several threads at once?", "threads", "Pool"),
    ],
)
def test_how_it_is_asked(said: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(said)] == [(form, target)]


def test_where_it_starts() -> None:
    starts = grep(
        ("tests/main.c", 3, "main(void)"), ("tool.c", 9, "main(int argc, char **argv)"), ("a.py", 2, "main(int x)")
    )
    named = grep(("package.json", 4, '"main": "dist/index.js",'), ("other.json", 4, '"main": "x"'))
    files = ["src/index.ts", "lib/shop.rb", "lib/shop/cart.rb", "lib/other.rb", "tests/index.ts"]
    around = Found(Call("find_around", ()), {"around": {"tool.c:9": "main"}})
    outline: dict[str, Any] = {"kind": "folder", "files": files}
    assert entry_points([starts, named, Found(Call("outline", ()), outline), around]) == [
        "A program starts here:",
        "- `main` - tool.c:9 `main(int argc, char **argv)`",
        "Settings name what is run or imported:",
        '- package.json:4 `"main": "dist/index.js",`',
        "Who imports it begins in:",
        "- `src/index.ts`",
        "- `lib/shop.rb`",
    ]


def test_it_starts_nowhere() -> None:
    assert entry_points([grep(), grep()]) == [
        "Nothing found: no program starts in this project, and no settings name what is run."
    ]
    assert entry_points([grep(more=True), grep()]) == ["Nothing found, but there was no time to look at all files."]


def test_what_is_usual_for_a_build_file() -> None:
    maven = grep(("sub/pom.xml", 2, "<project>"), ("pom.xml", 2, "<project>"))
    assert commands("how do I run the tests?", [grep(), maven]) == [
        "No text and no settings of this project have a command with `test`, but there is `pom.xml`; with such a file "
        "it is usually `mvn test`."
    ]
    gradle = grep(("build.gradle.kts", 1, "plugins {"), ("gradlew", 80, 'GRADLE_OPTS="-x"'))
    assert commands("how do I build it?", [grep(), gradle])[0].endswith("it is usually `./gradlew build`.")
    told = grep(("README.md", 5, "run make test"))
    assert commands("how do I run the tests?", [told, maven])[1:] == ["- README.md:5 `run make test`"]
    assert commands("how do I deploy it?", [grep(), maven])[0].startswith("Nothing found")


def test_lines_that_have_to_do_with_threads() -> None:
    scope = {"qualified_name": "ConcurrentBag", "file": "bag.java", "line": 2, "start_line": 1, "end_line": 9}
    read = Found(Call("read_scope", ()), {"match": "exact", "scopes": [scope]})
    lines = grep(
        ("bag.java", 2, "class ConcurrentBag {"),
        ("bag.java", 4, "private volatile boolean closed;"),
        ("bag.java", 6, "// Not thread-safe."),
        ("bag.java", 12, "synchronized void other()"),
    )
    assert threads([read, lines]) == [
        "`ConcurrentBag` (bag.java, line 2): whether it is thread-safe is not for me to say, but 2 lines of it have to "
        "do with threads:",
        "- bag.java:6 `// Not thread-safe.`",
        "- bag.java:4 `private volatile boolean closed;`",
    ]
    shared = grep(("bag.java", 3, "// It can be shared between threads."), ("bag.java", 5, "// One of many threads."))
    assert threads([read, shared])[1:] == [
        "- bag.java:3 `// It can be shared between threads.`",
        "- bag.java:5 `// One of many threads.`",
    ]
    assert threads([read, grep()]) == [
        "`ConcurrentBag` (bag.java, line 2): no line says that it is thread-safe, and none has a lock or the like."
    ]
