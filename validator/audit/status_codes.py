"""Status codes of a requirement's items and rounds, causes of missing evidence, and amounts of money involved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32, Statuses, Truths, are_all
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, YES, constant, where_known
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.evidence.columns.log_draft import convert_to_utc, describe_line, format_time
from fairdeal.validator.evidence.columns.round_batch import DAY, UNDATED, Batch, CodedColumn
from fairdeal.validator.evidence.round_record import decode_context
from fairdeal.validator.language.grammar import Grain, walk_models
from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.operators.number_operators import NumberIs
from fairdeal.validator.operators.operator_interface import NO_DIRECTION
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.rule_renderer import find_unmet_parts, iterate_leaves
from fairdeal.validator.results.findings import Cause, EvidencePlace, Status
from fairdeal.validator.rules.check_model import Check, RoundCheck, SettledCheck
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.text.positioned_document import DataPath

NOT_IN_FORCE, NOT_APPLICABLE, PASS, NOT_EVIDENCED, ERROR, FAIL = range(6)
"""Status codes; the highest code of a round's items is that of the round."""

STATUSES: tuple[Status, ...] = (
    Status.NOT_IN_FORCE,
    Status.NOT_APPLICABLE,
    Status.PASS,
    Status.NOT_EVIDENCED,
    Status.ERROR,
    Status.FAIL,
)
"""Status of each code."""


NO_EVENTS = "the log does not record the events to be checked"
"""Text of a gap if the log does not record the events that a requirement uses."""
CONTRADICTED = "another record of this round contradicts it"
"""Text of a gap in a round whose records contradict each other."""
IN_DOUBT = "the evidence does not show which events are meant"
"""Text of a gap if events may or may not be those that a requirement uses."""
BREAKS_OFF = "the record stops before the round is over"
"""Text of a gap if something may have happened after the record stops."""

NO_CAUSE = "the log does not record whether there was a reason that permits it"
"""Text of a gap if only an unrecorded event could justify the action."""


def describe_contradiction(other: str | None) -> str:
    """Describe that the record at another place contradicts the record of a round."""
    return f"another record of this round, at {other}, contradicts it"


class FindingDetails(Struct, frozen=True, kw_only=True):
    """Details of a finding on one item."""

    where: EvidencePlace
    """Place of the item."""
    expected: str
    """Text on what the rules require."""
    observed: str
    """Text on what the evidence shows."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that apply to the item; empty for all clauses of the requirement."""
    readings: tuple[str, ...] = ()
    """Ids of further readings that apply to the item."""
    balance: Fraction | None = None
    """Amount that players received too much (negative: too little) in minor units; None if the item is not about
    money."""
    between_players: bool = False
    """True if the balance is money of other players of the round."""


class CheckResult(Struct, frozen=True, kw_only=True):
    """Result of a check on a batch. Items need not be sorted."""

    status_codes: Statuses
    """Status code of each item."""
    round: Ints32
    """Round of each item."""
    describe_failure: Callable[[int], FindingDetails]
    """Function that describes a failed or erroneous item by its index."""
    describe_gap: Callable[[int], FindingDetails]
    """Function that describes an item whose evidence is incomplete."""

    def combine_per_round(self, rounds: int, worst: int) -> Statuses:
        """Return the highest status code of each round's items; NOT_APPLICABLE for a round without items.

        Args:
            rounds: number of rounds.
            worst: highest status code of all items, at least NOT_APPLICABLE.

        Returns:
            uint8[rounds].
        """
        if rounds == 1 or worst == NOT_APPLICABLE:
            return constant(worst, rounds)
        if len(self.round) == rounds and are_all(self.round == np.arange(rounds)):
            return np.maximum(self.status_codes, np.uint8(NOT_APPLICABLE))
        result = constant(NOT_APPLICABLE, rounds)
        for mark in range(PASS, worst + 1):
            # Plain assignment in ascending order is many times as fast as a maximum at indices.
            result[self.round.compress(self.status_codes == mark)] = mark
        return result


def find_worst(codes: Statuses, least: int = NOT_APPLICABLE) -> int:
    """Return the highest of some status codes, or `least` if that is higher."""
    return int(np.maximum.reduce(codes, initial=least))


