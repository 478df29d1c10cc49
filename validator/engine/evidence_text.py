"""Text about what the evidence shows of a condition, or of the betting, for one item; never used on whole batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fairdeal.validator.arrays import ABSENT, Codes, has_any
from fairdeal.validator.cards.card_codes import CARDS, KNOWN_CARDS, NO_CARD, cards_in_symbols
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.betting.betting_operators import seat_declarations
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.betting.betting_quantities import evaluate_replay_quantity
from fairdeal.validator.engine.betting.betting_replay import replay_betting
from fairdeal.validator.engine.betting.betting_snapshots import ANY_RAISE, FULL_RAISE, FULL_RAISE_IN_ALL
from fairdeal.validator.engine.betting.betting_state import find_reopening_rules
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, YES
from fairdeal.validator.engine.core.operator_interface import (
    NOTHING_SATISFIES,
    describe_condition,
    describe_quantity,
    get_operators,
)
from fairdeal.validator.engine.deal_checks.dealing_order import is_dealt_as
from fairdeal.validator.engine.deal_checks.deck_counts import count_copies, count_faces
from fairdeal.validator.engine.deal_checks.event_conditions import has_wager_status
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards, hand_strength
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.facts.step_cards import DECK_CODES, cards_used_again, find_cards_not_among
from fairdeal.validator.engine.timeline.step_events import certain_events
from fairdeal.validator.evidence.columns.relations import describe_line
from fairdeal.validator.evidence.handlog.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.handlog.log_events import KINDS
from fairdeal.validator.language.grammar import CardsAmongSteps, EventHas, Grain
from fairdeal.validator.language.phrases import format_means, format_numbered, format_times
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.money import format_money


def describe_turn(scope: EvaluationContext, index: int) -> str:
    """Describe who had to act, and the bet to answer."""
    play = replay_betting(scope)
    entry = play.snapshot_index[index]
    row = int(play.seat_to_act[index])
    if row == ABSENT:
        return "no further act"
    who = describe_seat(scope, int(scope.batch.events.round[index]), row)
    level = int(play.snapshots.current_bet[entry])
    return f"{who} to answer the bet of {format_money(level)}" if level else f"{who} to act"


def describe_seat(scope: EvaluationContext, round_: int, row: int) -> str:
    """Describe a seat by its number in the log."""
    return f"seat {int(scope.batch.seats.number[seat_layout(scope).seat_of_row[row, round_]])}"


def describe_action(scope: EvaluationContext, index: int) -> str:
    """Describe what happened: the seat, its decision and amount, and whether it was all-in."""
    events = scope.batch.events
    seat = int(events.seat[index])
    behind, counted = evaluate_replay_quantity(scope, "behind")
    state = ", all-in" if counted[index] and not behind[index] else ""
    who = "" if seat == ABSENT else f"seat {int(scope.batch.seats.number[seat])}{state}: "
    decision = events.decision.text(index)
    if decision is None:
        return f"{who}{_title_of_step(scope, index)}"
    known = scope.compiled_game.game.decisions.get(decision)
    title = decision if known is None else known.title
    put, recorded = evaluate_replay_quantity(scope, "put-in")
    to, _ = evaluate_replay_quantity(scope, "bets-to")
    if not recorded[index] or not put[index]:
        return f"{who}{title}"
    amount = f", {format_money(int(put[index]))}"
    return (
        f"{who}{title}{amount}"
        if put[index] == to[index]
        else f"{who}{title}{amount}, to {format_money(int(to[index]))}"
    )


def _title_of_step(scope: EvaluationContext, index: int) -> str:
    """Return the title of the first act that an event belongs to, or else its kind."""
    acts, kind = scope.compiled_game.steps.items(), KINDS[scope.batch.events.kind[index]]
    titles = (act.title for name, act in acts if kind in act.events and index in certain_events(scope, name))
    return next(titles, kind.replace("-", " "))


def describe_declaration(scope: EvaluationContext, index: int) -> str:
    """Describe what the seat of an event had declared in its turn, if it is binding."""
    result = seat_declarations(scope)
    binding, named = int(result.binding[index]), int(result.naming_total[index])
    events, decisions = scope.batch.events, scope.compiled_game.game.decisions
    if binding == ABSENT or not result.is_binding_known[index]:
        return "no binding declaration" if result.is_binding_known[index] else "the declaration is not recorded"
    title = decisions[events.decision.text(binding) or ""].title
    return title if named == ABSENT else f"{title}, to {format_money(int(events.amount[named]))}"


def describe_amount_to_call(scope: EvaluationContext, index: int) -> str:
    """Describe how much the seat of an event had to call."""
    lacking, known = evaluate_replay_quantity(scope, "to-call")
    return f"{format_money(int(lacking[index]))} to call" if known[index] else "amount to call: not known"


def explain_closed_betting(scope: EvaluationContext, index: int) -> str:
    """Explain why the seat of an event could not raise."""
    most = scope.compiled_game.game.betting
    raises, _ = evaluate_replay_quantity(scope, "raises")
    if most is not None and most.sizes.raises is not None and raises[index] >= most.sizes.raises:
        return f"{raises[index]} raises were made"
    return f"the seat had acted and {_TOO_LITTLE[int(find_reopening_rules(scope)[0][scope.batch.events.round[index]])]}"


_TOO_LITTLE = {
    FULL_RAISE: "no full raise followed",
    FULL_RAISE_IN_ALL: "the raises that followed add up to less than a full raise",
    ANY_RAISE: "no raise followed",
}
"""Reason why a seat could not raise, by the raises that reopen the betting."""


def describe_unmet(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what a condition requires that an item does not fulfil."""
    broken = find_unmet_parts(scope, condition, grain, index)
    parts = dict.fromkeys(
        get_operators(scope.compiled_game).find(part).describe_unmet(scope, part, grain, index) for part in broken
    )
    return (
        NOTHING_SATISFIES
        if NOTHING_SATISFIES in parts
        else get_operators(scope.compiled_game).find(condition).describe_purpose(scope, grain, index)
        + "; and ".join(parts)
    )


