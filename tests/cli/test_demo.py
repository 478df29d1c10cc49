"""The demo: what its pages say is planted, and nothing else, is what the audit finds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.helpers import list_failures, read_statuses, read_table
from tests.facade.commands import ROOT, Finished, run
from tests.facade.demo import DEMO, GAME, demo_lines

HAND_WRITTEN = 26


@pytest.fixture
def demo_audit(monkeypatch: pytest.MonkeyPatch) -> Finished:
    """Audit the demo, from within its folder."""
    monkeypatch.chdir(DEMO)
    waived = ("--submission", "submission.yaml", "--waivers", "waivers.yaml")
    return run("audit", "hand-log.jsonl", *waived, "--output", "json")


def test_every_hand_written_round_breaks_what_its_page_says(demo_audit: Finished) -> None:
    told = {
        name: set(filter(None, planted.split(", ")))
        for name, _, _, planted in read_table(DEMO / "README.md", "The hand-written rounds")
    }
    assert list(told) == [f"hand-{number:02d}" for number in range(1, HAND_WRITTEN + 1)]
    found: dict[str, set[str]] = {name: set() for name in told}
    for name, requirement in list_failures(demo_audit.results):
        if name in found:
            found[name].add(requirement)
    assert found == told


def test_every_simulated_round_breaks_what_was_planted(demo_audit: Finished) -> None:
    rounds = [json.loads(line) for line in demo_lines()[HAND_WRITTEN:]]
    planted = {
        (round_["round"], name) for round_ in rounds for name in round_.get("annotations", {}).get("planted", ())
    }
    own = {round_["round"] for round_ in rounds}
    found = {(name, f"{GAME}/{requirement}") for name, requirement in list_failures(demo_audit.results) if name in own}
    assert len(rounds) == 200
    assert len(planted) == 12
    assert found == planted


def test_the_submission_breaks_what_its_page_says(demo_audit: Finished) -> None:
    told = {name.strip("`"): status for _, _, name, status in read_table(DEMO / "README.md", "What is wrong with")}
    assert read_statuses(demo_audit.results, *told) == told
    own = {
        finding["requirement"].partition("/")[2]
        for finding in demo_audit.results["findings"]
        if finding["where"]["file"] == "submission.yaml"
    }
    assert own == set(told)


def test_the_broken_records_are_shown(demo_audit: Finished) -> None:
    shown = [(entry["line"], entry["reason"]) for entry in demo_audit.results["quarantined"]]
    assert shown == [
        (25, "the record contradicts itself: seat 1, `play`: 2000 paid in the summary, but 1000 in the events"),
        (26, "the line ends in the middle of a record"),
    ]
    log = demo_audit.results["provenance"]["inputs"][1]
    assert (log["read"], log["checked"], log["quarantined"]) == (226, 224, 2)


def test_only_the_waived_failure_is_waived(demo_audit: Finished) -> None:
    waived = {
        finding["where"]["round"]: finding["requirement"]
        for finding in demo_audit.results["findings"]
        if finding["waived"]
    }
    assert waived == {"hand-19": f"{GAME}/order-of-settlement"}
    assert [source["kind"] for source in demo_audit.results["provenance"]["inputs"]] == [
        "submission",
        "hand log",
        "waivers",
    ]


def test_the_claim_of_the_casino_is_told_with_what_was_granted(demo_audit: Finished) -> None:
    (claim,) = demo_audit.results["claims"]
    assert (claim["clauses"], claim["not-granted"]) == ([f"{GAME}/(8)"], [])
    assert [grant["regulator"] for grant in claim["granted"]] == ["Specimen Gaming Commission"]


def test_make_demo_writes_its_report_and_ends_well(place: Path) -> None:
    """The recipe of the target, run in another folder as in a clone."""
    recipe = re.search(r"^demo:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert recipe is not None
    text = (
        (ROOT / "Makefile").read_text("utf-8").replace("$(BIN)/fairdeal", str(Path(sys.executable).parent / "fairdeal"))
    )
    (place / "Makefile").write_text(re.sub(r"^demo: \$\(READY\)", "demo:", text, flags=re.M))
    (place / "rules_data").symlink_to(ROOT / "rules_data")
    done = subprocess.run(["make", "demo"], check=False, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("violations: ")
    assert f"report:  {place}/out/report.html" in done.stdout
    assert (place / "out/report.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert json.loads((place / "out/results.json").read_bytes())["verdict"] == "violations"
    (place / "rules_data").unlink()
    failed = subprocess.run(["make", "demo"], check=False, capture_output=True, text=True, env=dict(os.environ))
    assert failed.returncode == 2  # only violations count as a good end


def test_the_readme_quotes_real_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("\n## What it says\n")[2].partition("\n## ")[0]
    quoted = [re.sub(r"^    ", "", block, flags=re.M) for block in section.strip("\n").split("\n\n")]
    commands, findings = quoted[0].splitlines(), quoted[1:]
    folder, command = (line.removeprefix("    ").removeprefix("$ ") for line in commands)
    monkeypatch.chdir(ROOT / folder.removeprefix("cd "))
    printed = run(*command.split()[1:]).text.split("\n\n")
    assert len(findings) == 2
    assert [finding for finding in findings if finding not in printed] == []


def test_the_picture_of_the_report_is_there() -> None:
    picture = (ROOT / "docs/report.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) < 400_000
