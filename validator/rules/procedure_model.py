"""Models of checks that span rounds or submissions, and of obligations within a round.

A session consists of all rounds of one game at one table, in the order of play, from all logs. Events between two
rounds are recorded in the later round.
"""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.text.closed_model import ClosedModel, OneOperatorModel, unset_operator

MOST_STEPS = 15
"""The most steps that a check may require in order."""


class Within(OneOperatorModel):
    """The longest time until something must happen again."""

    rounds: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """It must happen at least once in any run of this number of rounds."""
    blocks_of: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """It must happen at least once in each block of this number of rounds, counted from the opening of the table."""
    hours: Annotated[int, Ge(1), Le(100_000)] = unset_operator()
    """At most this number of hours may pass since it last happened, or since the table opened."""


class EveryCheck(OneOperatorModel):
    """A check that something happens at least once in a number of rounds or hours.

    Rounds that it does not apply to (`when`) end the count, which then starts again.
    """

    COMPANIONS = frozenset({"within", "of_each", "counts", "when"})

    happens: Condition = unset_operator()
    """A condition on a round that must hold."""
    step: grammar.StepName = unset_operator()
    """The step that must happen."""
    within: Within
    """The longest time between two occurrences."""
    of_each: Literal["deck"] | None = None
    """Counts for each deck instead of for the table. A step concerns the deck that its events name, or else the deck in
    play."""
    counts: Condition | None = None
    """The rounds that are counted. Left out, all. An occurrence in a round that is not counted still counts."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""


class SuccessionCheck(OneOperatorModel):
    """A comparison of a round with the previous round at the table: the one that it names as `after`, else the one with
    the number before. It does not apply to the first round after an opening. With `deck`, it does not apply to a round
    after one that `when` excludes."""

    COMPANIONS = frozenset({"when", "each", "received", "removed"})

    deck: Literal["other", "same"] = unset_operator()
    """`same`: the deck in play is the deck of the previous round. `other`: it is the other one of two decks, which
    alternate without a third."""
    received: grammar.StepName | None = None
    """With `deck: other`, the step that brings a deck to the table. It may replace one of the two."""
    removed: grammar.StepName | None = None
    """With `deck: other`, the step that removes a deck from the table. The remaining deck is then dealt alone."""
    copies_since: grammar.StepName = unset_operator()
    """No card appears more often than the decks in play contain it, over all rounds since this step, such as the
    shuffle. Missing rounds end the count."""
    must: Condition = unset_operator()
    """The condition that must hold. `previous` refers to the previous round and, if players are judged, to the same
    player."""
    each: Literal["round", "player"] = "round"
    """With `must`: the items that are judged, rounds or single players. A `new-player`, and everybody in the round with
    which the table opens, is excluded unless the check uses `new-player`."""
    when: Condition | None = None
    """The rounds or, with `must`, the rounds or players that it applies to. With `must`, it may use `previous`."""


class NeededCheck(ClosedModel):
    """A check that certain steps happen, in order, after one event and before another.

    Events that a milestone reports as out of place neither require the steps nor need to wait for them. Steps that it
    reports as too late are not reported as missing.
    """

    per: Literal["round", "table", "deck"]
    """`round`: each round by itself. `table`: the table from round to round. `deck`: each deck of the table. Events
    that name no deck concern the deck in play."""
    since: grammar.OccasionName | Annotated[list[grammar.OccasionName], MinLen(1)]
    """The occasion after which the steps are required, or any of several. It is a step, `table-opens` (before round
    number 1), or `round-dealt` (after the last card of a round)."""
    steps: Annotated[list[grammar.StepName], MinLen(1), MaxLen(MOST_STEPS)]
    """The required steps, in order. Other steps may come between them."""
    before: grammar.StepName | Annotated[list[grammar.StepName], MinLen(1)]
    """The step, or any of several steps, that must not happen before them."""
    grace: Annotated[int, Ge(0), Le(10)] = 0
    """The number of times that `before` may still happen without the steps: 1 if one more round may be played."""
    until: grammar.StepName | None = None
    """A recorded step that ends the obligation. Another requirement covers the time after it."""
    told: bool = False
    """True if only recorded occasions require the steps. Left out, missing rounds may have required them as well. A
    round without the steps is then `not-evidenced`, unless the log shows that they were not required."""
    unnumbered: Literal["fail"] | None = None
    """`fail`: rounds without numbers are judged in the order of the log, with the table opening at the first and each
    round following the one before. Left out, unrecorded rounds may have been played between them."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""

    @property
    def occasions(self) -> tuple[str, ...]:
        """Occasions after which the steps are required."""
        return (self.since,) if isinstance(self.since, str) else tuple(self.since)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Steps that must not happen before the required steps."""
        return (self.before,) if isinstance(self.before, str) else tuple(self.before)


class AlikeCheck(ClosedModel):
    """A check that submissions in force at the same time for different tables agree in a value."""

    at: grammar.SubmissionPath
    """Path of the value: keys joined by dots."""
    among: Literal["licensee"]
    """`licensee`: compares the submissions of one licensee for one document."""
