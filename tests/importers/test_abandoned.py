"""What the user went back from is a branch of the conversation that the program shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.agent.conftest import MakeAgent
from tests.importers.reading import lines
from tests.importers.test_chatgpt import node, tree
from tests.importers.test_claude_code import line, uuid
from tests.importers.test_growth import taken

pytestmark = pytest.mark.anyio


def _turn(number: int, asked: str, answer: str, *, after: int | None) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": answer}]
    return [
        line(number, "user", asked, after=after),
        line(number + 1, "assistant", text, after=number, message={"id": f"m{number}"}),
    ]


FIRST = _turn(1, "Add a retry.", "How many times?", after=None)
REWOUND = [
    *FIRST,
    *_turn(3, "Ten times.", "Ten times, no delay.", after=2),
    *_turn(5, "Or eleven.", "Eleven.", after=4),
    *_turn(7, "Or twelve.", "Twelve.", after=4),
    *_turn(9, "Three times.", "Three times, 1 s.", after=2),
]
WAYS = [
    ["Add a retry.", "How many times?", "Three times.", "Three times, 1 s."],
    ["Add a retry.", "How many times?", "Ten times.", "Ten times, no delay.", "Or eleven.", "Eleven."],
    ["Add a retry.", "How many times?", "Ten times.", "Ten times, no delay.", "Or twelve.", "Twelve."],
]


async def _ways(agent: AsyncConversationAgent) -> list[list[str]]:
    page = await agent.list_conversations(limit=50)
    found = [await (await agent.load_conversation(each.uuid)).get_history() for each in page]
    return sorted([message.content for message in each] for each in found)


async def test_a_session_with_rewinds(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        report = await taken(agent, lines(REWOUND))
        assert (report.conversations, report.messages, report.left_out) == (3, 10, {})
        assert await _ways(agent) == sorted(WAYS)
        root = await agent.load_conversation(report.imported[0])
        assert [each.content for each in await root.get_history()] == WAYS[0]
        tree_ = await root.branches()
        assert [each.from_seq for each in tree_.branches] == [2]
        assert [each.from_seq for each in tree_.branches[0].branches] == [4]
        again = await taken(agent, lines(REWOUND))
        assert (again.unchanged, again.messages, again.conversations, again.left_out) == (1, 0, 0, {})


async def test_a_session_with_rewinds_that_grew_has_the_same_ways(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        for end in range(1, len(REWOUND) + 1):
            await taken(agent, lines(REWOUND[:end]))
        assert await _ways(agent) == sorted(WAYS)


CONDENSED = [
    *FIRST,
    *_turn(3, "Ten times.", "Ten times, no delay.", after=2),
    *_turn(5, "Three times.", "Three times, 1 s.", after=2),
    {**line(7, "system", "", after=None), "logicalParentUuid": uuid(6)},
    line(8, "user", "They want three.", after=7, isCompactSummary=True),
    *_turn(9, "And then?", "Then it fails.", after=8),
    *_turn(11, "Behind a gap.", "Fine.", after=99),
]
AT_THE_ROOT = [*FIRST, *_turn(3, "Three.", "Why?", after=2), *_turn(5, "A cache.", "Which?", after=None)]


@pytest.mark.parametrize(
    ("talk", "ways"),
    [
        (
            CONDENSED,
            [
                [*WAYS[0], "They want three.", "And then?", "Then it fails.", "Behind a gap.", "Fine."],
                ["Add a retry.", "How many times?", "Ten times.", "Ten times, no delay."],
            ],
        ),
        (AT_THE_ROOT, [["A cache.", "Which?"], ["Add a retry.", "How many times?", "Three.", "Why?"]]),
    ],
)
@pytest.mark.parametrize("grows", [False, True])
async def test_what_comes_behind_a_rewind_is_of_one_way_alone(
    make_agent: MakeAgent, talk: list[Any], ways: list[list[str]], grows: bool
) -> None:
    async with make_agent() as agent:
        for end in range(1 if grows else len(talk), len(talk) + 1):
            await taken(agent, lines(talk[:end]))
        assert await _ways(agent) == sorted(ways)


async def test_two_windows_on_one_session_stay_apart(make_agent: MakeAgent) -> None:
    here, there = _turn(3, "One?", "One.", after=2), _turn(5, "Two?", "Two.", after=2)
    more, others = _turn(7, "More?", "More.", after=4), _turn(9, "Others?", "Others.", after=6)
    async with make_agent() as agent:
        for talk in ([*FIRST, here[0], there[0], here[1], there[1]], [*FIRST, *here, *there, *more, *others]):
            await taken(agent, lines(talk))
        begun = ["Add a retry.", "How many times?"]
        assert await _ways(agent) == [
            [*begun, "One?", "One.", "More?", "More."],
            [*begun, "Two?", "Two.", "Others?", "Others."],
        ]


@pytest.mark.parametrize(("how", "left_out"), [("skip", {"abandoned branch": 6}), ("copy", {"abandoned branch": 6})])
async def test_what_is_skipped_or_copied_has_no_branches(
    make_agent: MakeAgent, how: Any, left_out: dict[str, int]
) -> None:
    async with make_agent() as agent:
        await agent.import_conversation(lines(REWOUND))
        before = await _ways(agent)
        import io

        report = await agent.import_conversations(io.BytesIO(lines(REWOUND).encode()), how)
        assert (report.skipped, report.left_out) == ((1, {}) if how == "skip" else (0, left_out))
        assert await _ways(agent) == sorted([*before, *([WAYS[0]] if how == "copy" else [])])


async def test_the_other_answers_of_chatgpt(make_agent: MakeAgent) -> None:
    talk = tree(
        node("root", None),
        node("asked", "root", "user", "Why?"),
        node("first", "asked", "assistant", "So."),
        node("second", "asked", "assistant", "Otherwise."),
        node("third", "second", "user", "Thanks."),
        current="third",
    )
    async with make_agent() as agent:
        report = await taken(agent, json.dumps([talk]))
        assert (report.conversations, report.left_out) == (2, {})
        assert await _ways(agent) == [["Why?", "Otherwise.", "Thanks."], ["Why?", "So."]]


async def test_a_rewind_of_gemini(make_agent: MakeAgent) -> None:
    talk = [
        {"sessionId": "7d0c63a4-1111-4222-8333-444455556666", "projectHash": "ab", "startTime": "2026-05-04T09:00:00Z"},
        *({"id": uuid(n), "type": "gemini" if n % 2 == 0 else "user", "content": f"{n}."} for n in (1, 2, 3, 4)),
        {"$rewindTo": uuid(3)},
        {"id": uuid(5), "type": "user", "content": "5."},
    ]
    async with make_agent() as agent:
        for end in (5, 7, 7):
            await taken(agent, lines(talk[:end]))
        assert await _ways(agent) == [["1.", "2.", "3.", "4."], ["1.", "2.", "5."]]


async def test_a_rewind_of_gemini_to_its_beginning(make_agent: MakeAgent) -> None:
    talk = [
        {"sessionId": "7d0c63a4-1111-4222-8333-444455556666", "projectHash": "ab", "startTime": "2026-05-04T09:00:00Z"},
        *({"id": uuid(n), "type": "gemini" if n % 2 == 0 else "user", "content": f"{n}."} for n in (1, 2)),
        {"$rewindTo": uuid(1)},
        {"id": uuid(3), "type": "user", "content": "3."},
    ]
    async with make_agent() as agent:
        for end in (5, 5):
            await taken(agent, lines(talk[:end]))
        assert await _ways(agent) == [["1.", "2."], ["3."]]


async def test_turns_that_were_taken_back_in_codex(make_agent: MakeAgent) -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        payload = {"type": "message", "role": role, "content": [{"type": f"{role}_text", "text": text}]}
        return {"timestamp": "2026-05-04T09:00:00Z", "type": "response_item", "payload": payload}

    about = {"id": "019a1111-2222-7333-8444-555566667777", "cwd": "/shop"}
    talk = [{"type": "session_meta", "payload": about}]
    talk += [said(role, f"{n}.") for n in (1, 2) for role in ("user", "assistant")]
    talk += [{"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}]
    talk += [said(role, "3.") for role in ("user", "assistant")]
    async with make_agent() as agent:
        for end in range(2, len(talk) + 1):
            await taken(agent, lines(talk[:end]))
        again = await taken(agent, lines(talk))
        assert (again.messages, again.left_out) == (0, {})
        assert await _ways(agent) == [["1.", "1.", "2.", "2."], ["1.", "1.", "3.", "3."]]


@pytest.mark.parametrize("leaf", [None, f"{5:032}"])
async def test_answers_of_claude_ai_that_were_asked_for_again(make_agent: MakeAgent, leaf: str | None) -> None:
    def message(number: int, text: str, parent: str) -> dict[str, Any]:
        sender = "human" if text.endswith("?") else "assistant"
        return {"uuid": f"{number:032}", "sender": sender, "text": text, "parent_message_uuid": parent}

    root = "00000000-0000-4000-8000-000000000000"
    said = [
        message(1, "Where?", root),
        message(2, "There.", f"{1:032}"),
        message(3, "Elsewhere.", f"{1:032}"),
        message(4, "Who?", root),
        message(5, "Nobody.", f"{4:032}"),
    ]
    talk = {"uuid": "c" * 32, "name": "Tax", "chat_messages": said, "current_leaf_message_uuid": leaf}
    ways = [["Where?", "Elsewhere."], ["Where?", "There."], ["Who?", "Nobody."]]
    async with make_agent() as agent:
        report = await taken(agent, json.dumps([talk]))
        assert (report.messages, report.left_out) == (5, {})
        assert await _ways(agent) == ways
        shown = await agent.load_conversation(report.imported[0])
        assert [each.content for each in await shown.get_history()] == ways[2]
        again = await taken(agent, json.dumps([talk]))
        assert (again.messages, again.left_out) == (0, {})
        assert await _ways(agent) == ways
