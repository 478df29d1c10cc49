"""Orders of hands of other kinds: longest suited hand, ties broken by suit, fixed numbers of cards from several
places.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import ClassVar, Literal, Protocol

from msgspec import Struct

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, make_read_only, np
from fairdeal.validator.cards import ranking_models
from fairdeal.validator.cards.card_codes import (
    CARDS,
    RANK_WORDS,
    cards_in_symbols,
    describe_card,
    enumerate_choices,
    hand_number,
    hand_numbers,
    load_or_build,
    sort_columns,
    tabulate,
)
from fairdeal.validator.cards.point_totals import compile_point_totals
from fairdeal.validator.cards.ranking import CompiledRanking, compile_ranking

_BITS = 23
_SUITS = 4
_ACE = len(ranking_models.RANKS) - 1
_FEWER = [
    sum(comb(_ACE + size, size) for size in range(1, length)) for length in range(ranking_models.MAX_RANKED_CARDS + 1)
]
"""Number of hands with fewer cards, at least one, by the number of cards."""


class LongestFlushRanking(Struct, frozen=True, kw_only=True):
    """Order of hands of any number of cards by their longest hand of one suit."""

    categories: tuple[str, ...]
    """Names of the categories, lowest first."""
    rules: tuple[tuple[int, bool], ...]
    """Fewest cards of each category, and whether all must be natural, lowest first."""
    wild: frozenset[int]
    """Ranks of wild cards, as numbers 0 to 12 for 2 to ace."""
    counts_as: Literal["highest-missing", "ace", "own-rank"]
    """Rank of a wild card."""
    natural_in_own_suit: bool
    """True if a wild card is natural in a hand of its own suit."""
    spans: Mapping[str, tuple[int, int]]
    """Strengths of each category and band; the end is exclusive."""
    tie_bits: ClassVar[int] = 0
    """No bit of a strength is left out of comparisons."""

    def __hash__(self) -> int:
        return hash((self.categories, self.rules))

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        if name not in self.spans:
            raise ValueError(f"{name} is not a category of {', '.join(reversed(self.categories))}")
        return self.spans[name]

    def lowest_strength(self, name: str) -> int:
        """Return the lowest strength of a category or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `4-card flush: ace, ten, seven, three`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        place = strength & (1 << _BITS) - 1
        length = bisect_right(_FEWER, place, lo=1) - 1
        number, ranks = place - _FEWER[length], []
        for size in range(length, 0, -1):
            rank = max(rank for rank in range(len(ranking_models.RANKS)) if comb(rank + size - 1, size) <= number)
            number -= comb(rank + size - 1, size)
            ranks.append(RANK_WORDS[rank])
        return f"{ranking_models.name_category(self.categories[strength >> _BITS])}: {', '.join(ranks)}"

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best suited hand in each row of `cards` (uint8[n, m]).

        It is -1 if a card of the row is `UNKNOWN` or `NO_CARD`. Raises ValueError if `m` is not between 1 and
        `MAX_RANKED_CARDS`.

        Returns: int32[n].
        """
        rows, width = cards.shape
        if not 1 <= width <= ranking_models.MAX_RANKED_CARDS:
            raise ValueError(f"a suited hand is made of 1 to {ranking_models.MAX_RANKED_CARDS} cards, not of {width}")
        columns = np.ascontiguousarray(cards.T)
        best: Ints32 = self._rank_suits(columns).reshape(_SUITS, rows).max(axis=0)
        best[(columns >= CARDS).any(axis=0)] = -1
        return best

    def _rank_suits(self, columns: Codes) -> Ints32:
        """Return the strength of the hand of each suit, -1 if there is none.

        Args:
            columns: cards of each row, uint8[m, n].

        Returns: int32[4 * n], suit by suit.
        """
        key_of, is_wild = _tabulate_keys(self.wild, self.counts_as, self.natural_in_own_suit)
        keys = np.concatenate([key_of[suit].take(columns) for suit in range(_SUITS)], axis=1)
        wild = np.concatenate([is_wild[suit].take(columns) for suit in range(_SUITS)], axis=1)
        pure = ~wild.any(axis=0)
        if self.counts_as == "highest-missing" and not pure.all():
            _fill_wild(keys, wild, np.flatnonzero(~pure))
        falling = sort_columns(keys.T)[::-1]
        length = (falling > 0).sum(axis=0, dtype=np.uint8)
        place = np.array(_FEWER, np.int32).take(length)
        for before, column in enumerate(falling):
            left = length - np.minimum(length, np.uint8(before))
            place += _tabulate_shares().take((left << 4) + column)
        levels = _tabulate_levels(self.rules)[pure.view(np.uint8), length]
        return np.where(length > 0, (levels << _BITS) + place, -1)

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return (strengths >> _BITS).astype(np.uint8)

    def card_classes(self) -> Codes:
        """Return a class for each card: cards of one class, such as the natural cards of a suit, have the same effect
        on the category.

        Returns: uint8[52].
        """
        return np.array([code % _SUITS * 2 + (code // _SUITS in self.wild) for code in range(CARDS)], np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the suited hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        places = strengths & (1 << _BITS) - 1
        return np.where(strengths < 0, -1, np.searchsorted(np.array(_FEWER[1:], np.int32), places, side="right"))


@cache
@make_read_only
def _tabulate_levels(rules: tuple[tuple[int, bool], ...]) -> Ints32:
    """Return the category of a suited hand by its number of cards, with wild cards and without.

    Args:
        rules: as the field of `LongestFlushRanking`.

    Returns:
        int32[2, cards].
    """

    def level(length: int, pure: bool) -> int:
        fits = [place for place, (fewest, only) in enumerate(rules) if length >= fewest and pure >= only]
        return max(fits, default=0)

    return np.array(
        [[level(length, pure) for length in range(ranking_models.MAX_RANKED_CARDS + 1)] for pure in (False, True)],
        np.int32,
    )


@cache
@make_read_only
def _tabulate_keys(wild: frozenset[int], counts_as: str, natural_in_own_suit: bool) -> tuple[Codes, Flags]:
    """Return, by suit and code of a card, its key in the hand of that suit and whether it is wild there, both [4, 256].

    A key is one more than the rank of the card, 0 for a card outside the hand.
    """
    keys, is_wild = np.zeros((_SUITS, 256), np.uint8), np.zeros((_SUITS, 256), bool)
    for suit in range(_SUITS):
        for code in range(CARDS):
            rank, own = code // 4, code % 4 == suit
            is_wild[suit, code] = rank in wild and not (own and natural_in_own_suit)
            if is_wild[suit, code]:
                keys[suit, code] = 1 + (_ACE if counts_as == "ace" else rank)
            elif own:
                keys[suit, code] = 1 + rank
    return keys, is_wild


def _fill_wild(keys: Codes, wild: Flags, hands: Ints) -> None:
    """Replace every wild card of some hands (columns of `keys`) by the key of the highest missing rank."""
    filled, wild = keys[:, hands], wild[:, hands]
    present = np.zeros(len(hands), np.uint16)
    for key in np.where(wild, 0, filled):
        present |= (np.uint16(1) << key.astype(np.uint16)) >> np.uint16(1)
    nth = np.zeros(len(hands), np.uint32)
    for place, hands_here in enumerate(map(np.flatnonzero, wild)):
        filled[place, hands_here] = _tabulate_missing().take(
            (nth[hands_here] << len(ranking_models.RANKS)) + present[hands_here]
        )
        nth[hands_here] += 1
    keys[:, hands] = filled


@cache
@make_read_only
def _tabulate_missing() -> Codes:
    """Return the key of the nth highest rank, from 0, that is not in a set of ranks.

    Returns: uint8[13 * 8192].
    """
    table = np.zeros((len(ranking_models.RANKS), 1 << len(ranking_models.RANKS)), np.uint8)
    sets = np.arange(1 << len(ranking_models.RANKS))
    nth = np.zeros(len(sets), np.int64)
    for rank in range(_ACE, -1, -1):
        absent = sets >> rank & 1 == 0
        table[nth[absent], sets[absent]] = rank + 1
        nth += absent
    return table.reshape(-1)


@cache
@make_read_only
def _tabulate_shares() -> Ints32:
    """Return the share of a card in the index of its hand, by rank from the bottom and by key.

    The first is the number of cards that are no higher, itself included.

    Returns: int32[cards * 16].
    """
    table = np.zeros((ranking_models.MAX_RANKED_CARDS + 1, 16), np.int32)
    for left in range(1, ranking_models.MAX_RANKED_CARDS + 1):
        table[left, 1 : len(ranking_models.RANKS) + 1] = [
            comb(rank + left - 1, left) for rank in range(len(ranking_models.RANKS))
        ]
    return table.reshape(-1)


def compile_longest_flush(model: ranking_models.SuitedRanking) -> LongestFlushRanking:
    """Compile the ranking of a rule file."""
    wild = model.wild
    rising = list(reversed(model.categories))
    spans = {category.category: (level << _BITS, level + 1 << _BITS) for level, category in enumerate(rising)}
    return LongestFlushRanking(
        categories=tuple(spans),
        rules=tuple(category.requirement() for category in rising),
        wild=frozenset() if wild is None else frozenset(map(ranking_models.RANKS.index, wild.ranks)),
        counts_as="own-rank" if wild is None else wild.ranks_as,
        natural_in_own_suit=wild is not None and wild.in_own_suit == "natural",
        spans=ranking_models.add_bands(spans, model.bands),
    )


class SuitTiebreakRanking(Struct, frozen=True, kw_only=True):
    """Order of hands by a ranking, then by suits."""

    ranking: CompiledRanking
    """Ranking of the hands by ranks."""
    suits: tuple[int, ...]
    """Suits from the lowest up, as numbers 0 to 3 for clubs, diamonds, hearts and spades."""
    tie_bits: ClassVar[int] = 0
    """No bit of a strength is left out of comparisons."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories, the worst first."""
        return self.ranking.categories

    @property
    def _bits(self) -> int:
        return 2 * self.ranking.size

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        low, high = self.ranking.span(name)
        return low << self._bits, high << self._bits

    def lowest_strength(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `pair of nines, kicker ace (9♠ 9♥ A♣)`, or `two of clubs` for a single
        card; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        by_ranks, by_suits = int(strength) >> self._bits, self._mirror(int(strength) & (1 << self._bits) - 1)
        suits = [self.suits[by_suits >> 2 * place & 3] for place in reversed(range(self.ranking.size))]
        cards = [4 * rank + suit for rank, suit in zip(self.ranking.arrangement(by_ranks), suits, strict=True)]
        return (
            f"{self.ranking.describe(by_ranks)} ({cards_in_symbols(cards)})"
            if len(cards) > 1
            else describe_card(cards[0])
        )

    def _mirror(self, by_suits: int) -> int:
        return by_suits if self.ranking.wins == "highest" else (1 << self._bits) - 1 - by_suits

    # Columns

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of `cards` (uint8[n, m]).

        It is -1 if a card of the row is `UNKNOWN` or `NO_CARD`. Raises ValueError if `m` is less than the size of a
        hand.

        Returns: int32[n].
        """
        rows, width = cards.shape
        if width < self.ranking.size:
            raise ValueError(f"a hand of {self.ranking.size} cards cannot be chosen from {width}")
        # Codes with suits numbered from the lowest up; other codes stay as they are.
        codes = np.arange(256, dtype=np.uint8)
        codes[:CARDS] = [code // 4 * 4 + self.suits.index(code % 4) for code in range(CARDS)]
        known = (cards < CARDS).all(axis=1)
        best = np.full(rows, -1, np.int32)
        for places in combinations(range(width), self.ranking.size):
            columns = sort_columns(codes.take(cards[:, places]))
            np.maximum(best, self._rank_whole_hands(columns), out=best, where=known)
        return best

    def _rank_whole_hands(self, columns: Codes) -> Ints32:
        """Return the strength of whole hands (uint8[size, n], suits numbered from the lowest, ascending down each
        column)."""
        numbers = hand_numbers(columns)
        by_suits = np.zeros(columns.shape[1], np.int32)
        for column, shifts in zip(columns, _tabulate_shifts(self.ranking), strict=True):
            by_suits |= (column & 3).astype(np.int32) << shifts.take(numbers)
        if self.ranking.wins == "lowest":
            by_suits ^= (1 << self._bits) - 1
        return (self.ranking.table().take(numbers) << self._bits) + by_suits

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return self.ranking.category(strengths >> self._bits)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength, `ranking.size`; -1 for -1.

        Returns: int64[n].
        """
        return self.ranking.length(strengths)


@cache
@make_read_only
def _tabulate_shifts(ranking: CompiledRanking) -> Ints32:
    """Return the shift of the suit of each card of a hand, cards ascending, by the `hand_number` of the hand.

    Returns: int32[size, hands].
    """
    strengths, size = ranking.table(), ranking.size

    def shift(place: int, ranks: tuple[int, ...], suited: bool) -> int:
        arrangement = ranking.arrangement(int(strengths[hand_number(ranks, suited)]))
        higher_alike = ranks[place + 1 :].count(ranks[place])
        return 2 * (size - 1 - arrangement.index(ranks[place]) - higher_alike)

    return np.stack([tabulate(size, partial(shift, place)) for place in range(size)])


def compile_suit_tiebreak(ranking: CompiledRanking, suits: Sequence[ranking_models.Suit]) -> SuitTiebreakRanking:
    """Compile a ranking in which suits, highest first, decide between hands that are otherwise equal."""
    return SuitTiebreakRanking(
        ranking=ranking, suits=tuple(ranking_models.SUITS.index(suit) for suit in reversed(suits))
    )


class HandOrder(Protocol):
    """Order of hands. A strength is one integer: higher for the better hand, equal for a tie, -1 for an unknown
    hand. Its lowest `tie_bits` bits describe the hand and do not rank."""

    @property
    def tie_bits(self) -> int:
        """Number of lowest bits of a strength that do not rank; 0 if strengths are compared as they are."""
        ...

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories, the worst first."""
        ...

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        ...

    def lowest_strength(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        ...

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength; -1 is `unknown hand`."""
        ...

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of `cards` (uint8[n, m]), -1 if a card is unknown.

        Raises ValueError if a row has too few or too many cards.

        Returns: int32[n].
        """
        ...

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        ...

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        ...


def compile_order(model: ranking_models.AnyRanking) -> HandOrder:
    """Compile the ranking of a rule file. Tables are built when a column is first ranked.

    Raises ValueError if no hand fits a mark.
    """
    if isinstance(model, ranking_models.PointsRanking):
        return compile_point_totals(model)
    if isinstance(model, ranking_models.SuitedRanking):
        return compile_longest_flush(model)
    ranking = compile_ranking(model)
    return compile_suit_tiebreak(ranking, model.suits) if model.suits else ranking


class FixedComposition(Struct, frozen=True, kw_only=True):
    """Hands with a fixed number of cards from each of several places; the numbers add up to the cards of the
    ranking."""

    ranking: CompiledRanking
    """Ranking of the hands."""
    sizes: tuple[int, ...]
    """Number of cards of each place."""
    uses: tuple[int, ...]
    """Number of cards used from each place."""

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row, -1 if a card of the row is unknown.

        Time grows with the number of possible hands of a row. `cards` is uint8[n, sum(sizes)], place by place.

        Returns: int32[n].
        """
        table = _tabulate_strengths(self.ranking, self.uses)
        suited_from = np.int32(len(table) // 2)
        best = np.full(len(cards), -1, np.int32)
        for chosen in product(*self._list_choices(cards)):
            numbers, suits = chosen[0]
            for number, suit in chosen[1:]:
                numbers, suits = numbers + number, suits & suit
            np.maximum(best, table.take(numbers + (suits != 0) * suited_from), out=best)
        best[(cards >= CARDS).any(axis=1)] = -1
        return best

    def _list_choices(self, cards: Codes) -> list[list[tuple[Ints32, Codes]]]:
        """Return, for each place and each choice of its cards, its share of the number of the hand, and the suits
        shared by all cards."""
        choices_by_place = []
        start, stride = 0, prod(map(_count_hands, self.uses))
        for size, used in zip(self.sizes, self.uses, strict=True):
            stride //= _count_hands(used)
            columns = sort_columns(cards[:, start : start + size])
            choices_by_place.append(
                [(number * np.int32(stride), suits) for number, suits in enumerate_choices(columns, used)]
            )
            start += size
        return choices_by_place


def _count_hands(size: int) -> int:
    """Return the number of possible choices of ranks for some cards."""
    return comb(len(ranking_models.RANKS) - 1 + size, size)


@cache
@make_read_only
def _tabulate_strengths(ranking: CompiledRanking, uses: tuple[int, ...]) -> Ints32:
    """Return the strength of every hand by the numbers of its parts, the last one lowest: first all hands of mixed
    suits, then all of one suit."""

    def tabulate() -> Ints32:
        parts = [
            sorted(
                combinations_with_replacement(range(len(ranking_models.RANKS)), used),
                key=lambda ranks: hand_number(ranks, False),
            )
            for used in uses
        ]
        numbers = [hand_number(sorted(sum(ranks, ())), False) for ranks in product(*parts)]
        whole = ranking.table()
        return np.concatenate([whole[: len(whole) // 2].take(numbers), whole[len(whole) // 2 :].take(numbers)])

    return load_or_build(("composed", repr(ranking), repr(uses)), tabulate)


def compile_composition(ranking: HandOrder, sizes: Sequence[int], uses: Sequence[int]) -> FixedComposition:
    """Compile hands of `uses` cards out of places that hold `sizes` cards.

    Raises TypeError for a ranking that is not by ranks alone, ValueError if the numbers do not fit.
    """
    if not isinstance(ranking, CompiledRanking):
        raise TypeError("a fixed number of cards from each place requires a ranking by ranks alone")
    if sum(uses) != ranking.size or any(used > size for used, size in zip(uses, sizes, strict=True)):
        raise ValueError(f"a hand of {ranking.size} cards cannot use {list(uses)} out of {list(sizes)} cards")
    return FixedComposition(ranking=ranking, sizes=tuple(sizes), uses=tuple(uses))
