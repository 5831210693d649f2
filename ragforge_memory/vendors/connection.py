"""An SDK's client, opened where it is used, and this library's errors in place of the SDK's."""

from __future__ import annotations

import asyncio
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from ragforge_memory.errors import (
    ModelError,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelStreamCut,
    ModelUnavailable,
)
from ragforge_memory.vendors.access import check_address, is_loopback

Client = TypeVar("Client")

CONNECT_SECONDS = 10.0
"""Until a connection stands; those who ask limit what comes after it."""

_SHORTEST_KEY = 8
_LONGEST_SAID = 500


class Connection(ABC, Generic[Client]):
    """The way to one model of a vendor; a subclass is the only one that knows the vendor's SDK.

    Args:
        api_key: the key; empty where a server needs none.
        address: where it is asked.
        model: the model as errors name it.
        missing: the hint where there is no such model.
        connect: seconds until a connection stands.
    """

    key_variable: str

    def __init__(self, api_key: str, address: str, *, model: str, missing: str, connect: float) -> None:
        self.address = address
        self._api_key = api_key
        self._model = model
        self._missing = missing
        self._connect_seconds = connect
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> Client:
        """The client of the running event loop; the SDK's import takes a second, so it happens in a thread.

        Raises:
            ConfigError: requests to models are off, and this address is not on this machine.
        """
        check_address(self.address, os.environ)
        async with self._opening:
            loop = asyncio.get_running_loop()
            if self._client is None or self._loop is not loop:
                self._client, self._loop = await asyncio.to_thread(self._connect), loop
            return self._client

    async def aclose(self) -> None:
        """Closes the client and its connections; those of another loop ended with it."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await self._close(client)

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Whatever the SDK raises comes out as a ModelError, with its cause."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            raise self._failure(error) from error

    @abstractmethod
    def _connect(self) -> Client:
        """Imports the SDK and makes its client."""

    @abstractmethod
    async def _close(self, client: Client) -> None:
        """Closes what `_connect` made."""

    def _failure(self, error: Exception) -> ModelError:
        """The error for what is not an SDK's own."""
        import httpx2
        from pydantic import ValidationError

        if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError, ValidationError)):
            return self._unreadable()
        if isinstance(error, httpx2.HTTPError):
            return self._disconnected(error)
        return ModelError(f"asking {self._model} failed: {type(error).__name__}: {error}")

    def _unreadable(self) -> ModelError:
        return ModelMalformed(f"{self._model} sent JSON that cannot be read", hint="ask again")

    def _disconnected(self, error: BaseException) -> ModelError:
        """The connection was not made, or ended too early."""
        import httpx2

        if isinstance(error, (httpx2.RemoteProtocolError, httpx2.ReadError)):
            return ModelStreamCut(f"the connection to {self._model} broke off: {error}", hint="ask again")
        return ModelUnavailable(
            f"{self.address} cannot be reached: {str(error) or type(error).__name__}",
            hint="is the server running?" if is_loopback(self.address) else "check the network and the address",
        )

    def _refusal(self, code: int, said: str, *, retry_after: float | None) -> ModelError:
        """The vendor's own error, by its HTTP status."""
        if code == 429:
            return ModelRateLimited(
                f"{self._model} is limited for now: {said}",
                hint="wait, or use another key or model",
                retry_after=retry_after,
            )
        if code in (408, 409, 499) or code >= 500:
            return ModelUnavailable(
                f"{self._model} is not available ({code}): {said}", hint="ask again", retry_after=retry_after
            )
        if code in (401, 403):
            return ModelRefused(f"{self.address} refused the key: {said}", hint=f"check {self.key_variable}")
        if code == 404:
            return ModelRefused(f"{self._model} is not at {self.address}: {said}", hint=self._missing)
        return ModelRefused(f"{self._model} refused the request ({code}): {said}")

    def _said(self, text: object) -> str:
        """What a server says of a request that failed, as it may be shown: some repeat the key. What is shorter than
        any vendor's key is a word that a local server was given."""
        said, key = str(text).strip(), self._api_key
        return (said.replace(key, "********") if len(key) >= _SHORTEST_KEY else said)[:_LONGEST_SAID]
