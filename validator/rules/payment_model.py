"""Models of payments: pay tables, cases of settlement, fractions, limits, and causes that make a hand void."""

from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import AfterValidator, WithJsonSchema, model_validator

from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import ClauseName, LineName, Place, ReadingName, StepName
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.fault_model import StatementRequirement
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    ClosedModel,
    Identifier,
    OneOperatorModel,
    Prose,
)
from fairdeal.validator.text.plain_values import (
    PAYOUT_PATTERN,
    Money,
    OddsText,
    Payout,
    PayoutText,
    PositiveMoney,
    parse_payout,
)


class Scale(ClosedModel):
    """A quantity divided into bands; a pay table may pay by band instead of by hand."""

    title: Prose
    """Title of the quantity, in a few words."""
    of: Quantity
    """The quantity of each seat."""
    bands: Annotated[dict[Identifier, Annotated[int, Ge(-(10**12)), Le(10**12)]], MinLen(1)]
    """The lowest value of each band, by the name that rows of pay tables use, highest first. A value belongs to the
    first band that it reaches."""


class SharedAward(ClosedModel):
    """A row whose award several seats share."""

    category: grammar.RowName
    """The category or band of the row."""
    when: Condition
    """The seats that share it equally."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    reading: grammar.ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class OtherForm(ClosedModel):
    """The wording of the odds of a table under another option of a reading."""

    reading: grammar.ReadingIs
    """The option under which it applies."""
    form: Literal["to", "for"]
    """The wording of the odds: `N for 1` pays one unit less than `N to 1`."""


class PayTableRequirement(StatementRequirement):
    """The requirement that a line is paid by a printed table. The licensee may choose any table that names it; all of
    them belong to one line."""

    match: Literal["exactly", "at-least", "wording"] = "exactly"
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as printed, whatever they are, also in publications. `exactly` and `at-least` check the table in use."""
    when: SubmissionCondition | None = None
    """The submissions that it applies to. Left out, all."""


