"""What the chat completions API refuses, after OpenAI's error messages; where local servers are stricter, theirs.

Ollama, llama.cpp and vLLM parse the arguments of past tool calls, so these must be JSON here as well.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.fakes.behaviours import Refused

CHAT_FIELDS = frozenset(["model", "messages", "tools", "stream", "stream_options"])  # that this library sends
MESSAGE_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "audio"},
    "tool": {"role", "content", "tool_call_id"},
}
EMBEDDING_FIELDS = frozenset(["model", "input", "encoding_format", "dimensions", "user"])
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def invalid(message: str, param: str | None = None, code: str | None = None) -> Refused:
    return Refused(400, message, code, param)


def check_chat(body: dict[str, Any], *, reasoning: Literal["unknown", "taken", "required"] = "unknown") -> None:
    """Refuses what ``POST /v1/chat/completions`` refuses; the model's existence is the server's to check.

    ``reasoning`` says what becomes of ``reasoning_content`` on the assistant's messages: OpenAI does not know it,
    local servers take it, DeepSeek requires it beside tool calls.
    """
    for field in body:
        if field not in CHAT_FIELDS:
            raise invalid(f"Unrecognized request argument supplied: {field}", field)
    if "stream_options" in body and not body.get("stream"):
        raise invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    _check_tools(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("[] is too short - 'messages'", "messages")
    for index, message in enumerate(messages):
        _check_message(message, f"messages.[{index}]", reasoning)
    _check_order(messages)


def check_embeddings(body: dict[str, Any]) -> list[str]:
    """Refuses what ``POST /v1/embeddings`` refuses; returns the texts."""
    for field in body:
        if field not in EMBEDDING_FIELDS:
            raise invalid(f"Unrecognized request argument supplied: {field}", field)
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise invalid("'$.input' is invalid. Please check the API reference.", "input")
    if len(texts) > 2048:
        raise invalid("'$.input' is too long: at most 2048 texts in one request.", "input")
    if any(text == "" for text in texts):
        raise invalid("'$.input' is invalid: an empty string.", "input")
    if body.get("encoding_format", "float") not in ("float", "base64"):
        raise invalid("'encoding_format' must be float or base64", "encoding_format")
    return texts


def _check_message(message: Any, where: str, reasoning: str) -> None:
    if not isinstance(message, dict):
        raise invalid(f"Invalid type for '{where}': expected an object.", where)
    role = message.get("role")
    if role not in MESSAGE_FIELDS:
        raise invalid(f"Invalid value: {role!r}. Supported values are: {', '.join(MESSAGE_FIELDS)}.", f"{where}.role")
    for field in message:
        if field not in MESSAGE_FIELDS[role] and not (reasoning != "unknown" and field == "reasoning_content"):
            raise invalid(f"Unknown parameter: '{where}.{field}'.", f"{where}.{field}", "unknown_parameter")
    content = message.get("content")
    if role == "assistant":
        calls = message.get("tool_calls")
        if calls is None and content is None:
            raise invalid(f"Invalid value for 'content': expected a string, got null. ({where})", where)
        if calls is not None:
            _check_calls(calls, where)
            if reasoning == "required" and not isinstance(message.get("reasoning_content"), str):
                raise invalid("The `reasoning_content` in the thinking mode must be passed back to the API.", where)
    elif not isinstance(content, str | list):
        raise invalid(f"Invalid value for 'content': expected a string, got null. ({where})", where)
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise invalid(f"Missing required parameter: '{where}.tool_call_id'.", where, "missing_required_parameter")


def _check_calls(calls: Any, where: str) -> None:
    if not isinstance(calls, list) or not calls:
        raise invalid(f"Invalid '{where}.tool_calls': empty array.", f"{where}.tool_calls", "empty_array")
    for call in calls:
        function = call.get("function", {})
        if call.get("type") != "function" or not call.get("id") or not NAME.fullmatch(function.get("name", "")):
            raise invalid(f"Invalid '{where}.tool_calls': id, type and a function name are required.", where)
        try:
            arguments = json.loads(function.get("arguments", ""))
        except (TypeError, ValueError):
            arguments = None
        if not isinstance(arguments, dict):
            raise invalid(f"Invalid '{where}.tool_calls': arguments are not a JSON object.", where)
    if len({call["id"] for call in calls}) != len(calls):
        raise invalid(f"Duplicate tool call ids in '{where}.tool_calls'.", where)


def _check_order(messages: list[dict[str, Any]]) -> None:
    """Every tool call is answered, by its id, before anyone else speaks; nothing else is answered."""
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if not open_ids and not _answers_follow_calls(messages, index):
                raise invalid(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'.",
                    f"messages.[{index}].role",
                )
            if message["tool_call_id"] not in open_ids:
                raise invalid(
                    f"Invalid parameter: 'tool_call_id' of '{message['tool_call_id']}' not found in 'tool_calls' of "
                    "previous message.",
                    f"messages.[{index}].tool_call_id",
                )
            open_ids.remove(message["tool_call_id"])
            continue
        _check_answered(open_ids, index)
        open_ids = [call["id"] for call in message.get("tool_calls") or ()]
    _check_answered(open_ids, len(messages))


def _answers_follow_calls(messages: list[dict[str, Any]], index: int) -> bool:
    while index and messages[index]["role"] == "tool":
        index -= 1
    return bool(messages[index].get("tool_calls"))


def _check_answered(open_ids: list[str], index: int) -> None:
    if open_ids:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_ids)}",
            f"messages.[{index - 1}].role",
        )


def _check_tools(body: dict[str, Any]) -> None:
    if "tools" not in body:
        return
    if not isinstance(body["tools"], list) or not body["tools"]:
        raise invalid("Invalid 'tools': empty array. Expected an array with minimum length 1.", "tools", "empty_array")
    for index, tool in enumerate(body["tools"]):
        function = tool.get("function")
        if tool.get("type") != "function" or not isinstance(function, dict):
            raise invalid(f"Missing required parameter: 'tools[{index}].function'.", f"tools[{index}]")
        name = function.get("name", "")
        if not NAME.fullmatch(name):
            raise invalid(f"Invalid 'tools[{index}].function.name': {name!r} does not match the pattern.", "tools")
        schema = function.get("parameters", {"type": "object", "properties": {}})
        kind = schema.get("type") if isinstance(schema, dict) else None
        if kind != "object":
            raise invalid(
                f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got "
                f"'type: {json.dumps(kind)}'.",
                f"tools[{index}].function.parameters",
                "invalid_function_parameters",
            )
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise invalid(
                f"Invalid schema for function '{name}': {error.message}",
                f"tools[{index}].function.parameters",
                "invalid_function_parameters",
            ) from None
