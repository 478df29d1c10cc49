"""Decks stacked now and then, so that hands come up that luck alone would hardly ever deal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import combinations

import numpy as np
from msgspec import Struct

from validator.arrays import Codes, Flags, Ints
from validator.engine.compiled.game import PreparedHand
from validator.language.terms import Place
from validator.simulate.draws import happens, one_of_each, stream

_AT_RANDOM = 20_000
"""Hands that are dealt from the whole deck to find rare ones."""
_OF_EACH_POOL = 200
"""Hands that are dealt from each choice of one suit and one rank besides."""
_MOST_LISTED = 2000
"""So many hands of a few cards are all looked at."""
_CODES = 256
"""Codes of cards are below this."""
_ENOUGH = 64
"""Different hands of a rare category that are kept to choose from."""


class Rare(Struct, frozen=True, kw_only=True):
    """Hands of a rare category, uint8[n, size], that come up in so many of a thousand rounds; where their cards lie
    and how many of them at each place; whether these are
    cards that it holds in the end, so that it may be dealt more; and those that come `beside` one in the same round."""

    hands: Codes
    places: tuple[Place, ...]
    sizes: tuple[int, ...]
    chance: int
    held: bool = False
    beside: tuple[Rare, ...] = ()


class Lot(Struct, frozen=True, kw_only=True):
    """Where the cards of a place lie in the decks, a row a hand (of a seat, or else of a round): the number of the
    deck's `round`, in `columns`, int64[n, m], where the cards lie that it keeps, and how many they are, -1 where it
    was dealt a wrong number."""

    round: Ints
    columns: Ints
    count: Ints


def stack(deck: Codes, lots: Mapping[Place, Lot], rare: tuple[Rare, ...], rng: np.random.Generator) -> None:
    """Exchange cards in some of the decks, uint8[rounds, cards], so that one place each is dealt a rare hand, or
    several places hands that come beside each other."""
    free = np.ones(len(deck), np.bool_)
    for one in rare:
        together = (one, *one.beside)
        if any(not len(each.hands) or not {*each.places} <= lots.keys() for each in together):
            continue
        chosen = free & happens(rng, len(deck), one.chance)
        rounds, columns = _places_for(together, lots, chosen, rng)
        gone = np.zeros((len(rounds), _CODES), np.bool_)
        for each, at in zip(together, columns, strict=True):
            # Any of the hands that need no card of those dealt before; where there is none the cards stay as they lie.
            fits = ~np.any(gone[:, each.hands], axis=2)
            weight = np.where(fits, rng.integers(1, 2**31, fits.shape), 0)
            wanted, able = each.hands[weight.argmax(axis=1)], np.flatnonzero(fits.any(axis=1))
            for card in range(wanted.shape[1]):
                _put(deck, rounds[able], at[able, card], wanted[able, card])
            gone[able[:, None], wanted[able]] = True
        free[rounds] = False


def _places_for(
    together: tuple[Rare, ...], lots: Mapping[Place, Lot], chosen: Flags, rng: np.random.Generator
) -> tuple[Ints, list[Ints]]:
    """The chosen rounds that have a place for each of some hands, all different; and for each hand where its cards lie
    in the decks of these rounds, int64[rounds, size]."""
    taken: list[tuple[Place, Ints]] = []
    found: list[tuple[Ints, Ints]] = []
    for one in together:
        columns, round_ = _columns(one, lots)
        fits = chosen[round_] & (columns >= 0).all(axis=1)
        for rows in (rows for place, rows in taken if place == _own(one)):
            fits[rows] = False
        candidates = np.flatnonzero(fits)
        rows = one_of_each(rng, candidates, round_[candidates].astype(np.int32))
        taken.append((_own(one), rows))
        found.append((round_[rows], columns[rows]))
        chosen = np.isin(np.arange(len(chosen)), round_[rows])
    rounds = np.flatnonzero(chosen)
    return rounds, [columns[np.searchsorted(at, rounds)] for at, columns in found]


def _own(rare: Rare) -> Place:
    """The place whose hand it is."""
    return "player" if "player" in rare.places else rare.places[0]


def _columns(rare: Rare, lots: Mapping[Place, Lot]) -> tuple[Ints, Ints]:
    """Where the cards of every hand of a kind lie in its deck, int64[n, size], -1 where a place has another number
    of cards; and the rounds of these hands."""
    own = lots[_own(rare)]
    parts: list[Ints] = []
    for place, size in zip(rare.places, rare.sizes, strict=True):
        lot = lots[place]
        rows = np.arange(len(own.round)) if lot is own else own.round
        part = np.full((len(rows), size), -1, np.int64)
        if lot.columns.shape[1] >= size:
            count = lot.count[rows, None]
            part = np.where(count >= size if rare.held else count == size, lot.columns[rows, :size], -1)
        parts.append(part)
    return np.concatenate(parts, axis=1), own.round


def _put(deck: Codes, rows: Ints, column: Ints, card: Codes) -> None:
    """Exchange the cards at some places of decks, one a deck, with those that should lie there."""
    there = deck[rows] == card[:, None]
    found, old = there.any(axis=1), deck[rows, column]
    deck[rows[found], there.argmax(axis=1)[found]] = old[found]
    deck[rows, column] = card


def rare_hands(deck: tuple[int, ...], hand: PreparedHand, category: str, rng: np.random.Generator) -> Codes:
    """uint8[n, size]: some hands of a category, mark or band, in any order, their cards place by place; none where none
    was found. Raises ValueError where the ranking has no such name."""
    low, high = hand.ranking.span(category)
    hands = _likely(deck, sum(hand.sizes))
    strength = hand.strength(hands)
    found = hands[(strength >= low) & (strength < high)]
    return rng.permutation(found)[:_ENOUGH]


@cache
def _likely(deck: tuple[int, ...], size: int) -> Codes:
    """uint8[n, size]: hands dealt at random and where rare ones are: within a suit, among two ranks, within a suit and
    one rank besides."""
    rng = stream(0, size)
    cards = np.array(deck, np.uint8)
    suits, ranks = np.unique(cards & 3), np.unique(cards >> 2)
    lists = [cards[cards & 3 == suit] for suit in suits]
    lists += [cards[np.isin(cards >> 2, pair)] for pair in combinations(ranks, 2)]
    mixed = [cards[(cards & 3 == suit) | (cards >> 2 == rank)] for suit in suits for rank in ranks]
    pools = [*((pool, _MOST_LISTED) for pool in lists), *((pool, _OF_EACH_POOL) for pool in mixed), (cards, _AT_RANDOM)]
    found = [_hands_of(pool, size, most, rng) for pool, most in pools if len(pool) >= size]
    return np.concatenate([np.zeros((0, size), np.uint8), *found])


def _hands_of(pool: Codes, size: int, most: int, rng: np.random.Generator) -> Codes:
    """Hands of so many cards of a pool: all of them, or some where there are more than `most`."""
    if most == _MOST_LISTED and len(pool) <= 13:
        return pool[np.array(list(combinations(range(len(pool)), size)), np.int64)]
    order = np.argsort(rng.integers(0, 2**62, (most, len(pool))), axis=1)
    return pool[order[:, :size]]
