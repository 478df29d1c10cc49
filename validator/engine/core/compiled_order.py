"""Compiled order of a game: automata for sequences of steps, and milestones with the requirements that check them.

The alphabet is the steps of the sequence; events of other steps are ignored. The run consumes the k-th symbol of all
rounds together. The time in Python therefore depends on the longest round and not on the number of rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from fairdeal.validator.arrays import Flags, Ints, Ints8, Ints32, are_all, find_true, has_any, np
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.check_model import BoundedMilestone, MilestoneCheck, Moment, Repeat, SequenceStep
from fairdeal.validator.rules.regulation import Regulation

_ADVANCE = {"any": (0, None), "optional": (0, 1), "one": (1, 1), "at-least-one": (1, None)}


class StepAutomaton(Struct, frozen=True, kw_only=True):
    """DFA over the steps of a sequence. State 0 is the start; the last state is dead."""

    steps: tuple[str, ...]
    """Alphabet of the automaton."""
    transitions: Ints32
    """Next state of each state and step, int32[states, steps]."""
    accepting: Flags
    """Flags of the accepting states, bool[states]."""
    is_collapsible: Flags
    """Flags of the steps of which several in a row are equivalent to one, bool[steps]."""

    @property
    def dead_state(self) -> int:
        """Return the state that no step leads out of."""
        return len(self.transitions) - 1

    def may_fail(self, happened: int) -> bool:
        """Return whether the given steps could form a wrong sequence: in another order or number, or if none of them
        occurs.

        Args:
            happened: steps that occurred, as bits by their index in `steps`.
        """
        reached, waiting = {0}, [0]
        while waiting:
            for step, following in enumerate(self.transitions[waiting.pop()].tolist()):
                if happened >> step & 1 and following not in reached:
                    reached.add(following)
                    waiting.append(following)
        return not are_all(self.accepting[list(reached)])

    def list_due_steps(self, state: int, before: str | None = None) -> tuple[str, ...]:
        """Return the steps that must come next in a state before another step, or before the sequence ends.

        If no single step suffices, all steps that may come next are returned.
        """
        moves = {
            step: int(move)
            for step, move in zip(self.steps, self.transitions[state], strict=True)
            if move != self.dead_state
        }
        suffices = (
            self.accepting if before is None else self.transitions[:, self.steps.index(before)] != self.dead_state
        )
        return tuple(step for step, move in moves.items() if suffices[move]) or tuple(moves)


def compile_sequence(parts: Sequence[SequenceStep | Repeat]) -> StepAutomaton:
    """Compile a sequence to an automaton, by subset construction over its positions."""
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

    # A position (i, done) is before part i; `done` says that the part occurred at least once.
    def close(positions: set[tuple[int, bool]]) -> frozenset[tuple[int, bool]]:
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

    def advance(state: frozenset[tuple[int, bool]], step: str) -> frozenset[tuple[int, bool]]:
        moved: set[tuple[int, bool]] = set()
        for index, done in state:
            if index < end and flat[index][0] == step and not (done and _ADVANCE[flat[index][1]][1] == 1):
                moved.add((index, True))
        return close(moved)

    start = close({(0, False)})
    numbers = {start: 0}
    rows: list[list[int]] = []
    queue = [start]
    for state in queue:
        row = []
        for step in steps:
            following = advance(state, step)
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
    return StepAutomaton(steps=steps, transitions=moves, accepting=accepts, is_collapsible=(twice == moves).all(axis=0))


class AutomatonRuns(Struct, frozen=True, kw_only=True):
    """Result of running an automaton over groups of events."""

    last_state: Ints32
    """Last state of each group, int32[groups]."""
    rejected_event: Ints
    """Index of the first event out of order in each group, int64[groups]; -1 if all are in order."""
    state_before: Ints32
    """State before that event, int32[groups]."""


def run_automaton(automaton: StepAutomaton, symbols: Ints8, group: Ints32, groups: int) -> AutomatonRuns:
    """Run an automaton over the events of every group.

    Args:
        symbols: int8[events], the step of each event.
        group: int32[events], the group of each event, ascending.
        groups: number of groups.
    """
    fresh = np.ones(len(symbols), bool)
    fresh[1:] = (symbols[1:] != symbols[:-1]) | (group[1:] != group[:-1])
    if not are_all(automaton.is_collapsible):
        fresh |= ~automaton.is_collapsible.take(symbols)
    keep = find_true(fresh)
    symbols, group = symbols.take(keep), group.take(keep)
    # A state times the number of symbols, plus a symbol, is the index of a transition in the flattened table.
    moves, width = automaton.transitions.reshape(-1), automaton.transitions.shape[1]
    lengths = np.bincount(group, minlength=groups)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if groups else np.zeros(0, np.int64)
    state = np.zeros(groups, np.int32)
    broke_at = np.full(groups, -1, np.int64)
    before = np.zeros(groups, np.int32)
    alive = find_true(lengths > 0)
    place = 0
    while len(alive):
        at = starts.take(alive) + place
        following = moves.take(state.take(alive) * width + symbols.take(at))
        broken = following == automaton.dead_state
        if has_any(broken):
            lost = alive.compress(broken)
            broke_at[lost], before[lost] = keep[at[broken]], state[lost]
        state[alive] = following
        place += 1
        alive = alive.compress(~broken & (lengths.take(alive) > place))
    return AutomatonRuns(last_state=state, rejected_event=broke_at, state_before=before)


MomentIdentity: TypeAlias = tuple[bytes, str, bytes]
"""Structure of an event, the grain, and the condition; checks of one milestone have them in common."""


class CompiledMilestone(Struct, frozen=True, kw_only=True, eq=False):
    """A milestone of a check, with what identifies it."""

    bounds: BoundedMilestone
    each: Literal["round", "seat"]
    """Grain of the check."""
    when: Condition | None
    """Condition of the check."""
    key: bytes
    """Structure of the check."""
    moment: MomentIdentity
    """Milestone that it is about; several checks may share it."""
    precedes_betting: bool
    """True in a game with betting, if a card that is dealt makes the milestone. The replay of the betting leaves out
    what is out of place there."""
    severity: Severity | None
    """Severity of its requirement if that is in force whenever the document is; None otherwise."""


class ActRuns(Struct, frozen=True, kw_only=True):
    """Acts of each of several milestones, as rows of a table of acts."""

    rows: Ints
    """Rows of the acts of the first milestone, then of the others; the last row of the table for one without acts."""
    starts: Ints
    """Index in `rows` of the first act of each milestone."""

    def find_least(self, values: Ints32) -> Ints32:
        """Return the smallest value of the acts of each milestone, int32[milestones, n], from int32[rows, n]."""
        result: Ints32 = np.minimum.reduceat(values.take(self.rows, axis=0), self.starts, axis=0)
        return result

    def find_largest(self, values: Ints32) -> Ints32:
        """Return the largest value of the acts of each milestone, as `find_least`."""
        result: Ints32 = np.maximum.reduceat(values.take(self.rows, axis=0), self.starts, axis=0)
        return result


class MilestoneGroup(Struct, frozen=True, kw_only=True, eq=False):
    """Milestones that are compared with acts in one pass over the columns of a batch."""

    numbers: tuple[int, ...]
    """Indices of the milestones among those of the game."""
    rows: Mapping[str, int]
    """Row of each act in the table of the group; one more row is for no act."""
    makers: ActRuns
    """Acts that make each milestone."""
    before: ActRuns
    """Acts that may not come after it."""
    after: ActRuns
    """Acts that may not come before it."""
    is_first: Flags
    """True if the first of the acts makes the milestone, bool[milestones, 1]."""
    returning: tuple[int, ...]
    """Indices in `numbers` of milestones that acts may pass again after a later event."""


def compile_milestone_group(
    milestones: Sequence[CompiledMilestone], grain: Literal["round", "seat"], *, precedes_betting: bool
) -> MilestoneGroup:
    """Compile the milestones of a grain that precede the betting, or the others.

    Acts before the betting have the first rows in both groups. The others depend on the betting, and that on the first.
    """
    of_grain = [milestone for milestone in milestones if milestone.each == grain]
    early, others = (
        dict.fromkeys(
            act
            for milestone in of_grain
            if milestone.precedes_betting == precedes
            for act in (*milestone.bounds.acts, *milestone.bounds.again_acts)
        )
        for precedes in (True, False)
    )
    rows = {act: row for row, act in enumerate(early if precedes_betting else early | others)}
    numbers = tuple(
        number
        for number, milestone in enumerate(milestones)
        if milestone.each == grain and milestone.precedes_betting == precedes_betting
    )
    bounds = [milestones[number].bounds for number in numbers]
    return MilestoneGroup(
        numbers=numbers,
        rows=rows,
        makers=_compile_runs(rows, [bound.at.acts for bound in bounds]),
        before=_compile_runs(rows, [bound.before for bound in bounds]),
        after=_compile_runs(rows, [bound.after for bound in bounds]),
        is_first=np.array([[bound.at.operator == "first"] for bound in bounds], bool).reshape(-1, 1),
        returning=tuple(index for index, bound in enumerate(bounds) if bound.again_after is not None),
    )


def _compile_runs(rows: Mapping[str, int], acts: Sequence[Sequence[str]]) -> ActRuns:
    runs = [[rows[act] for act in run] or [len(rows)] for run in acts]
    lengths = [0, *(len(run) for run in runs)]
    return ActRuns(
        rows=np.array([row for run in runs for row in run], np.int64),
        starts=np.cumsum(lengths[:-1], dtype=np.int64) if runs else np.zeros(0, np.int64),
    )


def compile_milestones(regulation: Regulation) -> tuple[CompiledMilestone, ...]:
    """Compile the milestones of all requirements, in the order in which acts that pass several are reported.

    That is the order of the game's file, then the order of the requirements.
    """
    game = regulation.game
    stated = [] if game is None else game.milestones
    names = [
        (_identify(milestone.at, milestone.each, milestone.when), requirement.requirement)
        for milestone in stated
        for requirement in milestone.requirements
    ]
    compiled = [
        (
            requirement.requirement,
            CompiledMilestone(
                bounds=bounds,
                each=check.each,
                when=check.when,
                key=check.identity,
                moment=_identify(bounds.at, check.each, check.when),
                precedes_betting=game is not None and game.precedes_betting(bounds.at),
                severity=requirement.severity if requirement.from_ is None and requirement.until is None else None,
            ),
        )
        for requirement in regulation.requirements
        if isinstance(check := requirement.check.operand, MilestoneCheck)
        for bounds in check.milestones
    ]
    places = {name: number for number, name in reversed(list(enumerate(names)))}
    compiled.sort(key=lambda entry: places.get((entry[1].moment, entry[0]), len(names)))
    return tuple(milestone for _, milestone in compiled)


def _identify(at: Moment, each: Literal["round", "seat"], when: Condition | None) -> MomentIdentity:
    return at.identity, each, b"" if when is None else when.identity
