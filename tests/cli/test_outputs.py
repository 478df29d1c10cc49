"""Outputs: several at once, files that cannot be written, readers that close a pipe, colours."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from fairdeal.cli.common.evaluation import progress_bar
from tests.facade.commands import run, run_program
from tests.facade.demo import DEMO, GAME, comply, demo_submission

LOG, HOUSE = DEMO / "hand-log.jsonl", DEMO / "submission.yaml"

PRINTING: dict[str, tuple[list[str | Path], int]] = {
    "check": (["check", HOUSE], 1),
    "audit": (["audit", LOG, "-s", HOUSE, "-o", "json"], 1),
    "simulate": (["simulate", GAME, "--rounds", "400", "--seed", "1"], 0),
    "rules": (["rules", "coverage", "s38", "-o", "json"], 0),
    "help": (["--help"], 0),
}
"""Commands that print more than a line, and how they end by themselves."""


@pytest.fixture(scope="module")
def saved_results(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the results of `house.yaml`, in JSON."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(tmp_path_factory.mktemp("saved"))
        Path("house.yaml").write_text(demo_submission())
        return run("check", "house.yaml", "-o", "json").out


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "house.yaml").write_text(demo_submission())
    (place / "plain.yaml").write_text(comply())


def test_several_outputs_hold_the_same_results() -> None:
    finished = run("check", "house.yaml", "-o", "json:a.json", "-o", "html:b.html", "-o", "text:c.txt", "-o", "json")
    assert (finished.code, finished.err) == (1, "")
    assert Path("a.json").read_bytes() == finished.out
    assert Path("b.html").read_bytes() == run("check", "house.yaml", "-o", "html").out
    assert Path("c.txt").read_bytes() == run("check", "house.yaml").out


def test_what_goes_to_files_alone_is_summed_up_for_people() -> None:
    finished = run("check", "house.yaml", "-o", "json:out.json")
    assert finished.out == b""
    assert finished.err.startswith("violations: 3 of ")
    assert finished.err.count("\n") == 1


@pytest.mark.parametrize("name", ["json:-", "json:", "json"])
def test_standard_output_has_several_names(name: str) -> None:
    assert run("check", "house.yaml", "-o", name).results["verdict"] == "violations"


def test_folders_on_the_way_to_an_output_are_made() -> None:
    run("check", "house.yaml", "-o", "json:new/deep/out.json")
    assert Path("new/deep/out.json").exists()
    run("simulate", GAME, "--rounds", "1", "--seed", "1", "-o", "log.jsonl", "--write-submission", "own/house.yaml")
    assert run("audit", "log.jsonl", "-s", "own/house.yaml").code in (0, 4)
    assert run("simulate", GAME, "--rounds", "1", "--seed", "1", "-o", "new/logs/log.jsonl.gz").code == 0
    assert Path("new/logs/log.jsonl.gz").exists()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("house.yaml/out", "not a directory"),
        (".", "is a directory"),
        ("/dev/full", "no space left on device"),
        ("/proc/nowhere/out", "no such file or directory"),
        ("x" * 300, "file name too long"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "check house.yaml -o json:{}",
        "audit {log} -s house.yaml -o html:{}",
        "report saved.json -o text:{}",
        f"simulate {GAME} --rounds 1 --seed 1 -o {{}}",
        f"simulate {GAME} --rounds 1 --seed 1 --write-submission {{}}",
    ],
    ids=lambda command: command.partition(" {")[0][:40],
)
def test_an_output_that_cannot_be_written_is_named(command: str, path: str, reason: str, saved_results: bytes) -> None:
    Path("saved.json").write_bytes(saved_results)
    finished = run(*command.format(path, log=LOG).split())
    assert finished.code == 3
    assert finished.err.startswith("error[not-written]: this output cannot be written: ")
    assert reason in finished.err or "file exists" in finished.err  # what mkdir says of a file in the way
    assert f" --> {path}\n" in finished.err


def test_an_output_that_cannot_be_written_takes_no_other_with_it() -> None:
    finished = run("check", "house.yaml", "-o", "json:./", "-o", "text:kept.txt", "-o", "html:./")
    assert (finished.code, finished.err.count("error[not-written]")) == (3, 2)
    assert Path("kept.txt").read_bytes() == run("check", "house.yaml").out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check house.yaml -o json:house.yaml", "`house.yaml` is an input and would be overwritten"),
        ("check plain.yaml house.yaml -o text -o text -o html:./house.yaml", "`./house.yaml` is an input"),
        ("check house.yaml -o json:link.yaml", "`link.yaml` is an input and would be overwritten"),
        ("check house.yaml --profile chosen.yaml -o json:chosen.yaml", "`chosen.yaml` is an input"),
        ("audit log.jsonl -o json:log.jsonl", "`log.jsonl` is an input and would be overwritten"),
        ("audit log.jsonl -s house.yaml -o json:house.yaml", "`house.yaml` is an input and would be overwritten"),
        ("report saved.json -o text:saved.json", "`saved.json` is an input and would be overwritten"),
        (f"simulate {GAME} --rounds 1 --seed 1 -s house.yaml -o house.yaml", "`house.yaml` is an input"),
        (f"simulate {GAME} --rounds 1 --seed 1 -o new --write-submission new", "two outputs go to `new`"),
        ("check house.yaml -o json:new -o html:./new", "two outputs go to `./new`"),
        ("audit log.jsonl ./log.jsonl", "`./log.jsonl` is named twice: it would count twice"),
        ("audit log.jsonl -s house.yaml -s link.yaml", "`link.yaml` is named twice"),
        ("check house.yaml plain.yaml house.yaml", "`house.yaml` is named twice"),
        ("check - -", "`-` is named twice"),
    ],
)
def test_no_output_takes_the_place_of_an_input_or_of_another(command: str, said: str, saved_results: bytes) -> None:
    Path("saved.json").write_bytes(saved_results)
    Path("log.jsonl").write_bytes(LOG.read_bytes())
    Path("chosen.yaml").write_text("profile: none\ntitle: Nothing chosen\nchoices: []\n")
    Path("link.yaml").symlink_to("house.yaml")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    finished = run(*command.split())
    assert (finished.code, finished.out) == (2, b"")
    assert said in finished.err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_what_keeps_nothing_may_be_named_twice() -> None:
    assert run("check", "house.yaml", "-o", "json:/dev/null", "-o", "html:/dev/null").code == 1


@pytest.mark.parametrize("name", PRINTING)
def test_a_reader_who_goes_away_changes_nothing(name: str) -> None:
    """The reader closes its end after the first line, as `| head -1` does."""
    command, code = PRINTING[name]
    with subprocess.Popen(
        [sys.executable, "-m", "fairdeal.cli.main", *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.read(1)
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=30)) == (b"", code)


@pytest.mark.parametrize("name", ["check", "simulate"])
def test_standard_output_that_is_full_or_closed_is_named(name: str) -> None:
    command, _ = PRINTING[name]
    with Path("/dev/full").open("wb") as full:
        done = run_program(*command, stdout=full)
    assert (done.returncode, done.stderr.splitlines()) == (
        3,
        [b"error[not-written]: this output cannot be written: no space left on device", b" --> <stdout>"],
    )
    # Only a shell can start a program with no standard output at all.
    line = " ".join([sys.executable, "-m", "fairdeal.cli.main", *map(str, command), ">&-"])
    shut = subprocess.run(["sh", "-c", line], check=False, stderr=subprocess.PIPE)
    assert (shut.returncode, shut.stderr.splitlines()) == (
        3,
        [b"error[not-written]: this output cannot be written: it is closed", b" --> <stdout>"],
    )


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_messages_that_nobody_can_read_do_not_change_the_code(redirected: str) -> None:
    Path("log.jsonl").write_bytes(LOG.read_bytes())
    for command, code in (("no-such-command", 2), ("audit log.jsonl missing -o json:o.json", 3)):
        line = f"{sys.executable} -m fairdeal.cli.main {command} {redirected}"
        assert subprocess.run(["sh", "-c", line], check=False, stdout=subprocess.DEVNULL).returncode == code


def test_closed_standard_input_is_named() -> None:
    for command in ("check -", "audit -"):
        shut = subprocess.run(
            ["sh", "-c", f"{sys.executable} -m fairdeal.cli.main {command} <&-"], check=False, capture_output=True
        )
        assert (shut.returncode, shut.stdout) == (3, b"")
        assert shut.stderr.startswith(b"error[not-readable]: standard input is closed\n --> <stdin>\n")


def run_in_terminal(*arguments: str, **environment: str) -> bytes:
    """Return the bytes that a command writes to a terminal as its standard output and standard error."""
    near, far = pty.openpty()
    command = [sys.executable, "-m", "fairdeal.cli.main", *arguments]
    with subprocess.Popen(command, stdout=far, stderr=far, env={**os.environ, **environment}) as started:
        os.close(far)
        shown = b""
        try:
            while part := os.read(near, 65536):
                shown += part
        except OSError:  # the other end of a terminal is closed: Linux says so with an error
            pass
        os.close(near)
        started.wait(timeout=30)
    return shown.replace(b"\r\n", b"\n")


def test_a_terminal_gets_colors_unless_it_wants_none() -> None:
    for command in (["check", "house.yaml"], ["check", "missing.yaml"]):
        colored = run_in_terminal(*command)
        plain = run_in_terminal(*command, NO_COLOR="1")
        assert b"\x1b[" in colored
        assert b"\x1b" not in plain
        finished = run(*command)
        assert plain.decode() == finished.text + finished.err
    assert b"\x1b" not in run_in_terminal("check", "house.yaml", "-o", "text:o.txt", "-o", "json")
    assert b"\x1b" not in Path("o.txt").read_bytes()


class Terminal(io.StringIO):
    """A standard error that takes itself for a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_shows_on_a_terminal_for_work_that_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for patience in (60.0, -1.0):
        monkeypatch.setattr("fairdeal.cli.common.evaluation.PATIENCE", patience)
        monkeypatch.setattr(sys, "stderr", Terminal())
        with progress_bar(quiet=False) as advance:
            advance(str(LOG), LOG.stat().st_size // 2)
            advance(str(LOG), LOG.stat().st_size // 2)
        assert isinstance(sys.stderr, Terminal)
        shown[patience] = sys.stderr.getvalue()
    assert shown[60.0] == ""
    assert "hand-log.jsonl" in shown[-1.0]
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar(quiet=False) as advance:
        advance(str(LOG), 1)
    assert isinstance(sys.stderr, io.StringIO)
    assert sys.stderr.getvalue() == ""


def test_coverage_of_some_documents_is_the_part_of_the_whole_that_is_theirs() -> None:
    whole = run("rules", "coverage", "-o", "json").results["clauses"]
    some = run("rules", "coverage", "s38", "co-rule8-burnout", "s38", "-o", "json").results
    assert some["clauses"] == [
        result for id_ in ("s38", "co-rule8-burnout") for result in whole if result["document"] == id_
    ]
    assert some["totals"]["clauses"] == len(some["clauses"])
