"""What comes with a question (a diff, a report, a log): the definitions that it names."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.given_text import Places, is_about_given, mentions_of, split_given
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.title import condensed
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.extractive.said.history import Subject, subject_of
from ragforge_memory.llm.port import ChatMessage, ModelRequest
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry
from tests.agent.test_references import commit, git
from tests.extractive.asking import ask

pytestmark = pytest.mark.anyio

DIFF = """diff --git a/bank/account.py b/bank/account.py
index 1f7889b..c43f8ed 100644
--- a/bank/account.py
+++ b/bank/account.py
@@ -3,7 +3,7 @@ class Account:

     def deposit(self, amount: int) -> None:
         \"\"\"Puts money in.\"\"\"
-        check(amount)
+        check_amount(amount)

     def withdraw(self, amount: int) -> None:
         \"\"\"Takes money out.\"\"\"
@@ -20,2 +20 @@
 x
--- an old comment in SQL
\\ No newline at end of file
diff --git a/notes.md b/notes.md
--- a/notes.md
+++ b/notes.md
@@ -1 +1 @@
-a
+b
diff --git a/old.py b/old.py
--- a/old.py
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/from.py b/to.py
similarity index 100%
"""


@pytest.mark.parametrize(
    ("text", "question", "given"),
    [
        ("what changes here?\n\n```\na\n\nb\n```", "what changes here?", "a\n\nb"),
        ("why?\n\n````py\n```\nx\n```\n````\nPlease.", "why?\n\n\n\nPlease.", "```\nx\n```"),
        ("an open one\n```\nrest", "an open one", "rest"),
        ("what does ```f()``` do?", "what does ```f()``` do?", ""),
        (f"what changes here?\n\n{DIFF}", "what changes here?", DIFF.strip("\n")),
        (DIFF, "", DIFF.strip("\n")),
        ("--- a line\nand more", "--- a line\nand more", ""),
        ("where is X?\n\nAnd who calls it?", "where is X?\n\nAnd who calls it?", ""),
    ],
)
def test_a_question_and_what_came_with_it(text: str, question: str, given: str) -> None:
    assert split_given(text) == (question, given)


def test_the_lines_of_a_diff() -> None:
    read = mentions_of(DIFF)
    assert read.sort == "diff"
    assert read.files == {
        "bank/account.py": Places({6}, {6, 21}, removed={"check", "amount", "an", "old", "comment", "in", "SQL"}),
        "notes.md": Places({1}, {1}, removed={"a"}),
        "old.py": Places(set(), {1}, removed={"a", "b"}),
        "to.py": Places(was="from.py"),
    }


def test_the_places_and_names_of_a_text() -> None:
    text = mentions_of("see web/index.ts:3 and bank/report.py, check_amount() and Account.deposit; https://a.com:80")
    assert text.sort == "text"
    assert text.files == {"web/index.ts": Places({3}), "bank/report.py": Places()}
    assert text.names == ("check_amount", "Account.deposit")


async def test_what_a_diff_changes_is_listed(agent: AsyncConversationAgent) -> None:
    lines = await ask(agent, f"what changes here?\n\n```\n{DIFF}```")
    assert lines == [
        "The diff touches 1 definition of this project:",
        "- `Account.deposit` - bank/account.py:4 (method), line 6 changed",
        "No definitions are known here of `old.py`, `to.py`, `notes.md`.",
        "",
        "I find the code that a text names; to have the text itself explained takes a model "
        "(`ragforge doctor` says how).",
    ]


async def test_decisions_on_code_that_a_diff_renames_moves_or_deletes_belong_to_it(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    (root / "bank" / "old.py").write_text("def legacy(rows, out):\n    out.extend(rows)\n    return out\n")
    (root / "bank" / "there.py").write_text("def mover(rows):\n    return [row * 77 for row in rows]\n")
    await agent.ingest(root)
    for note in ("`legacy` stays until May", "`mover` is fast", "Account.deposit never logs", "`is_loud` is unused"):
        await ask(agent, f"note: {note}")
    account = root / "bank" / "account.py"
    account.write_text(account.read_text().replace("def deposit", "def put_in"))
    (root / "bank" / "old.py").unlink()
    (root / "bank" / "there.py").rename(root / "bank" / "here.py")
    (root / "bank" / "flags.py").write_text("")
    await agent.ingest(root)
    diff = """diff --git a/bank/account.py b/bank/account.py
