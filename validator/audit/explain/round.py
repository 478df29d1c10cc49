"""Explanation of one round: the record, the amount due on every wager with its reason, and the result of each rule."""

from __future__ import annotations

from collections.abc import Iterator

from validator.arrays import ABSENT
from validator.audit.applicability.submissions_in_force import AuditContext
from validator.audit.applicability.waivers import ApplicableWaivers
from validator.audit.explain.betting import describe_betting
from validator.audit.explain.narrative import RoundExplanation
from validator.audit.explain.pots import describe_pots
from validator.audit.explain.record import (
    describe_events,
    describe_exchanges,
    describe_place_in_session,
    describe_table,
)
from validator.audit.operators.payout_text import describe_amount_due, describe_amount_paid, explain_amount_due
from validator.audit.operators.round_requirements import evaluate_context
from validator.audit.operators.weighed import find_currency
from validator.audit.statuses.status_codes import STATUSES, describe_contradiction
from validator.engine.core.context import EvaluationContext
from validator.engine.core.house_rules import LicenseeConfiguration
from validator.engine.payouts.settlement import SettledLine, leaves_due_open, settle_lines
from validator.engine.text.evidence_text import describe_hand
from validator.evidence.columns.batch import UNDATED, Batch
from validator.evidence.handlog.context import decode_context
from validator.reports.wording import describe_claim, describe_waiver, list_place_parts
from validator.results.results import ExplanationPart
from validator.rules.core.titles import line_title
from validator.text.values.money import currency_context

_PLACE_OF_ROUND = frozenset({"casino", "table", "round", "time"})
"""Parts of a place that the head of the explanation states for every finding."""


def explain_round(context: AuditContext, batch: Batch) -> RoundExplanation:
    """Explain the only round of a batch under the rules of an audit."""
    batch_slice = next(iter(context.split_by_submission(batch)))
    scope = batch_slice.open_context()
    with currency_context(find_currency(scope, 0)):
        return RoundExplanation(
            round=batch.round[0],
            chapters=(
                *build_chapters(scope, source=True),
                ExplanationPart(title="Requirements", lines=tuple(_describe_results(scope, batch_slice.waivers))),
            ),
        )


def build_chapters(scope: EvaluationContext, *, source: bool) -> tuple[ExplanationPart, ...]:
    """Build the chapters on the record of a round and the amount due on every wager, without results of requirements.

    Args:
        scope: context of a single round.
        source: True includes the file and line of the record.
    """
    return (
        ExplanationPart(title="Round", lines=tuple(_describe_round(scope, scope.configuration, source))),
        ExplanationPart(title="Cards", lines=tuple(_describe_hands(scope))),
        *_event_chapters(scope),
        *_money_chapters(scope),
    )


def _describe_round(
    scope: EvaluationContext, configuration: LicenseeConfiguration | None, source: bool
) -> Iterator[str]:
    batch = scope.batch
    day = batch.day.astype("datetime64[D]")[0]
    when = "on an unknown day" if batch.dated[0] == UNDATED else f"on {day}"
    casino = batch.casino.text(0)
    table = f"{batch.table.text(0)}{'' if casino is None else f' of {casino}'}"
    yield f"{scope.compiled_game.game.title}, round {batch.round[0]} at table {table} {when}"
    if source:
        yield f"read from {batch.file.text(0)}, line {int(batch.line[0])}"
    context = decode_context(batch.context.text(0))
    if context:
        yield ", ".join(f"{key} {value}" for key, value in context.items())
    yield from describe_place_in_session(scope)
    yield from describe_table(scope)
    if batch.versions is not None and batch.versions.number[0]:
        yield describe_contradiction(batch.versions.other.text(0))
    currency = batch.currency.text(0)
    if currency is not None:
        yield f"amounts are in {currency}"
    if configuration is None:
        yield "no submission is in force for this round: the licensee's choices are unknown"
        return
    yield f"submission in force: {configuration.name}"
    posted_in = configuration.data.get("currency")
    if None not in (currency, posted_in) and posted_in != currency:
        yield f"the amounts of the submission are in {posted_in} and are not compared with those of the round"


def _describe_hands(scope: EvaluationContext) -> Iterator[str]:
    for hand, made in scope.compiled_game.game.hands.items():
        if "player" not in made.from_:
            yield describe_hand(scope, hand, "round", 0)
            continue
        for seat, number in enumerate(scope.batch.seats.number.tolist()):
            if scope.batch.seats.playing[seat]:
                yield f"seat {number}: {describe_hand(scope, hand, 'seat', seat)}"
    yield from describe_exchanges(scope)


def _event_chapters(scope: EvaluationContext) -> Iterator[ExplanationPart]:
    if not len(scope.batch.events.kind):
        yield ExplanationPart(title="Events", lines=("No events are recorded.",))
    elif scope.compiled_game.game.betting is not None:
        yield from describe_betting(scope)
    else:
        yield ExplanationPart(title="Events", lines=tuple(describe_events(scope)))


def _money_chapters(scope: EvaluationContext) -> Iterator[ExplanationPart]:
    game = scope.compiled_game.game
    if game.settlement.order:
        yield ExplanationPart(title="Settlement of each wager", lines=tuple(_describe_wagers(scope)))
    if game.pots is not None:
        yield ExplanationPart(title="Pots", lines=tuple(describe_pots(scope)))


def _describe_wagers(scope: EvaluationContext) -> Iterator[str]:
    lines = settle_lines(scope)
    for seat, number in enumerate(scope.batch.seats.number.tolist()):
        for line in lines.values():
            for index in range(len(line.seat)):
                if line.seat[index] == seat:
                    yield f"seat {number}: {_describe_wager(scope, line, index)}"


def _describe_wager(scope: EvaluationContext, line: SettledLine, index: int) -> str:
    tip = " (tip)" if line.tip[index] else ""
    title = f"{line_title(scope.compiled_game.game, line.name)}{tip}"
    if line.case[index] == ABSENT:
        return f"{title}: no case of settlement applies"
    left_open = leaves_due_open(scope.compiled_game.game.settlement.cases[line.case[index]])
    due = "at the licensee's discretion" if left_open else describe_amount_due(line, index)
    if not line.is_settled[index] and not left_open:
        due += ", as far as the cards are known"
    recorded = bool(line.is_recorded()[index])
    done = describe_amount_paid(line, index) if recorded else "not recorded"
    right = left_open or not recorded or bool(line.matches_due()[:, index].any())
    return f"{explain_amount_due(scope, line, index)}; due: {due}; recorded: {done}{'' if right else ' - WRONG'}"


def _describe_results(scope: EvaluationContext, permits: ApplicableWaivers) -> Iterator[str]:
    for result in evaluate_context(scope):
        status = STATUSES[result.status_codes[0]].value
        requirement = result.requirement
        yield f"{status}: {requirement.title}, by {', '.join(requirement.clauses)}"
        for finding in result.build_findings():
            place = [
                f"{name} {value}" for name, value in list_place_parts(finding.where) if name not in _PLACE_OF_ROUND
            ]
            yield from [f"  at {', '.join(place)}"] if place else []
            yield f"  required: {finding.expected}"
            yield f"  observed: {finding.observed}"
            marked = permits.mark_finding(finding)
            if marked.waived is not None:
                yield f"  waived: {describe_waiver(marked.waived)}"
            if marked.claimed is not None:
                yield f"  {describe_claim(marked.claimed, granted=marked.waived is not None)}"
        gap = result.find_gap()
        if gap is not None:
            yield f"  {gap.first.observed}"
