"""The check `succession` with `must`: a statement on each round, or on each player, that speaks of the round before."""

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
    """Judge the check over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    items = _Players(rounds, requirement) if check.each == "player" else _Rounds(rounds, requirement)
    when = kleene.constant(YES, len(items.place)) if check.when is None else items.across.truth(check.when, "when")
    holds = items.across.truth(check.must, "must")
    order = rounds.order
    # Where the check asks for newcomers, they have nothing before and are held to that.
    newcomers = check.each == "player" and _speaks_of_newcomers(check)
    begins = (order.opening & (order.gap == 0))[items.place]
    begins = np.zeros_like(begins) if newcomers else begins | (items.across.new == YES)
    marks = weigh(np.minimum(when, asked_of(rounds, requirement)[items.place]), holds)
    marks = np.where(begins, np.uint8(NOT_APPLICABLE), marks)
    found = np.full(len(rounds), NOT_APPLICABLE, np.uint8)
    np.maximum.at(found, items.place, marks)
    failing = np.flatnonzero(marks == FAIL)
    open_ = _first_of_each(items.place, np.flatnonzero(marks == NOT_EVIDENCED))
    gaps = dict(zip(items.place[open_].tolist(), open_.tolist(), strict=True))

    def told(lapse: int) -> Told:
        item = int(failing[lapse])
        return items.told(prepared, check, item)

    def gap(place: int) -> Told:
        item = gaps[place]
        why = why_not_shown(rounds, place, frozenset()) if rounds.order.gap[place] else None
        shown = items.told(prepared, check, item)
        return replace(shown, observed=why or f"the evidence does not show it: {shown.observed}")

    lapses = Lapses(places=items.place[failing], rounds=np.ones(len(failing), np.int64), told=told)
    return Outcome(marks=found, lapses=lapses, gap=gap)


def _first_of_each(place: Ints, items: Ints) -> Ints:
    """Of some items the first of every round."""
    return items[np.unique(place[items], return_index=True)[1]]


def _speaks_of_newcomers(check: SuccessionCheck) -> bool:
    return any(isinstance(one, Condition) and isinstance(one.meaning, NewPlayer) for _, one in walk(check, ()))


def _known_before(rounds: Gathered) -> Flags:
    """bool[rounds]: whether the round listed before each one is the one that was played before it."""
    return (rounds.order.gap == 0) & ~rounds.order.first & ~rounds.order.opening


def _same_deck(rounds: Gathered, place: Ints) -> Tri:
    """uint8[items]: whether rounds are played with the deck of the round before."""
    deck = rounds.deck.codes
    known = _known_before(rounds) & (deck != ABSENT) & (np.roll(deck, 1) != ABSENT)
    return kleene.where_known(deck == np.roll(deck, 1), known)[place]


def _next_seat(rounds: Gathered, start: Ints) -> Ints:
    """int64[rounds]: the number of the seat that comes next after one, among those that take part."""
    seats = rounds.seats
    assert seats is not None
    return next_numbers(seats.place[seats.playing], seats.number[seats.playing], start)


def _passed_over(rounds: Gathered, start: Ints, end: Ints) -> Bounds:
    """int64[rounds] both: how many players between two seat numbers take part, and took part in the round before."""
    seats = rounds.seats
    assert seats is not None
    there = seats.playing & lie_between(seats.place, seats.number, start, end)
    low = np.bincount(seats.place[there & (seats.regular == YES)], minlength=len(rounds))
    doubtful = np.bincount(seats.place[there & (seats.regular == UNKNOWN)], minlength=len(rounds))
    return low, low + doubtful


class _Items:
    """What is judged one by one: `place` int64, the round of each; `across`, what all of them show."""

    __slots__ = ("_bounds", "_rounds", "_truths", "across", "place")

    def __init__(self, rounds: Gathered, place: Ints, across: Across) -> None:
        self._rounds, self.place, self.across = rounds, place, across
        # What is told of one is worked out for all, and kept for the next.
        self._truths: dict[str, Tri] = {}
        self._bounds: dict[str, Bounds] = {}

    def where(self, item: int) -> Where:
        """The place of one of them."""
        return self._rounds.where(int(self.place[item]))

    def round_before(self, item: int) -> int | None:
        """The place of the round that one of them is held against; None where there is none."""
        place = int(self.place[item])
        return None if not place or self._rounds.order.first[place] else place - 1

    def told(self, prepared: Prepared, check: SuccessionCheck, item: int) -> Told:
        """What is asked of one of them, and what is shown."""
        place, before = int(self.place[item]), self.round_before(item)
        parts = self._unmet(check.must, "must", item)
        facts = (fact for part, name in parts for fact in self._measured(prepared, part, name, item))
        observed = "; ".join(dict.fromkeys(facts))
        if before is not None:
            observed += f" ({round_told(self._rounds, before, place)} before)"
        expected = " and ".join(self._demanded(prepared, part, name, item) for part, name in parts)
        return Told(where=self.where(item), expected=expected, observed=observed)

    def _demanded(self, prepared: Prepared, condition: Condition, name: str, item: int) -> str:
        """What a condition asks of one of them, with the figures of comparisons."""
        worded = condition.meaning.asked(prepared, condition.operand)
        if isinstance(condition.meaning, (All, AnyOf)) and isinstance(worded, str):
            parts: list[tuple[Condition, str | bool]] = []
            for number, part in enumerate(condition.operand):
                asked = part.meaning.asked(prepared, part.operand)
                told = asked if isinstance(asked, bool) else self._demanded(prepared, part, f"{name}.{number}", item)
                parts.append((part, told))
            return str(condition.meaning.worded(parts))
        if isinstance(condition.meaning, NumberIs) and spans(condition) and isinstance(worded, str):
            worded = required_in_sentence(prepared, condition.operand)
            bound, name = condition.operand.operand, f"{name}.bound"
            value = self._figure(bound, name, item, money=is_money(prepared, condition.operand))
            return worded if isinstance(bound.meaning, Exactly) or "not shown" in value else f"{worded} ({value})"
        return demanded(prepared, condition)

    def _unmet(self, condition: Condition, name: str, item: int) -> list[tuple[Condition, str]]:
        """The parts that must all hold and do not, each with its name; the whole where there are none."""
        if not isinstance(condition.meaning, All):
            return [(condition, name)]
        parts = [(part, f"{name}.{number}") for number, part in enumerate(condition.operand)]
        unmet = [one for one in parts if self._truth(*one, item) != YES]
        return [found for part, name in unmet for found in self._unmet(part, name, item)] or [(condition, name)]

    def _truth(self, condition: Condition, name: str, item: int) -> int:
        if name not in self._truths:
            self._truths[name] = self.across.truth(condition, name)
        return int(self._truths[name][item])

    def _measured(self, prepared: Prepared, condition: Condition, name: str, item: int) -> Iterator[str]:
        operand = condition.operand
        match condition.meaning:
            case Reading():
                return  # how the text is read is no evidence
            case All() if any(_otherwise_read(prepared, part) for part in operand):
                return
            case Connective() as connective:
                for number, part in enumerate(connective.parts(operand)):
                    yield from self._measured(prepared, part, f"{name}.{number}", item)
            case NumberIs() if spans(condition):
                money = is_money(prepared, operand)
                for side, quantity in (("of", operand.of), ("bound", operand.operand)):
                    yield from self._value(prepared, quantity, f"{name}.{side}", item, money=money)
            case _:
                yield f"{demanded(prepared, condition)}: {answered(self._truth(condition, name, item))}"

    def _value(self, prepared: Prepared, quantity: Quantity, name: str, item: int, *, money: bool) -> Iterator[str]:
        if not isinstance(quantity.meaning, Exactly):
            value = self._figure(quantity, name, item, money=money)
            yield f"{quantity_in_words(prepared, quantity, money=money)}: {value}"

    def _figure(self, quantity: Quantity, name: str, item: int, *, money: bool) -> str:
        """A quantity of one of them, as far as it is shown."""
        if name not in self._bounds:
            self._bounds[name] = self.across.bounds(quantity, name)
        low, high = (int(end[item]) for end in self._bounds[name])
        texts = [format_money(one) if money else str(one) for one in (low, high)]
        if low == high:
            return texts[0]
        if low <= -FAR:
            return "not shown" if high >= FAR else f"at most {texts[1]}"
        return f"at least {texts[0]}" if high >= FAR else " to ".join(texts)


def _otherwise_read(prepared: Prepared, condition: Condition) -> bool:
    """Whether a condition is a reading of the text that is not the one in force."""
    return isinstance(condition.meaning, Reading) and condition.meaning.asked(prepared, condition.operand) is False


class _Rounds(_Items):
    """Rounds as a whole."""

    __slots__ = ()

    def __init__(self, rounds: Gathered, requirement: Requirement) -> None:
        def column(name: str) -> NDArray[np.generic]:
            found = rounds.column(requirement.requirement, name)
            assert found is not None
            return found

        def next_seat(start: Ints) -> Ints:
            return _next_seat(rounds, start)

        def passed_over(start: Ints, end: Ints) -> Bounds:
            return _passed_over(rounds, start, end)

        place = np.arange(len(rounds), dtype=np.int64)
        before = np.where(_known_before(rounds), place - 1, ABSENT)
        new = kleene.constant(UNKNOWN, len(rounds))
        across = Across(
            column=column,
            before=before,
            new=new,
            same_deck=_same_deck(rounds, place),
            next_seat=next_seat,
            passed_over=passed_over,
        )
        super().__init__(rounds, place, across)


class _Players(_Items):
    """The players of every round."""

    __slots__ = ("_seats",)

    def __init__(self, rounds: Gathered, requirement: Requirement) -> None:
        assert rounds.seats is not None
        seats: Seated = rounds.seats
        self._seats = seats

        def by_round(numbers: Ints) -> Ints:
            found = np.zeros(len(rounds), np.int64)
            found[seats.place] = numbers
            return found

        def next_seat(start: Ints) -> Ints:
            return _next_seat(rounds, by_round(start))[seats.place]

        def passed_over(start: Ints, end: Ints) -> Bounds:
            low, high = _passed_over(rounds, by_round(start), by_round(end))
            return low[seats.place], high[seats.place]

        across = Across(
            column=lambda name: rounds.seat_column(requirement.requirement, name),
            before=seats.before,
            new=seats.new,
            same_deck=_same_deck(rounds, seats.place),
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
