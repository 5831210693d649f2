"""What the agent gives as values: pages come back from JSON, handles are known by what they are of."""

from __future__ import annotations

import gc
import pickle
from datetime import UTC, date, datetime
from typing import Any

import pytest

from ragforge_memory import AsyncConversation, AsyncConversationAgent, Conversation, Page
from ragforge_memory.agent.inputs import check_metadata, clean_labels
from ragforge_memory.agent.search.inputs import checked_filters
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.conversation import ConversationInfo, ConversationPage
from ragforge_memory.models.decisions import Decision, DecisionPage
from ragforge_memory.models.insight import Insight, InsightPage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
INFO = ConversationInfo(uuid="c1", title="Herons", created_at=NOW, updated_at=NOW)
OTHER = ConversationInfo(uuid="c2", created_at=NOW, updated_at=NOW)
PAGES: list[Page[Any]] = [
    ConversationPage(items=(INFO,), next_cursor="x"),
    DecisionPage(
        items=(
            Decision(
                kind="rule", text="No retries.", conversation_id="c1", message_id="m1", role="user", timestamp=NOW
            ),
        )
    ),
    InsightPage(items=(Insight(uuid="i1", conversation_id="c1", task="t", schema={}, created_at=NOW),)),
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_comes_back_from_its_own_json(page: Page[Any]) -> None:
    assert isinstance(page, Page)
    assert type(page).model_validate_json(page.model_dump_json()) == page
    assert pickle.loads(pickle.dumps(page)) == page


def test_handles_of_one_conversation_are_equal_and_say_which_it_is() -> None:
    agent, other_agent = AsyncConversationAgent(), AsyncConversationAgent()
    one, again, other = (AsyncConversation(agent, info) for info in (INFO, INFO, OTHER))
    assert one == again
    assert one != other
    assert one != AsyncConversation(other_agent, INFO)
    assert len({one, again, other}) == 2
    assert repr(one) == "AsyncConversation('c1', title='Herons')"
    blocking, same = Conversation(one), Conversation(again)
    assert blocking == same
    assert len({blocking, same}) == 1
    assert blocking != one
    assert repr(blocking) == "Conversation('c1', title='Herons')"


def test_a_conversation_is_held_while_one_of_its_handles_lives() -> None:
    agent = AsyncConversationAgent()
    first, second = AsyncConversation(agent, INFO), AsyncConversation(agent, INFO)
    del first
    gc.collect()
    assert agent.turns.held() == {"c1"}
    del second
    gc.collect()
    assert agent.turns.held() == set()


def test_as_many_tags_and_as_much_metadata_as_may_be_are_taken() -> None:
    tags = [f"{number:0500}" for number in range(1_000)]
    assert clean_labels(None, tags) == tags
    check_metadata({"a": "x" * 999_900})


def test_a_day_is_a_day_however_it_is_given() -> None:
    day = date(2026, 1, 1)
    assert checked_filters(since=day, until=day) == checked_filters(since="2026-01-01", until="2026-01-01")
    with pytest.raises(InvalidInput, match="a datetime, a date or ISO text, not int"):
        checked_filters(since=5)  # type: ignore[arg-type]
