"""Rendering of pages: templates, style sheet, script, and the parts that all pages share."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from shlex import quote
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup, escape
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fairdeal.cli.desk.desk_state import MAX_FORM_BYTES, Desk
from fairdeal.cli.desk.desk_store import Run
from fairdeal.validator.reports.html.html_pages import build_environment, load_page_style
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, render_diagnostic, sanitize

MAX_FIELDS = 5_000
"""Limit of the fields of a form."""
SECTIONS = (("/", "Audits"), ("/submissions", "Submissions"), ("/rulebook", "Rulebook"))
"""Sections of the navigation."""


@cache
def build_page_environment() -> Environment:
    """Return the templates of the desk, on top of those of the report, with their filters and globals."""
    reports = build_environment()
    loader = ChoiceLoader([PackageLoader("fairdeal.cli.desk"), PackageLoader("fairdeal.validator.reports.html")])
    environment = reports.overlay(loader=loader)
    environment.filters.update(code=mark_code, exact=keep_exact, lines=show_lines, shell=quote_word, size=format_size)
    return environment


def warm_up_templates() -> None:
    """Compile the templates of the first page, so that its first user need not wait for it."""
    build_page_environment().get_template("audits.html.j2")
    for name in STATIC_TYPES:
        find_static_version(name)


def keep_exact(value: object) -> Markup:
    """Return a value for an attribute or an input, escaped but with its invisible characters."""
    return escape(value)


_CODE = re.compile("`([^`]*)`")


def mark_code(text: str) -> Markup:
    """Return a text with the words in backquotes as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(sanitize(text)))))


def show_lines(text: str) -> Markup:
    """Return a text of several lines, with its invisible characters made visible."""
    return Markup("\n").join(escape(sanitize(line)) for line in text.split("\n"))


def quote_word(word: str) -> str:
    """Return a word as a shell takes it."""
    return quote(word)


@cache
def load_static(name: str) -> bytes:
    """Return a static file; the style sheet begins with that of the report.

    Raises:
        FileNotFoundError: if there is no such file.
    """
    text = files("fairdeal.cli.desk").joinpath("static", name).read_text(encoding="utf-8")
    return (f"{load_page_style()}\n{text}" if name == "desk.css" else text).encode()


STATIC_TYPES = {"desk.css": "text/css; charset=utf-8", "desk.js": "text/javascript; charset=utf-8"}
"""Static files with their types."""


@cache
def find_static_version(name: str) -> str:
    """Return the start of the hash of a static file."""
    return sha256(load_static(name)).hexdigest()[:12]


def send_static(request: Request) -> Response:
    """Answer with a static file."""
    name = request.path_params["name"]
    if name not in STATIC_TYPES:
        raise HTTPException(404)
    is_current = request.query_params.get("v") == find_static_version(name)
    caching = "private, max-age=31536000, immutable" if is_current else "no-cache"
    return Response(load_static(name), media_type=STATIC_TYPES[name], headers={"cache-control": caching})


def send_nothing(_: Request) -> Response:
    """Answer a browser that looks for an icon."""
    return Response(status_code=204)


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Answer with a page."""
    desk = get_desk(request)
    page = build_page_environment().get_template(template)
    shared = {
        "path": request.url.path,
        "sections": SECTIONS,
        "is_read_only": desk.settings.is_read_only,
        "style_version": find_static_version("desk.css"),
        "script_version": find_static_version("desk.js"),
    }
    return HTMLResponse(page.render(**shared, **values), status_code=status)


def take_form(handle: Callable[[Request, FormData], Response]) -> Callable[[Request], Any]:
    """Return an endpoint that reads a form and handles it in a thread."""

    async def answer(request: Request) -> Response:
        async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_FORM_BYTES) as form:
            return await run_in_threadpool(handle, request, form)

    answer.__name__ = handle.__name__
    return answer


def get_desk(request: Request) -> Desk:
    """Return the desk that a request is for."""
    desk: Desk = request.app.state.desk
    return desk


def redirect(path: str) -> Response:
    """Answer a POST request by leading to a page of this server."""
    return RedirectResponse(path, status_code=303)


def get_number(request: Request, name: str) -> int:
    """Return a number in a path. Raises HTTPException for one that is too large for any record."""
    number: int = request.path_params[name]
    if number >= 1 << 60:
        raise HTTPException(404)
    return number


_TITLES = {
    400: "This request could not be read",
    403: "This is not permitted",
    404: "There is no such page",
    405: "This is not permitted",
    409: "This was changed elsewhere",
    413: "This upload is too large",
}


def show_http_error(request: Request, error: Exception) -> Response:
    """Answer with the page of an HTTP error."""
    assert isinstance(error, HTTPException)
    detail = error.detail if error.detail != HTTPException(error.status_code).detail else ""
    title = _TITLES.get(error.status_code, "This did not work")
    return render(request, "problem.html.j2", status=error.status_code, title=title, details=[detail] if detail else [])


def show_input_error(request: Request, error: Exception) -> Response:
    """Answer with the page of an input that cannot be read."""
    assert isinstance(error, InputError)
    shown = [render_problem(wrong) for wrong in error.diagnostics]
    return render(request, "problem.html.j2", status=422, title="This could not be read", details=shown)


def show_internal_error(request: Request, error: Exception) -> Response:
    """Answer with the page of a fault of the program."""
    details = [f"{type(error).__name__}: {error}", "This is a fault of fairdeal. Nothing was changed."]
    return render(request, "problem.html.j2", status=500, title="This did not work", details=details)


def render_problem(wrong: Diagnostic) -> str:
    """Return a diagnostic as plain text."""
    return render_diagnostic(wrong, color=False)


def format_size(size: int) -> str:
    """Return a number of bytes with a unit."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:,} {unit}"
        size = -(-size // 1024)
    return f"{size:,} GiB"


def find_run(request: Request) -> Run:
    """Return the run that a path names. Raises HTTPException if there is none."""
    run = get_desk(request).store.find_run(get_number(request, "run"))
    if run is None:
        raise HTTPException(404, "there is no such run; it may have been removed")
    return run


def list_files(folder: Path) -> list[tuple[str, int]]:
    """Return the names and sizes of the uploaded files of a run, by name."""
    with suppress(FileNotFoundError):
        return sorted((path.name, path.stat().st_size) for path in folder.iterdir())
    return []
