"""`ragforge knowledge`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine
from tests.knowledge.files import pdf


def test_documents_are_read_found_listed_and_removed(ragforge: CommandLine) -> None:
    empty = ragforge.run("knowledge", "list")
    assert (empty.returncode, empty.stdout) == (0, "")
    assert "ragforge knowledge ingest PATH reads some in" in empty.stderr
    docs = ragforge.project / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text("# Returns\n\nRefunds are paid within fourteen days.")
    (docs / "broken.pdf").write_bytes(b"%PDF")
    (docs / "terms.pdf").write_bytes(pdf(["The warranty lasts three years."], title="Terms"))
    first = ragforge.ok("knowledge", "ingest", "docs", "--shared").splitlines()
    assert first[0] == "2 documents: 2 added, 0 updated, 0 unchanged, 0 removed"
    assert first[1].startswith("skipped docs/broken.pdf: a broken PDF")
    assert first[2].startswith("2 chunks, ")
    assert ragforge.json("knowledge", "ingest", "docs", "--shared", "--json")["unchanged"] == 2

    listed = ragforge.ok("knowledge", "list").splitlines()
    assert [line.split("  ", 1)[1] for line in listed] == [
        "docs/returns.md  Returns (markdown, 1 chunk, shared)",
        "docs/terms.pdf  Terms (pdf, 1 chunk, shared)",
    ]
    assert ragforge.ok("knowledge", "search", "refunds", "-n", "1").splitlines() == [
        "docs/returns.md - Returns, line 3",
        "    Refunds are paid within fourteen days.",
    ]
    hit = ragforge.json("knowledge", "search", "warranty", "--json")[0]
    assert (hit["source"], hit["position"]) == ("docs/terms.pdf", "page 1")
    assert ragforge.ok("knowledge", "remove", "docs/terms.pdf") == "removed 1 document\n"
    assert ragforge.json("knowledge", "remove", "docs", "--json") == {"removed": 1}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("ingest", "nowhere"), "there is no file or folder"),
        (("remove", "nothing.md"), "there is no document 'nothing.md'"),
        (("search", " "), "the query is empty"),
    ],
)
def test_errors_say_what_to_do(ragforge: CommandLine, arguments: tuple[str, ...], problem: str) -> None:
    done = ragforge.run("knowledge", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert problem in done.stderr
