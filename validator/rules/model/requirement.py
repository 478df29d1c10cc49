"""What a submission, a round or a person must satisfy, and how a simulated round can be made to break it."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from annotated_types import MinLen
from pydantic import Field, JsonValue, model_validator

from validator.language.conditions import Condition
from validator.language.refs import (
    CapName,
    CaseName,
    ClauseName,
    CourseName,
    StepName,
)
from validator.language.submission.checks import PayTablesCheck, PublicationsCheck, SignsCheck, SubmittedCheck
from validator.language.submission.conditions import SubmissionCondition
from validator.results.statuses import Evidence, Severity
from validator.rules.model.betting import InTurnCheck, TurnsCheck
from validator.rules.model.course import Boundaries
from validator.rules.model.deal import DealtCheck, DrawnByCheck, SameOrderCheck
from validator.rules.model.requirement_words import RequirementWords
from validator.rules.model.sessions import (
    AlikeCheck,
    EveryCheck,
    NeededCheck,
    SuccessionCheck,
    UnchangedCheck,
)
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier, Prose


class RoundCheck(Closed):
    """A statement every round, seat, stake or event must fulfil."""

    each: Literal["round", "seat", "stake", "event"]
    """What is judged one by one."""
    of: StepName | None = None
    """With `each: event`: the step whose events are judged."""
    when: Condition | None = None
    """What it speaks of; to the rest it does not apply."""
    must: Condition
    """What must hold."""
    once: bool = False
    """Whether what goes wrong at several events of a round is one lapse, told at the first; left out, each is one."""


class SettledCheck(Closed):
    """What was paid and taken held against what is due."""

    cases: Annotated[list[CaseName], MinLen(1)]
    """The cases of settlement that are judged: every stake one of them decides."""


class CappedCheck(Closed):
    """What lines were paid together held against a limit, where they would be due more without it. Where they would
    not, the checks of their cases judge them; never both."""

    cap: CapName
    """The limit."""


class AwardedCheck(Closed):
    """What each seat received held against what is due to it by the game's pots."""

    asks: Literal["shares", "uncalled", "refunds"]
    """`shares`: every pot to the best hands among those who may win it. `uncalled`: what nobody matched back to its
    owner. `refunds`: all that each seat put in back to it."""
    when: Condition | None = None
    """The rounds it speaks of; left out, all."""


class SequenceStep(Closed):
    """A step in a sequence and how often it may happen there."""

    step: StepName
    """The step."""
    times: Literal["any", "optional", "one", "at-least-one"] = "any"
    """How often."""


class Repeat(Closed):
    """Steps that may follow each other again and again."""

    repeat: Annotated[list[SequenceStep], MinLen(1)]
    """The steps, in order, any number of times over."""


class SequenceCheck(Closed):
    """The order in which steps happen. Events of steps that are not named are not looked at."""

    per: Literal["round", "seat"] = "round"
    """Whether the order is that of the whole round or of each seat on its own."""
    when: Condition | None = None
    """The rounds or seats it speaks of."""
    steps: Annotated[list[SequenceStep | Repeat], MinLen(1)]
    """The steps in the order they must happen."""


class PhaseCheck(Boundaries):
    """That phases of a course begin only when those before them are over."""

    course: CourseName
    """The course."""


class Attested(Closed):
    """Something only a person can vouch for."""

    when: SubmissionCondition | None = None
    """The submissions it is asked for in; left out, all. Where that is not known, it is asked for."""
    statement: Prose
    """What is vouched for."""
    by: Prose
    """Whose word it takes."""


