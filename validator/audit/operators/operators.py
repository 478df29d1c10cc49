"""Operators that check rounds, by name, and the operator `rule`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Statuses
from validator.audit.operators.aggregate_limits import capped
from validator.audit.operators.betting_marks import as_the_bet_is_sure, unless_found_elsewhere
from validator.audit.operators.dealing import dealt
from validator.audit.operators.keep_rules import drawn_by
from validator.audit.operators.obligation_in_round import needed_in_round
from validator.audit.operators.payouts import settled
from validator.audit.operators.phases import phase
from validator.audit.operators.pot_awards import awarded
from validator.audit.operators.rotation import turns
from validator.audit.operators.step_order import in_same_order, in_turn_round_the_table, sequence
from validator.audit.statuses.balances import balance_of_rule
from validator.audit.statuses.status_codes import (
    FAIL,
    NO_EVENTS,
    NOT_APPLICABLE,
    NOT_EVIDENCED,
    Judged,
    Told,
    item_place,
    place_of,
    weigh,
)
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO, UNKNOWN
from validator.engine.core.narrowed import among
from validator.engine.core.recalled import recall
from validator.engine.text.evidence_text import grounds, missing, shown, unmet, unmet_parts
from validator.engine.timeline.step_events import doubtful_of, events_perhaps_of, steps_recorded
from validator.language.grains import Grain
from validator.language.wording import demanded
from validator.rules.model.requirement import RoundCheck


def rule(scope: Scope, check: RoundCheck) -> Judged:
    """Check a condition on each round, seat, stake or event."""
    grain: Grain = check.each
    if check.of is None:
        statuses, rounds = _check_items(scope, check, grain), scope.round_of(grain)
        items = np.arange(len(statuses))
    else:
        items = events_perhaps_of(scope, check.of)
        # The context caches only results on these events: a cycle of references would outlive the batch.
        events = among(scope, grain, items, scope.once(("among", check.of), dict))
        statuses, rounds = _check_items(events, check, grain), events.round_of(grain)
        ambiguous = doubtful_of(scope, check.of)
        if len(ambiguous):
            statuses = np.where((statuses == FAIL) & np.isin(items, ambiguous), np.uint8(NOT_EVIDENCED), statuses)
        unrecorded = np.flatnonzero(~steps_recorded(scope, [check.of]))
        if len(unrecorded):
            items = np.concatenate([items, np.full(len(unrecorded), ABSENT)])
            unrecorded_marks = weigh(scope.throughout(check.when), kleene.constant(UNKNOWN, len(scope.batch)))
            statuses = np.concatenate([statuses, unrecorded_marks[unrecorded]])
            rounds = np.concatenate([rounds, unrecorded.astype(np.int32)])

        if scope.prepared.game.betting is not None:
            statuses = unless_found_elsewhere(scope, check, as_the_bet_is_sure(scope, check, statuses, items), items)

    if check.once:
        failed = np.flatnonzero(statuses == FAIL)  # items are in the order of their rounds
        repeated = failed[1:][rounds[failed[1:]] == rounds[failed[:-1]]]
        if len(repeated):
            statuses = statuses.copy()
            statuses[repeated] = NOT_APPLICABLE

    recalled = recall(scope)

    def describe_failure(item: int) -> Told:
        index = int(items[item])
        return Told(
            where=item_place(scope, grain, index),
            expected=unmet(recalled, check.must, grain, index),
            observed=_describe_observed(recalled, check, index),
            balance=balance_of_rule(recalled, check.must, grain, index),
        )

    def describe_gap(item: int) -> Told:
        index = int(items[item])
        if index == ABSENT:
            return Told(
                where=place_of(scope, int(rounds[item])),
                expected=demanded(scope.prepared, check.must),
                observed=NO_EVENTS,
            )
        gaps = missing(scope, check.must, grain, index)
        return Told(
            where=item_place(scope, grain, index),
            expected=demanded(scope.prepared, check.must),
            observed=f"the evidence does not show: {gaps}",
        )

    return Judged(marks=statuses, round=rounds, tell=describe_failure, gap=describe_gap)


def _check_items(scope: Scope, check: RoundCheck, grain: Grain) -> Statuses:
    """Return the status of each item of a context.

    If `when` excludes most items, `must` is evaluated only for the others.

    Returns:
        uint8[n].
    """
    applies = scope.truth(check.when, grain)
    applicable = np.flatnonzero(applies != NO)
    if 2 * len(applicable) > len(applies):
        return weigh(applies, scope.truth(check.must, grain))
    statuses = np.full(len(applies), NOT_APPLICABLE, np.uint8)
    if len(applicable):
        holds = among(scope, grain, applicable).truth(check.must, grain)
        statuses[applicable] = weigh(applies.take(applicable), holds)
    return statuses


def _describe_observed(scope: Scope, check: RoundCheck, index: int) -> str:
    """Describe the evidence on one item: the grounds or the event that the condition is about, then the violation."""
    facts = shown(scope, check.must, check.each, index)
    unmet_conditions = unmet_parts(scope, check.must, check.each, index)
    if check.of is not None and not any(scope.prepared.grain(part) == "event" for part in unmet_conditions):
        return f"{scope.prepared.steps[check.of].title}; {facts}"
    if check.each == "round" and check.when is not None:
        return "; ".join(dict.fromkeys([*grounds(scope, check.when, "round", index), facts]))
    return facts


OPERATORS: dict[str, Callable[[Scope, Any], Judged]] = {
    "rule": rule,
    "settled": settled,
    "capped": capped,
    "awarded": awarded,
    "sequence": sequence,
    "phase": phase,
    "dealt": dealt,
    "same-order": in_same_order,
    "drawn-by": drawn_by,
    "in-turn": in_turn_round_the_table,
    "turns": turns,
    "needed": needed_in_round,
}
"""Operators that check rounds, by name."""
