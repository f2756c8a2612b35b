"""What every reply carries and every request may be: headers, bounds, one line of log without inputs."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

from peakwise.core.units import KILO, MEGA

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_QUERY = 128 * KILO  # bytes: a link carries at most 100 kB of text, which escapes may lengthen
LONGEST_PATH = 200
LARGEST_BODY = 2 * MEGA  # bytes of an API request
LARGEST_FORM = 4 * MEGA  # bytes of a form: 1 MB of pasted text, its escapes counted
SECONDS = 10.0  # the longest that one request may take

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:]{2,45}\](:[0-9]{1,5})?")
_LOG = logging.getLogger("peakwise.web")


class Guard:
    """Refuses what is too long, adds the headers, writes the log: method, path, status and time, never a query."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = perf_counter(), 500

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = [(name.lower(), value) for name, value in message.get("headers", ())]
                named = {name for name, _ in own}
                message["headers"] = [*own, *(header for header in HEADERS if header[0] not in named)]
            await send(message)

        try:
            if len(scope.get("query_string", b"")) > LONGEST_QUERY or len(scope["path"]) > LONGEST_PATH:
                await refuse_long(with_headers)
            else:
                await self._app(scope, receive, with_headers)
        finally:
            if _LOG.isEnabledFor(logging.INFO):
                path = scope["path"][:LONGEST_PATH].encode("ascii", "backslashreplace").decode()
                ms = (perf_counter() - began) * KILO
                _LOG.info("%s %s %d %.1f ms", scope["method"], path.replace("\n", ""), status, ms)


async def refuse_long(send: Send) -> None:
    """The answer to an address that is too long."""
    body = b'{"schema":"peakwise.error/1","error":{"kind":"input","message":"the address is too long","where":"query",'
    body += b'"got":"","expected":"at most 128 kB","hint":"send it by POST"},"errors":[]}'
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 414, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def base_of(scheme: str, host: str) -> str:
    """Scheme and host of a request's own address; a host that is none is left out."""
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else ""
