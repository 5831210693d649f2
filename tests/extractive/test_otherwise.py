"""What is asked in one way and means another: plain words, names that end as files do, and what is no name at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.pasted import Pasted, pasted
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.found_text import named_by_word
from ragforge_memory.llm.extractive.code.message_lines import NO_LINE_HAS_IT
from ragforge_memory.retrieval.relevance import judged
from tests.extractive.asking import ask, ingested

FILES = {
    "shop/session.py": '''def create_session_cookie(response):
    """Sets the cookie of a session."""
    response.set(key())


def key():
    #: If a secret key is set, it is required that it is long.
    return None


class Logged:
    @property
    def logger(self):
        return create_logger(self)


def create_logger(app):
    """Gives the logger of an app."""
    return app
''',
    "shop/config.py": 'TOKENS = ["{/.}", "{//}"]\nUSED = load("path-to-regexp")\nSECRET = read("SECRET_KEY")\n',
    "shop/exit_codes.py": "class ExitCode:\n    SUCCESS = 0\n",
    "lib/response.js": """var res = Object.create(null);

/** Sends JSON. */
res.json = function json(obj) {
  return obj;
};
""",
    "tests/test_session.py": """SECRET_KEY = "x"


def test_session_cookie_setting():
    pass
""",
}


@pytest.fixture
async def told(agent: AsyncConversationAgent, tmp_path: Path) -> AsyncConversationAgent:
    return await ingested(agent, tmp_path / "project", FILES)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("where is the session cookie created?", "`create_session_cookie` - shop/session.py:1 "),
        ("where is the logger created?", "`create_logger` - shop/session.py:17 "),
        ("what does res.json do?", "`res.json` - lib/response.js:4 "),
        ("where is res.json?", "`res.json` - lib/response.js:4 "),
        ("where is `{/.}` handled?", "Nothing found that is defined as `{/.}`. The name stands in these lines:"),
        ("where is path-to-regexp used?", "`path-to-regexp` - shop/config.py:2 (no definition of its own;"),
        ("where is SECRET_KEY used?", "Nothing but tests and the like defines `SECRET_KEY`; it stands in these 2"),
        ("KeyError: 'A secret key is required'", NO_LINE_HAS_IT),
        ("which exit codes are there?", "What `exit codes` are I cannot tell, but 1 definition has the word"),
    ],
)  # fmt: skip
async def test_what_is_meant_is_told(told: AsyncConversationAgent, said: str, first: str) -> None:
    answer = await ask(told, said)
    assert answer[0].replace(" at least", "").startswith(first)


@pytest.mark.parametrize(
    ("said", "form", "target"),
    [
        ("which json tags are there?", "known by word", "json tags"),
        ("which CLI commands are there?", "known by word", "CLI commands"),
        ("which command line options are there?", "known by word", "command line options"),
        ("which exceptions does flask define?", "errors", ""),
        ("what was deprecated?", "deprecated", ""),
        ("how do I install jinja?", "commands", ""),
        ("which dependencies does it have?", "dependencies", ""),
        ("what did we decide about src/output.rs?", "said", "src/output.rs"),
    ],
)
def test_how_it_is_read(said: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(said)] == [(form, target)]


def test_a_command_line_in_backticks_is_no_message_and_a_program_may_name_itself_before_one() -> None:
    for said in ("what does `flask --debug run` do?", "why do I get `npm run -s test`?"):
        assert pasted(said, read_questions(said)) is None
    said = "[fd error]: The pattern 'src/main' has a separator."
    assert pasted(said, read_questions(said)) == Pasted("The pattern 'src/main' has a separator.", sure=True)


def test_what_stands_in_a_file_that_is_called_so_is_one() -> None:
    def result(name: str, file: str) -> dict[str, Any]:
        return {"qualified_name": name, "type": "constant", "file": file, "line": 1}

    [question] = read_questions("which signals are there?")
    results = [result("test_signal", "tests/test_signals.py"), result("started", "shop/signals.py")]
    assert named_by_word(question, {"results": results}, {})[1:] == ["- `started` - shop/signals.py:1 (constant)"]


def test_what_all_paths_have_tells_nothing_of_a_result() -> None:
    def result(name: str) -> dict[str, Any]:
        return {"qualified_name": name, "type": "function", "file": f"src/shop/{name}.py", "line": 1}

    results = [result("limit_form"), *(result(f"part{number}") for number in range(11))]
    assert judged(("shop", "rate", "limiting"), results).good == ()
    assert judged(("rate", "limiting", "form"), results).good == (results[0],)
    assert judged(("shop",), results).good  # where it is all that is asked for
