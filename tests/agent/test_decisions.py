"""What was decided in all conversations, what corrected it, and what became of the code that it is about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, Decision, InvalidInput
from ragforge_memory.cli.references import labels
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS

MakeAgent = Callable[..., AsyncConversationAgent]

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
async def test_an_error_message_decides_nothing_whatever_it_says_must_be(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        await agent.ingest()
        talk = await agent.create_conversation()
        for said in (
            "RuntimeError: the SessionMiddleware must be installed",
            "AssertionError: The `jinja2` library is missing. It must be installed to use templates.",
            "shop.errors.ConfigError: Client.send never logs",
        ):
            assert not (await talk.send_message(said)).content.splitlines()[-1].startswith("Noted"), said
        assert _texts(await agent.decisions()) == []
        await talk.send_message("RuntimeError: the cache must be warm\nWe decided to catch it in `check`.")
        assert _texts(await agent.decisions()) == ["We decided to catch it in `check`."]
        await talk.send_message("note: RuntimeError: it must be caught")
        assert len(await agent.decisions()) == 2


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
        await second.send_message("Did we decide to log in check?")

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
        # What begins with a word answers where nothing has the word.
        assert _texts(await agent.decisions("connec")) == [told[1]]
        assert _texts(await agent.decisions("conne")) == [told[1]]
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
            for question in ("has Writer.write changed?", "which decisions are stale?"):
                asked = await conversation.send_message(question)
                assert "`Writer.write` (Writer.java): its code has changed" in asked.content
                assert "as it was" not in asked.content


@pytest.mark.anyio
async def test_whether_a_name_changed_is_told_of_that_name_alone(make_agent: MakeAgent, project: Path) -> None:
    body = "\n\n\n".join(f"def f{number}(word):\n    return word * {number}" for number in range(9))
    (project / "auth" / "many.py").write_text(body)
    told = "`check` is beside " + ", ".join(f"`f{number}`" for number in range(9)) + " and `f9`."
    async with make_agent(told, project="named", root=project) as agent:
        await agent.ingest()
        await (await agent.create_conversation()).send_message("What is there?")
    async with make_agent(
        provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, project="named", root=project
    ) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("who calls other?")
        (project / "auth" / "many.py").write_text(body.replace("word *", "word +"))
        (project / "auth" / "words.py").write_text(CODE.replace("* 7", "* 9").replace("word * 2", "word * 3"))
        await agent.ingest()

        async def since(name: str) -> list[str]:
            lines = (await conversation.send_message(f"has {name} changed?")).content.splitlines()
            return [line for line in lines if ": its code" in line or "tied to no code" in line]

        assert await since("check") == ["- `check` (auth/words.py): its code has changed"]
        # What was only read is told of too where it is asked for.
        assert await since("other") == ["- `other` (auth/words.py): its code has changed"]
        assert await since("f9") == ["It is tied to no code, so that nothing tells whether it still holds."]


@pytest.mark.anyio
async def test_a_question_for_all_that_was_decided_finds_it_however_it_was_said(
    make_agent: MakeAgent, project: Path
) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        await agent.ingest()
        nothing = await (await agent.create_conversation()).send_message("what is left to do?")
        assert nothing.content == "Nothing found that was noted to be done in our conversations."
        for text in ("Sessions live in Redis", "check never logs", "todo: rename other", "sessions moved to Memcached"):
            await (await agent.create_conversation()).send_message(text)
        conversation = await agent.create_conversation()

        async def ask(text: str) -> list[str]:
            said = (await conversation.send_message(text)).content
            return [each.strip() for each in said.splitlines() if each.lstrip().startswith((">", "(later"))]

        redis = ["> Sessions live in Redis", '(later: "sessions moved to Memcached")']
        assert await ask("what did we decide?") == [
            *("> sessions moved to Memcached", "> todo: rename other", "> check never logs"),
            *redis,
        ]
        assert await ask("which decisions are out of date?") == redis
        assert await ask("what is left to do?") == ["> todo: rename other"]
        assert (await ask("what should I know before changing check?"))[0] == "> check never logs"
        assert (await ask("what would break if I rename check?"))[0] == "> check never logs"
        assert (await ask("do we log in check?"))[:1] == ["> check never logs"]


@pytest.mark.anyio
async def test_what_decides_nothing_is_not_listed(make_agent: MakeAgent) -> None:
    said = [
        "We haven't decided yet whether to use Redis.",
        "Nothing was decided about Redis.",
        "We have not agreed on Redis.",
        "No decision on Redis yet.",
        "The decision is still open.",
        "we never discussed Redis",
        "I never said that",
        "Don't run the tests yet",
        "Maybe we'll use Redis",
        "make sure it never crashes again",
        "Did we ever decide whether check never logs",
    ]
    told = [
        "I found no decision about Redis in our conversations.",
        "There is no decision recorded on that.",
        "We decided nothing of the kind.",
    ]
    async with make_agent("You decided to use Redis for sessions.", "Done, we never log.", project="none") as agent:
        await agent.import_conversation([{"role": "user", "content": text} for text in said])
        await agent.import_conversation([{"role": "assistant", "content": text} for text in told[:2]])
        assert _texts(await agent.decisions()) == []
        conversation = await agent.create_conversation()
        # An answer that tells the user's decisions again is none; another is.
        await conversation.send_message("What did we decide?")
        assert _texts(await agent.decisions()) == []
        await conversation.send_message("Log less.")
        assert _texts(await agent.decisions()) == ["Done, we never log."]


@pytest.mark.anyio
async def test_an_answers_decision_is_corrected_too_and_in_a_conversation_by_what_is_further_on(
    make_agent: MakeAgent,
) -> None:
    async with make_agent() as agent:
        await agent.import_conversation(
            [
                {"role": "assistant", "content": "We decided that the read timeout is 20 seconds."},
                {"role": "user", "content": "Update: the read timeout is 30 seconds."},
            ]
        )
        [decided] = (await agent.decisions(doubtful=True)).items
        assert decided.role == "assistant"
        assert decided.corrected is not None
        assert decided.corrected.text == "Update: the read timeout is 30 seconds."

        # The clock ran backwards: what was said last is not corrected by what was said before.
        await agent.import_conversation(
            [
                {"role": "user", "content": "The cache TTL is 60 seconds", "timestamp": "2026-01-03T00:00:00Z"},
                {"role": "user", "content": "The cache TTL is 120 seconds", "timestamp": "2026-01-02T00:00:00Z"},
            ]
        )
        doubtful = await agent.decisions("cache TTL", doubtful=True)
        assert "The cache TTL is 120 seconds" not in _texts(doubtful)


@pytest.mark.anyio
@pytest.mark.parametrize("about", ["()", "`", " ", "a" * 1_000])
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
async def test_a_correction_without_a_subject_is_known_by_its_answer(make_agent: MakeAgent) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("note: the timeout is 20 seconds")
        answer = await conversation.send_message("no, 30 seconds")
        [decision] = [each for each in await agent.decisions() if "20" in each.text]
        assert decision.corrected is not None
        assert decision.corrected.text == "no, 30 seconds"
        assert decision.corrected.message_id == answer.user_message_id


@pytest.mark.anyio
async def test_pages_have_each_decision_once_in_order(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.graph.decisions.PAGE", 3)
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
        for day, text in (
            (1, "note: tabs are four wide"),
            (2, "We decided on UTC."),
            (3, "Actually, tabs are two wide."),
        ):
            said = {"role": "user", "content": text, "timestamp": f"2026-01-0{day}T10:00:00Z"}
            await agent.import_conversation([said])
        assert _texts(await agent.decisions(since="2026-01-02", until="2026-01-02")) == ["We decided on UTC."]
        [first] = await agent.decisions(until="2026-01-01")
        assert first.corrected is not None
        assert first.corrected.text == "Actually, tabs are two wide."
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
async def test_no_one_elses_decisions_are_listed(make_agent: MakeAgent) -> None:
    async with make_agent("Fine.") as mine, make_agent(user_id="somebody-else") as other:
        await (await mine.create_conversation()).send_message("We decided on tabs.")
        assert _texts(await mine.decisions()) == ["We decided on tabs."]
        assert not [*await other.decisions()]


@pytest.mark.anyio
async def test_of_what_a_user_says_all_that_decides_is_told_and_every_word_counts(make_agent: MakeAgent) -> None:
    async with make_agent("We decided to keep 31. It is never changed.") as agent:
        said = "About hashes: is 31 fine? note: we multiply by 31. Do not change it."
        await (await agent.create_conversation()).send_message(said)
        told = ["We decided to keep 31.", "note: we multiply by 31. Do not change it."]
        assert _texts(await agent.decisions()) == told
        assert _texts(await agent.decisions("hashes")) == told[1:]
