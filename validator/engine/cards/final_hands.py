"""Cards that a place holds at the end: the cards dealt, without those discarded, with those drawn."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints16
from validator.cards.cards import CARDS, NO_CARD
from validator.cards.cards import UNKNOWN as UNKNOWN_CARD
from validator.engine.acts.event_cards import count_named_cards
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from validator.engine.timeline.truncated_records import is_truncated, may_continue
from validator.evidence.columns.batch import Hands
from validator.evidence.columns.cards_of_events import join_event_cards, prefer_listed_hands
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND_CODES
from validator.language.grains import grain_of_place
from validator.language.terms import Place
from validator.rules.model.game import Game

Exchange = Literal["discard", "draw"]


def may_exchange(game: Game, place: Place, kind: Exchange) -> bool:
    """Return whether cards of a place may be discarded, or drawn, in a game."""
    if any(kind in step.events and step.place in (None, place) for step in game.procedure):
        return True
    return kind == "discard" and any(
        way.count_dealt().get(place) != way.count_kept().get(place) for way in game.deal.ways.values()
    )


@cached_fact
def exchanged_cards(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    """Return the cards that a place discarded, or drew: one row per seat for `player`, else one row per round.

    The summary decides, or else the events. If neither the game nor the record has such an exchange, there are no
    cards.
    """
    listed = _read_listed(scope, place, kind)
    is_unlisted = listed.count == ABSENT
    if not is_unlisted.any():
        return listed
    if not may_exchange(scope.compiled_game.game, place, kind):
        return Hands(cards=listed.cards, count=np.where(is_unlisted, np.int16(0), listed.count))
    recorded = _collect_from_events(scope, place, kind)
    return prefer_listed_hands(listed, recorded, is_unlisted)


def _read_listed(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    batch = scope.batch
    match place, kind:
        case "player", "discard":
            return batch.seats.discarded
        case "player", _:
            return batch.seats.drawn
        case "dealer", "discard":
            return batch.dealer_discarded
        case "dealer", _:
            return batch.dealer_drawn
        case _, "discard":
            return batch.community_discarded
        case _:
            rounds = scope.count_items("round")
            return Hands(
                cards=np.full((rounds, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rounds, ABSENT, np.int16)
            )


def _collect_from_events(scope: EvaluationContext, place: Place, kind: Exchange) -> Hands:
    """Return the cards of all events of a kind at a place.

    An event that only states positions gives their number. The cards are unknown if an event states nothing, or if
    there are more cards than the exchanges permit. They are unknown as well if the record may stop before the exchange
    ended.
    """
    events, grain = scope.batch.events, grain_of_place(place)
    rows = scope.count_items(grain)
    chosen = _find_at_place(scope, kind, place)
    owner = find_owners(scope, place, chosen)
    size, recorded = count_named_cards(scope, chosen)
    counts = np.bincount(owner, size, rows).astype(np.int64)
    most = WIDEST_HAND * max(len(scope.compiled_game.game.deal.exchanging_stages), 1)
    known = are_kinds_recorded(scope, [kind], place)[scope.rounds_of(grain)] & (counts <= most)
    known[owner[~recorded]] = False
    known &= ~is_truncated(scope, grain) | _has_finished(scope, place, kind, owner, counts)
    return join_event_cards(events, chosen, owner, size, known)


def _has_finished(scope: EvaluationContext, place: Place, kind: Exchange, owner: Ints, counts: Ints) -> Flags:
    """Return whether a place has finished exchanging, even if the record stops there.

    It has if it discarded cards, or if it drew as many as it discarded.

    Args:
        owner: the owner of each event.
        counts: int64[n], how many cards each owner has exchanged.
    """
    if kind == "discard":
        return np.bincount(owner, minlength=len(counts)) > 0
    discarded = exchanged_cards(scope, place, "discard").count
    return (discarded != ABSENT) & (counts >= discarded)


def may_discard_later(scope: EvaluationContext, place: Place) -> Flags:
    """Return whether a place may discard more after a truncated record: it drew nothing, and no stake was settled
    since.

    Returns:
        bool[seats] for `player`, else bool[rounds].
    """
    grain = grain_of_place(place)
    goes_on = is_truncated(scope, grain)
    if not goes_on.any():
        return goes_on
    goes_on[find_owners(scope, place, _find_at_place(scope, "draw", place))] = False
    begun = np.concatenate([_find_at_place(scope, kind, place) for kind in ("reveal", "discard")])
    last = np.full(scope.count_items(grain), ABSENT, np.int64)
    np.maximum.at(last, find_owners(scope, place, begun), begun)
    known = np.flatnonzero(goes_on & (last != ABSENT))
    goes_on[known] = may_continue(scope, last[known])
    return goes_on


def _find_at_place(scope: EvaluationContext, kind: str, place: Place) -> Ints:
    chosen = events_of_kinds(scope, (kind,))
    return chosen[scope.batch.events.place[chosen] == PLACES.index(place)]


def find_owners(scope: EvaluationContext, place: Place, events: Ints) -> Ints:
    """Return the seat, or the round, whose cards each event concerns.

    Returns:
        int64[n].
    """
    owner = scope.batch.events.seat if place == "player" else scope.batch.events.round
    return owner[events].astype(np.int64)


@cached_fact
def final_cards(scope: EvaluationContext, place: Place) -> Hands:
    """Return the cards that a place holds at the end: one row per seat for `player`, else one row per round.

    `count` is ABSENT unless the cards dealt, discarded and drawn are all recorded. If faces of discards are unknown, so
    are the remaining cards, unless the full number of cards was shown at the end.
    """
    dealt = scope.dealt_hands(place)
    discarded, drawn = exchanged_cards(scope, place, "discard"), exchanged_cards(scope, place, "draw")
    changed = np.flatnonzero((discarded.count != 0) | (drawn.count != 0))
    if not len(changed):
        return dealt
    left = _subtract_discards(
        *(Hands(cards=hands.cards[changed], count=hands.count[changed]) for hands in (dealt, discarded, drawn))
    )
    cards = np.full((len(dealt.count), left.cards.shape[1]), NO_CARD, np.uint8)
    cards[:, : dealt.cards.shape[1]] = dealt.cards
    count = dealt.count.copy()
    cards[changed], count[changed] = left.cards, left.count
    _fill_from_shown(scope, place, cards, count)
    return Hands(cards=cards, count=count)


def _subtract_discards(dealt: Hands, discarded: Hands, drawn: Hands) -> Hands:
    """Return the cards dealt and drawn, without those discarded; unknown faces come last."""
    pool = np.concatenate([dealt.cards, drawn.cards], axis=1)
    open_ = np.zeros(len(pool), bool)
    for column in range(int(discarded.count.max(initial=0))):
        card = discarded.cards[:, column]
        here = pool == card[:, None]
        face = here.any(axis=1) & (card < CARDS)
        # A discarded card that is not among the known cards must be one of the unknown cards.
        hidden = (pool == UNKNOWN_CARD) & ~face[:, None]
        result = np.where(face[:, None], here, hidden)
        removed = np.flatnonzero((card != NO_CARD) & result.any(axis=1))
        pool[removed, result[removed].argmax(axis=1)] = NO_CARD
        open_ |= card == UNKNOWN_CARD
    pool = np.take_along_axis(pool, np.argsort(pool == NO_CARD, axis=1, kind="stable"), axis=1)
    count = dealt.count.astype(np.int64) - discarded.count + drawn.count
    count = np.where((dealt.count < 0) | (discarded.count < 0) | (drawn.count < 0) | (count < 0), ABSENT, count)
    pool[np.arange(pool.shape[1]) >= count[:, None]] = NO_CARD
    pool[open_[:, None] & (pool != NO_CARD)] = UNKNOWN_CARD
    short = (pool != NO_CARD).sum(axis=1) < count
    pool[short] = np.where(np.arange(pool.shape[1]) < count[short, None], UNKNOWN_CARD, NO_CARD)
    return Hands(cards=pool, count=count.astype(np.int16))


def _fill_from_shown(scope: EvaluationContext, place: Place, cards: Codes, count: Ints16) -> None:
    """Fill in the cards that a place showed last, if faces are unknown and all its cards were shown.

    If the log does not record discards, the show must include a card that was not dealt at first. Otherwise the place
    may have shown its hand before it exchanged any card.
    """
    events, deal = scope.batch.events, scope.compiled_game.game.deal
    full = deal.held.get(place, deal.cards.get(place, 0))
    doubtful = (count == full) & (cards == UNKNOWN_CARD).any(axis=1)
    if not doubtful.any():
        return
    last = np.full(len(count), ABSENT, np.int64)
    for kind in ("reveal", "discard", "draw"):
        chosen = _find_at_place(scope, kind, place)
        np.maximum.at(last, find_owners(scope, place, chosen), chosen)
    known = np.flatnonzero(doubtful & (last != ABSENT))
    known = known[events.kind[last[known]] == KIND_CODES["reveal"]]
    rows = events.cards_row[last[known]]
    in_order = are_kinds_recorded(scope, ("discard",), place)[scope.rounds_of(grain_of_place(place))[known]]
    dealt, shown = scope.dealt_hands(place).cards[known], events.hands.cards[rows, :full]
    fresh = ~(shown[:, :, None] == dealt[:, None, :]).any(axis=2) & (shown < CARDS)
    drawn = fresh.any(axis=1) & ~(dealt == UNKNOWN_CARD).any(axis=1)
    whole = (events.hands.count[rows] == full) & (in_order | drawn)
    known, rows = known[whole], rows[whole]
    cards[known] = NO_CARD
    cards[known, :full] = events.hands.cards[rows, :full]
