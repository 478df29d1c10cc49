"""Conditions in words: what is asked for.

Used only where something is told to a person: in findings and in explanations, never on the way through
whole batches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.engine.compiled.game import Prepared
from validator.engine.submission.text import demanded as submission_demanded
from validator.engine.text.event_text import event_in_words
from validator.engine.turns.text import COUNTED, NOT_SAID, OF_BETTING, SAID_OF_BETTING
from validator.evidence.handlog.events import OF_MONEY
from validator.evidence.submission.view import keys_of_money
from validator.rules.conditions.conditions import Comparison, Condition, Holds, Quantity
from validator.rules.conditions.refs import SUBMITTED
from validator.rules.model.game import Game
from validator.text.values.money import format_money

_MONEY = frozenset(
    {
        "amount",
        "tip",
        "minimum",
        "maximum",
        "paid",
        "taken",
        "meter",
        "term",
        "stack",
        "staked",
        "received",
        "chips",
        "rake-so-far",
        "bet-size",
    }
)
BOUNDS = {
    "equals": "equal to",
    "differs-from": "other than",
    "at-least": "at least",
    "at-most": "at most",
    "more-than": "more than",
    "less-than": "less than",
}
"""The bounds of a comparison in words, by operator."""
_BEYOND = {
    "equals": "differs-from",
    "differs-from": "equals",
    "at-least": "less-than",
    "at-most": "more-than",
    "more-than": "at-most",
    "less-than": "at-least",
}
"""The comparison that holds where another does not."""
NOTHING = "nothing of the kind, as the text is read"
"""What is asked for where the readings of the text leave nothing that would do."""


def title_of(game: Game, line: str) -> str:
    """A wager or bonus as players read it; the name itself where the game has none of that name."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def seats_named(numbers: Sequence[int]) -> str:
    """Seats by their numbers: `seat 2`, `seats 2, 3 and 5`."""
    *others, last = map(str, numbers)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


def demanded(prepared: Prepared, condition: Condition) -> str:
    """What a condition asks for, the text being read as it is."""
    worded = _worded(prepared, condition)
    return worded if isinstance(worded, str) else "anything" if worded else NOTHING


def quantity_in_words(prepared: Prepared, quantity: Quantity, *, money: bool) -> str:
    """A quantity in words; `money` says that fixed numbers are amounts in minor units."""
    game, operand = prepared.game, quantity.operand
    match quantity.operator:
        case "exactly":
            return format_money(operand) if money else str(operand)
        case "amount":
            return "the stake" if operand == "this" else f"the {title_of(game, operand)} wager"
        case "tip":
            return "the tip" if operand == "this" else f"the tip on {title_of(game, operand)}"
        case "minimum" | "maximum":
            return f"the posted {quantity.operator}"
        case "paid" | "taken":
            return f"what was {quantity.operator} on {'it' if operand == 'this' else title_of(game, operand)}"
        case "cards":
            return "the cards out of the deck" if operand == "everywhere" else f"the {operand}'s number of cards"
        case "discarded" | "drawn" | "held":
            return f"the {operand}'s number of cards {quantity.operator}"
        case "length":
            return f"the number of cards that count in {game.hands[operand].title}"
        case "hands-of-player":
            return "hands of this player so far" if operand == "so-far" else "positions that this player's hands span"
        case "events":
            return f"times {prepared.steps[operand].title}"
        case "cards-in":
            return f"the number of cards: {prepared.steps[operand].title}"
        case "counted":
            what = "amount" if _amounts(prepared, quantity) else "number"
            return f"the {what} stated when {prepared.steps[operand].title}"
        case "stated":
            return "the number stated" if operand == "this" else "the number of the pot"
        case "seats":
            return f"seats with {demanded(prepared, operand)}"
        case "button":
            return "the seat of the button"
        case "submitted":
            return f"`{operand}` as submitted"
        case "meter":
            return f"the meter {operand.name} {_POINTS[operand.at]}"
        case "term":
            return f"the submitted {operand.is_} of the meter {operand.meter}"
        case "betting":
            return OF_BETTING[operand]
        case "stack":
            return _STACK[operand]
        case "staked":
            return "all that the seat put in" if operand == "this-seat" else "all that was put in"
        case "received":
            return _RECEIVED[operand]
        case "chips":
            return f"the chips {operand}"
        case "players":
            return "the seats dealt in" if operand == "dealt-in" else "the seats at the table"
        case "pot":
            return _OF_POTS[operand]
        case "rake-so-far":
            return _OF_THE_RAKE[operand]
        case "bet-size":
            return f"the size of {operand} bets"
        case "shown-cards":
            return f"the {operand}'s number of cards shown"
        case _:
            return _reckoned(prepared, quantity, money=money)


_OF_POTS = {
    "total": "the pots without what nobody called",
    "uncalled": "what nobody called",
    "awarded": "what was awarded",
    "returned": "what was given back",
    "raked": "the rake",
    "dropped": "what went into the container",
    "rake-due": "the rake by the submitted levels",
    "count": "the number of pots",
}
_OF_THE_RAKE = {
    "taken": "the rake so far",
    "due": "the rake by the submitted levels that were reached",
}
_STACK = {
    "start": "the chips at the start",
    "after": "the chips when the round is over",
    "reckoned": "the chips at the start less all that was put in, with what was given back and awarded",
}
_RECEIVED = {
    "awarded": "what the seat was awarded",
    "returned": "what the seat was given back",
    "uncalled": "what nobody called of the seat's",
}
_POINTS = {"opening": "before the wagers", "shown": "when awards are made", "closing": "after the round"}


