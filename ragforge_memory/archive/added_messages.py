"""Turns of an agent loop of one's own, as its caller records them: checked, and stored as a turn's messages are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.agent.ties.named import Question, answer_ties
from ragforge_memory.archive.transcript_messages import BATCH_MESSAGES, ImportedTies
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.decisions import CANDIDATES, Statement, find_corrected, kind_of_correction
from ragforge_memory.graph.imports import ImportBatch, import_row
from ragforge_memory.graph.messages import Answer, CodeTies, MessageStore, NewMessage, tool_tokens
from ragforge_memory.graph.records import to_json, tool_call_rows
from ragforge_memory.importers import fields
from ragforge_memory.importers.exchange import NO_RESULT
from ragforge_memory.models.conversation import Message, Role, ToolCall
from ragforge_memory.models.text import MOST_METADATA
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.text.forms import Form, read_form
from ragforge_memory.text.titles import title_of

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services

_ROLES = ("user", "assistant", "system")
_KEYS = frozenset({"role", "content", "reasoning", "tool_calls", "timestamp", "uuid", "metadata", "model"})
_CALL_KEYS = frozenset(
    {"uuid", "tool_name", "arguments", "result", "error", "success", "duration_ms", "timestamp", "iteration"}
)
# Of the newest messages that are here one is the question that the first added answer is to.
_LOOKED_BACK = 50


def checked(messages: object) -> list[Message]:
    """The messages that records are, without a place yet.

    Raises:
        InvalidInput: one is none; it is named by its index.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Sequence):
        raise InvalidInput(f"messages are a list, not {type(messages).__name__}")
    if len(messages) > BATCH_MESSAGES:
        raise InvalidInput(f"{len(messages):,} messages are too many at once; {BATCH_MESSAGES:,} are the most")
    found: list[Message] = []
    seen: dict[str, int] = {}
    for index, record in enumerate(messages):
        try:
            message = _message(record)
            if (before := seen.setdefault(message.uuid, index)) != index:
                raise ValueError(f"its uuid is that of message {before}")
        except (ValueError, RecursionError) as error:
            hint = "a message has a role and a content; nothing was written"
            raise InvalidInput(f"message {index}: {error}", hint=hint) from error
        found.append(message)
    return found


async def add_messages(services: Services, conversation_id: str, messages: Sequence[Message]) -> list[Message]:
    """Appends what `checked` gave; see `AsyncConversation.add_messages`."""
    if not messages:
        return []
    answers = await _answers(services, conversation_id, messages)
    stores = services.stores
    if stores.in_memory or stores.imports is None or stores.receipts is None:
        return await _kept_in_memory(services, conversation_id, answers)
    known = await stores.imports.known([each.message.uuid for each in answers])
    if places := [each.seq for each in known.values() if each.seq]:
        _check_same(answers, await stores.receipts.at(conversation_id, places))
    asked = next((each.message.content for each in answers if each.message.role == "user"), None)
    rows = await _rows(services, conversation_id, answers)
    batch = ImportBatch(conversation_id, rows, after=None, title=title_of(asked) if asked else None)
    first, head = await stores.imports.add(batch)
    ties = ImportedTies(stores, services.place)
    await ties.begin()
    await ties.write({each.message.uuid: each.ties for each in answers if each.ties.mentions})
    services.background.said([each.message for each in answers])
    services.background.work.wake(due=True)
    stored = await stores.receipts.between(conversation_id, first - 1, head)
    wanted = {each.message.uuid for each in answers}
    return [each for each in stored if each.uuid in wanted]


async def _answers(services: Services, conversation_id: str, messages: Sequence[Message]) -> list[Answer]:
    """As turns store them: redacted, weighed, each answer with its question, tied to what it names."""
    redacted = services.place.redacted
    newest = await services.stores.messages.history(
        conversation_id, limit=_LOOKED_BACK, include_tool_calls=False, include_reasoning=False
    )
    known = next((each for each in reversed(newest) if each.role == "user"), None)
    question, asked = (known.uuid if known else None), Question(known.content if known else "")
    found = []
    for message in messages:
        content = redacted(message.content)
        calls = tuple(_redacted(call, redacted) for call in message.tool_calls)
        form = read_form(content) if message.role == "user" else None
        new = NewMessage(
            uuid=message.uuid,
            role=message.role,
            content=content,
            reasoning=redacted(message.reasoning) if message.reasoning else None,
            token_count=estimate_tokens(content),
            in_reply_to=question if message.role == "assistant" else None,
            model=message.model,
            metadata=redacted(message.metadata) if message.metadata else None,
            importance=importance_of(content, calls, role=message.role),
            trust={"user": "user", "assistant": "agent"}.get(message.role),
            kind=form.kind if form else None,
            how=form.how if form else None,
            timestamp=message.timestamp,
        )
        ties = CodeTies()
        if message.role == "user":
            question, asked = message.uuid, Question(content)
            new, ties = services.background.due(new), CodeTies(mentions=asked.told, files=asked.files)
        elif message.role == "assistant":
            ties = answer_ties(asked, content)
        answer = Answer(new, calls, ties)
        found.append(services.background.due_answer(answer) if message.role == "assistant" else answer)
    return found


