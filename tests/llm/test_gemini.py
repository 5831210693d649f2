"""The Gemini provider through the real google-genai, against the strict fake."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing

import anyio
import pytest

from ragforge_memory.errors import (
    ConfigError,
    ModelBlocked,
    ModelError,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelStreamCut,
    ModelTimeout,
    ModelUnavailable,
)
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.port import (
    ChatMessage,
    Finished,
    ModelAnswer,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolOutcome,
    ToolRequest,
    ToolRequestChunk,
    complete,
    model_key,
)
from ragforge_memory.llm.timeouts import Timeouts
from tests.fakes.behaviours import Answer, BlockedPrompt, Call, Drop, Failure
from tests.fakes.gemini_server import GeminiFake
from tests.llm.asking import TOOLS, Sleeps, collect, question

pytestmark = pytest.mark.anyio


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture
async def gemini(gemini_fake: GeminiFake, sleeps: Sleeps) -> AsyncIterator[GeminiProvider]:
    provider = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url, retry=sleeps.policy())
    yield provider
    await provider.aclose()


def follow_up(request: ModelRequest, answer: ModelAnswer, key: str) -> ModelRequest:
    """The next step of the turn: what was asked for is answered, after a trip through JSON as from the graph."""
    parts = json.loads(json.dumps(answer.finished.provider_parts))
    said = ChatMessage("assistant", answer.text, answer.tool_requests, provider_parts=parts, parts_model=key)
    outcomes = tuple(ToolOutcome(asked.id, asked.name, f"result of {asked.name}") for asked in answer.tool_requests)
    return dataclasses.replace(request, messages=(*request.messages, said, ChatMessage("tool", tool_outcomes=outcomes)))


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


async def test_characters_torn_across_packets_and_unicode_line_breaks_arrive_whole(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    text = "naïve 漢字 \u2028 next \u2029 \x85 🙂"
    gemini_fake.script(Answer(text, split=1))

    assert (await complete(gemini, question())).text == text


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


async def test_an_answer_cut_at_the_limit_is_an_answer(gemini: GeminiProvider, gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer("half of", finish="MAX_TOKENS"))

    answer = await complete(gemini, question())

    assert (answer.text, answer.finished.reason) == ("half of", "length")


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        (Answer("so far", ending="cut"), ModelStreamCut, "broke off"),
        (Answer("so far", ending="no_finish"), ModelStreamCut, "finish reason"),
        (Answer("so far", ending="bad_json"), ModelMalformed, "JSON"),
        (Answer("so far", ending="error"), ModelUnavailable, "overloaded"),
        (Answer("so far", finish="SAFETY"), ModelBlocked, "SAFETY"),
        (Answer("so far", finish="RECITATION"), ModelBlocked, "RECITATION"),
        (Answer("so far", finish="MALFORMED_FUNCTION_CALL"), ModelMalformed, "tool call"),
        (BlockedPrompt(), ModelBlocked, "PROHIBITED_CONTENT"),
    ],
)
async def test_an_answer_that_ends_badly_is_a_typed_error(
    gemini: GeminiProvider,
    gemini_fake: GeminiFake,
    sleeps: Sleeps,
    behaviour: Answer | BlockedPrompt,
    error: type[ModelError],
    words: str,
) -> None:
    gemini_fake.script(behaviour)

    with pytest.raises(error, match=words) as caught:
        await complete(gemini, question())

    assert caught.value.partial is isinstance(behaviour, Answer)
    assert sleeps.seconds == []


@pytest.mark.parametrize(
    ("failure", "error", "hint"),
    [
        (Failure(400, "Request contains an invalid argument."), ModelRefused, None),
        (Failure(403, "Your project is denied."), ModelRefused, "GEMINI_API_KEY"),
        (Failure(404, "models/x is not found"), ModelRefused, "gemini-3.8-flash"),
        (Failure(429, "quota", retry_delay="3600s"), ModelRateLimited, "wait"),
    ],
)
async def test_what_the_vendor_refuses_is_not_asked_again(
    gemini: GeminiProvider,
    gemini_fake: GeminiFake,
    sleeps: Sleeps,
    failure: Failure,
    error: type[ModelError],
    hint: str | None,
) -> None:
    gemini_fake.script(failure)

    with pytest.raises(error) as caught:
        await complete(gemini, question())

    assert caught.value.__cause__ is not None
    assert hint is None or hint in (caught.value.hint or "")
    assert (sleeps.seconds, len(gemini_fake.bodies)) == ([], 1)


async def test_a_bad_key_and_an_unknown_model_are_said(gemini_fake: GeminiFake) -> None:
    keyless = GeminiProvider(api_key="wrong", base_url=gemini_fake.url)
    unknown = GeminiProvider("gemini-9", api_key=gemini_fake.api_key, base_url=gemini_fake.url)

    with pytest.raises(ModelRefused, match="API key not valid") as refused:
        await complete(keyless, question())
    with pytest.raises(ModelRefused, match="gemini-9"):
        await complete(unknown, question())

    assert refused.value.hint == "check GEMINI_API_KEY"
    await keyless.aclose()
    await unknown.aclose()


@pytest.mark.parametrize(
    ("failure", "slept"),
    [
        (Failure(429, retry_delay="7.5s"), 7.5),
        (Failure(429, retry_after="4"), 4.0),
        (Failure(503, retry_after="2"), 2.0),
        (Failure(500), 1.0),
        (Failure(502, body="<html>Bad gateway</html>"), 1.0),
        (Drop(), 1.0),
        (Answer(ending="no_finish", signed=False), 1.0),
        (Answer(finish="MALFORMED_FUNCTION_CALL", thoughts=("hm",), signed=False), 1.0),
    ],
)
async def test_a_failure_before_the_answer_is_recovered_after_the_vendors_delay(
    gemini: GeminiProvider, gemini_fake: GeminiFake, sleeps: Sleeps, failure: Failure | Drop | Answer, slept: float
) -> None:
    gemini_fake.script(failure, Answer("here"))

    assert (await complete(gemini, question())).text == "here"
    assert sleeps.seconds == [slept]


async def test_it_gives_up_after_four_requests(gemini: GeminiProvider, gemini_fake: GeminiFake, sleeps: Sleeps) -> None:
    gemini_fake.script(*[Failure(503)] * 4, Answer("too late"))

    with pytest.raises(ModelUnavailable):
        await complete(gemini, question())

    assert sleeps.seconds == [1.0, 2.0, 4.0]
    assert gemini_fake.unused == 1


async def test_a_server_that_is_not_there_is_unavailable(gemini_fake: GeminiFake, sleeps: Sleeps) -> None:
    gemini_fake.stop()
    provider = GeminiProvider(api_key="k", base_url=gemini_fake.url, retry=sleeps.policy(attempts=2))

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(provider, question())

    assert sleeps.seconds == [1.0]
    await provider.aclose()


@pytest.mark.parametrize(
    ("behaviour", "partial"), [(Answer("never", slow=True), False), (Answer("so far", ending="hang"), True)]
)
async def test_a_silent_model_times_out_and_its_connection_is_closed(
    gemini_fake: GeminiFake, behaviour: Answer, partial: bool
) -> None:
    gemini_fake.script(behaviour)
    limits = Timeouts(first_chunk=30.0 if partial else 1.0, idle=1.0)
    provider = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url, timeouts=limits)

    with pytest.raises(ModelTimeout) as caught:
        await complete(provider, question())

    assert caught.value.partial is partial
    assert await asyncio.to_thread(gemini_fake.abandoned.wait, 60)
    await provider.aclose()


async def test_the_time_for_connecting_has_its_own_limit(gemini_fake: GeminiFake, sleeps: Sleeps) -> None:
    provider = GeminiProvider(
        api_key=gemini_fake.api_key,
        base_url=gemini_fake.url,
        timeouts=Timeouts(connect=1e-9),
        retry=sleeps.policy(attempts=1),
    )

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(provider, question())

    await provider.aclose()


async def test_cancelling_the_task_closes_the_connection(gemini: GeminiProvider, gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer("so far", ending="hang"))
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(gemini.stream(question())) as chunks:
            async for _ in chunks:
                begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await asyncio.to_thread(gemini_fake.abandoned.wait, 60)


async def test_a_cancel_scope_that_cancels_every_await_closes_the_connection_too(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Answer("so far", ending="hang"))

    with anyio.CancelScope() as scope:
        async with aclosing(gemini.stream(question())) as chunks:
            async for _ in chunks:
                asyncio.get_running_loop().call_soon(scope.cancel)

    assert scope.cancelled_caught
    assert await asyncio.to_thread(gemini_fake.abandoned.wait, 60)


async def test_leaving_the_stream_closes_the_connection_at_once(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Answer(("one", "two"), ending="hang"))

    async with aclosing(gemini.stream(question())) as chunks:
        assert await anext(chunks) == TextChunk("one")

    assert await asyncio.to_thread(gemini_fake.abandoned.wait, 60)


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


async def test_every_chunk_comes_before_finished_and_requests_keep_their_order(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Answer("text", calls=(Call("search_code", {"query": "a"}), Call("search_code", {"query": "b"}))))

    chunks = await collect(gemini, question(tools=TOOLS))

    assert [type(chunk) for chunk in chunks] == [TextChunk, ToolRequestChunk, ToolRequestChunk, Finished]


def test_no_key_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="API key") as caught:
        GeminiProvider(api_key=" ")

    assert caught.value.hint == "set GEMINI_API_KEY"


async def test_no_test_reaches_the_real_vendor() -> None:
    provider = GeminiProvider(api_key="looks-real")

    with pytest.raises(ConfigError, match="RAGFORGE_ALLOW_MODEL_REQUESTS"):
        await complete(provider, question())
