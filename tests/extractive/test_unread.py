"""What an ingest has not read, in the answers that find nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig, RagforgeConfig
from ragforge_memory.models.owner import Owner
from tests.extractive.asking import ask

pytestmark = pytest.mark.anyio

BIG = "".join(f"export function bigFn{number}() {{ return bigFn{number + 1}(); }}\n" for number in range(400))
FILES = {
    "big.ts": BIG,
    "small.ts": "export function lone() { return 1; }\n",
    "packed.js": f"function packed(){{{'a();' * 2_000}}}\n",
    "App.vue": "<template><p/></template>\n<script>\nfunction inside() {}\n</script>\n",
}
ASKED = ("where is bigFn399?", "who calls bigFn1?", "who calls lone?", "what does lone call?")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


async def test_answers_name_what_was_not_read(root: Path, neo4j_config: Neo4jConfig, owner: Owner) -> None:
    def opened(most: int) -> AsyncConversationAgent:
        settings = RagforgeConfig.model_validate({"source": {"max_file_bytes": most}})
        settings = settings.model_copy(update={"neo4j": neo4j_config})
        names = {"user_id": owner.user_id, "project": owner.project}
        return AsyncConversationAgent.from_settings(settings, llm_provider="extractive", root=root, **names)

    async def answer(agent: AsyncConversationAgent, question: str) -> str:
        return "\n".join(await ask(agent, question))

    async with opened(5_000) as agent:
        report = await agent.ingest(root)
        assert {each.file for each in report.skipped} == {"big.ts", "packed.js"}
        for question in ASKED:
            said = await answer(agent, question)
            assert "Not read, or in part: App.vue (its script alone is read); big.ts (" in said, (question, said)
            assert "source.max_file_bytes is 5,000" in said
        assert "Not read" not in await answer(agent, "where is lone?")
    async with opened(1_000_000) as agent:
        assert {each.file for each in (await agent.ingest(root)).skipped} == {"packed.js"}
        assert "big.ts:400" in await answer(agent, ASKED[0])
        said = await answer(agent, ASKED[1])
        assert "bigFn0" in said
        assert "Not read" not in said
        for name in ("packed.js", "App.vue"):
            (root / name).unlink()
        await agent.ingest(root)
        assert "Not read" not in await answer(agent, ASKED[2])
        (root / "packed.js").write_text(FILES["packed.js"])
        await agent.ingest(root)
        assert "Not read, or in part: packed.js (minified" in await answer(agent, ASKED[2])
