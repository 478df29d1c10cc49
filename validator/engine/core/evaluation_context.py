"""Contexts in which conditions and quantities are evaluated: batches of rounds, and cached facts about them.

Each fact is computed at the grain at which it is stated; `broadcast` carries it to finer grains. All results are
arrays with one entry per round, seat, stake or event.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.arrays import (
    ABSENT,
    Bounds,
    Flags,
    Ints,
    Ints32,
    Truths,
    are_all,
    find_true,
    has_any,
    look_up,
    np,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledCondition, CompiledGame, CompiledQuantity
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, UNKNOWN, YES, bounds_where_known, exact_bounds
from fairdeal.validator.language.grammar import Grain, Place
from fairdeal.validator.language.round_conditions import Condition, Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fairdeal.validator.evidence.columns.recorded_events import Boxes
    from fairdeal.validator.evidence.columns.round_batch import Batch, Hands

Result = TypeVar("Result")
Params = ParamSpec("Params")
Item = TypeVar("Item", bound="np.generic")
_MISSING: Any = object()
"""Value of a fact that is not computed yet."""


class ConditionEvaluator(Protocol):
    """Operator of a condition, as a context uses it; see `ConditionOperator` for arguments and results."""

    def evaluate(self, scope: EvaluationContext, operand: Any, grain: Grain) -> Truths:
        """Evaluate the condition for every item of its own grain."""
        ...

    def evaluate_items(self, scope: EvaluationContext, condition: Condition, grain: Grain, items: Ints) -> Truths:
        """Evaluate the condition for some items of its own grain."""
        ...

    def evaluate_whole_round(self, scope: EvaluationContext, operand: Any) -> Truths:
        """Evaluate a condition of a finer grain for the whole round, if the round alone decides it."""
        ...


class QuantityEvaluator(Protocol):
    """Operator of a quantity, as a context uses it; see `QuantityOperator` for arguments and results."""

    def compute_bounds(self, scope: EvaluationContext, operand: Any, grain: Grain) -> Bounds:
        """Return the bounds of the quantity for every item of its own grain, or of `grain` if it is constant."""
        ...

    def compute_bounds_of_items(self, scope: EvaluationContext, operand: Any, grain: Grain, items: Ints) -> Bounds:
        """Return the bounds of the quantity for some items of its own grain."""
        ...


class AssumedCondition(Struct, frozen=True, kw_only=True):
    """Condition under `evident` that was taken as false although the evidence leaves it open."""

    condition: Condition
    rounds: Flags
    """Rounds in which the condition is open, bool[rounds]."""


class EvaluationContext(Struct):
    """Context in which conditions and quantities are evaluated: a batch, its game and the licensee's configuration.

    Every result is cached, so that each condition is evaluated once.
    """

    batch: Batch
    """Rounds to evaluate, as columns."""
    compiled_game: CompiledGame
    """Game and regulation that apply to all rounds of the batch."""
    configuration: LicenseeConfiguration | None
    """Choices of the licensee; None if no submission is in force."""
    _memory: dict[Hashable, Any] = field(default_factory=dict)
    waived_checks: frozenset[bytes] = frozenset()
    """Structures of the checks that a waiver lifts for all rounds."""
    open_assumption: bytes | None = None
    """Value of conditions under `evident` where the evidence leaves them open: false if None, unknown if empty.

    If it is the identity of a condition on rounds, that condition holds wherever it is open. A condition on seats,
    stakes or events is then unknown, and all others under `evident` are false.
    """
    denied_conditions: frozenset[bytes] = frozenset()
    """Identities of conditions that are false wherever they are open, under `evident` or not."""

    def compute_once(self, key: Hashable, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, computed once per key."""
        found: Result = self._memory.get(key, _MISSING)
        if found is _MISSING:
            found = self._memory[key] = work()
        return found

    def assumed_conditions(self) -> dict[bytes, AssumedCondition]:
        """Return the conditions under `evident` that were taken as false without evidence, by identity.

        The mapping grows while conditions are evaluated.
        """
        return self.compute_once(("assumed",), dict)

    def record_open(self, condition: Condition, rounds: Ints32) -> None:
        """Record that a condition under `evident` is open in some rounds.

        A record without events is treated as regular in all that only events would show. A history of play is treated
        the same: it has no kind of event for what happens outside the play.

        Args:
            condition: the open condition.
            rounds: indices of the rounds.
        """
        result = self.assumed_conditions().setdefault(
            condition.identity, AssumedCondition(condition=condition, rounds=np.zeros(len(self.batch), bool))
        )
        from fairdeal.validator.evidence.columns.recorded_events import records_only_play  # noqa: PLC0415 - needs NumPy

        shown = self.batch.recorded & ~records_only_play(self.batch)
        result.rounds[rounds[shown[rounds]]] = True

    def assume_complete(self) -> EvaluationContext:
        """Return a context of the same rounds as if their records omitted no event."""
        rounds = len(self.batch)
        batch = replace(self.batch, unrecorded=np.zeros(rounds, np.uint64), complete=np.ones(rounds, bool))
        return EvaluationContext(batch, self.compiled_game, self.configuration, waived_checks=self.waived_checks)

    def with_assumption(
        self, rounds: Flags, supposed: bytes, denied: frozenset[bytes] = frozenset()
    ) -> EvaluationContext:
        """Return a context of some rounds with other assumptions about open conditions.

        Args:
            rounds: bool[rounds], the rounds to keep.
            supposed: as the field `open_assumption`.
            denied: as the field `denied_conditions`.
        """
        from fairdeal.validator.evidence.columns.round_batch import select_rounds  # noqa: PLC0415 - needs NumPy

        batch = select_rounds(self.batch, rounds)
        return EvaluationContext(
            batch,
            self.compiled_game,
            self.configuration,
            waived_checks=self.waived_checks,
            open_assumption=supposed,
            denied_conditions=denied,
        )

    def set_fact(self, of: Callable[..., Result], value: Result, *asked: Hashable) -> None:
        """Store a fact as known: in the middle of play, events do not show it yet."""
        self._memory[of, asked] = value

    def evaluate(self, condition: Condition | None, grain: Grain) -> Truths:
        """Evaluate a condition for each item of a grain; an omitted condition holds.

        The context evaluates each condition once, at its coarsest grain, and then broadcasts the result.

        Returns:
            uint8[n].
        """
        if condition is None:
            return kleene.constant(kleene.YES, self.count_items(grain))
        compiled = self.compiled_game.compile_condition(condition)
        truth = self._truth(compiled)
        return truth if compiled.grain == grain else self.broadcast(truth, compiled.grain, grain)

    def _truth(self, condition: CompiledCondition) -> Truths:
        """Evaluate a condition for each item of its own grain."""
        memory, identity, own = self._memory, condition.identity, condition.grain
        result: Truths | None = memory.get(condition)
        if result is None:
            evaluator: ConditionEvaluator = condition.operator
            result = memory[condition] = (
                evaluator.evaluate(self, condition.operand, own)
                if condition.decided == UNKNOWN
                else kleene.constant(condition.decided, self.count_items(own))
            )
        if self.open_assumption and own == "round" and identity == self.open_assumption:
            return kleene.from_flags(result != kleene.NO)
        return kleene.from_flags(result == kleene.YES) if identity in self.denied_conditions else result

    def unknown_values(self, grain: Grain) -> Truths:
        """Return unknown for each item of a grain.

        Returns:
            uint8[n].
        """
        return kleene.constant(kleene.UNKNOWN, self.count_items(grain))

    def has_evaluated(self, condition: CompiledCondition) -> bool:
        """Return whether a condition was evaluated before."""
        return condition in self._memory

    def evaluate_whole_round(self, condition: Condition | None) -> Truths:
        """Evaluate a condition for a whole round, whatever its seats, stakes and events are.

        Returns:
            uint8[rounds], unknown where the value depends on seats, stakes or events.
        """
        if condition is None:
            return self.evaluate(condition, "round")
        compiled = self.compiled_game.compile_condition(condition)
        if compiled.grain == "round":
            return self.evaluate(condition, "round")
        evaluator: ConditionEvaluator = compiled.operator
        return evaluator.evaluate_whole_round(self, condition.operand)

    def compute_bounds(self, quantity: Quantity, grain: Grain) -> Bounds:
        """Return the least and the largest possible value of a quantity for each item of a grain.

        Returns:
            int64[n] each, the same array twice if all values are known; `UNBOUNDED` where the evidence sets no bound.
        """
        compiled = self.compiled_game.compile_quantity(quantity)
        if compiled.is_constant:
            evaluator: QuantityEvaluator = compiled.operator
            return evaluator.compute_bounds(self, compiled.operand, grain)
        own = compiled.grain
        low, high = self._bounds(compiled)
        if own == grain:
            return low, high
        if own == "seat" and grain == "event":
            return self._of_events(low, high)
        spread = self.broadcast(low, own, grain)
        return spread, spread if low is high else self.broadcast(high, own, grain)

    def _bounds(self, quantity: CompiledQuantity) -> Bounds:
        """Return the bounds of a quantity for each item of its own grain."""
        evaluator: QuantityEvaluator = quantity.operator
        return evaluator.compute_bounds(self, quantity.operand, quantity.grain)

    def _of_events(self, low: Ints, high: Ints) -> Bounds:
        """Carry bounds of seats to events; the bounds of an event without a seat are open."""
        seat = self.seats_of("event")
        named = seat != ABSENT
        if not len(low):
            return bounds_where_known(named, np.zeros(len(seat), np.int64))
        if are_all(named) and low is high:
            return exact_bounds(low[seat])
        return np.where(named, low[seat], -UNBOUNDED), np.where(named, high[seat], UNBOUNDED)

    def evaluate_numbers(self, quantity: Quantity, grain: Grain) -> tuple[Ints, Flags]:
        """Return a quantity for each item of a grain, and whether it is known.

        Returns:
            int64[n]; bool[n].
        """
        low, high = self.compute_bounds(quantity, grain)
        return low, np.ones(len(low), bool) if low is high else low == high

    def count_items(self, grain: Grain) -> int:
        """Return the number of rounds, seats, stakes or events of the batch."""
        match grain:
            case "round":
                return len(self.batch)
            case "seat":
                return len(self.batch.seats.round)
            case "stake":
                return len(self.batch.stakes.seat)
            case _:
                return len(self.batch.events.round)

    def rounds_of(self, grain: Grain) -> Ints32:
        """Return the round of each item of a grain.

        Returns:
            int32[n].
        """
        match grain:
            case "round":
                return self.compute_once(("rounds",), lambda: np.arange(len(self.batch), dtype=np.int32))
            case "seat":
                return self.batch.seats.round
            case "stake":
                return self.compute_once(("stake-rounds",), lambda: self.batch.seats.round[self.batch.stakes.seat])
            case _:
                return self.batch.events.round

    def seats_of(self, grain: Grain) -> Ints32:
        """Return the seat of each seat, stake or event; ABSENT for an event without a seat.

        Returns:
            int32[n].
        """
        match grain:
            case "seat":
                return self.compute_once(("seats",), lambda: np.arange(self.count_items("seat"), dtype=np.int32))
            case "stake":
                return self.batch.stakes.seat
            case "event":
                return self.batch.events.seat
            case _:
                raise ValueError("a round has no single seat")

    def broadcast(self, values: NDArray[Item], own: Grain, grain: Grain) -> NDArray[Item]:
        """Carry values of a coarser grain to a finer one; an event without a seat gets zero (no)."""
        if own == grain:
            return values
        if own == "round":
            return values.repeat(self._items_of_rounds(grain))
        if grain == "stake":
            return values.take(self.seats_of(grain))
        return look_up(values, self.seats_of(grain), 0)

    def _items_of_rounds(self, grain: Grain) -> Ints:
        """Return how many items of a grain each round has; items of a round are adjacent, in round order."""

        def count() -> Ints:
            match grain:
                case "seat":
                    return np.diff(self.batch.seats.offsets)
                case "event":
                    return np.diff(self.batch.events.offsets)
                case _:
                    return np.bincount(self.rounds_of(grain), minlength=self.count_items("round"))

        return self.compute_once(("items-of-rounds", grain), count)

    def stake_indices(self, line: str) -> Ints:
        """Return the indices of the stakes on a wager or bonus, tips included, in log order.

        A wager that is listed as a bonus, or a bonus as a wager, is on no line of the game.
        """
        stakes = self.batch.stakes
        bonus = line in self.compiled_game.game.bonuses
        return self.compute_once(
            ("stakes", line),
            lambda: find_true((stakes.wager.codes == stakes.wager.code(line)) & (stakes.bonus == bonus)),
        )

    def staked_amounts(self, line: str, *, tip: bool) -> Ints:
        """Return what each seat staked on a line, on all selections, as its own stakes or as tips; 0 if nothing.

        Returns:
            int64[seats].
        """

        def scatter() -> Ints:
            stakes = self.batch.stakes
            chosen = self.stake_indices(line)
            chosen = chosen.compress(stakes.tip.take(chosen) == tip)
            values = np.zeros(self.count_items("seat"), np.int64)
            # A seat has several stakes on a wager only if their selections differ.
            if line in self.compiled_game.selections:
                np.add.at(values, stakes.seat.take(chosen), stakes.amount.take(chosen))
            else:
                values[stakes.seat.take(chosen)] = stakes.amount.take(chosen)
            return values

        return self.compute_once(("amount", line, tip), scatter)

    def dealt_hands(self, place: Place) -> Hands:
        """Return the cards dealt to a place: one row per seat for `player`, one row per round for the others.

        A hand that was split has the cards that it holds after the splits.
        """

        from fairdeal.validator.evidence.columns.recorded_events import apply_splits, collect_dealt_cards  # noqa: PLC0415 - needs NumPy

        def look() -> Hands:
            later = any(place in (stage.cards or ()) for stage in self.compiled_game.game.deal.stages[1:])
            dealt = collect_dealt_cards(self.batch, place, at_once=not later)
            return apply_splits(self.boxes, dealt) if place == "player" else dealt

        return self.compute_once(("dealt", place), look)

    @property
    def boxes(self) -> Boxes:
        """Return the boxes that hands belong to after splits."""
        from fairdeal.validator.evidence.columns.recorded_events import find_boxes  # noqa: PLC0415 - needs NumPy

        return self.compute_once(("boxes",), lambda: find_boxes(self.batch))

    def set_dealt_hands(self, place: Place, hands: Hands) -> None:
        """Replace the cards dealt to a place by those that it had at some moment, before anything is evaluated."""
        self._memory["dealt", place] = hands


