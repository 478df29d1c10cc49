"""Rounds without faults, checked against the regulation written out by hand and against common sense."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facade.rounds import CompiledGame
from tests.facade.simulation import Record, Simulation, change_fields, simulate_records
from tests.simulate.helpers import load_first
from tests.simulate.oracle import cards_in, compute_due, outcomes, story, without_exposures, worth

PACKETS = {"one-at-a-time": 1, "three-card-packets": 3}


@pytest.fixture(scope="module")
def rounds(first_game: CompiledGame, eventful: Simulation) -> list[Record]:
    return simulate_records(first_game, eventful, rounds=1500, seed=11)


def test_every_wager_is_settled_as_the_clauses_say(rounds: list[Record]) -> None:
    for record in rounds:
        assert outcomes(record) == compute_due(record), record["round"]


def test_the_rounds_are_varied_enough_to_prove_something(rounds: list[Record]) -> None:
    seats = [seat for record in rounds for seat in record["seats"]]
    categories = Counter(worth(cards_in(seat["cards"]))[0] for seat in seats if len(seat["cards"]) == 6)
    assert set(categories) >= {1, 2, 3, 4, 5} and categories[0] > categories[1] > categories[2]
    wagers = Counter((stake["wager"], stake.get("tip", False)) for seat in seats for stake in seat["wagers"])
    tipped = {("ante", True), ("play", True), ("pair-xxx", True)}
    assert set(wagers) == {("ante", False), ("play", False), ("pair-xxx", False), ("super-6", False)} | tipped
    assert min(wagers.values()) > 100
    assert {len(record["dealer"]) for record in rounds} == {4, 6, 8}
    assert {len(seat["cards"]) for seat in seats} == {4, 6, 8}
    assert {seat.get("decision") for seat in seats} == {"play", "fold", None}


@pytest.mark.parametrize("dealing", PACKETS)
def test_events_tell_the_round_in_the_order_of_the_clauses(
    first_game: CompiledGame, eventful: Simulation, dealing: str
) -> None:
    submission = change_fields(eventful.submission, dealing=dealing)
    for record in simulate_records(first_game, eventful, submission=submission, rounds=300, seed=4):
        told = without_exposures(record["events"])
        assert told == story(record, packet=PACKETS[dealing]), record["round"]


def test_without_a_way_of_dealing_every_permitted_one_is_used(first_game: CompiledGame, simulation: Simulation) -> None:
    submission = change_fields(simulation.submission, dealing=None)
    records = simulate_records(first_game, simulation, submission=submission, rounds=60, seed=1)
    packets = {next(event for event in record["events"] if event["event"] == "deal")["by"] for record in records}
    assert packets == {"dealer", "machine"}


def test_some_cards_come_to_light(rounds: list[Record]) -> None:
    shown = [event for record in rounds for event in record["events"] if event["event"] == "expose"]
    assert 300 < len(shown) < 600
    assert {event["place"] for event in shown} == {"player", "dealer"}


def test_stakes_are_what_the_house_takes(rounds: list[Record], eventful: Simulation) -> None:
    offers = {wager.wager: wager for wager in eventful.submission.wagers or []}
    for record in rounds:
        for seat in record["seats"]:
            own = {wager["wager"]: wager["amount"] for wager in seat["wagers"] if not wager.get("tip", False)}
            tips = {wager["wager"]: wager["amount"] for wager in seat["wagers"] if wager.get("tip", False)}
            assert {"ante", "pair-xxx"} & own.keys()
            assert ("play" in own) == (seat.get("decision") == "play") and own.get("play", 0) in (0, own.get("ante", 0))
            assert tips.keys() <= own.keys() and all(offers[wager].tips for wager in tips)
            assert "play" not in tips or "ante" in tips
            for wager in own.keys() - {"play"}:
                assert (offers[wager].minimum or 0) <= own[wager] <= (offers[wager].maximum or 0)
                assert own[wager] % 500 == 0
            assert all(0 < amount <= 500 and amount % 100 == 0 for amount in tips.values())


def test_decisions_are_those_that_are_open(rounds: list[Record]) -> None:
    for record in rounds:
        for seat in record["seats"]:
            placed = {wager["wager"] for wager in seat["wagers"]}
            in_play = len(record["dealer"]) == 6 == len(seat["cards"])
            if not in_play:
                assert "decision" not in seat
            elif "ante" in placed:
                assert seat["decision"] in ("play", "fold")
            elif seat.get("decision") is not None:
                assert seat["decision"] == "fold" and worth(cards_in(seat["cards"]))[0] == 0


def test_a_player_holds_two_hands_at_most_side_by_side(rounds: list[Record]) -> None:
    several = 0
    for record in rounds:
        players = [seat["player"] for seat in record["seats"]]
        assert max(Counter(players).values()) <= 2
        several += len(players) - len(set(players))
        assert all(players.index(player) + players.count(player) > at for at, player in enumerate(players))
    assert several > 500


def test_no_card_is_dealt_twice_and_all_cards_are(rounds: list[Record]) -> None:
    seen: Counter[str] = Counter()
    for record in rounds:
        cards = cards_in(record["dealer"] + "".join(seat["cards"] for seat in record["seats"]))
        assert len(set(cards)) == len(cards)
        seen.update(cards)
    expected = seen.total() / 52
    assert len(seen) == 52
    assert all(abs(count - expected) < 5 * expected**0.5 for count in seen.values())


def test_hands_are_as_frequent_as_they_should_be(first_game: CompiledGame, simulation: Simulation) -> None:
    still = simulation.model_copy(update={"chances": simulation.chances.model_copy(update={"miscounts": {}})})
    records = simulate_records(first_game, still, rounds=2500, seed=3)
    hands = [worth(cards_in(seat["cards"]))[0] for record in records for seat in record["seats"]]
    found = Counter(6 if hand == 6 else hand for hand in hands)
    for category, exact in zip(range(7), (16440, 3744, 1096, 720, 48, 48, 4), strict=True):
        expected = len(hands) * exact / 22100
        assert abs(found[category] - expected) < 5 * expected**0.5 + 1, category


def test_ids_tables_and_times(rounds: list[Record], eventful: Simulation) -> None:
    assert len({record["round"] for record in rounds}) == len(rounds)
    assert [record["round"] for record in rounds[:5]] == [
        "T1-000001",
        "T2-000001",
        "T3-000001",
        "T4-000001",
        "T1-000002",
    ]
    assert [record["table"] for record in rounds[:5]] == ["T1", "T2", "T3", "T4", "T1"]
    assert [record["time"][11:19] for record in rounds[:5]] == [
        "18:00:00",
        "18:00:20",
        "18:00:40",
        "18:01:00",
        "18:01:20",
    ]
    assert all(earlier["time"] < later["time"] for earlier, later in pairwise(rounds))
    assert {record["casino"] for record in rounds} == {eventful.submission.licensee.name}
    for record in rounds:
        numbers = [seat["seat"] for seat in record["seats"]]
        assert numbers == sorted(set(numbers)) and 1 <= len(numbers) <= 6 and numbers[0] >= 1 and numbers[-1] <= 6


chance = st.integers(0, 1000)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    seats=st.tuples(st.integers(1, 6), st.integers(1, 6)).map(sorted).map(tuple),
    dealing=st.sampled_from(sorted(PACKETS)),
    chances=st.fixed_dictionaries(
        {
            "wagers": st.dictionaries(st.sampled_from(["ante", "pair-xxx", "super-6"]), chance),
            "tip": chance,
            "second_hand": chance,
            "miscounts": st.dictionaries(st.sampled_from(["player", "dealer"]), chance),
        }
    ),
    exposure=chance,
)
def test_whatever_the_chances_rounds_keep_to_the_clauses(
    seed: int,
    seats: tuple[int, int],
    dealing: str,
    chances: dict[str, Any],
    exposure: int,
) -> None:
    prepared, simulation = load_first()
    shown = [occurrence.model_copy(update={"chance": exposure}) for occurrence in simulation.occurrences]
    house = simulation.model_copy(
        update={"chances": simulation.chances.model_copy(update=chances), "occurrences": shown}
    )
    submission = change_fields(house.submission, dealing=dealing)
    for record in simulate_records(prepared, house, submission=submission, rounds=20, seed=seed, seats=seats):
        assert outcomes(record) == compute_due(record)
        assert without_exposures(record["events"]) == story(record, packet=PACKETS[dealing])
        assert seats[0] <= len(record["seats"]) <= seats[1]
