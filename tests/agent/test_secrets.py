"""A secret of a question is one for the whole turn: nothing made of it holds it, in the graph or in an event."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ModelError, ToolError, tool
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import Finished, ReasoningChunk, TextChunk, ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from tests.agent.conftest import Cypher, MakeAgent
from tests.redaction.made import KEYS, PEM, made

pytestmark = pytest.mark.anyio


KEY = KEYS["github token"][0]
LINES = PEM.splitlines()[1:3]


async def told(agent: AsyncConversationAgent, *questions: str, **options: Any) -> str:
    """All that turns emit and return, as a text in small letters."""
    conversation = await agent.create_conversation()
    seen = []
    for question in questions:
        async with conversation.stream_message(question, **options) as stream:
            seen += [event.model_dump_json() async for event in stream]
        seen += [stream.response.model_dump_json(), conversation.state.model_dump_json()]
        shown = "".join(json.loads(each)["text"] for each in seen if json.loads(each).get("type") == "text_delta")
        assert shown.endswith(stream.response.content)
    return "\n".join(seen).lower()


def graph(cypher: Cypher, owner: Owner) -> str:
    """Every property of every node of an owner, and of what it is tied to, as a text in small letters."""
    rows = cypher(
        """MATCH (c:Conversation {user_id: $user_id, project: $project})
           CALL (c) { MATCH (c)-[*0..4]-(n) RETURN DISTINCT n }
           OPTIONAL MATCH (n)-[r]->()
           RETURN labels(n) AS labels, properties(n) AS all, collect(properties(r)) AS edges
           UNION MATCH (n {user_id: $user_id, project: $project})
           RETURN labels(n) AS labels, properties(n) AS all, [] AS edges""",
        user_id=owner.user_id,
        project=owner.project,
    )
    assert any("Message" in row["labels"] for row in rows)
    return str(rows).lower()


QUESTIONS = (
    ("why is {} refused by check_amount?", [KEY]),
    ("who calls {}? And what did we decide about it?", [KEYS["npm token"][0]]),
    ("where is {} in the code, and which file has {}?", ["AKIA" + made(16, "ABCDEFGH2345")]),
    ("password: {}, and why does {} not work with open_safe?", ["hunter2"]),
    ("search for {}: curl -u ada:{} https://x", ["lovelace"]),
    ("explain {} please: postgres://app:{}@db:5432/x", ["s3cr3tdb"]),
    ("where does the code read\n{}", [PEM, *LINES]),
)


async def test_without_a_model(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS) as agent:
        for question, secrets in QUESTIONS:
            asked = question.replace("{}", secrets[0])
            seen = await told(agent, asked, "what did I just ask?", f"and {asked}")
            for secret in secrets:
                assert secret.lower() not in seen, question
                assert json.dumps(secret)[1:-1].lower() not in seen, question
    stored = graph(cypher, owner)
    assert not [secret for _, secrets in QUESTIONS for secret in secrets if secret.lower() in stored]
    assert "[redacted " in stored


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        (f"Is {KEY} mine?", KEY),
        ('Two of them:\nPASSWORD="blue 9 horses"\nIs that good?', "blue 9 horses"),
    ],
)
async def test_whatever_a_model_makes_of_it(
    make_agent: MakeAgent, cypher: Cypher, owner: Owner, home: Path, question: str, secret: str
) -> None:
    on_disk = []

    @tool(side_effects=True)
    def look(what: str) -> dict[str, str]:
        """Looks.

        Args:
            what: what to look for
        """
        on_disk.append("".join(path.read_text() for path in home.rglob("*") if path.is_file()))
        return {"seen": f"<{what}>", what: "as a name"}

    @tool
    def refuse(what: str) -> str:
        """Refuses.

        Args:
            what: what to refuse
        """
        raise ToolError(f"no {what}")

    middle = len(secret) // 2
    provider = ScriptedProvider(
        [
            [
                ReasoningChunk(f"They said {secret[:middle]}"),
                ReasoningChunk(f"{secret[middle:]}. "),
                TextChunk("I look for "),
                TextChunk(secret),
                ToolRequest("a", "look", {"what": secret}),
                ToolRequest("b", "refuse", {"what": secret.upper()}),
                Finished("tools", provider_parts={"raw": secret}),
            ],
            [
                *(TextChunk(letter) for letter in f"It is {secret}, or {secret.upper()}; not {secret[:3]}. "),
                Finished("stop", provider_parts={"raw": secret}),
            ],
        ]
    )
    async with make_agent(provider=provider, tools=[look, refuse]) as agent:
        seen = await told(agent, question, metadata={"from": secret, secret: 1})
    assert secret.lower() not in seen
    assert secret.lower() not in graph(cypher, owner)
    assert on_disk
    assert secret not in on_disk[0]
    assert f"; not {secret[:3]}. ".lower() in seen
    # The model and its tools work with what was said.
    assert provider.requests[0].messages[-1].content == question
    assert [secret in outcome.content for outcome in provider.requests[1].messages[-1].tool_outcomes] == [True, False]
    assert provider.requests[1].messages[-2].content == f"I look for {secret}"


async def test_what_a_failure_says(
    make_agent: MakeAgent, cypher: Cypher, owner: Owner, caplog: pytest.LogCaptureFixture
) -> None:
    @tool
    def fail(what: str) -> str:
        """Fails.

        Args:
            what: why
        """
        raise RuntimeError(what)

    steps = [
        [ToolRequest("a", "fail", {"what": "hunter2"})],
        ["Hm, hunter2", ModelError("what is hunter2?", hint="not hunter2")],
    ]
    async with make_agent(provider=ScriptedProvider(steps), tools=[fail]) as agent:
        conversation = await agent.create_conversation()
        seen = []

        async def read() -> None:
            async for event in conversation.stream_message("my password: hunter2"):
                seen.append(event.model_dump_json())

        with caplog.at_level(logging.DEBUG, logger="ragforge_memory"), pytest.raises(ModelError) as failed:
            await read()
        assert str(failed.value) == "what is [redacted secret]?"
        assert "hunter2" not in str([failed.value.hint, failed.value.__notes__, conversation.state, *seen])
        assert (await conversation.get_history())[-1].content == "Hm, [redacted secret]"
    assert "RuntimeError: [redacted secret]" in caplog.text
    assert "hunter2" not in caplog.text
    assert "hunter2" not in graph(cypher, owner)


async def test_the_next_turn_knows_nothing_of_it(make_agent: MakeAgent) -> None:
    """A word that was a password in one turn is a word in the next."""
    async with make_agent("It is swordfish7.", "A swordfish7 is a fish.") as agent:
        conversation = await agent.create_conversation()
        assert (await conversation.send_message("password: swordfish7")).content == "It is [redacted secret]."
        assert (await conversation.send_message("And the fish?")).content == "A swordfish7 is a fish."


async def test_a_list_that_comes_again_is_the_same(make_agent: MakeAgent) -> None:
    """What was taken out by its value is no other text when its list comes again."""
    async with make_agent("hunter2 it is.", "Again.") as agent:
        asked = [
            {"role": "user", "content": "what is hunter2?", "id": "1"},
            {"role": "assistant", "content": "A word: hunter2.", "id": "2"},
            {"role": "user", "content": "no, password: hunter2", "id": "3"},
        ]
        state = await agent.invoke({"messages": asked})
        assert state["messages"][-1]["content"] == "[redacted secret] it is."
        more = {"role": "user", "content": "and now?", "id": "5"}
        state = await agent.invoke({**state, "messages": [*state["messages"], more]})
        assert state["messages"][-1]["content"] == "Again."
        conversation = await agent.load_conversation(state["session_id"])
        assert "hunter2" not in str(await conversation.get_history())


async def test_it_stays_where_told(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    async with make_agent("It is hunter2.", settings={"redact_secrets": False}) as agent:
        assert "hunter2" in await told(agent, "password: hunter2")
    assert "hunter2" in graph(cypher, owner)
