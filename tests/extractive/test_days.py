"""What was said on certain days: read off the question and the date that the prompt has, looked for by the tools."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.days import days_asked, days_named
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelRequest
from ragforge_memory.models.conversation import ConversationFilters
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry

pytestmark = pytest.mark.anyio

TODAY = "You help.\n\nToday's date: 2026-11-23"  # a Monday


@pytest.mark.parametrize(
    ("asked", "since", "until"),
    [
        ("today", "2026-11-23", "2026-11-23"),
        ("this morning", "2026-11-23", "2026-11-23"),
        ("yesterday", "2026-11-22", "2026-11-22"),
        ("the day before yesterday", "2026-11-21", "2026-11-21"),
        ("last week", "2026-11-16", "2026-11-22"),
        ("this week", "2026-11-23", "2026-11-23"),
        ("in the past week", "2026-11-16", "2026-11-23"),
        ("yesterday afternoon", "2026-11-22", "2026-11-22"),
        ("last night", "2026-11-22", "2026-11-23"),
        ("in the last hour", "1h", ""),
        ("in the last two hours", "2h", ""),
        ("over the past 30 minutes", "30m", ""),
        ("an hour ago", "2h", ""),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this month", "2026-11-01", "2026-11-23"),
        ("on Monday", "2026-11-16", "2026-11-16"),
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("last friday", "2026-11-20", "2026-11-20"),
        ("since Friday", "2026-11-20", ""),
        ("on 2026-11-20", "2026-11-20", "2026-11-20"),
        ("since 2026-11-20", "2026-11-20", ""),
        ("before 2026-11-20", "", "2026-11-19"),
        ("until 2026-11-20", "", "2026-11-20"),
        ("after 2026-11-20", "2026-11-21", ""),
        ("two days ago", "2026-11-21", "2026-11-21"),
        ("a week ago", "2026-11-16", "2026-11-16"),
        ("in the last 3 days", "2026-11-20", "2026-11-23"),
        ("on November 20", "2026-11-20", "2026-11-20"),
        ("on the 20th of December", "2025-12-20", "2025-12-20"),
        ("on Nov 20th, 2024", "2024-11-20", "2024-11-20"),
        ("on June 31", "", ""),
        ("on 20.11.2026", "2026-11-20", "2026-11-20"),
        ("in November", "2026-11-01", "2026-11-23"),
        ("last November", "2025-11-01", "2025-11-30"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("in March 2026", "2026-03-01", "2026-03-31"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("since March", "2026-03-01", ""),
        ("before October", "", "2026-09-30"),
        ("at the end of October", "2026-10-01", "2026-10-31"),
        ("in Q3", "2026-07-01", "2026-09-30"),
        ("this year", "2026-01-01", "2026-11-23"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("before 2026", "", "2025-12-31"),
        ("over the last couple of days", "2026-11-21", "2026-11-23"),
        ("in the last few days", "2026-11-19", "2026-11-23"),
        ("a couple of weeks ago", "2026-11-09", "2026-11-09"),
        ("on the weekend", "2026-11-21", "2026-11-22"),
        ("last weekend", "2026-11-21", "2026-11-22"),
        ("a few days ago", "2026-11-19", "2026-11-23"),
        ("about the weekend job", "", ""),
        ("in may_raise", "", ""),
        ("about the November release", "", ""),
        ("from 2026-11-01 to 2026-11-20", "2026-11-01", "2026-11-20"),
        ("between 2026-11-01 and 2026-11-20", "2026-11-01", "2026-11-20"),
        ("from Monday to Wednesday", "2026-11-16", "2026-11-18"),
        ("on Monday and Tuesday", "2026-11-16", "2026-11-17"),
        ("about `today`", "", ""),
        ("about date.today", "", ""),
        ("about today.py", "", ""),
        ("about the report-today flag", "", ""),
        ("last time", "", ""),
        ("about yesterday's bug", "", ""),
        ("", "", ""),
    ],
)
def test_days_are_read(asked: str, since: str, until: str) -> None:
    days = days_asked(f"what did we decide {asked}?", TODAY)
    assert (days.since, days.until) == (since, until)
    # Without a date in the prompt no day is known.
    assert days_asked(f"what did we decide {asked}?", "You help.").said == ""


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("what did we decide yesterday?", "said", ""),
        ("what did we decide on Monday?", "said", ""),
        ("what did we decide on 2026-11-20?", "said", ""),
        ("what did we note last friday?", "said", ""),
        ("what did we decide about tokens on Monday?", "said", "tokens"),
        ("what did we decide in the last two hours?", "said", ""),
        ("what did we decide about tokens yesterday afternoon?", "said", "tokens"),
        ("what did we talk about in the last hour?", "recap", ""),
        ("what did we decide yesterday about tokens?", "said", "tokens"),
        ("what have we said about tokens since 2026-11-20?", "said", "tokens"),
        ("what did we decide about the Monday job?", "said", "Monday job"),
        ("what did we talk about on Monday?", "recap", ""),
        ("what did we decide in November?", "said", ""),
        ("what did we decide about tokens in March 2026?", "said", "tokens"),
        ("what did we decide this year?", "said", ""),
        ("what did we decide in May about tokens?", "said", "tokens"),
        ("what did we decide over the last couple of days?", "said", ""),
        ("what did we decide about tokens on 20.11.2026?", "said", "tokens"),
        ("what did we talk about on the weekend?", "recap", ""),
        ("what did we decide on 20.11.2026?", "said", ""),
        ("what did we decide about the November release?", "said", "November release"),
        ("what did we do two days ago?", "recap", ""),
        ("what did we discuss on 2026-11-20?", "recap", ""),
    ],
)
def test_days_are_no_subject(text: str, form: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [(form, target)]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("what did we decide yesterday?", {"since": "2026-11-22", "until": "2026-11-22"}),
        ("what did we say about echo since Friday?", {"since": "2026-11-20"}),
        ("what did we talk about last week?", {"since": "2026-11-16", "until": "2026-11-22"}),
        ("has echo changed since Monday?", {}),
        ("what did we decide?", {}),
    ],
)
async def test_the_tools_are_asked_for_these_days(text: str, days: dict[str, str]) -> None:
    request = ModelRequest(TODAY, (ChatMessage("user", text),), ToolRegistry(CODE_SEARCH_TOOLS).specs)
    asked = (await complete(ExtractiveProvider(), request)).tool_requests
    assert asked
    for each in asked:
        assert {name: each.arguments[name] for name in ("since", "until") if name in each.arguments} == days


@pytest.mark.parametrize("today", [date(2026, 11, 23)])
async def test_what_was_said_on_a_day_is_told_of_that_day(agent: AsyncConversationAgent) -> None:
    for day in (16, 20, 22):
        at = f"2026-11-{day}T10:00:00Z"
        note = {"role": "user", "content": f"note: the limit of reports is {day}", "timestamp": at}
        await agent.import_conversation({"title": f"the {day}", "messages": [note]})
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    talk = await agent.create_conversation()

    async def told(text: str) -> list[str]:
        lines = (await talk.send_message(text)).content.splitlines()
        return [line.removeprefix("  > note: the limit of reports is ") for line in lines if line.startswith("  >")]

    assert await told("what did we decide yesterday?") == ["22"]
    assert await told("what did we decide last week?") == ["22", "20", "16"]
    assert await told("what did we decide on Monday?") == ["16"]
    assert await told("what did we decide on 2026-11-20?") == ["20"]
    assert await told("what did we decide about reports since Friday?") == ["22", "20"]
    assert await told("what did we decide about reports before Friday?") == ["16"]
    nothing = (await talk.send_message("what did we decide two days ago?")).content
    assert nothing == "Nothing found that was decided or noted in our conversations on 2026-11-21."
    yesterday = (await talk.send_message("what did we talk about yesterday?")).content.splitlines()
    assert yesterday[0] == "Our latest conversations on 2026-11-22:"
    assert [line.partition(", ")[2][:7] for line in yesterday if line.startswith("- ")] == ["`the 22"]
    none = (await talk.send_message("what did we talk about two days ago?")).content
    assert none == "Nothing found: we did not talk on 2026-11-21."


async def test_what_was_said_in_the_last_hours(agent: AsyncConversationAgent) -> None:
    at = datetime.now(UTC) - timedelta(hours=3)
    note = {"role": "user", "content": "note: reports are kept for 3 years", "timestamp": at.isoformat()}
    await agent.import_conversation({"title": "Before", "messages": [note]})
    talk = await agent.create_conversation()
    await talk.send_message("note: reports are kept for 5 years")
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

    async def told(text: str) -> list[str]:
        lines = (await talk.send_message(text)).content.splitlines()
        return [line for line in lines if line.startswith(("What", "  >", "-"))]

    last = await told("what did we decide in the last hour?")
    assert (last[0], last[-1]) == (
        "What was decided or noted in the last hour:",
        "  > note: reports are kept for 5 years",
    )
    assert len(last) == 3
    assert len(await told("what did we decide about reports four hours ago?")) == 5
    assert "- note: reports are kept for 5 years" in await told("what did we talk about in the last hour?")


async def test_a_branch_of_a_deleted_conversation_is_of_the_days_that_it_shares(agent: AsyncConversationAgent) -> None:
    notes = [
        {"role": "user", "content": f"note: it rains on the {day}", "timestamp": f"2026-11-{day}T00:30:00Z"}
        for day in (10, 12)
    ]
    trunk = await agent.import_conversation({"title": "Weather", "messages": notes})
    branch = await trunk.branch()
    await trunk.delete()
    conversations = (await agent.open()).stores.conversations
    for first, last, found in ((9, 11, True), (11, 12, False), (12, 13, True)):
        page = await conversations.page(
            ConversationFilters(since=datetime(2026, 11, first, tzinfo=UTC), until=datetime(2026, 11, last, tzinfo=UTC))
        )
        assert (branch.uuid in [info.uuid for info in page.items]) is found
    then = datetime(2026, 11, 10, 2, 30, tzinfo=timezone(timedelta(hours=2)))  # the moment of the first note
    page = await conversations.page(ConversationFilters(since=then, until=then))
    assert branch.uuid in [info.uuid for info in page.items]


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("yesterday", (date(2026, 11, 22), date(2026, 11, 22))),
        ("last week", (date(2026, 11, 16), date(2026, 11, 22))),
        ("3 days ago", (date(2026, 11, 20), date(2026, 11, 20))),
        ("Monday", (date(2026, 11, 16), date(2026, 11, 16))),
        ("2026-11-20", (date(2026, 11, 20), date(2026, 11, 20))),
        ("October", (date(2026, 10, 1), date(2026, 10, 31))),
        ("since monday", None),
        ("2 hours ago", None),
        ("today or so", None),
        ("2026-11-31", None),
        ("2026-11-20T10:00", None),
        ("", None),
    ],
)
def test_days_are_named_alone(words: str, days: tuple[date, date] | None) -> None:
    assert days_named(words, date(2026, 11, 23)) == days