def find_unmet_parts(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[Condition]:
    """Return the required parts of a condition that an item does not fulfil, or else the condition."""
    return get_operators(scope.compiled_game).find(condition).find_unmet_parts(scope, condition, grain, index)


def describe_evidence(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what the evidence shows of a condition for one item; see `list_evidence`."""
    return "; ".join(list_evidence(scope, condition, grain, index))


def list_evidence(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of a condition for one item.

    Open parts are mentioned only if the evidence shows nothing else.
    """
    facts: list[str] = []
    for part in find_unmet_parts(scope, condition, grain, index):
        facts += (
            get_operators(scope.compiled_game)
            .find(part)
            .show_seats(scope, part.operand, int(scope.rounds_of(grain)[index]))
        )
        facts += _list_decided_facts(scope, part, grain, index) or _iter_facts(scope, part, grain, index)
    if not facts and grain == "stake":
        facts = [describe_stake(scope, index)]
    return _combine_absent(list(dict.fromkeys(facts))) or ["it happened"]


def _combine_absent(facts: Sequence[str]) -> list[str]:
    """Combine several facts about missing events into one."""
    absent = [fact for fact in facts if fact.endswith(_NEVER)]
    if len(absent) < 2:
        return list(facts)
    none = f"none of these: {', '.join(f'“{fact.removesuffix(_NEVER)}”' for fact in absent)}"
    return [none if fact is absent[0] else fact for fact in facts if fact is absent[0] or fact not in absent]


_NEVER = f": {format_times(0)}"


def list_grounds(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the events, cards and amounts by which a condition holds; only holding
    alternatives.
    """
    result = get_operators(scope.compiled_game).find(condition).iterate_comparisons(scope, condition, grain, index)
    return list(dict.fromkeys(fact for part in result for fact in _iter_facts(scope, part, grain, index)))


def explain_holding(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the parts by which a condition holds for one item."""
    parts = get_operators(scope.compiled_game).find(condition).iterate_parts_that_hold(scope, condition, grain, index)
    result = [
        fact
        for part in parts
        for fact in get_operators(scope.compiled_game).find(part).show_evidence_that_holds(scope, part, grain, index)
    ]
    return list(dict.fromkeys(result)) or ["it happened"]


def describe_missing_evidence(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> str:
    """Describe what the evidence must show to decide a condition."""
    parts = [
        describe_condition(scope.compiled_game, leaf)
        for leaf in iterate_leaves(scope, condition)
        if int(scope.evaluate(leaf, grain)[index]) not in (NO, YES)
    ]
    return "; ".join(dict.fromkeys(parts)) or describe_condition(scope.compiled_game, condition)


def iterate_leaves(scope: EvaluationContext, condition: Condition) -> Iterator[Condition]:
    """Iterate over the conditions of which a condition is composed, down to those that read evidence of one item."""
    return get_operators(scope.compiled_game).find(condition).iterate_leaves(condition, scope.compiled_game.game)


def list_facts(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of every part of a condition for one item; of parts of a finer grain, nothing."""
    return list(dict.fromkeys(_iter_facts(scope, condition, grain, index)))


def _iter_facts(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
    for leaf in iterate_leaves(scope, condition):
        if grain == "round" and scope.compiled_game.find_grain(leaf) != "round":
            continue  # a seat of some-seat
        yield from (get_operators(scope.compiled_game).find(leaf).show_evidence(scope, leaf, grain, index))


def _list_decided_facts(scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> list[str]:
    """Return what the evidence shows of the leaves of a condition that it decides."""
    result: list[str] = []
    for leaf in iterate_leaves(scope, condition):
        if int(scope.evaluate(leaf, grain)[index]) in (NO, YES):
            result += get_operators(scope.compiled_game).find(leaf).show_evidence(scope, leaf, grain, index)
    return result


def describe_hand(scope: EvaluationContext, hand: str, grain: Grain, index: int) -> str:
    """Describe a hand: its cards, and their rank."""
    prepared = scope.compiled_game.hands[hand]
    title = scope.compiled_game.game.hands[hand].title
    seat = int(scope.seats_of(grain)[index]) if grain != "round" else -1
    round_ = int(scope.rounds_of(grain)[index])
    rows = [
        collect_hand_cards(scope, hand, place).cards[seat if place == "player" else round_] for place in prepared.places
    ]
    cards = [format_card_row(_highest_first(row)) for row in rows]
    if not any(cards):
        return f"{title}: not recorded"
    made = int(hand_strength(scope, hand)[seat if "player" in prepared.places else round_])
    is_whole = all(cards) and not any(code == UNKNOWN_CARD for row in rows for code in row)
    words = "another number of cards than this hand has" if is_whole else "not fully known"
    return f"{title}: {' + '.join(filter(None, cards))}, {words if made == ABSENT else prepared.ranking.describe(made)}"


def _highest_first(row: Sequence[int] | Codes) -> list[int]:
    """Return the codes of a row of cards from the highest to the lowest, unknown cards last."""
    return sorted((int(code) for code in row), key=lambda code: -code if code < KNOWN_CARDS else 0)


def format_card_row(row: Sequence[int] | Codes) -> str:
    """Format the cards of a row as text, without padding."""
    return cards_in_symbols([int(code) for code in row if code != NO_CARD])


def describe_position(scope: EvaluationContext, position: str, round_: int) -> str:
    """Describe the seat that holds a position in a round."""
    rows, known = find_position_rows(scope, position)
    title = position.replace("-", " ")
    if not known[round_]:
        return f"the position {title}: not known"
    row = int(rows[round_])
    return f"the position {title}: {'no seat' if row < 0 else describe_seat(scope, round_, row)}"


def describe_repeated_cards(scope: EvaluationContext, round_: int) -> str:
    """Describe the cards of a round that occur more often than the decks in play contain them."""
    copies = count_copies(scope.compiled_game)
    result = [
        f"{format_card_row([code])} {'once' if count == 1 else f'{count} times'}"
        for code, count in enumerate(count_faces(scope)[round_])
        if count > copies[code]
    ]
    return ", ".join(result) or "no card occurs too often"


def describe_cards_in_use(scope: EvaluationContext, step: str, round_: int) -> str:
    """Describe the cards that events of a step show and that are in use."""
    result = cards_used_again(scope, step)
    cards = [format_card_row([code]) for code in (result[result // DECK_CODES == round_] % DECK_CODES).tolist()]
    return f"in use: {', '.join(cards)}" if cards else "no such card is known to be in use"


def describe_cards_not_among(scope: EvaluationContext, asked: CardsAmongSteps, round_: int) -> str:
    """Describe the cards that events of a step show and events of another do not."""
    result = find_cards_not_among(scope, asked.step, asked.among)
    cards = [format_card_row([code]) for code in (result[result // DECK_CODES == round_] % DECK_CODES).tolist()]
    title = scope.compiled_game.steps[asked.among].title
    return f"not shown by “{title}”: {', '.join(cards)}" if cards else f"“{title}” shows all known cards"


def describe_dealing(scope: EvaluationContext, round_: int) -> str:
    """Describe the permitted ways in which a round was dealt."""
    permitted = list(scope.compiled_game.game.deal.ways)
    if not all(is_dealt_as(scope, name)[1][round_] for name in permitted):
        return "way of dealing: not shown"
    ways = [name for name in permitted if is_dealt_as(scope, name)[0][round_]]
    return f"dealt {' or '.join(ways)}".replace("-", " ") if ways else "dealt in none of the permitted ways"


def format_step_at_event(scope: EvaluationContext, title: str, event: int) -> str:
    """Format a step with the number of its event: `the rake is taken (event 9)`."""
    return f"{title} (event {_find_event_number(scope, event)})"


def format_step_at_two_events(scope: EvaluationContext, title: str, first: int, second: int) -> str:
    """Format a step that occurred twice: `folded cards are racked (events 7 and 9)`."""
    return f"{title} (events {_find_event_number(scope, first)} and {_find_event_number(scope, second)})"


def _find_event_number(scope: EvaluationContext, event: int) -> int:
    return int(event - scope.batch.events.offsets[scope.batch.events.round[event]]) + 1


def title_of_value(scope: EvaluationContext, outcome: str, text: str) -> str:
    """Return the title of a value of an outcome; the text itself if the game does not have it."""
    compiled = scope.compiled_game.outcomes.get(outcome)
    number = None if compiled is None else compiled.number_of_text.get(text)
    return text if compiled is None or number is None else compiled.values[number]


def describe_outcome(scope: EvaluationContext, outcome: str, round_: int) -> str:
    """Describe the value of an outcome in a round."""
    compiled, value = scope.compiled_game.outcomes[outcome], int(outcome_values(scope, outcome)[round_])
    return f"{compiled.title}: {'not recorded' if value == ABSENT else compiled.values[value]}"


def describe_selection(scope: EvaluationContext, index: int) -> str:
    """Describe what a stake is placed on."""
    return f"the stake is on {scope.batch.stakes.selection.text(index) or 'no recorded selection'}"


def describe_stake(scope: EvaluationContext, index: int) -> str:
    """Describe the line of a stake, and whether it is a tip."""
    stakes = scope.batch.stakes
    title = line_title(scope.compiled_game.game, stakes.wager.text(index) or "")
    if stakes.bonus[index]:
        return f"the bonus {title}{' on a tip' if stakes.tip[index] else ''}"
    return f"{'a tip' if stakes.tip[index] else 'a wager'} on {describe_line(title, stakes.selection.text(index))}"


def describe_known_quantity(
    scope: EvaluationContext, quantity: Quantity, grain: Grain, index: int, *, money: bool
) -> str:
    """Describe a quantity of one item, with its known bounds."""
    least, most = (int(bound[index]) for bound in scope.compute_bounds(quantity, grain))
    own = scope.compiled_game.find_grain(quantity)
    operator = get_operators(scope.compiled_game).find(quantity)
    if text := operator.describe_source(scope, quantity.operand, grain, index):
        return text
    counts = operator.counts_occurrences
    if least == most:
        text = format_times(least) if counts else _format_number(least, money=money)
    elif grain == "event" and scope.batch.events.seat[index] == ABSENT and own == "seat":
        text = "no player is named"
    elif max(-least, most) < UNBOUNDED // 2:
        unit = " times" if counts else ""
        text = f"{_format_number(least, money=money)} to {_format_number(most, money=money)}{unit}, exact value unknown"
    elif most < UNBOUNDED // 2:
        text = f"at most {_format_number(most, money=money)}"
    else:
        text = f"at least {_format_number(least, money=money)}" if -least < UNBOUNDED // 2 else "not known"
    if counts:
        return f"{operator.format_operand(scope.compiled_game, quantity.operand)}: {text}"
    return f"{describe_quantity(scope.compiled_game, quantity, money=money)}: {text}"


def describe_arranged_cards(scope: EvaluationContext, hand: str, index: int) -> str:
    """Return the cards of an event in the order of a hand; empty if it does not show a whole hand."""
    ranking, row = scope.compiled_game.hands[hand].ranking, int(scope.batch.events.cards_row[index])
    cards = np.zeros(0, np.uint8) if row < 0 else scope.batch.events.hands.cards[row]
    cards = cards[cards != NO_CARD]
    if not isinstance(ranking, CompiledRanking) or len(cards) != ranking.size or has_any(cards >= CARDS):
        return ""
    return format_card_row(ranking.best(cards.tolist()))


def format_figure(scope: EvaluationContext, quantity: Quantity, grain: Grain, index: int, *, money: bool) -> str:
    """Format a quantity of one item as a figure; empty if it is not exactly known."""
    least, most = (int(bound[index]) for bound in scope.compute_bounds(quantity, grain))
    return _format_number(least, money=money) if least == most else ""


def _format_number(value: int, *, money: bool) -> str:
    if not money:
        return str(value)
    return format_money(value)


def describe_event(scope: EvaluationContext, asked: EventHas, index: int) -> str:
    """Describe what an event shows: its cards, its actor, and all other features that a condition refers to."""
    events = scope.batch.events
    row = int(events.cards_row[index])
    cards = "" if row < 0 else format_card_row(events.hands.cards[row])
    parts = [cards] if cards else []
    if events.face[index] >= 0:
        parts.append(f"face {FACES[events.face[index]]}")
    if events.by[index] >= 0:
        parts.append(f"by the {ACTORS[events.by[index]]}")
    if asked.positions is not None:
        spots = format_numbered("card", list(events.positions.text(index) or ""))
        parts.append(f"{spots} from the dealer's left" if spots else "positions of the cards: not recorded")
    if asked.in_ is not None or asked.also_in is not None:
        means = int(events.means[index])
        parts.append("means: not recorded" if means < 0 else f"in {format_means(MEANS[means])}")
    if asked.place is not None and events.place[index] >= 0:
        parts.append(f"at {scope.compiled_game.game.deal.name_place(PLACES[events.place[index]])}")
    if asked.number is not None:
        number = int(events.amount[index])
        parts.append("no number stated" if number == ABSENT else f"the number {number}")
    if asked.decision is not None:
        decision = events.decision.text(index)
        known = scope.compiled_game.game.decisions.get(decision or "")
        parts.append(f"to {known.title}" if known is not None else decision or "no decision")
    if asked.wager is not None:
        wager = line_title(scope.compiled_game.game, events.wager.text(index) or "no wager")
        nothing = has_wager_status(scope, "not-placed", np.array([index]))[0] == YES
        parts.append(f"about {wager}{', which the seat has not placed' if nothing else ''}")
    return " ".join(parts) or "nothing more recorded"
