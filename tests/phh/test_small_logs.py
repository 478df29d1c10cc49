"""Logs of few hands are evaluated in one batch, with the same results as one by one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fairdeal import api
from tests.facade.evidence import FEW_BYTES, HandLog
from tests.facade.results import Finding, InputKind, Results
from tests.facade.rounds import LocalEngine, audit_logs, build_audit_plan
from tests.facade.text import InputError
from tests.phh.audited import CUSTOM
from tests.phh.samples import SOUND
from tests.phh.tampering import hands_in, three_hole_cards, write_hand


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Write logs of one hand each, some of them bad; a log of many hands; and a file that is no TOML."""
    paths = []
    for number, (name, text) in enumerate(sorted(SOUND.items())):
        path = tmp_path / f"{9 - number % 10}-{name}.phh"
        path.write_text(text)
        paths.append(path)
    (hand,) = hands_in(SOUND["no-limit"])
    wrong = three_hole_cards(hand, random.Random(1))
    assert wrong is not None
    another = {**wrong, "hand": "NL 2"}  # a hand recorded in two ways would not count at all
    paths[2].write_text(f"# a remark\n{write_hand(another)}")
    paths[4].write_text("variant = 'NT'\nactions = [\n")
    many = tmp_path / "many.phhs"
    many.write_text("\n".join(f"[{number}]\n{SOUND['walk']}" for number in range(FEW_BYTES // 250)))
    two = tmp_path / "two.phhs"
    two.write_text(f"[1]\n{SOUND['walk']}\n[2]\n{SOUND['walk'].replace('NT', 'PO')}")
    assert many.stat().st_size > FEW_BYTES
    return [*paths[:5], many, two, *paths[5:]]


def failures_in(results: Results, name: str) -> list[tuple[str, Finding]]:
    """Return the failures in one file, with their requirements."""
    return [
        (finding.requirement, finding)
        for finding in results.findings
        if finding.where.file == name and finding.status == "fail"
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_together_as_alone(logs: list[Path], jobs: int) -> None:
    rulebook = api.load_rulebook(profile=CUSTOM)
    together = api.audit(rulebook, *logs, jobs=jobs)
    logs = sorted(logs)  # the order in which results list them, however they are given
    alone = [api.audit(rulebook, path) for path in logs]
    logs_of = [
        [file for file in each.provenance.inputs if file.kind is InputKind.HAND_LOG] for each in (together, *alone)
    ]
    assert logs_of[0] == [file for each in logs_of[1:] for file in each]
    assert together.quarantined == tuple(entry for each in alone for entry in each.quarantined)
    for path, each in zip(logs, alone, strict=True):
        assert failures_in(together, str(path)) == failures_in(each, str(path))
    assert any(failures_in(together, str(path)) for path in logs)
    judged = [each for each in alone if each.requirements]  # of one that is no TOML nothing is
    assert len(judged) == len(alone) - 1
    for index, requirement in enumerate(together.requirements):
        for status, count in requirement.totals.items():
            assert count == sum(each.requirements[index].totals.get(status, 0) for each in judged)


def test_one_that_cannot_be_read_takes_no_other_with_it(logs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty.phh").write_text("")
    paths = [*logs[:2], tmp_path / "nowhere.phh", tmp_path / "empty.phh", *logs[2:4]]
    plan = build_audit_plan(api.load_rulebook(), [])
    told: list[InputError] = []
    given = (HandLog(str(path), variants=plan.load_variants) for path in paths)
    results = audit_logs(LocalEngine(), plan, given, program="", generated="", refused=told.append)
    assert [file.file for file in results.provenance.inputs] == sorted(str(path) for path in logs[:4])
    assert [error.diagnostics[0].file for error in told] == sorted(str(path) for path in paths[2:4])
