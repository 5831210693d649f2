"""The block ``server:``: plans under names of the user's, and origins."""

from __future__ import annotations

import pytest

from ragforge_memory.config import PlanLimits, ServerConfig
from ragforge_memory.errors import ConfigError
from tests.config.conftest import Load

PLANS = "server:\n  plans:\n    free: {turns_per_day: 5}\n    team:\n"


def test_plans_have_names_of_the_users(load: Load) -> None:
    loaded = load(f"{PLANS}  cors_origins: ['https://App.example.org', 'http://localhost:3000']\n")
    assert loaded.config.server.plans == {"free": PlanLimits(turns_per_day=5), "team": PlanLimits()}
    assert loaded.config.server.cors_origins == ("https://app.example.org", "http://localhost:3000")
    shown = {each.key: (each.value, each.origin.rpartition(":")[2]) for each in loaded.settings()}
    assert shown["server.plans.free.turns_per_day"] == (5, "3")
    assert shown["server.plans.team.tokens_per_day"] == (None, "default")
    assert load("").config.server == ServerConfig()


@pytest.mark.parametrize(
    ("text", "line", "key", "told"),
    [
        ("server:\n  require_keys: true\n", 2, "server.require_keys", "did you mean server.require_key?"),
        (f"{PLANS}    big: {{turns_a_day: 1}}\n", 5, "server.plans.big.turns_a_day", "server.plans.big.turns_per_day?"),
        (f"{PLANS}    big:\n      turns_per_day: many\n", 6, "server.plans.big.turns_per_day", "whole number"),
        ("server:\n  plans: [free]\n", 2, "server.plans", "block of names"),
        ("server:\n  plans: {free: 5}\n", 2, "server.plans.free", "block of keys"),
        ("server:\n  cors_origins:\n    - '*'\n", 3, "server.cors_origins.0", "name the origins"),
        ("server: {cors_origins: ['https://a.org/x']}\n", 1, "server.cors_origins.0", "not an origin"),
        ("server: {cors_origins: ['null']}\n", 1, "server.cors_origins.0", "not an origin"),
        ("server:\n  max_agents: 0\n", 2, "server.max_agents", "at least 1"),
    ],
)
def test_what_the_block_is_refused_for(load: Load, text: str, line: int, key: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(text)
    assert (refused.value.line, refused.value.key) == (line, key)
    assert told in f"{refused.value.message} {refused.value.hint}"
