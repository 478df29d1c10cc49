"""The meaning of every operator a condition can have: from facts of a scope to yes, no and unknown.

Each operator is worked out once, at the coarsest grain it speaks at, and then spread to the grain asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.cards.ranking import CompiledRanking
from validator.evidence.columns import ABSENT, Batch
from validator.evidence.events import ACTORS, FACES
from validator.play import tri
from validator.play.configuration import Configuration
from validator.play.prepared import Prepared
from validator.play.quantities import beside, numbers
from validator.play.scope import UNRANKED, Scope
from validator.play.steps import step_recorded
from validator.play.tri import NO, UNKNOWN, YES, Tri
from validator.rulebook.grain import Grain
from validator.rulebook.language.conditions import (
    Compare,
    Comparison,
    Condition,
    EventHas,
    Holds,
    OptionIs,
    ReadingIs,
)

Flags = NDArray[np.bool_]


NO_DECISION = "none"
"""What a log writes where it is known that a seat took no decision."""


def open_scope(batch: Batch, prepared: Prepared, configuration: Configuration | None) -> Scope:
    """A batch opened for questions under a game and a licensee's configuration, if one was given."""
    return Scope(batch=batch, prepared=prepared, configuration=configuration, judge=truth)


def truth(scope: Scope, condition: Condition, grain: Grain) -> Tri:
    """uint8[n]: whether the condition holds for each item of a grain."""
    own = scope.prepared.grain(condition)
    value = scope.once(("truth", id(condition)), lambda: _OPERATORS[condition.operator](scope, condition.operand, own))
    return scope.spread(value, own, grain)


def holds_everywhere(scope: Scope, condition: Condition | None, grain: Grain) -> Tri:
    """The truth of a condition that may be left out: without one, yes."""
    return tri.constant(YES, scope.length(grain)) if condition is None else truth(scope, condition, grain)


def _all(scope: Scope, parts: list[Condition], grain: Grain) -> Tri:
    return tri.every([truth(scope, part, grain) for part in parts])


def _any(scope: Scope, parts: list[Condition], grain: Grain) -> Tri:
    return tri.some([truth(scope, part, grain) for part in parts])


def _not(scope: Scope, part: Condition, grain: Grain) -> Tri:
    return tri.negated(truth(scope, part, grain))


def _fact(scope: Scope, name: str, grain: Grain) -> Tri:
    return truth(scope, scope.prepared.game.facts[name], grain)


def _placed(scope: Scope, line: str, grain: Grain) -> Tri:
    return _staked(scope, line, tip=False)


def _tipped(scope: Scope, line: str, grain: Grain) -> Tri:
    return _staked(scope, line, tip=True)


def _staked(scope: Scope, line: str, *, tip: bool) -> Tri:
    if line != "this":
        return tri.known(scope.amount(line, tip=tip) > 0)
    return tri.known(beside(scope, tip=tip) > 0)


def _decided(scope: Scope, decision: str, grain: Grain) -> Tri:
    seats = scope.batch.seats
    game = scope.prepared.game
    silent = seats.decision.codes == ABSENT
    value = tri.known(seats.decision.codes == seats.decision.code(decision))
    places = game.decisions[decision].places
    if places is not None:
        # Where the log names no decision, the stake that goes with it still shows it.
        return np.where(silent, tri.known(scope.amount(places, tip=False) > 0), value)
    others = [one.places for one in game.decisions.values() if one.places is not None]
    acted = np.zeros(len(silent), bool)
    for line in others:
        acted |= scope.amount(line, tip=False) > 0
    untold = silent & ~acted & ~step_recorded(scope, ["decide"])[seats.round]
    return np.where(untold, np.uint8(UNKNOWN), value)


def _decision_is_open(scope: Scope, operand: bool, grain: Grain) -> Tri:
    """Whether the seat's decision, if the log names one, is one of the game's that is open to it."""
    decision = scope.batch.seats.decision
    value = tri.known((decision.codes == ABSENT) | (decision.codes == decision.code(NO_DECISION)))
    for name, one in scope.prepared.game.decisions.items():
        taken = tri.known(decision.codes == decision.code(name))
        value = np.maximum(value, np.minimum(taken, truth(scope, one.open_to, "seat")))
    return value


def _holds(scope: Scope, operand: Holds, grain: Grain) -> Tri:
    ranking = scope.prepared.hands[operand.hand].ranking
    strength = scope.strength(operand.hand)
    low, high = ranking.span(operand.operand)
    fits = strength >= low
    if operand.operator == "is":
        fits &= strength < high
    return tri.where_known(fits, strength != UNRANKED)


def _compare(scope: Scope, operand: Compare, grain: Grain) -> Tri:
    game = scope.prepared.game
    sides = []
    for hand in (operand.hand, operand.to):
        own: Grain = "seat" if "player" in game.hands[hand].from_ else "round"
        sides.append(scope.spread(scope.strength(hand), own, grain))
    one, other = sides
    evident = (one != UNRANKED) & (other != UNRANKED)
    match operand.is_:
        case "higher":
            return tri.where_known(one > other, evident)
        case "lower":
            return tri.where_known(one < other, evident)
        case _:
            return tri.where_known(one == other, evident)


def _number(scope: Scope, operand: Comparison, grain: Grain) -> Tri:
    value, value_known = numbers(scope, operand.of, grain)
    bound, bound_known = numbers(scope, operand.operand, grain)
    return tri.where_known(compared(operand.operator, value, bound), value_known & bound_known)


