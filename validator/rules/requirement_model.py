"""Models of requirements: of milestones, of files, and the faults that follow from their checks."""

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from annotated_types import MinLen
from pydantic import JsonValue, model_validator

from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import ClauseName
from fairdeal.validator.language.round_conditions import Comparison, Condition
from fairdeal.validator.results.findings import Evidence, Severity
from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.check_model import (
    CHECK_KEYS,
    BoundedActs,
    BoundedMilestone,
    Check,
    EveryCheck,
    MilestoneCheck,
    Moment,
    NeededCheck,
    RoundCheck,
)
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.fault_model import Fault, RequirementWords
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    AbbreviatedModel,
    ClosedModel,
    Identifier,
    Prose,
)


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


class Requirement(AbbreviatedModel, RequirementWords):
    """A requirement of the regulation: its clauses, its check and the meaning of a failure."""

    title_: Prose | None = None
    """Title: the requirement in a phrase. Left out, the message, or else the title of the pattern."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of: its name, or its `name` with parameters. It replaces `check`. Words and
    fault that are left out come from the pattern."""
    check: Check = NO_OPERAND
    """The check. A file writes its keys in the requirement."""

    UNWRITTEN: ClassVar = {"check": "the keys of the check are written in the requirement"}

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return a mapping with the keys of the check under `check`."""
        if not isinstance(value, dict) or "check" in value:
            return value
        check = {key: part for key, part in value.items() if key in CHECK_KEYS}
        return {**{key: part for key, part in value.items() if key not in check}, "check": check} if check else value

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

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The readings that it rests on; in a regulation, also those of the cases or the limit that it judges."""
        return tuple(dict.fromkeys((*self.readings_, *grammar.list_reading_names(self.check, self.stated_fault))))

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

    title: Prose
    """Title: the topic."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    lends: dict[Identifier, Prose] = {}
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
    """Return the change to a simulated round that breaks a check; None if none follows from it.

    What must happen or be placed is left out. An act moves to the wrong side of the milestone, or comes once too often.
    The first two seats of a step are swapped. An amount, a number or a feature of an event is wrong.
    """
    data = _derive_data(check)
    return None if data is None else Fault.model_validate(data)


def _derive_data(check: object) -> dict[str, Any] | None:
    match check:
        case MilestoneCheck(milestones=[bounds]):
            return _cross_milestone(bounds)
        case NeededCheck(steps=[step, *_]) | EveryCheck(operator="step", operand=step):
            return {"omit": step}
        case InTurnCheck(steps=[step, *_]) | SameOrderCheck(steps=[_, step]):
            return {"swap": step}
        case RoundCheck():
            return _fail_rule(check)
    return None


def _fail_rule(check: RoundCheck) -> dict[str, Any] | None:
    """Return the fault by which a round, a seat or an event fails a rule; None if no fault follows from the rule."""
    must = check.must.operand[0] if check.must.operator == "all" else check.must
    must = must.operand if must.operator == "some-seat" else must
    if must.operator == "event" and check.of is not None:
        return _alter_event(check.of, must.operand)
    if must.operator == "placed" and check.each == "seat":
        change: dict[str, Any] | None = {"stake": {"wager": must.operand, "removed": True}}
    else:
        change = _miss_bound(must.operand) if must.operator == "number" else None
    applies = {} if check.when is None or check.each == "event" else {"when": check.when}
    return None if change is None else {**applies, **change}


def _alter_event(step: str, features: grammar.EventHas) -> dict[str, Any] | None:
    if features.by is not None:
        return {"alter": {"step": step, "by": "dealer" if features.by == "machine" else "machine"}}
    if features.in_ is not None and not {"cash", "coupon"} <= {*features.in_}:
        return {"alter": {"step": step, "in": "cash" if "coupon" in features.in_ else "coupon"}}
    return None if features.face is None else {"alter": {"step": step, "face": "turned"}}


def _miss_bound(comparison: Comparison) -> dict[str, Any] | None:
    """Return the fault that brings a quantity beyond its bound."""
    quantity, bound, limit = comparison.of, comparison.operator, comparison.operand
    number = limit.operand if limit.operator == "exactly" else None
    match quantity.operator, bound:
        case "cards-in" | "kept-cards-in", "at-least":
            return {"alter": {"step": quantity.operand, "cards": "fewer"}}
        case "events", "at-least":
            return {"omit": quantity.operand}
        case "amount", "equals" if quantity.operand != "this":
            return {"stake": {"wager": quantity.operand, "more": 1}}
        case "hands-of-player", "at-most" if number is not None:
            return {"hands-of-one": number + 1}
        case "discarded", "at-most" if number is not None:
            return {"discard": {"place": quantity.operand, "cards": number + 1}}
        case "discarded", "equals" if number:
            return {"discard": {"place": quantity.operand, "cards": number - 1}}
        case "pot", "at-most" | "at-least" if quantity.operand == "raked":
            return {"rake": {"more" if bound == "at-most" else "less": 1}}
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
