"""Which conversations have the tools of memory; the others have facts extracted for them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.config.sections import RolloutConfig


def has_tools(rollout: RolloutConfig, conversation_id: str, created_at: datetime | None) -> bool:
    """Whether a conversation has the tools: it stays so for as long as the configuration does.

    Args:
        rollout: whom they are for.
        conversation_id: which one it is.
        created_at: when it was made; None: now.
    """
    match rollout.mode:
        case "off":
            return False
        case "new":
            return rollout.since is None or (created_at or datetime.now(UTC)) >= rollout.since
        case "percent":
            # Of a hash, so that it is the same in every process and the next day.
            place = int.from_bytes(hashlib.sha256(conversation_id.encode()).digest()[:4], "big") / 2**32
            return place * 100 < rollout.percent
    return True
