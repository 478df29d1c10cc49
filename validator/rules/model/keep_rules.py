"""Models of drawing rules: the cards of a hand that its holder must keep; the others are exchanged."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Discriminator, Field, Tag, model_validator

from validator.language.conditions import Condition
from validator.language.refs import CategoryName, ClauseName, HandName, ReadingName
from validator.text.models.model import ClosedModel
from validator.text.models.scalars import Identifier, Prose

KeptCount = Annotated[int, Ge(1), Le(5)]


class KeepGroups(ClosedModel):
    """A rule to keep the cards that make the category of the hand, the highest of the others, or both.

    A hand cannot follow it if its category has no groups, or if it has too few other cards.
    """

    groups: Literal[True] | None = None
    """The cards that form the groups of the hand's category: the pair, both pairs, the three of a kind."""
    highest: KeptCount | None = None
    """Number of the highest other cards to keep as well. An ace is high. Among cards of one rank, any may be kept."""

    @model_validator(mode="after")
    def _require_choice(self) -> Self:
        if self.groups is None and self.highest is None:
            raise ValueError("`groups`, `highest` or both must be given")
        return self


class KeepDraw(ClosedModel):
    """A rule to keep cards that further cards can improve to a category. A hand without such cards cannot follow it.

    Cards that have been dealt are ignored: a rank may still come even if other cards of it are on the table.
    """

    toward: CategoryName
    """The category that further cards of the deck can complete."""
    cards: KeptCount
    """Number of cards to keep."""
    completed_by: Annotated[int, Ge(1), Le(13)] | None = None
    """The least number of different ranks of a single missing card that complete the category: 2 for an open end."""
    prefer: Literal["best-completed", "highest-cards"] | None = None
    """The choice to keep if there are several: the one that makes the highest hand of the category, or the one with the
    highest cards. Left out, any of them."""


def _find_tag(value: object) -> str:
    """Return the tag of the form of a value; only `toward` names a category."""
    if isinstance(value, str):
        return "all"
    return "toward" if isinstance(value, KeepDraw) or (isinstance(value, dict) and "toward" in value) else "groups"


Keep = Annotated[
    Annotated[Literal["all"], Tag("all")] | Annotated[KeepGroups, Tag("groups")] | Annotated[KeepDraw, Tag("toward")],
    Discriminator(_find_tag),
]
"""The cards that a hand keeps: `all` of them, or those of a mapping."""


class DrawingRule(ClosedModel):
    """A drawing rule. The first rule that applies to a hand and that the hand can follow decides."""

    rule: Identifier
    """Name of the rule, unique among all drawing rules."""
    when: Condition | None = None
    """The hands that it applies to. Left out, every hand that no earlier rule decided."""
    keep: Keep
    """The cards that are kept; the others are discarded."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    readings: list[ReadingName] = Field(default_factory=list)
    """The readings that it rests on."""


class Drawing(ClosedModel):
    """Rules by which a place exchanges cards, if its holder has no choice."""

    title: Prose
    """Title, in a few words."""
    place: Literal["player", "dealer"]
    """The place whose cards are exchanged."""
    hand: HandName
    """The place's cards as they were dealt."""
    rules: Annotated[list[DrawingRule], MinLen(1)]
    """The rules, in order."""
