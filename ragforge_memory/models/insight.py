"""What a model found in conversations, as values."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from ragforge_memory.models.conversation import Page, Usage
from ragforge_memory.models.shape import Shape

FailureReason = Literal["empty", "deleted", "invalid", "blocked", "model", "unreadable", "busy"]
StopReason = Literal["cost", "tokens", "model"]

with warnings.catch_warnings():
    # The property is named so in the graph; what it hides is a method that pydantic has given up.
    warnings.filterwarnings("ignore", message='Field name "schema"', category=UserWarning)

    class Insight(Shape):
        """What was found in one conversation: the answer to ``task``, which fits ``schema``, a JSON Schema.

        ``data`` is JSON; of a pydantic class, ``Class.model_validate(insight.data)`` makes an object of it again.
        ``to_seq`` is the last message of the conversation that it speaks of, ``model`` is ``provider:model``.
        """

        uuid: str
        conversation_id: str
        user_id: str | None = None
        project: str | None = None
        task: str
        schema: dict[str, Any]  # type: ignore[assignment]
        data: Any = None
        to_seq: int = 0
        created_at: datetime
        model: str | None = None


InsightPage = Page[Insight]
"""A page of insights, as `ConversationPage` is one of conversations."""


class InsightFailure(Shape):
    """A conversation that there is no insight of, and why.

    ``reason``: ``empty`` (nothing was said in it), ``deleted`` (meanwhile), ``invalid`` (the model's last answer fitted
    the schema as little as those before), ``blocked`` (by the vendor), ``model`` (it failed), ``unreadable`` (its texts
    are in files that are lost or that this agent does not read), ``busy`` (another process has been at it for more than
    ten minutes). ``message`` says more.
    """

    conversation_id: str
    reason: FailureReason
    message: str


class Insights(list[Insight]):
    """The insights of a run, in the order of the conversations that were asked for: a list.

    Args:
        items: those that there are now, whether they were made by this run or before.
        made: how many this run has made.
        failed: conversations without one, each with the reason.
        left: uuids of the conversations that the run did not come to because it was stopped.
        stopped: why: ``cost`` or ``tokens`` were used up, or the ``model`` failed again and again; None: it was not.
        usage: tokens and US dollars that this run took.
    """

    def __init__(
        self,
        items: Iterable[Insight] = (),
        *,
        made: int = 0,
        failed: tuple[InsightFailure, ...] = (),
        left: tuple[str, ...] = (),
        stopped: StopReason | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(items)
        self.made = made
        self.failed = failed
        self.left = left
        self.stopped = stopped
        self.usage = usage or Usage()
