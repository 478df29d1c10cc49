"""Compiled rankings by the ranks of the cards, and the dense tables that give the strength of many hands at once.

The place of a hand in the order is one integer: higher for the higher hand, equal for a tie. In groups of four bits it
ends in one digit per card; above them is the number of its category, 0 for the lowest. The strength of a hand is its
place if the highest hand wins; if the lowest wins, places are counted from the other end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import Codes, Flags, Ints, Ints32, make_read_only, np
from fairdeal.validator.cards.card_codes import (
    CARDS,
    JOKER,
    KNOWN_CARDS,
    RANK_WORDS,
    find_best_values,
    load_or_build,
    pack_column_digits,
    pack_digits,
    sort_columns,
    tabulate,
)
from fairdeal.validator.cards.ranking_models import RANKS, Category, Ranking, add_bands, name_category


class CategoryRule(Struct, frozen=True, kw_only=True):
    """Compiled category of hands of `size` cards. Ranks are numbers 0 to 12."""

    name: str
    """Name of the category."""
    size: int
    """Number of cards of a hand."""
    suited: bool
    """True if all cards must have one suit."""
    consecutive: bool
    """True if the ranks must form a run."""
    groups: tuple[int, ...]
    """Sizes of the groups of equal rank, largest first."""
    ranks: frozenset[int]
    """Permitted ranks, all if the category names none."""
    conditional: bool
    """False for the category that every hand fits."""
    wins: Literal["highest", "lowest"]
    """Best hands of the ranking, which determine the description."""

    def arrange_ranks(self, falling: Sequence[int]) -> list[int] | None:
        """Return the ranks of the groups, then of the other cards; None if groups or ranks do not fit.

        `falling` are the ranks of the hand from the highest down, in the order of the ranking. Every group takes the
        highest remaining rank.
        """
        if not self.groups:
            return list(falling) if self.ranks.issuperset(falling) else None
        heads: list[int] = []
        others = list(falling)
        for size in self.groups:
            for rank in falling:
                if rank in self.ranks and rank not in heads and falling.count(rank) >= size:
                    break
            else:
                return None
            heads.append(rank)
            for _ in range(size):
                others.remove(rank)
        return heads + others

    def expand_ranks(self, order: Sequence[int]) -> tuple[int, ...]:
        """Return the rank of every card, from ranks as returned by `arrange_ranks`."""
        heads = zip(order, self.groups, strict=False)
        grouped = [rank for rank, size in heads for _ in range(size)]
        return (*grouped, *order[len(self.groups) :])

    def describe(self, order: Sequence[int]) -> str:
        """Describe a hand of this category. `order` is the top rank for a run, otherwise as returned by
        `arrange_ranks`."""
        name = name_category(self.name)
        ranks = [RANK_WORDS[rank] for rank in order]
        if self.groups:
            return self._describe_groups(name, ranks)
        if self.consecutive:
            return name if len(self.ranks) == self.size else f"{name} to the {ranks[0]}"
        if not self.conditional:
            name = f"{ranks[0]} high" if self.wins == "highest" else f"{'-'.join(ranks[:2])} low"
        return f"{name}: {', '.join(ranks)}"

    def _describe_groups(self, name: str, ranks: list[str]) -> str:
        heads, others = ranks[: len(self.groups)], ranks[len(self.groups) :]
        plurals = " and ".join(f"{rank}es" if rank == "six" else f"{rank}s" for rank in heads)
        if len(self.ranks) > len(heads):
            name += f" of {plurals}" if len(heads) == 1 and " of " not in name else f": {plurals}"
        if not others:
            return name
        return f"{name}, {'kicker' if len(others) == 1 else 'kickers'} {', '.join(others)}"


_RANK_NUMBERS = {rank: number for number, rank in enumerate(RANKS)}
_ACE = _RANK_NUMBERS["A"]
_LOWEST_PIP = 2


class CompiledRanking(Struct, frozen=True, kw_only=True):
    """Order of all hands of one size. Several decks may be in play: a suited hand may repeat a rank."""

    size: int
    """Number of cards of a hand."""
    ace: Literal["high", "low", "high-and-low", "always-low"]
    """Place of the ace."""
    lowest: int
    """Rank above an ace at the low end of a run, as a number 0 to 12 for 2 to ace."""
    wins: Literal["highest", "lowest"]
    """Best hand."""
    ties: Literal["groups", "cards"]
    """Rule between hands of one category."""
    rules: tuple[CategoryRule, ...]
    """Categories, lowest first."""
    spans: Mapping[str, tuple[int, int]]
    """Strengths of each category, mark and band; the end is exclusive."""
    joker_completes: tuple[str, ...] | None = None
    """Categories that a joker, otherwise an ace, may complete; None if hands with a joker are not ranked."""
    tie_bits: ClassVar[int] = 0
    """No bit of a strength is left out of comparisons."""

    def __hash__(self) -> int:
        return hash((self.size, self.rules))

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories, the worst first."""
        names = [rule.name for rule in self.rules]
        return tuple(names if self.wins == "highest" else reversed(names))

    def classify(self, ranks: Sequence[int], suited: bool) -> int:
        """Return the strength of one hand: its ranks in any order, and whether the cards share a suit."""
        return self._mirror(self._find_place(ranks, suited))

    def classify_with_joker(self, ranks: Sequence[int], suited: bool) -> int:
        """Return the strength of a joker with the other cards of a hand: their ranks, and whether they share a suit."""
        completes = self.joker_completes or ()
        strengths = [self.classify([*ranks, _ACE], False)]
        for rank in range(len(RANKS)):
            strengths.append(self.classify([*ranks, rank], False))
            if suited and rank not in ranks:
                strengths.append(self.classify([*ranks, rank], True))
        names = self.categories
        plain, *completed = strengths
        return max([plain, *(strength for strength in completed if names[strength >> 4 * self.size] in completes)])

    def _mirror(self, place: int) -> int:
        """Convert a place in the order to a strength, or a strength to a place."""
        return place if self.wins == "highest" else (len(self.rules) << 4 * self.size) - 1 - place

    def _find_place(self, ranks: Sequence[int], suited: bool) -> int:
        falling = sorted(ranks, key=self._get_pip_value, reverse=True)
        top = self._top_of_run(sorted(ranks, reverse=True))
        for level in range(len(self.rules) - 1, 0, -1):
            rule = self.rules[level]
            if (rule.suited and not suited) or (rule.consecutive and top is None):
                continue
            order = rule.arrange_ranks(falling)
            if order is not None:
                ranks = falling if self.ties == "cards" else order
                return self._pack(level, [top] if rule.consecutive and top is not None else ranks)
        return self._pack(0, falling)

    def _get_pip_value(self, rank: int) -> int:
        return 1 if rank == _ACE and self.ace == "always-low" else rank + _LOWEST_PIP

    def _top_of_run(self, falling: list[int]) -> int | None:
        """Return the top rank of a run, for a lone low ace the rank below the lowest; None if the ranks are no run."""
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
            place = place << 4 | self._get_pip_value(rank)
        return place << 4 * (self.size - len(ranks))

    def _unpack(self, strength: int) -> tuple[CategoryRule, list[int]]:
        """Return the category of a strength, and the top of a run or the ranks of groups and other cards."""
        place = self._mirror(strength)
        digits = [place >> 4 * nth & 15 for nth in reversed(range(self.size))]
        rule, ranks = (
            self.rules[place >> 4 * self.size],
            [(digit - _LOWEST_PIP) % len(RANKS) for digit in digits if digit],
        )
        order = None if rule.consecutive or self.ties == "groups" else rule.arrange_ranks(ranks)
        return rule, order or ranks

    def arrangement(self, strength: int) -> tuple[int, ...]:
        """Return the ranks of a hand of a strength as players arrange it: groups first, then the others from the
        highest down.

        A run starts at its top, so a low ace comes last.
        """
        rule, ranks = self._unpack(strength)
        if rule.consecutive:
            run = range(ranks[0], ranks[0] - self.size, -1)
            return tuple(rank if rank >= self.lowest else _ACE for rank in run)
        return rule.expand_ranks(ranks)

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength, as in `pair of nines, kicker ace`; -1 is `unknown hand`."""
        if strength < 0:
            return "unknown hand"
        rule, ranks = self._unpack(int(strength))
        return rule.describe(ranks)

    def floor(self, category: str, ranks: Sequence[str] = ()) -> int:
        """Return the lowest strength of a category and, within it, of some leading ranks.

        `floor("pair", ["J"])` is a pair of jacks, whatever the other cards. Raises ValueError if there is no such
        category, or no hand of it begins with these ranks.
        """
        return self._find_span(category, ranks)[0]

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        A mark covers the hands that begin with its ranks. Raises ValueError if there is no such name.
        """
        return self.spans[name] if name in self.spans else self._find_span(name, ())

    def _find_span(self, category: str, ranks: Sequence[str]) -> tuple[int, int]:
        return self._to_strengths(self._find_places(category, ranks))

    def _find_places(self, category: str, ranks: Sequence[str]) -> tuple[int, int]:
        """Return the places of the hands of a category that begin with some ranks."""
        names = [rule.name for rule in self.rules]
        if category not in names:
            raise ValueError(f"{category} is not a category of {', '.join(reversed(names))}")
        level = names.index(category)
        numbers = tuple(_RANK_NUMBERS.get(rank, -1) for rank in ranks)
        if numbers and not _has_hand(self, level, numbers):
            raise ValueError(f"no {category} begins with the ranks {', '.join(ranks)}")
        low = self._pack(level, numbers)
        return low, low + (1 << 4 * (self.size - len(ranks)))

    def _to_strengths(self, stretch: tuple[int, int]) -> tuple[int, int]:
        """Return the strengths of the hands in a range of places."""
        ends = self._mirror(stretch[0]), self._mirror(stretch[1] - 1)
        return min(ends), max(ends) + 1

    def lowest_strength(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        return self.span(name)[0]

    def best(self, cards: Sequence[int] | Codes) -> tuple[int, ...]:
        """Return the cards of one row that make its best hand, arranged as in `arrangement`.

        Among equally good choices, and cards of equal rank, higher codes come first. Raises ValueError if a card is
        unknown or there are too few.
        """
        if len(cards) < self.size or any(code >= CARDS for code in cards):
            raise ValueError(f"the best hand needs {self.size} cards or more, all of them known")

        def strength(hand: tuple[int, ...]) -> int:
            return self.classify([code // 4 for code in hand], len({code % 4 for code in hand}) == 1)

        falling = sorted((int(code) for code in cards), reverse=True)
        chosen = max(combinations(falling, self.size), key=strength)
        order = self.arrangement(strength(chosen))
        return tuple(sorted(chosen, key=lambda code: order.index(code // 4)))

    def group_ranks(self, strength: int) -> tuple[int, ...]:
        """Return the ranks of the cards in the groups of a hand of a strength; empty if its category has no groups."""
        rule, ranks = self._unpack(strength)
        return rule.expand_ranks(ranks)[: sum(rule.groups)] if rule.groups else ()

    # Columns

    def table(self) -> Ints32:
        """Return the strength of every hand, by its `hand_number`. The caller must not change it."""
        return _tabulate_strengths(self)

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of `cards` (uint8[n, m]).

        It is -1 if a card of the row is `UNKNOWN` or `NO_CARD`. Raises ValueError if `m` is less than the size of a
        hand.

        A joker counts if the ranking says which card it is; two of them give -1.

        Returns: int32[n].
        """
        best = find_best_values(cards, self.size, _tabulate_strengths(self))
        if self.joker_completes is not None and (cards == JOKER).any():
            self._add_joker_hands(cards, best)
        return best

    def _add_joker_hands(self, cards: Codes, best: Ints32) -> None:
        """Fill in the strengths of the rows with one joker, without which all cards are known."""
        rows = np.flatnonzero(((cards == JOKER).sum(axis=1) == 1) & (cards < KNOWN_CARDS).all(axis=1))
        others = np.ascontiguousarray(sort_columns(cards[rows])[:-1].T)  # the joker has the highest code
        strengths = (
            find_best_values(others, self.size - 1, _tabulate_joker_hands(self))
            if self.size > 1
            else np.full(len(rows), self.classify_with_joker((), False), np.int32)
        )
        if others.shape[1] >= self.size:
            strengths = np.maximum(strengths, find_best_values(others, self.size, _tabulate_strengths(self)))
        best[rows] = strengths

    def find_leading_place(self, strengths: Ints32, other: CompiledRanking) -> Ints:
        """Return the place of each hand among hands of this ranking and of another one, which has other sizes.

        Only as many leading ranks count as the smaller hand has cards. Both rankings have the categories of the smaller
        hand; the highest hand wins.

        Returns: int64[n]; -1 for -1.
        """
        small, large = sorted((self, other), key=lambda ranking: ranking.size)
        levels = [large.categories.index(name) for name in self.categories]
        level = np.array([*levels, 0], np.int64)[np.where(strengths < 0, -1, strengths >> 4 * self.size)]
        ranks = strengths >> 4 * (self.size - small.size) & (1 << 4 * small.size) - 1
        return np.where(strengths < 0, -1, (level << 4 * small.size) + ranks)

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        return (strengths >> 4 * self.size).astype(np.uint8)

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength: `size`, or -1 for -1.

        Returns: int64[n].
        """
        return np.where(strengths < 0, -1, self.size)

    def is_arranged(self, cards: Codes) -> Flags:
        """Return whether the cards of each row (uint8[n, size]) are in the order of `arrangement`, bool[n].

        Cards of equal rank may change places; an unknown card gives false. Raises ValueError for rows of another size.
        """
        if cards.shape[1] != self.size:
            raise ValueError(f"{cards.shape[1]} cards are not an arranged hand of {self.size}")
        order = find_best_values(cards, self.size, _tabulate_orders(self))
        return np.equal(order, pack_column_digits(cards))


@lru_cache(maxsize=1000)
def _has_hand(ranking: CompiledRanking, level: int, numbers: tuple[int, ...]) -> bool:
    """Return whether some hand of the category has these leading ranks."""
    if len(numbers) > ranking.size or -1 in numbers:
        return False
    start, cut = ranking._pack(level, numbers), 4 * (ranking.size - len(numbers))
    # Cards of one suit, if not required, could only make it a hand of another category.
    rule = ranking.rules[level]
    # The hands whose groups are of these ranks come first: most often the hand is among them.
    grouped = [rank for rank, size in zip(numbers, rule.groups, strict=False) for _ in range(size - 1)]
    heads = [hand for hand in ((*numbers, *grouped), numbers) if len(hand) <= ranking.size]
    return any(
        ranking._find_place((*head, *others), rule.suited) >> cut == start >> cut
        for head in heads
        for others in combinations_with_replacement(range(len(RANKS)), ranking.size - len(head))
    )


@cache
@make_read_only
def _tabulate_strengths(ranking: CompiledRanking) -> Ints32:
    return load_or_build(("strengths", repr(ranking)), lambda: tabulate(ranking.size, ranking.classify))


@cache
@make_read_only
def _tabulate_joker_hands(ranking: CompiledRanking) -> Ints32:
    """Return the strength of every hand with a joker, by the `hand_number` of its other cards."""
    return tabulate(ranking.size - 1, ranking.classify_with_joker)


@cache
@make_read_only
def _tabulate_orders(ranking: CompiledRanking) -> Ints32:
    """Return the arrangement of every hand, its ranks as digits, in the order of `_strengths`."""
    return load_or_build(
        ("orders", repr(ranking)),
        lambda: np.fromiter(
            map(pack_digits, map(ranking.arrangement, _tabulate_strengths(ranking).tolist())), np.int32
        ),
    )


def compile_ranking(model: Ranking) -> CompiledRanking:
    """Compile the ranking of a rule file. Tables are built when a column is first ranked.

    Raises ValueError if no hand fits a mark.
    """
    bare = _compile_without_spans(model)
    named = {name: (name, ()) for name in bare.categories} | {
        name: (mark.category, tuple(mark.ranks)) for name, mark in model.marks.items()
    }
    stretches = add_bands({name: bare._find_places(*hands) for name, hands in named.items()}, model.bands)
    return replace(bare, spans={name: bare._to_strengths(stretch) for name, stretch in stretches.items()})


def find_impossible_marks(model: Ranking) -> dict[str, str]:
    """Find the marks of a ranking that no hand begins with, each with the reason; they cannot be compiled."""
    bare, reasons = _compile_without_spans(model), {}
    for name, mark in model.marks.items():
        try:
            bare.floor(mark.category, mark.ranks)
        except ValueError as error:
            reasons[name] = str(error)
    return reasons


def _compile_without_spans(model: Ranking) -> CompiledRanking:
    return CompiledRanking(
        size=model.cards,
        ace=model.ace,
        lowest=_RANK_NUMBERS[model.lowest_rank],
        wins=model.wins,
        ties=model.ties,
        rules=tuple(_compile_rule(category, model) for category in reversed(model.categories)),
        spans={},
        joker_completes=None if model.joker is None else tuple(model.joker.completes),
    )


def _compile_rule(category: Category, model: Ranking) -> CategoryRule:
    return CategoryRule(
        name=category.category,
        size=model.cards,
        suited=category.suited,
        consecutive=category.consecutive,
        groups=tuple(category.groups),
        ranks=frozenset(_RANK_NUMBERS[rank] for rank in category.ranks or RANKS),
        conditional=category.is_conditional(),
        wins=model.wins,
    )