class PayTable(ClosedModel):
    """A printed pay table: the payment of each row, highest first. Rows are looked up by a hand, by several hands, or
    by a scale."""

    of: grammar.LineName
    """The wager or bonus that it pays."""
    hand: grammar.HandName | Annotated[list[grammar.HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up. A table may have rows of several hands with different names; the case of
    settlement then names the hand."""
    by: grammar.ScaleName | None = None
    """The scale that is looked up instead of a hand."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that print it."""
    when: Condition | None = None
    """The rounds in which it is in use. Left out, all."""
    meter: Identifier | None = None
    """The meter of its rows, by its name in hand logs."""
    wager: PositiveMoney | None = None
    """The stake for which amounts in rows are printed. For other stakes they are proportional.
    Left out, they do not depend on the stake."""
    rows: Annotated[dict[grammar.RowName, PayoutText], MinLen(1)]
    """The payment of each listed category or band. Others are not paid."""
    shared: list[SharedAward] = []
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = []
    """Wordings under other readings of the text."""
    requirements: list[PayTableRequirement] = []
    """Requirements that the posted table matches it, or one of the tables that name the same requirement."""

    @model_validator(mode="after")
    def _require_hand_or_scale(self) -> Self:
        if (self.hand is None) == (self.by is None):
            raise ValueError("exactly one of `hand` and `by` must be given")
        return self

    @property
    def lookup_names(self) -> tuple[str, ...]:
        """Names of the hands, or of the scale, by which rows are looked up."""
        if self.by is not None:
            return (self.by,)
        return (self.hand,) if isinstance(self.hand, str) else tuple(self.hand or ())


VOID_KEY = "void"
"""Key of the section of a game on void hands, and name of the fact that a hand is void."""
VOID_FOR_A_CAUSE = "void-for-a-cause"
"""Name of the fact that a hand of the round is void for a cause."""
NO_ROW = "none"
"""The entry of a matrix for a table that does not have the row."""


def _check_cell(text: str) -> str:
    if text != NO_ROW:
        parse_payout(text)
    return text


CellText = Annotated[
    str,
    AfterValidator(_check_cell),
    WithJsonSchema({"type": "string", "pattern": f"^{NO_ROW}$|{PAYOUT_PATTERN}", "examples": ["5 to 1", NO_ROW]}),
]
"""An entry of a matrix: a payout, or that the table does not have the row."""


class MatrixColumn(ClosedModel):
    """The values of one table of a matrix that differ from the matrix."""

    clauses: Annotated[list[grammar.ClauseName], MinLen(1)] | None = None
    """The clauses that print it. Left out, those of the matrix."""
    when: Condition | None = None
    """The rounds in which it is in use. Left out, those of the matrix."""
    wager: PositiveMoney | None = None
    """The stake for which amounts in its rows are printed. Left out, that of the matrix."""
    requirements: list[PayTableRequirement] | None = None
    """Requirements that the posted table matches it. Left out, those of the matrix."""


class PayMatrix(ClosedModel):
    """Pay tables of one line side by side: a row for each hand, a column for each table."""

    of: grammar.LineName
    """The wager or bonus that they pay."""
    hand: grammar.HandName | Annotated[list[grammar.HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up, or the hands, as in a pay table."""
    by: grammar.ScaleName | None = None
    """The scale that is looked up instead of a hand."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)] | None = None
    """The clauses that print them, for tables that do not state their own."""
    when: Condition | None = None
    """The rounds in which they are in use. Left out, all."""
    meter: Identifier | None = None
    """The meter of its rows, by its name in hand logs."""
    wager: PositiveMoney | None = None
    """The stake for which amounts in their rows are printed."""
    tables: Annotated[dict[Identifier, MatrixColumn], MinLen(1)]
    """The tables by name, from left to right, each with its own values."""
    rows: Annotated[dict[grammar.RowName, Annotated[list[CellText], MinLen(1)]], MinLen(1)]
    """The payments of each listed category or band, highest first: one entry for each table, in order. `none` means
    that the table does not have the row."""
    shared: list[SharedAward] = []
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = []
    """Wordings under other readings of the text."""
    requirements: list[PayTableRequirement] = []
    """Requirements that the posted table matches one of the tables."""


class Unlisted(ClosedModel):
    """The payment of a category by tables without a row for it."""

    category: grammar.RowName
    """The category or band that a table may lack."""
    pays_as: grammar.RowName | None = None
    """The row by which it is paid."""
    pays: PayoutText | None = None
    """The payment, instead of `pays-as`."""
    reading: grammar.ReadingIs | None = None
    """The option of a reading under which it applies. Left out, the text states it."""

    @model_validator(mode="after")
    def _require_row_or_payout(self) -> Self:
        if (self.pays_as is None) == (self.pays is None):
            raise ValueError("exactly one of `pays` and `pays-as` must be given")
        return self


AtLeast = Literal["at-least", "at-least-posted", "at-least-printed"]
"""Ways in which a printed table may be a floor."""


class ByTable(ClosedModel):
    """Payment by the pay table in use for a line: a listed hand is paid, any other loses. Bare text is the line."""

    of: grammar.LineName
    """The line with the pay table: that of the stake, or another that shares its table."""
    hand: grammar.HandName | None = None
    """The hand that is looked up. It may be left out if the table has rows of one hand only."""
    match: Literal["exactly", "at-least", "at-least-posted", "at-least-printed"] = "exactly"
    """`exactly`: the posted table must be a printed one, and its odds are due. `at-least`: the printed table is a
    floor. A posted table that is nowhere below it is due as posted; without a posted table, more may be paid.
    `at-least-posted`: the same, but more than posted may be paid as well. `at-least-printed`: the posted table does not
    matter."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_line(cls, value: object) -> object:
        return {"of": value} if isinstance(value, str) else value


def _check_part(part: Payout) -> Payout:
    if part.form != "to" or part.value >= 1:
        raise ValueError(f"{part} is no part of a stake: write `1 to 2` for half of it, or `lost` for all of it")
    return part


class Rounding(ClosedModel):
    """A rule for an amount due that is no multiple of a unit."""

    allow: Literal["either", "nearest", "down", "up"]
    """The permitted multiple: the one below, the one above, either of them, or the nearest. Halfway between two, both
    are the nearest."""
    to: PositiveMoney = 1
    """The unit. Left out, the smallest of the currency."""


class Commission(ClosedModel):
    """A part of what a wager wins that the house keeps, or that the player owes."""

    percent: Annotated[int, Ge(1), Le(99)]
    """The commission in percent of the payment at the odds."""
    rounded: Rounding | None = None
    """Rounding of the commission. Left out, a fraction of a minor unit may go either way."""
    owed: grammar.WagerName | None = None
    """The debt on which the commission is marked, a wager that is placed `with-a-payment`. The log then states the
    whole payment. Left out, the house keeps the commission, and the log states the rest of the payment."""


class BankShare(ClosedModel):
    """A part of what the stakes of a round lose, less what they are paid."""

    of: grammar.WagerName
    """The wager of these stakes. A commission on their payments does not count."""
    percent: Annotated[int, Ge(1), Le(100)]
    """The part in percent."""


class Due(OneOperatorModel):
    """The amount due on a wager. Bare text is an outcome (`lost`, `returned`, `stays`, `nothing`, `open`) or odds
    (`1 to 1`)."""

    COMPANIONS = frozenset({"commission", "stays"})

    outcome: Literal["lost", "returned", "stays", "nothing", "open"] = NO_OPERAND
    """`lost`: the stake is taken. `returned`: the stake is returned. `stays`: the stake is not decided, and stays on
    the table for the next round. `nothing`: a bonus is not paid. `open`: the text leaves the amount to the house."""
    odds: OddsText = NO_OPERAND
    """The player keeps the stake and is paid at these odds."""
    loses: Annotated[OddsText, AfterValidator(_check_part)] = NO_OPERAND
    """Part of the stake is taken, and the rest returned: with `1 to 2`, one unit of every two staked."""
    pay_table: ByTable = NO_OPERAND
    """Payment by the pay table in use for a line."""
    share: BankShare = NO_OPERAND
    """The player has a share of the bank: a part of its win in the round is paid, or of its loss is taken."""
    commission: Commission | None = None
    """The part of the payment at `odds`, or of a `share`, that the house keeps."""
    stays: Literal[True] | None = None
    """After a payment at `odds`, the stake stays on the table for the next round."""

    @property
    def leaves_stake(self) -> bool:
        """Return whether the stake stays on the table for the next round."""
        return self.stays is not None or (self.operator == "outcome" and self.operand == "stays")

    @model_validator(mode="after")
    def _refuse_companions_without_odds(self) -> Self:
        if self.commission is not None and self.operator not in ("odds", "share"):
            raise ValueError("`commission` is kept of a payment at `odds` or of a `share`, and of nothing else")
        if self.stays is not None and self.operator != "odds":
            raise ValueError("`stays` goes with a payment at `odds`: without one, write `due: stays`")
        return self

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return {"outcome": value} if value in ("lost", "returned", "stays", "nothing", "open") else {"odds": value}


class Case(ClosedModel):
    """A case of settlement. The first case of a line whose condition holds decides the amount due."""

    KEY_HELP: ClassVar = {"due": "write odds such as `1 to 1`, or `lost`, `returned`, `nothing` or `{pay-table: LINE}`"}

    case: Identifier
    """Name of the case."""
    lines: Annotated[list[grammar.LineName], MinLen(1)]
    """The wagers and bonuses that it decides, including tips on them."""
    when: Condition | None = None
    """The seats that it applies to. Left out, every seat that no earlier case decided."""
    due: Due
    """The amount due."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    readings_: list[grammar.ReadingName] = []
    """Further readings that it rests on, in addition to those that it refers to."""
    requirements: list[StatementRequirement] = []
    """The single requirement that judges the stakes of the case. Left out, one with the name of the case, unless
    another requirement has a check `settled` with it."""

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The readings that it rests on."""
        return tuple(dict.fromkeys((*self.readings_, *grammar.list_reading_names(self.when, self.due))))


class RoundingByReading(Rounding):
    """A rule for amounts due that are no multiple of a unit, and the reading under which it applies."""

    reading: grammar.ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class Matching(ClosedModel):
    """The meaning of `at-least` in cases with a pay table, under another option of a reading."""

    match: AtLeast
    """The value that replaces `at-least` in every case."""
    reading: grammar.ReadingIs
    """The option under which it applies."""


class Cap(ClosedModel):
    """A limit on the total payment on several lines."""

    cap: Identifier
    """Name of the limit."""
    lines: Annotated[list[grammar.LineName], MinLen(1)]
    """The wagers and bonuses that it limits, including tips on them."""
    each: Literal["hand", "line", "round"]
    """`hand`: limits the payment to a seat on all lines together. `line`: on each line. `round`: to all seats of the
    round."""
    at_most: Quantity
    """The limit. If it is unknown, there may be a limit or not."""
    not_below: Money = 0
    """The lowest limit that the text permits."""
    when: Condition | None = None
    """The rounds in which it applies. Left out, all."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that permit it."""
    readings_: list[grammar.ReadingName] = []
    """Further readings that it rests on, in addition to those that it refers to."""
    requirements: list[StatementRequirement] = []
    """The single requirement that judges payments to which the limit applies. Left out, one with the name of the limit,
    unless another requirement has a check `capped` with it."""

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The readings that it rests on."""
        return tuple(dict.fromkeys((*self.readings_, *grammar.list_reading_names(self.when, self.at_most))))


class Settlement(ClosedModel):
    """The settlement of a game. Every case and every limit is a requirement."""

    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    order: list[grammar.LineName] = []
    """The order in which the wagers and bonuses of a seat are collected and paid."""
    cases: list[Case] = []
    """The cases, in order."""
    late: grammar.StepName | None = None
    """The step whose events place stakes too late. What they certainly place does not count, and is returned. A stake
    of which nothing was paid or taken may be late if the log leaves open when it was placed. Left out, every stake
    counts."""
    unlisted: list[Unlisted] = []
    """Categories without a row in some pay table. If several entries for a category hold, the last one applies."""
    rounded: list[RoundingByReading] = []
    """Rules for amounts that are no multiple of a unit, by reading. If none holds, amounts are due exactly."""
    matching: list[Matching] = []
    """Meanings of `at-least`, by reading. If none holds, as stated in the cases."""
    caps: list[Cap] = []
    """Limits on payments."""


class VoidRequirement(Requirement):
    """A requirement on void hands or rounds. Parameters of a pattern that the cause states may be left out."""

    clauses: list[ClauseName] = []
    """The clauses that it rests on. Left out, those of the cause."""


class VoidCase(Case):
    """A case of settlement of void hands."""

    clauses: list[ClauseName] = []
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
    clauses: list[ClauseName] = []
    """Its clauses. Left out, those of `void`."""
    declared: StepName | None = None
    """The step in which it is declared. Left out, the step of every declaration."""
    miscounts: list[Place] = []
    """The places whose wrong numbers of cards are the cause. Simulated rounds may have them. A dealer who breaks off
    the deal leaves places without their cards, which is no cause for a declaration."""
    returned: list[LineName] = []
    """The wagers that are returned. Left out, those returned for every cause."""
    cases: list[VoidCase] = []
    """Cases of settlement that come before the return of wagers. They apply only where the cause holds."""
    requirements: list[VoidRequirement] = []
    """Other requirements on the cause."""


class Void(ClosedModel):
    """Causes that make a hand or a round void, and their consequences."""

    clauses: list[ClauseName] = []
    """The clauses of parts that state none."""
    readings: list[ReadingName] = []
    """The readings that all its requirements rest on, in addition to their own; not those of cases."""
    severity: Severity | None = None
    """Severity of its requirements that have none of their own; those of cases have that of `settlement`."""
    declared: StepName
    """The step of every declaration that a hand or a round is void."""
    returned: list[LineName] = []
    """The wagers that are returned for every cause."""
    cases: list[VoidCase] = []
    """Cases of settlement that come before those of all causes."""
    causes: Annotated[list[VoidCause], MinLen(1)]
    """The causes, in the order in which their cases decide."""
    without_a_cause: VoidCause | None = None
    """A declaration without a cause after which a hand is over. Its case comes last. Left out, such a hand is to be
    played on."""
    requirements: list[VoidRequirement] = []
    """Other requirements on void hands or rounds."""

    def list_requirements(self) -> list[Requirement]:
        """Return the requirements of the section and of all causes."""
        causes = [*self.causes, *([] if self.without_a_cause is None else [self.without_a_cause])]
        return [*(requirement for cause in causes for requirement in cause.requirements), *self.requirements]
