"""Markdown for reading, the command line, and what cannot be exported."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import ConversationAgent, InvalidInput
from tests.archive.conftest import MakeAgent
from tests.archive.story import STEPS, told, weigh
from tests.cli.conftest import CommandLine, bare_environment, project, ragforge

__all__ = ["bare_environment", "project", "ragforge"]


@pytest.mark.anyio
async def test_markdown_is_for_reading(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with make_agent(*STEPS, tools=[weigh]) as agent:
        family = await told(agent)
        text = await family["leaf"].export(tmp_path / "leaf.md", format="markdown")
        assert isinstance(text, str)
        assert (tmp_path / "leaf.md").read_text(encoding="utf-8") == text
        assert text.startswith("# Leaf\n\nconversation ")
        assert "## 1. user · " in text
        assert "· shared" in text
        assert "> Let me weigh." in text
        assert "**weigh** (" in text
        assert "there is nothing to weigh" in text
        assert "more characters\n```" in text
        assert text.rstrip().endswith("on the leaf")
        assert len(text) < 20_000
        with pytest.raises(InvalidInput, match="no format 'html'"):
            await family["leaf"].export(format="html")  # type: ignore[arg-type]  # there is none such
        with pytest.raises(InvalidInput, match="cannot be written"):
            await family["leaf"].export(tmp_path / "nowhere" / "leaf.json")
        with pytest.raises(InvalidInput, match="cannot be written"):
            await agent.export_all(tmp_path)


def test_the_command_line(ragforge: CommandLine, tmp_path: Path) -> None:
    made = ragforge.json("ask", "Where is `login`?", "--json", "--model", "extractive")
    uuid = made["conversation_id"]
    document = json.loads(ragforge.ok("conversations", "export", uuid[:8]))
    assert document["conversation"] == uuid
    assert "# " in ragforge.ok("conversations", "export", uuid, "--format", "markdown")
    file = tmp_path / "one.json"
    assert ragforge.ok("conversations", "export", uuid, "-o", str(file)).startswith(f"exported: {uuid} to ")
    again = ragforge.run("conversations", "export", uuid, "-o", str(file))
    assert (again.returncode, "is there already" in again.stderr) == (1, True)
    ragforge.ok("conversations", "export", uuid, "-o", str(file), "--force")
    assert ragforge.ok("conversations", "export", "--all", str(tmp_path / "all")).startswith(
        "exported: 1 conversation, 2"
    )
    assert ragforge.run("conversations", "import", str(file), "--on-conflict", "fail").returncode != 0
    assert "1 was here already" in ragforge.ok("conversations", "import", str(file))
    for given in (file, tmp_path / "all"):
        ragforge.ok("conversations", "delete", uuid, "--yes")
        assert "imported: 1 conversation" in ragforge.ok("conversations", "import", str(given))
        assert json.loads(ragforge.ok("conversations", "export", uuid))["conversations"] == document["conversations"]
    for wrong in ((), (uuid, "--all", "x"), ("--all", "x", "--format", "markdown")):
        assert ragforge.run("conversations", "export", *wrong).returncode == 2


@pytest.mark.anyio
async def test_links_and_pipes_stay(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with make_agent("a") as agent:
        talk = await agent.create_conversation("One")
        await talk.send_message("q")
        (tmp_path / "there").mkdir()
        link, file = tmp_path / "backup", tmp_path / "there" / "file"
        link.symlink_to(file)
        await agent.export_all(link)
        assert link.is_symlink()
        assert file.stat().st_mode & 0o777 == 0o600
        os.mkfifo(tmp_path / "pipe")
        # Whoever opens a pipe to write waits for its reader.
        reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        report = await agent.export_all(tmp_path / "pipe")
        read = os.read(reader, 1 << 16)
        os.close(reader)
        assert (len(read), read.count(b"\n")) == (report.size_bytes, file.read_bytes().count(b"\n"))
        assert (tmp_path / "pipe").is_fifo()


@pytest.mark.anyio
@pytest.mark.parametrize("way", ["all", "import"])
async def test_a_pipe_is_waited_for_beside_everything_else(make_agent: MakeAgent, tmp_path: Path, way: str) -> None:
    pipe, said, passed = tmp_path / "pipe", threading.Event(), []
    os.mkfifo(pipe)
    plain = json.dumps([{"role": "user", "content": "from a pipe"}]).encode()

    def other_end() -> bytes:
        """Comes once something else was said, or would never have been."""
        passed.append(said.wait(20))
        if way == "import":
            pipe.write_bytes(plain)
            return b""
        return pipe.read_bytes()

    async with make_agent("a", "b") as agent:
        talk = await agent.create_conversation("One")
        await talk.send_message("q" * 100_000)  # more than a pipe holds
        with ThreadPoolExecutor(1) as pool:
            other = asyncio.get_running_loop().run_in_executor(pool, other_end)
            give: dict[str, Callable[[], Any]] = {
                "all": lambda: agent.export_all(pipe),
                "import": lambda: agent.import_conversations(pipe),
            }
            done = asyncio.ensure_future(give[way]())
            beside = await agent.create_conversation("Beside")
            await beside.send_message("hello?")
            said.set()
            made, read = await asyncio.gather(done, other)
        assert passed == [True]
        if way == "import":
            assert made.conversations == 1
        else:
            assert len(read) > 100_000
        assert pipe.is_fifo()


@pytest.mark.anyio
async def test_a_pipe_that_nobody_reads_is_given_up(make_agent: MakeAgent, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    async with make_agent("a") as agent:
        talk = await agent.create_conversation("One")
        await talk.send_message("q" * 200_000)
        for export in (talk.export, agent.export_all):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await export(tmp_path / "pipe")
        # One that is there, and does not read.
        reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        try:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await agent.export_all(tmp_path / "pipe")
        finally:
            os.close(reader)
        assert await agent.create_conversation("Two")
        assert [each.name for each in tmp_path.iterdir() if each.suffix == ".tmp"] == []


@pytest.mark.anyio
async def test_home_is_home_for_both(make_agent: MakeAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with make_agent("a") as agent:
        await (await agent.create_conversation("One")).send_message("q")
        await agent.export_all("~/all.jsonl")
        assert (await agent.import_conversations("~/all.jsonl", on_conflict="skip")).skipped == 1


@pytest.mark.parametrize("path", ["a\0b", 5])
def test_what_is_no_path_is_no_root(path: Any) -> None:
    with pytest.raises(InvalidInput, match="is not a path"):
        ConversationAgent(root=path, project="p")


@pytest.mark.anyio
async def test_what_is_no_place_for_a_file(make_agent: MakeAgent, tmp_path: Path) -> None:
    paths: list[Any] = ["", "a\0b", "~nobody-of-that-name/x", "\ud800", 5, str(tmp_path)]
    async with make_agent() as agent:
        talk = await agent.create_conversation("One")
        for path in paths:
            for export in (talk.export, agent.export_all):
                with pytest.raises(InvalidInput, match=r"cannot be written|is not a path"):
                    await export(path)
