"""Faults planted in logs are found, and chance is not mistaken for a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.results.game_statistics import FrequencyResult, HoldResult, Statistics
from tests.hold.logs import CARDS, rounds

Made = Callable[..., Statistics]
_LUCKY = 298
"""A seed by which players win 2.4 standard deviations more than they should, in 400 rounds."""
ACES = [card for card in range(52) if card // 4 == 12]


def _only(found: Statistics, by: str, wager: str, **place: str) -> HoldResult:
    (one,) = [
        row
        for row in found.hold
        if row.by == by and row.wager == wager and all(getattr(row, key) == name for key, name in place.items())
    ]
    return one


def _find_row(found: Sequence[FrequencyResult], table: str, of: str | None = None) -> FrequencyResult:
    (one,) = [row for row in found if row.table == table and row.of == of]
    return one


def test_a_deck_without_an_ace_is_found_by_its_cards_and_its_hands(statistics: Made) -> None:
    short = [card for card in range(52) if card not in ACES[:1]]
    found = statistics(
        rounds(1500, 1, table="S1", seats=4, deck_name="blue"),
        rounds(1500, 2, table="S1", seats=4, deck=short, deck_name="red"),
        rounds(1500, 3, table="S2", seats=4, deck_name="blue"),
    )
    off = [card for card in found.cards if card.stands_out]
    assert [(deviation.table, deviation.deck) for deviation in off] == [("S1", "red")]
    worst = min(off[0].came, key=lambda one: one.off)
    assert (worst.name, worst.count) == (CARDS[ACES[0]], 0)
    assert worst.expected == pytest.approx(1500 * 15 / 52, abs=1e-3)


def test_a_deck_without_a_suit_is_found_by_its_flushes(statistics: Made) -> None:
    without_suits = [card for card in range(52) if card % 4 != 3]  # no spades: flushes come too often
    found = statistics(rounds(2000, 4, table="S1", deck=without_suits), rounds(2000, 5, table="S2"))
    hand = _find_row(found.hands, "S1", "player")
    assert hand.stands_out
    assert max(hand.came, key=lambda one: one.off).name == "flush"
    assert not _find_row(found.hands, "S2", "player").outside


def test_a_dealer_who_pays_a_losing_hand_too_often_stands_out(statistics: Made) -> None:
    def generous(record: dict[str, Any], rng: np.random.Generator) -> None:
        for seat in record["seats"]:
            for wager in seat["wagers"]:
                if wager["wager"] == "ante" and wager["taken"] and rng.random() < 0.2:
                    wager["paid"], wager["taken"] = wager["amount"], 0

    dealers = ["Ann", "Bob", "Cy", "Dee"]
    found = statistics(
        *(rounds(2500, seed, table=f"S{seed}", dealer=name) for seed, name in enumerate(dealers)),
        rounds(2500, 9, table="S1", dealer="Eve", change=generous),
    )
    stands_out = {(row.by, row.wager, row.dealer) for row in found.hold if row.stands_out and row.by == "dealer"}
    assert stands_out == {("dealer", "ante", "Eve")}
    eve = _only(found, "dealer", "ante", dealer="Eve")
    assert eve.win < eve.interval[0] if eve.interval is not None else False


def test_a_table_that_is_lucky_lies_outside_alone_and_not_among_many(statistics: Made) -> None:
    alone = statistics(rounds(400, _LUCKY, table="T0", dealer="Ann"))
    lucky = _only(alone, "table", "ante", table="T0")
    assert lucky.outside
    assert lucky.win < (lucky.interval or (0.0, 0.0))[0]
    among = statistics(
        *(rounds(400, seed, table=f"T{at}", dealer="Ann") for at, seed in enumerate([_LUCKY, *range(100, 139)]))
    )
    one = _only(among, "table", "ante", table="T0")
    assert one.outside
    assert not one.stands_out
    assert not any(row.stands_out for row in among.hold)
    (holds,) = [kind for kind in among.looked_at if kind.kind == "hold"]
    assert holds.tested == sum(row.p is not None for row in among.hold)
    assert holds.expected_outside == pytest.approx(holds.tested * 0.05)
