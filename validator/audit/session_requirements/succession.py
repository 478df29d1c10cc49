"""Check `succession`: each round compared with the previous round at the table."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bounds, Flags, Statuses, Tri
from validator.audit.session_requirements.decks_in_turn import decks_in_turn
from validator.audit.session_requirements.previous_round import held_to_before
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of
from validator.audit.sessions.play_order import Order
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.text import round_told, why_not_shown
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, Told, weigh
from validator.engine.compiled.game import Prepared
from validator.engine.core import kleene
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import NO, UNKNOWN
from validator.language.conditions import Quantity
from validator.language.wording import is_money, quantity_in_words
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import SuccessionCheck
from validator.text.values.money import format_money


def marks_of(order: Order, applies: Tri, holds: Tri, whatever: Flags | None = None) -> Statuses:
    """Return the status of each round compared with the previous one.

    Args:
        applies: whether the requirement applies to each round.
        holds: whether each round complies with the round listed before it.
        whatever: bool[rounds], whether it complies whatever a missing round shows.

    Returns:
        uint8[rounds].
    """
    previous = np.roll(applies, 1)
    is_applicable = np.where(order.first, applies, np.minimum(applies, previous))
    is_missing = (order.gap != 0) & (True if whatever is None else ~whatever)
    statuses = weigh(is_applicable, np.where(is_missing, np.uint8(UNKNOWN), holds))
    statuses = np.where(order.opening & ~is_missing, np.uint8(NOT_APPLICABLE), statuses)
    # It is not known whether the requirement applies to a missing round.
    statuses[is_missing & (applies != NO)] = NOT_EVIDENCED
    return statuses


def succession(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Check a requirement `succession` over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    if check.operator == "must":
        return held_to_before(prepared, rounds, requirement)
    pair = (
        _ComparedDecks(rounds, requirement)
        if check.operator == "deck"
        else _ComparedNumbers(prepared, rounds, requirement, check)
    )
    statuses = marks_of(rounds.order, asked_of(rounds, requirement), pair.holds(), pair.silent)
    places = np.flatnonzero(statuses == FAIL)

    def describe_failure(failure: int) -> Told:
        place = int(places[failure])
        expected, observed = pair.describe(place, round_told(rounds, place - 1, place))
        return Told(where=rounds.where(place), expected=expected, observed=observed)

    def describe_gap(place: int) -> Told:
        why = why_not_shown(rounds, place, frozenset()) if rounds.order.gap[place] else None
        observed = why or f"the evidence does not show: {pair.what}"
        return Told(where=rounds.where(place), expected=pair.describe_requirement(), observed=observed)

    failures = Lapses(places=places, rounds=np.ones(len(places), np.int64), told=describe_failure)
    return Outcome(marks=statuses, lapses=failures, gap=describe_gap)


class _ComparedDecks:
    """Decks of consecutive rounds."""

    __slots__ = ("_deck", "_holds", "_same", "silent", "what")

    def __init__(self, rounds: Gathered, requirement: Requirement) -> None:
        check: SuccessionCheck = requirement.check.operand
        self._deck, self._same = rounds.deck, check.deck == "same"
        self.what = "the deck in play" + ("" if self._same else ", and the other decks at the table")
        self.silent = np.zeros(len(rounds), bool)
        if not self._same:
            self._holds = decks_in_turn(rounds, check.received, check.removed)
            return
        deck = rounds.deck.codes
        several = rounds.column(requirement.requirement, "several-decks")
        # Without a record of several decks between two openings, the table has one deck.
        session_part = rounds.order.stretch()
        self.silent = (np.bincount(session_part, several | (deck != ABSENT)) == 0)[session_part]
        previous = np.roll(deck, 1)
        known = ~rounds.order.first & (deck != ABSENT) & (previous != ABSENT)
        self._holds = kleene.where_known(self.silent | (deck == previous), self.silent | known)

    def holds(self) -> Tri:
        return self._holds

    def describe_requirement(self) -> str:
        return f"{'the same deck as' if self._same else 'another deck than'} in the round before"

    def describe(self, place: int, before: str) -> tuple[str, str]:
        deck, last = self._deck.text(place), self._deck.text(place - 1)
        if self._same:
            return f"the deck of {before}, {last}", f"the deck {deck}"
        if deck == last:
            return f"another deck than in {before}", f"the deck {deck} again"
        return f"the deck that was in turn with that of {before}, {last}", f"a third deck, {deck}"


class _ComparedNumbers:
    """Quantity of each round, and the quantity of the previous round it is compared with."""

    __slots__ = ("_bound", "_check", "_money", "_of", "_prepared")

    what = "the numbers that are compared"
    silent = None

    def __init__(self, prepared: Prepared, rounds: Gathered, requirement: Requirement, check: SuccessionCheck) -> None:
        self._prepared, self._check = prepared, check
        self._money = is_money(prepared, check.number)
        self._of, self._bound = (_read_bounds(rounds, requirement, name) for name in ("of", "bound"))

    def holds(self) -> Tri:
        low, high = self._bound
        return self._check.number.bound.holds(self._of, (np.roll(low, 1), np.roll(high, 1)))

    def describe_requirement(self) -> str:
        number = self._check.number
        of, bound = self._describe_quantity(number.of), self._describe_quantity(number.operand)
        return f"{of}: {number.bound.words} {bound} of the round before"

    def describe(self, place: int, before: str) -> tuple[str, str]:
        bound, value = self._value(self._bound, place - 1), self._value(self._of, place)
        return (
            f"{self.describe_requirement()}: {bound} in {before}",
            f"{self._describe_quantity(self._check.number.of)}: {value}",
        )

    def _describe_quantity(self, quantity: Quantity) -> str:
        return quantity_in_words(self._prepared, quantity, money=self._money)

    def _value(self, range_: Bounds, place: int) -> str:
        low, high = (int(end[place]) for end in range_)
        texts = [format_money(bound) if self._money else str(bound) for bound in (low, high)]
        if low == high:
            return texts[0]
        return f"at most {texts[1]}" if low <= -FAR else f"at least {texts[0]}" if high >= FAR else " to ".join(texts)


def _read_bounds(rounds: Gathered, requirement: Requirement, name: str) -> Bounds:
    low, high = (rounds.column(requirement.requirement, f"{name}-{end}") for end in ("low", "high"))
    assert low is not None
    assert high is not None
    return low, high
