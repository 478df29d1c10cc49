"""Checks of the deal: places in turn, burnt cards, number of cards, and discards against the drawing rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, find_true, is_one_of, look_up
from fairdeal.validator.audit import status_codes
from fairdeal.validator.cards.card_choices import list_splits, split_kept_cards
from fairdeal.validator.cards.card_codes import cards_in_symbols
from fairdeal.validator.engine.betting.betting_predicates import reported_by_betting
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.deal_checks import dealing_order
from fairdeal.validator.engine.deal_checks.broken_deals import FIRST_STAGE, is_only_miscounted
from fairdeal.validator.engine.deal_checks.card_counts import (
    CardCountCheck,
    check_burns,
    check_card_counts,
    count_cards_before,
    limit_cards,
)
from fairdeal.validator.engine.facts.final_hands import compile_setting, exchanged_cards, find_set_hands
from fairdeal.validator.engine.facts.step_cards import DrawDecisions, evaluate_drawing
from fairdeal.validator.engine.item_evidence import ItemEvidence, format_card_row
from fairdeal.validator.engine.pots.showdown_hands import possible_boards
from fairdeal.validator.engine.timeline.deal_stages import BURN, count_cards, stage_of_events
from fairdeal.validator.engine.timeline.excused_acts import reported_out_of_order
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Grain, grain_of_place
from fairdeal.validator.language.submission_conditions import format_seats, replace_hyphens
from fairdeal.validator.operators.rule_renderer import list_facts
from fairdeal.validator.rules.deal_model import Deal, DealtCheck, Drawing, DrawnByCheck

_REQUIRED_RECORD = {
    "turn": "the cards as dealt, one event each",
    "burn": "the cards as dealt and burnt, one event each",
    "count": "the cards as dealt, one event each",
}


_MISSING_RECORD = {
    "turn": "the log does not show which seat is served first",
    "burn": "an event does not record its number of cards",
    "count": "the log does not record the number of cards of an event, or who is out of the round",
}


def check_dealing(scope: EvaluationContext, check: DealtCheck) -> status_codes.CheckResult:
    """Check the deal against the stages that the game defines."""
    names = [stage.stage for stage in scope.compiled_game.game.deal.stages]
    stages = [names.index(name) for name in check.stages or names]
    result: dealing_order.DealingOrderCheck | CardCountCheck
    match check.asks:
        case "turn":
            result = dealing_order.check_dealing_order(scope, stages)
        case "burn":
            result = _allow_several_boards(scope, stages, check_burns(scope, stages))
        case _:
            result = check_card_counts(scope, stages)
    is_recorded = _is_deal_recorded(scope, stages, check.asks)
    is_start_known = np.ones(len(is_recorded), bool)
    if check.asks == "turn":
        is_recorded &= dealing_order.is_order_recorded(scope)
        is_start_known = np.logical_and.reduce([dealing_order.is_first_seat_known(scope, stage) for stage in stages])
    is_decidable = (
        np.ones(len(is_recorded), bool)
        if isinstance(result, dealing_order.DealingOrderCheck)
        else result.is_known | (result.broke_at >= 0)
    )
    is_broken, has_stage = result.broke_at >= 0, _has_stage(scope, stages, check.asks)
    if isinstance(result, CardCountCheck):
        has_stage |= result.arises | ~result.is_known
    if check.asks == "turn":
        in_first = look_up(stage_of_events(scope) == FIRST_STAGE, result.broke_at, missing=False)
        is_broken &= ~is_only_miscounted(scope, is_broken & in_first)
    if check.asks == "burn":  # cards dealt too early precede the card burnt for them
        is_reported = reported_by_betting(scope) | reported_out_of_order(scope)
        is_broken &= ~look_up(is_reported, result.broke_at, missing=False)
    statuses = status_codes.combine_order_status(
        is_broken, scope.evaluate(check.when, "round"), is_recorded & is_start_known & is_decidable, has_stage
    )
    # Without such a stage, the seat that would have been served first does not matter.
    statuses[is_recorded & ~has_stage & ~is_broken] = status_codes.NOT_APPLICABLE

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        event = int(result.broke_at[round_])
        expected, observed = (
            _describe_wrong_turn(scope, result, round_, event)
            if isinstance(result, dealing_order.DealingOrderCheck)
            else _describe_wrong_number(scope, result, round_)
        )
        seat = (
            int(scope.batch.events.seat[event])
            if isinstance(result, dealing_order.DealingOrderCheck)
            else int(result.seat[round_])
        )
        return status_codes.FindingDetails(
            where=status_codes.build_place(scope, round_, seat=seat, event=event),
            expected=expected,
            observed=observed,
        )

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=lambda: _REQUIRED_RECORD[check.asks],
            observed=lambda round_: _MISSING_RECORD[check.asks] if is_recorded[round_] else status_codes.NO_EVENTS,
        ),
    )


def _allow_several_boards(scope: EvaluationContext, stages: Sequence[int], result: CardCountCheck) -> CardCountCheck:
    """Return the result with rounds whose board is run several times held to one burnt card before each street.

    How boards follow each other is left to the agreement. At the latest a street begins when all boards have the cards
    of the streets before it. Burnt cards beyond one for each street prove nothing.
    """
    ways = possible_boards(scope) if scope.compiled_game.game.pots is not None else ()
    several = find_true(ways[0].count > 1) if ways else np.zeros(0, np.int64)
    if not len(several):
        return result
    events, broke_at, stage = scope.batch.events, result.broke_at.copy(), result.stage.copy()
    number, of_community = result.card_count.copy(), PLACES.index("community")
    broke_at[several], number[several] = ABSENT, 0
    permitted = (scope.compiled_game.game.deal.stages[index].permitted_ways for index in stages)
    sizes = [next(iter(ways_of_stage.values())).count_dealt()["community"] for ways_of_stage in permitted]
    dealt_before = np.cumsum([0, *sizes[:-1]])
    for round_ in several.tolist():
        begins = np.max(
            [
                np.minimum(dealt_before, way.common_count[round_])
                + np.maximum(dealt_before - way.common_count[round_], 0) * way.count[round_]
                for way in ways
            ],
            axis=0,
        )
        burnt = dealt = 0
        events_of_deal = events.offsets[round_] + find_true(
            events.kind[events.offsets[round_] : events.offsets[round_ + 1]] == KIND_CODES["deal"]
        )
        for event, cards in zip(events_of_deal.tolist(), count_cards(scope, events_of_deal).tolist(), strict=True):
            if events.place[event] == BURN:
                burnt += cards
            elif events.place[event] == of_community:
                if burnt < (begins <= dealt).sum():
                    broke_at[round_], stage[round_] = event, stages[burnt]
                    break
                dealt += cards
    return replace(result, broke_at=broke_at, stage=stage, card_count=number)


def _has_stage(scope: EvaluationContext, stages: Sequence[int], asks: str) -> Flags:
    """Return whether one of the stages took place in each round, and for `turn` whether it involved several seats.

    Returns:
        bool[rounds].
    """
    events, result = scope.batch.events, np.zeros(len(scope.batch), bool)
    stage_of, exchanging = stage_of_events(scope), scope.compiled_game.game.deal.exchanging_stages
    for stage in stages:
        stage_events = find_true((stage_of == stage) & (events.place != PLACES.index("burn")))
        if asks == "turn" and stage in exchanging:
            stage_events = stage_events[
                (events.kind[stage_events] == KIND_CODES["draw"]) & (events.seat[stage_events] != ABSENT)
            ]
            is_other_seat = events.seat[stage_events][1:] != events.seat[stage_events][:-1]
            stage_events = stage_events[1:][
                is_other_seat & (events.round[stage_events][1:] == events.round[stage_events][:-1])
            ]
        elif asks == "burn":
            stage_events = stage_events[is_one_of(events.kind[stage_events], (KIND_CODES["deal"], KIND_CODES["draw"]))]
        result[events.round[stage_events]] = True
    return result


def _is_deal_recorded(scope: EvaluationContext, stages: Sequence[int], asks: str) -> Flags:
    """Return whether the log of each round records the events that the check needs.

    Returns:
        bool[rounds].
    """
    deal = scope.compiled_game.game.deal
    recorded = [are_kinds_recorded(scope, ("deal",), place) for place in _places_to_record(deal, stages, asks)]
    if asks == "count" and any(
        taking.decisions for stage in stages for taking in (deal.stages[stage].takes or {}).values()
    ):
        recorded.append(are_kinds_recorded(scope, ("decide",)))
    for stage in stages:
        kinds = ("discard", "draw", "decide") if len(deal.exchanging_stages) > 1 else ("discard", "draw")
        recorded += [are_kinds_recorded(scope, kinds, place) for place in deal.stages[stage].exchanges or ()]
    return np.logical_and.reduce(recorded)


def _places_to_record(deal: Deal, stages: Sequence[int], asks: str) -> set[str]:
    """Return the places whose cards the log must record."""
    stages_checked = [deal.stages[stage] for stage in stages if asks == "burn" or deal.stages[stage].exchanges is None]
    places = {
        place
        for stage in stages_checked
        for stage_deal in stage.permitted_ways.values()
        for place in stage_deal.count_dealt()
    }
    return places - {"burn"} if asks == "count" else places | {"burn"} if asks == "burn" else places


def _describe_wrong_turn(
    scope: EvaluationContext, turns: dealing_order.DealingOrderCheck, round_: int, event: int
) -> tuple[str, str]:
    events, numbers = scope.batch.events, scope.batch.seats.number

    def place(number: int) -> str:
        if number < len(numbers):
            return f"seat {int(numbers[number])}"
        return scope.compiled_game.game.deal.name_place(PLACES[number - len(numbers)])

    seat = int(events.seat[event])
    observed = seat if seat != ABSENT else len(numbers) + int(events.place[event])
    size = int(events.hands.count[events.cards_row[event]])
    due = int(turns.expected[round_])
    served = PLACES[int(events.place[event])] in scope.compiled_game.game.deal.served_places
    no_card = "no further card" if served else f"no card to {place(observed)}"
    return (
        f"{_format_number_of_cards(int(turns.size[round_]))} to {place(due)}" if due != ABSENT else no_card,
        f"{_format_number_of_cards(size)} to {place(observed)}",
    )


def _describe_wrong_number(scope: EvaluationContext, numbers: CardCountCheck, round_: int) -> tuple[str, str]:
    stage_rule = scope.compiled_game.game.deal.stages[int(numbers.stage[round_])]
    stage, exchanging = replace_hyphens(stage_rule.stage), stage_rule.exchanges is not None
    due = sorted(numbers.due[int(numbers.stage[round_])][int(numbers.place[round_])])
    place_text = f"burnt before the {stage}" if PLACES[int(numbers.place[round_])] == "burn" else f"in the {stage}"
    number, others = (
        _format_number_of_cards(int(numbers.card_count[round_])),
        _describe_other_seats(scope, numbers, round_),
    )
    if stage_rule.is_by_rule and PLACES[int(numbers.place[round_])] != "burn":
        return _describe_card_by_rule(scope, numbers, round_)
    if numbers.exact_due[round_] != ABSENT:
        if not exchanging:
            return f"no cards {place_text} to a player who is out of the round", number + others
        return (
            f"{_format_number_of_cards(int(numbers.exact_due[round_]))} drawn {place_text}, as many as put away",
            f"{number} drawn{others}",
        )
    if exchanging and PLACES[int(numbers.place[round_])] != "burn":
        return f"{_format_number_of_cards(due[-1])} put away {place_text} at the most", f"{number} put away{others}"
    permitted = " or ".join(map(str, due))
    return f"{permitted} {'card' if permitted == '1' else 'cards'} {place_text}", number + others


def _describe_card_by_rule(scope: EvaluationContext, numbers: CardCountCheck, round_: int) -> tuple[str, str]:
    """Describe a card too many or too few in a stage by rule: the number due, and the hands that decide it."""
    number, seat = int(numbers.stage[round_]), int(numbers.seat[round_])
    deal, place = scope.compiled_game.game.deal, PLACES[int(numbers.place[round_])]
    stage, taken, due = deal.stages[number], int(numbers.card_count[round_]), int(numbers.exact_due[round_])
    to = f"seat {int(scope.batch.seats.number[seat])}" if seat != ABSENT else deal.name_place(place)
    named = f"to {to} in the {stage.stage.replace('-', ' ')}"
    grain: Grain = "round" if seat == ABSENT else "seat"
    item = round_ if seat == ABSENT else seat
    holder, taking = next(iter((stage.takes or {}).items()), (None, None))
    if taking is not None and taking.decisions and taken == due:
        return (
            f"one card {named} after each decision to take one",
            "a card without such a decision, or none after it",
        )
    facts = [] if stage.when is None else list_facts(ItemEvidence(scope, grain, item), stage.when)
    if holder is not None and taking is not None and taking.while_ is not None:
        before = np.maximum(count_cards_before(scope, holder, number) + min(taken, due), 1)
        facts += list_facts(ItemEvidence(limit_cards(scope, holder, before), grain, item), taking.while_)
    shown = "; ".join([f"{_format_number_of_cards(taken)} {named}", *dict.fromkeys(facts)])
    return f"{_format_number_of_cards(due)} {named}", shown + _describe_other_seats(scope, numbers, round_)


def _describe_other_seats(scope: EvaluationContext, numbers: CardCountCheck, round_: int) -> str:
    """Describe the other seats with a wrong number of cards in the same stage."""
    others = [seat for seat in numbers.list_wrong_seats(round_) if seat != numbers.seat[round_]]
    return f"; a wrong number at {format_seats(scope.batch.seats.number[others].tolist())} as well" if others else ""


def _format_number_of_cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number or 'no'} cards"


def check_drawing(scope: EvaluationContext, check: DrawnByCheck) -> status_codes.CheckResult:
    """Check the discards, or the hands that were set, where one of the drawing rules decides."""
    prepared = scope.compiled_game
    drawing = prepared.game.drawing[check.drawing]
    grain = grain_of_place(drawing.place)
    drawing_result = evaluate_drawing(scope, check.drawing)
    rules = [index for index, rule in enumerate(drawing.rules) if check.checks_rule(rule.rule)]
    applies = np.minimum(scope.evaluate(check.when, grain), drawing_result.is_decided_by(rules))

    def describe(item: int, observed: str) -> status_codes.FindingDetails:
        possible = [index for index in rules if drawing_result.may_decide[index][item]]
        deciding_rules = [drawing.rules[index] for index in possible]
        regulation = scope.compiled_game.regulation
        return status_codes.FindingDetails(
            where=status_codes.build_item_place(scope, grain, item),
            expected="; or ".join(
                _describe_required(scope, drawing, drawing_result, index, item) for index in possible
            ),
            observed=observed,
            clauses=regulation.qualify_clauses([label for rule in deciding_rules for label in rule.clauses]),
            readings=tuple(regulation.qualify(name) for rule in deciding_rules for name in rule.readings),
        )

    def describe_hands(item: int) -> str:
        hands = find_set_hands(prepared, drawing.place) if drawing.hand is None else [drawing.hand]
        return "; ".join(map(ItemEvidence(scope, grain, item).describe_hand, hands))

    def describe_observed(item: int) -> str:
        discard = [] if drawing.sets_cards else [_describe_discard(scope, check.drawing, item)]
        return "; ".join([describe_hands(item), *discard])

    def describe_gap(item: int) -> status_codes.FindingDetails:
        if not drawing_result.is_hand_known[item]:
            return describe(item, f"the cards are not known: {describe_hands(item)}")
        if not drawing.sets_cards and exchanged_cards(scope, drawing.place, "discard").count[item] < 0:
            return describe(item, f"the log does not record what was discarded; {describe_hands(item)}")
        return describe(
            item, f"the evidence does not show what the rule required or what was done: {describe_observed(item)}"
        )

    return status_codes.CheckResult(
        status_codes=status_codes.combine_status(applies, drawing_result.follows_rules(rules)),
        round=scope.rounds_of(grain),
        describe_failure=lambda item: describe(item, describe_observed(item)),
        describe_gap=describe_gap,
    )


def _describe_required(
    scope: EvaluationContext, drawing: Drawing, drawing_result: DrawDecisions, index: int, item: int
) -> str:
    """Describe the cards that a rule requires a hand to discard and to keep, or to set into two hands."""
    name = replace_hyphens(drawing.rules[index].rule)
    if not drawing_result.is_hand_known[item]:
        return f"{name}: as this rule requires"
    ways = int(drawing_result.permitted_keeps[index][item])
    numbers = [way for way in range(ways.bit_length()) if ways >> way & 1]
    if drawing.hand is None:  # ways differ only in cards of one rank
        places = list_splits(drawing_result.hand.shape[1], compile_setting(scope.compiled_game, drawing.place).low.size)
        low = [int(drawing_result.hand[item, place]) for place in places[numbers[0]]]
        return f"{name}: {cards_in_symbols(low)} in the Low Hand"
    permitted = [_describe_way(drawing_result, item, way) for way in numbers]
    return f"{name}: {' or '.join(permitted)}"


def _describe_way(drawing_result: DrawDecisions, item: int, way: int) -> str:
    kept, discarded = split_kept_cards(drawing_result.hand[item], way)
    return (
        f"discards {cards_in_symbols(discarded)} (keeps {cards_in_symbols(kept)})" if discarded else "discards nothing"
    )


def _describe_discard(scope: EvaluationContext, name: str, item: int) -> str:
    discards = exchanged_cards(scope, scope.compiled_game.game.drawing[name].place, "discard")
    return f"discards {format_card_row(discards.cards[item]) or 'nothing'}"
