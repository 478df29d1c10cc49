"""The meaning of every operator a condition can have: from facts of a scope to yes, no and unknown.

Each operator is worked out once, at the coarsest grain it speaks at, and then spread to the grain asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Tri
from validator.engine.cards.dead_cards import cards_unused
from validator.engine.cards.final_hands import held
from validator.engine.cards.upcards import lying_open
from validator.engine.compiled.game import Prepared
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.engine.core.house_rules import Configuration
from validator.engine.core.intervals import Bounds
from validator.engine.core.kleene import UNKNOWN, YES
from validator.engine.deal_checks.cards_seen import deck_holds
from validator.engine.deal_checks.dealing_order import dealt_as
from validator.engine.deal_checks.event_conditions import event_shows
from validator.engine.expressions.quantities import beside, bounds
from validator.engine.facts.decisions import decision_untold, decisions, has_taken
from validator.engine.payouts.pay_table_rows import is_listed
from validator.engine.pots.pot_shares import sharing
from validator.engine.submission.house_conditions import is_offered, is_submitted, option_is, reading_is, takes_tips
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.truncated_records import staked_later
from validator.engine.turns.lookups import said_of_betting
from validator.engine.turns.predicates import in_betting_round, is_position, takes_part
from validator.evidence.columns.batch import Batch
from validator.evidence.handlog.event_values import NO_DECISION
from validator.rules.conditions.conditions import Compare, Comparison, Condition, Holds
from validator.rules.conditions.refs import SUBMITTED
from validator.rules.core.grain import Grain


def open_scope(batch: Batch, prepared: Prepared, configuration: Configuration | None) -> Scope:
    """A batch opened for questions under a game and a licensee's configuration, if one was given."""
    return Scope(
        batch=batch,
        prepared=prepared,
        configuration=configuration,
        judge=truth,
        measure=bounds,
        holding=held,
        showing=lying_open,
        sharing=sharing,
    )


def truth(scope: Scope, condition: Condition, grain: Grain) -> Tri:
    """uint8[n]: whether the condition holds for each item of a grain."""
    own = scope.prepared.grain(condition)
    value = scope.once(
        ("truth", condition.identity), lambda: _OPERATORS[condition.operator](scope, condition.operand, own)
    )
    return scope.spread(value, own, grain)


def holds_everywhere(scope: Scope, condition: Condition | None, grain: Grain) -> Tri:
    """The truth of a condition that may be left out: without one, yes."""
    return kleene.constant(YES, scope.length(grain)) if condition is None else truth(scope, condition, grain)


def throughout(scope: Scope, condition: Condition | None) -> Tri:
    """uint8[rounds]: what a condition comes to for all of a round, whatever its seats, stakes and events are like;
    unknown where it hangs on them."""
    if condition is None or scope.prepared.grain(condition) == "round":
        return holds_everywhere(scope, condition, "round")
    match condition.operator:
        case "fact":
            return throughout(scope, scope.prepared.game.facts[condition.operand])
        case "not":
            return kleene.negated(throughout(scope, condition.operand))
        case "all":
            return kleene.every([throughout(scope, part) for part in condition.operand])
        case "any":
            return kleene.some([throughout(scope, part) for part in condition.operand])
        case _:
            return kleene.constant(UNKNOWN, scope.length("round"))


def _all(scope: Scope, parts: list[Condition], grain: Grain) -> Tri:
    return kleene.every([truth(scope, part, grain) for part in parts])


def _any(scope: Scope, parts: list[Condition], grain: Grain) -> Tri:
    return kleene.some([truth(scope, part, grain) for part in parts])


def _not(scope: Scope, part: Condition, grain: Grain) -> Tri:
    return kleene.negated(truth(scope, part, grain))


def _fact(scope: Scope, name: str, grain: Grain) -> Tri:
    return truth(scope, scope.prepared.game.facts[name], grain)


def _placed(scope: Scope, line: str, grain: Grain) -> Tri:
    return _staked(scope, line, tip=False)


