"""Runs that are killed or stopped, full disks, too little memory: outputs are whole, and the system is named."""

from __future__ import annotations

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import fairdeal.cli.check_command
from fairdeal.validator.audit.run import finding_store, run_engines
from fairdeal.validator.audit.run.audit_merge import AuditMerger
from fairdeal.validator.audit.run.audit_plan import build_audit_plan
from fairdeal.validator.audit.run.log_parts import LogEnd, LogPart
from fairdeal.validator.evidence.jsonl.line_blocks import RefusedLine
from fairdeal.validator.text.source import write_atomically
from tests.facade.commands import run
from tests.facade.demo import DEMO, GAME, demo_submission
from tests.facade.evidence import HandLog
from tests.facade.results import Quarantined
from tests.facade.rules import Rulebook
from tests.facade.text import Diagnostic, InputError

LOG = DEMO / "hand-log.jsonl"
WRITING = {
    "check": "check house.yaml -o json:out",
    "audit": f"audit {LOG} -s house.yaml -o html:out",
    "report": "report saved.json -o text:out",
    "lines": f"simulate {GAME} --rounds 100 --seed 1 -o out",
    "parquet": f"simulate {GAME} --rounds 100 --seed 1 -o out.parquet",
    "packed": f"simulate {GAME} --rounds 200 --seed 1 -o out.gz",
    "submission": f"simulate {GAME} --rounds 1 --seed 1 -o /dev/null --write-submission out",
}


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "house.yaml").write_text(demo_submission())
    (place / "saved.json").write_bytes(run("check", "house.yaml", "-o", "json").out)


@contextmanager
def small_files() -> Iterator[None]:
    """While it lasts no file grows beyond 1,000 bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_the_old_file(name: str, there: bool) -> None:
    command = WRITING[name].split()
    output = Path(command[-1].rpartition(":")[2])
    if there:
        output.write_text("old")
    before = sorted(Path().iterdir())
    with small_files():
        ended = run(*command)
    assert ended.code == 3
    assert "error[not-written]: this output cannot be written: file too large\n" in ended.err
    assert sorted(Path().iterdir()) == before
    if there:
        assert output.read_text() == "old"
    assert run(*command).code in (0, 1, 4)
    assert output.read_bytes()[:3] != b"old"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("nameless", [True, False])
def test_a_killed_run_leaves_the_old_file(there: bool, nameless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not nameless:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    Path("kept").mkdir()
    output = Path("kept/out")
    if there:
        output.write_text("old")
    child = os.fork()
    if not child:
        with write_atomically(output) as stream:
            stream.write(b"new" * 100_000)
            stream.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    found = [path.name for path in Path("kept").iterdir() if not path.name.startswith(".fairdeal-")]
    assert found == ["out"] * there
    assert not nameless or len(list(Path("kept").iterdir())) == there
    with write_atomically(output) as stream:
        stream.write(b"new")
    assert output.read_bytes() == b"new"


def test_links_stay_and_modes_are_kept() -> None:
    Path("out").write_text("old")
    Path("out").chmod(0o640)
    Path("link").symlink_to("out")
    assert run("check", "house.yaml", "-o", "json:link").code == 1
    assert Path("link").is_symlink()
    assert Path("out").stat().st_mode & 0o777 == 0o640
    os.umask(umask := os.umask(0))
    assert run("check", "house.yaml", "-o", "json:new").code == 1
    assert Path("new").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize(
    "command",
    [
        "check house.yaml -o json:twin",
        "check house.yaml -o json:to-twin",
        f"audit {LOG} -s house.yaml -o json:twin",
        f"simulate {GAME} --rounds 1 --seed 1 -s house.yaml -o twin",
        f"simulate {GAME} --rounds 1 --seed 1 -s house.yaml -o new --write-submission twin",
        "check house.yaml twin",
        "check plain.yaml -o json:house.yaml -o html:twin",
        "check house.yaml --rules rules -o json:rules/game/game.yaml",
        "check house.yaml --rules rules -o json:to-rule",
    ],
)
def test_a_file_is_the_same_under_all_its_names(command: str) -> None:
    os.link("house.yaml", "twin")
    Path("to-twin").symlink_to("twin")
    Path("plain.yaml").write_text(demo_submission())
    Path("rules/game").mkdir(parents=True)
    for name in ("document", "game"):
        Path(f"rules/game/{name}.yaml").write_text("{}")
    Path("to-rule").symlink_to("rules/game/game.yaml")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    finished = run(*command.split())
    assert (finished.code, finished.out) == (2, b"")
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def run_in_process(*command: str | Path) -> tuple[int, str]:
    """Run a command line in this process and return how it ends, without raising faults of the program."""
    finished = run(*command)
    assert "bug in fairdeal" not in finished.err
    return finished.code, finished.err


def test_a_temporary_folder_that_is_full_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_store, "FINDINGS_IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    code, said = run_in_process("audit", LOG, "-s", "house.yaml", "-o", "json:out.json", "-j", "1")
    assert code == 3
    assert said.startswith(
        "error[no-room]: the temporary folder /proc/nowhere cannot be used: no such file or directory\n"
    )
    assert "TMPDIR" in said
    assert not Path("out.json").exists()


def test_too_little_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(fairdeal.cli.check_command, "check_submissions", fail)
    code, said = run_in_process("check", "house.yaml")
    assert code == 3
    assert said.startswith("error[no-memory]: there is too little memory\n  = help: ")


def die(*_arguments: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.validator.audit.run.log_parts.check_block", die)
    monkeypatch.setattr("fairdeal.validator.evidence.hand_log.BLOCK_BYTES", 4000)
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": 4000})
    code, said = run_in_process("audit", LOG, "-j", "2", "-o", "json:out.json")
    assert code == 3
    assert said.startswith("error[killed]: a process of the audit was killed, probably because memory ran out\n")
    assert "--jobs 1" in said
    assert not Path("out.json").exists()


def children_of(pid: int) -> list[int]:
    return [int(child) for part in Path(f"/proc/{pid}/task").glob("*/children") for child in part.read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(done: Any, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _heeding() -> None:
    """Signals as a program has them that was started from a terminal: what runs in the background ignores some."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


