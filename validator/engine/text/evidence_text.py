"""What the evidence shows of a condition, for one item: told to people, never used on whole batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.arrays import ABSENT, Codes
from validator.cards.cards import NO_CARD, format_cards
from validator.engine.cards.dead_cards import DECK_CODES, used_again
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import NO, YES
from validator.engine.deal_checks.cards_seen import counts
from validator.engine.deal_checks.dealing_order import dealt_as
from validator.engine.expressions.conditions import truth
from validator.engine.expressions.quantities import bounds
from validator.engine.facts.decisions import decisions
from validator.engine.submission.conditions import answer
from validator.engine.submission.house_conditions import view_of
from validator.engine.submission.text import demanded as demanded_of_submission
from validator.engine.text.condition_text import NOTHING, demanded, is_money, quantity_in_words, seats_named, title_of
from validator.engine.turns.action_text import (
    act_in_words,
    declared_in_words,
    due_in_words,
    seat_in_words,
    to_call_in_words,
    why_closed,
)
from validator.engine.turns.predicates import where
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.rules.conditions.conditions import Condition, Quantity
from validator.rules.conditions.particulars import EventHas
from validator.rules.conditions.refs import DECLARED
from validator.rules.conditions.submission import SubmissionCondition
from validator.rules.core.grain import Grain, grain_of_quantity
from validator.rules.model.game import Game
from validator.text.values.money import format_money

_TRUTH = {NO: "no", YES: "yes"}
_OF_STAKE = {
    "offered": "the house offers",
    "takes-tips": "the house takes tips on",
    "claimed": "a win declared on",
    "placed": "a wager of the player's own on",
}
"""What is asked of the wager that a stake lies on, by operator."""


def unmet(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What a condition asks for that one item does not fulfil: of parts that must all hold, those that do not."""
    parts = dict.fromkeys(_asked(scope, part, grain, index) for part in unmet_parts(scope, condition, grain, index))
    return NOTHING if NOTHING in parts else _noted(scope, condition, grain, index) + " and ".join(parts)


