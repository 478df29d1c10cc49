"""Models of rankings of the longest suited hand, as authors of rules write them, with or without wild cards."""

from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, model_validator

from validator.cards.bands import Band, check_bands
from validator.cards.names import Name, Rank
from validator.text.models.model import Closed

MOST: Final = 12
"""Most cards that are ranked together."""


class SuitedCategory(Closed):
    """Category of suited hands, with the conditions that a hand must meet.

    Without any condition every hand fits.
    """

    category: Name
    """The name of the category in pay tables and conditions."""
    length: Annotated[int, Ge(2), Le(MOST)] | None = None
    """The fewest cards of it."""
    natural: bool = False
    """True if no card of it may be wild."""

    def conditional(self) -> bool:
        """Return whether some hand may not fit."""
        return self.length is not None or self.natural

    def asks(self) -> tuple[int, bool]:
        """Return the fewest cards, and whether all of them must be natural."""
        return self.length or 1, self.natural


class WildCard(Closed):
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


class SuitedRanking(Closed):
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
    bands: dict[Name, Band] = Field(default_factory=dict)
    """Names for ranges of the order, for rows of pay tables."""

    def names(self) -> tuple[str, ...]:
        """List the names of hands: categories, highest first, and bands."""
        return (*(category.category for category in self.categories), *self.bands)

    def sizes(self) -> tuple[int, int]:
        """Return the fewest and the most cards that can be ranked."""
        return 1, MOST

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        names = [category.category for category in self.categories]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the category {name} is listed twice")
        if self.categories[-1].conditional():
            raise ValueError(f"{names[-1]}, the last category, must take every hand: drop its conditions")
        for higher, lower in pairwise(self.categories):
            if higher.asks() <= lower.asks():
                raise ValueError(
                    f"{higher.category} must require more cards than {lower.category}, "
                    "or natural cards if that does not"
                )
        check_bands(self.bands, names, {})
        return self
