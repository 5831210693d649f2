"""Archives that no export has written: what cannot be is refused by its line or its place, and costs nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.archive.documents import checked_document
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.archive import ArchiveStore
from tests.archive.conftest import Graph, MakeAgent, Seen
from tests.archive.story import project
from tests.archive.test_groups import TIME, Records, archive, conversation

pytestmark = pytest.mark.anyio


def _summary(uuid: str, from_seq: int, to_seq: int, level: int = 1) -> dict[str, Any]:
    about = {"uuid": uuid, "level": level, "from_seq": from_seq, "to_seq": to_seq, "content": "s", "created_at": TIME}
    return {"record": "summary", **about}


def _with(place: int, *records: dict[str, Any]) -> Callable[[Records], None]:
    def change(found: Records) -> None:
        found[place:place] = records

    return change


def _set(place: int, **values: Any) -> Callable[[Records], None]:
    return lambda found: found[place].update(values)


# What is changed in the lines of a conversation with two messages, the line that is named then (the first conversation
# begins in line 2), what it says, and the place in a document; an empty one: a document has nothing such.
ODD: dict[str, tuple[Callable[[Records], None], int, str, str]] = {
    "two summaries of a uuid": (
        _with(3, _summary("s", 1, 2), _summary("s", 1, 2, level=2)),
        6,
        "uuid: 's' is that of another summary",
        "summaries[1].",
    ),
    "a summary of what is not there": (
        _with(3, _summary("s", 1, 3)),
        5,
        "to_seq: there are no messages 1 to 3",
        "summaries[0].",
    ),
    "no such anchor": (
        _set(2, anchored=[{"anchor": "nobody", "kind": "read"}]),
        4,
        "anchored[0].anchor: there is no such anchor",
        "messages[1].",
    ),
    "another's end": (_set(-1, uuid="nobody"), 5, "uuid: this is the end of 'nobody'", ""),
    "branched from nothing that it begins with": (
        _set(0, branch={"parent": "nobody", "from_seq": 1}),
        2,
        "branch.parent: 'nobody' is not what it begins with",
        "",
    ),
}


def _document(*some: Records) -> dict[str, Any]:
    """The lines of conversations as a document."""
    made: list[dict[str, Any]] = []
    for lines in some:
        found: dict[str, Any] = {key: value for key, value in lines[0].items() if key != "record"}
        for line in lines[1:-1]:
            kind = {"summary": "summaries"}.get(line["record"], f"{line['record']}s")
            found.setdefault(kind, []).append({key: value for key, value in line.items() if key != "record"})
        made.append(found)
    head = {"format": "ragforge-memory archive", "version": 1}
    return {**head, "conversation": made[-1]["uuid"], "conversations": made}


async def test_what_cannot_be_costs_its_conversation_alone(make_agent: MakeAgent, graph: Graph) -> None:
    async with make_agent() as agent:
        for change, line, why, place in ODD.values():
            bad, good = conversation(uuid4().hex, "q", "a"), conversation(uuid4().hex, "q", "a")
            change(bad)
            report = await agent.import_conversations(io.BytesIO(archive(bad, good)))
            assert (report.conversations, report.failed) == (1, 1), report.errors
            assert report.errors[0].message.startswith(f"line {line}: "), report.errors
            assert why in report.errors[0].message
            assert list(report.imported) == [good[0]["uuid"]]
            await (await agent.load_conversation(good[0]["uuid"])).delete()
            assert graph.seen() == Seen()
            if bad[-1]["uuid"] != bad[0]["uuid"]:
                continue  # a document has no ends
            with pytest.raises(InvalidInput) as refused:
                await agent.import_conversation(_document(good, bad))
            assert refused.value.message.startswith(f"conversations[1].{place}{why.partition(':')[0]}"), refused.value
            assert graph.seen() == Seen()


def _branch(uuid: str, lineage: list[tuple[str, int]], *texts: str, **head: Any) -> Records:
    """The lines of a branch."""
    top = lineage[-1][1]
    parts = [{"conversation_id": name, "top": seq} for name, seq in lineage]
    records = conversation(uuid, *texts, lineage=parts, **{"message_count": len(texts), **head})
    records[0]["head_seq"] = head.get("head_seq", top + len(texts))
    for seq, record in enumerate(records[1:-1], start=top + 1):
        record["seq"] = seq
    return records


async def test_branches_that_cannot_be(make_agent: MakeAgent, graph: Graph) -> None:
    trunk, one, two = (uuid4().hex for _ in range(3))
    parent = conversation(trunk, "q", "a")
    below = _branch(one, [(trunk, 2)], "and?", branch={"parent": trunk, "from_seq": 2})
    wrong: list[tuple[Records, str, str]] = [
        (_branch(two, [(trunk, 5)], "x"), "lineage[0]: the conversation", "lineage[0].top: 5 is behind 2"),
        (_branch(two, [(one, 3)], "x"), "lineage: it does not begin as", "lineage: it does not begin as"),
        (_branch(two, [(trunk, 2), (one, 2)], "x"), "lineage[1]: the conversation", "lineage: each part ends"),
        (_branch(two, [(trunk, 2)], head_seq=1), "head_seq: 1 is before 2", "head_seq: 1 is before 2"),
        (
            _branch(two, [(trunk, 2), (two, 3)], "x"),
            "lineage[1]: the conversation",
            "lineage[1].conversation_id: it begins with a conversation behind it",
        ),
    ]
    async with make_agent() as agent:
        for bad, told_by_line, told_by_place in wrong:
            last = conversation(uuid4().hex, "q")
            report = await agent.import_conversations(io.BytesIO(archive(parent, below, bad, last)))
            assert (report.conversations, report.failed) == (3, 1), bad[0]
            # A head, four lines of the trunk with its own and its end, three of the first branch.
            assert report.errors[0].message.startswith(f"line 9: {told_by_line}"), report.errors
            graph.forget()
            with pytest.raises(InvalidInput) as refused:
                checked_document(_document(parent, below, bad))
            assert refused.value.message.startswith(f"conversations[2].{told_by_place}"), refused.value


async def test_a_ring_of_branches_is_none(make_agent: MakeAgent, graph: Graph) -> None:
    one, two = uuid4().hex, uuid4().hex
    ring = [
        conversation(one, "q", "a", branch={"parent": two, "from_seq": 2}),
        conversation(two, "q", "a", branch={"parent": one, "from_seq": 2}),
    ]
    async with make_agent() as agent:
        report = await agent.import_conversations(io.BytesIO(archive(*ring)))
        assert [fault.place for fault in report.errors] == ["line 2", "line 6"]
        with pytest.raises(InvalidInput, match=r"conversations\[0\].branch.parent: "):
            await agent.import_conversation(_document(*ring))
        assert graph.seen() == Seen()
        # What is here still, shared by a branch, does not begin with that branch.
        trunk, branch = conversation(one, "q", "a"), _branch(two, [(one, 2)], "and?")
        await agent.import_conversations(io.BytesIO(archive(trunk, branch)))
        await (await agent.load_conversation(one)).delete()
        back = _branch(one, [(two, 3)], "q", "a", branch={"parent": two, "from_seq": 3})
        report = await agent.import_conversations(io.BytesIO(archive(back)))
        assert (report.conversations, report.failed) == (0, 1)
        assert "lineage" in report.errors[0].message
        again = await agent.load_conversation(two)
        assert [message.content for message in await again.get_history()] == ["q", "a", "and?"]


async def test_a_branch_whose_edge_is_missing_keeps_what_it_shares(make_agent: MakeAgent) -> None:
    trunk, branch = uuid4().hex, uuid4().hex
    file = archive(conversation(trunk, "q", "a"), _branch(branch, [(trunk, 2)], "and?"))
    async with make_agent() as agent:
        assert (await agent.import_conversations(io.BytesIO(file))).conversations == 2
        await (await agent.load_conversation(trunk)).delete()
        history = await (await agent.load_conversation(branch)).get_history()
        assert [message.content for message in history] == ["q", "a", "and?"]


async def test_how_many_conversations_came(make_agent: MakeAgent, graph: Graph) -> None:
    some = [conversation(uuid4().hex, "q", "a") for _ in range(3)]
    lines = archive(*some).splitlines(keepends=True)
    gone = {"record": "end", "uuid": "gone", "dropped": True}
    half = [some[0][0], some[0][1], {**gone, "uuid": some[0][0]["uuid"]}]
    async with make_agent() as agent:
        # Without the second one; with one that was deleted while it was written, or before its first line.
        for file, came, told in (
            ([*lines[:5], *lines[9:]], 2, ["line 10"]),
            ([lines[0], *(json.dumps(each).encode() + b"\n" for each in (*half, gone)), *lines[1:]], 3, []),
            ([*lines[:5], b"{\n", *lines[6:]], 2, ["line 6"]),
        ):
            graph.forget()
            report = await agent.import_conversations(io.BytesIO(b"".join(file)))
            assert report.conversations == came
            assert [fault.place for fault in report.errors] == told, report.errors
            if told == ["line 10"]:
                assert "the file had 3 when it was written, and 2 came" in report.errors[0].message


async def test_a_vector_of_another_dimension(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    settings = {"embed_messages": True}
    async with make_agent("a", "b", embedder=HashingEmbedder(dimension=64), settings=settings) as agent:
        for title in ("one", "two"):
            await (await agent.create_conversation(title)).send_message(title)
        await agent.drain()
        await agent.export_all(tmp_path / "all.jsonl", embeddings=True)
        graph.forget()
        records = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
        number = next(number for number, record in enumerate(records) if record["record"] == "message")
        records[number]["embedding"] = [1.0, 2.0]
        file = "".join(json.dumps(record) + "\n" for record in records).encode()
        report = await agent.import_conversations(io.BytesIO(file))
        assert (report.conversations, report.failed) == (1, 1)
        assert "dimensions" in report.errors[0].message


async def test_other_tools_values_hold_up_nothing(make_agent: MakeAgent) -> None:
    """Content in blocks, as some tools keep it, and properties of ours that are something else in their graphs."""
    odd = conversation(uuid4().hex, "q", "a", "q", "a", other={"tags": 5})
    odd[2] |= {"content": ["the lock is in the store", "and the key too"], "other": {"usage": 5, "receipt": 5}}
    odd[2]["tool_calls"][0] |= {"other": {"arguments": 5}}
    odd[2]["tool_calls"][0].pop("arguments")
    odd[2]["tool_calls"][0]["result"] = {"uuid": uuid4().hex, "success": True, "other": {"result": 5}}
    settings = {"embed_messages": True, "summarize_every": 2}
    async with make_agent("b", embedder=HashingEmbedder(dimension=64), settings=settings) as agent:
        [uuid] = (await agent.import_conversations(io.BytesIO(archive(odd)))).imported
        assert await agent.drain(timeout=30) == {}
        talk = await agent.load_conversation(uuid)
        assert talk.tags == ()
        assert "the lock is in the store" in await talk.summarize()
        answer = (await talk.get_history())[1]
        assert answer.content == "the lock is in the store\nand the key too"
        assert [(call.arguments, call.result) for call in answer.tool_calls] == [({"unreadable": 5}, 5)]
        assert (await agent.reembed(HashingEmbedder(dimension=384))).failed == 0
        said = await talk.send_message("where is the lock?")
        assert await talk.receipt(said.message_id)
        assert await talk.as_of(said.message_id)
        assert (await talk.export())["conversations"][0]["other"]["tags"] == 5


async def test_a_branch_that_shares_nothing_outlives_what_it_came_from(
    make_agent: MakeAgent, graph: Graph, tmp_path: Path
) -> None:
    async with make_agent("a", "b") as agent:
        talk = await agent.create_conversation("One")
        await talk.send_message("q")
        [question, _] = await talk.get_history()
        edited = await talk.edit(question.uuid, "another question")
        await talk.delete()
        document = await edited.export()
        await agent.export_all(tmp_path / "all.jsonl")
        graph.forget()
        restored = await agent.import_conversation(document)
        assert [message.content for message in await restored.get_history()] == ["another question", "b"]
        graph.forget()
        # What is left of the other, without a word, makes both one family.
        assert (await agent.import_conversations(tmp_path / "all.jsonl")).imported == (talk.uuid, edited.uuid)
        assert [each.uuid for each in await agent.list_conversations()] == [edited.uuid]


async def test_code_that_is_tied_to_while_it_is_exported(
    make_agent: MakeAgent, graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none_yet(*_: Any, **__: Any) -> list[Any]:
        return []

    async with make_agent("`scramble` it is.", root=project(tmp_path)) as agent:
        await agent.ingest()
        talk = await agent.create_conversation()
        await talk.send_message("Which one?")
        assert await talk.referenced_code()
        with monkeypatch.context() as patched:
            patched.setattr(ArchiveStore, "anchors", none_yet)
            document = await talk.export()
        messages = [each for one in document["conversations"] for each in one["messages"]]
        assert not any(each.get("anchored") for each in messages)
        graph.forget()
        assert (await agent.import_conversation(document)).uuid == talk.uuid
