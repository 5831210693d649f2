"""Files of keys and passwords, which no tool opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.tools.project_files import holds_keys
from ragforge_memory.tools.registry import ToolContext
from tests.tools.conftest import Run, write_files

SECRET = "correct-horse-battery"


@pytest.mark.parametrize(
    "path",
    [
        *(".env", "deploy/.env.production", "prod.env", ".envrc", ".npmrc", "x/.netrc", "_netrc", ".pypirc", "id_rsa"),
        *(
            "keys/id_ed25519",
            "server.pem",
            "tls/SERVER.KEY",
            "store.jks",
            "home/.aws/credentials",
            ".docker/config.json",
        ),
    ],
)
def test_what_holds_keys(path: str) -> None:
    assert holds_keys(path)


@pytest.mark.parametrize(
    "path",
    [
        *(".env.example", ".env.sample", "example.env", "env.py", "src/env", "environment.ts", "id_rsa.pub", "key.py"),
        *("config.json", "credentials", "docs/pem.md", ".env.template", "keystore.go", ".npmignore", "netrc.c"),
    ],
)
def test_what_does_not(path: str) -> None:
    assert not holds_keys(path)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The project's files."""
    files = {"app.py": "import os\n", ".env": f"PASSWORD={SECRET}\n", ".env.example": "PASSWORD=...\n"}
    root = write_files(tmp_path / "shop", files)
    (root / "notes.txt").symlink_to(root / ".env")
    # Whether there is such a file outside of the project is not told either.
    (root / "out").symlink_to(write_files(tmp_path / "outside", {".env": SECRET}))
    return root


@pytest.mark.anyio
async def test_no_tool_opens_them(run: Run, context: ToolContext) -> None:
    for path in (".env", "./.env", "notes.txt", "ENV"):
        read = await run("read_file", path=path)
        assert not read.success or read.value["file"] == ".env.example"
        assert SECRET not in str(read.value)
    assert "hold keys" in str((await run("read_file", path=".env")).error)
    assert "no regular file" in str((await run("read_file", path="out/.env")).error)
    found = await run("grep_code", pattern="PASSWORD")
    assert [each["file"] for each in found.value["matches"]] == [".env.example"]
    assert (await run("read_file", path=".env.example")).success
