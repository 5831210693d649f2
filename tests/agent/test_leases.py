"""Work under a claim: a renewal that fails is tried again."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory.agent.upkeep.leases import meanwhile
from ragforge_memory.errors import GraphTimeout

pytestmark = pytest.mark.anyio


async def test_a_slow_server_does_not_end_the_work() -> None:
    tried = asyncio.Event()
    attempts = 0

    async def renew() -> bool:
        nonlocal attempts
        attempts += 1
        if attempts == 3:
            tried.set()
        raise GraphTimeout("the server is slow")

    async def work() -> str:
        await tried.wait()
        return "done"

    assert await asyncio.wait_for(meanwhile(work(), seconds=0.01, renew=renew), 30) == "done"