def cached_fact(
    compute: Callable[Concatenate[EvaluationContext, Params], Result],
) -> Callable[Concatenate[EvaluationContext, Params], Result]:
    """Cache the result of a function of a context, once per combination of its other arguments.

    These arguments must be hashable.
    """

    @wraps(compute)
    def get_cached(scope: EvaluationContext, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        key = (get_cached, args, *kwargs.items()) if kwargs else (get_cached, args)
        memory = scope._memory
        found: Result = memory.get(key, _MISSING)  # as `compute_once`, which takes longer than most lookups
        if found is _MISSING:
            found = memory[key] = compute(scope, *args, **kwargs)
        return found

    return get_cached


def cached_by_terms(
    compute: Callable[Concatenate[CompiledGame, LicenseeConfiguration | None, Params], Result],
) -> Callable[Concatenate[EvaluationContext, Params], Result]:
    """Cache the result of a function of a game and the licensee's configuration for all contexts of both.

    Further arguments are as for `cached_fact`.
    """

    @wraps(compute)
    def get_cached(scope: EvaluationContext, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        key, memory = (get_cached, args, *kwargs.items()), scope.compiled_game.terms.recall(scope.configuration)
        found: Result = memory.get(key, _MISSING)
        if found is _MISSING:
            found = memory[key] = compute(scope.compiled_game, scope.configuration, *args, **kwargs)
        return found

    return get_cached


class ConditionalCase(Protocol):
    """Case of a list; it applies to the rounds that fulfil its condition, or to all rounds without a condition."""

    @property
    def when(self) -> Condition | None:
        """Return the condition of the case."""
        ...


AnyConditionalCase = TypeVar("AnyConditionalCase", bound=ConditionalCase)


def select_first_case(
    scope: EvaluationContext,
    cases: Sequence[AnyConditionalCase],
    value: Callable[[AnyConditionalCase], tuple[NDArray[Item], Flags]],
    otherwise: NDArray[Item],
) -> tuple[NDArray[Item], Flags]:
    """Return the value of the first case that holds in each round, and whether it is known.

    Args:
        value: returns the values of a case, and where they are known.
        otherwise: values of rounds in which no case holds.
    """
    result, known = otherwise.copy(), np.ones(len(otherwise), bool)
    waiting = np.ones(len(otherwise), bool)
    for case in cases:
        if case.when is None:
            holds, fails = waiting, np.zeros_like(waiting)
        else:
            truth = scope.evaluate(case.when, "round")
            holds, fails = waiting & (truth == YES), waiting & (truth == NO)
        known &= ~waiting | fails
        if has_any(holds):
            values, recorded = value(case)
            result = np.where(holds, values, result)
            known |= holds & recorded
        waiting = fails
        if not has_any(waiting):
            break
    return result, known
