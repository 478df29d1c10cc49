"""Exit codes of commands: one for each kind of end."""

from __future__ import annotations

from pathlib import Path

import pytest

import fairdeal.cli.check_command
from fairdeal.cli.main import main
from tests.facade.commands import run
from tests.facade.demo import GAME, comply, demo_round, demo_submission, replace_once, to_log

CLEAN = [f"hand-{number:02d}" for number in range(1, 15) if number not in {7, 12}]
"""Rounds of the demo with nothing wrong, by a right pay table too, and recorded with their events."""


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "good.yaml").write_text(comply())
    (place / "bad.yaml").write_text(demo_submission())
    (place / "unproven.yaml").write_text(comply(lambda text: text.partition("\nattestations:")[0] + "\n"))
    (place / "broken.yaml").write_text("submission: [\n")
    (place / "good.jsonl").write_bytes(to_log(map(demo_round, CLEAN)))
    (place / "bad.jsonl").write_bytes(to_log([demo_round("hand-16")]))
    (place / "broken.jsonl").write_bytes(b"{\n")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check good.yaml", 0),
        ("check bad.yaml", 1),
        ("check good.yaml bad.yaml", 1),
        ("check unproven.yaml", 4),
        ("check good.yaml unproven.yaml", 4),
        ("check unproven.yaml --allow-unproven", 0),
        ("check bad.yaml --allow-unproven", 1),
        ("check broken.yaml", 3),
        ("check broken.yaml --allow-unproven", 3),
        ("check bad.yaml broken.yaml", 3),
        ("check missing.yaml", 3),
        ("check", 2),
        ("check good.yaml --wrong", 2),
        ("audit good.jsonl -s good.yaml", 0),
        ("audit good.jsonl", 4),
        ("audit good.jsonl --allow-unproven", 0),
        ("audit good.jsonl -s unproven.yaml", 4),
        ("audit good.jsonl -s unproven.yaml --allow-unproven", 0),
        ("audit bad.jsonl", 1),
        ("audit good.jsonl bad.jsonl -s good.yaml", 1),
        ("audit good.jsonl -s bad.yaml", 1),
        ("audit good.jsonl -s broken.yaml", 3),
        ("audit broken.jsonl -s good.yaml", 3),
        ("audit good.jsonl missing.jsonl -s good.yaml", 3),
        ("audit good.jsonl --jobs 0", 2),
        ("explain good.jsonl --round hand-01", 0),
        ("explain bad.jsonl --round hand-16", 0),
        ("explain good.jsonl --round hand-99", 3),
        ("explain good.jsonl --round hand-01 -s broken.yaml", 3),
        ("explain good.jsonl", 2),
        (f"simulate {GAME} --rounds 1 --seed 1", 0),
        (f"simulate {GAME} --rounds 1", 2),
        ("rules list", 0),
        ("rules check co-rule8-burnout", 0),
        ("rules show (1)", 0),
        ("rules show no-such-thing", 2),
        ("rules", 2),
        ("schema submission", 0),
        ("schema no-such-thing", 2),
        ("report missing.json -o text", 3),
        ("report missing.json", 2),
        ("no-such-command", 2),
        ("", 2),
        ("--help", 0),
        ("--version", 0),
    ],
)
def test_ends_with(command: str, code: int) -> None:
    finished = run(*command.split())
    assert finished.code == code
    assert bool(finished.err) == (code in (2, 3))


def test_a_saved_report_ends_well_whatever_its_verdict() -> None:
    Path("results.json").write_bytes(run("check", "bad.yaml", "-o", "json").out)
    assert run("report", "results.json", "-o", "text").code == 0


def test_of_several_inputs_the_readable_ones_are_judged() -> None:
    checked = run("check", "broken.yaml", "bad.yaml", "missing.yaml", "-o", "json")
    assert checked.code == 3
    assert [source["file"] for source in checked.results["provenance"]["inputs"]] == ["bad.yaml"]
    assert checked.err.count("error[") == 2
    for command in ("audit missing.jsonl bad.jsonl", "audit bad.jsonl -s broken.yaml"):
        audited = run(*command.split(), "-o", "json")
        assert audited.code == 3
        assert [source["file"] for source in audited.results["provenance"]["inputs"]] == ["bad.jsonl"]
        assert audited.err.count("error[") == 1


def test_nothing_is_written_where_nothing_could_be_read() -> None:
    for command in ("check broken.yaml", "audit missing.jsonl", "report broken.yaml"):
        finished = run(*command.split(), "-o", "json:out.json")
        assert (finished.code, finished.out, Path("out.json").exists()) == (3, b"", False)


def test_a_log_of_which_every_record_is_broken_is_unreadable_but_shown() -> None:
    audited = run("audit", "broken.jsonl", "-o", "json")
    assert audited.code == 3
    assert audited.err.startswith("error[nothing-readable]: no record of this log could be read\n --> broken.jsonl:1")
    assert f"\n  = help: first record: {audited.results['quarantined'][0]['reason']}\n" in audited.err
    assert [entry["line"] for entry in audited.results["quarantined"]] == [1]


@pytest.mark.parametrize("unproven", [[], ["--allow-unproven"]])
def test_a_log_without_rounds_proves_nothing(unproven: list[str]) -> None:
    Path("blank.jsonl").write_bytes(b"\n\n")
    audited = run("audit", "blank.jsonl", "-o", "json", *unproven)
    assert audited.code == (0 if unproven else 4)
    assert audited.results["verdict"] == "inconclusive"


def test_a_fault_of_the_program_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError("something unforeseen")

    monkeypatch.setattr(fairdeal.cli.check_command, "check_submissions", fail)
    monkeypatch.delenv("FAIRDEAL_TRACEBACK", raising=False)
    with pytest.raises(SystemExit) as end:
        main(["check", "good.yaml"])
    assert end.value.code == 5
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("internal error: ZeroDivisionError: something unforeseen\n")
    assert "Traceback" not in said.err
    with pytest.raises(ZeroDivisionError):
        run("check", "good.yaml")  # under FAIRDEAL_TRACEBACK


def test_whoever_stops_a_run_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stop(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fairdeal.cli.check_command, "check_submissions", stop)
    with pytest.raises(SystemExit) as end:
        main(["check", "good.yaml"])
    assert (end.value.code, capsys.readouterr().err) == (130, "stopped\n")


def test_the_boundary_of_a_limit_decides_the_code() -> None:
    """The Ante of 10.00 is the least allowed, and one cent below it."""
    for minimum, code in (("10.00", 0), ("10.01", 1)):
        edit = replace_once("{wager: ante, minimum: 5,", f"{{wager: ante, minimum: {minimum},")
        Path("house.yaml").write_text(comply(edit))
        Path("one.jsonl").write_bytes(to_log([demo_round("hand-02")]))
        assert run("audit", "one.jsonl", "-s", "house.yaml").code == code
