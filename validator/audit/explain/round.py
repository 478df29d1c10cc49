"""Explanation of one round: the record, the amount due on every wager with its reason, and the result of each rule."""

from __future__ import annotations

from collections.abc import Iterator

from validator.arrays import ABSENT
from validator.audit.applicability.submissions_in_force import Court
from validator.audit.applicability.waivers import Permits
from validator.audit.explain.betting import betting_in_words
from validator.audit.explain.narrative import Tale
from validator.audit.explain.pots import pots_in_words
from validator.audit.explain.record import at_the_table, events_in_words, exchanged, place_in_session
from validator.audit.operators.payout_text import because, done_in_words, due_in_words
from validator.audit.operators.round_requirements import weigh_scope
from validator.audit.operators.weighed import currency_of_round
from validator.audit.statuses.status_codes import STATUSES, contradicted_by
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.payouts.settlement import Line, is_open, settle
from validator.engine.text.evidence_text import held
from validator.evidence.columns.batch import UNDATED, Batch
from validator.evidence.handlog.context import read
from validator.reports.wording import claim_in_words, play_parts, waiver_in_words
from validator.results.results import Chapter
from validator.rules.core.titles import title_of
from validator.text.values.money import amounts_in

_PLACE_OF_ROUND = frozenset({"casino", "table", "round", "time"})
"""Parts of a place that the head of the explanation states for every finding."""


def explain(context: Court, batch: Batch) -> Tale:
    """Explain the only round of a batch under the rules of an audit."""
    batch_slice = next(iter(context.assign(batch)))
    scope = batch_slice.scope()
    with amounts_in(currency_of_round(scope, 0)):
        return Tale(
            round=batch.round[0],
            chapters=(
                *course_of(scope, source=True),
                Chapter(title="Requirements", lines=tuple(_describe_results(scope, batch_slice.permits))),
            ),
        )


def course_of(scope: Scope, *, source: bool) -> tuple[Chapter, ...]:
    """Build the chapters on the record of a round and the amount due on every wager, without results of requirements.

    Args:
        scope: context of a single round.
        source: True includes the file and line of the record.
    """
    return (
        Chapter(title="Round", lines=tuple(_describe_round(scope, scope.configuration, source))),
        Chapter(title="Cards", lines=tuple(_describe_hands(scope))),
        *_event_chapters(scope),
        *_money_chapters(scope),
    )


def _describe_round(scope: Scope, configuration: Configuration | None, source: bool) -> Iterator[str]:
    batch = scope.batch
    day = batch.day.astype("datetime64[D]")[0]
    when = "on an unknown day" if batch.dated[0] == UNDATED else f"on {day}"
    casino = batch.casino.text(0)
    table = f"{batch.table.text(0)}{'' if casino is None else f' of {casino}'}"
    yield f"{scope.prepared.game.title}, round {batch.round[0]} at table {table} {when}"
    if source:
        yield f"read from {batch.file.text(0)}, line {int(batch.line[0])}"
    context = read(batch.context.text(0))
    if context:
        yield ", ".join(f"{key} {value}" for key, value in context.items())
    yield from place_in_session(scope)
    yield from at_the_table(scope)
    if batch.versions is not None and batch.versions.number[0]:
        yield contradicted_by(batch.versions.other.text(0))
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


def _describe_hands(scope: Scope) -> Iterator[str]:
    for hand, made in scope.prepared.game.hands.items():
        if "player" not in made.from_:
            yield held(scope, hand, "round", 0)
            continue
        for seat, number in enumerate(scope.batch.seats.number.tolist()):
            if scope.batch.seats.playing[seat]:
                yield f"seat {number}: {held(scope, hand, 'seat', seat)}"
    yield from exchanged(scope)


def _event_chapters(scope: Scope) -> Iterator[Chapter]:
    if not len(scope.batch.events.kind):
        yield Chapter(title="Events", lines=("No events are recorded.",))
    elif scope.prepared.game.betting is not None:
        yield from betting_in_words(scope)
    else:
        yield Chapter(title="Events", lines=tuple(events_in_words(scope)))


def _money_chapters(scope: Scope) -> Iterator[Chapter]:
    game = scope.prepared.game
    if game.settlement.order:
        yield Chapter(title="Settlement of each wager", lines=tuple(_describe_wagers(scope)))
    if game.pots is not None:
        yield Chapter(title="Pots", lines=tuple(pots_in_words(scope)))


def _describe_wagers(scope: Scope) -> Iterator[str]:
    lines = settle(scope)
    for seat, number in enumerate(scope.batch.seats.number.tolist()):
        for line in lines.values():
            for index in range(len(line.seat)):
                if line.seat[index] == seat:
                    yield f"seat {number}: {_describe_wager(scope, line, index)}"


def _describe_wager(scope: Scope, line: Line, index: int) -> str:
    tip = " (tip)" if line.tip[index] else ""
    title = f"{title_of(scope.prepared.game, line.name)}{tip}"
    if line.case[index] == ABSENT:
        return f"{title}: no case of settlement applies"
    left_open = is_open(scope.prepared.game.settlement.cases[line.case[index]])
    due = "at the licensee's discretion" if left_open else due_in_words(line, index)
    if not line.settled[index] and not left_open:
        due += ", as far as the cards are known"
    recorded = bool(line.recorded()[index])
    done = done_in_words(line, index) if recorded else "not recorded"
    right = left_open or not recorded or bool(line.agrees()[:, index].any())
    return f"{because(scope, line, index)}; due: {due}; recorded: {done}{'' if right else ' - WRONG'}"


def _describe_results(scope: Scope, permits: Permits) -> Iterator[str]:
    for result in weigh_scope(scope):
        status = STATUSES[result.marks[0]].value
        requirement = result.requirement
        yield f"{status}: {requirement.title}, by {', '.join(requirement.clauses)}"
        for finding in result.findings():
            place = [f"{name} {value}" for name, value in play_parts(finding.where) if name not in _PLACE_OF_ROUND]
            yield from [f"  at {', '.join(place)}"] if place else []
            yield f"  required: {finding.expected}"
            yield f"  observed: {finding.observed}"
            marked = permits.marked(finding)
            if marked.waived is not None:
                yield f"  waived: {waiver_in_words(marked.waived)}"
            if marked.claimed is not None:
                yield f"  {claim_in_words(marked.claimed, granted=marked.waived is not None)}"
        gap = result.gap()
        if gap is not None:
            yield f"  {gap.first.observed}"
