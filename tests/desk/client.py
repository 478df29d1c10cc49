"""A client of a desk that speaks HTTP as a browser does, or as an attacker would."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

from fairdeal.cli.desk.desk_server import SessionKeys, make_server
from fairdeal.cli.desk.desk_state import DeskSettings

BOUNDARY = "----------------------------fairdeal"
Files = Sequence[tuple[str, str | Path | bytes]]


@dataclass(frozen=True)
class Answer:
    """Answer of the server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def plain(self) -> str:
        """Text of a page without its tags."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.text)).split())

    @property
    def location(self) -> str:
        assert self.status == 303, self.plain[:2000]
        return self.headers["location"]


@dataclass
class RunningDesk:
    """Desk that listens on a port of this machine, and a client with its cookie."""

    settings: DeskSettings
    keys: SessionKeys
    cookie: str = field(init=False)

    def __post_init__(self) -> None:
        self.cookie = f"{self.keys.cookie}={self.keys.session}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.settings.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def send(
        self, method: str, path: str, headers: Mapping[str, str | None] | None = None, body: bytes | None = None
    ) -> Answer:
        """Send a request; a header that is None is left out."""
        sent: dict[str, str | None] = {"Host": self.host, "Cookie": self.cookie, "Origin": self.origin}
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.settings.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        connection.close()
        return answer

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.send("GET", path, headers)

    def post(self, path: str, fields: Mapping[str, str] | None = None, **headers: str | None) -> Answer:
        body = urlencode(fields or {}).encode()
        return self.send("POST", path, {"Content-Type": "application/x-www-form-urlencoded", **headers}, body)

    def upload(
        self, path: str, files: Files, fields: Mapping[str, str] | None = None, *, name_of_files: str = "files"
    ) -> Answer:
        parts = [
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in (fields or {}).items()
        ]
        for name, content in files:
            data = content if isinstance(content, bytes) else Path(content).read_bytes()
            quoted = name.replace("\\", "\\\\").replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
            head = f'Content-Disposition: form-data; name="{name_of_files}"; filename="{quoted}"'
            kind = "Content-Type: application/octet-stream"
            parts.append(f"--{BOUNDARY}\r\n{head}\r\n{kind}\r\n\r\n".encode() + data + b"\r\n")
        body = b"".join((*parts, f"--{BOUNDARY}--\r\n".encode()))
        return self.send("POST", path, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}, body)

    def finish(self, page: str) -> Answer:
        """Wait until a run is over, and return its page."""
        end = time.monotonic() + 60
        while self.get(f"{page}/progress").status == 200:
            assert time.monotonic() < end
            time.sleep(0.05)
        return self.get(page)

    def audit(self, *paths: Path, **fields: str) -> str:
        """Upload files, wait until they are evaluated, and return the address of the run."""
        page = self.upload("/audits", [(path.name, path) for path in paths], fields).location
        self.finish(page)
        return page


def read_fields(page: str, form: str = 'id="draft-form"') -> list[tuple[str, str]]:
    """Return the names and values that a browser sends for a form as it is; `form` is a part of its tag."""
    page = page[page.index(form) : page.index("</form>", page.index(form))]
    fields: list[tuple[str, str]] = []
    for match in re.finditer(r"<input[^>]*>|<select.*?</select>|<textarea.*?</textarea>", page, re.DOTALL):
        tag = match[0]
        name = re.search(r'name="([^"]*)"', tag)
        if name is None or ('type="checkbox"' in tag and " checked" not in tag):
            continue
        if tag.startswith("<select"):
            chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', tag)
            first = re.search(r'<option(?: value="([^"]*)")?>([^<]*)', tag)
            option = chosen or first
            value = "" if option is None else option[2] if option[1] is None else option[1]
        elif tag.startswith("<textarea"):
            value = tag[tag.index(">") + 2 : tag.rindex("<")]
        else:
            given = re.search(r'value="([^"]*)"', tag)
            value = "" if given is None else given[1]
        fields.append((unescape(name[1]), unescape(value)))
    return fields


class DeskThread:
    """Server of a desk in a thread."""

    def __init__(self, home: Path, **options: object) -> None:
        home.mkdir(exist_ok=True)
        self._socket = socket.create_server(("127.0.0.1", 0))
        port = self._socket.getsockname()[1]
        settings = DeskSettings(home=home, port=port, **options)  # type: ignore[arg-type]
        self.keys = SessionKeys(port)
        self._server = make_server(settings, self.keys)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self.desk = RunningDesk(settings, self.keys)

    def __enter__(self) -> RunningDesk:
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)
        return self.desk

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        self._socket.close()
        assert not self._thread.is_alive()
