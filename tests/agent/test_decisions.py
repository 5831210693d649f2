"""What was decided in all conversations, what corrected it, and what became of the code that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import Decision, InvalidInput
from ragforge_memory.cli.references import labels
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from tests.agent.conftest import Cypher, MakeAgent

CODE = "def check(word):\n    total = len(word) * 7\n    return total > 3\n\n\ndef other(word):\n    return word * 2\n"


def _texts(found: object) -> list[str]:
    return [each.text for each in found]  # type: ignore[attr-defined]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    (root / "auth").mkdir(parents=True)
    (root / "auth" / "words.py").write_text(CODE)
    return root


@pytest.mark.anyio
async def test_what_was_decided_is_listed_with_what_became_of_it(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        await agent.ingest()
        first = await agent.create_conversation("Words")
        await first.send_message("Where is check?")
        await first.send_message("We decided that `check` never logs.")
        await first.send_message("remember: the pool has 10 connections")
        second = await agent.create_conversation("Later")
        await second.send_message("note: `other` is kept as it is")
        await second.send_message("What did we decide?")
        await second.send_message("We decided to log in check, did we?")

        told = [
            "note: `other` is kept as it is",
            "remember: the pool has 10 connections",
            "We decided that `check` never logs.",
        ]
        found = await agent.decisions()
        assert _texts(found) == told
        assert [each.title for each in found] == ["Later", "Words", "Words"]
        assert not any(each.doubtful for each in found)
        assert [[ref.name for ref in each.code] for each in found] == [["other"], [], ["check"]]

        # By words, by the code, its file and its folder.
        assert _texts(await agent.decisions("POOL connections")) == [told[1]]
        assert _texts(await agent.decisions("check()")) == [told[2]]
        assert _texts(await agent.decisions("words.py")) == _texts(await agent.decisions("auth/")) == [told[0], told[2]]
        assert _texts(await agent.decisions("chec")) == []
        assert _texts(await agent.decisions("connection pools")) == [told[1]]
        assert _texts(await agent.decisions("nnection")) == []
        assert _texts(await agent.decisions("C++")) == []

        # What the code becomes, and what is said against it, makes them doubtful.
        (project / "auth" / "words.py").write_text(CODE.replace("* 7", "* 9"))
        await agent.ingest()
        await second.send_message("Update: the pool has 20 connections.")
        doubtful = await agent.decisions(doubtful=True)
        assert _texts(doubtful) == told[1:]
        assert doubtful.items[0].corrected is not None
        assert doubtful.items[0].corrected.text == "Update: the pool has 20 connections."
        assert [ref.status for ref in doubtful.items[1].changed_code] == ["drifted"]
        assert doubtful.items[1].corrected is None


OVERLOADS = """public class Writer {
  public void write(String path) { System.out.println(path); }
  public void write(int fd) { System.out.println(fd); }
}
"""


@pytest.mark.anyio
async def test_of_overloads_the_one_that_changed_counts(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        for at, said in enumerate(("(path)", "(fd)")):
            (project / "Writer.java").write_text(OVERLOADS)
            await agent.ingest()
            conversation = await agent.create_conversation()
            await conversation.send_message(f"note: Writer.write makes the directories {at}")
            (project / "Writer.java").write_text(OVERLOADS.replace(f"println{said}", f'println("x" + {said})'))
            await agent.ingest()

            [decided] = (await agent.decisions(f"directories {at}")).items
            assert [(each.status, each.start_line) for each in decided.code] == [("drifted", 2 + at)]
            assert decided.doubtful
            references = (await agent.conversations_about("Writer.write"))[0].references
            assert [": drifted" in line for line in labels(references)] == [True]


@pytest.mark.anyio
@pytest.mark.parametrize("about", ["`", " "])
async def test_what_decisions_are_about_is_a_word(make_agent: MakeAgent, about: str) -> None:
    calls = [ToolRequest("a", "list_decisions", {"about": about})]
    async with make_agent(calls, "Done.", tools=CODE_SEARCH_TOOLS) as agent:
        with pytest.raises(InvalidInput):
            await agent.decisions(about)
        [call] = (await (await agent.create_conversation()).send_message("What holds?")).tool_calls
        assert call.success == (not about.strip())


@pytest.mark.anyio
async def test_a_model_is_told_what_was_decided(make_agent: MakeAgent, project: Path) -> None:
    calls = [
        ToolRequest("a", "list_decisions", {"about": "timeouts"}),
        ToolRequest("b", "list_decisions", {"doubtful": True, "about": " "}),
        ToolRequest("c", "list_decisions", {"about": "auth/words.py", "limit": 1}),
        ToolRequest("d", "list_decisions", {"limit": 1}),
        ToolRequest("e", "list_decisions", {"since": "soon"}),
    ]
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        await agent.ingest()
        notes = await agent.create_conversation()
        for text in ("note: the read timeout is 20 seconds", "We decided that `check` never logs."):
            await notes.send_message(text)
        await notes.send_message("update: the read timeout is 30 seconds")
        (project / "auth" / "words.py").write_text(CODE.replace("* 7", "* 9"))
        await agent.ingest()
    async with make_agent(calls, "Done.", tools=CODE_SEARCH_TOOLS, root=project) as agent:
        answer = await (await agent.create_conversation()).send_message("What holds?")
    about, doubtful, code, one, wrong = answer.tool_calls
    assert [each["excerpt"] for each in about.result["decisions"]] == [
        "update: the read timeout is 30 seconds",
        "note: the read timeout is 20 seconds",
    ]
    assert about.result["decisions"][1]["corrected"]["excerpt"] == "update: the read timeout is 30 seconds"
    assert [each["excerpt"][:4] for each in doubtful.result["decisions"]] == ["We d", "note"]
    [tied] = code.result["decisions"]
    assert [(each["name"], each["status"]) for each in tied["code"]] == [("check", "drifted")]
    assert "more" not in code.result
    assert one.result["more"] is True
    assert len(one.result["decisions"]) == 1
    assert not wrong.success
    assert "soon" in str(wrong.error)


@pytest.mark.anyio
async def test_pages_have_each_decision_once_in_order(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.agent.decisions.PAGE", 3)
    async with make_agent() as agent:
        said = [{"role": "user", "content": f"We decided on rule {number}."} for number in range(8)]
        said.insert(4, {"role": "user", "content": "It failed with a TypeError."})
        # All at the same moment: the order is that of the conversation then, and none is lost between two reads.
        await agent.import_conversation([{**each, "timestamp": "2026-01-02T03:04:05Z"} for each in said])
        whole = await agent.decisions(limit=100)
        assert _texts(whole) == [f"We decided on rule {number}." for number in reversed(range(8))]
        assert whole.next_cursor is None
        paged: list[Decision] = []
        cursor: str | None = None
        for _ in range(4):
            page = await agent.decisions(limit=2, cursor=cursor)
            paged += page
            cursor = page.next_cursor
        assert paged == [*whole]
        assert cursor is None
        assert _texts(await agent.decisions("rule", limit=100)) == _texts(whole)
        with pytest.raises(InvalidInput, match="cursor"):
            await agent.decisions(cursor="none of it")


@pytest.mark.anyio
async def test_a_page_goes_on_behind_what_was_deleted_meanwhile(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        made = [
            await agent.import_conversation(
                [{"role": "user", "content": f"We decided on rule {day}.", "timestamp": f"2026-01-0{day}T10:00:00Z"}]
            )
            for day in range(1, 5)
        ]
        page = await agent.decisions(limit=2)
        assert _texts(page) == ["We decided on rule 4.", "We decided on rule 3."]
        await made[2].delete()
        rest = await agent.decisions(limit=2, cursor=page.next_cursor)
        assert _texts(rest) == ["We decided on rule 2.", "We decided on rule 1."]


@pytest.mark.anyio
async def test_days_limit_what_is_listed_and_not_what_corrects_it(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        said = (
            (1, "note: tabs are four wide"),
            (2, "We decided on UTC."),
            (3, "update: tabs are two wide"),
        )
        await agent.import_conversation(
            [{"role": "user", "content": text, "timestamp": f"2026-01-0{day}T10:00:00Z"} for day, text in said]
        )
        assert _texts(await agent.decisions(since="2026-01-02", until="2026-01-02")) == ["We decided on UTC."]
        [first] = await agent.decisions(until="2026-01-01")
        assert first.corrected is not None
        assert first.corrected.text == "update: tabs are two wide"
        assert len(await agent.decisions(until="9999-12-31")) == 3
        with pytest.raises(InvalidInput, match="since"):
            await agent.decisions(since="soon")


@pytest.mark.anyio
async def test_what_is_deleted_is_gone_and_what_a_branch_shares_is_the_branchs(make_agent: MakeAgent) -> None:
    async with make_agent("One.", "Two.") as agent:
        conversation = await agent.create_conversation("Trunk")
        kept = await conversation.send_message("We decided to keep it.")
        await conversation.send_message("We decided to drop it.")
        branch = await conversation.branch(kept.message_id, title="Branch")
        await conversation.delete()
        [decision] = await agent.decisions()
        assert (decision.text, decision.title) == ("We decided to keep it.", "Branch")
        assert decision.conversation_id == branch.info.uuid
        await branch.delete()
        assert not [*await agent.decisions()]


@pytest.mark.anyio
async def test_a_correction_is_an_edge_whatever_model_answers(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(*["Fine."] * 9) as agent:
        talk = await agent.create_conversation()
        for text in (
            "note: the pool has 10 connections",
            "We decided that `Store.get` never raises.",
            "todo: rename other",
            "rule: tabs are four wide",
            "update: the pool has 20 connections",
            "done: other is renamed",
            "forget: what Store.get raises",
            "correction: two",
        ):
            await talk.send_message(text)
        rows = cypher(
            "MATCH (m:Message {conversation_id: $c})-[r:CORRECTS]->(x) "
            "RETURN m.content AS later, m.kind AS kind, r.how AS how, x.content AS earlier ORDER BY m.seq",
            c=talk.info.uuid,
        )
        assert [tuple(row.values()) for row in rows] == [
            ("update: the pool has 20 connections", "note", "corrects", "note: the pool has 10 connections"),
            ("done: other is renamed", None, "done", "todo: rename other"),
            ("forget: what Store.get raises", None, "retracts", "We decided that `Store.get` never raises."),
            # It shares nothing with any: it is of the last.
            ("correction: two", "note", "corrects", "update: the pool has 20 connections"),
        ]
        kinds = {each.text: each.kind for each in await agent.decisions()}
        assert kinds["rule: tabs are four wide"] == "rule"
        assert kinds["todo: rename other"] == "todo"
        assert [each.corrected.how for each in await agent.decisions(doubtful=True) if each.corrected] == [
            *("corrects", "done", "retracts", "corrects")
        ]


@pytest.mark.anyio
async def test_a_correction_in_another_conversation_must_agree_in_more(make_agent: MakeAgent) -> None:
    async with make_agent(*["Fine."] * 9) as agent:
        first = await agent.create_conversation()
        await first.send_message("note: the upload limit is 10 MB")
        await first.send_message("note: `parse_row` skips comments")
        second = await agent.create_conversation()
        await second.send_message("update: use tabs")
        assert not [each for each in await agent.decisions() if each.doubtful]
        await second.send_message("update: the upload limit is 20 MB")
        await second.send_message("update: parse_row raises")
        corrected = {each.text: each.corrected.text for each in await agent.decisions() if each.corrected}
        assert corrected == {
            "note: the upload limit is 10 MB": "update: the upload limit is 20 MB",
            "note: `parse_row` skips comments": "update: parse_row raises",
        }


@pytest.mark.anyio
async def test_a_correction_that_was_taken_back_corrects_no_longer(make_agent: MakeAgent) -> None:
    async with make_agent(*["Fine."] * 9) as agent:
        talk = await agent.create_conversation()
        await talk.send_message("note: the port is 80")
        await talk.send_message("update: the port is 8080, behind the proxy")
        await talk.send_message("forget: that it is behind the proxy")
        by_text = {each.text: each for each in await agent.decisions()}
        assert by_text["note: the port is 80"].corrected is None
        assert by_text["update: the port is 8080, behind the proxy"].corrected is not None


@pytest.mark.anyio
async def test_what_has_no_explicit_form_is_no_decision(make_agent: MakeAgent) -> None:
    said = ("We never discussed Redis", "Maybe we'll use Redis", "Did we decide on Redis?", "> we decided on Redis")
    async with make_agent(*["We decided on Redis."] * len(said)) as agent:
        talk = await agent.create_conversation()
        for text in said:
            await talk.send_message(text)
        assert _texts(await agent.decisions()) == []


@pytest.mark.anyio
async def test_a_note_holds_again_once_its_correction_is_taken_back(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["Noted."] * 12)
    async with make_agent(provider=model, settings={"max_context_messages": 2}) as agent:
        talk = await agent.create_conversation()
        for text in ("note: the parser keeps comments", "update: the parser drops comments"):
            await talk.send_message(text)
        for _ in range(3):
            await talk.send_message("Go on.")
        assert "note: the parser keeps comments" not in model.requests[-1].system
        await talk.send_message("forget: the parser drops comments")
        for _ in range(3):
            await talk.send_message("Go on.")
        assert "note: the parser keeps comments" in model.requests[-1].system
        [decision] = (await agent.decisions(about="parser keeps")).items
        assert decision.corrected is None
