"""Questions about a project as a whole, and for things that are no sort of code."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.code.versions import version_in
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_search import ANSWER_TOOLS, CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolContext, ToolRegistry
from tests.extractive.asking import answer_to, found, requests_for, user

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("what are the dependencies?", "dependencies"),
        ("what dependencies does this project have?", "dependencies"),
        ("which third-party libraries do we use?", "dependencies"),
        ("what does this project depend on?", "dependencies"),
        ("list the dev dependencies of this project", "dependencies"),
        ("what are the dependencies of Command?", "callees"),
        ("what is dependencies?", "what"),
        ("what does it depend on?", "callees"),
        ("how do I run the tests?", "commands"),
        ("how to build this project?", "commands"),
        ("how can I install it?", "commands"),
        ("how do I run Command.invoke?", "what"),
        ("which version is this?", "version"),
        ("what version of shop is this?", "version"),
        ("what is the version of this project?", "version"),
        ("what does version do?", "what"),
        ("which version of Command is used?", "search"),
        ("which python versions are supported?", "runtime"),
        ("what python version do I need?", "runtime"),
        ("what version of Go does it require?", "runtime"),
        ("does it support Node.js 18?", "runtime"),
        ("what is the minimum Rust version?", "runtime"),
        ("what is the python version of Command?", "what"),
        ("what are the main classes?", "overview"),
        ("which are the most important functions in this project?", "overview"),
        ("what does src/talk.py export?", "exports"),
        ("which functions are exported by talk.py?", "exports"),
        ("list the exports of src/talk.ts", "exports"),
        ("what does Talk export?", "outline"),
        ("what does src/talk.py contain?", "outline"),
        ("which filters exist?", "known by word"),
        ("what loaders are there?", "known by word"),
        ("which extensions does this project provide?", "known by word"),
        ("which tests exist?", "overview"),
        ("which methods does Command have?", "outline"),
        ("what is decorated by cached?", "decorated"),
        ("which functions are annotated with Override", "decorated"),
        ("what does cached decorate?", "decorated"),
        ("where is cached used as a decorator?", "decorated"),
    ],
)
def test_questions_are_read(text: str, form: str) -> None:
    assert [each.form for each in read_questions(text)] == [form]


def line(file: str, number: int, text: str) -> dict[str, Any]:
    return {"file": file, "line": number, "text": text}


async def in_files(root: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool finds that needs no graph."""
    context = ToolContext(owner=Owner("ada", "shop"), root=root)
    ran = await ToolRegistry(CODE_SEARCH_TOOLS, on_demand=ANSWER_TOOLS).run(ToolRequest("1", tool, arguments), context)
    assert ran.success, ran.error
    value: dict[str, Any] = ran.value
    return value


async def test_dependencies_are_those_that_files_state(tmp_path: Path) -> None:
    (tmp_path / "arc").mkdir()
    (tmp_path / "go.mod").write_text("module shop\n")
    (tmp_path / "arc/go.mod").write_text("module shop/arc\nrequire a.b/c v1.0.0\n")
    value = await in_files(tmp_path, "dependencies")
    assert await requests_for(user("what are the dependencies?")) == [("dependencies", {})]
    assert (await answer_to("what are the dependencies?", {"dependencies": value})).splitlines() == [
        "`go.mod` names none.",
        "`arc/go.mod` says:",
        "- require: `a.b/c v1.0.0`",
    ]
    assert (await answer_to("what are the dependencies?", {"dependencies": {"files": [], "total": 0}})).startswith(
        "Nothing found"
    )


