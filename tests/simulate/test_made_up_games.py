"""Games with features that the shipped one lacks: clean runs have no finding, a fault only its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Set
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fairdeal.api import explain
from fairdeal.validator.simulate.simulated_house import set_up_house
from fairdeal.validator.simulate.table_sessions import spans_rounds
from tests.facade.results import Results, Status
from tests.facade.simulation import (
    Record,
    Simulation,
    change_fields,
    compare_planted_and_failed,
    is_plantable,
    list_planted,
    plan_faults,
    simulate_records,
)
from tests.simulate.made_up_games import judge, made_up, rulebook
from tests.simulate.oracle import cards_in

GAMES = ("exchange", "packets", "rows", "sechste-karte", "streets", "tosses")
FAULTS = [
    (game, requirement.requirement)
    for game in GAMES
    for requirement in made_up(game)[0].regulation.requirements
    if is_plantable(requirement)
]
SELDOM = {"inspected", "changed"}
"""A table seldom has a new deck, and it is seldom too old."""


@cache
def records(game: str, **run: Any) -> list[Record]:
    return simulate_records(*made_up(game), **{"rounds": 400, "seed": 7, **run})


def own(seat: Record, wager: str) -> Record | None:
    return next((stake for stake in seat["wagers"] if stake["wager"] == wager), None)


def kinds(record: Record, kind: str, **fields: Any) -> list[Record]:
    found = [event for event in record["events"] if event["event"] == kind]
    return [event for event in found if all(event.get(key) == value for key, value in fields.items())]


def failures(found: Results) -> Counter[str]:
    return (
        Counter({requirement.requirement: requirement.totals.get(Status.FAIL, 0) for requirement in found.requirements})
        + Counter()
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(game: str) -> None:
    found, log = judge(game, rounds=600, seed=21)
    assert not found.quarantined and not found.findings
    statuses = {status for requirement in found.requirements for status, count in requirement.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(requirement.totals.get(Status.PASS, 0) for requirement in found.requirements), game
    assert len(log.splitlines()) == 600


@cache
def play_faults(game: str) -> tuple[Results, Mapping[str, Set[str]], Mapping[str, Set[str]]]:
    """Run a game with all its faults in turn, in every third round.

    Returns the results of the audit, the rounds of each fault, and the failures of each round.
    """
    names = [name for other, name in FAULTS if other == game]
    found, log = judge(game, rounds=9 * max(len(names), 27), seed=22, faults=names, every=3)
    assert not found.quarantined
    return found, *compare_planted_and_failed(log, found)


@pytest.mark.parametrize(("game", "name"), FAULTS)
def test_a_fault_is_found_where_it_was_planted_and_nowhere_else(game: str, name: str) -> None:
    _, planted, failed = play_faults(game)
    assert len(planted[name]) >= (1 if name in SELDOM else 3)
    assert {round_ for round_, names in failed.items() if name in names} == planted[name]


@pytest.mark.parametrize("game", GAMES)
def test_all_faults_at_once(game: str) -> None:
    found, planted, _ = play_faults(game)
    assert failures(found) == {f"{game}/{name}": len(rounds) for name, rounds in planted.items()}
    assert planted.keys() == {name for other, name in FAULTS if other == game}


def test_what_a_hand_holds_is_what_it_was_dealt_less_discards_and_with_drawn_cards() -> None:
    exchanged = 0
    for record in records("exchange"):
        everything = cards_in(record["dealer"] + record["dealer-drawn"])
        for seat in record["seats"]:
            away, drawn = cards_in(seat["discarded"]), cards_in(seat["drawn"])
            assert {*away} <= {*cards_in(seat["cards"])} and len(away) == len(drawn) <= 2
            assert not away or own(seat, "raise")
            told = kinds(record, "discard", seat=seat["seat"])
            assert [event["cards"] for event in told] == ([seat["discarded"]] if away else [])
            assert [event["cards"] for event in kinds(record, "draw", seat=seat["seat"])] == (
                [seat["drawn"]] if away else []
            )
            everything += cards_in(seat["cards"]) + drawn
            exchanged += len(away)
        assert len(set(everything)) == len(everything)
    assert exchanged > 500


def test_draws_stop_where_the_deck_ends() -> None:
    for record in records("exchange", rounds=200, seats=(7, 7)):
        drawn = sum(len(cards_in(seat["drawn"])) for seat in record["seats"]) + len(cards_in(record["dealer-drawn"]))
        dealt = sum(len(cards_in(seat["cards"])) for seat in record["seats"]) + len(cards_in(record["dealer"]))
        assert dealt + drawn <= 52


def test_a_meter_goes_on_from_round_to_round_and_pays_shares_of_what_it_shows() -> None:
    last: dict[str, int] = {}
    shares = Counter[str]()
    for record in records("exchange", rounds=1500):
        (meter,) = record["meters"]
        assert meter["opening"] == last.get(record["table"], 2_500_000)
        tokens = [wager for seat in record["seats"] for wager in seat["wagers"] if wager["wager"] == "token"]
        assert meter["shown"] == meter["opening"] + 70 * len(tokens)
        paid = [token["paid"] for token in tokens if token["claimed"] and token["paid"] not in {0, 300, 5000, 50000}]
        whole = [amount for amount in paid if amount == meter["shown"]]
        assert all(amount in {meter["shown"], meter["shown"] // 10} for amount in paid)
        assert meter["closing"] == (1_000_000 if whole else meter["shown"] - sum(paid))
        said = [event["amount"] for event in kinds(record, "announce")]
        assert sorted(said) == sorted(token["paid"] for token in tokens if token["claimed"])
        shares.update(whole=len(whole), tenth=len(paid) - len(whole))
        last[record["table"]] = meter["closing"]
    assert min(shares["whole"], shares["tenth"]) > 2


def test_tokens_are_taken_when_placed_and_come_back_from_a_dead_round() -> None:
    dead = 0
    for record in records("exchange"):
        for seat in record["seats"]:
            token = own(seat, "token")
            if token is not None:
                back = len(record["dealer"]) != 10 or len(seat["cards"]) != 10
                assert token["taken"] == (0 if back else 100)
                assert len(kinds(record, "return", seat=seat["seat"], wager="token")) == back
                dead += back
    assert dead


def test_claims_are_made_by_most_who_would_win() -> None:
    tokens = [(own(seat, "token"), record) for record in records("exchange", rounds=1500) for seat in record["seats"]]
    claimed = [token for token, _ in tokens if token and token["claimed"]]
    assert claimed and all(claim["paid"] > 0 for claim in claimed)
    assert not any(token["paid"] for token, _ in tokens if token and not token["claimed"])


def test_seats_are_settled_from_the_side_of_the_house() -> None:
    for record in records("exchange", rounds=100):
        racked = [event["seat"] for event in kinds(record, "collect-cards")]
        assert racked == sorted((seat["seat"] for seat in record["seats"]), reverse=True)


@pytest.mark.parametrize(("dealing", "dealt"), [("in-packets", 5), ("singly", 2)])
def test_cards_come_in_the_passes_of_the_way(dealing: str, dealt: int) -> None:
    prepared, simulation = made_up("packets")
    submission = simulation.submission.model_copy(update={"dealing": dealing})
    for record in simulate_records(prepared, simulation, submission=submission, rounds=100, seed=3):
        community = cards_in(record["community"])
        if len(community) != dealt:
            continue
        (thinned,) = kinds(record, "discard", place="community") or [{}]
        if dealing == "in-packets":
            away = [community[at] for at in (0, 1, 4)]
            assert record["community-discarded"] == thinned["cards"] == "".join(away)
            assert thinned["positions"] == "125"
            assert [event["cards"] for event in kinds(record, "deal", place="burn")] == ["??"]
        else:
            assert record["community-discarded"] == "" and not thinned
            assert not kinds(record, "deal", place="burn")
        (shown,) = kinds(record, "reveal", place="community") or [{"cards": ""}]
        assert len(shown["cards"]) in {0, 4}


def test_a_wager_that_follows_another_is_its_multiple() -> None:
    for record in records("packets"):
        for seat in record["seats"]:
            main, blind, play = (own(seat, name) for name in ("main", "blind", "play"))
            assert main and blind and main["amount"] == blind["amount"]
            assert (play is None) == (seat.get("decision") != "play")
            assert play is None or play["amount"] == 2 * main["amount"]


def test_rounds_are_numbered_and_decks_take_turns() -> None:
    for table in ("T1", "T2"):
        rounds = [record for record in records("packets", rounds=1500) if record["table"] == table]
        assert [record["number"] for record in rounds] == [at % 333 + 1 for at in range(len(rounds))]
        assert [record["deck"] for record in rounds] == [
            ("blue", "red")[(record["number"] - 1) % 2] for record in rounds
        ]
        opened = [record["number"] for record in rounds if kinds(record, "deck", what="opened")]
        assert {1, 73, 145} <= {*opened} and all(number % 72 == 1 for number in opened)
        counted = [record["number"] for record in rounds if kinds(record, "count")]
        assert counted == [record["number"] for record in rounds if record["number"] % 5 == 0]


@pytest.mark.parametrize("stated", [{"decks": 2, "kept": None}, {"decks": 1, "kept": 2}, {"decks": None, "kept": 2}])
def test_decks_that_are_put_or_kept_at_a_table_take_turns(stated: dict[str, int | None]) -> None:
    prepared, simulation = made_up("packets")
    deck = simulation.submission.deck
    assert deck is not None and prepared.game.decks == 1
    submission = change_fields(simulation.submission, deck=deck.model_copy(update={**stated, "backs": ["blue", "red"]}))
    decks = {
        record["deck"] for record in simulate_records(prepared, simulation, submission=submission, rounds=8, seed=1)
    }
    assert decks == {"blue", "red"}


def test_what_is_put_off_comes_one_round_too_late() -> None:
    late = records("packets", rounds=500, faults=("stub-counted",), every=20)
    for table in ("T1", "T2"):
        rounds = [record for record in late if record["table"] == table]
        for before, after in pairwise(rounds):
            if list_planted(before):
                assert not kinds(before, "count") and kinds(after, "count")


def test_only_what_no_round_has_by_itself_is_planted_between_rounds() -> None:
    prepared, simulation = made_up("packets")
    names = [name for game, name in FAULTS if game == "packets"]
    house = set_up_house(prepared, simulation, simulation.submission)
    spanning = {
        plan_fault.requirement for plan_fault in plan_faults(prepared, names) if spans_rounds(house, plan_fault)
    }
    assert spanning == {
        f"packets/{name}" for name in ("stub-right", "stub-counted", "changed", "alternate", "inspected")
    }


def test_rare_hands_come_up() -> None:
    hands = Counter(
        "royal" if {card[0] for card in cards} == {*"TJQKA"} and len({card[1] for card in cards}) == 1 else "other"
        for record in records("packets", rounds=1500)
        for cards in (cards_in(seat["cards"]) for seat in record["seats"])
    )
    assert 15 < hands["royal"] < 55


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("steps", {}, "the act `stub` states a number, but the simulation does not define it"),
        (
            "occurrences",
            [{"opening": True, "steps": ["discard"]}],
            "the act `discard` cannot occur now and then: it does not concern the whole round",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(field: str, value: Any, says: str) -> None:
    prepared, simulation = made_up("packets")
    data = simulation.model_dump(by_alias=True, exclude_unset=True) | {field: value}
    with pytest.raises(ValueError) as caught:
        simulate_records(prepared, Simulation.model_validate(data), rounds=1, seed=1)
    assert str(caught.value) == says


def test_a_meter_is_fed_by_a_wager() -> None:
    prepared, simulation = made_up("exchange")
    assert simulation.submission.meters is not None
    meters = [meter.model_copy(update={"fed_by": "dues"}) for meter in simulation.submission.meters]
    fed = simulation.submission.model_copy(update={"meters": meters})
    with pytest.raises(ValueError, match="the meter `pot` is fed by `dues`, which is not a wager"):
        simulate_records(prepared, simulation.model_copy(update={"submission": fed}), rounds=1, seed=1)


def _find_points(cards: list[str]) -> list[int]:
    """Return the points of a row after each of its cards, as the text of the game counts them."""
    points = [{"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in cards]
    return [sum(points[: number + 1]) for number in range(len(points))]


def _settle_rows(record: Record, wager: str, amount: int) -> tuple[int, int]:
    """Return what a wager on two rows is paid and what is taken, by the text of the game."""
    upper, lower = (_find_points(cards_in(record[place])) for place in ("community", "dealer"))
    for points in (upper, lower):
        assert points[-1] >= 31 and all(earlier < 31 for earlier in points[:-1])
    if upper[-1] == lower[-1]:
        return 0, (amount // 2 if upper[-1] == 31 else 0)
    has_upper_won = upper[-1] < lower[-1]
    has_colour_won = (record["community"][1] in "dh") != has_upper_won
    wins = {"upper": has_upper_won, "lower": not has_upper_won, "colour": has_colour_won, "inverse": not has_colour_won}
    return (amount, 0) if wins[wager] else (0, amount)


def test_rows_are_dealt_to_their_points_and_settled_by_the_colour_of_a_card() -> None:
    results = Counter[tuple[str, bool, bool]]()
    for record in records("rows", rounds=800):
        for seat in record["seats"]:
            for stake in seat["wagers"]:
                paid, taken = _settle_rows(record, stake["wager"], stake["amount"])
                assert (stake["paid"], stake["taken"]) == (paid, taken), (record["round"], stake)
                results[stake["wager"], bool(paid), 0 < taken < stake["amount"]] += 1
    assert len(results) == 12


def test_seats_decide_by_the_cards_that_they_exchanged_or_bought() -> None:
    bought = exchanged = kept = 0
    for record in records("sechste-karte"):
        for seat in record["seats"]:
            said = [event["decision"] for event in kinds(record, "decide", seat=seat["seat"])]
            away, drawn = cards_in(seat["discarded"]), cards_in(seat["drawn"])
            assert len(away) == len(drawn) and bool(away) == (said[0] == "tauschen")
            assert len(cards_in(seat["cards"])) == (6 if said[0] == "kaufen" else 5)
            acts = [event["event"] for event in record["events"] if event.get("seat") == seat["seat"]]
            if said[0] == "tauschen" and "setzen" in said:
                assert acts.index("draw") < len(acts) - 1 - acts[::-1].index("decide")
            bought, exchanged = bought + (said[0] == "kaufen"), exchanged + bool(away)
            kept += said[:2] == ["behalten", "setzen"]
    assert min(bought, exchanged, kept) > 100


def test_an_explanation_names_places_by_their_titles(tmp_path: Path) -> None:
    record = next(record for record in records("sechste-karte") if record["dealer-discarded"])
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(record), "utf-8")
    text = str(explain(rulebook(), log, record["round"]))
    assert "der Croupier discards" in text and "the dealer discards" not in text
