"""Models of requirements and their checks."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from annotated_types import MinLen
from pydantic import Field, JsonValue, model_validator

from fairdeal.validator.language.grammar import CapName, CaseName, ClauseName, StepName
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import (
    PayTablesCheck,
    PublicationsCheck,
    SignsCheck,
    SubmissionCondition,
    SubmittedCheck,
)
from fairdeal.validator.results.findings import Evidence, Severity
from fairdeal.validator.rules import procedure_model
from fairdeal.validator.rules.betting_model import InTurnCheck, TurnsCheck
from fairdeal.validator.rules.deal_model import DealtCheck, DrawnByCheck, SameOrderCheck
from fairdeal.validator.rules.fault_model import Fault, RequirementWords
from fairdeal.validator.rules.milestone_model import BoundedMilestone, MilestoneCheck
from fairdeal.validator.text.closed_model import (
    ClosedModel,
    IdentifiedModel,
    Identifier,
    OneOperatorModel,
    Prose,
    unset_operator,
)


class RoundCheck(ClosedModel):
    """A condition that every round, seat, stake or event must satisfy."""

    each: Literal["round", "seat", "stake", "event"]
    """The items that are judged one by one."""
    of: StepName | None = None
    """With `each: event`: the step whose events are judged."""
    when: Condition | None = None
    """The items that it applies to. Left out, all."""
    must: Condition
    """The condition that must hold."""
    once: bool = False
    """True if failures at several events of a round are one failure, reported at the first. Left out, each event is a
    failure."""


class SettledCheck(ClosedModel):
    """A comparison of the amounts paid and taken with the amounts due."""

    cases: Annotated[list[CaseName], MinLen(1)]
    """The cases of settlement that are checked: every stake that one of them decides."""


class CappedCheck(ClosedModel):
    """A comparison of the total payment on lines with a limit, if more would be due without the limit. Otherwise the
    checks of their cases judge the payments, never both."""

    cap: CapName
    """The limit."""


class AwardedCheck(ClosedModel):
    """A comparison of the amount that each seat received with the amount due to it from the pots."""

    asks: Literal["shares", "uncalled", "refunds"]
    """`shares`: every pot goes to the best hands among the seats that may win it. `uncalled`: the uncalled bet goes
    back to its owner. `refunds`: every seat gets back the amount that it put in."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""


class SequenceStep(ClosedModel):
    """A step of a sequence, and how often it may happen there."""

    step: StepName
    """The step."""
    times: Literal["any", "optional", "one", "at-least-one"] = "any"
    """Permitted number of times."""


class Repeat(ClosedModel):
    """Steps that may repeat."""

    repeat: Annotated[list[SequenceStep], MinLen(1)]
    """The steps, in order, any number of times."""


class SequenceCheck(IdentifiedModel):
    """The order in which steps must happen. Events of other steps are ignored."""

    per: Literal["round", "seat"] = "round"
    """`round`: the order of the whole round. `seat`: the order at each seat by itself."""
    when: Condition | None = None
    """The rounds or seats that it applies to. Left out, all."""
    steps: Annotated[list[SequenceStep | Repeat], MinLen(1)]
    """The steps in the required order."""


class Attested(ClosedModel):
    """A statement that only a person can attest."""

    when: SubmissionCondition | None = None
    """The submissions that need it. Left out, all. If the condition is unknown, it is needed."""
    statement: Prose
    """The statement to attest."""
    by: Prose
    """The person or body that must attest it."""


class Check(OneOperatorModel):
    """The check of a requirement."""

    KEY_HELP: ClassVar[Mapping[str, str]] = {"phase": "write a check `order` with `milestones` instead"}

    submitted: SubmittedCheck = unset_operator()
    """A condition on the submission."""
    pay_tables: PayTablesCheck = unset_operator()
    """Compares posted pay tables with printed ones."""
    publications: PublicationsCheck = unset_operator()
    """Compares pay tables in publications with the tables in use."""
    signs: SignsCheck = unset_operator()
    """Compares signs with the rest of the submission."""
    rule: RoundCheck = unset_operator()
    """A condition on rounds, seats, stakes or events."""
    settled: SettledCheck = unset_operator()
    """Compares payments with amounts due."""
    capped: CappedCheck = unset_operator()
    """Compares total payments with a limit."""
    awarded: AwardedCheck = unset_operator()
    """Checks awards of pots and returned bets."""
    sequence: SequenceCheck = unset_operator()
    """Checks the order of steps."""
    order: MilestoneCheck = unset_operator()
    """Checks that acts come before or after an event of the round."""
    dealt: DealtCheck = unset_operator()
    """Checks the deal."""
    same_order: SameOrderCheck = unset_operator()
    """Checks that two steps have the same order of seats."""
    drawn_by: DrawnByCheck = unset_operator()
    """Compares discards with drawing rules."""
    in_turn: InTurnCheck = unset_operator()
    """Checks that steps happen seat by seat in one direction around the table."""
    turns: TurnsCheck = unset_operator()
    """Checks that a step happens clockwise from a position of the table."""
    every: procedure_model.EveryCheck = unset_operator()
    """Checks that something happens at least once in a number of rounds or hours."""
    succession: procedure_model.SuccessionCheck = unset_operator()
    """Compares each round with the previous one."""
    needed: procedure_model.NeededCheck = unset_operator()
    """Checks that certain steps happen before something else."""
    alike: procedure_model.AlikeCheck = unset_operator()
    """Checks that the submissions of a licensee agree in a value."""
    attested: Attested = unset_operator()
    """Requires an attestation by a person."""

    @property
    def evidence(self) -> Evidence:
        """Kind of evidence that it needs; by default a round."""
        if self.operator == "needed":
            return Evidence.ROUND if self.operand.per == "round" else Evidence.SESSION
        return _EVIDENCE.get(self.operator, Evidence.ROUND)


