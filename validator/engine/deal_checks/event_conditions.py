"""Conditions on what an event shows: its own fields, the order of its cards, and the evidence next to it."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32, Truths, find_distinct, find_true, is_one_of
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD
from fairdeal.validator.cards.ranking import CompiledRanking
from fairdeal.validator.engine.betting.betting_operators import is_as_declared
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.deal_checks.dealing_order import is_order_recorded
from fairdeal.validator.engine.facts.stake_outcomes import is_staked
from fairdeal.validator.engine.timeline.deal_stages import BURN, count_cards, receivers, stage_of_events
from fairdeal.validator.engine.timeline.excused_acts import may_continue
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, event_actors, events_of_kinds
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.language.grammar import DECLARED, EventHas


@cached_fact
def is_arranged(scope: EvaluationContext, hand: str, kinds: tuple[int, ...]) -> Truths:
    """Return whether the cards of each event's place are arranged in the order of a hand's ranking.

    The check applies when all events of the kind at the place are over. The last event that shows the whole hand is
    responsible: cards may be turned up first and arranged later. Cards that are shown a few at a time are arranged if
    they are recorded in order; in another order they may have been put to either side, so the result is unknown. It is
    unknown as well if cards are shown again one at a time after the whole hand. A truncated record that stops before
    the comparison also leaves it unknown.

    Args:
        kinds: codes of the kinds of event to check; the result is unknown for others.

    Returns:
        uint8[events].
    """
    ranking, events = scope.compiled_game.hands[hand].ranking, scope.batch.events
    value = kleene.constant(UNKNOWN, len(events.kind))
    if not isinstance(ranking, CompiledRanking):
        return value
    # Only these kinds: ranking every dealt card would be wasteful.
    chosen = find_true(is_one_of(events.kind, kinds) & (events.cards_row != ABSENT))
    places, place = np.unique(receivers(scope)[chosen] * len(KINDS) + events.kind[chosen], return_inverse=True)
    size, rows = count_cards(scope, chosen), events.cards_row[chosen]
    whole = find_true(size == ranking.size)
    last = np.full(len(places), ABSENT, np.int64)
    last[place[whole]] = whole
    counts = (last[place] == ABSENT) | (last[place] == np.arange(len(chosen)))
    recorded = np.bincount(place[counts], size[counts], len(places)) == ranking.size
    ours = find_true(counts & recorded[place])
    ours = ours[np.argsort(place[ours], kind="stable")]
    shown = np.arange(events.hands.cards.shape[1]) < size[ours, None]
    cards = events.hands.cards[rows[ours]][shown].reshape(-1, ranking.size)
    result = kleene.where_known(ranking.is_arranged(cards), ranking.strength(cards) != ABSENT)
    lies = kleene.constant(UNKNOWN, len(places))
    latest = np.full(len(places), ABSENT, np.int64)
    latest[place] = np.arange(len(chosen))
    moved = (last != latest) | may_continue(scope, chosen.take(latest))
    lies[recorded] = np.where((result == NO) & moved[recorded], np.uint8(UNKNOWN), result)
    value[chosen] = np.where(counts, lies[place], np.uint8(YES))
    return value


def are_dealt_next(scope: EvaluationContext, chosen: Ints) -> Truths:
    """Return whether the cards of some events that leave the deck to nobody are the next ones dealt to a place.

    Packets count whole. If nothing is dealt afterwards, there is no contradiction. The result is no for events at other
    places than `burn`.

    Returns:
        uint8[n].
    """
    events, complete = scope.batch.events, scope.batch.complete
    burnt = events.place[chosen] == BURN
    result = np.where(burnt, np.uint8(UNKNOWN), np.uint8(NO))
    dealing = events_of_kinds(scope, ("deal",))
    dealing = dealing[events.place[dealing] != BURN]
    ends = np.searchsorted(dealing, events.offsets)  # last deal of each round
    recorded = are_kinds_recorded(scope, ["deal"])
    for at in find_true(burnt & (events.cards_row[chosen] != ABSENT)).tolist():
        index = int(chosen[at])
        round_ = int(events.round[index])
        lacking, next_ = _count_cards_of_event(scope, index), Counter[int]()
        for deal in dealing[np.searchsorted(dealing, index) : ends[round_ + 1]].tolist():
            if next_.total() >= lacking.total():
                break
            next_ += _count_cards_of_event(scope, deal)
        if not recorded[round_] or next_.total() < lacking.total():
            result[at] = YES if recorded[round_] and complete[round_] and not next_ else UNKNOWN
            continue
        missing = sum(count for card, count in (lacking - next_).items() if card < KNOWN_CARDS)
        hidden = sum(count for card, count in lacking.items() if card >= KNOWN_CARDS)
        unseen = sum(count for card, count in next_.items() if card >= KNOWN_CARDS)
        result[at] = NO if missing > unseen else UNKNOWN if missing or hidden else YES
    return result


def _count_cards_of_event(scope: EvaluationContext, event: int) -> Counter[int]:
    """Count the cards of an event by code; cards with unknown faces have a code of their own."""
    events = scope.batch.events
    row = int(events.cards_row[event])
    return Counter() if row == ABSENT else Counter(card for card in events.hands.cards[row].tolist() if card != NO_CARD)


def is_also_placed_in(scope: EvaluationContext, means: tuple[str, ...]) -> Truths:
    """Return whether the wager of each event was also placed by its seat in one of these means.

    The result is no for events of other kinds.

    Returns:
        uint8[events].
    """
    events = scope.batch.events
    wagering = events_of_kinds(scope, ("wager",))
    columns = (events.seat, events.wager.codes, events.value.codes, events.tip)
    stakes = np.stack([column[wagering] for column in columns], axis=1)
    _, stake = np.unique(stakes, axis=0, return_inverse=True)
    stake = stake.reshape(-1)
    in_: Ints8 = events.means[wagering]
    fits = np.bincount(stake, is_one_of(in_, [MEANS.index(name) for name in means])) > 0
    open_ = np.bincount(stake, in_ == ABSENT) > 0
    rounds = events.round[wagering]
    recorded = are_kinds_recorded(scope, ["wager"])[rounds] & scope.batch.complete[rounds]
    result = kleene.constant(NO, len(events.kind))
    result[wagering] = np.where(fits[stake], YES, np.where(recorded & ~open_[stake], NO, UNKNOWN))
    return result


def has_wager_status(scope: EvaluationContext, wanted: str, chosen: Ints) -> Truths:
    """Return whether the seat of each event has a certain stake on the wager that the event names.

    The result is no for events without a seat or a wager.

    Args:
        wanted: `placed`, an own stake on a wager of the game; `not-of-the-game`, a stake on another wager;
            `not-placed`, no stake.
    """
    events, game = scope.batch.events, scope.compiled_game.game
    result = kleene.constant(NO, len(chosen))
    seat, code = events.seat[chosen], events.wager.codes[chosen]
    naming = (seat != ABSENT) & (code != ABSENT)
    for wager in find_distinct(code[naming]).tolist():
        name = events.wager.names[wager]
        staked = is_staked(scope, name, tip=False)
        if wanted == "not-placed":
            staked = kleene.negate(staked)
        elif (name in game.wagers) != (wanted == "placed"):
            continue
        at = find_true(naming & (code == wager))
        result[at] = staked[seat[at]]
    return result


Item = TypeVar("Item", bound=np.generic)


def does_event_show(scope: EvaluationContext, operand: EventHas, items: Ints | None = None) -> Truths:
    """Return whether each event shows everything that an operand requires; unknown if its record omits something.

    Args:
        items: int64[n], the events; None for all.
    """

    def select(column: NDArray[Item]) -> NDArray[Item]:
        return column if items is None else column.take(items)

    events = scope.batch.events
    chosen = np.arange(len(events.kind)) if items is None else items
    parts: list[Truths] = []
    if operand.by is not None:
        by = select(event_actors(scope))
        parts.append(kleene.where_known(by == ACTORS.index(operand.by), by != ABSENT))
    for column, choices, wanted in ((events.face, FACES, operand.face), (events.place, PLACES, operand.place)):
        if wanted is not None:
            codes = select(column)
            parts.append(kleene.where_known(codes == choices.index(wanted), codes != ABSENT))
    if operand.in_ is not None:
        means = select(events.means)
        fits = is_one_of(means, [MEANS.index(name) for name in operand.in_])
        parts.append(kleene.where_known(fits, means != ABSENT))
    if operand.also_in is not None:
        parts.append(select(is_also_placed_in(scope, tuple(operand.also_in))))
    if operand.dealt_next is not None:
        parts.append(are_dealt_next(scope, chosen))
    if operand.positions is not None:
        parts.append(select(_is_at_positions(scope, {str(spot) for spot in operand.positions})))
    if operand.stage is not None:
        stages = [stage.stage for stage in scope.compiled_game.game.deal.stages]
        wanted_stages = [stages.index(name) for name in operand.stage]
        parts.append(kleene.from_flags(is_one_of(select(stage_of_events(scope)), wanted_stages)))
    if operand.number is not None:
        amount = select(events.amount)
        parts.append(kleene.where_known(amount == operand.number, amount != ABSENT))
    if operand.decision is not None:
        parts.append(select(_is_wanted_decision(scope, operand.decision)))
    if operand.wager is not None:
        parts.append(has_wager_status(scope, operand.wager, chosen))
    if operand.cards is not None or operand.arranged_as is not None:
        rows = select(events.cards_row)
        shown = rows != ABSENT
        if operand.cards is not None:
            count = np.where(shown, _select_rows(events.hands.count, rows), ABSENT)
            parts.append(kleene.where_known(count == operand.cards, shown & select(_is_one_motion(scope))))
        if operand.arranged_as is not None:
            kinds = tuple(find_distinct(select(events.kind)).tolist())
            parts.append(select(is_arranged(scope, operand.arranged_as, kinds)))
    if parts:
        return kleene.every(parts)
    return kleene.constant(YES, scope.count_items("event") if items is None else len(items))


def _is_wanted_decision(scope: EvaluationContext, wanted: list[str]) -> Truths:
    """Return whether the decision of each event is one of those wanted, or the declared one."""
    decision = scope.batch.events.decision
    named = kleene.where_known(decision.is_one_of(set(wanted) - {DECLARED}), decision.codes != ABSENT)
    return kleene.some([named, is_as_declared(scope)]) if DECLARED in wanted else named


def _is_at_positions(scope: EvaluationContext, wanted: set[str]) -> Truths:
    """Return whether all cards of each event were at wanted positions.

    Each card has its own position: with more cards than stated positions, some were at none that is wanted.
    """
    events = scope.batch.events
    names = events.positions.names
    among = events.positions.is_one_of([spots for spots in names if wanted.issuperset(spots)])
    stated = np.array([len(spots) for spots in names] + [ABSENT])[events.positions.codes]
    shown = events.cards_row != ABSENT
    cards = np.where(shown, _select_rows(events.hands.count, events.cards_row), 0)
    return kleene.where_known(among & (cards <= stated), events.positions.codes != ABSENT)


def _is_one_motion(scope: EvaluationContext) -> Flags:
    """Return whether the cards of each event were moved in one motion.

    The log may list dealt cards in packets of any size.
    """
    events = scope.batch.events
    return (events.kind != KIND_CODES["deal"]) | is_order_recorded(scope).take(events.round)


def _select_rows(values: NDArray[Any], rows: Ints32) -> NDArray[Any]:
    """Return values by row; any value if the row is ABSENT."""
    return values[rows] if len(values) else np.zeros(len(rows), values.dtype)
