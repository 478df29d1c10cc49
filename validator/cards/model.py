"""What a rule author writes about decks and hand rankings: the models of the two vocabulary files."""

from typing import Annotated, Final, Literal, Self, TypeGuard

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Discriminator, Field, StringConstraints, Tag, model_validator

from validator.cards.bands import Band, check_bands
from validator.cards.longest_flush_model import MOST, SuitedRanking
from validator.cards.names import RANKS, SUITS, Name, Rank, Suit
from validator.text.models.model import Closed

MOST_BY_SUIT: Final = 4
"""The most cards of a hand that suits can decide on."""
ACE_LOWEST: Final = RANKS[-1] + RANKS[:-1]
"""The ranks from the lowest up where the ace is always low."""


def _no_sign_twice(signs: str) -> str:
    if len(set(signs)) < len(signs):
        raise ValueError("no sign may stand twice")
    return signs


RankSigns = Annotated[str, StringConstraints(pattern="^[2-9TJQKA]+$"), AfterValidator(_no_sign_twice)]
SuitSigns = Annotated[str, StringConstraints(pattern="^[cdhs]+$"), AfterValidator(_no_sign_twice)]


class DeckModel(Closed):
    """A deck: every one of its ranks in every one of its suits, once."""

    ranks: RankSigns
    """The ranks, one sign each, of 23456789TJQKA."""
    suits: SuitSigns
    """The suits, one sign each: c clubs, d diamonds, h hearts, s spades."""


class Category(Closed):
    """A category of hands: its name and what a hand must have, all of it, to fit.

    Without any condition every hand fits.
    """

    category: Name
    """The name by which pay tables and conditions speak of it."""
    suited: bool = False
    """All cards of the hand are of one suit."""
    consecutive: bool = False
    """The ranks are all different and form a run, whose highest rank alone then ranks the hand."""
    groups: list[Annotated[int, Ge(2)]] = Field(default_factory=list)
    """Sizes of groups of equal rank, each of another rank, largest first: `[3, 2]` is three of one rank and
    two of another. A group fits where the hand has at least so many cards of its rank. The ranks of the
    groups rank the hand first, then the other cards from the highest down."""
    ranks: list[Rank] = Field(default_factory=list)
    """The only ranks allowed: to the groups where there are groups, else to every card of the hand. Digits
    are quoted."""

    def conditional(self) -> bool:
        """Whether there may be a hand that does not fit."""
        return bool(self.suited or self.consecutive or self.groups or self.ranks)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.consecutive and self.groups:
            raise ValueError("a run has no groups of equal rank: keep either `consecutive` or `groups`")
        if self.groups != sorted(self.groups, reverse=True):
            raise ValueError("`groups` must go from the largest to the smallest")
        if len(set(self.ranks)) < len(self.ranks):
            raise ValueError("no rank may stand twice in `ranks`")
        return self


class Mark(Closed):
    """A named hand within a category, such as the lowest one that qualifies."""

    category: Name
    """The category of the hand."""
    ranks: Annotated[list[Rank], MinLen(1)]
    """Its leading ranks in the order in which they rank a hand of the category. Digits are quoted."""


class Ranking(Closed):
    """An order of all hands of one size: by category, and within a category by the ranks of the cards."""

    cards: Annotated[int, Ge(1), Le(5)]
    """How many cards make a hand."""
    ace: Literal["high", "low", "high-and-low", "always-low"]
    """The end of a run at which an ace may stand; a run never goes round the corner. Outside a run the ace is the
    highest rank; with `always-low` it is the lowest, in runs and outside them."""
    lowest_rank: Rank = "2"
    """The lowest rank of the deck that is ranked: an ace at the low end of a run stands below it. Where the ace is only
    high it is not given."""
    wins: Literal["highest", "lowest"] = "highest"
    """The hand that is the best: the highest, or the lowest, as in games of low hands. In either case categories, ranks
    and suits are listed as they stand in the order; `at-least` counts the better hands, which may be the lower."""
    ties: Literal["groups", "cards"] = "groups"
    """What decides between hands of one category: the ranks of the groups before those of the other cards, or the
    ranks of all cards from the highest down, whatever they form. Marks name leading ranks in the same order."""
    suits: list[Suit] = Field(default_factory=list)
    """The four suits, highest first, where they decide between hands that are otherwise the same: card by card, in the
    order in which their ranks count, of equal ranks the highest suit first. Left out, suits do not rank. At most four
    cards can be ranked so."""
    categories: Annotated[list[Category], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits, so the last has no condition."""
    marks: dict[Name, Mark] = Field(default_factory=dict)
    """Names for hands that conditions ask for besides the categories."""
    bands: dict[Name, Band] = Field(default_factory=dict)
    """Names for stretches of the order, which pay tables may have a row for."""

    def names(self) -> tuple[str, ...]:
        """Everything hands can be called by: categories, highest first, marks and bands."""
        return (*(one.category for one in self.categories), *self.marks, *self.bands)

    def sizes(self) -> tuple[int, int]:
        """The fewest and the most cards it can be asked to rank: more than make a hand, and the best count."""
        return self.cards, MOST

    @model_validator(mode="after")
    def _complete(self) -> Self:
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
            raise ValueError("`lowest-rank` says where an ace at the low end of a run stands, and here the ace is high")
        if self.suits and sorted(self.suits) != sorted(SUITS):
            raise ValueError("`suits` must name each of the four suits once")
        if self.suits and self.cards > MOST_BY_SUIT:
            raise ValueError(f"suits can decide between hands of at most {MOST_BY_SUIT} cards")
        marks = {name: (mark.category, mark.ranks) for name, mark in self.marks.items()}
        check_bands(self.bands, names, marks, ranks=ACE_LOWEST if self.ace == "always-low" else RANKS)
        return self


def _kind(value: object) -> str:
    """Which kind of ranking is meant: what is made of the cards says so."""
    made = "makes" in value if isinstance(value, dict) else isinstance(value, SuitedRanking)
    return "makes" if made else "cards"


AnyRanking = Annotated[
    Annotated[Ranking, Tag("cards")] | Annotated[SuitedRanking, Tag("makes")],
    Discriminator(_kind),
]
"""A ranking of either kind."""


def by_ranks(ranking: AnyRanking) -> TypeGuard[Ranking]:
    """Whether it orders hands of one size by categories and ranks alone: not by suits, not by length."""
    return isinstance(ranking, Ranking) and not ranking.suits


class DecksFile(Closed):
    """The vocabulary file of decks."""

    decks: dict[Name, DeckModel]
    """The decks by name."""


class RankingsFile(Closed):
    """The vocabulary file of hand rankings."""

    rankings: dict[Name, AnyRanking]
    """The rankings by name."""
