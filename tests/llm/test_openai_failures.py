"""What goes wrong with the OpenAI provider: refusals, delays, silence and connections that end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

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
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.port import TextChunk
from ragforge_memory.llm.timeouts import Timeouts
from tests.fakes.behaviours import Answer, BlockedPrompt, Drop, Failure
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import Sleeps, question

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        (Answer("so far", ending="cut"), ModelStreamCut, "broke off"),
        (Answer("so far", ending="no_finish"), ModelStreamCut, "finish reason"),
        (Answer("so far", ending="bad_json"), ModelMalformed, "JSON"),
        (Answer("so far", ending="error"), ModelUnavailable, "overloaded"),
        (Answer("so far", finish="content_filter"), ModelBlocked, "content_filter"),
        (BlockedPrompt(), ModelBlocked, "usage policy"),
    ],
)
async def test_an_answer_that_ends_badly_is_a_typed_error(
    model: OpenAIProvider,
    openai_fake: OpenAIFake,
    sleeps: Sleeps,
    behaviour: Answer | BlockedPrompt,
    error: type[ModelError],
    words: str,
) -> None:
    openai_fake.script(behaviour)

    with pytest.raises(error, match=words) as caught:
        await complete(model, question())

    assert caught.value.partial is isinstance(behaviour, Answer)
    assert sleeps.seconds == []


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (Failure(400, "bad request"), ModelRefused),
        (Failure(403, "not for you"), ModelRefused),
        (Failure(429, "You exceeded your current quota.", code="insufficient_quota"), ModelRefused),
        (Failure(429, "slow down", retry_after="600"), ModelRateLimited),
    ],
)
async def test_what_the_server_refuses_is_not_asked_again(
    model: OpenAIProvider, openai_fake: OpenAIFake, sleeps: Sleeps, failure: Failure, error: type[ModelError]
) -> None:
    openai_fake.script(failure)

    with pytest.raises(error) as caught:
        await complete(model, question())

    assert caught.value.__cause__ is not None
    assert (sleeps.seconds, len(openai_fake.bodies)) == ([], 1)


async def test_a_bad_key_and_an_unknown_model_are_said(openai_fake: OpenAIFake) -> None:
    keyless = OpenAIProvider("gpt-5.2", api_key="wrong", base_url=openai_fake.base_url)
    unknown = OpenAIProvider("gpt-9", api_key=openai_fake.api_key, base_url=openai_fake.base_url)

    with pytest.raises(ModelRefused, match="Incorrect API key") as refused:
        await complete(keyless, question())
    with pytest.raises(ModelRefused, match="gpt-9"):
        await complete(unknown, question())

    assert refused.value.hint == "check OPENAI_API_KEY"
    await keyless.aclose()
    await unknown.aclose()


@pytest.mark.parametrize(
    ("failure", "slept"),
    [
        (Failure(429, retry_after="4"), 4.0),
        (Failure(429, retry_after="9", retry_after_ms="250"), 0.25),
        (Failure(503, retry_after="2"), 2.0),
        (Failure(500), 1.0),
        (Failure(502, body="<html>Bad gateway</html>"), 1.0),
        (Drop(), 1.0),
        (Answer(ending="cut"), 1.0),
        (Answer(ending="bad_json"), 1.0),
    ],
)
async def test_a_failure_before_the_answer_is_recovered_after_the_vendors_delay(
    model: OpenAIProvider, openai_fake: OpenAIFake, sleeps: Sleeps, failure: Failure | Drop | Answer, slept: float
) -> None:
    openai_fake.script(failure, Answer("here"))

    assert (await complete(model, question())).text == "here"
    assert sleeps.seconds == [slept]


async def test_a_server_that_is_not_there_is_unavailable(openai_fake: OpenAIFake, sleeps: Sleeps) -> None:
    openai_fake.stop()
    provider = OpenAIProvider("m", base_url=openai_fake.base_url, retry=sleeps.policy(attempts=2))

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(provider, question())

    assert sleeps.seconds == [1.0]
    await provider.aclose()


@pytest.mark.parametrize(
    ("behaviour", "partial"), [(Answer("never", slow=True), False), (Answer("so far", ending="hang"), True)]
)
async def test_a_silent_model_times_out_and_its_connection_is_closed(
    openai_fake: OpenAIFake, behaviour: Answer, partial: bool
) -> None:
    openai_fake.script(behaviour)
    # A request that never came to the fake is not abandoned by anybody: it has a second to arrive.
    limits = Timeouts(first_chunk=30.0 if partial else 1.0, idle=1.0)
    provider = OpenAIProvider("gpt-5.2", api_key=openai_fake.api_key, base_url=openai_fake.base_url, timeouts=limits)

    with pytest.raises(ModelTimeout) as caught:
        await complete(provider, question())

    assert caught.value.partial is partial
    assert await asyncio.to_thread(openai_fake.abandoned.wait, 60)
    await provider.aclose()


async def test_the_time_for_connecting_has_its_own_limit(openai_fake: OpenAIFake, sleeps: Sleeps) -> None:
    provider = OpenAIProvider(
        "gpt-5.2",
        api_key=openai_fake.api_key,
        base_url=openai_fake.base_url,
        timeouts=Timeouts(connect=1e-9),
        retry=sleeps.policy(attempts=1),
    )

    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await complete(provider, question())

    await provider.aclose()


async def test_cancelling_the_task_closes_the_connection(model: OpenAIProvider, openai_fake: OpenAIFake) -> None:
    openai_fake.script(Answer("so far", ending="hang"))
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(model.stream(question())) as chunks:
            async for _ in chunks:
                begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await asyncio.to_thread(openai_fake.abandoned.wait, 60)


async def test_leaving_the_stream_closes_the_connection_at_once(model: OpenAIProvider, openai_fake: OpenAIFake) -> None:
    openai_fake.script(Answer(("one", "two"), ending="hang"))

    async with aclosing(model.stream(question())) as chunks:
        assert await anext(chunks) == TextChunk("one")

    assert await asyncio.to_thread(openai_fake.abandoned.wait, 60)


async def test_a_refusal_that_repeats_the_key_is_told_without_it(
    model: OpenAIProvider, openai_fake: OpenAIFake
) -> None:
    openai_fake.script(Failure(401, f"what is {openai_fake.api_key}?"))
    with pytest.raises(ModelRefused, match=r"what is \*{8}\?"):
        await complete(model, question())