async def _rows(services: Services, conversation_id: str, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    rows = []
    statements: list[Statement] = []
    for answer in answers:
        new, corrected = answer.message, None
        if new.how is not None:
            form = read_form(new.content)
            corrected = find_corrected(_text(form, new), new.how, statements)
            if corrected is None and isinstance(services.stores.messages, MessageStore):
                corrected = await services.stores.messages.corrected(conversation_id, new)
            if new.how == "corrects":
                new = replace(new, kind=kind_of_correction(corrected))
        if new.kind is not None:
            statements.insert(0, Statement(new.uuid, new.content, new.kind))
            del statements[CANDIDATES:]
        calls = [
            {**tool_call_rows(call, result_uuid=uuid4().hex), "timestamp": call.timestamp.isoformat()}
            for call in answer.tool_calls
        ]
        tokens = estimate_tokens(new.content) + sum(map(tool_tokens, answer.tool_calls))
        row = import_row(new, new.timestamp, calls, tokens=tokens)
        row |= {"extract": new.extract, "tools": bool(calls)}
        if corrected is not None:
            row["corrects"] = {"uuid": corrected.uuid, "how": new.how}
        rows.append(row)
    return rows


async def _kept_in_memory(services: Services, conversation_id: str, answers: Sequence[Answer]) -> list[Message]:
    """Without memory, or before `save`: what the graph would take in one write."""
    store = services.stores.messages
    known = await store.known([each.message.uuid for each in answers])
    if known:
        _check_same(answers, await store.history(conversation_id, limit=BATCH_MESSAGES + len(answers)))
    for answer in answers:
        new = answer.message
        if new.uuid in known:
            continue
        if new.role == "assistant":
            await store.complete_turn(conversation_id, answer)
        else:
            title = title_of(new.content) if new.role == "user" else None
            await store.append(conversation_id, new, title=title)
    wanted = {each.message.uuid for each in answers}
    newest = await store.history(conversation_id, limit=BATCH_MESSAGES + len(answers))
    return [each for each in newest if each.uuid in wanted]


def _check_same(answers: Sequence[Answer], stored: Iterable[Message]) -> None:
    """Whether each that is here already says the same; a text that is lost says nothing.

    Raises:
        InvalidInput: one does not.
    """
    here = {each.uuid: each for each in stored}
    for index, answer in enumerate(answers):
        new, known = answer.message, here.get(answer.message.uuid)
        if known is not None and (known.role != new.role or known.content not in ("", new.content)):
            what = "role" if known.role != new.role else "text"
            raise InvalidInput(
                f"message {index}: the message of its uuid that is here has another {what}",
                hint="what was said stays: give this one a uuid of its own; nothing was written",
            )


def _text(form: Form | None, new: NewMessage) -> str:
    return form.text if form else new.content


def _message(record: object) -> Message:
    given = fields.mapping(record, "a message")
    _check_keys(given, _KEYS)
    role = given.get("role")
    if not fields.is_one_of(role, _ROLES):
        raise ValueError(f"there is no role {role!r} ({', '.join(_ROLES)})")
    content = fields.text(given.get("content") or "", "its content")
    calls = given.get("tool_calls") or ()
    if not isinstance(calls, (list, tuple)):
        raise ValueError(f"its tool_calls are a list, not {type(calls).__name__}")
    if calls and role != "assistant":
        raise ValueError("only the assistant calls tools")
    if not content.strip() and not calls:
        raise ValueError("its content is empty")
    uuid = fields.identifier(given.get("uuid")) or uuid4().hex
    when = fields.time(given.get("timestamp"))
    return Message(
        uuid=uuid,
        conversation_id="",
        seq=1,
        role=cast("Role", role),
        content=content,
        reasoning=fields.optional_text(given.get("reasoning"), "its reasoning", most=fields.MAX_RESULT_CHARACTERS),
        timestamp=when or datetime.now(UTC),
        model=fields.optional_text(given.get("model"), "its model", most=200),
        metadata=_metadata(given.get("metadata")),
        tool_calls=tuple(_call(call, index, uuid, when) for index, call in enumerate(calls)),
    )


def _call(value: object, index: int, message_id: str, when: datetime | None) -> ToolCall:
    given = fields.mapping(value, "a tool call")
    _check_keys(given, _CALL_KEYS)
    error = fields.optional_text(given.get("error"), "the error of a tool call", most=fields.MAX_RESULT_CHARACTERS)
    success = given.get("success", error is None and "result" in given)
    if not isinstance(success, bool):
        raise ValueError("whether a tool call went well (success) is true or false")
    result = given.get("result")
    result = None if result is None else fields.plain_json(result, "the result of its tool call")
    duration = given.get("duration_ms", 0)
    if isinstance(duration, bool) or not isinstance(duration, (int, float)) or not 0 <= duration < 1e12:
        raise ValueError("the duration_ms of a tool call is a number of milliseconds")
    return ToolCall(
        uuid=fields.identifier(given.get("uuid"), "the uuid of a tool call") or uuid4().hex,
        message_id=message_id,
        index=index,
        tool_name=fields.text(given.get("tool_name"), "the tool_name of a call", most=200),
        arguments=dict(fields.arguments(given.get("arguments"))),
        timestamp=fields.time(given.get("timestamp")) or when or datetime.now(UTC),
        result_size_bytes=0 if result is None else len(to_json(result).encode()),
        success=success,
        result=result,
        error=error if success or error else "it failed" if "success" in given else NO_RESULT,
        duration_ms=int(duration),
        iteration=_iteration(given.get("iteration", 1)),
    )


def _iteration(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("the iteration of a tool call is a number")
    return value


def _metadata(value: object) -> dict[str, Any]:
    metadata: dict[str, Any] = fields.plain_json(dict(fields.mapping(value or {}, "its metadata")), "its metadata")
    if len(str(metadata)) > MOST_METADATA:
        raise ValueError(f"its metadata has more than {MOST_METADATA:,} characters")
    return metadata


def _check_keys(given: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = [str(key) for key in given if key not in known]
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r} (known: {', '.join(sorted(known))})")


def _redacted(call: ToolCall, redacted: Any) -> ToolCall:
    texts = {name: redacted(getattr(call, name)) for name in ("tool_name", "arguments", "result", "error")}
    return call.model_copy(update=texts)
