"""A note is taken back: nothing is deleted, it is told as taken back, and what it corrected holds again."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.said.bare_corrections import read_acknowledged, retracts
from ragforge_memory.language.said.corrections import Corrections
from ragforge_memory.language.said.stock import KEPT, WHICH_RETRACTED, says_nothing
from ragforge_memory.llm.extractive.said.notes_before import last_noted
from ragforge_memory.llm.extractive.said.retractions import retracted_words
from ragforge_memory.llm.port import ChatMessage

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("forget the note about uploads", "uploads"),
        ("Please forget what we decided about Client.send.", "Client.send"),
        ("forget the Redis decision", "Redis"),
        ("drop the todo about the docs", "docs"),
        ("ignore everything I said about the retry limit", "retry limit"),
        ("the note about uploads no longer holds", "uploads"),
        ("the Redis decision is obsolete", "Redis"),
        ("what we decided about Redis doesn't apply any more", "Redis"),
        ("forget the update", ""),
        ("undo my last correction", ""),
        ("forget the note about the update script", "update script"),
        ("scratch that", ""),
        ("scratch that.", ""),
        ("no, scratch that", ""),
        ("undo that", ""),
        ("strike that", ""),
        ("delete my last note", ""),
        ("take that back", ""),
        ("never mind", ""),
        ("the privacy rule about IP addresses is obsolete", "IP addresses"),
        ("scrap the todo about the dead table", "dead table"),
        ("forget the header versioning", "header versioning"),
        ("forget: do not touch Account", "touch Account"),
        ("forget note: do not touch Account", "touch Account"),
        ("please forget the rule: note: all ports are even", "ports even"),
    ],
)
def test_what_an_order_takes_back(text: str, about: str) -> None:
    assert [each.form for each in read_questions(text)] == ["taken back"]
    assert retracts(text)
    assert retracted_words(text) == about


@pytest.mark.parametrize(
    "text",
    [
        "is the Redis decision obsolete?",
        "scratch that, the port is 80",
        "note: forget about uploads",
        "the upload rules are in core.py",
        "the upload no longer holds the lock",
        "forget what I said about retries, they are 5",
    ],
)
def test_what_states_or_asks_takes_nothing_back(text: str) -> None:
    assert not any(each.form == "taken back" for each in read_questions(text))


def test_what_was_noted_last_is_meant() -> None:
    noted = (ChatMessage("user", "note: a"), ChatMessage("assistant", "Noted: `what did we decide` lists it."))
    gone = ChatMessage(
        "assistant", 'Noted: `what did we decide` tells it as taken back.\n"undo that" takes back "note: a".'
    )
    quote = ChatMessage(
        "assistant", "What was said about `a`:\n- You, 2026-01-01 10:00, this conversation, message 0f:\n  > note: a"
    )
    assert last_noted("scratch that", noted) == last_noted("never mind", noted) == ("note: a",)
    assert last_noted("scratch that", (*noted, ChatMessage("user", "undo that"), gone)) == ()
    assert last_noted("scratch that", (quote,)) == ("note: a",)
    assert last_noted("never mind", (quote,)) == ()
    assert last_noted("scratch that", ()) == ()


def test_what_is_taken_back_corrects_nothing() -> None:
    met: Corrections[int] = Corrections()
    met.meet("assistant", 'Noted: `what did we decide` tells it as taken back.\n"undo that" takes back "no, 3".', 4)
    met.meet("assistant", 'Noted: `what did we decide` lists it.\n"no, 3" corrects "note: the limit is 2".', 3)
    assert met.of("no, 3") == ("undo that", 4)
    assert met.of("note: the limit is 2") is None
    met.meet(
        "assistant", 'Noted: `what did we decide` tells it as taken back.\n"undo that" takes back "the port is 9".', 2
    )
    met.meet("user", "the port is 9", 1)
    assert met.of("the port is 8") is None


def test_an_answer_may_take_back_several() -> None:
    answer = (
        'Noted: `what did we decide` tells it as taken back.\n"forget x" takes back "a".\n"forget x" takes back "b".'
    )
    assert read_acknowledged(answer) == [("forget x", "a"), ("forget x", "b")]


async def test_a_note_is_taken_back(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    services = await agent.open()

    async def ask(text: str) -> list[str]:
        await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        return (await talk.send_message(text)).content.splitlines()

    def quoted(answer: list[str]) -> list[str]:
        return [line.strip() for line in answer if line.startswith(("  >", "  ("))]

    for text in ("note: deposits are logged", "note: deposits are signed", "todo: sign the reports"):
        await ask(text)
    several = await ask("forget the note about deposits")
    assert quoted(several) == ["> note: deposits are signed", "> note: deposits are logged"]
    assert (several[0], several[-1]) == ("What was noted about `deposits`:", WHICH_RETRACTED)
    assert (await ask("forget the note about signed deposits"))[1:] == [
        '"forget the note about signed deposits" takes back "note: deposits are signed".'
    ]
    assert quoted(await ask("what did we decide about deposits?")) == [
        "> note: deposits are signed",
        '(taken back: "forget the note about signed deposits")',
        "> note: deposits are logged",
    ]
    assert (await ask("forget the todo about the reports"))[1:] == [
        '"forget the todo about the reports" takes back "todo: sign the reports".'
    ]
    assert quoted(await ask("what is left to do?")) == []
    assert says_nothing("\n".join(await ask("forget the note about withdrawals")))
    # What corrected something and is taken back corrects nothing.
    await ask("update: deposits are encrypted")
    assert [each.corrected and each.corrected.kind for each in await agent.decisions("deposits logged")] == [
        "corrected"
    ]
    assert (await ask("scratch that"))[1:] == ['"scratch that" takes back "update: deposits are encrypted".']
    assert [each.corrected for each in await agent.decisions("deposits logged")] == [None]
    assert [each.corrected and each.corrected.kind for each in await agent.decisions("deposits encrypted")] == [
        "taken back"
    ]
    # A second time it would mean anything; and what is said once more holds again.
    assert await ask("scratch that") == [KEPT]
    await ask("note: deposits are signed")
    holding = {each.text for each in await agent.decisions("deposits") if not each.doubtful}
    assert holding == {"note: deposits are signed", "note: deposits are logged"}
    assert (await ask("forget all notes about deposits"))[1:] == [
        '"forget all notes about deposits" takes back "note: deposits are signed".',
        '"forget all notes about deposits" takes back "note: deposits are logged".',
    ]


async def test_what_is_to_be_forgotten_may_be_said_as_it_was_noted(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    notes = ("note: do not touch Account", "note: do not touch Account.deposit", "note: all of Safe is slow")
    for text in (*notes, "note: Safe.open is slow"):
        await talk.send_message(text)

    async def forgets(text: str) -> list[str]:
        return (await talk.send_message(text)).content.splitlines()[1:]

    said = "forget: do not touch Account"
    assert await forgets(said) == [f'"{said}" takes back "{notes[0]}".']
    said = "forget note: all of Safe is slow"
    assert await forgets(said) == [f'"{said}" takes back "{notes[2]}".']
    decided = await agent.decisions()
    assert {each.text: each.corrected is None for each in decided} == {
        notes[0]: False,
        notes[1]: True,
        notes[2]: False,
        "note: Safe.open is slow": True,
    }
    # What is about a part of it stays.
    await talk.send_message("note: Safe has a currency")
    said = "forget what I said about Safe"
    assert [line for line in await forgets(said) if "open" in line] == []
    assert await forgets("forget: nobody said so") == []


async def test_what_a_correction_that_was_taken_back_had_corrected_is_told_as_it_is(
    agent: AsyncConversationAgent,
) -> None:
    talk = await agent.create_conversation()
    services = await agent.open()
    for text in ("note: withdrawals are limited to 10 euros", "no, 30 euros", "scratch that"):
        await talk.send_message(text)
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    told = (await talk.send_message("what did we decide about withdrawals?")).content
    assert [line.strip() for line in told.splitlines() if line.startswith("  ")] == [
        "> note: withdrawals are limited to 10 euros"
    ]
