"""Local times and gaming days: by the calendar of the zone, in findings, sums, schedule and verification."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from fairdeal.validator.reports.letter import list_schedule
from fairdeal.validator.results.derived_results import GamingClock, apply_gaming_clock
from tests.facade.commands import run
from tests.facade.demo import DEMO
from tests.facade.reports import read_json
from tests.facade.results import EvidencePlace
from tests.reports import sample

DENVER = GamingClock(timezone="America/Denver", day_starts="06:00")


@pytest.mark.parametrize(
    ("clock", "time", "local", "day"),
    [
        (DENVER, "2026-03-02T20:00:00Z", "2026-03-02T13:00:00-07:00", "2026-03-02"),
        (DENVER, "2026-03-02T02:30:00Z", "2026-03-01T19:30:00-07:00", "2026-03-01"),
        (DENVER, "2026-03-02T12:59:59Z", "2026-03-02T05:59:59-07:00", "2026-03-01"),
        (DENVER, "2026-03-02T13:00:00Z", "2026-03-02T06:00:00-07:00", "2026-03-02"),
        (DENVER, "2026-03-08T09:00:00Z", "2026-03-08T03:00:00-06:00", "2026-03-07"),  # the clocks went forward
        (DENVER, "2026-03-02T13:00:00", "2026-03-02T13:00:00", "2026-03-02"),  # the log states no zone
        (
            GamingClock(timezone=None, day_starts="04:00"),
            "2026-03-02T03:00:00+01:00",
            "2026-03-02T03:00:00+01:00",
            "2026-03-01",
        ),
        (
            GamingClock(timezone="Asia/Tokyo", day_starts=None),
            "2026-03-02T20:00:00Z",
            "2026-03-03T05:00:00+09:00",
            "2026-03-03",
        ),
        (DENVER, "2026-03-02", None, None),
        (GamingClock(timezone="other", day_starts=None), "2026-03-02T20:00:00Z", None, None),
        (GamingClock(timezone=None, day_starts="other"), "2026-03-02T20:00:00Z", None, None),
        (DENVER, "0001-01-01T00:00:00Z", None, None),
        (DENVER, None, None, None),
        (DENVER, "nonsense of a file", None, None),
    ],
)
def test_a_time_has_its_local_time_and_gaming_day(
    clock: GamingClock, time: str | None, local: str | None, day: str | None
) -> None:
    where = clock.localize(EvidencePlace(time=time))
    assert (where.time, where.local, where.day) == (time, local, day)


def test_money_is_summed_by_gaming_day() -> None:
    finding = next(finding for finding in sample.FINDINGS if finding.owed)
    times = ("2026-03-02T12:00:00Z", "2026-03-01T20:00:00Z", "2026-03-02T20:00:00Z")
    findings = tuple(
        replace(finding, owed=owed, overpaid=0, where=replace(finding.where, time=time))
        for owed, time in zip((100, 20, 3), times, strict=True)
    )
    before = replace(sample.RESULTS, findings=findings)
    after = apply_gaming_clock(before, DENVER)
    assert after.money is not None and before.money is not None
    days = [total for total in after.money.sums if total.by == "day"]
    assert [(total.name, total.findings, total.owed) for total in days] == [
        ("2026-03-01", 2, 120),
        ("2026-03-02", 1, 3),
    ]
    others = [total for total in before.money.sums if total.by != "day"]
    assert [total for total in after.money.sums if total.by != "day"] == others
    rows = list(list_schedule(after))
    assert [(row.day, row.time) for row in rows] == [
        ("2026-03-01", "2026-03-02 05:00:00-07:00"),
        ("2026-03-01", "13:00:00-07:00"),
        ("2026-03-02", "13:00:00-07:00"),
    ]


def test_an_audit_with_a_gaming_day_changes_nothing_else_and_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    evidence = (str(DEMO / "hand-log.jsonl"), "-s", str(DEMO / "submission.yaml"))
    run("audit", *evidence, "-o", "json:plain.json")
    clock = ("--timezone", "Asia/Tokyo", "--day-starts", "06:00")
    run("audit", *evidence, *clock, "-o", "json:local.json", "-o", "html:local.html")
    plain, local = read_json("plain.json"), read_json("local.json")
    assert [finding.id for finding in plain.findings] == [finding.id for finding in local.findings]
    assert [finding.where.time for finding in plain.findings] == [finding.where.time for finding in local.findings]
    played = [finding.where for finding in local.findings if finding.where.round is not None]
    assert played
    assert all(where.local and where.local.endswith("+09:00") for where in played)
    assert local.verdict == plain.verdict
    assert "\nx " not in run("verify", "local.json", evidence[0], evidence[2]).text


@pytest.mark.parametrize(
    ("option", "value"),
    [("--timezone", "Mars/Base"), ("--timezone", "../../etc/passwd"), ("--timezone", ""), ("--day-starts", "24:00")],
)
def test_a_clock_that_is_none_is_refused(option: str, value: str) -> None:
    refused = run("check", str(DEMO / "submission.yaml"), option, value)
    assert refused.code == 2
    assert "time zone" in refused.err or "time of day" in refused.err
