"""A user's plan, preferences and usage: in every project, and nobody else's."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from typing import Any

import pytest

from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.keys import KeyStore
from ragforge_memory.graph.users import UserStore
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.user import UsageDay, UserContext
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio
TODAY = date(2026, 3, 1)


@pytest.fixture
def user(client: GraphClient, owner: Owner) -> UserStore:
    return UserStore(client, owner)


async def test_a_user_is_the_same_in_every_project_and_nobody_else(
    user: UserStore, client: GraphClient, owner: Owner
) -> None:
    none = UserContext(user_id=owner.user_id, usage=UsageDay(day="2026-03-01"))
    assert await user.context(TODAY) == none
    await user.set(plan="team", preferences={"tone": "brief"})
    await user.count(TODAY, input_tokens=3, output_tokens=4, cost_usd=0.5)
    day = UsageDay(day="2026-03-01", turns=1, input_tokens=3, output_tokens=4, cost_usd=0.5)
    mine = none.model_copy(
        update={"plan": "team", "preferences": {"tone": "brief"}, "usage": day, "usage_days": (day,)}
    )
    assert await user.context(TODAY) == mine
    assert await UserStore(client, Owner(owner.user_id, "elsewhere")).context(TODAY) == mine
    other = UserStore(client, Owner(f"other-{owner.user_id}", owner.project))
    assert await other.usage(TODAY) == UsageDay(day="2026-03-01")
    assert await other.context(TODAY) == none.model_copy(update={"user_id": f"other-{owner.user_id}"})
    await other.count(TODAY, turns=5)
    assert await user.usage(TODAY) == day
    nobody = UserStore(client, Owner("", owner.project))
    assert (await nobody.context(TODAY)).user_id is None


async def test_preferences_are_merged_by_their_keys(user: UserStore) -> None:
    await user.set(preferences={"tone": "brief", "langs": ["uk", "en"], "nested": {"a": 1, "b": None}})
    await user.set(preferences={"tone": None, "nested": {"c": 2}})
    assert (await user.context(TODAY)).preferences == {"langs": ["uk", "en"], "nested": {"c": 2}}
    await user.set(plan="team")
    await user.set(preferences={"only": True}, replace=True)
    context = await user.context(TODAY)
    assert (context.plan, context.preferences) == ("team", {"only": True})
    await user.set(plan="")
    assert (await user.context(TODAY)).plan is None


async def test_those_who_set_at_once_lose_nothing(user: UserStore) -> None:
    await asyncio.gather(*(user.set(preferences={f"key {n}": n}) for n in range(8)))
    assert (await user.context(TODAY)).preferences == {f"key {n}": n for n in range(8)}


async def test_those_who_count_at_once_lose_nothing(user: UserStore, client: GraphClient) -> None:
    await asyncio.gather(*(user.count(TODAY, input_tokens=n, output_tokens=1, cost_usd=0.25) for n in range(16)))
    assert await user.usage(TODAY) == UsageDay(
        day="2026-03-01", turns=16, input_tokens=120, output_tokens=16, cost_usd=4.0
    )


async def test_what_is_sent_twice_counts_once(client: GraphClient, owner: Owner) -> None:
    given = {"turns": 1, "input_tokens": 2, "output_tokens": 3, "cost_usd": 0.0, "day": "2026-03-01"}
    given |= {"uuid": f"once-{owner.user_id}", "user": owner.user_id}
    rows = [await client.write("count_usage", **given) for _ in range(2)]
    assert rows[0] == rows[1]
    assert rows[1][0]["day"]["turns"] == 1


async def test_thirty_days_are_told_the_newest_first(user: UserStore) -> None:
    for n in range(32):
        await user.count(TODAY + timedelta(days=2 * n), turns=n)
    context = await user.context(TODAY)
    assert [each.turns for each in context.usage_days] == list(range(31, 1, -1))
    assert context.usage == UsageDay(day="2026-03-01")


@pytest.mark.parametrize(
    "given",
    [
        {"plan": "x" * 101},
        {"plan": "two\nlines"},
        {"preferences": {"a": float("nan")}},
        {"preferences": {"a": "\ud800"}},
        {"preferences": {"a": object()}},
        {"preferences": {1: "a"}},
        {"preferences": ["a"]},
        {"preferences": {"a": "x" * 10_000}},
    ],
)
async def test_what_no_user_has(user: UserStore, given: dict[str, Any]) -> None:
    await user.set(preferences={"kept": 1})
    with pytest.raises(InvalidInput):
        await user.set(**given)
    assert (await user.context(TODAY)).preferences == {"kept": 1}
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(InvalidInput):
            await user.count(TODAY, cost_usd=wrong)


async def test_a_user_takes_keys_usage_and_context_along(
    client: GraphClient, owner: Owner, make_agent: MakeAgent, cypher: Cypher
) -> None:
    keys, elsewhere = KeyStore(client, owner.project), KeyStore(client, f"second-{owner.project}")
    user, other = UserStore(client, owner), UserStore(client, Owner(f"other-{owner.user_id}", owner.project))
    _, text = await keys.create(user_id=owner.user_id, scope="admin")
    _, second = await elsewhere.create(user_id=owner.user_id, scope="user")
    _, theirs = await keys.create(user_id=f"other-{owner.user_id}", scope="user")
    for each in (user, other):
        await each.set(plan="team", preferences={"tone": "brief"})
        await each.count(TODAY)
    kept = await other.context(TODAY)
    async with make_agent() as agent:
        erasure = await agent.erase_user()
    assert (erasure.counts["ApiKey"], erasure.counts["UsageDay"], erasure.counts["User"]) == (2, 1, 1)
    assert cypher("MATCH (n) WHERE n.user_id = $user RETURN labels(n) AS l", user=owner.user_id) == []
    assert await keys.verify(text) is None
    assert await elsewhere.verify(second) is None
    assert await keys.verify(theirs) is not None
    assert await user.context(TODAY) == UserContext(user_id=owner.user_id, usage=UsageDay(day="2026-03-01"))
    assert await other.context(TODAY) == kept
    for store in (keys, elsewhere):
        [record] = await store.audit(user_id=owner.user_id)
        assert (record.action, record.detail) == ("erase_user", f"certificate {erasure.uuid}")
