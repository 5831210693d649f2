"""Streamed Markdown: the blocks do not depend on how the text was cut, and read as the whole text reads."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragforge_memory.cli.blocks import Block, BlockSplitter
from ragforge_memory.cli.markdown import MarkdownPrinter, lay_out
from ragforge_memory.cli.terminal import Terminal

ANSWER = """# Heading
The function `login` is in
`auth.py:12`.
- tight one
- tight two
  goes on

  second paragraph of two
- three
  ```python
  if x:

      y = 1
  ```

1. first
1. second
   - nested
lazy line

| name | where |
|------|-------|
| `a`  | x:1   |

~~~
```
not a fence
~~~
Setext
------
> quoted
> again

***
10) ten
11) eleven
"""

# A busy machine is not a finding.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIECES = st.sampled_from(
    [
        "word ", "`code` ", "\n", "\n\n", "# ", "- ", "* ", "1. ", "2) ", "> ", "```\n", "```py\n", "~~~\n",
        "    ", "  ", "| a | b |\n|---|---|\n", "---\n", "===\n", "***\n", "\t", "\r\n", "**b** ", "9. ", "…",
    ]
)  # fmt: skip


def blocks_of(pieces: list[str]) -> list[Block]:
    splitter = BlockSplitter()
    blocks = [block for piece in pieces for block in splitter.feed(piece)]
    return blocks + splitter.finish()


def shape(markdown: str) -> list[tuple[str, str]]:
    """The kinds and texts of all blocks, with neighbouring lists of one kind joined and list tightness left out."""
    tokens = [
        (token.type, token.tag if token.type != "ordered_list_open" else "ol", token.content.strip())
        for token in MarkdownIt("commonmark").enable("table").parse(markdown)
        if token.type not in ("paragraph_open", "paragraph_close")
    ]
    return [(kind, content) for kind, _, content in tokens if kind not in _LIST_ENDS]


_LIST_ENDS = ("bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close")


@UNTIMED
@given(st.lists(PIECES, max_size=40), st.data())
def test_any_split_gives_the_same_blocks(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert blocks_of(parts) == blocks_of([text])


@UNTIMED
@given(st.lists(PIECES, max_size=40))
def test_no_word_is_lost_or_moved(pieces: list[str]) -> None:
    text = "".join(pieces)
    printed = "\n".join(block.text for block in blocks_of([text]))

    def without_numbers(markdown: str) -> list[str]:
        return re.sub(r"\d+(?=[.)])", "0", markdown).split()

    assert without_numbers(printed) == without_numbers(text)


def test_a_real_answer_reads_in_blocks_as_it_reads_whole() -> None:
    blocks = blocks_of([ANSWER])
    parts = [part for block in blocks for part in shape(block.text)]
    assert parts == shape(ANSWER)


def test_fences_stay_whole_and_items_come_one_by_one() -> None:
    texts = [block.text for block in blocks_of([ANSWER])]
    assert "~~~\n```\nnot a fence\n~~~" in texts
    assert "- tight one" in texts
    assert "2. second\n   - nested\nlazy line" in texts  # counted on, though the source says 1. twice
    assert [block.gap for block in blocks_of(["- a\n- b\n\n- c\n\ntext"])] == [False, False, True, True]


def test_a_block_is_printed_before_the_next_begins() -> None:
    splitter = BlockSplitter()
    assert splitter.feed("one\ntwo\n") == []
    assert splitter.feed("\n") == [Block("one\ntwo", gap=False)]
    assert splitter.feed("```\ncode\n\n") == []
    assert splitter.feed("```\n") == [Block("```\ncode\n\n```", gap=True)]
    assert splitter.feed("- a\n- b") == []
    assert splitter.feed("\n") == [Block("- a", gap=True)]


def test_numbers_written_longer_than_the_source_move_what_belongs_to_them() -> None:
    source = "".join(f"1. item {n}\n   more\n" for n in range(11))
    assert blocks_of([source])[-1].text == "11. item 10\n    more"


@pytest.mark.parametrize("width", [20, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for block in blocks_of([ANSWER + "\n" + "x" * 300 + "\n"]):
        for line in lay_out(block.text, width=width, color=False).splitlines():
            assert len(line) <= width


def test_a_narrow_table_loses_nothing() -> None:
    table = "| who | where |\n|---|---|\n| `_build_redirect_request` | httpx/_client.py:468 |"
    folded = "".join(lay_out(table, width=24, color=False).split())
    assert "…" not in folded
    assert set("_build_redirect_request468") <= set(folded)


def test_without_colour_there_is_no_escape_and_no_padding() -> None:
    text = "".join(lay_out(block.text, width=60, color=False) for block in blocks_of([ANSWER]))
    assert "\x1b" not in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    colored = "".join(lay_out(block.text, width=60, color=True) for block in blocks_of([ANSWER]))
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text


def test_a_pipe_gets_the_text_as_it_came() -> None:
    printer = MarkdownPrinter(Terminal(rendered=False, progress=False, color=False))
    assert printer.feed("# He") + printer.feed("ad\n- a") + printer.finish() == ["# He", "ad\n- a", "\n"]
    assert printer.feed("done\n") + printer.finish() == ["done\n"]


def test_underscores_of_names_stay() -> None:
    text = "`A` - app/__init__.py:3 and __main__.py, _private_; **bold** and *slanted*"
    assert lay_out(text, width=100, color=False) == (
        "A - app/__init__.py:3 and __main__.py, _private_; bold and slanted\n"
    )
