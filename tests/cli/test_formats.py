"""Every form of the results by the command line: to files, to pipes, and not to terminals that could not show it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from fairdeal.cli.common import shared_options
from fairdeal.validator.reports import json_report
from tests.cli.test_outputs import run_in_terminal
from tests.facade.commands import run, run_program
from tests.facade.demo import demo_submission
from tests.facade.reports import BINARY_OUTPUTS, NEEDED_MODULES, RENDERERS, DecodedEntries

BEGINS = {
    "text": b"x FAIL",
    "json": b'{\n"fairdeal-results": 2,',
    "html": b"<!doctype html>",
    "letter": b"<!doctype html>",
    "concise": b"house.yaml:",
    "markdown": b"## fairdeal: violations\n",
    "sarif": b'{"$schema":',
    "junit": b"<?xml ",
    "github": b"::error file=house.yaml,line=",
    "gitlab": b'[\n{"description":',
    "csv": b"id,status,severity,",
    "docx": b"PK\x03\x04",
    "xlsx": b"PK\x03\x04",
    "sqlite": b"SQLite format 3\x00",
}
"""First bytes of each output."""

PIPED = frozenset({"text", "json"}) | BINARY_OUTPUTS
"""Outputs that the program itself writes to a pipe: each way of writing that there is, to standard output as text or
as bytes."""


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "house.yaml").write_text(demo_submission())


@pytest.mark.parametrize("output", RENDERERS)
def test_a_file_a_pipe_and_saved_results_give_the_same(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1775122200")
    assert run("check", "house.yaml", "-o", f"{output}:out", "-o", "json:saved.json").code == 1
    written = Path("out").read_bytes()
    assert BEGINS[output].lower() in written[:3_000].lower()
    assert run("report", "saved.json", "-o", output).out == written or output == "text"
    assert run("check", "house.yaml", "-o", output).out == written
    if output in PIPED:
        assert run_program("check", "house.yaml", "-o", output).stdout == written


@pytest.mark.parametrize("output", sorted(BINARY_OUTPUTS))
def test_a_terminal_is_spared_what_is_no_text(output: str) -> None:
    shown = run_in_terminal("check", "house.yaml", "-o", output)
    assert (
        f"`{output}` cannot be printed on a terminal: name a file, such as {output}:report.{output}".encode() in shown
    )
    assert b"\x00" not in shown
    assert BEGINS[output] not in shown


@pytest.mark.parametrize("output", sorted(NEEDED_MODULES))
def test_what_is_not_installed_is_said_before_anything_is_done(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_options, "find_spec", {}.get)
    ended = run("check", "house.yaml", "-o", f"{output}:out", "-o", "json:saved.json")
    assert ended.code == 2
    assert f"`{output}` needs the Python module {NEEDED_MODULES[output]}, which is not installed here" in ended.err
    assert not Path("saved.json").exists()
    assert run("check", "house.yaml", "-o", "csv:out").code == 1


@pytest.mark.parametrize("output", sorted(BINARY_OUTPUTS))
def test_where_there_is_no_room_nothing_is_written(output: str) -> None:
    run("check", "house.yaml", "-o", "json:saved.json")
    command = (
        f"ulimit -f 4; exec {sys.executable} -m fairdeal.cli.main report saved.json -o {output}:out -o concise:lines"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert re.search(r"the temporary folder \S+ cannot be used: |this output cannot be written: ", done.stderr)
    assert not Path("out").exists()
    assert Path("lines").read_bytes().startswith(BEGINS["concise"])  # other outputs are written all the same


@pytest.mark.parametrize("output", RENDERERS)
def test_what_stops_half_way_leaves_the_file_as_it_was(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", "house.yaml", "-o", "json:saved.json")
    Path("out").write_bytes(b"before")

    def stop(_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(DecodedEntries, "__iter__", stop)
    monkeypatch.setattr(json_report, "find_contradictions", lambda _: ())
    assert run("report", "saved.json", "-o", f"{output}:out").code == 130
    assert Path("out").read_bytes() == b"before"
    assert sorted(path.name for path in Path().iterdir()) == ["house.yaml", "out", "saved.json"]


def test_results_of_version_1_are_written_in_every_form() -> None:
    saved = Path(__file__).parents[1] / "reports" / "version-1" / "violations.json"
    for output in RENDERERS:
        assert run("report", saved, "-o", f"{output}:out").code == 0
    run("report", saved, "-o", "gitlab:out")
    issues = json.loads(Path("out").read_bytes())
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) > 5
