"""Where anything is raised, can panic, or reads the environment; and other things that lines of code alone tell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.environment import (
    READS_ENVIRONMENT,
    READS_PROPERTY,
    SETS_ENVIRONMENT,
)
from ragforge_memory.llm.extractive.code.raised import anywhere
from tests.extractive.asking import ask

RUST = """/// x.unwrap()
pub fn read(at: usize) -> Result<u8, E> {
    assert!(at < 3);
    if at > 1 {
        return Err(E::Late { at });
    }
    match find(at) {
        Err(e) if e.late() => Ok(1),
        Err(e) => Err(e),
        None => Err(E::None),
    }
}
"""


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("where are errors thrown?", "raises", ""),
        ("what can panic?", "raises", ""),
        ("where does it panic?", "raises", ""),
        ("what can panic in src/main.rs?", "raises", "src/main.rs"),
        ("what throws in main.rs?", "raises", "main.rs"),
        ("where does src/main.rs raise errors?", "raises", "src/main.rs"),
        ("where are exceptions raised in bank/safe.py?", "raises", "bank/safe.py"),
        ("who throws Locked?", "raises", "Locked"),
        ("which environment variables are read?", "environment", ""),
        ("what environment variables does it need?", "environment", ""),
        ("where does Rack read environment variables?", "environment", ""),
        ("which env vars are there?", "environment", ""),
        ("does Bank read environment variables?", "environment", ""),
        ("which system properties are read?", "environment", ""),
        ("is any environment variable used?", "environment", ""),
        ("what includes Helpers?", "subclasses", "Helpers"),
        ("what mixes in Bank::Utils?", "subclasses", "Bank::Utils"),
        ("where is Bank::Utils included?", "subclasses", "Bank::Utils"),
        ("what includes util/list.h?", "imports", "util/list.h"),
        ("what does „Account“ do?", "what", "Account"),
        ("what does «Account» do?", "what", "Account"),
        ("what does »Account« do?", "what", "Account"),
        ("what does []= do?", "what", "[]="),
        ("where is Params#[]= defined?", "where", "Params#[]="),
        ("who calls <=>?", "callers", "<=>"),
        ("what does the crate do?", "overview", ""),
    ],
)
def test_forms_and_targets(text: str, form: str, target: str) -> None:
    asked = read_questions(text)[0]
    assert (asked.form, asked.target.text) == (form, target)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("where are errors raised?", [5, 10]), ("what can panic?", [3]), ("what can panic in a.rs?", [3])],
)
def test_lines_of_rust_that_raise_or_panic(text: str, lines: list[int]) -> None:
    pattern = str(dict(anywhere(read_questions(text)[0]).arguments)["pattern"])
    assert [at for at, line in enumerate(RUST.splitlines(), 1) if re.search(pattern, line)] == lines


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("key = os.environ['KEY']", True),
        ('key := os.Getenv("KEY")', True),
        ("const key = process.env.KEY", True),
        ('if let Some(x) = env::var_os("KEY") {', True),
        ("ENV['KEY'] || 'development'", True),
        ('Environment.GetEnvironmentVariable("KEY")', True),
        ("$key = getenv('KEY');", True),
        ("const key = global?.process?.env", True),
        ("return Deno.env.toObject()", True),
        ("const { a } = getEnv()", False),
        ("char *getenv(const char *);", False),
        ("call(env)", False),
        ("Rack::ENV[0]", False),
        ("the environment is read", False),
    ],
)
def test_lines_that_read_the_environment(line: str, reads: bool) -> None:
    assert bool(re.search(READS_ENVIRONMENT, line)) is reads


@pytest.mark.parametrize(
    ("line", "sets"),
    [
        ('setenv("KEY", value, 1);', True),
        ('os.Setenv("KEY", "1")', True),
        ('command.env("KEY", value);', True),
        ("command.env(", True),
        ('env::set_var("KEY", "1")', True),
        ("ENV['KEY'] ||= '1'", True),
        ("os.environ['KEY'] = '1'", True),
        ("process.env.KEY = '1'", True),
        ("export KEY=1", True),
        ("if (process.env.KEY === '1') {", False),
        ("ENV['KEY'] == '1'", False),
        ("int setenv(const char *name, const char *value);", False),
        ("export const key = 1", False),
    ],
)
def test_lines_that_set_the_environment(line: str, sets: bool) -> None:
    assert bool(re.search(SETS_ENVIRONMENT, line)) is sets


def test_lines_that_read_properties() -> None:
    assert re.search(READS_PROPERTY, 'long floor = Long.getLong("bank.floor", 250L);')
    assert not re.search(READS_PROPERTY, "config.getProperty(name)")


@pytest.mark.anyio
async def test_what_such_lines_are_quoted_for(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    nothing = await ask(agent, "which environment variables are read?")
    assert nothing[0].startswith("Nothing found: no line of this project reads environment variables by the means")
    (root / "read.rs").write_text(RUST)
    (root / "set.py").write_text("import os\n\nHOME = os.environ['HOME']\n")
    (root / "list.rb").write_text("class List\n  # Sets one.\n  def []=(at, one)\n    at\n  end\nend\n")
    await agent.ingest(root)
    assert await ask(agent, "which environment variables are read?") == [
        "Environment variables are read in 1 line:",
        "- set.py:3 `HOME = os.environ['HOME']`",
    ]
    (root / "CHANGES").write_text("os.environ['HOME'] is read\n")
    (root / "run").write_text("#!/bin/sh\nexport KEY=1\n")
    assert await ask(agent, "which environment variables are read or set?") == [
        "Environment variables are read in 1 line:",
        "- set.py:3 `HOME = os.environ['HOME']`",
        "",
        "Environment variables are set in 1 line:",
        "- run:2 `export KEY=1`",
    ]
    assert await ask(agent, "does it read system properties?") == [
        "Nothing found: no line of this project reads system properties by the means that I know."
    ]
    assert await ask(agent, "what can panic in read.rs?") == [
        "Calls that can panic stand in 1 line of `read.rs` "
        "(panic, assert!, unreachable!, unwrap, expect; an index out of bounds panics too):",
        "- read.rs:3 `assert!(at < 3);`",
    ]
    assert await ask(agent, "where are errors raised?") == [
        "Errors are raised in 4 lines of 3 files:",
        "- bank/account.py:16",
        "- bank/safe.py:8",
        "- read.rs:5, 10",
    ]
    assert await ask(agent, "where are errors raised in set.py?") == [
        "Nothing found: no line of `set.py` raises an error (raise, throw, panic, Err(…), errors.New)."
    ]
    assert (await ask(agent, "what does []= do?"))[:3] == [
        "`List.[]=` - list.rb:3 (method, lines 3-5)",
        "> `def []=(at, one)`",
        "> Sets one.",
    ]


@pytest.mark.anyio
async def test_errors_are_caught_in_code_alone(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name in ("LICENSE-APACHE", "CHANGES", "doc/bank.1", "page.tmpl"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("(except as stated in this section)\ncatch (e)\n")
    nothing = "Nothing found: no line of this project catches an error (except, rescue, catch, recover)."
    assert await ask(agent, "where are errors caught?") == [nothing]
    (root / "a.rb").write_text("catch(:done) { throw :done }\nvalue = read rescue nil\n")
    (root / "run").write_text("#!/usr/bin/env node\ntry { go() } catch (e) { stop() }\n")
    assert await ask(agent, "where are errors caught?") == [
        "Errors are caught in 2 lines of 2 files:",
        "- a.rb:2",
        "- run:2",
    ]
