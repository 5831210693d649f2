"""The fake OpenAI server refuses what OpenAI, or a local server, refuses. Raw HTTP: no SDK stands between."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.behaviours import Answer, Failure
from tests.fakes.openai_server import OpenAIFake
from tests.llm.raw import Response, send

CHAT = "/v1/chat/completions"
JSON = dict[str, Any]
HI: JSON = {"role": "user", "content": "hi"}


def asked(*ids: str, arguments: str = "{}") -> JSON:
    calls = [{"id": id_, "type": "function", "function": {"name": "f", "arguments": arguments}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answered(id_: str) -> JSON:
    return {"role": "tool", "tool_call_id": id_, "content": "r"}


def tool(**function: Any) -> JSON:
    return {"tools": [{"type": "function", "function": function}]}


def post(fake: OpenAIFake, body: Any, path: str = CHAT, **more: Any) -> Response:
    return send(fake.port, "POST", path, body, headers={"Authorization": f"Bearer {fake.api_key}"}, **more)


def refused(fake: OpenAIFake, change: JSON, path: str = CHAT) -> str:
    response = post(fake, {"model": "gpt-5.2", "messages": [HI], **change}, path)
    assert response.status == 400
    assert fake.refusals[-1] == response.error
    return response.error


def test_a_stream_ends_with_done_and_counts_only_when_asked(openai_fake: OpenAIFake) -> None:
    openai_fake.script(Answer("a"), Answer("a"))
    body = {"model": "gpt-5.2", "messages": [HI], "stream": True}

    plain = post(openai_fake, body).raw
    counted = post(openai_fake, {**body, "stream_options": {"include_usage": True}}).raw

    assert plain.endswith(b"data: [DONE]\n\n")
    assert b'"usage"' not in plain
    assert b'"completion_tokens"' in counted


@pytest.mark.parametrize(
    ("headers", "words"),
    [({}, "didn't provide an API key"), ({"Authorization": "Bearer wrong"}, "Incorrect API key")],
)
def test_a_missing_and_a_bad_key(openai_fake: OpenAIFake, headers: dict[str, str], words: str) -> None:
    response = send(openai_fake.port, "POST", CHAT, {"model": "gpt-5.2", "messages": [HI]}, headers=headers)

    assert (response.status, words in response.error) == (401, True)


def test_an_unknown_model_address_or_body(openai_fake: OpenAIFake) -> None:
    assert post(openai_fake, {"model": "gpt-9", "messages": [HI]}).json["error"]["code"] == "model_not_found"
    assert post(openai_fake, {}, "/chat/completions").status == 404
    assert "parse the JSON" in post(openai_fake, None, raw=b"{").error
    assert "must provide a model" in refused(openai_fake, {"model": ""})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"message": []}, "Unrecognized request argument"),
        ({"stream_options": {"include_usage": True}}, "only allowed when 'stream'"),
        ({"messages": [{"role": "model", "content": "a"}]}, "Invalid value: 'model'"),
        ({"messages": [{"role": "user", "content": None}]}, "got null"),
        ({"messages": [HI, {"role": "assistant", "content": "a", "tool_calls": []}]}, "empty array"),
        ({"messages": [HI, {"role": "tool", "content": "r"}]}, "tool_call_id"),
        (tool(name="a b"), "does not match"),
        (tool(name="f", parameters={"type": "string"}), "got 'type: \"string\"'"),
    ],
)
def test_what_no_request_may_be(openai_fake: OpenAIFake, change: JSON, words: str) -> None:
    assert words in refused(openai_fake, change)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HI, answered("a")], "must be a response to"),
        ([HI, asked("a"), HI], "did not have response messages: a"),
        ([HI, asked("a"), answered("z")], "not found in 'tool_calls'"),
        ([HI, asked("a", "a"), answered("a")], "Duplicate"),
        ([HI, asked("a", arguments="{"), answered("a")], "not a JSON object"),
    ],
)
def test_calls_and_answers_that_do_not_fit(openai_fake: OpenAIFake, messages: list[JSON], words: str) -> None:
    assert words in refused(openai_fake, {"messages": messages})


def test_reasoning_that_comes_back_is_unknown_taken_or_required() -> None:
    bare = [HI, asked("a"), answered("a")]
    thinking = [HI, {**asked("a"), "reasoning_content": "hm"}, answered("a")]
    for kind, good, words in (("unknown", bare, "Unknown parameter"), ("required", thinking, "passed back")):
        with OpenAIFake(reasoning=kind) as fake:  # type: ignore[arg-type]
            fake.script(Answer("ok"))
            assert post(fake, {"model": "gpt-5.2", "messages": good}).status == 200
            assert words in refused(fake, {"messages": thinking if good is bare else bare})
    with OpenAIFake(reasoning="taken") as fake:
        fake.script(Answer("ok"), Answer("ok"))
        assert [post(fake, {"model": "gpt-5.2", "messages": each}).status for each in (bare, thinking)] == [200, 200]


def test_embeddings(openai_fake: OpenAIFake) -> None:
    body = {"model": "text-embedding-3-small", "input": ["a", "b", "a"], "dimensions": 64}

    data = post(openai_fake, body, "/v1/embeddings").json["data"]

    assert [entry["index"] for entry in data] == [0, 1, 2]
    assert data[0]["embedding"] == data[2]["embedding"] != data[1]["embedding"]
    assert len(data[0]["embedding"]) == 64


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"input": [""]}, "empty string"),
        ({"input": "a", "dimensions": 4096}, "dimensions"),
        ({"input": "a", "text": "b"}, "Unrecognized"),
    ],
)
def test_embeddings_that_are_refused(openai_fake: OpenAIFake, change: JSON, words: str) -> None:
    response = post(openai_fake, {"model": "text-embedding-3-small", **change}, "/v1/embeddings")

    assert (response.status, words in response.error) == (400, True)


def test_scripted_failures_carry_the_vendors_delay(openai_fake: OpenAIFake) -> None:
    openai_fake.script(Failure(429, "slow", retry_after="3", retry_after_ms="250"))

    limited = post(openai_fake, {"model": "gpt-5.2", "messages": [HI]})

    assert (limited.status, limited.headers["retry-after"], limited.headers["retry-after-ms"]) == (429, "3", "250")
    assert "no scripted answer" in refused(openai_fake, {})
