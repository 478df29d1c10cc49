"""Check of the deal: places in turn, burnt cards, and the number of cards at each place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.audit.statuses.status_codes import NO_EVENTS, NOT_APPLICABLE, Judged, Told, judged_from, place_of
from validator.engine.core.context import Scope
from validator.engine.deal_checks.broken_deals import FIRST, merely_miscounted
from validator.engine.deal_checks.card_counts import Numbers, burnt, counted
from validator.engine.deal_checks.dealing_order import Turns, dealing, first_known, order_recorded
from validator.engine.timeline.course import misplaced
from validator.engine.timeline.step_events import kinds_recorded
from validator.engine.timeline.streets import stage_of_events
from validator.engine.turns.left_open import told_by_the_betting
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.wording import seats_named
from validator.rules.model.deal import Deal, DealtCheck

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


def dealt(scope: Scope, check: DealtCheck) -> Judged:
    """Check the deal against the stages that the game defines."""
    names = [stage.stage for stage in scope.prepared.game.deal.stages]
    stages = [names.index(name) for name in check.stages or names]
    result: Turns | Numbers
    match check.asks:
        case "turn":
            result = dealing(scope, stages)
        case "burn":
            result = burnt(scope, stages)
        case _:
            result = counted(scope, stages)
    is_recorded = _is_deal_recorded(scope, stages, check.asks)
    is_start_known = np.ones(len(is_recorded), bool)
    if check.asks == "turn":
        is_recorded &= order_recorded(scope)
        is_start_known = np.logical_and.reduce([first_known(scope, stage) for stage in stages])
    is_decidable = (
        np.ones(len(is_recorded), bool) if isinstance(result, Turns) else result.told | (result.broke_at >= 0)
    )
    is_broken, has_stage = result.broke_at >= 0, _has_stage(scope, stages, check.asks)
    if check.asks == "turn":
        in_first = np.append(stage_of_events(scope) == FIRST, False)[result.broke_at]
        is_broken &= ~merely_miscounted(scope, is_broken & in_first)
    if check.asks == "burn":  # cards dealt too early precede the card burnt for them
        is_broken &= ~np.append(told_by_the_betting(scope) | misplaced(scope), False)[result.broke_at]
    statuses = judged_from(
        is_broken, scope.truth(check.when, "round"), is_recorded & is_start_known & is_decidable, has_stage
    )
    # Without such a stage, the seat that would have been served first does not matter.
    statuses[is_recorded & ~has_stage & ~is_broken] = NOT_APPLICABLE

    def describe_failure(round_: int) -> Told:
        event = int(result.broke_at[round_])
        expected, observed = (
            _describe_wrong_turn(scope, result, round_, event)
            if isinstance(result, Turns)
            else _describe_wrong_number(scope, result, round_)
        )
        seat = int(scope.batch.events.seat[event]) if isinstance(result, Turns) else int(result.seat[round_])
        return Told(
            where=place_of(scope, round_, seat=seat, event=event),
            expected=expected,
            observed=observed,
        )

    return Judged(
        marks=statuses,
        round=scope.round_of("round"),
        tell=describe_failure,
        gap=lambda round_: Told(
            where=place_of(scope, round_),
            expected=_REQUIRED_RECORD[check.asks],
            observed=NO_EVENTS if not is_recorded[round_] else _MISSING_RECORD[check.asks],
        ),
    )


def _has_stage(scope: Scope, stages: Sequence[int], asks: str) -> Flags:
    """Return whether one of the stages took place in each round, and for `turn` whether it involved several seats.

    Returns:
        bool[rounds].
    """
    events, result = scope.batch.events, np.zeros(len(scope.batch), bool)
    stage_of, exchanging = stage_of_events(scope), scope.prepared.game.deal.exchanging
    for stage in stages:
        stage_events = np.flatnonzero((stage_of == stage) & (events.place != PLACES.index("burn")))
        if asks == "turn" and stage in exchanging:
            stage_events = stage_events[
                (events.kind[stage_events] == KIND["draw"]) & (events.seat[stage_events] != ABSENT)
            ]
            is_other_seat = events.seat[stage_events][1:] != events.seat[stage_events][:-1]
            stage_events = stage_events[1:][
                is_other_seat & (events.round[stage_events][1:] == events.round[stage_events][:-1])
            ]
        elif asks == "burn":
            stage_events = stage_events[np.isin(events.kind[stage_events], (KIND["deal"], KIND["draw"]))]
        result[events.round[stage_events]] = True
    return result


def _is_deal_recorded(scope: Scope, stages: Sequence[int], asks: str) -> Flags:
    """Return whether the log of each round records the events that the check needs.

    Returns:
        bool[rounds].
    """
    deal = scope.prepared.game.deal
    recorded = [kinds_recorded(scope, ("deal",), place) for place in _places_to_record(deal, stages, asks)]
    for stage in stages:
        kinds = ("discard", "draw", "decide") if len(deal.exchanging) > 1 else ("discard", "draw")
        recorded += [kinds_recorded(scope, kinds, place) for place in deal.stages[stage].exchanges or ()]
    return np.logical_and.reduce(recorded)


def _places_to_record(deal: Deal, stages: Sequence[int], asks: str) -> set[str]:
    """Return the places whose cards the log must record."""
    stages_checked = [deal.stages[stage] for stage in stages if asks == "burn" or deal.stages[stage].exchanges is None]
    places = {
        place for stage in stages_checked for stage_deal in stage.permitted.values() for place in stage_deal.dealt()
    }
    return places - {"burn"} if asks == "count" else places | {"burn"} if asks == "burn" else places


def _describe_wrong_turn(scope: Scope, turns: Turns, round_: int, event: int) -> tuple[str, str]:
    events, numbers = scope.batch.events, scope.batch.seats.number

    def place(number: int) -> str:
        if number < len(numbers):
            return f"seat {int(numbers[number])}"
        return f"the {PLACES[number - len(numbers)]}"

    seat = int(events.seat[event])
    observed = seat if seat != ABSENT else len(numbers) + int(events.place[event])
    size = int(events.hands.count[events.cards_row[event]])
    due = int(turns.expected[round_])
    served = PLACES[int(events.place[event])] in scope.prepared.game.deal.serves
    no_card = "no further card" if served else f"no card to {place(observed)}"
    return (
        f"{_format_number_of_cards(int(turns.size[round_]))} to {place(due)}" if due != ABSENT else no_card,
        f"{_format_number_of_cards(size)} to {place(observed)}",
    )


def _describe_wrong_number(scope: Scope, numbers: Numbers, round_: int) -> tuple[str, str]:
    stage_rule = scope.prepared.game.deal.stages[int(numbers.stage[round_])]
    stage, exchanging = stage_rule.stage.replace("-", " "), stage_rule.exchanges is not None
    due = sorted(numbers.due[int(numbers.stage[round_])][int(numbers.place[round_])])
    place_text = f"burnt before the {stage}" if PLACES[int(numbers.place[round_])] == "burn" else f"in the {stage}"
    number, others = _format_number_of_cards(int(numbers.number[round_])), _describe_other_seats(scope, numbers, round_)
    if numbers.answering[round_] != ABSENT:
        if not exchanging:
            return f"no cards {place_text} to a player who is out of the round", number + others
        return (
            f"{_format_number_of_cards(int(numbers.answering[round_]))} drawn {place_text}, as many as put away",
            f"{number} drawn{others}",
        )
    if exchanging and PLACES[int(numbers.place[round_])] != "burn":
        return f"{_format_number_of_cards(due[-1])} put away {place_text} at the most", f"{number} put away{others}"
    permitted = " or ".join(map(str, due))
    return f"{permitted} {'card' if permitted == '1' else 'cards'} {place_text}", number + others


def _describe_other_seats(scope: Scope, numbers: Numbers, round_: int) -> str:
    """Describe the other seats with a wrong number of cards in the same stage."""
    others = [seat for seat in numbers.seats(round_) if seat != numbers.seat[round_]]
    return f"; a wrong number at {seats_named(scope.batch.seats.number[others].tolist())} as well" if others else ""


def _format_number_of_cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number or 'no'} cards"
