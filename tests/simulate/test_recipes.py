"""Recipes of faults in forms that no shipped requirement uses, and contradictory recipes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.rules.fault_model import Fault
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.simulation import Record, change_fields, list_planted, plan_faults, simulate_records
from tests.simulate.auditor import own, tips
from tests.simulate.helpers import load_first
from tests.simulate.oracle import compute_due, outcomes, story, without_exposures

NAME = "one-deck-in-the-round"


def with_fault(**fault: Any) -> CompiledGame:
    """Compile the game with another fault for one of its requirements."""
    regulation = load_first()[0].regulation
    recipe = Fault.model_validate(fault)
    requirements = [
        requirement.model_copy(update={"fault_": recipe}) if requirement.requirement == NAME else requirement
        for requirement in regulation.requirements
    ]
    return compile_game(replace(regulation, requirements=tuple(requirements)))


def pairs(**fault: Any) -> list[tuple[Record, Record]]:
    """Return rounds with the fault, each with the events derived from its summary."""
    simulation = load_first()[1]
    records = simulate_records(with_fault(**fault), simulation, rounds=40, seed=8, faults=[NAME], every=1)
    planted = [record for record in records if list_planted(record)]
    assert planted
    return [(record, {"events": story(record, packet=3)}) for record in planted]


@pytest.mark.parametrize(
    "stake", [{"wager": "ante", "less": 3}, {"wager": "ante", "more": 3}, {"wager": "super-6", "added": 7}]
)
def test_a_stake_changed_before_the_deal_is_played_as_it_stands(stake: dict[str, Any]) -> None:
    for record, pair in pairs(stake=stake):
        odd = [seat for seat in record["seats"] if any(amount % 500 for amount in own(seat).values())]
        assert len(odd) == 1
        mine = own(odd[0])
        assert mine.get("play", mine.get("ante")) == mine.get("ante")
        assert mine[stake["wager"]] % 500 == {"less": 200, "more": 300, "added": 200}[next(reversed(stake))]
        assert outcomes(record) == compute_due(record)
        assert without_exposures(record["events"]) == pair["events"]


def test_a_seat_made_to_stay_in_places_the_wager_that_goes_with_it() -> None:
    for record, pair in pairs(when=[{"decided": "fold"}, {"placed": "ante"}], decision="play"):
        assert all(own(seat)["play"] == own(seat)["ante"] for seat in record["seats"] if seat.get("decision") == "play")
        assert outcomes(record) == compute_due(record)
        assert without_exposures(record["events"]) == pair["events"]


def test_a_seat_made_to_fold_takes_back_what_it_wagered_to_stay() -> None:
    for record, pair in pairs(when={"decided": "play"}, decision="fold"):
        folded = [seat for seat in record["seats"] if seat.get("decision") == "fold"]
        assert folded and not any("play" in {**own(seat), **tips(seat)} for seat in folded)
        assert outcomes(record) == compute_due(record)
        assert without_exposures(record["events"]) == pair["events"]


@pytest.mark.parametrize(("side", "place"), [("before", 0), ("after", 1)])
def test_a_step_is_added_right_beside_another(side: str, place: int) -> None:
    for record, pair in pairs(insert={"step": "cut", side: "shuffle"}):
        pair["events"].insert(place, {"event": "cut", "by": "dealer"})
        assert without_exposures(record["events"]) == pair["events"]


def test_a_step_of_seats_is_added_once() -> None:
    for record, pair in pairs(insert={"step": "misdeal-of-a-player", "before": "shuffle"}):
        first = {"event": "misdeal", "place": "player", "seat": record["seats"][0]["seat"]}
        assert without_exposures(record["events"]) == [first, *pair["events"]]


def test_when_narrows_down_the_seats() -> None:
    when = [{"placed": "ante"}, {"not": {"placed": "pair-xxx"}}]
    for record, _ in pairs(when=when, stake={"wager": "ante", "more": 0.01}):
        odd = [seat for seat in record["seats"] if own(seat).get("ante", 0) % 100 == 1]
        assert len(odd) == 1 and "pair-xxx" not in own(odd[0])


def test_a_payment_where_nothing_is_due_is_made_on_the_wager_of_the_bonus() -> None:
    regulation = load_first()[0].regulation
    fault = regulation.find_requirement("fold-earns-no-ante-bonus").fault
    assert fault is not None and fault.pay == "over"
    records = simulate_records(*load_first(), rounds=60, seed=8, faults=["fold-earns-no-ante-bonus"], every=1)
    for record in records:
        (folded,) = [seat for seat in record["seats"] if seat.get("decision") == "fold" and seat["bonuses"]]
        assert folded["bonuses"] == [{"bonus": "ante-bonus", "paid": own(folded)["ante"]}]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"pay": "over"}, "it changes payments, which this requirement does not check"),
        ({"stake": {"wager": "ante-bonus", "more": 1}}, "`ante-bonus` is not a wager"),
        ({"stake": {"wager": "this", "more": 1}}, "`this` is not a wager"),
        (
            {"withdraw": {"step": "cut", "wager": "ante", "amount": 1, "after": "deal"}},
            "the step `cut` does not withdraw a wager",
        ),
        ({"upon": {"stake": {"wager": "none", "removed": True}}, "decision": "play"}, "`none` is not a wager"),
        (
            {"upon": {"stake": {"wager": "play", "more": 1}}, "stake": {"wager": "ante", "more": 1}},
            "the fault that must come before it belongs to a later stage",
        ),
        ({"insert": {"step": "deal", "after": "deal"}}, "the step `deal` cannot be recorded on its own"),
        ({"when": {"wager-is": ["ante"]}, "omit": "cut"}, "`when` must refer to rounds or seats"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_told(fault: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"the fault of `{NAME}` cannot be planted") as caught:
        plan_faults(with_fault(**fault), [NAME])
    assert str(caught.value).endswith(says)


def test_a_change_that_changes_nothing_is_not_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.validator.simulate.game_simulation.LONGEST_SEARCH", 3)
    prepared, simulation = with_fault(alter={"step": "cut", "face": "turned"}), load_first()[1]
    records = simulate_records(prepared, simulation, rounds=10, seed=8, faults=[NAME], every=1)
    assert not any(list_planted(record) for record in records)


def test_the_law_s_own_limit_is_what_a_fault_exceeds() -> None:
    prepared, simulation = load_first()
    wagers = [wager.model_copy(update={"maximum": 3000}) for wager in simulation.submission.wagers or []]
    submission = change_fields(simulation.submission, wagers=wagers)
    faults = {"faults": ["within-posted-limits"], "every": 1}
    for record in simulate_records(prepared, simulation, submission=submission, rounds=30, seed=8, **faults):
        assert max(own(seat).get("super-6", 0) for seat in record["seats"]) == 3100
