"""OpenAI-compatible servers on this machine: Ollama, llama.cpp, LM Studio, vLLM at their usual ports.

One ``GET /v1/models`` each, all at once, over plain asyncio streams: where nothing listens the connection is refused
at once, and no SDK is imported to find that out.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# The servers' documented default ports, in the order in which they are preferred.
LOCAL_SERVERS: tuple[tuple[str, int], ...] = (
    ("Ollama", 11434),
    ("llama.cpp", 8080),
    ("LM Studio", 1234),
    ("vLLM", 8000),
)

# Seconds for connecting and answering together.
PROBE_SECONDS = 0.2
_LARGEST_ANSWER = 1 << 20

# Parts of names of models that do not chat.
_NOT_CHAT = (
    "embed",
    "bge-",
    "e5-",
    "minilm",
    "gte-",
    "rerank",
    "whisper",
    "tts",
    "clip",
    "moderation",
    "dall-e",
    "image",
)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A chat model that a server lists; ``context_window`` in tokens where the server says it."""

    name: str
    context_window: int | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered, with the chat models that it serves (at least one)."""

    name: str
    address: str
    models: tuple[ServedModel, ...]


async def find_local_servers(servers: Sequence[tuple[str, int]] = LOCAL_SERVERS) -> tuple[LocalServer, ...]:
    """The servers that answer on loopback with a list of models, in the given order."""
    found = await asyncio.gather(*(_probe(name, port) for name, port in servers))
    return tuple(server for server in found if server is not None)


def chat_models(listed: Any) -> tuple[ServedModel, ...]:
    """The models of a ``/v1/models`` answer that look as if they chat, in the server's order; () for anything else."""
    data = listed.get("data") if isinstance(listed, dict) else None
    entries = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    return tuple(
        ServedModel(entry["id"], _window(entry))
        for entry in entries
        if isinstance(entry.get("id"), str) and not any(part in entry["id"].lower() for part in _NOT_CHAT)
    )


async def _probe(name: str, port: int) -> LocalServer | None:
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            listed = json.loads(await _get(port, "/v1/models"))
    except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
        return None
    models = chat_models(listed)
    return LocalServer(name, f"http://127.0.0.1:{port}/v1", models) if models else None


async def _get(port: int, path: str) -> bytes:
    """The body of a 200 answer. HTTP/1.0, so that it ends with the connection and is not chunked."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        if status.split(" ")[1:2] != ["200"]:
            raise ValueError(f"not a list of models: {status}")
        lengths = [line.partition(":")[2] for line in lines if line.lower().startswith("content-length:")]
        if lengths:
            return await reader.readexactly(min(int(lengths[0]), _LARGEST_ANSWER))
        return await reader.read(_LARGEST_ANSWER)
    except asyncio.LimitOverrunError as error:
        raise ValueError("not HTTP") from error
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _window(entry: dict[str, Any]) -> int | None:
    """vLLM's ``max_model_len``, or llama.cpp's ``meta.n_ctx``."""
    meta = entry.get("meta")
    for value in (entry.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, dict) else None):
        if isinstance(value, int) and value > 0:
            return value
    return None
