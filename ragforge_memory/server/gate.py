"""What every request passes before its body is read: its key, and its rate.

It is plain ASGI, so that a stream is passed on as it comes and a client that goes away is noticed.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ragforge_memory.errors import GraphUnavailable, RagforgeError
from ragforge_memory.graph.keys import KEY_PREFIX
from ragforge_memory.server.access import Access
from ragforge_memory.server.errors import Refusal, answer_of

if TYPE_CHECKING:
    from ragforge_memory.config.server import ServerConfig
    from ragforge_memory.models.access import ApiKey

KNOWN_SECONDS = 5.0
"""How long a key that was looked up holds without another look: a revoked one is refused after this time at most."""

_MOST_KNOWN = 10_000
_GUARDED = ("/api/", "/v1/")
_PROXIES = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})

Verify = Callable[[str], Awaitable["ApiKey | None"]]


class Gate:
    """The middleware; it refuses with 401, 403 and 429.

    Args:
        app: what is behind it.
        config: the limits.
        verify: looks a key up.
        asks_key: whether a key is needed.
        user_id: whose requests without a key are.
    """

    def __init__(self, app: ASGIApp, *, config: ServerConfig, verify: Verify, asks_key: bool, user_id: str) -> None:
        from limits import RateLimitItemPerMinute
        from limits.storage import MemoryStorage
        from limits.strategies import MovingWindowRateLimiter

        self._app = app
        self._config = config
        self._verify = verify
        self._asks_key = asks_key
        self._user_id = user_id
        self._known: OrderedDict[str, tuple[float, ApiKey]] = OrderedDict()
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._rate = RateLimitItemPerMinute(config.requests_per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        path = scope.get("path", "")
        guarded = path.startswith(_GUARDED) or (path == "/metrics" and self._asks_key)
        if scope["type"] != "http" or not guarded or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            scope["ragforge_access"] = await self._access(headers, (scope.get("client") or ("",))[0])
        except RagforgeError as error:
            await answer_of(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _access(self, headers: Headers, address: str) -> Access:
        given = headers.get("authorization")
        kind, _, text = (given or "").partition(" ")
        # OpenAI's clients always send one, whatever it is.
        if not self._asks_key and not text.startswith(KEY_PREFIX):
            self._check_own_page(headers)
            self._check_rate(address)
            return Access(self._user_id)
        key = await self._key(text.strip(), address) if kind.lower() == "bearer" else None
        if key is None:
            self._check_rate(f"refused {address}")
            raise Refusal(
                401,
                "there is no key" if given is None else "this key does not hold",
                hint="send it as `Authorization: Bearer rf_…`; ragforge keys create makes one",
                headers={"WWW-Authenticate": "Bearer"},
            )
        self._check_rate(key.id)
        return Access(key.user_id or "", key.scope, key)

    def _check_own_page(self, headers: Headers) -> None:
        """Refuses what a page of another site sends to a server that asks for no key: by its own name, or by one that
        leads here. `cors_origins` may come with somebody's repository, so that its pages need a key all the same."""
        host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        origin = headers.get("origin")
        here = origin is None or urlsplit(origin).netloc == headers.get("host")
        if not _PROXIES.isdisjoint(headers.keys()):
            raise Refusal(
                403,
                "this comes through a proxy, and behind one every request needs a key",
                hint="set server.require_key, and make a key: ragforge keys create",
            )
        if not here or not is_loopback(host):
            raise Refusal(
                403,
                "this comes from another site's page" if not here else f"this server is not called {host!r}",
                hint="use http://127.0.0.1, or send a key: ragforge keys create",
            )

    async def _key(self, text: str, address: str) -> ApiKey | None:
        now = time.monotonic()
        until, known = self._known.get(text, (0.0, None))
        if until > now:
            return known
        if known is None and not self._limiter.test(self._rate, f"refused {address}"):
            self._check_rate(f"refused {address}")
        try:
            key = await self._verify(text)
        except GraphUnavailable:
            if known is None:
                raise
            return known  # while the graph is away nobody can revoke it
        self._known.pop(text, None)
        if key is not None:
            self._known[text] = (now + KNOWN_SECONDS, key)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        return key

    def _check_rate(self, who: str) -> None:
        if self._limiter.hit(self._rate, who):
            return
        reset, _ = self._limiter.get_window_stats(self._rate, who)
        wait = max(1, round(reset - time.time()))
        raise Refusal(
            429,
            f"more than {self._config.requests_per_minute} requests in a minute",
            hint=f"try again in {wait} s; server.requests_per_minute sets the limit",
            headers={"Retry-After": str(wait)},
        )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone."""
    try:
        return host.lower() == "localhost" or ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
