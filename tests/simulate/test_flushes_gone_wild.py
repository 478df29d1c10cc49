"""Flushes Gone Wild: a clean run has no finding and pays by the clauses, a fault is found by its own requirement."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from fairdeal.api import load_rulebook
from tests.facade.evidence import to_lines
from tests.facade.results import Evidence, Status
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import Profile, apply_profile, load_regulation
from tests.facade.simulation import (
    Record,
    Simulation,
    StackedHand,
    audit_log,
    change_fields,
    compare_planted_and_failed,
    is_plantable,
    judge_rounds,
    list_planted,
    load_simulation,
    simulate,
    simulate_log,
)
from tests.facade.submissions import Submission
from tests.simulate.flushes_oracle import (
    ADDED,
    cards_in,
    compute_due,
    five,
    list_stakes,
    meter_hands,
    read_meter,
    read_outcome,
    still_in,
)

GAME = "co-rule10-flushes-gone-wild"
FOLLOWS = {
    # The Play wager that is settled wrongly goes with a fold, where none is allowed.
    "folded-hand-keeps-its-play-wager": {"play-only-when-staying"},
    # The decision to stay lacks its Play wager before Ante and Blind can be settled wrongly.
    "hand-without-a-play-wager": {"play-only-when-staying"},
}
OTHER_READINGS = {
    "one-decision": ("decision-said-again", "once"),
    "misdeal-declared-once": ("misdeal-said-again", "once"),
    "shuffled-by-the-dealer": ("shuffled-by-a-machine", "dealer-only"),
}
"""Requirements that never apply as the text is read, and the option under which they do."""
UNDER_ANOTHER = {"progressive-is-offered", *OTHER_READINGS}
"""Faults that need another reading, or another house than the shipped one, which offers every wager."""


@cache
def game() -> tuple[CompiledGame, Simulation]:
    regulation = load_regulation(GAME)
    return compile_game(regulation), load_simulation(regulation)


PLANTABLE = [requirement.requirement for requirement in game()[0].regulation.requirements if is_plantable(requirement)]
SPANNING = {
    requirement.requirement
    for requirement in game()[0].regulation.requirements
    if requirement.evidence is Evidence.SESSION
}
FOUND_HERE = [name for name in PLANTABLE if name not in UNDER_ANOTHER | SPANNING]


class Run:
    """Rounds as log records, and the requirements that fail in each."""

    def __init__(
        self, submission: Submission, simulation: Simulation, prepared: CompiledGame | None = None, **run: Any
    ) -> None:
        prepared = prepared or game()[0]
        self.records: list[Record] = []
        batches = []
        for batch, names in simulate(prepared, simulation, submission=submission, **run):
            self.records += map(json.loads, to_lines(batch, names).splitlines())
            batches.append(batch)
        self.statuses, self.failed = judge_rounds(prepared, batches, submission)

    def failures_of(self, name: str) -> list[set[str]]:
        """Return the failures of the rounds in which a requirement was planted."""
        full = f"{GAME}/{name}"
        return [
            failed for record, failed in zip(self.records, self.failed, strict=True) if full in list_planted(record)
        ]


def play(submission: Submission | None = None, stacked: list[StackedHand] | None = None, **run: Any) -> Run:
    simulation = game()[1]
    if stacked is not None:
        simulation = simulation.model_copy(update={"stacked": stacked})
    return Run(submission or simulation.submission, simulation, **run)


@cache
def clean(dealing: str = "in-packets") -> Run:
    return play(change_fields(game()[1].submission, dealing=dealing), rounds=1_200, seed=20)


@cache
def faulty() -> Run:
    """Plant every fault in turn, in every second round."""
    return play(rounds=2 * 3 * len(FOUND_HERE), seed=21, faults=FOUND_HERE, every=2)


def test_what_can_be_planted() -> None:
    on_rounds = {
        requirement.requirement
        for requirement in game()[0].regulation.requirements
        if requirement.evidence in {Evidence.ROUND, Evidence.SESSION}
    }
    assert on_rounds - {*PLANTABLE} == {
        # The text leaves the amount due to the licensee, so no payment is wrong.
        "several-meter-pays",
        # Two hands that are paid from the meter do not come about in one round.
        "each-meter-pay-is-paid",
        "meter-reseeded-beside-other-pays",
        # The simulated house has one deck.
        "one-deck-round-after-round",
        # An Ante above its limits is a lapse by itself only with a Blind and a Play wager to match.
        "ante-within-limits",
        # No simulated deal passes anybody over, or stops.
        "deal-carried-through",
    }


@pytest.mark.parametrize("dealing", ["in-packets", "one-at-a-time"])
def test_a_clean_run_breaks_nothing_and_proves_what_it_can(dealing: str) -> None:
    run = clean(dealing)
    assert not any(run.failed)
    assert {status for _, status in run.statuses} == {Status.PASS, Status.NOT_APPLICABLE}
    passed = {name for name, status in run.statuses if status is Status.PASS}
    of_packets = {"community-cards-three-and-four", "community-hand-made-in-its-turn", "rest-of-the-deck-discarded"}
    assert {name for name, _ in run.statuses} - passed == (of_packets if dealing == "one-at-a-time" else set()) | {
        "folded-hand-keeps-its-play-wager",
        "hand-without-a-play-wager",
        "only-winners-keyed-in",
        "several-meter-pays",
        "each-meter-pay-is-paid",
        "meter-reseeded-beside-other-pays",
        "wagers-stay-after-the-deal",
        "shuffled-by-the-dealer",
        "misdeal-declared-once",
    }


def test_every_stake_of_a_clean_run_is_settled_by_the_clauses() -> None:
    last: dict[str, int] = {}
    for record in clean().records:
        assert read_outcome(record) == compute_due(record), record["round"]
        (meter,) = record["meters"]
        assert meter["opening"] == last.get(record["table"], meter["opening"])
        fed = sum("progressive" in list_stakes(seat) for seat in record["seats"])
        assert meter["shown"] == meter["opening"] + ADDED * fed
        assert meter_hands(record) < 2 and meter["closing"] == read_meter(record)
        last[record["table"]] = meter["closing"]


def test_every_row_of_every_table_is_paid_in_a_clean_run() -> None:
    rates: dict[str, set[float]] = {name: set() for name in ("blind", "flush-rush", "progressive", "envy")}
    folders, void = set[float](), Counter[str]()
    for record in clean().records:
        for seat in record["seats"]:
            stakes = list_stakes(seat)
            for wager in [*seat["wagers"], *seat["bonuses"]]:
                name = wager.get("wager") or wager["bonus"]
                if wager["paid"] and name in rates:
                    rates[name].add(wager["paid"] / stakes.get(name, 500))
                    folders |= (
                        {wager["paid"] / stakes[name]} if seat.get("decision") == "fold" and name in stakes else set()
                    )
            if "progressive" in stakes and len(cards_in(record["dealer"])) != 5 and still_in(seat):
                void[five(cards_in(seat["cards"]))] += 1
    assert rates["blind"] == {200, 25, 5, 3}
    assert rates["flush-rush"] == {250, 100, 50, 10, 6, 3, 1}
    assert {300, 50, 40, 30, 9} < rates["progressive"]
    assert rates["envy"] == {1000, 300}
    assert folders >= {6, 3, 1}
    assert void["nothing"] and sum(void.values()) > void["nothing"]


@pytest.mark.parametrize("name", FOUND_HERE)
def test_a_fault_is_found_by_its_requirement_and_what_follows_from_it(name: str) -> None:
    found = faulty().failures_of(name)
    assert len(found) >= 3
    assert all(failed == {name} | FOLLOWS.get(name, set()) for failed in found)


@pytest.mark.parametrize("name", sorted(SPANNING & {*PLANTABLE}))
def test_what_spans_rounds_is_found_in_its_round(name: str) -> None:
    prepared, simulation = game()
    log = simulate_log(prepared, simulation, rounds=64, seed=21, faults=[name], every=8)
    planted, failed = compare_planted_and_failed(log, audit_log(load_rulebook(), log, simulation.submission))
    assert len(planted[name]) == 8
    assert failed == {fault: {name} for fault in planted[name]}


def test_nothing_is_found_where_nothing_was_planted() -> None:
    run = faulty()
    assert not any(failed for record, failed in zip(run.records, run.failed, strict=True) if not list_planted(record))
    # The final hands are not shown where play continues with a community hand of two cards.
    assert {status for _, status in run.statuses} == {
        *(Status.PASS, Status.NOT_APPLICABLE, Status.FAIL),
        Status.NOT_EVIDENCED,
    }
    unsettled = len(run.failures_of("community-hand-of-two"))
    assert all(count <= unsettled for (_, status), count in run.statuses.items() if status is Status.NOT_EVIDENCED)


@pytest.mark.parametrize(("name", "reading"), OTHER_READINGS.items())
def test_what_another_reading_asks_is_found_under_it(name: str, reading: tuple[str, str]) -> None:
    choice = {"document": GAME, "reading": reading[0], "is": reading[1]}
    profile = Profile.model_validate({"profile": "other", "title": "Another authority", "choices": [choice]})
    prepared, (_, simulation) = compile_game(apply_profile(load_regulation(GAME), profile)), game()
    run = Run(simulation.submission, simulation, prepared=prepared, rounds=32, seed=22, faults=[name], every=4)
    assert run.failures_of(name) == [{name}] * 8
    assert sum(map(bool, run.failed)) == 8


def test_a_progressive_wager_where_the_house_offers_none() -> None:
    submission = game()[1].submission
    gone = {"progressive", "envy"}
    without = change_fields(
        submission,
        wagers=[wager for wager in submission.wagers or [] if wager.wager not in gone],
        pay_tables=[pay_table for pay_table in submission.pay_tables or [] if pay_table.pays not in gone],
    )
    run = play(without, rounds=80, seed=22, faults=["progressive-is-offered"], every=4)
    assert len(run.failures_of("progressive-is-offered")) == 20
    assert all(failed == {"progressive-is-offered"} for failed in run.failures_of("progressive-is-offered"))
    assert sum(map(bool, run.failed)) == 20
    assert not play(rounds=40, seed=22, faults=["progressive-is-offered"], every=4).failures_of(
        "progressive-is-offered"
    )


def test_a_round_dealt_otherwise_is_a_round_of_the_other_way() -> None:
    for dealing, size in (("in-packets", 2), ("one-at-a-time", 5)):
        submission = change_fields(game()[1].submission, dealing=dealing)
        run = play(submission, rounds=40, seed=23, faults=["dealt-as-submitted"], every=2)
        assert run.failures_of("dealt-as-submitted") == [{"dealt-as-submitted"}] * 20
        for record in run.records:
            assert read_outcome(record) == compute_due(record)
            assert (len(cards_in(record["community"])) == size) == bool(list_planted(record))


def test_two_envy_hands_are_paid_twice_and_two_meter_hands_are_left_to_the_house() -> None:
    other = {"hand": "own-five", "is": "straight-flush"}
    run = play(
        stacked=[StackedHand.model_validate({**other, "chance": 600, "beside": [other]})],
        rounds=300,
        seed=24,
        seats=(3, 6),
    )
    assert not any(run.failed)
    several = sum(meter_hands(record) > 1 for record in run.records)
    assert run.statuses["several-meter-pays", Status.NOT_EVIDENCED] == several > 10
    assert {name for name, status in run.statuses if status is Status.NOT_EVIDENCED} == {"several-meter-pays"}
    twice = 0
    for record in run.records:
        of_others = {key: amount for key, amount in read_outcome(record).items() if key[1] == "envy"}
        assert of_others == {key: amount for key, amount in compute_due(record).items() if key[1] == "envy"}
        twice += 300_000 in of_others.values()
    assert twice > 10
