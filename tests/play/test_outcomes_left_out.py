"""Rounds whose summary omits amounts paid and taken are evaluated by the events that record them."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fairdeal.api import Finding, audit, load_rulebook
from tests.facade.commands import run
from tests.facade.results import Results, Status, skip_explanations
from tests.facade.rounds import compile_game
from tests.facade.rules import find_needed_readings, list_games
from tests.facade.simulation import Record, is_plantable, load_simulation, simulate_records

RULEBOOK = load_rulebook()
GAMES = sorted(
    game for game in list_games() if (rules := RULEBOOK.regulation(game).game) is not None and rules.settlement.order
)
ROUNDS = 60


@cache
def faulty_rounds(game: str) -> Sequence[Record]:
    """Return simulated rounds of a game, every second of which breaks a requirement."""
    regulation = RULEBOOK.regulation(game)
    simulation = load_simulation(regulation)
    wanted = (
        rule for rule in regulation.requirements if is_plantable(rule) and not find_needed_readings(regulation, rule)
    )
    faults = tuple(rule.requirement for rule in wanted)
    return simulate_records(
        compile_game(regulation),
        simulation,
        submission=simulation.submission,
        rounds=ROUNDS,
        seed=7,
        faults=faults,
        every=2,
    )


def leave_out(record: Record, *keys: str) -> Record:
    """Return a record whose summary leaves out some keys of stakes; with `paid`, bonuses too."""
    found = copy.deepcopy(record)
    for seat in found["seats"]:
        for stake in seat["wagers"]:
            for key in keys:
                stake.pop(key, None)
        if "paid" in keys:
            seat.pop("bonuses", None)
    return found


def find(game: str, records: Sequence[Record], *, as_parquet: bool = False) -> Results:
    submission = load_simulation(RULEBOOK.regulation(game)).submission
    with TemporaryDirectory() as name:
        log, house = Path(name, "log.jsonl"), Path(name, "house.yaml")
        log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        house.write_text(submission.model_dump_json(by_alias=True, exclude_unset=True), "utf-8")
        if as_parquet:
            assert run("convert", str(log), "-o", str(Path(name, "store"))).code == 0
            (log,) = Path(name, "store").rglob("*.parquet")  # of one casino and day
        with skip_explanations():
            return audit(RULEBOOK, log, submissions=[house])


def failures(results: Results) -> list[str]:
    """Return the failures without their places in the log."""

    def words(finding: Finding) -> str:
        where = finding.where
        place = where.round, where.seat, where.wager, where.event
        return f"{finding.requirement} {place} {finding.observed} {finding.owed} {finding.overpaid}"

    return sorted(words(finding) for finding in results.findings if finding.status is Status.FAIL)


@cache
def failures_without(game: str, *keys: str) -> list[str]:
    """Return the failures of the faulty rounds of a game whose summary leaves out some keys."""
    return failures(find(game, [leave_out(record, *keys) for record in faulty_rounds(game)]))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("keys", [("paid", "taken"), ("paid",), ("taken",)], ids="-".join)
def test_the_same_is_found_without_outcomes_in_the_summary(game: str, keys: Sequence[str]) -> None:
    found = failures_without(game)
    assert any("None None" not in line for line in found)  # of money too
    assert failures_without(game, *keys) == found


@pytest.mark.parametrize("game", GAMES)
def test_parquet_and_json_lines_give_the_same(game: str) -> None:
    records = [leave_out(record, "paid", "taken") for record in faulty_rounds(game)]
    assert failures(find(game, records, as_parquet=True)) == failures_without(game, "paid", "taken")


@pytest.mark.parametrize("game", GAMES)
def test_money_is_open_where_its_events_are_not_recorded_or_the_record_stops(game: str) -> None:
    records = [leave_out(record, "paid", "taken") for record in faulty_rounds(game)]
    unrecorded = [record | {"unrecorded": ["pay", "collect"]} for record in records]
    stopped = [record | {"complete": False} for record in records]
    for partial in (unrecorded, stopped):
        assert not any(finding.owed or finding.overpaid for finding in find(game, partial).findings)


def test_a_stake_that_was_put_back_is_not_taken() -> None:
    game, kept = "s38", 0
    for record in faulty_rounds(game):
        story = copy.deepcopy(leave_out(record, "paid", "taken"))
        paid = next((event for event in story["events"] if event["event"] == "pay"), None)
        if record.get("annotations", {}).get("planted") or paid is None:
            continue
        stakes = next(seat["wagers"] for seat in story["seats"] if seat["seat"] == paid["seat"])
        amount = next(stake["amount"] for stake in stakes if stake["wager"] == paid["wager"])
        moved = {"seat": paid["seat"], "wager": paid["wager"], "amount": amount}
        at = story["events"].index(paid)
        story["events"][at:at] = [{"event": "collect"} | moved, {"event": "return"} | moved]
        money = [finding for finding in find(game, [story]).findings if finding.owed or finding.overpaid]
        assert not money
        kept += 1
        if kept == 10:
            return
    raise AssertionError("too few rounds with a payment")
