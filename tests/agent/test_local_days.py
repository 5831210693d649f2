"""Days are those of the clock here, wherever it stands."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest

from ragforge_memory.agent.search.inputs import checked_filters
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from tests.agent.conftest import MakeAgent


# 14 hours ahead of Greenwich and 12 behind: the one or the other has another day, whenever this runs.
@pytest.fixture(params=["XXX-14", "XXX+12"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A place where the day is another."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_times_without_a_zone_are_local() -> None:
    filters = checked_filters(since="2026-01-02", until="2026-01-02")
    assert filters.since == datetime(2026, 1, 2).astimezone()
    assert filters.until == datetime(2026, 1, 2, 23, 59, 59, 999_999).astimezone()
    assert checked_filters(since=datetime(2026, 1, 2, 8)).since == datetime(2026, 1, 2, 8).astimezone()
    assert checked_filters(since="2026-01-02T08:00:00Z").since == datetime.fromisoformat("2026-01-02T08:00:00+00:00")


@pytest.mark.anyio
@pytest.mark.usefixtures("zone")
async def test_a_model_is_told_the_day_here(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["fine"])
    async with make_agent(provider=provider) as agent:
        conversation = await agent.create_conversation("Days")
        before = date.today()
        await conversation.send_message("which day is it?")
    assert any(f"Today's date: {day.isoformat()}" in provider.requests[0].system for day in (before, date.today()))


@pytest.mark.anyio
@pytest.mark.usefixtures("zone")
async def test_what_was_said_is_found_by_the_day_here(make_agent: MakeAgent) -> None:
    midnight = datetime(2026, 1, 2).astimezone()
    said = [
        {"role": "user", "content": f"We decided on rule {number}.", "timestamp": (midnight + ago).isoformat()}
        for number, ago in ((1, timedelta(minutes=-30)), (2, timedelta(minutes=30)))
    ]
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        await agent.import_conversation(said)
        assert [each.text for each in await agent.decisions(since="2026-01-02")] == ["We decided on rule 2."]

        conversation = await agent.create_conversation("Asked")
        answer = await conversation.send_message("what did we decide on 2026-01-02?")

    assert "2026-01-02 00:30" in answer.content
    assert "rule 1" not in answer.content
