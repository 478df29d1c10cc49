"""One finding for one mistake: of all that fails in a round for the same cause, what is nearest to the cause is told.

A call that is missing leaves a bet unanswered, pots that do not add up and chips that nobody accounts for. Where a
single corrected event leaves nothing in the round to find, everything found there has one cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints
from validator.audit.operators.likely_corrections import Failures, likely_corrections
from validator.audit.operators.weighed import Weighed, with_marks
from validator.audit.statuses.status_codes import ERROR, NOT_APPLICABLE, NOT_EVIDENCED
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.corrected_rounds import Correction, corrected_rounds
from validator.evidence.handlog.events import KINDS
from validator.results.statuses import Severity
from validator.rules.model.faults import Fault

_AT_ONCE = 4096
"""So many corrected rounds are judged at once."""
_CHANGED = {"stake": "wager", "act": "decide", "award": "award", "rake": "rake", "miscount": "deal", "card": "deal"}
"""The kind of event that a fault changes which names no step, by its field."""
_PAID_OUT = ("award", "return")
Judge = Callable[[Batch], Iterator[Weighed]]


class _Item(Struct, frozen=True, kw_only=True):
    """A failure: the requirement and item, and the event and seat of the batch that it names, or -1."""

    outcome: int
    item: int
    event: int
    seat: int
    balance: int


def told_by_their_cause(scope: Scope, outcomes: Sequence[Weighed], judge: Judge) -> Iterator[Weighed]:
    """Yield outcomes in which rounds whose failures have one cause fail in one requirement.

    Args:
        judge: judges every requirement over a batch, as recorded.
    """
    yield from outcomes if _is_out_of_reach(scope) else _told(scope, outcomes, judge)


def _is_out_of_reach(scope: Scope) -> bool:
    """Return whether causes cannot be told: nobody bets, or a waiver may lift what would tell the cause."""
    game = scope.prepared.game
    return game.betting is None or game.pots is None or bool(scope.waived)


def _told(scope: Scope, outcomes: Sequence[Weighed], judge: Judge) -> Iterator[Weighed]:
    rounds = len(scope.batch)
    failing, open_ = np.zeros(rounds, np.int64), np.zeros(rounds, np.int64)
    for outcome in outcomes:
        failing += outcome.marks >= ERROR
        open_ += outcome.marks == NOT_EVIDENCED
    chosen = (failing > 1) & scope.batch.recorded & scope.batch.complete
    if scope.batch.versions is not None:  # each record of the round is judged, and none is corrected
        chosen &= scope.batch.versions.number == 0
    if not chosen.any():
        yield from outcomes
        return
    items = _failing_items(scope, outcomes, chosen)
    causes = _causes(scope, items, open_, judge)
    kept = {round_: _nearest(scope, outcomes, items[round_], found) for round_, found in causes.items()}
    for number, outcome in enumerate(outcomes):
        dropped = np.zeros(len(outcome.items), bool)
        for round_, told in kept.items():
            if number not in told:
                dropped[[item.item for item in items[round_] if item.outcome == number]] = True
        yield with_marks(outcome, dropped, NOT_APPLICABLE) if dropped.any() else outcome


def _failing_items(scope: Scope, outcomes: Sequence[Weighed], chosen: Flags) -> dict[int, list[_Item]]:
    """Return the failures of some rounds."""
    found: dict[int, list[_Item]] = {int(round_): [] for round_ in np.flatnonzero(chosen)}
    batch = scope.batch
    for number, outcome in enumerate(outcomes):
        if not (outcome.marks[chosen] >= ERROR).any():
            continue
        bad = np.flatnonzero(outcome.items >= ERROR)
        for item in bad[chosen[outcome.judged.round[bad]]].tolist():
            round_, told = int(outcome.judged.round[item]), outcome.judged.tell(item)
            first, end = batch.seats.offsets[round_ : round_ + 2].tolist()
            seats = {int(batch.seats.number[seat]): seat for seat in range(first, end)}
            event = -1 if told.where.event is None else int(batch.events.offsets[round_]) + told.where.event - 1
            seat = -1 if told.where.seat is None else seats.get(told.where.seat, -1)
            balance = 0 if told.balance is None else int(told.balance)
            found[round_].append(_Item(outcome=number, item=item, event=event, seat=seat, balance=balance))
    return found


def _causes(
    scope: Scope, items: Mapping[int, Sequence[_Item]], open_: Ints, judge: Judge
) -> dict[int, list[Correction]]:
    """Return the corrections that explain each round which one explains by itself."""
    stages = {round_: likely_corrections(scope, _failures(round_, found)) for round_, found in items.items()}
    found: dict[int, list[Correction]] = {}
    while stages:
        tries: list[Correction] = []
        for round_, stage in [*stages.items()]:
            more = next(stage, None)
            if more is None:
                del stages[round_]
            else:
                tries += more
        for start in range(0, len(tries), _AT_ONCE):
            part = tries[start : start + _AT_ONCE]
            for place in np.flatnonzero(_clean(scope, part, open_, judge)).tolist():
                found.setdefault(part[place].round, []).append(part[place])
        stages = {round_: stage for round_, stage in stages.items() if round_ not in found}
    return found


def _failures(round_: int, items: Sequence[_Item]) -> Failures:
    return Failures(
        round=round_,
        events=[item.event for item in items if item.event >= 0],
        seats=[*dict.fromkeys(item.seat for item in items if item.seat >= 0)],
        sums=[item.balance for item in items],
    )


def _clean(scope: Scope, tries: Sequence[Correction], open_: Ints, judge: Judge) -> Flags:
    """Return which corrected rounds break nothing and leave no more open than they did, bool[tries]."""
    rounds = np.array([item.round for item in tries], np.int64)
    broken, left = np.zeros(len(tries), bool), np.zeros(len(tries), np.int64)
    assert scope.prepared.game.betting is not None
    for outcome in judge(corrected_rounds(scope.batch, tries, scope.prepared.game.betting.wager)):
        broken |= outcome.marks >= ERROR
        left += outcome.marks == NOT_EVIDENCED
    hidden = np.array([item.hides_cards for item in tries], bool)
    return ~broken & ((left <= open_[rounds]) | hidden)


def _nearest(
    scope: Scope, outcomes: Sequence[Weighed], items: Sequence[_Item], causes: Sequence[Correction]
) -> set[int]:
    """Return the outcomes whose failures are nearest to what may be the cause.

    First come requirements that a change of such an event breaks, as their own faults say; then what is found at the
    event, at its seat, or at some event; then the gravest, and the first. Of events out of order the gravest comes
    first of all.
    Chips that went to another seat are told at both seats.
    """
    severities = list(Severity)

    def distance(item: _Item, cause: Correction) -> tuple[int, bool, int, bool, int, int]:
        requirement = outcomes[item.outcome].requirement
        away = 0 if item.event == cause.event else 1 if item.seat == cause.seat >= 0 else 2
        strange = _kind_of(scope, cause) not in _kinds_changed(scope, requirement.fault)
        grave = severities.index(requirement.severity)
        return grave if _is_moved(scope, cause) else 0, strange, away, item.event < 0, grave, item.outcome

    *_, told, nearest = min((*distance(item, cause), number) for item in items for number, cause in enumerate(causes))
    cause, named = causes[nearest], {item.seat for item in items if item.outcome == told}
    found = {told}
    if cause.values.keys() == {"seat"} and _kind_of(scope, cause) in _PAID_OUT:
        for seat in {cause.seat, int(cause.values["seat"])} - named:
            found.update([item.outcome for item in items if item.seat == seat and item.balance][:1])
    return found


def _is_moved(scope: Scope, cause: Correction) -> bool:
    first, end = scope.batch.events.offsets[cause.round : cause.round + 2].tolist()
    return cause.changed == ABSENT and len(cause.order) == end - first


def _kind_of(scope: Scope, cause: Correction) -> str:
    """Return the kind of the event that a correction adds, changes, moves or takes away."""
    if cause.changed == ABSENT:
        return KINDS[scope.batch.events.kind[cause.event]]
    return KINDS[cause.values.get("kind", scope.batch.events.kind[cause.order[cause.changed]])]


def _kinds_changed(scope: Scope, fault: Fault | None) -> frozenset[str]:
    """Return the kinds of event that a fault changes."""
    if fault is None:
        return frozenset()
    kinds = {kind for name, kind in _CHANGED.items() if getattr(fault, name) is not None}
    for name in ("omit", "swap", "expose"):
        if (step := getattr(fault, name)) is not None:
            kinds.update(scope.prepared.steps[step].events)
    for name in ("insert", "move", "alter"):
        if (change := getattr(fault, name)) is not None:
            kinds.update(scope.prepared.steps[change.step].events)
    return frozenset(kinds)
