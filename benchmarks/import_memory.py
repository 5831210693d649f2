"""How much memory an import takes: files of any size, a line or one document, into a graph.

    python benchmarks/import_memory.py [--mb 1000] [--seconds 300] [--only FORMAT] [--json FILE]

For each format a file of so many MB is made in a temporary folder (tool results of 50 kB, as agents have them), and
a process of its own imports it: archive lines of ours, a Claude Code session, OpenAI lines, and ChatGPT's export, which
is one list in one document. A thread of that process looks at its resident memory ten times a second; the table has the
most there was (``getrusage``), and the most in each quarter of what was read, which must not grow. After ``--seconds``
the import is ended where it stands, and the table says how much was read by then; what an import that is ended had
written is taken away.

The server is ``NEO4J_URI``'s, else the managed one (its heap has 512 MB).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bulk_import import agent_of
from benchmarks.bulk_import_data import TIME, archived_call, said
from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.models.archive import FORMAT, VERSION

MOST_MB = 300
_RESULT = 50_000
_LONG = 200
"""Messages of one of ChatGPT's conversations."""
_CALL = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}


def archive_lines(drawn: random.Random) -> Iterator[str]:
    """One conversation of an archive of ours, which has no end."""
    yield _line({"record": "archive", "format": FORMAT, "version": VERSION})
    yield _line({"record": "conversation", "uuid": uuid4().hex, "title": "long", "head_seq": 2**50})
    for seq in range(1, 2**50):
        row = {"record": "message", "uuid": uuid4().hex, "seq": seq, "role": "user", "timestamp": TIME}
        if seq % 2 == 0:
            row |= {"role": "assistant", "tool_calls": [archived_call(_CALL, _result(drawn))]}
        yield _line({**row, "content": said(drawn), "state": "complete"})


def claude_code(drawn: random.Random) -> Iterator[str]:
    """A session of Claude Code."""
    before, session = None, str(uuid4())
    while True:
        call = f"toolu_{uuid4().hex}"
        use = {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "a.py"}}
        result = {"type": "tool_result", "tool_use_id": call, "content": _result(drawn)}
        for role, content in (
            ("user", said(drawn)),
            ("assistant", [{"type": "text", "text": said(drawn)}, use]),
            ("user", [result]),
        ):
            uuid = str(uuid4())
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                message |= {"id": f"msg_{uuid4().hex}", "type": "message", "model": "claude-sonnet-4-5"}
            record = {"type": role, "uuid": uuid, "parentUuid": before, "sessionId": session, "timestamp": TIME}
            yield _line({**record, "isSidechain": False, "cwd": "/", "version": "2.0.1", "message": message})
            before = uuid


def openai(drawn: random.Random) -> Iterator[str]:
    """Chat messages, one a line."""
    while True:
        yield _line({"role": "user", "content": said(drawn)})
        yield _line({"role": "assistant", "content": said(drawn), "tool_calls": [_CALL]})
        yield _line({"role": "tool", "tool_call_id": "c1", "content": _result(drawn)})


def chatgpt(drawn: random.Random) -> Iterator[str]:
    """ChatGPT's conversations.json: one list, conversations of 200 messages in it, each 4 MB."""
    first = True
    while True:
        nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
        before = "root"
        for number in range(_LONG):
            uuid = str(uuid4())
            role, text = ("user", said(drawn)) if number % 2 == 0 else ("assistant", _result(drawn)[:40_000])
            message = {"id": uuid, "author": {"role": role}, "create_time": 1.75e9 + number}
            message |= {"content": {"content_type": "text", "parts": [text]}}
            nodes[uuid] = {"id": uuid, "message": message, "parent": before, "children": []}
            nodes[before]["children"].append(uuid)
            before = uuid
        talk = {"title": "t", "create_time": 1.75e9, "conversation_id": str(uuid4()), "mapping": nodes}
        yield ("[" if first else ",\n") + json.dumps({**talk, "current_node": before})
        first = False


FORMATS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "archive lines": archive_lines,
    "Claude Code": claude_code,
    "OpenAI lines": openai,
    "ChatGPT export": chatgpt,
}


def write_file(path: Path, pieces: Iterator[str], size: int) -> None:
    """A file of that many bytes or a little more."""
    written = number = 0
    with path.open("w", encoding="utf-8") as stream:
        for number, piece in enumerate(pieces):  # noqa: B007  # how many there were
            written += stream.write(piece)
            if written >= size:
                break
        if path.name.startswith("ChatGPT"):
            stream.write("]")
        if path.name.startswith("archive"):
            stream.write(_line({"record": "end", "uuid": uuid4().hex, "messages": number - 1}))
            stream.write(_line({"record": "done", "conversations": 1}))


def measure(project: str, name: str, megabytes: int, seconds: float) -> Figure:
    """Imports a file of one format in a process of its own."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"{name}.json"
        write_file(path, FORMATS[name](random.Random(5)), megabytes * 1_000_000)
        command = [sys.executable, __file__, "--one", str(path), "--project", project, "--seconds", str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    quarters = " ".join(f"{most:.0f}" for most in found["quarters"])
    detail = f"{found['read']:,.0f} of {megabytes:,} MB read in {found['seconds']:.0f} s; by quarters {quarters} MB"
    return Figure(name, found["peak"], "MB", MOST_MB, detail)


class _Counted:
    """A file that says how much of it was read."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).open("rb", buffering=0)  # noqa: SIM115  # the process ends with it
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        """As a file's."""
        found = self._file.read(size)
        self.taken += len(found)
        return found


async def one(config: Neo4jConfig, project: str, path: str, seconds: float) -> None:
    """What the process of `measure` does."""
    stream = _Counted(path)
    samples: list[tuple[int, float]] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            samples.append((stream.taken, _resident()))

    watching = threading.Thread(target=look)
    watching.start()
    start = time.monotonic()
    try:
        async with agent_of(config, project) as agent:
            try:
                async with asyncio.timeout(seconds):
                    await agent.import_conversations(stream)
            except TimeoutError:
                pass
    finally:
        ended.set()
        watching.join()
    quarters = [
        max((mb for at, mb in samples if part * stream.taken <= 4 * at <= (part + 1) * stream.taken), default=0.0)
        for part in range(4)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1_000 if sys.platform != "darwin" else 1_000_000)
    taken = time.monotonic() - start
    print(json.dumps({"read": stream.taken / 1e6, "seconds": taken, "peak": peak, "quarters": quarters}))


def _resident() -> float:
    """MB that the process has in memory now; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return 0.0


def _result(drawn: random.Random) -> str:
    return (said(drawn) * (_RESULT // 250 + 1))[:_RESULT]


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def main() -> int:
    """Prints the table; 1 where a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--project", default=f"benchmark-{uuid4().hex[:8]}", help=argparse.SUPPRESS)
    given = parser.parse_args()
    config = benchmark_server()
    if given.one:
        asyncio.run(one(config, given.project, given.one, given.seconds))
        return 0
    figures = []
    try:
        for name in FORMATS:
            if given.only in name:
                figures.append(measure(given.project, name, given.mb, given.seconds))
                print(table(name, figures[-1:]), file=sys.stderr, flush=True)
    finally:
        forget_project(config, given.project)
    print(table("memory of an import", figures))
    if given.json:
        write_json(given.json, "import_memory", figures, mb=given.mb)
    return 0 if all(each.reached for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
