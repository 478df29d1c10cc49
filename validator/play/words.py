"""Conditions in words: what is asked for, and what the evidence shows instead.

Used only where something is told to a person: in findings and in explanations, never on the way through
whole batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from validator.cards.cards import format_cards
from validator.evidence.events import ACTORS, FACES
from validator.play.conditions import numbers, truth
from validator.play.scope import UNRANKED, Scope
from validator.play.tri import NO, YES
from validator.rulebook.grain import Grain
from validator.rulebook.language.conditions import Comparison, Condition, EventHas, Holds, Quantity
from validator.rulebook.language.game import Game
from validator.text.money import format_money

_MONEY = frozenset({"amount", "tip", "minimum", "maximum"})
_BOUNDS = {
    "equals": "equal to",
    "differs-from": "other than",
    "at-least": "at least",
    "at-most": "at most",
    "more-than": "more than",
}
_TRUTH = {NO: "no", YES: "yes"}


def title_of(game: Game, line: str) -> str:
    """A wager or bonus as players read it; the name itself where the game has none of that name."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def demanded(game: Game, condition: Condition) -> str:
    """What a condition asks for."""
    operand = condition.operand
    match condition.operator:
        case "all":
            return " and ".join(_grouped(game, part) for part in operand)
        case "any":
            return " or ".join(_grouped(game, part) for part in operand)
        case "not":
            return f"not ({demanded(game, operand)})"
        case "fact":
            return operand.replace("-", " ")
        case "placed":
            return "a wager of the player's own beside it" if operand == "this" else f"{title_of(game, operand)} placed"
        case "tipped":
            return f"a tip on {title_of(game, operand)}"
        case "decided":
            return f"the decision to {game.decisions[operand].title}"
        case "holds":
            return f"{game.hands[operand.hand].title} {_threshold(operand)}"
        case "compare":
            return f"{game.hands[operand.hand].title} {operand.is_} than {game.hands[operand.to].title}".replace(
                "equal than", "equal to"
            )
        case "number":
            money = _is_money(operand)
            bound = _quantity(game, operand.operand, money=money)
            return f"{_quantity(game, operand.of, money=money)} {_BOUNDS[operand.operator]} {bound}"
        case "some-seat":
            return f"a seat with {demanded(game, operand)}"
        case "every-seat":
            return f"every seat with {demanded(game, operand)}"
        case "wager-is":
            return f"one of {', '.join(title_of(game, line) for line in operand)}"
        case "is-tip":
            return "a tip"
        case "cards-from-deck":
            return "no card more than once" if game.deck.decks == 1 else f"no card more than {game.deck.decks} times"
        case "takes-tips":
            return "tips taken on this wager"
        case "offered":
            return "a wager that is offered" if operand == "this" else f"{title_of(game, operand)} offered"
        case "option":
            return f"the option {operand.name}: {operand.is_}"
        case "reading":
            return f"the reading {operand.name}: {operand.is_}"
        case _:
            return _event(game, operand)