_EVIDENCE = {
    "submitted": Evidence.SUBMISSION,
    "pay-tables": Evidence.SUBMISSION,
    "publications": Evidence.SUBMISSION,
    "signs": Evidence.SUBMISSION,
    "alike": Evidence.SUBMISSION,
    "attested": Evidence.ATTESTATION,
    "every": Evidence.SESSION,
    "succession": Evidence.SESSION,
}


class Requirement(RequirementWords):
    """A requirement of the regulation: its clauses, its check and the meaning of a failure."""

    title_: Prose | None = None
    """Title: the requirement in a phrase. Left out, the message, or else the title of the pattern."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    evidence_: Evidence | None = None
    """Kind of evidence that it needs. It follows from the check and may be left out."""
    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of: its name, or its `name` with parameters. It replaces `check`. Words and
    fault that are left out come from the pattern."""
    check: Check = unset_operator()
    """The check."""

    @model_validator(mode="after")
    def _require_words_and_check(self) -> Self:
        words = self.title_ or self.message_  # either replaces the other
        missing = [key for key, given in (("title", words), ("check", "check" in self.model_fields_set)) if not given]
        if missing and self.pattern is None:
            keys = " and ".join(f"`{key}`" for key in missing)
            raise ValueError(f"a requirement needs {keys}, or a `pattern` that it is an instance of")
        return self

    @cached_property
    def evidence(self) -> Evidence:
        """Kind of evidence that it needs."""
        return self.check.evidence

    @property
    def fault(self) -> Fault | None:
        """The change to a simulated round that breaks it, as stated or as it follows from the check."""
        return derive_fault(self.check.operand) if self.fault_ is None else self.stated_fault

    @property
    def severity(self) -> Severity:
        """Severity of a failure.

        Raises:
            ValueError: if neither the requirement nor its file states one.
        """
        if self.severity_ is None:
            raise ValueError(f"{self.requirement} has no severity")
        return self.severity_

    @property
    def title(self) -> str:
        """Title: the requirement in a phrase.

        Raises:
            ValueError: if it has neither title nor message.
        """
        title = self.title_ or (self.message_ or "").removesuffix(".")
        if not title:
            raise ValueError(f"{self.requirement} has neither a title nor a message")
        return title

    @property
    def message(self) -> str:
        """Meaning of a failure, in a sentence."""
        return self.message_ or f"{self.title}."


class RequirementFile(ClosedModel):
    """A file of requirements on one topic."""

    topic: Prose
    """The topic."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    lends: dict[Identifier, Prose] = Field(default_factory=dict)
    """Parameters of patterns, for instances in the file that do not state them."""
    requirements: Annotated[list[Requirement], MinLen(1)]
    """The requirements."""

    @model_validator(mode="before")
    @classmethod
    def _copy_shared_words(cls, value: Any) -> Any:
        """Copy `severity` and `remedy` of the file to every requirement without its own."""
        if not isinstance(value, dict) or not isinstance(value.get("requirements"), list):
            return value
        shared = {key: value[key] for key in ("severity", "remedy") if key in value}
        listed = [{**shared, **entry} if isinstance(entry, dict) else entry for entry in value["requirements"]]
        return {**value, "requirements": listed}


def derive_fault(check: object) -> Fault | None:
    """Return the change to a simulated round that breaks a check of order; None if none follows from it.

    What must happen is left out. An act moves to the wrong side of the milestone, or comes once too often. The first
    two seats of a step are swapped.
    """
    data = _derive_data(check)
    return None if data is None else Fault.model_validate(data)


def _derive_data(check: object) -> dict[str, Any] | None:
    match check:
        case MilestoneCheck(milestones=[bounds]):
            return _cross_milestone(bounds)
        case procedure_model.NeededCheck(steps=[step, *_]):
            return {"omit": step}
        case procedure_model.EveryCheck(operator="step", operand=step):
            return {"omit": step}
        case InTurnCheck(steps=[step, *_]):
            return {"swap": step}
        case SameOrderCheck(then=step):
            return {"swap": step}
    return None


def _cross_milestone(bounds: BoundedMilestone) -> dict[str, Any] | None:
    """Return the fault that takes the first act of a milestone to its wrong side, past the first act that makes it."""
    maker = bounds.at.acts[0]
    if bounds.must_happen:
        return {"omit": bounds.must_happen[0]}
    if bounds.before and bounds.again_after is not None:
        return {"insert": {"step": bounds.before[0], "after": maker}}
    if bounds.before:
        return {"move": {"step": bounds.before[0], "after": maker}}
    return {"move": {"step": bounds.after[0], "before": maker}}
