"""google-genai's client, and what its errors mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.errors import ConfigError, ModelError
from ragforge_memory.vendors.access import is_loopback
from ragforge_memory.vendors.connection import CONNECT_SECONDS, Connection
from ragforge_memory.vendors.retry import google_retry_delay

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.client import AsyncClient

DEFAULT_ADDRESS = "https://generativelanguage.googleapis.com"

OnResponse = Callable[["httpx2.Response"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Opened:
    """The SDK's client with the HTTP clients under it, which it leaves to us to close."""

    client: Client
    http: httpx2.AsyncClient
    blocking: httpx2.Client

    @property
    def aio(self) -> AsyncClient:
        """What is awaited."""
        return self.client.aio


class GeminiConnection(Connection[Opened]):
    """The way to a model of Gemini.

    Args:
        api_key: the vendor's key.
        base_url: another address of the same API; None is Google's.
        model, missing, connect: as in `Connection`.
        on_response: is given each response as its head arrives.

    Raises:
        ConfigError: no key.
    """

    key_variable = "GEMINI_API_KEY"

    def __init__(
        self,
        api_key: str,
        base_url: str | None,
        *,
        model: str,
        missing: str,
        connect: float = CONNECT_SECONDS,
        on_response: OnResponse | None = None,
    ) -> None:
        api_key = api_key.strip()
        if not api_key:
            raise ConfigError("Gemini needs an API key", hint=f"set {self.key_variable}", key="llm.api_key")
        address = (base_url or DEFAULT_ADDRESS).rstrip("/")
        super().__init__(api_key, address, model=model, missing=missing, connect=connect)
        self._on_response = [on_response] if on_response is not None else []

    def _connect(self) -> Opened:
        import httpx2
        from google import genai
        from google.genai import types

        limits = {"connect": self._connect_seconds, "read": None, "write": None, "pool": None}

        async def limit(sent: httpx2.Request) -> None:
            # The SDK sends timeout=None with every request, which switches the client's own off.
            sent.extensions["timeout"] = limits

        # Certificates take 40 ms a client to load: once for both, and not for a plain server on this machine.
        here = is_loopback(self.address)
        verify = False if here and self.address.startswith("http://") else httpx2.create_ssl_context()
        # Our own clients: with none given, the SDK would change its transport where aiohttp can be imported.
        http = httpx2.AsyncClient(
            verify=verify,
            follow_redirects=True,
            trust_env=not here,
            event_hooks={"request": [limit], "response": self._on_response},
        )
        blocking = httpx2.Client(verify=verify)
        client = genai.Client(
            vertexai=False,
            api_key=self._api_key,
            http_options=types.HttpOptions(base_url=self.address, httpx_async_client=http, httpx_client=blocking),
        )
        return Opened(client, http, blocking)

    async def _close(self, client: Opened) -> None:
        await client.aio.aclose()
        client.client.close()
        client.blocking.close()
        await client.http.aclose()

    def _failure(self, error: Exception) -> ModelError:
        from google.genai import errors

        if isinstance(error, errors.APIError):
            said = self._said(error.message or error.status or "no reason given")
            code = error.code if isinstance(error.code, int) else 500
            if code == 400 and "api key" in said.lower():
                code = 401  # what this vendor says of a key that is none
            delay = google_retry_delay(error.details, getattr(error.response, "headers", None))
            return self._refusal(code, said, retry_after=delay)
        if isinstance(error, errors.UnknownApiResponseError):
            return self._unreadable()
        return super()._failure(error)