IN_SMALL_BLOCKS = """
from fairdeal.cli.main import main
from fairdeal.validator.evidence.hand_log import HandLog
HandLog.__init__.__kwdefaults__["block_bytes"] = 20_000
main()
"""
"""The program, but for the size of the blocks that its processes judge."""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_an_audit_that_is_told_to_end_takes_its_processes_along(number: signal.Signals) -> None:
    """The log comes through a pipe that nobody closes, so that the audit waits for more; it is judged in small blocks,
    so that some begin all processes."""
    Path("out.json").write_text("old")
    Path("scratch").mkdir()
    command = [sys.executable, "-c", IN_SMALL_BLOCKS, "audit", "-", "-j", "2", "-o", "json:out.json"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(Path("scratch").resolve())},
        preexec_fn=_heeding,  # noqa: PLW1509 - nothing but signals is set
    ) as started:
        assert started.stdin is not None
        assert started.stderr is not None
        started.stdin.write(LOG.read_bytes())
        started.stdin.flush()
        assert wait_until(lambda: len(children_of(started.pid)) == 2)
        children = children_of(started.pid)
        started.send_signal(number)
        code = started.wait(timeout=30)
        assert wait_until(lambda: not any(map(is_running, children)))
        said = started.stderr.read()
    assert (code, said) == ((-9, b"") if number == signal.SIGKILL else (128 + number, b"stopped\n"))
    assert Path("out.json").read_text() == "old"
    assert list(Path("scratch").iterdir()) == []


