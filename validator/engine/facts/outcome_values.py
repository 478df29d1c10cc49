"""Results that are no cards, and the selections of stakes on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths, find_true, is_one_of, make_read_only
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, CompiledOutcome
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES, bounds_where_known
from fairdeal.validator.engine.timeline.step_events import (
    are_steps_recorded,
    certain_events,
    events_of_kinds,
    possible_events,
)
from fairdeal.validator.evidence.columns.batch import CodedColumn
from fairdeal.validator.evidence.columns.relations import number_lines
from fairdeal.validator.language.grammar import OutcomeNumber, expand_results, join_selection


@cached_fact
def outcome_values(scope: EvaluationContext, name: str) -> Ints:
    """Return the number of the value of an outcome in each round; ABSENT if it is not recorded.

    The summary states it, or else the last event. In a record that stops, another event may follow. For a result that
    is carried, it is the value with which the round begins, and no event states it. A round without a result has the
    first value.

    Returns:
        int64[rounds].
    """
    outcome, listed, events = scope.compiled_game.outcomes[name], scope.batch.outcomes, scope.batch.events
    values = np.full(len(scope.batch), ABSENT, np.int64)
    stated = events_of_kinds(scope, ("outcome",))
    stated = stated[events.what.codes[stated] == events.what.code(name)]
    if scope.compiled_game.game.outcomes[name].becomes:
        stated = stated[:0]
    values[events.round[stated]] = _read_values(outcome, events.value, stated)
    values[~scope.batch.complete] = ABSENT
    own = find_true(listed.name.codes == listed.name.code(name))
    values[listed.round[own]] = _read_values(outcome, listed.value, own)
    when = scope.compiled_game.game.outcomes[name].when
    if when is not None:
        values[(values == ABSENT) & (scope.evaluate(when, "round") == NO)] = 0
    return values


def _read_values(outcome: CompiledOutcome, column: CodedColumn, chosen: Ints) -> Ints:
    numbers = [outcome.number_of_text.get(text, ABSENT) for text in column.names]
    return np.array([*numbers, ABSENT], np.int64)[column.codes[chosen]]


@cached_fact
def is_outcome_among(scope: EvaluationContext, name: str, texts: tuple[str | int, ...]) -> Truths:
    """Return whether an outcome has one of some values.

    Returns:
        uint8[rounds].
    """
    outcome = scope.compiled_game.outcomes[name]
    wanted = {outcome.number_of_text.get(text, ABSENT) for text in expand_results(texts)}
    answers = [YES if number in wanted else NO for number in range(len(outcome.values))]
    return np.array([*answers, UNKNOWN], np.uint8)[outcome_values(scope, name)]


@cached_fact
def is_outcome_selected(scope: EvaluationContext, name: str) -> Truths:
    """Return whether the value of an outcome is one that each stake selects; no for stakes that select nothing of it.

    Returns:
        uint8[stakes].
    """
    return _look_up_selections(scope, name, _mark_selected, NO, UNKNOWN).astype(np.uint8)


@lru_cache(maxsize=1 << 14)
@make_read_only
def _mark_selected(prepared: CompiledGame, wager: str, text: str) -> Ints:
    """Return for each value of an outcome whether a selection of a wager includes it, int64[values]."""
    selection = prepared.selections[wager]
    outcome, parts = prepared.outcomes[selection.outcome], text.split(" ")
    numbers = range(len(outcome.values))
    match selection.by:
        case "value":
            chosen = {outcome.number_of_text.get(part) for part in parts}
            marks = [number in chosen for number in numbers]
        case "total":
            marks = [str(outcome.numbers[number]) in parts for number in numbers]
        case _:
            marks = [
                all(_count_shown(outcome, number, part) >= parts.count(part) for part in parts) for number in numbers
            ]
    return np.where(marks, YES, NO).astype(np.int64)


@lru_cache(maxsize=1 << 12)
@make_read_only
def _count_selected(prepared: CompiledGame, wager: str, text: str) -> Ints:
    """Return for each value of an outcome the number of dice that show the selected face, int64[values]."""
    outcome = prepared.outcomes[prepared.selections[wager].outcome]
    return np.array([_count_shown(outcome, number, text) for number in range(len(outcome.values))], np.int64)


def _count_shown(outcome: CompiledOutcome, value: int, face: str) -> int:
    """Return the number of dice that show a face; 0 for a text that is no face."""
    shown = outcome.shown[value]
    return shown[int(face) - 1] if face.isdecimal() and 0 < int(face) <= len(shown) else 0


def _look_up_selections(
    scope: EvaluationContext, name: str, find: Callable[[CompiledGame, str, str], Ints], other: int, unknown: int
) -> Ints:
    """Look up a number for the selection of each stake and the value of an outcome.

    Args:
        scope: the rounds.
        name: the outcome.
        find: returns the numbers of a wager's selection, int64[values].
        other: number for stakes that select nothing of the outcome.
        unknown: number if the selection or the value is not known.

    Returns:
        int64[stakes].
    """
    prepared, on = scope.compiled_game, scope.batch.stakes.selection
    result = np.full(scope.count_items("stake"), other, np.int64)
    for wager, selection in prepared.selections.items():
        chosen = scope.stake_indices(wager) if selection.outcome == name else ()
        if len(chosen):
            codes, rows = np.unique(on.codes[chosen], return_inverse=True)
            table = np.full((len(codes), len(prepared.outcomes[name].values) + 1), unknown, np.int64)
            for row, code in enumerate(codes.tolist()):
                if code != ABSENT:
                    table[row, :-1] = find(prepared, wager, on.names[code])
                elif selection.when == "stays":  # the stake has no selection yet
                    table[row] = other
            result[chosen] = table[rows, outcome_values(scope, name)[scope.rounds_of("stake")[chosen]]]
    return result


def bound_outcome_number(scope: EvaluationContext, operand: OutcomeNumber) -> Bounds:
    """Return bounds of the number of an outcome by round, or for `selected`, by stake; 0 for a value that is no number.

    Returns:
        int64[rounds] or int64[stakes], twice.
    """
    outcome, face = scope.compiled_game.outcomes[operand.of], operand.showing
    if face == "selected":
        result = _look_up_selections(scope, operand.of, _count_selected, 0, ABSENT)
    else:
        numbers = outcome.numbers if face is None else [shown[face - 1] for shown in outcome.shown]
        result = np.array([*(number or 0 for number in numbers), ABSENT], np.int64)[outcome_values(scope, operand.of)]
    return bounds_where_known(result != ABSENT, result)


def is_selection_among(scope: EvaluationContext, texts: Sequence[str | int]) -> Truths:
    """Return whether each stake is on one of some selections; unknown if its wager has selections and it states none.

    Returns:
        uint8[stakes].
    """
    wanted = {join_selection(text.split(" ")) for text in expand_results(texts)}
    on = scope.batch.stakes.selection
    answers = np.array([*(YES if name in wanted else NO for name in on.names), NO], np.uint8)[on.codes]
    for wager, selection in scope.compiled_game.selections.items():
        chosen = scope.stake_indices(wager)
        if selection.when == "placed":
            answers[chosen[on.codes[chosen] == ABSENT]] = UNKNOWN
    return answers


def is_selection_permitted(scope: EvaluationContext) -> Truths:
    """Return whether the wager of each stake permits its selection; a wager without selections permits only none.

    Returns:
        uint8[stakes].
    """
    on = scope.batch.stakes.selection
    answers = kleene.from_flags(on.codes == ABSENT)
    for wager, selection in scope.compiled_game.selections.items():
        chosen, permitted = scope.stake_indices(wager), {*selection.permitted}
        table = [YES if name in permitted else NO for name in on.names]
        without = UNKNOWN if selection.when == "placed" else YES
        answers[chosen] = np.array([*table, without], np.uint8)[on.codes[chosen]]
    return answers


@cached_fact
def is_named_by_step(scope: EvaluationContext, step: str) -> Truths:
    """Return whether an event of a step names each stake: its seat, wager, selection and tip.

    Returns:
        uint8[stakes].
    """
    rounds = scope.rounds_of("stake")
    never = are_steps_recorded(scope, [step])[rounds] & scope.batch.complete[rounds]
    never &= ~_are_named(scope, possible_events(scope, step))
    return kleene.from_yes_no(_are_named(scope, certain_events(scope, step)), never)


def _are_named(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether one of some events names each stake, bool[stakes]."""
    lines, line_of, names = number_lines(scope.batch)
    stakes, events, width = scope.batch.stakes, scope.batch.events, len(names) + 1
    own = (stakes.seat.astype(np.int64) * width + lines) * 2 + stakes.tip
    chosen = chosen[(events.seat[chosen] != ABSENT) & (line_of[chosen] != ABSENT)]
    return is_one_of(own, (events.seat[chosen].astype(np.int64) * width + line_of[chosen]) * 2 + events.tip[chosen])


@cached_fact
def may_be_late(scope: EvaluationContext) -> Flags:
    """Return whether the log leaves open if each stake was placed too late as a whole.

    Returns:
        bool[stakes].
    """
    step = scope.compiled_game.game.settlement.late
    if step is None:
        return np.zeros(len(scope.batch.stakes.seat), np.bool_)
    in_time = np.setdiff1d(events_of_kinds(scope, ("wager",)), possible_events(scope, step))
    open_ = (is_named_by_step(scope, step) == UNKNOWN) & ~_are_named(scope, in_time)
    return open_ & (scope.batch.stakes.brought <= 0)
