"""README.md and docs/ are true: their Python runs, their commands parse, their Cypher finds, their links lead."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path
from uuid import uuid4

import neo4j
import pytest
import typer

from ragforge_memory.cli.main import app
from ragforge_memory.config import Neo4jConfig
from tests.docs.conftest import ROOT, Shop
from tests.docs.markdown import blocks, commands, links

README = ROOT / "README.md"
PAGES = [README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
WORDS = (
    *("message", "turn", "tool call", "scope", "anchor", "recall", "summary", "lineage", "watermark", "lease"),
    *("receipt", "owner", "project", "space", "journal"),
)


@pytest.mark.long
def test_the_python_of_the_readme_runs_and_its_cypher_finds_what_it_wrote(
    shop: Shop, neo4j_config: Neo4jConfig
) -> None:
    project = f"shop-{uuid4().hex}"
    first, written = (
        shop.python("-c", block.replace('"shop"', f'"{name}"'))
        for name, block in zip((f"first-{project}", project), blocks(README, "python"), strict=True)
    )
    assert "`check_password` - auth.py:4" in first
    assert "`check_password` - auth.py:4" in written
    assert "read_scope {'name': 'check_password'" in written
    assert "`login` - auth.py:" in written
    assert re.search(r"^2 assistant \['check_password'\]$", written, re.MULTILINE)
    [query] = blocks(README, "cypher")
    query = query.replace("(c:Conversation)", "(c:Conversation {project: $project})")
    auth = (neo4j_config.username, neo4j_config.password)
    with neo4j.GraphDatabase.driver(neo4j_config.uri, auth=auth) as driver:
        rows = driver.execute_query(query, project=project, database_="neo4j").records
    assert {(row["c.title"], row["s.file"], row["s.startLine"]) for row in rows} == {
        ("Refactoring authentication", "auth.py", 4)
    }


_VARIES = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|\b[0-9a-f]{8}(?:[0-9a-f]{4})?\b|/\S*/shop\b|\d+\.\d s")


@pytest.mark.long
@pytest.mark.skipif(not all(map(shutil.which, ("sh", "git", "sed"))), reason="needs sh, git and sed")
def test_the_session_of_the_readme_goes_as_it_says(shop: Shop) -> None:
    """Each command prints what stands below it, whatever the day, the ids and the time that it takes."""
    shop.run("git init -q . && git add . && git -c user.name=Ada -c user.email=ada@example.com commit -qm shop")
    text = README.read_text(encoding="utf-8").partition("<!-- session -->")[2].partition("<!-- end session -->")[0]
    for part in text.partition("```text\n")[2].partition("```")[0].split("$ ")[1:]:
        command, _, output = part.partition("\n")
        assert _told(shop.run(command)) == _told(output), command


@pytest.mark.long
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_ways_in_of_the_readme_work(tmp_path: Path, shop: Shop) -> None:
    """The five lines of YAML, in an empty folder; those at a terminal are in the session, those in Python above."""
    [lines] = [block for block in blocks(README, "sh") if "ragforge generate" in block]
    root = tmp_path / "my-agent"
    root.mkdir()
    ours = Shop(root, shop.environment)
    for line in lines.splitlines()[:3]:
        ours.run(line.partition("  #")[0])
    made, asked = (line.split() for line in lines.splitlines()[3:])
    assert made == ["make", "test"]
    assert asked[:3] == ["python", "-m", "my_agent"]
    assert ours.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests") is not None
    assert ours.python("-m", "my_agent", "ask", "What do you know?").strip()


def _told(output: str) -> str:
    return _VARIES.sub("*", output)


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_parses(page: Path) -> None:
    for words in _commands(page):
        _parse(words)


def test_the_readme_shows_the_commands() -> None:
    assert len(_commands(README)) > 10


def _commands(page: Path) -> list[list[str]]:
    return [words for language in ("sh", "text") for block in blocks(page, language) for words in commands(block)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    inside = [target.partition("#")[0] for target in links(page) if "://" not in target]
    assert [target for target in inside if target and not (page.parent / target).exists()] == []


def test_the_two_commands_are_where_ci_reads_them() -> None:
    text = README.read_text(encoding="utf-8")
    for number, needed in (("one", 'ask "where is AsyncConversationAgent?"'), ("two", "-m pytest")):
        [command] = re.findall(f"<!-- command {number} -->\n```sh\n(.*)\n```\n<!-- end command {number} -->", text)
        assert needed in command
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_short_names_are_the_makefiles() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = re.findall(r"make (\w+)", (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8"))
    assert set(told) <= targets
    assert {"test", "check", "bench"} <= set(told)


def test_the_glossary_has_each_word_once_in_order() -> None:
    words = re.findall(
        r"^\| \*\*(.+?)\*\* \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert words == sorted(set(words))
    assert set(WORDS) <= set(words)


def test_the_configuration_page_is_made_from_the_models() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "generate_configuration.py"))
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert page == made["page"](), "run python docs/generate_configuration.py"
    keys = {".".join(path) for path in made["leaves"]()}
    for key in keys:
        assert f"| `{key.rpartition('.')[2]}` |" in page, key
    for prefix in made["WITHOUT_EFFECT"]:
        assert any(key.startswith(prefix) for key in keys), prefix


def _parse(words: list[str]) -> None:
    """Parses a command line as the program would, and runs nothing.

    Raises:
        an error of usage: there is no such command, argument or option.
    """
    command = typer.main.get_command(app)
    context = command.make_context("ragforge", list(words) or ["--help"])
    while hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, list(rest), parent=context)
