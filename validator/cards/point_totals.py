"""Order of hands by the points of their cards: counts of ranks, a limit or a modulus, soft totals, categories.

A strength packs four numbers, the highest bits first: category, points, whether the total is soft, number of cards.
Softness and number of cards describe a hand, and never break a tie.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from msgspec import Struct

from fairdeal.validator.arrays import Codes, Ints, Ints32, make_read_only, np
from fairdeal.validator.cards import ranking_models
from fairdeal.validator.cards.card_codes import CARDS, NO_CARD

_CATEGORY, _POINTS, _SOFT = 16, 8, 7
"""Lowest bit of each part of a strength; the number of cards has the bits below."""
_TOTALS = 1 << _CATEGORY - _POINTS


class PointTotalRanking(Struct, frozen=True, kw_only=True):
    """Order of hands of any number of cards by category, then by points."""

    categories: tuple[str, ...]
    """Names of the categories, lowest first."""
    rules: tuple[tuple[frozenset[int], int, bool], ...]
    """Points, number of cards and whether the hand is over the limit, for each category. An empty set or 0 permits
    any."""
    low_counts: tuple[int, ...]
    """Count of each rank, from 2 to ace; the lower one of a rank with two."""
    raised_ranks: frozenset[int]
    """Ranks with a second, higher count, as numbers 0 to 12 for 2 to ace."""
    raise_by: int
    """Difference of the two counts of a rank; 0 if no rank has two."""
    limit: int
    """Highest total that is not over the limit."""
    modulo: int
    """Divisor whose remainder is the total; 0 for none."""
    spans: Mapping[str, tuple[int, int]]
    """Strengths of each category, mark and band; the end is exclusive."""

    tie_bits: ClassVar[int] = _POINTS
    """Number of lowest bits of a strength that do not rank."""

    def __hash__(self) -> int:
        return hash((self.categories, self.rules, self.low_counts, self.limit, self.modulo))

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        if name not in self.spans:
            raise ValueError(f"{name} is not a category of {', '.join(reversed(self.categories))}")
        return self.spans[name]

    def lowest_strength(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `17 points, soft` or `9 points (natural)`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        number = strength >> _POINTS & _TOTALS - 1
        points, over, cards = self.rules[strength >> _CATEGORY]
        named = f" ({self.categories[strength >> _CATEGORY].replace('-', ' ')})" if points or over or cards else ""
        soft = ", soft" if strength >> _SOFT & 1 else ""
        return f"{number} {'point' if number == 1 else 'points'}{soft}{named}"

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of each row of `cards` (uint8[n, m]), padded with `NO_CARD` after the last card.

        It is -1 if a card of the row is `UNKNOWN` or the row has no card. Raises ValueError if `m` is not between 1
        and `MAX_RANKED_CARDS`.

        Returns: int32[n].
        """
        rows, width = cards.shape
        if not 1 <= width <= ranking_models.MAX_RANKED_CARDS:
            raise ValueError(f"points are counted of 1 to {ranking_models.MAX_RANKED_CARDS} cards, not of {width}")
        values = _tabulate_cards(self.low_counts, self.raised_ranks)
        sums = np.zeros(rows, np.int32)
        for column in np.ascontiguousarray(cards.T):
            sums += values.take(column)
        return self._tabulate_strengths().take(np.minimum(sums, _UNKNOWN_SUM))

    def _tabulate_strengths(self) -> Ints32:
        """Return the strength of every packed sum of low counts, raised ranks and cards; -1 for other sums."""
        return _tabulate_sums(self.low_counts, self.raise_by, self.limit, self.modulo, self.rules)

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return (strengths >> _CATEGORY).astype(np.uint8)

    def card_classes(self) -> Codes:
        """Return a class for each card: cards of one class have the same counts.

        Returns: uint8[52].
        """
        counts = [(self.low_counts[code // 4], code // 4 in self.raised_ranks) for code in range(CARDS)]
        classes = {count: number for number, count in enumerate(sorted(set(counts)))}
        return np.array([classes[count] for count in counts], np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        return np.where(strengths < 0, -1, strengths & (1 << _SOFT) - 1).astype(np.int64)

    def points(self, strengths: Ints32) -> Ints:
        """Return the points of the hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        return np.where(strengths < 0, -1, strengths >> _POINTS & _TOTALS - 1).astype(np.int64)


_RAISED_UNIT = _TOTALS
_CARD_UNIT = _RAISED_UNIT << 4
_UNKNOWN_SUM = _CARD_UNIT << 4
"""Packed sums: points, number of raised ranks and number of cards. An unknown card makes any sum at least this."""


@cache
@make_read_only
def _tabulate_cards(low_counts: tuple[int, ...], raised: frozenset[int]) -> Ints32:
    """Return what each card adds to the packed sum of its hand, int32[256]."""
    table = np.full(256, _UNKNOWN_SUM, np.int32)
    table[NO_CARD] = 0
    for code in range(CARDS):
        table[code] = low_counts[code // 4] + _CARD_UNIT + (_RAISED_UNIT if code // 4 in raised else 0)
    return table


@cache
@make_read_only
def _tabulate_sums(
    low_counts: tuple[int, ...],
    raise_by: int,
    limit: int,
    modulo: int,
    rules: tuple[tuple[frozenset[int], int, bool], ...],
) -> Ints32:
    """Return the strength of every packed sum, -1 for no card and for unknown cards, int32[`_UNKNOWN_SUM` + 1]."""
    sums = np.arange(_UNKNOWN_SUM)
    low, raised, cards = sums % _RAISED_UNIT, sums // _RAISED_UNIT % 16, sums // _CARD_UNIT
    steps = np.clip((limit - low) // raise_by, 0, raised) if raise_by else np.zeros_like(sums)
    total = low + steps * raise_by
    total = total % modulo if modulo else total
    # Sums of more than the limit of bits cannot occur: their rows are never taken.
    packed = np.minimum(total, _TOTALS - 1) << _POINTS | (steps > 0).astype(np.int64) << _SOFT | cards
    result = np.full(_UNKNOWN_SUM + 1, -1, np.int32)
    for level, (points, number, over) in enumerate(rules):
        fits = (cards > 0) & ((total > limit) == over)
        fits &= (cards == number) | (number == 0)
        if points:
            fits &= np.isin(total, [*points])
        # Categories rise, and the highest that fits counts.
        result[:-1][fits] = (level << _CATEGORY) + packed[fits]
    return result


def compile_point_totals(model: ranking_models.PointsRanking) -> PointTotalRanking:
    """Compile the ranking of a rule file."""
    rising = list(reversed(model.categories))
    level_of = {category.category: level for level, category in enumerate(rising)}
    spans = {name: (level << _CATEGORY, level + 1 << _CATEGORY) for name, level in level_of.items()}
    for name, mark in model.marks.items():
        low = (level_of[mark.category] << _CATEGORY) + (mark.points << _POINTS)
        high = low + (1 << _POINTS)
        if mark.soft is not None:
            low, high = (low + (1 << _SOFT), high) if mark.soft else (low, low + (1 << _SOFT))
        spans[name] = low, high
    counts = [model.list_counts(rank) for rank in ranking_models.RANKS]
    return PointTotalRanking(
        categories=tuple(level_of),
        rules=tuple(
            (frozenset(category.points or ()), category.cards or 0, category.over_limit) for category in rising
        ),
        low_counts=tuple(count[0] for count in counts),
        raised_ranks=frozenset(number for number, count in enumerate(counts) if len(count) > 1),
        raise_by=max((count[-1] - count[0] for count in counts), default=0),
        limit=_TOTALS if model.limit is None else model.limit,
        modulo=model.modulo or 0,
        spans=ranking_models.add_bands(spans, model.bands),
    )
