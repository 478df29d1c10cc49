"""Check `succession` with `must`: a condition on each round, or on each player, that refers to the previous round."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints, Truths
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.seat_history import SeatHistory
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, FindingDetails, combine_status
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.derived_contexts import PreviousRoundContext
from fairdeal.validator.engine.core.kleene import UNBOUNDED, UNKNOWN, YES
from fairdeal.validator.engine.facts.seat_layout import find_next_numbers, is_seat_between
from fairdeal.validator.language.grammar import iterate_models
from fairdeal.validator.language.phrases import format_range
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.operators.logic_operators import AllOf, AnyOf, Connective, ReadingInForce
from fairdeal.validator.operators.number_operators import FixedNumber, NumberIs
from fairdeal.validator.operators.operator_interface import format_truth
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.rule_renderer import (
    compares_money,
    describe_comparison,
    describe_condition,
    describe_quantity,
    list_undecided,
    read_condition,
)
from fairdeal.validator.operators.seat_operators import IsNewPlayer
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.procedure_model import SuccessionCheck
from fairdeal.validator.rules.requirement_model import Requirement


def compare_with_previous_round(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check a requirement that compares rounds with previous rounds, over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    items = _ComparedPlayers(rounds, requirement) if check.each == "player" else _ComparedRounds(rounds, requirement)
    when = kleene.constant(YES, len(items.place)) if check.when is None else items.across.evaluate(check.when, "when")
    holds = items.across.evaluate(check.must, "must")
    order = rounds.order
    # A check that refers to new players applies to them too, although they have no previous round.
    newcomers = check.each == "player" and _refers_to_new_players(check)
    begins = (order.opening & (order.gap == 0))[items.place]
    begins = np.zeros_like(begins) if newcomers else begins | (items.across.is_new_player == YES)
    statuses = combine_status(
        np.minimum(when, ordered_rounds.find_applicable_rounds(rounds, requirement)[items.place]), holds
    )
    statuses = np.where(begins, np.uint8(NOT_APPLICABLE), statuses)
    status = np.full(len(rounds), NOT_APPLICABLE, np.uint8)
    np.maximum.at(status, items.place, statuses)
    failing = np.flatnonzero(statuses == FAIL)
    undecided = _first_in_each_round(items.place, np.flatnonzero(statuses == NOT_EVIDENCED))
    gaps = dict(zip(items.place[undecided].tolist(), undecided.tolist(), strict=True))

    def describe_failure(failure: int) -> FindingDetails:
        item = int(failing[failure])
        return items.describe(prepared, check, item)

    def describe_gap(place: int) -> FindingDetails:
        item = gaps[place]
        why = ordered_rounds.explain_gap(rounds, place, frozenset()) if rounds.order.gap[place] else None
        shown = items.describe(prepared, check, item)
        return replace(shown, observed=why or f"the evidence does not show it: {shown.observed}")

    failures = ordered_rounds.SessionFailures(
        places=items.place[failing], rounds=np.ones(len(failing), np.int64), describe_failure=describe_failure
    )
    return ordered_rounds.SessionOutcome(status_codes=status, failures=failures, describe_gap=describe_gap)


def _first_in_each_round(place: Ints, items: Ints) -> Ints:
    """Return the first item of every round."""
    return items[np.unique(place[items], return_index=True)[1]]


def _refers_to_new_players(check: SuccessionCheck) -> bool:
    return any(
        isinstance(node, Condition) and isinstance(OPERATORS.find(node), IsNewPlayer) for node in iterate_models(check)
    )


def _is_previous_known(rounds: ordered_rounds.OrderedRounds) -> Flags:
    """Return whether the round listed before each round is the one that was played before it.

    Returns:
        bool[rounds].
    """
    return (rounds.order.gap == 0) & ~rounds.order.first & ~rounds.order.opening


def _has_same_deck(rounds: ordered_rounds.OrderedRounds, place: Ints) -> Truths:
    """Return whether rounds use the deck of the previous round.

    Returns:
        uint8[items].
    """
    deck = rounds.deck.codes
    known = _is_previous_known(rounds) & (deck != ABSENT) & (np.roll(deck, 1) != ABSENT)
    return kleene.where_known(deck == np.roll(deck, 1), known)[place]


def _find_next_seats(rounds: ordered_rounds.OrderedRounds, start: Ints) -> Ints:
    """Return the number of the seat after each start, among the seats that take part.

    Returns:
        int64[rounds].
    """
    seats = rounds.seats
    assert seats is not None
    return find_next_numbers(seats.place[seats.playing], seats.number[seats.playing], start)


def _count_passed_over(rounds: ordered_rounds.OrderedRounds, start: Ints, end: Ints) -> Bounds:
    """Count the players between two seats that take part now and took part in the previous round.

    Returns:
        int64[rounds], the minimum; int64[rounds], the maximum.
    """
    seats = rounds.seats
    assert seats is not None
    is_between = seats.playing & is_seat_between(seats.place, seats.number, start, end)
    low = np.bincount(seats.place[is_between & (seats.regular == YES)], minlength=len(rounds))
    doubtful = np.bincount(seats.place[is_between & (seats.regular == UNKNOWN)], minlength=len(rounds))
    return low, low + doubtful


class _ComparedItems:
    """Items that are compared with the previous round: rounds, or players of rounds."""

    __slots__ = ("_bounds", "_rounds", "_truths", "across", "place")

    def __init__(self, rounds: ordered_rounds.OrderedRounds, place: Ints, across: PreviousRoundContext) -> None:
        self._rounds, self.place, self.across = rounds, place, across
        # Values are computed for all items at once and cached.
        self._truths: dict[str, Truths] = {}
        self._bounds: dict[str, Bounds] = {}

    def where(self, item: int) -> EvidencePlace:
        """Return the place of an item."""
        return self._rounds.where(int(self.place[item]))

    def round_before(self, item: int) -> int | None:
        """Return the place of the round that an item is compared with; None if there is none."""
        place = int(self.place[item])
        return None if not place or self._rounds.order.first[place] else place - 1

    def describe(self, prepared: CompiledGame, check: SuccessionCheck, item: int) -> FindingDetails:
        """Describe the condition on an item and the evidence."""
        place, previous = int(self.place[item]), self.round_before(item)
        parts = self._find_unmet(check.must, "must", item)
        facts = (fact for part, name in parts for fact in self._list_facts(prepared, part, name, item))
        observed = "; ".join(dict.fromkeys(facts))
        if previous is not None:
            observed += f" ({ordered_rounds.describe_round(self._rounds, previous, place)} before)"
        expected = " and ".join(self._describe_condition(prepared, part, name, item) for part, name in parts)
        return FindingDetails(where=self.where(item), expected=expected, observed=observed)

    def _describe_condition(self, prepared: CompiledGame, condition: Condition, name: str, item: int) -> str:
        """Describe a condition on an item, with the numbers that are compared."""
        operator, operand = OPERATORS.find(condition), condition.operand
        if isinstance(operator, (AllOf, AnyOf)):
            parts, names = (
                list_undecided(prepared, operand),
                {part.identity: f"{name}.{at}" for at, part in enumerate(operand)},
            )
            texts = [(part, self._describe_condition(prepared, part, names[part.identity], item)) for part in parts]
            return operator.join_parts(texts) if texts else describe_condition(prepared, condition)
        if not isinstance(operator, NumberIs) or not OPERATORS.refers_to_previous_round(condition):
            return describe_condition(prepared, condition)
        text = describe_comparison(prepared, operand, required=True)
        low, high = self._find_bounds(operand.operand, f"{name}.bound", item)
        if isinstance(OPERATORS.find(operand.operand), FixedNumber) or (low, high) == (None, None):
            return text
        return f"{text} ({format_range(low, high, money=compares_money(prepared, operand))})"

    def _find_unmet(self, condition: Condition, name: str, item: int) -> list[tuple[Condition, str]]:
        """Return the parts of a conjunction that do not hold, each with its name; without any, the whole condition."""
        if not isinstance(OPERATORS.find(condition), AllOf):
            return [(condition, name)]
        parts = [(part, f"{name}.{number}") for number, part in enumerate(condition.operand)]
        unmet = [part for part in parts if self._truth(*part, item) != YES]
        return [inner for part, name in unmet for inner in self._find_unmet(part, name, item)] or [(condition, name)]

    def _truth(self, condition: Condition, name: str, item: int) -> int:
        if name not in self._truths:
            self._truths[name] = self.across.evaluate(condition, name)
        return int(self._truths[name][item])

    def _list_facts(self, prepared: CompiledGame, condition: Condition, name: str, item: int) -> Iterator[str]:
        operand = condition.operand
        match OPERATORS.find(condition):
            case ReadingInForce():
                return  # a reading of the text is not evidence
            case AllOf() if read_condition(prepared, condition) is False:
                return
            case Connective() as connective:
                for number, part in enumerate(connective.list_parts(operand)):
                    yield from self._list_facts(prepared, part, f"{name}.{number}", item)
            case NumberIs() if OPERATORS.refers_to_previous_round(condition):
                money = compares_money(prepared, operand)
                for side, quantity in (("of", operand.of), ("bound", operand.operand)):
                    if not isinstance(OPERATORS.find(quantity), FixedNumber):
                        value = format_range(*self._find_bounds(quantity, f"{name}.{side}", item), money=money)
                        yield f"{describe_quantity(prepared, quantity, money=money)}: {value}"
            case _:
                yield (f"{describe_condition(prepared, condition)}: {format_truth(self._truth(condition, name, item))}")

    def _find_bounds(self, quantity: Quantity, name: str, item: int) -> tuple[int | None, int | None]:
        """Return the known bounds of a quantity of an item."""
        if name not in self._bounds:
            self._bounds[name] = self.across.compute_bounds(quantity, name)
        low, high = (int(end[item]) for end in self._bounds[name])
        return None if low <= -UNBOUNDED else low, None if high >= UNBOUNDED else high


class _ComparedRounds(_ComparedItems):
    """Rounds as a whole."""

    __slots__ = ()

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        def column(name: str) -> NDArray[np.generic]:
            values = rounds.column(requirement.requirement, name)
            assert values is not None
            return values

        def next_seat(start: Ints) -> Ints:
            return _find_next_seats(rounds, start)

        def passed_over(start: Ints, end: Ints) -> Bounds:
            return _count_passed_over(rounds, start, end)

        place = np.arange(len(rounds), dtype=np.int64)
        before = np.where(_is_previous_known(rounds), place - 1, ABSENT)
        new = kleene.constant(UNKNOWN, len(rounds))
        across = PreviousRoundContext(
            operators=OPERATORS,
            column=column,
            previous_index=before,
            is_new_player=new,
            has_same_deck=_has_same_deck(rounds, place),
            find_next_seat=next_seat,
            count_between=passed_over,
        )
        super().__init__(rounds, place, across)


class _ComparedPlayers(_ComparedItems):
    """Players of every round."""

    __slots__ = ("_seats",)

    def __init__(self, rounds: ordered_rounds.OrderedRounds, requirement: Requirement) -> None:
        assert rounds.seats is not None
        seats: SeatHistory = rounds.seats
        self._seats = seats

        def by_round(numbers: Ints) -> Ints:
            by_number = np.zeros(len(rounds), np.int64)
            by_number[seats.place] = numbers
            return by_number

        def next_seat(start: Ints) -> Ints:
            return _find_next_seats(rounds, by_round(start))[seats.place]

        def passed_over(start: Ints, end: Ints) -> Bounds:
            low, high = _count_passed_over(rounds, by_round(start), by_round(end))
            return low[seats.place], high[seats.place]

        across = PreviousRoundContext(
            operators=OPERATORS,
            column=lambda name: rounds.seat_column(requirement.requirement, name),
            previous_index=seats.previous,
            is_new_player=seats.new,
            has_same_deck=_has_same_deck(rounds, seats.place),
            find_next_seat=next_seat,
            count_between=passed_over,
        )
        super().__init__(rounds, seats.place, across)

    def where(self, item: int) -> EvidencePlace:
        return replace(super().where(item), seat=int(self._seats.number[item]))

    def round_before(self, item: int) -> int | None:
        before = int(self.across.previous_index[item])
        if before == ABSENT:
            return None if self.across.is_new_player[item] == YES else super().round_before(item)
        return int(self._seats.place[before])
