"""Cards that left the deck in a round: whether any occurs too often, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, find_distinct
from validator.cards.cards import CARDS, NO_CARD
from validator.engine.cards.dead_cards import DECK_CODES, are_dealt_after, collect_known_cards
from validator.engine.cards.final_hands import exchanged_cards
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.kleene import YES
from validator.engine.deal_checks.cards_in_play import find_most_at_once
from validator.engine.timeline.event_decks import concerns_deck
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds, find_first_by_round
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import PLACES
from validator.language.grains import grain_of_place
from validator.language.terms import Place

_DECK_PLACES: tuple[Place, ...] = ("player", "dealer", "community")


def _iter_hands(scope: EvaluationContext) -> Iterator[tuple[Place, Ints, Hands]]:
    """Yield the cards that each place was dealt, and drew, with their rounds."""
    for place in _DECK_PLACES:
        owner = scope.rounds_of(grain_of_place(place)).astype(np.int64)
        yield place, owner, scope.dealt_hands(place)
        yield place, owner, exchanged_cards(scope, place, "draw")


@cached_fact
def is_within_decks(scope: EvaluationContext) -> tuple[Flags, Flags]:
    """Return whether no known card is in play more often at once than the decks contain it, per round.

    The second result is whether every card is known, so that nothing could be missed.
    """
    whole = np.ones(scope.count_items("round"), bool)
    for place, owner, hands in _iter_hands(scope):
        whole[owner[((hands.cards >= CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = False
        if place in scope.compiled_game.game.deal.cards:
            whole[owner[hands.count < 0]] = False
    decks = scope.compiled_game.game.deck.decks
    holds = count_faces(scope).max(axis=1, initial=0) <= decks
    repeated = np.flatnonzero(~holds)
    if len(repeated) and scope.compiled_game.game.deal.exchanging_stages:
        most, recorded = find_most_at_once(scope, repeated)
        holds[repeated] = most <= decks
        whole[repeated] &= recorded
    return holds, whole


@cached_fact
def count_faces(scope: EvaluationContext) -> Ints:
    """Count how often each known card occurs in each round.

    Returns:
        int64[rounds, codes].
    """
    rounds = scope.count_items("round")
    keys: list[Ints] = [_collect_burnt_area(scope, "deal")]
    for _, owner, hands in _iter_hands(scope):
        for cards in hands.cards.T:
            dealt = cards < CARDS
            if dealt.any():
                keys.append((owner * DECK_CODES + cards)[dealt])
            elif (cards == NO_CARD).all():
                break
    # A card exposed among the burnt cards is one of them, unless it was not seen burnt. If it is dealt later, it is the
    # same card.
    exposed = find_distinct(_collect_burnt_area(scope, "expose"))
    keys.append(exposed[~np.isin(exposed, np.concatenate([keys[0], _find_dealt_later(scope, "expose")]))])
    keys.append(_find_kept_back(scope))
    return np.bincount(np.concatenate(keys), minlength=rounds * DECK_CODES).reshape(rounds, DECK_CODES)


def _collect_burnt_area(scope: EvaluationContext, kind: str) -> Ints:
    """Return the known cards of events among the burnt cards, as `DECK_CODES * round + card`."""
    return collect_known_cards(scope, _find_burn_events(scope, kind))[0]


@cached_fact
def _find_dealt_later(scope: EvaluationContext, kind: str) -> Ints:
    """Return the known cards of events among the burnt cards that were dealt or drawn at a place later."""
    shown, at = collect_known_cards(scope, _find_burn_events(scope, kind))
    return shown[are_dealt_after(scope, shown, at)]


@cached_fact
def _find_kept_back(scope: EvaluationContext) -> Ints:
    """Return the known cards drawn in error that do not occur later, at a place or among the burnt cards.

    A card that was dealt before occurs twice. There are none if the log does not record the order of the deal.
    """
    drawn = find_distinct(_collect_burnt_area(scope, "draw"))
    drawn = drawn[are_kinds_recorded(scope, ["deal"])[drawn // DECK_CODES]]
    others = [
        _find_dealt_later(scope, "draw"),
        _collect_burnt_area(scope, "deal"),
        _collect_burnt_area(scope, "expose"),
    ]
    return drawn[~np.isin(drawn, np.concatenate(others))]


@cached_fact
def _find_burn_events(scope: EvaluationContext, kind: str) -> Ints:
    """Return the events of a kind among the burnt cards.

    Cards that were exposed before the shuffle of the round are left out: they are in the deck again.
    """
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    chosen = chosen[(events.place[chosen] == PLACES.index("burn")) & (events.cards_row[chosen] != ABSENT)]
    return (
        chosen if kind != "expose" or not len(chosen) else chosen[chosen > _find_shuffle(scope)[events.round[chosen]]]
    )


@cached_fact
def _find_shuffle(scope: EvaluationContext) -> Ints:
    """Return the last shuffle of the deck in play before the first card of each round; ABSENT if none."""
    events, result = scope.batch.events, np.full(len(scope.batch), ABSENT, np.int64)
    first = find_first_by_round(scope, events_of_kinds(scope, ("deal",)))
    shuffles = events_of_kinds(scope, ("shuffle",))
    shuffles = shuffles[shuffles < first[events.round[shuffles]]]
    shuffles = shuffles[concerns_deck(scope, "in-play", shuffles) == YES]
    result[events.round[shuffles]] = shuffles
    return result


def count_cards_out(scope: EvaluationContext) -> tuple[Ints, Flags]:
    """Count the cards that left the deck in each round, and return whether the log records them.

    These are cards dealt and drawn at every place, burnt, or exposed in the deck. A card drawn in error counts if it
    was not dealt later.
    """
    rounds = scope.count_items("round")
    total = np.zeros(rounds, np.int64)
    recorded = are_kinds_recorded(scope, ["deal", "expose"], "burn").copy()
    served = scope.compiled_game.game.deal.cards
    hidden = np.zeros(rounds, bool)
    for place, owner, hands in _iter_hands(scope):
        total += np.bincount(owner, np.maximum(hands.count, 0), rounds).astype(np.int64)
        hidden[owner[((hands.cards >= CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = True
        if place in served:
            recorded[owner[hands.count < 0]] = False
    events = scope.batch.events
    for kind in ("deal", "expose", "draw"):
        chosen = _find_burn_events(scope, kind)
        owner, rows = events.round[chosen].astype(np.int64), events.cards_row[chosen]
        sizes = events.hands.count[rows] if len(rows) else np.zeros(0, np.int16)
        known = _collect_burnt_area(scope, kind)
        faces = np.bincount(known // DECK_CODES, minlength=rounds)
        unknown = np.bincount(owner, sizes, rounds).astype(np.int64) - faces
        if kind == "deal":
            total += unknown + faces
            continue
        new = find_distinct(known)
        new = new[
            ~np.isin(new, np.concatenate([_collect_burnt_area(scope, "deal"), _find_dealt_later(scope, "expose")]))
        ]
        if kind == "draw":
            itself = np.isin(new, _find_kept_back(scope))
            new = new[count_faces(scope)[new // DECK_CODES, new % DECK_CODES] == itself]
            # It is unknown whether an unseen card was dealt later.
            recorded &= (unknown == 0) & ~(hidden & (np.bincount(new // DECK_CODES, minlength=rounds) > 0))
        total += np.bincount(new // DECK_CODES, minlength=rounds) + (unknown if kind == "expose" else 0)
    return total, recorded
