"""The openai SDK's client, for any server that speaks OpenAI's language, and what its errors mean."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ragforge_memory.errors import ConfigError, ModelBlocked, ModelError, ModelRefused
from ragforge_memory.vendors.access import is_loopback
from ragforge_memory.vendors.connection import CONNECT_SECONDS, Connection
from ragforge_memory.vendors.retry import retry_after_header

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

DEFAULT_ADDRESS = "https://api.openai.com/v1"
INSTALL_COMMAND = 'pip install "ragforge-memory[openai]"'

_BLOCKED_CODES = frozenset({"content_filter", "content_policy_violation", "invalid_prompt"})


def is_installed() -> bool:
    """Whether the ``openai`` extra is there; imports nothing."""
    return find_spec("openai") is not None


def check_installed() -> None:
    """Says how to install the SDK where it is missing.

    Raises:
        ConfigError: the ``openai`` extra is not installed.
    """
    if not is_installed():
        raise ConfigError("models of the openai provider need the openai package", hint=f"run: {INSTALL_COMMAND}")


def address_of(base_url: str | None) -> str:
    """The address that is asked: OpenAI's own where there is no other."""
    return (base_url or DEFAULT_ADDRESS).rstrip("/")


class OpenAIConnection(Connection["AsyncOpenAI"]):
    """The way to a model behind an OpenAI-compatible address.

    Args:
        api_key: the key; local servers need none.
        base_url: address with ``/v1``; None is OpenAI's own.
        model, missing, connect: as in `Connection`.

    Raises:
        ConfigError: no key for OpenAI's own service, or the ``openai`` extra is not installed.
    """

    key_variable = "OPENAI_API_KEY"

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        *,
        model: str,
        missing: str,
        connect: float = CONNECT_SECONDS,
    ) -> None:
        api_key, address = (api_key or "").strip(), address_of(base_url)
        if address == DEFAULT_ADDRESS and not api_key:
            raise ConfigError(
                "OpenAI needs an API key; other servers, their address",
                hint=f"set {self.key_variable} or OPENAI_BASE_URL",
                key="llm.api_key",
            )
        check_installed()
        super().__init__(api_key, address, model=model, missing=missing, connect=connect)

    def _connect(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        limits = httpx2.Timeout(None, connect=self._connect_seconds)
        return AsyncOpenAI(
            # The SDK wants some key; local servers read none.
            api_key=self._api_key or "none",
            base_url=self.address,
            max_retries=0,
            timeout=limits,
            http_client=httpx2.AsyncClient(
                timeout=limits, follow_redirects=True, trust_env=not is_loopback(self.address)
            ),
        )

    async def _close(self, client: AsyncOpenAI) -> None:
        await client.close()

    def _failure(self, error: Exception) -> ModelError:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self._by_code(error, error.status_code, retry_after_header(error.response.headers))
        if isinstance(error, openai.APIConnectionError):
            return self._disconnected(error.__cause__ or error)
        if isinstance(error, openai.APIResponseValidationError):
            return self._unreadable()
        if isinstance(error, openai.APIError):
            # An error event inside a stream that began with status 200.
            code = str(error.code)
            return self._by_code(error, int(code) if code.isdigit() else 500, None)
        return super()._failure(error)

    def _by_code(self, error: APIError, status: int, retry_after: float | None) -> ModelError:
        """The server's own error, by the word for it that it sends beside the status."""
        body = error.body if isinstance(error.body, dict) else {}
        said = self._said(body.get("message") or error.message)
        if error.code in _BLOCKED_CODES:
            return ModelBlocked(f"{self._model} refused the prompt: {said}", hint="rephrase the question")
        if error.code == "insufficient_quota":
            return ModelRefused(
                f"{self._model} has no quota left: {said}", hint="check the plan and billing of this key"
            )
        return self._refusal(status, said, retry_after=retry_after)
