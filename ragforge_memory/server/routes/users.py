"""Users: plan, usage and preferences; their erasure; the keys that act for them, and what was done with those."""

from __future__ import annotations

from contextlib import AsyncExitStack

from fastapi import APIRouter
from pydantic import BaseModel

from ragforge_memory.models.access import ApiKey, AuditRecord
from ragforge_memory.models.erasure import Erasure
from ragforge_memory.models.user import UserContext
from ragforge_memory.server.access import UserId
from ragforge_memory.server.bodies import ContextChanges, Limit, NewKey
from ragforge_memory.server.errors import Refusal, documented
from ragforge_memory.server.state import Agent, Caller, State

router = APIRouter(tags=["users"])
admin = APIRouter(tags=["keys"], responses=documented(403))


class MadeKey(BaseModel):
    """A key that was made just now; its text is shown this once."""

    key: str
    about: ApiKey


@router.get("/api/users/me/context")
async def get_context(agent: Agent) -> UserContext:
    """Gives plan, usage and preferences."""
    return await agent.user.get()


@router.put("/api/users/me/context")
async def set_context(agent: Agent, changes: ContextChanges, state: State, access: Caller) -> UserContext:
    """Changes preferences, and with a key that may act for others the plan."""
    if changes.plan is not None and access.scope == "user":
        raise Refusal(403, "this key may not change its own plan", hint="a key of scope others or admin may")
    if changes.plan is not None:
        state.turns.check_known(changes.plan)
    return await agent.user.set(plan=changes.plan, preferences=changes.preferences)


@router.delete("/api/users/me")
async def erase_user(state: State, access: Caller, user_id: UserId = None) -> Erasure:
    """Erases all that the user has in every project of this graph, and gives a certificate.

    Another user than the key's own takes an administrator's key: keys, in every project, go too.
    """
    asked = access.user(user_id)
    if asked != access.user_id:
        access.check_admin()
    try:
        async with AsyncExitStack() as held:
            certificate = await (await state.lend(access, user_id, "DELETE /api/users/me", held)).agent.erase_user()
        await state.record(access, asked, "erase_user", certificate.uuid)
    finally:
        await state.hub.forget(asked)  # it knows the last messages by heart
    return certificate


@admin.get("/api/keys")
async def list_keys(state: State, access: Caller, include_revoked: bool = False) -> list[ApiKey]:
    """Lists the project's keys, without their texts."""
    access.check_admin()
    return await state.keys.list(include_revoked)


@admin.post("/api/keys", status_code=201)
async def create_key(state: State, access: Caller, new: NewKey) -> MadeKey:
    """Makes a key and shows its text, this once."""
    access.check_admin()
    about, key = await state.keys.create(user_id=new.user_id or "", scope=new.scope, name=new.name)
    await state.record(access, new.user_id or "", "create_key", about.id)
    return MadeKey(key=key, about=about)


@admin.delete("/api/keys/{key_id}", responses=documented(404))
async def revoke_key(state: State, access: Caller, key_id: str) -> ApiKey:
    """Revokes a key; a process that has just seen it takes it for five seconds more."""
    access.check_admin()
    revoked = await state.keys.revoke(key_id)
    await state.record(access, revoked.user_id or "", "revoke_key", revoked.id)
    return revoked


@admin.get("/api/audit")
async def get_audit(state: State, access: Caller, limit: Limit = 100, user_id: UserId = None) -> list[AuditRecord]:
    """Lists what was done for other users, and who was erased, the newest first."""
    access.check_admin()
    return await state.keys.audit(limit, user_id)
