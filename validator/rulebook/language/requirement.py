"""What a submission, a round or a person must satisfy, and how a simulated round can be made to break it."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.rulebook.language.conditions import Condition, ReadingIs
from validator.rulebook.language.refs import (
    CaseName,
    ClauseName,
    LineName,
    PayTableName,
    ReadingName,
    StepName,
    SubmissionPath,
)
from validator.text.model import Closed, OneOf, unset
from validator.text.scalars import Day, Identifier, Prose
from validator.verdicts import Evidence, Severity

Scalar = int | bool | str


class Value(OneOf):
    """A value of the submission held against what is allowed."""

    BESIDE = frozenset({"at"})

    at: SubmissionPath
    """Where the value stands: keys joined by dots. A leading dot starts from the item that is judged, two
    from the item around it."""
    equals: Scalar = unset()
    """It must be this."""
    equals_value: SubmissionPath = unset()
    """It must be the same as the value at another place."""
    equals_list: Annotated[list[Scalar], MinLen(1)] = unset()
    """The list must have exactly these items, in this order."""
    one_of: Annotated[list[Scalar], MinLen(1)] = unset()
    """It must be one of these."""
    at_least: int = unset()
    """It must not be less."""
    at_most: int = unset()
    """It must not be more."""
    at_most_value: SubmissionPath = unset()
    """It must not be more than the value at another place."""
    includes: Scalar = unset()
    """The list must have this among its items."""


class Every(Closed):
    """A condition on each item of a list of the submission."""

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items it speaks of; left out, all."""
    must: SubmissionCondition
    """What each of them must fulfil."""


class Some(Closed):
    """At least one item of a list of the submission."""

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition
    """What at least one item must fulfil."""


class Distinct(Closed):
    """No two items of a list agree in a value."""

    in_: SubmissionPath
    """Where the list stands."""
    by: SubmissionPath
    """Where the value stands in each item."""


class SubmissionCondition(OneOf):
    """A statement about a submission that is yes, no or unknown: unknown is what it does not state."""

    all_: Annotated[list[SubmissionCondition], MinLen(1)] = unset()
    """Every one of these holds."""
    any_: Annotated[list[SubmissionCondition], MinLen(1)] = unset()
    """At least one of these holds."""
    not_: SubmissionCondition = unset()
    """This does not hold."""
    value: Value = unset()
    """A value held against what is allowed."""
    given: SubmissionPath = unset()
    """The submission states this."""
    every: Every = unset()
    """Each item of a list fulfils a condition."""
    some: Some = unset()
    """At least one item of a list fulfils a condition."""
    distinct: Distinct = unset()
    """No two items of a list agree in a value."""
    reading: ReadingIs = unset()
    """A reading of the text that is in force."""


class SubmittedCheck(Closed):
    """A statement every submission must fulfil."""

    when: SubmissionCondition | None = None
    """The submissions it speaks of; to the others it does not apply."""
    must: SubmissionCondition
    """What they must fulfil."""


class PayTablesCheck(Closed):
    """Posted pay tables held against the printed ones, row by row."""

    for_: LineName
    """The wager or bonus whose posted pay table is judged."""
    match: Literal["exactly", "at-least"]
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less."""
    one_of: Annotated[list[PayTableName], MinLen(1)]
    """The printed tables the licensee may choose from."""


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


class SettledCheck(Closed):
    """What was paid and taken held against what is due."""

    cases: Annotated[list[CaseName], MinLen(1)]
    """The cases of settlement that are judged: every stake one of them decides."""


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


class DealtCheck(Closed):
    """The turn in which cards are dealt, as the game's `deal` lays it down."""

    when: Condition | None = None
    """The rounds it speaks of."""
    step: StepName
    """The step whose events are the dealing."""


class SameOrderCheck(Closed):
    """Seats come up in one step in the order in which they came up in another."""

    first: StepName
    """The step that sets the order."""
    then: StepName
    """The step that must follow it."""


class Attested(Closed):
    """Something only a person can vouch for."""

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
    rule: RoundCheck = unset()
    """A statement about rounds, seats, stakes or events."""
    settled: SettledCheck = unset()
    """Payments against what is due."""
    sequence: SequenceCheck = unset()
    """The order of steps."""
    dealt: DealtCheck = unset()
    """The turn of dealing."""
    same_order: SameOrderCheck = unset()
    """Two steps in one order of seats."""
    attested: Attested = unset()
    """A statement of a person."""


