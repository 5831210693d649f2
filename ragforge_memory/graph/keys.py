"""The store of API keys, and of the audit of what was done with them."""

from __future__ import annotations

import builtins
import hashlib
import hmac
import logging
import re
import secrets
from typing import Any, ClassVar, get_args
from uuid import uuid4

from ragforge_memory.errors import GraphError, InvalidInput, NotFound
from ragforge_memory.graph.owned import ProjectStore
from ragforge_memory.models.access import ApiKey, AuditRecord, KeyScope
from ragforge_memory.models.text import truncated, well_formed

log = logging.getLogger(__name__)

KEY_PREFIX = "rf_"
"""What the text of every key begins with."""

LONGEST_NAME = 100
"""Characters of a key's name."""

LONGEST_DETAIL = 500
"""Characters of an audit record's detail."""

_LONGEST_USER = 500
_TEXT = re.compile(rf"{KEY_PREFIX}([0-9a-f]{{12}})_([0-9a-f]{{64}})")
# Compared with where there is no such key, so that this takes as long as where there is one.
_NOBODYS = "0" * 64


class KeyStore(ProjectStore):
    """The keys of one project."""

    _timeout: ClassVar[float | None] = None

    async def create(self, *, user_id: str, scope: KeyScope, name: str = "") -> tuple[ApiKey, str]:
        """Makes a key; its text is here alone, the graph has a hash of it.

        Args:
            user_id: whose; '' for nobody.
            scope: whom it may act for.
            name: what it is for, at most 100 characters.

        Raises:
            InvalidInput: the name, the user or the scope is none.
        """
        if scope not in get_args(KeyScope):
            raise InvalidInput(f"there is no scope {scope!r}", hint=", ".join(get_args(KeyScope)))
        _check_line(name, "a key's name", LONGEST_NAME)
        _check_line(user_id, "a user's name", _LONGEST_USER)
        while True:
            uuid, secret = secrets.token_hex(6), secrets.token_hex(32)
            digest = _digest(secret)
            rows = await self._write(
                "create_api_key", uuid=uuid, digest=digest, user_id=user_id, scope=scope, name=name.strip()
            )
            if rows:
                return _key(rows[0]["key"]), f"{KEY_PREFIX}{uuid}_{secret}"

    async def list(self, include_revoked: bool = False) -> builtins.list[ApiKey]:
        """The project's keys, the newest first."""
        return [_key(row["key"]) for row in await self._read("api_keys", revoked=include_revoked)]

    async def revoke(self, id: str) -> ApiKey:
        """Ends a key for good; one that was revoked stays so.

        Raises:
            NotFound: the project has no such key.
        """
        rows = await self._write("revoke_api_key", uuid=id) if id.isascii() else []
        if not rows:
            raise NotFound(f"there is no key {well_formed(id)!r}", hint="`ragforge keys list` shows them all")
        return _key(rows[0]["key"])

    async def verify(self, text: str) -> ApiKey | None:
        """The key with this text; None where this project has none, or it was revoked. Its use is written down."""
        parts = _TEXT.fullmatch(text)
        if parts is None:
            return None
        uuid, secret = parts.groups()
        rows = await self._read("api_key_of", uuid=uuid)
        same = hmac.compare_digest(rows[0]["digest"] if rows else _NOBODYS, _digest(secret))
        key = _key(rows[0]["key"]) if rows else None
        if key is None or not same or key.revoked_at is not None:
            return None
        if rows[0]["stale"]:
            try:
                await self._write("use_api_key", uuid=uuid)
            except GraphError as error:
                log.warning("the use of the key %s was not written down: %s", uuid, error)
        return key

    async def record(
        self,
        action: str,
        *,
        user_id: str | None = None,
        key: ApiKey | None = None,
        detail: str = "",
        uuid: str | None = None,
    ) -> None:
        """Writes down what was done.

        Args:
            action: as `erase_user`.
            user_id: whose data it was.
            key: that asked for it; None: nobody's, at the command line.
            detail: names and uuids, and no text of anybody; cut at 500 characters.
            uuid: of the record, which is written once; None: a new one.
        """
        await self._write(
            "record_audit",
            uuid=uuid or uuid4().hex,
            action=well_formed(action),
            whose=user_id or "",
            detail=truncated(well_formed(detail), LONGEST_DETAIL),
            key_id=key and key.id,
            key_user=key and key.user_id,
        )

    async def audit(self, limit: int = 100, user_id: str | None = None) -> builtins.list[AuditRecord]:
        """What was done in this project, the newest first.

        Args:
            limit: records at most.
            user_id: with whose data; None: with whosever, '' with nobody's.
        """
        rows = await self._read("audit_records", limit=limit, whose=user_id)
        records = (row["record"] for row in rows)
        return [AuditRecord(**{**each, "user_id": each["user_id"] or None}) for each in records]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: dict[str, Any]) -> ApiKey:
    more = {name: value for name, value in row.items() if name not in ("uuid", "user_id")}
    return ApiKey(id=row["uuid"], user_id=row["user_id"] or None, **more)


def _check_line(text: str, what: str, most: int) -> None:
    if not isinstance(text, str) or (text and not text.isprintable()):
        raise InvalidInput(f"{what} is text on one line, without control characters")
    if len(text) > most:
        raise InvalidInput(f"{what} has {len(text):,} characters; at most {most}", hint="shorten it")
