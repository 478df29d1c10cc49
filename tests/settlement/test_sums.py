"""Amounts of money failures: known amounts are moved in complying rounds, and the findings must state them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.facade.evidence import decode_records
from tests.facade.results import Finding, Status
from tests.facade.rounds import check_batch, compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import Record, load_simulation, simulate_records
from tests.facade.submissions import build_configuration

HOUSE_BANKED = ("caribbean-draw", "co-rule10-3card-shine", "co-rule10-flushes-gone-wild", "s38")


def play(document: str, rounds: int) -> tuple[list[Record], Any]:
    regulation = load_regulation(document)
    prepared, simulation = compile_game(regulation), load_simulation(regulation)
    records = simulate_records(prepared, simulation, rounds=rounds, seed=11)

    def failures(changed: list[Record]) -> list[Finding]:
        batches, bad = decode_records(changed, file="log", games={document})
        assert not bad
        configuration = build_configuration(simulation.submission)
        found = [
            finding
            for batch in batches
            for verdict in check_batch(prepared, batch, configuration)
            for finding in verdict.findings
        ]
        return [finding for finding in found if finding.status is Status.FAIL]

    return records, failures


def bare(record: Record) -> Record:
    """Return a round without its events, whose summary may then be changed alone."""
    return {**record, "events": None, "meters": []}


@pytest.mark.parametrize("document", HOUSE_BANKED)
def test_what_was_withheld_or_given_away_is_what_the_findings_say(document: str) -> None:
    records, failures = play(document, 120)
    records = list(map(bare, records))
    before = failures(records)
    rng = random.Random(5)
    changes: dict[str, tuple[int, int]] = {}
    for record in records:
        stakes = [(seat["seat"], stake) for seat in record["seats"] for stake in seat["wagers"] if stake.get("paid")]
        if stakes:
            number, stake = rng.choice(stakes)
            change = rng.choice([-stake["paid"], -1, 1, 700])
            stake["paid"] += change
            changes[record["round"]] = number, change
    found = [failure for failure in failures(records) if failure not in before]
    told = 0
    for round_, (number, change) in changes.items():
        of_seat = [finding for finding in found if (finding.where.round, finding.where.seat) == (round_, number)]
        # If several cases are open, the case nearest to the actual payment gives the sum.
        of_seat = [event for event in of_seat if "whichever of these cases" not in event.expected]
        sums = {(event.owed, event.overpaid) for event in of_seat if event.owed is not None}
        if sums:  # the total payment may be within a limit, or open without events
            assert sums == {(max(-change, 0), max(change, 0))}
            told += 1
    assert told > 20


def test_what_is_not_about_money_has_no_sum() -> None:
    records, failures = play("co-rule10-3card-shine", 5)
    for record in records:
        for event in record["events"]:
            if event["event"] == "deal":
                event["face"] = "up"
    found = failures(records)
    assert found
    assert all(finding.owed is None and finding.overpaid is None for finding in found)


@pytest.mark.parametrize("document", ["co-rule10-3card-shine", "co-rule10-flushes-gone-wild"])
def test_each_configuration_has_results_of_its_own(document: str) -> None:
    regulation = load_regulation(document)
    shared, simulation = compile_game(regulation), load_simulation(regulation)
    records = simulate_records(shared, simulation, rounds=60, seed=3)
    [batch], _ = decode_records(records, file="log", games={document})
    stated = build_configuration(simulation.submission)
    higher = {
        line: tuple({row: replace(odds, value=odds.value * 2) for row, odds in rows.items()} for rows in tables)
        for line, tables in stated.pay_tables.items()
    }
    generous, silent = replace(stated, pay_tables=higher), replace(stated, data={}, options={}, offers=None)
    # More configurations than a game keeps results of, and the first once more.
    copies = [replace(stated, number=number) for number in range(20)]
    results = [check_batch(shared, batch, terms) for terms in (stated, generous, silent, None, *copies, stated)]
    for terms, result in zip((stated, generous, silent, None), results, strict=False):
        assert check_batch(compile_game(regulation), batch, terms) == result
    assert results[0] not in results[1:4]
    assert all(result == results[0] for result in results[4:])


def test_pots_are_summed_by_seat_and_rake_by_round() -> None:
    records, failures = play("poker-room", 60)
    checked = 0
    for record in records:
        awards = [event for event in record["events"] if event["event"] == "award"]
        rakes = [event for event in record["events"] if event["event"] == "rake"]
        if len(awards) != 1 or len(rakes) != 1 or awards[0]["amount"] < 200:
            continue
        seat = next(seat for seat in record["seats"] if seat["seat"] == awards[0]["seat"])
        awards[0]["amount"] -= 100
        seat["won"] = seat["won"] - 100 if "won" in seat else None
        seat.pop("stack-after", None)
        rakes[0]["amount"] += 100
        found = {(failure.requirement.split("/")[1], failure.owed, failure.overpaid) for failure in failures([record])}
        assert ("rake-not-above-the-sign", 100, 0) in found
        # The winner got the pots completely after the rake, so nothing else is owed.
        assert not [finding for finding in found if finding[0] in {"pots-add-up", "pots-to-the-winners"}]
        checked += 1
    assert checked > 5
