"""The operators that judge rounds, by name; here those that judge by a statement."""

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
    """A statement judged for each round, seat, stake or event."""
    grain: Grain = check.each
    if check.of is None:
        marks, rounds = _weighed(scope, check, grain), scope.round_of(grain)
        items = np.arange(len(marks))
    else:
        items = events_perhaps_of(scope, check.of)
        # Only what is found of them is kept with the scope: one that held itself would outlive its batch.
        events = among(scope, grain, items, scope.once(("among", check.of), dict))
        marks, rounds = _weighed(events, check, grain), events.round_of(grain)
        doubtful = doubtful_of(scope, check.of)
        if len(doubtful):
            marks = np.where((marks == FAIL) & np.isin(items, doubtful), np.uint8(NOT_EVIDENCED), marks)
        unrecorded = np.flatnonzero(~steps_recorded(scope, [check.of]))
        if len(unrecorded):
            items = np.concatenate([items, np.full(len(unrecorded), ABSENT)])
            untold = weigh(scope.throughout(check.when), kleene.constant(UNKNOWN, len(scope.batch)))
            marks = np.concatenate([marks, untold[unrecorded]])
            rounds = np.concatenate([rounds, unrecorded.astype(np.int32)])

        if scope.prepared.game.betting is not None:
            marks = unless_found_elsewhere(scope, check, as_the_bet_is_sure(scope, check, marks, items), items)

    if check.once:
        failed = np.flatnonzero(marks == FAIL)  # items stand in the order of their rounds
        again = failed[1:][rounds[failed[1:]] == rounds[failed[:-1]]]
        if len(again):
            marks = marks.copy()
            marks[again] = NOT_APPLICABLE

    described = recall(scope)

    def tell(item: int) -> Told:
        index = int(items[item])
        return Told(
            where=item_place(scope, grain, index),
            expected=unmet(described, check.must, grain, index),
            observed=_observed(described, check, index),
            balance=balance_of_rule(described, check.must, grain, index),
        )

    def gap(item: int) -> Told:
        index = int(items[item])
        if index == ABSENT:
            return Told(
                where=place_of(scope, int(rounds[item])),
                expected=demanded(scope.prepared, check.must),
                observed=NO_EVENTS,
            )
        doubtful = missing(scope, check.must, grain, index)
        return Told(
            where=item_place(scope, grain, index),
            expected=demanded(scope.prepared, check.must),
            observed=f"the evidence does not show: {doubtful}",
        )

    return Judged(marks=marks, round=rounds, tell=tell, gap=gap)


def _weighed(scope: Scope, check: RoundCheck, grain: Grain) -> Statuses:
    """uint8[n]: the mark of each item of a scope. What must hold is not asked of items that are not spoken of, where
    these are most."""
    applies = scope.truth(check.when, grain)
    concerned = np.flatnonzero(applies != NO)
    if 2 * len(concerned) > len(applies):
        return weigh(applies, scope.truth(check.must, grain))
    marks = np.full(len(applies), NOT_APPLICABLE, np.uint8)
    if len(concerned):
        holds = among(scope, grain, concerned).truth(check.must, grain)
        marks[concerned] = weigh(applies.take(concerned), holds)
    return marks


def _observed(scope: Scope, check: RoundCheck, index: int) -> str:
    """What the evidence shows of one item: what calls for the statement on a round, or the event that it is about, and
    then what there is instead."""
    told = shown(scope, check.must, check.each, index)
    broken = unmet_parts(scope, check.must, check.each, index)
    if check.of is not None and not any(scope.prepared.grain(part) == "event" for part in broken):
        return f"{scope.prepared.steps[check.of].title}; {told}"
    if check.each == "round" and check.when is not None:
        return "; ".join(dict.fromkeys([*grounds(scope, check.when, "round", index), told]))
    return told


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
"""The operators that judge rounds, by name."""
