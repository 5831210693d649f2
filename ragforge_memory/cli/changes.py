"""What was remembered and forgotten in one chat, so that ``/undo`` can take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragforge_memory.memory.added import Undone, undo_message

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.events import Event

# What each tool gives the id of what it remembered, changed or forgot by.
_TOOLS = {
    "remember_fact": "fact_id",
    "update_fact": "fact_id",
    "forget_fact": "fact_id",
    "create_episode": "episode_id",
    "archive_episode": "episode_id",
    "store_memory": "memory_id",
}


class _Change(NamedTuple):
    """What happened to the memory ``uuid``, or by the message ``uuid``; ``old`` is a fact's value before."""

    what: Literal["message", "saved", "changed", "forgotten"]
    uuid: str
    old: str = ""


class Changes:
    """The changes of one chat, the newest last; ``see`` takes the events of its turns."""

    def __init__(self) -> None:
        self._done: list[_Change] = []
        self._arguments: dict[str, dict[str, Any]] = {}

    def see(self, event: Event) -> None:
        """Notes what an event says was remembered or forgotten."""
        match event.type:
            case "message_started":
                self._done.append(_Change("message", event.user_message_id))
            case "tool_use" if event.tool_name in _TOOLS:
                self._arguments[event.tool_call_id] = event.arguments
            case "tool_result" if event.tool_name in _TOOLS and isinstance(event.result, dict):
                given = {**self._arguments.pop(event.tool_call_id, {}), **event.result}
                if given.get("status") in ("success", "queued") and isinstance(
                    uuid := given.get(_TOOLS[event.tool_name]), str
                ):
                    forgot = event.tool_name in ("forget_fact", "archive_episode")
                    what: Literal["saved", "changed", "forgotten"] = "forgotten" if forgot else "saved"
                    self._done.append(_Change("changed" if "old" in given else what, uuid, given.get("old") or ""))

    def forgot(self, memory_id: str) -> None:
        """Notes that a memory was forgotten."""
        self._done.append(_Change("forgotten", memory_id))

    async def undo(self, agent: AsyncConversationAgent, services: Services) -> Undone:
        """Takes back the newest change that is left; nothing, where none is.

        Raises:
            InvalidInput: something else holds in the place of what was forgotten, or memory is off.
            NotFound: the memory has gone.
        """
        from ragforge_memory.graph.added_memories import AddedMemoryStore

        store = AddedMemoryStore(services.stores.graph, services.place.owner)
        while self._done and (memories := services.memories) is not None:
            what, uuid, old = self._done.pop()
            match what:
                case "message":
                    done = await undo_message(store, memories, uuid)
                    if done.forgotten or done.restored:
                        return done
                case "saved":
                    return Undone(forgotten=((await agent.memory.forget(uuid, "undone")).content,))
                case "changed":
                    return Undone(restored=((await agent.memory.update_fact(uuid, old, "correction")).content,))
                case "forgotten":
                    return Undone(restored=((await agent.memory.restore(uuid)).content,))
        return Undone()
