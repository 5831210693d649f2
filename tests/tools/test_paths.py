"""A path means the file with that path: another folder's file of the same name is never taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.tools.registry import ToolContext
from tests.extractive.conftest import agent, today
from tests.tools.conftest import Run, write_files

__all__ = ["agent", "today"]

pytestmark = pytest.mark.anyio

FILES = {
    "benchmark/index.ts": "export function measure(): number { return 1 }\n",
    "examples/index.ts": "export function example(): number { return 2 }\n",
    "packages/one/lib/run.ts": "export function run(): number { return 3 }\n",
    "packages/two/lib/run.ts": "export function run(): number { return 4 }\n",
    "setup.ts": "export function setup(): number { return 5 }\n",
    "source/response.ts": "export function json(): string { return '' }\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    return write_files(tmp_path / "got", FILES)


async def test_another_folders_file_is_not_taken_for_a_path(run: Run) -> None:
    for target in ("source/index.ts", "./source/index.ts", "other/index.ts", "source/response.json.ts"):
        value = (await run("outline", target=target)).value
        assert (value["match"], value["kind"], value["total"]) == ("none", "none", 0), target
        assert "file" not in value
    assert not (await run("read_file", path="source/index.ts")).success
    # A slip in the name counts in its own folder.
    value = (await run("outline", target="source/respnse.ts")).value
    assert (value["match"], value["file"]) == ("typo", "source/response.ts")
    assert (await run("outline", target="benchmark/respnse.ts")).value["kind"] == "none"
    # A bare name names the other files that have it.
    value = (await run("outline", target="index.ts")).value
    assert (value["file"], value["other_files"]) == ("benchmark/index.ts", ["examples/index.ts"])
    ran = await run("read_file", path="index.ts")
    assert not ran.success
    assert "benchmark/index.ts, examples/index.ts" in str(ran.error)


async def test_a_path_from_elsewhere_is_taken_for_the_one_file_that_ends_like_it(run: Run) -> None:
    for target, file in (
        ("/x/dist/packages-2/one/lib/run.ts", "packages/one/lib/run.ts"),
        ("C:\\x\\two@1.0\\lib\\run.ts", "packages/two/lib/run.ts"),
        ("/x/got@2.0/setup.ts", "setup.ts"),
    ):
        value = (await run("outline", target=target)).value
        assert (value["match"], value["file"]) == ("partial", file), target
    for target in ("/x/lib/run.ts", "/x/setup.ts", "/x/run.ts", "x/one/lib/run.ts"):
        assert (await run("outline", target=target)).value["kind"] == "none", target


async def test_a_file_that_is_there_and_was_not_read_is_told(run: Run, context: ToolContext) -> None:
    assert context.root is not None
    write_files(context.root, {"source/index.ts": "export const a = 1;\n", "index.ts": "export const b = 1;\n"})
    value = (await run("outline", target="source/index.ts")).value
    assert (value["kind"], value["unread"], value["other_files"]) == ("none", "source/index.ts", [])
    assert (await run("read_file", path="source/index.ts")).value["content"] == "export const a = 1;"
    value = (await run("outline", target="index.ts")).value
    assert (value["kind"], value["unread"]) == ("none", "index.ts")
    assert value["other_files"] == ["benchmark/index.ts", "examples/index.ts"]


async def test_the_answers_without_a_model_say_so_too(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    root = tmp_path / "project"
    write_files(root, {"bank/index.ts": "export const UNREAD = 1;\n", "old/index.ts": "export const OLD = 1;\n"})
    conversation = await agent.create_conversation("files")

    async def said(text: str) -> str:
        return (await conversation.send_message(text)).content

    for text in ("what is in bank/index.ts?", "show me bank/index.ts"):
        told = await said(text)
        assert "UNREAD" in told, text
        assert "web/index.ts" not in told, text
    for text in ("what is in shop/index.ts?", "show me shop/index.ts"):
        told = await said(text)
        assert told.startswith("shop/index.ts cannot be read"), text
        assert "ShoppingBasket" not in told, text
    await agent.ingest(root)
    assert "Of that name too:\n- old/index.ts\n- web/index.ts" in await said("what is in index.ts?")
