"""Server of the desk: its routes, its start and its end."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from fairdeal.cli.desk import audit_pages, desk_pages, finding_pages, rule_pages
from fairdeal.cli.desk.access_control import AccessControl, SessionKeys
from fairdeal.cli.desk.desk_settings import DeskSettings
from fairdeal.cli.desk.desk_state import Desk
from fairdeal.cli.desk.drafts import submission_pages
from fairdeal.cli.desk.scenarios import scenario_pages
from fairdeal.cli.desk.tables import table_pages
from fairdeal.validator.text.diagnostics import Diagnostic, InputError

ROUTES = (
    Route("/static/{name}", desk_pages.send_static),
    Route("/favicon.ico", desk_pages.send_nothing),
    *audit_pages.ROUTES,
    *table_pages.ROUTES,
    *finding_pages.ROUTES,
    *submission_pages.ROUTES,
    *rule_pages.ROUTES,
    *scenario_pages.ROUTES,
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
