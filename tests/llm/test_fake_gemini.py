"""The fake Gemini refuses what Gemini refuses. Raw HTTP: no SDK stands between."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.fakes.behaviours import Answer, BlockedPrompt, Call, Failure
from tests.fakes.gemini_server import GeminiFake
from tests.llm.raw import Response, send

STREAM = "/v1/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
EMBED = "/v1/models/gemini-embedding-2:batchEmbedContents"
SKIP = base64.b64encode(b"skip_thought_signature_validator").decode()
JSON = dict[str, Any]


def user(text: str = "hi") -> JSON:
    return {"role": "user", "parts": [{"text": text}]}


def call(name: str = "f", id_: str | None = "1", signature: str | None = SKIP) -> JSON:
    made: JSON = {"functionCall": {"name": name, "args": {}, **({"id": id_} if id_ else {})}}
    return {**made, "thoughtSignature": signature} if signature else made


def calls(*parts: JSON) -> JSON:
    return {"role": "model", "parts": list(parts)}


def answers(*named: tuple[str, str | None]) -> JSON:
    parts = [
        {"functionResponse": {"name": name, "response": {"output": "r"}, **({"id": id_} if id_ else {})}}
        for name, id_ in named
    ]
    return {"role": "user", "parts": parts}


def post(fake: GeminiFake, body: Any, path: str = STREAM, **more: Any) -> Response:
    return send(fake.port, "POST", path, body, headers={"x-goog-api-key": fake.api_key}, **more)


def events(response: Response) -> list[Any]:
    """The events of a stream."""
    return [json.loads(event.removeprefix(b"data: ")) for event in response.raw.split(b"\r\n\r\n")[:-1]]


def refused(fake: GeminiFake, body: JSON, path: str = STREAM) -> str:
    response = post(fake, body, path)
    assert response.status == 400
    assert response.json["error"]["status"] == "INVALID_ARGUMENT"
    assert fake.refusals[-1] == response.error
    return response.error


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_a_whole_answer_in_both_versions_and_both_spellings(gemini_fake: GeminiFake, version: str) -> None:
    gemini_fake.script(Answer(("Hel", "lo"), thoughts=("hm",)))
    body = {
        "contents": [user()],
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "generation_config": {"thinking_config": {"include_thoughts": True}, "max_output_tokens": 9},
    }

    answer = events(post(gemini_fake, body, STREAM.replace("v1", version)))

    texts = [part["text"] for each in answer for part in each["candidates"][0]["content"]["parts"]]
    assert texts == ["hm", "Hel", "lo", ""]
    assert answer[-1]["candidates"][0]["finishReason"] == "STOP"
    assert answer[-1]["usageMetadata"]["promptTokenCount"] > 0
    assert gemini_fake.bodies[0]["generationConfig"]["maxOutputTokens"] == 9


def test_events_are_data_lines_that_end_with_two_line_breaks(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer(("a", "b")))

    answer = post(gemini_fake, {"contents": [user()]})

    assert answer.headers["content-type"] == "text/event-stream"
    events = answer.raw.split(b"\r\n\r\n")
    assert events[-1] == b""
    assert all(event.startswith(b"data: {") and b"\n" not in event for event in events[:-1])
    assert len(events) == 4


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [({}, 403, "unregistered callers"), ({"x-goog-api-key": "wrong"}, 400, "API key not valid")],
)
def test_a_missing_and_a_bad_key(gemini_fake: GeminiFake, headers: dict[str, str], status: int, words: str) -> None:
    response = send(gemini_fake.port, "POST", STREAM, {"contents": [user()]}, headers=headers)

    assert (response.status, words in response.error) == (status, True)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/models/gemini-9:streamGenerateContent?alt=sse",
        "/v1/models/gemini-3.8-flash:batchEmbedContents",
    ],
)
def test_an_unknown_model_or_method(gemini_fake: GeminiFake, path: str) -> None:
    response = post(gemini_fake, {"contents": [user()]}, path)

    assert (response.status, response.json["error"]["status"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("raw", [b"{", b"[]", b""])
def test_a_body_that_is_no_json_object(gemini_fake: GeminiFake, raw: bytes) -> None:
    assert "Invalid JSON payload" in post(gemini_fake, None, raw=raw).error


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"contents": []}, "contents is not specified"),
        ({"contents": [{"role": "user", "parts": [{"text": ""}]}]}, "empty text parameter"),
        ({"contents": [{"role": "user", "parts": [{"text": "a", "functionCall": {}}]}]}, "one initialized field"),
        ({"contents": [{"role": "user", "parts": [{"txt": "a"}]}]}, 'Unknown name "txt"'),
        ({"generationConfig": {"maxOutputTokens": "many"}}, "TYPE_INT32"),
        (
            {"systemInstruction": {"parts": [{"text": "a"}]}, "system_instruction": {"parts": [{"text": "b"}]}},
            "given twice",
        ),
        ({"tools": [{"functionDeclarations": [{"name": "1x"}]}]}, "Invalid function name"),
        ({"tools": [{"functionDeclarations": [{"name": "x"}, {"name": "x"}]}]}, "Duplicate"),
        (
            {"tools": [{"functionDeclarations": [{"name": "x", "parametersJsonSchema": {"type": "string"}}]}]},
            "type object",
        ),
    ],
)
def test_what_no_request_may_be(gemini_fake: GeminiFake, change: JSON, words: str) -> None:
    assert words in refused(gemini_fake, {"contents": [user()], **change})


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ([user(), calls(call(signature=None)), answers(("f", "1"))], "missing a thought_signature"),
        ([user(), calls(call(signature="AAAA")), answers(("f", "1"))], "Corrupted thought signature"),
        ([user(), answers(("f", "1"))], "function response turn comes immediately after"),
        ([user(), calls(call())], "number of function response parts"),
        ([user(), calls(call(), call("g", "2")), answers(("g", "2"), ("f", "1"))], "same ids in the same order"),
        ([user(), calls(call(), call("g", "2")), answers(("f", "1")), answers(("g", "2"))], "number of"),
        ([{"role": "user", "parts": [call()]}, answers(("f", "1"))], "of the role model"),
    ],
)
def test_calls_responses_and_signatures_that_do_not_fit(
    gemini_fake: GeminiFake, contents: list[JSON], words: str
) -> None:
    assert words in refused(gemini_fake, {"contents": contents})


def test_a_signature_must_come_back_on_its_own_part_from_its_own_model(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer(calls=(Call("f", {"x": 1}), Call("g", {}))), Answer("ok"), Answer("ok"))
    made = events(post(gemini_fake, {"contents": [user()]}))[0]["candidates"][0]["content"]
    ids = [(part["functionCall"]["name"], part["functionCall"]["id"]) for part in made["parts"]]
    whole = {"contents": [user(), made, answers(*ids)]}

    changed = {
        **made,
        "parts": [{**made["parts"][0], "functionCall": {"id": ids[0][1], "name": "f", "args": {"x": 2}}}],
    }
    assert "Corrupted" in refused(gemini_fake, {"contents": [user(), changed, answers(ids[0])]})
    assert "Corrupted" in refused(gemini_fake, whole, STREAM.replace("flash", "pro"))
    assert post(gemini_fake, whole).status == 200
    urlsafe = made["parts"][0]["thoughtSignature"].replace("+", "-").replace("/", "_")
    made["parts"][0] = {"functionCall": made["parts"][0]["functionCall"], "thought_signature": urlsafe}
    assert post(gemini_fake, whole).status == 200


def test_an_earlier_turns_calls_need_no_signature(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer("ok"))
    contents = [user(), calls(call(signature=None)), answers(("f", "1")), calls({"text": "done"}), user("and now?")]

    assert post(gemini_fake, {"contents": contents}).status == 200


def test_batches_of_embeddings_give_one_vector_each(gemini_fake: GeminiFake) -> None:
    entry = {"model": "models/gemini-embedding-2", "content": {"parts": [{"text": "a"}]}, "outputDimensionality": 128}
    other = {**entry, "content": {"parts": [{"text": "b"}]}}

    first, second, third = post(gemini_fake, {"requests": [entry, other, entry]}, EMBED).json["embeddings"]

    assert first == third != second
    assert len(first["values"]) == 128
    assert sum(value * value for value in first["values"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([], "requests is not specified"),
        ([{}] * 101, "at most 100"),
        ([{"content": {"parts": [{"text": "a"}]}}], "must match the model"),
        ([{"model": "models/gemini-embedding-2", "content": {"parts": []}}], "must not be empty"),
        (
            [{"model": "models/gemini-embedding-2", "content": {"parts": [{"text": "a"}]}, "outputDimensionality": 64}],
            "out of range",
        ),
    ],
)
def test_batches_that_are_refused(gemini_fake: GeminiFake, requests: list[JSON], words: str) -> None:
    assert words in refused(gemini_fake, {"requests": requests}, EMBED)


def test_a_shortened_vector_of_001_is_not_normalised(gemini_fake: GeminiFake) -> None:
    model = "gemini-embedding-001"
    entry = {"model": f"models/{model}", "content": {"parts": [{"text": "a"}]}, "outputDimensionality": 768}

    [embedding] = post(gemini_fake, {"requests": [entry]}, f"/v1beta/models/{model}:batchEmbedContents").json[
        "embeddings"
    ]

    assert sum(value * value for value in embedding["values"]) == pytest.approx(4)


def test_scripted_failures_carry_the_vendors_delay(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Failure(429, "quota", retry_after="3", retry_delay="7s"), BlockedPrompt("SAFETY"))

    limited = post(gemini_fake, {"contents": [user()]})
    [blocked] = events(post(gemini_fake, {"contents": [user()]}))

    assert (limited.status, limited.headers["retry-after"]) == (429, "3")
    assert limited.json["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert limited.json["error"]["details"][0]["retryDelay"] == "7s"
    assert blocked["promptFeedback"] == {"blockReason": "SAFETY"}
    assert "candidates" not in blocked
    assert "no scripted answer" in refused(gemini_fake, {"contents": [user()]})
