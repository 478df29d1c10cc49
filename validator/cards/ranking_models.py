"""Models of decks and hand rankings, as authors of rules write them in the vocabulary files."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self, TypeGuard

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Discriminator, StringConstraints, Tag, model_validator

from fairdeal.validator.text.closed_model import ClosedModel

RANKS: Final = "23456789TJQKA"
"""Signs of the ranks, lowest first."""
SUITS: Final = "cdhs"
"""Signs of the suits, lowest first: clubs, diamonds, hearts, spades."""
SUIT_SYMBOLS: Final = "♣♦♥♠"
"""Suits as reports print them, in the order of `SUITS`."""
FEATURE_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"colour": ("black", "red"), "suit": ("clubs", "diamonds", "hearts", "spades")}
)
"""Names of the colours, and of the suits in the order of `SUITS`, as conditions write them."""
JOKER_SIGN: Final = "Jk"
"""The joker, as logs write it."""

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Suit = Literal["c", "d", "h", "s"]
Rank = Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]


Marks = Mapping[str, tuple[str, Sequence[str]]]
"""Category and leading ranks of each mark, by name."""

_ABOVE_ALL = 1 << 16


class Band(ClosedModel):
    """Hands from one category or mark up to another, both included in full."""

    from_: Name
    """The lowest hands: a category, or a mark."""
    to: Name
    """The highest hands: a category, or a mark. `from: pair-of-tens, to: pair` is every pair of tens or better."""


def check_bands(
    bands: Mapping[str, Band], categories: Sequence[str], marks: Marks, *, ranks: Sequence[str] = RANKS
) -> None:
    """Check that every band has a name of its own and known bounds, the lower first. Raises ValueError.

    `categories` are listed from the highest down, `ranks` from the lowest up.
    """

    def place(name: str, bound: str) -> tuple[int, ...]:
        if bound in categories:
            return (-categories.index(bound),)
        if bound not in marks:
            raise ValueError(f"the band {name} names {bound}, which is neither a category nor a mark")
        category, leading = marks[bound]
        return (-categories.index(category), *map(ranks.index, leading))

    for name, band in bands.items():
        if name in categories or name in marks:
            kind = "category" if name in categories else "mark"
            raise ValueError(f"{name} is a {kind} and cannot name a band as well")
        if place(name, band.from_) >= (*place(name, band.to), _ABOVE_ALL):
            raise ValueError(f"the band {name} must go from the lower to the higher: {band.from_} is above {band.to}")


def name_category(name: str) -> str:
    """Return the name of a category as words: `4-card wild flush`."""
    return re.sub("(?<![0-9])-", " ", name)


def add_bands(spans: Mapping[str, tuple[int, int]], bands: Mapping[str, Band]) -> dict[str, tuple[int, int]]:
    """Return the ranges of categories and marks, together with those of the bands. The end of a range is exclusive."""
    return {**spans, **{name: (spans[band.from_][0], spans[band.to][1]) for name, band in bands.items()}}


MOST_SPLITS: Final = 32
"""Most ways to set the cards of a place into two hands: seven cards have 21."""
MAX_RANKED_CARDS: Final = 12
"""Most cards that are ranked together."""
MOST_POINTS: Final = 240
"""Most points that a hand can have: 12 cards that count 20 each."""
CardPoints = Annotated[int, Ge(0), Le(20)]
RankCount = CardPoints | Annotated[list[CardPoints], MinLen(2), MaxLen(2)]
"""Count of a rank: one number, or the lower and the higher of two."""


class SuitedCategory(ClosedModel):
    """Category of suited hands, with the conditions that a hand must meet.

    Without any condition every hand fits.
    """

    category: Name
    """The name of the category in pay tables and conditions."""
    length: Annotated[int, Ge(2), Le(MAX_RANKED_CARDS)] | None = None
    """The fewest cards of it."""
    natural: bool = False
    """True if no card of it may be wild."""

    def is_conditional(self) -> bool:
        """Return whether some hand may not fit."""
        return self.length is not None or self.natural

    def requirement(self) -> tuple[int, bool]:
        """Return the fewest cards, and whether all of them must be natural."""
        return self.length or 1, self.natural


class WildCard(ClosedModel):
    """Cards that may take the place of a card of any suit."""

    ranks: Annotated[list[Rank], MinLen(1)]
    """The ranks that are wild. Digits are quoted."""
    ranks_as: Literal["highest-missing", "ace", "own-rank"]
    """The rank of a wild card: the highest rank that its hand lacks, always an ace, or its own rank."""
    in_own_suit: Literal["wild", "natural"] = "wild"
    """The role of a wild card in a hand of its own suit: wild, or an ordinary card."""

    @model_validator(mode="after")
    def _check_distinct_ranks(self) -> Self:
        if len(set(self.ranks)) < len(self.ranks):
            raise ValueError("no rank may occur twice in `ranks`")
        return self


class SuitedRanking(ClosedModel):
    """Order of hands of any number of cards, by the longest hand of one suit.

    The cards of each suit, with every wild card added, are a hand. The best of these is ranked: by category, then by
    its number of cards, then by their ranks from the highest down.
    """

    makes: Literal["longest-suited"]
    """The kind of hand made of the cards."""
    wild: WildCard | None = None
    """The wild cards; left out, none."""
    categories: Annotated[list[SuitedCategory], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits, so the last has no condition."""
    bands: dict[Name, Band] = {}
    """Names for ranges of the order, for rows of pay tables."""

    def list_names(self) -> tuple[str, ...]:
        """List the names of hands: categories, highest first, and bands."""
        return (*(category.category for category in self.categories), *self.bands)

    def size_range(self) -> tuple[int, int]:
        """Return the fewest and the most cards that can be ranked."""
        return 1, MAX_RANKED_CARDS

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        names = [category.category for category in self.categories]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the category {name} is listed twice")
        if self.categories[-1].is_conditional():
            raise ValueError(f"{names[-1]}, the last category, must take every hand: drop its conditions")
        for higher, lower in pairwise(self.categories):
            if higher.requirement() <= lower.requirement():
                raise ValueError(
                    f"{higher.category} must require more cards than {lower.category}, "
                    "or natural cards if that does not"
                )
        check_bands(self.bands, names, {})
        return self


