"""A Maven repository on loopback that can be told to misbehave."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

from ragforge_memory.downloads.lock import PinnedFile


class Repository:
    """Serves made-up files by their pinned path and keeps a list of what was asked for."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.answers: dict[str, list[int]] = defaultdict(list)
        """Status codes to answer first, by path."""
        self.cut: dict[str, list[int]] = defaultdict(list)
        """Numbers of bytes after which the connection ends, by path; used up one by one."""
        self.ranges = True
        self.held: dict[str, threading.Event] = {}
        """Paths whose second half is held back until the event is set."""
        self.half_sent = threading.Event()
        self.base = ""

    def add(self, artifact: str, size: int = 1000) -> PinnedFile:
        """A new file of random bytes."""
        content = Random(artifact).randbytes(size)
        file = PinnedFile("org.example", artifact, "1.0", "", hashlib.sha256(content).hexdigest(), size)
        self.contents[file.path] = content
        return file

    def asked(self, file: PinnedFile) -> list[str | None]:
        """The Range headers of the requests for a file, in order."""
        return [range_ for path, range_ in self.requests if path == file.path]


@contextmanager
def serving() -> Iterator[Repository]:
    """A repository that listens until the block ends."""
    repository = Repository()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, repository)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    repository.base = f"http://127.0.0.1:{server.server_address[1]}/repo"
    try:
        yield repository
    finally:
        for event in repository.held.values():
            event.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(request: BaseHTTPRequestHandler, repository: Repository) -> None:
    request.close_connection = True
    path = request.path.removeprefix("/repo/")
    asked = request.headers.get("Range")
    repository.requests.append((path, asked))
    content = repository.contents.get(path)
    status = repository.answers[path].pop(0) if repository.answers[path] else 200
    if content is None:
        status = 404
    if status != 200 or content is None:
        request.send_response(status)
        request.send_header("Content-Length", "0")
        request.end_headers()
        return
    start = 0
    if asked and repository.ranges:
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        request.send_response(206)
        request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    else:
        request.send_response(200)
    body = content[start:]
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if path in repository.held and not repository.held[path].is_set():
        request.wfile.write(body[: len(body) // 2])
        request.wfile.flush()
        repository.half_sent.set()
        repository.held[path].wait()
        body = body[len(body) // 2 :]
    elif repository.cut[path]:
        body = body[: repository.cut[path].pop(0)]
    try:
        request.wfile.write(body)
    except OSError:  # the client was killed
        return
