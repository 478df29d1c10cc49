"""Conversion of the events of a batch to the event sequences of its rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints16, Truths, are_all, group_equal, has_any
from fairdeal.validator.audit.sessions.session_rows import OCCASIONS, ROUND_DEALT, EventLog, EventSequence, EventToken
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, YES
from fairdeal.validator.engine.timeline import step_events
from fairdeal.validator.engine.timeline.event_cards import may_concern_any_deck
from fairdeal.validator.engine.timeline.reported_acts import reported_out_of_order
from fairdeal.validator.rules.procedure_model import EveryCheck, NeededCheck, SuccessionCheck

DEALING = "deal"
"""Kind of event that deals a card."""

_DECK_IN_PLAY = -2

_STEPS_PER_NUMBER = 24
"""Number of steps whose certainties, of two bits each, one number holds."""
_MAX_KEY = 1 << 62

SessionCheck: TypeAlias = NeededCheck | EveryCheck | SuccessionCheck
"""Check of a requirement on sessions."""


def _steps_used(checks: Sequence[SessionCheck]) -> tuple[str, ...]:
    """Return the steps and occasions that checks use."""
    names: dict[str, None] = {}
    for check in checks:
        if isinstance(check, NeededCheck):
            ends = () if check.until is None else (check.until,)
            names.update(dict.fromkeys((*check.occasions, *check.steps, *check.waiting, *ends)))
        elif isinstance(check, SuccessionCheck):
            names.update(dict.fromkeys(name for name in (check.received, check.removed) if name is not None))
        elif check.operator == "step":
            names[check.step] = None
    return tuple(names)


def build_event_log(scope: EvaluationContext, checks: Sequence[SessionCheck]) -> EventLog:
    """Build the event sequences of all rounds of a batch, over the steps and occasions that checks use."""
    names = _steps_used(checks)
    events, rounds = scope.batch.events, len(scope.batch)
    steps = [name for name in names if name not in OCCASIONS]
    belongs = _certainty_of_steps(scope, steps)
    decks = _deck_of_events(scope)
    is_used = np.bitwise_or.reduce(belongs, axis=0) != 0
    if any(_tracks_decks(check) for check in checks):
        # The decks of a table follow from every event that names one, whatever the checks use.
        is_used |= decks != _DECK_IN_PLAY
    chosen = np.flatnonzero(is_used)
    any_deck = _may_be_any_deck(scope, steps)[chosen]
    # Twice as many positions as events: the end of dealing lies between two events.
    positions, rows = 2 * chosen, belongs.take(chosen, axis=1)
    round_, deck = events.round[chosen], decks[chosen]
    is_misplaced = reported_out_of_order(scope)[chosen]
    if ROUND_DEALT in names:
        last = _last_dealt_events(scope)
        positions = np.concatenate([positions, 2 * last + 1])
        order = np.argsort(positions, kind="stable")
        positions = positions[order]
        rows = np.concatenate([rows, np.zeros((len(rows), len(last)), np.int64)], axis=1)[:, order]
        deck = np.concatenate([deck, np.full(len(last), _DECK_IN_PLAY)])[order]
        is_misplaced, any_deck = (
            np.concatenate([column, np.zeros(len(last), bool)])[order] for column in (is_misplaced, any_deck)
        )
        round_ = np.concatenate([round_, events.round[last]])[order]
    flags = 2 * is_misplaced.astype(np.int64) + any_deck
    examples, codes = _distinct_rows([*rows, 2 * deck + positions % 2, flags])
    tokens = [
        _build_token(scope, steps, rows[:, at], int(deck[at]), int(positions[at]), int(flags[at]))
        for at in examples.tolist()
    ]
    is_repeated = np.zeros(len(codes), bool)
    is_repeated[1:] = (codes[1:] == codes[:-1]) & (round_[1:] == round_[:-1])
    is_repeated &= np.array([_is_repeatable(token, checks) for token in tokens], bool)[codes]
    codes, round_, positions = codes[~is_repeated], round_[~is_repeated], positions[~is_repeated]
    event_numbers = (positions // 2 - events.offsets[round_] + 1).astype(np.int16)
    offsets = np.searchsorted(round_, np.arange(rounds + 1))
    limits = list(zip(_unrecorded_steps(scope, names), (~scope.batch.complete).tolist(), strict=True))
    return _build_sequences(codes.tolist(), offsets.tolist(), tokens, limits, event_numbers)


def _distinct_rows(columns: Sequence[NDArray[Any]]) -> tuple[Ints, Ints]:
    """Return distinct rows of some columns, as `alike` does for one column."""
    codes, most = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        low = int(column.min(initial=0))
        values = int(column.max(initial=0)) - low + 1
        if most * values > _MAX_KEY:
            examples, codes = group_equal(codes)
            most = len(examples)
        codes = codes * values + (column.astype(np.int64) - low)
        most *= values
    return group_equal(codes)


def _tracks_decks(check: SessionCheck) -> bool:
    if isinstance(check, SuccessionCheck):
        return False
    return check.per == "deck" if isinstance(check, NeededCheck) else check.of_each is not None


def _is_repeatable(token: EventToken, checks: Sequence[SessionCheck]) -> bool:
    """Return whether consecutive equal events count as one: no check uses a token in two roles."""
    names = {name for name, _ in token.steps}
    for check in checks:
        if isinstance(check, NeededCheck):
            roles = [bool(names.intersection(check.occasions)), bool(names.intersection(check.waiting))]
            if sum(roles) + sum(step in names for step in check.steps) > 1:
                return False
    return True


def _certainty_of_steps(scope: EvaluationContext, steps: Sequence[str]) -> Ints:
    """Return how certainly each event belongs to each step, with two bits for each step.

    Returns:
        int64[k, events].
    """
    result = np.zeros((len(steps) // _STEPS_PER_NUMBER + 1, scope.count_items("event")), np.int64)
    for number, step in enumerate(steps):
        chosen, certainty = step_events.events_with_certainty(scope, step)
        if len(chosen):
            row, place = divmod(number, _STEPS_PER_NUMBER)
            result[row, chosen] |= certainty.astype(np.int64) << 2 * place
    return result


def _deck_of_events(scope: EvaluationContext) -> Ints:
    """Return the deck that each event names; `_DECK_IN_PLAY` for the deck in play or none.

    Returns:
        int64[events].
    """
    batch, named = scope.batch, scope.batch.events.deck
    places = {name: code for code, name in enumerate(named.names)}
    in_play = np.array([*(places.get(name, _DECK_IN_PLAY) for name in batch.deck.names), _DECK_IN_PLAY], np.int64)
    in_play = in_play[batch.deck.codes][batch.events.round]
    return np.where((named.codes == in_play) | (named.codes == ABSENT), _DECK_IN_PLAY, named.codes)


def _last_dealt_events(scope: EvaluationContext) -> Ints:
    """Return the last event that dealt a card, of each round that has one.

    Returns:
        int64[m].
    """
    dealing = step_events.events_of_kinds(scope, (DEALING,))
    round_ = scope.batch.events.round[dealing]
    last = np.ones(len(dealing), bool)
    last[:-1] = round_[1:] != round_[:-1]
    return dealing[last]


def _may_be_any_deck(scope: EvaluationContext, steps: Sequence[str]) -> Flags:
    """Return whether each event may belong to a step of any deck and does not name its deck.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    for step in steps:
        if scope.compiled_game.steps[step].unnamed_deck is not None:
            result[step_events.events_with_certainty(scope, step)[0]] = True
    return result & may_concern_any_deck(scope) if result.any() else result


