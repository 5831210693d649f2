"""A correction without a subject of its own is of what was noted or quoted right before it."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.said.bare_corrections import corrects
from ragforge_memory.language.said.stock import WHICH_NOTE, says_nothing
from ragforge_memory.llm.extractive.said.notes_before import noted_before
from ragforge_memory.llm.port import ChatMessage
from tests.extractive.asking import answer_to

pytestmark = pytest.mark.anyio

NOTE = "we decided that max retries are 5"


@pytest.mark.parametrize(
    "text",
    [
        "no, 30 seconds",
        "No, it's 30 seconds.",
        "actually 3",
        "actually, that's wrong",
        "that is not true any more",
        "wrong, they are 3",
        "sorry, I meant 3",
        "actually, retries stay at 3",
        "actually, max retries is 3",
        "no, make it three",
        "no, only GET",
        "no, they should be unlimited",
        "ok, actually that is no longer true",
        "no, Memcached",
        "No, Memcached instead.",
        "no, on Thursday",
        "no, at 5 pm",
        "no, May 3",
        "no, 20 May",
        "no, PostgreSQL 16",
        "no, 20 MB per file",
        "nope, 4",
        "update: they are not five",
        "update: it isn't so for uploads",
        "correction: they count redirects",
    ],
)
def test_what_corrects_the_note_before(text: str) -> None:
    assert corrects(text, NOTE)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "no, thanks",
        "no, I mean the other one",
        "no, that's fine",
        "update: it still holds",
        "update: the docs are online",
        "update: this file is new",
        "actually, timeouts are 3",
        "actually, max redirects are 3",
        "no, show me the second one",
        "no, where is it used",
        "actually, is that wrong?",
        "retries are 3",
        "actually great",
        "no, I have to go",
        "ok, 30 seconds",
        "No, wait for Bob.",
        "No, ask Bob.",
        "No, Bob does that.",
        "No, Bob broke it.",
        "No. Stop.",
        "no, 3 failed",
        "no, the 2nd one",
        "no, that's a good idea",
        "no, we use Memcached now",
        "no worries, 3",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not corrects(text, NOTE)


def test_what_is_told_to_be_changed_is_corrected() -> None:
    for said in ("change that to 9090", "make it 20 MB", "please set it to 9090."):
        assert corrects(said, "note: the port is 8080")
    assert not corrects("change that to be a method of the parser", "note: the port is 8080")
    assert not corrects("make it so", "note: the port is 8080")


def test_what_was_chosen_is_corrected_by_what_is_chosen_now() -> None:
    assert corrects("nope, we use Memcached now", "We decided to keep Redis.")
    assert not corrects("no, we use what Bob gave us", "We decided to keep Redis.")
    assert corrects("no, we use yarn", "we use pnpm, not npm")
    assert not corrects("no, we use it", "we use pnpm, not npm")
    assert corrects("let's use Postgres instead", "we agreed to use Elasticsearch")
    assert not corrects("let's use Postgres", "we agreed to use Elasticsearch")
    assert not corrects("let's use Postgres instead", "the port is 8080")
    assert corrects("we changed our mind: we use spaces", "we decided to use tabs")
    assert not corrects("we changed our mind: the port is 80", "we decided to use tabs")
    assert corrects("actually no, keep Node 18", "decision: drop support for Node 18")
    assert not corrects("no, leave me alone", "decision: drop support for Node 18")
    assert not corrects("nope, we use Memcached now", "We decided that Ada owns the deploy.")


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("note: the port is 8080", "sorry, it was 8081"),
        ("note: sessions live in Redis", "no, leave the sessions in Postgres"),
        ("note: the parser must fail on tabs", "no, the parser must never fail"),
    ],
)
def test_what_says_otherwise_corrects(note: str, said: str) -> None:
    assert corrects(said, note)


async def test_a_change_of_mind_is_about_what_was_noted_however_long_ago() -> None:
    before = (
        ChatMessage("user", "We decided to use tabs"),
        ChatMessage("assistant", "Noted: `what did we decide` lists it."),
        ChatMessage("user", "note: the port is 8080"),
        ChatMessage("assistant", "Noted: `what did we decide` lists it."),
        ChatMessage("user", "thanks"),
        ChatMessage("assistant", "You are welcome."),
    )
    answer = await answer_to("we changed our mind: we use spaces", {}, *before)
    assert answer.endswith('\n"we changed our mind: we use spaces" corrects "We decided to use tabs".')
    assert "corrects" not in await answer_to("no, we use spaces", {}, *before)
    assert "corrects" not in await answer_to("we changed our mind: we use spaces", {}, *before[2:])


def test_what_stands_behind_the_same_preposition_takes_its_place() -> None:
    note = "timestamps are stored in UTC"
    assert corrects("no, in local time", note)
    assert corrects("no, in the time of the user", note)
    assert corrects("actually per IP", "rate limits apply per user")
    for text in ("no, on local disks", "no, in general", "in local time", "no, in that file it is called clock"):
        assert not corrects(text, note)


async def test_what_was_said_to_be_so_much_is_corrected_by_an_amount() -> None:
    first = await answer_to("The pool size is 10.", {})
    before = (ChatMessage("user", "The pool size is 10."), ChatMessage("assistant", first))
    assert (await answer_to("Actually 12.", {}, *before)).endswith('\n"Actually 12." corrects "The pool size is 10.".')


@pytest.mark.parametrize("text", ["no, 20 MB", "No, 20 MB.", "actually 5"])
async def test_an_amount_corrects_the_note_that_was_quoted(text: str) -> None:
    quoted = (
        "What was said about `limit`:\n- You, 2026-01-01 10:00, this conversation, message 0f:\n  > The limit is 10 MB."
    )
    answer = await answer_to(text, {}, ChatMessage("user", "what is the limit?"), ChatMessage("assistant", quoted))
    assert answer.endswith(f'\n"{text}" corrects "The limit is 10 MB.".')


@pytest.mark.parametrize("text", ["no, Memcached", "no, load_rows"])
async def test_a_name_behind_an_answer_may_be_what_is_looked_for(text: str) -> None:
    quoted = (
        "What was said about `limit`:\n- You, 2026-01-01 10:00, this conversation, message 0f:\n  > The limit is 10 MB."
    )
    answer = await answer_to(text, {}, ChatMessage("user", "what is the limit?"), ChatMessage("assistant", quoted))
    assert ("corrects" in answer) is (text == "no, Memcached")


def test_only_what_was_noted_or_quoted_last_is_corrected() -> None:
    def before(answer: str) -> tuple[str, ...]:
        return noted_before((ChatMessage("user", NOTE), ChatMessage("assistant", answer)))

    assert before("Noted: `what did we decide` lists it.") == (NOTE,)
    assert before('Noted: `what did we decide` lists it.\n"no, 3" corrects "ports are even".') == ("ports are even",)
    quoted = "- You, 2026-01-01 10:00, this conversation, message 0f:\n  > ports are even"
    assert before(f"What was said about `ports`:\n{quoted}") == ("ports are even",)
    assert before("`echo` - a.py:1 (function)") == ()
    assert noted_before(()) == ()


async def test_a_bare_correction_is_told_under_its_note(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    services = await agent.open()

    async def ask(text: str) -> str:
        await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        return (await talk.send_message(text)).content

    def quoted(answer: str) -> list[str]:
        return [line.strip() for line in answer.splitlines() if line.startswith(("  >", "  ("))]

    await ask("we decided that withdraw is limited to 20 euros")
    assert (await ask("no, 30 euros")).endswith(
        '\n"no, 30 euros" corrects "we decided that withdraw is limited to 20 euros".'
    )
    await ask("we decided that deposit is logged")
    assert quoted(await ask("what did we decide about withdraw?")) == [
        "> we decided that withdraw is limited to 20 euros",
        '(later: "no, 30 euros")',
    ]
    told = await ask("actually, that's wrong")
    assert told.endswith('\n"actually, that\'s wrong" corrects "we decided that withdraw is limited to 20 euros".')
    other = await agent.create_conversation()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    later = (await other.send_message("what did we decide about withdraw?")).content
    assert quoted(later)[1] == '(later: "actually, that\'s wrong")'
    everything = await ask("what did we decide?")
    assert quoted(everything) == [
        "> we decided that deposit is logged",
        "> we decided that withdraw is limited to 20 euros",
        '(later: "actually, that\'s wrong")',
    ]
    # Of two it may mean either, and nothing is claimed.
    assert await ask("no, 40 euros") == WHICH_NOTE
    assert says_nothing(WHICH_NOTE)
    await ask("note: mails are sent by everyone")
    assert (await ask("no, only Account")).endswith('"no, only Account" corrects "note: mails are sent by everyone".')
    # Behind an answer about code it is no correction, and what is wrong is not told by what was wrong before.
    await ask("where is check_amount?")
    assert "What was said" not in await ask("no, that's wrong")
    assert "Noted" not in await ask("no, 30 seconds")


async def test_the_answer_to_a_correction_with_a_subject_of_its_own_says_what_it_corrects(
    agent: AsyncConversationAgent,
) -> None:
    talk = await agent.create_conversation()

    async def told(text: str) -> list[str]:
        return (await talk.send_message(text)).content.splitlines()[1:]

    assert await told("note: the retry limit is 5") == []
    assert await told("todo: write the changelog") == []
    assert await told("update: the retry limit is 7") == [
        'This corrects what was noted before: "note: the retry limit is 5".'
    ]
    assert await told("the changelog is done") == ['This closes what was noted before: "todo: write the changelog".']
    # What follows corrects the correction.
    await told("update: the retry limit is 8")
    assert await told("no, 9") == ['"no, 9" corrects "update: the retry limit is 8".']
    assert await told("update: the page size is 8") == []


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("note: timestamps are stored in UTC", "no, in staging it works"),
        ("note: timestamps are stored in UTC", "no, in the morning"),
        ("note: deploys happen on Friday", "no, on second thought"),
        ("note: deploys happen on Friday", "actually on Monday I am away"),
        ("note: sign tokens with RS256", "sorry, with the last run it failed"),
        ("note: use tabs as indent", "no, as far as I know"),
        ("note: stored by hash", "no, by the way"),
        ("note: the limit is 30", "wrong branch"),
        ("note: the limit is 30", "sorry, wrong window"),
        ("note: uploads are chunked", "sorry, it was my network"),
        ("note: uploads are chunked", "actually, that was a flaky test"),
        ("note: sessions live in Redis", "no, leave the sessions for tomorrow"),
        ("note: sessions live in Redis", "no, keep the sessions until Monday"),
        ("note: sessions live in Redis", "no, leave the sessions as they are"),
        ("note: the parser drops comments", "actually the parser has a bug"),
        ("note: Anna owns billing", "no, Anna is on holiday"),
        ("note: the parser drops comments", "actually the parser still fails on empty input"),
        ("note: the parser drops comments", "sorry, the parser is broken on main"),
    ],
)
def test_what_is_only_said_along_the_way_corrects_nothing(note: str, said: str) -> None:
    assert not corrects(said, note)
