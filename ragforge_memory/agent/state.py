"""The message list as a state: ``{"messages": […]}`` in, the whole of it out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ragforge_memory.agent.inputs import check_text, checked_text
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.agent import AsyncConversationAgent
    from ragforge_memory.agent.conversation import AsyncConversation

Messages = dict[str, Any]

# The names that other message lists use for the same roles.
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "system": "system"}


def reduce_messages(left: Sequence[Mapping[str, Any]], right: Any) -> list[dict[str, Any]]:
    """Merges an update into a message list: a message whose ``id`` is known replaces that one, others are appended.

    Args:
        left: the list so far.
        right: one message or several; a message without an id gets one.

    Raises:
        InvalidInput: something in it is no message.
    """
    merged = [checked_message(message) for message in left]
    places = {message["id"]: place for place, message in enumerate(merged)}
    if isinstance(right, str) or not isinstance(right, (Mapping, Iterable)):
        raise InvalidInput(f"an update is a message or several, not {type(right).__name__}")
    for update in [right] if isinstance(right, Mapping) else right:
        message = checked_message(update)
        if message["id"] in places:
            merged[places[message["id"]]] = message
        else:
            places[message["id"]] = len(merged)
            merged.append(message)
    return merged


def checked_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message with a known role, its text and an id.

    Raises:
        InvalidInput: a role or a content that cannot be used.
    """
    if not isinstance(message, Mapping):
        raise InvalidInput(f"a message is a mapping with role and content, not {type(message).__name__}")
    role = _ROLES.get(str(message.get("role", message.get("type", ""))).lower())
    if role is None and str(message.get("role", "")).lower() == "tool":
        role = "tool"
    if role is None:
        raise InvalidInput(
            f"there is no role {message.get('role')!r}", hint="roles are system, user, assistant and tool"
        )
    content = message.get("content")
    if isinstance(content, list):
        # Content given as blocks: its text is what can be kept.
        content = "".join(map(_text_of, content))
    if content is not None and not isinstance(content, str):
        raise InvalidInput(f"the content of a message is text, not {type(content).__name__}")
    given = message.get("id")
    identity = uuid4().hex if given is None or given == "" else str(given)
    check_text(identity, "the id of a message")
    return {**message, "role": role, "content": content or "", "id": identity}


def _text_of(block: object) -> str:
    if isinstance(block, Mapping):
        return str(block.get("text") or "")
    if block is not None and not isinstance(block, str):
        raise InvalidInput(f"a block of a message's content is text or a mapping, not {type(block).__name__}")
    return block or ""


async def run_state(agent: AsyncConversationAgent, state: Mapping[str, Any]) -> Messages:
    """Runs a turn on a message list; see `AsyncConversationAgent.invoke`."""
    from ragforge_memory.agent.outages.recovery import replay_own
    from ragforge_memory.graph.messages import NewMessage
    from ragforge_memory.graph.records import as_text
    from ragforge_memory.models.tokens import estimate_tokens

    given = state.get("messages") if isinstance(state, Mapping) else None
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InvalidInput("the state needs its messages", hint='invoke({"messages": [{"role": "user", …}]})')
    messages = reduce_messages([], given)
    question = messages[-1]
    if question["role"] != "user" or not question["content"].strip():
        raise InvalidInput("the last message of the state must be the user's, with text")
    for message in messages:
        if message["content"].strip():
            checked_text(message["content"])
    session = state.get("session_id")
    if session is not None:
        check_text(session, "a session id")
    services = await agent.open()
    await replay_own(services)
    ours = await services.messages.known([message["id"] for message in messages])
    conversation = await _home_of(agent, str(session) if session else None, set(ours.values()))

    def uuid_of(message: Mapping[str, Any]) -> str:
        """Our uuid for a message: its id where that is ours, else one that means this id in this conversation."""
        if message["id"] in ours:
            return str(message["id"])
        return hashlib.sha256(f"{conversation.uuid}\0{message['id']}".encode()).hexdigest()[:32]

    stored = set(await services.messages.known([uuid_of(message) for message in messages]))
    if uuid_of(question) in stored:
        raise InvalidInput("the last message has been answered already", hint="append a new message to the state")
    last_question: str | None = None
    for message in messages[:-1]:
        if message["role"] == "user":
            last_question = uuid_of(message)
        spoken = message["role"] != "tool" and bool(message["content"].strip())
        if uuid_of(message) in stored or not spoken:
            # A step that only called tools belongs to the answer behind it, which has its calls in the graph.
            continue
        await services.messages.append(
            conversation.uuid,
            NewMessage(
                uuid=uuid_of(message),
                role=message["role"],
                content=services.redacted(message["content"]),
                token_count=estimate_tokens(message["content"]),
                trust="user" if message["role"] == "user" else "agent",
                in_reply_to=last_question if message["role"] == "assistant" else None,
            ),
        )
    response = await conversation.answer(question["content"], message_id=uuid_of(question))
    added: list[dict[str, Any]] = []
    if response.tool_calls:
        added.append(
            {
                "id": f"{response.message_id}-tools",
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": call.uuid, "name": call.tool_name, "args": call.arguments} for call in response.tool_calls
                ],
            }
        )
        added.extend(
            {
                "id": f"{call.uuid}-result",
                "role": "tool",
                "tool_call_id": call.uuid,
                "name": call.tool_name,
                "content": call.error if call.error is not None else as_text(call.result),
            }
            for call in response.tool_calls
        )
    added.append({"id": response.message_id, "role": "assistant", "content": response.content})
    return {
        **state,
        "messages": reduce_messages(messages, added),
        "session_id": conversation.session_id or conversation.uuid,
    }


async def _home_of(agent: AsyncConversationAgent, session: str | None, homes: set[str]) -> AsyncConversation:
    """The conversation that a state belongs to: its session's, that of the messages we know, or a new one."""
    if session is not None:
        # A session is its exact name, or the uuid that `invoke` returned for a conversation without one.
        conversation = await agent._exact_conversation(session) or await agent.open_conversation(session)
        if homes - {conversation.uuid}:
            raise InvalidInput("some of these messages belong to another session", hint="give them new ids")
        return conversation
    if len(homes) > 1:
        raise InvalidInput("these messages belong to several conversations", hint="give them new ids")
    if homes:
        return await agent.load_conversation(homes.pop())
    return await agent.create_conversation()
