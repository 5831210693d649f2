"""OpenAI's own client talks to /v1 as it is: streams, histories that go on, histories that part."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import openai
import pytest

from ragforge_memory.llm.port import ToolRequest

pytestmark = pytest.mark.anyio


def _client(url: str, key: str = "none") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)


def _said(*turns: str) -> Any:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(turns)]


@dataclass(frozen=True)
class Asking:
    """Asks as OpenAI's client does; gives the answer and its conversation."""

    running: Any
    client: openai.AsyncOpenAI

    async def __call__(self, messages: Any, **more: Any) -> tuple[str, str]:
        raw = await self.client.chat.completions.with_raw_response.create(model="ragforge", messages=messages, **more)
        return raw.parse().choices[0].message.content or "", raw.headers["x-session-id"]


@pytest.fixture
async def ask(serve: Any, user: str, make_key: Any) -> Any:
    """A client with a key of its own user."""
    key = await make_key(user)
    said = [lambda request: f"answer {len(request.messages)}"]
    async with serve(*said, asks_key=True, key=key) as running, _client(running.url, key) as client:
        yield Asking(running, client)


async def test_a_history_goes_on_in_its_conversation(ask: Any) -> None:
    first, home = await ask(_said("hello"))
    second, same = await ask(_said("hello", first, "and now?"))
    _, later = await ask(_said("hello", first, "and now?", second, "and then?"))
    messages = (await ask.running.client.get(f"/api/conversations/{home}/messages")).json()
    assert home == same == later
    assert [each["content"] for each in messages] == ["hello", first, "and now?", second, "and then?", "answer 5"]


async def test_another_history_is_a_branch(ask: Any) -> None:
    first, home = await ask(_said("hello"))
    await ask(_said("hello", first, "and now?"))
    other, branch = await ask(_said("hello", first, "something else"))
    _, same = await ask(_said("hello", first, "something else", other, "on it goes"))
    tree = (await ask.running.client.get(f"/api/conversations/{home}/branches")).json()
    assert home != branch == same
    assert [each["uuid"] for each in tree["branches"]] == [branch]


async def test_a_chat_that_begins_alike_is_another(ask: Any) -> None:
    first, home = await ask(_said("hello"))
    _, other = await ask(_said("hello"))
    assert home != other
    _, on = await ask(_said("hello", first, "and now?"))
    assert on in (home, other)


async def test_chats_that_begin_alike_at_one_moment_are_all_kept(ask: Any) -> None:
    found = await asyncio.gather(*(ask(_said("hello")) for _ in range(12)), return_exceptions=True)
    homes = [each[1] for each in found if not isinstance(each, BaseException)]
    assert all(isinstance(each, openai.ConflictError) for each in found if isinstance(each, BaseException))
    assert len(homes) == len(set(homes)) >= 6
    for home in homes:
        messages = (await ask.running.client.get(f"/api/conversations/{home}/messages")).json()
        assert [each["role"] for each in messages] == ["user", "assistant"]


async def test_a_history_from_elsewhere_is_taken_in(ask: Any) -> None:
    history = [{"role": "system", "content": "Be brief."}, *_said("what is it?", "A house.", "whose?")]
    answer, home = await ask(history)
    _, same = await ask([*history, {"role": "assistant", "content": answer}, *_said("since when?")])
    messages = (await ask.running.client.get(f"/api/conversations/{home}/messages")).json()
    assert home == same
    assert [each["role"] for each in messages] == ["system", "user", "assistant"] + ["user", "assistant"] * 2


async def test_the_session_of_the_header(ask: Any) -> None:
    headers = {"X-Session-Id": "from-the-header"}
    await ask(_said("hello"), extra_headers=headers)
    await ask(_said("and now?"), extra_headers=headers)
    messages = (await ask.running.client.get("/api/conversations/from-the-header/messages")).json()
    assert [each["content"] for each in messages if each["role"] == "user"] == ["hello", "and now?"]


async def test_a_stream(ask: Any) -> None:
    stream = await ask.client.chat.completions.create(
        model="ragforge", messages=_said("hello"), stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == "answer 1"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.total_tokens >= 0
    assert len({chunk.id for chunk in chunks}) == 1


async def test_models_and_what_is_none(ask: Any) -> None:
    models = [each.id async for each in await ask.client.models.list()]
    assert models[0] == "ragforge"
    with pytest.raises(openai.NotFoundError):
        await ask.client.chat.completions.create(model="gpt-9", messages=_said("hello"))
    async with _client(ask.running.url, "rf_000000000000_none") as stranger:
        with pytest.raises(openai.AuthenticationError):
            await stranger.models.list()


_WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def _asks_for_weather(request: Any) -> Any:
    """A model that asks for the weather, and says what it was told."""
    told = [outcome for message in request.messages for outcome in message.tool_outcomes]
    if told:
        return f"It is {told[-1].content}."
    assert "get_weather" in [each.name for each in request.tools]
    return ToolRequest("call-1", "get_weather", {"city": "Ulm"})


async def test_a_stream_with_tools_of_the_client(serve: Any) -> None:
    async with serve(_asks_for_weather) as running, _client(running.url) as client:
        asked: Any = [{"role": "user", "content": "is it raining?"}]
        stream = await client.chat.completions.create(model="ragforge", messages=asked, tools=[_WEATHER], stream=True)
        chunks = [chunk async for chunk in stream]
        [call] = next(chunk.choices[0].delta.tool_calls for chunk in chunks if chunk.choices[0].delta.tool_calls)
        assert (call.function.name, call.function.arguments) == ("get_weather", '{"city": "Ulm"}')
        assert chunks[-1].choices[0].finish_reason == "tool_calls"
        asked += [
            {"role": "assistant", "content": None, "tool_calls": [call.model_dump(exclude={"index"})]},
            {"role": "tool", "tool_call_id": call.id, "content": "sunny"},
        ]
        done = await client.chat.completions.with_raw_response.create(
            model="ragforge", messages=asked, tools=[_WEATHER]
        )
        home = done.headers["x-session-id"]
        again = await client.chat.completions.create(model="ragforge", messages=asked, tools=[_WEATHER])
        assert again.id == done.parse().id
        messages = (await running.client.get(f"/api/conversations/{home}/messages")).json()
        listed = (await running.client.get("/api/conversations")).json()["items"]
    assert done.parse().choices[0].message.content == "It is sunny."
    assert [(each["role"], each["content"], each["state"]) for each in messages] == [
        ("user", "is it raining?", "complete"),
        ("assistant", "It is sunny.", "complete"),
    ]
    [kept] = messages[-1]["tool_calls"]
    assert (kept["tool_name"], kept["arguments"], kept["result"]) == ("get_weather", {"city": "Ulm"}, "sunny")
    assert [each["uuid"] for each in listed] == [home]