class Check(OneOf):
    """What is held against the evidence, and how."""

    submitted: SubmittedCheck = unset()
    """A statement about the submission."""
    pay_tables: PayTablesCheck = unset()
    """Posted pay tables against the printed ones."""
    publications: PublicationsCheck = unset()
    """Pay tables in publications against the tables in use."""
    signs: SignsCheck = unset()
    """What signs show against what is submitted."""
    rule: RoundCheck = unset()
    """A statement about rounds, seats, stakes or events."""
    settled: SettledCheck = unset()
    """Payments against what is due."""
    capped: CappedCheck = unset()
    """Payments together against a limit."""
    awarded: AwardedCheck = unset()
    """Pots awarded, bets given back."""
    sequence: SequenceCheck = unset()
    """The order of steps."""
    phase: PhaseCheck = unset()
    """Phases that begin when those before them are over."""
    dealt: DealtCheck = unset()
    """How cards are dealt."""
    same_order: SameOrderCheck = unset()
    """Two steps in one order of seats."""
    drawn_by: DrawnByCheck = unset()
    """Discards against rules of drawing."""
    in_turn: InTurnCheck = unset()
    """Seats come up round the table in one direction."""
    turns: TurnsCheck = unset()
    """Seats come up clockwise from a position of the table."""
    every: EveryCheck = unset()
    """Something that happens at least once in so many rounds or hours."""
    succession: SuccessionCheck = unset()
    """Each round held against the one before it."""
    needed: NeededCheck = unset()
    """Steps without which something must not happen."""
    alike: AlikeCheck = unset()
    """A value in which the submissions of a licensee agree."""
    unchanged: UnchangedCheck = unset()
    """A value that a later submission keeps."""
    attested: Attested = unset()
    """A statement of a person."""

    @property
    def evidence(self) -> Evidence:
        """What it is judged on; a round where nothing else is said."""
        if self.operator == "needed":
            return Evidence.ROUND if self.operand.per == "round" else Evidence.SESSION
        return _EVIDENCE.get(self.operator, Evidence.ROUND)


_EVIDENCE = {
    "submitted": Evidence.SUBMISSION,
    "pay-tables": Evidence.SUBMISSION,
    "publications": Evidence.SUBMISSION,
    "signs": Evidence.SUBMISSION,
    "alike": Evidence.SUBMISSION,
    "unchanged": Evidence.SUBMISSION,
    "attested": Evidence.ATTESTATION,
    "every": Evidence.SESSION,
    "succession": Evidence.SESSION,
}


class Requirement(RequirementWords):
    """One thing the law asks for: its clauses, how it is judged, what a failure means."""

    title_: Prose | None = None
    """What it asks for, in a phrase; left out, what the message says, or else the pattern that it is an instance of."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses it comes from."""
    evidence_: Evidence | None = None
    """What it is judged on. It follows from the check, and may be left out."""
    pattern: Identifier | dict[Identifier, JsonValue] | None = None
    """The pattern that it is an instance of: its name, or its `name` and its parameters. It takes the place of the
    `check`; words and a fault that are left out are those of the pattern."""
    check: Check = unset()
    """How it is judged."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        said = self.title_ or self.message_  # either stands in for the other
        missing = [key for key, there in (("title", said), ("check", "check" in self.model_fields_set)) if not there]
        if missing and self.pattern is None:
            keys = " and ".join(f"`{key}`" for key in missing)
            raise ValueError(f"a requirement needs {keys}, or a `pattern` that it is an instance of")
        return self

    @cached_property
    def evidence(self) -> Evidence:
        """What it is judged on."""
        return self.check.evidence

    @property
    def severity(self) -> Severity:
        """How much hangs on it. Raises ValueError where neither it nor the head of its file says so."""
        if self.severity_ is None:
            raise ValueError(f"{self.requirement} has no severity")
        return self.severity_

    @property
    def title(self) -> str:
        """What it asks for, in a phrase. Raises ValueError where it has no words."""
        said = self.title_ or (self.message_ or "").removesuffix(".")
        if not said:
            raise ValueError(f"{self.requirement} has neither a title nor a message")
        return said

    @property
    def message(self) -> str:
        """What a failure means, in a sentence."""
        return self.message_ or f"{self.title}."


class RequirementFile(Closed):
    """A file of requirements on one topic."""

    topic: Prose
    """The topic."""
    severity: Severity | None = None
    """How much hangs on those of its requirements that do not say so themselves."""
    remedy: Prose | None = None
    """What to do about a failure of those of its requirements that do not say so themselves."""
    lends: dict[Identifier, Prose] = Field(default_factory=dict)
    """Parameters of patterns, for those of its instances that do not say so themselves."""
    requirements: Annotated[list[Requirement], MinLen(1)]
    """The requirements."""

    @model_validator(mode="before")
    @classmethod
    def _said_once(cls, value: Any) -> Any:
        """What the head of the file says is said of every requirement that does not say otherwise."""
        if not isinstance(value, dict) or not isinstance(value.get("requirements"), list):
            return value
        said = {key: value[key] for key in ("severity", "remedy") if key in value}
        listed = [{**said, **one} if isinstance(one, dict) else one for one in value["requirements"]]
        return {**value, "requirements": listed}
