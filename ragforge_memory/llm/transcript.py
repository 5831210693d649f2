"""The order that every vendor insists on: the user speaks first, and each tool request is answered, once, in order,
right after its message."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ragforge_memory.llm.port import ChatMessage, ToolOutcome, ToolRequest

NOT_RUN = "this tool was not run"

NOT_ASKED = "(no question)"


def in_order(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages with every request answered by the tool message that follows it, in the requests' order.

    A request without an outcome (a turn that was cut off) gets an error outcome; outcomes that nobody asked for
    and assistant messages that say nothing are left out. Before an answer that comes first the user holds the place of
    its question: some vendors, and chat templates of local models, take no other beginning. The rest is as it was.
    """
    ordered: list[ChatMessage] = []
    waiting: tuple[ToolRequest, ...] = ()
    for message in messages:
        if message.role == "tool":
            if waiting:
                ordered.append(_answered(waiting, message.tool_outcomes))
                waiting = ()
            continue
        if waiting:
            ordered.append(_answered(waiting, ()))
            waiting = ()
        if message.role == "assistant" and not (message.content or message.tool_requests):
            continue
        ordered.append(message)
        if message.role == "assistant":
            waiting = message.tool_requests
    if waiting:
        ordered.append(_answered(waiting, ()))
    if ordered and ordered[0].role == "assistant":
        ordered.insert(0, ChatMessage("user", NOT_ASKED))
    return ordered


def _answered(requests: tuple[ToolRequest, ...], outcomes: tuple[ToolOutcome, ...]) -> ChatMessage:
    by_id = {outcome.id: outcome for outcome in outcomes}
    missing = {
        request.id: ToolOutcome(request.id, request.name, request.error or NOT_RUN, is_error=True)
        for request in requests
    }
    return ChatMessage(
        role="tool",
        tool_outcomes=tuple(
            dataclasses.replace(by_id.get(request.id, missing[request.id]), name=request.name) for request in requests
        ),
    )
