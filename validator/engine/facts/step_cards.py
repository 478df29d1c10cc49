"""Cards that the events of a step name: how many, and whether cards removed from the round are used later."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fairdeal.validator.arrays import (
    ABSENT,
    Bits64,
    Flags,
    Ints,
    Ints32,
    Truths,
    are_all,
    find_distinct,
    find_true,
    has_any,
    is_one_of,
)
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, NO_CARD
from fairdeal.validator.cards.card_codes import UNKNOWN as UNKNOWN_CARD
from fairdeal.validator.cards.hand_orders import compile_order
from fairdeal.validator.cards.point_totals import PointTotalRanking
from fairdeal.validator.cards.ranking_models import MAX_RANKED_CARDS
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.facts.final_hands import exchanged_cards, final_cards, find_owners
from fairdeal.validator.engine.timeline import event_cards, step_events
from fairdeal.validator.evidence.columns.recorded_events import join_event_cards
from fairdeal.validator.evidence.handlog.event_kinds import PLACES
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES
from fairdeal.validator.language.grammar import Grain, Place, grain_of_place

DECK_CODES = 64
"""Size of the code range for the cards of one deck."""
_HAND_PLACES: tuple[Place, ...] = ("player", "dealer", "community")


@cached_fact
def are_cards_unused(scope: EvaluationContext, step: str) -> Truths:
    """Return whether no card that events of a step show is in use.

    A card is in use if a place holds it at the end, with all decks counted. It is also in use if it is dealt later from
    a single deck. The result is unknown if a face is unknown, or if the log does not record the step.

    Returns:
        uint8[rounds].
    """
    rounds, chosen = scope.count_items("round"), step_events.certain_events(scope, step)
    happened, open_ = np.zeros(rounds, bool), np.zeros(rounds, bool)
    happened[scope.batch.events.round[chosen]] = True
    open_[_find_rounds_with_unknown(scope, chosen)] = True
    for place in _HAND_PLACES:
        open_[_find_hidden(scope, place, happened)] = True
    used = np.zeros(rounds, bool)
    used[cards_used_again(scope, step) // DECK_CODES] = True
    unused = np.where(happened & open_, np.uint8(UNKNOWN), np.uint8(YES))
    unused = np.minimum(
        unused, kleene.where_known(np.ones(rounds, bool), step_events.are_steps_recorded(scope, [step]))
    )
    return np.where(used, np.uint8(NO), unused)


@cached_fact
def cards_used_again(scope: EvaluationContext, step: str) -> Ints:
    """Return the cards that events of a step show and that are in use, ascending.

    A card is encoded as `DECK_CODES * round + card`.

    Returns:
        int64[m].
    """
    decks = scope.compiled_game.game.decks
    shown, at = collect_known_cards(scope, step_events.certain_events(scope, step))
    later = shown[are_dealt_after(scope, shown, at)] if decks == 1 else shown[:0]
    aside, times = find_distinct(shown), np.zeros(scope.count_items("round") * DECK_CODES, np.int64)
    np.add.at(times, np.concatenate(list(_iter_held_cards(scope, _flag_rounds(scope, shown)))), 1)
    return aside[(times[aside] >= decks) | is_one_of(aside, later)]


def are_dealt_after(scope: EvaluationContext, shown: Ints, at: Ints) -> Flags:
    """Return which known cards are dealt, or drawn, at a place after the events that show them.

    Args:
        shown: the cards, as `DECK_CODES * round + card`.
        at: int64[m], the events that show them.

    Returns:
        bool[m].
    """
    if not len(shown):
        return np.zeros(0, bool)
    events, selected = scope.batch.events, _flag_rounds(scope, shown)
    handed = step_events.events_of_kinds(scope, ("deal", "draw"))
    handed = handed[selected[events.round[handed]]]
    dealt, when = collect_known_cards(scope, handed[events.place[handed] != PLACES.index("burn")])
    last = np.full(scope.count_items("round") * DECK_CODES, ABSENT, np.int64)
    np.maximum.at(last, dealt, when)
    return last[shown] > at


@cached_fact
def are_cards_among(scope: EvaluationContext, step: str, among: str) -> Truths:
    """Return whether events of another step show every card that events of a step show.

    The result is unknown if a face is unknown, or if the log does not record the steps. It is unknown as well if a
    truncated record may still show the cards.

    Returns:
        uint8[rounds].
    """
    shown_open, there_open, missing = (np.zeros(scope.count_items("round"), bool) for _ in range(3))
    shown_open[_find_rounds_with_unknown(scope, step_events.certain_events(scope, step))] = True
    there_open[_find_rounds_with_unknown(scope, step_events.certain_events(scope, among))] = True
    missing[find_cards_not_among(scope, step, among) // DECK_CODES] = True
    shown_open |= ~step_events.are_steps_recorded(scope, [step])
    there_open |= ~step_events.are_steps_recorded(scope, [among]) | ~scope.batch.complete
    return np.where(
        missing & ~there_open, np.uint8(NO), np.where(missing | shown_open, np.uint8(UNKNOWN), np.uint8(YES))
    )


@cached_fact
def find_cards_not_among(scope: EvaluationContext, step: str, among: str) -> Ints:
    """Return the cards that events of a step show and events of another do not, as in `cards_used_again`.

    Returns:
        int64[m].
    """
    shown, there = (
        collect_known_cards(scope, step_events.certain_events(scope, step_name))[0] for step_name in (step, among)
    )
    return find_distinct(shown[~is_one_of(shown, there)])


def collect_known_cards(scope: EvaluationContext, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the known cards of some events, as `DECK_CODES * round + card`, and the event of each.

    Returns:
        int64[m] each.
    """
    events = scope.batch.events
    chosen = chosen[events.cards_row[chosen] != ABSENT]
    cards = events.hands.cards[events.cards_row[chosen]] if len(chosen) else np.zeros((0, 1), np.uint8)
    keys, known = events.round[chosen].astype(np.int64)[:, None] * DECK_CODES + cards, cards < KNOWN_CARDS
    return keys[known], np.broadcast_to(chosen[:, None], cards.shape)[known]


