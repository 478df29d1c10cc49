"""Acts that checks need not judge: those after the end of a truncated record, and those reported at a milestone."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Ints,
    are_all,
    find_true,
    has_any,
    is_one_of,
    make_read_only,
)
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.timeline.milestone_order import find_misplaced_acts, is_enforced
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Grain
from fairdeal.validator.results.findings import Severity

_SETTLES = np.array([KIND_CODES[kind] for kind in ("pay", "return")])
"""Kinds of event that settle a stake for certain: what was collected may be put back after the record."""
_PLAYER, _BURN = PLACES.index("player"), PLACES.index("burn")


@cached_fact
@make_read_only
def is_truncated(scope: EvaluationContext, grain: Grain) -> Flags:
    """Return whether the record of each item's round stops before the round is over.

    Returns:
        bool[n].
    """
    return ~scope.batch.complete[scope.rounds_of(grain)]


def extend_if_truncated(scope: EvaluationContext, grain: Grain, bounds: Bounds) -> Bounds:
    """Return bounds of a count so far: without an upper bound where the record is truncated."""
    broken = is_truncated(scope, grain)
    if not has_any(broken):
        return bounds
    low, high = bounds
    return low, np.where(broken, UNBOUNDED, high)


@cached_fact
def find_deals_in_progress(scope: EvaluationContext) -> tuple[Flags, Ints]:
    """Find rounds whose record stops while cards may still be dealt, because nobody has decided since the last card.

    Returns:
        bool[rounds]; int64[rounds], the last event that dealt or burnt a card in such a round, ABSENT otherwise.
    """
    events, last = scope.batch.events, np.full(len(scope.batch), ABSENT, np.int64)
    if are_all(scope.batch.complete):
        return ~scope.batch.complete, last
    recorded = find_true(is_one_of(events.kind, (KIND_CODES["deal"], KIND_CODES["decide"])))
    last[events.round[recorded]] = recorded
    goes_on = ~scope.batch.complete & (np.append(events.kind, KIND_CODES["deal"])[last] == KIND_CODES["deal"])
    return goes_on, np.where(goes_on, last, ABSENT)


def may_continue(scope: EvaluationContext, events: Ints) -> Flags:
    """Return whether each event's act may continue after the record: it stops, and no stake was settled since.

    Returns:
        bool[m].
    """
    rounds = scope.batch.events.round.take(events)
    return ~scope.batch.complete.take(rounds) & (events > _find_last_settled(scope).take(rounds))


@cached_fact
def _find_last_settled(scope: EvaluationContext) -> Ints:
    """Return the last event that settled a stake in each round; ABSENT if there is none."""
    last = np.full(len(scope.batch), ABSENT, np.int64)
    settled = find_true(is_one_of(scope.batch.events.kind, _SETTLES))
    last[scope.batch.events.round[settled]] = settled
    return last


@cached_fact
def may_stake_later(scope: EvaluationContext, line: str) -> Flags:
    """Return whether a seat may have placed a wager, or more of it, after the record stopped.

    A wager before the deal may follow until a place is dealt a card or somebody decides. A wager with a decision may
    follow once its seat may have decided. It can no longer follow once an opposing hand is shown, cards are drawn, or a
    stake of the seat is settled after the decision. In a game with betting, the log records the chips of a decision
    with it or directly after it.

    Returns:
        bool[seats].
    """
    seats, game = scope.batch.seats, scope.compiled_game.game
    wager = game.wagers.get(line)
    if wager is None or are_all(scope.batch.complete):
        return np.zeros(len(seats.round), bool)
    if wager.placed == "before-the-outcome":
        return (~scope.batch.complete & ~_has_outcome(scope))[seats.round]
    if wager.placed == "before-the-deal":
        return (~scope.batch.complete & ~_has_begun(scope))[seats.round]
    return _has_just_decided(scope) if game.betting is not None else _may_still_wager(scope)


def _has_begun(scope: EvaluationContext) -> Flags:
    """Return whether a place of each round was dealt a card, or somebody decided. A burnt card is at no place.

    Returns:
        bool[rounds].
    """
    events, result = scope.batch.events, np.zeros(len(scope.batch), bool)
    dealt = (events.kind == KIND_CODES["deal"]) & (events.place != _BURN)
    result[events.round[dealt | (events.kind == KIND_CODES["decide"])]] = True
    return result


def _has_outcome(scope: EvaluationContext) -> Flags:
    """Return whether each round records a result that is no card and not carried from an earlier round.

    Returns:
        bool[rounds].
    """
    events, outcomes, result = scope.batch.events, scope.batch.outcomes, np.zeros(len(scope.batch), bool)
    result[events.round[events.kind == KIND_CODES["outcome"]]] = True
    result[outcomes.round[~outcomes.name.is_one_of(scope.compiled_game.game.carried_outcomes)]] = True
    return result


def _has_just_decided(scope: EvaluationContext) -> Flags:
    """Return whether the record stops with a decision of the seat."""
    events, result = scope.batch.events, np.zeros(scope.count_items("seat"), bool)
    last = events.offsets[1:][~scope.batch.complete & (np.diff(events.offsets) > 0)] - 1
    result[events.seat[last[(events.kind[last] == KIND_CODES["decide"]) & (events.seat[last] != ABSENT)]]] = True
    return result


def _may_still_wager(scope: EvaluationContext) -> Flags:
    """Return whether a seat may have decided, and no event excludes a later wager.

    A seat that places a wager with a decision has decided. So has a seat whose decision is in the summary of a log that
    does not record the time of decisions.
    """
    events, rounds = scope.batch.events, scope.batch.seats.round
    there, wagers = events.seat != ABSENT, scope.compiled_game.game.wagers
    settled, played_on = np.zeros(scope.count_items("seat"), bool), np.zeros(scope.count_items("round"), bool)
    decided = (scope.batch.seats.decision.codes != ABSENT) & ~are_kinds_recorded(scope, ["decide"])[rounds]
    later = [events.wager.code(name) for name, wager in wagers.items() if not wager.is_opening]
    laid_down = (events.kind == KIND_CODES["wager"]) & is_one_of(events.wager.codes, later)
    acts = find_true(there & ((events.kind == KIND_CODES["decide"]) | laid_down))
    last_act = np.full(scope.count_items("seat"), UNBOUNDED, np.int64)
    decided[events.seat[acts]], last_act[events.seat[acts]] = True, acts
    settling = find_true(there & is_one_of(events.kind, _SETTLES))
    settled[events.seat[settling[settling > last_act[events.seat[settling]]]]] = True
    shown = (events.kind == KIND_CODES["reveal"]) & (events.place != _PLAYER)
    played_on[events.round[shown | ((events.kind == KIND_CODES["draw"]) & (events.place != _BURN))]] = True
    return decided & ~settled & ~played_on[rounds] & ~scope.batch.complete[rounds]


@cached_fact
def find_reported_acts(scope: EvaluationContext, *, before_betting: bool = False) -> Mapping[int, Severity]:
    """Return the events that a requirement in force reports as out of place, with its severity.

    Requirements that are waived, or that may not be in force, do not count.

    Args:
        before_betting: only events that milestones before the betting report.
    """
    milestones = scope.compiled_game.milestones
    return {
        act.event: severity
        for act in find_misplaced_acts(scope, before_betting=before_betting)
        if is_enforced(scope, act.milestone) and (severity := milestones[act.milestone].severity) is not None
    }


@cached_fact
def reported_out_of_order(scope: EvaluationContext) -> Flags:
    """Return whether a requirement in force reports each event as out of place, bool[events].

    A requirement on the order of seats need not report the same events again.
    """
    result = np.zeros(scope.count_items("event"), bool)
    result[list(find_reported_acts(scope))] = True
    return result


@cached_fact
def reported_as_severe(scope: EvaluationContext, severity: Severity) -> Flags:
    """Return whether a requirement of at least this severity reports each event as out of place, bool[events]."""
    severities, result = list(Severity), np.zeros(scope.count_items("event"), bool)  # most severe first
    as_grave = severities[: severities.index(severity) + 1]
    result[[event for event, found_at in find_reported_acts(scope).items() if found_at in as_grave]] = True
    return result
