"""Each format is read into chunks that know their headings and their place."""

from __future__ import annotations

import json

import pytest

from ragforge_memory.errors import InvalidInput
from ragforge_memory.knowledge import readers
from ragforge_memory.knowledge.chunks import MOST, chunks_of
from ragforge_memory.knowledge.html import read_html_text
from ragforge_memory.knowledge.markdown import read_markdown
from ragforge_memory.knowledge.parts import Unreadable
from ragforge_memory.knowledge.pdf import paragraphs
from ragforge_memory.knowledge.readers import check_installed, format_of, read_document
from tests.knowledge.files import docx, pdf


def read(name: str, data: bytes | str, title: str = "") -> list[tuple[str, str, str]]:
    """The chunks of a document: (heading, position, content)."""
    data = data.encode() if isinstance(data, str) else data
    found = read_document(format_of(name, data), data)
    return [(each.heading, each.position, each.content) for each in chunks_of(found, found.title or title)]


GUIDE = """\
---
title: "Guide"
---
Before all.

# Guide {#top}

Welcome [home](index.md).

## Install

- first
- second

### On `Linux`

```sh
# not a heading
apt install it
```

Last
====

The end.
<!-- nobody
sees this -->
"""


def test_markdown_keeps_headings_lines_and_code() -> None:
    assert read("guide.md", GUIDE) == [
        ("Guide", "line 4", "Before all."),
        ("Guide", "line 8", "Welcome [home](index.md)."),
        ("Guide > Install", "lines 12-13", "- first\n- second"),
        ("Guide > Install > On Linux", "lines 17-20", "```sh\n# not a heading\napt install it\n```"),
        ("Guide > Last", "line 25", "The end."),
    ]


def test_a_line_of_dashes_after_a_list_is_no_heading() -> None:
    assert read("a.md", "- one\n- two\n---\nmore", "A") == [("A", "lines 1-4", "- one\n- two\n---\nmore")]


def test_html_is_its_own_text_alone() -> None:
    page = """<!doctype html><html><head><title>Returns</title><style>p {}</style></head><body>
      <nav>Home</nav><header>Shop</header><main><h1>Returns</h1><p>Send it <b>back</b>.</p>
      <script>track()</script><h2>Costs</h2><table><tr><th>Where</th></tr><tr><td>EU</td></tr></table>
      <pre><code>curl x</code></pre></main><footer>(c)</footer></body></html>"""
    chunks = read("returns.html", page)
    assert chunks == [
        ("Returns", "", "Send it **back**."),
        ("Returns > Costs", "", "| Where |\n| --- |\n| EU |\n\n```\ncurl x\n```"),
    ]
    assert read("unknown", page) == chunks


def test_a_page_without_a_part_of_its_own_is_read_whole() -> None:
    page = "<html><body><article>Small.</article><p>But most of it is said down here.</p></body></html>"
    assert read("a.html", page, "a") == [("a", "", "Small.\n\nBut most of it is said down here.")]


def test_pdf_knows_its_pages() -> None:
    data = pdf(
        ["Refunds are paid within fourteen days after the goods have", "come back to us."],
        ["Second page."],
        title="Terms",
    )
    assert read("terms.pdf", data) == [
        ("Terms", "page 1", "Refunds are paid within fourteen days after the goods have come back to us."),
        ("Terms", "page 2", "Second page."),
    ]
    assert read("terms", data)[1][1] == "page 2"


def test_lines_that_the_layout_broke_are_joined() -> None:
    lines = [
        "A heading",
        "This line goes on to the very end of the col\ufffe",
        "umn and so it is one sen-",
        "tence. It ends.",
    ]
    page = "\r\n".join([*lines, "• one", "• two"])
    assert list(paragraphs(page)) == [
        "A heading",
        "This line goes on to the very end of the column and so it is one sentence. It ends.",
        "• one",
        "• two",
    ]


def test_a_document_of_several_first_headings_has_none_of_them_as_its_title() -> None:
    assert read("a.md", "# One\n\n1\n\n# Two\n\n2", "a") == [("a > One", "line 3", "1"), ("a > Two", "line 7", "2")]


