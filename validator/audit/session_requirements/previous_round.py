"""Check `succession` with `must`: a condition on each round, or on each player, that refers to the previous round."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bounds, Flags, Ints, Tri
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.seat_history import Seated
from validator.audit.sessions.text import round_told, why_not_shown
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, Told, weigh
from validator.engine.compiled.game import Prepared
from validator.engine.core import kleene
from validator.engine.core.across import Across, spans
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.facts.next_seat import lie_between, next_numbers
from validator.language.conditions import Condition, Quantity, answered
from validator.language.wording import demanded, is_money, quantity_in_words, required_in_sentence
from validator.operators.arithmetic import Exactly
from validator.operators.comparisons import NumberIs
from validator.operators.logic import All, AnyOf, Connective
from validator.operators.names import Reading
from validator.operators.seats import NewPlayer
from validator.results.findings import Where
from validator.rules.core.visitor import walk
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import SuccessionCheck
from validator.text.values.money import format_money


def held_to_before(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Check a requirement that compares rounds with previous rounds, over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    items = _ComparedPlayers(rounds, requirement) if check.each == "player" else _ComparedRounds(rounds, requirement)
    when = kleene.constant(YES, len(items.place)) if check.when is None else items.across.truth(check.when, "when")
    holds = items.across.truth(check.must, "must")
    order = rounds.order
    # A check that refers to new players applies to them too, although they have no previous round.
    newcomers = check.each == "player" and _refers_to_new_players(check)
    begins = (order.opening & (order.gap == 0))[items.place]
    begins = np.zeros_like(begins) if newcomers else begins | (items.across.new == YES)
    statuses = weigh(np.minimum(when, asked_of(rounds, requirement)[items.place]), holds)
    statuses = np.where(begins, np.uint8(NOT_APPLICABLE), statuses)
    status = np.full(len(rounds), NOT_APPLICABLE, np.uint8)
    np.maximum.at(status, items.place, statuses)
    failing = np.flatnonzero(statuses == FAIL)
    undecided = _first_in_each_round(items.place, np.flatnonzero(statuses == NOT_EVIDENCED))
    gaps = dict(zip(items.place[undecided].tolist(), undecided.tolist(), strict=True))

    def describe_failure(failure: int) -> Told:
        item = int(failing[failure])
        return items.describe(prepared, check, item)

    def describe_gap(place: int) -> Told:
        item = gaps[place]
        why = why_not_shown(rounds, place, frozenset()) if rounds.order.gap[place] else None
        shown = items.describe(prepared, check, item)
        return replace(shown, observed=why or f"the evidence does not show it: {shown.observed}")

    failures = Lapses(places=items.place[failing], rounds=np.ones(len(failing), np.int64), told=describe_failure)
    return Outcome(marks=status, lapses=failures, gap=describe_gap)


def _first_in_each_round(place: Ints, items: Ints) -> Ints:
    """Return the first item of every round."""
    return items[np.unique(place[items], return_index=True)[1]]


def _refers_to_new_players(check: SuccessionCheck) -> bool:
    return any(isinstance(node, Condition) and isinstance(node.meaning, NewPlayer) for _, node in walk(check, ()))


def _is_previous_known(rounds: Gathered) -> Flags:
    """Return whether the round listed before each round is the one that was played before it.

    Returns:
        bool[rounds].
    """
    return (rounds.order.gap == 0) & ~rounds.order.first & ~rounds.order.opening


def _has_same_deck(rounds: Gathered, place: Ints) -> Tri:
    """Return whether rounds use the deck of the previous round.

    Returns:
        uint8[items].
    """
    deck = rounds.deck.codes
    known = _is_previous_known(rounds) & (deck != ABSENT) & (np.roll(deck, 1) != ABSENT)
    return kleene.where_known(deck == np.roll(deck, 1), known)[place]


def _find_next_seats(rounds: Gathered, start: Ints) -> Ints:
    """Return the number of the seat after each start, among the seats that take part.

    Returns:
        int64[rounds].
    """
    seats = rounds.seats
    assert seats is not None
    return next_numbers(seats.place[seats.playing], seats.number[seats.playing], start)


def _count_passed_over(rounds: Gathered, start: Ints, end: Ints) -> Bounds:
    """Count the players between two seats that take part now and took part in the previous round.

    Returns:
        int64[rounds], the minimum; int64[rounds], the maximum.
    """
    seats = rounds.seats
    assert seats is not None
    is_between = seats.playing & lie_between(seats.place, seats.number, start, end)
    low = np.bincount(seats.place[is_between & (seats.regular == YES)], minlength=len(rounds))
    doubtful = np.bincount(seats.place[is_between & (seats.regular == UNKNOWN)], minlength=len(rounds))
    return low, low + doubtful


class _ComparedItems:
    """Items that are compared with the previous round: rounds, or players of rounds."""

    __slots__ = ("_bounds", "_rounds", "_truths", "across", "place")

    def __init__(self, rounds: Gathered, place: Ints, across: Across) -> None:
        self._rounds, self.place, self.across = rounds, place, across
        # Values are computed for all items at once and cached.
        self._truths: dict[str, Tri] = {}
        self._bounds: dict[str, Bounds] = {}

    def where(self, item: int) -> Where:
        """Return the place of an item."""
        return self._rounds.where(int(self.place[item]))

    def round_before(self, item: int) -> int | None:
        """Return the place of the round that an item is compared with; None if there is none."""
        place = int(self.place[item])
        return None if not place or self._rounds.order.first[place] else place - 1

    def describe(self, prepared: Prepared, check: SuccessionCheck, item: int) -> Told:
        """Describe the condition on an item and the evidence."""
        place, previous = int(self.place[item]), self.round_before(item)
        parts = self._find_unmet(check.must, "must", item)
        facts = (fact for part, name in parts for fact in self._list_facts(prepared, part, name, item))
        observed = "; ".join(dict.fromkeys(facts))
        if previous is not None:
            observed += f" ({round_told(self._rounds, previous, place)} before)"
        expected = " and ".join(self._describe_condition(prepared, part, name, item) for part, name in parts)
        return Told(where=self.where(item), expected=expected, observed=observed)

    def _describe_condition(self, prepared: Prepared, condition: Condition, name: str, item: int) -> str:
        """Describe a condition on an item, with the numbers that are compared."""
        wording = condition.meaning.asked(prepared, condition.operand)
        if isinstance(condition.meaning, (All, AnyOf)) and isinstance(wording, str):
            parts: list[tuple[Condition, str | bool]] = []
            for number, part in enumerate(condition.operand):
                part_wording = part.meaning.asked(prepared, part.operand)
                part_text = (
                    part_wording
                    if isinstance(part_wording, bool)
                    else self._describe_condition(prepared, part, f"{name}.{number}", item)
                )
                parts.append((part, part_text))
            return str(condition.meaning.worded(parts))
        if isinstance(condition.meaning, NumberIs) and spans(condition) and isinstance(wording, str):
            wording = required_in_sentence(prepared, condition.operand)
            bound, name = condition.operand.operand, f"{name}.bound"
            value = self._format_figure(bound, name, item, money=is_money(prepared, condition.operand))
            return wording if isinstance(bound.meaning, Exactly) or "not shown" in value else f"{wording} ({value})"
        return demanded(prepared, condition)

    def _find_unmet(self, condition: Condition, name: str, item: int) -> list[tuple[Condition, str]]:
        """Return the parts of a conjunction that do not hold, each with its name; without any, the whole condition."""
        if not isinstance(condition.meaning, All):
            return [(condition, name)]
        parts = [(part, f"{name}.{number}") for number, part in enumerate(condition.operand)]
        unmet = [part for part in parts if self._truth(*part, item) != YES]
        return [inner for part, name in unmet for inner in self._find_unmet(part, name, item)] or [(condition, name)]

    def _truth(self, condition: Condition, name: str, item: int) -> int:
        if name not in self._truths:
            self._truths[name] = self.across.truth(condition, name)
        return int(self._truths[name][item])

    def _list_facts(self, prepared: Prepared, condition: Condition, name: str, item: int) -> Iterator[str]:
        operand = condition.operand
        match condition.meaning:
            case Reading():
                return  # a reading of the text is not evidence
            case All() if any(_is_other_reading(prepared, part) for part in operand):
                return
            case Connective() as connective:
                for number, part in enumerate(connective.parts(operand)):
                    yield from self._list_facts(prepared, part, f"{name}.{number}", item)
            case NumberIs() if spans(condition):
                money = is_money(prepared, operand)
                for side, quantity in (("of", operand.of), ("bound", operand.operand)):
                    yield from self._describe_value(prepared, quantity, f"{name}.{side}", item, money=money)
            case _:
                yield f"{demanded(prepared, condition)}: {answered(self._truth(condition, name, item))}"

    def _describe_value(
        self, prepared: Prepared, quantity: Quantity, name: str, item: int, *, money: bool
    ) -> Iterator[str]:
        if not isinstance(quantity.meaning, Exactly):
            value = self._format_figure(quantity, name, item, money=money)
            yield f"{quantity_in_words(prepared, quantity, money=money)}: {value}"

    def _format_figure(self, quantity: Quantity, name: str, item: int, *, money: bool) -> str:
        """Format a quantity of an item, or its known bounds."""
        if name not in self._bounds:
            self._bounds[name] = self.across.bounds(quantity, name)
        low, high = (int(end[item]) for end in self._bounds[name])
        texts = [format_money(bound) if money else str(bound) for bound in (low, high)]
        if low == high:
            return texts[0]
        if low <= -FAR:
            return "not shown" if high >= FAR else f"at most {texts[1]}"
        return f"at least {texts[0]}" if high >= FAR else " to ".join(texts)


def _is_other_reading(prepared: Prepared, condition: Condition) -> bool:
    """Return whether a condition is a reading of the text that is not in use."""
    return isinstance(condition.meaning, Reading) and condition.meaning.asked(prepared, condition.operand) is False


class _ComparedRounds(_ComparedItems):
    """Rounds as a whole."""

    __slots__ = ()

    def __init__(self, rounds: Gathered, requirement: Requirement) -> None:
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
        across = Across(
            column=column,
            before=before,
            new=new,
            same_deck=_has_same_deck(rounds, place),
            next_seat=next_seat,
            passed_over=passed_over,
        )
        super().__init__(rounds, place, across)


class _ComparedPlayers(_ComparedItems):
    """Players of every round."""

    __slots__ = ("_seats",)

    def __init__(self, rounds: Gathered, requirement: Requirement) -> None:
        assert rounds.seats is not None
        seats: Seated = rounds.seats
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

        across = Across(
            column=lambda name: rounds.seat_column(requirement.requirement, name),
            before=seats.before,
            new=seats.new,
            same_deck=_has_same_deck(rounds, seats.place),
            next_seat=next_seat,
            passed_over=passed_over,
        )
        super().__init__(rounds, seats.place, across)

    def where(self, item: int) -> Where:
        return replace(super().where(item), seat=int(self._seats.number[item]))

    def round_before(self, item: int) -> int | None:
        before = int(self.across.before[item])
        if before == ABSENT:
            return None if self.across.new[item] == YES else super().round_before(item)
        return int(self._seats.place[before])