def compared(operator: str, value: NDArray[Any], bound: NDArray[Any]) -> Flags:
    """bool[n]: values held against bounds by an operator of `Comparison`."""
    match operator:
        case "equals":
            found: Flags = value == bound
        case "differs-from":
            found = value != bound
        case "at-least":
            found = value >= bound
        case "at-most":
            found = value <= bound
        case _:
            found = value > bound
    return found


def _some_seat(scope: Scope, part: Condition, grain: Grain) -> Tri:
    return tri.highest(truth(scope, part, "seat"), scope.batch.seats.round, scope.length("round"))


def _every_seat(scope: Scope, part: Condition, grain: Grain) -> Tri:
    negated = tri.negated(truth(scope, part, "seat"))
    return tri.negated(tri.highest(negated, scope.batch.seats.round, scope.length("round")))


def _wager_is(scope: Scope, lines: list[str], grain: Grain) -> Tri:
    stakes, bonuses = scope.batch.stakes, scope.prepared.game.bonuses
    as_wager = stakes.wager.among([line for line in lines if line not in bonuses]) & ~stakes.bonus
    as_bonus = stakes.wager.among([line for line in lines if line in bonuses]) & stakes.bonus
    return tri.known(as_wager | as_bonus)


def _is_tip(scope: Scope, operand: bool, grain: Grain) -> Tri:
    return tri.known(scope.batch.stakes.tip)


def _offered(scope: Scope, line: str, grain: Grain) -> Tri:
    offers = None if scope.configuration is None else scope.configuration.offers
    if offers is None:
        return tri.constant(UNKNOWN, scope.length(grain))
    if line != "this":
        return tri.constant(YES if line in offers else NO, scope.length(grain))
    wager = scope.batch.stakes.wager
    return tri.known(np.array([name in offers for name in wager.names], bool)[wager.codes])


def _takes_tips(scope: Scope, line: str, grain: Grain) -> Tri:
    offers = {} if scope.configuration is None else scope.configuration.offers or {}

    def stated(name: str) -> int:
        taken = offers[name].tips if name in offers else None
        return UNKNOWN if taken is None else YES if taken else NO

    if line != "this":
        return tri.constant(stated(line), scope.length(grain))
    wager = scope.batch.stakes.wager
    return np.array([stated(name) for name in wager.names], np.uint8)[wager.codes]


def _option(scope: Scope, operand: OptionIs, grain: Grain) -> Tri:
    options = {} if scope.configuration is None else scope.configuration.options
    if operand.name not in options:
        return tri.constant(UNKNOWN, scope.length(grain))
    return tri.constant(YES if options[operand.name] == operand.is_ else NO, scope.length(grain))


def _reading(scope: Scope, operand: ReadingIs, grain: Grain) -> Tri:
    applies = scope.prepared.regulation.applies(operand.name, operand.is_)
    return tri.constant(YES if applies else NO, scope.length(grain))


def _cards_from_deck(scope: Scope, operand: bool, grain: Grain) -> Tri:
    fits, whole = scope.deck_holds()
    return np.where(fits & ~whole, np.uint8(UNKNOWN), tri.known(fits))


def _event(scope: Scope, operand: EventHas, grain: Grain) -> Tri:
    events = scope.batch.events
    parts: list[Tri] = []
    for codes, choices, wanted in (
        (events.face, FACES, operand.face),
        (events.by, ACTORS, operand.by),
    ):
        if wanted is not None:
            parts.append(tri.where_known(codes == choices.index(wanted), codes != ABSENT))
    if operand.cards is not None or operand.arranged_as is not None:
        rows = events.cards_row
        shown = rows != ABSENT
        if operand.cards is not None:
            count = np.where(shown, _at(events.hands.count, rows), ABSENT)
            parts.append(tri.where_known(count == operand.cards, shown))
        if operand.arranged_as is not None:
            parts.append(_arranged(scope, operand.arranged_as, rows, shown))
    return tri.every(parts) if parts else tri.constant(YES, scope.length("event"))


def _at(values: NDArray[Any], rows: NDArray[np.int32]) -> NDArray[Any]:
    """Values picked by row, anything where the row is ABSENT."""
    return values[rows] if len(values) else np.zeros(len(rows), values.dtype)


def _arranged(scope: Scope, hand: str, rows: NDArray[np.int32], shown: Flags) -> Tri:
    ranking = scope.prepared.hands[hand].ranking
    value = tri.constant(UNKNOWN, scope.length("event"))
    if not isinstance(ranking, CompiledRanking):
        return value
    hands = scope.batch.events.hands
    # Only events that show a whole hand can be arranged; ranking every dealt card would be waste.
    full = np.flatnonzero(shown)
    full = full[hands.count[rows[full]] == ranking.size]
    cards = hands.cards[rows[full], : ranking.size]
    value[full] = tri.where_known(ranking.arranged(cards), ranking.strength(cards) != UNRANKED)
    return value


_OPERATORS: dict[str, Callable[[Scope, Any, Grain], Tri]] = {
    "all": _all,
    "any": _any,
    "not": _not,
    "fact": _fact,
    "placed": _placed,
    "tipped": _tipped,
    "decided": _decided,
    "decision-is-open": _decision_is_open,
    "holds": _holds,
    "compare": _compare,
    "number": _number,
    "some-seat": _some_seat,
    "every-seat": _every_seat,
    "wager-is": _wager_is,
    "is-tip": _is_tip,
    "offered": _offered,
    "takes-tips": _takes_tips,
    "option": _option,
    "reading": _reading,
    "cards-from-deck": _cards_from_deck,
    "event": _event,
}
