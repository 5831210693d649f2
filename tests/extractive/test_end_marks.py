"""Names that end with a mark, as Ruby's `save!` and `free?`: the mark is the name's, and not that of a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.text.names import end_mark, reference

RUBY = """class Shelf
  def sort
    sort!
  end

  # Sorts it in place.
  def sort!
    rest if free?
  end

  def free?
    true
  end

  def rest
    sort
  end
end
"""


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("where is sort! defined?", [("where", "sort!")]),
        ("what does sort! do?", [("what", "sort!")]),
        ("where is free? defined?", [("where", "free?")]),
        ("who calls sort!?", [("callers", "sort!")]),
        ("who calls free??", [("callers", "free?")]),
        ("who calls Shelf.sort!?", [("callers", "Shelf.sort!")]),
        ("where is sort! of Shelf?", [("where", "Shelf.sort!")]),
        ("is free? used anywhere?", [("uses", "free?")]),
        ("Shelf#sort!", [("what", "Shelf#sort!")]),
        ("where is sort! and who calls it?", [("where", "sort!"), ("callers", "it")]),
        # Sentences that end.
        ("who calls sort?", [("callers", "sort")]),
        ("thanks! where is sort?", [("where", "sort")]),
        ("it fails! what calls sort?", [("callers", "sort")]),
        ("where is sort? who calls free_up?", [("where", "sort"), ("callers", "free_up")]),
        ("where is sort_all? and what does it do?", [("where", "sort_all"), ("what", "it")]),
        ("where is sort? please", [("where", "sort")]),
        ("what is this!", [("what", "this")]),
    ],
)
def test_a_mark_behind_a_name_ends_no_sentence_that_goes_on(text: str, asked: list[tuple[str, str]]) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == asked


@pytest.mark.parametrize(
    ("text", "name", "mark"),
    [
        ("sort!", "sort", "!"),
        ("`Shelf#free?`", "free", "?"),
        ("sort!(by)", "sort", "!"),
        ("sort!?", "sort", "!"),
        ("sort", "sort", ""),
        ("sort(by!)", "sort", ""),
        ("", "", ""),
    ],
)
def test_the_mark_of_a_name(text: str, name: str, mark: str) -> None:
    assert (reference(text).name, end_mark(text)) == (name, mark)


@pytest.mark.anyio
async def test_a_mark_is_part_of_the_name_where_something_is_called_so(
    agent: AsyncConversationAgent, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    (root / "shelf.rb").write_text(RUBY)
    await agent.ingest(root)

    async def ask(text: str) -> str:
        return (await (await agent.create_conversation()).send_message(text)).content

    assert (await ask("where is sort! defined?")).startswith("`Shelf.sort!` - shelf.rb:7")
    assert "Sorts it in place." in await ask("what does sort! do?")
    assert (await ask("where is free? defined?")).startswith("`Shelf.free?` - shelf.rb:11")
    assert "- `Shelf.sort` - shelf.rb:3" in await ask("who calls sort!?")
    assert "- `Shelf.sort!` - shelf.rb:8" in await ask("who calls free??")
    plain = await ask("who calls sort?")
    assert "- `Shelf.rest` - shelf.rb:16" in plain
    assert "shelf.rb:3" not in plain
    # What has no such name is asked for by the one before the mark.
    unmarked = await ask("where is check_amount! defined?")
    assert unmarked.startswith("`check_amount` - bank/account.py:13")
    assert unmarked.endswith("\n\nNothing is called `check_amount!`, with its mark; this is `check_amount`.")
    assert (await ask("who calls rest!?")).endswith("Nothing is called `rest!`, with its mark; this is `rest`.")
    assert "mark" not in await ask("who calls rest?") + await ask("who calls rest!") + await ask("who calls sort!?")
    assert (await ask("where is lend! defined?")) == "Nothing found for `lend!` in this project."
