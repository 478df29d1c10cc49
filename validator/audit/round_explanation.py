"""Explanation of one round: the record, the amount due on every wager with its reason, and the result of each rule.

The audit explains the first round in which each requirement failed while the round is in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.audit import round_description
from fairdeal.validator.audit.granted_waivers import ApplicableWaivers
from fairdeal.validator.audit.operators import payment_checks
from fairdeal.validator.audit.operators.round_requirements import RoundsVerdict, evaluate_context, find_currency
from fairdeal.validator.audit.sessions.carried_results import CarriedRows, build_carried_rows, find_carried_states
from fairdeal.validator.audit.status_codes import STATUSES, describe_contradiction
from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.facts.outcome_values import state_carried_results
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.engine.payouts.line_settlement import SettledLine, leaves_due_open, settle_lines
from fairdeal.validator.evidence.columns.round_batch import UNDATED, Batch, select_rounds
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.evidence.round_record import decode_context
from fairdeal.validator.reports.report_wording import describe_claim, describe_waiver, list_place_parts
from fairdeal.validator.results.findings import WORST_FIRST, Finding, Status
from fairdeal.validator.results.results import Explanation, ExplanationPart, PlaceKey, make_place_key
from fairdeal.validator.text.plain_values import are_comparable, currency_context, format_money


class RoundExplanation(Struct, frozen=True, kw_only=True):
    """Explanation of a round, step by step."""

    round: str
    """Id of the round."""
    chapters: tuple[ExplanationPart, ...]
    """Chapters in reading order."""


_PLACE_OF_ROUND = frozenset({"casino", "table", "round", "time"})
"""Parts of a place that the head of the explanation states for every finding."""


def explain_round(context: AuditContext, batch: Batch, *, every_rule: bool = True) -> RoundExplanation:
    """Explain the only round of a batch under the rules of an audit.

    Args:
        context: rules of the audit.
        batch: batch with the round.
        every_rule: also list the rules without a violation, and those that did not arise.
    """
    batch_slice = next(iter(context.split_by_submission(batch)))
    scope = batch_slice.open_context()
    with currency_context(find_currency(scope, 0)):
        return RoundExplanation(
            round=batch.round[0],
            chapters=(
                *build_chapters(scope, source=True),
                ExplanationPart(
                    title="Requirements", lines=tuple(_describe_results(scope, batch_slice.waivers, every_rule))
                ),
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
    yield from round_description.describe_place_in_session(scope)
    yield from round_description.describe_table(scope)
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
    if not are_comparable(currency, posted_in):
        named = "in a currency that it does not state" if posted_in is None else f"in {posted_in}"
        yield f"the amounts of the submission are {named} and are not compared with those of the round"


def _describe_hands(scope: EvaluationContext) -> Iterator[str]:
    for hand, made in scope.compiled_game.game.hands.items():
        if "player" not in made.from_:
            yield ItemEvidence(scope, "round", 0).describe_hand(hand)
            continue
        for seat, number in enumerate(scope.batch.seats.number.tolist()):
            if scope.batch.seats.playing[seat]:
                yield f"seat {number}: {ItemEvidence(scope, 'seat', seat).describe_hand(hand)}"
    yield from round_description.describe_exchanges(scope)


def _event_chapters(scope: EvaluationContext) -> Iterator[ExplanationPart]:
    if not len(scope.batch.events.kind):
        yield ExplanationPart(title="Events", lines=("No events are recorded.",))
    elif scope.compiled_game.game.betting is not None:
        yield from round_description.describe_betting(scope)
    else:
        yield ExplanationPart(title="Events", lines=tuple(round_description.describe_events(scope)))


def _money_chapters(scope: EvaluationContext) -> Iterator[ExplanationPart]:
    game = scope.compiled_game.game
    if game.settlement.order:
        yield ExplanationPart(title="Settlement of each wager", lines=tuple(_describe_wagers(scope)))
    if game.pots is not None:
        yield ExplanationPart(title="Pots", lines=tuple(round_description.describe_pots(scope)))


def _describe_wagers(scope: EvaluationContext) -> Iterator[str]:
    lines = settle_lines(scope)
    for seat, number in enumerate(scope.batch.seats.number.tolist()):
        for line in lines.values():
            for index in range(len(line.seat)):
                if line.seat[index] == seat:
                    yield f"seat {number}: {_describe_wager(scope, line, index)}"


def _describe_wager(scope: EvaluationContext, line: SettledLine, index: int) -> str:
    title = payment_checks.title_of_stake(scope, line, index)
    if line.case[index] == ABSENT:
        return f"{title}: no case of settlement applies"
    left_open = leaves_due_open(scope.compiled_game.game.settlement.cases[line.case[index]])
    due = "at the licensee's discretion" if left_open else payment_checks.describe_amount_due(line, index)
    if not line.is_settled[index] and not left_open:
        due += ", as far as the cards are known"
    elif scope.compiled_game.game.settlement.cases[line.case[index]].due.leaves_stake:
        due += ", and the stake stays on the table"
    if line.is_recorded()[index]:
        right = left_open or bool(line.matches_due()[:, index].any())
        done = f"recorded: {payment_checks.describe_amount_paid(line, index)}{'' if right else ' - WRONG'}"
    else:
        done = "not recorded"
    brought = 0 if line.stake[index] == ABSENT else int(scope.batch.stakes.brought[line.stake[index]])
    lying = f"; {format_money(brought)} of it brought from an earlier round" if brought > 0 else ""
    return f"{payment_checks.explain_amount_due(scope, line, index)}{lying}; due: {due}; {done}"


_SETTLED = (Status.PASS, Status.NOT_APPLICABLE)
"""Statuses of rules that need no attention."""


def _describe_results(scope: EvaluationContext, permits: ApplicableWaivers, every_rule: bool) -> Iterator[str]:
    """Yield the results of the rules, worst first."""
    results = [(STATUSES[result.status_codes[0]], result) for result in evaluate_context(scope)]
    for status, result in sorted(results, key=lambda item: WORST_FIRST.index(item[0])):
        if status in _SETTLED and not every_rule:
            continue
        requirement = result.requirement
        yield f"{status.value}: {requirement.title}, by {', '.join(requirement.clauses)}"
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
    if not every_rule:
        counted = [sum(status is settled for status, _ in results) for settled in _SETTLED]
        yield f"{counted[0]:,} without violation, {counted[1]:,} did not arise"


def find_round(
    log: HandLog, round_: str, context: AuditContext, *, casino: str | None = None, table: str | None = None
) -> Batch | None:
    """Return the first round with an id as a batch of its own, or None.

    For a game with results that are carried, it states those with which the round begins, where the log shows them.

    Args:
        context: rules of the audit.
        casino: casino of the round, if it matters.
        table: table of the round, if it matters.

    Raises:
        InputError: If the log cannot be read.
    """
    found, rows = None, list[CarriedRows]()
    for block in log.blocks():
        for batch in block.decode(context.games).batches:
            game = context.get_game(batch.game)
            if game.game.carried_outcomes:
                rows.append(build_carried_rows(game, batch))
            found = found or _find_in_batch(batch, round_, casino, table)
            if found is not None and not context.get_game(found.game).game.carried_outcomes:
                return found
    if found is None:
        return None
    return state_carried_results(context.get_game(found.game), found, find_carried_states(rows, context.get_game))


def _find_in_batch(batch: Batch, round_: str, casino: str | None, table: str | None) -> Batch | None:
    if round_ not in batch.round:
        return None
    chosen = np.array([id_ == round_ for id_ in batch.round])
    for column, name in ((batch.casino, casino), (batch.table, table)):
        if name is not None:
            chosen &= column.is_one_of([name])
    return select_rounds(batch, np.arange(len(batch)) == np.argmax(chosen)) if chosen.any() else None


MAX_LINES = 400
"""Maximum number of lines kept of a chapter."""


ConfigurationLookup = Callable[[Batch], LicenseeConfiguration | None]
"""Function that returns the choices of the submission in force for the only round of a batch."""


def explain_first_failures(
    scope: EvaluationContext,
    verdicts: Sequence[RoundsVerdict],
    known: Mapping[str, PlaceKey],
    configured: ConfigurationLookup,
) -> list[Explanation]:
    """Explain the rounds of the first failures of requirements in a batch, in the order of places.

    Args:
        known: places of the failures explained before, by the full ids of requirements.
        configured: returns the configuration of a round.
    """
    first: dict[tuple[str | None, int], list[Finding]] = {}
    for verdict in verdicts:
        failures = (
            failure for failure in verdict.findings if failure.status is Status.FAIL and failure.where.line is not None
        )
        finding = min(failures, key=lambda failure: make_place_key(failure.where), default=None)
        if finding is None or finding.where.line is None:
            continue
        previous = known.get(finding.requirement)
        if previous is None or make_place_key(finding.where) < previous:
            first.setdefault((finding.where.file, finding.where.line), []).append(finding)
    return [_explain(scope, file, line, findings, configured) for (file, line), findings in first.items()]


def _explain(
    scope: EvaluationContext, file: str | None, line: int, findings: Sequence[Finding], configured: ConfigurationLookup
) -> Explanation:

    alone = _select_round(scope.batch, file, line)
    round_scope = EvaluationContext(alone, scope.compiled_game, configured(alone))
    with currency_context(find_currency(round_scope, 0)):
        chapters = build_chapters(round_scope, source=False)
    return Explanation(
        requirements=tuple(finding.requirement for finding in findings),
        # That of the round: which of its findings comes first depends on the rounds that are judged together.
        where=replace(findings[0].where, pointer=None, seat=None, player=None, wager=None, event=None),
        chapters=tuple(map(_truncate, chapters)),
    )


def _truncate(chapter: ExplanationPart) -> ExplanationPart:
    left_out = len(chapter.lines) - MAX_LINES
    if left_out <= 0:
        return chapter
    return replace(chapter, lines=(*chapter.lines[:MAX_LINES], f"and {left_out:,} more lines"))


def _select_round(batch: Batch, file: str | None, line: int) -> Batch:
    keep = np.zeros(len(batch), bool)
    of_file = batch.file.codes == (ABSENT if file is None else batch.file.code(file))
    keep[np.flatnonzero(of_file & (batch.line == line))[0]] = True
    return select_rounds(batch, keep)
