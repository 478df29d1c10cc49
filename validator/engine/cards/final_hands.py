"""What a place holds in the end: the cards dealt, less those discarded, and those drawn in their stead."""

from __future__ import annotations

from typing import Literal

import numpy as np

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints16
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN
from validator.engine.acts.event_cards import cards_told
from validator.engine.core.context import Scope, fact
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.truncated_records import breaks_off, may_go_on
from validator.evidence.columns.batch import Hands
from validator.evidence.columns.cards_of_events import listed_or_told, put_together
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.language.grains import grain_of_place
from validator.language.terms import Place
from validator.rules.model.game import Game

Exchange = Literal["discard", "draw"]


def exchanges(game: Game, place: Place, kind: Exchange) -> bool:
    """Whether cards of a place may be discarded, or drawn, in a game."""
    if any(kind in step.events and step.place in (None, place) for step in game.procedure):
        return True
    return kind == "discard" and any(way.dealt().get(place) != way.kept().get(place) for way in game.deal.ways.values())


@fact
def exchanged(scope: Scope, place: Place, kind: Exchange) -> Hands:
    """The cards a place discarded, or drew: as the summary lists them, else as events tell. Where the game has no
    such thing and the record does not list it, there were none. A row a seat for `player`, else a row a round."""
    listed = _listed(scope, place, kind)
    silent = listed.count == ABSENT
    if not silent.any():
        return listed
    if not exchanges(scope.prepared.game, place, kind):
        return Hands(cards=listed.cards, count=np.where(silent, np.int16(0), listed.count))
    recorded = _told(scope, place, kind)
    return listed_or_told(listed, recorded, silent)


def _listed(scope: Scope, place: Place, kind: Exchange) -> Hands:
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
            rounds = scope.length("round")
            return Hands(
                cards=np.full((rounds, WIDEST_HAND), NO_CARD, np.uint8), count=np.full(rounds, ABSENT, np.int16)
            )


def _told(scope: Scope, place: Place, kind: Exchange) -> Hands:
    """The cards of all events of a kind at a place. An event that only says where the cards lay tells their number;
    one that tells nothing leaves it open, and so do more cards than as many hands can have as there are exchanges, and
    a record that stops before the place was done."""
    events, grain = scope.batch.events, grain_of_place(place)
    rows = scope.length(grain)
    chosen = _at_place(scope, kind, place)
    owner = owner_of(scope, place, chosen)
    size, recorded = cards_told(scope, chosen)
    counts = np.bincount(owner, size, rows).astype(np.int64)
    most = WIDEST_HAND * max(len(scope.prepared.game.deal.exchanging), 1)
    known = kinds_recorded(scope, [kind], place)[scope.round_of(grain)] & (counts <= most)
    known[owner[~recorded]] = False
    known &= ~breaks_off(scope, grain) | _over(scope, place, kind, owner, counts)
    return put_together(events, chosen, owner, size, known)


def _over(scope: Scope, place: Place, kind: Exchange, owner: Ints, counts: Ints) -> Flags:
    """bool[n]: whether a place that put cards away, or drew `counts` int64[n] of them, by the events of some `owner`s,
    is done with it, though the record may stop there: it has put some away, and drew for all of those."""
    if kind == "discard":
        return np.bincount(owner, minlength=len(counts)) > 0
    away = exchanged(scope, place, "discard").count
    return (away != ABSENT) & (counts >= away)


def discards_go_on(scope: Scope, place: Place) -> Flags:
    """Return whether a place may discard more after the record stops: it drew nothing, and no stake was settled since.

    Returns: bool[seats] for `player`, else bool[rounds].
    """
    grain = grain_of_place(place)
    goes_on = breaks_off(scope, grain)
    if not goes_on.any():
        return goes_on
    goes_on[owner_of(scope, place, _at_place(scope, "draw", place))] = False
    begun = np.concatenate([_at_place(scope, kind, place) for kind in ("reveal", "discard")])
    last = np.full(scope.length(grain), ABSENT, np.int64)
    np.maximum.at(last, owner_of(scope, place, begun), begun)
    known = np.flatnonzero(goes_on & (last != ABSENT))
    goes_on[known] = may_go_on(scope, last[known])
    return goes_on


def _at_place(scope: Scope, kind: str, place: Place) -> Ints:
    chosen = events_of_kinds(scope, (kind,))
    return chosen[scope.batch.events.place[chosen] == PLACES.index(place)]


