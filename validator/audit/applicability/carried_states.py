"""States with which rounds begin, where results are carried from round to round: by document and log."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Ints
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.facts.carried_outcomes import state_carried_outcomes
from fairdeal.validator.evidence.columns.batch import Batch


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
        own = np.flatnonzero(batch.file.codes == code)
        if log in by_log and len(own):
            found[own] = _look_up(by_log[log], batch.line[own].astype(np.int64))
    return state_carried_outcomes(prepared, batch, found)


def _look_up(states: StatesOfLog, lines: Ints) -> Ints:
    at = np.searchsorted(states.line, lines).clip(max=max(len(states.line) - 1, 0))
    is_listed = states.line[at] == lines
    return np.where(is_listed, states.state[at], ABSENT)