def _asked(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What one part of a condition asks for; of the betting, as it stood."""
    said = condition.operand if condition.operator == "not" else condition
    if said.operator == "betting" and said.operand in _WHO_IS_DUE and grain == "event":
        return due_in_words(scope, index)
    if condition.operator == "event" and DECLARED in (condition.operand.decision or ()):
        return f"{demanded(scope.prepared, condition)}: {declared_in_words(scope, index)}"
    if condition.operator == "betting" and condition.operand == "may-raise":
        return "a fold or a call"
    return demanded(scope.prepared, condition)


_WHO_IS_DUE = frozenset({"open", "in-turn", "option-owed", "option-moot"})
"""What is said of the betting that hangs on who is to act."""


def shown(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence shows of everything that makes a condition hold, or not hold, for one item."""
    parts = unmet_parts(scope, condition, grain, index)
    facts = [
        fact for part in parts for fact in (*_of_seats(scope, part, grain, index), *_facts(scope, part, grain, index))
    ]
    if not facts and grain == "stake":
        facts = [_stake(scope, index)]
    return "; ".join(dict.fromkeys(facts)) or "it happened"


def grounds(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[str]:
    """What the evidence shows of events, cards and amounts by which a condition holds for one item; of alternatives
    those that hold."""
    found = [fact for leaf in _holding(scope, condition, grain, index) for fact in _facts(scope, leaf, grain, index)]
    return list(dict.fromkeys(found))


def _holding(scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[Condition]:
    match condition.operator:
        case "fact":
            yield from _holding(scope, scope.prepared.game.facts[condition.operand], grain, index)
        case "evident":
            yield from _holding(scope, condition.operand, grain, index)
        case "all" | "any":
            for part in condition.operand:
                if truth_at(scope, part, grain, index) == YES:
                    yield from _holding(scope, part, grain, index)
        case "number":
            yield condition
        case _:
            return


def missing(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the evidence would have to show for a condition to be decided."""
    game = scope.prepared.game
    unknown = [leaf for leaf in leaves(game, condition) if truth_at(scope, leaf, grain, index) not in (NO, YES)]
    parts = [demanded(scope.prepared, leaf) for leaf in unknown]
    return "; ".join(dict.fromkeys(parts)) or demanded(scope.prepared, condition)


def held(scope: Scope, hand: str, grain: Grain, index: int) -> str:
    """A hand as it lay: its cards and what they make."""
    prepared = scope.prepared.hands[hand]
    title = scope.prepared.game.hands[hand].title
    seat = int(scope.seat_of(grain)[index]) if grain != "round" else -1
    round_ = int(scope.round_of(grain)[index])
    cards = [
        cards_in(row)
        for row in (
            scope.cards_of(hand, place).cards[seat if place == "player" else round_] for place in prepared.places
        )
    ]
    strength = int(scope.strength(hand)[seat if "player" in prepared.places else round_])
    made = "not known" if strength == ABSENT else prepared.ranking.describe(strength)
    return f"{title}: {' + '.join(filter(None, cards)) or 'not recorded'}, {made}"


def cards_in(row: Sequence[int] | Codes) -> str:
    """The cards of a row as text, its padding left out."""
    return format_cards([int(code) for code in row if code != NO_CARD])


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


def _noted(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """What the parts of a condition are needed for, where it is a decision that they open."""
    if condition.operator != "decision-is-open":
        return ""
    noted = scope.prepared.game.decisions.get(_decision(scope, grain, index))
    return "" if noted is None else f"to {noted.title}: "


def unmet_parts(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
    """The parts of a condition that one item does not fulfil, of those that must all hold; else the condition."""
    game = scope.prepared.game
    if condition.operator == "decision-is-open":
        noted = game.decisions.get(_decision(scope, grain, index))
        open_to = None if noted is None else noted.open_to
        return [condition] if open_to is None else unmet_parts(scope, open_to, grain, index)
    if condition.operator == "fact" and game.facts[condition.operand].operator == "all":
        condition = game.facts[condition.operand]
    if condition.operator != "all":
        return [condition]
    broken = [part for part in condition.operand if truth_at(scope, part, grain, index) != YES]
    return [one for part in broken for one in unmet_parts(scope, part, grain, index)] or [condition]


def _facts(scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
    game = scope.prepared.game
    for leaf in leaves(game, condition):
        operand = leaf.operand
        match leaf.operator:
            case "number":
                for quantity in (operand.of, operand.operand):
                    if quantity.operator != "exactly":
                        yield _measured(scope, quantity, grain, index, money=is_money(scope.prepared, operand))
            case "holds" | "listed":
                yield held(scope, operand.hand, grain, index)
            case "compare":
                yield held(scope, operand.hand, grain, index)
                yield held(scope, operand.to, grain, index)
            case "event":
                yield _happened(scope, operand, index)
            case "evident":
                yield from _facts(scope, operand, grain, index)
            case "submitted":
                yield _as_submitted(scope, operand)
            case "dealt-as":
                yield _way_of_dealing(scope, int(scope.round_of(grain)[index]))
            case "wager-is":
                yield _stake(scope, index)
            case "betting" if grain == "event":
                yield _at_betting(scope, operand, index)
            case "position":
                yield _who_has(scope, operand, int(scope.round_of(grain)[index]))
            case "decision-is-open":
                yield f"the decision noted: {_decision(scope, grain, index)}"
            case "cards-from-deck":
                yield _repeated(scope, int(scope.round_of(grain)[index]))
            case "cards-unused":
                yield _in_use(scope, operand, int(scope.round_of(grain)[index]))
            case "offered" | "takes-tips" | "placed" | "claimed" if operand == "this":
                answer = _TRUTH.get(truth_at(scope, leaf, grain, index), "not shown")
                yield f"{_OF_STAKE[leaf.operator]} {title_of(game, _line(scope, index))}: {answer}"
            case _:
                answer = _TRUTH.get(truth_at(scope, leaf, grain, index), "not shown")
                yield f"{demanded(scope.prepared, leaf)}: {answer}"


def _of_seats(scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
    """Which seats it is that do not fulfil what every seat must; of some seat, that none does."""
    if condition.operator == "every-seat":
        seats, round_ = scope.batch.seats, int(scope.round_of(grain)[index])
        fulfil = truth(scope, condition.operand, "seat")
        numbers = seats.number[(seats.round == round_) & (fulfil != YES)].tolist()
        yield f"not so of {seats_named(numbers)}"
    elif condition.operator == "some-seat":
        positions = [
            leaf.operand for leaf in leaves(scope.prepared.game, condition.operand) if leaf.operator == "position"
        ]
        yield from (_who_has(scope, name, int(scope.round_of(grain)[index])) for name in positions)
        if not positions:
            yield "no such seat"


def _at_betting(scope: Scope, word: str, index: int) -> str:
    """What was done at an event, and how the betting stood as far as it is asked about."""
    done = act_in_words(scope, index)
    match word:
        case "faced":
            return f"{done}; {to_call_in_words(scope, index)}"
        case "may-raise":
            return f"{done}; {why_closed(scope, index)}"
        case _:
            return done


def _who_has(scope: Scope, position: str, round_: int) -> str:
    """The seat that has a position in a round."""
    rows, known = where(scope, position)
    title = position.replace("-", " ")
    if not known[round_]:
        return f"the position {title}: not known"
    row = int(rows[round_])
    return f"the position {title}: {'no seat' if row < 0 else seat_in_words(scope, round_, row)}"


def _repeated(scope: Scope, round_: int) -> str:
    """Cards of a round that turn up more often than the decks in play hold them."""
    decks = scope.prepared.game.deck.decks
    found = [f"{cards_in([code])} {count} times" for code, count in enumerate(counts(scope)[round_]) if count > decks]
    return ", ".join(found) or "no card too often"


def _in_use(scope: Scope, step: str, round_: int) -> str:
    """Cards that events of a step show and that are in use all the same."""
    found = used_again(scope, step)
    cards = [cards_in([code]) for code in (found[found // DECK_CODES == round_] % DECK_CODES).tolist()]
    return f"in use: {', '.join(cards)}" if cards else "none is seen in use"


def _as_submitted(scope: Scope, condition: SubmissionCondition) -> str:
    """What the submission says that makes a statement about it hold, or not hold."""
    if scope.configuration is None:
        return "no submission is in force"
    found = answer(view_of(scope, scope.configuration), condition)
    reasons = [f"`{'.'.join(map(str, one.path))}` {one.observed}" for one in found.reasons if one.path]
    return f"submitted: {', '.join(reasons) or demanded_of_submission(condition)}"


def _way_of_dealing(scope: Scope, round_: int) -> str:
    """The permitted ways of dealing that a round was dealt in."""
    permitted = list(scope.prepared.game.deal.ways)
    if not all(dealt_as(scope, name)[1][round_] for name in permitted):
        return "how the cards were dealt: not shown"
    ways = [name for name in permitted if dealt_as(scope, name)[0][round_]]
    return f"dealt {' or '.join(ways)}".replace("-", " ") if ways else "dealt in none of the permitted ways"


def _decision(scope: Scope, grain: Grain, index: int) -> str:
    return decisions(scope).text(int(scope.seat_of(grain)[index])) or "none"


def _line(scope: Scope, index: int) -> str:
    return scope.batch.stakes.wager.text(index) or ""


def _stake(scope: Scope, index: int) -> str:
    stakes, title = scope.batch.stakes, title_of(scope.prepared.game, _line(scope, index))
    if stakes.bonus[index]:
        return f"the bonus {title}{' on a tip' if stakes.tip[index] else ''}"
    return f"{'a tip' if stakes.tip[index] else 'a wager'} on {title}"


def _measured(scope: Scope, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    least, most = (int(bound[index]) for bound in bounds(scope, quantity, grain))
    own = grain_of_quantity(quantity, scope.prepared.game)
    if least == most:
        text = _number(least, money=money)
    elif grain == "event" and scope.batch.events.seat[index] == ABSENT and own == "seat":
        text = "no player is named"
    elif max(-least, most) < FAR // 2:
        text = f"{_number(least, money=money)} to {_number(most, money=money)}, not known further"
    elif most < FAR // 2:
        text = f"at most {_number(most, money=money)}"
    else:
        text = f"at least {_number(least, money=money)}" if -least < FAR // 2 else "not known"
    return f"{quantity_in_words(scope.prepared, quantity, money=money)}: {text}"


def _number(value: int, *, money: bool) -> str:
    if not money:
        return str(value)
    return f"-{format_money(-value)}" if value < 0 else format_money(value)


def _happened(scope: Scope, asked: EventHas, index: int) -> str:
    """What an event shows: its cards and who did it, and what else is asked about."""
    events = scope.batch.events
    row = int(events.cards_row[index])
    cards = "" if row < 0 else cards_in(events.hands.cards[row])
    parts = [cards] if cards else []
    if events.face[index] >= 0:
        parts.append(f"face {FACES[events.face[index]]}")
    if events.by[index] >= 0:
        parts.append(f"by the {ACTORS[events.by[index]]}")
    if asked.positions is not None:
        spots = ", ".join(events.positions.text(index) or "")
        parts.append(f"the cards {spots} from the dealer's left" if spots else "which cards: not recorded")
    if asked.in_ is not None:
        means = int(events.means[index])
        parts.append("in what: not recorded" if means < 0 else f"in {MEANS[means]}")
    if asked.place is not None and events.place[index] >= 0:
        parts.append(f"at the {PLACES[events.place[index]]}")
    if asked.number is not None:
        number = int(events.amount[index])
        parts.append("no number stated" if number == ABSENT else f"the number {number}")
    if asked.deck is not None:
        deck = events.deck.text(index)
        parts.append("the deck in play" if deck is None else f"the deck {deck}")
    if asked.decision is not None:
        decision = events.decision.text(index)
        known = scope.prepared.game.decisions.get(decision or "")
        parts.append(f"to {known.title}" if known is not None else decision or "no decision")
    return " ".join(parts) or "nothing more recorded"
