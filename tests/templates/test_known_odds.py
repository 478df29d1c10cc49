"""Settlement of the referees gives the published house advantages, by exact enumeration."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import comb
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.lawful.record import DECK, split_cards
from tests.templates.referees import (
    blackjack,
    craps,
    let_it_ride,
    mississippi_stud,
    pai_gow_poker,
    three_card_poker,
)
from tests.templates.referees.baccarat import Baccarat, banker_draws, count_points, player_draws
from tests.templates.referees.casino_war import CasinoWar
from tests.templates.referees.core import Key, Result, Round
from tests.templates.referees.poker import THREE, rank_five, rank_three
from tests.templates.referees.punto_banco import PuntoBanco
from tests.templates.referees.punto_banco_commission_free import CommissionFree
from tests.templates.referees.roulette import OUTSIDE
from tests.templates.referees.roulette_american import AmericanRoulette
from tests.templates.referees.roulette_european import EuropeanRoulette
from tests.templates.referees.sic_bo import SELECTIONS, SicBo

UNIT = 1_000_000
"""Stake of which no payment has a fraction."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def win_of(result: Result) -> int:
    """Return what the house wins on a stake."""
    return result.taken - result.paid + result.commission


def percent(won: int | Fraction, staked: int) -> float:
    return round(float(100 * Fraction(won) / staked), 4)


@pytest.mark.parametrize(("referee", "expected"), [(EuropeanRoulette(), 2.7027), (AmericanRoulette(), 5.2632)])
def test_roulette(referee: EuropeanRoulette | AmericanRoulette, expected: float) -> None:
    no_numbers: tuple[str, ...] = ()
    for wager, selections in {**referee.selections, **{wager: [no_numbers] for wager in OUTSIDE}}.items():
        for on in selections:
            key: Key = (1, wager, on)
            won = sum(win_of(referee.settle({key: UNIT}, pocket)[key]) for pocket in referee.pockets)
            assert percent(won, UNIT * len(referee.pockets)) == (7.8947 if wager == "top-line" else expected), key


def test_half_back_halves_the_advantage() -> None:
    key: Key = (1, "red", ())
    referee = EuropeanRoulette()
    won = sum(win_of(referee.settle({key: UNIT}, pocket, half_back=True)[key]) for pocket in referee.pockets)
    assert percent(won, UNIT * 37) == 1.3514


def test_prison_costs_as_much_as_half_back() -> None:
    """On zero the stake stays until another number comes."""
    key: Key = (1, "red", ())
    referee = EuropeanRoulette()
    fresh, held = (
        [
            win_of(result)
            for pocket in referee.pockets
            for result in referee.settle({key: UNIT}, pocket, prison=True, held=lying).values()
        ]
        for lying in ((), {key})
    )
    assert percent(sum(fresh) + Fraction(sum(held), len(held)), UNIT * 37) == 1.3514


@pytest.mark.parametrize(
    ("wager", "on", "expected"),
    [
        *(("small", (), 2.7778), ("even", (), 2.7778), ("any-triple", (), 13.8889), ("triple", ("3",), 16.2037)),
        *(("double", ("6",), 18.5185), ("combination", ("2", "5"), 16.6667), ("single", ("1",), 7.8704)),
        *(("total", ("4",), 15.2778), ("total", ("5",), 13.8889), ("total", ("6",), 16.6667)),
        *(("total", ("7",), 9.7222), ("total", ("8",), 12.5), ("total", ("9",), 18.9815), ("total", ("10",), 12.5)),
    ],
)
def test_sic_bo(wager: str, on: tuple[str, ...], expected: float) -> None:
    key: Key = (1, wager, on)
    won = sum(win_of(SicBo().results({key: UNIT}, dice)[key]) for dice in product(range(1, 7), repeat=3))
    assert percent(won, UNIT * 216) == expected


