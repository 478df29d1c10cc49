"""The order of events as a regular language: a sequence of steps compiled to a DFA and run over all rounds.

The alphabet of a sequence is its own steps; events of other steps are not seen. Symbol k of all rounds is
consumed at once, so the work in Python grows with the longest round and not with their number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Ints8, Ints32
from validator.rules.model.requirement import Repeat, SequenceStep

_ADVANCE = {"any": (0, None), "optional": (0, 1), "one": (1, 1), "at-least-one": (1, None)}


class Automaton(Struct, frozen=True, kw_only=True):
    """A DFA over the steps of a sequence.

    `moves` is int32[states, steps]: the next state, or `dead`. `accepts` is bool[states]. State 0 is the
    start; `dead` is the last state. `collapses` is bool[steps]: a run of the step is worth one of it.
    """

    steps: tuple[str, ...]
    moves: Ints32
    accepts: Flags
    collapses: Flags

    @property
    def dead(self) -> int:
        """The state nothing leads out of."""
        return len(self.moves) - 1

    def may_fail(self, happened: int) -> bool:
        """Whether the steps that happened (bits, by their places in `steps`) could have been a wrong course: in another
        order or number, or had none of them happened."""
        reached, waiting = {0}, [0]
        while waiting:
            for step, following in enumerate(self.moves[waiting.pop()].tolist()):
                if happened >> step & 1 and following not in reached:
                    reached.add(following)
                    waiting.append(following)
        return not self.accepts[list(reached)].all()

    def allowed(self, state: int) -> tuple[str, ...]:
        """The steps that may come next in a state."""
        return tuple(step for step, move in zip(self.steps, self.moves[state], strict=True) if move != self.dead)


def compile_sequence(parts: Sequence[SequenceStep | Repeat]) -> Automaton:
    """The automaton of a sequence, by subset construction over its positions."""
    flat: list[tuple[str, str]] = []
    loops: dict[int, int] = {}  # last position of a group -> its first
    starts: dict[int, int] = {}  # first position of a group -> position after it
    for part in parts:
        group = part.repeat if isinstance(part, Repeat) else [part]
        if isinstance(part, Repeat):
            starts[len(flat)] = len(flat) + len(group)
            loops[len(flat) + len(group) - 1] = len(flat)
        flat.extend((member.step, member.times) for member in group)
    steps = tuple(dict.fromkeys(step for step, _ in flat))
    end = len(flat)

    # A position (i, done) stands before part i; `done` says that it was taken at least once.
    def closed(positions: set[tuple[int, bool]]) -> frozenset[tuple[int, bool]]:
        waiting, result = list(positions), set(positions)

        def reach(position: tuple[int, bool]) -> None:
            if position not in result:
                result.add(position)
                waiting.append(position)

        while waiting:
            index, done = waiting.pop()
            if index in starts and not done:
                reach((starts[index], False))
            if index < end and (done or _ADVANCE[flat[index][1]][0] == 0):
                if index in loops:
                    reach((loops[index], False))
                reach((index + 1, False))
        return frozenset(result)

    def after(state: frozenset[tuple[int, bool]], step: str) -> frozenset[tuple[int, bool]]:
        moved: set[tuple[int, bool]] = set()
        for index, done in state:
            if index < end and flat[index][0] == step and not (done and _ADVANCE[flat[index][1]][1] == 1):
                moved.add((index, True))
        return closed(moved)

    start = closed({(0, False)})
    numbers = {start: 0}
    rows: list[list[int]] = []
    queue = [start]
    for state in queue:
        row = []
        for step in steps:
            following = after(state, step)
            if not following:
                row.append(-1)
                continue
            if following not in numbers:
                numbers[following] = len(numbers)
                queue.append(following)
            row.append(numbers[following])
        rows.append(row)
    dead = len(rows)
    moves = np.array([*rows, [-1] * len(steps)], np.int32)
    moves[moves < 0] = dead
    accepts = np.array([*((end, False) in state for state in queue), False])
    twice = moves[moves, np.arange(len(steps))]
    return Automaton(steps=steps, moves=moves, accepts=accepts, collapses=(twice == moves).all(axis=0))


class Runs(Struct, frozen=True, kw_only=True):
    """How an automaton fared over groups of events.

    `state` is int32[groups], where each run stopped; `broke_at` int64[groups] the index (into the events
    given) of the first one out of place, -1 where all were in place; `before` int32[groups] the state that
    event met.
    """

    state: Ints32
    broke_at: Ints
    before: Ints32


def run(automaton: Automaton, symbols: Ints8, group: Ints32, groups: int) -> Runs:
    """Run the automaton over every group's events.

    `symbols` is int8[events], the step each is; `group` int32[events], sorted, the group it belongs to.
    """
    fresh = np.ones(len(symbols), bool)
    fresh[1:] = (symbols[1:] != symbols[:-1]) | (group[1:] != group[:-1])
    if not automaton.collapses.all():
        fresh |= ~automaton.collapses.take(symbols)
    keep = np.flatnonzero(fresh)
    symbols, group = symbols.take(keep), group.take(keep)
    # A state times the number of symbols, plus a symbol, is the place of a move in the table laid end to end.
    moves, width = automaton.moves.reshape(-1), automaton.moves.shape[1]
    lengths = np.bincount(group, minlength=groups)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if groups else np.zeros(0, np.int64)
    state = np.zeros(groups, np.int32)
    broke_at = np.full(groups, -1, np.int64)
    before = np.zeros(groups, np.int32)
    alive = np.flatnonzero(lengths > 0)
    place = 0
    while len(alive):
        at = starts.take(alive) + place
        following = moves.take(state.take(alive) * width + symbols.take(at))
        broken = following == automaton.dead
        if broken.any():
            lost = alive.compress(broken)
            broke_at[lost], before[lost] = keep[at[broken]], state[lost]
        state[alive] = following
        place += 1
        alive = alive.compress(~broken & (lengths.take(alive) > place))
    return Runs(state=state, broke_at=broke_at, before=before)
