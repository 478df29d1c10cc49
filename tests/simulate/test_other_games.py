"""Features of the simulator that the shipped game does not use: other places, other turns, other kinds of event."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from fairdeal.validator.rules.deal_model import Deal
from tests.facade.rounds import CompiledGame, compile_game
from tests.facade.rules import Act, Decision, Game, Wager
from tests.facade.simulation import Record, StepHabit, change_fields, simulate_records
from tests.simulate.helpers import load_first
from tests.simulate.oracle import cards_in, compute_due, outcomes


def with_game(**fields: Any) -> CompiledGame:
    """Compile the shipped game with parts of it replaced."""
    regulation = load_first()[0].regulation
    game = regulation.game
    assert game is not None
    return compile_game(replace(regulation, game=game.model_copy(update=fields)))


def game() -> Game:
    return load_first()[0].game


def steps(*added: tuple[str, str, dict[str, Any]]) -> dict[str, Act]:
    """Return the acts with others inserted, each before the act named."""
    found: dict[str, Any] = {}
    for name, act in game().acts.items():
        found |= {new: {"title": "an act", **fields} for before, new, fields in added if before == name}
        found[name] = act.model_dump(by_alias=True, exclude_unset=True)
    return Game.model_validate({**game().model_dump(by_alias=True, exclude_unset=True), "acts": found}).acts


def play(prepared: CompiledGame, **run: Any) -> list[Record]:
    return simulate_records(prepared, load_first()[1], **{"rounds": 30, "seed": 4, **run})


def kinds(record: Record, kind: str) -> list[Record]:
    return [event for event in record["events"] if event["event"] == kind]


def test_cards_go_to_the_community_in_the_turn_of_the_game() -> None:
    deal = game().deal.model_dump(by_alias=True)
    first = {"to": ["player", "community", "dealer"], "each": 1, "times": 2}
    [stage] = deal["stages"]
    stage["ways"]["one-at-a-time"]["passes"] = [first, {"to": ["player", "dealer"], "each": 1}]
    stage["cards"] = {"player": 3, "community": 2, "dealer": 3}
    prepared = with_game(deal=Deal.model_validate(deal))
    submission = change_fields(load_first()[1].submission, dealing="one-at-a-time")
    for record in play(prepared, submission=submission):
        assert len(cards_in(record["community"])) == 2
        places = [event["place"] for event in kinds(record, "deal") if event["place"] != "player"]
        if len(record["dealer"]) == 6:
            assert places == ["community", "dealer", "community", "dealer", "dealer"]
        cards = cards_in(record["dealer"] + record["community"] + "".join(seat["cards"] for seat in record["seats"]))
        assert len(set(cards)) == len(cards)


def test_the_turn_may_start_at_the_dealers_right() -> None:
    stage = game().deal.stages[0].model_copy(update={"first": "dealer-right"})
    prepared = with_game(deal=game().deal.model_copy(update={"stages": [stage]}))
    for record in play(prepared):
        falling = [seat["seat"] for seat in reversed(record["seats"])]
        assert [event["seat"] for event in kinds(record, "deal") if "seat" in event] == falling
        assert list(dict.fromkeys(event["seat"] for event in kinds(record, "decide"))) == [
            seat for seat in falling if seat in {event["seat"] for event in kinds(record, "decide")}
        ]


def test_players_show_their_hands_and_cards_are_collected() -> None:
    acts = steps(
        ("reveal", "show", {"event": "reveal", "place": "player"}),
        ("settle-play", "call", {"event": "announce", "what": "no-more-bets"}),
        ("settle-play", "clear", {"event": "collect-cards", "place": "dealer"}),
        ("settle-play", "burn", {"event": "collect-cards", "place": "burn"}),
    )
    for record in play(with_game(acts=acts)):
        shown = {event["seat"]: event["cards"] for event in kinds(record, "reveal") if event["place"] == "player"}
        assert {seat["seat"]: sorted(cards_in(seat["cards"])) for seat in record["seats"]} == {
            seat: sorted(cards_in(cards)) for seat, cards in shown.items()
        }
        assert kinds(record, "announce") == [{"event": "announce", "what": "no-more-bets"}]
        dealer, burnt = kinds(record, "collect-cards")
        assert sorted(cards_in(dealer["cards"])) == sorted(cards_in(record["dealer"])) and burnt["cards"] == ""


def test_a_wager_of_any_amount_goes_with_a_decision() -> None:
    raised = Wager.model_validate({"title": "Raise", "placed": "with-a-decision", "tip": {"placed": "play"}})
    wagers = {name: raised if name == "play" else wager for name, wager in game().wagers.items()}
    amounts = set()
    for record in play(with_game(wagers=wagers)):
        assert outcomes(record) == compute_due(record)
        for seat in record["seats"]:
            stakes = {wager["wager"]: wager["amount"] for wager in seat["wagers"] if not wager.get("tip")}
            assert ("play" in stakes) == (seat.get("decision") == "play")
            amounts |= {stakes[name] for name in ("play",) if name in stakes}
    assert len(amounts) > 10 and all(500 <= amount <= 20000 for amount in amounts)


def test_a_game_may_leave_nothing_to_decide() -> None:
    # Without decisions nobody can stay in or fold, so checks on them go as well.
    never = Decision.model_validate({"title": "never", "when": {"placed": "play"}})
    decisions = {"play": never, "fold": never}
    for record in play(with_game(decisions=decisions)):
        assert not kinds(record, "decide")
        assert not any(stake["wager"] == "play" for seat in record["seats"] for stake in seat["wagers"])
        assert outcomes(record) == compute_due(record)


def test_a_kind_of_event_that_cannot_be_played_is_refused() -> None:
    acts = steps(("deal", "stub", {"event": "count", "what": "stub"}))
    with pytest.raises(ValueError, match="the act `stub` states a number, but the simulation does not define it"):
        play(with_game(acts=acts))


def test_hands_that_no_log_can_hold_are_refused() -> None:
    deal = game().deal.model_dump(by_alias=True)
    [stage] = deal["stages"]
    stage["cards"]["player"] = 12
    stage["ways"] = {
        "at-once": {
            **stage["ways"]["one-at-a-time"],
            "passes": [{"to": ["player"], "each": 12}, {"to": ["dealer"], "each": 3}],
        }
    }
    submission = change_fields(load_first()[1].submission, dealing=None)
    with pytest.raises(ValueError, match="too large to be recorded"):
        play(with_game(deal=Deal.model_validate(deal)), submission=submission, seats=(1, 1))


def test_wagers_are_made_in_what_the_house_takes() -> None:
    habits = {"opening-wagers": StepHabit.model_validate({"in": "chips"})}
    simulation = load_first()[1].model_copy(update={"steps": habits})
    for record in simulate_records(load_first()[0], simulation, rounds=10, seed=4):
        for event in kinds(record, "wager"):
            assert event.get("in") == (None if event["wager"] == "play" else "chips")
