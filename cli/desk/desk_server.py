"""Server of the desk: its routes, its start and its end, and which requests it answers.

A page on another site can make a browser send requests to this server. So each request must name a known host and
carry the cookie of the session. A request that may change something must also come from a page of this server.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fairdeal.cli.desk import audit_pages, desk_pages, finding_pages, rule_pages, table_pages
from fairdeal.cli.desk.desk_state import LOOPBACK, MAX_FORM_BYTES, Desk, DeskSettings
from fairdeal.cli.desk.drafts import submission_pages
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy of the pages: no inline script or style, nothing from elsewhere."""
SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Without a referrer, browsers send `Origin: null` with the forms of our own pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every response that sets none of its own."""
UPLOADS = frozenset({"/audits", "/submissions/open"})
"""Paths that take uploads."""
TRIALS = "/try/"
"""Start of the paths whose POST requests change nothing."""

_LONGEST_PATH = 1_000
_DRAINED = 64 << 20
"""Bytes of a refused request that are read, so that the browser shows the answer."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOCAL_NAMES = frozenset({LOOPBACK, "localhost", "::1"})
_WELCOME = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>fairdeal</title>'
    '<meta http-equiv="refresh" content="0; url=/"></head><body><p><a href="/">Open the desk</a></p></body></html>'
)


class SessionKeys:
    """Secrets of one run of the server: one in its first address, another in the cookie."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.cookie = f"fairdeal-desk-{port}"

    def is_token(self, text: str) -> bool:
        """Return whether a text is the token of the first address."""
        return hmac.compare_digest(text.encode(), self.token.encode())

    def has_session(self, headers: Headers) -> bool:
        """Return whether a request carries the cookie of the session."""
        for header in headers.getlist("cookie"):
            for part in header.split(";"):
                name, _, value = part.strip().partition("=")
                if name == self.cookie and hmac.compare_digest(value.encode(), self.session.encode()):
                    return True
        return False


class AccessControl:
    """Middleware that refuses requests of other hosts, pages and users, and bounds those of the user."""

    def __init__(self, app: ASGIApp, settings: DeskSettings, keys: SessionKeys) -> None:
        self._app = app
        self._settings = settings
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refuse(scope)
        if refusal is not None:
            if refusal.status_code == 413:
                await _drain(receive)
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, _limit_body(receive, self._find_limit(scope)), send_with_headers)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on; None for one that is."""
        headers = Headers(scope=scope)
        if not self._knows_host(headers):
            return _answer(421, "this server answers only under the address that it printed")
        if len(scope["raw_path"]) > _LONGEST_PATH:
            return _answer(414, "this address is too long")
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _answer(405, "only GET and POST requests are answered")
        if scope["method"] == "POST" and not self._is_from_own_page(headers):
            return _answer(403, "this request comes from a page of another site, and was refused")
        if scope["path"] == "/" and scope["method"] == "GET":
            for text in parse_qs(scope["query_string"].decode("latin-1")).get("token", ()):
                if self._keys.is_token(text):
                    return self._welcome()
        if not self._keys.has_session(headers):
            return _answer(403, "open the address that `fairdeal serve` printed; it lets this browser in")
        if scope["method"] == "POST" and self._settings.is_read_only and not scope["path"].startswith(TRIALS):
            return _answer(403, "this desk is read-only: nothing can be changed")
        length = headers.get("content-length", "0")
        if scope["method"] == "POST" and int(length if length.isdecimal() else 0) > self._find_limit(scope):
            return _answer(413, f"this is more than {_format_limit(self._find_limit(scope))}, the limit of an upload")
        return None

    def _knows_host(self, headers: Headers) -> bool:
        named = headers.getlist("host")
        if len(named) != 1:
            return False
        try:
            address = urlsplit(f"//{named[0]}")
            host, port = address.hostname, address.port
        except ValueError:
            return False
        if host is None or address.path or address.query or address.username is not None:
            return False
        if host in self._settings.allowed_hosts:
            return True
        return host in _LOCAL_NAMES and (80 if port is None else port) == self._settings.port

    def _is_from_own_page(self, headers: Headers) -> bool:
        """Return whether a request comes from a page of this server: browsers state where each POST comes from."""
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        origins = headers.getlist("origin")
        if len(origins) != 1:
            return False
        try:
            origin = urlsplit(origins[0])
            host = urlsplit(f"//{headers['host']}")
            default = _DEFAULT_PORTS.get(origin.scheme)
            ports = (origin.port or default, host.port or default)
        except ValueError:
            return False
        # Only a reverse proxy, whose name is configured, adds TLS.
        is_known = origin.scheme == "http" or origin.hostname in self._settings.allowed_hosts
        return default is not None and is_known and origin.hostname == host.hostname and ports[0] == ports[1]

    def _welcome(self) -> Response:
        """Return the page that sets the cookie; it leads on itself, as a redirect would not carry a strict cookie."""
        response = HTMLResponse(_WELCOME)
        response.set_cookie(self._keys.cookie, self._keys.session, httponly=True, samesite="strict", path="/")
        return response

    def _find_limit(self, scope: Scope) -> int:
        return self._settings.max_upload if scope["path"] in UPLOADS else MAX_FORM_BYTES