def _build_status_table() -> bytes:
    """Build the table of status codes by `3 * applies + holds`. A table of bytes is the fastest to look up."""
    statuses = np.full((256 // 3 + 1, 3), NOT_EVIDENCED, np.uint8)
    statuses[YES, NO] = FAIL
    statuses[:, YES] = PASS
    statuses[NO] = NOT_APPLICABLE
    return statuses.reshape(-1)[:256].tobytes()


_STATUS_TABLE = _build_status_table()


def combine_status(applies: Truths, holds: Truths) -> Statuses:
    """Return the status codes that follow from whether a requirement applies and holds.

    An item that complies is a pass even if it is not known whether the requirement applies.
    """
    return np.frombuffer((3 * applies + holds).tobytes().translate(_STATUS_TABLE), np.uint8)


def combine_order_status(is_broken: Flags, applies: Truths, is_recorded: Flags, may_break: Flags) -> Statuses:
    """Return the status codes of checks of an order.

    The check does not apply where nothing happened that could be out of order.

    Args:
        is_broken: whether something is out of order.
        applies: whether the check applies.
        is_recorded: whether the events are recorded.
        may_break: whether something happened that could be out of order.
    """
    is_quiet = is_recorded & ~is_broken & ~may_break
    if are_all(is_quiet):
        return constant(NOT_APPLICABLE, len(is_quiet))
    return np.where(
        is_quiet,
        np.uint8(NOT_APPLICABLE),
        combine_status(applies, where_known(~is_broken, is_recorded)),
    )


def build_place(
    scope: EvaluationContext,
    round_: int,
    *,
    seat: int = -1,
    wager: str | None = None,
    event: int = -1,
    pointer: str | None = None,
) -> EvidencePlace:
    """Build the place of something in a round for a finding. `seat` and `event` are indices into the batch."""
    batch = scope.batch
    return EvidencePlace(
        file=batch.file.text(round_),
        line=int(batch.line[round_]),
        pointer=pointer,
        casino=batch.casino.text(round_),
        table=batch.table.text(round_),
        round=batch.round[round_],
        time=format_time(int(batch.time[round_]), int(batch.offset[round_]), int(batch.dated[round_])),
        seat=None if seat < 0 else int(batch.seats.number[seat]),
        player=None if seat < 0 else batch.seats.player.text(seat),
        wager=wager,
        event=None if event < 0 else int(event - batch.events.offsets[round_]) + 1,
        context=decode_context(batch.context.text(round_)) or None,
    )


@cached_fact
def rank_places(scope: EvaluationContext) -> Ints:
    """Return the rank of each round of a batch in the order of places (`place_order.place_key`)."""
    batch = scope.batch
    timed = np.where(batch.dated == DAY, batch.time, convert_to_utc(batch.time, batch.offset))
    time = np.where(batch.dated == UNDATED, np.iinfo(np.int64).min, timed)
    order = np.lexsort(
        (
            batch.line,
            _alphabetical_codes(batch.file),
            time,
            _alphabetical_codes(batch.table),
            _alphabetical_codes(batch.casino),
        )
    )
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _alphabetical_codes(column: CodedColumn) -> Ints:
    """Return the codes of a column in the alphabetical order of its names; rows without a name come first."""
    places = {name: place for place, name in enumerate(sorted(column.names))}
    return np.array([*(places[name] for name in column.names), ABSENT], np.int64)[column.codes]


def build_item_place(scope: EvaluationContext, grain: Grain, index: int) -> EvidencePlace:
    """Build the place of one item of a grain."""
    round_ = int(scope.rounds_of(grain)[index])
    match grain:
        case "round":
            return build_place(scope, round_)
        case "seat":
            return build_place(scope, round_, seat=index)
        case "stake":
            stakes = scope.batch.stakes
            name = describe_line(stakes.wager.text(index) or "", stakes.selection.text(index))
            wager = f"{name}{' (tip)' if stakes.tip[index] else ''}"
            return build_place(scope, round_, seat=int(stakes.seat[index]), wager=wager)
        case _:
            return build_place(scope, round_, seat=int(scope.batch.events.seat[index]), event=index)


def explain_missing_record(scope: EvaluationContext, round_: int, *, is_recorded: bool) -> str:
    """Explain why the order of events in a round is open; `is_recorded`: whether the log records all of them."""
    if not is_recorded:
        return NO_EVENTS
    return IN_DOUBT if scope.batch.complete[round_] else BREAKS_OFF


def describe_gaps(
    scope: EvaluationContext, grain: Grain, *, expected: Callable[[], str], observed: Callable[[int], str]
) -> Callable[[int], FindingDetails]:
    """Return a function that describes an item whose evidence is incomplete, for checks that require one thing."""
    return lambda item: FindingDetails(
        where=build_item_place(scope, grain, item), expected=expected(), observed=observed(item)
    )


CAUSES = tuple(Cause)
"""Causes by their codes."""
OTHER_CAUSE = CAUSES.index(Cause.OTHER)
"""Code of `Cause.OTHER`."""


_CHECKS_USING_EVENTS = frozenset({"sequence", "order", "dealt", "same-order", "in-turn", "turns", "needed", "every"})
"""Checks that use events."""
_CHECKS_USING_SUBMISSION = frozenset({"pay-table", "capped"})
"""Checks, and amounts due, that use the submission."""


@cached_by_game
def find_evidence_used(prepared: CompiledGame, name: str) -> tuple[bool, bool]:
    """Return whether the requirement with a name uses events, and whether it uses the submission."""
    check = prepared.regulation.find_requirement(name).check
    used = frozenset(_list_evidence_used(check, prepared.game, set()))
    return "events" in used, "submission" in used


def _list_evidence_used(model: BaseModel, game: Game, facts: set[str]) -> Iterator[str]:
    """Yield the evidence used by a check or condition, including facts and settlement cases.

    Conditions that treat unknown as false are left out.
    """
    skipped: list[DataPath] = []
    for path, part in walk_models(model, ()):
        if any(path[: len(above)] == above for above in skipped):
            continue
        if isinstance(part, Condition | Quantity):
            yield OPERATORS.find(part).evidence_needed
            for name in OPERATORS.find(part).list_facts(part.operand):
                if name not in facts:
                    facts.add(name)
                    yield from _list_evidence_used(game.facts[name], game, facts)
        if isinstance(part, Condition) and OPERATORS.find(part).never_unknown:
            skipped.append(path)
        if (isinstance(part, Check) and part.operator in _CHECKS_USING_EVENTS) or (
            isinstance(part, RoundCheck) and part.of is not None
        ):
            yield "events"
        if isinstance(part, Check) and part.operator in _CHECKS_USING_SUBMISSION:
            yield "submission"
        if isinstance(part, SettledCheck):
            for case in game.settlement.cases:
                if case.case in part.cases:
                    yield "submission" if case.due.operator in _CHECKS_USING_SUBMISSION else "record"
                    yield from () if case.when is None else _list_evidence_used(case.when, game, facts)


def find_missing_evidence(batch: Batch, *, submitted: bool) -> dict[Cause, Flags]:
    """Return the rounds that lack each kind of evidence, for the causes that depend on the round alone.

    Returns:
        bool[rounds] for each cause.
    """
    versions = batch.versions
    return {
        Cause.CONTRADICTED: np.zeros(len(batch), bool) if versions is None else versions.number > 0,
        Cause.NO_EVENTS: ~batch.recorded,
        Cause.KINDS_NOT_RECORDED: batch.recorded & (batch.unrecorded != 0),
        Cause.RECORD_STOPS: ~batch.complete,
        Cause.NO_SUBMISSION: np.full(len(batch), not submitted),
    }


def find_causes(scope: EvaluationContext, requirement: Requirement) -> Codes:
    """Return the code of the cause that would leave a requirement open in each round.

    The first cause that applies counts: a contradicting record, missing events, a missing submission, anything else.

    Returns:
        uint8[rounds].
    """
    events, submission = find_evidence_used(scope.compiled_game, requirement.requirement)
    relevant = {Cause.CONTRADICTED}
    relevant |= {Cause.NO_SUBMISSION} if submission else set()
    relevant |= {Cause.NO_EVENTS, Cause.KINDS_NOT_RECORDED, Cause.RECORD_STOPS} if events else set()
    codes = np.full(len(scope.batch), OTHER_CAUSE, np.uint8)
    for cause, is_missing in reversed(
        find_missing_evidence(scope.batch, submitted=scope.configuration is not None).items()
    ):
        if cause in relevant:
            codes[is_missing] = CAUSES.index(cause)
    return codes


def find_balance(item: ItemEvidence, condition: Condition) -> Fraction | None:
    """Return how many minor units players received too much (negative: too little) where an item violates a condition.

    Only conditions on amounts paid, taken, awarded or raked count; of several, the smallest amount.

    Returns:
        None if no such condition is violated, or the amounts are not known.
    """
    balances: list[Fraction] = []
    for part in find_unmet_parts(item, condition):
        for leaf in iterate_leaves(item.game, part):
            if isinstance(OPERATORS.find(leaf), NumberIs):
                balance = _balance_of_comparison(item, leaf.operand)
                balances += [] if balance is None else [balance]
    return min(balances, key=abs, default=None)


def _balance_of_comparison(item: ItemEvidence, comparison: Comparison) -> Fraction | None:
    """Return the balance of one comparison; its direction follows from the quantity on the left."""
    direction = OPERATORS.find(comparison.of).find_direction(comparison.of.operand)
    if direction == NO_DIRECTION:
        return None
    amounts: list[int] = []
    for quantity in (comparison.of, comparison.operand):
        low, high = item.find_bounds(quantity)
        if low != high:
            return None
        amounts.append(low)
    difference = amounts[0] - amounts[1]
    return Fraction(direction * difference) if difference else None
