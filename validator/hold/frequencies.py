"""Frequencies of hands and cards at a table with a deck, compared with their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import sqrt

import numpy as np

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import LongestSuited
from validator.cards.names import RANKS, SUITS
from validator.engine.compiled.game import Prepared, PreparedHand
from validator.hold.cards import CardSums, HandSums, cards_of, deck_size, ends_of
from validator.hold.chances import EXPECTED, ChiSquare, pearson, without_replacement
from validator.hold.places import Cloth, in_order
from validator.odds.counting.distributions import spread_of_categories, spread_of_sets
from validator.results.statistics import Came, Frequencies

MOST_LEFT_OUT = 0.01
"""Largest share of rounds that may lack cards. With more, the recorded rounds may be a biased sample."""
_TOO_FEW = "too few for a test: some are expected fewer than ten times"


def hand_frequencies(
    hands: Mapping[tuple[str, str, Cloth], HandSums], prepared: Mapping[str, Prepared]
) -> Iterator[Frequencies]:
    """Yield the frequencies of the hands of every table and deck, by category."""
    order = {document: list(game.hands) for document, game in prepared.items()}
    chances: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
    ordered = sorted(
        hands.items(), key=lambda entry: (entry[0][0], order[entry[0][0]].index(entry[0][1]), in_order(entry[0][2]))
    )
    for (document, name, cloth), sums in ordered:
        if (document, name) not in chances:
            chances[document, name] = _compute_chances(prepared[document].hands[name])
        cells = chances[document, name]
        count = [int(sums.count[at]) for at, _ in cells.values()]
        seen = sum(count)
        outcomes = [
            _count_outcome(category, number, seen * chance, sqrt(seen * chance * (1 - chance)))
            for (category, (_, chance)), number in zip(cells.items(), count, strict=True)
        ]
        why = _explain_missing_test(sums.left_out, seen)
        test = None if why else pearson(count, [chance for _, chance in cells.values()])
        yield _make_result(document, cloth, name, seen, outcomes, test, sums.left_out, why)


def _compute_chances(hand: PreparedHand) -> dict[str, tuple[int, float]]:
    """Return for each category, the best first, the index of its count and its probability."""
    ends, size = np.array(ends_of(hand), np.int64), sum(hand.sizes)
    if isinstance(hand.ranking, LongestSuited):
        spread = spread_of_categories(size, hand.ranking)
    else:
        spread = spread_of_sets(size, partial(_find_cells, hand, ends))
    at: Ints = spread.strengths.astype(np.int64)
    if isinstance(hand.ranking, LongestSuited):
        at = np.searchsorted(ends, spread.strengths, "right")
    number = np.bincount(at, spread.count, minlength=len(ends) + 1)
    chances = {}
    for category in reversed(hand.ranking.categories):
        place = int(np.searchsorted(ends, hand.ranking.span(category)[0], "right"))
        chances[category] = place, float(number[place] / number.sum())
    return chances


def _find_cells(hand: PreparedHand, ends: Ints, cards: Codes) -> Ints32:
    """Return for each hand the index of the cell between two bounds, int32[n]."""
    return np.searchsorted(ends, hand.strength(cards), "right").astype(np.int32)


def card_frequencies(
    cards: Mapping[tuple[str, str, Cloth], CardSums], prepared: Mapping[str, Prepared]
) -> Iterator[Frequencies]:
    """Yield the frequencies of single cards of every table and deck.

    All cards that are dealt first count. If too many rounds do not record them, only those of players count.
    """
    places = dict.fromkeys((document, cloth) for document, _, cloth in cards)
    for document, cloth in sorted(places, key=lambda key: (key[0], in_order(key[1]))):
        every, of_players = (cards.get((document, whose, cloth)) for whose in ("all", "player"))
        sums = every or of_players
        if sums is None:
            continue
        if (
            of_players is not None
            and _explain_missing_test(sums.left_out, sums.rounds)
            and not _explain_missing_test(of_players.left_out, of_players.rounds)
        ):
            sums = of_players
        yield _compare_cards(prepared[document], document, cloth, sums)


def _compare_cards(prepared: Prepared, document: str, cloth: Cloth, sums: CardSums) -> Frequencies:
    codes, size, decks = cards_of(prepared), deck_size(prepared), prepared.game.deck.decks
    count = [int(sums.count[code]) for code in codes]
    each, names = decks, [f"{RANKS[code // len(SUITS)]}{SUITS[code % len(SUITS)]}" for code in codes]
    if sums.seen * each / size < EXPECTED:  # by rank, where single cards are too few
        ranks = list(dict.fromkeys(code // len(SUITS) for code in codes))
        count = [sum(int(sums.count[rank * len(SUITS) + suit]) for suit in range(len(SUITS))) for rank in ranks]
        each, names = decks * len(SUITS), [RANKS[rank] for rank in ranks]
    expected = sums.seen * each / size
    spread = sums.spread / (size * (size - 1))
    deviation = sqrt(spread * each * (1 - each / size))
    outcomes = [_count_outcome(name, number, expected, deviation) for name, number in zip(names, count, strict=True)]
    why = _explain_missing_test(sums.left_out, sums.rounds)
    test = None if why else without_replacement(count, each, sums.seen, size, spread)
    return _make_result(document, cloth, None, sums.seen, outcomes, test, sums.left_out, why)


def _explain_missing_test(left_out: int, recorded: int) -> str | None:
    """Return why there is no test; None if there is one.

    Args:
        left_out: number of rounds that do not record the cards.
        recorded: number of rounds that record them.
    """
    if not recorded:
        return "the log does not record them"
    if left_out > MOST_LEFT_OUT * (left_out + recorded):
        return f"{left_out} rounds do not record all of them, so the others may be a biased sample"
    return None


def _count_outcome(name: str, count: int, expected: float, deviation: float) -> Came:
    off = (count - expected) / deviation if deviation else 0.0
    return Came(name=name, count=count, expected=round(expected, 4), off=round(off, 4))


def _make_result(
    document: str,
    cloth: Cloth,
    hand: str | None,
    seen: int,
    outcomes: Sequence[Came],
    test: ChiSquare | None,
    left_out: int,
    why: str | None,
) -> Frequencies:
    return Frequencies(
        document=document,
        **cloth._asdict(),
        of=hand,
        seen=seen,
        came=tuple(outcomes),
        chi_square=None if test is None else round(test.statistic, 4),
        degrees=None if test is None else test.degrees,
        p=None if test is None else float(f"{test.p:.6g}"),
        q=None,
        outside=False,
        stands_out=False,
        left_out=left_out,
        why=why or (_TOO_FEW if test is None else None),
    )