def test_sic_bo_has_symmetric_totals() -> None:
    odds = {total: [on for on in SELECTIONS["total"] if on == (str(total),)] for total in range(4, 18)}
    for total in odds:
        keys: list[Key] = [(1, "total", (str(number),)) for number in (total, 21 - total)]
        sums = [
            sum(win_of(SicBo().results({key: UNIT}, dice)[key]) for dice in product(range(1, 7), repeat=3))
            for key in keys
        ]
        assert sums[0] == sums[1]


@cache
def deal_baccarat() -> list[tuple[tuple[tuple[str, ...], tuple[str, ...]], int]]:
    """Return pairs of hands with different points or numbers of cards, and the deals of six cards that give such."""
    faces = ["Kc", "Ac", *(f"{number}c" for number in range(2, 10))]
    found: dict[tuple[int, ...], list[Any]] = {}

    def weigh(cards: tuple[int, ...]) -> int:
        left = [128, *([32] * 9)]
        ways = 1
        for card in cards:
            ways *= left[card]
            left[card] -= 1
        for count in range(len(cards), 6):
            ways *= 416 - count
        return ways

    for first in product(range(10), repeat=4):
        player, banker = (first[0], first[2]), (first[1], first[3])
        points = sum(player) % 10, sum(banker) % 10
        for third in range(10) if player_draws(*points) else [None]:
            for last in range(10) if banker_draws(*points, third) else [None]:
                extra = [card for card in (third, last) if card is not None]
                hands = (
                    tuple(faces[card] for card in (*player, *([third] if third is not None else []))),
                    tuple(faces[card] for card in (*banker, *([last] if last is not None else []))),
                )
                key = (*map(count_points, hands), *map(len, hands))
                found.setdefault(key, [hands, 0])[1] += weigh((*first, *extra))
    return [(hands, ways) for hands, ways in found.values()]


@pytest.mark.parametrize(
    ("referee", "wager", "expected"),
    [
        *((PuntoBanco(), "player", 1.2351), (PuntoBanco(), "banker", 1.0579), (PuntoBanco(), "tie", 14.3596)),
        *(
            (CommissionFree(), "player", 1.2351),
            (CommissionFree(), "banker", 1.4581),
            (CommissionFree(), "tie", 14.3596),
        ),
    ],
)
def test_punto_banco(referee: Baccarat, wager: str, expected: float) -> None:
    house = {"commission-rounding": "exact"}
    deals = deal_baccarat()
    total = sum(ways for _, ways in deals)
    assert total == 416 * 415 * 414 * 413 * 412 * 411
    won = sum(ways * win_of(referee.find_result(wager, UNIT, hands, house)) for hands, ways in deals)
    assert percent(won, UNIT * total) == expected


def test_pairs_of_punto_banco() -> None:
    won = sum(
        win_of(PuntoBanco().find_result("player-pair", UNIT, (hand, ("2c", "3d")), {}))
        * (8 if hand[0] != hand[1] else 7)
        for hand in product(DECK, repeat=2)
    )
    assert percent(Fraction(won, 52 * 415), UNIT) == 10.3614


