"""What is said while another tool has taken the code out of the graph is tied to it once it is there again."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.agent.passwords import project

__all__ = ["project"]

pytestmark = pytest.mark.anyio


async def test_what_is_said_while_scopes_are_away_is_tied_by_the_next_ingest(
    make_agent: MakeAgent, cypher: Cypher, project: Path, owner: Owner
) -> None:
    steps = ["See `scramble`.", "It multiplies by 31.", "No code.", "Again `check_password`."]
    async with make_agent(*steps, root=project) as agent, make_agent("`scramble` it is.", user_id="bob") as other:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        before = await conversation.send_message("Where?")
        said_before = await conversation.referenced_code()
        cypher("MATCH (s:Scope {project: $project}) DETACH DELETE s", project=owner.project)
        asked = await conversation.send_message("What does `check_password` do?")
        await conversation.send_message("Thanks.")
        theirs = await other.create_conversation("Also")
        await theirs.send_message("note: `check_password` never logs")
        assert {each.message_id for each in await conversation.referenced_code()} == {before.message_id}

        await agent.ingest()

        found = await conversation.referenced_code()
        assert [(each.message_id, each.qualified_name, each.kind, each.status, each.commit) for each in found] == [
            (before.message_id, "scramble", "discussed", "fresh", said_before[0].commit),
            (asked.message_id, "check_password", "discussed", "fresh", None),
        ]
        assert {each.qualified_name for each in await theirs.referenced_code()} == {"check_password", "scramble"}
        # It is done: what names nothing is not looked at again.
        assert cypher("MATCH (p:Project {project: $p}) RETURN p.untied_since AS since", p=owner.project) == [
            {"since": None}
        ]
        assert (
            len(cypher("MATCH (p:Project {project: $p}) WHERE p.finished_at IS NOT NULL RETURN p", p=owner.project))
            == 1
        )


@pytest.mark.parametrize("away", ["Scope|File|Project", "File {path: 'auth.py'}"], ids=["all of the project", "a file"])
async def test_what_is_said_while_files_are_away_too_is_tied_by_the_next_ingest(
    make_agent: MakeAgent, cypher: Cypher, project: Path, owner: Owner, away: str
) -> None:
    (project / "other.py").write_text("def untouched():\n    return 1\n")
    async with make_agent("See `scramble`.", "It multiplies by 31.", "Again `scramble`.", root=project) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation("Passwords")
        before = await conversation.send_message("Where?")
        cypher(
            f"MATCH (n:{away}) WHERE n.project = $project OPTIONAL MATCH (n)<-[:DEFINED_IN]-(s) DETACH DELETE s, n",
            project=owner.project,
        )
        asked = await conversation.send_message("note: `check_password` never logs")
        await agent.ingest()
        question = (await conversation.get_history())[-2]
        assert question.content.startswith("note:")
        found = [(each.message_id, each.qualified_name) for each in await conversation.referenced_code()]
        assert found == [(before.message_id, "scramble"), (question.uuid, "check_password")]
        assert asked.message_id not in {message_id for message_id, _ in found}
