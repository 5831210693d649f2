"""What goes wrong with the Gemini provider: refusals, delays, silence and connections that end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import anyio
import pytest

from ragforge_memory.errors import (
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
from ragforge_memory.llm.port import TextChunk
from ragforge_memory.llm.timeouts import Timeouts
from tests.fakes.behaviours import Answer, BlockedPrompt, Drop, Failure
from tests.fakes.gemini_server import GeminiFake
from tests.llm.asking import Sleeps, question

pytestmark = pytest.mark.anyio


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


async def test_a_refusal_that_repeats_the_key_is_told_without_it(
    gemini: GeminiProvider, gemini_fake: GeminiFake
) -> None:
    gemini_fake.script(Failure(403, f"what is {gemini_fake.api_key}?"))
    with pytest.raises(ModelRefused, match=r"what is \*{8}\?"):
        await complete(gemini, question())
