"""Drawing as data: which cards of a hand its holder must keep, and so which are put aside for others."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Discriminator, Field, Tag, model_validator

from validator.language.conditions import Condition
from validator.language.refs import CategoryName, ClauseName, HandName, ReadingName
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose

KeptCount = Annotated[int, Ge(1), Le(5)]


class KeepGroups(Closed):
    """The cards that make the hand's category, the highest of the others, or both.

    It cannot be followed by a hand whose category has no groups, or that has too few other cards.
    """

    groups: Literal[True] | None = None
    """The cards that form the groups of the hand's category: the pair, both pairs, the three of a kind."""
    highest: KeptCount | None = None
    """So many more, the highest of the other cards; an ace is high. Of cards of one rank any will do."""

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.groups is None and self.highest is None:
            raise ValueError("`groups`, `highest` or both must say which cards are kept")
        return self


class KeepToward(Closed):
    """Cards that cards yet to come can make a better hand of. It cannot be followed by a hand without such cards.

    What has been dealt is not minded: a rank counts as yet to come even where other cards of it lie on the table.
    """

    toward: CategoryName
    """The category that further cards of the deck can make of them."""
    cards: KeptCount
    """How many cards are kept."""
    completed_by: Annotated[int, Ge(1), Le(13)] | None = None
    """How many different ranks of the one card that is missing must do it, at least: 2 for an open end."""
    prefer: Literal["best-completed", "highest-cards"] | None = None
    """Which of several choices is to be kept: the one that makes the highest hand of the category, or the one with
    the highest cards. Left out, any of them will do, as where they are alike."""


def _kind(value: object) -> str:
    """Which form is meant: only one of them has a category to come."""
    if isinstance(value, str):
        return "all"
    return "toward" if isinstance(value, KeepToward) or (isinstance(value, dict) and "toward" in value) else "groups"


Keep = Annotated[
    Annotated[Literal["all"], Tag("all")] | Annotated[KeepGroups, Tag("groups")] | Annotated[KeepToward, Tag("toward")],
    Discriminator(_kind),
]
"""The cards a hand keeps: `all` of them, or those that a mapping says."""


class DrawingRule(Closed):
    """A rule of drawing. The first one that speaks of a hand and that the hand can follow decides."""

    rule: Identifier
    """Its name, unlike that of any other rule of drawing."""
    when: Condition | None = None
    """The hands it speaks of; left out, every hand that no earlier rule decided."""
    keep: Keep
    """The cards that are kept; the others are discarded."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text says so."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings it rests on."""


class Drawing(Closed):
    """How a place exchanges cards, where its holder has no choice."""

    title: Prose
    """What it is, in a few words."""
    place: Literal["player", "dealer"]
    """Whose cards are exchanged."""
    hand: HandName
    """The place's cards as they were dealt."""
    rules: Annotated[list[DrawingRule], MinLen(1)]
    """The rules, in order."""
