"""Results that are no cards: values, selections of stakes on them, and results carried from round to round.

A state is the combination of the values of all carried results of a game, and a draw that of all drawn ones. Both are
numbers. Usually the state and the draw decide the next state. If conditions read more of a round, such as its wagers,
they are evaluated for each round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths, find_true, has_any, is_one_of, make_read_only
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
from fairdeal.validator.evidence.columns.log_draft import number_lines
from fairdeal.validator.evidence.columns.round_batch import (
    UNDATED,
    Batch,
    CodedColumn,
    CodeTable,
    Events,
    Meters,
    Outcomes,
    Seats,
    Stakes,
    build_relation,
    take_rows,
    translate_codes,
)
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


MOST_COMBINATIONS = 1 << 16
"""Most combinations of states and draws of a game."""


class Transitions(Struct, frozen=True, kw_only=True):
    """Table of the state that follows each state and draw."""

    carried: tuple[str, ...]
    """Names of the carried results."""
    drawn: tuple[str, ...]
    """Names of the drawn results."""
    following: Ints
    """Number of the state that follows, int64[states, draws]; ABSENT if the conditions leave it open."""

    @property
    def states(self) -> int:
        """Return the number of states."""
        return int(self.following.shape[0])


def build_outcomes(prepared: CompiledGame, names: Sequence[str], values: Sequence[Ints], rows: int) -> Outcomes:
    """Return results of rounds as summaries list them.

    Args:
        prepared: the game.
        names: the results that each round lists.
        values: numbers of the values of each result, int64[rows] each.
        rows: number of rounds.
    """
    texts, width = CodeTable(), len(names)
    codes = np.zeros((rows, width), np.int32)
    for at, name in enumerate(names):
        numbers = np.array([texts[text] for text in prepared.outcomes[name].values], np.int32)
        codes[:, at] = numbers[values[at]]
    return Outcomes(
        offsets=np.arange(rows + 1, dtype=np.int64) * width,
        round=np.repeat(np.arange(rows, dtype=np.int32), width),
        name=CodedColumn(codes=np.tile(np.arange(width, dtype=np.int32), rows), names=tuple(names)),
        value=CodedColumn(codes=codes.reshape(-1), names=texts.names),
    )


_RESULT_OPERATORS: Final = frozenset(
    {"all", "any", "not", "fact", "reading", "number", "outcome", "exactly", "sum", "difference", "smaller", "times"}
    | {"remainder"}
)
"""Operators of conditions and quantities that read nothing but results."""


@lru_cache(maxsize=64)
def list_other_operators(prepared: CompiledGame) -> frozenset[str]:
    """Return the operators by which carried results depend on more than results; empty for most games."""
    outcomes = [prepared.game.outcomes[name] for name in prepared.game.carried_outcomes]
    conditions = [condition for outcome in outcomes for condition in outcome.becomes.values()]
    return frozenset(part.operator for part in prepared.iterate_parts(*conditions)) - _RESULT_OPERATORS


@lru_cache(maxsize=64)
def compile_transitions(prepared: CompiledGame) -> Transitions:
    """Compile the transitions of a game.

    Raises:
        ValueError: the game has too many combinations.
    """
    carried = prepared.game.carried_outcomes
    drawn = tuple(name for name in prepared.outcomes if name not in carried)
    names = (*carried, *drawn)
    sizes = [len(prepared.outcomes[name].values) for name in names]
    rows = prod(sizes)
    if rows > MOST_COMBINATIONS:
        raise ValueError(f"the outcomes have {rows} combinations, but at most {MOST_COMBINATIONS} are possible")
    values = [*np.unravel_index(np.arange(rows), sizes)]
    scope = EvaluationContext(_build_bare_batch(prepared, names, values, rows), prepared, None)
    following = follow_results(scope).reshape(prod(sizes[: len(carried)]), -1)
    return Transitions(carried=carried, drawn=drawn, following=following)


def follow_results(scope: EvaluationContext) -> Ints:
    """Return the state that follows each round, if it begins as it states; ABSENT if it is left open.

    Returns:
        int64[rounds].
    """
    names, outcomes = scope.compiled_game.game.carried_outcomes, scope.compiled_game.outcomes
    return _number_values(
        [_find_following(scope, name) for name in names], [len(outcomes[name].values) for name in names], scope
    )


def follow_every_state(prepared: CompiledGame, batch: Batch) -> Ints:
    """Return the state that follows each round from each state in which it may begin; ABSENT if it is left open.

    Returns:
        int64[rounds, states].
    """
    carried = prepared.game.carried_outcomes
    own = batch.outcomes
    is_drawn = ~np.isin(own.name.codes, [own.name.code(name) for name in carried])
    kept = find_true(is_drawn)
    counts = np.bincount(own.round[kept], minlength=len(batch))
    drawn = take_rows(own, kept, offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
    bare, columns = replace(batch, outcomes=drawn), list[Ints]()
    for state in range(prod(len(prepared.outcomes[name].values) for name in carried)):
        begun = _state_values(prepared, bare, np.full(len(batch), state, np.int64))
        columns.append(follow_results(EvaluationContext(begun, prepared, None)))
    return np.stack(columns, axis=1)


def _number_values(values: Sequence[Ints], sizes: Sequence[int], scope: EvaluationContext) -> Ints:
    """Return the number of a combination of values in each round; ABSENT if one of them is not known."""
    if not sizes:
        return np.zeros(len(scope.batch), np.int64)
    is_known = np.logical_and.reduce([column != ABSENT for column in values], axis=0)
    numbers = np.ravel_multi_index([np.maximum(column, 0) for column in values], sizes)
    return np.where(is_known, numbers, ABSENT).astype(np.int64)


def _find_following(scope: EvaluationContext, name: str) -> Ints:
    """Return the value of a carried result in the next round; ABSENT if the conditions leave it open."""
    numbers, current = scope.compiled_game.outcomes[name].number_of_text, outcome_values(scope, name)
    value, open_ = current.astype(np.int64), np.ones(len(current), np.bool_)
    for text, condition in scope.compiled_game.game.outcomes[name].becomes.items():
        holds = scope.evaluate(condition, "round")
        value = np.where(open_ & (holds == YES), numbers[text], np.where(open_ & (holds == UNKNOWN), ABSENT, value))
        open_ &= (holds != YES) & (holds != UNKNOWN)
    return value


def _build_bare_batch(prepared: CompiledGame, names: Sequence[str], values: Sequence[Ints], rows: int) -> Batch:
    """Return a batch of rounds that have results and nothing else."""
    same, nothing = CodedColumn(codes=np.zeros(rows, np.int32), names=("combinations",)), np.zeros(rows + 1, np.int64)
    return build_relation(
        Batch,
        rows,
        file=same,
        game=prepared.game.game,
        round=("",) * rows,
        line=np.arange(1, rows + 1),
        table=same,
        day=np.zeros(rows, np.int32),
        time=np.zeros(rows, np.int64),
        dated=np.full(rows, UNDATED, np.uint8),
        offset=np.zeros(rows, np.int16),
        complete=np.ones(rows, np.bool_),
        outcomes=build_outcomes(prepared, names, values, rows),
        seats=build_relation(Seats, 0, offsets=nothing),
        recorded=np.zeros(rows, np.bool_),
        unrecorded=np.zeros(rows, np.uint64),
        meters=build_relation(Meters, 0, offsets=nothing),
        stakes=build_relation(Stakes, 0),
        events=build_relation(Events, 0, offsets=nothing),
    )


def number_combinations(scope: EvaluationContext, names: Sequence[str]) -> Ints:
    """Return the number of the combination of some results in each round; ABSENT if one of them is not known.

    Returns:
        int64[rounds].
    """
    sizes = [len(scope.compiled_game.outcomes[name].values) for name in names]
    return _number_values([outcome_values(scope, name) for name in names], sizes, scope)


def _state_values(prepared: CompiledGame, batch: Batch, states: Ints) -> Batch:
    """Return a batch whose rounds state the values with which they begin, where the log does not.

    Args:
        prepared: the game.
        batch: the rounds.
        states: state of each round; ABSENT if it is not known, int64[rounds].
    """
    carried = prepared.game.carried_outcomes
    values = np.unravel_index(np.maximum(states, 0), [len(prepared.outcomes[name].values) for name in carried])
    for name, column in zip(carried, values, strict=True):
        own = batch.outcomes
        lacks = states != ABSENT
        lacks[own.round[own.name.codes == own.name.code(name)]] = False
        if has_any(lacks):
            batch = replace(batch, outcomes=_add_results(batch, prepared, name, column, lacks))
    return batch


def _add_results(batch: Batch, prepared: CompiledGame, name: str, values: Ints, chosen: Flags) -> Outcomes:
    """Return the results of a batch with those of one outcome in some rounds."""
    own, rounds = batch.outcomes, find_true(chosen)
    added = build_outcomes(prepared, (name,), (values[rounds],), len(rounds))
    names, name_texts = translate_codes(added.name, own.name)
    codes, value_texts = translate_codes(added.value, own.value)
    of_round = np.concatenate([own.round, rounds.astype(np.int32)])
    joined = Outcomes(
        offsets=np.searchsorted(np.sort(of_round), np.arange(len(batch) + 1)).astype(np.int64),
        round=of_round,
        name=CodedColumn(codes=np.concatenate([own.name.codes, names]), names=name_texts),
        value=CodedColumn(codes=np.concatenate([own.value.codes, codes]), names=value_texts),
    )
    order = np.argsort(of_round, kind="stable")
    return take_rows(joined, order, offsets=joined.offsets)


class StatesOfLog(Struct, frozen=True, kw_only=True):
    """States of the rounds of one log and game. Arrays are parallel."""

    line: Ints
    """Line of each round, ascending."""
    state: Ints
    """State with which the round begins; ABSENT if it is not known."""


CarriedStates = Mapping[str, Mapping[str, StatesOfLog]]
"""States by document and by the name of the log."""


def state_carried_results(prepared: CompiledGame, batch: Batch, states: CarriedStates) -> Batch:
    """Return a batch whose rounds state the values with which they begin, where they are known."""
    by_log, found = states.get(batch.game, {}), np.full(len(batch), ABSENT, np.int64)
    for code, log in enumerate(batch.file.names):
        own = find_true(batch.file.codes == code)
        if log in by_log and len(own):
            found[own] = _look_up(by_log[log], batch.line[own].astype(np.int64))
    return _state_values(prepared, batch, found)


def _look_up(states: StatesOfLog, lines: Ints) -> Ints:
    at = np.searchsorted(states.line, lines).clip(max=max(len(states.line) - 1, 0))
    is_listed = states.line[at] == lines
    return np.where(is_listed, states.state[at], ABSENT)
