"""Text about what the evidence shows of a condition, for one item; never used on whole batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from validator.arrays import ABSENT, Codes
from validator.cards.cards import CARDS, NO_CARD, cards_in_symbols
from validator.cards.ranking import CompiledRanking
from validator.engine.cards.dead_cards import DECK_CODES, cards_not_among, used_again
from validator.engine.cards.ranked_hands import cards_of, strength
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import NO, YES
from validator.engine.deal_checks.beside_events import on_a_wager
from validator.engine.deal_checks.cards_seen import counts
from validator.engine.deal_checks.dealing_order import dealt_as
from validator.engine.turns.action_text import seat_in_words
from validator.engine.turns.predicates import where
from validator.evidence.handlog.event_values import ACTORS, FACES, MEANS, PLACES
from validator.language.conditions import NOTHING, Condition, Quantity
from validator.language.grains import Grain
from validator.language.operands import Among, EventHas
from validator.language.wording import demanded, means_in_words, quantity_in_words, times
from validator.rules.core.titles import title_of
from validator.text.values.money import format_money


def unmet(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what a condition requires that an item does not fulfil."""
    broken = unmet_parts(scope, condition, grain, index)
    parts = dict.fromkeys(part.meaning.unmet_there(scope, part, grain, index) for part in broken)
    return NOTHING if NOTHING in parts else condition.meaning.purpose(scope, grain, index) + "; and ".join(parts)


