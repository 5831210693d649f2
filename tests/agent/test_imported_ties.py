"""What comes from elsewhere is tied to the code that it names, as it is now."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragforge_memory.archive import transcript_messages
from ragforge_memory.code.git import git_environment
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.graph.ties import TieStore
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


CODE = '''\
class Timeout:
    """How long to wait."""


def scramble(password, salt):
    """Makes a digest of a password that cannot be turned back."""
    return hash((password, salt))


def check_password(password, hashed):
    """Compares a password with what is stored of it."""
    return scramble(password, "") == hashed
'''
SAID = [
    {"role": "user", "content": "Where is `scramble` called?", "uuid": "u1"},
    {"role": "system", "content": "Be brief about `Timeout`.", "uuid": "s1"},
    {"role": "assistant", "content": "Only in check_password.", "uuid": "a1"},
    {"role": "assistant", "content": "That is all.", "uuid": "a2"},
    {"role": "user", "content": "We decided that the Timeout stays.", "uuid": "u2"},
    {"role": "assistant", "content": "Noted.", "uuid": "a3"},
]
TIES = {"u1": [], "s1": [], "a1": ["scramble", "check_password"], "a2": [], "u2": ["Timeout"], "a3": []}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A committed project."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "auth.py").write_text(CODE)
    for command in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run(("git", *command), cwd=root, env=git_environment() | AUTHOR, check=True)
    return root


AUTHOR = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


async def test_what_is_imported_is_tied_to_what_it_names(
    make_agent: MakeAgent, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_messages, "BATCH_MESSAGES", 2)
    async with make_agent(root=project) as agent:
        await agent.ingest()
        conversation = await agent.import_conversation(SAID)
        history = await conversation.get_history()
        assert {each.uuid: [tie.name for tie in each.references] for each in history} == TIES
        ties = await conversation.referenced_code()
        assert {(each.kind, each.status) for each in ties} == {("discussed", "fresh")}
        # Nobody knows at which commit that was said.
        assert {each.commit for each in ties} == {None}
        [about] = await agent.conversations_about("Timeout")
        assert about.uuid == conversation.uuid

        # Under new uuids too; and from then on they follow the code.
        copied = await agent.import_conversation(SAID, on_conflict="copy")
        assert [each.name for each in await copied.referenced_code()] == ["scramble", "check_password", "Timeout"]
        (project / "auth.py").write_text(CODE.replace("hash(", "sum("))
        await agent.ingest()
        assert {each.name: each.status for each in await copied.referenced_code()} == {
            "scramble": "drifted",
            "check_password": "fresh",
            "Timeout": "fresh",
        }
        for kept in (conversation, copied):
            await kept.delete()
        assert not await agent.conversations_about("Timeout")


async def test_ties_that_cannot_be_written_fail_no_import(
    make_agent: MakeAgent, project: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def meant(*_: object) -> None:
        raise GraphTimeout("it took too long", hint="wait")

    monkeypatch.setattr(TieStore, "meant", meant)
    async with make_agent(root=project) as agent:
        await agent.ingest()
        conversation = await agent.import_conversation(SAID)
        assert len(await conversation.get_history()) == len(SAID)
        assert not await conversation.referenced_code()
        assert "is not tied to code any further: it took too long" in caplog.text
