"""One conversation's insight, asked of a model until its answer fits the schema, a bounded number of times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from ragforge_memory.agent.context.budget import Window, request_tokens
from ragforge_memory.errors import (
    InvalidInput,
    ModelError,
    ModelMalformed,
    ModelStreamCut,
    ModelTimeout,
)
from ragforge_memory.insights.schema import OutputSchema, UnfitAnswer
from ragforge_memory.insights.spending import Spending
from ragforge_memory.insights.text import instructions
from ragforge_memory.llm.asking import ModelAnswer, complete
from ragforge_memory.llm.port import ChatMessage, ModelProvider, ModelRequest, model_key
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.text import well_formed
from ragforge_memory.models.tokens import estimate_tokens

PURPOSE = "insight"
"""The purpose of these requests; see `llm.port.ModelRequest`."""

# The characters of an answer that does not fit that go back to the model, with what is wrong.
_SHOWN_AGAIN = 6_000
# What an answer that goes back and its correction take, in tokens: wide characters are one each.
_CORRECTION = 8_000
# A task and a schema of more than half of the window leave too little of the conversation.
_LEAST_SHARE = 2
# Those that a provider does not repeat itself, since part of an answer had come.
_ASKED_AGAIN = (ModelStreamCut, ModelMalformed)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every conversation: the task, the form of the answer, and the room there is for it.

    ``key`` is what an insight of this task and this form is known by, ``room`` the tokens that a conversation may take,
    ``correction`` those that are kept for an answer that goes back.
    """

    task: str
    form: OutputSchema
    key: str
    system: str
    room: int
    correction: int

    @classmethod
    def of(cls, task: str, form: OutputSchema, *, window: Window, today: date) -> Question:
        """The question, for a model of this window.

        Raises:
            InvalidInput: the task and the schema take more than half of the window.
        """
        system = instructions(task, form.text, today)
        taken = estimate_tokens(system)
        if taken > window.limit // _LEAST_SHARE:
            raise InvalidInput(
                f"the task and the schema are about {taken:,} tokens; the model's window has {window.tokens:,}",
                hint="a shorter task, a smaller schema, or a model with a larger window",
            )
        correction = min(_CORRECTION, window.limit // 8)
        return cls(task, form, form.key(task), system, window.limit - taken - correction, correction)


class Asker:
    """Asks a model."""

    def __init__(
        self, provider: ModelProvider, question: Question, spending: Spending, *, attempts: int, timeout: float
    ) -> None:
        self._provider = provider
        self._question = question
        self._spending = spending
        self._attempts = attempts
        self._timeout = timeout

    async def insight(self, conversation: str, keep: Callable[[Any], Any]) -> Any:
        """What the model finds in a conversation; ``keep`` gives what is kept of it.

        An answer that is not JSON or does not fit goes back with what is wrong.

        Raises:
            UnfitAnswer: the last answer did not fit either.
            ModelError: the model failed.
            Spent: the next request does not fit into what may be taken.
        """
        asked = [ChatMessage("user", conversation)]
        attempt = 0
        while True:
            attempt += 1
            request = ModelRequest(self._question.system, tuple(asked), purpose=PURPOSE)
            try:
                answer = await self._answer(request)
                return keep(self._question.form.read(answer.text))
            except _ASKED_AGAIN:
                if attempt >= self._attempts:
                    raise
            except UnfitAnswer as problem:
                if attempt >= self._attempts:
                    raise
                asked = [asked[0], *_correction(answer, problem, self._question.correction)]

    async def _answer(self, request: ModelRequest) -> ModelAnswer:
        given = request_tokens(request)
        async with self._spending.request(given) as begun:
            try:
                async with asyncio.timeout(self._timeout):
                    answer = await complete(self._provider, request)
            except TimeoutError as error:
                begun.taken = begun.likely
                raise ModelTimeout(
                    f"{model_key(self._provider)} took longer than {self._timeout:g} s for an insight",
                    hint="raise agent.model_timeout_seconds, or ask for less",
                ) from error
            except ModelError as error:
                # What had begun to come is paid for.
                begun.taken = begun.likely if error.partial else None
                raise
            begun.taken = _taken(answer, given, begun.likely)
        return answer


def _taken(answer: ModelAnswer, given: int, likely: Usage) -> Usage:
    """What an answer took, by the vendor's word; by our count where it says nothing."""
    usage = answer.finished.usage
    if not usage.input_tokens and not usage.output_tokens:
        usage = Usage(input_tokens=given, output_tokens=estimate_tokens(answer.text), cost_usd=usage.cost_usd)
    return usage if usage.cost_usd is not None else usage.model_copy(update={"cost_usd": likely.cost_usd})


def _correction(answer: ModelAnswer, problem: UnfitAnswer, room: int) -> list[ChatMessage]:
    said, most = well_formed(answer.text).strip(), min(_SHOWN_AGAIN, room)
    shown = said if len(said) <= most else f"{said[:most]}… (shortened)"
    cut = " It was cut off at your limit of tokens: be briefer." if answer.finished.reason == "length" else ""
    return [
        ChatMessage("assistant", shown or "(no answer)"),
        ChatMessage(
            "user",
            f"This answer cannot be used: {problem.message}.{cut}\n"
            "Give the whole answer again, corrected: one JSON value that fits the schema, and nothing else.",
        ),
    ]
