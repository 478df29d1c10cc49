"""Five-card draw, its rounds written by hand with all events at the table, and settled by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairdeal import api
from tests.facade.results import Status
from tests.variants.hands import rulebook

Data = dict[str, Any]

HANDS = {1: "2c5d8hTsQc", 2: "AsAd7h5s3c", 3: "KcKdKh9s4d"}
ANTE = 100


def says(seat: int, decision: str, amount: int | None = None) -> Data:
    return {"event": "decide", "seat": seat, "decision": decision, **({} if amount is None else {"amount": amount})}


def discard(seat: int, cards: str) -> list[Data]:
    return [says(seat, "discard"), {"event": "discard", "place": "player", "seat": seat, "cards": cards}]


def take(seat: int, cards: str) -> Data:
    return {"event": "draw", "place": "player", "seat": seat, "cards": cards}


def shows(seat: int, cards: str) -> Data:
    return {"event": "reveal", "place": "player", "seat": seat, "cards": cards}


def award(seat: int, amount: int, pot: int = 0) -> Data:
    return {"event": "award", "seat": seat, "pot": pot, "amount": amount}


def give_back(seat: int, amount: int) -> Data:
    return {"event": "return", "seat": seat, "wager": "bets", "amount": amount}


PAT = "stand-pat"
BURN: Data = {"event": "deal", "place": "burn", "cards": "??"}


def start() -> list[Data]:
    """Return the antes and five cards each, one by one from seat 1. The button is at seat 3."""
    antes: list[Data] = [{"event": "wager", "seat": seat, "wager": "ante", "amount": ANTE} for seat in HANDS]
    dealt = [
        {"event": "deal", "place": "player", "seat": seat, "cards": cards[at : at + 2], "face": "down"}
        for at in range(0, 10, 2)
        for seat, cards in HANDS.items()
    ]
    return [{"event": "shuffle"}, *antes, *dealt]


def record_round(events: Sequence[Data], stacks: Sequence[int] = (10_000, 10_000, 10_000), number: int = 1) -> Data:
    seats = []
    for seat, stack in zip(HANDS, stacks, strict=True):
        own = [event for event in events if event.get("seat") == seat]
        bets = sum(event.get("amount", 0) for event in own if event["event"] == "decide")
        wagers = [{"wager": "ante", "amount": ANTE}, *([{"wager": "bets", "amount": bets}] if bets else [])]
        cards = "".join(event["cards"] for event in own if event["event"] == "deal")
        seats.append({"seat": seat, "wagers": wagers, "cards": cards, "stack": stack})
    return {
        "round": f"R{number}",
        "table": "T1",
        "time": f"2026-01-01T12:{number:02}:00Z",
        "game": "five-card-draw",
        "button": 3,
        "seats": seats,
        "events": list(events),
    }


def outcome(rounds: Sequence[Data], folder: Path) -> tuple[set[str], dict[str, int]]:
    """Return the requirements that fail, and the number of rounds that pass each."""
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in rounds))
    results = api.audit(rulebook(), log)
    assert not results.quarantined
    ours = {requirement.requirement.partition("/")[2]: requirement for requirement in results.requirements}
    failing = {name for name, result in ours.items() if result.totals.get(Status.FAIL)}
    return failing, {name: result.totals.get(Status.PASS, 0) for name, result in ours.items()}


BEFORE = [says(1, "check"), says(2, "bet", 200), says(3, "call", 200), says(1, "fold")]
DRAW = [*discard(2, "7h5s3c"), BURN, take(2, "Ah2s4c"), *discard(3, "4d"), take(3, "9d")]
AFTER = [says(2, "bet", 400), says(3, "call", 400)]
# Seat 3 has kings full of nines, seat 2 three aces; 3 antes, 2 x 200 and 2 x 400 are in the pot.
SHOWDOWN = [shows(2, "AsAdAh2s4c"), shows(3, "KcKdKh9s9d"), award(3, 1_500)]


def test_a_round_to_the_showdown(tmp_path: Path) -> None:
    failing, passing = outcome([record_round([*start(), *BEFORE, *DRAW, *AFTER, *SHOWDOWN])], tmp_path)
    assert failing == set()
    # No bet is left unanswered, and nobody raises.
    assert {name for name, count in passing.items() if not count} == {
        "uncalled-bet-returned",
        "raise-at-least",
        "raise-is-open",
    }


ALL_PAT = [says(2, PAT), says(3, PAT)]


def test_where_all_stand_pat_the_next_betting_round_begins_with_the_last_word(tmp_path: Path) -> None:
    betting = [says(2, "check"), says(3, "check")]
    end = [shows(2, HANDS[2]), shows(3, HANDS[3]), award(3, 700)]
    failing, passing = outcome([record_round([*start(), *BEFORE, *ALL_PAT, *betting, *end])], tmp_path)
    assert failing == set()
    assert passing["acts-in-turn"] == passing["pots-to-the-winners"] == passing["no-act-after-the-end"] == 1
    # one word is missing: the other's act comes while the former betting round is still complete
    failing, _ = outcome([record_round([*start(), *BEFORE, *ALL_PAT[:1], *betting, *end])], tmp_path)
    assert failing == {"everybody-draws-or-stands-pat", "a-draw-before-the-showdown"}


def test_players_who_are_all_in_draw_and_owe_nothing(tmp_path: Path) -> None:
    before = [says(1, "fold"), says(2, "bet", 900), says(3, "call", 900)]
    end = [shows(2, "AsAdAh2s4c"), shows(3, "KcKdKh9s9d"), award(3, 2_100)]
    stacks = (10_000, 1_000, 1_000)
    failing, passing = outcome([record_round([*start(), *before, *DRAW, *end], stacks)], tmp_path)
    assert failing == set()
    assert passing["betting-complete-before-the-showdown"] == passing["pots-to-the-winners"] == 1
    bets = [says(2, "bet", 100)]
    failing, _ = outcome([record_round([*start(), *before, *DRAW, *bets, *end], stacks)], tmp_path)
    assert failing >= {"no-act-after-the-end", "table-stakes"}


def test_where_one_is_left_nobody_draws(tmp_path: Path) -> None:
    before = [says(1, "check"), says(2, "bet", 200), says(3, "fold"), says(1, "fold")]
    end = [give_back(2, 200), award(2, 300)]
    failing, passing = outcome([record_round([*start(), *before, *end])], tmp_path)
    assert failing == set() and passing["pots-to-the-winners"] == passing["uncalled-bet-returned"] == 1
    failing, _ = outcome([record_round([*start(), *before, says(2, PAT), *end])], tmp_path)
    assert failing == {"only-players-draw"}


def omit(at: int) -> Callable[[list[Data]], list[Data]]:
    return lambda draw: [*draw[:at], *draw[at + 1 :]]


def put_in(at: int, *more: Data) -> Callable[[list[Data]], list[Data]]:
    return lambda draw: [*draw[:at], *more, *draw[at:]]


def with_cards(at: int, cards: str) -> Callable[[list[Data]], list[Data]]:
    return lambda draw: [*draw[:at], {**draw[at], "cards": cards}, *draw[at + 1 :]]


COUNTS = {"as-many-as-put-away", "no-more-than-may-be"}


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (omit(2), {"burn-before-the-draw"}),
        (put_in(2, BURN), {"burn-before-the-draw"}),
        (lambda draw: [*draw[4:], *draw[:4]], {"words-in-turn", "drawn-in-turn", "burn-before-the-draw"}),
        (lambda draw: [*draw[:2], *draw[4:6], BURN, draw[6], draw[3]], {"drawn-in-turn"}),
        (with_cards(3, "Ah2s4c6c"), COUNTS),
        (with_cards(3, "Ah2s"), COUNTS),
        (lambda draw: [*discard(2, "Ad7h5s3c"), BURN, take(2, "Ah2s4c6c"), *draw[4:]], {"no-more-than-may-be"}),
        (put_in(4, says(2, "check")), {"no-act-after-the-end"}),
        (put_in(7, *discard(3, "9d"), take(3, "9d")), {"once", "one-deck"}),
        (put_in(0, says(1, PAT)), {"only-players-draw", "everybody-draws-or-stands-pat"}),
        (with_cards(6, "Ah"), {"one-deck"}),
        (with_cards(6, "7h"), {"one-deck"}),  # which was put away, and not shuffled
    ],
)
def test_what_goes_wrong_in_the_draw(
    change: Callable[[list[Data]], list[Data]], failing: set[str], tmp_path: Path
) -> None:
    events = [*start(), *BEFORE, *change(list(DRAW)), *AFTER]
    found, _ = outcome([record_round([*events, says(3, "concede"), award(2, 1_500)])], tmp_path)
    assert found - {"pots-to-the-winners"} == failing


def test_a_card_that_was_put_away_is_shuffled_and_drawn(tmp_path: Path) -> None:
    draw = [*DRAW[:6], {"event": "shuffle"}, take(3, "7h")]
    end = [shows(2, "AsAdAh2s4c"), shows(3, "KcKdKh9s7h"), award(2, 1_500)]
    failing, _ = outcome([record_round([*start(), *BEFORE, *draw, *AFTER, *end])], tmp_path)
    assert failing == set()
