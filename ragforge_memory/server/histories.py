"""Where a message list belongs that names no conversation, as OpenAI's clients send it each time as a whole."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.agent.services import Place
from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.api.state import append_spoken
from ragforge_memory.models.conversation import BranchTree, Message

_ALIKE = 256
"""Conversations of a user that may begin with the same words and still be told apart."""

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Home:
    """The conversation of a list, which has all of it but its question, and the uuid that the question is to have.

    ``asked_seq`` is its place where it is asked again, with what the caller's tools have given; ``answer`` the whole
    answer that it has had then.
    """

    conversation: AsyncConversation
    question_id: str | None = None
    asked_seq: int | None = None
    answer: Message | None = None


async def asked_last(conversation: AsyncConversation, place: Place, text: str) -> Home:
    """The last question of a conversation, to be asked again where it is this one."""
    messages = await conversation.get_history(include_reasoning=False)
    for message in reversed(messages):
        if message.role == "user":
            same = _plain(place, message.content) == _plain(place, text)
            return _again(conversation, message, messages) if same else Home(conversation)
    return Home(conversation)


def _again(conversation: AsyncConversation, question: Message, messages: Sequence[Message]) -> Home:
    """A question that is asked again; of what is sent twice the second is given the answer of the first."""
    answers = (each for each in messages if each.in_reply_to == question.uuid and each.state == "complete")
    return Home(conversation, question.uuid, question.seq, next(answers, None))


async def home_of(
    agent: AsyncConversationAgent, messages: Sequence[Mapping[str, Any]], *, resumed: bool = False
) -> Home:
    """Finds the conversation of which a list is the history, or begins one; stores what it does not have.

    The first question has a uuid that is made of its words, which finds the conversations that begin so. That which
    shares most of the list goes on where the list ends there; else a branch of it begins where the two part.

    Args:
        agent: of the user.
        messages: ``{"role", "content"}`` each, the last the question.
        resumed: whether the question was asked already, and its turn goes on.
    """
    services = await agent.open()
    spoken = [each for each in messages if each["role"] in ("user", "assistant") and each["content"].strip()]
    *history, question = spoken
    first = next((each for each in spoken if each["role"] == "user"), question)
    firsts = [_uuid_of(agent, first["content"], number) for number in range(_ALIKE)]
    known = await services.stores.messages.known(firsts)
    roots, shared = set(known.values()), list[Message]()
    if resumed:
        best = await _nearest(agent, services.place, spoken, roots, whole=True)
        if best is not None:
            return _again(best[0], best[1][-1], await best[0].get_history(_MOST, include_reasoning=False))
    best = await _nearest(agent, services.place, history, roots) if history else None
    if best is None:
        conversation = await agent.create_conversation()
        missing = [each for each in messages[:-1] if each["role"] == "system" or each in history]
    else:
        conversation, shared, whole = best
        if not whole:
            conversation = await conversation.branch(shared[-1].uuid)
        # What a program says of itself was stored where the conversation began.
        missing = history[len(shared) :]
    # At random, so that chats that begin alike at one moment take different ones.
    free = random.choice([uuid for uuid in firsts if uuid not in known] or [uuid4().hex])
    uuids = {id(first): free} if best is None else {}
    rows: list[tuple[str, Mapping[str, Any], str | None]] = []
    asked: str | None = None
    for each in missing:
        uuid = uuids.get(id(each)) or uuid4().hex
        asked = uuid if each["role"] == "user" else asked
        rows.append((uuid, each, asked if each["role"] == "assistant" else None))
    redactor = services.place.redactor(*(each["content"] for each in messages))
    await append_spoken(services.stores, conversation, rows, redactor)
    return Home(conversation, uuids.get(id(question)) or uuid4().hex)


async def _nearest(
    agent: AsyncConversationAgent,
    place: Place,
    history: Sequence[Mapping[str, Any]],
    roots: set[str],
    *,
    whole: bool = False,
) -> tuple[AsyncConversation, list[Message], bool] | None:
    """The conversation that shares most of a history: what it shares, and whether it ends there as the history does.

    ``whole``: one that has all of it, which may end in a question; others are none.
    """
    best: tuple[AsyncConversation, list[Message], bool] | None = None
    for root in sorted(roots):
        conversation = await agent.exact_conversation(root)
        for uuid in _family(await conversation.branches()) if conversation is not None else ():
            member = await agent.exact_conversation(uuid)
            if member is None:
                continue
            stored = await _whole_history(member)
            spoken = [each for each in stored if each.role in ("user", "assistant") and each.content.strip()]
            shared = _shared(place, history, spoken)
            if whole:
                if len(shared) == len(history):
                    return member, shared, True
                continue
            # It parts from another where something was answered; a question alone is asked anew.
            while shared and shared[-1].role != "assistant":
                shared.pop()
            if shared and (best is None or len(shared) > len(best[1]) or (len(shared) == len(spoken) and not best[2])):
                best = (member, shared, len(shared) == len(spoken))
            if best is not None and best[2] and len(best[1]) == len(history):
                return best
    return best


async def _whole_history(conversation: AsyncConversation) -> list[Message]:
    """All messages of a conversation, from the first on: a list of a client's begins there too."""
    messages: list[Message] = []
    while True:
        before = messages[0].uuid if messages else None
        page = await conversation.get_history(
            _MOST, before_message_id=before, include_tool_calls=False, include_reasoning=False
        )
        messages = [*page, *messages]
        if len(page) < _MOST:
            return messages


def _shared(place: Place, history: Sequence[Mapping[str, Any]], stored: Sequence[Message]) -> list[Message]:
    """The beginning of what is stored that a history has too, with secrets taken out of both."""
    shared = []
    for given, message in zip(history, stored, strict=False):
        if given["role"] != message.role or _plain(place, given["content"]) != _plain(place, message.content):
            break
        shared.append(message)
    return shared


def _plain(place: Place, text: str) -> str:
    return " ".join(place.redactor(text).text(text).split())


def _family(tree: BranchTree) -> Iterator[str]:
    if tree.conversation is not None:
        yield tree.uuid
    for branch in tree.branches:
        yield from _family(branch)


def _uuid_of(agent: AsyncConversationAgent, text: str, number: int) -> str:
    parts = (agent.user_id or "", agent.project or "", text, str(number))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]
