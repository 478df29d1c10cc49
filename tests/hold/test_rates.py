"""Rates of violations by dealer, shift, month and table; the pace of tables; drop sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fairdeal.validator.hold.hold_files import (
    RoundGroup,
    RoundSums,
    compare_drops,
    compare_rates,
    compute_tail,
    read_drop_sheet,
)
from fairdeal.validator.results.game_statistics import RateUnit, RoundRate, Statistics
from fairdeal.validator.text.source import decode_source
from tests.facade.commands import run
from tests.facade.results import Finding
from tests.hold.logs import rounds, write_log
from tests.reports.test_schedule import violation

Made = Callable[..., Statistics]
DEALERS = ("Ann", "Bea", "Cid", "Dan", "Eve", "Fay")


def find_in(round_: int, dealer: str, **changes: Any) -> Finding:
    return violation(
        where={"casino": "A", "table": "T1", "round": f"R-{round_}", "context": {"dealer": dealer}}, **changes
    )


def compare_dealers(played: dict[str, int], findings: Iterator[Finding] | list[Finding]) -> dict[str, RoundRate]:
    document = violation().document
    counts = {
        RoundGroup(RateUnit.DEALER, document, "A", ("T1", None), name): RoundSums(rounds=n)
        for name, n in played.items()
    }
    return {rate.name: rate for rate in compare_rates(counts, findings, 0.95)}


def test_a_round_counts_once_and_each_of_its_violations_in_the_rate() -> None:
    twice = [find_in(1, "Ann"), find_in(1, "Ann"), find_in(2, "Bea")]
    not_counted = [find_in(3, "Ann", version=1), find_in(4, "Ann", waived=violation().waived or None, owed=None)]
    rates = compare_dealers({"Ann": 100, "Bea": 300}, [*twice, *not_counted[:1]])
    ann = rates["Ann"]
    assert (ann.rounds, ann.violations, ann.violated, ann.per_thousand) == (100, 2, 1, 20.0)
    # Of 400 rounds two are violated; at least one of them is among Ann's 100.
    assert ann.p == pytest.approx(1 - (300 * 299) / (400 * 399), rel=1e-5)
    exact = stats.binomtest(1, 100).proportion_ci(0.95, "exact")
    assert ann.interval == pytest.approx((1_000 * exact.low, 1_000 * exact.high), abs=1e-3)
    assert compare_dealers({"Ann": 100}, twice[:2])["Ann"].why == "nothing to compare with"
    assert compare_dealers({"Ann": 100, "Bea": 10}, [])["Ann"].why == "no violation"


def test_a_dealer_is_compared_with_the_others_at_the_same_table() -> None:
    """The dealer of a table where everybody has violations does not stand out; numbers of tables add up."""
    rng = np.random.default_rng(7)
    strata = [(120, 30, 400), (50, 2, 500)]  # own rounds, violated rounds and rounds of each table
    drawn = np.sum(
        [rng.hypergeometric(own, played - own, violated, 200_000) for own, violated, played in strata], axis=0
    )
    for number in (5, 9, 14):
        assert compute_tail(strata, number) == pytest.approx(np.mean(drawn >= number), abs=4e-3)
    assert compute_tail([(300, 60, 300), (10, 0, 900)], 60) == 1.0


def test_honest_dealers_are_conspicuous_no_more_often_than_promised() -> None:
    """All dealers are alike: shares of p below a level are at most the level, and near it for many violations."""
    rng, chances = np.random.default_rng(39), list[float]()
    for _ in range(60):
        played = dict(zip(DEALERS, rng.integers(300, 1_500, len(DEALERS)).tolist(), strict=True))
        dealers = np.repeat(DEALERS, list(played.values()))
        violated = np.flatnonzero(rng.random(len(dealers)) < rng.choice([0.003, 0.02, 0.1]))
        rates = compare_dealers(played, [find_in(number, str(dealers[number])) for number in violated.tolist()])
        chances += [rate.p for rate in rates.values() if rate.p is not None]
    shares = {level: np.mean(np.array(chances) <= level) for level in (0.01, 0.05, 0.2, 0.5)}
    assert all(share <= level + 3 * np.sqrt(level / len(chances)) for level, share in shares.items()), shares
    assert shares[0.5] > 0.3


def test_a_dealer_with_more_violations_is_named_and_an_audit_shows_rates_and_pace(house: str, tmp_path: Any) -> None:
    def overpay(record: dict[str, Any], rng: np.random.Generator) -> None:
        wagers = record["seats"][0]["wagers"]
        if record["context"]["dealer"] == "Cid" and rng.random() < 0.2:
            wagers[0]["paid"] += 500

    log = write_log(
        tmp_path / "log.jsonl",
        *(rounds(60, seed, dealer=name, table=f"S{seed % 2}", change=overpay) for seed, name in enumerate(DEALERS)),
    )
    page = tmp_path / "report.html"
    told = run("audit", log, "-s", house, "--statistics", "-o", "text", "-o", f"html:{page}", "-q").text
    assert "rates: 5 rates of violations compared with other rounds of the casino" in told
    assert "too far out for luck: violations, dealer Cid" in told
    assert not any(f"violations, dealer {name}" in told for name in DEALERS if name != "Cid")
    assert "Rounds and violations" in page.read_text("utf-8")
    counted = run("hold", log, "-s", house, "-q").text
    assert "Rounds and violations" in counted
    assert "violations, dealer" not in counted


def test_the_pace_of_a_table_is_that_of_its_time_in_play(statistics: Made) -> None:
    with_pause = [*rounds(30, 1, table="S1"), *rounds(30, 2, table="S1", day="2026-03-04", dealer="Eve")]
    (rate,) = statistics(iter(with_pause)).rates
    assert (rate.by, rate.name, rate.rounds, rate.violations) == (RateUnit.TABLE, "S1", 60, None)
    assert rate.pace == 60.0  # a round a minute, and nothing on the day between


SHEET = 'Table,Day,Drop,Win\nS1,2026-03-02,"$1,000",$200\nS1,2026-03-03,1000,(100.00)\nS1,2026-03-04,2000,500\n'


def test_win_to_drop_is_compared_with_the_table_and_with_the_log(statistics: Made) -> None:
    found = statistics(rounds(50, 7, table="S1"), filed=False)
    drops = compare_drops(read_drop_sheet(decode_source("drop.csv", SHEET.encode()), "USD"), found)
    assert [(row.day, row.drop, row.win, row.win_to_drop) for row in drops] == [
        ("2026-03-02", 100_000, 20_000, 0.2),
        ("2026-03-03", 100_000, -10_000, -0.1),
        ("2026-03-04", 200_000, 50_000, 0.25),
    ]
    assert {row.of_table for row in drops} == {0.15}
    logged = sum(hold.win for hold in found.hold if hold.by == "day" and hold.day == "2026-03-02")
    assert [row.logged_win for row in drops] == [logged, None, None]
    # Residuals 5,000, -25,000 and 20,000 over drops of 1, 1 and 2 parts of 4.
    spread = np.sqrt((5_000**2 / 1 + 25_000**2 / 1 + 20_000**2 / 2) / 2)
    assert [row.off for row in drops] == pytest.approx(
        [5_000 / (spread * np.sqrt(3 / 4)), -25_000 / (spread * np.sqrt(3 / 4)), 20_000 / spread], abs=1e-4
    )


def test_a_drop_sheet_that_cannot_be_read_is_explained(house: str, tmp_path: Any) -> None:
    log, sheet = write_log(tmp_path / "log.jsonl", rounds(5, 1)), tmp_path / "drop.csv"
    for text, words in (
        ("table,day,drop\nS1,2026-03-02,5\n", "no column `win`"),
        ("table,day,drop,win\nS1,March 2,5,1\n", "drop.csv:2"),
        ("table,day,drop,win\nS1,2026-03-02,5,lots\n", "is not an amount"),
        ("table,day,drop,win\nS1,2026-03-02,5,1\nS1,2026-03-02,5,1\n", "listed twice"),
    ):
        sheet.write_text(text)
        told = run("hold", log, "-s", house, "--drop", sheet, "-q")
        assert told.code == 3, text
        assert words in told.err, told.err
    sheet.write_text(SHEET)
    page = tmp_path / "hold.html"
    told = run("hold", log, "-s", house, "--drop", sheet, "-q", "-o", "text", "-o", f"html:{page}")
    assert told.code == 0
    assert "-10.00 %" in told.text
    assert "Drop sheet" in page.read_text("utf-8")
