"""The blocking classes: the same conversations without await, in scripts, notebooks, forks and at exit."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import (
    ConversationAgent,
    ConversationConfig,
    InvalidInput,
    ModelError,
    Neo4jConfig,
    RagforgeError,
    TurnCancelled,
    events,
    tool,
)
from ragforge_memory.llm.port import TextChunk, ToolRequest
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.owner import Owner


@tool
def shout(word: str) -> str:
    """Says it louder.

    Args:
        word: what to say
    """
    return word.upper()


@pytest.fixture
def make_blocking(neo4j_config: Neo4jConfig, owner: Owner) -> Any:
    def make(*steps: Any, **options: Any) -> ConversationAgent:
        return ConversationAgent(
            neo4j_config,
            llm_provider=ScriptedProvider(steps),
            tools=[shout],
            config=ConversationConfig(embed_messages=False),
            user_id=owner.user_id,
            project=owner.project,
            **options,
        )

    return make


def test_a_conversation_without_await(make_blocking: Any) -> None:
    with make_blocking([ToolRequest("c", "shout", {"word": "hello"})], "HELLO", "Bye.") as agent:
        conversation = agent.create_conversation("Greetings", tags=["polite"])
        response = conversation.send_message("Hello?")
        assert (response.content, response.tool_calls[0].result) == ("HELLO", "HELLO")
        with conversation.stream_message("Bye?") as stream:
            said = [event.text for event in stream if isinstance(event, events.TextDelta)]
        assert said == ["Bye."]
        assert stream.response.content == "Bye."
        assert [message.seq for message in conversation.get_history()] == [1, 2, 3, 4]
        assert [call.tool_name for call in conversation.get_tool_calls("shout", success=True)] == ["shout"]
        conversation.set_title("Manners")
        conversation.set_tags(["calm"])
        conversation.archive()
        again = agent.load_conversation(conversation.uuid)
        assert (again.title, again.tags, again.status) == ("Manners", ("calm",), "archived")
        assert [info.uuid for info in agent.list_conversations(status="archived")] == [conversation.uuid]
        assert len(agent.list_conversations(status="active")) == 0
        again.unarchive()
        again.delete()
        assert len(agent.list_conversations()) == 0


def test_errors_come_through(make_blocking: Any) -> None:
    with make_blocking(ModelError("overloaded")) as agent:
        conversation = agent.open_conversation("s-1")
        with pytest.raises(ModelError):
            conversation.send_message("Well?")
        with pytest.raises(InvalidInput):
            conversation.send_message("")
        assert conversation.session_id == "s-1"


def test_cancel_from_another_thread(make_blocking: Any) -> None:
    with make_blocking([TextChunk("Once"), Hang()]) as agent:
        conversation = agent.create_conversation()
        with conversation.stream_message("A story?") as stream:
            for event in stream:
                if isinstance(event, events.TextDelta):
                    assert conversation.cancel()
                    break
            with pytest.raises(TurnCancelled):
                list(stream)
        assert [message.state for message in conversation.get_history()] == ["complete", "partial"]


async def _inside(agent: ConversationAgent) -> str:
    return agent.create_conversation().send_message("Hello?").content


def test_it_works_inside_a_running_loop(make_blocking: Any) -> None:
    with make_blocking("Yes.") as agent:
        assert asyncio.run(_inside(agent)) == "Yes."


class Panic(BaseException):
    """As extensions written in Rust raise."""


class Panicking(ScriptedProvider):
    async def stream(self, request: Any) -> Any:
        raise Panic("all is lost")
        yield


def test_what_is_no_exception_ends_one_call_and_not_the_loop(
    make_blocking: Any, neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    with (
        make_blocking("Hello.") as healthy,
        ConversationAgent(
            neo4j_config, llm_provider=Panicking([]), tools=[], user_id=owner.user_id, project=owner.project
        ) as agent,
    ):
        conversation = healthy.create_conversation()
        with pytest.raises(RagforgeError, match="Panic"):
            agent.create_conversation().send_message("Well?")
        assert conversation.send_message("Hi").content == "Hello."


def run_script(text: str, config: Neo4jConfig, owner: Owner, home: Path) -> subprocess.Popen[str]:
    """A process that runs ``text`` with ``agent`` and ``steps`` at hand."""
    head = f"""
        import os, signal, sys, threading
        from ragforge_memory import ConversationAgent, ConversationConfig, Neo4jConfig, events
        from ragforge_memory.llm.port import TextChunk
        from ragforge_memory.llm.scripted import Hang, ScriptedProvider

        def make(*steps):
            return ConversationAgent(
                Neo4jConfig({config.uri!r}, username={config.username!r}, password={config.password!r}),
                llm_provider=ScriptedProvider(steps), tools=(), config=ConversationConfig(embed_messages=False),
                user_id={owner.user_id!r}, project={owner.project!r})
        """
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(head) + textwrap.dedent(text)],
        env={**os.environ, "RAGFORGE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process writes after Ctrl-C, which it gets once it has said something."""
    assert process.stdout is not None
    assert process.stdout.readline() == "said\n"
    process.send_signal(2)
    return process.communicate(timeout=100)


