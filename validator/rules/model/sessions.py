"""What spans the rounds of a table, and what spans the submissions of a licensee.

A session is all rounds of one game at one table, in the order of play, whatever log they stand in. What happens
between two rounds stands in the events of the round after it.
"""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import model_validator

from validator.language.comparison import Comparison
from validator.language.conditions import Condition
from validator.language.refs import OccasionName, StepName, SubmissionPath
from validator.language.submission.conditions import SubmissionCondition
from validator.text.models.model import Closed, OneOf, unset

MOST_STEPS = 15
"""The most steps that may be needed one after the other."""


class Within(OneOf):
    """How long it may take at most until something happens again."""

    rounds: Annotated[int, Ge(1), Le(100_000)] = unset()
    """In any so many rounds on end it must happen once."""
    blocks_of: Annotated[int, Ge(1), Le(100_000)] = unset()
    """The rounds are counted off in blocks of so many from the opening of the table; in each it must happen once."""
    hours: Annotated[int, Ge(1), Le(100_000)] = unset()
    """No more than so many hours may have gone by since it happened last, or since the table opened."""


class EveryCheck(OneOf):
    """Something happens again and again, at least once in so many rounds or hours.

    Rounds of which it does not speak (`when`) end the count, which starts anew after them.
    """

    BESIDE = frozenset({"within", "of_each", "counts", "when"})

    happens: Condition = unset()
    """What must happen: a statement about a round."""
    step: StepName = unset()
    """The step that must happen."""
    within: Within
    """How often."""
    of_each: Literal["deck"] | None = None
    """Once for every deck instead of once for the table. A step happens to the deck that its events name; whatever
    names none happens to the deck in play."""
    counts: Condition | None = None
    """The rounds that are counted; left out, all. What happens in a round that is not counted has happened."""
    when: Condition | None = None
    """The rounds it speaks of."""


class SuccessionCheck(OneOf):
    """A round held against the round before it at the table: the one it names as `after`, else the one with the number
    before. To the first round after an opening, and with `deck` and `number` to one that follows a round of which it
    does not speak, it does not apply."""

    BESIDE = frozenset({"when", "each", "received", "removed"})

    deck: Literal["other", "same"] = unset()
    """The deck in play is the same as in the round before, or the other one of two: no third is dealt in turn with
    them."""
    received: StepName | None = None
    """With `deck: other`, the step by which a deck comes to the table: it may take the place of one of the two."""
    removed: StepName | None = None
    """With `deck: other`, the step by which a deck leaves the table: the one that is left is dealt alone."""
    number: Comparison = unset()
    """A quantity of this round held against one of the round before: `of` is read in this round, the bound in the
    round before."""
    must: Condition = unset()
    """What must hold. `previous` tells of the round before, of the same player where players are judged."""
    each: Literal["round", "player"] = "round"
    """With `must`: whether rounds are judged, or each player of a round by itself. A `new-player` is left out, in the
    round with which the table opens everybody, unless the check asks for one."""
    when: Condition | None = None
    """The rounds it speaks of; with `must`, the rounds or players, and `previous` may stand in it too."""


class NeededCheck(Closed):
    """After something has happened, something else must not happen until certain steps were taken, in order.

    What a course finds out of its place makes nothing needed here and need not wait; steps that it finds too late are
    not missing besides.
    """

    per: Literal["round", "table", "deck"]
    """Whether it is followed in each round by itself, at the table from round to round, or for every deck of it.
    What names no deck happens to the deck in play."""
    since: OccasionName | Annotated[list[OccasionName], MinLen(1)]
    """What makes the steps needed: a step, or `table-opens` (before round number 1), or `round-dealt` (after the
    last card dealt in a round). Any of several."""
    steps: Annotated[list[StepName], MinLen(1), MaxLen(MOST_STEPS)]
    """The steps that are needed, in order. Others may come between them."""
    before: StepName | Annotated[list[StepName], MinLen(1)]
    """What must not happen before them: a step, or any of several."""
    until: StepName | None = None
    """A step that ends the need, where a record tells it: another requirement says what is needed then."""
    told: bool = False
    """Whether only what the log tells makes the steps needed. Left out, rounds that are missing may have done so too:
    where it does not show that they did not, a round without the steps is `not-evidenced`."""
    unnumbered: Literal["fail"] | None = None
    """Rounds without numbers `fail` where they would as they stand in the log, the table opening with the first of them
    and each following the one before. Left out, what others may have done that were played in between is open."""
    when: Condition | None = None
    """The rounds it speaks of."""

    @property
    def occasions(self) -> tuple[str, ...]:
        """What makes the steps needed."""
        return (self.since,) if isinstance(self.since, str) else tuple(self.since)

    @property
    def waiting(self) -> tuple[str, ...]:
        """What must wait for the steps."""
        return (self.before,) if isinstance(self.before, str) else tuple(self.before)


class AlikeCheck(Closed):
    """Submissions that are in force at the same time for different tables agree in a value."""

    at: SubmissionPath
    """Where the value stands: keys joined by dots."""
    among: Literal["licensee"]
    """Whose submissions are held against each other: those of one licensee for one document."""


class UnchangedCheck(Closed):
    """A submission keeps what the one it replaces had."""

    at: SubmissionPath
    """Where the value stands: keys joined by dots. With `in`, it starts with a dot and stands in each item."""
    in_: SubmissionPath | None = None
    """The list whose items are compared; left out, the value stands in no list."""
    where: SubmissionCondition | None = None
    """With `in`: the items it speaks of, told by the earlier submission; left out, all."""
    by: SubmissionPath | None = None
    """With `in`: the value, in each item, by which an item is found again. An item that is not found again is not
    compared."""

    @model_validator(mode="after")
    def _together(self) -> Self:
        if (self.in_ is None) != (self.by is None):
            raise ValueError("`in` and `by` stand together or not at all")
        if self.where is not None and self.in_ is None:
            raise ValueError("`where` goes with `in`")
        return self