MOST_BY_SUIT: Final = 4
"""Most cards of a hand that suits can decide."""
ACE_LOWEST: Final = RANKS[-1] + RANKS[:-1]
"""Ranks from the lowest up if the ace is always low."""


def _check_distinct(signs: str) -> str:
    if len(set(signs)) < len(signs):
        raise ValueError("no sign may occur twice")
    return signs


RankSigns = Annotated[str, StringConstraints(pattern="^[2-9TJQKA]+$"), AfterValidator(_check_distinct)]
SuitSigns = Annotated[str, StringConstraints(pattern="^[cdhs]+$"), AfterValidator(_check_distinct)]


class DeckModel(ClosedModel):
    """Deck: each of its ranks in each of its suits, once, and a joker if it has one."""

    ranks: RankSigns
    """The ranks, one sign each, of 23456789TJQKA."""
    suits: SuitSigns
    """The suits, one sign each: c clubs, d diamonds, h hearts, s spades."""
    jokers: Annotated[int, Ge(0), Le(1)] = 0
    """Number of jokers. Rankings say what a joker is."""

    @property
    def size(self) -> int:
        """The number of cards."""
        return len(self.ranks) * len(self.suits) + self.jokers


class Category(ClosedModel):
    """Category of hands, with the conditions that a hand must meet.

    Without any condition every hand fits.
    """

    category: Name
    """The name of the category in pay tables and conditions."""
    suited: bool = False
    """True if all cards of the hand have one suit."""
    consecutive: bool = False
    """True if the ranks are all different and form a run, which its highest rank alone then ranks."""
    groups: list[Annotated[int, Ge(2)]] = []
    """Sizes of groups of equal rank, each of another rank, largest first: `[3, 2]` is three of one rank and two of
    another. A group fits if the hand has at least that many cards of its rank. The ranks of the groups rank the hand
    first, then the other cards from the highest down."""
    ranks: list[Rank] = []
    """The only ranks allowed: to the groups where there are groups, else to every card of the hand. Digits
    are quoted."""

    def is_conditional(self) -> bool:
        """Return whether some hand may not fit."""
        return bool(self.suited or self.consecutive or self.groups or self.ranks)

    @model_validator(mode="after")
    def _check_consistent(self) -> Self:
        if self.consecutive and self.groups:
            raise ValueError("a run has no groups of equal rank: keep either `consecutive` or `groups`")
        if self.groups != sorted(self.groups, reverse=True):
            raise ValueError("`groups` must go from the largest to the smallest")
        if len(set(self.ranks)) < len(self.ranks):
            raise ValueError("no rank may occur twice in `ranks`")
        return self