class Alter(Closed):
    """A field of the events of a step that is recorded otherwise than it should be."""

    step: StepName
    """The step; its first event in the round is altered, where that makes a difference."""
    face: Literal["down", "up"] | None = None
    """How its cards lie instead."""
    by: Literal["dealer", "player", "machine"] | None = None
    """Who does it instead."""
    cards: Literal["reversed"] | None = None
    """Its cards in the opposite order."""


class Move(OneOf):
    """A step out of its place."""

    BESIDE = frozenset({"step"})

    step: StepName
    """The step; all its events in the round are moved."""
    before: StepName = unset()
    """They come right before the first event of this one."""
    after: StepName = unset()
    """They come right after the last event of this one."""


class Insert(OneOf):
    """A step that should not have happened."""

    BESIDE = frozenset({"step"})

    step: StepName
    """The step; one event of it is added."""
    before: StepName = unset()
    """It comes right before the first event of this one."""
    after: StepName = unset()
    """It comes right after the last event of this one."""


class StakeFault(OneOf):
    """A wager other than it should be."""

    BESIDE = frozenset({"wager"})

    wager: LineName
    """The wager of one seat that has placed it (or, with `added`, has not)."""
    more: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Larger by this, in minor currency units."""
    less: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Smaller by this, in minor currency units."""
    above_maximum: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Larger than the posted maximum by this, in minor currency units."""
    removed: Literal[True] = unset()
    """Not placed at all, nor a tip on it."""
    added: Annotated[int, Ge(1), Le(10**12)] = unset()
    """Placed, with this amount, by a seat that has no such stake."""
    tipped: Annotated[int, Ge(1), Le(10**12)] = unset()
    """A tip of this amount placed on it, by a seat that has none there."""
    renamed: Identifier = unset()
    """Recorded under this name, where it carries no tip."""


class Fault(OneOf):
    """How a simulated round is made to break the requirement, and nothing that does not follow from it.

    The fault is made where it belongs, so that the round goes on from it: a stake that is too large is settled
    as it stands, a seat that should not have folded is treated as one that folded.
    """

    BESIDE = frozenset({"where"})

    where: Condition | None = None
    """The seats (or rounds) in which it is planted; left out, any. It sees the round as far as it has come: of
    an opening wager, only what was wagered; of a step, everything."""
    pay: Literal["over", "under"] = unset()
    """One stake the requirement judges is paid (or, if nothing is due, taken) otherwise than is due."""
    stake: StakeFault = unset()
    """A wager other than it should be."""
    hands_of_one: Annotated[int, Ge(2), Le(32)] = unset()
    """All hands of a round of at least so many hands are one player's."""
    decision: str = unset()
    """One seat decides this instead of what it did; `none`: it does not decide."""
    card: Literal["repeated"] = unset()
    """The dealer's first card is one that the first seat holds too."""
    omit: StepName = unset()
    """A step does not happen."""
    insert: Insert = unset()
    """A step happens that should not."""
    move: Move = unset()
    """A step happens in the wrong place."""
    swap: StepName = unset()
    """A step is done for the first two of its seats the other way round."""
    alter: Alter = unset()
    """A step happens, but not as it should."""


class Requirement(Closed):
    """One thing the law asks for: its clauses, how it is judged, what a failure means."""

    requirement: Identifier
    """Its name within the document."""
    title: Prose
    """What it asks for, in a phrase."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses it comes from."""
    evidence: Evidence
    """What it is judged on."""
    severity: Severity
    """How much hangs on it."""
    message: Prose
    """What a failure means, in a sentence a casino understands."""
    remedy: Prose | None = None
    """What to do about a failure."""
    from_: Day | None = None
    """The first day it is in force; left out, as long as the document."""
    until: Day | None = None
    """The last day it is in force."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings of the text that it rests on."""
    check: Check
    """How it is judged."""
    fault: Fault | None = None
    """How a simulated round can break it."""


class RequirementFile(Closed):
    """A file of requirements on one topic."""

    topic: Prose
    """The topic."""
    requirements: Annotated[list[Requirement], MinLen(1)]
    """The requirements."""
