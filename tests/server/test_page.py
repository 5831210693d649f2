"""docs/server.md is true: its programs run, its routes are those that there are, every test that it names is there."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import shutil
from typing import Any

import pytest

from tests.docs.conftest import ROOT
from tests.docs.markdown import blocks
from tests.docs.test_memory_page import names_in

PAGE = ROOT / "docs" / "server.md"
_URL = "http://127.0.0.1:8765"
_METHODS = re.compile(r"`((?:(?:GET|POST|PUT|PATCH|DELETE) )+)(/[^`?]+)`")
_TEST = re.compile(r"`((?:tests|benchmarks)/[\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.anyio
async def test_its_programs_run(serve: Any, user: str, make_key: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    key = await make_key(user)
    monkeypatch.setenv("KEY", key)
    async with serve("It is in auth.py.", asks_key=True, key=key) as running:
        stream, client = [
            await asyncio.to_thread(_printed, block.replace(_URL, running.url)) for block in blocks(PAGE, "python")
        ]
    assert stream == "It is in auth.py.\ncomplete\n"
    assert client == "It is in auth.py. 32\n"


@pytest.mark.anyio
@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
async def test_its_lines_for_curl_work(serve: Any, user: str, make_key: Any) -> None:
    key = await make_key(user)
    [lines] = [block for block in blocks(PAGE, "sh") if "curl" in block]
    async with serve("It is in auth.py.", asks_key=True, key=key) as running:
        ran = await asyncio.create_subprocess_exec(
            *("sh", "-ec", lines.replace(_URL, running.url).replace("curl ", "curl -sS --fail ")),
            env={"KEY": key, "PATH": "/usr/bin:/bin"},
            stdout=asyncio.subprocess.PIPE,
        )
        said = (await ran.communicate())[0].decode()
    assert ran.returncode == 0
    assert '"session_id":"review-42"' in said
    assert "event: message_completed\n" in said
    assert said.splitlines()[-1].count('"role":"user"') == 2


def test_the_routes_are_those_that_there_are(make_app: Any) -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Routes")[2].partition("\n## ")[0]
    named = [(method, path) for methods, path in _METHODS.findall(table) for method in methods.split()]
    there = make_app().openapi()["paths"]
    ours = {(method.upper(), path) for path in there for method in there[path] if "/knowledge" not in path}
    assert len(named) == len(set(named))
    assert set(named) == ours


def test_every_line_of_the_document_names_tests_that_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = text.partition("## Document 4")[2].splitlines()[4:]
    assert len(rows) > 15
    assert [row for row in rows if not _TEST.search(row)] == []
    assert [f"{path}::{name}" for path, name in _TEST.findall(text) if name not in names_in(path)] == []


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 200


def _printed(program: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "server.md", "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.mark.anyio
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
async def test_its_lines_for_a_page_work_in_a_browser(serve: Any, user: str, make_key: Any, tmp_path: Any) -> None:
    key = await make_key(user)
    [lines] = blocks(PAGE, "js")
    shown: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
    async with serve("It is in auth.py.", asks_key=True, key=key, cors_origins=("http://pages.test",)) as running:
        page = f"""<script type="module">
            const key = "{key}", shown = [], show = (event) => shown.push(event);
            try {{ {lines.replace(_URL, running.url)} }} catch (error) {{ shown.push(String(error)); }}
            await fetch("/shown", {{method: "POST", body: JSON.stringify(shown)}});
        </script>"""
        pages = await asyncio.start_server(_serving(page.encode(), shown), "127.0.0.1", 0)
        port = pages.sockets[0].getsockname()[1]
        browser = await asyncio.create_subprocess_exec(
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--no-proxy-server", f"--host-resolver-rules=MAP pages.test:80 127.0.0.1:{port}", "http://pages.test/"),
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(100):
                events = await shown
        finally:
            browser.kill()
            await browser.wait()
            pages.close()
    assert [each["response"]["content"] for each in events if isinstance(each, dict) and "response" in each] == [
        "It is in auth.py."
    ], events


def _serving(page: bytes, shown: asyncio.Future[list[str]]) -> Any:
    """Answers with a page, and takes what it posts."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
        except asyncio.IncompleteReadError:  # browsers connect in advance
            writer.close()
            return
        if head.startswith("POST"):
            length = int(re.findall(r"(?i)content-length: (\d+)", head)[0])
            shown.set_result(json.loads(await reader.readexactly(length)))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(page), page))
        await writer.drain()
        writer.close()

    return answer
