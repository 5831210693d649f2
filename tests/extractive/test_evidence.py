"""Where a thing is raised, imported and tested, what it overrides, and what a folder has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.targets import Target, read_target
from ragforge_memory.llm.extractive.code import evidence
from ragforge_memory.llm.extractive.code.evidence import importing, raising
from ragforge_memory.llm.extractive.code.import_lines import import_pattern, imports_it
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from tests.extractive.asking import ECHO, answer_to, ask, requests_for, user
from tests.extractive.asking import found as known

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("where is Account tested?", "tests", "Account"),
        ("which tests cover Account.deposit?", "tests", "Account.deposit"),
        ("are there tests for Account?", "tests", "Account"),
        ("is Account tested?", "tests", "Account"),
        ("how is Account tested?", "tests", "Account"),
        ("where is bank.account imported?", "imports", "bank.account"),
        ("which modules import bank.account?", "imports", "bank.account"),
        ("which methods does Vault override?", "overrides", "Vault"),
        ("what does Vault.open override?", "overrides", "Vault.open"),
        ("who overrides Safe.open?", "overridden", "Safe.open"),
        ("which methods override Safe.open?", "overridden", "Safe.open"),
        ("where is Safe.open overridden?", "overridden", "Safe.open"),
        ("is Safe.open overridden anywhere?", "overridden", "Safe.open"),
        ("show the overrides of Safe.open", "overridden", "Safe.open"),
        ("overrides of Vault", "overrides", "Vault"),
        ("what files are in src/bank?", "outline", "src/bank"),
        ("list the files in src/bank/", "outline", "src/bank/"),
        ("what is in the bank folder?", "outline", "bank"),
        ("which modules are in the bank package?", "outline", "bank"),
    ],
)
def test_forms_and_targets(text: str, form: str, target: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == (form, target)


def test_calls_of_what_nobody_knows_are_told_apart() -> None:
    def use(name: str, line: int) -> dict[str, object]:
        return {"file": "tests/test_bank.py", "qualified_name": name, "lines": [line]}

    scope = {"qualified_name": "Vault.open", "file": "bank.py", "line": 3, "callers": [use("test_vault", 5)]}
    scope["possible"] = [use("test_vault", 6), use("test_door", 9), {**use("door", 1), "file": "bank.py"}]
    value = {"match": "exact", "total": 1, "scopes": [scope]}
    assert evidence.tested("Vault.open", [Found(Call("find_callers", ()), value)]) == [
        "`Vault.open` (bank.py, line 3) is used by 1 scope of tests:",
        "- `test_vault` - tests/test_bank.py:5",
        "",
        "`Vault.open` (bank.py, line 3) is perhaps used by 1 scope of tests, on something whose type is not known:",
        "- `test_door` - tests/test_bank.py:9",
    ]


def test_a_test_beside_the_code_is_one() -> None:
    def use(name: str, **of: bool) -> dict[str, object]:
        return {"file": "src/bank.rs", "qualified_name": name, "lines": [5], **of}

    callers = [use("pay"), use("pays", test=True), use("account", test_only=True)]
    scope = {"qualified_name": "Vault.open", "file": "src/bank.rs", "line": 3, "callers": callers}
    value = {"match": "exact", "total": 1, "scopes": [scope]}
    assert evidence.tested("Vault.open", [Found(Call("find_callers", ()), value)]) == [
        "`Vault.open` (src/bank.rs, line 3) is used by 2 scopes of tests:",
        "- `account` - src/bank.rs:5",
        "- `pays` - src/bank.rs:5",
    ]


def test_a_field_is_not_the_test_that_has_its_name() -> None:
    scope = {"qualified_name": "test_before_run", "file": "tests/test_cli.py", "line": 3}
    line = {"file": "tests/test_cli.py", "line": 4, "text": "Command(before_run=print)"}
    found = [
        Found(Call("find_callers", ()), {"match": "partial", "total": 1, "scopes": [scope]}),
        Found(Call("grep_code", ()), {"matches": [line]}),
    ]
    assert evidence.tested("before_run", found) == [
        "No test calls `before_run` directly, but these lines of tests name it:",
        "- tests/test_cli.py:4 `Command(before_run=print)`",
    ]


def test_an_example_is_no_test() -> None:
    use = {"file": "examples/bank.py", "qualified_name": "show", "lines": [5]}
    scope = {"qualified_name": "Vault.open", "file": "bank.py", "line": 3, "callers": [use]}
    found = [
        Found(Call("find_callers", ()), {"match": "exact", "total": 1, "scopes": [scope]}),
        Found(Call("grep_code", ()), {"matches": [{"file": "examples/latest.py", "line": 5, "text": "open()"}]}),
    ]
    assert evidence.tested("Vault.open", found) == ["`Vault.open` (bank.py, line 3): no test names it."]


def test_two_things_compared_are_two_questions() -> None:
    for text in ("what is the difference between Safe and Vault?", "compare Safe with Vault", "Safe vs. Vault"):
        assert [(each.form, each.target.text) for each in read_questions(text)] == [("what", "Safe"), ("what", "Vault")]
    assert [each.form for each in read_questions("what is the difference between speed and safety?")] == ["search"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import app.tools.text", True),
        ("import os, app.tools.text", True),
        ("from app.tools import text", True),
        ("from app.tools import html, text as t", True),
        ("from .tools import text", True),
        ("from . import text", True),
        ("from app.tools.text import fold", True),
        ("from .text import fold", True),
        ("from .tools.text import fold", True),
        ("from .other.text import fold", False),
        ("from app.tools import texts", False),
        ("print(app.tools.text)", False),
    ],
)
def test_lines_that_import_a_module(line: str, found: bool) -> None:
    pattern = str(dict(importing(read_target("app.tools.text")).arguments)["pattern"])
    assert bool(re.search(pattern, line)) is found


@pytest.mark.parametrize(
    ("asked", "line", "found"),
    [
        ("java.sql", "import java.sql.Time;", True),
        ("java.sql", "import static java.sql.Types.NULL;", True),
        ("java.sql", "    requires java.sql;", True),
        ("java.sql", "import java.util.List;", False),
        ("utils.csv", "from utils import csv", True),
        ("utils.csv", "from utils import rows", False),
        ("icons/cart.svg", "import Cart from './cart.svg'", True),
        ("config.json", 'import config from "./config.json";', True),
        ("config.json", 'import config from "./config.ts";', False),
    ],
)
def test_a_name_that_ends_like_a_file_of_data_is_looked_for_as_a_whole(asked: str, line: str, found: bool) -> None:
    pattern = str(dict(importing(read_target(asked)).arguments)["pattern"])
    assert bool(re.search(pattern, line)) is found


@pytest.mark.parametrize(
    ("asked", "file", "line", "found"),
    [
        ("./links/types", "client/src/links.ts", "export * from './links/types';", True),
        ("./links/types", "client/src/links/http.ts", "} from './types';", True),
        ("./links/types", "client/src/links/ws/ws.ts", "import type { Link } from '../types';", True),
        ("./links/types", "client/src/fetch.ts", "import { Fetch } from './internals/types';", False),
        ("./links/types", "client/src/links/ws/ws.ts", "import type { Link } from './types';", False),
        ("./links/types", "web/page.ts", "import type { Link } from 'client/links/types';", True),
        ("client/src/links/types.ts", "client/src/links/http.ts", "import { Link } from './types.js';", True),
        ("./links/types", "web/page.ts", "import { types } from './links/shapes';", False),
        ("../utils", "web/a/page.ts", "import { fold } from '../utils.js';", True),
        ("../utils", "web/a/page.ts", "import { fold } from './utils';", False),
        ("../utils", "web/a/page.ts", "import { fold } from 'next/utils';", False),
        ("bank/links/index.ts", "bank/page.ts", "import { http } from './links';", True),
        ("bank/links/index.ts", "bank/page.ts", "links,", False),
        ("bank/account.py", "bank/report.py", "from .account import Account", True),
        ("bank/account.py", "bank/report.py", "from . import safe, account", True),
        ("bank/account.py", "shop/report.py", "from .account import Account", False),
        ("bank/account.py", "run.py", "from bank.account import Account", True),
        ("bank/account.py", "run.py", "import shop.account", False),
        ("bank/Account.java", "Run.java", "import org.bank.Account;", True),
        ("bank/Account.java", "Run.java", "import org.shop.Account;", False),
        ("src/main/java/org/bank/Account.java", "Run.java", "import org.bank.Account;", True),
        ("src/main/java/org/bank/Account.java", "Run.java", "import static org.bank.Account.open;", True),
        ("src/main/java/org/bank/Account.java", "Run.java", "import org.shop.Account;", False),
        ("src/bank/account.rs", "src/run.rs", "use crate::bank::account::Account;", True),
        ("src/bank/account.py", "run.py", "import account", False),
    ],
)
def test_a_path_is_imported_by_what_means_it(asked: str, file: str, line: str, found: bool) -> None:
    target = read_target(asked)
    told = bool(re.search(import_pattern(target), line)) and imports_it(target, file, line)
    assert told is found


async def test_what_a_file_imports_is_told_by_file() -> None:
    def entry(line: int, module: str, *to: str) -> dict[str, object]:
        return {"file": "src/a.py", "line": line, "text": f"import {module}", "modules": [module], "to": list(to)}

    imports = [entry(1, "os"), entry(2, "b", "src/b.py"), entry(3, "b.x", "src/b.py"), entry(5, "c", "src/c.py")]
    value = {"file": "src/a.py", "imports": imports, "importers": [], "totals": {"imports": 4}, "late": False}
    for asked in ("what does src/a.py import?", "imports of src/a.py", "which modules does src/a.py use?"):
        assert await requests_for(user(asked)) == [("find_imports", {"target": "src/a.py"})]
        assert (await answer_to(asked, {"find_imports": value})).splitlines() == [
            "`src/a.py` imports from this project in 3 lines:",
            "- src/b.py - lines 2, 3",
            "- src/c.py - line 5 `import c`",
            "Of other packages it imports `os`.",
        ]
    late = await answer_to("what does a.py import?", {"find_imports": {**value, "imports": imports[:1], "late": True}})
    assert late.splitlines()[-1] == "There was no time to look at all files: some of these may be of this project."
    away = {**value, "imports": [], "late": True}
    answer = await answer_to("who imports src/a.py?", {"grep_code": {"matches": []}, "find_imports": away})
    assert answer.splitlines()[-1] == "There was no time to look at all files: others may import it too."


async def test_what_a_change_of_a_file_may_break_is_what_imports_it_and_what_was_decided_about_it() -> None:
    asked = dict(await requests_for(user("what would break if I change src/a.py?")))
    assert asked["find_imports"] == {"target": "src/a.py"}
    assert asked["list_decisions"]["about"] == "src/a.py"


async def test_lines_that_import_over_several_lines_are_told_with_the_others() -> None:
    def line(file: str, number: int, text: str) -> dict[str, object]:
        return {"file": file, "line": number, "text": text}

    grep = {"matches": [line("src/a.rs", 1, "use globs::Set;"), line("README.md", 9, "use globs::Set;")]}
    followed = [line("src/a.rs", 1, "use globs::Set;"), line("src/b.rs", 4, "globs::{One, Set},")]
    value = {"file": "", "imports": [], "importers": followed, "totals": {"imports": 0}, "late": False}
    answer = await answer_to("where is Set imported?", {"grep_code": grep, "find_imports": value})
    assert answer.splitlines()[:3] == [
        "`Set` is imported in 2 lines:",
        "- src/a.rs:1 `use globs::Set;`",
        "- src/b.rs:4 `globs::{One, Set},`",
    ]


def test_texts_are_no_code_that_imports_and_a_search_that_was_cut_off_has_no_total() -> None:
    def line(file: str, text: str = "import zod from 'zod';") -> dict[str, object]:
        return {"file": file, "line": 1, "text": text}

    lines = [line("docs/use.md"), line("ci.yml", "- from: zod, import 'zod'"), line("web/page.ts")]
    value = {"matches": lines, "more": True}
    assert evidence.imported("zod", read_target("zod"), [Found(Call("grep_code", ()), value)]) == [
        "`zod` is imported in at least 1 line:",
        "- web/page.ts:1 `import zod from 'zod';`",
        "Texts that are no code have such a line in at least 2 lines:",
        "- docs/use.md:1 `import zod from 'zod';`",
        "- ci.yml:1 `- from: zod, import 'zod'`",
    ]


@pytest.mark.parametrize(
    ("line", "raises"),
    [
        ("        raise errors.Locked(self)", True),
        ("    return found ?? throw new Locked();", True),
        ("if (!open) throw new Locked(this);", True),
        ("  find(id) or raise Locked, id", True),
        ("    throw new \\Locked('x');", True),
        ("    throw new \\Bank\\Errors\\Locked;", True),
        ("raise t.cast(Locked, last_error)", True),
        ("raise make(1) if late else Locked(2)", True),
        ("raise(Locked, 'now') unless open", True),
        ("raise Other(1) from Locked", False),
        ("raise Other unless Locked.open?", False),
        ("if (x) { throw new Other() } else { new Locked() }", False),
        ("throw other; new Locked();", False),
        ('    pytest.fail("Expected redirect to raise Locked but it did not")', False),
        ("# whoever asks may raise Locked", False),
    ],
)
def test_a_text_that_speaks_of_raising_raises_nothing(line: str, raises: bool) -> None:
    pattern = str(dict(raising(Target("name", "Locked")).arguments)["pattern"])
    assert bool(re.search(pattern, line)) is raises


async def test_an_answer_says_what_it_does_not_know_of_raising() -> None:
    line = {"file": "a.py", "line": 3, "text": "raise Locked(1)"}
    results = {"find_callers": known(ECHO), "grep_code": {"matches": [line], "more": False}}
    unnamed = "What is raised without its name (`raise error`, `throw make()`) may be more of it."
    assert (await answer_to("where is Talk.echo raised?", results)).splitlines() == [
        "`Talk.echo` (src/talk.py, line 12) is raised in 1 line:",
        "- a.py:3 `raise Locked(1)`",
        unnamed,
    ]
    results["grep_code"] = {"matches": [], "more": False}
    assert (await answer_to("where is Talk.echo raised?", results)).splitlines() == [
        "`Talk.echo` (src/talk.py, line 12): no line of this project raises it by its name.",
        unnamed,
    ]
    assert unnamed not in await answer_to("who catches Talk.echo?", results)


@pytest.mark.parametrize("name", ["\\Locked", "`\\Locked`", "\\Bank\\Locked"])
def test_a_name_may_begin_with_the_outermost_namespace(name: str) -> None:
    asked = read_questions(f"who throws {name}?")[0]
    assert (asked.form, asked.target.kind, asked.target.member) == ("raises", "name", "Locked")


async def test_what_lines_prove(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    folder = await ask("what files are in the bank folder?")
    assert folder.startswith("`bank` contains 5 source files:\n- bank/account.py: `Account`, `check_amount`")
    assert (await ask("list the files in web/")) == "`web` contains 1 source file:\n- web/index.ts: `ShoppingBasket`"
    tests = await ask("where is check_amount tested?")
    assert tests.endswith("is used by 1 scope of tests:\n- `test_amounts` - tests/test_account.py:5, 6")
    untested = await ask("which tests cover monthly_report?")
    assert untested == "`monthly_report` (bank/report.py, line 4): no test names it."
    assert "- bank/report.py:1 `from bank.account import Account`" in await ask("where is bank.account imported?")
    assert "- bank/safe.py:8 `raise SafeLocked(self)`" in (await ask("who raises SafeLocked?")).replace(
        "`Safe.open` - ", ""
    )
    assert "- `Vault.open` - bank/vault.py:14 (there in line 7)" in await ask("which methods does Vault override?")
    one = await ask("what does Vault.open override?")
    assert one.endswith(
        "overrides 1 method of `Safe` (bank/safe.py, line 4):\n- `Vault.open` - bank/vault.py:14 (there in line 7)"
    )
    assert (await ask("who overrides Safe.open?")).splitlines() == [
        "`Safe.open` (bank/safe.py, line 7) is overridden by 1 definition:",
        "- `Vault.open` - bank/vault.py:14",
    ]
    last = await ask("is Vault.open overridden?")
    assert last == "`Vault.open` (bank/vault.py, line 14): nothing that inherits from its type overrides it."
    assert "`Vault` - bank/vault.py:4" in await ask("who overrides Safe?")
    both = await ask("what is the difference between Safe and Vault?")
    assert "`Safe` - bank/safe.py:4" in both
    assert "`Vault` - bank/vault.py:4" in both
    used = await ask("where is functools.partial used?")
    assert used.startswith("`functools.partial` is not defined in this project; it stands in these 2 lines:")
    assert "- tests/test_account.py:6 `partial(check_amount, 1)()`" in used


def test_tests_that_are_called_as_what_they_test_come_first() -> None:
    uses = [{"file": f"test/{name}.js", "lines": [3], "qualified_name": ""} for name in ("app", "res", "res.send")]
    scope = {"file": "lib/response.js", "qualified_name": "res.send", "line": 9, "callers": uses}
    found = [Found(Call("find_callers", ()), {"scopes": [scope]})]
    assert [line for line in evidence.tested("res.send", found) if line.startswith("- ")] == [
        "- test/res.send.js:3",
        "- test/app.js:3",
        "- test/res.js:3",
    ]


async def test_an_import_over_several_lines_is_one() -> None:
    def line(file: str, number: int, text: str) -> dict[str, object]:
        return {"file": file, "line": number, "text": text}

    followed = [{"file": "src/react.ts", "line": 3, "end_line": 6, "text": "import type {"}]
    grep = {"matches": [line("src/react.ts", 5, "Store,"), line("src/other.ts", 9, "Store,")]}
    value = {"file": "", "imports": [], "importers": followed, "totals": {"imports": 0}, "late": False}
    assert (await answer_to("where is Store imported?", {"grep_code": grep, "find_imports": value})).splitlines() == [
        "`Store` is imported in 1 line:",
        "- src/react.ts:3 `import type {`",
        "It stands alone in 1 line, as in an import over several lines:",
        "- src/other.ts:9 `Store,`",
    ]


async def test_what_stands_in_the_text_in_its_letters_is_nearer_than_another_spelling(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    (root / "rack.rb").write_text("def env\n  ENV['HOME']\nend\n\n# DEPOSIT is no variable here\nenv\n")
    await agent.ingest(root)
    assert await ask(agent, "where is ENV used?") == [
        "`ENV` is not defined in this project; it stands in this line:",
        "- rack.rb:2 `ENV['HOME']`",
        "",
        "Nothing is defined as `ENV` in these letters; in others `env` is.",
    ]
    # What a comment says is no use.
    assert (await ask(agent, "where is DEPOSIT used?"))[0].startswith("`Account.deposit` (bank/account.py, line 4)")
