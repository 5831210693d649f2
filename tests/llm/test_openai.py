"""The OpenAI provider through the real openai SDK, against the strict fake."""

from __future__ import annotations

import json
from importlib import machinery

import pytest

from ragforge_memory.errors import ConfigError, ModelRefused
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.port import (
    ChatMessage,
    Finished,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    model_key,
)
from ragforge_memory.vendors import openai as openai_vendor
from tests.fakes.behaviours import Answer, Call
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import TOOLS, collect, follow_up, question

pytestmark = pytest.mark.anyio


async def test_text_is_streamed_as_it_comes_with_the_system_prompt_first(
    model: OpenAIProvider, openai_fake: OpenAIFake
) -> None:
    openai_fake.script(Answer(("It is ", "in auth.py.")))

    *chunks, last = await collect(model, question())

    assert chunks == [TextChunk("It is "), TextChunk("in auth.py.")]
    assert isinstance(last, Finished)
    assert last.reason == "stop"
    assert openai_fake.bodies[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "tools" not in openai_fake.bodies[0]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_the_reasoning_of_local_servers_is_streamed(
    model: OpenAIProvider, openai_fake: OpenAIFake, name: str
) -> None:
    openai_fake.script(Answer("ok", thoughts=("hm", "m"), reasoning_field=name))

    chunks = await collect(model, question())

    assert chunks[:3] == [ReasoningChunk("hm"), ReasoningChunk("m"), TextChunk("ok")]


async def test_parallel_calls_are_put_together_from_pieces_and_answered_by_id(
    model: OpenAIProvider, openai_fake: OpenAIFake
) -> None:
    calls = (Call("search_code", {"query": "a long query about login"}), Call("read_scope", {"name": "auth.login"}))
    openai_fake.script(Answer("Looking.", calls=calls), Answer("In auth.py."))
    first = question(tools=TOOLS)

    one = await complete(model, first)
    two = await complete(model, follow_up(first, one))

    assert [(asked.name, asked.arguments) for asked in one.tool_requests] == [(c.name, c.arguments) for c in calls]
    assert one.finished.reason == "tool_calls"
    assert two.text == "In auth.py."
    assert openai_fake.refusals == []
    told = openai_fake.bodies[-1]["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool", "tool"]
    assert [message["tool_call_id"] for message in told[3:]] == [asked.id for asked in one.tool_requests]


@pytest.mark.parametrize("raw", ['{"query": "log', "[1, 2]", '"text"'])
async def test_bad_arguments_become_an_error_that_the_model_sees(
    model: OpenAIProvider, openai_fake: OpenAIFake, raw: str
) -> None:
    openai_fake.script(Answer(calls=(Call("search_code", {}, raw=raw),)), Answer("sorry"))
    first = question(tools=TOOLS)

    one = await complete(model, first)
    two = await complete(model, follow_up(first, one))

    [asked] = one.tool_requests
    assert asked.arguments == {}
    assert raw in (asked.error or "")
    assert two.text == "sorry"
    assert openai_fake.refusals == []
    assert openai_fake.bodies[-1]["messages"][-1]["content"] == asked.error


async def test_reasoning_goes_back_beside_tool_calls_to_the_model_it_came_from() -> None:
    with OpenAIFake(models=("thinker", "other"), api_key=None, reasoning="required") as deep:
        calls = (Call("search_code", {"query": "x"}),)
        deep.script(Answer(thoughts=("I must ", "search."), calls=calls), Answer("ok"))
        thinker = OpenAIProvider("thinker", base_url=deep.base_url)
        first = question(tools=TOOLS)

        one = await complete(thinker, first)
        second = follow_up(first, one, model_key(thinker))
        two = await complete(thinker, second)

        assert two.text == "ok"
        assert deep.bodies[-1]["messages"][2]["reasoning_content"] == "I must search."
        other = OpenAIProvider("other", base_url=deep.base_url)
        with pytest.raises(ModelRefused, match="passed back"):
            await complete(other, second)
        await thinker.aclose()
        await other.aclose()


async def test_empty_arguments_are_no_arguments(model: OpenAIProvider, openai_fake: OpenAIFake) -> None:
    openai_fake.script(Answer(calls=(Call("read_scope", {}, raw=""),)))

    [asked] = (await complete(model, question(tools=TOOLS))).tool_requests

    assert (asked.arguments, asked.error) == ({}, None)


async def test_an_invented_name_is_echoed_in_letters_that_the_server_takes(
    model: OpenAIProvider, openai_fake: OpenAIFake
) -> None:
    openai_fake.script(Answer("ok"))
    asked = ToolRequest("a", "code.search!", {"q": 1})
    messages = (ChatMessage("user", "hi"), ChatMessage("assistant", "", (asked,)))

    await complete(model, ModelRequest("", messages, TOOLS))

    assert openai_fake.bodies[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "code_search_"


async def test_usage_counts_reasoning_and_cached_tokens(model: OpenAIProvider, openai_fake: OpenAIFake) -> None:
    counts = {
        "prompt_tokens": 100,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 40},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    openai_fake.script(Answer("hi", usage=counts), Answer("hi", no_usage=True))

    usage = (await complete(model, question())).finished.usage
    none = (await complete(model, question())).finished.usage

    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens) == (100, 30, 20, 40)
    assert usage.cost_usd is None
    assert none.input_tokens == 0


async def test_a_local_server_needs_no_key() -> None:
    with OpenAIFake(api_key=None) as local:
        local.script(Answer("hello"))
        provider = OpenAIProvider("qwen3:8b", base_url=local.base_url)

        assert (await complete(provider, question())).text == "hello"
        await provider.aclose()


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> machinery.ModuleSpec | None:
        assert name == "openai"
        return None

    monkeypatch.setattr(openai_vendor, "find_spec", missing)

    with pytest.raises(ConfigError) as caught:
        OpenAIProvider("m", base_url="http://127.0.0.1:1/v1")

    assert 'pip install "ragforge-memory[openai]"' in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "window"),
    [("gpt-6-luna", 1_050_000), ("gpt-5.2", 400_000), ("o3", 200_000), ("olmo-2", 32_768), ("qwen3:8b", 32_768)],
)
def test_the_window_follows_from_the_name(name: str, window: int) -> None:
    assert OpenAIProvider(name, base_url="http://127.0.0.1:1/v1").context_window == window
    assert OpenAIProvider(name, base_url="http://127.0.0.1:1/v1", context_window=9).context_window == 9


async def test_several_whole_calls_under_one_index_stay_apart() -> None:
    from ragforge_memory.llm.openai_wire import ToolCallAssembly

    calls = ToolCallAssembly()
    calls.add(0, "a", "search_code", json.dumps({"query": "x"}))
    calls.add(0, "b", "read_scope", json.dumps({"name": "y"}))

    assert [(asked.id, asked.name) for asked in calls.requests()] == [("a", "search_code"), ("b", "read_scope")]
