"""Models of milestones: events of a round before which some acts may not come, or after which others may not.

A milestone orders only the acts that it names. Acts that no milestone names may come at any time.
"""

from typing import Annotated, Any, Literal

from annotated_types import MinLen
from pydantic import Field, JsonValue

from fairdeal.validator.language.grammar import StepName
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.fault_model import RequirementWords
from fairdeal.validator.text.closed_model import (
    ClosedModel,
    IdentifiedModel,
    Identifier,
    OneOperatorModel,
    Prose,
    make_list,
    unset_operator,
)


class Moment(OneOperatorModel):
    """The event that makes a milestone: the first or the last event of some acts."""

    first: StepName | Annotated[list[StepName], MinLen(1)] = unset_operator()
    """The first event of the act, or of any of several acts."""
    last: StepName | Annotated[list[StepName], MinLen(1)] = unset_operator()
    """The last event of the act, or of any of several acts."""

    @property
    def acts(self) -> tuple[str, ...]:
        """Acts whose events make the milestone."""
        acts: Any = self.operand
        return (acts,) if isinstance(acts, str) else tuple(acts)


class BoundedActs(ClosedModel):
    """The acts that a milestone bounds. No act under `before` comes after the milestone. No act under `after` comes
    before it. An act that does not happen breaks nothing."""

    before: list[StepName] = Field(default_factory=make_list)
    """The acts that may not come after the milestone."""
    again_after: Moment | None = None
    """With `before`: the event after which these acts may come again. Left out, they may not come again in the
    round."""
    after: list[StepName] = Field(default_factory=make_list)
    """The acts that may not come before the milestone."""
    must_happen: list[StepName] = Field(default_factory=make_list)
    """Acts that must happen, and before the milestone if they are under `before`."""

    @property
    def again_acts(self) -> tuple[str, ...]:
        """Acts of the event after which others may come again."""
        return () if self.again_after is None else self.again_after.acts


class BoundedMilestone(BoundedActs):
    """A milestone and the acts that it bounds. A milestone that does not come bounds nothing."""

    at: Moment
    """The event: the first or the last of some acts."""

    @property
    def bounded_acts(self) -> tuple[str, ...]:
        """Acts that the milestone bounds."""
        return tuple(dict.fromkeys((*self.before, *self.after, *self.must_happen)))

    @property
    def acts(self) -> tuple[str, ...]:
        """All acts that it orders, those of the milestone first."""
        return tuple(dict.fromkeys((*self.at.acts, *self.bounded_acts)))


class MilestoneCheck(IdentifiedModel):
    """A check that acts keep to their side of one or more milestones."""

    each: Literal["round", "seat"] = "round"
    """`round`: among all events of the round. `seat`: among the events of each seat by itself."""
    when: Condition | None = None
    """The rounds or seats that it applies to. Left out, all."""
    milestones: Annotated[list[BoundedMilestone], MinLen(1)]
    """The milestones, each with the acts that it bounds."""


class MilestoneRequirement(BoundedActs, RequirementWords):
    """A requirement that acts keep to their side of the milestone. Several milestones may share a requirement: one of
    them has its words, the others only its name and acts."""

    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of, which must have a check `order`: its name, or its `name` with parameters.
    Acts, words and fault that are left out come from the pattern."""


class Milestone(ClosedModel):
    """An event of the round that acts may not pass. Several acts that pass it are one failure."""

    at: Moment
    """The event: the first or the last of some acts."""
    each: Literal["round", "seat"] = "round"
    """`round`: among all events of the round. `seat`: among the events of each seat by itself."""
    when: Condition | None = None
    """The rounds or seats that have this milestone. Left out, all."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    requirements: Annotated[list[MilestoneRequirement], MinLen(1)]
    """The requirements, each with the acts that it is about."""