async def test_the_version_is_what_the_outermost_file_says_and_what_git_has(tmp_path: Path) -> None:
    for name, text in {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "1.13.0"\n',
        "bench/Cargo.toml": "[package]\nversion.workspace = true\n",
        "tests/Cargo.toml": '[package]\nversion = "7.0.0"\n',
        "js/package.json": '{\n  "version": "2.0.1"\n}\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    question = "which version is this?"
    assert await requests_for(user(question)) == [("project_version", {})]
    stated = "It is version `1.13.0`, as Cargo.toml:3 says."
    others = ["Other files that state a version:", "- `2.0.1` - js/package.json:2"]
    value = await in_files(tmp_path, "project_version")
    assert (await answer_to(question, {"project_version": value})).splitlines() == [stated, *others]

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    for number in (1, 2):
        git("commit", "-q", "--allow-empty", "-m", f"step {number}")
        head = f"In git, commit `{git('rev-parse', 'HEAD')[:12]}` is checked out; "
        if number == 1:
            value = await in_files(tmp_path, "project_version")
            assert f"{head}no tag leads to it." in await answer_to(question, {"project_version": value})
            git("tag", "v1.13")
        value = await in_files(tmp_path, "project_version")
        tag = "`v1.13` is its tag." if number == 1 else "`v1.13` is the newest before it, 1 commit back."
        answer = await answer_to(question, {"project_version": value})
        assert answer.splitlines() == [stated, f"{head}{tag}", *others]
    none = {"files": [], "total": 0, "git": {}}
    assert (await answer_to(question, {"project_version": none})).startswith("Nothing found: no file")


async def test_which_versions_of_a_language_it_is_for_its_settings_say(tmp_path: Path) -> None:
    for name, text in {
        "shop.py": 'requires-python = "never"\n',
        "tools/pyproject.toml": '[project]\nrequires-python = ">=3.12"\n',
        "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.9"\n',
        "package.json": '{\n  "engines": {\n    "node": ">=18"\n  }\n}\n',
        "arc/go.mod": "module arc\n\ngo 1.22\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    async def told(asked: str) -> list[str]:
        [(tool, arguments)] = await requests_for(user(asked))
        return (await answer_to(asked, {tool: await in_files(tmp_path, tool, **arguments)})).splitlines()

    heading = "These lines say which versions it is for:"
    assert await told("which python versions are supported?") == [
        heading,
        '- pyproject.toml:3 `requires-python = ">=3.9"`',
        '- tools/pyproject.toml:2 `requires-python = ">=3.12"`',
    ]
    assert await told("does it work with node 20?") == [heading, '- package.json:3 `"node": ">=18"`']
    assert await told("which version of go is required?") == [heading, "- arc/go.mod:3 `go 1.22`"]
    assert (await told("which ruby version does it need?"))[0].startswith("Nothing found: no file")
    # A lock of packages has such a line a package, and more of them than are searched for.
    (tmp_path / "package-lock.json").write_text('    "node": ">=14"\n' * 300)
    assert await told("does it work with node 20?") == [heading, '- package.json:3 `"node": ">=18"`']


@pytest.mark.parametrize(
    ("path", "text", "stated"),
    [
        ("pyproject.toml", '[project]\nname = "a"\nversion = "1.2"\n', ("1.2", 3)),
        ("pyproject.toml", '[tool.poetry]\nversion = "1.2rc1"\n', ("1.2rc1", 2)),
        ("pyproject.toml", '[project]\ndynamic = ["version"]\n', None),
        ("setup.cfg", "[metadata]\nversion = 3.0\n", ("3.0", 2)),
        ("setup.cfg", "[metadata]\nversion = attr: a.__version__\n", None),
        ("setup.py", 'setup(\n    name="a", version="0.1")\n', ("0.1", 2)),
        ("a/package.json", '{"dependencies": {"b": "4.0.0"},\n "version": "4.0.0"}', ("4.0.0", 2)),
        ("package.json", "{broken", None),
        ("Cargo.toml", '[workspace.package]\nversion = "5.0"\n', ("5.0", 2)),
        ("pom.xml", "<project><parent><version>9</version></parent>\n<version>1.1</version></project>", ("1.1", 2)),
        ("pom.xml", "<project><parent>\n<version>9</version></parent></project>", ("9", 2)),
        ("pom.xml", "<version>${rev}</version>\n<properties><rev>2.2</rev></properties>", ("2.2", 2)),
        ("src/A.csproj", "<Project>\n<VersionPrefix>12.1.1</VersionPrefix></Project>", ("12.1.1", 2)),
        ("Directory.Build.props", "<Version>$(Other)</Version>", None),
        ("build.gradle", "version = '1.0-SNAPSHOT'\n", ("1.0-SNAPSHOT", 1)),
        ("a.gemspec", 's.version = "3.1"\n', ("3.1", 1)),
        ("lib/a/version.rb", 'module A\n  RELEASE = "3.2.7"\nend\n', ("3.2.7", 2)),
        ("a/__init__.py", '__version__ = "8.1"\n', ("8.1", 1)),
        ("a/core.py", '__version__ = "8.1"\n', None),
        ("go.mod", "module a\n", None),
    ],
)
def test_versions_are_read_as_files_write_them(path: str, text: str, stated: tuple[str, int] | None) -> None:
    assert version_in(path, text) == stated


async def test_commands_come_from_texts_and_settings(tmp_path: Path) -> None:
    for name, text in {
        "CONTRIBUTING.md": "Run the tests by `pnpm run test`.\nThe latest go version is needed.\n",
        "package.json": '{"scripts": {\n  "test:types": "tsc",\n  "build": "rollup"\n}}\n',
        "ci.yml": "tests:\n  - run: pytest -q\n",
        "test_run.py": "def test_run():  # make tests\n    go(test)\n",
        "CHANGES.md": "make test is new\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tool, arguments), *_ = await requests_for(user("how do I run the tests?"))  # and build files, and headings
    value = await in_files(tmp_path, tool, **arguments)
    assert (await answer_to("how do I run the tests?", {tool: value})).splitlines()[1:] == [
        "- CONTRIBUTING.md:1 ``Run the tests by `pnpm run test`.``",
        '- package.json:2 `"test:types": "tsc",`',
        "- ci.yml:2 `- run: pytest -q`",
    ]
    assert (await answer_to("how do I deploy it?", {"grep_code": {"matches": []}})).startswith("Nothing found")


async def test_things_that_are_no_sort_of_code_are_listed_by_the_word() -> None:
    def scope(name: str, kind: str, file: str = "src/a.py") -> dict[str, Any]:
        return {"qualified_name": name, "name": name.rpartition(".")[2], "type": kind, "file": file, "line": 3,
                "start_line": 3, "end_line": 4, "signature": "", "docstring": "the filter"}  # fmt: skip

    results = [
        scope("test_filter", "function", "tests/test_a.py"), scope("Environment.call_filter", "method"),
        scope("Filter", "class"), scope("Filter.run", "method"), scope("FILTERS", "constant"),
    ]  # fmt: skip
    answer = await answer_to("which filters exist?", {"search_code": {"results": results}})
    assert answer.splitlines() == [
        "What `filters` are I cannot tell, but 3 definitions have the word in the name:",
        "- `Filter` - src/a.py:3 (class)",
        "- `Environment.call_filter` - src/a.py:3 (method)",
        "- `FILTERS` - src/a.py:3 (constant)",
    ]
    none = await answer_to("which gadgets exist?", {"search_code": {"results": []}, "grep_code": {"matches": []}})
    assert none.startswith("Nothing found")
    assert "I did not understand the question itself" in none


async def test_what_a_decorator_decorates() -> None:
    use = {"qualified_name": "Talk.echo", "file": "b.py", "lines": [4]}
    echo = {"name": "cached", "qualified_name": "cached", "type": "function", "file": "a.py", "line": 1,
            "start_line": 1, "end_line": 2, "callers": [use]}  # fmt: skip
    matches = [line("b.py", 4, "@a.cached(3)"), line("b.py", 9, "@cached")]
    names = [name for name, _ in await requests_for(user("what is decorated by cached?"))]
    assert names == ["find_callers", "grep_code"]
    answer = await answer_to(
        "what is decorated by cached?", {"find_callers": found(echo), "grep_code": {"matches": matches}}
    )
    assert answer.splitlines() == [
        "`cached` (a.py, line 1) is a decorator in 2 lines:",
        "- `Talk.echo` - b.py:4 `@a.cached(3)`",
        "- b.py:9 `@cached`",
    ]


async def test_what_a_file_exports() -> None:
    names = [
        {"name": "Talk", "line": 3, "type": "class", "module": ""},
        {"name": "far", "line": 9, "type": "", "module": "./far"},
    ]
    value = {"file": "src/talk.ts", "rule": "what is public", "total": 3, "exports": names}
    assert await requests_for(user("what does talk.ts export?")) == [("exports", {"file": "talk.ts"})]
    assert (await answer_to("what does talk.ts export?", {"exports": value})).splitlines() == [
        "`src/talk.ts` exports 3 names (what is public):",
        "- `Talk` - src/talk.ts:3 (class)",
        "- `far` - src/talk.ts:9 (from `./far`)",
        "… and 1 more.",
    ]
    empty = {"file": "a.js", "rule": "", "total": 0, "exports": []}
    assert await answer_to("what does a.js export?", {"exports": empty}) == "`a.js` exports nothing."
    broken = {"file": "a.js", "broken": True, "total": 0, "exports": []}
    assert "cannot be read as code" in await answer_to("what does a.js export?", {"exports": broken})
