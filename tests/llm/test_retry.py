"""Which failures are worth another request, and after how long."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime

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
from ragforge_memory.llm.port import Finished, ModelChunk, ReasoningChunk, TextChunk
from ragforge_memory.llm.retry import with_retries
from ragforge_memory.vendors.retry import RetryPolicy, duration_seconds, retry_after_header
from tests.llm.asking import Sleeps

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def attempts(*scripts: list[ModelChunk | ModelError]) -> Callable[[], AsyncGenerator[ModelChunk, None]]:
    """An attempt for each script; an error is raised where it stands."""
    left = iter(scripts)

    async def attempt() -> AsyncGenerator[ModelChunk, None]:
        for piece in next(left):
            if isinstance(piece, ModelError):
                raise piece
            yield piece

    return attempt


async def run(sleeps: Sleeps, *scripts: list[ModelChunk | ModelError]) -> list[ModelChunk]:
    return [chunk async for chunk in with_retries(sleeps.policy(), attempts(*scripts))]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:20 GMT"}, 20.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_the_header_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_header(headers, now=NOW) == seconds


@pytest.mark.parametrize(("text", "seconds"), [("34.5s", 34.5), ("7s", 7.0), ("7", None), ("-1s", None), (7, None)])
def test_the_duration_of_retry_info_is_read(text: object, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


def test_without_a_word_of_the_vendor_the_delay_doubles_up_to_its_cap() -> None:
    high = RetryPolicy(attempts=8, draw=lambda: 1.0)
    low = RetryPolicy(attempts=8, draw=lambda: 0.0)
    error = ModelUnavailable("x")

    assert [high.delay(n, error) for n in range(1, 9)] == [1, 2, 4, 8, 16, 30, 30, None]
    assert [low.delay(n, error) for n in range(1, 4)] == [0.5, 1, 2]


def test_a_vendor_that_wants_more_than_the_cap_is_not_asked_again() -> None:
    policy = RetryPolicy()

    assert policy.delay(1, ModelRateLimited("x", retry_after=30.0)) == 30.0
    assert policy.delay(1, ModelRateLimited("x", retry_after=30.1)) is None


@pytest.mark.parametrize("error", [ModelRefused("x"), ModelBlocked("x"), ModelTimeout("x"), ModelError("x")])
def test_what_would_fail_again_stands(error: ModelError) -> None:
    assert RetryPolicy().delay(1, error) is None


async def test_the_first_good_attempt_is_passed_on() -> None:
    sleeps = Sleeps()

    chunks = await run(sleeps, [ModelStreamCut("x")], [ModelUnavailable("x")], [TextChunk("a"), Finished("stop")])

    assert chunks == [TextChunk("a"), Finished("stop")]
    assert sleeps.seconds == [1.0, 2.0]


async def test_nothing_is_repeated_once_something_was_said() -> None:
    sleeps = Sleeps()

    with pytest.raises(ModelStreamCut) as caught:
        await run(sleeps, [TextChunk("a"), ModelStreamCut("x")], [TextChunk("again")])

    assert caught.value.partial
    assert sleeps.seconds == []


async def test_a_malformed_call_after_mere_reasoning_is_asked_for_again() -> None:
    sleeps = Sleeps()
    thought = ReasoningChunk("hm")

    chunks = await run(sleeps, [thought, ModelMalformed("x")], [thought, TextChunk("a")])

    assert chunks == [thought, thought, TextChunk("a")]
    with pytest.raises(ModelStreamCut):
        await run(sleeps, [thought, ModelStreamCut("x")], [TextChunk("a")])
