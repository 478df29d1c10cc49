"""Rankings at work: what a hand is worth under a ranking that is data.

The place of a hand in the order is one integer: higher for the higher hand, equal for a tie. Read in
groups of four bits it ends in one digit for each card of the hand; above them stands the number of its
category, 0 for the lowest. The digits break ties, most important first: for a run its top alone; else the
rank of each group, then the ranks of the other cards from the highest down (or, where ties are broken by single
cards, the ranks of all cards from the highest down). A digit is a pip value, 2 to 14 for the ace, or 1 where it is
low, and 0 in the places left over.

What a hand is worth, its strength, is its place where the highest hand wins; where the lowest does, the places are
counted from the other end, so that the better hand has the higher strength in either case.

`classify` and its inverse `arrangement` say this for one hand. What works on columns is tabulated from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import Codes, Flags, Ints, Ints32
from validator.cards import rank_tables
from validator.cards.bands import with_bands
from validator.cards.cards import CARDS
from validator.cards.category import Rule
from validator.cards.model import Category, Ranking
from validator.cards.names import RANKS

_RANK_NUMBERS = {rank: number for number, rank in enumerate(RANKS)}
_ACE = _RANK_NUMBERS["A"]
_LOWEST_PIP = 2


class CompiledRanking(Struct, frozen=True, kw_only=True):
    """An order of all hands of `size` cards.

    `rules` are the categories, lowest first; `spans` the strengths of each category, mark and band. Ranks are
    numbers 0 to 12 for 2 to ace, wherever the ace stands. Several decks may be in play: a suited hand may repeat a
    rank. `lowest` is the rank above an ace at the low end of a run.
    """

    size: int
    ace: Literal["high", "low", "high-and-low", "always-low"]
    lowest: int
    wins: Literal["highest", "lowest"]
    ties: Literal["groups", "cards"]
    rules: tuple[Rule, ...]
    spans: Mapping[str, tuple[int, int]]

    def __hash__(self) -> int:
        return hash((self.size, self.rules))

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, the worst first."""
        names = [rule.name for rule in self.rules]
        return tuple(names if self.wins == "highest" else reversed(names))

    def classify(self, ranks: Sequence[int], suited: bool) -> int:
        """Strength of one hand: `size` ranks in any order, and whether the cards share a suit."""
        return self._turned(self._place(ranks, suited))

    def _turned(self, place: int) -> int:
        """The strength of the hand at a place of the order, and the place of a hand of this strength."""
        return place if self.wins == "highest" else (len(self.rules) << 4 * self.size) - 1 - place

    def _place(self, ranks: Sequence[int], suited: bool) -> int:
        falling = sorted(ranks, key=self._pips, reverse=True)
        top = self._top_of_run(sorted(ranks, reverse=True))
        for level in range(len(self.rules) - 1, 0, -1):
            rule = self.rules[level]
            if (rule.suited and not suited) or (rule.consecutive and top is None):
                continue
            order = rule.in_order(falling)
            if order is not None:
                ranks = falling if self.ties == "cards" else order
                return self._pack(level, [top] if rule.consecutive and top is not None else ranks)
        return self._pack(0, falling)

    def _pips(self, rank: int) -> int:
        return 1 if rank == _ACE and self.ace == "always-low" else rank + _LOWEST_PIP

    def _top_of_run(self, falling: list[int]) -> int | None:
        """The rank that tops the run these ranks form, the one below the lowest for an ace alone at the low end;
        `None`: no run."""
        top = falling[0]
        if (self.ace in ("high", "high-and-low") or top != _ACE) and falling == list(range(top, top - self.size, -1)):
            return top
        above_ace = self.lowest + self.size - 2
        if self.ace != "high" and falling == [_ACE, *range(above_ace, self.lowest - 1, -1)]:
            return above_ace
        return None

    def _pack(self, level: int, ranks: Sequence[int]) -> int:
        place = level
        for rank in ranks:
            place = place << 4 | self._pips(rank)
        return place << 4 * (self.size - len(ranks))

    def _unpack(self, strength: int) -> tuple[Rule, list[int]]:
        """The category of a hand of this strength, and the top of a run, else the ranks of groups and other cards."""
        place = self._turned(strength)
        digits = [place >> 4 * nth & 15 for nth in reversed(range(self.size))]
        rule, ranks = (
            self.rules[place >> 4 * self.size],
            [(digit - _LOWEST_PIP) % len(RANKS) for digit in digits if digit],
        )
        order = None if rule.consecutive or self.ties == "groups" else rule.in_order(ranks)
        return rule, order or ranks

    def arrangement(self, strength: int) -> tuple[int, ...]:
        """Ranks of a hand of this strength as players arrange it: the groups, then the other cards from the
        highest down; a run from its top, so that an ace playing low comes last."""
        rule, ranks = self._unpack(strength)
        if rule.consecutive:
            run = range(ranks[0], ranks[0] - self.size, -1)
            return tuple(rank if rank >= self.lowest else _ACE for rank in run)
        return rule.spread(ranks)

    def describe(self, strength: int) -> str:
        """A hand of this strength in words, as in `pair of nines, kicker ace`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        rule, ranks = self._unpack(int(strength))
        return rule.describe(ranks)

    def floor(self, category: str, ranks: Sequence[str] = ()) -> int:
        """Lowest strength that counts as at least this category and, within it, at least these leading ranks.

        `floor("pair", ["J"])` is a pair of jacks, whatever the other cards. Raises `ValueError` if there is
        no such category, or no hand of it begins with these ranks.
        """
        return self._span(category, ranks)[0]

    def span(self, name: str) -> tuple[int, int]:
        """The strengths that a category, mark or band takes in: from the first up to, not including, the second.

        A mark takes in the hands that begin with its ranks. Raises `ValueError` if there is no such name.
        """
        return self.spans[name] if name in self.spans else self._span(name, ())

    def _span(self, category: str, ranks: Sequence[str]) -> tuple[int, int]:
        return self._of_stretch(self._stretch(category, ranks))

    def _stretch(self, category: str, ranks: Sequence[str]) -> tuple[int, int]:
        """The places that hands of a category take up which begin with these ranks."""
        names = [rule.name for rule in self.rules]
        if category not in names:
            raise ValueError(f"{category} is not a category of {', '.join(reversed(names))}")
        level = names.index(category)
        numbers = tuple(_RANK_NUMBERS.get(rank, -1) for rank in ranks)
        if numbers and not _begins(self, level, numbers):
            raise ValueError(f"no {category} begins with the ranks {', '.join(ranks)}")
        low = self._pack(level, numbers)
        return low, low + (1 << 4 * (self.size - len(ranks)))

    def _of_stretch(self, stretch: tuple[int, int]) -> tuple[int, int]:
        """The strengths of the hands in a stretch of the order."""
        ends = self._turned(stretch[0]), self._turned(stretch[1] - 1)
        return min(ends), max(ends) + 1

    def at_least(self, name: str) -> int:
        """Lowest strength that counts as at least the category, mark or band of this name.

        Raises `ValueError` if there is no such name.
        """
        return self.span(name)[0]

    def best(self, cards: Sequence[int] | Codes) -> tuple[int, ...]:
        """The `size` cards out of one row that make its best hand, arranged as in `arrangement`.

        Of equally good choices, and of cards of equal rank, the higher codes are taken, and come, first.
        Raises `ValueError` if a card is not known or there are too few.
        """
        if len(cards) < self.size or any(code >= CARDS for code in cards):
            raise ValueError(f"the best hand needs {self.size} cards or more, all of them known")

        def strength(hand: tuple[int, ...]) -> int:
            return self.classify([code // 4 for code in hand], len({code % 4 for code in hand}) == 1)

        falling = sorted((int(code) for code in cards), reverse=True)
        chosen = max(combinations(falling, self.size), key=strength)
        order = self.arrangement(strength(chosen))
        return tuple(sorted(chosen, key=lambda code: order.index(code // 4)))

    def grouped(self, strength: int) -> tuple[int, ...]:
        """Ranks of the cards that form the groups of a hand of this strength; none where its category has none."""
        rule, ranks = self._unpack(strength)
        return rule.spread(ranks)[: sum(rule.groups)] if rule.groups else ()

    # Columns

    def table(self) -> Ints32:
        """The strength of every hand of `size` cards, by its `kernel.number`; do not write to it."""
        return _strengths(self)

    def strength(self, cards: Codes) -> Ints32:
        """`int32[n]`: strength of the best hand of `size` cards out of each row of `cards` (`uint8[n, m]`);
        -1 where a card of the row is `UNKNOWN` or `NO_CARD`. Raises `ValueError` if `m < size`."""
        return rank_tables.best_of(cards, self.size, _strengths(self))

    def category(self, strengths: Ints32) -> Codes:
        """`uint8[n]`: index in `categories` of each strength; 255 for -1."""
        return (strengths >> 4 * self.size).astype(np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """`int64[n]`: how many cards make up the hand of each strength, `size`; -1 for -1."""
        return np.where(strengths < 0, -1, self.size)

    def arranged(self, cards: Codes) -> Flags:
        """`bool[n]`: whether the cards of each row (`uint8[n, size]`) stand in the order of `arrangement`;
        cards of equal rank may change places. False where a card is not known. Raises `ValueError` for rows
        of another size."""
        if cards.shape[1] != self.size:
            raise ValueError(f"{cards.shape[1]} cards are not an arranged hand of {self.size}")
        order = rank_tables.best_of(cards, self.size, _orders(self))
        return np.equal(order, rank_tables.column_digits(cards))


@lru_cache(maxsize=1000)
def _begins(ranking: CompiledRanking, level: int, numbers: tuple[int, ...]) -> bool:
    """Whether some hand of the category has these leading ranks, which are then among those of its cards."""
    if len(numbers) > ranking.size or -1 in numbers:
        return False
    start, cut = ranking._pack(level, numbers), 4 * (ranking.size - len(numbers))
    # Cards of one suit where it does not ask for that could only make it a hand of another category.
    suited = ranking.rules[level].suited
    return any(
        ranking._place((*numbers, *others), suited) >> cut == start >> cut
        for others in combinations_with_replacement(range(len(RANKS)), ranking.size - len(numbers))
    )


@cache
def _strengths(ranking: CompiledRanking) -> Ints32:
    return rank_tables.kept(("strengths", repr(ranking)), lambda: rank_tables.tabulate(ranking.size, ranking.classify))


@cache
def _orders(ranking: CompiledRanking) -> Ints32:
    """The arrangement of every hand, its ranks as digits, in the order of `_strengths`."""
    arrangements = map(ranking.arrangement, _strengths(ranking).tolist())
    return np.fromiter(map(rank_tables.digits, arrangements), np.int32)


def compile_ranking(model: Ranking) -> CompiledRanking:
    """The ranking a rule file describes, ready for use. Tables are built when a column is first ranked.

    Raises `ValueError` if there is no hand for a mark.
    """
    bare = _without_spans(model)
    named = {name: (name, ()) for name in bare.categories} | {
        name: (mark.category, tuple(mark.ranks)) for name, mark in model.marks.items()
    }
    stretches = with_bands({name: bare._stretch(*hands) for name, hands in named.items()}, model.bands)
    return replace(bare, spans={name: bare._of_stretch(stretch) for name, stretch in stretches.items()})


def marks_without_a_hand(model: Ranking) -> dict[str, str]:
    """The marks of a ranking that no hand begins with, each with what is wrong; none of them can be compiled."""
    bare, found = _without_spans(model), {}
    for name, mark in model.marks.items():
        try:
            bare.floor(mark.category, mark.ranks)
        except ValueError as error:
            found[name] = str(error)
    return found


def _without_spans(model: Ranking) -> CompiledRanking:
    return CompiledRanking(
        size=model.cards,
        ace=model.ace,
        lowest=_RANK_NUMBERS[model.lowest_rank],
        wins=model.wins,
        ties=model.ties,
        rules=tuple(_compile_rule(category, model) for category in reversed(model.categories)),
        spans={},
    )


def _compile_rule(category: Category, model: Ranking) -> Rule:
    return Rule(
        name=category.category,
        size=model.cards,
        suited=category.suited,
        consecutive=category.consecutive,
        groups=tuple(category.groups),
        ranks=frozenset(_RANK_NUMBERS[rank] for rank in category.ranks or RANKS),
        conditional=category.conditional(),
        wins=model.wins,
    )
