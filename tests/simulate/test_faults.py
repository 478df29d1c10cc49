"""Faults: each breaks its own requirement where it is planted, breaks no other, and changes nothing elsewhere."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.facade.results import Evidence
from tests.facade.rounds import CompiledGame
from tests.facade.simulation import Record, Simulation, change_fields, list_planted, plan_faults, simulate_records
from tests.simulate.auditor import violations
from tests.simulate.helpers import (
    FOLLOWS,
    GAME,
    IN_ANOTHER_HOUSE,
    house_for,
    list_plantable,
    list_read_otherwise,
    load_first,
)
from tests.simulate.oracle import cards_in, compute_due, outcomes, story, without_exposures

REQUIREMENTS = load_first()[0].regulation.requirements
NEVER_PLANTED = {
    "packets-from-the-device",
    "deal-carried-through",
    "one-deck-round-after-round",
    "folded-cards-racked-whole",
}
"""Requirements without a planted breach.

Only the house with packets records who dispensed them. No simulated deal skips a seat or stops. The simulated house
has one deck and racks no cards of a fold.
"""
PLANTABLE = list_plantable()
IN_ONE_HOUSE = [name for name in PLANTABLE if name not in IN_ANOTHER_HOUSE]
ROUNDS, EVERY, SEED = 32, 4, 10


@cache
def clean_run(fault: str | None = None) -> list[Record]:
    """Return rounds without faults of the house in which a fault can be planted."""
    prepared, simulation = load_first()
    return simulate_records(prepared, simulation, submission=house_for(fault), rounds=ROUNDS, seed=SEED)


@cache
def faulty_run(name: str) -> list[Record]:
    prepared, simulation = load_first()
    run = {"submission": house_for(name), "rounds": ROUNDS, "seed": SEED}
    return simulate_records(prepared, simulation, **run, faults=[name], every=EVERY)


def recipe(name: str) -> str:
    fault = load_first()[0].regulation.find_requirement(name).fault
    assert fault is not None
    return fault.operator


def broken(name: str) -> list[Record]:
    return [record for record in faulty_run(name) if list_planted(record)]


def list_by_operator(operator: str) -> list[str]:
    return [name for name in PLANTABLE if recipe(name) == operator]


def test_what_can_be_planted() -> None:
    on_rounds = {name.requirement for name in REQUIREMENTS if name.evidence in {Evidence.ROUND, Evidence.SESSION}}
    assert on_rounds - list_read_otherwise() - NEVER_PLANTED == {*PLANTABLE}
    assert {recipe(name) for name in PLANTABLE} == {
        "alter",
        "card",
        "dealt",
        "decision",
        "hands-of-one",
        "insert",
        "move",
        "omit",
        "pay",
        "stake",
        "swap",
        "withdraw",
    }


def test_clean_rounds_break_nothing() -> None:
    assert [record["round"] for record in clean_run() if violations(record)] == []


@pytest.mark.parametrize("name", PLANTABLE)
def test_a_fault_breaks_its_requirement_and_no_other(name: str) -> None:
    for record in broken(name):
        assert list_planted(record) == [f"{GAME}/{name}"]
        offered = {wager.wager for wager in house_for(name).wagers or []}
        assert violations(record, offered, house_for(name).dealing) == {name} | FOLLOWS.get(name, set()), record


@pytest.mark.parametrize("name", PLANTABLE)
def test_a_fault_is_planted_in_every_nth_round_and_the_others_stay_as_they_were(name: str) -> None:
    planted = [at for at, record in enumerate(faulty_run(name)) if list_planted(record)]
    # Where the fault seldom fits, the last of these rounds stay clean.
    assert planted == list(range(0, ROUNDS, EVERY))[: len(planted)]
    assert len(planted) >= 3
    for at, (record, clean) in enumerate(zip(faulty_run(name), clean_run(name), strict=True)):
        if at in planted:
            assert [record[key] for key in ("round", "table", "time")] == [
                clean[key] for key in ("round", "table", "time")
            ]
        else:
            assert record == clean


@pytest.mark.parametrize("name", [name for name in PLANTABLE if recipe(name) != "pay"])
def test_what_follows_from_a_fault_is_settled_as_it_stands(name: str) -> None:
    for record in broken(name):
        told = {key: value for key, value in outcomes(record).items() if key[1] != "side-wager"}
        assert told == compute_due(record)


@pytest.mark.parametrize("name", list_by_operator("pay"))
def test_a_wrong_payment_is_one_stake_off_in_the_direction_of_its_recipe(name: str) -> None:
    fault = load_first()[0].regulation.find_requirement(name).fault
    assert fault is not None
    for record in broken(name):
        told, wanted = outcomes(record), compute_due(record)
        off = [key for key in told.keys() | wanted.keys() if told.get(key, (0, 0)) != wanted.get(key, (0, 0))]
        assert len(off) == 1
        (paid, taken), (due_paid, due_taken) = told.get(off[0], (0, 0)), wanted.get(off[0], (0, 0))
        assert ((paid - taken) > (due_paid - due_taken)) == (fault.pay == "over")


@pytest.mark.parametrize(
    "name", [name for kind in ("pay", "decision", "hands-of-one", "card") for name in list_by_operator(kind)]
)
def test_the_story_tells_what_was_played(name: str) -> None:
    for record in broken(name):
        assert without_exposures(record["events"]) == story(record, packet=3)


@pytest.mark.parametrize("name", list_by_operator("stake"))
def test_the_story_tells_the_stakes_as_they_are(name: str) -> None:
    for record in broken(name):
        assert without_exposures(record["events"]) == story(record, packet=3)


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("shuffle-before-the-deal", {"shuffle"}),
        ("cut-after-the-shuffle", {"cut"}),
        ("dealer-shows-the-hand", {"reveal"}),
        ("folded-cards-tucked", {"tuck"}),
    ],
)
def test_an_omitted_step_is_all_that_is_missing(name: str, missing: set[str]) -> None:
    for record in broken(name):
        whole = story(record, packet=3)
        kept = [event for event in whole if event["event"] not in missing]
        assert without_exposures(record["events"]) == kept and len(kept) < len(whole)


def test_an_omitted_cover_leaves_the_card_shown() -> None:
    for record in broken("exposed-card-turned-over"):
        kinds = Counter(event["event"] for event in record["events"])
        assert kinds["expose"] == 1 and kinds["turn-down"] == 0


@pytest.mark.parametrize("name", list_by_operator("move") + list_by_operator("swap"))
def test_a_step_out_of_place_is_told_all_the_same(name: str) -> None:
    for record in broken(name):
        told, wanted = without_exposures(record["events"]), story(record, packet=3)
        assert told != wanted
        assert Counter(map(str, told)) == Counter(map(str, wanted))


@pytest.mark.parametrize("name", list_by_operator("alter"))
def test_an_altered_event_is_all_that_differs(name: str) -> None:
    packet = 1 if house_for(name).dealing == "one-at-a-time" else 3
    for record in broken(name):
        told, wanted = without_exposures(record["events"]), story(record, packet=packet)
        differing = [(record, other) for record, other in zip(told, wanted, strict=True) if record != other]
        assert len(differing) == 1
        one, other = differing[0]
        assert one["event"] == other["event"] and len(one.items() ^ other.items()) == 2


def test_a_misdeal_without_a_cause_is_all_that_is_added() -> None:
    for record in broken("no-misdeal-without-a-miscount"):
        told, wanted = without_exposures(record["events"]), story(record, packet=3)
        last = max(at for at, event in enumerate(wanted) if event["event"] == "deal")
        assert told == [*wanted[: last + 1], {"event": "misdeal", "place": "table"}, *wanted[last + 1 :]]


def test_cards_racked_too_early_are_all_that_is_added() -> None:
    for record in broken("rack-after-all-folds"):
        told, wanted = without_exposures(record["events"]), story(record, packet=3)
        first_fold = next(at for at, event in enumerate(wanted) if event.get("decision") == "fold")
        racked = {"event": "collect-cards", "place": "player", "seat": record["seats"][0]["seat"]}
        (added,) = [event for event in told if event["event"] == "collect-cards"]
        assert sorted(cards_in(added.pop("cards"))) == sorted(cards_in(record["seats"][0]["cards"]))
        assert added == racked
        assert told == [*wanted[:first_fold], added, *wanted[first_fold:]]


def test_a_removed_wager_takes_its_tip_along() -> None:
    for record in broken("play-only-when-staying"):
        bare = [seat for seat in record["seats"] if seat.get("decision") == "play"]
        bare = [seat for seat in bare if "play" not in {wager["wager"] for wager in seat["wagers"]}]
        assert len(bare) == 1


def test_a_stake_above_the_maximum_is_above_by_what_the_recipe_says() -> None:
    for record in broken("within-posted-limits"):
        stakes = [
            wager["amount"] for seat in record["seats"] for wager in seat["wagers"] if wager["wager"] == "super-6"
        ]
        assert max(stakes) == 10100


def test_a_card_is_repeated_from_the_first_seat_to_the_dealer() -> None:
    for record in broken("one-deck-in-the-round"):
        assert record["dealer"][:2] == record["seats"][0]["cards"][:2]


def test_all_hands_are_one_players() -> None:
    for record in broken("two-hands-at-most"):
        assert len({seat["player"] for seat in record["seats"]}) == 1 and len(record["seats"]) >= 3


def test_several_faults_take_turns(first_game: CompiledGame, simulation: Simulation) -> None:
    names = ["play-equals-ante", "cut-after-the-shuffle", f"{GAME}/tips-offered"]
    records = simulate_records(first_game, simulation, rounds=90, seed=2, faults=names, every=5)
    planted = [list_planted(record) for record in records]
    wanted = [f"{GAME}/{name.removeprefix(f'{GAME}/')}" for name in names]
    assert planted[::5] == [[wanted[turn % 3]] for turn in range(18)]
    assert not any(planted[at] for at in range(90) if at % 5)


def test_all_faults_at_once(first_game: CompiledGame, simulation: Simulation) -> None:
    records = simulate_records(
        first_game, simulation, rounds=3 * len(IN_ONE_HOUSE), seed=2, faults=IN_ONE_HOUSE, every=1
    )
    for record in records:
        (planted,) = list_planted(record)
        name = planted.removeprefix(f"{GAME}/")
        assert violations(record) == {name} | FOLLOWS.get(name, set())
    assert {name for record in records for name in list_planted(record)} == {f"{GAME}/{name}" for name in IN_ONE_HOUSE}


def test_even_one_round_gets_a_rare_fault(first_game: CompiledGame, simulation: Simulation) -> None:
    records = simulate_records(first_game, simulation, rounds=1, seed=6, faults=["tie-is-a-push"])
    assert [violations(record) for record in records] == [{"tie-is-a-push"}]


def test_a_fault_that_never_fits_is_never_planted(first_game: CompiledGame, simulation: Simulation) -> None:
    wagers = [wager.model_copy(update={"tips": True}) for wager in simulation.submission.wagers or []]
    run = {"submission": change_fields(simulation.submission, wagers=wagers), "rounds": 50, "seed": 1}
    faulty = simulate_records(first_game, simulation, **run, faults=["tips-offered"])
    assert faulty == simulate_records(first_game, simulation, **run)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dealing-method", "the requirement `dealing-method` cannot be broken in a simulation: it has no fault"),
        ("tie-is-push", f"{GAME} has no requirement `tie-is-push`; did you mean `tie-is-a-push`?"),
        ("zzzz", f"{GAME} has no requirement `zzzz`"),
    ],
)
def test_what_cannot_be_planted_is_told(first_game: CompiledGame, name: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:
        plan_faults(first_game, [name])
    assert str(caught.value) == says


def test_a_fault_is_named_by_its_name_or_its_id(first_game: CompiledGame) -> None:
    one, *others = plan_faults(first_game, ["tie-is-a-push", f"{GAME}/tie-is-a-push"])
    assert one.requirement == f"{GAME}/tie-is-a-push" and not others
