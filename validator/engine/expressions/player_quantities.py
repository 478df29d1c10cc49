"""Quantities of play among players: bets, chips, pots and what is shown, each as far as it is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from validator.engine.betting.chip_movements import chips_moved, players, staked
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR, Bounds, certain, told, unless
from validator.engine.pots.expected_stacks import chips_left
from validator.engine.pots.rake_so_far import rake_so_far
from validator.engine.pots.shown_hands import shown_count
from validator.engine.pots.totals import pot_amount, seat_receives
from validator.engine.turns.lookups import measured_of_betting
from validator.rules.conditions.conditions import SeatReceives


def _button(scope: Scope, what: str) -> Bounds:
    return told(scope.batch.button.astype(np.int64))


def _betting(scope: Scope, name: str) -> Bounds:
    values, known = measured_of_betting(scope, name)
    return unless(known, values)


def _stack(scope: Scope, when: str) -> Bounds:
    if when == "reckoned":
        return chips_left(scope)
    seats = scope.batch.seats
    return told(seats.stack if when == "start" else seats.stack_after)


def _received(scope: Scope, what: SeatReceives) -> Bounds:
    values, known = seat_receives(scope, what)
    return unless(known, values)


def _pot(scope: Scope, name: Any) -> Bounds:
    low, high, told = pot_amount(scope, name)
    return (low, low) if low is high and told.all() else (np.where(told, low, -FAR), np.where(told, high, FAR))


def _rake_so_far(scope: Scope, which: Any) -> Bounds:
    values, known = rake_so_far(scope, which)
    return unless(known, values)


def _bet_size(scope: Scope, which: str) -> Bounds:
    submitted = None if scope.configuration is None else scope.configuration.data.get("fixed-limit")
    if submitted is not None:
        return certain(np.full(len(scope.batch), submitted[f"{which}-bet"], np.int64))
    stated = scope.batch.small_bet if which == "small" else scope.batch.big_bet
    return certain(np.maximum(stated, 0))


def _shown_cards(scope: Scope, place: str) -> Bounds:
    least, hidden, recorded = shown_count(scope)
    if not hidden.any():
        return unless(recorded, least)
    return np.where(recorded, least, -FAR), np.where(recorded, least + hidden, FAR)


AMONG_PLAYERS: dict[str, Callable[[Scope, Any], Bounds]] = {
    "betting": _betting,
    "stack": _stack,
    "staked": lambda scope, whose: certain(staked(scope, whose)),
    "received": _received,
    "chips": chips_moved,
    "button": _button,
    "players": lambda scope, which: certain(players(scope, which)),
    "pot": _pot,
    "rake-so-far": _rake_so_far,
    "bet-size": _bet_size,
    "shown-cards": _shown_cards,
}
"""By operator: the bounds of the quantity at its own grain."""
