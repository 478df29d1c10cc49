"""Number of cards that the events of a step name."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Bits64, Flags, Ints
from validator.cards.cards import UNKNOWN as UNKNOWN_CARD
from validator.engine.acts.event_cards import card_bits, collect_named_faces, count_named_cards, names_card_twice
from validator.engine.cards.final_hands import exchanged_cards, final_cards, find_owners
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import ambiguous_events, are_steps_recorded, possible_events
from validator.evidence.handlog.events import KIND_CODES
from validator.language.grains import Grain
from validator.language.terms import Place

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
    possible, known = possible_events(scope, name), are_steps_recorded(scope, [name])[scope.rounds_of(grain)]
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[possible]
    possible, owner = possible[owner != ABSENT], owner[owner != ABSENT]
    size, recorded = count_named_cards(scope, possible)
    known[owner[~recorded]] = False
    doubtful, length = ambiguous_events(scope, name), scope.count_items(grain)
    sure = np.isin(possible, doubtful, invert=True) if len(doubtful) else np.ones(len(possible), bool)
    repeated = np.zeros(len(possible), bool)
    if scope.compiled_game.game.deck.decks == 1 and not _TELL_AGAIN.isdisjoint(scope.compiled_game.steps[name].events):
        repeated = np.isin(scope.batch.events.kind[possible], [KIND_CODES[kind] for kind in sorted(_TELL_AGAIN)])
        # A hand that is shown only once shows no card again.
        repeated &= (np.bincount(owner, repeated, length).take(owner) > 1) | names_card_twice(scope, possible)
    faces = collect_named_faces(scope, possible) if kept or repeated.any() else np.zeros(len(possible), np.uint64)
    if kept:
        left_play = faces & _discarded_by_place(scope, name, possible)
        size, faces = size - np.bitwise_count(left_play), faces & ~left_play
    least, most = _count_shown(scope, possible, owner, faces, sure, repeated, length)
    least += np.bincount(owner, np.where(sure & ~repeated, size, 0), length).astype(np.int64)
    most += np.bincount(owner, np.where(repeated, 0, size), length).astype(np.int64)
    return most if (least == most).all() else least, most, known


def _discarded_by_place(scope: EvaluationContext, name: str, chosen: Ints) -> Bits64:
    """Return the known cards that the place of each event discarded and does not hold, as sets."""
    place = scope.compiled_game.steps[name].place
    assert place in ("player", "dealer", "community"), "the loader refuses rules for other places"
    return _discarded_for_good(scope, place)[find_owners(scope, place, chosen)]


@cached_fact
def _discarded_for_good(scope: EvaluationContext, place: Place) -> Bits64:
    """Return the known cards that each place discarded and does not hold, as sets: per seat, or per round."""
    return card_bits(exchanged_cards(scope, place, "discard").cards) & ~card_bits(final_cards(scope, place).cards)


def _count_shown(
    scope: EvaluationContext, chosen: Ints, owner: Ints, faces: Bits64, sure: Flags, repeated: Flags, length: int
) -> tuple[Ints, Ints]:
    """Return the least and the largest number of different cards that repeated shows reveal to each owner.

    A card whose face is unknown may be one that another event shows.

    Returns:
        int64[length] each.
    """
    if not repeated.any():
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
