"""Orders to remember and to forget: with a model too, none is asked, and both messages are kept."""

from __future__ import annotations

import pytest

from ragforge_memory import events
from ragforge_memory.llm.scripted import ScriptedProvider
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
