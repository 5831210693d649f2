"""Forks: what is open stays the parent's. In the child nothing hangs and nothing of the parent's is touched."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import ConversationAgent, ConversationConfig, Neo4jConfig, events
from ragforge_memory.graph.journal import Journal
from ragforge_memory.graph.journal_lines import JournalTurn
from ragforge_memory.llm.port import TextChunk
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.agent.test_blocking import run_script


def in_child(work: Callable[[], Any]) -> str:
    """What ``work`` gives or raises in a forked child; a child that hangs is killed, which fails the test."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = repr(work())
        except BaseException as error:  # noqa: BLE001 - the child says whatever happened
            said = type(error).__name__
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 30)
    said = os.read(reader, 1_000).decode() if ready else "it hangs"
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return said


class Held:
    """A model that goes on when it is told."""

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def answer(self, request: Any) -> Any:
        yield TextChunk("Once ")
        await self.goes_on.wait()
        yield TextChunk("upon.")


@pytest.fixture
def blocking(neo4j_config: Neo4jConfig, owner: Owner) -> Callable[..., ConversationAgent]:
    def make(*steps: Any) -> ConversationAgent:
        return ConversationAgent(
            neo4j_config,
            llm_provider=ScriptedProvider(steps),
            tools=(),
            config=ConversationConfig(embed_messages=False),
            user_id=owner.user_id,
            project=owner.project,
        )

    return make


def first_text(stream: Any) -> None:
    """Reads until the model has begun."""
    for event in stream:
        if isinstance(event, events.TextDelta):
            return


def test_an_agent_that_runs_is_closed_in_a_child(blocking: Callable[..., ConversationAgent]) -> None:
    held = Held()
    with blocking(held.answer, "And again.") as agent:
        conversation = agent.create_conversation()
        with conversation.stream_message("A story?") as stream:
            first_text(stream)

            assert in_child(agent.close) == "None"
            assert in_child(agent.abandon) == "None"
            assert in_child(lambda: agent.__exit__(None, None, None)) == "None"
            assert in_child(stream.close) == "None"
            assert in_child(lambda: next(stream)) == "ForkedProcess"
            assert in_child(conversation.cancel) == "ForkedProcess"
            assert in_child(conversation.get_history) == "ForkedProcess"
            assert in_child(lambda: conversation.send_message("And?")) == "ForkedProcess"
            held.goes_on._loop.call_soon_threadsafe(held.goes_on.set)  # type: ignore[attr-defined]
            assert "".join(event.text for event in stream if isinstance(event, events.TextDelta)) == "upon."
        assert conversation.send_message("And?").content == "And again."
        states = [(message.content, message.state) for message in conversation.get_history()]
        assert states == [(text, "complete") for text in ("A story?", "Once upon.", "And?", "And again.")]


def test_a_child_that_ends_like_any_process_ends(neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path) -> None:
    """Its exit hooks, and the objects that it drops, leave the parent's turn and connection alone."""
    process = run_script(
        """
        async def held(request):
            yield TextChunk("Once ")
            while not os.path.exists(sys.argv[0] + "gone"):
                await asyncio.sleep(0.01)
            yield TextChunk("upon.")

        import asyncio, tempfile
        sys.argv[0] = tempfile.mkdtemp() + "/"
        with make(held, "And again.") as agent:
            conversation = agent.create_conversation()
            with conversation.stream_message("A story?") as stream:
                for event in stream:
                    if isinstance(event, events.TextDelta):
                        break
                child = os.fork()
                if child == 0:
                    sys.exit(7)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
                open(sys.argv[0] + "gone", "w").close()
                list(stream)
            print(conversation.send_message("And?").content, len(conversation.get_history()), flush=True)
        """,
        neo4j_config,
        owner,
        tmp_path,
    )
    out, err = process.communicate(timeout=60)
    assert (out, process.returncode) == ("7\nAnd again. 4\n", 0), err


def test_a_child_has_an_agent_of_its_own(blocking: Callable[..., ConversationAgent]) -> None:
    with blocking("Yes.") as agent:
        conversation = agent.create_conversation()

        def ask() -> str:
            with blocking("From the child.") as own:
                return own.load_conversation(conversation.uuid).send_message("Well?").content

        assert in_child(ask) == "'From the child.'"
        assert conversation.send_message("And here?").content == "Yes."
        assert len(conversation.get_history()) == 4


@pytest.mark.anyio
async def test_a_child_of_a_running_loop_leaves_the_turn_alone(make_agent: MakeAgent) -> None:
    """The child runs on with a copy of the loop and of its tasks: those must not speak on the parent's connections."""
    held = Held()
    async with make_agent(held.answer) as agent:
        conversation = await agent.create_conversation()
        async with conversation.stream_message("A story?") as stream:
            async for event in stream:
                if isinstance(event, events.TextDelta):
                    break
            task = stream._task
            assert task is not None

            def step(coroutine: Any) -> Any:
                """Runs a coroutine that has to end without the loop."""
                try:
                    coroutine.send(None)
                except StopIteration as end:
                    return end.value
                return "it waits"

            assert in_child(lambda: step(agent.aclose())) == "None"
            assert in_child(lambda: step(agent.abandon())) == "None"
            assert in_child(lambda: step(stream.aclose())) == "None"
            assert in_child(lambda: step(anext(stream))) == "ForkedProcess"
            assert in_child(lambda: step(conversation.cancel())) == "ForkedProcess"
            services = await agent.open()
            assert (
                in_child(
                    lambda: step(
                        services.stores.graph.read("get_conversation", uuid="", **services.place.owner.parameters)
                    )
                )
                == "ForkedProcess"
            )
            held.goes_on.set()
            assert "".join([event.text async for event in stream if isinstance(event, events.TextDelta)]) == "upon."
        states = [(message.content, message.state) for message in await conversation.get_history()]
        assert states == [("A story?", "complete"), ("Once upon.", "complete")]


def test_a_child_leaves_its_parents_journal_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    turn = JournalTurn("g", "u", "p", "c", "q", "a")
    journal.begin(turn)

    def spoil() -> None:
        journal.end("a")
        journal.begin(JournalTurn("g", "u", "p", "c", "q2", "a2"))
        journal.close()

    assert in_child(spoil) == "None"
    another = Journal(tmp_path)
    [path] = another.others()
    with another.claimed(path) as file:
        assert file is None
    journal.close()
    with another.claimed(path) as file:
        assert file is not None
        assert list(file.held.turns.values()) == [turn]
