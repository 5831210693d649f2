"""API keys, and what was done with them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ragforge_memory.models.shape import Shape

KeyScope = Literal["user", "others", "admin"]
"""Whom a key may act for: its own user; others too; ``admin``: others, and keys, the audit and erasure besides."""


class ApiKey(Shape):
    """A key of one project; ``user_id`` None: nobody's.

    Its text was shown once, when it was made, and is kept nowhere. ``last_used_at`` may be a minute late.
    """

    id: str
    name: str = ""
    user_id: str | None = None
    project: str
    scope: KeyScope
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


class AuditRecord(Shape):
    """What somebody did who may do more than a user: ``key_user`` by the key ``key_id``; both None at the command line.

    ``user_id`` is whose data it was; None where it was nobody's. ``detail`` has names and uuids, no text of anybody.
    """

    uuid: str
    at: datetime
    key_id: str | None = None
    key_user: str | None = None
    user_id: str | None = None
    action: str
    detail: str = ""
