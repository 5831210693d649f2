"""The message list as a state: ``{"messages": […]}`` in, the whole of it out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4
from weakref import WeakValueDictionary

from ragforge_memory.agent.inputs import check_text, checked_text
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.seen_secrets import SeenRedactor
    from ragforge_memory.agent.services import Place, Services, Stores
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.models.conversation import AssistantResponse

Messages = dict[str, Any]

# The names that other message lists use for the same roles.
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "system": "system"}

# What those share who ask one question at once, whichever agent they ask: loop, conversation, the question's id.
_ASKING: WeakValueDictionary[tuple[int, str, str], asyncio.Lock] = WeakValueDictionary()


class Sessions(Protocol):
    """What a message list needs of the agent: the conversation that it belongs to."""

    async def open(self) -> Services:
        """Opens what is needed, once."""

    async def create_conversation(self) -> AsyncConversation:
        """Begins a conversation."""

    async def open_conversation(self, session_id: str, /) -> AsyncConversation:
        """The conversation of a session, which is begun where there is none."""

    async def load_conversation(self, uuid: str, /) -> AsyncConversation:
        """An existing conversation."""

    async def exact_conversation(self, uuid: str, /) -> AsyncConversation | None:
        """The conversation of exactly this uuid; no prefix, session or title is tried."""


def reduce_messages(left: Sequence[Mapping[str, Any]], right: Any) -> list[dict[str, Any]]:
    """Merges an update into a message list: a message whose ``id`` is known replaces that one, others are appended.

    Args:
        left: the list so far.
        right: one message or several; a message without an id gets one.

    Raises:
        InvalidInput: something in it is not a message.
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


async def run_state(agent: Sessions, state: Mapping[str, Any]) -> Messages:
    """Runs a turn on a message list; see `AsyncConversationAgent.invoke`."""
    from ragforge_memory.agent.context.room import check_room
    from ragforge_memory.agent.outages.recovery import fold_orphans, replay_own

    messages, session = _checked(state)
    services = await agent.open()
    check_room(services.models, services.place, services.models.registry, messages[-1]["content"])
    await replay_own(services)
    await fold_orphans(services)
    conversation = await _home_of(agent, services.stores, session, messages)
    # Of several that ask the same at once the first is answered; the others find its answer.
    asking = (id(asyncio.get_running_loop()), conversation.uuid, messages[-1]["id"])
    async with _ASKING.setdefault(asking, asyncio.Lock()):
        response = await _answered(services.stores, services.place, conversation, messages)
    return {
        **state,
        "messages": reduce_messages(messages, _added(response)),
        "session_id": conversation.session_id or conversation.uuid,
    }


def _checked(state: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """The messages of a state, of which the last asks something, and its session."""
    given = state.get("messages") if isinstance(state, Mapping) else None
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InvalidInput("the state needs its messages", hint='invoke({"messages": [{"role": "user", …}]})')
    messages = reduce_messages([], given)
    question = messages[-1]
    if question["role"] != "user" or not question["content"].strip():
        raise InvalidInput("the last message of the state must be the user's, with text")
    for message in messages:
        if message["content"].strip():
            message["content"] = checked_text(message["content"])
    session = state.get("session_id")
    if session is not None:
        check_text(session, "a session id")
    return messages, session or None


async def _home_of(
    agent: Sessions, stores: Stores, session: str | None, messages: Sequence[Mapping[str, Any]]
) -> AsyncConversation:
    """The conversation that a state belongs to: its session's, that of the last message we know, or a new one.

    A session is its exact name, or the uuid that `invoke` returned for a conversation without one. One that is not
    there is not begun for messages that are another's.
    """
    homes = await stores.messages.known([message["id"] for message in messages])
    if session is None:
        # A branch shares what was said before it began: the last message is the one that tells.
        last = next((homes[message["id"]] for message in reversed(messages) if message["id"] in homes), None)
        return await agent.create_conversation() if last is None else await agent.load_conversation(last)
    if (exact := await agent.exact_conversation(session)) is not None:
        return exact
    if not homes:
        return await agent.open_conversation(session)
    for uuid in set(homes.values()):
        home = await agent.exact_conversation(uuid)
        if home is not None and home.session_id == session:
            return home
    raise InvalidInput("some of these messages belong to another session", hint="give them new ids")


async def _answered(
    stores: Stores, place: Place, conversation: AsyncConversation, messages: Sequence[Mapping[str, Any]]
) -> AssistantResponse:
    """Stores what is new in a list and answers its question."""
    uuid, asked_seq = await keep_list(stores, place, conversation, messages)
    return await conversation.answer(messages[-1]["content"], message_id=uuid, asked_seq=asked_seq)


async def keep_list(
    stores: Stores, place: Place, conversation: AsyncConversation, messages: Sequence[Mapping[str, Any]]
) -> tuple[str, int | None]:
    """Stores what is new in a list before its last message, which is a question.

    Returns:
        The question's uuid, and its place where it is stored already and is asked again.

    Raises:
        InvalidInput: the question was answered, or a message differs from what is stored of it.
    """
    from ragforge_memory.agent.listed import listed

    known = await listed(stores, place, conversation.info, messages)
    known.check_texts(messages)
    question = messages[-1]
    asked_seq = known.asked_seq(question)
    last_question = None
    rows: list[tuple[str, Mapping[str, Any], str | None]] = []
    for message in messages[:-1]:
        if message["role"] == "user":
            last_question = known.uuid_of(message)
        if message["id"] not in known.stored:
            rows.append((known.uuid_of(message), message, last_question if message["role"] == "assistant" else None))
    redactor = place.redactor(*(message["content"] for message in messages))
    await append_spoken(stores, conversation, rows, redactor)
    return known.uuid_of(question), asked_seq


async def append_spoken(
    stores: Stores,
    conversation: AsyncConversation,
    rows: Sequence[tuple[str, Mapping[str, Any], str | None]],
    redactor: SeenRedactor,
) -> None:
    """Stores messages that were said elsewhere: the uuid of each, what it is, and the question that it answers."""
    from ragforge_memory.agent.turns.wording import stored_as, title_from

    for uuid, message, question in rows:
        if message["role"] == "tool" or not message["content"].strip():
            # A step that only called tools belongs to the answer behind it, which has its calls in the graph.
            continue
        new = replace(stored_as(redactor, uuid, message["role"], message["content"]), in_reply_to=question)
        await stores.messages.append(conversation.uuid, new, title=title_from(new))


def _added(response: AssistantResponse) -> list[dict[str, Any]]:
    """An answer as messages: its tool calls, their results, its text."""
    from ragforge_memory.graph.records import as_text

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
    return added
