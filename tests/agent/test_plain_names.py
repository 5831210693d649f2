"""Classes that go by one plain word: what is said of them is tied to them, and what only shares the word is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from tests.agent.conftest import MakeAgent
from tests.agent.outages import proxied

pytestmark = pytest.mark.anyio


CODE = '''\
class Timeout:
    """How long to wait."""


class Client:
    """Sends requests."""


class HTTPError(Exception):
    """What was answered with 400 or more."""


def Retry(times):
    """Tries again."""
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Classes with plain names."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "client.py").write_text(CODE)
    return root


async def tied(agent: AsyncConversationAgent, said: str) -> list[str]:
    """The names that a statement is tied to; its answer is tied to none."""
    conversation = await agent.create_conversation()
    await conversation.send_message(said)
    asked, answer = await conversation.get_history()
    assert not answer.references
    return sorted(each.qualified_name for each in asked.references)


async def test_a_statement_is_tied_to_the_class_that_it_is_about(make_agent: MakeAgent, project: Path) -> None:
    about = {
        "We decided that the Timeout stays at 5 seconds.": ["Timeout"],
        "HTTPError carries the whole answer.": ["HTTPError"],
        "Client code must try again.": [],
        "The Request Timeout Working Group agreed to that.": [],
        "> Timeout is what they wrote.\n\nWe keep it so.": [],
        "We decided on three times, see Retry.": [],
        "We decided that a timeout is five seconds.": [],
        "Decisions:\n- The Client is closed by its owner.\n- **Timeout** stays.": ["Client", "Timeout"],
        "Timeout's default doesn't change. Client doesn't try again.": ["Client", "Timeout"],
        "Note: Timeout.seconds is 5, and `Client.pool` is shared.": ["Client", "Timeout"],
        "Ada came late, Client meetings end at five.": [],
    }
    async with make_agent(*["Noted."] * len(about), root=project) as agent:
        await agent.ingest()
        assert {said: await tied(agent, said) for said in about} == about


async def test_exported_functions_and_constants_go_by_a_plain_word_too(make_agent: MakeAgent, tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text(
        "package a\n\ntype Command struct{}\n\nfunc (c *Command) Traverse() int { return 1 }\n"
    )
    (tmp_path / "b.py").write_text("ITERATIONS = 2000\nLIMIT = 5\n\n\ndef traverse():\n    return ITERATIONS\n")
    about = {
        "We decided that the Traverse drops flags.": ["Command.Traverse"],
        "Traverse City is in Michigan.": [],
        "ITERATIONS must stay at 2000.": ["ITERATIONS"],
        "note: the LIMIT is low": ["LIMIT"],
        "JSON must stay.": [],
        "THIS IS A LIMIT FOR US": [],
    }
    async with make_agent(*["Noted."] * len(about), root=tmp_path) as agent:
        await agent.ingest()
        assert {said: await tied(agent, said) for said in about} == about


async def test_an_answer_is_about_the_class_that_its_question_names(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent("Five seconds.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Timeouts")
        await conversation.send_message("How long does the Timeout wait?")
        asked, answer = await conversation.get_history()
        assert [each.qualified_name for each in answer.references] == ["Timeout"]
        assert not asked.references
        [about] = await agent.conversations_about("Timeout")
        assert about.uuid == conversation.uuid


async def test_what_waited_for_neo4j_is_tied_to_what_it_means_all_the_same(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, project: Path
) -> None:
    async with proxied(neo4j_config) as (proxy, config), make_agent("Good.", neo4j=config, root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await proxy.end()
        await conversation.send_message("We decided on three times, see Retry. And the Timeout stays.")
        await proxy.recover()
        await (await agent.open()).background.outage.over()
        names = {each.name for each in await conversation.referenced_code()}
        assert names == {"Timeout"}
