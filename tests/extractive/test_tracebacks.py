"""A traceback that comes with a question: the definitions that its frames are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.given_text import Places, mentions_of, split_given
from tests.extractive.asking import ask
from tests.tools.conftest import write_files

pytestmark = pytest.mark.anyio

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/bank/report.py", line 5, in monthly_report
    account.deposit(1)
  File "bank/account.py", line 6, in deposit
    check_amount(amount)
  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode
ValueError: 1
"""


def test_the_frames_of_a_traceback() -> None:
    assert split_given(f"Why?\n{TRACEBACK}") == ("Why?", TRACEBACK.strip("\n"))
    read = mentions_of(TRACEBACK)
    assert (read.sort, list(read.files)) == (
        "traceback",
        ["/srv/app/bank/report.py", "bank/account.py", "/usr/lib/python3.11/json/decoder.py"],
    )
    node = mentions_of(
        "Error: no\n    at ShoppingBasket.addItem (/app/web/index.ts:2:31)\n    at run (node:internal:1)"
    )
    places = Places({2}, frames={2: "ShoppingBasket.addItem"})
    assert (node.sort, node.files) == ("traceback", {"/app/web/index.ts": places})


@pytest.mark.parametrize(
    ("frame", "file", "frames"),
    [
        ('  File "a.py", line 4, in run', "a.py", {4: "run"}),
        ('  File "a.py", line 4, in <module>', "a.py", {}),
        ("    at async Shop.open (/app/shop.ts:4:12)", "/app/shop.ts", {4: "Shop.open"}),
        ("    at new Shop (/app/shop.ts:4:12)", "/app/shop.ts", {4: "Shop"}),
        ("    at Object.<anonymous> (/app/shop.ts:4:12)", "/app/shop.ts", {}),
        ("    at /app/shop.ts:4:12", "/app/shop.ts", {}),
        ("\tat org.bank.Vault.open(Vault.java:4)", "Vault.java", {4: "org.bank.Vault.open"}),
        ("\tat org.bank.Vault$Door.<init>(Vault.java:4)", "Vault.java", {4: "org.bank.Vault.Door"}),
        ("\tfrom app/shop.rb:4:in `block in open'", "app/shop.rb", {4: "open"}),
        ("app/shop.rb:4:in 'Shop#open'", "app/shop.rb", {4: "Shop.open"}),
    ],
)
def test_what_a_frame_is_in(frame: str, file: str, frames: dict[int, str]) -> None:
    assert mentions_of(f"Error: no\n{frame}\n").files == {file: Places({4}, frames=frames)}


async def test_lines_in_no_definition_are_told(agent: AsyncConversationAgent) -> None:
    trace = """Error: no
    at Object.<anonymous> (web/index.ts:9:3)
    at ShoppingBasket.addItem (web/index.ts:2:30)
"""
    lines = await ask(agent, f"what is wrong?\n\n```\n{trace}```")
    assert lines[:4] == [
        "The traceback goes through 1 definition of this project:",
        "- `ShoppingBasket.addItem` - web/index.ts:2 (method), line 2",
        "Outside of definitions, or in functions without a name:",
        "- web/index.ts, line 9",
    ]
    file = "bank/report.py"
    diff = f"diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-x\n+y\n"
    lines = await ask(agent, f"what does this diff touch?\n\n```\n{diff}```")
    assert lines[:3] == [
        "The diff touches no definition of this project.",
        "Outside of definitions, or in functions without a name:",
        "- bank/report.py, line 1",
    ]


async def test_the_frames_of_a_traceback_are_listed(agent: AsyncConversationAgent) -> None:
    lines = await ask(agent, f"why does this fail?\n\n{TRACEBACK}")
    assert lines[:4] == [
        "The traceback goes through 2 definitions of this project:",
        "- `monthly_report` - bank/report.py:4 (function), line 5",
        "- `Account.deposit` - bank/account.py:4 (method), line 6",
        "No definitions are known here of `/usr/lib/python3.11/json/decoder.py`.",
    ]