class Mark(ClosedModel):
    """Named hand within a category, such as the lowest one that qualifies."""

    category: Name
    """The category of the hand."""
    ranks: Annotated[list[Rank], MinLen(1)]
    """Its leading ranks in the order in which they rank a hand of the category. Digits are quoted."""


class JokerModel(ClosedModel):
    """The card that a joker is: an ace, unless it completes a hand of some categories.

    Then it is the card that makes the highest such hand. A hand with two jokers is not ranked.
    """

    completes: list[Name] = []
    """The categories that it may complete with any card that the hand lacks. Left out, it is always an ace."""


class Ranking(ClosedModel):
    """Order of all hands of one size: by category, and within a category by the ranks of the cards."""

    cards: Annotated[int, Ge(1), Le(5)]
    """The number of cards of a hand."""
    ace: Literal["high", "low", "high-and-low", "always-low"]
    """The end of a run at which an ace may be; a run never wraps around. Outside a run the ace is the highest rank;
    with `always-low` it is the lowest everywhere."""
    lowest_rank: Rank = "2"
    """The lowest rank of the deck that is ranked; an ace at the low end of a run is below it. It is not given if the
    ace is only high."""
    wins: Literal["highest", "lowest"] = "highest"
    """The best hand: the highest, or the lowest, as in games of low hands. In either case categories, ranks and suits
    are listed in the order of the ranking; `at-least` counts the better hands, which may be the lower."""
    ties: Literal["groups", "cards"] = "groups"
    """The rule between hands of one category: the ranks of the groups before those of the other cards, or the ranks of
    all cards from the highest down. Marks name leading ranks in the same order."""
    suits: list[Suit] = []
    """The four suits, highest first, if they decide between hands that are otherwise equal: card by card in the order
    of their ranks, and the highest suit first among equal ranks. If left out, suits do not rank. At most four cards can
    be ranked by suits."""
    joker: JokerModel | None = None
    """The card that a joker is. Left out, hands with a joker are not ranked."""
    categories: Annotated[list[Category], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits, so the last has no condition."""
    marks: dict[Name, Mark] = {}
    """Names for hands that conditions refer to, in addition to the categories."""
    bands: dict[Name, Band] = {}
    """Names for ranges of the order, for rows of pay tables."""

    def list_names(self) -> tuple[str, ...]:
        """List the names of hands: categories, highest first, marks and bands."""
        return (*(category.category for category in self.categories), *self.marks, *self.bands)

    def size_range(self) -> tuple[int, int]:
        """Return the fewest and the most cards that can be ranked; of more cards than a hand has, the best hand
        counts."""
        return self.cards, MAX_RANKED_CARDS

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        names = [category.category for category in self.categories]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the category {name} is listed twice")
        for category in self.categories:
            if sum(category.groups) > self.cards:
                raise ValueError(f"the groups of {category.category} need more than {self.cards} cards")
        *others, last = self.categories
        if last.is_conditional():
            raise ValueError(f"{last.category}, the last category, must take every hand: drop its conditions")
        for category in others:
            if not category.is_conditional():
                raise ValueError(f"{category.category} needs a condition: only the last category takes every hand")
        for name in () if self.joker is None else self.joker.completes:
            if name not in names:
                raise ValueError(f"a joker completes {name}, which is not a category")
        if self.joker is not None and (self.wins == "lowest" or self.suits):
            raise ValueError("a joker is ranked only where the highest hand wins and suits do not decide")
        for name, mark in self.marks.items():
            if name in names:
                raise ValueError(f"{name} is a category and cannot name a mark as well")
            if mark.category not in names:
                raise ValueError(f"the mark {name} names {mark.category}, which is not a category")
        if self.lowest_rank == "A":
            raise ValueError("`lowest-rank` must be below the ace")
        if self.lowest_rank != "2" and self.ace == "high":
            raise ValueError("`lowest-rank` applies to an ace at the low end of a run, but here the ace is high")
        if self.suits and sorted(self.suits) != sorted(SUITS):
            raise ValueError("`suits` must name each of the four suits once")
        if self.suits and self.cards > MOST_BY_SUIT:
            raise ValueError(f"suits can decide between hands of at most {MOST_BY_SUIT} cards")
        marks = {name: (mark.category, mark.ranks) for name, mark in self.marks.items()}
        check_bands(self.bands, names, marks, ranks=ACE_LOWEST if self.ace == "always-low" else RANKS)
        return self


class PointsCategory(ClosedModel):
    """Category of hands that are valued by points, with the conditions that a hand must meet.

    Without any condition every hand within the limit fits.
    """

    category: Name
    """The name of the category in pay tables and conditions."""
    points: Annotated[list[Annotated[int, Ge(0), Le(MOST_POINTS)]], MinLen(1)] | None = None
    """The only totals of it; left out, any."""
    cards: Annotated[int, Ge(1), Le(MAX_RANKED_CARDS)] | None = None
    """The number of cards of it; left out, any."""
    over_limit: bool = False
    """True for hands above the limit; other categories have none of them."""

    def is_conditional(self) -> bool:
        """Return whether some hand on its side of the limit may not fit."""
        return self.points is not None or self.cards is not None


class PointsMark(ClosedModel):
    """Named total within a category."""

    category: Name
    """The category of the hand."""
    points: Annotated[int, Ge(0), Le(MOST_POINTS)]
    """Its total."""
    soft: bool | None = None
    """True if a card must count with the higher of two counts, false if none may; left out, either."""


class PointsRanking(ClosedModel):
    """Order of hands of any number of cards, by category and then by the points of all cards together.

    Hands of one category with the same total are equal, whatever their cards.
    """

    makes: Literal["points"]
    """The kind of hand made of the cards."""
    counts: dict[Rank, RankCount] = {}
    """The count of each rank. `[1, 11]`: a card of the rank counts 11 if the total is then within the limit, else 1.
    Ranks left out count their number; `T`, `J`, `Q` and `K` count 10, and `A` counts 1. Digits are quoted."""
    limit: Annotated[int, Ge(1), Le(MOST_POINTS)] | None = None
    """The highest total that is not over the limit; left out, no total is."""
    modulo: Annotated[int, Ge(2), Le(MOST_POINTS)] | None = None
    """The number by which the sum is divided, so that the remainder is the total: 10 for its last digit."""
    categories: Annotated[list[PointsCategory], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits."""
    marks: dict[Name, PointsMark] = {}
    """Names for totals that conditions refer to, in addition to the categories."""
    bands: dict[Name, Band] = {}
    """Names for ranges of the order, for rows of pay tables."""

    def list_names(self) -> tuple[str, ...]:
        """List the names of hands: categories, highest first, marks and bands."""
        return (*(category.category for category in self.categories), *self.marks, *self.bands)

    def size_range(self) -> tuple[int, int]:
        """Return the fewest and the most cards that can be ranked."""
        return 1, MAX_RANKED_CARDS

    def list_counts(self, rank: str) -> tuple[int, ...]:
        """Return the count of a rank, or both of its counts, the lower first."""
        count = next((count for named, count in self.counts.items() if named == rank), None)
        if count is None:
            return (1 if rank == "A" else min(RANKS.index(rank) + 2, 10),)
        return (count,) if isinstance(count, int) else tuple(count)

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        raised = {counts[1] - counts[0] for counts in map(self.list_counts, RANKS) if len(counts) > 1}
        if raised and (min(raised) < 1 or len(raised) > 1):
            raise ValueError("ranks with two counts must name the lower first, and all have the same difference")
        if raised and self.limit is None:
            raise ValueError("a rank has two counts, so `limit` must say when the higher one applies")
        if self.modulo is not None and self.limit is not None:
            raise ValueError("either `modulo` or `limit` may be given, not both")
        return self

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        names = [category.category for category in self.categories]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the category {name} is listed twice")
        for over in (False, True) if self.limit is not None else (False,):
            side = [category for category in self.categories if category.over_limit == over]
            words = "over the limit" if over else "within the limit" if self.limit is not None else "at all"
            if not side or side[-1].is_conditional():
                raise ValueError(f"the last category of hands {words} must take every such hand, without conditions")
            for category in side[:-1]:
                if not category.is_conditional():
                    raise ValueError(f"{category.category} needs a condition: only the last category takes every hand")
        if self.limit is None and any(category.over_limit for category in self.categories):
            raise ValueError("`over-limit` needs a `limit` of the ranking")
        for name, mark in self.marks.items():
            if name in names:
                raise ValueError(f"{name} is a category and cannot name a mark as well")
            if mark.category not in names:
                raise ValueError(f"the mark {name} names {mark.category}, which is not a category")
        marks = {name: (mark.category, [str(mark.points)]) for name, mark in self.marks.items()}
        check_bands(self.bands, names, marks, ranks=[str(total) for total in range(MOST_POINTS + 1)])
        return self


def _find_ranking_kind(value: object) -> str:
    """Return the kind of a ranking: what `makes` says is made of the cards, otherwise `cards`."""
    made = value.get("makes", "cards") if isinstance(value, dict) else getattr(value, "makes", "cards")
    return made if made in ("cards", "points") else "longest-suited"


AnyRanking = Annotated[
    Annotated[Ranking, Tag("cards")]
    | Annotated[SuitedRanking, Tag("longest-suited")]
    | Annotated[PointsRanking, Tag("points")],
    Discriminator(_find_ranking_kind),
]
"""A ranking of any kind."""


def is_by_ranks(ranking: AnyRanking) -> TypeGuard[Ranking]:
    """Return whether a ranking orders hands of one size by categories and ranks alone, not by suits or length."""
    return isinstance(ranking, Ranking) and not ranking.suits


def has_leading_ranks(first: AnyRanking, second: AnyRanking) -> bool:
    """Return whether hands of two sizes can be compared: the larger ranking has the categories of the smaller, in the
    same order."""
    if not is_by_ranks(first) or not is_by_ranks(second):
        return False
    small, large = sorted((first, second), key=lambda ranking: ranking.cards)
    names, of_large = ([category.category for category in ranking.categories] for ranking in (small, large))
    low_ace = small.ace == "always-low", large.ace == "always-low"
    alike = small.ties == large.ties == "groups" and small.wins == large.wins == "highest" and low_ace[0] == low_ace[1]
    return alike and small.cards < large.cards and [name for name in of_large if name in names] == names


class DecksFile(ClosedModel):
    """Vocabulary file of decks."""

    decks: dict[Name, DeckModel]
    """The decks by name."""


class RankingsFile(ClosedModel):
    """Vocabulary file of hand rankings."""

    rankings: dict[Name, AnyRanking]
    """The rankings by name."""