def test_casino_war() -> None:
    """Ranks decide alone, so a card of each rank is dealt with the number of cards that remain."""
    referee, ranks = CasinoWar(), "23456789TJQKA"
    totals = {"ante": 0, "tie": 0, "surrender": 0}

    def play(cards: str, decision: str) -> dict[str, int]:
        round_ = Round("casino-war", "C", 1, datetime(2026, 5, 1, tzinfo=UTC), Random(1), {}, is_plain=True)
        for wager in ("ante", "tie", *(["war"] if len(cards) > 2 else [])):
            round_.add("wager", seat=1, wager=wager, amount=UNIT)
        for index, rank in enumerate(cards):
            round_.deal(*(("player", [f"{rank}c"], 1) if index % 2 == 0 else ("dealer", [f"{rank}d"])))
        round_.facts["decisions"] = {1: decision}
        found = referee.results(round_, 1, first=True)
        if cards[0] == cards[1]:
            found |= referee.results(round_, 1, first=False)
        return {key[1]: win_of(result) for key, result in found.items()}

    for first in product(ranks, repeat=2):
        ways = 24 * (23 if first[0] == first[1] else 24)
        if first[0] != first[1]:
            won = play("".join(first), "")
            for name in ("ante", "surrender"):
                totals[name] += ways * 310 * 309 * won["ante"]
            totals["tie"] += ways * 310 * 309 * won["tie"]
            continue
        won = play("".join(first), "surrender")
        totals["tie"] += ways * 310 * 309 * won["tie"]
        totals["surrender"] += ways * 310 * 309 * won["ante"]
        for last in product(ranks, repeat=2):
            left = {rank: 22 if rank == first[0] else 24 for rank in ranks}
            count = left[last[0]] * (left[last[1]] - (last[0] == last[1]))
            won = play("".join((*first, *last)), "war")
            totals["ante"] += ways * count * (won["ante"] + won["war"])
    deals = 312 * 311 * 310 * 309
    assert {name: round(100 * won / deals / UNIT, 2) for name, won in totals.items()} == {
        **{"ante": 2.88, "tie": 18.65, "surrender": 3.70}
    }


def test_three_card_poker() -> None:
    """Every hand of the player meets every hand of the dealer; the player plays Q-6-4 or better."""
    hands = list(combinations(range(52), 3))
    ranked = [rank_three([DECK[card] for card in hand]) for hand in hands]
    order = {strength: index for index, strength in enumerate(sorted(set(ranked)))}
    strength = np.array([order[key] for key in ranked])
    masks = np.array([sum(1 << card for card in hand) for hand in hands], dtype=np.int64)
    opens = np.array([three_card_poker.qualifies([DECK[card] for card in hand]) for hand in hands])
    bonus = np.array([three_card_poker.BONUS.get(THREE[key[0]], 0) for key in ranked])
    weights: dict[Any, list[int]] = {}
    for index, hand in enumerate(hands):
        weights.setdefault(find_form(hand), [index, 0])[1] += 1
    won, deals = 0, 0
    for index, weight in weights.values():
        free = (masks & masks[index]) == 0
        count = int(free.sum())
        deals += weight * count
        if ranked[index] < (0, (12, 6, 4)):
            won += weight * count
            continue
        lost = int((free & opens & (strength > strength[index])).sum())
        beaten = int((free & opens & (strength < strength[index])).sum())
        shut = int((free & ~opens).sum())
        won += weight * (2 * lost - 2 * beaten - shut - count * int(bonus[index]))
    assert deals == comb(52, 3) * comb(49, 3)
    assert percent(won, deals) == 3.3730
    pair_plus = sum(-three_card_poker.PAIR_PLUS.get(THREE[key[0]], -1) for key in ranked)
    assert percent(pair_plus, len(hands)) == 2.3167