def owner_of(scope: Scope, place: Place, events: Ints) -> Ints:
    """int64[n]: the seat, or the round, whose cards some events at a place are about."""
    owner = scope.batch.events.seat if place == "player" else scope.batch.events.round
    return owner[events].astype(np.int64)


@fact
def held(scope: Scope, place: Place) -> Hands:
    """The cards a place holds in the end. A row a seat for `player`, else a row a round.

    `count` is ABSENT unless the cards dealt, discarded and drawn are all recorded. Where the faces of discards are
    not known, neither are those that are left, unless exactly the full number was shown at the end.
    """
    dealt = scope.hands_at(place)
    away, drawn = exchanged(scope, place, "discard"), exchanged(scope, place, "draw")
    changed = np.flatnonzero((away.count != 0) | (drawn.count != 0))
    if not len(changed):
        return dealt
    left = _left(*(Hands(cards=hands.cards[changed], count=hands.count[changed]) for hands in (dealt, away, drawn)))
    cards = np.full((len(dealt.count), left.cards.shape[1]), NO_CARD, np.uint8)
    cards[:, : dealt.cards.shape[1]] = dealt.cards
    count = dealt.count.copy()
    cards[changed], count[changed] = left.cards, left.count
    _as_shown(scope, place, cards, count)
    return Hands(cards=cards, count=count)


def _left(dealt: Hands, away: Hands, drawn: Hands) -> Hands:
    """Cards dealt and drawn, less those put away: from the left, faces that are not known last."""
    pool = np.concatenate([dealt.cards, drawn.cards], axis=1)
    open_ = np.zeros(len(pool), bool)
    for column in range(int(away.count.max(initial=0))):
        card = away.cards[:, column]
        here = pool == card[:, None]
        face = here.any(axis=1) & (card < CARDS)
        # A known card that is not among the known ones must be one whose face was not recorded.
        hidden = (pool == UNKNOWN) & ~face[:, None]
        result = np.where(face[:, None], here, hidden)
        gone = np.flatnonzero((card != NO_CARD) & result.any(axis=1))
        pool[gone, result[gone].argmax(axis=1)] = NO_CARD
        open_ |= card == UNKNOWN
    pool = np.take_along_axis(pool, np.argsort(pool == NO_CARD, axis=1, kind="stable"), axis=1)
    count = dealt.count.astype(np.int64) - away.count + drawn.count
    count = np.where((dealt.count < 0) | (away.count < 0) | (drawn.count < 0) | (count < 0), ABSENT, count)
    pool[np.arange(pool.shape[1]) >= count[:, None]] = NO_CARD
    pool[open_[:, None] & (pool != NO_CARD)] = UNKNOWN
    short = (pool != NO_CARD).sum(axis=1) < count
    pool[short] = np.where(np.arange(pool.shape[1]) < count[short, None], UNKNOWN, NO_CARD)
    return Hands(cards=pool, count=count.astype(np.int16))


def _as_shown(scope: Scope, place: Place, cards: Codes, count: Ints16) -> None:
    """Put in what was shown last of a place, where a face is not known and that was its full number of cards.

    Where the log does not record what is put away, it must show a card that was not dealt at first: otherwise the hand
    may have been shown before the place exchanged any.
    """
    events, deal = scope.batch.events, scope.prepared.game.deal
    full = deal.held.get(place, deal.cards.get(place, 0))
    doubtful = (count == full) & (cards == UNKNOWN).any(axis=1)
    if not doubtful.any():
        return
    last = np.full(len(count), ABSENT, np.int64)
    for kind in ("reveal", "discard", "draw"):
        chosen = _at_place(scope, kind, place)
        np.maximum.at(last, owner_of(scope, place, chosen), chosen)
    known = np.flatnonzero(doubtful & (last != ABSENT))
    known = known[events.kind[last[known]] == KIND["reveal"]]
    rows = events.cards_row[last[known]]
    in_order = kinds_recorded(scope, ("discard",), place)[scope.round_of(grain_of_place(place))[known]]
    dealt, shown = scope.hands_at(place).cards[known], events.hands.cards[rows, :full]
    fresh = ~(shown[:, :, None] == dealt[:, None, :]).any(axis=2) & (shown < CARDS)
    drawn = fresh.any(axis=1) & ~(dealt == UNKNOWN).any(axis=1)
    whole = (events.hands.count[rows] == full) & (in_order | drawn)
    known, rows = known[whole], rows[whole]
    cards[known] = NO_CARD
    cards[known, :full] = events.hands.cards[rows, :full]
