"""Models of the vocabulary files of decks and hand rankings, as authors of rules write them."""

from typing import Annotated, Final, Literal, Self, TypeGuard

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator

from validator.cards.bands import Band, check_bands
from validator.cards.longest_flush_model import MOST, SuitedRanking
from validator.cards.names import RANKS, SUITS, Name, Rank, Suit
from validator.text.models.model import Closed

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


class DeckModel(Closed):
    """Deck: each of its ranks in each of its suits, once."""

    ranks: RankSigns
    """The ranks, one sign each, of 23456789TJQKA."""
    suits: SuitSigns
    """The suits, one sign each: c clubs, d diamonds, h hearts, s spades."""


class Category(Closed):
    """Category of hands, with the conditions that a hand must meet.

    Without any condition every hand fits.
    """

    category: Name
    """The name of the category in pay tables and conditions."""
    suited: bool = False
    """True if all cards of the hand have one suit."""
    consecutive: bool = False
    """True if the ranks are all different and form a run, which its highest rank alone then ranks."""
    groups: list[Annotated[int, Ge(2)]] = Field(default_factory=list)
    """Sizes of groups of equal rank, each of another rank, largest first: `[3, 2]` is three of one rank and two of
    another. A group fits if the hand has at least that many cards of its rank. The ranks of the groups rank the hand
    first, then the other cards from the highest down."""
    ranks: list[Rank] = Field(default_factory=list)
    """The only ranks allowed: to the groups where there are groups, else to every card of the hand. Digits
    are quoted."""

    def conditional(self) -> bool:
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


class Mark(Closed):
    """Named hand within a category, such as the lowest one that qualifies."""

    category: Name
    """The category of the hand."""
    ranks: Annotated[list[Rank], MinLen(1)]
    """Its leading ranks in the order in which they rank a hand of the category. Digits are quoted."""


class Ranking(Closed):
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
    suits: list[Suit] = Field(default_factory=list)
    """The four suits, highest first, if they decide between hands that are otherwise equal: card by card in the order
    of their ranks, and the highest suit first among equal ranks. If left out, suits do not rank. At most four cards can
    be ranked by suits."""
    categories: Annotated[list[Category], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits, so the last has no condition."""
    marks: dict[Name, Mark] = Field(default_factory=dict)
    """Names for hands that conditions refer to, in addition to the categories."""
    bands: dict[Name, Band] = Field(default_factory=dict)
    """Names for ranges of the order, for rows of pay tables."""

    def names(self) -> tuple[str, ...]:
        """List the names of hands: categories, highest first, marks and bands."""
        return (*(category.category for category in self.categories), *self.marks, *self.bands)

    def sizes(self) -> tuple[int, int]:
        """Return the fewest and the most cards that can be ranked; of more cards than a hand has, the best hand
        counts."""
        return self.cards, MOST

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
        if last.conditional():
            raise ValueError(f"{last.category}, the last category, must take every hand: drop its conditions")
        for category in others:
            if not category.conditional():
                raise ValueError(f"{category.category} needs a condition: only the last category takes every hand")
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


def _find_ranking_kind(value: object) -> str:
    """Return the kind of a ranking: `makes` if it says what is made of the cards, otherwise `cards`."""
    made = "makes" in value if isinstance(value, dict) else isinstance(value, SuitedRanking)
    return "makes" if made else "cards"


AnyRanking = Annotated[
    Annotated[Ranking, Tag("cards")] | Annotated[SuitedRanking, Tag("makes")],
    Discriminator(_find_ranking_kind),
]
"""A ranking of either kind."""


def by_ranks(ranking: AnyRanking) -> TypeGuard[Ranking]:
    """Return whether a ranking orders hands of one size by categories and ranks alone, not by suits or length."""
    return isinstance(ranking, Ranking) and not ranking.suits


class DecksFile(Closed):
    """Vocabulary file of decks."""

    decks: dict[Name, DeckModel]
    """The decks by name."""


class RankingsFile(Closed):
    """Vocabulary file of hand rankings."""

    rankings: dict[Name, AnyRanking]
    """The rankings by name."""