def test_an_audit_begins_its_processes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    class Counted(run_engines._Worker):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            begun.append(1)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(run_engines, "_Worker", Counted)
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": LOG.stat().st_size // 3})
    logs = [Path(f"{number}.jsonl") for number in range(3)]
    for log in logs:  # of tables of their own: a round that is recorded twice has all logs read again
        log.write_bytes(re.sub(rb'"table": ?"', b"\\g<0>" + log.stem.encode(), LOG.read_bytes()))
    several = run("audit", *logs, "-s", "house.yaml", "-j", "2", "-o", "json")
    assert len(begun) == 2
    assert several.out == run("audit", *logs, "-s", "house.yaml", "-j", "1", "-o", "json").out


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("before", [0, 1, 2, 7])
def test_what_was_read_before_a_log_broke_off_counts(jobs: int, before: int) -> None:
    broken = Diagnostic(code="damaged", message="no more")

    def parts() -> Iterator[LogPart]:
        for number in range(before):
            entry = Quarantined(file="f", line=number, column=None, reason="r")
            yield LogPart(log=0, number=number, name="f", block=RefusedLine(entry=entry))
        yield LogPart(log=0, number=before, name="f", last=True, ends=(LogEnd(name="f", refused=(broken,)),))

    plan = build_audit_plan(Rulebook(folder=None), [])
    told: list[InputError] = []
    merging = AuditMerger(plan, told.append, submissions=())
    for judged in run_engines.LocalEngine(jobs=jobs).check_parts(plan, parts()):
        merging.add(judged)
    results = merging.build_results(program="test", generated="never")
    assert [error.diagnostics for error in told] == [(broken,)]
    assert [entry.line for entry in results.quarantined] == list(range(before))


def as_program(*arguments: str | Path, limit: int | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the program by itself, with `limit` MiB of address space."""

    def limit_memory() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20))

    command = [sys.executable, "-c", "from fairdeal.cli.main import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limit_memory, check=False, **options)


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space")
@pytest.mark.parametrize("limit", [60, 95, 110, 130])
def test_very_little_memory_is_no_violation(limit: int) -> None:
    ended_ = as_program("audit", LOG, "-q", limit=limit)
    assert ended_.returncode == 3
    assert ended_.stderr.startswith("error[no-memory]: there is too little memory\n")


def test_a_working_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); from fairdeal.cli.main import main; main()"
    gone = tmp_path / "gone"
    gone.mkdir()
    command = [sys.executable, "-c", code, "audit", str(LOG.resolve()), "-q"]
    ended_ = subprocess.run(command, capture_output=True, text=True, cwd=gone, check=False)
    assert ended_.returncode == 3
    assert ended_.stderr.startswith("error[no-folder]: the working folder no longer exists\n")


@pytest.mark.parametrize("format_", ["xlsx", "sqlite"])
def test_a_full_temporary_folder_gives_a_message_alone(format_: str) -> None:
    with small_files():
        ended_ = as_program("report", "saved.json", "-o", f"{format_}:out")
    assert ended_.returncode == 3
    assert ended_.stderr.startswith("error[no-room]: the temporary folder ")
    assert "Traceback" not in ended_.stderr
    assert not Path("out").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files have names")
@pytest.mark.parametrize("format_", ["xlsx:workbook._cell", "sqlite:finding_rows._fill"])
def test_what_an_output_is_made_of_has_no_name(format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    format_, _, place = format_.partition(":")
    Path("scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(Path("scratch").resolve()))
    child = os.fork()
    if not child:
        monkeypatch.setattr(f"fairdeal.validator.reports.formats.{place}", die)
        run("report", "saved.json", "-o", f"{format_}:out")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert list(Path("scratch").iterdir()) == []


def test_outputs_reach_the_disk_before_and_after_they_are_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sync, replace_ = os.fsync, Path.replace

    def note_sync(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def note_rename(path: Path, target: Path) -> Path:
        done.append("rename")
        return replace_(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    with write_atomically(Path("out")) as stream:
        stream.write(b"new")
    assert done == ["file", "rename", "folder"]
