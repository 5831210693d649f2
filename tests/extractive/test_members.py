"""Members that are no definition: attributes, relations, and words that only sound like a member."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.extractive.code.members import setting
from tests.tools.conftest import write_files

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "line",
    ["rate = 1", "rate: float = 1", "rate: float", "self.rate = 1", "this.rate = 1;", "private int rate = 3;",
     "readonly rate?: number;", "@rate = 1", "static const int rate;", "val rate: Int", "rate []float64",
     "rate func(days int) float64", "rate, fee *big.Rat", "rate Rate `json:\"rate\"` // a year", "var rate float64"],
)  # fmt: skip
def test_lines_that_set_a_name(line: str) -> None:
    assert re.search(setting("rate"), line)


@pytest.mark.parametrize(
    "line",
    ["return rate;", "if rate:", "rate == 1", "use(rate)", "rates = 1", "other.rate = 1", "import rate;", "Rate::of",
     "rate * fee", "rate [1, 2]", "rate string(x)", "rate of it", "// rate int", "return rate Rate"],
)  # fmt: skip
def test_lines_that_only_name_it(line: str) -> None:
    assert not re.search(setting("rate"), line)


def test_a_hierarchy_is_what_it_inherits_from() -> None:
    for text in ("what is the class hierarchy of Vault?", "show me the inheritance tree of Vault"):
        (question,) = read_questions(text)
        assert (question.form, question.target.text) == ("bases", "Vault"), text


def test_plain_words_joined_by_a_preposition_stay_as_they_were_said() -> None:
    (question,) = read_questions("weather in Oslo?")
    assert question.target.loose == "weather in Oslo"
    (question,) = read_questions("the invoke method of Command")
    assert (question.target.loose, question.target.owner, question.target.member) == ("", "Command", "invoke")


async def test_what_is_no_member(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    rate = await ask("what is Vault.rate?")
    assert rate.startswith("`Vault.rate` - bank/vault.py:8 (no definition of its own; it is set here)")
    assert "> `rate: float = 0.5`\n> Interest, a year." in rate
    assert (await ask("what's the type of Vault.owner?")).startswith("`Vault.owner` - bank/vault.py:11")
    assert (await ask("what is Vault.currency?")).startswith("`Vault.currency` - bank/safe.py:5")
    assert "- `Safe` - bank/safe.py:4 (class)" in await ask("what is the parent of Vault?")
    assert "- `Vault` - bank/vault.py:" in await ask("what are the children of Safe?")
    author = await ask("where is the author of Vault?")
    assert author.startswith("`Vault` has no member called `author`; this is what it is:\n\n`Vault` - bank/vault.py:4")
    # Nobody sets it and nothing defines its owner: the lines that name it in full are all there is.
    assert "bank/flags.py:2" in await ask("where is options.verbosity?")
    missing = await ask("where is Vault.frobnicate?")
    assert missing.startswith("Nothing found for `Vault.frobnicate`")
    assert "- `Vault` - bank/vault.py:4 (class)" in missing
    assert await ask("weather in Oslo?") == "Nothing found for `weather in Oslo` in this project."
    assert (await ask("what is sum_limit?")).startswith("`sum_limit` - bank/vault.py:12")


LOCK = '''class Lock:
    def __init__(self):
        self._locked = True

    @property
    def locked(self):
        return self._locked


def turn_key(lock, times: int = 7):
    """Turns a key."""
'''


async def test_what_a_property_reads_is_not_the_property_and_a_parameter_is_one(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    (tmp_path / "project" / "bank" / "lock.py").write_text(LOCK)
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    where = (await talk.send_message("where is self._locked set?")).content
    assert "bank/lock.py:3" in where.splitlines()[0]
    default = (await talk.send_message("what is the default of times in turn_key?")).content
    assert default.startswith("`times` is a parameter of `turn_key`:")
    assert "times: int = 7" in default


async def test_a_parameter_a_setting_or_a_type_of_a_library_is_nearer_than_a_longer_name(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    write_files(
        tmp_path / "project",
        {
            "tests/test_load.py": "def test_load_timeout():\n    assert load(timeout=1) == 2\n",
            "bank/load.py": "def load(timeout=3):\n    return run(timeout=timeout)\n",
            "bank/bc.py": "def bc_version():\n    version = 3\n",
            "setup.cfg.toml": '[project]\nversion = "1.2"\n',
            "Box.java": "class Box implements Appendable {\n  static final Appendable NULL_APPENDABLE = null;\n}\n",
        },
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    used = (await talk.send_message("where is timeout used?")).content
    assert used.startswith("`timeout` is not defined in this project; it stands in these 3 lines:\n- bank/load.py:1 ")
    assert used.endswith("Nothing is called exactly `timeout`; `test_load_timeout` contains it.")
    version = (await talk.send_message("where is the version defined?")).content
    assert version.startswith("`version` - setup.cfg.toml:2 (no definition of its own; it is set here)")
    assert "bc.py:2" not in version
    assert version.endswith("`bc_version` contains it.")
    implementing = (await talk.send_message("who implements Appendable?")).content
    assert "- Box.java:1 `class Box implements Appendable {`" in implementing
    assert implementing.startswith("`Appendable` is not defined in this project;")
    # Where only prose has the word, the longer name is what may be meant.
    (tmp_path / "project" / "notes.md").write_text("The report is monthly.\n")
    assert "`monthly_report` contains it" in (await talk.send_message("where is monthly used?")).content


async def test_a_field_of_go_is_where_its_struct_has_it_and_may_be_called(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    write_files(
        tmp_path / "project",
        {
            "shop/command.go": """package shop

// Command is one.
type Command struct {
	// Aliases are other names.
	Aliases []string
	PreRun  func(args []string)
}

func (c *Command) Execute(args []string) {
	c.PreRun(args)
}
""",
            "shop/command_test.go": """package shop

func TestPreRunOrder(t *testing.T) {}
""",
        },
    )
    await agent.ingest(tmp_path / "project")
    talk = await agent.create_conversation()
    aliases = (await talk.send_message("where is Command.Aliases?")).content
    assert aliases.startswith("`Command.Aliases` - shop/command.go:6 (no definition of its own; it is set here)")
    assert "> Aliases are other names." in aliases
    assert (await talk.send_message("where is PreRun?")).content.startswith("`PreRun` - shop/command.go:7")
    calls = (await talk.send_message("who calls PreRun?")).content
    assert calls.startswith("`PreRun` has no definition of its own; it stands in these 2 lines:")
    assert "shop/command.go:11 `c.PreRun(args)`" in calls
