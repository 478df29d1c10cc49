"""What a rule author writes about rankings of the longest suited hand, with or without wild cards."""

from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, model_validator

from validator.cards.bands import Band, check_bands
from validator.cards.names import Name, Rank
from validator.text.models.model import Closed

MOST: Final = 12
"""The most cards that are ranked together."""


class SuitedCategory(Closed):
    """A category of suited hands: its name and what a hand must have, all of it, to fit.

    Without any condition every hand fits.
    """

    category: Name
    """The name by which pay tables and conditions speak of it."""
    length: Annotated[int, Ge(2), Le(MOST)] | None = None
    """The fewest cards of it."""
    natural: bool = False
    """No card of it is wild."""

    def conditional(self) -> bool:
        """Whether there may be a hand that does not fit."""
        return self.length is not None or self.natural

    def asks(self) -> tuple[int, bool]:
        """The fewest cards, and whether all of them must be natural."""
        return self.length or 1, self.natural


class WildCard(Closed):
    """Cards that stand for a card of any suit."""

    ranks: Annotated[list[Rank], MinLen(1)]
    """The ranks that are wild. Digits are quoted."""
    ranks_as: Literal["highest-missing", "ace", "own-rank"]
    """What a wild card counts as: the highest rank that its hand does not have, always an ace, or its own rank."""
    in_own_suit: Literal["wild", "natural"] = "wild"
    """Whether it is wild in a hand of its own suit too, or an ordinary card there."""

    @model_validator(mode="after")
    def _no_rank_twice(self) -> Self:
        if len(set(self.ranks)) < len(self.ranks):
            raise ValueError("no rank may stand twice in `ranks`")
        return self


class SuitedRanking(Closed):
    """An order of hands of any number of cards, of which the longest ones of one suit count.

    The cards of each suit, with every wild card added, are a hand; the best of these is ranked: by category, then
    by its number of cards, then by their ranks from the highest down.
    """

    makes: Literal["longest-suited"]
    """What is made of the cards."""
    wild: WildCard | None = None
    """The wild cards; left out, none."""
    categories: Annotated[list[SuitedCategory], MinLen(1), MaxLen(100)]
    """The categories, highest first. A hand is of the first that it fits, so the last has no condition."""
    bands: dict[Name, Band] = Field(default_factory=dict)
    """Names for stretches of the order, which pay tables may have a row for."""

    def names(self) -> tuple[str, ...]:
        """Everything hands can be called by: categories, highest first, and bands."""
        return (*(one.category for one in self.categories), *self.bands)

    def sizes(self) -> tuple[int, int]:
        """The fewest and the most cards it can be asked to rank."""
        return 1, MOST

    @model_validator(mode="after")
    def _complete(self) -> Self:
        names = [category.category for category in self.categories]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the category {name} is listed twice")
        if self.categories[-1].conditional():
            raise ValueError(f"{names[-1]}, the last category, must take every hand: drop its conditions")
        for one, other in pairwise(self.categories):
            if one.asks() <= other.asks():
                raise ValueError(
                    f"{one.category} must ask for more cards than {other.category}, "
                    "or for natural cards where that does not"
                )
        check_bands(self.bands, names, {})
        return self
