"""What both vendors' providers do alike: above all what goes wrong, from refusals to connections that end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

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
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.port import ModelProvider, TextChunk
from ragforge_memory.llm.timeouts import Timeouts
from tests.fakes.behaviours import Answer, Behaviour, BlockedPrompt, Drop, Failure
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import Sleeps, question

pytestmark = pytest.mark.anyio


@dataclass
class Vendor:
    """A strict fake, and what makes a provider that asks it."""

    fake: GeminiFake | OpenAIFake
    provider: Callable[..., ModelProvider]
    key: str
    model: ModelProvider


@pytest.fixture(params=["gemini", "openai"])
async def vendor(request: pytest.FixtureRequest, sleeps: Sleeps) -> AsyncIterator[Vendor]:
    """One vendor after the other."""
    fake: GeminiFake | OpenAIFake
    with GeminiFake() if request.param == "gemini" else OpenAIFake() as fake:

        def provider(**given: Any) -> ModelProvider:
            given = {"api_key": fake.api_key, "retry": sleeps.policy(), **given}
            if isinstance(fake, GeminiFake):
                return GeminiProvider(**{"base_url": fake.url, **given})
            return OpenAIProvider(**{"model": "gpt-5.2", "base_url": fake.base_url, **given})

        model = provider()
        yield Vendor(fake, provider, f"{request.param.upper()}_API_KEY", model)
        await model.aclose()


async def test_characters_torn_across_packets_and_unicode_line_breaks_arrive_whole(vendor: Vendor) -> None:
    text = "naïve 漢字 \u2028 next \u2029 \x85 🙂"
    vendor.fake.script(Answer(text, split=1))
    assert (await complete(vendor.model, question())).text == text


async def test_an_answer_cut_at_the_limit_is_an_answer(vendor: Vendor) -> None:
    vendor.fake.script(Answer("half of", finish="MAX_TOKENS" if isinstance(vendor.fake, GeminiFake) else "length"))
    answer = await complete(vendor.model, question())
    assert (answer.text, answer.finished.reason) == ("half of", "length")


async def test_without_a_key_and_in_a_test_no_vendor_is_asked() -> None:
    for kind, variable in ((GeminiProvider, "GEMINI_API_KEY"), (OpenAIProvider, "OPENAI_BASE_URL")):
        with pytest.raises(ConfigError, match="API key") as caught:
            kind(api_key=" ")
        assert variable in (caught.value.hint or "")
        with pytest.raises(ConfigError, match="RAGFORGE_ALLOW_MODEL_REQUESTS"):
            await complete(kind(api_key="looks-real"), question())


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        (Answer("so far", ending="cut"), ModelStreamCut, "broke off"),
        (Answer("so far", ending="no_finish"), ModelStreamCut, "finish reason"),
        (Answer("so far", ending="bad_json"), ModelMalformed, "JSON"),
        (Answer("so far", ending="error"), ModelUnavailable, "overloaded"),
        (BlockedPrompt(), ModelBlocked, "usage policy|PROHIBITED_CONTENT"),
    ],
)
async def test_an_answer_that_ends_badly_is_a_typed_error(
    vendor: Vendor, sleeps: Sleeps, behaviour: Behaviour, error: type[ModelError], words: str
) -> None:
    vendor.fake.script(behaviour)
    with pytest.raises(error, match=words) as caught:
        await complete(vendor.model, question())
    assert caught.value.partial is isinstance(behaviour, Answer)
    assert sleeps.seconds == []


@pytest.mark.parametrize(
    ("finish", "error"),
    [("SAFETY", ModelBlocked), ("RECITATION", ModelBlocked), ("MALFORMED_FUNCTION_CALL", ModelMalformed)],
)
async def test_geminis_reasons_to_finish_are_typed_errors(
    gemini: GeminiProvider, gemini_fake: GeminiFake, finish: str, error: type[ModelError]
) -> None:
    gemini_fake.script(Answer("so far", finish=finish))
    with pytest.raises(error):
        await complete(gemini, question())


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Failure(400, "bad request"), ModelRefused),
        (Failure(403, "not for you"), ModelRefused),
        (Failure(429, "slow down", retry_after="3600"), ModelRateLimited),
    ],
)
async def test_what_the_vendor_refuses_is_not_asked_again(
    vendor: Vendor, sleeps: Sleeps, failure: Failure, error: type[ModelError]
) -> None:
    vendor.fake.script(failure)
    with pytest.raises(error) as caught:
        await complete(vendor.model, question())
    assert caught.value.__cause__ is not None
    assert (sleeps.seconds, len(vendor.fake.bodies)) == ([], 1)


async def test_a_quota_that_is_used_up_is_a_refusal(model: OpenAIProvider, openai_fake: OpenAIFake) -> None:
    openai_fake.script(Failure(429, "You exceeded your current quota.", code="insufficient_quota"))
    with pytest.raises(ModelRefused):
        await complete(model, question())


async def test_a_bad_key_and_an_unknown_model_are_said_and_no_key_is_repeated(vendor: Vendor) -> None:
    keyless, unknown = vendor.provider(api_key="wrong"), vendor.provider(model="gemini-9")
    with pytest.raises(ModelRefused, match=r"Incorrect API key|API key not valid") as refused:
        await complete(keyless, question())
    with pytest.raises(ModelRefused, match="gemini-9"):
        await complete(unknown, question())
    assert refused.value.hint == f"check {vendor.key}"
    vendor.fake.script(Failure(403, f"what is {vendor.fake.api_key}?"))
    with pytest.raises(ModelRefused, match=r"what is \*{8}\?"):
        await complete(vendor.model, question())
    await keyless.aclose()
    await unknown.aclose()


@pytest.mark.parametrize(
    ("failure", "slept"),
    [
        (Failure(429, retry_after="4"), 4.0),
        (Failure(503, retry_after="2"), 2.0),
        (Failure(500), 1.0),
        (Failure(502, body="<html>Bad gateway</html>"), 1.0),
        (Drop(), 1.0),
        (Answer(ending="no_finish", signed=False), 1.0),
    ],
)
async def test_a_failure_before_the_answer_is_recovered_after_the_vendors_delay(
    vendor: Vendor, sleeps: Sleeps, failure: Behaviour, slept: float
) -> None:
    vendor.fake.script(failure, Answer("here"))
    assert (await complete(vendor.model, question())).text == "here"
    assert sleeps.seconds == [slept]


async def test_each_vendors_own_form_of_a_delay_is_read(
    gemini: GeminiProvider, gemini_fake: GeminiFake, model: OpenAIProvider, openai_fake: OpenAIFake, sleeps: Sleeps
) -> None:
    gemini_fake.script(Failure(429, retry_delay="7.5s"), Answer("here"))
    openai_fake.script(Failure(429, retry_after="9", retry_after_ms="250"), Answer("here"))
    for each in (gemini, model):
        assert (await complete(each, question())).text == "here"
    assert sleeps.seconds == [7.5, 0.25]


async def test_it_gives_up_after_four_requests(vendor: Vendor, sleeps: Sleeps) -> None:
    vendor.fake.script(*[Failure(503)] * 4, Answer("too late"))
    with pytest.raises(ModelUnavailable):
        await complete(vendor.model, question())
    assert sleeps.seconds == [1.0, 2.0, 4.0]
    assert vendor.fake.unused == 1


async def test_a_server_that_is_not_there_or_takes_too_long_to_connect_is_unavailable(
    vendor: Vendor, sleeps: Sleeps
) -> None:
    slow = vendor.provider(timeouts=Timeouts(connect=1e-9), retry=sleeps.policy(attempts=1))
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(slow, question())
    vendor.fake.stop()
    gone = vendor.provider(retry=sleeps.policy(attempts=2))
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(gone, question())
    assert sleeps.seconds == [1.0]
    await slow.aclose()
    await gone.aclose()


@pytest.mark.parametrize(
    ("behaviour", "partial"), [(Answer("never", slow=True), False), (Answer("so far", ending="hang"), True)]
)
async def test_a_silent_model_times_out_and_its_connection_is_closed(
    vendor: Vendor, behaviour: Answer, partial: bool
) -> None:
    vendor.fake.script(behaviour)
    # A request that never came to the fake is not abandoned by anybody: it has a second to arrive.
    provider = vendor.provider(timeouts=Timeouts(first_chunk=30.0 if partial else 1.0, idle=1.0))
    with pytest.raises(ModelTimeout) as caught:
        await complete(provider, question())
    assert caught.value.partial is partial
    assert await asyncio.to_thread(vendor.fake.abandoned.wait, 60)
    await provider.aclose()


async def test_cancelling_the_task_closes_the_connection(vendor: Vendor) -> None:
    vendor.fake.script(Answer("so far", ending="hang"))
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(vendor.model.stream(question())) as chunks:
            async for _ in chunks:
                begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(vendor.fake.abandoned.wait, 60)


async def test_a_cancel_scope_that_cancels_every_await_closes_the_connection_too(vendor: Vendor) -> None:
    vendor.fake.script(Answer("so far", ending="hang"))
    with anyio.CancelScope() as scope:
        async with aclosing(vendor.model.stream(question())) as chunks:
            async for _ in chunks:
                asyncio.get_running_loop().call_soon(scope.cancel)
    assert scope.cancelled_caught
    assert await asyncio.to_thread(vendor.fake.abandoned.wait, 60)


async def test_leaving_the_stream_closes_the_connection_at_once(vendor: Vendor) -> None:
    vendor.fake.script(Answer(("one", "two"), ending="hang"))
    async with aclosing(vendor.model.stream(question())) as chunks:
        assert await anext(chunks) == TextChunk("one")
    assert await asyncio.to_thread(vendor.fake.abandoned.wait, 60)
