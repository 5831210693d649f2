"""What is imported and is here already goes on behind what is stored, in a branch where both part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import InvalidInput
from tests.agent.conftest import MakeAgent
from tests.importers.reading import lines
from tests.importers.test_claude_code import line, result, use
from tests.importers.test_growth import CODEX, taken, whole
from tests.importers.test_writing import long_one
from tests.persistence.conftest import Keeping

pytestmark = pytest.mark.anyio

ASKED = {"role": "user", "content": "What weighs a walrus?"}
ANSWERED = {"role": "assistant", "content": "A tonne."}


async def _texts(agent: Any, uuid: str) -> list[str]:
    return [each.content for each in await (await agent.load_conversation(uuid)).get_history(limit=1000)]


async def test_an_older_copy_changes_nothing(make_agent: MakeAgent) -> None:
    talk = [
        line(1, "user", "Mend it."),
        line(2, "assistant", [use("t1", "Read", file_path="a.py")], after=1, message={"id": "m1"}),
        line(3, "user", [result("t1", "x = 1")], after=2),
        line(4, "assistant", [{"type": "text", "text": "Done."}], after=3, message={"id": "m2"}),
    ]
    async with make_agent() as agent:
        await taken(agent, lines(talk))
        before = await whole(agent)
        for end in (1, 2, 3):
            assert (await taken(agent, lines(talk[:end]))).unchanged == 1
        assert await whole(agent) == before


async def test_where_a_session_without_ids_was_written_anew_it_parts(make_agent: MakeAgent) -> None:
    other = json.loads(lines(CODEX[-1:]).replace("As I said.", "No more."))
    async with make_agent() as agent:
        [first] = (await taken(agent, lines(CODEX))).imported
        report = await taken(agent, lines([*CODEX[:-1], other]))
        assert (report.conversations, report.messages, report.extended) == (1, 1, 0)
        [branch] = report.imported
        assert (await _texts(agent, first))[-1] == "As I said."
        assert await _texts(agent, branch) == [*(await _texts(agent, first))[:-1], "No more."]
        tree = await (await agent.load_conversation(first)).branches()
        assert [each.conversation.uuid for each in tree.branches] == [branch]
        assert (await taken(agent, lines([*CODEX[:-1], other]))).unchanged == 1
        assert (await taken(agent, lines(CODEX))).unchanged == 1


async def test_two_lists_that_begin_alike_are_branches(make_agent: MakeAgent) -> None:
    lists = [[ASKED, {"role": "assistant", "content": each}, {"role": "user", "content": "Sure?"}] for each in "ab"]
    async with make_agent() as agent:
        for each in [*lists, *lists]:
            await agent.import_conversation(each, "extend")
        page = await agent.list_conversations()
        assert len(page) == 2
        found = sorted([await _texts(agent, each.uuid) for each in page])
        assert found == [[each["content"] for each in talk] for talk in lists]


async def test_a_list_without_ids_is_another_conversation_unless_it_goes_on(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        first = await agent.import_conversation([ASKED, ANSWERED])
        second = await agent.import_conversation([ASKED, ANSWERED])
        assert first.uuid != second.uuid
        third = await agent.import_conversation([ASKED, ANSWERED, ASKED], "extend")
        assert third.uuid == first.uuid
        assert third.message_count == 3


async def test_a_session_without_ids_of_messages_is_known_again(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        first = await agent.import_conversation(lines(CODEX))
        with pytest.raises(InvalidInput, match=f"is in conversation {first.uuid} already"):
            await agent.import_conversation(lines(CODEX))
        assert (await agent.import_conversation(lines(CODEX), "skip")).uuid == first.uuid


async def test_what_went_on_here_stays_apart_from_what_went_on_there(make_agent: MakeAgent) -> None:
    talk = long_one(4)
    async with make_agent("seven grams") as agent:
        here = await agent.import_conversation(talk[:2])
        await here.send_message("And an egg?")
        there = await agent.import_conversation(talk, "extend")
        assert there.uuid != here.uuid
        assert await _texts(agent, there.uuid) == [each["content"] for each in talk]
        assert (await _texts(agent, here.uuid))[2:] == ["And an egg?", "seven grams"]


async def test_a_long_session_goes_on_over_several_writes(make_agent: MakeAgent) -> None:
    talk = long_one(2_300)
    async with make_agent() as agent:
        first = await agent.import_conversation(talk[:1_200])
        report = await taken(agent, lines(talk))
        assert (report.extended, report.messages, report.imported) == (1, 1_100, (first.uuid,))
        info = await first.refresh()
        assert (info.message_count, info.head_seq) == (2_300, 2_300)
        assert (await taken(agent, lines(talk))).unchanged == 1


async def test_texts_in_files_grow_too(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files") as agent:
        for end in range(2, len(CODEX) + 1):
            await taken(agent, lines(CODEX[:end]))
        [found] = await whole(agent)
        said = found[-1]
        assert [(each[1], each[2]) for each in said[2:]] == [
            ("assistant", "So."),
            ("user", "Why?"),
            ("assistant", "As I said."),
        ]
        assert said[2][-1] == [(True, "a.py", None), (True, "/shop", None)]


async def test_an_archive_of_what_is_here_changes_nothing(make_agent: MakeAgent, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    async with make_agent("fine", "fine") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("one")
        await agent.export_all(file)
        short = (await agent.import_conversations(file, "extend")).skipped
        await conversation.send_message("two")
        assert (short, (await agent.import_conversations(file, "extend")).skipped) == (1, 1)