def _tipped(scope: Scope, line: str, grain: Grain) -> Tri:
    return _staked(scope, line, tip=True)


def _staked(scope: Scope, line: str, *, tip: bool) -> Tri:
    if line == "this":
        return kleene.known(beside(scope, tip=tip) > 0)
    placed = scope.amount(line, tip=tip) > 0
    later = staked_later(scope, line)
    return kleene.unknown_where(later & ~placed, kleene.known(placed)) if later.any() else kleene.known(placed)


def _decided(scope: Scope, decision: str, grain: Grain) -> Tri:
    silent = decisions(scope).codes == ABSENT
    value = kleene.known(has_taken(scope, decision))
    places = scope.prepared.game.decisions[decision].places
    untold = scope.once(("decision-untold",), lambda: decision_untold(scope))
    if places is not None:
        # Where the log names no decision, the stake that goes with it still shows it.
        value = value | kleene.known(silent & (scope.amount(places, tip=False) > 0))
        untold = untold & ~scope.batch.complete[scope.batch.seats.round]
    return kleene.unknown_where(untold, value)


def _decision_is_open(scope: Scope, operand: bool, grain: Grain) -> Tri:
    """Whether the seat's decision, if the log names one, is one of the game's that is open to it."""
    decision = decisions(scope)
    value = kleene.known((decision.codes == ABSENT) | (decision.codes == decision.code(NO_DECISION)))
    for name, one in scope.prepared.game.decisions.items():
        taken = kleene.known(decision.codes == decision.code(name))
        value = np.maximum(value, np.minimum(taken, holds_everywhere(scope, one.open_to, "seat")))
    return value


def _holds(scope: Scope, operand: Holds, grain: Grain) -> Tri:
    ranking = scope.prepared.hands[operand.hand].ranking
    strength = scope.strength(operand.hand)
    low, high = ranking.span(operand.operand)
    fits = strength >= low
    if operand.operator == "is":
        fits &= strength < high
    return kleene.where_known(fits, strength != ABSENT)


def _compare(scope: Scope, operand: Compare, grain: Grain) -> Tri:
    game = scope.prepared.game
    sides = []
    for hand in (operand.hand, operand.to):
        own: Grain = "seat" if "player" in game.hands[hand].from_ else "round"
        sides.append(scope.spread(scope.strength(hand), own, grain))
    one, other = sides
    evident = (one != ABSENT) & (other != ABSENT)
    match operand.is_:
        case "higher":
            return kleene.where_known(one > other, evident)
        case "lower":
            return kleene.where_known(one < other, evident)
        case _:
            return kleene.where_known(one == other, evident)


def _number(scope: Scope, operand: Comparison, grain: Grain) -> Tri:
    value, bound = bounds(scope, operand.of, grain), bounds(scope, operand.operand, grain)
    return compared(operand.operator, value, bound)


def compared(operator: str, value: Bounds, bound: Bounds) -> Tri:
    """uint8[n]: quantities held against others by an operator of `Comparison`."""
    match operator:
        case "equals":
            return _equal(value, bound)
        case "differs-from":
            return kleene.negated(_equal(value, bound))
        case "at-least":
            return _at_least(value, bound)
        case "at-most":
            return _at_least(bound, value)
        case "less-than":
            return kleene.negated(_at_least(value, bound))
        case _:
            return kleene.negated(_at_least(bound, value))


def _equal(one: Bounds, other: Bounds) -> Tri:
    (low, high), (least, most) = one, other
    if low is high and least is most:
        return kleene.known(low == least)
    apart = (high < least) | (low > most)
    return kleene.decided((low == high) & (least == most) & ~apart, apart)


def _at_least(one: Bounds, other: Bounds) -> Tri:
    (low, high), (least, most) = one, other
    if low is high and least is most:
        return kleene.known(low >= least)
    return kleene.decided(low >= most, high < least)


