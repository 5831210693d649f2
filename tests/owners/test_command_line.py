"""The command line of one user, given what another one has."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import anyio

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.models.owner import Owner
from tests.cli.conftest import CommandLine

MakeAgent = Callable[..., AsyncConversationAgent]


def test_the_command_line_knows_the_users_own_alone(
    agent_of: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path, home: Path
) -> None:
    (tmp_path / "ragforge.config.yaml").write_text(
        f"name: {owner.project}\nagent: {{memory: {{embeddings: {{provider: hashing}}}}}}\n"
    )
    ours = ("NEO4J_", "RAGFORGE_", "GEMINI_", "GOOGLE_", "OPENAI_")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(ours)},
        "RAGFORGE_HOME": str(home),
        "NEO4J_URI": neo4j_config.uri,
        "NEO4J_USERNAME": neo4j_config.username or "neo4j",
        "NEO4J_PASSWORD": neo4j_config.password or "",
    }

    ragforge = CommandLine(tmp_path, environment).run

    async def one() -> str:
        async with agent_of("ada", owner.project, "It stands.") as agent:
            conversation = await agent.create_conversation(title="The lighthouse")
            await conversation.send_message("Does it stand?")
            return conversation.uuid

    uuid = anyio.run(one)
    shown = ragforge("conversations", "show", uuid, "--user", "ada")
    assert shown.returncode == 0, shown.stderr
    assert "It stands." in shown.stdout
    for user, command in ((), ("show", uuid)), (("--user", "bob"), ("delete", uuid, "--yes")):
        done = ragforge("conversations", *command, *user)
        assert done.returncode == 1, (command, done.stdout, done.stderr)
        assert "there is no conversation" in done.stderr
        assert "stands" not in done.stdout + done.stderr
    listed = ragforge("conversations", "list", "--json", "--user", "bob")
    assert listed.returncode == 0
    assert uuid not in listed.stdout
    assert ragforge("conversations", "show", uuid, "--user", "ada").stdout == shown.stdout
