"""Commands on a Python that lacks what Windows or macOS lack: they give the same results.

A `sitecustomize` removes the names before the program, or a process that it starts, imports anything.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.facade.commands import ROOT
from tests.facade.demo import DEMO

WITHOUT = """
import os, select, signal, sys

for name in {os_names}:
    delattr(os, name)
os.supports_fd.discard(os.chmod)
for name in {signal_names}:
    delattr(signal, name)
for name in {modules}:
    sys.modules[name] = None

# Libraries learn here for which system they were built. The program learns the simulated one.
import click, jinja2, msgspec, numpy, pyarrow.parquet, pydantic, ruamel.yaml, xlsxwriter, yaml
import sysconfig; sysconfig.get_config_vars()
import ctypes.util, multiprocessing.connection, multiprocessing.popen_spawn_posix, multiprocessing.resource_tracker
import sqlite3, subprocess, tempfile, unittest.mock, zipfile

sys.platform = {platform!r}
"""

LACKS: dict[str, dict[str, tuple[str, ...]]] = {
    "win32": {
        "os_names": (
            *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_TMPFILE", "O_CLOEXEC", "O_SYNC"),
            *("fork", "forkpty", "register_at_fork", "getuid", "geteuid", "getgid", "getpgid", "killpg", "setsid"),
            *("fchmod", "fchown", "chown", "mkfifo", "mknod", "sync", "fdatasync", "sysconf"),
            *("sched_getaffinity", "pread", "pwrite", "statvfs", "ttyname", "openpty"),
        ),
        "signal_names": ("SIGHUP", "SIGPIPE", "SIGALRM", "SIGKILL", "SIGUSR1", "setitimer", "ITIMER_REAL", "alarm"),
        "modules": ("resource", "fcntl", "pwd", "grp", "termios", "pty", "readline", "syslog"),
    },
    "darwin": {
        "os_names": ("O_TMPFILE", "sched_getaffinity", "memfd_create", "fdatasync", "posix_fallocate", "pipe2"),
        "signal_names": (),
        "modules": (),
    },
}
"""Names that a Python on each system lacks compared with one on Linux, by the documentation of Python."""

SMALL_BLOCKS = """
import sys
from fairdeal.validator.evidence.hand_log import HandLog
HandLog.__init__.__kwdefaults__["block_bytes"] = 60_000
import json
from tests.facade.commands import run
ended = [run(*command) for command in json.loads(sys.argv[1])]
print(json.dumps([(command.code, command.text, command.err) for command in ended]))
"""
"""Several commands, which split even a short log into parts for several processes."""


def run_on(home: Path | None, folder: Path, commands: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Run commands with the `sitecustomize` of a folder; return the exit code of each and what it printed."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(str(path) for path in (home, ROOT) if path is not None)
    command = [sys.executable, "-c", SMALL_BLOCKS, json.dumps([*commands.values()])]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(zip(commands, json.loads(done.stdout), strict=True))


def write_outputs(home: Path | None, folder: Path, *, jobs: str) -> dict[str, object]:
    """Return what a check, an audit, a report and a conversion print and write."""
    folder.mkdir()
    submission, waivers = str(DEMO / "submission.yaml"), str(DEMO / "waivers.yaml")
    saved = ("-o", "json:results.json", "-o", "xlsx:out/findings.xlsx", "-o", "sqlite:out/findings.db")
    commands = {
        "version": ["--version"],
        "check": ["check", submission, "--waivers", waivers, "-o", "text", "-o", "html:check.html"],
        "audit": [
            *("audit", str(DEMO / "hand-log.jsonl"), "--submission", submission, "--jobs", jobs),
            *("--checkpoint", "kept", "-o", "text", *saved),
        ],
        "report": ["report", "results.json", "-o", "html:report.html", "-o", "markdown"],
        "convert": ["convert", str(DEMO / "hand-log.jsonl"), "-o", "store"],
    }
    outputs = run_on(home, folder, commands)
    outputs |= {name: (folder / name).read_bytes() for name in ("check.html", "results.json", "report.html")}
    outputs["kept"] = sorted(path.name for path in (folder / "kept").iterdir())
    outputs["files"] = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.is_file())
    return outputs


@pytest.fixture(scope="module", name="expected")
def write_expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Return the outputs of the Python that runs the tests, as it is."""
    return write_outputs(None, tmp_path_factory.mktemp("whole") / "run", jobs="1")


@pytest.mark.parametrize("platform", sorted(LACKS))
def test_commands_give_the_same_where_the_system_lacks_names(
    platform: str, expected: dict[str, object], tmp_path: Path
) -> None:
    lacking = {key: [name for name in names if is_present(key, name)] for key, names in LACKS[platform].items()}
    home = tmp_path / "home"
    home.mkdir()
    (home / "sitecustomize.py").write_text(WITHOUT.format(platform=platform, **lacking))
    # Python starts processes on Windows in a way that it lacks here, so one process does everything there.
    found = write_outputs(home, tmp_path / "run", jobs="1" if platform == "win32" else "2")
    assert found == expected
    assert len(json.loads((tmp_path / "run" / "results.json").read_bytes())["findings"]) > 10
    assert len(list((tmp_path / "run" / "kept").iterdir())) > 2  # there are several parts


def is_present(key: str, name: str) -> bool:
    """Return whether this Python has a name, so that it can be removed."""
    return key == "modules" or hasattr(sys.modules[key.removesuffix("_names")], name)
