"""A cluster that the command starts on this machine serves nobody else."""

from __future__ import annotations

import http.client
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.audit.sockets import find_listening, is_loopback
from tests.facade.commands import ROOT, run

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks at /proc")

LOG = "clean.jsonl"


@contextmanager
def auditing(*options: str, environment: dict[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run an audit whose log does not end while the context lasts; it must then find what one process finds."""
    command = [
        sys.executable,
        "-m",
        "fairdeal.cli.main",
        "audit",
        "-",
        "-s",
        "house.yaml",
        "-q",
        "-o",
        "json",
        "-j",
        "1",
    ]
    with subprocess.Popen(
        [*command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    ) as started:
        try:
            yield started
            out, err = started.communicate(Path(LOG).read_bytes(), timeout=120)
        finally:
            started.kill()
    local = run("audit", "-", "-s", "house.yaml", "-q", "-o", "json", "-j", "1", stdin=Path(LOG).read_bytes())
    assert (started.returncode, out) == (local.code, local.out), err


def wait_for(is_done: Callable[[], bool], started: subprocess.Popen[bytes], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        assert started.poll() is None, started.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.1)


def find_answering(addresses: Iterable[str]) -> list[str]:
    """Return the addresses that answer a client which has not the key of their cluster."""
    command = [sys.executable, "-m", "tests.audit.other_client", *addresses]
    called = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert called.returncode == 0, called.stderr.decode()
    return called.stdout.decode().split()


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_a_dask_cluster_of_the_run_refuses_other_clients(scratch: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'fairdeal[dask]'")
    with auditing("--engine", "dask", environment={"TMPDIR": str(scratch)}) as started:
        # The scheduler, a nanny and a worker, and the web servers of two.
        wait_for(lambda: len(find_listening(started.pid)) == 5, started)
        ports = find_listening(started.pid)
        assert all(is_loopback(address) for address, _ in ports)
        assert find_answering(f"{by}://127.0.0.1:{port}" for _, port in ports for by in ("tcp", "tls")) == []
        for _, port in ports:
            for page in ("/", "/info/main/workers.html", "/json/identity.json", "/metrics", "/health"):
                assert _fetch(port, page) in {404, None}
        (folder,) = scratch.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(scratch.iterdir()) == []


def test_a_dask_cluster_without_a_key_answers_any_client() -> None:
    """The attempt that must fail above succeeds where it can."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'fairdeal[dask]'")
    with distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", processes=True) as cluster:
        address = cluster.scheduler_address
        assert find_answering([address]) == [address]


def _fetch(port: int, page: str) -> int | None:
    """Return the status that a web server answers with, or None if none answers."""
    with (
        closing(http.client.HTTPConnection("127.0.0.1", port, timeout=2)) as connection,
        suppress(OSError, http.client.HTTPException),
    ):
        connection.request("GET", page)
        with connection.getresponse() as response:
            return response.status
    return None
