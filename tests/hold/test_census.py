"""Packs with a card missing and cards that were not shuffled are found, and honest packs are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from math import comb, perm
from typing import Any

import numpy as np
import pytest

from fairdeal.validator.hold import card_census
from fairdeal.validator.hold.card_census import (
    CardOrders,
    CardSpans,
    combine_intervals,
    find_absent_cards,
    find_same_orders,
)
from fairdeal.validator.hold.hold_counts import CardSums, HoldCounts
from fairdeal.validator.hold.stake_counts import TableDeck
from fairdeal.validator.reports.statistics_report import describe_packs, list_pack_outliers, statistics_lines
from fairdeal.validator.results.game_statistics import Statistics
from tests.hold.logs import CARDS, rounds

Made = Callable[..., Statistics]
DECK = range(52)
MINUTES = 60 * 1_000_000


def _between(before: int, short: int, card: int) -> Iterator[dict[str, Any]]:
    """Yield rounds of a whole pack, then of a pack without a card, on the same day, a round a minute."""
    pack = [other for other in range(52) if other != card]
    whole = list(islice(rounds(1000, 11, seats=4, deck_name="red"), before + 2 * short))
    lacking = list(islice(rounds(1000, 12, seats=4, deck_name="red", deck=pack), before + short))
    yield from whole[:before]
    yield from ({**record, "round": f"{record['round']}-short"} for record in lacking[before:])
    yield from whole[before + short :]


def test_a_card_that_is_missing_for_an_hour_and_a_half_is_named_with_its_span(statistics: Made) -> None:
    found = statistics(_between(120, 90, 37), rounds(500, 13, table="S2", seats=4, deck_name="red"))
    [absent] = found.absent_cards
    assert (absent.table, absent.deck, absent.card, absent.rounds) == ("S1", "red", CARDS[37], 90)
    assert (absent.first, absent.last) == ("2026-03-02 02:00:00", "2026-03-02 03:15:00")
    # 15 of 52 cards a round for 90 rounds; any of 52 cards, beginning in any of 20 quarters of an hour, at two packs.
    assert absent.chance == pytest.approx(float(Fraction(37, 52) ** 90 * 52 * 20 * 2), rel=1e-5)
    assert not found.repeated_orders
    [line] = list_pack_outliers(found)
    assert "did not come in 90 rounds" in line
    assert "1 card stayed away" in describe_packs(found)
    assert any("count the pack" in line for line in statistics_lines(found))


def test_a_card_that_is_missing_for_half_an_hour_may_be_luck(statistics: Made) -> None:
    found = statistics(_between(120, 30, 37))
    assert not found.absent_cards
    assert "0 cards stayed away and 0 orders came again" in describe_packs(found)


def test_cards_that_come_in_the_same_order_again_are_named(statistics: Made) -> None:
    log = list(rounds(400, 14, seats=3))
    log[300] = {**log[77], "round": "again", "time": log[300]["time"], "number": 301}
    found = statistics(iter(log))
    [again] = found.repeated_orders
    assert (again.cards, again.first_number, again.second_number) == (12, None, 301)
    assert (again.first, again.second) == ("2026-03-02 01:17:00", "2026-03-02 05:00:00")
    collision = 2.0**-58
    assert again.chance == pytest.approx(400 * 399 / 2 * (float(Fraction(1, perm(52, 12))) + collision), rel=1e-5)
    assert "same order in two rounds" in next(list_pack_outliers(found))


def test_hands_dealt_to_other_seats_are_another_order(statistics: Made) -> None:
    log = list(rounds(400, 15, seats=3))
    first, second, third = log[77]["seats"]
    swapped = [{**second, "seat": first["seat"]}, {**first, "seat": second["seat"]}, third]
    log[300] = {**log[77], "round": "again", "time": log[300]["time"], "seats": swapped}
    assert not statistics(iter(log)).repeated_orders


def _spans(rng: np.random.Generator, number: int, dealt: int, rounds_each: int) -> CardSpans:
    """Return spans of honest rounds."""
    came = np.argsort(rng.random((number * rounds_each, 52)), axis=1)[:, :dealt]
    seen = np.bitwise_or.reduce(np.int64(1) << came.astype(np.int64), axis=1)
    return combine_intervals(
        np.repeat(np.arange(number) * 15 * MINUTES, rounds_each),
        seen,
        np.ones(len(seen), np.int64),
        np.full(len(seen), card_census._compute_absence(dealt, 1, 52)),
    )


@pytest.mark.parametrize("dealt", [3, 9, 21])
def test_honest_packs_lack_a_card_no_more_often_than_promised(dealt: int) -> None:
    rng = np.random.default_rng(dealt)
    for most in (0.2, 0.02):
        flagged = sum(bool([*find_absent_cards(_spans(rng, 60, dealt, 4), DECK, 0, most)]) for _ in range(250))
        assert flagged <= most * 250 + 3 * (most * 250) ** 0.5


def test_the_probability_of_a_card_that_stays_away_is_counted() -> None:
    for dealt, copies in ((21, 1), (5, 2), (40, 8)):
        size = 52 * copies
        counted = Fraction(comb(size - copies, dealt), comb(size, dealt))
        assert np.exp(-card_census._compute_absence(dealt, copies, size) / 1e12) == pytest.approx(float(counted))


def test_rounds_without_cards_make_a_card_that_stays_away_less_striking() -> None:
    spans = _spans(np.random.default_rng(5), 40, 15, 4)
    lacking = CardSpans(start=spans.start, seen=spans.seen & ~1, rounds=spans.rounds, absence=spans.absence)
    [alone] = find_absent_cards(lacking, DECK, 0, 1e-6)
    [with_gap] = find_absent_cards(lacking, DECK, 1, 1e-6)
    assert with_gap.chance == pytest.approx(alone.chance * (161 / 160) ** 160)


def test_spans_and_orders_do_not_depend_on_the_order_of_blocks() -> None:
    rng = np.random.default_rng(6)
    parts = [_spans(rng, 20, 9, 3) for _ in range(3)]
    sums = [parts[a].add(parts[b]).add(parts[c]) for a, b, c in ((0, 1, 2), (2, 0, 1))]
    for name in CardSpans.__struct_fields__:
        assert getattr(sums[0], name).tolist() == getattr(sums[1], name).tolist()


def test_the_orders_that_are_kept_are_bounded_and_keep_both_rounds_of_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_census, "MOST_ORDERS", 50)
    rng = np.random.default_rng(7)
    order = rng.integers(-(1 << 62), 1 << 62, 200)
    order[150] = order[np.argsort(order)[10]]
    number = np.arange(200)
    whole = CardOrders(order=order, cards=np.full(200, 15), time=number, number=number)
    halves = [
        CardOrders(**{name: getattr(whole, name)[half] for name in CardOrders.__struct_fields__})
        for half in (slice(0, 100), slice(100, 200))
    ]
    kept = halves[0].add(halves[1])
    assert len(kept.order) == 50
    [same] = find_same_orders(kept, 1, 52, 1e-6)
    assert same.second[1] == 150 or same.first[1] == 150


def test_the_orders_of_all_decks_are_bounded_whatever_the_order_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_census, "MOST_ORDERS_IN_ALL", 60)

    def block(table: str, seed: int) -> HoldCounts:
        numbers = np.sort(np.random.default_rng(seed).integers(-(1 << 62), 1 << 62, 40))
        orders = CardOrders(order=numbers, cards=np.full(40, 15), time=numbers, number=numbers)
        none = np.zeros(0, np.int64)
        sums = CardSums(
            count=np.zeros(52, np.int64),
            rounds=40,
            seen=600,
            spread=1,
            left_out=0,
            spans=combine_intervals(none, none, none, none),
            orders=orders,
        )
        return HoldCounts(cards={("game", "all", TableDeck(None, table, None)): sums})

    blocks = [("A", 1), ("B", 2), ("A", 3), ("C", 4)]
    totals = []
    for order in (blocks, blocks[::-1], [blocks[at] for at in (1, 3, 0, 2)]):
        total = HoldCounts()
        for table, seed in order:
            total.add(block(table, seed))
        totals.append(total)
    assert {total.to_bytes() for total in totals} == {totals[0].to_bytes()}
    assert [len(sums.orders.order) for sums in totals[0].cards.values()] == [20, 20, 20]
