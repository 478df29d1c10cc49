"""How often a card is in play at once, where cards that were put away may be shuffled and dealt again.

A card leaves the deck when it is dealt, drawn or burnt. It is back with the first shuffle after it was put away: by a
discard, by the fold of the hand it is in, or by being burnt. Where shuffles are not recorded, there may be one at any
time, so that what is found is the least that may be.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Cards, Flags, Ints, Ints16
from validator.cards.cards import CARDS, NO_CARD, UNKNOWN
from validator.engine.cards.final_hands import exchanged, owner_of
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO
from validator.engine.timeline.event_decks import happened_to
from validator.engine.timeline.last_actions import decided
from validator.engine.timeline.step_events import events_of_kinds, kinds_recorded
from validator.engine.timeline.streets import receivers
from validator.evidence.columns.batch import Hands
from validator.evidence.columns.cards_of_events import before_each
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.language.grains import grain_of_place
from validator.language.terms import Place

_NEVER = np.iinfo(np.int64).max
_BURN = PLACES.index("burn")
_ALL: tuple[Place, ...] = ("player", "dealer", "community")


class _Moves(Struct, frozen=True, kw_only=True):
    """Known cards that leave the deck or come back, int64[n] each: the round, the card, whose hand it is in (a
    receiver), and the event with which it moves, a round's first where it was dealt before any that is recorded."""

    round: Ints
    card: Ints
    receiver: Ints
    at: Ints

    def where(self, chosen: Flags) -> _Moves:
        return _Moves(
            round=self.round[chosen], card=self.card[chosen], receiver=self.receiver[chosen], at=self.at[chosen]
        )


def most_at_once(scope: Scope, rounds: Ints) -> tuple[Ints, Flags]:
    """int64[m]: how often the card that is most often in play at once is so at the least, in some rounds; bool[m]:
    whether that is told, which it is not where shuffles, or what was put away, are not recorded."""
    asked = np.zeros(scope.length("round"), bool)
    asked[rounds] = True
    events = scope.batch.events
    ours = asked[events.round]
    recorded = kinds_recorded(scope, ("discard", "draw", "decide"))
    known = recorded & kinds_recorded(scope, ("shuffle",))
    hidden = _hidden(scope, np.flatnonzero(ours & (events.kind == KIND["discard"])))
    known[events.round[hidden]] = False
    most = _most(scope, asked & recorded, ours & recorded[events.round], hidden)
    return most[rounds], known[rounds]


def _most(scope: Scope, asked: Flags, ours: Flags, hidden: Ints) -> Ints:
    """int64[rounds]: how often a card is in play at once at the least; 0 in rounds that are not asked for. With a
    discard that nobody saw (`hidden`, int64[n] events) any card of the hand may have gone, as all do with a fold."""
    events = scope.batch.events
    out = list(_dealt(scope, asked, ours))
    for place in _ALL:
        drawn = np.flatnonzero(ours & (events.kind == KIND["draw"]) & (events.place == PLACES.index(place)))
        out.append(_faces(scope, drawn, exchanged(scope, place, "draw"), owner_of(scope, place, drawn)))
    burnt = _faces(scope, np.flatnonzero(ours & (events.kind == KIND["deal"]) & (events.place == _BURN)))
    away = _faces(scope, np.flatnonzero(ours & (events.kind == KIND["discard"])))
    folds = np.flatnonzero(ours & decided(scope, {"fold"}) & (events.seat != ABSENT))
    folds = np.sort(np.concatenate([folds, hidden]))
    folded = np.full(scope.length("seat") + len(asked) * len(PLACES), _NEVER)
    folded[receivers(scope)[folds[::-1]]] = folds[::-1]
    changes: list[tuple[_Moves, Ints, int]] = [(moves, moves.at, 1) for moves in (*out, burnt)]
    changes += [(moves, _back(scope, moves.at), -1) for moves in (away, burnt)]
    for moves, by in [*((moves, -1) for moves in out), (away, 1)]:
        before = moves.where(moves.at < folded[moves.receiver])
        changes.append((before, _back(scope, folded[before.receiver]), by))
    return _peaks(len(asked), changes)