--- a/bank/account.py
+++ b/bank/account.py
@@ -4 +4 @@
-    def deposit(self, amount: int) -> None:
+    def put_in(self, amount: int) -> None:
diff --git a/bank/old.py b/bank/old.py
--- a/bank/old.py
+++ /dev/null
@@ -1,3 +0,0 @@
-def legacy(rows, out):
-    out.extend(rows)
-    return out
diff --git a/bank/there.py b/bank/here.py
similarity index 100%
"""
    lines = await ask(agent, f"what did we decide about this?\n\n{diff}")
    begin = next(n for n, line in enumerate(lines) if line.startswith("What was said about"))
    quoted = [line for line in lines[begin:] if line.startswith("  > ")]
    assert sorted(quoted) == [
        "  > note: Account.deposit never logs",
        "  > note: `legacy` stays until May",
        "  > note: `mover` is fast",
    ]
    assert "- `legacy` - bank/old.py, its definition is taken away" in lines
    assert "- `Account.deposit` (bank/account.py): it is called `Account.put_in` now" in lines
    assert "- `legacy` (bank/old.py): it is gone" in lines
    for words in ("this code", "these changes"):
        again = await ask(agent, f"what did we decide about {words}?\n\n{diff}")
        assert [is_about_given(each) for each in read_questions(f"what did we decide about {words}?")] == [True]
        assert {line for line in again if line.startswith("  > ")} == {*quoted}


async def test_what_an_uncommitted_diff_removes_is_listed_with_what_was_decided_about_it(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    git(root, "init", "-q")
    commit(root)
    await ask(agent, "note: `ShoppingBasket.checkLimit` stays")
    basket = root / "web" / "index.ts"
    # No word of the language says that this line begins a definition.
    basket.write_text(basket.read_text().replace("  checkLimit(): boolean { return true; }\n", ""))
    safe = root / "bank" / "safe.py"
    safe.write_text(safe.read_text().replace("class SafeLocked(Exception): ...\n", ""))
    lines = await ask(agent, f"what does this touch?\n\n{git(root, 'diff')}")
    assert lines[0] == "The diff touches 3 definitions of this project:"
    assert "- `SafeLocked` - bank/safe.py (class), removed" in lines
    assert "- `ShoppingBasket.checkLimit` - web/index.ts (method), removed" in lines
    assert "  > note: `ShoppingBasket.checkLimit` stays" in lines


@pytest.mark.parametrize(
    ("rows", "undefined"),
    [
        (("-def gone(a):", "+x = 1"), ["gone"]),
        (("-def same(a):", "+def same(a, b):"), []),
        (("-    def close(self):", "-    def close(self):", "+    def close(self, now):"), ["close"]),
        (("-export default async function load<T>(a) {",), ["load"]),
        (("-func (r *Router) Match(path string) {", "-type Router struct {"), ["Match", "Router"]),
        (("-pub(crate) fn walk<T>(x: T) {", "-  def free?", "-public final class Box extends Any {"),
         ["walk", "free", "Box"]),
        (("-# class of things", "-the function foo returns", "-type of thing", "-return def_x(1)"), []),
    ],
)  # fmt: skip
def test_the_definitions_whose_first_lines_a_diff_takes_away(rows: tuple[str, ...], undefined: list[str]) -> None:
    old, new = (sum(row[0] == sign for row in rows) for sign in "-+")
    diff = "\n".join(("--- a/a.py", "+++ b/a.py", f"@@ -1,{old} +1,{new} @@", *rows))
    assert list((+mentions_of(diff).files["a.py"].undefined).elements()) == undefined


async def test_what_any_text_names_is_listed_and_can_be_asked_about(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    answer = await talk.send_message("explain\n\n```\ncheck_amount() fails in web/index.ts:2, see frobnicate_it\n```")
    assert answer.content.splitlines()[:4] == [
        "The text names 2 definitions of this project:",
        "- `ShoppingBasket.addItem` - web/index.ts:2 (method), line 2",
        "- `check_amount` - bank/account.py:13 (function)",
        "No definitions are known here of `frobnicate_it`.",
    ]
    callers = (await talk.send_message("who calls the second one?")).content
    assert callers.startswith("`check_amount` (bank/account.py, line 13) is called by 3 scopes:")
    nothing = await ask(agent, "summarize this\n\n```\nhello world\n```")
    assert nothing[0] == "Nothing found in this project of what the text names."


REPORT = """=========== short test summary info ===========
FAILED tests/test_account.py::test_amounts - AssertionError: assert some_name == 2
FAILED bank/account.py::Account::deposit[a b::c] - bank.Odd
ERROR tests/test_account.py::TestGone::test_amounts
[gw1] [ 50%] PASSED tests/test_account.py::test_amounts
========= 2 failed, 1 error in 0.02s =========
"""


async def test_the_tests_that_a_report_names_are_listed(agent: AsyncConversationAgent) -> None:
    answers = [
        await ask(agent, f"why do they fail?\n\n```\n{REPORT}```"),
        await ask(agent, REPORT[REPORT.index("FAILED") :]),
    ]
    for lines in answers:
        assert lines[:4] == [
            "The text names 2 definitions of this project:",
            "- `test_amounts` - tests/test_account.py:4 (function)",
            "- `Account.deposit` - bank/account.py:4 (method)",
            "No definitions are known here of `tests/test_account.py::TestGone::test_amounts`.",
        ]
    shouted = await ask(agent, "explain\n\n```\nERROR in check_amount()\n```")
    assert shouted[1:3] == ["- `check_amount` - bank/account.py:13 (function)", ""]


def test_of_many_tests_the_first_are_looked_at() -> None:
    read = mentions_of("".join(f"FAILED tests/test_a.py::test_{number}\n" for number in range(35)))
    assert (len(read.tests), read.more_tests, read.names) == (30, 5, ())
    assert read.tests[1] == ("tests/test_a.py", "test_1")


async def test_a_question_of_its_own_is_answered_too(agent: AsyncConversationAgent) -> None:
    lines = await ask(agent, f"who calls check_amount?\n\n```\n{DIFF}```")
    assert lines[0] == "`check_amount` (bank/account.py, line 13) is called by 3 scopes:"
    assert "The diff touches 1 definition of this project:" in lines


async def test_what_is_asked_of_the_tools_is_bounded() -> None:
    text = "\n".join(f"some_name_{number} in f{number}.py" for number in range(100))
    request = ModelRequest(
        "", (ChatMessage("user", f"explain\n\n```\n{text}\n```"),), ToolRegistry(CODE_SEARCH_TOOLS).specs
    )
    asked = (await complete(ExtractiveProvider(), request)).tool_requests
    assert [each.name for each in asked] == ["outline"] * 15 + ["read_scope"] * 15
    assert json.loads(json.dumps(asked[15].arguments)) == {"name": "some_name_0", "include_source": False}


async def test_the_title_comes_from_the_question(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message(f"what changes here?\n\n```\n{DIFF}```")
    assert (await agent.load_conversation(talk.uuid)).title == "what changes here?"
    assert "diff" not in condensed(f"who calls Account.deposit?\n\n{DIFF}")


def test_it_is_the_first_definition_of_a_list_without_a_head() -> None:
    answer = "The diff changes:\n- `split_prefix` - src/a.py:3 (function)\n\n`UnicodeError` - src/b.py:9 (unknown)"
    assert subject_of(answer) == Subject("split_prefix", "src/a.py")
    callers = "`run` (src/c.py, line 4) is called by 1 scope:\n- `main` - src/a.py:3"
    assert subject_of(callers) == Subject("run", "src/c.py")


def test_many_blank_lines_are_read_at_once() -> None:
    def seconds(length: int) -> float:
        took = []
        for _ in range(3):
            begun = time.thread_time()
            split_given("\n" * length)
            mentions_of("\n" * length)
            took.append(time.thread_time() - begun)
        return min(took)

    # What is squared takes sixteen times as long. A few milliseconds are uneven where the machine is busy.
    assert seconds(12_000) <= max(8 * seconds(3_000), 0.05)