def shown(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence shows of everything a condition looks at, for one item of a grain."""
    return "; ".join(dict.fromkeys(_facts(scope, condition, grain, index)))


def missing(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence would have to show for a condition to be decided."""
    game = scope.prepared.game
    unknown = [leaf for leaf in leaves(game, condition) if truth_at(scope, leaf, grain, index) not in (NO, YES)]
    return "; ".join(dict.fromkeys(demanded(game, leaf) for leaf in unknown)) or demanded(game, condition)


def truth_at(scope: Scope, condition: Condition, grain: Grain, index: int) -> int:
    """Whether a condition holds for one item."""
    return int(truth(scope, condition, grain)[index])


def leaves(game: Game, condition: Condition) -> Iterator[Condition]:
    """The conditions a condition is built from, down to those that look at evidence."""
    match condition.operator:
        case "all" | "any":
            for part in condition.operand:
                yield from leaves(game, part)
        case "not":
            yield from leaves(game, condition.operand)
        case "fact":
            yield from leaves(game, game.facts[condition.operand])
        case "some-seat" | "every-seat" | "reading":
            return
        case _:
            yield condition


def _facts(scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
    game = scope.prepared.game
    for leaf in leaves(game, condition):
        operand = leaf.operand
        match leaf.operator:
            case "number":
                for quantity in (operand.of, operand.operand):
                    if quantity.operator != "exactly":
                        yield _measured(scope, quantity, grain, index, money=_is_money(operand))
            case "holds":
                yield held(scope, operand.hand, grain, index)
            case "compare":
                yield held(scope, operand.hand, grain, index)
                yield held(scope, operand.to, grain, index)
            case "event":
                yield _happened(scope, index)
            case "wager-is" | "offered" | "takes-tips" | "placed" if grain == "stake" and operand not in game.wagers:
                yield f"the stake lies on {title_of(game, scope.batch.stakes.wager.text(index) or '')}"
            case _:
                answer = _TRUTH.get(truth_at(scope, leaf, grain, index), "not shown")
                yield f"{demanded(game, leaf)}: {answer}"


def held(scope: Scope, hand: str, grain: Grain, index: int) -> str:
    """A hand as it lay: its cards and what they make."""
    prepared = scope.prepared.hands[hand]
    title = scope.prepared.game.hands[hand].title
    seat = int(scope.seat_of(grain)[index]) if grain != "round" else -1
    round_ = int(scope.round_of(grain)[index])
    cards = [
        format_cards([code for code in row if code != 254])
        for row in (scope.hands_at(place).cards[seat if place == "player" else round_] for place in prepared.places)
    ]
    strength = int(scope.strength(hand)[seat if "player" in prepared.places else round_])
    made = "not known" if strength == UNRANKED else prepared.ranking.describe(strength)
    return f"{title}: {' + '.join(cards) or 'not recorded'}, {made}"


def _measured(scope: Scope, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    values, evident = numbers(scope, quantity, grain)
    value = int(values[index])
    text = "not known" if not evident[index] else format_money(value) if money else str(value)
    return f"{_quantity(scope.prepared.game, quantity, money=money)} is {text}"


def _happened(scope: Scope, index: int) -> str:
    events = scope.batch.events
    row = int(events.cards_row[index])
    cards = "" if row < 0 else format_cards([code for code in events.hands.cards[row] if code != 254])
    parts = [cards] if cards else []
    if events.face[index] >= 0:
        parts.append(f"face {FACES[events.face[index]]}")
    if events.by[index] >= 0:
        parts.append(f"by the {ACTORS[events.by[index]]}")
    return " ".join(parts) or "nothing more recorded"


def _event(game: Game, operand: EventHas) -> str:
    parts: list[str] = []
    if operand.cards is not None:
        parts.append(f"{operand.cards} cards")
    if operand.face is not None:
        parts.append(f"face {operand.face}")
    if operand.by is not None:
        parts.append(f"by the {operand.by}")
    if operand.arranged_as is not None:
        parts.append(f"{game.hands[operand.arranged_as].title} in order of rank from left to right")
    return " ".join(parts)


def _grouped(game: Game, part: Condition) -> str:
    text = demanded(game, part)
    return f"({text})" if part.operator in ("all", "any") else text


def _threshold(holds: Holds) -> str:
    name = holds.operand.replace("-", " ")
    return f"{name} or better" if holds.operator == "at-least" else f"exactly {name}"


def _is_money(comparison: Comparison) -> bool:
    return any(_innermost(quantity).operator in _MONEY for quantity in (comparison.of, comparison.operand))


def _innermost(quantity: Quantity) -> Quantity:
    return _innermost(quantity.operand.of) if quantity.operator == "times" else quantity


def _quantity(game: Game, quantity: Quantity, *, money: bool) -> str:
    operand = quantity.operand
    match quantity.operator:
        case "exactly":
            return format_money(operand) if money else str(operand)
        case "amount":
            return "the stake" if operand == "this" else f"the {title_of(game, operand)} wager"
        case "tip":
            return "the tip" if operand == "this" else f"the tip on {title_of(game, operand)}"
        case "minimum" | "maximum":
            return f"the posted {quantity.operator}"
        case "cards":
            return f"the {operand}'s number of cards"
        case "hands-of-player":
            return "the number of hands of this player so far"
        case "events":
            step = next(step for step in game.procedure if step.step == operand)
            return f"the number of times {step.title}"
        case _:
            factor = "" if operand.by == 1 else f"{operand.by} times "
            return f"{factor}{_quantity(game, operand.of, money=money)}"
