"""What the Gemini API refuses, read from its documentation and error messages; pure functions over JSON.

Field names come in camelCase or snake_case (protobuf's JSON takes both); `canonical` turns them to camelCase and
refuses a field that is given in both spellings, and all that is not here: fields that this library never sends too.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.fakes.behaviours import Refused

# Documented values that stand for a signature this model did not write (a transcript of another model).
FOREIGN_SIGNATURES = (b"skip_thought_signature_validator", b"context_engineering_is_the_way_to_go")
FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")

ANY = object()  # free JSON
CONTENT: dict[str, Any] = {"role": str}
PART: dict[str, Any] = {
    "text": str,
    "thought": bool,
    "thoughtSignature": str,
    "functionCall": {"id": str, "name": str, "args": ANY},
    "functionResponse": {"id": str, "name": str, "response": ANY},
}
CONTENT["parts"] = [PART]
DATA_FIELDS = ("text", "functionCall", "functionResponse")
DECLARATION = {"name": str, "description": str, "parametersJsonSchema": ANY}
GENERATE: dict[str, Any] = {
    "model": str,
    "contents": [CONTENT],
    "systemInstruction": CONTENT,
    "tools": [{"functionDeclarations": [DECLARATION]}],
    "generationConfig": {
        "maxOutputTokens": int,
        "temperature": float,
        "thinkingConfig": {"includeThoughts": bool, "thinkingBudget": int, "thinkingLevel": str},
    },
}
EMBED = {"model": str, "content": CONTENT, "taskType": str, "outputDimensionality": int}
BATCH_EMBED: dict[str, Any] = {"requests": [EMBED]}

_TYPE_NAMES = {str: "TYPE_STRING", bool: "TYPE_BOOL", int: "TYPE_INT32", float: "TYPE_FLOAT"}


def invalid(message: str) -> Refused:
    return Refused(400, message, "INVALID_ARGUMENT")


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def canonical(value: Any, shape: Any, path: str = "") -> Any:
    """The value in camelCase; refuses unknown and doubled fields and wrong types, in the vendor's words."""
    if shape is ANY:
        return value
    where = f" at '{path}'" if path else ""
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise invalid(f"Invalid value{where}: a list was expected.")
        return [canonical(item, shape[0], f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(shape, dict):
        if isinstance(value, list):
            raise invalid(
                f'Invalid JSON payload received. Unknown name "{path}": Proto field is not repeating, '
                "cannot start list."
            )
        if not isinstance(value, dict):
            raise invalid(f"Invalid value{where}: an object was expected.")
        result: dict[str, Any] = {}
        for name, item in value.items():
            key = camel(name)
            if key not in shape:
                raise invalid(f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.')
            if key in result:
                raise invalid(f"Invalid JSON payload received. Field '{key}'{where} is given twice.")
            result[key] = canonical(item, shape[key], f"{path}.{key}" if path else key)
        return result
    if shape is float and isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, shape) or (shape is int and isinstance(value, bool)):
        raise invalid(f"Invalid value{where} ({_TYPE_NAMES[shape]}), {value!r}")
    return value


def signature_bytes(text: str) -> bytes:
    """A signature's bytes; either alphabet of base64, as protobuf reads it, or a documented stand-in as it is."""
    if text.encode() in FOREIGN_SIGNATURES:
        return text.encode()
    padded = text.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except binascii.Error:
        raise invalid("Invalid value at 'thought_signature' (TYPE_BYTES), Base64 decoding failed") from None


def check_generate(body: dict[str, Any], issued: dict[bytes, tuple[str, dict[str, Any]]], model: str) -> None:
    """Refuses what ``generateContent`` refuses. ``issued`` maps signatures to the model and part they were on."""
    contents = body.get("contents")
    if not contents:
        raise invalid("* GenerateContentRequest.contents: contents is not specified")
    if "systemInstruction" in body:
        _check_parts(body["systemInstruction"], "system_instruction")
    for index, content in enumerate(contents):
        _check_content(content, index, len(contents))
    _check_order(contents)
    _check_signatures(contents, issued, model)
    _check_tools(body)


def check_embed(body: dict[str, Any], model: str) -> None:
    """Refuses what ``batchEmbedContents`` refuses."""
    requests = body.get("requests")
    if not requests:
        raise invalid("* BatchEmbedContentsRequest.requests: requests is not specified")
    if len(requests) > 100:
        raise invalid("* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch")
    for index, request in enumerate(requests):
        if request.get("model") != f"models/{model}":
            raise invalid(f"* BatchEmbedContentsRequest.requests[{index}].model: must match the model of the batch")
        if "content" not in request:
            raise invalid(f"* BatchEmbedContentsRequest.requests[{index}].content: content is not specified")
        _check_parts(request["content"], f"requests[{index}].content")
        size = request.get("outputDimensionality", 768)
        if not 128 <= size <= 3072:
            raise invalid(f"* BatchEmbedContentsRequest.requests[{index}].output_dimensionality: {size} out of range")


def _check_content(content: dict[str, Any], index: int, total: int) -> None:
    role = content.get("role")
    if role is None and total > 1:
        raise invalid("Please ensure that multiturn requests alternate between user and model: a role is missing.")
    if role not in (None, "user", "model"):
        raise invalid(f"Please use a valid role: user, model. (contents[{index}].role is {role!r})")
    _check_parts(content, f"contents[{index}]")
    for part in content["parts"]:
        if "functionCall" in part and role != "model":
            raise invalid("Please ensure that function call parts are of the role model.")
        if "functionResponse" in part and role == "model":
            raise invalid("Please ensure that function response parts are of the role user.")


def _check_parts(content: dict[str, Any], where: str) -> None:
    if not content.get("parts"):
        raise invalid(f"* GenerateContentRequest.{where}.parts: contents.parts must not be empty.")
    for index, part in enumerate(content["parts"]):
        given = [name for name in DATA_FIELDS if name in part]
        if len(given) != 1:
            raise invalid(
                f"* GenerateContentRequest.{where}.parts[{index}].data: required oneof field 'data' must have one "
                f"initialized field ({', '.join(given) or 'none'} given)"
            )
        if part.get("text") == "" and "thoughtSignature" not in part:
            raise invalid(f"Unable to submit request because it has an empty text parameter: {where}.parts[{index}]")


def _calls(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [part["functionCall"] for part in content["parts"] if "functionCall" in part]


def _responses(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]


def _check_order(contents: list[dict[str, Any]]) -> None:
    """Calls come after the user, responses right after their calls: as many, same ids, same order."""
    for index, content in enumerate(contents):
        before = contents[index - 1] if index else None
        if _calls(content):
            if before is None or before.get("role") == "model":
                raise invalid(
                    "Please ensure that function call turn comes immediately after a user turn or after a "
                    "function response turn."
                )
            after = contents[index + 1] if index + 1 < len(contents) else None
            _check_answers(_calls(content), _responses(after) if after else [])
        if _responses(content):
            if before is None or not _calls(before):
                raise invalid("Please ensure that function response turn comes immediately after a function call turn.")
            if len(_responses(content)) != len(content["parts"]):
                raise invalid("Please ensure that a function response turn has function response parts alone.")


def _check_answers(calls: list[dict[str, Any]], responses: list[dict[str, Any]]) -> None:
    if len(calls) != len(responses):
        raise invalid(
            "Please ensure that the number of function response parts is equal to the number of function call "
            "parts of the function call turn."
        )
    for call, response in zip(calls, responses, strict=True):
        if call.get("name") != response.get("name") or call.get("id") != response.get("id"):
            raise invalid(
                f"Function response {response.get('name')!r} (id {response.get('id')!r}) does not match function "
                f"call {call.get('name')!r} (id {call.get('id')!r}): same ids in the same order are required."
            )
        if not isinstance(response.get("response"), dict):
            raise invalid("* function_response.response: must be an object (Struct)")
        if not isinstance(call.get("args", {}), dict):
            raise invalid("* function_call.args: must be an object (Struct)")


def _check_signatures(
    contents: list[dict[str, Any]], issued: dict[bytes, tuple[str, dict[str, Any]]], model: str
) -> None:
    """Every signature must be one of ours, on its own part; a step of this turn must begin with one."""
    turn = max((i for i, c in enumerate(contents) if c.get("role") != "model" and not _responses(c)), default=-1)
    for index, content in enumerate(contents):
        for part in content["parts"]:
            if "thoughtSignature" not in part:
                continue
            signature = signature_bytes(part["thoughtSignature"])
            if signature in FOREIGN_SIGNATURES:
                continue
            kept = {name: value for name, value in part.items() if name != "thoughtSignature"}
            if signature not in issued or issued[signature] != (model, kept):
                raise invalid("Corrupted thought signature.")
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if index > turn and first is not None and "thoughtSignature" not in first:
            raise invalid(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `{first['functionCall'].get('name')}`, position {index + 1}."
            )


def _check_tools(body: dict[str, Any]) -> None:
    names: set[str] = set()
    for tool in body.get("tools", []):
        if "functionDeclarations" in tool and not tool["functionDeclarations"]:
            raise invalid("* GenerateContentRequest.tools[0].function_declarations: must not be empty")
        for declaration in tool.get("functionDeclarations", []):
            name = declaration.get("name", "")
            if not FUNCTION_NAME.fullmatch(name):
                raise invalid(f"Invalid function name {name!r}. Must start with a letter or an underscore.")
            if name in names:
                raise invalid(f"Duplicate function declaration found: {name}")
            names.add(name)
            _check_schema(name, declaration.get("parametersJsonSchema", {"type": "object"}))


def _check_schema(name: str, schema: Any) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise invalid(f"{name}: parameters_json_schema is not a JSON Schema: {error.message}") from None
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise invalid(f"{name}: parameters_json_schema must be of type object")