def _answer(status: int, text: str) -> Response:
    return PlainTextResponse(f"fairdeal: {text}\n", status_code=status)


def _format_limit(limit: int) -> str:
    return f"{limit >> 20:,} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"


async def _drain(receive: Receive) -> None:
    """Read the rest of a request that is refused."""
    drained = 0
    while drained < _DRAINED:
        message = await receive()
        drained += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _limit_body(receive: Receive, limit: int) -> Receive:
    """Return a receiver that raises HTTPException once a body exceeds its limit, whatever its stated length is."""
    read = 0

    async def receive_bounded() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise HTTPException(413, f"this is more than {_format_limit(limit)}, the limit of a request")
        return message

    return receive_bounded


ROUTES = (
    Route("/static/{name}", desk_pages.send_static),
    Route("/favicon.ico", desk_pages.send_nothing),
    *audit_pages.ROUTES,
    *table_pages.ROUTES,
    *finding_pages.ROUTES,
    *submission_pages.ROUTES,
    *rule_pages.ROUTES,
)
"""Routes of all pages."""

_CONNECTIONS = 64
_SECONDS_TO_END = 3


def build_application(desk: Desk, keys: SessionKeys) -> ASGIApp:
    """Return the application of a desk, behind its access control."""

    @asynccontextmanager
    async def run_queue(_: Starlette) -> AsyncIterator[None]:
        desk.queue.start()
        threading.Thread(target=desk.warm_up, name="warm-up", daemon=True).start()
        try:
            yield
        finally:
            desk.queue.stop()

    application = Starlette(
        routes=list(ROUTES),
        lifespan=run_queue,
        exception_handlers={
            HTTPException: desk_pages.show_http_error,
            InputError: desk_pages.show_input_error,
            Exception: desk_pages.show_internal_error,
        },
    )
    application.state.desk = desk
    return AccessControl(application, desk.settings, keys)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

    Raises:
        InputError: if the address cannot be used.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        message = f"the server cannot listen on {host}, port {port}: {error}"
        raise InputError((Diagnostic(code="address", message=message, help="name another with --port"),)) from error


def make_server(settings: DeskSettings, keys: SessionKeys) -> uvicorn.Server:
    """Return a server of a desk that is not started yet."""
    application = build_application(Desk(settings), keys)
    desk_pages.warm_up_templates()
    configuration = uvicorn.Config(
        application,
        lifespan="on",
        ws="none",
        http="h11",
        loop="asyncio",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    return uvicorn.Server(configuration)


def serve_desk(settings: DeskSettings, listening: socket.socket, announce: Callable[[str], object]) -> None:
    """Serve a desk until a signal ends it.

    Args:
        listening: socket of the address in the settings.
        announce: called with the first address, once per start.
    """
    keys = SessionKeys(settings.port)
    server = make_server(settings, keys)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    announce(f"http://{host}:{settings.port}/?token={keys.token}")
    server.run(sockets=[listening])