async def test_a_frame_of_code_that_has_moved_is_found_by_its_name(agent: AsyncConversationAgent) -> None:
    trace = 'Traceback (most recent call last):\n  File "bank/account.py", line {}, in {}\n    x()\n'
    moved = await ask(agent, f"why?\n\n{trace.format(9, 'deposit')}")
    assert moved[1] == "- `Account.deposit` - bank/account.py:4 (method), line 9 in the traceback"
    gone = await ask(agent, f"why?\n\n{trace.format(9, 'gone')}")
    assert gone[1] == "- `Account.withdraw` - bank/account.py:8 (method), line 9"
    java = await ask(agent, "why?\n\nError\n    at ShoppingBasket.checkLimit (/app/web/index.ts:2:31)\n")
    assert java[1] == "- `ShoppingBasket.checkLimit` - web/index.ts:3 (method), line 2 in the traceback"


GO = """panic: no route

goroutine 1 [running]:
example.com/bank.(*Router).Match(0xc000012345, {0x1, 0x2})
\t/go/pkg/mod/example.com/project@v1.8.1/router.go:90 +0x1d
example.com/bank.walk[...](...)
\t/home/ci/project/router.go:91
created by main.run.func1.2 in goroutine 7
\t/app/main.go:9 +0x2
"""


def test_what_a_frame_of_go_is_in() -> None:
    read = mentions_of(GO)
    assert read.sort == "traceback"
    assert read.files == {
        "/go/pkg/mod/example.com/project@v1.8.1/router.go": Places({90}, frames={90: "bank.Router.Match"}),
        "/home/ci/project/router.go": Places({91}, frames={91: "bank.walk"}),
        "/app/main.go": Places({9}, frames={9: "main.run"}),
    }
    assert split_given(f"why?\n{GO}") == ("why?", GO.strip("\n"))


async def test_frames_of_an_installed_copy_and_of_another_machine_are_found(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    write_files(
        tmp_path / "project",
        {
            "src/shop/cart.py": "class Cart:\n    def add(self):\n        raise KeyError\n",
            "router.go": "package bank\n\ntype Router struct{}\n\nfunc (r *Router) Match() {}\n\nfunc walk() {}\n",
        },
    )
    await agent.ingest(tmp_path / "project")
    python = 'why?\n\n  File "/x/lib/python3.11/site-packages/shop/cart.py", line 5, in {}\n    x()\n'
    lines = await ask(agent, python.format("add"))
    assert lines[1:3] == ["- `Cart.add` - src/shop/cart.py:2 (method), line 5 in the traceback", ""]
    # Another package's file may end like one of the project's: it does not have its functions.
    other = await ask(agent, python.format("discard"))
    assert other[:2] == [
        "Nothing found in this project of what the traceback names.",
        "No definitions are known here of `/x/lib/python3.11/site-packages/shop/cart.py`.",
    ]
    lines = await ask(agent, f"why?\n\n{GO}")
    assert lines[:4] == [
        "The traceback goes through 2 definitions of this project:",
        "- `Router.Match` - router.go:5 (method), line 90 in the traceback",
        "- `walk` - router.go:7 (function), line 91 in the traceback",
        "No definitions are known here of `/app/main.go`.",
    ]


async def test_a_frame_of_a_file_at_the_root_is_found_by_its_whole_path(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    (tmp_path / "project" / "run.py").write_text("def main() -> None:\n    raise SystemExit\n")
    await agent.ingest(tmp_path / "project")
    lines = await ask(agent, f'why?\n\n  File "{tmp_path}/project/run.py", line 2, in main\n')
    assert lines[1] == "- `main` - run.py:1 (function), line 2"
    elsewhere = await ask(agent, 'why?\n\n  File "/elsewhere/run.py", line 2, in main\n')
    assert elsewhere[0] == "Nothing found in this project of what the traceback names."