def _find_rounds_with_unknown(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the rounds of the events with an unknown card."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    silent = rows == ABSENT
    if len(events.hands.count):
        cards = events.hands.cards[rows]
        silent |= ((cards >= KNOWN_CARDS) & (cards != NO_CARD)).any(axis=1) | (events.hands.count[rows] == 0)
    return events.round[chosen[silent]].astype(np.int64)


def _flag_rounds(scope: EvaluationContext, shown: Ints) -> Flags:
    """Return the rounds of some cards; most rounds show none."""
    selected = np.zeros(scope.count_items("round"), bool)
    selected[shown // DECK_CODES] = True
    return selected


def _iter_held_cards(scope: EvaluationContext, selected: Flags) -> Iterator[Ints]:
    """Yield the known cards that each place holds in some rounds, as in `cards_used_again`."""
    for place in _HAND_PLACES:
        owner = scope.rounds_of(grain_of_place(place))
        rows = find_true(selected[owner])
        cards = final_cards(scope, place).cards[rows]
        yield (owner[rows].astype(np.int64)[:, None] * DECK_CODES + cards)[cards < KNOWN_CARDS]


def _find_hidden(scope: EvaluationContext, place: Place, selected: Flags) -> Ints32:
    """Return the rounds, of some, in which a place may hold an unknown card."""
    hand, owner = final_cards(scope, place), scope.rounds_of(grain_of_place(place))
    rows = find_true(selected[owner])
    cards, owner = hand.cards[rows], owner[rows]
    hidden = ((cards >= KNOWN_CARDS) & (cards != NO_CARD)).any(axis=1)
    # A place without a summary has no cards if the log records the deal and has none.
    events, dealt = scope.batch.events, step_events.events_of_kinds(scope, ("deal",))
    dealt = dealt[events.place[dealt] == PLACES.index(place)]
    served = np.zeros(len(hand.count) + 1, bool)  # the last entry is for no seat
    served[find_owners(scope, place, dealt)] = True
    recorded = step_events.are_kinds_recorded(scope, ("deal",), place)[owner] & ~served[rows]
    return owner[hidden | ((hand.count[rows] < 0) & ~recorded)]


_TELL_AGAIN = frozenset({"fault", "reveal"})


@cached_fact
def count_cards_of_step(
    scope: EvaluationContext, name: str, grain: Grain, *, kept: bool = False
) -> tuple[Ints, Ints, Flags]:
    """Count the cards that the events of a step name in each round or at each seat.

    With one deck, a card that is shown again, or named in another fault, is the same card. All other events concern
    cards of their own.

    Args:
        kept: leave out cards that the step's place is known to have discarded.

    Returns:
        int64[n] each, the least and the largest number, the same array twice if no event is ambiguous; bool[n], whether
        the log records it.
    """
    possible, known = (
        step_events.possible_events(scope, name),
        step_events.are_steps_recorded(scope, [name])[scope.rounds_of(grain)],
    )
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[possible]
    possible, owner = possible[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = event_cards.count_named_cards(scope, possible)
    known[owner[~recorded]] = False
    doubtful, length = step_events.ambiguous_events(scope, name), scope.count_items(grain)
    sure = np.isin(possible, doubtful, invert=True) if len(doubtful) else np.ones(len(possible), bool)
    repeated = np.zeros(len(possible), bool)
    if scope.compiled_game.game.decks == 1 and not _TELL_AGAIN.isdisjoint(scope.compiled_game.steps[name].events):
        repeated = is_one_of(scope.batch.events.kind[possible], [KIND_CODES[kind] for kind in sorted(_TELL_AGAIN)])
        # A hand that is shown only once shows no card again.
        repeated &= (np.bincount(owner, repeated, length).take(owner) > 1) | event_cards.names_card_twice(
            scope, possible
        )
    faces = (
        event_cards.collect_named_faces(scope, possible)
        if kept or has_any(repeated)
        else np.zeros(len(possible), np.uint64)
    )
    if kept:
        left_play = faces & _discarded_by_place(scope, name, possible)
        size, faces = size - np.bitwise_count(left_play), faces & ~left_play
    least, most = _count_shown(scope, possible, owner, faces, sure, repeated, length)
    least += np.bincount(owner, np.where(sure & ~repeated, size, 0), length).astype(np.int64)
    most += np.bincount(owner, np.where(repeated, 0, size), length).astype(np.int64)
    return most if are_all(least == most) else least, most, known


def count_points_of_step(scope: EvaluationContext, name: str, ranking: str, grain: Grain) -> tuple[Ints, Flags]:
    """Return the points of the cards that the events of a step show in each round or at each seat.

    Args:
        scope: the rounds.
        name: the step.
        ranking: name of a ranking that counts points.
        grain: grain of the step.

    Returns:
        int64[n], 0 without an event; bool[n], whether the log shows all of these cards.
    """
    order = compile_order(scope.compiled_game.regulation.vocabulary.rankings[ranking])
    if not isinstance(order, PointTotalRanking):
        raise TypeError(f"{ranking} does not count points")
    events, length = scope.batch.events, scope.count_items(grain)
    chosen = step_events.possible_events(scope, name)
    owner = (events.round if grain == "round" else events.seat)[chosen].astype(np.int64)
    chosen, owner = chosen[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = event_cards.count_named_cards(scope, chosen)
    known = step_events.are_steps_recorded(scope, [name])[scope.rounds_of(grain)]
    known[owner[~recorded]] = False
    doubtful = step_events.ambiguous_events(scope, name)
    known[(events.round if grain == "round" else events.seat)[doubtful]] = False
    known &= np.bincount(owner, size, length) <= MAX_RANKED_CARDS
    cards = join_event_cards(events, chosen, owner, size, known)
    points = order.points(order.strength(cards.cards[:, :MAX_RANKED_CARDS]))
    return np.maximum(points, 0), known & ((points >= 0) | (cards.count == 0))


def _discarded_by_place(scope: EvaluationContext, name: str, chosen: Ints) -> Bits64:
    """Return the known cards that the place of each event discarded and does not hold, as sets."""
    place = scope.compiled_game.steps[name].place
    assert place in ("player", "dealer", "community"), "the loader refuses rules for other places"
    return _discarded_for_good(scope, place)[find_owners(scope, place, chosen)]


@cached_fact
def _discarded_for_good(scope: EvaluationContext, place: Place) -> Bits64:
    """Return the known cards that each place discarded and does not hold, as sets: per seat, or per round."""
    return event_cards.card_bits(exchanged_cards(scope, place, "discard").cards) & ~event_cards.card_bits(
        final_cards(scope, place).cards
    )


def _count_shown(
    scope: EvaluationContext, chosen: Ints, owner: Ints, faces: Bits64, sure: Flags, repeated: Flags, length: int
) -> tuple[Ints, Ints]:
    """Return the least and the largest number of different cards that repeated shows reveal to each owner.

    A card whose face is unknown may be one that another event shows.

    Returns:
        int64[length] each.
    """
    if not has_any(repeated):
        return np.zeros(length, np.int64), np.zeros(length, np.int64)
    chosen, owner, faces, sure = chosen[repeated], owner[repeated], faces[repeated], sure[repeated]
    events = scope.batch.events
    hidden = (events.hands.cards[events.cards_row[chosen]] == UNKNOWN_CARD).sum(axis=1)
    certain, possible = np.zeros(length, np.uint64), np.zeros(length, np.uint64)
    np.bitwise_or.at(certain, owner[sure], faces[sure])
    np.bitwise_or.at(possible, owner, faces)
    least = np.bitwise_count(certain).astype(np.int64)
    np.maximum.at(least, owner[sure], (np.bitwise_count(faces) + hidden)[sure])
    return least, np.bitwise_count(possible) + np.bincount(owner, hidden, length).astype(np.int64)