def _build_token(
    scope: EvaluationContext, steps: Sequence[str], belongs: Ints, deck: int, place: int, manner: int
) -> EventToken:
    if place % 2:
        return EventToken(None, ((ROUND_DEALT, YES),))
    values = [
        int(belongs[number // _STEPS_PER_NUMBER]) >> 2 * (number % _STEPS_PER_NUMBER) & 3
        for number in range(len(steps))
    ]
    return EventToken(
        None if deck == _DECK_IN_PLAY else scope.batch.events.deck.names[deck],
        tuple((step, value) for step, value in zip(steps, values, strict=True) if value != NO),
        misplaced=manner >= 2,
        any_deck=manner % 2 == 1,
    )


def _unrecorded_steps(scope: EvaluationContext, names: Sequence[str]) -> list[frozenset[str]]:
    """Return the steps and occasions that the log of each round does not record."""
    rounds = len(scope.batch)
    if are_all(scope.batch.recorded) and not has_any(scope.batch.unrecorded):
        return [frozenset()] * rounds
    is_unrecorded: dict[str, Truths] = {}
    for name in names:
        # A step of several kinds is unrecorded if any kind is. The order of packets does not matter: the first card
        # is dealt first, and the last card last.
        if name == ROUND_DEALT:
            is_unrecorded[name] = kleene.from_flags(~step_events.are_kinds_recorded(scope, [DEALING], ordered=False))
        elif name not in OCCASIONS:
            is_unrecorded[name] = kleene.from_flags(~step_events.are_steps_recorded(scope, [name], ordered=False))
    if not is_unrecorded:
        return [frozenset()] * rounds
    examples, codes = _distinct_rows(list(is_unrecorded.values()))
    sets = [frozenset(name for name, values in is_unrecorded.items() if values[at] == YES) for at in examples.tolist()]
    return [sets[code] for code in codes.tolist()]


def _build_sequences(
    codes: list[int],
    offsets: list[int],
    tokens: list[EventToken],
    limits: list[tuple[frozenset[str], bool]],
    event_numbers: Ints16,
) -> EventLog:
    """Build event sequences from the codes of tokens.

    Args:
        codes: codes of the tokens of all rounds.
        offsets: start of each round in the codes, and the end.
        tokens: tokens by code.
        limits: unrecorded steps of each round, and whether its record is incomplete.
        event_numbers: number in its round of the event of each token.
    """
    index: dict[tuple[tuple[int, ...], tuple[frozenset[str], bool]], int] = {}
    sequence = np.empty(len(limits), np.int32)
    for round_, (start, end) in enumerate(pairwise(offsets)):
        key = (tuple(codes[start:end]), limits[round_])
        sequence[round_] = index.setdefault(key, len(index))
    sequences = tuple(EventSequence(tuple(tokens[code] for code in token_codes), *rest) for token_codes, rest in index)
    return EventLog(sequences=sequences, sequence_index=sequence, numbers=event_numbers)