def test_an_async_tool_that_calls_the_blocking_agent_is_told_what_to_do(
    neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    agents: list[ConversationAgent] = []

    async def remember(text: str) -> list[str]:
        """Looks something up.

        Args:
            text: what.
        """
        return [each.message.content for each in agents[0].search_messages(text)]

    provider = ScriptedProvider([ToolRequest("1", "remember", {"text": "x"}), "Done."])
    with ConversationAgent(
        neo4j_config, llm_provider=provider, tools=[remember], user_id=owner.user_id, project=owner.project
    ) as agent:
        agents.append(agent)
        answer = agent.create_conversation().send_message("Look it up.")
        assert not answer.tool_calls[0].success
        assert "was called by an async tool" in str(answer.tool_calls[0].error)


def test_ctrl_c_keeps_the_partial_answer_and_the_branch_that_it_is_in(
    neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path
) -> None:
    process = run_script(
        """
        async def slow(request):
            yield TextChunk("Once upon")
            print("said", flush=True)
            yield Hang()

        agent = make("A1", slow)
        conversation = agent.open_conversation("s")
        first = conversation.send_message("A story?")
        try:
            conversation.regenerate(first.message_id)
        except KeyboardInterrupt:
            [branch] = conversation.branches().branches
            history = agent.load_conversation(branch.uuid).get_history()
            print([(m.role, m.state, m.content) for m in history], flush=True)
        """,
        neo4j_config,
        owner,
        tmp_path,
    )
    out, err = interrupted(process)
    assert out.endswith("('assistant', 'partial', 'Once upon')]\n"), err
    assert process.returncode == 0, err


def test_a_process_that_forgets_to_close_ends_cleanly(neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path) -> None:
    process = run_script(
        """
        agent = make("Yes.")
        print(agent.create_conversation().send_message("Well?").content)
        """,
        neo4j_config,
        owner,
        tmp_path,
    )
    out, err = process.communicate(timeout=100)
    assert (out, err, process.returncode) == ("Yes.\n", "", 0)


def test_an_async_agent_belongs_to_one_loop(neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path) -> None:
    process = run_script(
        """
        import asyncio, warnings
        from ragforge_memory.errors import AgentClosed

        warnings.simplefilter("ignore")  # what was open went with the first loop, unclosed
        agent = make("Hello.")._agent

        async def begin():
            conversation = await agent.create_conversation()
            await conversation.send_message("Hi")
            return conversation

        conversation = asyncio.run(begin())
        for use in (conversation.get_history, agent.create_conversation, lambda: conversation.send_message("Hi")):
            try:
                asyncio.run(use())
            except AgentClosed as error:
                print(error)
        asyncio.run(agent.aclose())
        print("closed")
        """,
        neo4j_config,
        owner,
        tmp_path,
    )
    out, err = process.communicate(timeout=100)
    assert out == 3 * "this agent was opened in another event loop\n" + "closed\n", err
    assert process.returncode == 0, err
