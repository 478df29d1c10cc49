"""Requests of other hosts, pages and users are refused; those of the user are bounded."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fairdeal.cli.desk.desk_server import ROUTES
from tests.desk.client import DeskThread, RunningDesk


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example:{port}",
        "x@127.0.0.1:{port}",
    ],
)
def test_other_hosts_are_refused(desk: RunningDesk, host: str) -> None:
    """A rebound name of an attacker leads to this server, but its host is not ours."""
    answer = desk.get("/", Host=host.format(port=desk.settings.port))
    assert answer.status == 421
    assert "set-cookie" not in answer.headers


def test_a_request_with_two_hosts_is_refused(desk: RunningDesk) -> None:
    with socket.create_connection(("127.0.0.1", desk.settings.port)) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {desk.host}\r\nHost: evil.example\r\n\r\n".encode())
        assert connection.recv(100).split()[1] in (b"400", b"421")


def test_only_browsers_with_the_cookie_are_let_in(desk: RunningDesk) -> None:
    for cookie in (None, "", f"{desk.keys.cookie}=", f"{desk.keys.cookie}={desk.keys.token}", "a=b"):
        answer = desk.get("/", Cookie=cookie)
        assert answer.status == 403
        assert desk.keys.token not in answer.text
    assert desk.get("/?token=wrong", Cookie=None).status == 403
    assert desk.get(f"/runs/1?token={desk.keys.token}", Cookie=None).status == 403
    welcome = desk.get(f"/?token={desk.keys.token}", Cookie=None)
    assert welcome.status == 200
    cookie = welcome.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert desk.get("/", Cookie=cookie.partition(";")[0]).status == 200


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1", "https://{host}", "http://{host}.evil.example", ""],
)
def test_posts_of_other_pages_are_refused(desk: RunningDesk, origin: str | None) -> None:
    stated = None if origin is None else origin.format(host=desk.host)
    for path in ("/audits", "/runs/1/remove", "/try/submission"):
        assert desk.post(path, Origin=stated).status == 403
    same = {"Sec-Fetch-Site": "cross-site"}
    assert desk.send("POST", "/audits", same, b"").status == 403


def test_no_get_changes_anything(desk: RunningDesk) -> None:
    """Each route takes either GET or POST, and whatever starts, saves or removes takes POST."""
    for route in ROUTES:
        assert {"GET", "POST"} - (route.methods or set()) in ({"GET"}, {"POST"})
        name = route.endpoint.__name__
        changes = not name.startswith(("show_", "send_"))
        assert changes == (route.methods == {"POST"}), name


@pytest.mark.parametrize(
    "path", [f"/runs/{'9' * 5_000}", f"/runs/{'9' * 100}", "/%00", "/..%2f..%2fetc/passwd", "//evil"]
)
def test_no_address_gives_an_internal_error(desk: RunningDesk, path: str) -> None:
    assert desk.get(path).status in (404, 414)


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=b", "text/plain", ""])
@pytest.mark.parametrize("body", [b"", b"--b", b"--b\r\n\r\n", b"\0" * 100, b"a=%zz&a;b&&="])
def test_no_body_gives_an_internal_error(desk: RunningDesk, kind: str, body: bytes) -> None:
    for path in ("/audits", "/submissions/new", "/submissions/open", "/try/scenario", "/runs/1/findings/1/review"):
        assert desk.send("POST", path, {"Content-Type": kind or None}, body).status in (400, 404, 409, 422), path


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(desk: RunningDesk, method: str) -> None:
    assert desk.send(method, "/").status == 405


def test_every_answer_has_the_security_headers(desk: RunningDesk, poker_run: str) -> None:
    asked = [
        "/",
        poker_run,
        "/nowhere",
        "/static/desk.css",
        "/static/desk.js",
        "/static/..%2fdesk_server.py",
        "/runs/0",
    ]
    for path in [*asked, f"{poker_run}/report", f"{poker_run}/export/letter", f"{poker_run}/export/csv"]:
        headers = desk.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "server" not in headers
        assert path.startswith("/static/") or headers["cache-control"] == "no-store"
    assert desk.get("/", Cookie=None).headers["x-content-type-options"] == "nosniff"


def test_uploads_are_bounded(desk: RunningDesk) -> None:
    large = b"x" * (desk.settings.max_upload + 1)
    assert desk.upload("/audits", [("log.jsonl", large)]).status == 413
    chunked = {"Transfer-Encoding": "chunked", "Content-Type": "multipart/form-data; boundary=b"}
    with socket.create_connection(("127.0.0.1", desk.settings.port)) as connection:
        head = {"Host": desk.host, "Origin": desk.origin, "Cookie": desk.cookie, **chunked}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        connection.sendall(f"POST /audits HTTP/1.1\r\n{lines}\r\n".encode())
        part = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.jsonl"\r\n\r\n'
        connection.sendall(b"%x\r\n%b\r\n" % (len(part), part))
        try:
            for _ in range(12):
                connection.sendall(b"%x\r\n%b\r\n" % (1 << 20, b"y" * (1 << 20)))
        except OSError:
            pass
        assert connection.recv(100).split()[1] == b"413"
    many = [(f"{number}.jsonl", b"{}") for number in range(501)]
    assert desk.upload("/audits", many).status == 400
    runs = desk.settings.home / "runs"
    assert all((folder / "evidence").is_dir() for folder in runs.iterdir())


def test_a_log_that_unpacks_to_too_much_is_refused(desk: RunningDesk) -> None:
    import gzip

    packed = gzip.compress(b"\n" * (desk.settings.max_unpacked + 1))
    before = set((desk.settings.home / "runs").iterdir())
    answer = desk.upload("/audits", [("log.jsonl.gz", packed)])
    assert answer.status == 422
    assert "unpacks to more than" in answer.plain
    assert set((desk.settings.home / "runs").iterdir()) == before


def test_a_read_only_desk_permits_no_change(tmp_path: Path, poker_run: str, desk: RunningDesk) -> None:
    with DeskThread(tmp_path / "home", is_read_only=True) as quiet:
        assert quiet.get("/").status == 200
        assert "<form" not in quiet.get("/").text
        for route in ROUTES:
            if "POST" in (route.methods or ()) and not route.path.startswith("/try/"):
                path = route.path
                for name in route.param_convertors:
                    path = path.replace(f"{{{name}:int}}", "1").replace(f"{{{name}}}", "x")
                assert quiet.post(path).status == 403, path
