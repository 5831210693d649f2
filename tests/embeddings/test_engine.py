"""The embedding thread: order, cancellation, failure and its end. The model is scripted, the thread is real."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from ragforge_memory.embeddings.engine import PASSAGES, QUESTION, EmbeddingThread
from ragforge_memory.errors import EmbeddingError


class Model:
    """Holds each text until it is let through."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.begun = threading.Semaphore(0)
        self.go = threading.Semaphore(0)

    def _step(self, text: str) -> list[float]:
        self.begun.release()
        assert self.go.acquire(timeout=10)
        if text == "bad":
            raise ValueError("cannot")
        self.seen.append(text)
        return [float(len(text))]

    def question(self, text: str) -> list[float]:
        return self._step(text)

    def passage(self, text: str) -> list[float]:
        return self._step(text)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def thread(model: Model) -> Iterator[EmbeddingThread]:
    made = EmbeddingThread(lambda: model, name="test-embed")
    yield made
    made.stop()
    for _ in range(100):
        model.go.release()
    made.ended.result(timeout=10)
    made.join(10)


def test_a_question_goes_before_the_passages_that_wait(model: Model, thread: EmbeddingThread) -> None:
    passages = thread.submit(PASSAGES, ["a", "bb", "ccc"])
    assert model.begun.acquire(timeout=10)
    later = thread.submit(PASSAGES, ["later"])
    question = thread.submit(QUESTION, ["who?"])
    for _ in range(5):
        model.go.release()
    assert later.result(10) == [[5.0]]
    assert passages.result(10) == [[1.0], [2.0], [3.0]]
    assert question.result(10) == [[4.0]]
    assert model.seen == ["a", "who?", "bb", "ccc", "later"]


def test_a_cancelled_job_leaves_the_queue_half_way(model: Model, thread: EmbeddingThread) -> None:
    passages = thread.submit(PASSAGES, ["a", "b", "c"])
    assert model.begun.acquire(timeout=10)
    assert passages.cancel()
    question = thread.submit(QUESTION, ["q"])
    for _ in range(2):
        model.go.release()
    assert question.result(10) == [[1.0]]
    assert model.seen == ["a", "q"]
    with pytest.raises(CancelledError):
        passages.result()


def test_a_failing_job_leaves_the_thread_alive(model: Model, thread: EmbeddingThread) -> None:
    bad = thread.submit(PASSAGES, ["bad"])
    good = thread.submit(PASSAGES, ["good"])
    model.go.release()
    model.go.release()
    with pytest.raises(EmbeddingError, match="cannot") as failed:
        bad.result(10)
    assert isinstance(failed.value.__cause__, ValueError)
    assert good.result(10) == [[4.0]]


class Panic(BaseException):
    """As Rust code raises it: no Exception."""


def test_a_panic_of_the_tokenizer_is_an_error_of_its_job_alone(model: Model, thread: EmbeddingThread) -> None:
    def panics(text: str) -> list[float]:
        raise Panic(f"index out of range: {text}")

    model.question = panics  # type: ignore[method-assign]
    bad = thread.submit(QUESTION, ["q"])
    with pytest.raises(EmbeddingError, match="index out of range"):
        bad.result(10)
    good = thread.submit(PASSAGES, ["good"])
    model.go.release()
    assert good.result(10) == [[4.0]]


def test_what_waits_at_the_end_fails(model: Model, thread: EmbeddingThread) -> None:
    running = thread.submit(PASSAGES, ["a", "b"])
    assert model.begun.acquire(timeout=10)
    waiting = thread.submit(QUESTION, ["q"])
    thread.stop()
    model.go.release()
    thread.ended.result(timeout=10)
    for job in (running, waiting):
        with pytest.raises(EmbeddingError, match="closed"):
            job.result(10)
    with pytest.raises(EmbeddingError, match="closed"):
        thread.submit(QUESTION, ["q"])


def test_a_model_that_cannot_be_loaded_is_an_error_of_every_job() -> None:
    attempts: list[int] = []

    def load() -> Model:
        attempts.append(1)
        raise OSError("no such file")

    thread = EmbeddingThread(load, name="test-embed")
    for _ in range(2):
        with pytest.raises(EmbeddingError, match="no such file"):
            thread.submit(QUESTION, ["q"]).result(10)
    assert len(attempts) == 1, "the next attempt waits"
    thread.stop()
    thread.ended.result(timeout=10)
