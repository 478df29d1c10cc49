"""The check `succession`: each round held against the round before it at the table."""

from __future__ import annotations

import numpy as np

from validator.checks.marks import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, Marks, Told, weigh
from validator.checks.sessions.gathered import Gathered
from validator.checks.sessions.order import Order
from validator.checks.sessions.outcome import Lapse, Outcome, asked_of
from validator.checks.sessions.telling import round_told, why_not_shown
from validator.evidence.columns import ABSENT
from validator.play import tri
from validator.play.conditions import compared
from validator.play.prepared import Prepared
from validator.play.quantities import FAR, Bounds
from validator.play.tri import NO, UNKNOWN, Tri
from validator.play.words import BOUNDS, is_money, quantity_in_words
from validator.rulebook.language.requirement import Requirement
from validator.rulebook.language.sessions import SuccessionCheck
from validator.text.money import format_money


def marks_of(order: Order, applies: Tri, holds: Tri) -> Marks:
    """uint8[rounds]: `holds` says how each round stands to the one listed before it."""
    before = np.roll(applies, 1)
    spoken = np.where(order.first, applies, np.minimum(applies, before))
    missing = order.gap != 0
    marks = weigh(spoken, np.where(missing, np.uint8(UNKNOWN), holds))
    marks = np.where(order.opening & ~missing, np.uint8(NOT_APPLICABLE), marks)
    # Of a round that is missing nobody knows whether it was spoken of.
    marks[missing & (applies != NO)] = NOT_EVIDENCED
    return marks


def succession(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Judge the check over all sessions."""
    check: SuccessionCheck = requirement.check.operand
    decks = check.operator == "deck"
    holds = _of_decks(rounds, check) if decks else _of_numbers(rounds, requirement, check)
    marks = marks_of(rounds.order, asked_of(rounds, requirement), holds)

    def told(place: int) -> Told:
        if decks:
            deck = rounds.deck.text(place - 1)
            same = f"the deck of {round_told(rounds, place - 1, place)}, {deck}"
            return Told(
                where=rounds.where(place),
                expected=same
                if check.deck == "same"
                else f"another deck than in {round_told(rounds, place - 1, place)}",
                observed=f"the deck {rounds.deck.text(place)}" if check.deck == "same" else f"the deck {deck} again",
            )
        money = is_money(check.number)
        of = _value(_range(rounds, requirement, "of"), place, money=money)
        bound = _value(_range(rounds, requirement, "bound"), place - 1, money=money)
        return Told(
            where=rounds.where(place),
            expected=f"{_demanded(prepared, check)}: {bound} in {round_told(rounds, place - 1, place)}",
            observed=f"{quantity_in_words(prepared, check.number.of, money=money)}: {of}",
        )

    def gap(place: int) -> Told:
        expected = (
            f"{'the same' if check.operand == 'same' else 'another'} deck" if decks else _demanded(prepared, check)
        )
        why = why_not_shown(rounds, place, frozenset())
        what = "which deck was in play" if decks else "the numbers that are compared"
        return Told(
            where=rounds.where(place),
            expected=f"{expected} as in the round before" if decks and check.deck == "same" else expected,
            observed=why if why is not None and rounds.order.gap[place] else f"the evidence does not show: {what}",
        )

    lapses = [
        Lapse(place=place, rounds=1, told=lambda place=place: told(place))  # type: ignore[misc]
        for place in np.flatnonzero(marks == FAIL).tolist()
    ]
    return Outcome(marks=marks, lapses=lapses, gap=gap)


def _of_decks(rounds: Gathered, check: SuccessionCheck) -> Tri:
    deck = rounds.deck.codes
    before = np.roll(deck, 1)
    fits = (deck == before) if check.deck == "same" else (deck != before)
    return tri.where_known(fits, (deck != ABSENT) & (before != ABSENT))


def _of_numbers(rounds: Gathered, requirement: Requirement, check: SuccessionCheck) -> Tri:
    low, high = _range(rounds, requirement, "bound")
    before = np.roll(low, 1), np.roll(high, 1)
    return compared(check.number.operator, _range(rounds, requirement, "of"), before)


def _range(rounds: Gathered, requirement: Requirement, name: str) -> Bounds:
    low, high = (rounds.column(requirement.requirement, f"{name}-{end}") for end in ("low", "high"))
    assert low is not None
    assert high is not None
    return low, high


def _value(range_: Bounds, place: int, *, money: bool) -> str:
    low, high = (int(end[place]) for end in range_)
    texts = [format_money(one) if money else str(one) for one in (low, high)]
    if low == high:
        return texts[0]
    return f"at most {texts[1]}" if low <= -FAR else f"at least {texts[0]}" if high >= FAR else " to ".join(texts)


def _demanded(prepared: Prepared, check: SuccessionCheck) -> str:
    money = is_money(check.number)
    of = quantity_in_words(prepared, check.number.of, money=money)
    bound = quantity_in_words(prepared, check.number.operand, money=money)
    return f"{of}: {BOUNDS[check.number.operator]} {bound} of the round before"
