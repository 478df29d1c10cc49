"""Rank of five cards and of three cards by the definitions that both Colorado texts share."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from tests.lawful.record import RANKS, SUITS

CATEGORIES = (
    "no-pair",
    "pair",
    "two-pair",
    "three-of-a-kind",
    "straight",
    "flush",
    "full-house",
    "four-of-a-kind",
    "straight-flush",
    "royal-flush",
)
Strength = tuple[int, tuple[int, ...]]


def rank_of(card: str) -> int:
    """Return 2 to 14."""
    return RANKS.index(card[0]) + 2


def group_ranks(cards: Sequence[str]) -> list[tuple[int, int]]:
    """Return (count, rank) of the cards, largest groups first, then highest ranks."""
    return sorted(((count, rank) for rank, count in Counter(map(rank_of, cards)).items()), reverse=True)


def top_of_straight(cards: Sequence[str]) -> int | None:
    """Return the top rank of five ranks in a row, where the ace may be below the two."""
    ranks = sorted({rank_of(card) for card in cards})
    if ranks == [2, 3, 4, 5, 14]:
        return 5
    if len(ranks) == 5 and ranks[-1] - ranks[0] == 4:
        return ranks[-1]
    return None


def rank_five(cards: Sequence[str]) -> Strength:
    """Return the category of five cards and the ranks that break ties within it."""
    groups = group_ranks(cards)
    counts = [count for count, _ in groups]
    ranks = tuple(rank for _, rank in groups)
    is_flush = len({card[1] for card in cards}) == 1
    top = top_of_straight(cards)
    if is_flush and top is not None:
        return CATEGORIES.index("royal-flush" if top == 14 else "straight-flush"), (top,)
    if counts[0] == 4:
        return CATEGORIES.index("four-of-a-kind"), ranks
    if counts[:2] == [3, 2]:
        return CATEGORIES.index("full-house"), ranks
    if is_flush:
        return CATEGORIES.index("flush"), ranks
    if top is not None:
        return CATEGORIES.index("straight"), (top,)
    if counts[0] == 3:
        return CATEGORIES.index("three-of-a-kind"), ranks
    if counts[:2] == [2, 2]:
        return CATEGORIES.index("two-pair"), ranks
    return CATEGORIES.index("pair" if counts[0] == 2 else "no-pair"), ranks


def category_of(cards: Sequence[str]) -> str:
    return CATEGORIES[rank_five(cards)[0]]


def make_five(rng: random.Random, category: str, *, pair: int | None = None) -> list[str]:
    """Return five cards at random that make a category; `pair` is the rank of a pair."""

    def name_card(rank: int, suit: str) -> str:
        return RANKS[rank - 2] + suit

    while True:
        suit = rng.choice(SUITS)
        ranks = rng.sample(range(2, 15), 5)
        match category:
            case "royal-flush":
                cards = [name_card(rank, suit) for rank in range(10, 15)]
            case "straight-flush":
                top = rng.randint(5, 13)
                cards = [name_card(rank if rank > 1 else 14, suit) for rank in range(top - 4, top + 1)]
            case "four-of-a-kind":
                cards = [name_card(ranks[0], each) for each in SUITS] + [name_card(ranks[1], suit)]
            case "full-house":
                cards = [name_card(ranks[0], each) for each in rng.sample(SUITS, 3)]
                cards += [name_card(ranks[1], each) for each in rng.sample(SUITS, 2)]
            case "flush":
                cards = [name_card(rank, suit) for rank in ranks]
            case "straight":
                top = rng.randint(5, 14)
                cards = [name_card(rank if rank > 1 else 14, rng.choice(SUITS)) for rank in range(top - 4, top + 1)]
            case "three-of-a-kind":
                cards = [name_card(ranks[0], each) for each in rng.sample(SUITS, 3)]
                cards += [name_card(rank, rng.choice(SUITS)) for rank in ranks[1:3]]
            case "two-pair":
                cards = [name_card(rank, each) for rank in ranks[:2] for each in rng.sample(SUITS, 2)]
                cards.append(name_card(ranks[2], suit))
            case "pair":
                high = ranks[0] if pair is None else pair
                cards = [name_card(high, each) for each in rng.sample(SUITS, 2)]
                cards += [name_card(rank, rng.choice(SUITS)) for rank in ranks[1:4]]
            case _:
                cards = [name_card(rank, rng.choice(SUITS)) for rank in ranks]
        rng.shuffle(cards)
        if len(set(cards)) == 5 and category_of(cards) == category:
            return cards