def find_form(hand: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Return a form that is equal for hands that differ in the names of suits alone."""
    cards = [divmod(card, 4) for card in hand]
    return min(tuple(sorted((rank, suits[suit]) for rank, suit in cards)) for suits in permutations(range(4)))


@cache
def list_fives() -> tuple[NDArray[np.int64], NDArray[np.int64], list[tuple[int, tuple[int, ...]]]]:
    """Return all hands of five cards int64[2598960, 5], the index of their strength, and the strengths."""
    fives = np.fromiter(combinations(range(52), 5), dtype=(np.int64, 5), count=comb(52, 5))
    ranks, suits = fives // 4, fives % 4
    keys = (5**ranks).sum(axis=1) * 2 + (suits == suits[:, :1]).all(axis=1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return fives, inverse, [rank_five([DECK[card] for card in fives[index]]) for index in first]


def index_set(cards: Integers) -> Integers:
    """Return the combinatorial index of ascending cards int64[n, k] among all sets of k cards."""
    table = np.array([[comb(card, size) for size in range(6)] for card in range(53)], dtype=np.int64)
    return sum(
        (table[cards[:, column], column + 1] for column in range(cards.shape[1])), np.zeros(len(cards), np.int64)
    )


def average_down(values: Floats, size: int) -> Floats:
    """Return the mean over sets of `size` cards of a function of sets, for each set of one card fewer."""
    sets = np.fromiter(combinations(range(52), size), dtype=(np.int64, size), count=comb(52, size))
    ordered = values[index_set(sets)]
    sums = np.zeros(comb(52, size - 1))
    for column in range(size):
        smaller = index_set(np.delete(sets, column, axis=1))
        sums += np.bincount(smaller, weights=ordered, minlength=len(sums))
    return sums / (52 - (size - 1))


def value_fives(odds: list[float]) -> Floats:
    """Return the win of a unit for each hand of five cards, by its combinatorial index."""
    fives, inverse, _ = list_fives()
    values = np.empty(len(fives))
    values[index_set(fives)] = np.array(odds)[inverse]
    return values


def test_let_it_ride() -> None:
    """A wager rides exactly if its mean win is positive, by the cards that are seen."""
    strengths = list_fives()[2]
    five = value_fives([let_it_ride.find_odds(key) or -1 for key in strengths])
    four = average_down(five, 5)
    three = average_down(four, 4)
    edge = -(np.maximum(three, 0).mean() + np.maximum(four, 0).mean() + five.mean())
    assert round(100 * edge, 4) == 3.5057
    bonus = [let_it_ride.THREE_CARD.get(THREE[rank_three(hand)[0]], -1) for hand in combinations(DECK, 3)]
    assert round(-100 * float(np.mean(bonus)), 4) == 2.3167


def test_mississippi_stud() -> None:
    """Backward induction over the stake that lies there and the cards that are seen."""
    odds = [mississippi_stud.find_odds(key) for key in list_fives()[2]]
    mean = average_down(value_fives([-1 if pays is None else pays for pays in odds]), 5)
    fifth = {
        stake: np.maximum(-stake, np.maximum.reduce([(stake + times) * mean for times in (1, 2, 3)]))
        for stake in range(3, 8)
    }
    averages = {stake: average_down(values, 4) for stake, values in fifth.items()}
    fourth = {
        stake: np.maximum(-stake, np.maximum.reduce([averages[stake + times] for times in (1, 2, 3)]))
        for stake in range(2, 5)
    }
    averages = {stake: average_down(values, 3) for stake, values in fourth.items()}
    third = np.maximum(-1, np.maximum.reduce([averages[1 + times] for times in (1, 2, 3)]))
    assert round(-100 * float(third.mean()), 2) == 4.91


def list_totals() -> list[int]:
    return [first + second for first, second in product(range(1, 7), repeat=2)]


def mean_craps(key: Key, point: int, depth: int = 0) -> Fraction:
    """Return the mean win of the house on a stake of a unit until it is decided; a number stays until it is."""
    won, decided = Fraction(0), 0
    for total in list_totals():
        found = craps.settle_key(key, UNIT, point, total)
        if found is not None:
            won, decided = won + win_of(found), decided + 1
        elif depth == 0 and key[1] != "place" and not key[1].endswith("odds"):
            on = (str(total),) if "come" in key[1] else ()
            won, decided = won + mean_craps((1, key[1], on), point or total, 1), decided + 1
    return won / decided


@pytest.mark.parametrize(
    ("wager", "on", "point", "expected"),
    [
        *(("pass", (), 0, 1.4141), ("dont-pass", (), 0, 1.3636), ("come", (), 4, 1.4141), ("dont-come", (), 4, 1.3636)),
        *(
            ("field", (), 0, 2.7778),
            ("place", ("6",), 4, 1.5152),
            ("place", ("9",), 4, 4.0),
            ("place", ("4",), 6, 6.6667),
        ),
        *(("pass-odds", (), 5, 0.0), ("come-odds", ("8",), 4, 0.0), ("dont-pass-odds", (), 10, 0.0)),
    ],
)
def test_craps(wager: str, on: tuple[str, ...], point: int, expected: float) -> None:
    assert percent(mean_craps((1, wager, on), point), UNIT) == expected


def test_side_wagers_of_blackjack() -> None:
    shoe = [card for card in DECK for _ in range(6)]
    odds = [blackjack.find_pair_odds([shoe[0], card]) for card in shoe[1:]]
    assert percent(-sum(-1 if pays is None else pays for pays in odds), 311) == 6.1093
    tens = sum(blackjack.is_blackjack(["As", card]) for card in shoe) / 311
    assert round(100 * (1 - 3 * tens), 4) == 7.3955


def test_blackjack_of_the_dealer_and_hands_against_it() -> None:
    outcomes = {
        ("AsKd", "AhQd"): (0, 0),
        ("AsKd", "9h9d3c"): (150, 0),
        ("7s7d7h", "AhQd"): (0, 100),
        ("ThTs2d", "ThTs2d"): (0, 100),
        ("Th9s", "Th6s9d"): (100, 0),
        ("As6d", "Th7s"): (0, 0),
    }
    for (player, dealer), expected in outcomes.items():
        result = blackjack.settle_hand(split_cards(player), split_cards(dealer), 100)
        assert (result.paid, result.taken) == expected, (player, dealer)
    assert blackjack.settle_hand(["As", "Kd"], ["9h", "9d"], 100, is_split=True).paid == 100


@pytest.mark.parametrize(
    ("cards", "high", "low"),
    [
        ("JkAsAhAdAc2c3d", "JkAsAh2c3d", "AdAc"),
        ("JkAsAhAdAcKcKd", "JkAsAhAdAc", "KcKd"),
        ("9s9h9d9cAs3d2c", "9s9h9d9c2c", "As3d"),
        ("9s9h9d9cQs3d2c", "9s9hQs3d2c", "9d9c"),
        ("6s6h6d6cQs3d2c", "6s6h6d6c2c", "Qs3d"),
        ("KsKhKd5c5d4h4s", "KsKhKd4h4s", "5c5d"),
        ("8s8h8d5c5d5h2s", "8d5c5d5h2s", "8s8h"),
        ("TsTh9d9cAd4h2s", "TsTh9d9c2s", "Ad4h"),
        ("JsJh9d9cAd4h2s", "JsJhAd4h2s", "9d9c"),
        ("2s3h4d5c6dKhKs", "2s3h4d5c6d", "KhKs"),
        ("AsAhAd9c7d4h2s", "AsAh7d4h2s", "Ad9c"),
        ("Js9h8d6c4d3h2s", "Js6c4d3h2s", "9h8d"),
        ("Jk3h4d5c6dKhQs", "Jk3h4d5c6d", "KhQs"),
    ],
)
def test_house_way_of_pai_gow_poker(cards: str, high: str, low: str) -> None:
    """Suits do not matter, so hands are compared by strength."""
    found = pai_gow_poker.set_house_way(split_cards(cards))
    assert pai_gow_poker.rank_high(found[0]) == pai_gow_poker.rank_high(split_cards(high))
    assert pai_gow_poker.rank_low(found[1]) == pai_gow_poker.rank_low(split_cards(low))
    assert sorted([*found[0], *found[1]]) == sorted(split_cards(cards))


def test_pai_gow_poker_by_sampling() -> None:
    """Published for the house way against itself: 28.6 % won, 29.9 % lost, 41.5 % returned."""
    random, shares = Random(7), {1: 0, 0: 0, -1: 0}
    for _ in range(1_000):
        deck = [*DECK, pai_gow_poker.JOKER]
        random.shuffle(deck)
        player, dealer = (pai_gow_poker.set_house_way(hand) for hand in (deck[:7], deck[7:14]))
        assert not pai_gow_poker.is_foul(*player)
        shares[pai_gow_poker.compare(player, dealer)] += 1
    for sign, expected in {1: 0.286, -1: 0.299, 0: 0.415}.items():
        assert abs(shares[sign] / 1_000 - expected) < 4 * (0.25 / 1_000) ** 0.5