def test_word_documents_have_headings() -> None:
    data = docx((1, "Handbook"), (0, "Hello."), (2, "Holidays"), (0, "Thirty days."))
    assert read("handbook.docx", data) == [
        ("Handbook", "", "Hello."),
        ("Handbook > Holidays", "", "Thirty days."),
    ]


def test_a_flawed_line_costs_that_line_alone() -> None:
    lines = [
        json.dumps({"content": "# Why\n\nBecause.", "title": "Reasons"}),
        "{broken",
        json.dumps({"text": "Plain.", "source": "faq/2"}),
        json.dumps(["a list"]),
        json.dumps({"title": "no text"}),
    ]
    data = "\n".join(lines)
    assert read("faq.jsonl", data, "faq") == [
        ("faq > Reasons > Why", "line 1", "Because."),
        ("faq > faq/2", "line 3", "Plain."),
    ]
    skipped = read_document("jsonl", data.encode()).skipped
    assert [(each.source, each.reason) for each in skipped] == [
        ("line 2", "not JSON"),
        ("line 4", "not an object"),
        ("line 5", "no text under content or text"),
    ]


def test_plain_text_goes_by_paragraphs() -> None:
    assert read("a.txt", "one\r\ntwo\r\n\r\nthree", "a") == [("a", "lines 1-4", "one\ntwo\n\nthree")]
    assert read("a.txt", "é".encode("utf-16"), "a") == [("a", "line 1", "é")]
    assert read("a.txt", "é".encode("cp1252"), "a") == [("a", "line 1", "é")]


def test_chunks_are_short_and_lose_nothing() -> None:
    sentences = [f"Sentence number {number} says what it says." for number in range(200)]
    text = "\n".join(sentences) + "\n\n" + "x" * 3_000
    chunks = read("long.txt", text, "long")
    assert max(len(content) for _, _, content in chunks) <= MOST
    whole = " ".join(" ".join(content for _, _, content in chunks).split())
    assert all(each in whole for each in sentences)
    assert whole.count("x") == 3_000
    assert chunks[0][1] == f"lines 1-{chunks[0][2].count('Sentence')}"
    assert chunks[1][1].startswith(f"lines {chunks[0][2].count('Sentence') + 1}-")


def test_long_code_is_cut_at_its_lines_and_stays_code() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(200))
    chunks = read("a.md", f"# A\n\n```python\n{code}\n```\n")
    assert len(chunks) > 2
    assert all(content.startswith("```python\nline_") and content.endswith("\n```") for _, _, content in chunks)
    assert max(len(content) for _, _, content in chunks) <= MOST
    assert "\n".join(content.removeprefix("```python\n").removesuffix("\n```") for *_, content in chunks) == code


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"nothing", "a broken PDF"),
        ("a.pdf", pdf([]), "only pictures"),
        ("a.docx", b"nothing", "not a Word document"),
        ("a.docx", docx((0, "x"))[:200], "not a Word document"),
        ("a.bin", b"\0\1\2", "format is not known"),
        ("a.txt", b"a\0b", "not text"),
        ("a.jsonl", b"{", "no line of it can be read; line 1: not JSON"),
    ],
)
def test_what_cannot_be_read_says_why(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(name, data)


def test_a_missing_library_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "find_spec", lambda name: None)
    check_installed(["markdown", "text", "jsonl"])
    with pytest.raises(InvalidInput, match="mammoth") as refused:
        check_installed(["docx"])
    assert refused.value.hint == "pip install 'ragforge-memory[knowledge]'"


def test_what_would_take_for_ever_is_read_at_once() -> None:
    """What nothing closes, and a heading of a megabyte, are text."""
    for text in ("<!--" * 200_000, "# a" + " " * 500_000 + "b", "<!-- seen? -->\n" * 2_000):
        assert read_markdown(text.encode()).title == ""


def test_a_page_that_is_nested_too_deeply_is_not_read() -> None:
    with pytest.raises(Unreadable, match="nested"):
        read_html_text("<div>" * 20_000 + "deep" + "</div>" * 20_000)
