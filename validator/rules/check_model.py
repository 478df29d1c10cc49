"""Models of checks: on rounds, across rounds and submissions, obligations and milestones.

A milestone orders only the acts that it names. Acts that no milestone names may come at any time.

A session consists of all rounds of one game at one table, in the order of play, from all logs. Events between two
rounds are recorded in the later round.
"""

from typing import Annotated, Any, ClassVar, Literal, get_args

from annotated_types import Ge, Le, MaxLen, MinLen

from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import CapName, CaseName, StepName
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import (
    PayTablesCheck,
    PublicationsCheck,
    SignsCheck,
    SubmissionCondition,
    SubmittedCheck,
)
from fairdeal.validator.results.findings import Evidence
from fairdeal.validator.rules.betting_model import InTurnCheck, TurnsCheck
from fairdeal.validator.rules.deal_model import DealtCheck, DrawnByCheck, SameOrderCheck
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    AbbreviatedModel,
    ClosedModel,
    IdentifiedModel,
    OneOperatorModel,
    Prose,
    map_fields_to_keys,
)


class Moment(OneOperatorModel):
    """The event that makes a milestone: the first or the last event of some acts."""

    first: StepName | Annotated[list[StepName], MinLen(1)] = NO_OPERAND
    """The first event of the act, or of any of several acts."""
    last: StepName | Annotated[list[StepName], MinLen(1)] = NO_OPERAND
    """The last event of the act, or of any of several acts."""

    @property
    def acts(self) -> tuple[str, ...]:
        """Acts whose events make the milestone."""
        acts: Any = self.operand
        return (acts,) if isinstance(acts, str) else tuple(acts)


class BoundedActs(ClosedModel):
    """The acts that a milestone bounds. No act under `before` comes after the milestone. No act under `after` comes
    before it. An act that does not happen breaks nothing."""

    before: list[StepName] = []
    """The acts that may not come after the milestone."""
    again_after: Moment | None = None
    """With `before`: the event after which these acts may come again. Left out, they may not come again in the
    round."""
    after: list[StepName] = []
    """The acts that may not come before the milestone."""
    must_happen: list[StepName] = []
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


MOST_STEPS = 15
"""The most steps that a check may require in order."""


class Within(OneOperatorModel):
    """The longest time until something must happen again."""

    rounds: Annotated[int, Ge(1), Le(100_000)] = NO_OPERAND
    """It must happen at least once in any run of this number of rounds."""
    blocks_of: Annotated[int, Ge(1), Le(100_000)] = NO_OPERAND
    """It must happen at least once in each block of this number of rounds, counted from the opening of the table."""
    hours: Annotated[int, Ge(1), Le(100_000)] = NO_OPERAND
    """At most this number of hours may pass since it last happened, or since the table opened."""


class EveryCheck(OneOperatorModel):
    """A check that something happens at least once in a number of rounds or hours.

    Rounds that it does not apply to (`when`) end the count, which then starts again.
    """

    COMPANIONS = frozenset({"within", "each", "counts", "when"})

    must: Condition = NO_OPERAND
    """A condition on a round that must hold."""
    step: grammar.StepName = NO_OPERAND
    """The step that must happen."""
    within: Within
    """The longest time between two occurrences."""
    each: Literal["deck"] | None = None
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

    deck: Literal["other", "same"] = NO_OPERAND
    """`same`: the deck in play is the deck of the previous round. `other`: it is the other one of two decks, which
    alternate without a third."""
    received: grammar.StepName | None = None
    """With `deck: other`, the step that brings a deck to the table. It may replace one of the two."""
    removed: grammar.StepName | None = None
    """With `deck: other`, the step that removes a deck from the table. The remaining deck is then dealt alone."""
    copies_since: grammar.StepName = NO_OPERAND
    """No card appears more often than the decks in play contain it, over all rounds since this step, such as the
    shuffle. Missing rounds end the count."""
    must: Condition = NO_OPERAND
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

    each: Literal["round", "table", "deck"]
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
    """A check that the submissions of one licensee that are in force at the same time agree in a value."""

    at: grammar.SubmissionPath
    """Path of the value: keys joined by dots."""


class RoundCheck(ClosedModel):
    """A condition that every round, seat, stake or event must satisfy; every submission, with `each: submission`."""

    KEY_HELP: ClassVar = {"each": "write round, seat, stake, event or submission"}

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

    each: Literal["round", "seat"] = "round"
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


