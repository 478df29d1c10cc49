"""Conditions in words: what is asked for, and what the evidence shows instead.

Used only where something is told to a person: in findings and in explanations, never on the way through
whole batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from validator.cards.cards import CARDS, NONE, format_cards
from validator.evidence.columns import ABSENT
from validator.evidence.events import ACTORS, FACES
from validator.play.conditions import truth
from validator.play.prepared import Prepared
from validator.play.quantities import numbers
from validator.play.scope import UNRANKED, Scope
from validator.play.tri import NO, YES
from validator.rulebook.grain import Grain, grain_of_quantity
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
_OF_STAKE = {
    "offered": "the house offers",
    "takes-tips": "the house takes tips on",
    "placed": "a wager of the player's own on",
}
"""What is asked of the wager that a stake lies on, by operator."""
NOTHING = "nothing of the kind, as the text is read"


def title_of(game: Game, line: str) -> str:
    """A wager or bonus as players read it; the name itself where the game has none of that name."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def demanded(prepared: Prepared, condition: Condition) -> str:
    """What a condition asks for, the text being read as it is."""
    worded = _worded(prepared, condition)
    return worded if isinstance(worded, str) else "anything" if worded else NOTHING


def unmet(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What a condition asks for that one item does not fulfil: of parts that must all hold, those that do not."""
    parts = dict.fromkeys(demanded(scope.prepared, part) for part in _unmet(scope, condition, grain, index))
    return NOTHING if NOTHING in parts else _noted(scope, condition, grain, index) + " and ".join(parts)


def shown(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence shows of everything that makes a condition hold, or not hold, for one item."""
    parts = _unmet(scope, condition, grain, index)
    facts = [fact for part in parts for fact in _facts(scope, part, grain, index)]
    if not facts and grain == "stake":
        facts = [_stake(scope, index)]
    return "; ".join(dict.fromkeys(facts)) or "it happened"


def _noted(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the parts of a condition are needed for, where it is a decision that they open."""
    if condition.operator != "decision-is-open":
        return ""
    noted = scope.prepared.game.decisions.get(_decision(scope, grain, index))
    return "" if noted is None else f"to {noted.title}: "


def missing(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence would have to show for a condition to be decided."""
    game = scope.prepared.game
    unknown = [leaf for leaf in leaves(game, condition) if truth_at(scope, leaf, grain, index) not in (NO, YES)]
    parts = [demanded(scope.prepared, leaf) for leaf in unknown]
    return "; ".join(dict.fromkeys(parts)) or demanded(scope.prepared, condition)


def _unmet(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
    game = scope.prepared.game
    if condition.operator == "decision-is-open":
        noted = game.decisions.get(_decision(scope, grain, index))
        return [condition] if noted is None else _unmet(scope, noted.open_to, grain, index)
    if condition.operator == "fact" and game.facts[condition.operand].operator == "all":
        condition = game.facts[condition.operand]
    if condition.operator != "all":
        return [condition]
    broken = [part for part in condition.operand if truth_at(scope, part, grain, index) != YES]
    return [one for part in broken for one in _unmet(scope, part, grain, index)] or [condition]


def _worded(prepared: Prepared, condition: Condition) -> str | bool:
    """A condition in words; yes or no where a reading of the text alone decides it."""
    game, operand = prepared.game, condition.operand
    match condition.operator:
        case "all":
            return _joined(prepared, operand, " and ", decisive=False)
        case "any":
            return _joined(prepared, operand, " or ", decisive=True)
        case "not":
            inner = _worded(prepared, operand)
            return _negated(game, operand, inner) if isinstance(inner, str) else not inner
        case "fact":
            return _spaced(operand)
        case "placed":
            return (
                "a wager of the player's own beside it"
                if operand == "this"
                else f"a wager on {title_of(game, operand)}"
            )
        case "tipped":
            return f"a tip on {title_of(game, operand)}"
        case "decided":
            return f"the decision to {game.decisions[operand].title}"
        case "decision-is-open":
            return "a decision that is open to the player"
        case "holds":
            return f"{game.hands[operand.hand].title}: {_threshold(operand)}"
        case "compare":
            than = "to" if operand.is_ == "equal" else "than"
            return f"{game.hands[operand.hand].title} {operand.is_} {than} {game.hands[operand.to].title}"
        case "number":
            money = _is_money(operand)
            bound = _quantity(game, operand.operand, money=money)
            return f"{_quantity(game, operand.of, money=money)}: {_BOUNDS[operand.operator]} {bound}"
        case "some-seat":
            return f"a seat with {demanded(prepared, operand)}"
        case "every-seat":
            return f"every seat with {demanded(prepared, operand)}"
        case "wager-is":
            return " or ".join(_lines(game, operand))
        case "is-tip":
            return "a tip"
        case "cards-from-deck":
            return "no card more than once" if game.deck.decks == 1 else f"no card more than {game.deck.decks} times"
        case "takes-tips":
            return f"tips taken on {'it' if operand == 'this' else title_of(game, operand)}"
        case "offered":
            return "a wager that is offered" if operand == "this" else f"{title_of(game, operand)} offered"
        case "option":
            return f"the option {operand.name}: {operand.is_}"
        case "reading":
            return prepared.regulation.applies(operand.name, operand.is_)
        case _:
            return _event(game, operand)


def _lines(game: Game, lines: Sequence[str]) -> Iterator[str]:
    wagers = [title_of(game, line) for line in lines if line not in game.bonuses]
    if wagers:
        yield f"a wager on {' or '.join(wagers)}"
    yield from (f"the bonus {title_of(game, line)}" for line in lines if line in game.bonuses)


def _joined(prepared: Prepared, parts: Sequence[Condition], joint: str, *, decisive: bool) -> str | bool:
    """Parts joined by "and" or "or"; `decisive` is the answer of one part that settles the whole."""
    worded = [(part, _worded(prepared, part)) for part in parts]
    if any(text is decisive for _, text in worded):
        return decisive
    texts = [(part, text) for part, text in worded if isinstance(text, str)]
    if not texts:
        return not decisive
    if len(texts) == 1:
        return texts[0][1]
    return joint.join(f"({text})" if _compound(part, text) else text for part, text in texts)


def _compound(condition: Condition, worded: str) -> bool:
    """Whether a condition still has several parts once it is in words."""
    return condition.operator in ("all", "any") and (" and " in worded or " or " in worded)


def _negated(game: Game, condition: Condition, worded: str) -> str:
    """The opposite of a condition, given in words."""
    operand = condition.operand
    match condition.operator:
        case "placed" | "tipped" | "decided":
            return "no " + worded.split(" ", 1)[1]
        case "holds" if operand.operator == "at-least":
            return f"{game.hands[operand.hand].title}: lower than {_spaced(operand.operand)}"
        case _:
            return f"not ({worded})"


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
            case "wager-is":
                yield _stake(scope, index)
            case "decision-is-open":
                yield f"the decision noted: {_decision(scope, grain, index)}"
            case "cards-from-deck":
                yield _repeated(scope, int(scope.round_of(grain)[index]))
            case "offered" | "takes-tips" | "placed" if operand == "this":
                answer = _TRUTH.get(truth_at(scope, leaf, grain, index), "not shown")
                yield f"{_OF_STAKE[leaf.operator]} {title_of(game, _line(scope, index))}: {answer}"
            case _:
                answer = _TRUTH.get(truth_at(scope, leaf, grain, index), "not shown")
                yield f"{demanded(scope.prepared, leaf)}: {answer}"


def _repeated(scope: Scope, round_: int) -> str:
    """Cards of a round that turn up more often than the decks in play hold them."""
    batch = scope.batch
    seats = slice(batch.seats.offsets[round_], batch.seats.offsets[round_ + 1])
    rows = [*batch.seats.hands.cards[seats], batch.dealer.cards[round_], batch.community.cards[round_]]
    counts = Counter(code for row in rows for code in row.tolist() if code < CARDS)
    decks = scope.prepared.game.deck.decks
    found = [f"{cards_in([code])} {count} times" for code, count in sorted(counts.items()) if count > decks]
    return ", ".join(found) or "no card too often"


def _decision(scope: Scope, grain: Grain, index: int) -> str:
    return scope.batch.seats.decision.text(int(scope.seat_of(grain)[index])) or "none"


def _line(scope: Scope, index: int) -> str:
    return scope.batch.stakes.wager.text(index) or ""


def _stake(scope: Scope, index: int) -> str:
    stakes, title = scope.batch.stakes, title_of(scope.prepared.game, _line(scope, index))
    if stakes.bonus[index]:
        return f"the bonus {title}{' on a tip' if stakes.tip[index] else ''}"
    return f"{'a tip' if stakes.tip[index] else 'a wager'} on {title}"


def held(scope: Scope, hand: str, grain: Grain, index: int) -> str:
    """A hand as it lay: its cards and what they make."""
    prepared = scope.prepared.hands[hand]
    title = scope.prepared.game.hands[hand].title
    seat = int(scope.seat_of(grain)[index]) if grain != "round" else -1
    round_ = int(scope.round_of(grain)[index])
    cards = [
        cards_in(row)
        for row in (scope.hands_at(place).cards[seat if place == "player" else round_] for place in prepared.places)
    ]
    strength = int(scope.strength(hand)[seat if "player" in prepared.places else round_])
    made = "not known" if strength == UNRANKED else prepared.ranking.describe(strength)
    return f"{title}: {' + '.join(cards) or 'not recorded'}, {made}"


def cards_in(row: Sequence[int] | NDArray[np.uint8]) -> str:
    """The cards of a row as text, its padding left out."""
    return format_cards([int(code) for code in row if code != NONE])


def _measured(scope: Scope, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    values, evident = numbers(scope, quantity, grain)
    value = int(values[index])
    own = grain_of_quantity(quantity, scope.prepared.game)
    if evident[index]:
        text = format_money(value) if money else str(value)
    elif grain == "event" and scope.batch.events.seat[index] == ABSENT and own == "seat":
        text = "no player is named"
    else:
        text = "not known"
    return f"{_quantity(scope.prepared.game, quantity, money=money)}: {text}"


def _happened(scope: Scope, index: int) -> str:
    events = scope.batch.events
    row = int(events.cards_row[index])
    cards = "" if row < 0 else cards_in(events.hands.cards[row])
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


def _threshold(holds: Holds) -> str:
    name = _spaced(holds.operand)
    return f"{name} or better" if holds.operator == "at-least" else f"exactly {name}"


def _spaced(name: str) -> str:
    return name.replace("-", " ")


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
            return "hands of this player so far"
        case "events":
            step = next(step for step in game.procedure if step.step == operand)
            return f"times {step.title}"
        case _:
            factor = "" if operand.by == 1 else f"{operand.by} times "
            return f"{factor}{_quantity(game, operand.of, money=money)}"