def _peaks(rounds: int, changes: list[tuple[_Moves, Ints, int]]) -> Ints:
    """int64[rounds]: the most that a card comes to, changes taken in the order of their times."""
    time = np.concatenate([time for _, time, _ in changes])
    by = np.concatenate([np.full(len(moves.round), by) for moves, _, by in changes])
    owner = np.concatenate([moves.round for moves, _, _ in changes])
    card = np.concatenate([moves.card for moves, _, _ in changes])
    some = np.flatnonzero(time != _NEVER)
    order = some[np.lexsort((by[some], time[some], card[some], owner[some]))]
    running = np.cumsum(by[order])
    key = owner[order] * CARDS + card[order]
    first = np.ones(len(order), bool)
    first[1:] = key[1:] != key[:-1]
    base = (running - by[order])[first]
    most = np.zeros(rounds, np.int64)
    np.maximum.at(most, owner[order], running - base[np.cumsum(first) - 1])
    return most


def _back(scope: Scope, gone: Ints) -> Ints:
    """int64[n]: the event with which what went at some events is back in the deck, `_NEVER` where it is not."""
    events = scope.batch.events
    result = np.full(len(gone), _NEVER)
    some = np.flatnonzero(gone != _NEVER)
    owner = events.round[gone[some]]
    shuffled = events_of_kinds(scope, ("shuffle",))
    shuffles = np.append(shuffled[happened_to(scope, "in-play", shuffled) != NO], ABSENT)
    following = shuffles[np.searchsorted(shuffles[:-1], gone[some])]
    there = (following != ABSENT) & (events.round[following] == owner)
    known = kinds_recorded(scope, ("shuffle",))[owner]
    result[some] = np.where(known, np.where(there, following, _NEVER), gone[some])
    return result


def _dealt(scope: Scope, asked: Flags, ours: Flags) -> Iterator[_Moves]:
    """Cards dealt to places: as events tell, else as the summary lists them."""
    events = scope.batch.events
    for place in _ALL:
        by_events = kinds_recorded(scope, ("deal",), place)
        dealt = ours & by_events[events.round] & (events.kind == KIND["deal"]) & (events.place == PLACES.index(place))
        chosen = np.flatnonzero(dealt)
        yield _faces(scope, chosen, scope.hands_at(place), owner_of(scope, place, chosen))
        owner = scope.round_of(grain_of_place(place)).astype(np.int64)
        rows = np.flatnonzero((asked & ~by_events)[owner])
        row, column = np.nonzero(scope.hands_at(place).cards[rows] < CARDS)
        holder = rows if place == "player" else scope.length("seat") + rows * len(PLACES) + PLACES.index(place)
        yield _Moves(
            round=owner[rows[row]],
            card=scope.hands_at(place).cards[rows[row], column].astype(np.int64),
            receiver=holder[row],
            at=events.offsets[owner[rows[row]]] - 1,
        )


def _faces(scope: Scope, chosen: Ints, listed: Hands | None = None, owner: Ints | None = None) -> _Moves:
    """The known cards of some events; what a summary lists (`listed`, a row for each of `owner`, int64[m]) in the order
    of the events, of those whose faces they do not tell."""
    events = scope.batch.events
    recorded = events.cards_row[chosen] != ABSENT
    chosen = chosen[recorded]
    cards = events.hands.cards[events.cards_row[chosen]]
    if listed is not None and owner is not None:
        cards = _filled(cards, events.hands.count[events.cards_row[chosen]], listed, owner[recorded])
    row, column = np.nonzero(cards < CARDS)
    at = chosen[row]
    return _Moves(
        round=events.round[at].astype(np.int64),
        card=cards[row, column].astype(np.int64),
        receiver=receivers(scope)[at].astype(np.int64),
        at=at,
    )


def _filled(cards: Cards, count: Ints16, listed: Hands, owner: Ints) -> Cards:
    """Cards of events, uint8[m, width], `count` int16[m] of them each, with faces that a summary lists in their order
    put in where they are not known; nothing where it lists another number of cards."""
    if not (cards == UNKNOWN).any():
        return cards
    rows, width = len(listed.count), listed.cards.shape[1]
    alike = np.bincount(owner, count, rows) == listed.count
    place = before_each(owner, count.astype(np.int64), rows)[:, None] + np.arange(cards.shape[1])
    hidden = (cards == UNKNOWN) & alike[owner][:, None] & (place < width)
    row, column = np.nonzero(hidden)
    result = cards.copy()
    result[row, column] = listed.cards[owner[row], place[row, column]]
    return result


def _hidden(scope: Scope, chosen: Ints) -> Ints:
    """int64[n]: those of some events that leave a face open."""
    events = scope.batch.events
    rows = events.cards_row[chosen]
    hidden = rows == ABSENT
    shown = np.flatnonzero(~hidden)
    cards = events.hands.cards[rows[shown]]
    hidden[shown] = ((cards >= CARDS) & (cards != NO_CARD)).any(axis=1)
    return chosen[hidden]
