"""Cards that come by a rule or by decisions: stages with a condition, and cards that a place takes one by one.

A place is due a card before which the condition holds, as its hand was then. The check compares the cards of the log
with those due, and finds the first card too many or too few of every hand.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_true, has_any
from fairdeal.validator.cards.card_codes import NO_CARD
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.timeline import deal_stages
from fairdeal.validator.engine.timeline.repeated_events import find_repetitions
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded
from fairdeal.validator.evidence.columns.batch import Hands
from fairdeal.validator.evidence.columns.split_hands import find_numbered_seats
from fairdeal.validator.evidence.handlog.event_kinds import PLACES
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Place, grain_of_place
from fairdeal.validator.rules.deal_model import MOST_CARDS, Stage, Taking


class CardsDue(Struct, frozen=True, kw_only=True):
    """Cards of a place in a stage compared with those due, one entry per seat or round."""

    taken: Ints
    """Number of cards that the log records, int64[n]."""
    due: Ints
    """Number of cards due, or the least number if more may be due, int64[n]; -1 if it is not known."""
    is_wrong: Flags
    """True if a card is too many or too few, bool[n]."""
    is_open: Flags
    """True if the evidence does not decide it, bool[n]."""
    arises: Flags
    """True if the stage concerns the hand, bool[n]."""


def limit_cards(scope: EvaluationContext, place: Place, number: int | Ints) -> EvaluationContext:
    """Return a context of the same rounds in which a place has no more than a number of its cards.

    `number` is the same for all, or int64[n] for each seat or round.
    """
    dealt = scope.dealt_hands(place)
    most = np.broadcast_to(np.asarray(number, np.int64), dealt.count.shape)
    cards = np.where(np.arange(dealt.cards.shape[1]) < most[:, None], dealt.cards, np.uint8(NO_CARD))
    context = EvaluationContext(
        scope.batch, scope.compiled_game, scope.configuration, waived_checks=scope.waived_checks
    )
    context.set_dealt_hands(place, Hands(cards=cards, count=np.minimum(dealt.count, most).astype(np.int16)))
    return context


def find_cards_due(scope: EvaluationContext, number: int, place: Place) -> CardsDue:
    """Compare the cards that a place received in a stage by rule with those due.

    Args:
        scope: the rounds.
        number: index of the stage.
        place: the place.
    """
    stage = scope.compiled_game.game.deal.stages[number]
    grain = grain_of_place(place)
    taken = _count_taken(scope, number, place)
    wanted = scope.evaluate(stage.when, grain)
    if stage.takes is not None:
        due, wrong, unknown = _compare_taken(scope, number, stage.takes[place], place, taken)
    else:
        due = np.full(len(taken), (stage.cards or {})[place], np.int64)
        wrong, unknown = taken != due, np.zeros(len(taken), bool)
    due = np.where(wanted == YES, due, np.where(wanted == NO, 0, -1))
    wrong = np.where(wanted == YES, wrong, (wanted == NO) & (taken > 0))
    unknown = np.where(wanted == YES, unknown, wanted == UNKNOWN)
    short = wrong & (taken < np.maximum(due, 0))
    goes_on = ~scope.batch.complete[scope.rounds_of(grain)]
    reached = _has_fixed_cards(scope, stage, place) & ~_is_called_off(scope)[scope.rounds_of(grain)]
    wrong &= ~short | (reached & ~goes_on)
    unknown = (unknown | (short & goes_on)) & (reached | (taken > 0))
    return CardsDue(
        taken=taken, due=due, is_wrong=wrong & ~unknown, is_open=unknown, arises=(taken > 0) | (reached & (due != 0))
    )


def _count_taken(scope: EvaluationContext, number: int, place: Place) -> Ints:
    counts, seats = deal_stages.count_cards_dealt_in(scope, number), scope.count_items("seat")
    return counts[:seats] if place == "player" else counts[seats:].reshape(-1, len(PLACES))[:, PLACES.index(place)]


def _is_called_off(scope: EvaluationContext) -> Flags:
    """Return whether a misdeal is declared in each round, bool[rounds]."""
    result = np.zeros(len(scope.batch), bool)
    result[scope.batch.events.round[scope.batch.events.kind == KIND_CODES["misdeal"]]] = True
    return result


def _has_fixed_cards(scope: EvaluationContext, stage: Stage, place: Place) -> Flags:
    """Return whether every place of a round, and the seat itself, has the cards that come in any case."""
    deal = scope.compiled_game.game.deal
    complete = np.ones(len(scope.batch), bool)
    result = complete
    for other, fewest in deal.fewest_cards.items():
        enough = scope.dealt_hands(other).count >= fewest
        if other == "player":
            result = enough if place == "player" else result
        else:
            complete &= enough
    if place == "player":
        return result & complete[scope.batch.seats.round]
    return complete


def _compare_taken(
    scope: EvaluationContext, number: int, taking: Taking, place: Place, taken: Ints
) -> tuple[Ints, Flags, Flags]:
    """Compare cards taken one by one with those due.

    Returns:
        int64[n], the number due; bool[n] each, whether cards are wrong, and whether the evidence leaves it open.
    """
    due, wrong, unknown = taken.copy(), np.zeros(len(taken), bool), np.zeros(len(taken), bool)
    if taking.after:
        due, wrong = _compare_with_decisions(scope, number, taking, taken)
        unknown = wrong & _has_unrecorded_splits(scope)
        wrong &= ~unknown
    if taking.while_ is None:
        return due, wrong, unknown
    before, fixed = count_cards_before(scope, place, number), scope.compiled_game.game.deal.count_before(place, number)
    open_, grain = np.ones(len(taken), bool), grain_of_place(place)
    last = int(taken.max(initial=0))
    for card in range(min(last + (0 if taking.after else 1), MOST_CARDS)):
        # A card is judged where the hand goes on to it; the one after the last only where nobody has to ask for it.
        judged = open_ & ((card < taken) | ((card == taken) if not taking.after else False))
        if not has_any(judged):
            break
        holds = limit_cards(scope, place, np.maximum(before + card, 1)).evaluate(taking.while_, grain)
        # A split is followed by a card in any case.
        holds = np.where(before + card < fixed, YES, holds)
        unknown |= judged & (holds == UNKNOWN)
        ends = judged & (holds == NO) & (card < taken)
        lacks = judged & (holds == YES) & (card == taken)
        due = np.where(ends, card, np.where(lacks, card + 1, due))
        wrong |= ends | lacks
        open_ &= judged & (holds == YES)
    return due, wrong, unknown & ~wrong


def count_cards_before(scope: EvaluationContext, place: Place, number: int) -> Ints:
    """Return the number of cards of each hand before it takes the first card of a stage, less its later splits.

    Returns:
        int64[seats] for `player`, else int64[rounds].
    """
    fixed = scope.compiled_game.game.deal.count_before(place, number)
    if place != "player":
        return np.full(len(scope.batch), fixed, np.int64)
    return np.where(scope.boxes.origin == ABSENT, fixed, 1) - scope.boxes.splits


def _compare_with_decisions(scope: EvaluationContext, number: int, taking: Taking, taken: Ints) -> tuple[Ints, Flags]:
    """Compare the cards of seats with the decisions that ask for them, each followed by one card.

    Returns:
        int64[seats], the number of decisions; bool[seats], whether a card is missing, or follows no decision.
    """
    events, seats = scope.batch.events, len(taken)
    decided = (events.kind == KIND_CODES["decide"]) & events.decision.is_one_of(frozenset(taking.after))
    decided &= (events.seat != ABSENT) & ~find_repetitions(scope)
    seat_of = events.seat.astype(np.int64)
    split = find_true(events.kind == KIND_CODES["split"])
    if len(split):  # both hands of a split receive a card
        seat_of[split] = find_numbered_seats(
            scope.batch, events.round[split].astype(np.int64), events.chips[split].astype(np.int64)
        )
        decided[split[seat_of[split] != ABSENT]] = True
    ours = deal_stages.stage_of_events(scope) == number
    ours &= (events.kind == KIND_CODES["deal"]) & (events.seat != ABSENT)
    chosen = find_true(decided | ours)
    chosen = chosen[np.argsort(seat_of[chosen], kind="stable")]
    seat, asks = seat_of[chosen], decided[chosen]
    size = np.zeros(len(chosen), np.int64)
    size[~asks] = deal_stages.count_cards(scope, chosen[~asks])
    same = np.zeros(len(chosen), bool)
    same[1:] = seat[1:] == seat[:-1]
    asked = np.zeros(len(chosen), bool)
    asked[1:] = asks[:-1]
    last = np.ones(len(chosen), bool)
    last[:-1] = seat[1:] != seat[:-1]
    wrong = (~asks & (~(same & asked) | (size != 1))) | (asks & ((same & asked) | last))
    result = np.zeros(seats, bool)
    result[seat[wrong]] = True
    return np.bincount(seat[asks], minlength=seats).astype(np.int64), result


def _has_unrecorded_splits(scope: EvaluationContext) -> Flags:
    """Return whether each seat has a hand of a split, in a log that does not record when hands are split."""
    is_split = (scope.boxes.origin != ABSENT) | (scope.boxes.splits > 0)
    return is_split & ~are_kinds_recorded(scope, ["split"])[scope.rounds_of("seat")]