def _some_seat(scope: Scope, part: Condition, grain: Grain) -> Tri:
    return kleene.highest(truth(scope, part, "seat"), scope.batch.seats.round, scope.length("round"))


def _every_seat(scope: Scope, part: Condition, grain: Grain) -> Tri:
    negated = kleene.negated(truth(scope, part, "seat"))
    return kleene.negated(kleene.highest(negated, scope.batch.seats.round, scope.length("round")))


def _wager_is(scope: Scope, lines: list[str], grain: Grain) -> Tri:
    stakes, bonuses = scope.batch.stakes, scope.prepared.game.bonuses
    as_wager = stakes.wager.among([line for line in lines if line not in bonuses]) & ~stakes.bonus
    as_bonus = stakes.wager.among([line for line in lines if line in bonuses]) & stakes.bonus
    return kleene.known(as_wager | as_bonus)


def _is_tip(scope: Scope, operand: bool, grain: Grain) -> Tri:
    return kleene.known(scope.batch.stakes.tip)


def _dealt_as(scope: Scope, way: str, grain: Grain) -> Tri:
    if way == SUBMITTED:
        way = "" if scope.configuration is None else scope.configuration.dealing or ""
    if way not in scope.prepared.game.deal.ways:
        return kleene.constant(UNKNOWN, scope.length(grain))
    fits, told = dealt_as(scope, way)
    return kleene.where_known(fits, told & kinds_recorded(scope, ["deal"]))


def _claimed(scope: Scope, line: str, grain: Grain) -> Tri:
    """Whether a win was declared: as the summary says, else as the events tell."""
    stakes = scope.batch.stakes
    if line == "this":
        found = np.zeros(len(stakes.seat), np.uint8)
        for name in stakes.wager.names:
            chosen = scope.stakes_on(name)
            found[chosen] = _claimed_on(scope, name)[stakes.seat[chosen]]
        return found
    return _claimed_on(scope, line)


def _claimed_on(scope: Scope, line: str) -> Tri:
    stakes, events = scope.batch.stakes, scope.batch.events
    chosen = scope.stakes_on(line)
    said = np.full(scope.length("seat"), ABSENT, np.int8)
    np.maximum.at(said, stakes.seat[chosen], stakes.claimed[chosen])
    claims = events_of_kinds(scope, ("claim",))
    claims = claims[events.wager.codes[claims] == events.wager.code(line)]
    told = np.zeros(len(said), bool)
    told[events.seat[claims]] = True
    recorded = (kinds_recorded(scope, ["claim"]) & scope.batch.complete)[scope.batch.seats.round]
    return kleene.where_known(told | (said == 1), told | recorded | (said != ABSENT))


def _evident(scope: Scope, part: Condition, grain: Grain) -> Tri:
    return kleene.known(truth(scope, part, grain) == YES)


def _cards_from_deck(scope: Scope, operand: bool, grain: Grain) -> Tri:
    fits, whole = deck_holds(scope)
    return kleene.unknown_where(fits & ~whole, kleene.known(fits))


def _first_of_session(scope: Scope, operand: bool, grain: Grain) -> Tri:
    number, after = scope.batch.number, scope.batch.after.codes
    return kleene.where_known(number == 1, (number != ABSENT) | (after != ABSENT))


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
    "listed": is_listed,
    "number": _number,
    "some-seat": _some_seat,
    "every-seat": _every_seat,
    "wager-is": _wager_is,
    "is-tip": _is_tip,
    "offered": is_offered,
    "takes-tips": takes_tips,
    "option": option_is,
    "submitted": is_submitted,
    "dealt-as": _dealt_as,
    "claimed": _claimed,
    "evident": _evident,
    "reading": reading_is,
    "cards-from-deck": _cards_from_deck,
    "cards-unused": cards_unused,
    "first-of-session": _first_of_session,
    "event": event_shows,
    "betting": said_of_betting,
    "betting-round": in_betting_round,
    "position": is_position,
    "taking-part": takes_part,
}
