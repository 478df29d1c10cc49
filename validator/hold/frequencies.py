"""How often hands and cards came at a table with a deck, against how likely they are."""

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
"""The part of rounds that may lack cards: were there more, those that are told may be told for what they are."""
_TOO_FEW = "too few to tell: of some kinds fewer than ten are expected"


def hand_frequencies(
    hands: Mapping[tuple[str, str, Cloth], HandSums], prepared: Mapping[str, Prepared]
) -> Iterator[Frequencies]:
    """The hands of every table and deck, by category."""
    order = {document: list(game.hands) for document, game in prepared.items()}
    chances: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}
    ordered = sorted(hands.items(), key=lambda one: (one[0][0], order[one[0][0]].index(one[0][1]), in_order(one[0][2])))
    for (document, name, cloth), sums in ordered:
        if (document, name) not in chances:
            chances[document, name] = _chances(prepared[document].hands[name])
        cells = chances[document, name]
        count = [int(sums.count[at]) for at, _ in cells.values()]
        seen = sum(count)
        came = [
            _came(category, number, seen * chance, sqrt(seen * chance * (1 - chance)))
            for (category, (_, chance)), number in zip(cells.items(), count, strict=True)
        ]
        why = _why_not(sums.left_out, seen)
        test = None if why else pearson(count, [chance for _, chance in cells.values()])
        yield _frequencies(document, cloth, name, seen, came, test, sums.left_out, why)


def _chances(hand: PreparedHand) -> dict[str, tuple[int, float]]:
    """The categories of a hand, the best first: which count is that of each, and how likely it is."""
    ends, size = np.array(ends_of(hand), np.int64), sum(hand.sizes)
    if isinstance(hand.ranking, LongestSuited):
        spread = spread_of_categories(size, hand.ranking)
    else:
        spread = spread_of_sets(size, partial(_between, hand, ends))
    at: Ints = spread.strengths.astype(np.int64)
    if isinstance(hand.ranking, LongestSuited):
        at = np.searchsorted(ends, spread.strengths, "right")
    number = np.bincount(at, spread.count, minlength=len(ends) + 1)
    found = {}
    for category in reversed(hand.ranking.categories):
        place = int(np.searchsorted(ends, hand.ranking.span(category)[0], "right"))
        found[category] = place, float(number[place] / number.sum())
    return found


def _between(hand: PreparedHand, ends: Ints, cards: Codes) -> Ints32:
    """int32[n]: between which two of some strengths hands lie."""
    return np.searchsorted(ends, hand.strength(cards), "right").astype(np.int32)


def card_frequencies(
    cards: Mapping[tuple[str, str, Cloth], CardSums], prepared: Mapping[str, Prepared]
) -> Iterator[Frequencies]:
    """The single cards of every table and deck: of all places that are dealt to, or, where too many rounds do not tell
    those, of players."""
    places = dict.fromkeys((document, cloth) for document, _, cloth in cards)
    for document, cloth in sorted(places, key=lambda one: (one[0], in_order(one[1]))):
        every, own = (cards.get((document, whose, cloth)) for whose in ("all", "player"))
        sums = every or own
        if sums is None:
            continue
        if own is not None and _why_not(sums.left_out, sums.rounds) and not _why_not(own.left_out, own.rounds):
            sums = own
        yield _of_cards(prepared[document], document, cloth, sums)


def _of_cards(prepared: Prepared, document: str, cloth: Cloth, sums: CardSums) -> Frequencies:
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
    came = [_came(name, number, expected, deviation) for name, number in zip(names, count, strict=True)]
    why = _why_not(sums.left_out, sums.rounds)
    test = None if why else without_replacement(count, each, sums.seen, size, spread)
    return _frequencies(document, cloth, None, sums.seen, came, test, sums.left_out, why)


def _why_not(left_out: int, told: int) -> str | None:
    """Why hands or cards are not tested: in `left_out` rounds they are not told, in so many they are."""
    if not told:
        return "the log does not show them"
    if left_out > MOST_LEFT_OUT * (left_out + told):
        return f"{left_out} rounds do not show them all, and those that do may be no fair sample"
    return None


def _came(name: str, count: int, expected: float, deviation: float) -> Came:
    off = (count - expected) / deviation if deviation else 0.0
    return Came(name=name, count=count, expected=round(expected, 4), off=round(off, 4))


def _frequencies(
    document: str,
    cloth: Cloth,
    hand: str | None,
    seen: int,
    came: Sequence[Came],
    test: ChiSquare | None,
    left_out: int,
    why: str | None,
) -> Frequencies:
    return Frequencies(
        document=document,
        **cloth._asdict(),
        of=hand,
        seen=seen,
        came=tuple(came),
        chi_square=None if test is None else round(test.statistic, 4),
        degrees=None if test is None else test.degrees,
        p=None if test is None else float(f"{test.p:.6g}"),
        q=None,
        outside=False,
        stands_out=False,
        left_out=left_out,
        why=why or (_TOO_FEW if test is None else None),
    )