def unmet_parts(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[Condition]:
    """Return the required parts of a condition that an item does not fulfil, or else the condition."""
    return condition.meaning.unmet(scope, condition, grain, index)


def shown(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what the evidence shows of a condition for one item.

    Open parts are mentioned only if the evidence shows nothing else.
    """
    facts: list[str] = []
    for part in unmet_parts(scope, condition, grain, index):
        facts += part.meaning.shown_of_seats(scope, part.operand, int(scope.round_of(grain)[index]))
        facts += _list_decided_facts(scope, part, grain, index) or _iter_facts(scope, part, grain, index)
    if not facts and grain == "stake":
        facts = [stake_in_words(scope, index)]
    return "; ".join(_combine_absent(list(dict.fromkeys(facts)))) or "it happened"


def _combine_absent(facts: Sequence[str]) -> list[str]:
    """Combine several facts about missing events into one."""
    absent = [fact for fact in facts if fact.endswith(_NEVER)]
    if len(absent) < 2:
        return list(facts)
    none = f"none of these: {', '.join(f'“{fact.removesuffix(_NEVER)}”' for fact in absent)}"
    return [none if fact is absent[0] else fact for fact in facts if fact is absent[0] or fact not in absent]


_NEVER = f": {times(0)}"


def grounds(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the events, cards and amounts by which a condition holds; only holding
    alternatives.
    """
    result = condition.meaning.grounds(scope, condition, grain, index)
    return list(dict.fromkeys(fact for part in result for fact in _iter_facts(scope, part, grain, index)))


def why(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the parts by which a condition holds for one item."""
    parts = condition.meaning.holding(scope, condition, grain, index)
    result = [fact for part in parts for fact in part.meaning.shown_holding(scope, part, grain, index)]
    return list(dict.fromkeys(result)) or ["it happened"]


def missing(scope: Scope, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what the evidence must show to decide a condition."""
    parts = [
        demanded(scope.prepared, leaf)
        for leaf in leaves(scope, condition)
        if int(scope.truth(leaf, grain)[index]) not in (NO, YES)
    ]
    return "; ".join(dict.fromkeys(parts)) or demanded(scope.prepared, condition)


def leaves(scope: Scope, condition: Condition) -> Iterator[Condition]:
    """Iterate over the conditions of which a condition is composed, down to those that read evidence of one item."""
    return condition.meaning.leaves(condition, scope.prepared.game)


def _iter_facts(scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
    for leaf in leaves(scope, condition):
        yield from leaf.meaning.shown(scope, leaf, grain, index)


def _list_decided_facts(scope: Scope, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the leaves of a condition that it decides."""
    result: list[str] = []
    for leaf in leaves(scope, condition):
        if int(scope.truth(leaf, grain)[index]) in (NO, YES):
            result += leaf.meaning.shown(scope, leaf, grain, index)
    return result


def held(scope: Scope, hand: str, grain: Grain, index: int) -> str:
    """Describe a hand: its cards, and their rank."""
    prepared = scope.prepared.hands[hand]
    title = scope.prepared.game.hands[hand].title
    seat = int(scope.seat_of(grain)[index]) if grain != "round" else -1
    round_ = int(scope.round_of(grain)[index])
    cards = [
        cards_in(_highest_first(row))
        for row in (
            cards_of(scope, hand, place).cards[seat if place == "player" else round_] for place in prepared.places
        )
    ]
    made = int(strength(scope, hand)[seat if "player" in prepared.places else round_])
    words = "not known" if made == ABSENT else prepared.ranking.describe(made)
    return f"{title}: {' + '.join(filter(None, cards)) or 'not recorded'}, {words}"


def _highest_first(row: Sequence[int] | Codes) -> list[int]:
    """Return the codes of a row of cards from the highest to the lowest, unknown cards last."""
    return sorted((int(code) for code in row), key=lambda code: -code if code < CARDS else 0)


def cards_in(row: Sequence[int] | Codes) -> str:
    """Format the cards of a row as text, without padding."""
    return cards_in_symbols([int(code) for code in row if code != NO_CARD])


def who_has(scope: Scope, position: str, round_: int) -> str:
    """Describe the seat that holds a position in a round."""
    rows, known = where(scope, position)
    title = position.replace("-", " ")
    if not known[round_]:
        return f"the position {title}: not known"
    row = int(rows[round_])
    return f"the position {title}: {'no seat' if row < 0 else seat_in_words(scope, round_, row)}"


def repeated(scope: Scope, round_: int) -> str:
    """Describe the cards of a round that occur more often than the decks in play contain them."""
    decks = scope.prepared.game.deck.decks
    result = [f"{cards_in([code])} {count} times" for code, count in enumerate(counts(scope)[round_]) if count > decks]
    return ", ".join(result) or "no card occurs too often"


def in_use(scope: Scope, step: str, round_: int) -> str:
    """Describe the cards that events of a step show and that are in use."""
    result = used_again(scope, step)
    cards = [cards_in([code]) for code in (result[result // DECK_CODES == round_] % DECK_CODES).tolist()]
    return f"in use: {', '.join(cards)}" if cards else "no such card is known to be in use"


def not_among(scope: Scope, asked: Among, round_: int) -> str:
    """Describe the cards that events of a step show and events of another do not."""
    result = cards_not_among(scope, asked.step, asked.among)
    cards = [cards_in([code]) for code in (result[result // DECK_CODES == round_] % DECK_CODES).tolist()]
    title = scope.prepared.steps[asked.among].title
    return f"not shown by “{title}”: {', '.join(cards)}" if cards else f"“{title}” shows all known cards"


def way_of_dealing(scope: Scope, round_: int) -> str:
    """Describe the permitted ways in which a round was dealt."""
    permitted = list(scope.prepared.game.deal.ways)
    if not all(dealt_as(scope, name)[1][round_] for name in permitted):
        return "way of dealing: not shown"
    ways = [name for name in permitted if dealt_as(scope, name)[0][round_]]
    return f"dealt {' or '.join(ways)}".replace("-", " ") if ways else "dealt in none of the permitted ways"


def at_event(scope: Scope, title: str, event: int) -> str:
    """Format a step with the number of its event: `the rake is taken (event 9)`."""
    return f"{title} (event {_find_event_number(scope, event)})"


def twice(scope: Scope, title: str, first: int, second: int) -> str:
    """Format a step that occurred twice: `folded cards are racked (events 7 and 9)`."""
    return f"{title} (events {_find_event_number(scope, first)} and {_find_event_number(scope, second)})"


def _find_event_number(scope: Scope, event: int) -> int:
    return int(event - scope.batch.events.offsets[scope.batch.events.round[event]]) + 1


def stake_in_words(scope: Scope, index: int) -> str:
    """Describe the line of a stake, and whether it is a tip."""
    stakes = scope.batch.stakes
    title = title_of(scope.prepared.game, stakes.wager.text(index) or "")
    if stakes.bonus[index]:
        return f"the bonus {title}{' on a tip' if stakes.tip[index] else ''}"
    return f"{'a tip' if stakes.tip[index] else 'a wager'} on {title}"


def measured(scope: Scope, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    """Describe a quantity of one item, with its known bounds."""
    least, most = (int(bound[index]) for bound in scope.bounds(quantity, grain))
    own = quantity.grain(scope.prepared.game)
    counts = quantity.meaning.counts
    if least == most:
        text = times(least) if counts else _format_number(least, money=money)
    elif grain == "event" and scope.batch.events.seat[index] == ABSENT and own == "seat":
        text = "no player is named"
    elif max(-least, most) < FAR // 2:
        unit = " times" if counts else ""
        text = f"{_format_number(least, money=money)} to {_format_number(most, money=money)}{unit}, exact value unknown"
    elif most < FAR // 2:
        text = f"at most {_format_number(most, money=money)}"
    else:
        text = f"at least {_format_number(least, money=money)}" if -least < FAR // 2 else "not known"
    if counts:
        return f"{quantity.meaning.title(scope.prepared, quantity.operand)}: {text}"
    return f"{quantity_in_words(scope.prepared, quantity, money=money)}: {text}"


def laid_out(scope: Scope, hand: str, index: int) -> str:
    """Return the cards of an event in the order of a hand; empty if it does not show a whole hand."""
    ranking, row = scope.prepared.hands[hand].ranking, int(scope.batch.events.cards_row[index])
    cards = np.zeros(0, np.uint8) if row < 0 else scope.batch.events.hands.cards[row]
    cards = cards[cards != NO_CARD]
    if not isinstance(ranking, CompiledRanking) or len(cards) != ranking.size or (cards >= CARDS).any():
        return ""
    return cards_in(ranking.best(cards.tolist()))


def figure(scope: Scope, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    """Format a quantity of one item as a figure; empty if it is not exactly known."""
    least, most = (int(bound[index]) for bound in scope.bounds(quantity, grain))
    return _format_number(least, money=money) if least == most else ""


def _format_number(value: int, *, money: bool) -> str:
    if not money:
        return str(value)
    return format_money(value)


def happened(scope: Scope, asked: EventHas, index: int) -> str:
    """Describe what an event shows: its cards, its actor, and all other features that a condition refers to."""
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
        parts.append(f"the cards {spots} from the dealer's left" if spots else "positions of the cards: not recorded")
    if asked.in_ is not None or asked.also_in is not None:
        means = int(events.means[index])
        parts.append("means: not recorded" if means < 0 else f"in {means_in_words(MEANS[means])}")
    if asked.place is not None and events.place[index] >= 0:
        parts.append(f"at the {PLACES[events.place[index]]}")
    if asked.number is not None:
        number = int(events.amount[index])
        parts.append("no number stated" if number == ABSENT else f"the number {number}")
    if asked.deck is not None:
        deck = events.deck.text(index)
        parts.append("of the deck in play" if deck is None else f"of the deck {deck}")
    if asked.decision is not None:
        decision = events.decision.text(index)
        known = scope.prepared.game.decisions.get(decision or "")
        parts.append(f"to {known.title}" if known is not None else decision or "no decision")
    if asked.wager is not None:
        wager = title_of(scope.prepared.game, events.wager.text(index) or "no wager")
        nothing = on_a_wager(scope, "not-placed", np.array([index]))[0] == YES
        parts.append(f"about {wager}{', which the seat has not placed' if nothing else ''}")
    return " ".join(parts) or "nothing more recorded"
