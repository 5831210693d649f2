"""The Gemini provider through the real google-genai, against the strict fake."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading

import pytest

from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.port import (
    ChatMessage,
    Finished,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolOutcome,
    ToolRequest,
    model_key,
)
from tests.fakes.behaviours import Answer, Call
from tests.fakes.gemini_server import GeminiFake
from tests.llm.asking import TOOLS, collect, follow_up, question

pytestmark = pytest.mark.anyio


async def test_text_and_thoughts_are_streamed_as_they_come(gemini: GeminiProvider, gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer(("It is ", "in auth.py."), thoughts=("The user asks ", "for login.")))

    *chunks, last = await collect(gemini, question())

    assert chunks == [
        ReasoningChunk("The user asks "),
        ReasoningChunk("for login."),
        TextChunk("It is "),
        TextChunk("in auth.py."),
    ]
    assert isinstance(last, Finished)
    assert last.reason == "stop"
    assert gemini_fake.bodies[0]["systemInstruction"]["parts"] == [{"text": "Be brief."}]


async def test_parallel_calls_and_their_signature_come_back_as_they_were_over_two_steps(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    calls = (Call("search_code", {"query": "login"}), Call("read_scope", {"name": "auth.login"}))
    gemini_fake.script(
        Answer("Let me look.", thoughts=("Two tools.",), calls=calls),
        Answer(calls=(Call("read_scope", {"name": "auth.check"}),)),
        Answer("In auth.py."),
    )

    first = question(tools=TOOLS)
    one = await complete(gemini, first)
    second = follow_up(first, one, model_key(gemini))
    two = await complete(gemini, second)
    third = follow_up(second, two, model_key(gemini))
    three = await complete(gemini, third)

    assert [(asked.name, asked.arguments) for asked in one.tool_requests] == [
        (call.name, call.arguments) for call in calls
    ]
    assert one.finished.reason == two.finished.reason == "tool_calls"
    assert three.text == "In auth.py."
    assert gemini_fake.refusals == []
    contents = gemini_fake.bodies[-1]["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user", "model", "user"]
    answered = [part["functionResponse"] for part in contents[2]["parts"]]
    assert [(each["id"], each["response"]) for each in answered] == [
        (one.tool_requests[0].id, {"output": "result of search_code"}),
        (one.tool_requests[1].id, {"output": "result of read_scope"}),
    ]
    assert contents[1]["parts"] == one.finished.provider_parts


async def test_a_signature_on_an_empty_text_part_comes_back_in_the_next_turn(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Answer("Hello."), Answer("Still here."))
    first = question()
    one = await complete(gemini, first)
    said = ChatMessage("assistant", one.text, provider_parts=one.finished.provider_parts, parts_model=model_key(gemini))

    await complete(gemini, dataclasses.replace(first, messages=(*first.messages, said, ChatMessage("user", "And?"))))

    returned = gemini_fake.bodies[-1]["contents"][1]["parts"]
    assert returned[-1]["text"] == ""
    assert returned[-1]["thoughtSignature"]


async def test_parts_of_another_model_are_told_anew_without_their_signatures(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer(calls=(Call("search_code", {"query": "x"}),)), Answer("done"))
    flash = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url)
    pro = GeminiProvider("gemini-3.8-pro", api_key=gemini_fake.api_key, base_url=gemini_fake.url)
    first = question(tools=TOOLS)

    one = await complete(flash, first)
    answer = await complete(pro, follow_up(first, one, model_key(flash)))

    assert answer.text == "done"
    assert gemini_fake.refusals == []
    signed = one.finished.provider_parts[0]["thoughtSignature"]
    assert signed not in json.dumps(gemini_fake.bodies[-1])
    await flash.aclose()
    await pro.aclose()


async def test_calls_without_ids_are_answered_without_ids(gemini: GeminiProvider, gemini_fake: GeminiFake) -> None:
    gemini_fake.script(
        Answer(calls=(Call("search_code", {"query": "x"}), Call("search_code", {"query": "y"})), ids=False),
        Answer("ok"),
    )
    first = question(tools=TOOLS)

    one = await complete(gemini, first)
    await complete(gemini, follow_up(first, one, model_key(gemini)))

    assert len({asked.id for asked in one.tool_requests}) == 2
    assert "id" not in gemini_fake.bodies[-1]["contents"][2]["parts"][0]["functionResponse"]


async def test_a_failed_tool_is_an_error_for_the_model_and_a_missing_result_is_filled_in(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Answer("ok"))
    asked = (ToolRequest("a", "search_code", {"query": "x"}), ToolRequest("b", "read_scope", {}))
    messages = (
        ChatMessage("user", "hi"),
        ChatMessage("assistant", "", asked),
        ChatMessage("tool", tool_outcomes=(ToolOutcome("b", "read_scope", "no such scope", is_error=True),)),
    )

    await complete(gemini, ModelRequest("", messages, TOOLS))

    responses = [part["functionResponse"]["response"] for part in gemini_fake.bodies[0]["contents"][2]["parts"]]
    assert responses == [{"error": "this tool was not run"}, {"error": "no such scope"}]


async def test_usage_counts_thoughts_and_cached_tokens_and_has_a_price(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    counts = {
        "promptTokenCount": 1000,
        "candidatesTokenCount": 100,
        "thoughtsTokenCount": 50,
        "cachedContentTokenCount": 400,
    }
    gemini_fake.script(Answer("hi", usage=counts))

    usage = (await complete(gemini, question())).finished.usage

    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens) == (
        1000,
        150,
        50,
        400,
    )
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0


async def test_two_answers_at_once_do_not_mix(gemini: GeminiProvider, gemini_fake: GeminiFake) -> None:
    release = threading.Event()
    gemini_fake.script(Answer("slow", slow=True, release=release), Answer("fast"))
    slow = asyncio.create_task(complete(gemini, question("1")))
    while not gemini_fake.bodies:  # noqa: ASYNC110 - the fake lives in another thread
        await asyncio.sleep(0.005)

    assert (await complete(gemini, question("2"))).text == "fast"
    release.set()
    assert (await slow).text == "slow"


async def test_the_transport_stays_where_aiohttp_can_be_imported(
    gemini: GeminiProvider, gemini_fake: GeminiFake, monkeypatch: pytest.MonkeyPatch
) -> None:
    from google.genai import _api_client

    monkeypatch.setattr(_api_client, "has_aiohttp", True)
    gemini_fake.script(Answer("over httpx2"))

    assert (await complete(gemini, question())).text == "over httpx2"
