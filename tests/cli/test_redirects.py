"""Outputs to pipes, devices and redirects: what is no file of its own is written to as it is."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairdeal.cli.common import process
from fairdeal.validator.text.source import write_atomically
from tests.facade.commands import run
from tests.facade.demo import GAME, demo_submission

CHECK = f"{sys.executable} -m fairdeal.cli.main check house.yaml"
SEVERAL = """
import json, sys
from fairdeal.cli.main import main
codes = set()
for command in json.loads(sys.argv[1]):
    try:
        main(command)
    except SystemExit as end:
        codes.add(end.code)
sys.exit(codes.pop() if len(codes) == 1 else f"codes: {codes}")
"""
STDOUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "to-stdout")

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at /proc")


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "house.yaml").write_text(demo_submission())
    (place / "to-stdout").symlink_to("/dev/stdout")


@pytest.fixture
def expected_output() -> bytes:
    return run("check", "house.yaml", "-o", "json").out


def shell(line: str) -> tuple[int, bytes, bytes]:
    """Return the exit code, standard output (a pipe) and standard error of a line of bash."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1772409600"}
    done = subprocess.run(["bash", "-c", line], check=False, capture_output=True, timeout=60, env=environment)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def _fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")


def line_of(*commands: Sequence[str]) -> str:
    """Return a line of bash that runs commands in one process, and fails unless they all end with the same code."""
    return shlex.join([sys.executable, "-c", SEVERAL, json.dumps(commands)])


CHECKS = [("check", "house.yaml", "-o", f"json:{name}") for name in STDOUT]
"""A check for every name of standard output."""


def test_names_of_standard_output_lead_to_its_pipe(expected_output: bytes) -> None:
    assert shell(line_of(*CHECKS)) == (1, expected_output * len(STDOUT), b"")


def test_a_redirect_keeps_what_others_write_to_it(expected_output: bytes) -> None:
    assert shell(f"(echo before; {line_of(*CHECKS)}; echo after) > shared") == (0, b"", b"")
    assert Path("shared").read_bytes() == b"before\n" + expected_output * len(STDOUT) + b"after\n"


def test_a_file_that_standard_output_shares_by_name_is_not_replaced(expected_output: bytes) -> None:
    code, _, _ = shell(f"(echo before; {CHECK} -o json:shared; echo after) > shared")
    assert (code, Path("shared").read_bytes()) == (0, b"before\n" + expected_output + b"after\n")
    code, _, _ = shell(f"(echo before; {CHECK} -q -o json:shared; echo after >&2) 2> shared")
    assert (code, Path("shared").read_bytes()) == (0, expected_output.join([b"", b"after\n"]))


def test_a_substituted_process_is_written_to(expected_output: bytes) -> None:
    code, out, err = shell(f"{CHECK} -q -o json:>(cat > copy; echo done)")
    assert (code, out, err) == (1, b"done\n", b"")
    assert Path("copy").read_bytes() == expected_output


def test_a_named_pipe_and_a_descriptor_of_a_file_are_written_to(expected_output: bytes) -> None:
    os.mkfifo("pipe")
    assert shell(f"cat pipe > copy & {CHECK} -q -o json:pipe; wait") == (0, b"", b"")
    assert Path("copy").read_bytes() == expected_output
    assert Path("pipe").is_fifo()
    assert shell(f"exec 3> kept; echo before >&3; {CHECK} -q -o json:/dev/fd/3; echo after >&3") == (0, b"", b"")
    assert Path("kept").read_bytes() == b"before\n" + expected_output + b"after\n"


def test_a_descriptor_of_another_process_is_written_through(expected_output: bytes) -> None:
    code, _, _ = shell(f"exec 3> kept; {CHECK} -q -o json:/proc/$$/fd/3; stat -c %i kept; stat -L -c %i /dev/fd/3")
    assert code == 0
    assert Path("kept").read_bytes() == expected_output


def test_a_file_of_its_own_is_replaced_whole(expected_output: bytes) -> None:
    Path("old").write_text("old")
    with Path("old").open("rb") as held:
        assert shell(f"{CHECK} -q -o json:old > other") == (1, b"", b"")
        assert held.read() == b"old"
    assert Path("old").read_bytes() == expected_output


def test_a_reader_of_a_name_of_standard_output_may_go_away() -> None:
    assert shell(f"{CHECK} -o json:/dev/stdout | head -c 1; exit ${{PIPESTATUS[0]}}") == (1, b"{", b"")


def test_several_outputs_may_go_to_standard_output() -> None:
    both = f"{CHECK} -o json:/dev/stdout -o text"
    assert shell(f"{both} > file; cat file") == shell(f"{both} | cat") == (0, shell(both)[1], b"")


def test_other_commands_write_to_names_of_standard_output() -> None:
    commands = (
        ("simulate", GAME, "--rounds", "3", "--seed", "1", "-o"),
        ("layout", "house.yaml", "-o"),
        ("new", GAME, "--effective", "2026-03-02", "-o"),
    )
    named, plain = (line_of(*((*command, name) for command in commands)) for name in ("/dev/stdout", "-"))
    code, out, err = shell(f"(echo before; {named}) > shared; cat shared")
    assert (code, out, err) == shell(f"(echo before; {plain}) | cat")
    assert [text in out for text in (b'"events"', b"</svg>", b"effective: 2026-03-02")] == [True] * len(commands)


def test_a_descriptor_that_is_not_open_is_named() -> None:
    code, out, err = shell(f"{CHECK} -o json:/dev/fd/77")
    assert (code, out) == (3, b"")
    assert err.splitlines()[0] == b"error[not-written]: this output cannot be written: no such file or directory"


def test_links_that_lead_in_a_circle_are_named(place: Path) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"), write_atomically(place / "a"):
        pass


def test_standard_output_has_its_name_where_the_system_has_no_such_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows would create a folder `dev` for it."""
    missing = "/missing/stdout"
    monkeypatch.setattr(process, "_STDOUT_PATH", missing)
    assert process.normalize_output(missing) == "-"
    assert process.normalize_output("/missing/other") == "/missing/other"