def _reckoned(prepared: Prepared, quantity: Quantity, *, money: bool) -> str:
    """A quantity that is worked out from others, in words."""
    operand = quantity.operand
    match quantity.operator:
        case "previous":
            return f"{quantity_in_words(prepared, operand, money=money)} in the round before"
        case "next-seat":
            return f"the next seat from {quantity_in_words(prepared, operand, money=money)}"
        case "passed-over":
            start, end = (quantity_in_words(prepared, part, money=False) for part in (operand.from_, operand.to))
            return f"players of both rounds who are passed over from {start} to {end}"
        case "sum":
            return " and ".join(quantity_in_words(prepared, part, money=money) for part in operand)
        case "smaller":
            return f"the smaller of {' and '.join(quantity_in_words(prepared, part, money=money) for part in operand)}"
        case "difference":
            from_, less = (quantity_in_words(prepared, part, money=money) for part in (operand.from_, operand.less))
            return f"{from_} less {less}"
        case "total":
            of = quantity_in_words(prepared, operand.of, money=money)
            return f"{of}, over all seats with {demanded(prepared, operand.over)}"
        case _:
            factor = "" if operand.by == 1 else f"{operand.by} times "
            return f"{factor}{quantity_in_words(prepared, operand.of, money=money)}"


def is_money(prepared: Prepared, comparison: Comparison) -> bool:
    """Whether a comparison is one of amounts."""
    return any(_amounts(prepared, part) for of in (comparison.of, comparison.operand) for part in _innermost(of))


def _amounts(prepared: Prepared, quantity: Quantity) -> bool:
    match quantity.operator:
        case "betting":
            return quantity.operand not in COUNTED
        case "pot":
            return quantity.operand != "count"
        case "counted":
            return OF_MONEY.issuperset(prepared.steps[quantity.operand].events)
        case "submitted":
            return quantity.operand.rpartition(".")[2] in keys_of_money()
        case _:
            return quantity.operator in _MONEY


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
            return _negated(prepared, operand, inner) if isinstance(inner, str) else not inner
        case "evident":
            return _worded(prepared, operand)
        case "fact":
            return _spaced(operand)
        case "submitted":
            return f"submitted: {submission_demanded(operand)}"
        case "dealt-as":
            return "the cards dealt as submitted" if operand == SUBMITTED else f"the cards dealt {_spaced(operand)}"
        case "claimed":
            return f"a win declared on {'it' if operand == 'this' else title_of(game, operand)}"
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
        case "listed":
            return f"a row for {game.hands[operand.hand].title} in the pay table of {title_of(game, operand.pay_table)}"
        case "number":
            return _compared(prepared, operand, BOUNDS[operand.operator])
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
        case "first-of-session":
            return "the first round since the table opened"
        case "new-player":
            return "a player who has sat down since the round before"
        case "cards-unused":
            return f"no card in use of: {prepared.steps[operand].title}"
        case "takes-tips":
            return f"tips taken on {'it' if operand == 'this' else title_of(game, operand)}"
        case "offered":
            return "a wager that is offered" if operand == "this" else f"{title_of(game, operand)} offered"
        case "option":
            return f"the option {operand.name}: {operand.is_}"
        case "reading":
            return prepared.regulation.applies(operand.name, operand.is_)
        case "betting-round":
            return f"the betting {' or '.join(_spaced(name) for name in operand)}"
        case "betting":
            return SAID_OF_BETTING[operand]
        case "position":
            return f"the position {_spaced(operand)}"
        case "taking-part":
            return "a seat that takes part in the round"
        case _:
            return event_in_words(game, operand)


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


def _compared(prepared: Prepared, comparison: Comparison, bound: str) -> str:
    """A comparison in words, with its bound in words."""
    money = is_money(prepared, comparison)
    of, to = (quantity_in_words(prepared, one, money=money) for one in (comparison.of, comparison.operand))
    return f"{of}: {bound} {to}"


def _negated(prepared: Prepared, condition: Condition, worded: str) -> str:
    """The opposite of a condition, given in words."""
    game, operand = prepared.game, condition.operand
    match condition.operator:
        case "evident":
            return _negated(prepared, operand, worded)
        case "fact":
            return f"{worded}: no"
        case "number":
            return _compared(prepared, operand, BOUNDS[_BEYOND[operand.operator]])
        case "dealt-as":
            return worded.replace("the cards dealt", "the cards not dealt", 1)
        case "new-player":
            return "a player who was at the table before"
        case "taking-part":
            return "a seat that takes no part in the round"
        case "placed" | "tipped" | "decided" | "claimed":
            return "no " + worded.split(" ", 1)[1]
        case "betting" if operand in NOT_SAID:
            return NOT_SAID[operand]
        case "holds" if operand.operator == "at-least":
            return f"{game.hands[operand.hand].title}: lower than {_spaced(operand.operand)}"
        case _:
            return f"not ({worded})"


def _threshold(holds: Holds) -> str:
    name = _spaced(holds.operand)
    return f"{name} or better" if holds.operator == "at-least" else f"exactly {name}"


def _spaced(name: str) -> str:
    return name.replace("-", " ")


def _innermost(quantity: Quantity) -> Iterator[Quantity]:
    """The quantities that a quantity is worked out from."""
    operand = quantity.operand
    match quantity.operator:
        case "times" | "total":
            yield from _innermost(operand.of)
        case "previous":
            yield from _innermost(operand)
        case "sum" | "smaller" | "difference":
            for part in quantity.parts():
                yield from _innermost(part)
        case _:
            yield quantity
