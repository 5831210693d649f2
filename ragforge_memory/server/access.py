"""Who a request is of, and for whom it may act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from ragforge_memory.models.access import ApiKey, KeyScope
from ragforge_memory.server.errors import Refusal

UserId = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=500,
        pattern=r"\S",
        description="For whom; the key's own user by default. Another one takes a key that may act for others.",
    ),
]


@dataclass(frozen=True, slots=True)
class Access:
    """What a request may do: its key's user and scope. Without keys, on loopback, everything.

    ``key`` is None where none was asked for.
    """

    user_id: str = ""
    scope: KeyScope = "admin"
    key: ApiKey | None = None

    def user(self, asked: str | None) -> str:
        """The user that the request acts for.

        Raises:
            Refusal: its key may not act for that one.
        """
        if asked is None or asked == self.user_id:
            return self.user_id
        if self.scope == "user":
            raise Refusal(
                403,
                "this key may not act for another user",
                hint="leave user_id out, or use a key of scope others: ragforge keys create --scope others",
            )
        return asked

    def check_writes(self) -> None:
        """Refuses to write what is nobody's, which everybody in the project reads, with a key that is for one user.

        Raises:
            Refusal: it is such a key.
        """
        if self.scope == "user" and not self.user_id:
            raise Refusal(
                403,
                "this key is of no user, and what is nobody's everybody reads",
                hint="use a key with a user: ragforge keys create --user NAME",
            )

    def check_admin(self) -> None:
        """Refuses what only an administrator's key may do.

        Raises:
            Refusal: it is another one's.
        """
        if self.scope != "admin":
            raise Refusal(403, "this takes an administrator's key", hint="make one: ragforge keys create --scope admin")


def access_of(request: Request) -> Access:
    """The access of a request, which the gate has found out."""
    access: Access = request.scope["ragforge_access"]
    return access
