"""Models of causes that make a hand or a round void, and of their consequences."""

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field

from fairdeal.validator.language.grammar import ClauseName, LineName, Place, ReadingName, StepName
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose, make_list


class VoidRequirement(Requirement):
    """A requirement on void hands or rounds. Parameters of a pattern that the cause states may be left out."""

    clauses: list[ClauseName] = Field(default_factory=make_list)
    """The clauses that it rests on. Left out, those of the cause."""


class VoidCase(Case):
    """A case of settlement of void hands."""

    clauses: list[ClauseName] = Field(default_factory=make_list)
    """The clauses that it rests on. Left out, those of the cause."""


class VoidCause(ClosedModel):
    """A cause that makes a hand or a round void."""

    cause: Identifier
    """Name of the cause: of the fact that it holds, and of the case in which wagers are returned."""
    title: Prose
    """The cause in a few words that fit after "for": `a wrong number of cards`."""
    when: Condition | None = None
    """The condition under which it holds. Left out, the fact of that name."""
    voids: Literal["seat", "round"] = "round"
    """`seat`: it makes the hand of a seat void. `round`: it makes all hands void."""
    clauses: list[ClauseName] = Field(default_factory=make_list)
    """Its clauses. Left out, those of `void`."""
    declared: StepName | None = None
    """The step in which it is declared. Left out, the step of every declaration."""
    miscounts: list[Place] = Field(default_factory=make_list)
    """The places whose wrong numbers of cards are the cause. Simulated rounds may have them. A dealer who breaks off
    the deal leaves places without their cards, which is no cause for a declaration."""
    returned: list[LineName] = Field(default_factory=make_list)
    """The wagers that are returned. Left out, those returned for every cause."""
    cases: list[VoidCase] = Field(default_factory=make_list)
    """Cases of settlement that come before the return of wagers. They apply only where the cause holds."""
    requirements: list[VoidRequirement] = Field(default_factory=make_list)
    """Other requirements on the cause."""


class Void(ClosedModel):
    """Causes that make a hand or a round void, and their consequences."""

    clauses: list[ClauseName] = Field(default_factory=make_list)
    """The clauses of parts that state none."""
    readings: list[ReadingName] = Field(default_factory=make_list)
    """The readings that all its requirements rest on, in addition to their own; not those of cases."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own; those of cases have that of `settlement`."""
    declared: StepName
    """The step of every declaration that a hand or a round is void."""
    returned: list[LineName] = Field(default_factory=make_list)
    """The wagers that are returned for every cause."""
    cases: list[VoidCase] = Field(default_factory=make_list)
    """Cases of settlement that come before those of all causes."""
    causes: Annotated[list[VoidCause], MinLen(1)]
    """The causes, in the order in which their cases decide."""
    without_a_cause: VoidCause | None = None
    """A declaration without a cause after which a hand is over. Its case comes last. Left out, such a hand is to be
    played on."""
    requirements: list[VoidRequirement] = Field(default_factory=make_list)
    """Other requirements on void hands or rounds."""

    def list_requirements(self) -> list[Requirement]:
        """Return the requirements of the section and of all causes."""
        causes = [*self.causes, *([] if self.without_a_cause is None else [self.without_a_cause])]
        return [*(requirement for cause in causes for requirement in cause.requirements), *self.requirements]
