"""Orders to remember and to forget: with a model too, none is asked, and both messages are kept."""

from __future__ import annotations

import pytest

from ragforge_memory import CODE_SEARCH_TOOLS, events
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.added import undo_message
from ragforge_memory.text import forms
from ragforge_memory.text.forms import read_form
from tests.agent.conftest import MakeAgent
from tests.memory.test_recall import asked

pytestmark = pytest.mark.anyio

ORDERS = (
    "/remember the parser keeps comments",
    "Remember that the parser keeps comments.",
    "please remember that the parser keeps comments",
    "save to memory: the parser keeps comments",
    "Note that the parser keeps comments.",
    "OK, please keep in mind that the parser keeps comments",
    "PLEASE, SAVE TO MEMORY: the parser keeps comments",
)


@pytest.mark.parametrize("order", ORDERS)
async def test_an_order_is_confirmed_and_both_messages_are_kept(make_agent: MakeAgent, order: str) -> None:
    model = ScriptedProvider(["Comments are kept."])
    async with make_agent(provider=model) as agent:
        talk = await agent.create_conversation()
        answer, seen = await asked(talk, order)
        assert answer.content.casefold().startswith('remembered: "')
        assert "the parser keeps comments" in answer.content
        assert (answer.model, answer.state, model.requests) == ("memory", "complete", [])
        [saved] = [each for each in seen if isinstance(each, events.MemorySaved)]
        assert "the parser keeps comments" in saved.content
        assert [each.role for each in await talk.get_history()] == ["user", "assistant"]
        # Said again, in whatever words of that order, it is known.
        again = await (await agent.create_conversation()).send_message("/remember The parser keeps comments!")
        assert again.content.startswith("That is remembered already: ")
        await (await agent.create_conversation()).send_message("What does the parser do with comments?")
        assert "the parser keeps comments" in model.requests[-1].system
        gone = await talk.send_message("/forget the parser keeps comments")
        assert gone.content.startswith("Forgotten: ")
        none = await talk.send_message("/forget the parser keeps comments")
        assert none.content == "Nothing that is remembered fits that, so nothing is forgotten."


async def test_facts_and_what_was_added_are_forgotten_by_their_words_and_undone(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        memory = agent.memory
        name = await memory.remember_fact("personal", "name", "Grace")
        added = await memory.add("total must return a Decimal")
        await memory.add("total must never return None")
        talk = await agent.create_conversation()
        several = await talk.send_message("/forget total must return")
        assert "several things fit" in several.content
        assert "total must return a Decimal" in several.content
        answers = [
            await talk.send_message(f"/forget {each}") for each in ("total must return a decimal", "name: Grace")
        ]
        assert [each.content for each in answers] == [
            'Forgotten: "total must return a Decimal".',
            'Forgotten: "name: Grace".',
        ]
        held = {each.content for each in (await memory.list()).items}
        assert held == {"total must never return None"}
        assert [each.is_active for each in (await memory.get(name.uuid), await memory.get(added.uuid))] == [
            False,
            False,
        ]
        asked_last = (await talk.get_history())[-2]
        services = await agent.open()
        assert services.stores.memories is not None
        assert services.memories is not None
        undone = await undo_message(services.stores.memories, services.memories, asked_last.uuid)
        assert undone.restored == ("name: Grace",)
        assert (await memory.get(name.uuid)).is_active


async def test_a_note_that_was_forgotten_is_no_decision_and_no_answer_quotes_it(make_agent: MakeAgent) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        talk = await agent.create_conversation()
        await talk.send_message("/remember the PIN of the safe hangs on the door")
        await talk.send_message("/remember the safe is painted green")
        [pin] = [each.uuid for each in (await agent.memory.list()).items if "PIN" in each.content]
        await agent.memory.forget(pin)
        other = await agent.create_conversation()
        answer = await other.send_message("Where is the PIN of the safe?")
        assert "painted green" in answer.content
        assert "hangs on the door" not in answer.content
        assert [each.text for each in (await agent.decisions()).items] == ["the safe is painted green"]
        # Who searches what was said finds it.
        found = await agent.search_messages("the PIN of the safe")
        assert any("hangs on the door" in each.message.content for each in found)
        await agent.memory.restore(pin)
        assert len((await agent.decisions()).items) == 2


async def test_facts_that_bear_on_a_question_are_quoted_without_a_model(make_agent: MakeAgent) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        await agent.memory.remember_fact("personal", "name", "Grace")
        await agent.memory.remember_fact("project", "linter", "ruff")
        talk = await agent.create_conversation()
        answer = await talk.send_message("What is my name?")
        first, fact, *_ = answer.content.splitlines()
        assert first == "Remembered:"
        assert fact.endswith('(fact): "name: Grace"')
        assert "ruff" not in answer.content


async def test_no_part_of_a_secret_is_looked_for_without_a_model(make_agent: MakeAgent) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        answer = await (await agent.create_conversation()).send_message("My password is Tr0ub4dor&3")
        calls = [str(each.arguments) + str(each.result) for each in answer.tool_calls]
        assert calls
        assert "Tr0ub4dor" not in answer.content + "".join(calls)


async def test_a_long_order_says_what_is_kept_of_it(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        talk = await agent.create_conversation()
        long = "the parser keeps comments " * 100
        answer = await talk.send_message(f"/remember {long}")
        [kept] = (await agent.memory.list()).items
        assert kept.content.endswith("…")
        assert 1_900 < len(kept.content) <= 2_000
        assert answer.content == f'Remembered: "{kept.content}".'


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember that the parser keeps comments?",
        "don't remember that the parser keeps comments",
        "> remember that the parser keeps comments\nwhat is that?",
        "```\nremember that x\n```\nwhat does this say?",
        "I remember that the parser kept comments.",
        "Please do you remember that the parser keeps comments?",
        "Never note that the parser keeps comments.",
        "please don't save to memory: the parser keeps comments",
        "Do not keep in mind that the parser keeps comments.",
        "please never remember that the parser keeps comments",
        '"Remember that the parser keeps comments."',
        'The page says "Do it. Remember that the parser keeps comments. Now."',
        "It says “Well. Please note that the parser keeps comments.” there.",
        "The text is `a. remember that b` and more.",
        "> save to memory: the parser keeps comments",
        "> note: the parser keeps comments",
        "```\n/remember x\n```",
        "Could you remember that the parser keeps comments?",
    ],
)
def test_what_is_not_an_order(text: str) -> None:
    assert read_form(text) is None


def test_quotation_marks_that_are_closed_quote_nothing() -> None:
    form = read_form('The log says "done". Remember that "done" is not the end.')
    assert form is not None
    assert form.text == '"done" is not the end.'


def test_the_forms_are_few() -> None:
    assert len(forms._LABELS) + len(forms._SENTENCES) + len(forms._ORDERS) <= 12


def test_an_order_in_a_longer_message_leaves_the_rest_to_the_model() -> None:
    form = read_form("Remember that we log nothing. And how does the parser work?")
    assert form is not None
    assert (form.kind, form.text, form.command) == ("note", "we log nothing.", False)
