"""Output of every command, kept in `golden/`; `pytest tests/cli --update-golden` writes it anew."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.facade.commands import Finished, run
from tests.facade.demo import DEMO, GAME, comply, demo_lines, demo_submission, to_log
from tests.facade.reports import unpack_data
from tests.facade.rules import load_bundle, rules_folder

Golden = Callable[[str, bytes], None]

HOUSE = ("--submission", "house.yaml", "--waivers", "waivers.yaml")
SMALL = "co-rule8-burnout"
TOLD = ("hand-01", "hand-12", "hand-16", "hand-19", "hand-20", "hand-25")
"""Rounds of the demo that the golden reports are about: right, without events, three that are wrong, contradictory."""


def mask_hashes(output: bytes) -> bytes:
    """Return output without the hash of the rulebook, which every comment in a rule file changes."""
    return re.sub(rb"(?<=[^0-9a-f])[0-9a-f]{64}(?=[^0-9a-f])", b"<sha256>", output)


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    """`house.yaml`, `plain.yaml` without faults, the regulator's `waivers.yaml`, and `night.jsonl`, whose last line is
    cut off."""
    (place / "house.yaml").write_text(demo_submission())
    (place / "waivers.yaml").write_bytes((DEMO / "waivers.yaml").read_bytes())
    (place / "plain.yaml").write_text(comply())
    lines = [line for line in demo_lines() if any(f'"round":"{name}"' in line for name in TOLD)]
    (place / "night.jsonl").write_bytes(to_log([*lines, lines[0][:1000]]))


@pytest.fixture
def small_rules(place: Path) -> Path:
    """Return a rules folder with the smallest of the shipped documents alone."""
    for name in (SMALL, "vocabulary"):
        shutil.copytree(rules_folder() / name, place / "rules" / name)
    return place / "rules"


def expect(golden: Golden, name: str, finished: Finished, code: int) -> None:
    """Assert how a command ended, what it printed, and that it reported no error."""
    assert (finished.code, finished.err) == (code, "")
    golden(name, mask_hashes(unpack_data(finished.out) if name.endswith(".html") else finished.out))


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_check(golden: Golden, form: str) -> None:
    expect(golden, f"check.{form}", run("check", "house.yaml", "--output", form), 1)


def test_check_of_a_complying_submission(golden: Golden) -> None:
    expect(golden, "check-plain.text", run("check", "plain.yaml"), 0)


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_audit(golden: Golden, form: str) -> None:
    expect(golden, f"audit.{form}", run("audit", "night.jsonl", *HOUSE, "--output", form), 1)


def test_report_gives_the_other_forms_of_the_same_results(golden: Golden) -> None:
    saved = run("audit", "night.jsonl", *HOUSE, "-o", "json")
    Path("results.json").write_bytes(saved.out)
    assert run("report", "results.json", "--output", "json").out == saved.out
    assert run("report", "-", "--output", "json", stdin=saved.out).out == saved.out
    expect(golden, "audit.html", run("report", "results.json", "--output", "html"), 0)
    # Saved results have no source lines to quote; all else is the same text.
    expect(golden, "report.text", run("report", "results.json", "--output", "text"), 0)


@pytest.mark.parametrize("name", ["hand-12", "hand-16", "hand-19"])
def test_explain(golden: Golden, name: str) -> None:
    finished = run("explain", "night.jsonl", "--round", name, *HOUSE)
    expect(golden, f"explain-{name}.text", finished, 0)


@pytest.mark.parametrize(
    ("log", "name"),
    [("hand-log.jsonl", "P1-08"), ("hand-log.jsonl", "P1-12"), ("hand-log.jsonl", "P2-04"), ("hands.phhs", "phh-4")],
)
def test_explain_a_hand_of_poker(golden: Golden, monkeypatch: pytest.MonkeyPatch, log: str, name: str) -> None:
    monkeypatch.chdir(rules_folder() / "poker-room" / "demo")
    finished = run("explain", log, "--round", name, "--submission", "submission.yaml")
    assert (finished.code, finished.err) == (0, "")
    tale, heading, rules = finished.out.partition(b"Requirements\n")
    assert heading and rules  # what they say grows with the rules, and is tested with the demo
    golden(f"explain-{name}.text", tale)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", ["list", "coverage"])
def test_rules(golden: Golden, small_rules: Path, command: str, form: str) -> None:
    expect(golden, f"rules-{command}.{form}", run("rules", command, "--output", form, "--rules", small_rules), 0)


def test_rules_of_some_documents_are_listed() -> None:
    listed = run("rules", "list", "co-rule8-burnout", "s38").text.splitlines()
    assert {line.split("/")[0].split(":")[0] for line in listed[:-1]} == {"co-rule8-burnout", "s38"}


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("what", ["(9)", "play-equals-ante", "pair-xxx-after-fold", "s38"])
def test_rules_show(golden: Golden, what: str, form: str) -> None:
    expect(golden, f"rules-show-{what.strip('()')}.{form}", run("rules", "show", what, "--output", form), 0)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", ["check", "test"])
def test_rules_are_sound_and_proven(golden: Golden, small_rules: Path, command: str, form: str) -> None:
    expect(golden, f"rules-{command}.{form}", run("rules", command, "--output", form, "--rules", small_rules), 0)


def test_simulate(golden: Golden) -> None:
    finished = run("simulate", GAME, "--rounds", "2", "--seed", "7", "--seats", "1-2", "--write-submission", "own.yaml")
    expect(golden, "simulate.jsonl", finished, 0)
    golden("simulate-submission.yaml", Path("own.yaml").read_bytes())


def test_schema(golden: Golden) -> None:
    listed = run("schema")
    expect(golden, "schema.text", listed, 0)
    for name in listed.text.split():
        assert json.loads(run("schema", name).out) == load_bundle(name)


@pytest.mark.parametrize("command", ["", "check", "audit", "explain", "simulate", "rules", "schema", "report"])
def test_help_names_every_option(command: str) -> None:
    finished = run(*command.split(), "--help")
    assert (finished.code, finished.err) == (0, "")
    assert finished.text.startswith("Usage: fairdeal")


def test_the_demo_folder_holds_what_the_readme_names() -> None:
    assert {path.name for path in DEMO.iterdir()} == {"README.md", "hand-log.jsonl", "submission.yaml", "waivers.yaml"}
