"""A real HTTP/1.1 server on 127.0.0.1, in a thread of its own, whose every byte a fake decides.

The standard library's server cannot cut a stream inside a chunk, split a character across packets, or notice
that the client has gone while it waits; this one can, and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True)
class Received:
    """A request as it came; header names are lower-case, ``body`` is the parsed JSON or None."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    raw: bytes
    body: Any = None
    bad_json: bool = False


@dataclass
class Reply:
    """Writes one response. A stream uses chunked transfer coding; ``cut`` drops the connection mid-body."""

    writer: asyncio.StreamWriter
    closed: bool = False

    async def json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        await self.text(status, json.dumps(value), headers, "application/json; charset=UTF-8")

    async def text(
        self, status: int, text: str, headers: dict[str, str] | None = None, content_type: str = "text/plain"
    ) -> None:
        body = text.encode()
        await self._head(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})})
        self.writer.write(body)
        await self.writer.drain()

    async def start_stream(self, content_type: str = "text/event-stream") -> None:
        await self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})

    async def send(self, data: bytes) -> None:
        """One piece of a stream, written at once."""
        self.writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await self.writer.drain()

    async def send_split(self, data: bytes, pieces: Iterable[int]) -> None:
        """The same bytes in pieces of the given lengths (the last takes the rest), each its own packet."""
        start = 0
        for length in pieces:
            if data[start : start + length]:
                await self.send(data[start : start + length])
                await asyncio.sleep(0)
            start += length
        if data[start:]:
            await self.send(data[start:])

    async def finish(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()

    def cut(self) -> None:
        """Drops the connection without the end of the body."""
        self.closed = True
        self.writer.transport.abort()

    async def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await self.writer.drain()


class FakeServer:
    """Base of the vendors' fakes: ``with Fake() as fake: fake.url``; ``received`` holds every request.

    Attributes:
        received: the requests, in the order in which they were complete.
        abandoned: set once a client closed its connection while an answer was still being written.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.abandoned = threading.Event()
        self._port = 0
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT`` without a slash at its end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def __enter__(self) -> FakeServer:
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the fake server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Drops every connection and ends the thread; afterwards the port refuses."""
        if self._loop is None or self._stop is None or self._thread is None:
            return
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._thread = None

    async def respond(self, request: Received, reply: Reply) -> None:
        """Answers one request; the vendors' fakes write it."""
        raise NotImplementedError

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._connection(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                self.received.append(request)
                reply = Reply(writer)
                if not await self._respond_while_connected(request, reply, reader) or reply.closed:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _respond_while_connected(self, request: Received, reply: Reply, reader: asyncio.StreamReader) -> bool:
        """Whether the answer was written to its end; it is given up when the client closes."""
        answer = asyncio.ensure_future(self.respond(request, reply))
        gone = asyncio.ensure_future(_closed_by_peer(reader))
        try:
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            # The client's close is seen at the next read or, where that comes first, at the next write.
            if not answer.done() or isinstance(answer.exception(), ConnectionError):
                self.abandoned.set()
                return False
            answer.result()
            return not gone.done()
        finally:
            for task in (answer, gone):
                task.cancel()
            await asyncio.gather(answer, gone, return_exceptions=True)


async def _closed_by_peer(reader: asyncio.StreamReader) -> None:
    """Returns when the client has closed; the next request's bytes are left alone."""
    while not reader.at_eof() and reader.exception() is None:  # noqa: ASYNC110 - reading would eat the next request
        await asyncio.sleep(0.005)


async def _read_request(reader: asyncio.StreamReader) -> Received | None:
    """One request, or None where the client closed between requests."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    url = urlsplit(target)
    body, bad = None, False
    if raw:
        try:
            body = json.loads(raw)
        except ValueError:
            bad = True
    return Received(method, unquote(url.path), parse_qs(url.query), headers, raw, body, bad)
