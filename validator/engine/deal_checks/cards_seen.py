"""Cards that left the deck in a round: none of them too often, and how many they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, distinct
from validator.cards.cards import CARDS, NO_CARD
from validator.engine.cards.final_hands import exchanged
from validator.engine.core.context import Scope, fact
from validator.engine.deal_checks.cards_in_play import most_at_once
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.evidence.columns.batch import Hands
from validator.evidence.handlog.event_values import PLACES
from validator.language.registry import grain_of_place
from validator.language.terms import Place

_SLOTS = 64
"""Room for the codes of the cards of one deck."""
_ALL: tuple[Place, ...] = ("player", "dealer", "community")


def _lots(scope: Scope) -> Iterator[tuple[Place, Ints, Hands]]:
    """The cards each place was dealt and drew, by the rounds they belong to."""
    for place in _ALL:
        owner = scope.round_of(grain_of_place(place)).astype(np.int64)
        yield place, owner, scope.hands_at(place)
        yield place, owner, exchanged(scope, place, "draw")


@fact
def deck_holds(scope: Scope) -> tuple[Flags, Flags]:
    """Per round: whether no known card is in play more often at once than the decks hold it, and whether
    every card is known, so that nothing could have been missed."""
    whole = np.ones(scope.length("round"), bool)
    for place, owner, hands in _lots(scope):
        whole[owner[((hands.cards >= CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = False
        if place in scope.prepared.game.deal.cards:
            whole[owner[hands.count < 0]] = False
    decks = scope.prepared.game.deck.decks
    holds = counts(scope).max(axis=1, initial=0) <= decks
    again = np.flatnonzero(~holds)
    if len(again) and scope.prepared.game.deal.exchanging:
        most, told = most_at_once(scope, again)
        holds[again] = most <= decks
        whole[again] &= told
    return holds, whole


@fact
def counts(scope: Scope) -> Ints:
    """int64[rounds, codes]: how often each card turns up in each round, as far as faces are known."""
    rounds = scope.length("round")
    keys: list[Ints] = [_set_aside(scope, "deal")]
    for _, owner, hands in _lots(scope):
        for cards in hands.cards.T:
            dealt = cards < CARDS
            if dealt.any():
                keys.append((owner * _SLOTS + cards)[dealt])
            elif (cards == NO_CARD).all():
                break
    # A card that came to light among those burnt is one of them, unless it is none that was seen burnt.
    exposed = distinct(_set_aside(scope, "expose"))
    keys.append(exposed[~np.isin(exposed, keys[0])])
    return np.bincount(np.concatenate(keys), minlength=rounds * _SLOTS).reshape(rounds, _SLOTS)


def _set_aside(scope: Scope, kind: str) -> Ints:
    """int64[m]: the known cards of events among the burnt cards, `round * _SLOTS + card` each."""
    events = scope.batch.events
    chosen = _at_burn(scope, kind)
    cards = events.hands.cards[events.cards_row[chosen]] if len(chosen) else np.zeros((0, 1), np.uint8)
    keys = events.round[chosen].astype(np.int64)[:, None] * _SLOTS + cards
    return keys[cards < CARDS]


def _at_burn(scope: Scope, kind: str) -> Ints:
    events = scope.batch.events
    chosen = events_of_kinds(scope, (kind,))
    return chosen[(events.place[chosen] == PLACES.index("burn")) & (events.cards_row[chosen] != ABSENT)]


def cards_out(scope: Scope) -> tuple[Ints, Flags]:
    """Per round: how many cards left the deck, and whether the log tells: cards dealt and drawn at every place,
    burnt, or come to light in the deck. A card drawn in error counts where it was not dealt afterwards."""
    rounds = scope.length("round")
    total = np.zeros(rounds, np.int64)
    told = kinds_recorded(scope, ["deal", "expose"], "burn").copy()
    served = scope.prepared.game.deal.cards
    hidden = np.zeros(rounds, bool)
    for place, owner, hands in _lots(scope):
        total += np.bincount(owner, np.maximum(hands.count, 0), rounds).astype(np.int64)
        hidden[owner[((hands.cards >= CARDS) & (hands.cards != NO_CARD)).any(axis=1)]] = True
        if place in served:
            told[owner[hands.count < 0]] = False
    events = scope.batch.events
    for kind in ("deal", "expose", "draw"):
        chosen = _at_burn(scope, kind)
        owner, rows = events.round[chosen].astype(np.int64), events.cards_row[chosen]
        sizes = events.hands.count[rows] if len(rows) else np.zeros(0, np.int16)
        known = _set_aside(scope, kind)
        faces = np.bincount(known // _SLOTS, minlength=rounds)
        unknown = np.bincount(owner, sizes, rounds).astype(np.int64) - faces
        if kind == "deal":
            total += unknown + faces
            continue
        new = distinct(known)
        new = new[~np.isin(new, _set_aside(scope, "deal"))]
        if kind == "draw":
            new = new[counts(scope)[new // _SLOTS, new % _SLOTS] == 0]
            # Whether a card that nobody saw was dealt afterwards cannot be told.
            told &= (unknown == 0) & ~(hidden & (np.bincount(new // _SLOTS, minlength=rounds) > 0))
        total += np.bincount(new // _SLOTS, minlength=rounds) + (unknown if kind == "expose" else 0)
    return total, told
