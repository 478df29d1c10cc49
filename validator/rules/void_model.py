"""Models of causes that make a hand or a round void, and of their consequences."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field

from fairdeal.validator.language.grammar import CaseName, ClauseName, LineName, Place, ReadingName, StepName
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.fault_model import RequirementWords, StatementRequirement
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose, map_fields_to_keys

DUTIES = ("returns", "in-its-place", "only-for-a-cause", "once", "not-played-on", "reshuffled")
"""Keys of requirements that are instances of patterns."""


class VoidRequirement(Requirement):
    """A requirement on void hands or rounds. Parameters of a pattern that the cause states may be left out."""

    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that it rests on. Left out, those of the cause."""


class VoidDuty(StatementRequirement):
    """A requirement on void hands or rounds that is an instance of the pattern `void-` and its key. The keys that are
    no words are parameters of the pattern."""

    where: Condition | None = None
    """The rounds or seats with a cause. Left out, those for which the cause holds."""
    when: Condition | None = None
    """A further condition on the rounds that it applies to."""
    justified: Condition | None = None
    """The declarations that have a cause. Left out, those for which one of the causes holds."""
    must: Condition | None = None
    """The condition that must hold in a round with a cause."""
    cases: list[CaseName] = Field(default_factory=list)
    """The cases of settlement that it judges. Left out, that of the cause."""
    last: list[StepName] = Field(default_factory=list)
    """The acts of which the last one may be the cause. Left out, the deal."""
    after: list[StepName] = Field(default_factory=list)
    """The acts that may not come before the cause. Left out, its declaration."""
    steps: list[StepName] = Field(default_factory=list)
    """The acts that must happen."""
    round_steps: list[StepName] = Field(default_factory=list)
    """The declarations that all hands are void. Left out, those of the causes."""
    seat_steps: list[StepName] = Field(default_factory=list)
    """The declarations that one hand is void. Left out, those of the causes."""


class VoidCase(Case):
    """A case of settlement of void hands."""

    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses that it rests on. Left out, those of the cause."""


class VoidCause(ClosedModel):
    """A cause that makes a hand or a round void."""

    cause: Identifier
    """Name of the cause: of the fact that it holds, and of the case in which wagers are returned."""
    title: Prose | None = None
    """The cause in a few words that fit after "for": `a wrong number of cards`. Left out, it follows from `miscounts`;
    without these, it is a declaration without a cause."""
    when: Condition | None = None
    """The condition under which it holds. Left out, the fact of that name."""
    voids: Literal["seat", "round"] = "round"
    """`seat`: it makes the hand of a seat void. `round`: it makes all hands void."""
    clauses: list[ClauseName] = Field(default_factory=list)
    """Its clauses. Left out, those of `void`."""
    declared: StepName | None = None
    """The step in which it is declared. Left out, the step of every declaration."""
    miscounts: list[Place] = Field(default_factory=list)
    """The places whose wrong numbers of cards are the cause. Simulated rounds may have them. A dealer who breaks off
    the deal leaves places without their cards, which is no cause for a declaration."""
    returned: list[LineName] = Field(default_factory=list)
    """The wagers that are returned. Left out, those returned for every cause."""
    cases: list[VoidCase] = Field(default_factory=list)
    """Cases of settlement that come before the return of wagers. They apply only where the cause holds."""
    returns: VoidDuty | None = None
    """The requirement that the wagers are returned. Left out, one of the name of the cause, unless another one judges
    the case."""
    in_its_place: VoidDuty | None = None
    """The requirement that nobody declares the cause, or acts on it, before its time."""
    requirements: list[VoidRequirement] = Field(default_factory=list)
    """Other requirements on the cause."""


class Void(ClosedModel):
    """Causes that make a hand or a round void, and their consequences."""

    clauses: list[ClauseName] = Field(default_factory=list)
    """The clauses of parts that state none."""
    readings: list[ReadingName] = Field(default_factory=list)
    """The readings that all its requirements rest on, in addition to their own; not those of cases."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own; those of cases have that of `settlement`."""
    declared: StepName
    """The step of every declaration that a hand or a round is void."""
    returned: list[LineName] = Field(default_factory=list)
    """The wagers that are returned for every cause."""
    cases: list[VoidCase] = Field(default_factory=list)
    """Cases of settlement that come before those of all causes."""
    causes: Annotated[list[VoidCause], MinLen(1)]
    """The causes, in the order in which their cases decide."""
    without_a_cause: VoidCause | None = None
    """A declaration without a cause after which a hand is over. Its case comes last. Left out, such a hand is to be
    played on."""
    only_for_a_cause: VoidDuty | None = None
    """The requirement that a hand or a round is declared void only for a cause."""
    once: VoidDuty | None = None
    """The requirement that a hand or a round is declared void only once."""
    in_its_place: VoidDuty | None = None
    """The requirement that nobody declares a cause, or acts on it, before its time, for all causes together."""
    not_played_on: VoidDuty | None = None
    """The requirement that a round with a cause is not played on, which `must` shows."""
    reshuffled: VoidDuty | None = None
    """The requirement that the `steps` happen after a declaration before cards are dealt again."""
    requirements: list[VoidRequirement] = Field(default_factory=list)
    """Other requirements on void hands or rounds."""

    def list_requirements(self) -> list[Requirement]:
        """Return the requirements of the section and of all causes."""
        causes = [*self.causes, *([] if self.without_a_cause is None else [self.without_a_cause])]
        return [*self.requirements, *(requirement for cause in causes for requirement in cause.requirements)]


WORD_KEYS = frozenset(map_fields_to_keys(RequirementWords).values())
"""Keys of a requirement that are no parameters of its pattern."""
