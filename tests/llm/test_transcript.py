"""Every tool request is answered once, in order, right after its message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragforge_memory.llm.port import ChatMessage, ToolOutcome, ToolRequest
from ragforge_memory.llm.transcript import NOT_ASKED, NOT_RUN, in_order

USER = ChatMessage("user", "hi")
A, B = ToolRequest("a", "first"), ToolRequest("b", "second")
ASKED = ChatMessage("assistant", "", (A, B))


def test_outcomes_take_the_order_of_their_requests() -> None:
    tools = ChatMessage("tool", tool_outcomes=(ToolOutcome("b", "second", "2"), ToolOutcome("a", "first", "1")))

    [_, _, answered] = in_order([USER, ASKED, tools])

    assert [outcome.content for outcome in answered.tool_outcomes] == ["1", "2"]


def test_what_was_not_run_is_an_error_and_what_nobody_asked_for_is_left_out() -> None:
    stray = ChatMessage("tool", tool_outcomes=(ToolOutcome("z", "other", "?"),))

    ordered = in_order([USER, stray, ASKED, ChatMessage("assistant", ""), USER])

    assert ordered == [
        USER,
        ASKED,
        ChatMessage(
            "tool",
            tool_outcomes=(ToolOutcome("a", "first", NOT_RUN, True), ToolOutcome("b", "second", NOT_RUN, True)),
        ),
        USER,
    ]


def test_an_answer_that_comes_first_has_somebody_to_answer() -> None:
    told = ChatMessage("assistant", "We met on Thursday.")

    assert in_order([ChatMessage("assistant", ""), told, USER]) == [ChatMessage("user", NOT_ASKED), told, USER]


_requests = st.lists(st.sampled_from("abc"), unique=True).map(
    lambda ids: tuple(ToolRequest(id_, f"tool_{id_}") for id_ in ids)
)
_outcomes = st.lists(st.sampled_from("abcd"), unique=True).map(
    lambda ids: tuple(ToolOutcome(id_, f"tool_{id_}", "r") for id_ in ids)
)
_messages = st.one_of(
    st.builds(ChatMessage, st.just("user"), st.text(max_size=3)),
    st.builds(ChatMessage, st.just("assistant"), st.text(max_size=3), _requests),
    st.builds(lambda outcomes: ChatMessage("tool", tool_outcomes=outcomes), _outcomes),
)


@given(st.lists(_messages, max_size=8))
def test_any_transcript_comes_out_in_order_and_stays_so(messages: list[ChatMessage]) -> None:
    ordered = in_order(messages)

    for place, message in enumerate(ordered):
        answers = ordered[place + 1] if place + 1 < len(ordered) else None
        if message.role == "tool":
            assert ordered[place - 1].tool_requests
        elif message.tool_requests:
            assert answers is not None
            assert [outcome.id for outcome in answers.tool_outcomes] == [asked.id for asked in message.tool_requests]
    assert not ordered or ordered[0].role == "user"
    assert in_order(ordered) == ordered
