"""How players show what they do ahead of an act of betting, in simulated rounds: by words and by chips."""

from typing import Annotated, Literal

from annotated_types import Ge, Le

from validator.language.conditions import Condition
from validator.language.refs import DecisionName
from validator.text.models.model import Closed


class Manner(Closed):
    """What a player shows of an act of betting ahead of it, in words and by chips put forward."""

    as_: DecisionName | None = None
    """The decision that is shown, with the least that goes in with it; left out, that of the act, as it is meant."""
    say: Literal["decision", "total", "incomplete"] | None = None
    """What is said: the decision; the decision and, if it is to bet or to raise, what the seat then has in the betting
    round; or, after the first chips, that the bet is not complete. Left out, nothing."""
    tender: Literal["whole", "one-chip", "larger-chip", "in-parts", "and-more"] | None = None
    """How chips are put forward: all in one motion and, where it can be, in several chips; all as one chip of that
    value; one chip that is worth more; in two motions; or all in one motion and then another chip, the smallest. Left
    out, no chips are put forward."""


class Custom(Manner):
    """A manner that players have."""

    when: Condition | None = None
    """The acts that it is for, each as it is about to be made; left out, all. Where a manner needs chips that the
    player does not have, it is not followed."""
    chance: Annotated[int, Ge(0), Le(1000)]
    """In how many of a thousand of them it is followed."""