class Check(AbbreviatedModel, OneOperatorModel):
    """The check of a requirement."""

    KEY_HELP: ClassVar = {
        "phase": "write a check `order` with `milestones` instead",
        "rule": "write its keys in the requirement",
        "submitted": "write `each: submission` and its keys in the requirement",
    }

    submitted: SubmittedCheck = NO_OPERAND
    """A condition on the submission."""
    pay_tables: PayTablesCheck = NO_OPERAND
    """Compares posted pay tables with printed ones."""
    publications: PublicationsCheck = NO_OPERAND
    """Compares pay tables in publications with the tables in use."""
    signs: SignsCheck = NO_OPERAND
    """Compares signs with the rest of the submission."""
    rule: RoundCheck = NO_OPERAND
    """A condition on rounds, seats, stakes or events."""
    settled: SettledCheck = NO_OPERAND
    """Compares payments with amounts due."""
    capped: CappedCheck = NO_OPERAND
    """Compares total payments with a limit."""
    awarded: AwardedCheck = NO_OPERAND
    """Checks awards of pots and returned bets."""
    sequence: SequenceCheck = NO_OPERAND
    """Checks the order of steps."""
    order: MilestoneCheck = NO_OPERAND
    """Checks that acts come before or after an event of the round."""
    dealt: DealtCheck = NO_OPERAND
    """Checks the deal."""
    same_order: SameOrderCheck = NO_OPERAND
    """Checks that two steps have the same order of seats."""
    drawn_by: DrawnByCheck = NO_OPERAND
    """Compares discards with drawing rules."""
    in_turn: InTurnCheck = NO_OPERAND
    """Checks that steps happen seat by seat in one direction around the table."""
    turns: TurnsCheck = NO_OPERAND
    """Checks that a step happens clockwise from a position of the table."""
    every: EveryCheck = NO_OPERAND
    """Checks that something happens at least once in a number of rounds or hours."""
    succession: SuccessionCheck = NO_OPERAND
    """Compares each round with the previous one."""
    needed: NeededCheck = NO_OPERAND
    """Checks that certain steps happen before something else."""
    alike: AlikeCheck = NO_OPERAND
    """Checks that the submissions of a licensee agree in a value."""
    attested: Attested = NO_OPERAND
    """Requires an attestation by a person."""

    UNWRITTEN: ClassVar = {
        "rule": "the keys of the rule are written in the requirement",
        "submitted": "the keys of the check are written in the requirement, with `each: submission`",
    }

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return a mapping with the keys of a rule under `rule`, or under `submitted` if it is on submissions."""
        if not isinstance(value, dict) or "rule" in value or "submitted" in value:
            return value
        rule = {key: part for key, part in value.items() if key in _RULE_KEYS}
        rest = {key: part for key, part in value.items() if key not in rule}
        if rule.get("each") == _SUBMISSION:
            return {**rest, "submitted": {key: part for key, part in rule.items() if key != "each"}}
        if rule and rule.get("each") not in _ITEMS:  # its conditions cannot be read
            rule = {**{key: part for key, part in rule.items() if key in ("each", "of", "once")}, "must": ""}
        return {**rest, "rule": rule} if rule else value

    @classmethod
    def abbreviate(cls, data: dict[str, Any]) -> Any:
        """Return the keys of the check, which state that a condition is on submissions."""
        is_on_submissions = data.get("submitted") is not None
        return {**({"each": _SUBMISSION} if is_on_submissions else {}), **super().abbreviate(data)}

    @property
    def evidence(self) -> Evidence:
        """Kind of evidence that it needs; by default a round."""
        if self.operator == "needed":
            return Evidence.ROUND if self.operand.each == "round" else Evidence.SESSION
        return _EVIDENCE.get(self.operator, Evidence.ROUND)


_SUBMISSION = "submission"
"""In place of the items of a round that a rule judges one by one: each submission."""
_ITEMS = get_args(RoundCheck.model_fields["each"].annotation)
"""Items of a round that a rule judges one by one."""
_RULE_KEYS = frozenset(map_fields_to_keys(RoundCheck).values())
CHECK_KEYS = frozenset(map_fields_to_keys(Check).values()) - Check.UNWRITTEN.keys() | _RULE_KEYS
"""Keys by which a requirement states its check."""
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
