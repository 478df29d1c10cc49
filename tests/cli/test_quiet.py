"""`--quiet`: errors and the requested output, and nothing else; colour where it is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.cli.common.process import wants_color
from tests.facade.commands import run
from tests.facade.demo import DEMO, comply, demo_submission, grant_waiver

LOG = DEMO / "hand-log.jsonl"


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "good.yaml").write_text(comply())
    (place / "bad.yaml").write_text(demo_submission())
    (place / "house").mkdir()
    (place / "house/good.yaml").write_text(comply())
    (place / "house/waivers.yaml").write_text(grant_waiver("(2)"))


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
@pytest.mark.parametrize(
    ("command", "code"),
    [("check good.yaml", 0), ("check bad.yaml", 1), ("check house", 0), (f"audit {LOG} -s house", 1)],
)
def test_the_exit_code_speaks(command: str, code: int, flag: str) -> None:
    finished = run(*command.split(), flag)
    assert (finished.code, finished.out, finished.err) == (code, b"", "")
    assert run(*command.split()).code == code


def test_outputs_that_were_asked_for_are_written() -> None:
    assert run("check", "bad.yaml", "-q", "-o", "text").out == run("check", "bad.yaml").out
    finished = run("check", "bad.yaml", "-q", "-o", "json:out.json")
    assert (finished.code, finished.out, finished.err) == (1, b"", "")
    assert Path("out.json").read_bytes() == run("check", "bad.yaml", "-o", "json").out


def test_errors_are_told() -> None:
    finished = run("check", "missing.yaml", "bad.yaml", "-q")
    assert (finished.code, finished.out) == (3, b"")
    assert finished.err.startswith("error[not-found]: there is no such file")


def test_a_configuration_asks_for_files_alone_where_the_command_line_wants_quiet() -> None:
    Path("fairdeal.toml").write_text('output = ["concise", "json:out.json"]')
    finished = run("check", "bad.yaml", "-q")
    assert (finished.code, finished.out, finished.err) == (1, b"", "")
    assert Path("out.json").exists()
    Path("fairdeal.toml").write_text("quiet = true")
    assert run("check", "bad.yaml") == finished


def test_a_submission_is_put_right_quietly_but_a_difference_is_shown() -> None:
    Path("house/slip.yaml").write_text(comply().replace("wager: ante,", "wager: Ante,"))
    shown = run("check", "house/slip.yaml", "--diff", "-q")
    assert shown.err == ""
    assert b"+" in shown.out
    finished = run("check", "house/slip.yaml", "--fix", "-q")
    assert (finished.out, finished.err) == (b"", "")
    assert Path("house/slip.yaml").read_text() == comply()


class Stream:
    def __init__(self, terminal: bool) -> None:
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("variables", "terminal", "colored"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "yes"}, False, True),
        ({"FORCE_COLOR": ""}, False, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"CLICOLOR_FORCE": "0"}, False, False),
        ({"CLICOLOR_FORCE": ""}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "", "FORCE_COLOR": "1"}, False, True),
    ],
)
def test_where_there_is_colour(
    variables: dict[str, str], terminal: bool, colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert wants_color(Stream(terminal)) is colored


def test_forced_colour_reaches_both_streams_and_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    finished = run("check", "bad.yaml", "missing.yaml", "-o", "text", "-o", "text:out.txt")
    assert b"\x1b[" in finished.out
    assert "\x1b[1;31merror[not-found]" in finished.err
    assert b"\x1b" not in Path("out.txt").read_bytes()
    monkeypatch.setenv("NO_COLOR", "1")
    finished = run("check", "bad.yaml", "missing.yaml")
    assert "\x1b" not in finished.text + finished.err
